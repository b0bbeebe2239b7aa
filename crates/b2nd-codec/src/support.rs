//! Codecs and filters that are here, in one list: what is not is refused by name.

use b2nd::frame::{ChunkHeader, Codec, Filter};
use b2nd::{Error, Result};

/// Bits of Blosc2's flags.
const IS_LAZY: u8 = 0x08;
const IS_INSTRUMENTED: u8 = 0x80;

/// The part of this crate that has a codec or a filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In this crate.
    Here,
    /// In `blosc2-pure-rs`.
    Plugins,
    /// Nowhere.
    Nowhere,
}

pub(crate) fn place_of_codec(codec: Codec) -> Place {
    match codec {
        Codec::BloscLz | Codec::Lz4 | Codec::Lz4Hc | Codec::Zlib | Codec::Zstd => Place::Here,
        // ndlz and zfp
        Codec::Other(32..=35) => Place::Plugins,
        _ => Place::Nowhere,
    }
}

pub(crate) fn place_of_filter(filter: Filter) -> Place {
    match filter {
        Filter::None | Filter::Shuffle | Filter::BitShuffle | Filter::Delta | Filter::TruncPrec => Place::Here,
        // ndcell and ndmean
        Filter::Other(32 | 33) => Place::Plugins,
        // bytedelta in its two versions, int_trunc
        Filter::Other(34..=36) => Place::Here,
        _ => Place::Nowhere,
    }
}

/// The part of this crate that decompresses a chunk.
///
/// # Errors
///
/// Nowhere in this build: the error names the codec or the filter, and the feature that has it.
pub(crate) fn place(codec: Codec, filters: impl Iterator<Item = (Filter, u8)>) -> Result<Place> {
    let mut place = place_of_codec(codec);
    refuse(place, || format!("codec {}", codec.to_string().trim_start_matches("codec ")))?;
    for (filter, _) in filters {
        let found = place_of_filter(filter);
        refuse(found, || format!("filter {}", filter.to_string().trim_start_matches("filter ")))?;
        if found == Place::Plugins {
            place = found;
        }
    }
    Ok(place)
}

fn refuse(place: Place, name: impl Fn() -> String) -> Result<()> {
    match place {
        Place::Plugins if !cfg!(feature = "plugins") => {
            Err(Error::custom(format_args!("b2nd-codec has no {} here: its feature `plugins` has", name())))
        }
        Place::Nowhere => Err(Error::custom(format_args!("b2nd-codec has no {}", name()))),
        _ => Ok(()),
    }
}

/// Tells from its header whether a chunk can be decompressed here, before memory is allocated for its data.
///
/// # Errors
///
/// It cannot: the error names the codec or the filter, and the feature of this crate that has it.
///
/// ```
/// use b2nd::frame::Chunk;
///
/// b2nd_codec::accept(Chunk::store(b"elements", 1)?.header())?;
/// # Ok::<(), b2nd::Error>(())
/// ```
pub fn accept(chunk: &ChunkHeader) -> Result<()> {
    place_of(chunk).map(|_| ())
}

/// See [`accept`].
pub(crate) fn place_of(chunk: &ChunkHeader) -> Result<Place> {
    let place = place(chunk.codec(), chunk.filters())?;
    if chunk.has_dictionary() && !matches!(chunk.codec(), Codec::Lz4 | Codec::Lz4Hc | Codec::Zstd) {
        return Err(Error::custom(format_args!("b2nd-codec has no dictionaries of {}", chunk.codec())));
    }
    let flags = chunk.raw_blosc2_flags();
    if flags & IS_INSTRUMENTED != 0 {
        return Err(Error::custom("the chunk holds measurements of a codec, no data"));
    }
    if flags & IS_LAZY != 0 {
        return Err(Error::custom("the chunk is lazy: its blocks are elsewhere"));
    }
    Ok(place)
}

/// Refuses a chunk that the safe set does not decompress.
pub(crate) fn safe_place_of(chunk: &ChunkHeader) -> Result<()> {
    match place_of(chunk)? {
        Place::Here if chunk.codec() == Codec::Zstd && !cfg!(feature = "safe") => Err(no_safe_zstd()),
        Place::Here => Ok(()),
        _ => Err(Error::custom("the safe set of b2nd-codec has no plugins")),
    }
}

#[cold]
pub(crate) fn no_safe_zstd() -> Error {
    Error::custom("the safe set of b2nd-codec has no zstd here: its feature `safe` has")
}
