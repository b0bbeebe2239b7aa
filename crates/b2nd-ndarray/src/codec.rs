//! What decompresses: `blosc2-pure-rs`, and C-Blosc2 behind the feature `c`.

use b2nd::ArrayMeta;
use b2nd::frame::{ChunkHeader, Decompress};

#[cfg(feature = "c")]
mod c;
mod pure;

pub(crate) use pure::Compressor;

/// Decompresses chunks and, with them, the contents of variable-length metalayers, in one thread.
///
/// It has the codecs BloscLZ, LZ4, LZ4HC, zlib, Zstandard, ndlz and zfp, and every filter of C-Blosc2; what it has not, it refuses
/// by name. With the feature `c`, C-Blosc2 itself decompresses BloscLZ, LZ4, LZ4HC and Zstandard.
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
    pub(crate) metalayer: &'a [u8],
}

impl Decompress for Codec<'_> {
    fn decompress(&mut self, chunk: &[u8], data: &mut [u8]) -> b2nd::Result<()> {
        let header = ChunkHeader::from_slice(chunk)?;
        self.accept(&header)?;
        #[cfg(feature = "c")]
        if c::has(&header) {
            return c::decompress(chunk, data);
        }
        pure::decompress(self.metalayer, chunk, data)
    }

    fn accept(&self, chunk: &ChunkHeader) -> b2nd::Result<()> {
        pure::accept(chunk)
    }
}

/// An array's metalayer in the released layout, without the bytes that may follow it in the file.
pub(crate) fn metalayer(meta: &ArrayMeta<&str>) -> b2nd::Result<Vec<u8>> {
    b2nd::to_vec(&meta.upgrade(Some("|u1"))?)
}
