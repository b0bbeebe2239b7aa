//! Arrays are read back as they were written, as a whole and in slices. Only the blocks that a slice touches are read from the
//! file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
// A slice of a one-dimensional array is one range.
#![allow(clippy::single_range_in_vec_init)]

use std::ops::Range;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{Chunk, CodecId, File, Filter, Header, Sizes, Special, SplitMode, Writer};
use b2nd_ndarray::{Array, Element, Options, Select};
use ndarray::{Array2, Array3, ArrayD, Axis, IxDyn, Slice, arr0, array, s};
use num_complex::Complex;
use tempfile::TempDir;

/// An array of consecutive numbers that are scrambled so that most bytes of most types vary.
fn numbered<T>(shape: &[usize], value: impl Fn(u32) -> T) -> ArrayD<T> {
    let mut next = 0_u32;
    ArrayD::from_shape_simple_fn(IxDyn(shape), || {
        next = next.wrapping_add(1);
        value(next.wrapping_mul(0x9e37_79b1) >> 7)
    })
}

fn options(chunkshape: &[i32], blockshape: &[i32]) -> Options {
    Options { chunkshape: Some(chunkshape.to_vec()), blockshape: Some(blockshape.to_vec()), ..Options::default() }
}

/// Writes an array to a file in a temporary directory and opens it.
#[track_caller]
fn written<T: Element>(array: &ArrayD<T>, options: &Options) -> (TempDir, Array) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    b2nd_ndarray::write(&path, array, options).unwrap();
    (directory, Array::open(path).unwrap())
}

fn cut<T: Clone>(array: &ArrayD<T>, slice: &[Range<i64>]) -> ArrayD<T> {
    let whole = array.slice_each_axis(|axis| {
        let range = &slice[axis.axis.index()];
        Slice::from(range.start as isize..range.end as isize)
    });
    whole.to_owned()
}

#[track_caller]
fn comes_back<T: Element + PartialEq + std::fmt::Debug>(array: &ArrayD<T>, options: &Options) {
    let (_directory, reader) = written(array, options);
    let whole = reader.whole();
    assert_eq!(reader.read::<T>(&whole).unwrap(), *array, "{options:?}");
}

#[test]
fn every_type_comes_back() {
    let options = options(&[4, 5], &[3, 2]);
    let shape = [7, 11];
    comes_back(&numbered(&shape, |n| n % 3 == 0), &options);
    comes_back(&numbered(&shape, |n| n as i8), &options);
    comes_back(&numbered(&shape, |n| n as i16), &options);
    comes_back(&numbered(&shape, |n| n as i32), &options);
    comes_back(&numbered(&shape, |n| i64::from(n) * -0x0101_0101), &options);
    comes_back(&numbered(&shape, |n| n as u8), &options);
    comes_back(&numbered(&shape, |n| n as u16), &options);
    comes_back(&numbered(&shape, |n| n), &options);
    comes_back(&numbered(&shape, |n| u64::from(n) << 30), &options);
    comes_back(&numbered(&shape, |n| n as f32 / 3.0), &options);
    comes_back(&numbered(&shape, |n| f64::from(n) / 3.0), &options);
    comes_back(&numbered(&shape, |n| Complex::new(n as f32, -1.5)), &options);
    comes_back(&numbered(&shape, |n| Complex::new(0.25, f64::from(n))), &options);
}

#[test]
fn every_shape_comes_back() {
    comes_back(&arr0(-12.5).into_dyn(), &Options::default());
    comes_back(&numbered(&[1], |n| n), &options(&[1], &[1]));
    comes_back(&numbered(&[1000], |n| n), &options(&[300], &[70]));
    comes_back(&numbered(&[13, 17], |n| n), &options(&[13, 17], &[13, 17]));
    comes_back(&numbered(&[13, 17], |n| n), &options(&[20, 20], &[20, 7]));
    comes_back(&numbered(&[5, 6, 7], |n| n), &options(&[2, 4, 7], &[2, 3, 4]));
    comes_back(&numbered(&[3, 4, 5, 6], |n| n), &options(&[2, 2, 5, 4], &[1, 2, 3, 4]));
    comes_back(&numbered(&[3, 2, 4, 3, 5], |n| n), &options(&[2, 2, 3, 2, 4], &[2, 1, 2, 2, 3]));
    comes_back(&numbered(&[300, 700], |n| n), &Options::default());
    // Arrays without elements.
    comes_back(&numbered(&[0], |n| n), &Options::default());
    comes_back(&numbered(&[4, 0, 3], |n| n), &Options::default());
    comes_back(&numbered(&[4, 0], |n| n), &options(&[2, 1], &[2, 1]));
    // A copy of every second row of a transposed array.
    let array = numbered(&[6, 9], |n| n).reversed_axes().slice_axis(Axis(0), Slice::new(0, None, 2)).to_owned();
    comes_back(&array, &Options::default());
}

