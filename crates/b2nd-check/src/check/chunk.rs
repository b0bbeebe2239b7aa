//! Checks a chunk's header for combinations of valid fields that C-Blosc2 rejects or reads wrongly, and checks the positions and lengths of
//! a chunk's blocks.

use b2nd_frame::{Blocks, Chunk, ChunkHeader, Filter, FrameType, Header, Special};

use super::{Answers, Known, NO, NOT_READ, NOT_SPECIFIED, REJECTED, YES};
use crate::known_defects::{
    CODEC_FORMAT, DELTA_BEHIND, SHARED_BLOCKS, SHUFFLE_PARAMETER, SPECIAL_BLOCKSIZE, SPECIAL_IN_DATA, TYPESIZE,
};
use b2nd_store::text::{count, thousands};

/// Flags in the last byte of a chunk's header: the data is stored elsewhere, or the chunk holds measurements of a codec.
const IS_LAZY: u8 = 0x08;
const IS_INSTRUMENTED: u8 = 0x80;

/// A flag of a chunk: the data is stored uncompressed.
const IS_STORED: u8 = 0x02;

/// The version of the chunk format of Blosc2's alpha releases. Chunks of this version have at most five filters, and the byte of a sixth
/// filter is not initialized.
const ALPHA: u8 = 3;
/// The offset of the sixth filter's number in a chunk's header.
const SIXTH_FILTER: usize = 21;

/// The offset of the codec's number in a chunk's header.
const CODEC: usize = 22;
/// The codec format (the top 3 bits of the flags) of a chunk whose codec is given by the number at byte `CODEC`.
const OF_USERS: u8 = 6;
/// The smallest number of a codec that is not built in: a plugin's or a user's.
const FIRST_OF_USERS: u8 = 32;

/// The first version of the filter bytedelta. To undo it, C-Blosc2 adds up bytes. If C-Blosc2 was built with vectors of 16 bytes, the sums
/// start again after the last full vector. If it was built without vectors, the sums do not start again. So the decoded values can depend
/// on how C-Blosc2 was built.
const FIRST_BYTEDELTA: Filter = Filter::Other(34);
const BYTEDELTA: Filter = Filter::Other(35);
const VECTOR: usize = 16;

/// Returns the findings of a chunk's header. `number` is the index of the chunk in the frame, and `is_array` is true if the frame holds an
/// array.
pub(super) fn findings(frame: &Header, is_array: bool, number: u64, chunk: &ChunkHeader) -> Vec<(String, Answers)> {
    let mut findings = Vec::new();
    let wrong_cbytes = |what: &str, expected: usize| {
        let (expected, found) = (chunk.header_len() + expected, chunk.cbytes());
        let finding = || format!("it is {what}, but its cbytes is {} instead of {}", thousands(found), thousands(expected));
        (found != expected).then(|| (finding(), REJECTED))
    };
    findings.extend(misplaced(chunk).map(|finding| (finding.to_owned(), [NO, None, NO])));
    let typesize = typesize(frame);
    let is_value = chunk.special() == Some(Special::Value);
    let found = chunk.typesize();
    if found != typesize && (is_array || is_value) {
        findings.push((format!("its typesize: expected {typesize}, found {found}"), NOT_SPECIFIED));
    } else if is_value && chunk.nbytes() % found != 0 {
        let nbytes = count(chunk.nbytes(), "byte");
        findings.push((format!("it has {nbytes} of data, which is not a multiple of its typesize, {found}"), NOT_SPECIFIED));
    }
    if let Some(special) = chunk.special() {
        findings.extend(of_special(chunk, special).map(|finding| (finding, REJECTED)));
        let value = if special == Special::Value { usize::try_from(frame.typesize()).unwrap_or(0) } else { 0 };
        findings.extend(wrong_cbytes(&format!("special ({special})"), value));
        let (blocksize, typesize) = (chunk.blocksize(), usize::try_from(frame.typesize()).unwrap_or(0).max(1));
        if chunk.nbytes() % typesize == 0 && blocksize % typesize != 0 {
            let blocksize = thousands(blocksize);
            findings.push((format!("its blocksize is {blocksize}, not a multiple of the frame's typesize {typesize}"), REJECTED));
        }
        let is_first = number == 0 && frame.frame_type() == FrameType::Contiguous && special != Special::Value;
        if is_first && findings.is_empty() {
            let finding =
                format!("it is special ({special}) in its own header but not in the index: C-Blosc2 rejects such a first chunk");
            findings.push((finding, NOT_READ));
        }
        return findings;
    }
    if chunk.is_stored() {
        findings.extend(wrong_cbytes("stored without compression", chunk.nbytes()));
        if chunk.has_dictionary() {
            let finding = "it is stored without compression, but its flags say that it has a dictionary";
            findings.push((finding.to_owned(), REJECTED));
        }
    } else {
        findings.extend(filters(frame, chunk).map(|finding| (finding.to_owned(), NOT_SPECIFIED)));
    }
    if chunk.has_variable_blocks() && !frame.has_variable_blocks() {
        let finding = "its flags say that its blocks vary in length, but the frame's header says that they do not";
        findings.push((finding.to_owned(), REJECTED));
    }
    let blocksize = usize::try_from(frame.blocksize()).unwrap_or(0);
    if is_array && !frame.has_variable_blocks() && blocksize != 0 && chunk.blocksize() != blocksize {
        let [expected, found] = [blocksize, chunk.blocksize()].map(|length| chunk.nbytes().div_ceil(length.max(1)));
        let note = if found == expected { String::new() } else { format!(" ({} instead of {expected})", count(found, "block")) };
        let [own, frames] = [chunk.blocksize(), blocksize].map(thousands);
        let finding = format!("its blocksize: expected {frames}, found {own}{note}");
        findings.push((finding, REJECTED));
    }
    if !chunk.is_extended() && findings.is_empty() {
        findings.push(("it has a header of Blosc 1, with 16 bytes".to_owned(), [None; 3]));
    }
    findings
}

