//! `b2nd chunks`: what `b2nd info --chunks` shows.

use clap::Args;

use super::info::Info;

/// The frames to show, with their chunks.
#[derive(Args)]
pub(crate) struct Chunks {
    #[command(flatten)]
    info: Info,
}

impl Chunks {
    /// The command that does it.
    ///
    /// # Errors
    ///
    /// The options ask for something else as well.
    pub(crate) fn info(self) -> Result<Info, &'static str> {
        self.info.with_chunks(None)
    }
}
