//! Explains why the new content of a metalayer is longer or shorter than the old content: names the entries whose lengths differ.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::array::ArrayMeta;
use crate::error::{Error, Segment, plural};
use crate::layout::Layout;
use crate::value::Value;

/// The maximum number of entries that an error names.
const MAX_NAMED: usize = 3;

/// Adds to `error` the names of the entries that are longer or shorter in the new content of a metalayer than in the old content. `layout`
/// is the layout of the new content, if its type is known.
pub(super) fn explained(error: Error, old: &[u8], new: &[u8], layout: Option<Layout>) -> Error {
    let array = |content| crate::take_from_slice::<ArrayMeta<&str>>(content).map(|(array, _)| array);
    let arrays = (array(old), array(new));
    let are_arrays = matches!(arrays, (Ok(_), Ok(_)));
    let layout = layout.or_else(|| crate::layout(&arrays.1.ok()?).ok());
    // In an array's metalayer, the value may be followed by the end of a longer, old value.
    let value = |content| crate::take_from_slice::<Value>(content).ok().filter(|(_, rest)| are_arrays || rest.is_empty());
    let (Some((old, _)), Some((new, _))) = (value(old), value(new)) else { return error };
    let mut found = Vec::new();
    compare(&old, &new, "", layout.as_ref().map(|layout| (layout, 0)), &mut found);
    if found.is_empty() {
        return error;
    }
    let more = if found.len() > MAX_NAMED { ", …" } else { "" };
    found.truncate(MAX_NAMED);
    error.within(Segment::Because(format!("{}{more}", found.join(", "))), None)
}

/// Adds to `found` a phrase for each entry whose length differs. If entries are nested, only the innermost ones are added. `layout` gives
/// the names of entries: it holds the layout of the whole new content, and the index of the entry `new` in this layout.
fn compare(old: &Value, new: &Value, path: &str, layout: Option<(&Layout, usize)>, found: &mut Vec<String>) {
    let name = if path.is_empty() { "the value" } else { path };
    let counts = |unit| format!("{name} has {} {unit}{} instead of {}", count(new), plural(count(new)), count(old));
    match (old, new) {
        (Value::Array(olds, _), Value::Array(news, _)) if olds.len() == news.len() => {
            for (index, (old, new)) in olds.iter().zip(news).enumerate() {
                let entry = layout.and_then(|(layout, entry)| Some((layout, layout.children(entry).nth(index)?)));
                let named = entry.and_then(|(layout, entry)| Some(layout.entries().get(entry)?.path().into()));
                compare(old, new, &named.unwrap_or_else(|| format!("{path}[{index}]")), entry, found);
            }
        }
        (Value::Array(..), Value::Array(..)) => found.push(counts("element")),
        (Value::Map(olds, _), Value::Map(news, _)) if olds.iter().map(key).eq(news.iter().map(key)) => {
            for ((key, old), (_, new)) in olds.iter().zip(news) {
                compare(old, new, &format!("{path}[{key}]"), None, found);
            }
        }
        (Value::Map(..), Value::Map(..)) => found.push(counts("pair")),
        _ => match (old.to_vec(), new.to_vec()) {
            (Ok(old), Ok(new)) if old.len() != new.len() => {
                found.push(format!("{name} takes {} byte{} instead of {}", new.len(), plural(new.len()), old.len()));
            }
            _ => {}
        },
    }
}

fn key((key, _): &(Value, Value)) -> &Value {
    key
}

fn count(value: &Value) -> usize {
    value.elements().len() + value.entries().len()
}
