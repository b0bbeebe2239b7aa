//! `b2nd draw` draws the chunks and blocks of an array as SVG.

use std::io;

use b2nd_view::picture;
use clap::Args;

use crate::output::Output;
use crate::paths::Paths;

/// The frames to draw.
#[derive(Args)]
pub(crate) struct Draw {
    #[command(flatten)]
    paths: Paths,
}

impl Draw {
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        self.paths.each_view(output, picture::draw)
    }
}
