//! Cases of grids: a text describes an array and a slice, and the facts include the chunks that the slice touches.

use super::Suite;
use super::bytes::count;
use crate::case::Layer;
use crate::fact::Fact;

type Dims<'a> = &'a [i64];

pub(crate) fn add(suite: &mut Suite) {
    let shapes: [(&str, Dims, Dims, Dims); 9] = [
        ("1d", &[10], &[4], &[2]),
        ("1d-odd", &[10], &[7], &[3]),
        ("2d", &[5, 7], &[4, 3], &[3, 2]),
        ("3d", &[10, 13, 7], &[6, 7, 5], &[3, 4, 2]),
        ("0d", &[], &[], &[]),
        ("empty", &[0, 5], &[1, 5], &[1, 5]),
        ("8d", &[3; 8], &[2; 8], &[1; 8]),
        ("16d", &[2; 16], &[2; 16], &[1; 16]),
        ("huge", &[1_000_000_000_000, 1000], &[1_000_000, 1000], &[1000, 1000]),
    ];
    for (name, shape, chunkshape, blockshape) in shapes {
        let whole: Vec<(i64, i64)> = shape.iter().map(|&length| (0, length)).collect();
        let first: Vec<(i64, i64)> = shape.iter().map(|&length| (0, length.min(1))).collect();
        let last: Vec<(i64, i64)> = shape.iter().map(|&length| ((length - 1).max(0), length)).collect();
        let middle: Vec<(i64, i64)> = shape.iter().map(|&length| (length / 3, length - length / 4)).collect();
        for (part, what, slice) in [
            ("whole", "all elements of", whole),
            ("first", "a slice at the start of", first),
            ("last", "a slice at the end of", last),
            ("middle", "a slice of", middle),
        ] {
            if name == "huge" && matches!(part, "whole" | "middle") {
                continue;
            }
            let says = solve(shape, chunkshape, blockshape, &slice);
            suite.accept(
                Layer::Grid,
                format!("{name}-{part}"),
                format!("{what} an array with {}", count(shape.len(), "dimension")),
                text(shape, chunkshape, blockshape, &slice),
                says,
            );
        }
    }
    let mut reject = |name: &str, what: &str, shape: Dims, chunkshape: Dims, blockshape: Dims, slice: &[(i64, i64)]| {
        suite.reject(Layer::Grid, name, what, text(shape, chunkshape, blockshape, slice));
    };
    reject("negative", "a negative length", &[-1], &[1], &[1], &[(0, 0)]);
    reject("zero-chunk", "chunks of length 0 in a dimension that is not empty", &[5], &[0], &[1], &[(0, 1)]);
    reject("zero-block", "blocks of length 0 in a dimension that is not empty", &[5], &[5], &[0], &[(0, 1)]);
    reject(
        "zero-block-alone",
        "blocks of length 0 in an empty dimension whose chunks have the length 5",
        &[0],
        &[5],
        &[0],
        &[(0, 0)],
    );
    reject("overflow-items", "the number of elements does not fit an int64", &[i64::MAX, 3], &[1, 1], &[1, 1], &[(0, 1), (0, 1)]);
    reject(
        "overflow-ext",
        "the number of elements, with the padding of the chunks, does not fit an int64",
        &[i64::MAX - 1],
        &[1 << 30],
        &[1 << 30],
        &[(0, 1)],
    );
    reject(
        "overflow-chunk",
        "the number of elements of a chunk does not fit an int32",
        &[100_000, 100_000],
        &[100_000, 100_000],
        &[10, 10],
        &[(0, 1), (0, 1)],
    );
    reject(
        "overflow-block",
        "the number of elements of a block does not fit an int32",
        &[100_000, 100_000],
        &[10, 10],
        &[100_000, 100_000],
        &[(0, 1), (0, 1)],
    );
    reject("slice-beyond", "a slice that ends after the end of the array", &[10], &[4], &[2], &[(0, 11)]);
    reject("slice-negative", "a slice that starts before the array", &[10], &[4], &[2], &[(-1, 5)]);
    reject("slice-backwards", "a slice that ends before it starts", &[10], &[4], &[2], &[(5, 3)]);
    reject("slice-ranks", "a slice with two dimensions of an array with one", &[10], &[4], &[2], &[(0, 1), (0, 1)]);
    reject("ranks", "a chunkshape with two lengths for an array with one dimension", &[10], &[4, 4], &[2], &[(0, 1)]);
    reject("seventeen", "17 dimensions, above the limit of 16", &[1; 17], &[1; 17], &[1; 17], &[(0, 1); 17]);
    reject(
        "too-many",
        "a slice that ends before it starts, in an array with 2^63 - 2 elements",
        &[i64::MAX / 2, 2],
        &[1, 1],
        &[1, 1],
        &[(5, 4), (0, 2)],
    );
}

fn text(shape: Dims, chunkshape: Dims, blockshape: Dims, slice: &[(i64, i64)]) -> Vec<u8> {
    let line = |name: &str, numbers: Vec<String>| format!("{}\n", [vec![name.to_owned()], numbers].concat().join(" "));
    let list = |lengths: Dims| lengths.iter().map(i64::to_string).collect::<Vec<_>>();
    let ranges = slice.iter().map(|(start, end)| format!("{start}:{end}")).collect();
    [
        line("shape", list(shape)),
        line("chunkshape", list(chunkshape)),
        line("blockshape", list(blockshape)),
        line("slice", ranges),
    ]
    .concat()
    .into_bytes()
}

/// Computes the facts about a grid.
fn solve(shape: Dims, chunkshape: Dims, blockshape: Dims, slice: &[(i64, i64)]) -> Fact {
    let ceil = |of: i64, by: i64| if by == 0 { 0 } else { (of + by - 1) / by };
    let zip =
        |of: Dims, by: Dims, f: &dyn Fn(i64, i64) -> i64| -> Vec<i64> { of.iter().zip(by).map(|(&of, &by)| f(of, by)).collect() };
    let counts = zip(shape, chunkshape, &ceil);
    let blocks = zip(chunkshape, blockshape, &ceil);
    let extshape = zip(shape, chunkshape, &|of, by| ceil(of, by) * by);
    let extchunkshape = zip(chunkshape, blockshape, &|of, by| ceil(of, by) * by);
    let is_empty = slice.iter().any(|(start, end)| start >= end);
    let mut chunks = vec![0_i64];
    for (axis, &(start, end)) in slice.iter().enumerate() {
        let range = if is_empty { 0..0 } else { start / chunkshape[axis]..(end - 1) / chunkshape[axis] + 1 };
        chunks = chunks
            .iter()
            .flat_map(|chunk| range.clone().map(move |index| (chunk, index)))
            .map(|(chunk, index)| chunk * counts[axis] + index)
            .collect();
    }
    Fact::map([
        ("nchunks", Fact::int(counts.iter().product::<i64>())),
        ("blocks_per_chunk", Fact::int(blocks.iter().product::<i64>())),
        ("extshape", Fact::ints(&extshape)),
        ("extchunkshape", Fact::ints(&extchunkshape)),
        ("chunks", Fact::ints(&chunks)),
    ])
}
