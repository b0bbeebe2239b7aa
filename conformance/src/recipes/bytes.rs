//! [`Bytes`]: bytes with the offsets of their fields, so that a recipe can damage a field.

/// Bytes, and the offset of each field.
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

    /// Adds bytes to the last field.
    pub(crate) fn more(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the offset of a field, which must exist.
    pub(crate) fn at(&self, name: &str) -> usize {
        self.fields.iter().find(|(own, _)| own == name).map_or(0, |&(_, at)| at)
    }

    /// Returns a copy with other bytes, `skip` bytes after the start of a field.
    pub(crate) fn with(&self, name: &str, skip: usize, bytes: &[u8]) -> Vec<u8> {
        patched(&self.bytes, self.at(name) + skip, bytes)
    }

    /// Returns a copy that ends before a field.
    pub(crate) fn cut(&self, name: &str) -> Vec<u8> {
        self.bytes[..self.at(name)].to_vec()
    }
}

/// Returns a copy with other bytes at an offset.
pub(crate) fn patched(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    copy[at..at + new.len()].copy_from_slice(new);
    copy
}

/// Returns a length as a big-endian number of four bytes.
pub(crate) fn be32(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes()
}

/// Returns a length as a big-endian number of two bytes.
pub(crate) fn be16(length: usize) -> [u8; 2] {
    u16::try_from(length).unwrap_or(u16::MAX).to_be_bytes()
}

/// Returns a length as a little-endian number of four bytes, as in chunks.
pub(crate) fn le32(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

/// Returns a length as readers see it in a field of type int32. Lengths from 2^31 to 2^32 - 1 become negative.
pub(crate) fn int32(length: usize) -> i32 {
    i32::from_be_bytes(be32(length))
}

/// Formats a number and a noun, such as `1 byte` or `2 bytes`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns the name of a field for a description. `layer` is `metalayer` or `vlmetalayer`.
pub(crate) fn named(field: &str, layer: &str) -> String {
    match (field, field.split_once('-')) {
        ("count", _) => "the outer array".to_owned(),
        ("section", _) => format!("the section of {layer}s"),
        ("offsets", _) => "the map of names and offsets".to_owned(),
        ("contents", _) => "the array of contents".to_owned(),
        ("dtype-text", _) => "the text of the dtype".to_owned(),
        (_, Some((list @ ("shape" | "chunkshape" | "blockshape"), index))) => format!("{list}[{index}]"),
        (_, Some((part, index))) => format!("the {part} of {layer} {index}"),
        _ => field.to_owned(),
    }
}

/// Returns the lowest byte of a number.
pub(crate) fn low(number: usize) -> u8 {
    number.to_le_bytes()[0]
}
