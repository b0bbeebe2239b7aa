//! [`Metalayers`], and the section of a header or trailer that holds them.

use alloc::borrow::{Cow, ToOwned};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};

use crate::array::Metalayer;
use crate::error::{Error, ErrorKind, Result, Segment};
use crate::wire::FIXSTR_MAX;

/// The most metalayers that C-Blosc2 takes in a header, and writes in a trailer.
pub const MAX_METALAYERS: usize = 16;

/// Named contents, in the order in which the file has them.
///
/// A name is 0 to 31 bytes, nearly always UTF-8, and stands once: two with one name are refused (no known writer makes them,
/// and C-Blosc2 would read the first alone).
/// A header holds at most 16 for C-Blosc2; any number is read here, and [`insert`](Metalayers::insert) keeps to 16.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Metalayers(Vec<(Vec<u8>, Vec<u8>)>);

impl Metalayers {
    /// None yet.
    pub fn new() -> Self {
        Metalayers::default()
    }

    /// The content under this name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.position(name).map(|index| self.0[index].1.as_slice())
    }

    /// Names and contents, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], &[u8])> {
        self.0.iter().map(|(name, content)| (name.as_slice(), content.as_slice()))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts content under a name, in the place of what the name held or at the end, and gives back what it held.
    ///
    /// # Errors
    ///
    /// A name longer than 31 bytes; a 17th name, with which C-Blosc2 would refuse or destroy the file.
    pub fn insert(&mut self, name: &str, content: impl Into<Vec<u8>>) -> Result<Option<Vec<u8>>> {
        if let Some(index) = self.position(name) {
            return Ok(Some(core::mem::replace(&mut self.0[index].1, content.into())));
        }
        check_name(name.as_bytes())?;
        if self.len() >= MAX_METALAYERS {
            return Err(Error::message(format_args!(
                "metalayer {name:?} would be number {}: C-Blosc2 takes at most {MAX_METALAYERS}",
                self.len() + 1
            )));
        }
        self.0.push((name.as_bytes().to_owned(), content.into()));
        Ok(None)
    }

    /// Puts a value of this crate's format under its type's own name: see [`insert`](Metalayers::insert).
    pub fn set<T: Metalayer + Serialize>(&mut self, value: &T) -> Result<()> {
        self.insert(T::NAME, crate::to_vec(value)?)?;
        Ok(())
    }

    /// Takes a name and its content away.
    pub fn remove(&mut self, name: &str) -> Option<Vec<u8>> {
        self.position(name).map(|index| self.0.remove(index).1)
    }

    /// Gives the content under a name another name, in the same place; `false` where there is none.
    ///
    /// # Errors
    ///
    /// A name longer than 31 bytes, or one that is taken.
    ///
    /// ```
    /// let mut metalayers = b2nd::frame::Metalayers::new();
    /// metalayers.insert("caterva", b"shapes".as_slice())?;
    /// metalayers.insert("units", b"mm".as_slice())?;
    /// assert!(metalayers.rename("caterva", "b2nd")?);
    /// assert_eq!(metalayers.iter().next(), Some((b"b2nd".as_slice(), b"shapes".as_slice())));
    ///
    /// let error = metalayers.rename("units", "b2nd").unwrap_err();
    /// assert_eq!(error.to_string(), "metalayer \"units\" cannot be called \"b2nd\": there is one of that name");
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn rename(&mut self, from: &str, to: &str) -> Result<bool> {
        let Some(index) = self.position(from) else { return Ok(false) };
        check_name(to.as_bytes())?;
        if self.position(to).is_some_and(|taken| taken != index) {
            return Err(Error::message(format_args!("metalayer {from:?} cannot be called {to:?}: there is one of that name")));
        }
        self.0[index].0 = to.as_bytes().to_owned();
        Ok(true)
    }

    /// Refuses names that are too long, or stand twice.
    fn check_names(&self) -> Result<()> {
        let mut seen = BTreeSet::new();
        for (name, _) in self.iter() {
            check_name(name)?;
            if !seen.insert(name) {
                let key = Segment::Key(String::from_utf8_lossy(name).into_owned());
                return Err(Error::message("the name stands twice").within(key, None));
            }
        }
        Ok(())
    }

    /// More than C-Blosc2 takes.
    #[cold]
    pub(super) fn too_many(&self) -> Error {
        Error::message(format_args!("{} metalayers: C-Blosc2 takes at most {MAX_METALAYERS}", self.len()))
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|(this, _)| this == name.as_bytes())
    }

    /// The length of the section that holds them, in bytes.
    pub(super) fn section_len(&self) -> usize {
        10 + self.iter().map(|(name, content)| 11 + name.len() + content.len()).sum::<usize>()
    }

    /// The length of the section as far as its contents' marker.
    fn index_len(&self) -> usize {
        7 + self.iter().map(|(name, _)| name.len() + 6).sum::<usize>()
    }

    /// Where the section's contents begin, one after another, counted from the start of the header or trailer.
    fn content_offsets(&self, section_start: usize) -> impl Iterator<Item = usize> {
        let first = section_start + self.index_len() + 3;
        self.iter().scan(first, |next, (_, content)| {
            let offset = *next;
            *next += 5 + content.len();
            Some(offset)
        })
    }

    /// Where the content of this name begins in a header or trailer: its `c6`.
    pub(super) fn content_offset(&self, name: &str, section_start: usize) -> Option<usize> {
        self.content_offsets(section_start).nth(self.position(name)?)
    }
}

