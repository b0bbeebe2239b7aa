//! [`FACTS`]: features of files that make certain versions of C-Blosc2 and python-blosc2 crash, reject the file or read it wrongly. Some of
//! these files are valid.
//!
//! Each fact was observed, and names a file of the conformance suite with which it can be observed again. `conformance/proof/ci` tests the
//! facts about python-blosc2 4.14.1 with these files, and `tests/known_defects.rs` tests that [`verify`](crate::verify) reports each fact
//! for the file that it names.

use serde::Serialize;

use crate::reader::{Library, Reader};

/// How a library fails with a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    /// The library ends the process, or reads or writes outside of its buffers.
    Crashes,
    /// The library returns an error for a call that users make.
    Refuses,
    /// The library reads wrong values.
    ReadsOtherwise,
}

/// A range of versions: the first affected version, and the first version after it that is not affected.
type Versions = ([u16; 3], [u16; 3]);

/// A failure of certain versions of C-Blosc2 and python-blosc2 with files that have a certain feature.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Fact {
    /// The name of the feature that affected files have. [`Finding::fact`](crate::Finding::fact) is this name.
    pub name: &'static str,
    /// The affected versions of C-Blosc2: from the first version to before the second.
    pub c_blosc2: Versions,
    /// The affected versions of python-blosc2: from the first version to before the second.
    pub python_blosc2: Versions,
    /// How the affected versions fail with files that have this feature.
    pub does: Does,
    /// A call that shows the fact, with its error message or signal, or a sentence about what the library does.
    pub seen: &'static str,
    /// A file of the conformance suite that shows this fact: its path relative to `conformance/cases`, without `.bin`.
    pub case: &'static str,
}

impl Fact {
    /// Returns true if this fact applies to a reader.
    pub fn is_of(&self, reader: Reader) -> bool {
        let (since, until) = match reader.library() {
            Library::CBlosc2 => self.c_blosc2,
            Library::PythonBlosc2 => self.python_blosc2,
        };
        since <= reader.version() && reader.version() < until
    }
}

/// A feature of files that some versions of a library crash on, reject or read wrongly.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Feature {
    /// The name of the feature. All facts about the feature have this name.
    pub(crate) name: &'static str,
    /// A file of the conformance suite that has this feature.
    case: &'static str,
}

/// Frames whose chunks vary in length.
pub(crate) const VARIABLE_CHUNKS: Feature = Feature { name: "variable-chunks", case: "frame/variable-chunks" };
/// Frames whose chunks vary in length, and which python-blosc2 opens as an object, batch or list array. It decompresses the chunks of such
/// frames one by one, so it does not crash as C-Blosc2 does. Versions before 4.2.0 do not know these kinds of arrays.
pub(crate) const VARIABLE_CHUNKS_OF_OBJECTS: Feature =
    Feature { name: "variable-chunks-of-objects", case: "frame/variable-chunks-batch" };
/// Frames whose blocks vary in length.
pub(crate) const VARIABLE_BLOCKS: Feature = Feature { name: "variable-blocks", case: "frame/variable-blocks" };
/// Frames whose blocks vary in length, and which python-blosc2 opens as an object, batch or list array.
pub(crate) const VARIABLE_BLOCKS_OF_OBJECTS: Feature =
    Feature { name: "variable-blocks-of-objects", case: "frame/variable-blocks-batch" };
/// A shuffle filter that has a parameter.
pub(crate) const SHUFFLE_PARAMETER: Feature = Feature { name: "shuffle-parameter", case: "frame/shuffle-parameter" };
/// Chunks in which the filter delta is not the first filter.
pub(crate) const DELTA_BEHIND: Feature = Feature { name: "delta-behind-another-filter", case: "frame/delta-behind-shuffle" };
/// Chunks whose flags say that the codec is not built in, although the codec's number, below 32, is in the range of built-in codecs.
pub(crate) const CODEC_FORMAT: Feature = Feature { name: "codec-format-6", case: "frame/gate-codec-format-6" };
/// Special chunks, except repeated values, that are stored as data, not only as an entry of the index.
pub(crate) const SPECIAL_IN_DATA: Feature = Feature { name: "special-in-data", case: "frame/gate-special-in-data" };
/// Special chunks whose blocksize differs from that of their array.
pub(crate) const SPECIAL_BLOCKSIZE: Feature = Feature { name: "special-blocksize", case: "frame/gate-special-blocksize" };
/// Special chunks in frames whose blocks vary in length.
pub(crate) const SPECIAL_VARIABLE_BLOCKS: Feature =
    Feature { name: "special-variable-blocks", case: "frame/gate-special-blocks" };
