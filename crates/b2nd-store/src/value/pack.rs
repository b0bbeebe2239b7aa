//! Converts JSON to MessagePack in its shortest form, like python-blosc2.

use crate::json::string_len;

/// Converts a JSON text to MessagePack. The JSON of a [`b2nd::Value`] is converted back: an object whose only key is `bytes`, `complex`,
/// `set`, `ndarray`, `ext`, `float`, `map` or `tuple` becomes a value of that type, if its content has the JSON type that this form needs:
/// `{"map": "name"}` stays a map.
///
/// ```
/// use b2nd_store::value;
///
/// let packed = value::pack(r#"{"unit": "m", "raw": {"bytes": "00ff"}, "z": {"complex": [1, -2.5]}}"#)?;
/// let found = value::read(&packed).unwrap();
/// assert_eq!(value::text(&found, 80), r#"{"unit": "m", "raw": b"\x00\xff", "z": (1.0, -2.5i)}"#);
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
///
/// Fails if the text cannot be read as JSON, if one of these objects has invalid content, or if an integer does not fit in 64 bits. The
/// error is a message for users.
pub fn pack(json: &str) -> Result<Vec<u8>, String> {
    let value: b2nd::Value = serde_json::from_str(json).map_err(|error| {
        let text = error.to_string();
        // An error about the content of an object names the object, so the line and column are removed from the error.
        let place = format!(" at line {} column {}", error.line(), error.column());
        match text.strip_suffix(&place) {
            Some(sentence) if error.is_data() => sentence.to_owned(),
            _ => format!("the value cannot be read as JSON: {text}"),
        }
    })?;
    fitting(json)?;
    value.to_vec().map_err(|error| error.to_string())
}

/// Checks that each integer of a JSON text fits in MessagePack. The parser would turn larger integers into floats.
fn fitting(json: &str) -> Result<(), String> {
    let mut outside = json;
    while let Some(start) = outside.find(|char: char| char == '"' || char == '-' || char.is_ascii_digit()) {
        let rest = outside.get(start..).unwrap_or_default();
        let length = match rest.starts_with('"') {
            true => string_len(rest),
            false => rest.find(|char: char| !matches!(char, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(length);
        let is_integer = !token.contains(['"', '.', 'e', 'E']);
        if is_integer && token.parse::<i64>().is_err() && token.parse::<u64>().is_err() {
            return Err(format!("{token}: expected an integer from -2^63 to 2^64 - 1, or a float such as {token}.0"));
        }
        outside = after;
    }
    Ok(())
}

/// Converts a string to MessagePack.
pub fn pack_text(text: &str) -> Vec<u8> {
    // Packing fails only for strings of 4 GiB or more, which no attribute can hold.
    b2nd::Value::from(text).shortest().to_vec().unwrap_or_default()
}