impl fmt::Debug for Metalayers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(name, content)| (Name(name), format!("{} bytes", content.len())))).finish()
    }
}

/// A name, readable where it is UTF-8.
pub(super) struct Name<'a>(pub(super) &'a [u8]);

impl fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match core::str::from_utf8(self.0) {
            Ok(name) => write!(f, "{name:?}"),
            Err(_) => write!(f, "b\"{}\"", self.0.escape_ascii()),
        }
    }
}

fn check_name(name: &[u8]) -> Result<()> {
    if name.len() > FIXSTR_MAX {
        return Err(Error::new(ErrorKind::TooLong {
            marker: "a metalayer's name",
            unit: "bytes",
            length: name.len(),
            limit: FIXSTR_MAX,
        })
        .within(Segment::Key(String::from_utf8_lossy(name).into_owned()), None));
    }
    Ok(())
}

/// Pairs of name and content. Where a format is for people, a name is a string if it can be.
impl Serialize for Metalayers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let readable = serializer.is_human_readable();
        serializer.collect_seq(self.iter().map(|(name, content)| (AnyName::new(name, readable), Bytes::new(content))))
    }
}

impl<'de> Deserialize<'de> for Metalayers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pairs = if deserializer.is_human_readable() {
            let pairs = Vec::<(AnyName, ByteBuf)>::deserialize(deserializer)?;
            pairs.into_iter().map(|(name, content)| (name.into_bytes(), content.into_vec())).collect()
        } else {
            let pairs = Vec::<(ByteBuf, ByteBuf)>::deserialize(deserializer)?;
            pairs.into_iter().map(|(name, content)| (name.into_vec(), content.into_vec())).collect()
        };
        let metalayers = Metalayers(pairs);
        metalayers.check_names().map_err(D::Error::custom)?;
        Ok(metalayers)
    }
}

/// A name where formats are for people: a string, or a list of bytes.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum AnyName {
    Text(String),
    Bytes(ByteBuf),
}

impl AnyName {
    fn new(name: &[u8], readable: bool) -> Self {
        match core::str::from_utf8(name) {
            Ok(text) if readable => AnyName::Text(text.to_owned()),
            _ => AnyName::Bytes(ByteBuf::from(name)),
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            AnyName::Text(name) => name.into_bytes(),
            AnyName::Bytes(name) => name.into_vec(),
        }
    }
}

/// Where a section stands, which decides what its numbers count from.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Header,
    Trailer,
}

impl Place {
    /// The position of the section's `93`.
    pub(super) fn start(self) -> usize {
        match self {
            Place::Header => 0x57,
            Place::Trailer => 2,
        }
    }

    /// The section's name in errors.
    fn field(self) -> &'static str {
        match self {
            Place::Header => "metalayers",
            Place::Trailer => "vlmetalayers",
        }
    }

    /// idx counts to the end of the map, in a header from the `93` and in a trailer from the byte after it. It is a
    /// uint16: C-Blosc2 never looks at it, and hundreds of names make it wrap around.
    fn idx(self, metalayers: &Metalayers) -> u16 {
        let length = match self {
            Place::Header => metalayers.index_len(),
            Place::Trailer => metalayers.index_len() - 1,
        };
        (length & 0xffff) as u16
    }
}

