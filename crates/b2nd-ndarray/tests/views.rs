//! Slices in ndarray's notation, reading into existing memory, threads, and frames in memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use b2nd_ndarray::{Array, Buffer, Options, s, to_frame};
use ndarray::{Array2, Array3, ArrayD, Axis, Ix3, NewAxis};

fn numbers() -> Array3<i32> {
    Array3::from_shape_fn((7, 30, 11), |(x, y, z)| (x * 1000 + y * 20 + z) as i32)
}

fn small() -> Options {
    Options { chunkshape: Some(vec![3, 8, 5]), blockshape: Some(vec![2, 4, 3]), ..Options::default() }
}

fn array() -> Array {
    Array::from_frame(to_frame(&numbers(), &small()).unwrap()).unwrap()
}

#[test]
fn slices_are_those_of_ndarray() {
    let (array, numbers) = (array(), numbers());
    macro_rules! same {
        ($($slice:tt)*) => {
            assert_eq!(array.slice::<i32>(s![$($slice)*]).unwrap(), numbers.slice(s![$($slice)*]).into_dyn(), stringify!($($slice)*));
        };
    }
    same!(.., .., ..);
    same!(2, .., ..);
    same!(.., 3, 4..9;2);
    same!(-1, -5.., ..-3);
    same!(..;-1, 3..20;-4, ..);
    same!(5, 29, 10);
    same!(3..3, .., ..);
    same!(.., NewAxis, 2..4, ..;3);
}

#[test]
fn a_slice_outside_the_array_says_where() {
    let array = array();
    let sentence = |error: b2nd_ndarray::Error| error.to_string();
    assert_eq!(sentence(array.slice::<i32>(s![.., 30, ..]).unwrap_err()), "index 30 is outside dimension 1, whose length is 30");
    assert_eq!(
        sentence(array.slice::<i32>(s![.., .., 3..12]).unwrap_err()),
        "index 12 is outside dimension 2, whose length is 11"
    );
    assert_eq!(sentence(array.slice::<i32>(s![-8, .., ..]).unwrap_err()), "index -8 is outside dimension 0, whose length is 7");
    assert_eq!(sentence(array.slice::<i32>(s![.., ..]).unwrap_err()), "expected 3 dimensions, found 2");
}

#[test]
fn views_of_any_layout_are_filled() {
    let (array, numbers) = (array(), numbers());
    let slice = [1..6, 4..27, 2..11];
    let expected = numbers.slice(s![1..6, 4..27, 2..11]);

    let mut plain = ArrayD::from_elem(vec![5, 23, 9], -1);
    array.read_into(&slice, plain.view_mut()).unwrap();
    assert_eq!(plain, expected.into_dyn());

    let mut turned = ArrayD::from_elem(vec![9, 5, 23], -1);
    array.read_into(&slice, turned.view_mut().permuted_axes(vec![1, 2, 0])).unwrap();
    assert_eq!(turned.permuted_axes(vec![1, 2, 0]), expected.into_dyn());

    let mut wider = Array3::from_elem((5, 46, 9), -1);
    array.read_into(&slice, wider.slice_mut(s![.., ..;-2, ..]).into_dyn()).unwrap();
    assert_eq!(wider.slice(s![.., ..;-2, ..]), expected);
    assert!(wider.slice(s![.., ..;2, ..]).iter().all(|&value| value == -1));

    let error = array.read_into(&slice, ArrayD::from_elem(vec![5, 9, 23], 0).view_mut()).unwrap_err();
    assert_eq!(error.to_string(), "expected the shape [5, 23, 9] of the slice, found [5, 9, 23]");
}

#[test]
fn a_chunk_of_zeros_overwrites_what_a_view_held() {
    let zeros = Array2::<f64>::zeros((10, 10));
    let array = Array::from_frame(to_frame(&zeros, &Options::default()).unwrap()).unwrap();
    let mut view = ArrayD::from_elem(vec![10, 10], 1.0);
    array.read_into(&array.whole(), view.view_mut()).unwrap();
    assert_eq!(view, zeros.into_dyn());
}

#[test]
fn booleans_are_filled_too() {
    let bools = Array2::from_shape_fn((9, 9), |(row, column)| row * column % 3 == 0);
    let array = Array::from_frame(to_frame(&bools, &Options::default()).unwrap()).unwrap();
    let mut view = ArrayD::from_elem(vec![9, 9], false);
    array.read_into(&array.whole(), view.view_mut()).unwrap();
    assert_eq!(view, bools.into_dyn());
}

