//! [`Name`]: the name of a metalayer.

use alloc::string::String;
use core::fmt;

use crate::error::{Error, Result, Segment};
use crate::wire::FIXSTR_MAX;

/// The name of a metalayer, stored inline, without an allocation.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Name {
    bytes: [u8; FIXSTR_MAX],
    length: u8,
    /// The offset of the metalayer's content while a header or trailer is read or written, otherwise 0.
    pub(super) offset: i32,
}

impl Name {
    #[inline(always)]
    pub(super) fn new(name: &[u8]) -> Result<Name> {
        let mut bytes = [0; FIXSTR_MAX];
        match (bytes.get_mut(..name.len()), u8::try_from(name.len())) {
            (Some(place), Ok(length)) => {
                place.copy_from_slice(name);
                Ok(Name { bytes, length, offset: 0 })
            }
            _ => Err(too_long(name)),
        }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.length.into()
    }

    #[inline(always)]
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len()]
    }

    /// Returns true if C-Blosc2, which ends names at a NUL, would read this name as `name`.
    #[inline(always)]
    pub(super) fn is_for_c(&self, name: &[u8]) -> bool {
        // The unused bytes after the name are NULs.
        self.bytes.starts_with(name) && self.bytes.get(name.len()).is_none_or(|&next| next == 0)
    }

    /// Returns a hash of the name's length, first byte and last byte: few names in a frame have all three in common.
    #[inline(always)]
    pub(super) fn hash(&self) -> u8 {
        let last = self.as_bytes().last().copied().unwrap_or_default();
        self.bytes[0].wrapping_mul(31).wrapping_add(last.wrapping_mul(7)).wrapping_add(self.length)
    }

    /// Returns the name as a segment of an error's path.
    #[cold]
    pub(super) fn segment(&self) -> Segment {
        segment(self.as_bytes())
    }
}

impl fmt::Debug for Name {
    /// Writes the name as text if it is UTF-8, and otherwise as escaped bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match core::str::from_utf8(self.as_bytes()) {
            Ok(name) => write!(f, "{name:?}"),
            Err(_) => write!(f, "b\"{}\"", self.as_bytes().escape_ascii()),
        }
    }
}

fn segment(name: &[u8]) -> Segment {
    Segment::Key(String::from_utf8_lossy(name).into_owned())
}

#[cold]
fn too_long(name: &[u8]) -> Error {
    Error::too_long("a metalayer's name", name.len(), FIXSTR_MAX).within(segment(name), None)
}
