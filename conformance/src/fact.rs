//! [`Fact`]: a property of a file, as tagged JSON.

use std::fmt;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// A value with its type. In JSON, an integer is `{"int": "5"}`, bytes are `{"bytes": "00ff"}`, text is `{"text": "é"}`, a
/// Boolean is `{"bool": true}`, long bytes are `{"sha256": "…"}`, and `{"any": true}` matches any value. A missing value is `null`.
/// Lists and objects are JSON arrays and objects.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Fact {
    Null,
    Bool(bool),
    Int(i128),
    Bytes(Vec<u8>),
    Text(String),
    Sha256(String),
    Any,
    List(Vec<Fact>),
    Map(Vec<(String, Fact)>),
}

impl Fact {
    /// Creates an integer, or `null` if the value does not fit an `i128`.
    pub fn int(value: impl TryInto<i128>) -> Fact {
        value.try_into().map_or(Fact::Null, Fact::Int)
    }

    /// Creates a list of integers.
    pub fn ints<T: TryInto<i128> + Copy>(values: &[T]) -> Fact {
        Fact::List(values.iter().map(|&value| Fact::int(value)).collect())
    }

    /// Creates a text.
    pub fn text(value: impl Into<String>) -> Fact {
        Fact::Text(value.into())
    }

    /// Creates bytes.
    pub fn bytes(value: &[u8]) -> Fact {
        Fact::Bytes(value.to_vec())
    }

    /// Creates the SHA-256 of bytes.
    pub fn digest(value: &[u8]) -> Fact {
        Fact::Sha256(hex(&Sha256::digest(value)))
    }

    /// Creates an object.
    pub fn map<const N: usize>(entries: [(&str, Fact); N]) -> Fact {
        Fact::Map(entries.into_iter().map(|(name, fact)| (name.to_owned(), fact)).collect())
    }

    /// Returns the value of an entry of an object.
    pub fn get(&self, name: &str) -> Option<&Fact> {
        match self {
            Fact::Map(entries) => entries.iter().find(|(own, _)| own == name).map(|(_, fact)| fact),
            _ => None,
        }
    }

    /// Adds an entry to an object. Other values are returned unchanged.
    #[must_use]
    pub fn with(mut self, name: &str, fact: Fact) -> Fact {
        if let Fact::Map(entries) = &mut self {
            entries.push((name.to_owned(), fact));
        }
        self
    }

    /// Reads tagged JSON.
    ///
    /// # Errors
    ///
    /// Fails, for example, if a Boolean, a number or a string has no tag. The message contains the value.
    pub fn from_json(json: &Value) -> Result<Fact, String> {
        let wrong = || format!("expected a tag and a value that fits it, such as {{\"int\": \"5\"}}, found {json}");
        Ok(match json {
            Value::Null => Fact::Null,
            Value::Array(list) => Fact::List(list.iter().map(Fact::from_json).collect::<Result<_, _>>()?),
            Value::Object(object) => {
                let only = if object.len() == 1 { object.iter().next() } else { None };
                match only.map(|(tag, value)| (tag.as_str(), value)) {
                    Some(("int", value)) => Fact::Int(value.as_str().and_then(|text| text.parse().ok()).ok_or_else(wrong)?),
                    Some(("bytes", value)) => Fact::Bytes(value.as_str().and_then(unhex).ok_or_else(wrong)?),
                    Some(("text", value)) => Fact::Text(value.as_str().ok_or_else(wrong)?.to_owned()),
                    Some(("sha256", value)) => Fact::Sha256(value.as_str().ok_or_else(wrong)?.to_owned()),
                    Some(("any", Value::Bool(true))) => Fact::Any,
                    Some(("bool", value)) => Fact::Bool(value.as_bool().ok_or_else(wrong)?),
                    _ => {
                        let entries = object.iter().map(|(name, value)| Ok((name.clone(), Fact::from_json(value)?)));
                        Fact::Map(entries.collect::<Result<_, String>>()?)
                    }
                }
            }
            _ => return Err(wrong()),
        })
    }

