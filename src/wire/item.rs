//! Reads and writes any MessagePack: every marker, including markers that only other programs write, and the length or count after it.

use super::Reader;
use crate::error::{Error, ErrorKind, Result, Segment};
use crate::limits::MAX_DEPTH;
use crate::marker::{self, FALSE, FIXARRAY, FIXEXT16, FIXMAP, FIXSTR, NIL, TRUE};
use crate::sink::Sink;

/// The position of a length or count: in the marker itself, or in the bytes after it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Head {
    /// In the marker itself: fixstr, fixarray, fixmap, fixext1 to fixext16.
    Fix,
    /// In one byte after the marker: str8, bin8, ext8.
    U8,
    /// In two bytes after the marker: str16, bin16, ext16, array16, map16.
    U16,
    /// In four bytes after the marker: str32, bin32, ext32, array32, map32.
    U32,
}

/// The types of entries that have a length or a count.
#[derive(Clone, Copy)]
pub(crate) enum Family {
    Str,
    Bytes,
    Ext,
    Array,
    Map,
}

/// A marker and its data. For an array or map, the data is only the number of values or pairs that follow.
#[derive(Clone, Copy)]
pub(crate) enum Item<'de> {
    /// The marker of nil, a boolean or a number, and the number's bytes.
    Scalar(u8, &'de [u8]),
    Str(Head, &'de [u8]),
    Bytes(Head, &'de [u8]),
    Ext(Head, i8, &'de [u8]),
    Array(Head, usize),
    Map(Head, usize),
}

impl Family {
    /// Returns the marker of an entry of this type whose length or count is where `head` says. Returns `None` if there is no such marker,
    /// or if the marker cannot hold `length`.
    fn marker(self, head: Head, length: usize) -> Option<u8> {
        let [fix, one, two, four] = match self {
            Family::Str => [low(FIXSTR, length, 31), Some(0xd9), Some(0xda), Some(marker::STR32)],
            Family::Bytes => [None, Some(0xc4), Some(0xc5), Some(marker::BIN32)],
            Family::Ext => [fixext(length), Some(0xc7), Some(0xc8), Some(0xc9)],
            Family::Array => [low(FIXARRAY, length, 15), None, Some(marker::ARRAY16), Some(marker::ARRAY32)],
            Family::Map => [low(FIXMAP, length, 15), None, Some(marker::MAP16), Some(marker::MAP32)],
        };
        match head {
            Head::Fix => fix,
            Head::U8 => one.filter(|_| u8::try_from(length).is_ok()),
            Head::U16 => two.filter(|_| u16::try_from(length).is_ok()),
            Head::U32 => four.filter(|_| u32::try_from(length).is_ok()),
        }
    }

    /// Returns the shortest head that can hold the length, as generic encoders choose it.
    pub(crate) fn shortest(self, length: usize) -> Head {
        let heads = [Head::Fix, Head::U8, Head::U16];
        heads.into_iter().find(|&head| self.marker(head, length).is_some()).unwrap_or(Head::U32)
    }

    #[cold]
    fn cannot_hold(self, head: Head, length: usize) -> Error {
        let (marker, unit) = match self {
            Family::Str => ("a string", "bytes"),
            Family::Bytes => ("a byte string", "bytes"),
            Family::Ext => ("an extension", "bytes"),
            Family::Array => ("an array", "elements"),
            Family::Map => ("a map", "pairs"),
        };
        Error::custom(format_args!("Head::{head:?} has no marker for {marker} of {length} {unit}"))
    }
}

/// Returns a marker with the length in its low bits, or `None` if the length is above `limit`.
fn low(base: u8, length: usize, limit: u8) -> Option<u8> {
    u8::try_from(length).ok().filter(|&length| length <= limit).map(|length| base | length)
}

fn fixext(length: usize) -> Option<u8> {
    match length {
        1 => Some(0xd4),
        2 => Some(0xd5),
        4 => Some(0xd6),
        8 => Some(0xd7),
        16 => Some(FIXEXT16),
        _ => None,
    }
}

/// Writes a marker and its length or count.
pub(crate) fn put_head<S: Sink>(sink: &mut S, kind: Family, head: Head, length: usize) -> Result<()> {
    let marker = kind.marker(head, length).ok_or_else(|| kind.cannot_hold(head, length))?;
    // Because a marker with this head exists for the length, the length fits the bytes after the marker.
    let [.., a, b, c, d] = u64::try_from(length).unwrap_or(u64::MAX).to_be_bytes();
    match head {
        Head::Fix => sink.put([marker]),
        Head::U8 => sink.put([marker, d]),
        Head::U16 => sink.put([marker, c, d]),
        Head::U32 => sink.put([marker, a, b, c, d]),
    }
}

impl<'de> Reader<'de> {
    /// Consumes the next marker and its data.
    pub(crate) fn take_item(&mut self) -> Result<Item<'de>> {
        let marker = self.peek()?;
        let mut after = Reader { offset: self.offset + 1, ..*self };
        let item = after.behind(marker).map_err(|error| error.within_offset(self.offset))?;
        *self = after;
        Ok(item)
    }

    /// Reads the data of an entry whose marker has been consumed.
    fn behind(&mut self, marker: u8) -> Result<Item<'de>> {
        let low = |mask: u8| usize::from(marker & mask);
        Ok(match marker {
            0x00..=0x7f | 0xe0..=0xff | NIL | FALSE | TRUE => Item::Scalar(marker, &[]),
            0x80..=0x8f => Item::Map(Head::Fix, low(0x0f)),
            0x90..=0x9f => Item::Array(Head::Fix, low(0x0f)),
            0xa0..=0xbf => Item::Str(Head::Fix, self.take_slice(low(0x1f))?),
            0xc1 => return Err(Error::new(ErrorKind::Marker { expected: "a marker of MessagePack", found: marker })),
            0xc4..=0xc6 => {
                let (head, length) = self.length(marker - 0xc4)?;
                Item::Bytes(head, self.take_slice(length)?)
            }
            0xc7..=0xc9 => {
                let (head, length) = self.length(marker - 0xc7)?;
                self.extension(head, length)?
            }
            0xcc | 0xd0 => Item::Scalar(marker, self.take_slice(1)?),
            0xcd | 0xd1 => Item::Scalar(marker, self.take_slice(2)?),
            0xca | 0xce | 0xd2 => Item::Scalar(marker, self.take_slice(4)?),
            0xcb | 0xcf | 0xd3 => Item::Scalar(marker, self.take_slice(8)?),
            0xd4..=0xd8 => self.extension(Head::Fix, 1 << (marker - 0xd4))?,
            0xd9..=0xdb => {
                let (head, length) = self.length(marker - 0xd9)?;
                Item::Str(head, self.take_slice(length)?)
            }
            0xdc | 0xdd => {
                let (head, count) = self.length(marker - 0xdc + 1)?;
                Item::Array(head, count)
            }
            0xde | 0xdf => {
                let (head, count) = self.length(marker - 0xde + 1)?;
                Item::Map(head, count)
            }
        })
    }

    /// Consumes a length of 1, 2 or 4 bytes, for a `width` of 0, 1 or 2.
    fn length(&mut self, width: u8) -> Result<(Head, usize)> {
        Ok(match width {
            0 => (Head::U8, u8::from_be_bytes(*self.take()?).into()),
            1 => (Head::U16, u16::from_be_bytes(*self.take()?).into()),
            _ => (Head::U32, usize::try_from(u32::from_be_bytes(*self.take()?)).unwrap_or(usize::MAX)),
        })
    }

    fn extension(&mut self, head: Head, length: usize) -> Result<Item<'de>> {
        let kind = i8::from_be_bytes(*self.take()?);
        Ok(Item::Ext(head, kind, self.take_slice(length)?))
    }

    /// Consumes a whole entry with its contents and returns its bytes. `depth` is the number of levels around the entry.
    pub(crate) fn take_entry(&mut self, depth: u8) -> Result<&'de [u8]> {
        let start = *self;
        self.skip(depth)?;
        Ok(start.input.get(start.offset..self.offset).unwrap_or_default())
    }

    fn skip(&mut self, depth: u8) -> Result<()> {
        let start = self.offset;
        let item = self.take_item()?;
        if depth == MAX_DEPTH && matches!(item, Item::Array(..) | Item::Map(..)) {
            return Err(Error::at(ErrorKind::TooDeep, start));
        }
        match item {
            Item::Array(_, count) => {
                (0..count).try_for_each(|index| self.skip(depth + 1).map_err(|error| error.within(Segment::Index(index), None)))
            }
            Item::Map(_, pairs) => (0..pairs).try_for_each(|_| {
                let key = self.rest();
                self.skip(depth + 1).map_err(|error| error.within(Segment::Field("key"), None))?;
                self.skip(depth + 1).map_err(|error| match super::key_text(key) {
                    Some(key) => error.within(Segment::Key(key.into()), None),
                    None => error.within(Segment::Field("value"), None),
                })
            }),
            _ => Ok(()),
        }
    }
}
