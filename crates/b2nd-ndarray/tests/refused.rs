//! Input that cannot be read or written causes an error that says why, but no panic and no large allocation.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
// A slice of a one-dimensional array is one range.
#![allow(clippy::single_range_in_vec_init)]

use std::path::Path;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{Chunk, CodecId, File, Filter, Header, HeaderField, Sizes, Special, SplitMode, Writer};
use b2nd_ndarray::{Appender, Array, ArrayEditor, Error, Options, Result};
use ndarray::{SliceInfoElem, array};
use tempfile::TempDir;

const DATA: &str = "../../tests/data";

/// The approximate number of bytes in each file that are damaged, one at a time.
const STEPS: usize = 20;

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T>, expected: &str) {
    assert_eq!(result.unwrap_err().kind().to_string(), expected);
}

fn open(file: &str) -> Array {
    Array::open(Path::new(DATA).join(file)).unwrap()
}

#[test]
fn what_holds_no_array_is_named_with_its_path() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let store = "it is a store: open one of its arrays by its key, with `Array::from_store` or in the tool `b2nd` as STORE::KEY";
    let release = Path::new(DATA).join("python-blosc2-4.14.1");
    let frame = std::fs::read(Path::new(DATA).join("example.b2nd")).unwrap();
    let plain = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 8, blocksize: 8 }).unwrap()).finish().unwrap();
    std::fs::create_dir(directory.path().join("a.b2d")).unwrap();
    std::fs::create_dir(directory.path().join("a.zarr")).unwrap();
    at("a.zarr/zarr.json", b"{}");
    for (path, expected) in [
        (at("a.npy", b"\x93NUMPY\x01\0"), "it is a NumPy file: "),
        (at("a.h5", b"\x89HDF\r\n\x1a\n"), "it is an HDF5 file, which "),
        (at("a.txt", b"a text that is no frame"), "it is a text file"),
        (release.join("treestore__dfltb2z.b2z"), store),
        (directory.path().join("a.b2d"), store),
        (directory.path().join("a.zarr"), "it is a Zarr store, or a part of one"),
        (at("cut.b2nd", &frame[..100]), "unexpected end of input at byte 100: "),
        (directory.path().join("nothing"), "No such file or directory"),
    ] {
        let said = Array::open(&path).unwrap_err().to_string();
        let rest = said.strip_prefix(&format!("{}: ", path.display()));
        assert!(rest.is_some_and(|rest| rest.starts_with(expected)), "{said}");
    }
    // A frame without an array is valid too.
    assert!(Array::open(at("a.b2frame", &plain)).unwrap().is_flat());
}

