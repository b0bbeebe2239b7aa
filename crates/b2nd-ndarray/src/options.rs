//! [`Options`]: chunks, compression, metalayers and attributes of a new array.

use std::path::Path;

use b2nd::{B2ndMeta, CatervaMeta, Geometry, Metalayer};
use b2nd_frame::{CodecId, Filter, Header, OneFile, SplitMode, Target, Writer};

use crate::error::{Error, Result};
use crate::shapes;

/// The filter bytedelta.
const BYTEDELTA: Filter = Filter::Other(35);
const MAX_BYTEDELTA: i32 = 127;

/// Options of a new array: its chunks and blocks, its compression, and the other metalayers and attributes of its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The shape of a chunk, in elements. `None` chooses a shape like python-blosc2, with about 4 MiB if the array is large.
    pub chunkshape: Option<Vec<i32>>,
    /// The shape of a block, in elements. `None` chooses a shape like python-blosc2, with about 128 KiB if the chunk is large.
    pub blockshape: Option<Vec<i32>>,
    /// The codec that compresses the blocks.
    pub codec: CodecId,
    /// The compression level, from 0 (not compressed) to 9.
    pub level: u8,
    /// At most six filters, each with its parameter, in the order in which they run.
    pub filters: Vec<(Filter, u8)>,
    /// Whether a block is split into one stream for each byte of an element. The streams are then compressed separately.
    pub split_mode: SplitMode,
    /// The metalayers in addition to the array's own metalayer. Each has a name of at most 31 bytes, and its content. They are stored in
    /// the header, and their lengths can be changed later only by rewriting the file. The names `b2nd` and `caterva`, and names that occur
    /// twice, are errors.
    pub metalayers: Vec<(String, Vec<u8>)>,
    /// The attributes (variable-length metalayers). Each has a name of at most 31 bytes, and its content. python-blosc2 expects contents in
    /// MessagePack, which [`b2nd::msgpack::to_vec`] returns.
    pub attributes: Vec<(String, Vec<u8>)>,
    /// Whether an existing file is replaced. If false, an existing file is an error.
    pub overwrite: bool,
}

/// The defaults of python-blosc2: Zstandard after a byte shuffle, level 5.
impl Default for Options {
    fn default() -> Self {
        Options {
            chunkshape: None,
            blockshape: None,
            codec: CodecId::Zstd,
            level: 5,
            filters: vec![(Filter::Shuffle, 0)],
            split_mode: SplitMode::Auto,
            metalayers: Vec::new(),
            attributes: Vec::new(),
            overwrite: false,
        }
    }
}

impl Options {
    /// Returns the geometry of an array of this shape with elements of `itemsize` bytes. It has the chunk and block shapes of these
    /// options. A shape that is `None` is chosen.
    ///
    /// # Errors
    ///
    /// Fails if the shapes are not valid, for example if they have different numbers of dimensions, more than 16 dimensions or a negative
    /// length, or if a block is longer than its chunk or has more bytes than Blosc2 allows.
    ///
    /// ```
    /// let geometry = b2nd_ndarray::Options::default().geometry(&[8192, 8192], 4)?;
    /// assert_eq!((geometry.chunkshape(), geometry.blockshape()), (&[128, 8192][..], &[4, 8192][..]));
    /// # Ok::<(), b2nd_ndarray::Error>(())
    /// ```
    pub fn geometry(&self, shape: &[i64], itemsize: usize) -> Result<Geometry> {
        shapes::geometry(shape, itemsize, self.chunkshape.as_deref(), self.blockshape.as_deref())
    }

    /// Returns the header of the array's frame.
    pub(crate) fn header(&self, meta: &B2ndMeta) -> Result<Header> {
        let mut header = Header::for_array(meta)?;
        check_filters(&self.filters, header.typesize())?;
        for (number, (name, _)) in self.attributes.iter().enumerate() {
            if self.attributes[..number].iter().any(|(earlier, _)| earlier == name) {
                return Err(Error::custom(format_args!("attribute {name:?} is given twice")));
            }
        }
        header =
            header.with_codec(self.codec)?.with_level(self.level)?.with_filters(&self.filters)?.with_split_mode(self.split_mode);
        for (name, content) in &self.metalayers {
            if name == CatervaMeta::NAME || header.metalayers_mut().insert(name, content.clone())?.is_some() {
                let why = if name == B2ndMeta::<&str>::NAME || name == CatervaMeta::NAME {
                    "is reserved for the array's own metalayer"
                } else {
                    "occurs twice"
                };
                return Err(Error::custom(format_args!("metalayers: the name {name:?} {why}")));
            }
        }
        Ok(header)
    }

    /// Creates a file with the attributes of these options, and returns the file's writer.
    pub(crate) fn create(&self, path: impl AsRef<Path>, header: Header) -> Result<Writer<OneFile>> {
        let mut writer = create(path.as_ref(), header, self.overwrite)?;
        self.attach(&mut writer)?;
        Ok(writer)
    }

    /// Adds the attributes of these options to a frame.
    pub(crate) fn attach<T: Target>(&self, writer: &mut Writer<T>) -> Result<()> {
        Ok(self.attributes.iter().try_for_each(|(name, content)| writer.set_vlmetalayer_bytes(name, content))?)
    }
}

/// Creates a file. Without `overwrite`, fails if a file with this path exists.
pub(crate) fn create(path: &Path, header: Header, overwrite: bool) -> Result<Writer<OneFile>> {
    Ok(if overwrite { Writer::create(path, header)? } else { Writer::create_new(path, header)? })
}

/// Rejects the filter bytedelta with a typesize or parameter that prevents python-blosc2 from opening a file.
pub(crate) fn check_filters(filters: &[(Filter, u8)], typesize: i32) -> Result<()> {
    // The parameter 0 means the size of an element.
    let wide = |meta: u8| if meta == 0 { typesize } else { i32::from(meta) };
    match filters.iter().find(|(filter, meta)| *filter == BYTEDELTA && wide(*meta) > MAX_BYTEDELTA) {
        Some(&(_, meta)) => Err(Error::custom(format_args!(
            "filter bytedelta: expected a typesize or parameter of at most {MAX_BYTEDELTA}, found {}: python-blosc2 cannot \
             open files with a larger one",
            wide(meta)
        ))),
        None => Ok(()),
    }
}
