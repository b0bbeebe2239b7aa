//! `b2nd export` converts arrays and tables to other formats.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use b2nd_view::slice::Slice;
use clap::Args;

use crate::data::Data;
use crate::error::{Error, Result};
use crate::format::OutputFormat;
use crate::output;
use crate::piped::is_standard;
use crate::progress;
use crate::signals;
use crate::staged::{must_be_new, new_file};
use crate::status::UNREADABLE;
use crate::tables::{TablePart, write_array};
use crate::values::Start;
use crate::zarr;

/// Writes an array as NumPy (.npy), bytes (.bin), CSV, JSON, text, Zarr (.zarr), Arrow or Parquet; a table, or objects, batches and
/// lists, as Arrow, Parquet, CSV or JSON.
#[derive(Args)]
pub(crate) struct Export {
    /// An array or a table: a path, a URL, - or STORE::KEY, as for `b2nd info`.
    pub(super) file: PathBuf,

    /// The new file, for Zarr a new directory, or - for standard output.
    out: PathBuf,

    /// A slice of the array, written as in Python (such as `0:10,5,::2`), or rows of a table.
    #[arg(allow_negative_numbers = true)]
    slice: Option<Slice>,

    /// The format. By default, the ending of the new file's name selects it; for standard output, it is npy.
    #[arg(long)]
    format: Option<OutputFormat>,

    /// Write a Zarr group, which xarray can open, and in which the array has this name.
    #[arg(long, value_name = "NAME")]
    group: Option<String>,

    /// Replace an existing file. A Zarr directory replaces nothing.
    #[arg(long)]
    overwrite: bool,

    #[command(flatten)]
    start: Start,

    #[command(flatten)]
    part: TablePart,
}

impl Export {
    pub(crate) fn run(&self) -> Result<u8> {
        must_be_new(&self.out, self.overwrite, &self.file)?;
        let is_standard = is_standard(&self.out);
        let form = self
            .format
            .map_or_else(|| if zarr::is_zarr(&self.out) { Ok(OutputFormat::Zarr) } else { OutputFormat::of(&self.out) }, Ok)?;
        if form == OutputFormat::Zarr {
            if self.slice.is_some() || self.part.rows.is_some() || !self.part.columns.is_empty() {
                return Err(Error::new("a Zarr array is written as a whole: leave out the slice, --rows and --columns"));
            }
            if is_standard {
                return Err(Error::new("a Zarr array is a directory: give its name instead of -"));
            }
        } else if self.group.is_some() {
            return Err(Error::new("--group is only for Zarr: leave it out, or use --format zarr and name a new directory"));
        }
        // A stream can be read from a pipe before it is complete.
        let form = if is_standard && form == OutputFormat::Arrow { OutputFormat::ArrowStream } else { form };
        let (data, _) = Data::open(&self.file, &self.start, &self.part, self.slice.as_ref())?;
        match data {
            Data::Rows(rows) => {
                let left_out = rows.left_out();
                for line in &left_out {
                    eprintln!("{}: {line}", self.file.display());
                }
                let bar = progress::rows(rows.len());
                self.to_file(|out| rows.write(form, out, &bar))?;
                return Ok(if left_out.is_empty() { 0 } else { UNREADABLE });
            }
            Data::Array(values) if form == OutputFormat::Zarr => {
                signals::clean_up();
                zarr::export(&values.array, &self.out, self.group.clone())?;
            }
            Data::Array(values) if form.is_of_tables() => self.to_file(|out| write_array(*values, form, out))?,
            Data::Array(values) => {
                let bar = progress::bytes(values.len());
                self.to_file(|out| form.write(&values, None, out, &bar))?;
            }
        }
        Ok(0)
    }

    /// Writes to the new file, or to standard output.
    fn to_file(&self, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
        if is_standard(&self.out) {
            let mut out = BufWriter::new(output::stdout());
            return write(&mut out).and_then(|()| out.flush().map_err(Error::Write));
        }
        new_file(&self.out, self.overwrite, |file| {
            let mut file = BufWriter::new(file);
            write(&mut file).and_then(|()| file.flush().map_err(Error::Write)).map_err(|error| match error {
                // `Error::Write` is for standard output and standard error. An error of the new file becomes `Error::Read`, which is
                // reported with the name of the file.
                Error::Write(error) => Error::new(output::named(&self.out, error)),
                error => error,
            })
        })
    }
}
