//! The codecs and filters that are available in this build. The error for a codec or filter that is missing in this build contains its
//! name. If other builds have the codec or filter, the error also says how to get such a build.

use alloc::format;
use alloc::string::{String, ToString};

use crate::error::{Error, ErrorKind, Result};
use crate::header::ChunkHeader;
use crate::ids::{CodecId, Filter};

/// The bit of blosc2_flags that marks a lazy chunk, whose blocks are stored elsewhere.
const IS_LAZY: u8 = 0x08;

/// The bit of blosc2_flags that marks an instrumented chunk, which holds measurements of a codec instead of data.
const IS_INSTRUMENTED: u8 = 0x80;

/// The code that implements a codec or a filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Backend {
    /// This crate. It calls other crates for some codecs.
    Here,
    /// The crate `blosc2-pure-rs`.
    Plugins,
}

/// The backend of a codec or filter. The error is the feature of this crate that adds the backend, or `None` if no feature does.
type Found = Result<Backend, Option<&'static str>>;

fn backend_of_codec(codec: CodecId) -> Found {
    let (is_here, feature) = match codec {
        CodecId::BloscLz => return Ok(Backend::Here),
        CodecId::Lz4 | CodecId::Lz4Hc => (cfg!(feature = "lz4"), "lz4"),
        CodecId::Zlib => (cfg!(feature = "zlib"), "zlib"),
        CodecId::Zstd if cfg!(all(feature = "zstd", target_pointer_width = "32")) => (cfg!(feature = "safe"), "safe"),
        CodecId::Zstd => (cfg!(feature = "zstd"), "zstd"),
        CodecId::SNAPPY => (cfg!(feature = "snappy"), "snappy"),
        // 32 is ndlz, and 33 to 35 are zfp.
        CodecId::Other(32..=35) => return plugins(),
        CodecId::Other(_) => return Err(None),
    };
    if is_here { Ok(Backend::Here) } else { Err(Some(feature)) }
}

fn backend_of_filter(filter: Filter) -> Found {
    match filter {
        // 32 is ndcell, and 33 is ndmean.
        Filter::Other(32 | 33) => plugins(),
        // 34 and 35 are the versions of bytedelta, and 36 is int_trunc.
        Filter::Other(code) if !(34..=36).contains(&code) => Err(None),
        _ => Ok(Backend::Here),
    }
}

fn plugins() -> Found {
    if cfg!(feature = "plugins") { Ok(Backend::Plugins) } else { Err(Some("plugins")) }
}

/// Returns the backend for this codec and these filters.
///
/// # Errors
///
/// Fails if the codec or a filter is not in this build. The error names the missing codec or filter.
pub(crate) fn backend(codec: CodecId, filters: impl Iterator<Item = (Filter, u8)>) -> Result<Backend> {
    let missing = |what: &str, name: String, feature: Option<&str>| {
        let name = format!("{what} {}", name.trim_start_matches(what).trim_start());
        no_codec(codec, feature.map_or_else(|| format!("{name} is not supported"), |feature| no_build(&name, feature)))
    };
    // These numbers are formats, from three bits of the flags: as compcodes, 2 is LZ4HC, and 5 is Zstandard.
    let name = || if let CodecId::Other(2 | 5) = codec { format!("format {}", codec.code()) } else { codec.to_string() };
    let mut backend = backend_of_codec(codec).map_err(|feature| missing("codec", name(), feature))?;
    for (filter, _) in filters {
        if backend_of_filter(filter).map_err(|feature| missing("filter", filter.to_string(), feature))? != Backend::Here {
            backend = Backend::Plugins;
        }
    }
    Ok(backend)
}

/// Checks whether this build can decompress the chunk with this header. Call this before you allocate memory for the data.
///
/// # Errors
///
/// Fails if the chunk is compressed (neither stored uncompressed nor special), and this build does not support its codec or a filter (the
/// error names it), the chunk is lazy or instrumented, or it has a dictionary that its codec does not support.
pub fn accept(chunk: &ChunkHeader) -> Result<()> {
    if is_plain(chunk) { Ok(()) } else { backend_of(chunk).map(|_| ()) }
}

/// Returns true if a chunk can be read without a codec, because its data is stored uncompressed, or it is special: its elements are
/// all the same, or undefined.
pub(crate) fn is_plain(chunk: &ChunkHeader) -> bool {
    chunk.is_stored() || chunk.special().is_some()
}

/// Returns the backend of a compressed chunk, which is neither stored uncompressed nor special.
pub(crate) fn backend_of(chunk: &ChunkHeader) -> Result<Backend> {
    let codec = chunk.codec();
    if codec == CodecId::SNAPPY && chunk.is_extended() {
        return Err(no_codec(codec, "snappy is a codec of Blosc 1: Blosc2 does not read it".into()));
    }
    let backend = backend(codec, chunk.filters())?;
    if chunk.has_dictionary() && !matches!(codec, CodecId::Lz4 | CodecId::Lz4Hc | CodecId::Zstd) {
        return Err(no_codec(codec, format!("dictionaries of {codec} are not supported")));
    }
    let flags = chunk.raw_blosc2_flags();
    if flags & IS_INSTRUMENTED != 0 {
        return Err(no_codec(codec, "the chunk holds measurements of a codec instead of data".into()));
    }
    if flags & IS_LAZY != 0 {
        return Err(no_codec(codec, "the chunk is lazy: its blocks are stored elsewhere".into()));
    }
    Ok(backend)
}

/// Returns the backend of a chunk like [`backend_of`], but fails if its codec or a filter has no decoder for untrusted input.
pub(crate) fn safe_backend_of(chunk: &ChunkHeader) -> Result<Backend> {
    match backend_of(chunk)? {
        Backend::Here if chunk.codec() == CodecId::Zstd && !cfg!(feature = "safe") => Err(no_safe_zstd()),
        Backend::Here if chunk.codec() == CodecId::SNAPPY => {
            Err(no_codec(CodecId::SNAPPY, "b2nd has no decoder of snappy for untrusted input".into()))
        }
        Backend::Here => Ok(Backend::Here),
        Backend::Plugins => {
            let filter = chunk.filters().find(|(filter, _)| backend_of_filter(*filter) == Ok(Backend::Plugins));
            let name = filter.map_or_else(|| chunk.codec().to_string(), |(filter, _)| filter.to_string());
            Err(no_codec(chunk.codec(), format!("{name} is a plugin, and plugins have no decoder for untrusted input")))
        }
    }
}

fn no_build(what: &str, feature: &str) -> String {
    format!(
        "this build of b2nd has no {what}: install a build of the tool that has it, with \
         `cargo install --path crates/b2nd-cli --features full`, or enable the feature `{feature}` of b2nd-codec in your own program"
    )
}

fn no_codec(codec: CodecId, reason: String) -> Error {
    Error::from(ErrorKind::NoCodec { codec: codec.to_string(), reason })
}

pub(crate) fn no_safe_zstd() -> Error {
    no_codec(CodecId::Zstd, no_build("decoder of zstd for untrusted input", "safe"))
}
