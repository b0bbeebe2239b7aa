//! `b2nd hex` prints each byte of header and trailer with its meaning.

use std::io;

use b2nd_view::bytes;
use b2nd_view::text::View;
use clap::Args;

use crate::output::{Output, fitted};
use crate::paths::Paths;

/// The frames to show.
#[derive(Args)]
pub(crate) struct Hex {
    #[command(flatten)]
    paths: Paths,
}

impl Hex {
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        self.paths.each_view(output, |frame, name| {
            let view = bytes::dump(frame, name)?;
            Ok(View { text: fitted(&view.text).into_owned(), ..view })
        })
    }
}
