//! `b2nd hex` and `b2nd draw`: a frame's bytes, and a picture of its array.

use b2nd::{Error, Result};
use b2nd_view::text::View;
use b2nd_view::{Frame, bytes, picture};
use clap::Args;

use crate::output::Output;
use crate::paths::{Found, Leaves, Paths, unwritable};

/// The frames to show.
#[derive(Args)]
pub(crate) struct Show {
    #[command(flatten)]
    paths: Paths,
}

impl Show {
    /// Each byte of header and trailer, and what it means.
    pub(crate) fn hex(&self, output: &mut Output) -> std::io::Result<bool> {
        self.each(output, bytes::dump)
    }

    /// Chunks and blocks beside the bytes of the header, as an SVG document.
    pub(crate) fn draw(&self, output: &mut Output) -> std::io::Result<bool> {
        self.each(output, picture::draw)
    }

    fn each(&self, output: &mut Output, show: fn(&Frame, &str) -> Result<View>) -> std::io::Result<bool> {
        let Output { out, err } = output;
        let mut gap = "";
        self.paths.each(Leaves::OneByKey, err, &mut |found| {
            let Found::Frame { frame, .. } = found else {
                return Err(Error::custom("it is a table of several frames, not one"));
            };
            let view = show(frame, &found.name())?;
            writeln!(out, "{gap}{}", view.text).map_err(unwritable)?;
            gap = "\n";
            Ok(view.is_complete)
        })
    }
}