#[test]
fn errors_about_an_array_have_the_path_of_its_file() {
    let damaged = chunk_of(|bytes| bytes[21] = 165, &[0; 8]);
    let (directory, array) = file_of("<u4", &damaged);
    let [path, sound] = ["array.b2nd", "sound.b2nd"].map(|name| directory.path().join(name));
    b2nd_ndarray::write(&sound, &array![1, 2], &Options::default()).unwrap();
    let release = Path::new(DATA).join("python-blosc2-4.14.1");
    let store = release.join("treestore__dfltb2z.b2z");
    let leaf = || Array::from_store(&store, "g1/n3").unwrap();
    let file = || Array::new(File::open(&path).unwrap()).unwrap();
    let appended = Appender::open(&sound).unwrap().append(&array![1.5]).err();
    let edited = |edit: &dyn Fn(&mut ArrayEditor) -> Result<(), Error>| edit(&mut ArrayEditor::open(&sound).unwrap()).err();
    let appended_bytes = Appender::open(&sound).unwrap().append_bytes(&[0]).err();
    let batches = release.join("listarray__strings.b2frame");
    let lazy = release.join("c2array__offline.b2nd");
    for (path, error, is_it) in [
        (path.clone(), array.read::<f32>(&[0..1]).err(), (|error| matches!(error, Error::DType { .. })) as fn(&Error) -> bool),
        (path.clone(), array.read::<u32>(&[0..1]).err(), |error| matches!(error, Error::Chunk { number: 0, .. })),
        (path.clone(), file().select::<u32>(&[[0].into()]).err(), |error| matches!(error, Error::Chunk { .. })),
        (path.clone(), array.read::<u32>(&[0..3]).err(), |error| matches!(error, Error::B2nd(_))),
        (path.clone(), array.read_into(&[0..1], array![1_u32, 2].into_dyn().view_mut()).err(), |error| {
            matches!(error, Error::View { .. })
        }),
        (path.clone(), array.slice::<u32>(b2nd_ndarray::s![2]).err(), |error| matches!(error, Error::Index { .. })),
        (path.clone(), array.select::<u32>(&[[2].into()]).err(), |error| matches!(error, Error::Index { .. })),
        (path.clone(), array.select_bytes(&[]).err(), |error| matches!(error, Error::Dimensions { .. })),
        (path.clone(), array.byte_ranges(&[0..3], 0).err(), |error| matches!(error, Error::B2nd(_))),
        (path.clone(), array.chunk::<u32>(1).err(), |error| matches!(error, Error::B2nd(_))),
        (sound.clone(), edited(&|array| array.resize(&[3, 1], 1_i32)), |error| matches!(error, Error::Dimensions { .. })),
        (sound.clone(), edited(&|array| array.write_slice(&[0..1], &array![1, 2])), |error| matches!(error, Error::View { .. })),
        (sound.clone(), appended_bytes, |error| matches!(error, Error::Length { .. })),
        (sound.clone(), appended, |error| matches!(error, Error::DType { .. })),
        (sound.clone(), edited(&|array| array.resize(&[3], 1_u8)), |error| matches!(error, Error::DType { .. })),
        (batches.clone(), Array::open(&batches).err(), |error| matches!(error, Error::NoArray)),
        (lazy.clone(), Array::open(&lazy).err(), |error| matches!(error, Error::Elsewhere { .. })),
        (format!("{}::/g1/n3", store.display()).into(), leaf().read::<f32>(&[0..1]).err(), |error| {
            matches!(error, Error::DType { .. })
        }),
    ] {
        let error = error.unwrap();
        assert!(is_it(error.kind()), "{error}");
        assert_eq!(error.to_string(), format!("{}: {}", path.display(), error.kind()));
    }
}

/// An array of one chunk with two elements, in a temporary directory.
fn file_of(dtype: &str, chunk: &[u8]) -> (TempDir, Array) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    let meta = B2ndMeta::new(Geometry::new(&[2], &[2], &[2]).unwrap(), dtype);
    let mut writer = Writer::create(&path, Header::for_array(&meta).unwrap()).unwrap();
    writer.append(&Chunk::from_slice(chunk).unwrap()).unwrap();
    writer.finish().unwrap();
    let reader = Array::open(path).unwrap();
    (directory, reader)
}

/// A chunk of 8 bytes with typesize 4, whose header `patch` can change.
fn chunk_of(patch: impl Fn(&mut [u8]), data: &[u8]) -> Vec<u8> {
    let mut bytes = Chunk::store(&[7; 8], 4).unwrap().into_bytes();
    bytes.truncate(32);
    bytes.extend_from_slice(data);
    // Marks the data as compressed.
    bytes[2] = 0x05;
    bytes[12] = bytes.len() as u8;
    patch(&mut bytes);
    bytes
}

#[test]
fn elements_of_another_type() {
    refused(
        open("python-blosc2-2.1.0/ndim__chunked_2.b2nd").read::<f32>(&[0..1, 0..1]),
        "the elements are uint16, little-endian, not float32",
    );
    refused(
        open("example.b2nd").read::<f64>(&[0..1, 0..1, 0..1]),
        "the elements are structure of 3 fields, 16 bytes, not float64",
    );
    refused(open("python-caterva-0.6.0/parts__1.caterva").read::<i8>(&[0..1]), "the elements are of unknown dtype, not int8");
}

#[test]
fn a_slice_outside_the_array() {
    let reader = open("python-blosc2-2.1.0/ndim__chunked_2.b2nd");
    let shape = reader.grid().shape().to_vec();
    refused(reader.read_bytes(&[0..1]), "slice: expected one range per dimension (2), found 1");
    let past = shape[1] + 1;
    let expected = format!("slice[1]: expected 0 <= start <= stop <= {}, found 0..{past}", shape[1]);
    refused(reader.read_bytes(&[0..1, 0..past]), &expected);
    // ndarray panics on these indices.
    let before = -(shape[1] as isize) - 1;
    for slice in [(0, Some(before)), (before, None)] {
        let slice = [(0, Some(1)), slice].map(|(start, end)| SliceInfoElem::Slice { start, end, step: 1 });
        refused(reader.slice::<u16>(slice), &format!("index {before} is outside dimension 1, whose length is {}", shape[1]));
    }
}

