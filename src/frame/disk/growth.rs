//! Why a metalayer does not fit its place: the entries whose lengths differ.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::array::ArrayMeta;
use crate::de::array_fields;
use crate::error::{Error, Segment, plural};
use crate::value::Value;

/// The most entries that a sentence names.
const MAX_NAMED: usize = 3;

/// Adds to an error the entries that make the new content longer or shorter than the old one.
#[cold]
pub(super) fn explained(error: Error, old: &[u8], new: &[u8]) -> Error {
    let is_array = |content| crate::take_from_slice::<ArrayMeta<&str>>(content).is_ok();
    let are_arrays = is_array(old) && is_array(new);
    // After an array's metalayer there may be the tail of a longer one.
    let value = |content| crate::take_from_slice::<Value>(content).ok().filter(|(_, rest)| are_arrays || rest.is_empty());
    let (Some((old, _)), Some((new, _))) = (value(old), value(new)) else { return error };
    let mut found = Vec::new();
    compare(&old, &new, "", if are_arrays { array_fields(new.elements().len()) } else { &[] }, &mut found);
    if found.is_empty() {
        return error;
    }
    let more = if found.len() > MAX_NAMED { ", …" } else { "" };
    found.truncate(MAX_NAMED);
    error.within(Segment::Because(format!("{}{more}", found.join(", ")).into()), None)
}

/// Adds a phrase for each entry of another length, the innermost ones.
fn compare(old: &Value, new: &Value, path: &str, names: &[&str], found: &mut Vec<String>) {
    let name = if path.is_empty() { "the value" } else { path };
    let counts = |unit| format!("{name} has {} {unit}{} instead of {}", count(new), plural(count(new)), count(old));
    match (old, new) {
        (Value::Array(olds, _), Value::Array(news, _)) if olds.len() == news.len() => {
            for (index, (old, new)) in olds.iter().zip(news).enumerate() {
                let path = names.get(index).map_or_else(|| format!("{path}[{index}]"), |name| (*name).into());
                compare(old, new, &path, &[], found);
            }
        }
        (Value::Array(..), Value::Array(..)) => found.push(counts("element")),
        (Value::Map(olds, _), Value::Map(news, _)) if olds.iter().map(key).eq(news.iter().map(key)) => {
            for ((key, old), (_, new)) in olds.iter().zip(news) {
                compare(old, new, &format!("{path}[{key}]"), &[], found);
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
