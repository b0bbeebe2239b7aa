//! What compresses and decompresses: `blosc2-pure-rs` (feature `pure`), C-Blosc2 (feature `c`).

use b2nd::ArrayMeta;
use b2nd::frame::{ChunkHeader, Decompress};

#[cfg(feature = "c")]
mod c;
mod compressor;
#[cfg(feature = "pure")]
mod pure;

pub(crate) use compressor::Compressor;
#[cfg(feature = "pure")]
pub use pure::quiet_panics;

/// Decompresses chunks and, with them, the contents of variable-length metalayers, in one thread.
///
/// What it does not have is refused by name:
///
/// | feature | codecs | filters |
/// | --- | --- | --- |
/// | `pure` | BloscLZ, LZ4, LZ4HC, zlib, Zstandard, ndlz, zfp | every one of C-Blosc2 |
/// | `c` alone | BloscLZ, LZ4, LZ4HC, Zstandard | shuffle, bitshuffle, trunc_prec |
///
/// With both features, C-Blosc2 does what it has.
///
/// ```
/// use b2nd::frame::{Chunk, File};
/// use b2nd_ndarray::codec::Codec;
///
/// let file = File::open("../../tests/data/example.b2nd")?;
/// for (name, content) in file.trailer()?.vlmetalayers().iter() {
///     let chunk = Chunk::from_slice(content)?;
///     let content = chunk.data(Codec::default())?;
///     println!("{}: {} bytes", name.escape_ascii(), content.len());
/// }
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct Codec<'a> {
    /// The array's metalayer: some codecs and filters ask for the shapes.
    #[cfg_attr(not(feature = "pure"), expect(dead_code))]
    pub(crate) metalayer: &'a [u8],
}

impl<'a> Codec<'a> {
    /// Sets the array's metalayer, in the released layout. ndcell, ndmean, ndlz and zfp need it.
    pub fn with_metalayer(metalayer: &'a [u8]) -> Codec<'a> {
        Codec { metalayer }
    }
}

impl Decompress for Codec<'_> {
    fn decompress(&mut self, chunk: &[u8], data: &mut [u8]) -> b2nd::Result<()> {
        let header = ChunkHeader::from_slice(chunk)?;
        self.accept(&header)?;
        #[cfg(feature = "c")]
        if c::accept(&header).is_ok() {
            return c::decompress(chunk, data);
        }
        #[cfg(feature = "pure")]
        pure::decompress(self.metalayer, chunk, data)?;
        Ok(())
    }

    fn accept(&self, chunk: &ChunkHeader) -> b2nd::Result<()> {
        #[cfg(feature = "pure")]
        return pure::has(chunk.codec(), chunk.filters());
        #[cfg(not(feature = "pure"))]
        c::accept(chunk)
    }
}

/// `codec grok`, `codec 165`: one without a name says itself what it is.
fn codec_name(codec: b2nd::frame::Codec) -> String {
    format!("codec {}", codec.to_string().trim_start_matches("codec "))
}

/// `filter delta`, `filter 165`.
fn filter_name(filter: b2nd::frame::Filter) -> String {
    format!("filter {}", filter.to_string().trim_start_matches("filter "))
}

/// An array's metalayer in the released layout, for [`Codec::with_metalayer`]: without the bytes that may follow it in the file.
///
/// # Errors
///
/// The metalayer cannot be written in that layout.
pub fn metalayer(meta: &ArrayMeta<&str>) -> b2nd::Result<Vec<u8>> {
    b2nd::to_vec(&meta.upgrade(Some("|u1"))?)
}
