//! [`CatalogRow`]: a row of the catalogue, which describes a file or a leaf of a store.

use b2nd_frame::{Filter, FrameType};
use b2nd_view::store::Attributes;
use b2nd_view::text::parameter;
use b2nd_view::{Array, Frame, Kind};
use serde::Serialize;

use crate::listing::Unlisted;

/// A row of the catalogue, which describes a file or a leaf of a store. The fields are in the order of the columns. Unknown values are
/// `None`.
#[derive(Clone, Default, Debug, Serialize)]
pub struct CatalogRow {
    /// The URL of the file. For a sparse frame, this is the URL of the directory.
    pub url: String,
    /// The key of a leaf in its store, as in Python, or `None` for a file.
    pub key: Option<String>,
    /// The name of the [`Kind`] of the file or leaf.
    pub kind: Option<&'static str>,
    /// The error in the file or leaf, or the reason why the file could not be read or a location could not be listed.
    pub error: Option<String>,
    /// The length of the file in bytes (for a sparse frame, of the file with its header), the total length of the listed files of a `.b2d`
    /// store, or `None` for a leaf.
    pub size: Option<i64>,
    /// The ETag, by which the server identifies this version of the file. For a `.b2d` store, it is computed from the store's files.
    pub etag: Option<String>,
    /// The time of the last change, in microseconds since 1970 UTC.
    pub modified: Option<i64>,
    /// The path, within the store, of the file that contains the leaf. For a dataset of an HDF5 file, this is its path with the
    /// ending `.b2nd`.
    pub member: Option<String>,
    /// The position of the frame in the file or, for a leaf of a `.b2z`, in the archive. For a leaf that is embedded in a `.b2e`, this is
    /// the position in the data of the `.b2e`.
    pub offset: Option<i64>,
    pub ndim: Option<i32>,
    pub shape: Option<Vec<i64>>,
    pub chunkshape: Option<Vec<i64>>,
    pub blockshape: Option<Vec<i64>>,
    pub dtype: Option<String>,
    /// The itemsize of the dtype, or the typesize of the frame if it has no dtype or one that is not supported.
    pub itemsize: Option<i64>,
    /// The length of the uncompressed data in bytes, including the padding of chunks.
    pub nbytes: Option<i64>,
    pub cbytes: Option<i64>,
    pub ratio: Option<f64>,
    pub codec: Option<String>,
    pub level: Option<i32>,
    pub filters: Option<Vec<String>>,
    /// The number of chunks, or `None` if chunks vary in length and the index was not read.
    pub nchunks: Option<i64>,
    /// The layout of the array metalayer.
    pub layout: Option<&'static str>,
    pub frame_type: Option<&'static str>,
    pub frame_version: Option<i32>,
    /// The names of the metalayers.
    pub metalayers: Option<Vec<String>>,
    /// The attributes as JSON.
    pub attributes: Option<String>,
    pub dims: Option<Vec<String>>,
    pub units: Option<String>,
    pub long_name: Option<String>,
}

impl From<Unlisted> for CatalogRow {
    /// Returns the row of a location that could not be listed.
    fn from(Unlisted { url, message }: Unlisted) -> CatalogRow {
        CatalogRow { url, error: Some(format!("cannot be listed: {message}")), ..CatalogRow::default() }
    }
}

/// Which parts of a frame to read in addition to the header.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Whether to read the attributes, which are at the end of the frame.
    pub attributes: bool,
    /// Whether to read the index. It is only read if chunks vary in length, to count them.
    pub index: bool,
}

impl CatalogRow {
    /// Fills in the columns that describe a frame.
    ///
    /// # Errors
    ///
    /// Fails if the source returns an error, if the array metalayer or another part that is needed cannot be read, or if the file is cut
    /// off. The columns that were determined before are filled in nevertheless.
    pub fn describe(&mut self, frame: &Frame, extent: Extent) -> b2nd_frame::Result<()> {
        let header = frame.header();
        self.offset = Some(saturated(frame.position()));
        self.itemsize = Some(header.typesize().into());
        self.nbytes = Some(header.nbytes());
        self.cbytes = Some(header.cbytes());
        self.ratio = (header.cbytes() > 0).then(|| header.nbytes() as f64 / header.cbytes() as f64);
        self.codec = Some(header.codec().to_string());
        self.level = Some(header.level().into());
        self.filters = Some(header.filters().map(|(filter, meta)| filter_name(filter, meta)).collect());
        self.nchunks = header.nchunks().map(saturated);
        self.frame_type = Some(match header.frame_type() {
            FrameType::Contiguous => "contiguous",
            FrameType::Sparse => "sparse",
        });
        self.frame_version = Some(header.version().into());
        self.metalayers = Some(header.metalayers().iter().map(|(name, _)| String::from_utf8_lossy(name).into_owned()).collect());
        self.kind = Some(Kind::of(header, None).name());
        let array = Array::find(header);
        if let Ok(Some(array)) = &array {
            self.describe_array(array);
        }
        // To recognize a few kinds, the header is not enough and the attributes must be read too.
        let is_open = matches!(array, Ok(None)) && header.has_vlmetalayers() && self.kind == Some(Kind::SChunk.name());
        if extent.attributes || is_open {
            let trailer = frame.trailer()?;
            self.kind = Some(Kind::of(header, Some(trailer)).name());
            if extent.attributes {
                self.attach(&Attributes::of(frame)?)?;
            }
        }
        if extent.index && self.nchunks.is_none() {
            self.nchunks = Some(frame.offsets()?.len() as i64);
        }
        array.map(|_| ())?;
        let (found, expected) = (frame.source().len()?.saturating_sub(frame.position()), header.frame_len());
        if found < expected {
            let message = format_args!("the frame's header says {expected} bytes, but the file or leaf ends after {found}");
            return Err(b2nd_frame::Error::custom(message));
        }
        Ok(())
    }

    fn describe_array(&mut self, array: &Array) {
        let geometry = array.meta.geometry();
        self.layout = Some(array.layout());
        self.ndim = Some(geometry.ndim() as i32);
        self.shape = Some(geometry.shape().to_vec());
        self.chunkshape = Some(geometry.chunkshape().iter().map(|&length| length.into()).collect());
        self.blockshape = Some(geometry.blockshape().iter().map(|&length| length.into()).collect());
        self.dtype = array.meta.dtype().map(str::to_owned);
        if let Ok(Some(dtype)) = array.meta.parse_dtype() {
            self.itemsize = Some(dtype.itemsize() as i64);
        }
    }
}

fn filter_name(filter: Filter, meta: u8) -> String {
    match parameter(filter, meta) {
        0 => filter.to_string(),
        meta => format!("{filter}({meta})"),
    }
}

fn saturated(number: u64) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// The text with which [`CatalogRow::error`] starts if the file could not be read. Other errors are about the content of the file, or about
/// a location that could not be listed.
pub const UNREADABLE: &str = "cannot be read: ";
