//! [`Names`]: which files are scanned; and the entries of a listing.

use std::sync::Arc;

use futures::stream::BoxStream;

use crate::place::Object;

/// A place that could not be listed, and why.
#[derive(Debug)]
pub struct Unlisted {
    pub url: String,
    pub message: String,
}

/// Files, in the order in which the store gives them.
pub type Listing = BoxStream<'static, Result<Object, Unlisted>>;

/// The default endings of files with frames.
pub const ENDINGS: [&str; 10] = ["b2nd", "b2f", "b2b", "b2frame", "b2e", "b2z", "bl2", "cframe", "caterva", "iarr"];

/// The names of files that are scanned.
#[derive(Clone, Debug)]
pub struct Names {
    endings: Arc<[String]>,
    /// True if a disk's listing says sizes and times. Without them the disk is asked once less for each file.
    pub(super) sizes: bool,
}

impl Names {
    /// Names with one of these endings, or every name if `*` is one of them.
    pub fn ending_in<S: ToString>(endings: &[S]) -> Names {
        Names {
            endings: endings.iter().map(|ending| ending.to_string().trim().trim_start_matches('.').to_owned()).collect(),
            sizes: false,
        }
    }

    /// Rules with which the listing of a disk says sizes and times too. Other listings say what they know anyway.
    pub fn with_sizes(self) -> Names {
        Names { sizes: true, ..self }
    }

    pub(super) fn have(&self, name: &str) -> bool {
        // A file that is being written.
        if name.rsplit('/').next().is_some_and(|name| name.starts_with('.') && name.ends_with(".tmp")) {
            return false;
        }
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        self.endings.iter().any(|accepted| accepted == "*" || accepted == ending)
    }
}

impl Default for Names {
    fn default() -> Self {
        Names::ending_in(&ENDINGS)
    }
}
