//! `b2nd repack --try` compresses a sample of a frame with several codecs and filters.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use b2nd_frame::{Chunk, CodecId, Compressor, Filter, Frame, Header, Sizes};
use b2nd_view::text::{columns, count, size};

use crate::compression::{BYTEDELTA, Compression};
use crate::error::{Error, Result};
use crate::output::Output;
use crate::values::source;

/// The maximum size in bytes of the decompressed sample.
const SAMPLE: usize = 1 << 24;

/// Prints a line for each combination of a codec and filters: the ratio, and the speeds of compression and decompression.
pub(super) fn print(path: &Path, given: &Compression, output: &mut Output) -> Result<()> {
    let frame = Frame::open(source(path)?)?;
    let header = frame.header();
    let chunks = frame.offsets()?.len();
    let (mut sample, mut bytes) = (Vec::new(), 0);
    // The sample consists of chunks that are spread evenly over the frame, or of the first ones if chunks vary in length.
    let each = usize::try_from(header.chunksize()).unwrap_or(1).max(1);
    let most = ((SAMPLE / each).max(1) as u64).min(chunks);
    for nth in 0..most {
        let mut chunk = frame.chunk(nth * chunks / most)?.data()?;
        chunk.truncate(SAMPLE - bytes);
        bytes += chunk.len();
        sample.push(chunk);
        if bytes == SAMPLE {
            break;
        }
    }
    if bytes == 0 {
        return Err(Error::new("it has no data to compress"));
    }
    let line = format!("a sample of {}, {}:", count(sample.len(), "chunk"), size(bytes as i128));
    writeln!(output.out, "{line}").map_err(Error::Write)?;
    let codecs = [CodecId::BloscLz, CodecId::Lz4, CodecId::Lz4Hc, CodecId::Zlib, CodecId::Zstd];
    let codecs: Vec<_> = codecs.into_iter().filter(|codec| given.codec.is_none_or(|given| given == *codec)).collect();
    let all = vec![vec![], vec![Filter::Shuffle], vec![Filter::BitShuffle], vec![Filter::Shuffle, Filter::from_code(BYTEDELTA)]];
    let filters = given.filters().map_or(all, |given| vec![given.into_iter().map(|(filter, _)| filter).collect()]);
    let typesize = u8::try_from(header.typesize()).unwrap_or(0);
    let level = given.level.unwrap_or(if header.level() == 0 { 5 } else { header.level() });
    let mut rows = vec![["codec", "level", "filters", "ratio", "compress", "decompress"].map(str::to_owned).to_vec()];
    for codec in codecs {
        for filters in &filters {
            let sizes = Sizes { typesize: header.typesize(), chunksize: header.chunksize(), blocksize: header.blocksize() };
            let stages: Vec<_> =
                filters.iter().map(|&filter| (filter, if filter.code() == BYTEDELTA { typesize } else { 0 })).collect();
            let compressor = Header::new(sizes)?.with_codec(codec)?.with_level(level)?.with_filters(&stages)?.compressor()?;
            let (ratio, [packing, unpacking]) = measure(&sample, codec, &compressor)?;
            let speed = |time: Duration| format!("{:.0} MiB/s", bytes as f64 / f64::from(1 << 20) / time.as_secs_f64().max(1e-9));
            let names: Vec<_> = filters.iter().map(Filter::to_string).collect();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(",") };
            rows.push(vec![codec.to_string(), level.to_string(), names, format!("{ratio:.2}"), speed(packing), speed(unpacking)]);
        }
    }
    columns(&rows, &[1, 3, 4, 5]).iter().try_for_each(|line| writeln!(output.out, "  {line}")).map_err(Error::Write)
}

/// Compresses and decompresses the chunks. Returns the ratio, and the times.
fn measure(sample: &[Vec<u8>], codec: CodecId, compressor: &Compressor) -> Result<(f64, [Duration; 2])> {
    let start = Instant::now();
    let packed = sample.iter().map(|chunk| compressor.chunk(chunk)).collect::<Result<Vec<_>, _>>()?;
    let packing = start.elapsed();
    let start = Instant::now();
    for (chunk, packed) in sample.iter().zip(&packed) {
        if Chunk::from_slice(packed)?.data()? != *chunk {
            return Err(Error::new(format_args!("the values differ after compression with {codec} and decompression")));
        }
    }
    let lengths = |chunks: &[Vec<u8>]| chunks.iter().map(Vec::len).sum::<usize>() as f64;
    Ok((lengths(sample) / lengths(&packed), [packing, start.elapsed()]))
}
