//! [`repack`]: copies a frame without its gaps, and optionally compresses it again.

use std::fs;
use std::path::Path;

use b2nd::B2ndMeta;
use b2nd_frame::{Chunk, CodecId, Compressor, Decompressor, File, Filter, FrameType, Header, LONGEST, Sizes, Target, Writer};
use b2nd_store::Bytes;

use crate::array::Array;
use crate::codec;
use crate::error::{Error, Result};
use crate::frame::{self, ArrayFrame};
use crate::options::{Options, check_filters, create};
use crate::threads::in_batches;
use crate::write::Packer;

/// Options of [`repack`]. By default, chunks are copied unchanged.
#[derive(Clone, Default)]
pub struct RepackOptions<'a> {
    /// The new codec. `None` keeps the old codec.
    pub codec: Option<CodecId>,
    /// The new compression level, from 0 (not compressed) to 9. `None` keeps the old level.
    pub level: Option<u8>,
    /// The new filters, each with its parameter, in the order in which they run. `None` keeps the old filters.
    pub filters: Option<Vec<(Filter, u8)>>,
    /// The new chunk shape, in elements. `None` keeps the old shape.
    pub chunkshape: Option<Vec<i32>>,
    /// The new block shape, in elements. `None` keeps the old shape, or, if `chunkshape` is given, chooses a shape like python-blosc2.
    pub blockshape: Option<Vec<i32>>,
    /// Whether the target is one file or the directory of a sparse frame. `None` keeps the old frame type.
    pub frame_type: Option<FrameType>,
    /// Whether an existing target file is replaced. If false, an existing file is an error, unless it is the source of [`repack`].
    pub overwrite: bool,
    /// The file or directory from which a new file or directory gets its permissions and, as far as possible, its owner, group and extended
    /// attributes. If this is `None`, [`repack`] uses its source. Nothing is copied to a file that replaces another.
    pub like: Option<&'a Path>,
    /// A function that is called after each chunk is written. Its argument is the length of the chunk's uncompressed data, in bytes.
    pub progress: Option<&'a dyn Fn(u64)>,
}

/// Copies a frame without the gaps that edits leave. By default, chunks, metalayers and attributes are copied byte for byte, and no chunk
/// is decompressed. If the options name a codec, a level, filters or shapes, chunks are compressed again, one per thread at a time. Special
/// chunks (elements that are all equal or undefined) and chunks with variable-length blocks are still copied unchanged, unless the options
/// give shapes.
///
/// `source` and `target` are files or directories of sparse frames. If both are the same file, it is replaced when the new file is
/// complete, and keeps its permissions. If another process or thread edits the source or the target, this function waits. A target
/// directory must not exist, unless it is the source. After an interrupted call, the target is unchanged or complete.
///
/// ```
/// use b2nd_ndarray::{Array, ArrayEditor, Options, RepackOptions, repack};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("log.b2nd");
/// b2nd_ndarray::write(&path, &ndarray::Array1::from_iter(0..1000_i64), &Options::default())?;
/// let mut editor = ArrayEditor::open(&path)?;
/// for row in 0..20 {
///     editor.write_slice(&[row..row + 1], &ndarray::array![-row])?;
/// }
/// drop(editor);
/// let edited = std::fs::metadata(&path)?.len();
///
/// repack(&path, &path, &RepackOptions::default())?;
/// assert!(std::fs::metadata(&path)?.len() < edited / 10);
/// assert_eq!(Array::open(&path)?.read::<i64>(&[0..3])?, ndarray::array![0, -1, -2].into_dyn());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails, for example, if:
///
/// * `source` is not a frame or cannot be read,
/// * `target` exists, unless it is the source, or a file that a new file replaces ([`overwrite`](RepackOptions::overwrite)),
/// * `target` cannot be written, or is the source itself and would change its frame type,
/// * chunks are compressed again, and the options are not valid, a codec or filter is not available, or the array would have the filter
///   delta (see [`write()`](crate::write())),
/// * new shapes are given, but they do not fit the array, or the frame has no metalayer `b2nd`,
/// * this thread has one of the files open in an editor, or has used [`File::open_shared`](b2nd_frame::File::open_shared) to open a file
///   that would be replaced.
pub fn repack(source: impl AsRef<Path>, target: impl AsRef<Path>, options: &RepackOptions<'_>) -> Result<()> {
    let (source, target) = (source.as_ref(), target.as_ref());
    if !matches!((fs::canonicalize(source), fs::canonicalize(target)), (Ok(one), Ok(other)) if one == other) {
        let held = File::open_shared(source)?;
        let options = &RepackOptions { like: options.like.or(Some(source)), ..options.clone() };
        let job = Job::new(frame::of_file(&held)?, options).map_err(|error| Error::in_file(source, error))?;
        return job.write(target, Some(held));
    }
    let mut editor = File::edit(source)?;
    let job = Job::new(frame::of_file(editor.file())?, options).map_err(|error| Error::in_file(source, error))?;
    if options.frame_type.is_some_and(|kind| kind != job.frame.header().frame_type()) {
        let why = "a file and the directory of a sparse frame cannot replace each other: choose another target";
        return Err(Error::in_file(source, Error::custom(why)));
    }
    let header = job.header.clone();
    let replaced = match job.frame.header().frame_type() {
        FrameType::Contiguous => editor.replace_with(header, |_, writer| job.fill(writer)),
        FrameType::Sparse => editor.replace_sparse_with(header, |_, writer| job.fill(writer)),
    };
    replaced.map_err(|error| Error::in_file(source, error))
}