/// The metalayers of a header or trailer as they stand there: `93 cd idx de .. dc ..`.
#[derive(Serialize, Deserialize)]
#[serde(expecting = "metalayers of 3 elements")]
pub(super) struct Section<'a> {
    idx: u16,
    #[serde(with = "crate::with::map16", borrow)]
    offsets: Offsets<'a>,
    #[serde(with = "crate::with::array16", borrow)]
    contents: Vec<Content<'a>>,
}

#[derive(Serialize, Deserialize)]
struct Content<'a>(#[serde(with = "serde_bytes", borrow)] Cow<'a, [u8]>);

#[derive(Serialize, Deserialize)]
struct Key<'a>(#[serde(with = "crate::with::fixstr_bytes", borrow)] Cow<'a, [u8]>);

/// A map that keeps its order, and names that repeat.
struct Offsets<'a>(Vec<(Key<'a>, i32)>);

impl Serialize for Offsets<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, offset)| (name, offset)))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Offsets<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Offsets<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of names to offsets")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
                let mut offsets = Vec::new();
                while let Some(entry) = entries.next_entry()? {
                    offsets.push(entry);
                }
                Ok(Offsets(offsets))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

impl<'a> Section<'a> {
    /// # Errors
    ///
    /// More than 65,535 metalayers, or contents beyond 2 GiB.
    pub(super) fn new(metalayers: &'a Metalayers, place: Place) -> Result<Self> {
        let mut offsets = Vec::with_capacity(metalayers.len());
        for ((name, _), offset) in metalayers.iter().zip(metalayers.content_offsets(place.start())) {
            let offset = i32::try_from(offset).map_err(|_| {
                Error::new(ErrorKind::TooLong { marker: "an offset", unit: "bytes", length: offset, limit: i32::MAX as usize })
            })?;
            offsets.push((Key(Cow::Borrowed(name)), offset));
        }
        let contents = metalayers.iter().map(|(_, content)| Content(Cow::Borrowed(content))).collect();
        Ok(Section { idx: place.idx(metalayers), offsets: Offsets(offsets), contents })
    }

    /// Checks what is derived from the metalayers, and leaves them alone.
    pub(super) fn into_metalayers(self, place: Place) -> Result<Metalayers> {
        let Section { idx, offsets: Offsets(offsets), contents } = self;
        let mut position = place.start() + 4;
        if offsets.len() != contents.len() {
            let names: usize = offsets.iter().map(|(Key(name), _)| name.len() + 6).sum();
            let count = ErrorKind::Count { expected: offsets.len(), found: contents.len() };
            return Err(Error::at(count, position + 3 + names).field("contents").field(place.field()));
        }
        let (keys, offsets): (Vec<_>, Vec<_>) = offsets.into_iter().unzip();
        let pairs = keys.into_iter().zip(contents).map(|(key, content)| (key.0.into_owned(), content.0.into_owned()));
        let metalayers = Metalayers(pairs.collect());
        let expected = place.idx(&metalayers);
        if idx != expected {
            return Err(mismatch("idx", expected, idx, place.start() + 1).field(place.field()));
        }
        position += 3;
        metalayers.check_names().map_err(|error| error.within_offset(position).field(place.field()))?;
        for (((name, _), expected), found) in metalayers.iter().zip(metalayers.content_offsets(place.start())).zip(offsets) {
            position += 1 + name.len();
            if usize::try_from(found) != Ok(expected) {
                let name = String::from_utf8_lossy(name).into_owned();
                return Err(mismatch("offset", expected, found, position).within(Segment::Key(name), None).field(place.field()));
            }
            position += 5;
        }
        Ok(metalayers)
    }
}

/// A number that is derived from others, and disagrees with them.
#[cold]
pub(super) fn mismatch(name: &'static str, expected: impl fmt::Display, found: impl fmt::Display, offset: usize) -> Error {
    Error::at(ErrorKind::Message(format!("expected {expected}, found {found}")), offset).field(name)
}