#[test]
fn an_attribute_that_is_given_twice() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    let attributes = ["a", "b", "a"].map(|name| (name.to_owned(), b"\x01".to_vec())).to_vec();
    let written = b2nd_ndarray::write(&path, &array![1, 2], &Options { attributes, ..Options::default() });
    refused(written, "attribute \"a\" is given twice");
    assert!(!path.exists());
}

/// The header's typesize is the size of an element.
#[test]
fn a_typesize_that_the_data_do_not_have_takes_no_memory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    b2nd_ndarray::write(&path, &array![1_u8, 2, 3], &Options::default()).unwrap();
    let mut frame = std::fs::read(&path).unwrap();
    frame[HeaderField::TYPESIZE.value()].copy_from_slice(&2_000_000_000_i32.to_be_bytes());
    std::fs::write(&path, frame).unwrap();
    let array = Array::open(&path).unwrap();
    let expected = "the selected range spans 6,000,000,000 bytes, but the header says 3 bytes of data";
    refused(array.read_bytes(&array.whole()), expected);
}

#[test]
fn a_slice_of_more_chunks_than_there_are() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    let meta = B2ndMeta::of::<f64>(Geometry::new(&[1 << 60], &[1 << 20], &[1 << 10]).unwrap());
    let empty = B2ndMeta::of::<f64>(Geometry::new(&[0], &[1 << 20], &[1 << 10]).unwrap());
    Writer::create(&path, Header::for_array(&empty).unwrap()).unwrap().finish().unwrap();
    File::edit(&path).unwrap().overwrite_metalayer_unchecked("b2nd", &b2nd::to_vec(&meta).unwrap()).unwrap();
    let reader = Array::open(path).unwrap();
    refused(reader.read::<f64>(&[0..1 << 60]), "chunk 1099511627775: the frame has only 0 chunks");
}

/// Linux allows names that are not UTF-8.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_is_printed_once() {
    use std::os::unix::ffi::OsStrExt;

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9.b2nd"));
    let error = Array::open(&path).unwrap_err().to_string();
    assert_eq!(error.matches("caf\u{fffd}.b2nd").count(), 1, "{error}");
}

#[test]
fn a_special_chunk_of_two_gigabytes_takes_no_memory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    let length = (1 << 28) - 16;
    let meta = B2ndMeta::of::<f64>(Geometry::new(&[i64::from(length)], &[length], &[length / 4]).unwrap());
    let header = Header::for_array(&meta).unwrap();
    let nbytes = usize::try_from(header.chunksize()).unwrap();
    let mut writer = Writer::create(&path, header).unwrap();
    writer.append_special(Special::Nan, nbytes).unwrap();
    writer.finish().unwrap();
    let reader = Array::open(path).unwrap();
    let slice = [1_000_000..1_000_003];
    let mut values = None;
    let memory = allocation_counter::measure(|| values = Some(reader.read::<f64>(&slice).unwrap()));
    assert!(values.unwrap().iter().all(|value| value.is_nan()));
    assert!(memory.bytes_max < 100_000, "{memory:?}");
}

#[test]
fn a_chunk_of_another_length_than_the_shapes_say() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap();
    header.metalayers_mut().set(&B2ndMeta::of::<u8>(Geometry::new(&[4], &[4], &[4]).unwrap())).unwrap();
    let mut writer = Writer::create(&path, header).unwrap();
    writer.append(&Chunk::store(b"abcd", 1).unwrap()).unwrap();
    writer.finish().unwrap();
    let meta = B2ndMeta::of::<u8>(Geometry::new(&[4], &[3], &[3]).unwrap());
    File::edit(&path).unwrap().overwrite_metalayer_unchecked("b2nd", &b2nd::to_vec(&meta).unwrap()).unwrap();
    let expected = "chunk 0: expected 3 bytes for the array's shapes, found 4 bytes";
    refused(Array::open(path).unwrap().read::<u8>(&[0..1]), expected);
}

#[test]
fn a_repeated_value_that_is_no_element() {
    let value = |typesize: u8, data: &[u8]| {
        chunk_of(
            |bytes| {
                bytes[3] = typesize;
                bytes[31] = 3 << 4;
            },
            data,
        )
    };
    let bytes = value(4, &[1, 2, 3, 4]);
    let (_directory, reader) = file_of("<u4", &bytes);
    assert_eq!(reader.read::<u32>(&[0..2]).unwrap(), array![0x0403_0201, 0x0403_0201].into_dyn());
    let bytes = value(3, &[1, 2, 3]);
    let (_directory, reader) = file_of("<u4", &bytes);
    refused(reader.read::<u32>(&[0..2]), "chunk 0: it repeats a value of 3 bytes, but the array's elements have 4");
}

