//! Selections that are read in parts or with larger steps, and scales, color maps and plots for drawing values.
#![allow(clippy::unwrap_used)]

use b2nd::{Geometry, Grid};
use b2nd_view::colors::{VIRIDIS, color};
use b2nd_view::histogram::{Scale, histogram_in};
use b2nd_view::pixels::{Depth, Pixels};
use b2nd_view::slice::{ChunkPart, Selection};

fn grid_of_two() -> Grid {
    Geometry::new(&[10, 13], &[6, 7], &[3, 2]).unwrap().grid().unwrap()
}

#[test]
fn the_parts_of_a_selection_are_its_elements_chunk_by_chunk() {
    let mut selection = Selection::whole(&[10, 13]);
    let part =
        |rows: std::ops::Range<i64>, columns: std::ops::Range<i64>, blocks| ChunkPart { ranges: vec![rows, columns], blocks };
    assert_eq!(
        selection.parts(&grid_of_two()).collect::<Vec<_>>(),
        [part(0..6, 0..7, 8), part(0..6, 7..13, 6), part(6..10, 0..7, 8), part(6..10, 7..13, 6)]
    );
    // Elements 0 and 8 down, and 1, 6 and 11 across.
    selection.ranges[1].start = 1;
    selection.steps = vec![8, 5];
    assert_eq!(
        selection.parts(&grid_of_two()).collect::<Vec<_>>(),
        [part(0..1, 1..7, 2), part(0..1, 11..12, 1), part(8..9, 1..7, 2), part(8..9, 11..12, 1)]
    );
    assert_eq!(selection.touched(&grid_of_two()), 4);
    selection.ranges[0].end = 0;
    assert_eq!(selection.parts(&grid_of_two()).count(), 0);
}

#[test]
fn coarse_steps_leave_what_there_is_room_for_and_no_more_chunks_than_are_allowed() {
    let grid = Geometry::new(&[1000, 3000], &[10, 10], &[10, 10]).unwrap().grid().unwrap();
    let mut selection = Selection::whole(grid.shape());
    assert_eq!(selection.coarsen(&grid, &[0, 1], &[500, 500], false, u64::MAX), [2, 6]);
    assert_eq!(selection.lengths(), [500, 500]);
    let mut selection = Selection::whole(grid.shape());
    selection.coarsen(&grid, &[0, 1], &[500, 500], true, 64);
    assert!(selection.touched(&grid) <= 64, "{:?}", selection.steps);
    let mut small = Selection::whole(&[10, 13]);
    assert_eq!(small.coarsen(&grid_of_two(), &[0, 1], &[500, 500], false, 1024), [1, 1]);
}

#[test]
fn a_scale_by_logarithms_has_no_place_for_zero() {
    let values = [0.0, 1.0, 10.0, 100.0, f64::NAN];
    let scale = Scale::of(&values, true);
    assert_eq!((scale.least(), scale.greatest()), (1.0, 100.0));
    let colors = Pixels::heat(&values, 5, scale, VIRIDIS).colors;
    assert_eq!(colors, [None, Some(color(VIRIDIS, 0.0)), Some(color(VIRIDIS, 0.5)), Some(color(VIRIDIS, 1.0)), None]);
    assert_eq!(histogram_in(&values, 2, scale), [1, 2]);
    // Values outside of a given range have the color of its nearest end, and are in no bin of the histogram.
    let typed = Scale::new(1.0, 10.0, false);
    assert_eq!(
        Pixels::heat(&values, 5, typed, VIRIDIS).colors[..4],
        [color(VIRIDIS, 0.0), color(VIRIDIS, 0.0), color(VIRIDIS, 1.0), color(VIRIDIS, 1.0)].map(Some)
    );
    assert_eq!(histogram_in(&values, 2, typed), [1, 1]);
    assert_eq!(Scale::of(&[-1.0, 0.0], true).part(1.0), Some(0.5));
}

/// In 256 colors, brightness never decreases along viridis.
#[test]
fn viridis_keeps_its_order_in_256_colors() {
    let values: Vec<f64> = (0..256).map(f64::from).collect();
    let line = Pixels::heat(&values, 256, Scale::of(&values, false), VIRIDIS).lines(Depth::Indexed).concat();
    let codes = line.split("\u{1b}[38;5;").skip(1).map(|rest| rest.split('m').next().unwrap().parse::<usize>().unwrap());
    let steps = [0.0, 95.0, 135.0, 175.0, 215.0, 255.0];
    let light = |code: usize| {
        assert!((16..232).contains(&code), "{code} is a gray");
        let [red, green, blue] = [36, 6, 1].map(|unit| f64::powf(steps[(code - 16) / unit % 6], 2.2));
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let lights: Vec<f64> = codes.map(light).collect();
    assert_eq!(lights.len(), 256);
    assert!(lights.is_sorted(), "{lights:?}");
}

#[test]
fn a_line_connects_its_values() {
    let plot = Pixels::plot(&[0.0, 1.0, 0.0], 101, 51, Scale::new(0.0, 1.0, false));
    let row = |column: usize| (0..51).find(|row| plot.colors[row * 101 + column] != Some([255; 3])).unwrap();
    assert_eq!([0, 25, 50, 75, 100].map(row), [50, 25, 0, 24, 49]);
    // A gap in the values is a gap in the plot.
    let plot = Pixels::plot(&[0.0, f64::NAN, 0.0, 0.0], 100, 10, Scale::new(0.0, 1.0, false));
    assert!((0..10).all(|row| plot.colors[row * 100 + 20] == Some([255; 3])));
}
