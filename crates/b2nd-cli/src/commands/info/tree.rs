//! `b2nd info --tree`: a store as a tree of its groups and leaves.

use std::io::{self, Write};

use b2nd_view::text::{count, printable, shortened, size, thousands};
use b2nd_view::{Array, Frame, Kind};

/// A path in an archive may have more levels than anyone reads, and than the stack holds.
const DEEPEST: usize = 64;

/// The characters of a dtype that are shown.
const DTYPE: usize = 40;

/// A store or a frame, and the leaves that have been seen of it.
pub(crate) struct Tree {
    title: String,
    /// Keys, and what is said of each.
    leaves: Vec<(String, String)>,
}

impl Tree {
    pub(crate) fn new(name: &str, label: &str) -> Tree {
        Tree { title: format!("{}  {label}", printable(name)), leaves: Vec::new() }
    }

    pub(crate) fn push(&mut self, key: &str, label: String) {
        self.leaves.push((key.to_owned(), label));
    }

    /// Draws it, with groups down to a depth; below that the leaves are counted. Lines are cut where a terminal would wrap them.
    pub(crate) fn draw(&self, depth: Option<usize>, width: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
        let mut lines = vec![self.title.clone()];
        let leaves: Vec<(Vec<&str>, &str)> = self
            .leaves
            .iter()
            .map(|(key, label)| (key.split('/').filter(|name| !name.is_empty()).collect(), label.as_str()))
            .collect();
        draw(&leaves, 0, depth.unwrap_or(DEEPEST).min(DEEPEST), "", &mut lines);
        for line in lines {
            match width {
                Some(width) => writeln!(out, "{}", shortened(line, width.saturating_sub(1)))?,
                None => writeln!(out, "{line}")?,
            }
        }
        Ok(())
    }
}

/// Draws leaves that have the first `level` names in common; those of a group stand together.
fn draw(leaves: &[(Vec<&str>, &str)], level: usize, depth: usize, indent: &str, lines: &mut Vec<String>) {
    let groups: Vec<_> = leaves.chunk_by(|one, other| one.0.get(level) == other.0.get(level)).collect();
    for (index, group) in groups.iter().enumerate() {
        let is_last = index + 1 == groups.len();
        let (branch, below) = if is_last { ("└── ", "    ") } else { ("├── ", "│   ") };
        let Some((path, label)) = group.first() else { continue };
        let name = printable(path.get(level).unwrap_or(&"/"));
        if group.len() == 1 && path.len() <= level + 1 {
            lines.push(format!("{indent}{branch}{name}  {label}"));
        } else if level + 1 >= depth {
            let leaves = count(group.len(), "leaf").replace("leafs", "leaves");
            lines.push(format!("{indent}{branch}{name}/  {leaves}"));
        } else {
            lines.push(format!("{indent}{branch}{name}/"));
            draw(group, level + 1, depth, &format!("{indent}{below}"), lines);
        }
    }
}

/// The words beside a frame: its shape, dtype and ratio, or its kind and length.
pub(crate) fn label(frame: &Frame, kind: Kind) -> String {
    let header = frame.header();
    let (nbytes, cbytes) = (header.nbytes(), header.cbytes());
    let ratio = if nbytes > 0 && cbytes > 0 { format!("  {:.1}x", nbytes as f64 / cbytes as f64) } else { String::new() };
    let Ok(Some(array)) = Array::find(header) else { return format!("{}  {}{ratio}", kind.name(), size(nbytes.into())) };
    let shape: Vec<_> = array.meta.geometry().shape().iter().map(thousands).collect();
    let shape = if shape.is_empty() { "()".to_owned() } else { shape.join(" x ") };
    let dtype = array.meta.dtype().map_or_else(String::new, |dtype| format!("  {}", shortened(printable(dtype), DTYPE)));
    let kind = if kind == Kind::NdArray { String::new() } else { format!("{}  ", kind.name()) };
    format!("{kind}{shape}{dtype}{ratio}")
}
