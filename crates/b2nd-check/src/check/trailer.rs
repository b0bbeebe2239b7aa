//! Checks a frame's trailer: decompresses the attributes, and checks whether python-blosc2 can unpack them.

use b2nd_frame::{Chunk, Decompressor, ErrorKind, HeaderField, Result, Special};
use b2nd_store::attributes::Attribute;
use b2nd_store::{Frame, readable};

use super::data::TRAILER_LEN;
use super::header::contents_of;
use super::{Finding, Findings, NOT_SPECIFIED, READ_ALTHOUGH_WRONG, UNKNOWN, YES, chunk, kinds};
use crate::known_defects::NOT_MSGPACK;
use b2nd_store::text::{count, quoted};

/// The largest number of vlmetalayers that C-Blosc2 can write again when it edits a frame.
const MAX_REWRITTEN: usize = 16;

impl Findings {
    pub(super) fn trailer(&mut self, frame: &Frame, decompressor: &mut Decompressor) -> Result<()> {
        let (trailer, range) = match readable(frame.trailer().and_then(|trailer| Ok((trailer, frame.trailer_range()?))))? {
            Ok(found) => found,
            Err(error) => {
                self.all.push(Finding::refused("trailer", &error));
                return Ok(());
            }
        };
        let vlmetalayers = trailer.vlmetalayers().raw_chunks();
        self.names("vlmetalayer", vlmetalayers);
        if frame.header().has_vlmetalayers() == vlmetalayers.is_empty() {
            let (said, found) = if vlmetalayers.is_empty() { ("", "none") } else { ("no ", "some") };
            let finding = format!("it says that there are {said}vlmetalayers, but there are {found}");
            self.add("header", Some(HeaderField::HAS_VLMETALAYERS.marker() as u64), finding, READ_ALTHOUGH_WRONG);
        }
        if vlmetalayers.len() > MAX_REWRITTEN {
            let finding = format!(
                "it has {}, but C-Blosc2 writes at most {MAX_REWRITTEN}: an edit by C-Blosc2 can destroy the file",
                count(vlmetalayers.len(), "vlmetalayer")
            );
            self.add("trailer", Some(range.start), finding, READ_ALTHOUGH_WRONG);
        }
        let starts = contents_of(vlmetalayers, range.end - TRAILER_LEN.0);
        let mut fits = true;
        for (index, (name, content)) in vlmetalayers.iter().enumerate() {
            let (place, start) = (format!("vlmetalayer {}", quoted(name)), starts.get(index).copied());
            if let Some(refused) = Chunk::from_slice(content).ok().and_then(|chunk| self.budget.refuses_chunk(chunk.header())) {
                self.unreadable(place, start, refused, UNKNOWN);
                fits = false;
                continue;
            }
            if self.budget.is_over() {
                self.no_time(&place);
                return Ok(());
            }
            let Attribute { chunk, value, .. } = Attribute::new_with(name, content, decompressor);
            for (finding, answers) in chunk.iter().flat_map(|chunk| chunk::of_metadata(frame.header(), chunk, None)) {
                self.add(&place, start, finding, answers);
            }
            match (chunk, value) {
                (Ok(_), Err(error)) if matches!(error.kind(), ErrorKind::NoCodec { .. }) => {
                    self.not_decoded(place, start, &error)
                }
                (Err(error), _) | (Ok(_), Err(error)) => self.unreadable(place, start, error.to_string(), NOT_SPECIFIED),
                (Ok(chunk), Ok(value)) => {
                    let is_too_deep = |error: b2nd::Error| matches!(error.kind(), b2nd::ErrorKind::TooDeep);
                    if b2nd::RawValue::from_slice(&value).is_err_and(is_too_deep) {
                        let finding = "its value is nested more than 128 levels deep, so it was not checked";
                        self.add(&place, start, finding, [YES, YES, None]);
                    } else if chunk.special() == Some(Special::Uninitialized) || !kinds::is_unpacked(&value) {
                        let finding = "its value is not MessagePack that python-blosc2 can unpack".to_owned();
                        self.known(&place, start, (NOT_MSGPACK, finding), YES);
                    }
                    self.value(&place, start, &value);
                }
            }
        }
        // `kinds` decodes some attributes a second time, so it is only called if the memory limit allows decoding all attributes.
        if fits {
            self.kinds(frame.header(), trailer, decompressor);
        }
        Ok(())
    }
}
