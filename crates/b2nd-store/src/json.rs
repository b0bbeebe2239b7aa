//! JSON as Python writes it, with the numbers `NaN`, `Infinity` and `-Infinity`.

use serde_json::Value;

/// The key of an object that represents `NaN`, `Infinity` or `-Infinity`, which JSON lacks.
const FLOAT: &str = "float";

/// Parses a JSON text in which floats may be `NaN`, `Infinity` and `-Infinity`. Each of these becomes an object with the single
/// key `float`.
///
/// # Errors
///
/// Fails if the text is still not JSON after these floats have been replaced.
pub fn parse(text: &str) -> Result<Value, String> {
    let mut strict = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', 'N', 'I', '-']) {
        let (before, after) = rest.split_at(at);
        strict.push_str(before);
        let (token, replaced) = if after.starts_with('"') {
            (string_len(after), None)
        } else if after.starts_with("NaN") {
            (3, Some("nan"))
        } else if after.starts_with("Infinity") {
            (8, Some("inf"))
        } else if after.starts_with("-Infinity") {
            (9, Some("-inf"))
        } else {
            (1, None)
        };
        let (token, after) = after.split_at(token);
        match replaced {
            Some(name) => strict.extend(["{\"", FLOAT, "\":\"", name, "\"}"]),
            None => strict.push_str(token),
        }
        rest = after;
    }
    strict.push_str(rest);
    strict.parse().map_err(|error| format!("it is not JSON: {error}"))
}

/// Returns the length of the JSON string at the start of `text`, including its quotes.
fn string_len(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the value of a number, or of an object by which [`parse`] replaces `NaN`, `Infinity` or `-Infinity`.
pub fn float(value: &Value) -> Option<f64> {
    match value.get(FLOAT).and_then(Value::as_str) {
        Some(name) => name.parse().ok(),
        None => value.as_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::{float, parse};

    #[test]
    fn floats_that_json_lacks_are_read_outside_of_strings_alone() {
        let value = parse(r#"{"a": NaN, "b": [-Infinity, Infinity, -1.5], "N\"aN, \\": "NaN Infinity \" -Infinity"}"#).unwrap();
        assert!(float(&value["a"]).unwrap().is_nan());
        let floats: Vec<_> = value["b"].as_array().unwrap().iter().filter_map(float).collect();
        assert_eq!(floats, [f64::NEG_INFINITY, f64::INFINITY, -1.5]);
        assert_eq!(value["N\"aN, \\"], "NaN Infinity \" -Infinity");
        for wrong in ["{\"a\": NaNN}", "{\"a\": \"NaN}", "-", "{\"a\": Infinit}", "\"\\"] {
            assert!(parse(wrong).unwrap_err().starts_with("it is not JSON: "), "{wrong}");
        }
    }
}
