//! Describes tiles: `tiles FILE…`.

use anyhow::Context;
use b2nd_frame::File;
use tile_catalogue::Tile;

fn main() -> anyhow::Result<()> {
    for path in std::env::args().skip(1) {
        let tile = read(&path).with_context(|| format!("cannot read {path}"))?;
        let (shape, dtype) = (tile.array.geometry.shape(), tile.array.parse_dtype()?);
        println!("{path}: {shape:?} of {}, {:?}, {}", dtype.describe(), tile.acquisition.platform, tile.geo.crs);
    }
    Ok(())
}

fn read(path: &str) -> anyhow::Result<Tile> {
    let file = File::open(path)?;
    Ok(Tile::from_header(file.header())?)
}
