//! JSON as Python writes it, with the numbers `NaN`, `Infinity` and `-Infinity`.

use serde_json::Value;

/// The key of an object that represents `NaN`, `Infinity` or `-Infinity`, which JSON lacks.
const FLOAT: &str = "float";

/// The numbers that JSON lacks: first as Python writes them, then as the string that represents them in an object with the key `float`.
const FLOATS: [(&str, &str); 3] = [("NaN", "nan"), ("Infinity", "inf"), ("-Infinity", "-inf")];

/// Parses a JSON text in which floats may be `NaN`, `Infinity` and `-Infinity`. Each of these three words becomes an object with the single
/// key `float`.
///
/// # Errors
///
/// Fails if the text cannot be read as JSON, even after these floats have been replaced.
pub fn parse(text: &str) -> Result<Value, String> {
    let mut strict = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', 'N', 'I', '-']) {
        let (before, after) = rest.split_at(at);
        strict.push_str(before);
        let float = FLOATS.iter().find(|(token, _)| after.starts_with(token));
        let length = match float {
            Some((token, _)) => token.len(),
            None if after.starts_with('"') => string_len(after),
            None => 1,
        };
        let (token, after) = after.split_at(length);
        match float {
            Some((_, name)) => strict.extend(["{\"", FLOAT, "\":\"", name, "\"}"]),
            None => strict.push_str(token),
        }
        rest = after;
    }
    strict.push_str(rest);
    strict.parse().map_err(|error| format!("it cannot be read as JSON: {error}"))
}

/// Returns the length of the JSON string at the start of `text`, including its quotes.
pub(crate) fn string_len(text: &str) -> usize {
    let mut is_escaped = false;
    let ends = |char: char| {
        let is_end = char == '"' && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
        is_end
    };
    text.get(1..).and_then(|text| text.find(ends)).map_or(text.len(), |end| end + 2)
}

/// Returns the float that a value represents: a number, or an object with the key `float`, such as [`parse`] writes for `NaN`. Returns
/// `None` for other values, such as strings.
pub fn float(value: &Value) -> Option<f64> {
    match value.get(FLOAT).and_then(Value::as_str) {
        Some(name) => name.parse().ok(),
        None => value.as_f64(),
    }
}