#[test]
fn every_codec_and_filter_comes_back() {
    let array = numbered(&[60, 50], |n| f64::from(n % 1000) / 8.0);
    let shuffles = [vec![], vec![(Filter::Shuffle, 0)], vec![(Filter::BitShuffle, 0)]];
    let bytedelta = vec![(Filter::Shuffle, 0), (Filter::Other(35), 8)];
    for codec in [CodecId::BloscLz, CodecId::Lz4, CodecId::Lz4Hc, CodecId::Zstd, CodecId::Zlib] {
        for filters in shuffles.iter().chain([&bytedelta]) {
            for (level, split_mode) in
                [(0, SplitMode::Auto), (1, SplitMode::Always), (5, SplitMode::Never), (9, SplitMode::ForwardCompat)]
            {
                comes_back(
                    &array,
                    &Options { codec, level, filters: filters.clone(), split_mode, ..options(&[25, 33], &[10, 9]) },
                );
            }
        }
    }
}

#[test]
fn chunks_of_one_value_come_back() {
    let array = Array2::from_shape_fn((9, 8), |(row, _)| [f64::INFINITY, 0.0, -2.0][row / 3]);
    let (directory, reader) = written(&array.clone().into_dyn(), &options(&[3, 4], &[2, 4]));
    // The padding is zero, so only the chunk of zeros repeats a single value.
    let file = File::open(directory.path().join("array.b2nd")).unwrap();
    let special = [0, 2, 4].map(|number| file.chunk(number).unwrap().header().special());
    assert_eq!(special, [None, Some(Special::Zeros), None]);
    assert_eq!(reader.read::<f64>(&[0..9, 0..8]).unwrap(), array.into_dyn());
}

#[test]
fn a_slice_is_what_ndarray_cuts() {
    let array = numbered(&[9, 7, 8], |n| n);
    let (_directory, reader) = written(&array, &options(&[4, 3, 5], &[3, 2, 2]));
    let ranges = |length: i64| (0..=length).flat_map(move |start| (start..=length).step_by(2).map(move |end| start..end));
    for first in ranges(9).step_by(3) {
        for second in ranges(7).step_by(2) {
            for third in ranges(8) {
                let slice = [first.clone(), second.clone(), third];
                assert_eq!(reader.read::<u32>(&slice).unwrap(), cut(&array, &slice), "{slice:?}");
            }
        }
    }
}

/// A source that counts the bytes that are read.
struct Counting(std::fs::File, std::sync::Arc<std::sync::atomic::AtomicU64>);

impl b2nd_ndarray::Source for Counting {
    fn len(&self) -> b2nd_frame::Result<u64> {
        self.0.len()
    }

    fn read(&self, range: Range<u64>) -> b2nd_frame::Result<std::borrow::Cow<'_, [u8]>> {
        let bytes = self.0.read(range)?;
        self.1.fetch_add(bytes.len() as u64, std::sync::atomic::Ordering::Relaxed);
        Ok(bytes)
    }

    fn read_into(&self, start: u64, buffer: &mut [u8]) -> b2nd_frame::Result<()> {
        self.1.fetch_add(buffer.len() as u64, std::sync::atomic::Ordering::Relaxed);
        self.0.read_into(start, buffer)
    }
}

