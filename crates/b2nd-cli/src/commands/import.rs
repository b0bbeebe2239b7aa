//! `b2nd import`: a numpy file as an array.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use b2nd::B2ndMeta;
use b2nd_ndarray::Options;
use clap::Args;

use crate::error::{Error, Result};
use crate::format::npy;
use crate::output::{self, Output};
use crate::progress;
use crate::signals;
use crate::staged::must_not_exist;

/// Writes a numpy file as an array, compressed as python-blosc2 does.
#[derive(Args)]
pub(crate) struct Import {
    /// A numpy file (.npy), or - for standard input.
    file: PathBuf,

    /// The array (.b2nd), which must not exist, or - for standard output.
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
}

impl Import {
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        let done = self.import(&mut *output.out);
        Ok(output.settle(&self.file, done)?.is_some())
    }

    fn import(&self, out: &mut dyn Write) -> Result<()> {
        let file = npy::read(&self.file)?;
        let default = Options::default();
        let options = Options {
            chunkshape: self.chunks.clone(),
            blockshape: self.blocks.clone(),
            level: self.level.unwrap_or(default.level),
            ..default
        };
        let geometry = options.geometry(&file.shape, file.dtype.itemsize())?;
        let meta = B2ndMeta::new(geometry, file.dtype.to_string());
        let data = progress::bytes(file.length).wrap_read(file.data);
        signals::clean_up();
        if self.out != Path::new("-") {
            must_not_exist(&self.out)?;
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
