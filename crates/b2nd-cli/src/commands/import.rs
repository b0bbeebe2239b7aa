//! `b2nd import`: a numpy file as an array.

use std::io;
use std::path::PathBuf;

use b2nd::B2ndMeta;
use b2nd_ndarray::Options;
use clap::Args;

use crate::format::npy;
use crate::output::{self, Output};
use crate::progress;
use crate::values::{Result, new_file, no_objects, settle};

/// Writes a numpy file as an array, compressed as python-blosc2 does.
#[derive(Args)]
pub(crate) struct Import {
    /// A numpy file (.npy).
    file: PathBuf,

    /// The array (.b2nd), which must not exist.
    out: PathBuf,

    /// The length of a chunk in each dimension: 100,100.
    #[arg(long, value_name = "SHAPE", value_delimiter = ',')]
    chunks: Option<Vec<i32>>,

    /// The length of a block in each dimension.
    #[arg(long, value_name = "SHAPE", value_delimiter = ',')]
    blocks: Option<Vec<i32>>,

    /// How hard to compress, 0 to 9; 0 stores.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=9))]
    level: Option<u8>,
}

impl Import {
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        Ok(settle(&self.file, self.import(), output)?.is_some())
    }

    fn import(&self) -> Result<()> {
        let npy = npy::read(&self.file)?;
        no_objects(&npy.dtype)?;
        let default = Options::default();
        let options = Options {
            chunkshape: self.chunks.clone(),
            blockshape: self.blocks.clone(),
            level: self.level.unwrap_or(default.level),
            // The temporary file.
            overwrite: true,
            ..default
        };
        let geometry = options.geometry(&npy.shape, npy.dtype.itemsize())?;
        let meta = B2ndMeta::new(geometry, npy.dtype.to_string());
        let data = progress::bytes(npy.length).wrap_read(npy.data);
        new_file(&self.out, |file| {
            let written = b2nd_ndarray::write_from(file.path(), &meta, data, &options);
            Ok(written.map_err(|error| {
                output::named(&self.out, error.to_string().replace(&format!("{}: ", file.path().display()), ""))
            })?)
        })
    }
}
