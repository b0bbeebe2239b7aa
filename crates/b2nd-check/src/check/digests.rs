//! [`Digests`]: digests of a frame's values, which detect damaged chunks that can still be decoded.

use b2nd_frame::{Chunk, Decompressor, Result, Trailer};
use b2nd_store::attributes;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use super::limits::Budget;

/// The digests of all chunks of a frame. They are stored in the vlmetalayer [`NAME`](Digests::NAME), serialized with the crate
/// [`b2nd`].
///
/// ```text
/// 93 | 01 version | db 00000007 "xxh3-64" | c6 length, 8 bytes for each chunk
/// ```
///
/// A digest is the big-endian 64-bit XXH3 hash (seed 0) of a chunk's uncompressed data, including the padding at an array's edges. The data
/// of an uninitialized chunk counts as zeros. The digest of a chunk does not change if the chunk is recompressed without loss. XXH3 is fast
/// and well known. It detects damage, but not deliberate changes. Other programs can ignore the vlmetalayer, which is a valid list in
/// MessagePack. A program that changes values has to write new digests.
///
/// ```
/// use b2nd_check::Digests;
///
/// let digests = Digests::of_data([&b"data"[..]]);
/// let bytes = b2nd::to_vec(&digests)?;
/// assert!(bytes.starts_with(b"\x93\x01\xdb\0\0\0\x07xxh3-64\xc6\0\0\0\x08"));
/// assert_eq!(b2nd::from_slice::<Digests>(&bytes)?.count(), 1);
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(expecting = "a list of version, algorithm and digests")]
pub struct Digests {
    version: u8,
    algorithm: String,
    #[serde(with = "serde_bytes")]
    digests: Vec<u8>,
}

/// The version of the layout in which digests are stored.
const VERSION: u8 = 1;
/// The name of the hash algorithm.
const ALGORITHM: &str = "xxh3-64";

/// The length of a digest in bytes.
const LENGTH: usize = size_of::<u64>();

impl Digests {
    /// The name of the vlmetalayer that contains the digests.
    pub const NAME: &str = "b2nd_digests";

    /// Computes the digests of chunks from their data.
    pub fn of_data<D: AsRef<[u8]>>(chunks: impl IntoIterator<Item = D>) -> Digests {
        let digests = chunks.into_iter().flat_map(|data| digest(data.as_ref())).collect();
        Digests { version: VERSION, algorithm: ALGORITHM.to_owned(), digests }
    }

    /// Computes the digests of `count` chunks. `chunk(n)` returns chunk `n`.
    ///
    /// # Errors
    ///
    /// Fails if the digests do not fit in an attribute, or if a chunk cannot be read or decoded.
    pub fn of_chunks<'c>(
        count: u64,
        mut chunk: impl FnMut(u64) -> Result<Chunk<'c>>,
        decompressor: &mut Decompressor,
    ) -> Result<Digests> {
        let most = (attributes::MAX_VALUE / LENGTH) as u64 - 8;
        if count > most {
            return Err(b2nd_frame::Error::custom(format_args!("the frame has {count} chunks; at most {most} can have digests")));
        }
        let mut digests = Digests::of_data::<&[u8]>([]);
        for number in 0..count {
            digests.digests.extend(digest(&chunk(number)?.into_data_with(decompressor)?));
        }
        Ok(digests)
    }

    /// Returns the number of digests.
    pub fn count(&self) -> u64 {
        (self.digests.len() / LENGTH) as u64
    }

    /// Compares a chunk's data with its digest. Returns `None` if the chunk has no digest.
    pub fn matches(&self, chunk: u64, data: &[u8]) -> Option<bool> {
        Some(self.get(chunk)? == digest(data))
    }

    /// Returns the first of `chunks` whose digest does not match `data`, the data that all of these chunks have. Chunks without a digest
    /// are ignored.
    pub(super) fn first_other(&self, chunks: std::ops::RangeInclusive<u64>, data: &[u8]) -> Option<u64> {
        let expected = digest(data);
        chunks.into_iter().find(|&chunk| self.get(chunk).is_some_and(|digest| digest != expected))
    }

    fn get(&self, chunk: u64) -> Option<&[u8]> {
        let start = usize::try_from(chunk).ok()?.checked_mul(LENGTH)?;
        self.digests.get(start..start.checked_add(LENGTH)?)
    }

    /// Reads the digests of a frame. Returns `None` if the frame has no digests, if their chunk cannot be decoded, or if they need more
    /// memory than the limits allow.
    pub(super) fn read(trailer: &Trailer, budget: &Budget, decompressor: &mut Decompressor) -> Option<Result<Digests>> {
        let chunk = Chunk::from_slice(trailer.vlmetalayers().raw_chunk(Digests::NAME)?).ok()?;
        if budget.refuses_chunk(chunk.header()).is_some() {
            return None;
        }
        let bytes = attributes::get_with(trailer, Digests::NAME, decompressor)?;
        let digests = b2nd::from_slice::<Digests>(&bytes).map_err(b2nd_frame::Error::from);
        Some(digests.and_then(|digests| match (digests.version, digests.algorithm.as_str()) {
            (VERSION, ALGORITHM) if digests.digests.len() % LENGTH == 0 => Ok(digests),
            (version, other) => Err(b2nd_frame::Error::custom(format_args!(
                "expected version {VERSION}, the algorithm {ALGORITHM:?} and a multiple of {LENGTH} bytes, found version {version}, {other:?} and {}",
                b2nd_store::text::count(digests.digests.len(), "byte"),
            ))),
        }))
    }
}

fn digest(data: &[u8]) -> [u8; LENGTH] {
    XxHash3_64::oneshot(data).to_be_bytes()
}
