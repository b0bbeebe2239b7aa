//! [`Metalayers`]: the named metalayers of a header or trailer.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};

use b2nd::Metalayer;
use b2nd::hex::{self, Hex};

use crate::error::{Error, Result};

mod section;
pub(crate) use section::{Place, Section};

/// The maximum number of metalayers that C-Blosc2 allows in a header and writes to a trailer.
pub const MAX_METALAYERS: usize = 16;

/// A list of metalayers, each with its name and content, in the order of the file.
///
/// A name has 0 to 31 bytes and is nearly always UTF-8. Names are unique: reading a header or trailer with duplicate names is an error. (No
/// known writer makes duplicates, and C-Blosc2 would read only the first metalayer of that name.) C-Blosc2 allows at most 16 metalayers in
/// a header, so [`insert`](Metalayers::insert) refuses a 17th. Reading accepts any number.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Metalayers {
    names: Vec<Vec<u8>>,
    contents: Vec<Vec<u8>>,
}

impl Metalayers {
    /// Returns the content of the metalayer with this name, or `None` if no metalayer has this name.
    #[must_use]
    pub fn get(&self, name: impl AsRef<[u8]>) -> Option<&[u8]> {
        self.contents.get(self.position(name.as_ref())?).map(Vec::as_slice)
    }

