//! `b2nd slice`: the chunks and blocks that a part of an array touches.

use b2nd_view::slice::Slice;
use clap::Args;

use super::info::Info;

/// The frames to show, and a part of their arrays.
#[derive(Args)]
pub(crate) struct SliceOf {
    #[command(flatten)]
    info: Info,

    /// The part, after the paths: a range or an index for each dimension, as in Python.
    #[arg(id = "part", value_name = "SLICE", required = true, allow_hyphen_values = true)]
    slice: Slice,
}

impl SliceOf {
    /// The command that does it.
    ///
    /// # Errors
    ///
    /// The options ask for something else as well.
    pub(crate) fn info(self) -> Result<Info, &'static str> {
        self.info.with_chunks(Some(self.slice))
    }
}
