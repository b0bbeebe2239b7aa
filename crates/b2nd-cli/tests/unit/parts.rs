//! Tests of the parts of an array.

use super::parts;

#[test]
fn parts_follow_each_other_and_end_at_chunks_unless_a_layer_of_chunks_is_too_large() {
    let lengths = |most, shape: &[i64], chunkshape: &[i64]| -> Vec<Vec<i64>> {
        parts(most, 4, shape, chunkshape).map(|part| part.iter().map(|range| range.end - range.start).collect()).collect()
    };
    // Whole layers of chunks: 3 rows of 10 elements need 120 bytes.
    assert_eq!(lengths(300, &[8, 10], &[3, 5]), [[6, 10], [2, 10]]);
    // If the limit is smaller than a layer, parts consist of whole rows; if it is smaller than a row, rows are split at chunks.
    assert_eq!(lengths(80, &[5, 10], &[3, 5]), [[2, 10], [2, 10], [1, 10]]);
    assert_eq!(lengths(24, &[2, 10], &[3, 5]), [[1, 5], [1, 5], [1, 5], [1, 5]]);
    assert_eq!(lengths(1000, &[7, 10], &[3, 5]), [[7, 10]]);
    assert_eq!(lengths(1, &[], &[]), [Vec::<i64>::new()]);
    assert!(lengths(1, &[i64::MAX, 0], &[1, 1]).is_empty());
    let first: Vec<_> = parts(4, 4, &[i64::MAX, i64::MAX], &[1, 1]).take(2).collect();
    assert_eq!(first, [[0..1, 0..1], [0..1, 1..2]]);
    let starts: Vec<_> = parts(24, 4, &[2, 10], &[3, 5]).map(|part| (part[0].start, part[1].start)).collect();
    assert_eq!(starts, [(0, 0), (0, 5), (1, 0), (1, 5)]);
}
