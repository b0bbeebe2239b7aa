//! Progress bars on a terminal.

use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::ops::Range;

use b2nd_frame::{Result, Source};
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

/// The minimum number of bytes to process for which a progress bar is shown.
const LONG: u64 = 1 << 26;

/// The minimum number of rows to process for which a progress bar is shown.
const LONG_TABLE: u64 = 1 << 20;

/// Creates a progress bar for this number of bytes.
pub(crate) fn bytes(length: u64) -> ProgressBar {
    long(length, LONG, "{wide_bar} {bytes} of {total_bytes}, {eta} to go")
}

/// Creates a progress bar for this number of rows.
pub(crate) fn rows(count: u64) -> ProgressBar {
    long(count, LONG_TABLE, "{wide_bar} {human_pos} of {human_len} rows, {eta} to go")
}

/// A source that advances a progress bar by the number of bytes that are read.
pub(crate) struct Counted<'s> {
    pub(crate) source: &'s dyn Source,
    pub(crate) bar: &'s ProgressBar,
}

impl Source for Counted<'_> {
    fn len(&self) -> Result<u64> {
        self.source.len()
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let bytes = self.source.read(range)?;
        self.bar.inc(bytes.len() as u64);
        Ok(bytes)
    }

    fn chunk_file(&self, number: u64, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let bytes = self.source.chunk_file(number, range)?;
        self.bar.inc(bytes.len() as u64);
        Ok(bytes)
    }
}

/// Creates a counter of files, whose total number is not known.
pub(crate) fn files() -> ProgressBar {
    styled(ProgressBar::no_length(), "files: {human_pos} in {elapsed}")
}

fn long(length: u64, least: u64, template: &str) -> ProgressBar {
    if length < least { ProgressBar::hidden() } else { styled(ProgressBar::new(length), template) }
}

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style).with_finish(ProgressFinish::AndClear)
}