/// The array is large enough for several threads to read chunks, and blocks of one chunk.
#[cfg(feature = "rayon")]
#[test]
fn several_threads_read_what_one_does() {
    let values = Array3::from_shape_fn((40, 200, 150), |(x, y, z)| (x * y) as f32 + z as f32 / 7.0);
    for (chunks, blocks) in [([10, 60, 150], [3, 20, 70]), ([40, 200, 150], [1, 50, 150]), ([40, 200, 150], [40, 20, 20])] {
        let options = Options { chunkshape: Some(chunks.to_vec()), blockshape: Some(blocks.to_vec()), ..Options::default() };
        let frame = to_frame(&values, &options).unwrap();
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            // Writing gives the same bytes for any number of threads.
            assert_eq!(pool.install(|| to_frame(&values, &options)).unwrap(), frame);
            let array = Array::from_frame(frame.clone()).unwrap();
            assert_eq!(pool.install(|| array.read::<f32>(&array.whole())).unwrap(), values.clone().into_dyn());
            let slice = pool.install(|| array.slice::<f32>(s![.., 50.., 3..140])).unwrap();
            assert_eq!(slice, values.slice(s![.., 50.., 3..140]).into_dyn());
        }
    }
}

#[test]
fn an_array_is_shared_by_threads() {
    let (array, numbers) = (array(), numbers());
    std::thread::scope(|scope| {
        for plane in 0..7 {
            let (array, numbers) = (&array, &numbers);
            scope.spawn(move || {
                let read = array.slice::<i32>(s![plane, .., ..]).unwrap();
                assert_eq!(read, numbers.index_axis(Axis(0), plane).into_dyn());
            });
        }
    });
}

#[test]
fn a_frame_anywhere_in_a_source() {
    let frame = to_frame(&numbers(), &small()).unwrap();
    let padded = [&[0xaa; 777][..], &frame, &[0xbb; 99]].concat();
    let array = Array::from_source(std::sync::Arc::new(Buffer(padded)), 777).unwrap();
    assert_eq!(array.read::<i32>(&array.whole()).unwrap().into_dimensionality::<Ix3>().unwrap(), numbers());
}

#[test]
fn a_source_that_ends_early_is_an_error() {
    let frame = to_frame(&numbers(), &small()).unwrap();
    for length in (0..frame.len()).step_by(7) {
        let read = Array::from_frame(&frame[..length]).and_then(|array| array.read_bytes(&array.whole()));
        assert!(read.is_err(), "{length} of {} bytes", frame.len());
    }
}

#[test]
fn threads_write_the_parts_of_long_chunks_as_one_does() {
    const CHUNK: usize = 1 << 22;
    let mut random = 1_u32;
    let mut noise = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 24) as u8
    };
    // Chunks of zeros, noise, one value, and the bytes 0 to 255; then noise between zeros, and zeros.
    let chunks = [vec![0; CHUNK], (0..CHUNK).map(|_| noise()).collect(), vec![7; CHUNK], (0..CHUNK).map(|at| at as u8).collect()];
    let some = (0..CHUNK).map(|at| if at / (CHUNK / 4) % 3 == 0 { 0 } else { noise() & 3 });
    let values = ndarray::Array1::from_vec([chunks.concat(), some.collect(), vec![0; CHUNK]].concat());
    for blockshape in [1 << 16, 3 << 15, 1 << 21] {
        let blockshape = Some(vec![blockshape]);
        let options = Options { chunkshape: Some(vec![CHUNK as i32]), blockshape, overwrite: true, ..Options::default() };
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.b2nd");
        let written = [1, 2, 5].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                b2nd_ndarray::write(&path, &values, &options).unwrap();
                assert!(std::fs::read(&path).unwrap() == to_frame(&values, &options).unwrap(), "{options:?}, {threads} threads");
            });
            std::fs::read(&path).unwrap()
        });
        assert!(written[0] == written[1] && written[0] == written[2]);
        let array = Array::open(&path).unwrap();
        assert!(array.read::<u8>(&array.whole()).unwrap() == values.clone().into_dyn());
    }
}
