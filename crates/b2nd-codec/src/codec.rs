//! [`Codec`]: every codec and filter of this build, behind [`Decompress`].

use std::cell::RefCell;
use std::time::Instant;

use b2nd::ArrayMeta;
use b2nd::Result;
use b2nd::frame::{ChunkHeader, Decompress};

use crate::decoder::Decoder;
#[cfg(feature = "plugins")]
use crate::support::Place;
use crate::support::{place_of, safe_place_of};

/// Decompresses chunks and, with them, the contents of variable-length metalayers, in one thread.
///
/// Codecs and filters that it lacks are refused by name:
///
/// | feature | codecs | filters |
/// | --- | --- | --- |
/// | none | BloscLZ, LZ4, LZ4HC, zlib, Zstandard | shuffle, bitshuffle, delta, trunc_prec, bytedelta, int_trunc |
/// | `plugins` | ndlz, zfp | ndcell, ndmean |
/// | `c` | C-Blosc2 does what it has | the same |
///
/// ```
/// use b2nd::frame::{Chunk, File};
/// use b2nd_codec::Codec;
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
    #[cfg_attr(not(feature = "plugins"), expect(dead_code))]
    metalayer: &'a [u8],
    safe: bool,
    until: Option<Instant>,
}

impl<'a> Codec<'a> {
    /// Sets the array's metalayer, in the released layout: [`metalayer`] makes it. ndcell, ndmean, ndlz and zfp need it.
    pub fn with_metalayer(metalayer: &'a [u8]) -> Codec<'a> {
        Codec { metalayer, ..Codec::default() }
    }

    /// The safe set, for bytes that nobody trusts: as [`Decoder::safe`], and nothing of the features `c` and `plugins`.
    pub fn safe() -> Codec<'static> {
        Codec { safe: true, ..Codec::default() }
    }

    /// Stops at this time: a chunk fails at its next block. It holds for what this crate decompresses itself.
    #[must_use]
    pub fn until(self, time: Instant) -> Codec<'a> {
        Codec { until: Some(time), ..self }
    }
}

thread_local! {
    static DECODER: RefCell<Decoder> = RefCell::default();
    static SAFE: RefCell<Decoder> = RefCell::new(Decoder::safe());
}

impl Decompress for Codec<'_> {
    fn decompress(&mut self, chunk: &[u8], data: &mut [u8]) -> Result<()> {
        let header = ChunkHeader::from_slice(chunk)?;
        self.accept(&header)?;
        #[cfg(feature = "c")]
        if !self.safe && crate::c::decodes(&header) {
            return crate::c::decompress(chunk, data);
        }
        #[cfg(feature = "plugins")]
        if !self.safe && place_of(&header)? == Place::Plugins {
            return crate::plugins::decompress(self.metalayer, chunk, data);
        }
        let kept = if self.safe { &SAFE } else { &DECODER };
        kept.with_borrow_mut(|decoder| {
            decoder.stop_at(self.until);
            decoder.chunk(chunk, data)
        })
    }

    fn accept(&self, chunk: &ChunkHeader) -> Result<()> {
        if self.safe { safe_place_of(chunk) } else { place_of(chunk).map(|_| ()) }
    }
}

/// An array's metalayer in the released layout, for [`Codec::with_metalayer`]: without the bytes that may follow it in the file.
///
/// # Errors
///
/// The metalayer cannot be written in that layout.
pub fn metalayer(meta: &ArrayMeta<&str>) -> Result<Vec<u8>> {
    b2nd::to_vec(&meta.upgrade(Some("|u1"))?)
}