    /// Returns an iterator over the names and contents of the metalayers, in the order of the file.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], &[u8])> {
        self.names.iter().zip(&self.contents).map(|(name, content)| (name.as_slice(), content.as_slice()))
    }

    /// Returns the number of metalayers.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns true if there are no metalayers.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Sets the content of the metalayer with this name, and returns the old content. If no metalayer has this name, adds a metalayer at
    /// the end and returns `None`.
    ///
    /// # Errors
    ///
    /// Replacing content never fails. Adding a metalayer fails if the name is longer than 31 bytes or contains a NUL, at which C-Blosc2
    /// would end the name, or if there are 16 metalayers already, since C-Blosc2 would refuse or destroy a file with more than 16.
    pub fn insert(&mut self, name: &str, content: impl Into<Vec<u8>>) -> Result<Option<Vec<u8>>> {
        let content = content.into();
        if let Some(index) = self.position(name.as_bytes()) {
            return Ok(Some(core::mem::replace(&mut self.contents[index], content)));
        }
        check_new(name)?;
        if self.len() >= MAX_METALAYERS {
            return Err(Error::custom(format_args!(
                "{name:?} would be number {}: C-Blosc2 writes at most {MAX_METALAYERS} metalayers and {MAX_METALAYERS} vlmetalayers",
                self.len() + 1
            )));
        }
        self.names.push(name.into());
        self.contents.push(content);
        Ok(None)
    }

    /// Encodes a value, and stores it as the metalayer with the name `T::NAME`. The encoding is that of [`to_vec`](b2nd::to_vec), or
    /// generic MessagePack if `T::NAMED` is true.
    ///
    /// # Errors
    ///
    /// Fails if the value cannot be encoded. Also returns the errors of [`insert`](Metalayers::insert).
    pub fn set<T: Metalayer + Serialize>(&mut self, value: &T) -> Result<()> {
        self.insert(T::NAME, encode(value)?)?;
        Ok(())
    }

    /// Removes a metalayer and returns its content, or returns `None` if no metalayer has this name.
    pub fn remove(&mut self, name: &str) -> Option<Vec<u8>> {
        let index = self.position(name.as_bytes())?;
        self.names.remove(index);
        Some(self.contents.remove(index))
    }

    /// Renames a metalayer without changing the order. Returns `false` if no metalayer is called `from`.
    ///
    /// # Errors
    ///
    /// Fails if the new name is longer than 31 bytes, contains a NUL, or is the name of another metalayer.
    ///
    /// ```
    /// let mut metalayers = b2nd_frame::Metalayers::default();
    /// metalayers.insert("caterva", b"shapes".as_slice())?;
    /// metalayers.insert("units", b"mm".as_slice())?;
    /// assert!(metalayers.rename("caterva", "b2nd")?);
    /// assert_eq!(metalayers.iter().next(), Some((b"b2nd".as_slice(), b"shapes".as_slice())));
    ///
    /// let error = metalayers.rename("units", "b2nd").unwrap_err();
    /// assert_eq!(error.to_string(), "metalayer \"units\" cannot be called \"b2nd\": that name is already used");
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    pub fn rename(&mut self, from: &str, to: &str) -> Result<bool> {
        let Some(index) = self.position(from.as_bytes()) else { return Ok(false) };
        check_new(to)?;
        if self.position(to.as_bytes()).is_some_and(|taken| taken != index) {
            return Err(Error::custom(format_args!("metalayer {from:?} cannot be called {to:?}: that name is already used")));
        }
        self.names[index] = to.into();
        Ok(true)
    }

    /// Returns an error if two metalayers have the same name. The offset of the error is that of the second name, counted from the
    /// first name in the map of names.
    fn check_names(&self) -> Result<()> {
        let mut seen = BTreeSet::new();
        let Some(name) = self.names.iter().find(|name| !seen.insert(name.as_slice())) else { return Ok(()) };
        // Each name before the second one has a marker, and is followed by an int32 of five bytes.
        let at: usize = seen.iter().map(|name| name.len() + 6).sum();
        Err(Error::custom("the name is repeated").within_offset(at).field(&shown(name)))
    }

    /// Returns the error for more metalayers than C-Blosc2 allows in a header.
    pub(crate) fn too_many(&self) -> Error {
        Error::custom(format_args!("the header has {} metalayers, but C-Blosc2 supports at most {MAX_METALAYERS}", self.len()))
    }

    /// Returns the content that C-Blosc2 finds for this name. C-Blosc2 ends a name at a NUL, and reads the first metalayer that matches.
    ///
    /// # Errors
    ///
    /// Fails if the metalayer that C-Blosc2 finds has a longer name, with a NUL in it.
    #[inline]
    pub(crate) fn get_as_c(&self, name: &str) -> Result<Option<&[u8]>> {
        let as_c = |this: &[u8]| this.split(|&byte| byte == 0).next() == Some(name.as_bytes());
        let Some(index) = self.names.iter().position(|this| this == name.as_bytes() || as_c(this)) else { return Ok(None) };
        if self.names[index].len() != name.len() {
            let error = Error::custom(format_args!("C-Blosc2 ends the name at its NUL and reads {name:?}"));
            return Err(error.field(&shown(&self.names[index])));
        }
        Ok(Some(&self.contents[index]))
    }

    fn position(&self, name: &[u8]) -> Option<usize> {
        self.names.iter().position(|this| this == name)
    }

    /// Returns the length, in bytes, of these metalayers as stored in a header or trailer.
    pub(crate) fn section_len(&self) -> usize {
        self.index_len() + 3 + self.contents.iter().map(|content| 5 + content.len()).sum::<usize>()
    }

    /// Returns the length, in bytes, of the part of a [`Section`] before the contents: its marker, the field idx, and the map of names and
    /// offsets.
    fn index_len(&self) -> usize {
        7 + self.names.iter().map(|name| name.len() + 6).sum::<usize>()
    }

    /// Returns the position of each content, in order. This position and `section_start`, the position of the first marker of the
    /// metalayers, count from the start of the header or trailer.
    fn content_offsets(&self, section_start: usize) -> impl Iterator<Item = usize> {
        let first = section_start + self.index_len() + 3;
        self.contents.iter().scan(first, |next, content| {
            let offset = *next;
            *next += 5 + content.len();
            Some(offset)
        })
    }

    /// Returns the position of the marker `c6` with which the content of a metalayer starts. This position and `section_start`, the
    /// position of the first marker of the metalayers, count from the start of the header or trailer.
    pub(crate) fn content_offset(&self, name: &str, section_start: usize) -> Option<usize> {
        self.content_offsets(section_start).nth(self.position(name.as_bytes())?)
    }
}

pub(crate) fn encode<T: Metalayer + Serialize>(value: &T) -> Result<Vec<u8>> {
    Ok(if T::NAMED { generic::to_vec(value)? } else { b2nd::to_vec(value)? })
}

