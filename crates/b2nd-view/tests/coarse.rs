//! Selections in parts and in larger steps, and the scales that values are drawn on.
#![allow(clippy::unwrap_used)]

use b2nd::{Geometry, Grid};
use b2nd_view::colors::viridis;
use b2nd_view::histogram::{Scale, histogram_in};
use b2nd_view::pixels::Pixels;
use b2nd_view::slice::{Part, Selection};

fn grid_of_two() -> Grid {
    Geometry::new(&[10, 13], &[6, 7], &[3, 2]).unwrap().grid().unwrap()
}

#[test]
fn the_parts_of_a_selection_are_its_elements_chunk_by_chunk() {
    let mut selection = Selection::whole(&[10, 13]);
    let part = |rows: std::ops::Range<i64>, columns: std::ops::Range<i64>, blocks| Part { ranges: vec![rows, columns], blocks };
    assert_eq!(
        selection.parts(&grid_of_two()),
        [part(0..6, 0..7, 8), part(0..6, 7..13, 6), part(6..10, 0..7, 8), part(6..10, 7..13, 6)]
    );
    // Elements 0 and 8 down; 1, 6 and 11 across.
    selection.ranges[1].start = 1;
    selection.steps = vec![8, 5];
    assert_eq!(
        selection.parts(&grid_of_two()),
        [part(0..1, 1..7, 2), part(0..1, 11..12, 1), part(8..9, 1..7, 2), part(8..9, 11..12, 1)]
    );
    assert_eq!(selection.touched(&grid_of_two()), 4);
    selection.ranges[0].end = 0;
    assert_eq!(selection.parts(&grid_of_two()), []);
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
    let colors = Pixels::scaled_heat(&values, 5, scale).colors;
    assert_eq!(colors, [None, Some(viridis(0.0)), Some(viridis(0.5)), Some(viridis(1.0)), None]);
    assert_eq!(histogram_in(&values, 2, scale), [1, 2]);
    // What is beyond a typed range has the colour of its end, and falls into no bin.
    let typed = Scale::new(1.0, 10.0, false);
    assert_eq!(
        Pixels::scaled_heat(&values, 5, typed).colors[..4],
        [viridis(0.0), viridis(0.0), viridis(1.0), viridis(1.0)].map(Some)
    );
    assert_eq!(histogram_in(&values, 2, typed), [1, 1]);
    assert_eq!(Scale::of(&[-1.0, 0.0], true).part(1.0), Some(0.5));
}
