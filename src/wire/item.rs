//! Reads entries with any marker of MessagePack, and writes markers with a length or count.

use rmp::Marker;

use super::{Output, Reader};
use crate::error::{Error, ErrorKind, Result, Segment, plural};
use crate::marker::{FIXSTR_MAX, MAX_DEPTH};

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
    /// The marker of nil, a boolean or a number, and the bytes of a number after it.
    Scalar(u8, &'de [u8]),
    Str(Head, &'de [u8]),
    Bytes(Head, &'de [u8]),
    Ext(Head, i8, &'de [u8]),
    Array(Head, usize),
    Map(Head, usize),
}

impl Family {
    /// Returns the marker of an entry of this type with this head. Returns `None` if there is no such marker, or if the marker cannot hold
    /// `length`.
    fn marker(self, head: Head, length: usize) -> Option<Marker> {
        let low = |limit| u8::try_from(length).ok().filter(|length| usize::from(*length) <= limit);
        let [fix, one, two, four] = match self {
            Family::Str => [low(FIXSTR_MAX).map(Marker::FixStr), Some(Marker::Str8), Some(Marker::Str16), Some(Marker::Str32)],
            Family::Bytes => [None, Some(Marker::Bin8), Some(Marker::Bin16), Some(Marker::Bin32)],
            Family::Ext => [fixext(length), Some(Marker::Ext8), Some(Marker::Ext16), Some(Marker::Ext32)],
            Family::Array => [low(15).map(Marker::FixArray), None, Some(Marker::Array16), Some(Marker::Array32)],
            Family::Map => [low(15).map(Marker::FixMap), None, Some(Marker::Map16), Some(Marker::Map32)],
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

    fn cannot_hold(self, head: Head, length: usize) -> Error {
        let (marker, unit) = match self {
            Family::Str => ("a string", "byte"),
            Family::Bytes => ("a byte string", "byte"),
            Family::Ext => ("an extension", "byte"),
            Family::Array => ("an array", "element"),
            Family::Map => ("a map", "pair"),
        };
        Error::custom(format_args!("Head::{head:?} has no marker for {marker} of {length} {unit}{}", plural(length)))
    }
}

fn fixext(length: usize) -> Option<Marker> {
    match length {
        1 => Some(Marker::FixExt1),
        2 => Some(Marker::FixExt2),
        4 => Some(Marker::FixExt4),
        8 => Some(Marker::FixExt8),
        16 => Some(Marker::FixExt16),
        _ => None,
    }
}

pub(crate) fn put_head<O: Output>(output: &mut O, family: Family, head: Head, length: usize) -> Result<()> {
    let marker = family.marker(head, length).ok_or_else(|| family.cannot_hold(head, length))?.to_u8();
    // Because a marker with this head exists for the length, the length fits the bytes after the marker.
    let [.., a, b, c, d] = (length as u64).to_be_bytes();
    match head {
        Head::Fix => output.put(&[marker]),
        Head::U8 => output.put(&[marker, d]),
        Head::U16 => output.put(&[marker, c, d]),
        Head::U32 => output.put(&[marker, a, b, c, d]),
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
        let number = |bytes| Ok(Item::Scalar(marker, bytes));
        match Marker::from_u8(marker) {
            Marker::FixPos(_) | Marker::FixNeg(_) | Marker::Null | Marker::False | Marker::True => number(&[]),
            Marker::U8 | Marker::I8 => number(self.take_slice(1)?),
            Marker::U16 | Marker::I16 => number(self.take_slice(2)?),
            Marker::U32 | Marker::I32 | Marker::F32 => number(self.take_slice(4)?),
            Marker::U64 | Marker::I64 | Marker::F64 => number(self.take_slice(8)?),
            Marker::FixStr(length) => Ok(Item::Str(Head::Fix, self.take_slice(length.into())?)),
            Marker::Str8 => self.with_length(Head::U8, Item::Str),
            Marker::Str16 => self.with_length(Head::U16, Item::Str),
            Marker::Str32 => self.with_length(Head::U32, Item::Str),
            Marker::Bin8 => self.with_length(Head::U8, Item::Bytes),
            Marker::Bin16 => self.with_length(Head::U16, Item::Bytes),
            Marker::Bin32 => self.with_length(Head::U32, Item::Bytes),
            Marker::FixExt1 => self.extension(Head::Fix, 1),
            Marker::FixExt2 => self.extension(Head::Fix, 2),
            Marker::FixExt4 => self.extension(Head::Fix, 4),
            Marker::FixExt8 => self.extension(Head::Fix, 8),
            Marker::FixExt16 => self.extension(Head::Fix, 16),
            Marker::Ext8 => self.length(Head::U8).and_then(|length| self.extension(Head::U8, length)),
            Marker::Ext16 => self.length(Head::U16).and_then(|length| self.extension(Head::U16, length)),
            Marker::Ext32 => self.length(Head::U32).and_then(|length| self.extension(Head::U32, length)),
            Marker::FixArray(count) => Ok(Item::Array(Head::Fix, count.into())),
            Marker::Array16 => Ok(Item::Array(Head::U16, self.length(Head::U16)?)),
            Marker::Array32 => Ok(Item::Array(Head::U32, self.length(Head::U32)?)),
            Marker::FixMap(count) => Ok(Item::Map(Head::Fix, count.into())),
            Marker::Map16 => Ok(Item::Map(Head::U16, self.length(Head::U16)?)),
            Marker::Map32 => Ok(Item::Map(Head::U32, self.length(Head::U32)?)),
            Marker::Reserved => Err(Error::new(ErrorKind::Marker { expected: "a marker of MessagePack", found: marker })),
        }
    }

    /// Consumes a length or count. `head` determines its number of bytes.
    fn length(&mut self, head: Head) -> Result<usize> {
        Ok(match head {
            Head::Fix => 0,
            Head::U8 => u8::from_be_bytes(*self.take()?).into(),
            Head::U16 => u16::from_be_bytes(*self.take()?).into(),
            Head::U32 => usize::try_from(u32::from_be_bytes(*self.take()?)).unwrap_or(usize::MAX),
        })
    }

    fn with_length(&mut self, head: Head, item: fn(Head, &'de [u8]) -> Item<'de>) -> Result<Item<'de>> {
        let length = self.length(head)?;
        Ok(item(head, self.take_slice(length)?))
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
