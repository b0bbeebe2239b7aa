//! `b2nd export`: an array as a file of another format.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use b2nd_view::slice::Slice;
use clap::Args;

use crate::format::npy;
use crate::output::{self, Output};
use crate::progress;
use crate::values::{length, new_file, open_values, parts, ranges, settle};

/// Writes an array as a numpy file.
#[derive(Args)]
pub(crate) struct Export {
    /// An array; as `b2nd info` takes it.
    file: PathBuf,

    /// The numpy file (.npy), which must not exist.
    out: PathBuf,

    /// A part of it: 0:10,5,: as in Python.
    #[arg(long, allow_hyphen_values = true)]
    slice: Option<Slice>,
}

impl Export {
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        let done = new_file(&self.out, |file| {
            let array = open_values(&self.file)?;
            let ranges = ranges(&array, self.slice.as_ref())?;
            let kept = self.slice.as_ref().map_or_else(|| vec![true; ranges.len()], |slice| slice.kept(ranges.len()));
            let kept = ranges.iter().zip(kept).filter(|(_, is_kept)| *is_kept);
            let shape: Vec<i64> = kept.map(|(range, _)| range.end - range.start).collect();
            let mut file = BufWriter::new(file.as_file());
            let unwritten = |error: io::Error| output::named(&self.out, error);
            file.write_all(&npy::header(array.dtype(), array.itemsize(), &shape)?).map_err(unwritten)?;
            let bar = progress::bytes(length(&array, &ranges) as u64);
            for part in parts(&array, &ranges) {
                let bytes = array.read_bytes(&part)?;
                file.write_all(&bytes).map_err(unwritten)?;
                bar.inc(bytes.len() as u64);
            }
            Ok(file.flush().map_err(unwritten)?)
        });
        Ok(settle(&self.file, done, output)?.is_some())
    }
}
