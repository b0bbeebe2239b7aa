//! Tests of the ticks of axes.
#![allow(clippy::unwrap_used)]

use b2nd_view::histogram::Scale;

use super::super::chart::plain;
use super::{Axis, Body, Chart, SMALLEST, Ticks, draw, ticks};

#[track_caller]
fn labels(ends: [f64; 2], of: Ticks, label: impl Fn(f64) -> String, expected: &[&str]) {
    let found: Vec<_> = ticks(&Axis::new(ends, of, label), 0.0, 8).into_iter().map(|(_, label)| label).collect();
    assert_eq!(found, expected);
}

#[test]
fn dates_have_ticks_at_the_starts_of_months() {
    // Days from 2020-01-15 to 2020-08-01, and ten years in seconds.
    let date = |day: f64| if day == 18_293.0 { "2020-02-01".to_owned() } else { format!("{day}-------") };
    let found = ticks(&Axis::new([18_276.0, 18_475.0], Ticks::Days(1.0), date), 0.0, 8);
    assert_eq!(found[0], ((18_293.0 - 18_276.0) / 199.0, "2020-02".to_owned()));
    let days: Vec<_> = found.iter().map(|(at, _)| (at * 199.0 + 18_276.0).round()).collect();
    assert_eq!(days, [18_293.0, 18_322.0, 18_353.0, 18_383.0, 18_414.0, 18_444.0, 18_475.0]);
    let years = ticks(&Axis::new([0.0, 3652.0 * 86400.0], Ticks::Days(1.0 / 86400.0), plain), 0.0, 5);
    let days: Vec<_> = years.iter().map(|(at, _)| (at * 3652.0).round()).collect();
    assert_eq!(days, [0.0, 730.0, 1461.0, 2191.0, 2922.0, 3652.0]);
    // The ticks of an axis of 20 days are multiples of five days.
    labels([0.0, 20.0], Ticks::Days(1.0), plain, &["0", "5", "10", "15", "20"]);
}

#[test]
fn names_are_cut_to_what_fits() {
    let named = || Axis { name: "a".repeat(10_000_000), ..Axis::new([0.0, 1.0], Ticks::Plain, plain) };
    let body = Body::Line(vec![0.0, 1.0], Scale::new(0.0, 1.0, false));
    let chart = Chart { title: Default::default(), body, across: named(), down: named(), unit: None, aspect: None };
    let start = std::time::Instant::now();
    assert_eq!(draw(&chart, Some(SMALLEST)).unwrap().colors.len(), 400 * 240);
    assert!(start.elapsed().as_secs() < 5);
}

#[test]
fn logarithmic_axes_have_ticks_at_powers_of_ten() {
    labels([0.5, 2000.0], Ticks::Log, plain, &["1", "10", "100", "1000"]);
    labels([2.0, 30.0], Ticks::Log, plain, &["2", "30"]);
    labels([0.0, 3.0], Ticks::Whole, plain, &["0", "1", "2", "3"]);
}
