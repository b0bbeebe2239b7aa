//! Builds the header of a new array and prints its bytes. Then builds a whole file in memory: 24 GB of zeros in 261 bytes.
//!
//! ```text
//! cargo run -p b2nd-frame --example write_header
//! cargo run -p b2nd-frame --example write_header -- zeros.b2nd     # also writes the file, for python-blosc2 to open
//! ```

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{CodecId, Filter, Frame, Header, Special, Writer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Shape, chunkshape and blockshape in elements. With the dtype, they determine the sizes in bytes.
    let geometry = Geometry::new(&[30_000, 100_000], &[1_000, 10_000], &[100, 1_000])?;
    let meta = B2ndMeta::of::<f64>(geometry);
    // With the parameter 0, shuffle uses the typesize.
    let header = Header::for_array(&meta)?.with_codec(CodecId::Zstd)?.with_filters(&[(Filter::Shuffle, 0)])?;

    let bytes = b2nd::to_vec(&header)?;
    println!("the header, {} bytes:", bytes.len());
    print_hex(&bytes);
    assert_eq!(Header::from_slice(&bytes)?, header);

    // Chunks of zeros are only entries in the index. Chunks with data come from `Header::compressor`, `Chunk::store` or another crate.
    let chunksize = usize::try_from(header.chunksize())?;
    let nchunks = geometry.grid()?.nchunks();
    let mut writer = Writer::new(header);
    for _ in 0..nchunks {
        writer.append_special(Special::Zeros, chunksize)?;
    }
    let file = writer.finish()?;
    let frame = Frame::from_slice(&file)?;
    println!("the file, {} bytes: {nchunks} chunks, {} bytes of zeros", file.len(), frame.header().nbytes());

    // The writer filled in the fields that depend on the whole frame: the lengths of the frame, the data and the chunks. The
    // header has the same length as before.
    let filled = b2nd::to_vec(frame.header())?;
    assert_eq!(filled.len(), bytes.len());
    let changed = (0..bytes.len()).filter(|&at| filled[at] != bytes[at]);
    println!("the writer filled in bytes {}", Vec::from_iter(changed.map(|at| format!("{at:#x}"))).join(" "));

    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(path, file)?;
    }
    Ok(())
}

fn print_hex(bytes: &[u8]) {
    for (row, bytes) in bytes.chunks(16).enumerate() {
        let hex: String = bytes.iter().map(|byte| format!(" {byte:02x}")).collect();
        println!("  {:02x} {hex:48}  {}", 16 * row, String::from_iter(bytes.iter().map(readable)));
    }
}

fn readable(&byte: &u8) -> char {
    if byte.is_ascii_graphic() { char::from(byte) } else { '.' }
}