#[test]
fn no_more_is_read_than_the_blocks_that_a_slice_touches() {
    // There are four chunks of four blocks. The values compress badly, so each block takes at least half of its size.
    let array = numbered(&[64, 64], |n| n.wrapping_mul(n));
    let (directory, _) = written(&array, &options(&[32, 32], &[16, 16]));
    let read = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let file = std::fs::File::open(directory.path().join("array.b2nd")).unwrap();
    let reader = Array::from_source(std::sync::Arc::new(Counting(file, read.clone())), 0).unwrap();
    let bytes = |slice: [Range<i64>; 2]| {
        read.store(0, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(reader.read::<u32>(&slice).unwrap(), cut(&array, &slice));
        read.load(std::sync::atomic::Ordering::Relaxed)
    };
    // The first read includes the index.
    bytes([0..1, 0..1]);
    let block = 16 * 16 * 4;
    assert!((block / 2..block + 200).contains(&bytes([0..1, 0..1])));
    assert!((block / 2..block + 200).contains(&bytes([40..48, 20..21])));
    assert!((2 * block..4 * block + 400).contains(&bytes([0..64, 4..6])));
    assert_eq!(bytes([3..3, 0..64]), 0);
}

#[test]
fn a_slice_with_steps_is_what_ndarray_cuts() {
    let array = numbered(&[23, 17, 9], |n| n);
    let (_directory, reader) = written(&array, &options(&[8, 6, 5], &[3, 2, 2]));
    let parts = |length: isize| {
        let steps = [1, 2, 3, 5, 8, 40, -1, -2, -7];
        (0..length).step_by(4).flat_map(move |start| steps.map(|step| (start, length - start / 2, step)))
    };
    for (number, (start, end, step)) in parts(23).enumerate() {
        let (second, third) = (parts(17).nth(number % 45).unwrap(), parts(9).nth(number * 5 % 27).unwrap());
        let slice = ndarray::s![start..end;step, second.0..second.1;second.2, third.0..third.1;third.2];
        let expected = array.view().into_dimensionality::<ndarray::Ix3>().unwrap().slice(slice).to_owned().into_dyn();
        assert_eq!(reader.slice::<u32>(slice).unwrap(), expected, "{start}..{end};{step} {second:?} {third:?}");
    }
    assert_eq!(reader.slice::<u32>(ndarray::s![4, ..;-6, 3]).unwrap().len(), 3);
    let shape = |slice: [_; 3], step| reader.select::<u32>(&Select::steps(&slice, &[step; 3]).unwrap()).unwrap().shape().to_vec();
    assert_eq!(shape([5..5, 0..17, 0..9], 2), [0, 9, 5]);
    assert_eq!(shape([0..23, 0..17, 0..9], i64::MAX), [1, 1, 1]);
    let refused = reader.select_bytes(&Select::steps(&[0..23, 0..17, 0..9], &[1, 0, 1]).unwrap()).unwrap_err();
    assert_eq!(refused.kind().to_string(), "selection[1]: expected a step of 1 or more, found 0");
}

#[test]
fn a_range_whose_length_is_no_i64_is_refused() {
    let (_directory, reader) = written(&numbered(&[4], |n| n), &options(&[4], &[4]));
    for range in [-2..i64::MAX, i64::MIN..i64::MAX] {
        let select = |select| reader.select::<u32>(&[select]).map(drop);
        let refused = [
            reader.read_bytes(std::slice::from_ref(&range)).map(drop),
            reader.read::<u32>(std::slice::from_ref(&range)).map(drop),
            select(Select::Range(range.clone())),
            select(Select::Step(range.clone(), 2)),
        ];
        for refused in refused {
            let error = refused.unwrap_err().to_string();
            assert!(error.contains("slice[0]: "), "{error}");
        }
    }
}

#[test]
fn each_range_has_a_step() {
    let error = Select::steps(&[0..23, 0..17], &[1]).unwrap_err();
    assert_eq!(error.to_string(), "expected 2 dimensions, found 1");
}

#[test]
fn steps_leave_out_the_blocks_between_them() {
    let values = numbered(&[64, 64], |n| n.wrapping_mul(n));
    let (directory, _) = written(&values, &options(&[32, 32], &[4, 4]));
    let read = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let file = std::fs::File::open(directory.path().join("array.b2nd")).unwrap();
    let reader = Array::from_source(std::sync::Arc::new(Counting(file, read.clone())), 0).unwrap();
    reader.read::<u32>(&[0..1, 0..1]).unwrap();
    read.store(0, std::sync::atomic::Ordering::Relaxed);
    let stepped = reader.slice::<u32>(ndarray::s![..;16, ..;16]).unwrap();
    assert_eq!(stepped, values.slice_each_axis(|_| Slice::new(0, None, 16)).to_owned());
    // Sixteen of 256 blocks, which have 64 bytes each, and the block tables of four chunks.
    assert!(read.load(std::sync::atomic::Ordering::Relaxed) < 16 * 100 + 4 * 300);
}

#[test]
fn chunks_that_a_slice_does_not_touch_need_not_exist() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sparse.b2nd");
    let meta = B2ndMeta::of::<u8>(Geometry::new(&[4], &[2], &[2]).unwrap());
    let mut writer = Writer::create_sparse(&path, Header::for_array(&meta).unwrap()).unwrap();
    writer.append(&Chunk::store(b"ab", 1).unwrap()).unwrap();
    writer.append(&Chunk::store(b"cd", 1).unwrap()).unwrap();
    writer.finish().unwrap();
    std::fs::remove_file(path.join("00000000.chunk")).unwrap();
    let reader = Array::open(&path).unwrap();
    assert_eq!(reader.read::<u8>(&[2..4]).unwrap(), array![b'c', b'd'].into_dyn());
    assert!(reader.read::<u8>(&[1..3]).is_err());
}

