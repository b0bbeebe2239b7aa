//! `b2nd import` converts files of other formats to arrays.

mod csv;
mod elements;
mod npy;

use std::fs;
use std::io;
use std::path::PathBuf;

use b2nd::B2ndMeta;
use b2nd::dtype::DType;
use b2nd_ndarray::Options;
use b2nd_view::elements::no_objects;
use clap::Args;

use crate::compression::Compression;
use crate::error::{Error, Result};
use crate::hdf5;
use crate::output::{self, Output};
use crate::piped::is_standard;
use crate::progress;
use crate::signals;
use crate::staged::{must_be_local, must_be_new, must_not_look_foreign};
use crate::values::parse_dtype;
use crate::zarr;
use elements::{Elements, length_of, open, spooled};

/// Converts NumPy (.npy), CSV (.csv), raw bytes (--dtype), a Zarr array or an HDF5 dataset to a `.b2nd` file. By
/// default, it is compressed with python-blosc2's defaults, but chunks of HDF5 that Blosc2 compressed are copied if possible, or else
/// compressed again like in the HDF5 file.
#[derive(Args)]
pub(crate) struct Import {
    /// The file, the directory of a Zarr array, a dataset (FILE.h5::/group/name), or - for standard input.
    pub(super) file: PathBuf,

    /// The new array (.b2nd), or - for standard output.
    out: PathBuf,

    /// The dtype of the elements of raw bytes or CSV, in NumPy's form: '<i4'. The default for CSV is '<i8' or '<u8' if
    /// all values are integers that fit it, '<f8' if all values are numbers or empty and the integers fit '<i8', a structure with a
    /// field for each column if none of these dtypes fits all columns, but one fits a column of numbers, and otherwise text.
    #[arg(long, value_parser = parse_dtype)]
    dtype: Option<DType>,

    /// The array's shape: 100,200. The default for raw bytes is one dimension.
    #[arg(long, value_delimiter = ',')]
    shape: Option<Vec<i64>>,

    /// Whether the first line of CSV is a heading, which names the fields if the default dtype is a structure, and is otherwise left out.
    /// By default, it is one if it consists of names and a column below it consists of numbers, unless the --dtype is a text, or a
    /// structure that can have the names as its values.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    header: Option<bool>,

    /// The format of a file that is neither Zarr nor HDF5. By default, it is npy or csv for files that end in .npy or .csv; all others are
    /// raw bytes (bin) with --dtype, and otherwise npy.
    #[arg(long, value_name = "FORMAT", value_parser = ["npy", "csv", "bin"])]
    format: Option<String>,

    #[command(flatten)]
    compression: Compression,

    /// Replace an existing file.
    #[arg(long)]
    overwrite: bool,
}

impl Import {
    pub(crate) fn run(&self, output: &mut Output) -> Result<u8> {
        let default = Options::default();
        let options = Options {
            chunkshape: self.compression.chunks.clone(),
            blockshape: self.compression.blocks.clone(),
            level: self.compression.level.unwrap_or(default.level),
            codec: self.compression.codec.unwrap_or(default.codec),
            filters: self.compression.filters().unwrap_or(default.filters),
            overwrite: self.overwrite,
            ..default
        };
        let is_printed = is_standard(&self.out);
        must_not_look_foreign(&self.out, false)?;
        must_be_new(&self.out, self.overwrite, &self.file)?;
        signals::clean_up();
        // Standard output cannot be written directly, because the header of a frame is written last.
        let directory = is_printed.then(tempfile::tempdir).transpose()?;
        let out = &directory.as_ref().map_or_else(|| self.out.clone(), |directory| directory.path().join("array.b2nd"));
        if zarr::is_zarr(&self.file) {
            zarr::import(&self.file, out, &options)?;
        } else if let Some(dataset) = hdf5::dataset(&self.file)? {
            hdf5::import(dataset, out, &self.compression, &options)?;
        } else {
            must_be_local(&self.file, "import")?;
            let file = self.elements()?;
            let geometry = options.geometry(&file.shape, file.dtype.itemsize())?;
            let meta = B2ndMeta::new(geometry, file.dtype.to_string());
            let data = progress::bytes(file.length).wrap_read(file.data);
            let written = b2nd_ndarray::write_from(out, &meta, data, &options);
            written.map_err(|error| Error::new(if is_printed { error.to_string() } else { output::named(out, error) }))?;
        }
        if is_printed {
            io::copy(&mut fs::File::open(out)?, &mut output.out).map_err(Error::Write)?;
        }
        Ok(0)
    }

    fn elements(&self) -> Result<Elements> {
        let ending = self.format.as_ref().map_or_else(|| self.file.extension().unwrap_or_default(), |format| format.as_ref());
        let is_npy = ending.eq_ignore_ascii_case("npy");
        match &self.dtype {
            // CSV is read more than once.
            dtype if ending.eq_ignore_ascii_case("csv") && is_standard(&self.file) => {
                let mut file = tempfile::NamedTempFile::new()?;
                io::copy(&mut io::stdin().lock(), &mut file)?;
                csv::read(file.path(), &self.file, dtype.as_ref(), self.shape.clone(), self.header)
            }
            dtype if ending.eq_ignore_ascii_case("csv") => {
                csv::read(&self.file, &self.file, dtype.as_ref(), self.shape.clone(), self.header)
            }
            _ if self.header.is_some() => Err(Error::new("--header is only for CSV: leave it out, or use --format csv")),
            Some(dtype) if !is_npy => self.raw(dtype),
            None if self.shape.is_none() && self.format.as_deref() != Some("bin") => npy::read(&self.file),
            _ if is_npy => Err(Error::new("--dtype and --shape are only for raw bytes and CSV: leave them out")),
            _ => Err(Error::new("--dtype is missing: raw bytes need it; for a NumPy file, leave out --shape and --format bin")),
        }
    }

    /// Opens a file that contains only elements, without a header.
    fn raw(&self, dtype: &DType) -> Result<Elements> {
        no_objects(dtype)?;
        let file = if is_standard(&self.file) { spooled(io::stdin().lock())? } else { open(&self.file)? };
        let length = file.metadata()?.len();
        let itemsize = dtype.itemsize().max(1) as u64;
        let shape = match &self.shape {
            Some(shape) => shape.clone(),
            None if length % itemsize == 0 => vec![i64::try_from(length / itemsize)?],
            None => {
                let found = b2nd_view::text::count(length, "byte");
                return Err(Error::new(format_args!("the file has {found}, not a multiple of an element's {itemsize} bytes")));
            }
        };
        let length = length_of(&shape, dtype.itemsize(), Some(length))?;
        Ok(Elements { dtype: dtype.clone(), shape, data: Box::new(file), length })
    }
}
