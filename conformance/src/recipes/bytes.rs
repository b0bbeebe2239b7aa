//! [`Bytes`]: bytes of which each field's place is known, so that a recipe can damage it.

/// Bytes, and where each field starts.
#[derive(Clone, Default)]
pub(crate) struct Bytes {
    pub(crate) bytes: Vec<u8>,
    pub(crate) fields: Vec<(String, usize)>,
}

impl Bytes {
    /// Adds a field.
    pub(crate) fn field(&mut self, name: impl Into<String>, bytes: &[u8]) {
        self.fields.push((name.into(), self.bytes.len()));
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds bytes to the field before them.
    pub(crate) fn more(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The start of a field. Recipes name fields that are there.
    pub(crate) fn at(&self, name: &str) -> usize {
        self.fields.iter().find(|(own, _)| own == name).map_or(0, |&(_, at)| at)
    }

    /// A copy with other bytes, `skip` bytes after a field's start.
    pub(crate) fn with(&self, name: &str, skip: usize, bytes: &[u8]) -> Vec<u8> {
        patched(&self.bytes, self.at(name) + skip, bytes)
    }

    /// A copy that ends where a field starts.
    pub(crate) fn cut(&self, name: &str) -> Vec<u8> {
        self.bytes[..self.at(name)].to_vec()
    }
}

/// A copy with other bytes at a place.
pub(crate) fn patched(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    copy[at..at + new.len()].copy_from_slice(new);
    copy
}

/// A length as the formats hold it, big-endian. Recipes make nothing that is longer.
pub(crate) fn be32(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes()
}

/// A number in two bytes.
pub(crate) fn be16(length: usize) -> [u8; 2] {
    u16::try_from(length).unwrap_or(u16::MAX).to_be_bytes()
}

/// A length, little-endian, as chunks hold it.
pub(crate) fn le32(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

/// The lowest byte of a number.
pub(crate) fn low(number: usize) -> u8 {
    number.to_le_bytes()[0]
}
