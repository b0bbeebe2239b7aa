//! Reads the trailer of a damaged frame, as far as it is intact.

use b2nd::Value;
use b2nd_frame::{ChunkHeader, Decompressor, MAX_METALAYERS, Result};

use super::Salvage;
use b2nd_store::attributes::Attribute;
use b2nd_store::{Frame, is_of_source};

impl Salvage<'_> {
    /// Reads the trailer, or only its intact vlmetalayers if it is damaged.
    pub(super) fn trailer(&mut self, frame: &Frame, tail: &[u8], decompressor: &mut Decompressor) -> Result<()> {
        match frame.trailer() {
            Ok(trailer) => {
                let all = trailer.vlmetalayers().raw_chunks().iter();
                all.for_each(|(name, content)| self.attribute(name, Some(content), decompressor));
                return Ok(());
            }
            Err(error) if is_of_source(&error) => return Err(error),
            Err(error) => self.lose(format_args!("trailer: {error}")),
        }
        // The trailer follows the index. If the frame has no data, the trailer follows the header.
        let index = match self.header.nbytes() {
            0 => 0,
            _ => ChunkHeader::from_slice(tail).map_or(usize::MAX, |index| index.cbytes()),
        };
        for (name, content) in tail.get(index..).and_then(names_and_contents).unwrap_or_default() {
            self.attribute(&name, content.as_deref(), decompressor);
        }
        Ok(())
    }

    /// Adds an attribute if it is intact.
    fn attribute(&mut self, name: &[u8], content: Option<&[u8]>, decompressor: &mut Decompressor) {
        let whole = match (std::str::from_utf8(name), content) {
            (_, None) => Err("its content is cut off or damaged".to_owned()),
            (Err(_), _) => Err("its name is not UTF-8".to_owned()),
            (Ok(_), _) if self.attributes.len() == MAX_METALAYERS => Err(format!("at most {MAX_METALAYERS} can be written")),
            (Ok(name), Some(content)) => match Attribute::new_with(name.as_bytes(), content, decompressor).value {
                Ok(value) => Ok((name.to_owned(), value.into_owned())),
                Err(error) => Err(error.to_string()),
            },
        };
        match whole {
            Ok(attribute) => self.attributes.push(attribute),
            Err(why) => self.lose(format_args!("vlmetalayer \"{}\": {why}", name.escape_ascii())),
        }
    }
}

/// The name of a vlmetalayer, and its content, or `None` if the content is cut off or damaged.
type Named = (Vec<u8>, Option<Vec<u8>>);

/// Returns the names and contents of a trailer's vlmetalayers.
///
/// ```text
/// 94 | 01 | 93 | cd idx | de count, names and offsets | dc count, contents | …
/// ```
fn names_and_contents(trailer: &[u8]) -> Option<Vec<Named>> {
    let rest = trailer.strip_prefix(&[0x94, 0x01, 0x93])?;
    let (_, rest) = b2nd::take_from_slice::<u16>(rest).ok()?;
    let [0xde, high, low, rest @ ..] = rest else { return None };
    let count = usize::from(u16::from_be_bytes([*high, *low]));
    let (mut rest, mut names) = (rest, Vec::new());
    for _ in 0..count {
        let (&marker, after) = rest.split_first()?;
        let length = usize::from(marker.checked_sub(0xa0).filter(|&length| length < 32)?);
        let (name, after) = after.split_at_checked(length)?;
        let (offset, after) = b2nd::take_from_slice::<i32>(after).ok()?;
        names.push((name.to_vec(), usize::try_from(offset).ok()?));
        rest = after;
    }
    let content = |offset: usize| {
        let (value, _) = b2nd::take_from_slice::<Value>(trailer.get(offset..)?).ok()?;
        if let Value::Bytes(bytes, _) = value { Some(bytes) } else { None }
    };
    Some(names.into_iter().map(|(name, offset)| (name, content(offset))).collect())
}
