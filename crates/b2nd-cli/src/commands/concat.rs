//! `b2nd concat` joins arrays along an axis.

use std::path::{Path, PathBuf};

use b2nd_ndarray::{Array, ConcatOptions};
use b2nd_store::Location;
use clap::Args;

use crate::error::{Error, Result};
use crate::output;
use crate::piped::Piped;
use crate::staged::{must_be_new, must_not_look_foreign};
use crate::values;

/// Joins arrays along an axis.
#[derive(Args)]
pub(crate) struct Concat {
    /// The arrays: files, directories of sparse frames, leaves of stores, URLs, or - for standard input.
    #[arg(required = true)]
    arrays: Vec<PathBuf>,

    /// The new file, or - for standard output.
    out: PathBuf,

    /// The axis along which the arrays are joined, counted from 0.
    #[arg(long, default_value_t = 0)]
    axis: usize,

    /// Compress the chunks again if they do not align.
    #[arg(long)]
    recompress: bool,

    /// Replace an existing file.
    #[arg(long)]
    overwrite: bool,
}

impl Concat {
    pub(crate) fn run(&self) -> Result<u8> {
        must_not_look_foreign(&self.out, false)?;
        self.arrays.iter().try_for_each(|path| must_be_new(&self.out, self.overwrite, path))?;
        crate::signals::clean_up();
        let arrays = self.arrays.iter().map(|word| open(word)).collect::<Result<Vec<_>>>()?;
        let options = ConcatOptions { recompress: self.recompress, overwrite: self.overwrite };
        let files = Piped::new(Path::new(""), Some(&self.out))?;
        let done = b2nd_ndarray::concat(&arrays, self.axis, files.target.as_ref().unwrap_or(&self.out), &options);
        done.map_err(|error| match error.kind() {
            b2nd_ndarray::Error::Misaligned { .. } => Error::new(format_args!("{error}: use --recompress")),
            _ => Error::new(files.named(&error.to_string())),
        })?;
        files.print().map(|()| 0)
    }
}

fn open(word: &Path) -> Result<Array> {
    let location = Location::new(word.as_os_str());
    let array = match (location.path(), location.key()) {
        (Some(path), Some(key)) => Array::from_store(path, key).map_err(Error::new),
        // The error of `source` also says how to name a leaf of a store.
        (Some(path), None) => Array::open(path).map_err(|error| values::source(word).err().unwrap_or_else(|| Error::new(error))),
        _ => values::source(word).and_then(|source| Array::from_source(source, 0).map_err(Error::new)),
    };
    array.map_err(|error| Error::new(output::named(word, error)))
}
