//! Tiles, and the metalayers that an array needs to be a tile.

use alloc::string::String;
use alloc::vec::Vec;

use b2nd::{ArrayMeta, B2ndMeta, Metalayer};
use b2nd_frame::{Chunk, Header, Special, Writer};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The position of a tile: maps rows and columns to positions in a coordinate reference system.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GeoTransform {
    /// The outer corner of the first pixel as x and y.
    pub origin: [f64; 2],
    /// The size of a pixel in x and y; y is negative if north is up.
    pub pixel: [f64; 2],
    /// The code of the coordinate reference system, at most 31 bytes.
    #[serde(with = "b2nd::with::fixstr")]
    pub crs: String,
}

/// The satellite that recorded a tile, and the time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Acquisition {
    /// The satellite.
    pub platform: Platform,
    /// Seconds since 1970, UTC.
    pub time: i64,
    /// The fraction that is covered by clouds, from 0 to 1; NaN if unknown. (This is not an `Option`, so that the length of the
    /// metalayer does not change.)
    pub cloud_cover: f32,
    /// The wavelengths in the array's first dimension, in nanometers.
    pub bands: Vec<u16>,
}

/// A satellite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Platform {
    /// Sentinel-2 of the Copernicus program, with its letter.
    Sentinel2(char),
    /// Landsat, with its number.
    Landsat(u8),
    /// A synthetic image for tests.
    Synthetic,
}

impl Metalayer for GeoTransform {
    const NAME: &'static str = "geotransform";
}

impl Metalayer for Acquisition {
    const NAME: &'static str = "acquisition";
}

/// The description of a tile in the header of its frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Tile {
    /// The metadata of the array, whose dimensions are bands, rows and columns.
    pub array: B2ndMeta,
    /// The position of the tile on the ground.
    pub geo: GeoTransform,
    /// The satellite and the time.
    pub acquisition: Acquisition,
}

impl Tile {
    /// Reads the description of a tile from the first bytes of its frame; 4 KiB are nearly always enough.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not the header of a frame, there is no array with three dimensions and a dtype, or one of the two
    /// other metalayers is missing or invalid. If more bytes are needed, [`b2nd_frame::Error::needed`] of the source returns how many at
    /// least.
    pub fn from_prefix(prefix: &[u8]) -> Result<Tile> {
        Tile::from_header(&Header::from_slice(prefix)?)
    }

    /// Reads the description from a header that has already been read, for example by [`b2nd_frame::File`].
    pub fn from_header(header: &Header) -> Result<Tile> {
        let array = header.array()?.map(ArrayMeta::into_owned).ok_or(Error::Missing(B2ndMeta::<&str>::NAME))?;
        let array = array.upgrade(None)?;
        if array.geometry.ndim() != 3 {
            return Err(Error::Dimensions(array.geometry.ndim()));
        }
        let geo = header.metalayer()?.ok_or(Error::Missing(GeoTransform::NAME))?;
        let acquisition = header.metalayer()?.ok_or(Error::Missing(Acquisition::NAME))?;
        Ok(Tile { array, geo, acquisition })
    }

    /// Returns the header of this tile's frame.
    pub fn header(&self) -> Result<Header> {
        let mut header = Header::for_array(&self.array)?;
        header.metalayers_mut().set(&self.geo)?;
        header.metalayers_mut().set(&self.acquisition)?;
        Ok(header)
    }

    /// Returns a frame in memory with these chunks, in order; `None` is a chunk of zeros.
    pub fn frame(&self, chunks: &[Option<Chunk>]) -> Result<Vec<u8>> {
        let header = self.header()?;
        let chunksize = usize::try_from(header.chunksize()).unwrap_or(0);
        let mut writer = Writer::new(header);
        for chunk in chunks {
            match chunk {
                Some(chunk) => writer.append(chunk)?,
                None => writer.append_special(Special::Zeros, chunksize)?,
            }
        }
        Ok(writer.finish()?)
    }
}
