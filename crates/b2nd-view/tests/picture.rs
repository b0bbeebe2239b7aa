//! How the dimensions of a picture are laid out.

use b2nd_view::picture::axis::{Axis, Lengths};

#[test]
fn a_dimension_fits_whatever_its_lengths() {
    const AVAILABLE: f64 = 292.0;
    let lengths = [1, 2, 3, 5, 6, 7, 30, 1000, 1 << 30];
    for array in lengths.into_iter().chain([i64::from(i32::MAX), 1 << 42]) {
        for chunk in lengths {
            for block in lengths.into_iter().filter(|&block| block <= chunk) {
                let lengths = Lengths { array, chunk, block };
                let axis = Axis::new(lengths, lengths.element_that_fits(AVAILABLE));
                assert!(axis.length() <= AVAILABLE + 0.1, "{array} {chunk} {block}: {}", axis.length());
                assert!(axis.array_end() <= axis.length() && axis.position(chunk) <= axis.padded_chunk());
                assert_eq!(axis.chunks[0], (0, 0.0));
                assert_eq!(axis.chunks.last().map_or(-1, |&(chunk, _)| chunk), (array - 1) / chunk);
            }
        }
    }
}
