//! [`Reader`]: a version of a library that reads Blosc2 files.

use std::fmt;
use std::str::FromStr;

use b2nd_frame::{Error, Result};

/// A library that reads Blosc2 files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Library {
    /// C-Blosc2.
    CBlosc2,
    /// python-blosc2.
    PythonBlosc2,
}

/// A version of a library that reads Blosc2 files. It is parsed from text such as `c-blosc2@3.3.5`. Without a version, as in `c-blosc2`, it
/// is the newest tested version.
///
/// ```
/// use b2nd_check::Reader;
///
/// assert_eq!("python-blosc2".parse::<Reader>()?, Reader::PYTHON_BLOSC2);
/// assert_eq!("c-blosc2@2.21.3".parse::<Reader>()?.to_string(), "C-Blosc2 2.21.3");
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reader {
    pub(crate) library: Library,
    pub(crate) version: [u16; 3],
}

impl Reader {
    /// The newest version of C-Blosc2 that was tested.
    pub const C_BLOSC2: Reader = Reader { library: Library::CBlosc2, version: [3, 3, 5] };

    /// The newest version of python-blosc2 that was tested. It contains the same version of C-Blosc2 as [`C_BLOSC2`](Reader::C_BLOSC2).
    pub const PYTHON_BLOSC2: Reader = Reader { library: Library::PythonBlosc2, version: [4, 14, 1] };

    /// Creates a reader from a library and its version.
    pub const fn new(library: Library, version: [u16; 3]) -> Reader {
        Reader { library, version }
    }

    /// Returns the library.
    pub fn library(&self) -> Library {
        self.library
    }

    /// Returns the major, minor and patch version.
    pub fn version(&self) -> [u16; 3] {
        self.version
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Library::CBlosc2 => "C-Blosc2",
            Library::PythonBlosc2 => "python-blosc2",
        })
    }
}

impl fmt::Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.version;
        write!(f, "{} {major}.{minor}.{patch}", self.library)
    }
}

impl FromStr for Reader {
    type Err = Error;

    fn from_str(text: &str) -> Result<Reader> {
        let unknown = || Error::custom("expected c-blosc2, python-blosc2, or one of them with a version, such as c-blosc2@3.3.5");
        let (name, version) = text.split_once('@').map_or((text, None), |(name, version)| (name, Some(version)));
        let last = match name {
            "c-blosc2" => Reader::C_BLOSC2,
            "python-blosc2" => Reader::PYTHON_BLOSC2,
            _ => return Err(unknown()),
        };
        let Some(text) = version else { return Ok(last) };
        let mut version = [0; 3];
        let mut parts = text.split('.');
        for (place, part) in version.iter_mut().zip(parts.by_ref()) {
            *place = part.parse().map_err(|_| unknown())?;
        }
        if parts.next().is_some() { Err(unknown()) } else { Ok(Reader { version, ..last }) }
    }
}