    /// Returns the differences between `self`, which is expected, and `told`, each with its path. Entries that are missing in `told` are
    /// not differences.
    pub fn differences(&self, told: &Fact) -> Vec<String> {
        let mut found = Vec::new();
        self.compare(told, "", &mut found);
        found
    }

    fn compare(&self, told: &Fact, place: &str, found: &mut Vec<String>) {
        match (self, told) {
            (Fact::Map(_), Fact::Map(entries)) => {
                for (name, value) in entries {
                    let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                    match self.get(name) {
                        Some(expected) => expected.compare(value, &place, found),
                        None => found.push(format!("{place}: expected nothing, found {value}")),
                    }
                }
            }
            (Fact::List(expected), Fact::List(told)) if expected.len() == told.len() => {
                for (index, (expected, told)) in expected.iter().zip(told).enumerate() {
                    expected.compare(told, &format!("{place}[{index}]"), found);
                }
            }
            (Fact::Any, _) => {}
            // Bytes and their digest count as equal.
            (Fact::Bytes(bytes), Fact::Sha256(_)) if Fact::digest(bytes) == *told => {}
            (Fact::Sha256(_), Fact::Bytes(bytes)) if Fact::digest(bytes) == *self => {}
            _ if self == told => {}
            _ => {
                let place = if place.is_empty() { "the whole answer" } else { place };
                found.push(format!("{place}: expected {self}, found {told}"));
            }
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Null => f.write_str("null"),
            Fact::Bool(value) => write!(f, "{{\"bool\": {value}}}"),
            Fact::Int(value) => write!(f, "{{\"int\": \"{value}\"}}"),
            Fact::Bytes(value) => write!(f, "{{\"bytes\": \"{}\"}}", hex(value)),
            Fact::Text(value) => write!(f, "{{\"text\": {}}}", quoted(value)),
            Fact::Sha256(value) => write!(f, "{{\"sha256\": \"{value}\"}}"),
            Fact::Any => f.write_str("{\"any\": true}"),
            Fact::List(list) => {
                f.write_str("[")?;
                for (index, fact) in list.iter().enumerate() {
                    write!(f, "{}{fact}", if index == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Fact::Map(entries) => {
                f.write_str("{")?;
                for (index, (name, fact)) in entries.iter().enumerate() {
                    write!(f, "{}{}: {fact}", if index == 0 { "" } else { ", " }, quoted(name))?;
                }
                f.write_str("}")
            }
        }
    }
}

/// Formats a text as a JSON string.
pub fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Formats bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if text.len() % 2 != 0 {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tagged_json_comes_back_as_it_was() {
        let fact = Fact::map([
            ("none", Fact::Null),
            ("truth", Fact::Bool(true)),
            ("number", Fact::int(u64::MAX)),
            ("bytes", Fact::bytes(&[0, 255])),
            ("text", Fact::text("é\"\n")),
            ("digest", Fact::digest(b"")),
            ("unknown", Fact::Any),
            ("list", Fact::ints(&[1, -2])),
        ]);
        let json: Value = serde_json::from_str(&fact.to_string()).unwrap();
        assert!(fact.differences(&Fact::from_json(&json).unwrap()).is_empty());
        assert!(Fact::from_json(&serde_json::json!({ "number": 5 })).is_err());
    }

    #[test]
    fn what_is_told_otherwise_is_found_and_what_is_not_told_is_not() {
        let fact = Fact::map([("a", Fact::ints(&[1, 2])), ("b", Fact::bytes(b"x")), ("d", Fact::digest(b"y")), ("e", Fact::Any)]);
        assert!(fact.differences(&Fact::map([("b", Fact::digest(b"x")), ("d", Fact::bytes(b"y"))])).is_empty());
        assert!(fact.differences(&Fact::map([("e", Fact::int(5))])).is_empty());
        assert_eq!(fact.differences(&Fact::map([("d", Fact::bytes(b"z"))])).len(), 1);
        let told = Fact::map([("a", Fact::ints(&[1, 3])), ("c", Fact::Null)]);
        let expected = ["a[1]: expected {\"int\": \"2\"}, found {\"int\": \"3\"}", "c: expected nothing, found null"];
        assert_eq!(fact.differences(&told), expected);
    }
}
