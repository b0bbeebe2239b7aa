//! `b2nd salvage` copies the intact parts of a broken frame.

use std::io::{self, Write};
use std::path::PathBuf;

use b2nd_check::salvage::{Fill, Salvage as Found};
use b2nd_frame::Writer;
use b2nd_ndarray::codec::{Decompressor, metalayer};
use b2nd_store::Location;
use b2nd_view::text::{count, printable, thousands};
use clap::Args;

use crate::error::{Error, Result};
use crate::output::{Output, fitted};
use crate::piped::Piped;
use crate::staged::must_not_exist;
use crate::status::FAILED;

/// Copies the intact parts of a frame that is damaged or cut off.
#[derive(Args)]
pub(crate) struct Salvage {
    /// A frame, the directory of a sparse frame, a leaf of a store, a URL, or - for standard input.
    pub(super) broken: PathBuf,

    /// The new frame: a path that does not exist yet, or - for standard output.
    new: PathBuf,

    /// The value for the elements of lost chunks: zeros, or NaN if the elements are little-endian floats of 4 or 8 bytes.
    #[arg(long, default_value = "zero", value_parser = ["zero", "nan"])]
    fill: String,

    /// If the index of a contiguous frame is lost, keep chunks in the order in which they are found, even if the header shows signs that
    /// this order is wrong: chunks may have been updated or inserted, or be special (such as all zeros, which usually take no bytes).
    #[arg(long)]
    in_order: bool,
}

/// The warning that is printed if the index is lost.
const UNORDERED: &str = "the index is lost, so the order of the chunks can be wrong, and special chunks may be missing";

impl Salvage {
    pub(crate) fn run(&self, output: &mut Output) -> Result<u8> {
        crate::signals::clean_up();
        let files = Piped::new(&self.broken, Some(&self.new))?;
        self.copy(&files, output).map_err(|error| match error {
            Error::Read(error) => Error::new(files.named(&error.to_string())),
            write => write,
        })
    }

    fn copy(&self, files: &Piped, output: &mut Output) -> Result<u8> {
        let target = files.target.as_ref().unwrap_or(&self.new);
        must_not_exist(target)?;
        let location = Location::new(files.source.as_os_str());
        let source = location.frame()?;
        let header = b2nd_view::Frame::open(&*source)?.header().clone();
        let array = header.array().ok().flatten().and_then(|array| metalayer(&array).ok()).unwrap_or_default();
        let found = Found::new(&*source, self.in_order, &mut Decompressor::new().with_metalayer(&array))?;
        let fill = if self.fill == "nan" { Fill::Nan } else { Fill::Zero };
        let mut writer = Writer::create_new(target, header)?;
        location.path().map_or(Ok(()), |source| writer.copy_attributes(source))?;
        found.write(fill, &mut writer)?;
        writer.finish()?;
        files.print()?;
        let report = if files.is_printed() { &mut output.err } else { &mut output.out };
        self.say(&found, &mut **report).map_err(Error::Write)?;
        Ok(if found.lost.is_empty() { 0 } else { FAILED })
    }

    fn say(&self, found: &Found, out: &mut dyn Write) -> io::Result<()> {
        let (whole, all) = found.counts();
        let attributes = count(found.attributes.len(), "attribute");
        let name = printable(&self.new.to_string_lossy());
        writeln!(out, "{}", fitted(&format!("{name}: kept {} of {} and {attributes}", thousands(whole), count(all, "chunk"))))?;
        if !found.is_ordered {
            writeln!(out, "{}", fitted(&format!("order: {UNORDERED}")))?;
        }
        found.lost.iter().try_for_each(|lost| writeln!(out, "{}", fitted(&format!("lost: {}", printable(lost)))))
    }
}
