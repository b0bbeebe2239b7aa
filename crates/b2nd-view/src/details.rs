//! Details that depend on the kind of a frame, such as the operands of a lazy expression, or the type of a list array's items.

use b2nd_frame::{Header, Trailer};

use crate::text::{printable, quoted, shortened, thousands};
use b2nd::RawValue;
use b2nd_store::{Kind, attributes, value};

/// The `width` to use for [`lines`] if the output is not a terminal.
pub const WIDTH: usize = 96;

/// Returns the details of a frame as pairs of a label and a text, in the order in which they are shown. Most long texts are cut after
/// `width` characters.
pub fn lines(kind: Kind, header: &Header, trailer: &Trailer, width: usize) -> Vec<(String, String)> {
    let mut lines = Lines { lines: Vec::new(), width };
    let attribute = |name: &str| attributes::get(trailer, name);
    let metalayer = |name: &str| header.metalayers().get(name).and_then(value::read);
    match kind {
        Kind::LazyExpr | Kind::LazyUdf | Kind::RemoteArray | Kind::B2Object => {
            let bytes = attribute("b2o").or_else(|| attribute("_LazyArray")).unwrap_or_default();
            if let Some(recipe) = value::read(&bytes) {
                lines.recipe(recipe);
            }
        }
        Kind::Proxy => {
            if let Some(source) = metalayer("proxy-source") {
                let labels = [("source_kind", "source"), ("urlpath", "url"), ("local_abspath", "path"), ("dataset", "dataset")];
                labels.into_iter().for_each(|(key, label)| lines.text(label, source.get(key)));
            }
            for name in ["proxy-fetched", "proxy-fetched-blocks"] {
                let Some(bytes) = attribute(name) else { continue };
                let Some(bitmap) = value::read(&bytes).and_then(|value| value.as_bytes()) else { continue };
                let bits: u64 = bitmap.iter().map(|byte| u64::from(byte.count_ones())).sum();
                let per_chunk = attribute("proxy-fetched-bpc");
                let per_chunk = per_chunk.as_deref().and_then(value::read).and_then(|value| value.as_u64());
                let (unit, per_chunk) = if name == "proxy-fetched" { ("chunks", Some(1)) } else { ("blocks", per_chunk) };
                let all = header.nchunks().zip(per_chunk).and_then(|(chunks, blocks)| chunks.checked_mul(blocks));
                let of = all.map_or_else(String::new, |all| format!(" of {}", thousands(all)));
                lines.push("fetched", format!("{}{of} {unit}", thousands(bits)));
            }
        }
        Kind::ListArray => lines.text("item", metalayer("listarray").and_then(|list| list.get("item"))),
        Kind::Tensor => {
            let bytes = attribute("__pack_tensor__").unwrap_or_default();
            lines.text("tensor", value::read(&bytes));
        }
        _ => {}
    }
    lines.lines
}

struct Lines {
    lines: Vec<(String, String)>,
    width: usize,
}

impl Lines {
    fn push(&mut self, label: &str, text: String) {
        self.lines.push((label.replace('_', " "), text));
    }

    /// Adds a value, unless it does not exist or its text is `null`.
    fn text(&mut self, label: &str, value: Option<RawValue>) {
        let width = self.width;
        let text = value
            .map(|found| found.as_str().map_or_else(|| value::text(&found, width), |text| shortened(printable(text), width)));
        if let Some(text) = text.filter(|text| text != "null") {
            self.push(label, text);
        }
    }

    fn recipe(&mut self, recipe: RawValue) {
        ["expression", "name", "source"].into_iter().for_each(|key| self.text(key, recipe.get(key)));
        for key in ["udf_source", "UDF"] {
            if let Some(source) = recipe.get(key).and_then(|source| source.as_str()) {
                let lines = source.lines().filter(|line| !line.trim().is_empty());
                lines.for_each(|line| self.push("function", shortened(printable(line), self.width)));
            }
        }
        for (name, operand) in recipe.get("operands").iter().flat_map(|operands| operands.entries()) {
            let name = name.as_str().map_or_else(|| value::text(&name, self.width), printable);
            self.push("operand", format!("{name} = {}", reference(operand)));
        }
    }
}

/// Formats a reference to an operand: the path, followed by the key or the server's URL if the reference has one. Without a path, formats
/// the whole reference.
fn reference(operand: RawValue) -> String {
    if let Some(path) = operand.as_str() {
        return quoted(path.as_bytes());
    }
    let text = |key| operand.get(key).and_then(|value| value.as_str()).map(|text: &str| quoted(text.as_bytes()));
    match (text("urlpath").or_else(|| text("path")), text("key").or_else(|| text("dataset")), text("urlbase")) {
        (Some(path), Some(key), _) => format!("{path}, key {key}"),
        (Some(path), None, Some(base)) => format!("{path} at {base}"),
        (Some(path), None, None) => path,
        (None, ..) => value::text(&operand, WIDTH),
    }
}