/// Copies a frame like [`repack`], but from a source of bytes instead of a file, such as a member of an archive. The frame starts at the
/// first byte.
///
/// # Errors
///
/// Returns the errors of [`repack`].
pub fn repack_from(source: Bytes, target: impl AsRef<Path>, options: &RepackOptions<'_>) -> Result<()> {
    Job::new(ArrayFrame::open(source)?, options)?.write(target.as_ref(), None)
}

/// A frame to copy, and how its chunks are copied.
struct Job<'a> {
    frame: ArrayFrame,
    /// The header of the new frame.
    header: Header,
    work: Work,
    options: &'a RepackOptions<'a>,
}

enum Work {
    /// Chunks are copied unchanged.
    Copy,
    /// Chunks are compressed again. Some codecs need the array's metalayer to decompress a chunk.
    Compress { compressor: Compressor, metalayer: Vec<u8> },
    /// The array is divided into chunks or blocks of new shapes.
    Cut { array: Box<Array>, packer: Box<Packer> },
}

impl<'a> Job<'a> {
    fn new(frame: ArrayFrame, options: &'a RepackOptions<'a>) -> Result<Job<'a>> {
        let old = frame.header();
        let cuts = options.chunkshape.is_some() || options.blockshape.is_some();
        let copies = options.codec.is_none() && options.level.is_none() && options.filters.is_none();
        let mut header = old.clone();
        if copies && !cuts {
            return Ok(Job { frame, header, work: Work::Copy, options });
        }
        let meta = match old.array() {
            // A metalayer of the user can have the name "b2nd" and hold something other than an array's metadata.
            Err(_) if !cuts => None,
            Ok(None) if cuts => return Err(Error::custom("it has no array metalayer, so its chunks and blocks have no shapes")),
            meta => meta?,
        };
        let described = meta.as_ref().map(codec::metalayer).transpose()?.unwrap_or_default();
        let mut meta: Option<B2ndMeta> = if meta.is_some() { Some(b2nd::from_slice(&described)?) } else { None };
        let is_released = matches!(old.array_metalayer(), Ok(Some(("b2nd", ..))));
        if cuts && !is_released {
            return Err(Error::custom("its array metalayer is `caterva`; new shapes need `b2nd`: `b2nd upgrade` converts it"));
        }
        // If the header of an array has a blocksize of 0, as in some files, the new header is computed from the array's shapes.
        if let Some(meta) = meta.as_mut().filter(|_| is_released && (cuts || old.blocksize() == 0)) {
            header = cut(meta, old, options)?;
        }
        if let Some(codec) = options.codec {
            header = header.with_codec(codec)?;
        }
        if let Some(level) = options.level {
            header = header.with_level(level)?;
        }
        if let Some(filters) = &options.filters {
            check_filters(filters, header.typesize())?;
            header = header.with_filters(filters)?;
        }
        let work = match &meta {
            Some(meta) if cuts => {
                let array = Box::new(Array::try_from(frame.clone())?);
                Work::Cut { array, packer: Box::new(Packer::of(&header, meta)?) }
            }
            // A frame without chunks has nothing to compress, and its header may have lengths of 0.
            _ if frame.offsets()?.is_empty() => Work::Copy,
            Some(meta) => Work::Compress { compressor: codec::compressor(&header, meta)?, metalayer: described },
            None => Work::Compress { compressor: header.compressor()?, metalayer: described },
        };
        Ok(Job { frame, header, work, options })
    }

    /// Writes the new frame. `held` keeps the old frame's file locked until all of it has been read.
    fn write(&self, target: &Path, held: Option<File>) -> Result<()> {
        let kind = self.options.frame_type.unwrap_or(self.frame.header().frame_type());
        if kind == FrameType::Sparse {
            let mut writer = Writer::create_sparse(target, self.header.clone())?;
            self.options.like.map_or(Ok(()), |source| writer.copy_attributes(source))?;
            self.fill(&mut writer)?;
            return Ok(writer.finish()?);
        }
        let mut writer = create(target, self.header.clone(), self.options.overwrite)?;
        self.options.like.map_or(Ok(()), |source| writer.copy_attributes(source))?;
        self.fill(&mut writer)?;
        // `finish` waits for editors of the target. Such an editor may wait for the lock on the source, so this lock is released first.
        drop(held);
        Ok(writer.finish()?)
    }

    fn fill<T: Target>(&self, writer: &mut Writer<T>) -> Result<()> {
        writer.set_trailer(self.frame.trailer()?.clone());
        let count = match &self.work {
            Work::Cut { packer, .. } => packer.nchunks(),
            _ => {
                // The old frame may fail this check, for example if a user metalayer has the name "b2nd".
                writer.skip_array_check();
                self.frame.offsets()?.len()
            }
        };
        if count > LONGEST / 8 {
            return Err(Error::custom(format_args!("the copy needs {count} chunks; at most {} can be written", LONGEST / 8)));
        }
        let (frame, work) = (&self.frame, &self.work);
        in_batches(
            0..count,
            |number| work.chunk(frame, number),
            |number, chunk| {
                let length = match chunk {
                    Some(bytes) => {
                        let chunk = Chunk::from_slice(&bytes)?;
                        writer.append(&chunk)?;
                        chunk.header().nbytes()
                    }
                    None => writer.copy_chunk(frame, number)?,
                };
                self.options.progress.iter().for_each(|progress| progress(length as u64));
                Ok(())
            },
        )
    }
}