#[test]
fn codecs_and_filters_that_the_codec_crate_does_not_have() {
    let grok = chunk_of(
        |bytes| {
            bytes[2] = 0xc5;
            bytes[22] = 37;
        },
        &[0; 8],
    );
    let none = |what: &str| format!("{what} is not supported");
    refused(file_of("<u4", &grok).1.read::<u32>(&[0..1]), &format!("chunk 0: {}", none("codec grok")));
    let own = chunk_of(|bytes| bytes[21] = 165, &[0; 8]);
    refused(file_of("<u4", &own).1.read::<u32>(&[0..1]), &format!("chunk 0: {}", none("filter 165")));

    let path = tempfile::tempdir().unwrap().path().join("array.b2nd");
    let array = array![1, 2];
    let codec = Options { codec: CodecId::Other(37), ..Options::default() };
    refused(b2nd_ndarray::write(&path, &array, &codec), &none("codec grok"));
    let filters = Options { filters: vec![(Filter::Other(165), 0)], ..Options::default() };
    refused(b2nd_ndarray::write(&path, &array, &filters), &none("filter 165"));
}

#[test]
fn the_cause_of_a_chunks_error_is_kept() {
    let own = chunk_of(|bytes| bytes[21] = 165, &[0; 8]);
    let error = file_of("<u4", &own).1.read::<u32>(&[0..1]).unwrap_err();
    let cause = std::error::Error::source(&error).unwrap();
    assert_eq!(cause.to_string(), error.kind().to_string());
    assert_eq!(cause.to_string(), format!("chunk 0: {}", cause.source().unwrap()));
    assert!(matches!(error.kind(), Error::Chunk { number: 0, source } if matches!(**source, Error::B2nd(_))));
}

#[test]
fn what_is_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    let short = Options { chunkshape: Some(vec![1]), ..Options::default() };
    let expected = "chunkshape has 1 dimension, but ndim is 2";
    refused(b2nd_ndarray::write(&path, &array![[1, 2]], &short), expected);
    let long = Options { chunkshape: Some(vec![1, 2]), blockshape: Some(vec![1, 3]), ..Options::default() };
    let expected = "blockshape[1] is 3, but chunkshape[1] is 2: blocks must fit in chunks";
    refused(b2nd_ndarray::write(&path, &array![[1, 2]], &long), expected);
    let meta = B2ndMeta::of::<u16>(Geometry::new(&[3], &[3], &[3]).unwrap());
    refused(b2nd_ndarray::write_bytes(&path, &meta, &[0; 5], &Options::default()), "expected 6 bytes, found 5");
    let delta = Options { filters: vec![(Filter::Delta, 0)], ..Options::default() };
    let expected = "C-Blosc2 3.3.5 reads wrong values from slices of arrays with the filter delta: other filters are needed";
    refused(b2nd_ndarray::write(&path, &array![1, 2], &delta), expected);
    let wide = B2ndMeta::new(Geometry::new(&[2], &[2], &[2]).unwrap(), "|S128");
    for parameter in [0, 128] {
        let bytedelta = Options { filters: vec![(Filter::Shuffle, 0), (Filter::Other(35), parameter)], ..Options::default() };
        let expected = "filter bytedelta: expected a typesize or parameter of at most 127, found 128: python-blosc2 cannot \
                        open files with a larger one";
        refused(b2nd_ndarray::write_bytes(&path, &wide, &[0; 256], &bytedelta), expected);
    }
    assert!(!path.exists());
}

#[test]
fn arrays_whose_elements_are_elsewhere() {
    let refused_file = |file: &str, metalayer: &str| {
        let expected =
            format!("the file may not contain all values: python-blosc2 computes or fetches them (metalayer {metalayer})");
        refused(Array::open(Path::new(DATA).join(file)), &expected);
    };
    refused_file("python-blosc2-4.8.0/lazy__udf.b2nd", "LazyArray");
    refused_file("python-blosc2-4.14.1/c2array__offline.b2nd", "b2o");
}