/// Returns the known problems that readers have with a chunk that is stored in the file, not only as an entry of the index. The second part
/// of each pair is whether the specification allows such a chunk, or `None` if the specification does not say.
pub(super) fn known(frame: &Header, is_array: bool, number: u64, chunk: &ChunkHeader) -> Vec<(Known, Option<bool>)> {
    let mut found = Vec::new();
    let special = chunk.special();
    let blocksize = usize::try_from(frame.blocksize()).unwrap_or(0);
    if let Some(special) = special.filter(|&special| special != Special::Value && (number > 0 || is_array)) {
        let finding = format!("it is special ({special}) in its own header but not in the index");
        found.push(((SPECIAL_IN_DATA, finding), None));
    }
    if is_array && special.is_some() && !frame.has_variable_blocks() && chunk.blocksize() != blocksize {
        let [own, expected] = [chunk.blocksize(), blocksize].map(thousands);
        let finding = format!("its blocksize: expected {expected} as in the frame's header, found {own}");
        found.push(((SPECIAL_BLOCKSIZE, finding), NO));
    }
    let typesize = typesize(frame);
    // If chunks or blocks vary in length, the typesize of a chunk can differ from that of the frame.
    let vary = frame.has_variable_chunks() || frame.has_variable_blocks();
    if !is_array && !vary && special != Some(Special::Value) && chunk.typesize() != typesize {
        found.push(((TYPESIZE, format!("its typesize: expected {typesize}, found {}", chunk.typesize())), NO));
    }
    if special.is_some() || chunk.is_stored() {
        return found;
    }
    found.extend(of_users(chunk).map(|finding| ((CODEC_FORMAT, finding), NO)));
    for (place, (filter, meta)) in chunk.filters().enumerate() {
        match filter {
            Filter::Shuffle | Filter::BitShuffle if meta != 0 => {
                let finding = format!("its filter {filter} has the parameter {meta}");
                found.push(((SHUFFLE_PARAMETER, finding), YES));
            }
            Filter::Delta if place > 0 => {
                found.push(((DELTA_BEHIND, "its filter delta is not the first filter".to_owned()), YES));
            }
            _ => {}
        }
    }
    found
}

/// Returns a finding if the flags of a chunk say that its codec is not built in, but the codec's number is in the range of built-in codecs.
fn of_users(chunk: &ChunkHeader) -> Option<String> {
    let own = chunk.as_bytes().get(CODEC).copied().unwrap_or(0);
    let is_compressed = chunk.special().is_none() && !chunk.is_stored();
    (is_compressed && chunk.raw_flags() >> 5 == OF_USERS && own < FIRST_OF_USERS).then(|| {
        format!("its flags say that its codec is not built in, but the codec's number, {own}, is below {FIRST_OF_USERS}")
    })
}