#[test]
fn blocks_that_a_slice_does_not_touch_are_not_decompressed() {
    let values = numbered(&[4000], |n| n % 50);
    let (directory, reader) = written(&values, &options(&[4000], &[1000]));
    let mut file = std::fs::read(directory.path().join("array.b2nd")).unwrap();
    // The last bytes of the chunk are those of its last block.
    let end = reader.header().tail_range().start as usize;
    file[end - 300..end].fill(0xff);
    std::fs::write(directory.path().join("array.b2nd"), &file).unwrap();
    assert_eq!(reader.read::<u32>(&[0..3000]).unwrap(), cut(&values, &[0..3000]));
    let damaged = reader.read::<u32>(&[2999..3001]);
    assert!(damaged.is_err(), "{damaged:?}");
}

#[test]
fn chunks_in_other_blocks_than_the_array_says_are_read() {
    let values = numbered(&[4000], |n| n % 50);
    let (directory, _) = written(&values, &options(&[4000], &[1000]));
    let path = directory.path().join("array.b2nd");
    for block in [500, 2000] {
        let meta = B2ndMeta::of::<u32>(Geometry::new(&[4000], &[4000], &[block]).unwrap());
        File::edit(&path).unwrap().overwrite_metalayer_unchecked("b2nd", &b2nd::to_vec(&meta).unwrap()).unwrap();
        let reader = Array::open(&path).unwrap();
        assert_eq!(reader.read::<u32>(&[700..2300]).unwrap(), cut(&values, &[700..2300]), "{block}");
    }
}

#[test]
fn a_delta_is_read_with_the_block_that_it_refers_to() {
    let values = numbered(&[4000], |n| u64::from(n % 100));
    let data: Vec<_> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("delta.b2nd");
    let meta = B2ndMeta::of::<u64>(Geometry::new(&[4000], &[4000], &[1000]).unwrap());
    let header = Header::for_array(&meta).unwrap().with_codec(CodecId::BloscLz).unwrap().with_level(5).unwrap();
    let header = header.with_filters(&[(Filter::Delta, 0), (Filter::Shuffle, 0)]).unwrap();
    let chunk = header.compressor().unwrap().chunk(&data).unwrap();
    let mut writer = Writer::create(&path, header).unwrap();
    writer.append(&Chunk::from_slice(&chunk).unwrap()).unwrap();
    writer.finish().unwrap();
    let slice = [2500..2600];
    assert_eq!(Array::open(&path).unwrap().read::<u64>(&slice).unwrap(), cut(&values, &slice));
}

