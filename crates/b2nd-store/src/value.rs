//! [`Value`]: a MessagePack value as python-blosc2 packs it, as JSON and as a line of text.

mod pack;

pub use pack::{pack, pack_text, unhex};

use std::fmt::{self, Write};

use serde::ser::Error as _;
use serde::{Serialize, Serializer};

use crate::marker::{self, Form};
use crate::text::shortened;

/// The deepest nesting of a value.
const MAX_DEPTH: usize = 128;

/// The string that python-blosc2 puts before the elements of a tuple.
const TUPLE: &[u8] = b"__tuple__";

/// A MessagePack value in borrowed bytes. It serializes to the JSON forms of a [`b2nd::Value`], and its text is that one's.
///
/// ```
/// use b2nd_store::value::Value;
///
/// let value = Value::from_slice(b"\x93\xa9__tuple__\x01\xc4\x02\x00\xff").unwrap();
/// assert_eq!(serde_json::to_string(&value)?, r#"[1,{"bytes":"00ff"}]"#);
/// assert_eq!(value.text(80), r#"(1, b"\x00\xff")"#);
/// assert!(Value::from_slice(b"text").is_none());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Value<'a>(&'a [u8]);

impl<'a> Value<'a> {
    /// The one value that takes all of these bytes. `None` if they are not one value, or nest more than 128 levels deep.
    pub fn from_slice(bytes: &'a [u8]) -> Option<Value<'a>> {
        let mut reader = Reader(bytes);
        reader.skip(MAX_DEPTH)?;
        reader.0.is_empty().then_some(Value(bytes))
    }

    /// The value under a key of a map.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        let mut reader = Reader(self.0);
        let Item::Map(pairs) = reader.next()? else { return None };
        for _ in 0..pairs {
            let (found, value) = (reader.value()?, reader.value()?);
            if found.as_str() == Some(key) {
                return Some(value);
            }
        }
        None
    }

    /// Keys and values of a map; empty for any other value.
    pub fn entries(&self) -> impl Iterator<Item = (Value<'a>, Value<'a>)> + use<'a> {
        let mut reader = Reader(self.0);
        let pairs = if let Some(Item::Map(pairs)) = reader.next() { pairs } else { 0 };
        (0..pairs).map_while(move |_| Some((reader.value()?, reader.value()?)))
    }

    /// The elements of an array, without the mark of a tuple; empty for any other value.
    pub fn elements(&self) -> impl Iterator<Item = Value<'a>> + use<'a> {
        let mut reader = Reader(self.0);
        let count = match reader.next() {
            Some(Item::Array(count)) => count - usize::from(reader.takes_tuple(count)),
            _ => 0,
        };
        (0..count).map_while(move |_| reader.value())
    }

    /// The string, if the value is one and UTF-8.
    pub fn as_str(&self) -> Option<&'a str> {
        match Reader(self.0).next()? {
            Item::String(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// The bytes, if the value is a byte string.
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        match Reader(self.0).next()? {
            Item::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The number, if the value is one and not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match Reader(self.0).next()? {
            Item::Int(number) => u64::try_from(number).ok(),
            Item::Unsigned(number) => Some(number),
            _ => None,
        }
    }

    /// The extension types in the value, at any depth, each once.
    pub fn extensions(&self) -> Vec<i8> {
        let mut found = Vec::new();
        let mut reader = Reader(self.0);
        // Array and map headers are items as well, so this comes past every value.
        while let Some(item) = reader.next() {
            if let Item::Ext(kind) = item {
                if !found.contains(&kind) {
                    found.push(kind);
                }
            }
        }
        found
    }

    /// The byte strings in the value, at any depth.
    pub fn byte_strings(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut reader = Reader(self.0);
        std::iter::from_fn(move || reader.next())
            .filter_map(|item| if let Item::Bytes(bytes) = item { Some(bytes) } else { None })
    }

    /// A line of text that looks like Python, cut after `limit` characters.
    pub fn text(&self, limit: usize) -> String {
        let mut line = Line { text: String::new(), limit };
        // What has been written before the line is full says enough.
        let _ = b2nd::Value::from_slice(self.0).map(|value| write!(line, "{value}"));
        shortened(line.text, limit)
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        b2nd::Value::from_slice(self.0).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// Text that ends when it has more than the line shows.
struct Line {
    text: String,
    limit: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text += text;
        // No character takes less than a byte or more than four.
        if self.text.len() > self.limit.saturating_mul(4) { Err(fmt::Error) } else { Ok(()) }
    }
}

/// True if the bytes start and end as Python's pickles do since protocol 2. Nothing here opens a pickle.
pub fn is_pickle(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80, 2..=5, .., b'.'])
}

/// A marker and what it starts; for an array and a map, the number of values or pairs that follow.
#[derive(Clone, Copy)]
enum Item<'a> {
    /// nil, false, true.
    Word,
    Int(i64),
    Unsigned(u64),
    Float,
    String(&'a [u8]),
    Bytes(&'a [u8]),
    Ext(i8),
    Array(usize),
    Map(usize),
}

#[derive(Clone, Copy)]
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<Item<'a>> {
        let byte = *self.0.first()?;
        match marker::of(byte)?.1 {
            Form::Word(_) => self.take(1).map(|_| Item::Word),
            Form::Fixint => self.take(1).map(|_| Item::Int(i8::from_be_bytes([byte]).into())),
            Form::Number(width, _) => {
                let digits = self.take(1 + width)?.get(1..)?;
                Some(match byte {
                    0xca | 0xcb => Item::Float,
                    0xcc..=0xcf => Item::Unsigned(marker::number(digits)),
                    _ => Item::Int(marker::signed_number(digits)),
                })
            }
            Form::String(length, _) => {
                let (head, length) = length.read(self.0)?;
                self.take(head)?;
                let bytes = self.take(length)?;
                Some(if matches!(byte, 0xc4..=0xc6) { Item::Bytes(bytes) } else { Item::String(bytes) })
            }
            Form::Ext(length) => {
                let (head, length) = length.read(self.0)?;
                self.take(head)?;
                let &kind = self.take(length.checked_add(1)?)?.first()?;
                Some(Item::Ext(i8::from_be_bytes([kind])))
            }
            Form::Array(length) => {
                let (head, count) = length.read(self.0)?;
                self.take(head).map(|_| Item::Array(count))
            }
            Form::Map(length) => {
                let (head, count) = length.read(self.0)?;
                self.take(head).map(|_| Item::Map(count))
            }
        }
    }

    /// Goes past one value with all that is in it.
    fn skip(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let inside = match self.next()? {
            Item::Array(count) => count,
            Item::Map(pairs) => pairs.checked_mul(2)?,
            _ => 0,
        };
        (0..inside).try_for_each(|_| self.skip(depth))
    }

    fn value(&mut self) -> Option<Value<'a>> {
        let bytes = self.0;
        self.skip(MAX_DEPTH)?;
        bytes.get(..bytes.len() - self.0.len()).map(Value)
    }

    /// Goes past the mark of a tuple, if the next of `count` elements is it.
    fn takes_tuple(&mut self, count: usize) -> bool {
        let mut next = *self;
        let is_tuple = count != 0 && matches!(next.next(), Some(Item::String(TUPLE)));
        if is_tuple {
            *self = next;
        }
        is_tuple
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}
