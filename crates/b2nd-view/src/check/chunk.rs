//! Findings in a chunk's header: what C-Blosc2 minds although the fields by themselves are good.

use b2nd::frame::{Chunk, ChunkHeader, Header, Special};
use b2nd_codec::Blocks;

use super::{Answers, NO};
use crate::text::{count, thousands};

/// Bits of Blosc2's flags, the last byte of a chunk's header.
const HAS_DICTIONARY: u8 = 0x01;
const IS_LAZY: u8 = 0x08;
const IS_INSTRUMENTED: u8 = 0x80;

/// A bit of the byte before them: blocks of variable length.
const HAS_VARIABLE_BLOCKS: u8 = 0x01;

/// The findings of a chunk with this number.
pub(super) fn findings(frame: &Header, is_array: bool, number: u64, chunk: &ChunkHeader) -> Vec<(String, Answers)> {
    let mut findings = Vec::new();
    let flags = chunk.raw_blosc2_flags();
    let header_len = chunk.header_len();
    if flags & IS_LAZY != 0 {
        // C-Blosc2 makes such chunks in memory. In a file of its own it may read one, in a buffer it looks for data behind it.
        let finding = "its flags say that its data are elsewhere (a lazy chunk)";
        findings.push((finding.to_owned(), [NO, None, Some(!is_array)]));
    }
    if flags & IS_INSTRUMENTED != 0 {
        findings.push(("its flags say that it holds measurements of a codec".to_owned(), [NO, None, None]));
    }
    // C-Blosc2 writes 1 for a typesize that the field cannot hold.
    let typesize = u8::try_from(frame.typesize()).map_or(1, usize::from);
    let is_value = chunk.special() == Some(Special::Value);
    if chunk.typesize() != typesize && (is_array || is_value) || is_value && chunk.nbytes() % chunk.typesize() != 0 {
        let (found, nbytes) = (chunk.typesize(), thousands(chunk.nbytes()));
        let finding = format!("its typesize: expected {typesize}, found {found}, for {nbytes} bytes of data");
        findings.push((finding, [NO, None, None]));
    }
    if let Some(special) = chunk.special() {
        let value = if special == Special::Value { usize::try_from(frame.typesize()).unwrap_or(0) } else { 0 };
        let (expected, found) = (header_len + value, chunk.cbytes());
        if found != expected {
            let finding =
                format!("it is special ({special}): cbytes: expected {}, found {}", thousands(expected), thousands(found));
            // Only the first chunk is looked at when a frame is opened, and an array's are then taken for what they say.
            let taken = Some(is_array && number > 0 && value == 0);
            findings.push((finding, [NO, NO, taken]));
        }
        let (blocksize, typesize) = (chunk.blocksize(), usize::try_from(frame.typesize()).unwrap_or(0).max(1));
        if chunk.nbytes() % typesize == 0 && blocksize % typesize != 0 {
            let finding = format!("its blocksize is {}, no whole number of elements", thousands(blocksize));
            findings.push((finding, [NO, NO, NO]));
        }
        return findings;
    }
    if chunk.is_stored() {
        let (expected, found) = (header_len + chunk.nbytes(), chunk.cbytes());
        if found != expected {
            let finding = format!("it is stored: cbytes: expected {}, found {}", thousands(expected), thousands(found));
            findings.push((finding, [NO, NO, NO]));
        }
        if flags & HAS_DICTIONARY != 0 {
            findings.push(("it is stored, and its flags say that it has a dictionary".to_owned(), [NO, NO, NO]));
        }
    }
    let varies = chunk.as_bytes().get(30).is_some_and(|more| more & HAS_VARIABLE_BLOCKS != 0);
    if varies && !frame.has_variable_blocks() {
        let finding = "its flags say that its blocks vary in length, the frame's header that they do not";
        findings.push((finding.to_owned(), [NO, NO, NO]));
    }
    let blocksize = usize::try_from(frame.blocksize()).unwrap_or(0);
    if is_array && !frame.has_variable_blocks() && blocksize != 0 && chunk.blocksize() != blocksize {
        let [expected, found] = [blocksize, chunk.blocksize()].map(|length| chunk.nbytes().div_ceil(length.max(1)));
        let blocks = if found == expected { String::new() } else { format!(": {}, not {expected}", count(found, "block")) };
        let finding = format!("its blocksize is {}, the frame's {}{blocks}", thousands(chunk.blocksize()), thousands(blocksize));
        let read = Some(chunk.is_stored() && found == expected);
        findings.push((finding, [NO, read, read]));
    }
    if !chunk.is_extended() && findings.is_empty() {
        findings.push(("its header is one of Blosc 1, of 16 bytes".to_owned(), [None; 3]));
    }
    findings
}

/// The finding about blocks that have more room than they can fill: C-Blosc2 reads all of it into a place for one block.
pub(super) fn gap(chunk: &Chunk) -> Option<String> {
    let header = chunk.header();
    if chunk.header().is_stored() || header.special().is_some() {
        return None;
    }
    let blocks = Blocks::new(chunk.bytes()).ok().filter(|blocks| !blocks.are_variable())?;
    let most = header.blocksize() + size_of::<u32>() * header.typesize();
    let lengths = (0..blocks.count()).filter_map(|block| Some((block, blocks.range(block).ok()?.len())));
    let (block, found) = lengths.into_iter().find(|&(_, length)| length > most)?;
    Some(format!("block {block} has a place of {}, and fills at most {}", count(found, "byte"), thousands(most)))
}

/// The findings of a chunk that holds metadata: the index, with a typesize that it has to have, or a vlmetalayer.
pub(super) fn of_metadata(frame: &Header, chunk: &ChunkHeader, typesize: Option<usize>) -> Vec<(String, Answers)> {
    let mut findings = Vec::new();
    if let Some(expected) = typesize.filter(|&expected| expected != chunk.typesize()) {
        findings.push((format!("its typesize: expected {expected}, found {}", chunk.typesize()), [NO, NO, NO]));
    }
    // Special ones have values of their own length.
    if chunk.special().is_none() {
        findings.extend(self::findings(frame, false, 0, chunk));
    }
    // It is no chunk of the frame, and so neither lazy nor with blocks that vary.
    findings.into_iter().map(|(finding, _)| (finding, [NO, NO, NO])).collect()
}
