//! MessagePack values of python-blosc2: reads them, formats them as a line of text, and makes them from JSON.

mod pack;

pub use b2nd::hex::decode as unhex;
pub use pack::{pack, pack_text};

use std::fmt::{self, Write};

use b2nd::RawValue;
use b2nd::msgpack::{Cursor, Token};

use crate::text::shortened;

/// Reads one value. Returns `None` if the bytes are not exactly one value, or if it is nested more than 128 levels deep.
///
/// ```
/// let value = b2nd_store::value::read(b"\x93\xa9__tuple__\x01\xc4\x02\x00\xff").unwrap();
/// assert_eq!(serde_json::to_string(&value)?, r#"[1,{"bytes":"00ff"}]"#);
/// assert_eq!(b2nd_store::value::text(&value, 80), r#"(1, b"\x00\xff")"#);
/// assert!(b2nd_store::value::read(b"text").is_none());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn read(bytes: &[u8]) -> Option<RawValue<'_>> {
    RawValue::from_slice(bytes).ok()
}

/// Returns the extension types that occur in a value, at any depth of arrays and maps. Each type is returned once.
pub fn extensions(value: &RawValue) -> Vec<i8> {
    let mut found = Vec::new();
    for leaf in value.leaves() {
        match Cursor::new(leaf.encoded()).token() {
            Ok(Token::Ext(kind, _)) if !found.contains(&kind) => found.push(kind),
            _ => {}
        }
    }
    found
}

/// Formats a value as one line of text in a syntax similar to Python's. Only the first `limit` characters are kept.
pub fn text(value: &RawValue, limit: usize) -> String {
    let mut line = Line { text: String::new(), limit };
    // Writing fails only if the line is full, so the error is ignored.
    let _ = value.to_value().map(|value| write!(line, "{value}"));
    shortened(line.text, limit)
}

/// A buffer for one line of text that will be shortened to `limit` characters. Writing fails when the text has more than `4 * limit` bytes.
struct Line {
    text: String,
    limit: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text += text;
        // A character has at most four bytes, so a longer text has more than `limit` characters.
        if self.text.len() > self.limit.saturating_mul(4) { Err(fmt::Error) } else { Ok(()) }
    }
}

/// Returns true if the bytes start and end like a Python pickle of protocol 2 to 5. Pickles are never loaded.
pub fn is_pickle(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80, 2..=5, .., b'.'])
}
