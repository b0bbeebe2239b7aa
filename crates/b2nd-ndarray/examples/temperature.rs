//! Writes a small array, reads a slice of it, and prints how many blocks were decompressed for it.
//!
//! ```sh
//! cargo run -p b2nd-ndarray --example temperature -- /tmp/temperature.b2nd
//! ```

use std::path::PathBuf;

use b2nd_ndarray::{Array, Options, Result};
use ndarray::Array2;

fn main() -> Result<()> {
    let path = std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("temperature.b2nd"), PathBuf::from);

    // 365 days at 1,000 locations, in chunks of 100 x 250 elements and blocks of 20 x 50.
    let temperature = Array2::from_shape_fn((365, 1000), |(day, place)| {
        let season = (day as f64 / 365.0 * std::f64::consts::TAU).cos();
        ((15.0 - 10.0 * season - place as f64 / 23.0) * 10.0).round() as f32 / 10.0
    });
    let (chunkshape, blockshape) = (Some(vec![100, 250]), Some(vec![20, 50]));
    let options = Options { chunkshape, blockshape, overwrite: true, ..Options::default() };
    b2nd_ndarray::write(&path, &temperature, &options)?;

    let array = Array::open(&path)?;
    let (grid, header) = (*array.grid(), array.header().clone());
    println!("{}", path.display());
    println!("  {:?} of {}", grid.shape(), array.dtype().map_or_else(String::new, |dtype| dtype.describe()));
    println!(
        "  {} chunks of {:?}, {} blocks of {:?} in each",
        grid.nchunks(),
        grid.chunkshape(),
        grid.blocks_per_chunk(),
        grid.blockshape()
    );
    println!("  {} bytes of values in a file of {} bytes", temperature.len() * array.itemsize(), header.frame_len());

    // The first four days of April at six locations.
    let slice = [90..94, 497..503];
    let april = array.read::<f32>(&slice)?;
    println!("\n{slice:?}\n{april:.1}");
    let chunks = grid.chunks_in(&slice)?;
    let blocks = chunks.clone().map(|chunk| grid.blocks_in(chunk, &slice).map_or(0, |blocks| blocks.len())).sum::<usize>();
    println!("\ndecompressed {blocks} of {} blocks, in {} of {} chunks", grid.nblocks(), chunks.len(), grid.nchunks());
    Ok(())
}