impl Work {
    /// Returns the new chunk with this index, or `None` if the old chunk must be copied unchanged.
    fn chunk(&self, frame: &ArrayFrame, number: u64) -> Result<Option<Vec<u8>>> {
        match self {
            Work::Copy => Ok(None),
            Work::Compress { compressor, metalayer } => {
                let chunk = frame.chunk(number)?;
                if chunk.header().special().is_some() || chunk.header().has_variable_blocks() || chunk.header().nbytes() == 0 {
                    return Ok(None);
                }
                let data = chunk.into_data_with(&mut Decompressor::new().with_metalayer(metalayer));
                let data = data.map_err(|error| Error::in_chunk(number, error.into()))?;
                Ok(Some(compressor.chunk(&data)?))
            }
            Work::Cut { array, packer } => packer.chunk_of(number, array).map(Some),
        }
    }
}

/// Sets the new shapes in an array's metalayer, and creates the header of the new frame.
fn cut(meta: &mut B2ndMeta, old: &Header, options: &RepackOptions<'_>) -> Result<Header> {
    let chunkshape = options.chunkshape.clone().unwrap_or_else(|| meta.geometry.chunkshape().to_vec());
    let kept = options.chunkshape.is_none().then(|| meta.geometry.blockshape().to_vec());
    let blockshape = options.blockshape.clone().or(kept);
    let shapes = Options { chunkshape: Some(chunkshape), blockshape, ..Options::default() };
    let itemsize = usize::try_from(old.typesize()).unwrap_or(0);
    meta.geometry = shapes.geometry(meta.geometry.shape(), itemsize)?;
    let grid = meta.geometry.grid()?;
    let size = |items: i64| i32::try_from(items.saturating_mul(old.typesize().into())).unwrap_or(i32::MAX);
    let (chunksize, blocksize) = (size(grid.extchunknitems()), size(grid.blocknitems()));
    let mut header = old.clone().with_sizes(Sizes { typesize: old.typesize(), chunksize, blocksize })?;
    header.metalayers_mut().set(meta)?;
    Ok(header)
}