/// Returns the typesize that the chunks of a frame should have. C-Blosc2 writes 1 into a chunk if the frame's typesize does not fit the
/// chunk's field, which has one byte.
fn typesize(frame: &Header) -> usize {
    u8::try_from(frame.typesize()).map_or(1, usize::from)
}

/// Returns a finding if C-Blosc2 may not undo the filters correctly: for example, the values may depend on uninitialized memory or on how
/// C-Blosc2 was built.
fn filters(frame: &Header, chunk: &ChunkHeader) -> Option<&'static str> {
    if chunk.version() == ALPHA && chunk.is_extended() && chunk.as_bytes().get(SIXTH_FILTER) != Some(&0) {
        return Some("its header has a sixth filter, but its version, 3, allows five: C-Blosc2 ignores the sixth");
    }
    let (filter, meta) = chunk.filters().find(|(filter, _)| [FIRST_BYTEDELTA, BYTEDELTA].contains(filter))?;
    let typesize = if meta == 0 { usize::try_from(frame.typesize()).unwrap_or(1) } else { usize::from(meta) }.max(1);
    let (nbytes, blocksize) = (chunk.nbytes(), chunk.blocksize().max(1));
    let any = |wrong: &dyn Fn(usize) -> bool| wrong(blocksize.min(nbytes)) || wrong(nbytes % blocksize);
    // C-Blosc2 2 does not copy the bytes after the last whole element of a block, and C-Blosc2 3.3.2 does not always copy them.
    if any(&|length| length % typesize != 0) || chunk.has_variable_blocks() && typesize != 1 {
        return Some("some versions of C-Blosc2 return uninitialized bytes: bytedelta's typesize may not divide each block");
    }
    let is_split = |length: usize| {
        let plane = length / typesize;
        plane > VECTOR && plane % VECTOR != 0
    };
    let depends = filter == FIRST_BYTEDELTA && (chunk.has_variable_blocks() || any(&is_split));
    depends.then_some(
        "its values can depend on how C-Blosc2 was built: it has the first version of bytedelta (filter 34), and the number of \
         elements in a block is not known to be a multiple of 16",
    )
}

/// Returns a finding if C-Blosc2 cannot decompress a special chunk.
fn of_special(chunk: &ChunkHeader, special: Special) -> Option<String> {
    let (header_len, nbytes, cbytes) = (chunk.header_len(), chunk.nbytes(), chunk.cbytes());
    let typesize = match special {
        Special::Zeros => 1,
        Special::Value => cbytes.saturating_sub(header_len),
        _ => chunk.typesize(),
    };
    let wrong = if chunk.has_variable_blocks() {
        "blocks that vary in length"
    } else if chunk.has_dictionary() {
        "a dictionary"
    } else if chunk.raw_flags() & IS_STORED != 0 && cbytes != header_len + nbytes {
        "stored data"
    } else if typesize == 0 || nbytes % typesize != 0 || chunk.blocksize().min(nbytes) % typesize != 0 {
        let blocksize = thousands(chunk.blocksize());
        let elements = count(typesize, "byte");
        let nbytes = thousands(nbytes);
        return Some(format!(
            "it is special ({special}), but nbytes {nbytes} or blocksize {blocksize} is not a multiple of the length of an element, \
             {elements}"
        ));
    } else {
        return None;
    };
    Some(format!("it is special ({special}), but its flags say that it has {wrong}"))
}

/// Returns the positions of a compressed chunk's blocks, or `None` if the chunk is not compressed or its block table is invalid.
pub(super) fn blocks<'c>(chunk: &'c Chunk) -> Option<Blocks<'c>> {
    let is_compressed = !chunk.header().is_stored() && chunk.header().special().is_none();
    Blocks::new(chunk.bytes()).ok().filter(|_| is_compressed)
}

/// Returns a finding if a chunk has more space for a block than the block can need. This matters because C-Blosc2 reads the whole space
/// into a buffer that has room for one block only.
pub(super) fn gap(blocks: &Blocks) -> Option<String> {
    let most = blocks.header().blocksize() + size_of::<u32>() * blocks.header().typesize();
    let mut lengths = (0..blocks.count()).filter_map(|block| Some((block, blocks.range(block).ok()?.len())));
    let (block, found) = lengths.find(|&(_, length)| length > most && !blocks.are_variable())?;
    Some(format!("the space for block {block} has {}, but a block needs at most {}", count(found, "byte"), thousands(most)))
}

