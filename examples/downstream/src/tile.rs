//! Tiles, and the metalayers that make an array one.

use alloc::string::String;
use alloc::vec::Vec;

use b2nd::{ArrayMeta, B2ndMeta, Metalayer};
use b2nd_frame::{Chunk, Header, Special, Writer};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A tile's place: a position in its reference system for each row and column.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GeoTransform {
    /// The outer corner of the first pixel, x and y.
    pub origin: [f64; 2],
    /// The size of a pixel, x and y; y is negative where north is up.
    pub pixel: [f64; 2],
    /// The reference system's code, at most 31 bytes.
    #[serde(with = "b2nd::with::fixstr")]
    pub crs: String,
}

/// The instrument that took a tile, and the time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Acquisition {
    /// The satellite.
    pub platform: Platform,
    /// Seconds since 1970, UTC.
    pub time: i64,
    /// The clouded part, 0 to 1; NaN before it has been computed. (Not an `Option`: the metalayer keeps its length.)
    pub cloud_cover: f32,
    /// The wavelengths of the array's first dimension, in nanometres.
    pub bands: Vec<u16>,
}

/// A satellite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Platform {
    /// The twins of Copernicus.
    Sentinel2(char),
    /// Landsat, by its number.
    Landsat(u8),
    /// Drawn by a program, for tests.
    Synthetic,
}

impl Metalayer for GeoTransform {
    const NAME: &'static str = "geotransform";
}

impl Metalayer for Acquisition {
    const NAME: &'static str = "acquisition";
}

/// A frame's facts about its tile.
#[derive(Clone, PartialEq, Debug)]
pub struct Tile {
    /// Bands, rows and columns.
    pub array: B2ndMeta,
    /// Its place on the ground.
    pub geo: GeoTransform,
    /// The instrument that took it, and the time.
    pub acquisition: Acquisition,
}

impl Tile {
    /// Reads a tile's description out of the first bytes of its frame; 4 KiB are nearly always enough.
    ///
    /// # Errors
    ///
    /// No header of a frame, no array of three dimensions, or one of the two metalayers is not there. Where more bytes would help,
    /// [`b2nd_frame::Error::needed`] of the source says how many.
    pub fn from_prefix(prefix: &[u8]) -> Result<Tile> {
        Tile::from_header(&Header::from_slice(prefix)?)
    }

    /// Reads it out of a header that is read already, by [`b2nd_frame::File`] for example.
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

    /// The header of this tile's frame.
    pub fn header(&self) -> Result<Header> {
        let mut header = Header::for_array(&self.array)?;
        header.metalayers_mut().set(&self.geo)?;
        header.metalayers_mut().set(&self.acquisition)?;
        Ok(header)
    }

    /// A whole frame in memory: these chunks, in order, and zeros where there are none.
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
