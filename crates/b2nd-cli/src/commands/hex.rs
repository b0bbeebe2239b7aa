//! `b2nd hex`: each byte of header and trailer.

use std::io;

use b2nd_view::bytes;
use clap::Args;

use crate::output::Output;
use crate::paths::Paths;

/// The frames to show.
#[derive(Args)]
pub(crate) struct Hex {
    #[command(flatten)]
    paths: Paths,
}

impl Hex {
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        self.paths.each_view(output, bytes::dump)
    }
}