/// New chunks of an array get the codec's parameter in its header: for zfp, the precision.
#[cfg(feature = "plugins")]
#[test]
fn new_chunks_have_the_precision_of_the_header() {
    let values = Array2::from_shape_fn((16, 16), |(row, column)| (row as f64 / 3.0).sin() * 100.0 + column as f64 / 7.0);
    let directory = tempfile::tempdir().unwrap();
    // The accuracy is 10^-3, the precision has 40 bits, and the rate is 50%.
    for (code, parameter, within) in [(33, 253, 1e-3), (34, 40, 1e-6), (35, 50, 1e-3)] {
        let path = directory.path().join(format!("{code}.b2nd"));
        let meta = B2ndMeta::of::<f64>(Geometry::new(&[16, 16], &[16, 16], &[8, 8]).unwrap());
        let header = Header::for_array(&meta).unwrap().with_codec(CodecId::from_code(code)).unwrap().with_level(5).unwrap();
        let header = header.with_codec_meta(parameter).unwrap().with_filters(&[]).unwrap();
        let mut writer = Writer::create(&path, header).unwrap();
        writer.append(&Chunk::special(Special::Zeros, 2048, 8).unwrap()).unwrap();
        writer.finish().unwrap();
        b2nd_ndarray::ArrayEditor::open(&path).unwrap().write_slice(&[0..16, 0..16], &values).unwrap();
        let file = File::open(&path).unwrap();
        assert_eq!(file.chunk(0).unwrap().header().codec_meta(), parameter);
        let read = Array::open(&path).unwrap().slice::<f64>(s![.., ..]).unwrap();
        let differences = read.iter().zip(&values).map(|(read, value)| (read - value).abs());
        assert!(differences.fold(0.0, f64::max) < within, "{code}");
    }
}

#[test]
fn big_endian_elements_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("big.b2nd");
    let values = [1.5_f64, -2.0, 1e300];
    let bytes: Vec<_> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
    let meta = B2ndMeta::new(Geometry::new(&[3], &[2], &[1]).unwrap(), ">f8");
    b2nd_ndarray::write_bytes(&path, &meta, &bytes, &Options::default()).unwrap();
    let reader = Array::open(&path).unwrap();
    assert_eq!(reader.read::<f64>(&[0..3]).unwrap(), array![1.5, -2.0, 1e300].into_dyn());
    assert_eq!(reader.read_bytes(&[1..3]).unwrap(), bytes[8..]);
}

#[test]
fn structures_are_read_and_written_as_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("structure.b2nd");
    let bytes: Vec<_> = (0..100).collect();
    let meta = B2ndMeta::new(Geometry::new(&[4, 5], &[3, 3], &[2, 2]).unwrap(), "[('a', '<i4'), ('b', 'u1')]");
    b2nd_ndarray::write_bytes(&path, &meta, &bytes, &Options::default()).unwrap();
    let reader = Array::open(&path).unwrap();
    assert_eq!(reader.read_bytes(&reader.whole()).unwrap(), bytes);
    assert_eq!(reader.read_bytes(&[3..4, 4..5]).unwrap(), bytes[95..]);
}

/// The elements are read a few layers of chunks at a time. The file is the same as if they were written at once.
#[test]
fn elements_may_come_from_a_reader() {
    let directory = tempfile::tempdir().unwrap();
    let [whole, read] = ["whole.b2nd", "read.b2nd"].map(|name| directory.path().join(name));
    let shapes: [(&[i64], &[i32], &[i32]); 7] = [
        (&[], &[], &[]),
        (&[0], &[7], &[3]),
        (&[500], &[7], &[3]),
        (&[5], &[7], &[3]),
        (&[4, 0, 3], &[2, 1, 3], &[1, 1, 3]),
        (&[61, 13], &[3, 13], &[2, 4]),
        (&[11, 9, 20], &[4, 2, 3], &[4, 1, 3]),
    ];
    for (shape, chunkshape, blockshape) in shapes {
        let meta = B2ndMeta::new(Geometry::new(shape, chunkshape, blockshape).unwrap(), "[('a', '<u2'), ('b', 'u1')]");
        let length = 3 * shape.iter().product::<i64>() as usize;
        let bytes: Vec<_> = (0..length).map(|index| (index * index / 7) as u8).collect();
        let options = Options { overwrite: true, ..Options::default() };
        b2nd_ndarray::write_bytes(&whole, &meta, &bytes, &options).unwrap();
        b2nd_ndarray::write_from(&read, &meta, &mut bytes.as_slice(), &options).unwrap();
        assert!(std::fs::read(&whole).unwrap() == std::fs::read(&read).unwrap(), "{shape:?}");
        if let Some((_, short)) = bytes.split_last() {
            let before = std::fs::read(&read).unwrap();
            b2nd_ndarray::write_from(&read, &meta, short, &options).unwrap_err();
            assert_eq!(std::fs::read(&read).unwrap(), before, "{shape:?}: as it was");
        }
    }
}