/// Returns a problem if blocks vary in length, and their lengths add up to less than the length of the chunk's data. This is checked before
/// memory is allocated for the blocks.
pub(super) fn lengths(chunk: &Chunk, blocks: &Blocks) -> Option<String> {
    let length = |block| {
        let bytes = chunk.bytes().get(blocks.range(block).ok()?)?;
        u64::try_from(i32::from_le_bytes(*bytes.first_chunk()?)).ok()
    };
    let found = (0..blocks.count()).map(length).sum::<Option<u64>>()?;
    let expected = chunk.header().nbytes() as u64;
    (blocks.are_variable() && found < expected)
        .then(|| format!("the blocks together are {} shorter than the chunk's data", count(expected - found, "byte")))
}

/// Returns a finding if several blocks start at the same byte. C-Blosc2 assumes that a block ends where the next block starts, so it would
/// read one of these blocks as empty.
pub(super) fn shared(blocks: &Blocks) -> Option<Known> {
    let mut starts: Vec<_> = (0..blocks.count()).filter_map(|block| Some(blocks.range(block).ok()?.start)).collect();
    starts.sort_unstable();
    let start = starts.iter().zip(starts.get(1..)?).find(|(one, next)| one == next)?.0;
    Some((SHARED_BLOCKS, format!("several of its blocks start at byte {} of the chunk", thousands(start))))
}

/// Returns the findings of a chunk that contains the index or a vlmetalayer. `typesize` is the typesize that an index must have, or `None`
/// for a vlmetalayer.
pub(super) fn of_metadata(frame: &Header, chunk: &ChunkHeader, typesize: Option<usize>) -> Vec<(String, Answers)> {
    let mut findings = Vec::new();
    let wrong_typesize = typesize.filter(|&expected| expected != chunk.typesize()).map(|expected| {
        // C-Blosc2 3.3.5 reads some frames whose index is stored uncompressed with a smaller typesize than expected.
        let reads = if chunk.is_stored() && chunk.typesize() < expected { None } else { NO };
        (format!("its typesize: expected {expected}, found {}", chunk.typesize()), [NO, reads, reads])
    });
    match chunk.special() {
        // The function `findings` is not called for a special chunk, because it would expect the typesize of the frame's data.
        Some(special) => {
            findings.extend(misplaced(chunk).map(str::to_owned));
            findings.extend(of_special(chunk, special));
            let value = chunk.cbytes().saturating_sub(chunk.header_len());
            if typesize.is_none() && special == Special::Value && value != chunk.typesize() {
                let [value, typesize] = [count(value, "byte"), count(chunk.typesize(), "byte")];
                findings.push(format!("it is special ({special}): its value has {value}, but each element has {typesize}"));
            }
            let expected = typesize.map_or(chunk.cbytes(), |typesize| chunk.header_len() + typesize);
            if typesize.is_some() && (special != Special::Value || chunk.cbytes() != expected) {
                findings.push(format!(
                    "it is special ({special}): expected an index that stores each entry, or one that repeats a single value of \
                     8 bytes"
                ));
            }
        }
        None => findings.extend(self::findings(frame, false, 0, chunk).into_iter().map(|(finding, _)| finding)),
    }
    findings.extend(of_users(chunk));
    if chunk.has_variable_blocks() && frame.has_variable_blocks() {
        findings.push("its flags say that its blocks vary in length, which is allowed only for the frame's data".to_owned());
    }
    // Apart from a wrong typesize, all findings are reported as errors for every reader.
    wrong_typesize.into_iter().chain(findings.into_iter().map(|finding| (finding, REJECTED))).collect()
}

/// Returns findings if a chunk is lazy or instrumented.
fn misplaced(chunk: &ChunkHeader) -> impl Iterator<Item = &'static str> {
    let flags = chunk.raw_blosc2_flags();
    // C-Blosc2 creates lazy chunks only in memory. It may be able to read a chunk with this flag from a file. If such a chunk is in a
    // buffer, C-Blosc2 expects more data after the chunk.
    let lazy = (flags & IS_LAZY != 0).then_some("its flags say that its data is stored elsewhere (a lazy chunk)");
    let instrumented = (flags & IS_INSTRUMENTED != 0).then_some("its flags say that it holds measurements of a codec");
    lazy.into_iter().chain(instrumented)
}
