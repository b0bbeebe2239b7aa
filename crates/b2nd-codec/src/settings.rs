//! [`Settings`]: what an encoder, and the foreign libraries behind it, compress with.

use b2nd::frame::{Codec, SplitMode};

/// Codec, filters and lengths of the chunks to be made.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) codec: Codec,
    pub(crate) codec_meta: u8,
    pub(crate) level: u8,
    pub(crate) typesize: u8,
    pub(crate) blocksize: usize,
    pub(crate) split_mode: SplitMode,
    pub(crate) filters: [u8; 6],
    pub(crate) filters_meta: [u8; 6],
    #[cfg_attr(not(feature = "plugins"), expect(dead_code))]
    pub(crate) metalayer: Vec<u8>,
}

#[cfg(any(feature = "c", feature = "plugins"))]
impl Settings {
    /// The split mode as foreign codecs number it.
    pub(crate) fn split_code(&self) -> i32 {
        match self.split_mode {
            SplitMode::Always => 1,
            SplitMode::Never => 2,
            SplitMode::Auto => 3,
            _ => 4,
        }
    }
}