#[test]
fn an_array_in_memory_need_not_be_contiguous() {
    let array = Array3::from_shape_fn((4, 5, 6), |(x, y, z)| (100 * x + 10 * y + z) as i16);
    let turned = array.permuted_axes([2, 0, 1]);
    let (_directory, reader) = written(&turned.to_owned().into_dyn(), &Options::default());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("view.b2nd");
    b2nd_ndarray::write(&path, &turned.view(), &Options::default()).unwrap();
    let whole = reader.whole();
    assert_eq!(Array::open(path).unwrap().read::<i16>(&whole).unwrap(), reader.read::<i16>(&whole).unwrap());
}

#[test]
fn a_slice_of_a_chunk_of_one_value() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("value.b2nd");
    let meta = B2ndMeta::of::<f64>(Geometry::new(&[100], &[100], &[1]).unwrap());
    // The chunk is shorter than a table of a hundred blocks would be.
    let mut chunk = Chunk::special(Special::Zeros, 800, 8).unwrap().into_bytes();
    chunk[12] += 8;
    chunk[31] = 3 << 4;
    chunk.extend_from_slice(&2.5_f64.to_le_bytes());
    let mut writer = Writer::create(&path, Header::for_array(&meta).unwrap()).unwrap();
    writer.append(&Chunk::from_slice(&chunk).unwrap()).unwrap();
    writer.finish().unwrap();
    assert_eq!(Array::open(&path).unwrap().read::<f64>(&[7..9]).unwrap(), array![2.5, 2.5].into_dyn());
}

/// A frame as python-blosc2's `pack_tensor` writes it: elements in C order, in chunks of five elements.
fn packed(shape: &[u8], dtype: &str) -> Vec<u8> {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 2, chunksize: 10, blocksize: 10 }).unwrap());
    for chunk in (0..24_i16).flat_map(i16::to_le_bytes).collect::<Vec<_>>().chunks(10) {
        writer.append(&Chunk::store(chunk, 2).unwrap()).unwrap();
    }
    let tuple = |length: usize| [&[0x91 + length as u8][..], b"\xa9__tuple__"].concat();
    let dtype = [&[0xa0 + dtype.len() as u8], dtype.as_bytes()].concat();
    let described = [&tuple(3)[..], b"\xa5numpy", &tuple(shape.len()), shape, &dtype].concat();
    writer.set_vlmetalayer_bytes("__pack_tensor__", &described).unwrap();
    writer.finish().unwrap()
}

#[test]
fn a_packed_tensor_has_its_shape_and_every_slice() {
    let array = Array::from_frame(packed(&[4, 2, 3], "<i2")).unwrap();
    let values = ArrayD::from_shape_vec(IxDyn(&[4, 2, 3]), (0..24_i16).collect()).unwrap();
    assert_eq!((array.geometry().shape(), array.is_flat()), (&[4, 2, 3][..], false));
    assert_eq!(array.byte_ranges(&[0..1, 0..1, 0..1], 0).unwrap().len(), 1, "the chunks, which have no bytes between them");
    let ranges = |length: i64| (0..=length).flat_map(move |start| (start..=length).map(move |end| start..end));
    for x in ranges(4) {
        for y in ranges(2) {
            for slice in ranges(3).map(|z| [x.clone(), y.clone(), z]) {
                assert_eq!(array.read::<i16>(&slice).unwrap(), cut(&values, &slice), "{slice:?}");
            }
        }
    }
    assert_eq!(array.slice::<i16>(s![..;-2, 1, ..;2]).unwrap(), values.slice(s![..;-2, 1, ..;2]).into_dyn());
    let chosen = array.select::<i16>(&[[3, 0].into(), [1].into(), [2, 2].into()]).unwrap();
    assert_eq!(chosen.into_raw_vec_and_offset().0, [23, 23, 5, 5]);
    let chunks: i16 = array.chunks::<i16>().unwrap().map(|chunk| chunk.unwrap().values.sum()).sum();
    assert_eq!(chunks, values.sum());
    assert_eq!(Array::from_frame(packed(&[], "<i2")).unwrap_err().to_string(), "the data has 24 elements, but the shape is []");
    assert!(Array::from_frame(packed(&[5, 5], "<i2")).is_err() && Array::from_frame(packed(&[24], "<i5")).is_err());
    assert!(array.with_dtype("<i2".parse().unwrap()).is_err());
}
