//! Progress of long work, on a terminal.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use b2nd::Result;
use b2nd::frame::{ChunkHeader, Decompress};
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

/// How many bytes take so long that a person wants to see them pass.
const LONG: u64 = 1 << 26;

/// How many rows take so long.
#[cfg(feature = "arrow")]
const LONG_TABLE: u64 = 1 << 20;

/// How long a person waits without asking.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar for so many bytes of data.
pub(crate) fn bytes(length: u64) -> ProgressBar {
    if length < LONG {
        ProgressBar::hidden()
    } else {
        styled(ProgressBar::new(length), "{wide_bar} {bytes} of {total_bytes}, {eta} to go")
    }
}

/// A bar for so many rows of a table.
#[cfg(feature = "arrow")]
pub(crate) fn rows(count: u64) -> ProgressBar {
    if count < LONG_TABLE {
        ProgressBar::hidden()
    } else {
        styled(ProgressBar::new(count), "{wide_bar} {human_pos} of {human_len} rows, {eta} to go")
    }
}

/// A codec that moves a bar on with all that it decompresses.
pub(crate) struct Watched<'b, D> {
    pub(crate) codec: D,
    pub(crate) bar: &'b ProgressBar,
}

impl<D: Decompress> Decompress for Watched<'_, D> {
    fn decompress(&mut self, chunk: &[u8], data: &mut [u8]) -> Result<()> {
        self.bar.inc(data.len() as u64);
        self.codec.decompress(chunk, data)
    }

    fn accept(&self, chunk: &ChunkHeader) -> Result<()> {
        self.codec.accept(chunk)
    }
}

/// How many files have been looked at, where nobody knows how many there are.
pub(crate) struct Files {
    bar: ProgressBar,
    start: Instant,
    count: u64,
}

impl Files {
    pub(crate) fn new() -> Files {
        Files { bar: styled(ProgressBar::no_length(), "{human_pos} files in {elapsed}"), start: Instant::now(), count: 0 }
    }

    /// Counts files, and prints what there is to say of them.
    pub(crate) fn add<T>(&mut self, files: usize, print: impl FnOnce() -> T) -> T {
        let printed = self.bar.suspend(print);
        self.count += files as u64;
        if self.start.elapsed() > PATIENCE {
            self.bar.set_position(self.count);
        }
        printed
    }
}

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style).with_finish(ProgressFinish::AndClear)
}
