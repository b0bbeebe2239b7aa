//! `b2nd import`: a numpy file as an array.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use b2nd::B2ndMeta;
use b2nd::frame::{CodecId, Filter};
use b2nd_ndarray::Options;
use clap::Args;

use crate::error::{Error, Result};
use crate::format::npy;
use crate::output::{self, Output};
use crate::progress;
use crate::signals;
use crate::staged::must_not_exist;
use crate::zarr;

/// Writes a numpy file or a Zarr array as a `.b2nd` file, compressed as python-blosc2 does.
#[derive(Args)]
pub(crate) struct Import {
    /// A numpy file (.npy), the directory of a Zarr array, or - for standard input.
    file: PathBuf,

    /// The array (.b2nd), or - for standard output.
    out: PathBuf,

    /// The length of a chunk in each dimension: 100,100.
    #[arg(long, value_name = "SHAPE", value_delimiter = ',')]
    chunks: Option<Vec<i32>>,

    /// The length of a block in each dimension.
    #[arg(long, value_name = "SHAPE", value_delimiter = ',')]
    blocks: Option<Vec<i32>>,

    /// The compression level, 0 to 9; 0 stores.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=9))]
    level: Option<u8>,

    /// The codec: blosclz, lz4, lz4hc, zlib or zstd.
    #[arg(long, value_parser = codec)]
    codec: Option<CodecId>,

    /// Filters, in the order in which they run: shuffle, bitshuffle, delta, or none.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', value_parser = filter)]
    filters: Option<Vec<Filter>>,

    /// Replace a file that is there.
    #[arg(long)]
    overwrite: bool,
}

pub(crate) fn codec(name: &str) -> Result<CodecId, String> {
    let all = [CodecId::BloscLz, CodecId::Lz4, CodecId::Lz4Hc, CodecId::Zlib, CodecId::Zstd];
    all.into_iter().find(|codec| codec.to_string() == name).ok_or_else(|| "expected blosclz, lz4, lz4hc, zlib or zstd".to_owned())
}

pub(crate) fn filter(name: &str) -> Result<Filter, String> {
    match name {
        "shuffle" => Ok(Filter::Shuffle),
        "bitshuffle" => Ok(Filter::BitShuffle),
        "delta" => Ok(Filter::Delta),
        "none" => Ok(Filter::None),
        _ => Err("expected shuffle, bitshuffle, delta or none".to_owned()),
    }
}

impl Import {
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        let done = self.import(&mut *output.out);
        Ok(output.settle(&self.file, done)?.is_some())
    }

    fn import(&self, out: &mut dyn Write) -> Result<()> {
        let default = Options::default();
        let options = Options {
            chunkshape: self.chunks.clone(),
            blockshape: self.blocks.clone(),
            level: self.level.unwrap_or(default.level),
            codec: self.codec.unwrap_or(default.codec),
            filters: match &self.filters {
                Some(filters) => filters.iter().filter(|&&filter| filter != Filter::None).map(|&filter| (filter, 0)).collect(),
                None => default.filters.clone(),
            },
            overwrite: self.overwrite,
            ..default
        };
        if zarr::is_zarr(&self.file) && self.out != Path::new("-") {
            must_not_exist(&self.out)?;
            signals::clean_up();
            return zarr::import(&self.file, &self.out, &options);
        }
        let file = npy::read(&self.file)?;
        let geometry = options.geometry(&file.shape, file.dtype.itemsize())?;
        let meta = B2ndMeta::new(geometry, file.dtype.to_string());
        let data = progress::bytes(file.length).wrap_read(file.data);
        signals::clean_up();
        if self.out != Path::new("-") {
            if !self.overwrite {
                must_not_exist(&self.out)?;
            }
            let written = b2nd_ndarray::write_from(&self.out, &meta, data, &options);
            return written.map_err(|error| Error::new(output::named(&self.out, error)));
        }
        // A frame's header is written last.
        let directory = tempfile::tempdir()?;
        let array = directory.path().join("array.b2nd");
        b2nd_ndarray::write_from(&array, &meta, data, &options)?;
        io::copy(&mut fs::File::open(&array)?, out).map_err(Error::Write)?;
        Ok(())
    }
}
