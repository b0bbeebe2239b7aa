//! The layout of dimensions in a picture.

use b2nd::Geometry;
use b2nd_view::picture::axis::{Axis, Lengths};
use b2nd_view::picture::drawing::Drawing;

#[test]
fn a_dimension_fits_whatever_its_lengths() {
    const AVAILABLE: f64 = 292.0;
    let lengths = [1, 2, 3, 5, 6, 7, 30, 1000, 1 << 30];
    for array in lengths.into_iter().chain([i64::from(i32::MAX), 1 << 42]) {
        for chunk in lengths {
            for block in lengths.into_iter().filter(|&block| block <= chunk) {
                let lengths = Lengths { array, chunk, block };
                let chunks = lengths.chunks(0, None);
                let axis = Axis::new(lengths, &chunks, lengths.element(&chunks, AVAILABLE));
                let end = axis.chunks.end();
                assert!(end <= AVAILABLE + 0.1, "{array} {chunk} {block}: {end}");
                assert!(axis.array_end() <= end && axis.position(chunk) <= axis.chunks.length);
                assert_eq!(axis.chunks.starts[0], (0, 0.0));
                assert_eq!(axis.chunks.starts.last().map_or(-1, |&(chunk, _)| chunk), (array - 1) / chunk);
                assert_eq!(axis.chunks.gap.is_some(), (array - 1) / chunk >= 4);
                assert_eq!(axis.blocks.starts.last().map_or(-1, |&(block, _)| block), (chunk - 1) / block);
            }
        }
    }
}

#[test]
fn a_window_draws_the_chunks_along_any_two_axes_and_stays_within_the_array() {
    let grid = Geometry::new(&[10, 13, 70], &[6, 7, 5], &[3, 4, 2]).unwrap().grid().unwrap();
    let drawn = |axes, first: [i64; 3], most| {
        let drawing = Drawing::new(&grid, axes, &first, Some(most), [700.0, 500.0])?;
        let at: Vec<String> =
            drawing.svg.split("data-at=\"").skip(1).map(|rest| rest.split('"').next().unwrap().into()).collect();
        assert_eq!(at.len(), drawing.shown[0] * drawing.shown[1]);
        Some(at)
    };
    assert_eq!(drawn([Some(0), Some(2)], [0, 1, 3], 2).unwrap(), ["0,1,3", "0,1,4", "1,1,3", "1,1,4"]);
    assert_eq!(drawn([Some(2), Some(0)], [0, 1, 3], 2).unwrap(), ["0,1,3", "1,1,3", "0,1,4", "1,1,4"]);
    assert_eq!(drawn([None, Some(2)], [1, 0, 99], 3).unwrap(), ["1,0,11", "1,0,12", "1,0,13"]);
    assert_eq!(drawn([Some(0), Some(0)], [0; 3], 2), None);
    assert_eq!(drawn([Some(0), Some(3)], [0; 3], 2), None);

    let [part, all] = [2, 14].map(|most| Drawing::new(&grid, [None, Some(2)], &[0; 3], Some(most), [700.0, 500.0]).unwrap().svg);
    assert!(part.contains(">0:10 of 70<") && all.contains(">70<"));
}