/// Decodes the value at the start of a metalayer's content. Returns the value and the bytes after it.
pub(crate) fn decode<'a, T: Metalayer + Deserialize<'a>>(content: &'a [u8]) -> b2nd::Result<(T, &'a [u8])> {
    if T::NAMED { generic::take_from_slice(content) } else { b2nd::take_from_slice(content) }
}

#[cfg(feature = "std")]
use b2nd::msgpack as generic;

/// Replaces generic MessagePack, which needs `std`. The functions only return an error.
#[cfg(not(feature = "std"))]
mod generic {
    use super::{Deserialize, Serialize, Vec};

    pub(super) fn to_vec<T: Serialize>(_: &T) -> b2nd::Result<Vec<u8>> {
        Err(needs_std())
    }

    pub(super) fn take_from_slice<'a, T: Deserialize<'a>>(_: &'a [u8]) -> b2nd::Result<(T, &'a [u8])> {
        Err(needs_std())
    }

    fn needs_std() -> b2nd::Error {
        b2nd::Error::custom("generic MessagePack needs the feature std of b2nd-frame")
    }
}

/// The maximum length of a name in bytes, which is that of a fixstr.
const MAX_NAME: usize = 31;

fn check_len(name: &[u8]) -> Result<()> {
    if name.len() > MAX_NAME {
        return Err(Error::too_long("a metalayer's name", name.len(), MAX_NAME).field(&shown(name)));
    }
    Ok(())
}

/// Returns the name as it is shown in errors.
fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// Returns an error if a metalayer cannot be given this name, because it is too long or contains a NUL, at which C-Blosc2 would end it.
fn check_new(name: &str) -> Result<()> {
    check_len(name.as_bytes())?;
    if name.contains('\0') {
        return Err(Error::custom(format_args!("metalayer {name:?}: C-Blosc2 would end this name at its NUL")));
    }
    Ok(())
}

impl fmt::Debug for Metalayers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(name, content)| (String::from_utf8_lossy(name), content.len()))).finish()
    }
}

/// Serializes the metalayers as pairs of name and content. In human-readable serde formats such as JSON, a name is a string if it is UTF-8,
/// and the content is hexadecimal.
impl Serialize for Metalayers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.collect_seq(self.iter().map(|(name, content)| (AnyName::new(name), Hex(content))));
        }
        serializer.collect_seq(self.iter().map(|(name, content)| (Bytes::new(name), Bytes::new(content))))
    }
}

impl<'de> Deserialize<'de> for Metalayers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pairs = if deserializer.is_human_readable() {
            let pairs = Vec::<(AnyName, String)>::deserialize(deserializer)?;
            let bytes = |(name, digits): (AnyName, String)| match hex::decode(&digits) {
                Some(content) => Ok((ByteBuf::from(name.into_bytes()), ByteBuf::from(content))),
                None => Err(D::Error::invalid_value(Unexpected::Str(&digits), &"two hexadecimal digits for each byte")),
            };
            pairs.into_iter().map(bytes).collect::<Result<_, _>>()?
        } else {
            Vec::<(ByteBuf, ByteBuf)>::deserialize(deserializer)?
        };
        let (names, contents) = pairs.into_iter().map(|(name, content)| (name.into_vec(), content.into_vec())).unzip();
        let metalayers = Metalayers { names, contents };
        metalayers.names.iter().try_for_each(|name| check_len(name)).map_err(D::Error::custom)?;
        metalayers.check_names().map_err(|error| D::Error::custom(error.anywhere()))?;
        Ok(metalayers)
    }
}

/// The name of a metalayer in human-readable serde formats such as JSON: a string, or a list of bytes if the name is not UTF-8.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum AnyName {
    Text(String),
    /// A list of numbers instead of serde's bytes, which YAML does not support.
    Bytes(Vec<u8>),
}

impl AnyName {
    fn new(name: &[u8]) -> Self {
        String::from_utf8(name.to_vec()).map_or_else(|error| AnyName::Bytes(error.into_bytes()), AnyName::Text)
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            AnyName::Text(name) => name.into_bytes(),
            AnyName::Bytes(name) => name,
        }
    }
}
