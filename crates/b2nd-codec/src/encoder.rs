//! [`Encoder`]: data into chunks, as C-Blosc2 lays them out.

use std::cell::RefCell;

use b2nd::frame::{Chunk, ChunkHeader, Codec, Filter, Header, SplitMode};
use b2nd::{Error, Result};

#[cfg(feature = "c")]
use crate::c;
use crate::filters::Pipeline;
use crate::leaf::Packers;
#[cfg(feature = "plugins")]
use crate::plugins;
use crate::settings::Settings;
use crate::support::{Place, place};

/// Shorter data is stored as it is.
const SHORTEST: usize = 32;

/// Blocks are split for elements of so many bytes at most, into streams of as many bytes at least.
const MAX_STREAMS: usize = 16;
const MIN_STREAM: usize = 32;

/// Bits of the flags: the header is extended (two filters that exclude each other), blocks are not split.
const IS_EXTENDED: u8 = 0x05;
const HAS_DELTA: u8 = 0x08;
const IS_UNSPLIT: u8 = 0x10;

/// Compresses chunks with the codec, level, filters, split mode and block length of a frame's header. Several threads may share one;
/// each keeps its buffers.
///
/// ```
/// use b2nd::frame::{Chunk, Codec, Filter, Header};
///
/// let meta = b2nd::B2ndMeta::of::<f32>(b2nd::Geometry::new(&[1000], &[1000], &[500])?);
/// let header = Header::for_array(&meta)?.with_codec(Codec::Lz4, 0).with_level(5)?.with_filters(&[(Filter::Shuffle, 0)])?;
/// let data: Vec<u8> = (0..1000).flat_map(|value| (value as f32).to_le_bytes()).collect();
/// let chunk = b2nd_codec::Encoder::new(&header)?.chunk(&data)?;
/// assert!(chunk.len() < data.len());
/// assert_eq!(*Chunk::from_slice(&chunk)?.data(b2nd_codec::Codec::default())?, data);
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Encoder {
    settings: Settings,
    #[cfg_attr(not(feature = "plugins"), expect(dead_code))]
    place: Place,
    pipeline: Pipeline,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Buffers of a thread.
#[derive(Default)]
struct State {
    packers: Packers,
    block: Vec<u8>,
    other: Vec<u8>,
    first: Vec<u8>,
    stream: Vec<u8>,
}

impl Encoder {
    /// An encoder as the header of a frame says.
    ///
    /// # Errors
    ///
    /// The codec or a filter is not here: the error names it, and the feature of this crate that has it. Or a filter cuts off more than
    /// the elements have.
    pub fn new(header: &Header) -> Result<Encoder> {
        let place = place(header.codec(), header.filters())?;
        if let Some((filter, _)) = header.filters().find(|(filter, _)| *filter == Filter::Other(34)) {
            return Err(Error::custom(format_args!("{filter} is read and no longer written: use bytedelta")));
        }
        let (mut filters, mut filters_meta) = ([0; 6], [0; 6]);
        // Those that are there stand in the last slots.
        let named: Vec<_> = header.filters().collect();
        for ((slot, slot_meta), &(filter, meta)) in filters.iter_mut().zip(&mut filters_meta).rev().zip(named.iter().rev()) {
            (*slot, *slot_meta) = (filter.code(), meta);
        }
        // The field in a chunk is a byte; C-Blosc2 counts larger elements in bytes.
        let typesize = u8::try_from(header.typesize()).unwrap_or(1).max(1);
        let pipeline = Pipeline::new(&filters, &filters_meta, typesize.into())?;
        let settings = Settings {
            codec: header.codec(),
            codec_meta: 0,
            level: header.level(),
            typesize,
            blocksize: usize::try_from(header.blocksize()).unwrap_or(0).max(1),
            split_mode: header.split_mode().unwrap_or(SplitMode::ForwardCompat),
            filters,
            filters_meta,
            metalayer: Vec::new(),
        };
        Ok(Encoder { settings, place, pipeline })
    }

    /// Sets the array's metalayer in the released layout, which ndcell, ndmean, ndlz and zfp need.
    #[must_use]
    pub fn with_metalayer(self, metalayer: Vec<u8>) -> Encoder {
        Encoder { settings: Settings { metalayer, ..self.settings }, ..self }
    }

    /// Compresses data into a chunk. Data that would not get shorter is stored; of zeros alone the header is all.
    ///
    /// # Errors
    ///
    /// The data is longer than a chunk can hold, or the codec fails.
    pub fn chunk(&self, data: &[u8]) -> Result<Vec<u8>> {
        #[cfg(feature = "plugins")]
        if self.place == Place::Plugins {
            return self.in_blocks(plugins::compress(&self.settings, data)?, data);
        }
        #[cfg(feature = "c")]
        if c::encodes(&self.settings) {
            return self.in_blocks(c::compress(&self.settings, data)?, data);
        }
        STATE.with_borrow_mut(|state| self.packed(data, state))
    }

    /// A foreign codec's chunk, or the data stored where that has other blocks than the frame.
    #[cfg(any(feature = "c", feature = "plugins"))]
    fn in_blocks(&self, bytes: Vec<u8>, data: &[u8]) -> Result<Vec<u8>> {
        let header = ChunkHeader::from_slice(&bytes)?;
        if header.blocksize() == self.settings.blocksize || header.is_stored() || header.special().is_some() {
            return Ok(bytes);
        }
        self.stored(data)
    }

    fn packed(&self, data: &[u8], state: &mut State) -> Result<Vec<u8>> {
        if self.settings.level == 0 || data.len() < SHORTEST {
            return self.stored(data);
        }
        let blocksize = self.settings.blocksize.min(data.len());
        let typesize = usize::from(self.settings.typesize);
        let splits = self.splits(blocksize);
        let mut header = self.header(data.len(), blocksize, splits)?;
        if data.iter().all(|&byte| byte == 0) {
            header[12..16].copy_from_slice(&int32(ChunkHeader::MAX_LEN)?);
            header[31] = 1 << 4;
            return Ok(header.to_vec());
        }
        let mut chunk = header.to_vec();
        chunk.resize(ChunkHeader::MAX_LEN + 4 * data.len().div_ceil(blocksize), 0);
        let State { packers, block: filtered, other, first, stream } = state;
        for (number, block) in data.chunks(blocksize).enumerate() {
            let start = int32(chunk.len())?;
            chunk[ChunkHeader::MAX_LEN + 4 * number..][..4].copy_from_slice(&start);
            self.pipeline.apply(block, number == 0, first, filtered, other)?;
            let filtered = if self.pipeline.is_empty() { block } else { filtered.get(..block.len()).unwrap_or_default() };
            let streams = if splits && block.len() == blocksize { typesize } else { 1 };
            for part in filtered.chunks(filtered.len() / streams) {
                self.put_stream(part, packers, stream, &mut chunk)?;
            }
            if chunk.len() >= ChunkHeader::MAX_LEN + data.len() {
                return self.stored(data);
            }
        }
        let cbytes = int32(chunk.len())?;
        chunk[12..16].copy_from_slice(&cbytes);
        Ok(chunk)
    }

    /// Appends a stream: a run, or what the codec makes of it, or the bytes as they are.
    fn put_stream(&self, part: &[u8], packers: &mut Packers, stream: &mut Vec<u8>, chunk: &mut Vec<u8>) -> Result<()> {
        if let Some((&byte, rest)) = part.split_first() {
            if rest.iter().all(|&other| other == byte) {
                chunk.extend_from_slice(&(-i32::from(byte)).to_le_bytes());
                if byte != 0 {
                    chunk.push(1);
                }
                return Ok(());
            }
        }
        stream.clear();
        packers.pack(self.settings.codec, self.settings.level, part, stream)?;
        let content = if stream.len() < part.len() && !stream.is_empty() { &stream[..] } else { part };
        chunk.extend_from_slice(&int32(content.len())?);
        chunk.extend_from_slice(content);
        Ok(())
    }

    fn stored(&self, data: &[u8]) -> Result<Vec<u8>> {
        let mut chunk = Chunk::store(data, self.settings.typesize.into())?.into_bytes();
        if (1..=data.len()).contains(&self.settings.blocksize) {
            let blocksize = int32(self.settings.blocksize)?;
            if let Some(place) = chunk.get_mut(8..12) {
                place.copy_from_slice(&blocksize);
            }
        }
        Ok(chunk)
    }

    /// The header of a compressed chunk, but for its length.
    fn header(&self, nbytes: usize, blocksize: usize, splits: bool) -> Result<[u8; ChunkHeader::MAX_LEN]> {
        let mut header = [0; ChunkHeader::MAX_LEN];
        let format = match self.settings.codec {
            Codec::Lz4Hc => 1,
            Codec::Zlib => 3,
            Codec::Zstd => 4,
            other => other.code(),
        };
        let mut flags = IS_EXTENDED | format << 5;
        if !splits {
            flags |= IS_UNSPLIT;
        }
        if self.settings.filters.contains(&Filter::Delta.code()) {
            flags |= HAS_DELTA;
        }
        header[..4].copy_from_slice(&[5, 1, flags, self.settings.typesize]);
        header[4..8].copy_from_slice(&int32(nbytes)?);
        header[8..12].copy_from_slice(&int32(blocksize)?);
        header[16..22].copy_from_slice(&self.settings.filters);
        header[22..24].copy_from_slice(&[self.settings.codec.code(), self.settings.codec_meta]);
        header[24..30].copy_from_slice(&self.settings.filters_meta);
        Ok(header)
    }

    /// True if blocks are split into a stream for each byte of an element, as C-Blosc2 decides it.
    fn splits(&self, blocksize: usize) -> bool {
        let typesize = usize::from(self.settings.typesize);
        let wanted = match self.settings.split_mode {
            SplitMode::Always => true,
            SplitMode::Never => false,
            _ => {
                let fast = match self.settings.codec {
                    Codec::BloscLz | Codec::Lz4 => true,
                    Codec::Zstd => self.settings.level <= 5,
                    _ => false,
                };
                let shuffled = self.settings.filters.contains(&Filter::Shuffle.code());
                fast && shuffled && typesize <= MAX_STREAMS && blocksize / typesize >= MIN_STREAM
            }
        };
        wanted && blocksize % typesize == 0
    }
}

fn int32(number: usize) -> Result<[u8; 4]> {
    let number = i32::try_from(number);
    number.map(i32::to_le_bytes).map_err(|_| Error::custom("a chunk has at most 2 GiB"))
}
