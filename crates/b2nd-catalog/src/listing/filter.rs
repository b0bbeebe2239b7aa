//! [`Names`], the rules that select the files to scan, and the entries of a listing.

use std::sync::Arc;

use futures::stream::BoxStream;

use crate::place::Object;

/// A location that could not be listed, and the reason.
#[derive(Debug)]
pub struct Unlisted {
    pub url: String,
    pub message: String,
}

/// The files of a listing, and the locations that could not be listed.
pub type Listing = BoxStream<'static, Result<Object, Unlisted>>;

/// The endings of the files that are scanned by default.
pub const ENDINGS: [&str; 12] = ["b2nd", "b2f", "b2b", "b2frame", "b2e", "b2z", "bl2", "cframe", "caterva", "iarr", "h5", "hdf5"];

/// Selects the files to scan by the endings of their names.
#[derive(Clone, Debug)]
pub struct Names {
    endings: Arc<[String]>,
    /// Whether the listing of a disk includes the size and the time of each file. Without them, listing needs one system call less per
    /// file.
    pub(super) sizes: bool,
}

impl Names {
    /// Accepts names with one of these endings, or all names if `*` is among them, except the names of temporary files (`.*.tmp`). An
    /// ending is the part after the last dot.
    pub fn ending_in<S: ToString>(endings: &[S]) -> Names {
        Names {
            endings: endings.iter().map(|ending| ending.to_string().trim().trim_start_matches('.').to_owned()).collect(),
            sizes: false,
        }
    }

    /// Also lists the sizes and times of files on a disk. Listings of servers and buckets always include sizes and times if they are known.
    pub fn with_sizes(self) -> Names {
        Names { sizes: true, ..self }
    }

    pub(super) fn have(&self, name: &str) -> bool {
        // Files whose names start with `.` and end in `.tmp` are not complete.
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
