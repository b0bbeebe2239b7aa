//! [`Cursor`]: reads any MessagePack, one marker after the other.

use crate::error::Result;
use crate::marker::{FALSE, NIL, TRUE};
use crate::wire::{Item, Reader};

/// A reader of any MessagePack, which takes linear time and allocates only for errors. To read a whole value, use
/// [`RawValue`](crate::RawValue) or [`Value`](crate::Value).
///
/// ```
/// use b2nd::msgpack::{Cursor, Token};
///
/// // ["K1", {"steps": [1, 2]}, -3]
/// let mut cursor = Cursor::new(b"\x93\xa2K1\x81\xa5steps\x92\x01\x02\xfd");
/// assert_eq!(cursor.token()?, Token::Array(3));
/// assert_eq!(cursor.token()?, Token::Str(b"K1"));
/// assert_eq!(cursor.entry()?, b"\x81\xa5steps\x92\x01\x02");
/// assert_eq!((cursor.token()?, cursor.rest().len()), (Token::Int(-3), 0));
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Cursor<'a>(Reader<'a>);

/// A marker with its length, count, number or data. The values inside an array or map are the next tokens.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Token<'a> {
    /// Nil.
    Nil,
    /// A boolean.
    Bool(bool),
    /// An integer of any marker.
    Int(i128),
    /// A float of 32 or 64 bits.
    Float(f64),
    /// A string, which need not be UTF-8.
    Str(&'a [u8]),
    /// A byte string.
    Bytes(&'a [u8]),
    /// An extension: its type and its data.
    Ext(i8, &'a [u8]),
    /// An array of this number of values.
    Array(usize),
    /// A map of this number of pairs.
    Map(usize),
}

impl<'a> Cursor<'a> {
    /// Makes a cursor at the start of `input`.
    #[must_use]
    pub fn new(input: &'a [u8]) -> Self {
        Cursor(Reader::new(input))
    }

    /// Returns the bytes that have not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.0.rest()
    }

    /// Reads a marker and its length, count, number or data.
    ///
    /// # Errors
    ///
    /// Fails if the input ends early, or the next byte is not a marker of MessagePack.
    pub fn token(&mut self) -> Result<Token<'a>> {
        let mut number = self.0;
        Ok(match self.0.take_item()? {
            Item::Scalar(NIL, _) => Token::Nil,
            Item::Scalar(marker @ (FALSE | TRUE), _) => Token::Bool(marker == TRUE),
            Item::Scalar(0xca, _) => Token::Float(number.take_f32()?.into()),
            Item::Scalar(0xcb, _) => Token::Float(number.take_f64()?),
            Item::Scalar(0xcc..=0xcf, bytes) => Token::Int(unsigned(bytes)),
            Item::Scalar(0xd0..=0xd3, bytes) => {
                let unused = i128::BITS - 8 * bytes.len() as u32;
                Token::Int(unsigned(bytes) << unused >> unused)
            }
            Item::Scalar(fixint, _) => Token::Int(i8::from_be_bytes([fixint]).into()),
            Item::Str(_, bytes) => Token::Str(bytes),
            Item::Bytes(_, bytes) => Token::Bytes(bytes),
            Item::Ext(_, kind, data) => Token::Ext(kind, data),
            Item::Array(_, count) => Token::Array(count),
            Item::Map(_, pairs) => Token::Map(pairs),
        })
    }

    /// Reads a value with everything inside, and returns its bytes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`token`](Cursor::token). Also fails if the value is nested more than 128 levels deep.
    pub fn entry(&mut self) -> Result<&'a [u8]> {
        self.0.take_entry(0)
    }
}

/// Reads a big-endian number of at most eight bytes.
fn unsigned(bytes: &[u8]) -> i128 {
    bytes.iter().fold(0, |number, &byte| number << 8 | i128::from(byte))
}