/// The table in a chunk has the offsets of its blocks.
#[test]
fn blocks_that_start_where_none_can() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    // The first block is random, so it is stored uncompressed.
    let mut state = 1_u64;
    let values = ndarray::Array1::from_shape_fn(4000, |at| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if at < 1000 { (state >> 32) as u32 } else { 1 }
    });
    let cut = Options {
        chunkshape: Some(vec![4000]),
        blockshape: Some(vec![1000]),
        split_mode: SplitMode::Never,
        ..Options::default()
    };
    b2nd_ndarray::write(&path, &values, &cut).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let header_len = Header::from_slice(&whole).unwrap().header_len();
    let table = header_len + 32;
    // The offset 8 is in the header, at a value that could be the length of a stored block. The other offsets are negative or
    // after the end.
    for start in [8_i32, -1, i32::MAX] {
        let mut damaged = whole.clone();
        damaged[table..table + 4].copy_from_slice(&start.to_le_bytes());
        std::fs::write(&path, &damaged).unwrap();
        let error = Array::open(&path).unwrap().read::<u32>(&[0..3]).unwrap_err().kind().to_string();
        assert!(error.starts_with("chunk 0: block 0: expected a start in bytes "), "{start}: {error}");
    }
}

/// Changes bytes in the chunks and indexes of files. Reading them gives values or an error, but no panic in a codec.
#[test]
fn damaged_chunks() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("damaged");
    let (mut read, mut refused) = (0, 0);
    for line in include_str!("values.tsv").lines() {
        let file = line.split('\t').next().unwrap();
        let Ok(whole) = std::fs::read(Path::new(DATA).join(file)) else { continue };
        let header_len = match Header::from_slice(&whole) {
            Ok(header) if header.nbytes() < 1 << 20 => header.header_len(),
            _ => continue,
        };
        for at in (header_len..whole.len()).step_by(((whole.len() - header_len) / STEPS).max(1)) {
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] ^= flip;
                std::fs::write(&path, &damaged).unwrap();
                // Some files cannot be opened, for example because they do not contain their values.
                let Ok(reader) = Array::open(&path) else { continue };
                let slice = reader.whole();
                match reader.read_bytes(&slice) {
                    Ok(bytes) => {
                        assert_eq!(bytes.len() as i64, reader.grid().nitems() * reader.itemsize() as i64);
                        read += 1;
                    }
                    Err(error) => {
                        assert!(!error.to_string().contains("panicked"), "{file}, byte {at} ^ {flip:02x}: {error}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(read > 500 && refused > 500, "{read} read, {refused} refused");
}

#[test]
fn blocks_that_could_be_written_but_not_read_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.b2nd");
    let items = 536_866_817;
    let options = Options { chunkshape: Some(vec![items]), blockshape: Some(vec![items]), ..Options::default() };
    let expected = "blockshape: expected blocks of at most 536866816 bytes, found 536866817";
    refused(b2nd_ndarray::write(&path, &array![0_u8], &options), expected);
    refused(Appender::create::<u8>(&path, &[], &options), expected);
    refused(options.geometry(&[3], 1), expected);
    assert!(!path.exists());

    // Another program may have written a file with such blocks.
    let meta = B2ndMeta::new(Geometry::new(&[0], &[items], &[items]).unwrap(), "|u1");
    std::fs::write(&path, Writer::new(Header::for_array(&meta).unwrap()).finish().unwrap()).unwrap();
    refused(ArrayEditor::open(&path).and_then(|mut editor| editor.resize(&[3], 1_u8)), expected);
    let mut log = Appender::open(&path).unwrap();
    log.append(&array![1_u8]).unwrap();
    refused(log.flush(), expected);
}

/// Compressing much longer blocks could take minutes.
#[test]
fn a_block_that_is_longer_than_its_chunk_is_not_edited() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.b2nd");
    let options = Options { chunkshape: Some(vec![5]), blockshape: Some(vec![3]), ..Options::default() };
    b2nd_ndarray::write(&path, &array![1_u8, 2, 3], &options).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(6).position(|part| part == b"\x91\xd2\0\0\0\x03").unwrap();
    bytes[at + 2..at + 6].copy_from_slice(&65_537_i32.to_be_bytes());
    std::fs::write(&path, bytes).unwrap();
    let error = ArrayEditor::open(&path).unwrap_err().to_string();
    assert!(error.contains("block"), "{error}");
    assert!(Appender::open(&path).is_err());
}