/// Chunks whose typesize differs from that of their frame.
pub(crate) const TYPESIZE: Feature = Feature { name: "other-typesize", case: "frame/gate-typesize" };

/// Elements that cross the boundary of a chunk or block.
pub(crate) const CUT_ELEMENTS: Feature = Feature { name: "cut-elements", case: "frame/gate-cut-elements" };
/// Blocks that start at the same byte.
pub(crate) const SHARED_BLOCKS: Feature = Feature { name: "shared-blocks", case: "frame/gate-shared-blocks" };
/// Attributes that are not MessagePack, or that python-blosc2 cannot unpack.
pub(crate) const NOT_MSGPACK: Feature = Feature { name: "attribute-not-msgpack", case: "frame/gate-attribute" };

const END: [u16; 3] = [u16::MAX; 3];
const NONE: Versions = (END, END);
const ALL: [Versions; 2] = [([0; 3], END), ([0; 3], END)];
const ALL_PYTHON: [Versions; 2] = [NONE, ([0; 3], END)];
/// The versions with the code of C-Blosc2 2. python-blosc2 4.2.0 was the first with C-Blosc2 3.
const OLD: [Versions; 2] = [([0; 3], [3, 0, 0]), ([0; 3], [4, 2, 0])];
const NEW_PYTHON: [Versions; 2] = [NONE, ([4, 2, 0], END)];
/// python-blosc2 4.0.0 and 4.1.0 contain different snapshots of C-Blosc2 2.23.1.dev0.
const BEFORE_2_23_1: [Versions; 2] = [([0; 3], [2, 23, 1]), ([0; 3], [4, 1, 0])];
/// python-blosc2 4.2.0 contains C-Blosc2 3.0.2.
const BEFORE_3_0_2: [Versions; 2] = [([0; 3], [3, 0, 2]), ([0; 3], [4, 2, 0])];

const fn row(feature: Feature, versions: [Versions; 2], does: Does, seen: &'static str) -> Fact {
    let ([c_blosc2, python_blosc2], Feature { name, case }) = (versions, feature);
    Fact { name, c_blosc2, python_blosc2, does, seen, case }
}

/// All facts. C-Blosc2 2.21.3, 3.3.2 and 3.3.5 and python-blosc2 4.14.1 were tested. Some first and last versions were determined from
/// C-Blosc2's source code, and by running python-blosc2 3.9.1 to 4.2.0. Other versions are assumed to behave like the tested ones.
pub const FACTS: &[Fact] = &[
    row(VARIABLE_CHUNKS, ALL, Does::Crashes, "blosc2.open(f)[0], blosc2_schunk_get_slice_buffer: SIGFPE"),
    row(VARIABLE_CHUNKS_OF_OBJECTS, [ALL[0], OLD[1]], Does::Crashes, "blosc2_schunk_get_slice_buffer: SIGFPE"),
    row(VARIABLE_BLOCKS, NEW_PYTHON, Does::Refuses, "s[0]: Error while getting the slice"),
    row(VARIABLE_BLOCKS, OLD, Does::ReadsOtherwise, "it mistakes data for the positions of blocks"),
    row(VARIABLE_BLOCKS_OF_OBJECTS, OLD, Does::ReadsOtherwise, "it mistakes data for the positions of blocks"),
    row(SHUFFLE_PARAMETER, BEFORE_2_23_1, Does::ReadsOtherwise, "it undoes the shuffle by the typesize, not by the parameter"),
    row(DELTA_BEHIND, BEFORE_3_0_2, Does::ReadsOtherwise, "it undoes delta in a buffer that does not hold the block"),
    row(CODEC_FORMAT, ALL, Does::Refuses, "s[i] in such a chunk: Error while getting the slice; in C: error -7"),
    row(SPECIAL_IN_DATA, ALL, Does::Refuses, "iterchunks_info(): Error while getting the lazychunk"),
    row(SPECIAL_BLOCKSIZE, ALL, Does::Refuses, "a[...]: Error while getting the buffer"),
    row(SPECIAL_VARIABLE_BLOCKS, ALL, Does::Refuses, "get_vlblock(n, 0) of such a chunk: Error while getting the vlblock"),
    row(CUT_ELEMENTS, ALL, Does::Refuses, "a slice such as s[-1]: Error while getting the slice"),
    row(SHARED_BLOCKS, ALL, Does::Refuses, "s[i] in such a block: Error while getting the slice"),
    row(NOT_MSGPACK, ALL_PYTHON, Does::Refuses, "vlmeta[:]: errors such as ExtraData: unpack(b) received extra data"),
    row(TYPESIZE, ALL, Does::Refuses, "s[i] in such a chunk: Error while getting the slice"),
];
