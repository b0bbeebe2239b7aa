//! Draws the leaves of a store as a tree.

use b2nd_view::store::{Content, Leaf};
use b2nd_view::text::{columns, count, printable, shortened, size, thousands};
use b2nd_view::{Array, Frame, Kind, facts};

/// The maximum number of levels that are drawn. It limits the recursion of `draw`, because paths in archives can have many levels.
const DEEPEST: usize = 64;

/// The number of characters to which a dtype is shortened.
const DTYPE: usize = 40;

/// The texts that follow the name in the line of a leaf: kind, dtype, shape, size and compression ratio.
pub(crate) type Cells = Vec<String>;

/// The leaves of a store or of one of its groups: their keys and cells.
pub(crate) type Tree = Vec<(String, Cells)>;

/// Returns the lines of the whole tree, or of one group of it. At most [`DEEPEST`] levels are drawn. For a group at the last of these
/// levels, the number of its leaves is shown.
pub(crate) fn lines(tree: &Tree, group: Option<&str>) -> Vec<String> {
    let names = |key: &str| key.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let above = names(group.unwrap_or_default()).len();
    let leaves: Vec<_> = tree.iter().map(|(key, cells)| (names(key), cells)).collect();
    let mut rows = Vec::new();
    draw(&leaves, above, above + DEEPEST, "", &mut rows);
    columns(&rows, &[4, 5])
}

/// Draws leaves whose keys have the first `level` names in common. The leaves of a group must be next to each other.
fn draw(leaves: &[(Vec<String>, &Cells)], level: usize, depth: usize, indent: &str, rows: &mut Vec<Vec<String>>) {
    let groups: Vec<_> = leaves.chunk_by(|one, other| one.0.get(level) == other.0.get(level)).collect();
    for (index, group) in groups.iter().enumerate() {
        let is_last = index + 1 == groups.len();
        let (branch, below) = if is_last { ("└── ", "    ") } else { ("├── ", "│   ") };
        let Some((path, cells)) = group.first() else { continue };
        let name = path.get(level).map_or_else(|| "/".to_owned(), |name| printable(name));
        if group.len() == 1 && path.len() <= level + 1 {
            rows.push([vec![format!("{indent}{branch}{name}")], (*cells).clone()].concat());
        } else if level + 1 >= depth {
            let leaves = count(group.len(), "leaf").replace("leafs", "leaves");
            rows.push(vec![format!("{indent}{branch}{name}/"), leaves]);
        } else {
            rows.push(vec![format!("{indent}{branch}{name}/")]);
            draw(group, level + 1, depth, &format!("{indent}{below}"), rows);
        }
    }
}

/// Returns the cells of a frame.
pub(crate) fn of_frame(frame: &Frame) -> Cells {
    let header = frame.header();
    let kind = Kind::of(header, frame.trailer().ok()).name().to_owned();
    let ratio = facts::ratio(header).map_or_else(String::new, |ratio| ratio + "x");
    let (dtype, shape) = match Array::find(header) {
        Ok(Some(array)) => {
            let shape: Vec<_> = array.meta.geometry().shape().iter().map(thousands).collect();
            let shape = if shape.is_empty() { "()".to_owned() } else { shape.join(" x ") };
            (array.meta.dtype().map_or_else(String::new, |dtype| shortened(printable(dtype), DTYPE)), shape)
        }
        _ => Default::default(),
    };
    vec![kind, dtype, shape, short(facts::array_size(header)), ratio]
}

/// Returns the cells of a table or a reference.
pub(crate) fn of_leaf(leaf: &Leaf) -> Cells {
    match &leaf.content {
        Content::Table(table) => {
            let rows = table.rows.map_or_else(String::new, |rows| format!("{} x ", count(rows, "row")));
            vec![Kind::CTable.name().to_owned(), String::new(), format!("{rows}{}", count(table.columns.len(), "column"))]
        }
        Content::Remote { urlbase, path } => {
            vec![Kind::RemoteArray.name().to_owned(), String::new(), format!("{} at {}", printable(path), printable(urlbase))]
        }
        Content::Frame | Content::Embedded(_) => Cells::new(),
    }
}

/// Formats a number of bytes in a single unit, such as `6.2 KiB`.
fn short(bytes: i128) -> String {
    let text = size(bytes);
    text.split_once(" (").map_or(text.clone(), |(_, unit)| unit.trim_end_matches(')').to_owned())
}
