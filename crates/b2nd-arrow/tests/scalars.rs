//! Columns that are split into columns of scalars, and comparisons of them.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Float64Builder, Int32Builder, ListBuilder};
use arrow_array::{ArrayRef, RecordBatch, StructArray};
use b2nd_arrow::scalars;

/// A row with a struct of a number, an optional number, a list, and an array of two elements.
fn row(number: f64, other: Option<i32>, list: &[i32], pair: [Option<f64>; 2]) -> RecordBatch {
    let [mut numbers, mut others] = [Float64Builder::new(), Float64Builder::new()];
    numbers.append_value(number);
    others.append_option(other.map(f64::from));
    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value(list.iter().copied().map(Some));
    let mut pairs = FixedSizeListBuilder::new(Float64Builder::new(), 2);
    pair.into_iter().for_each(|one| pairs.values().append_option(one));
    pairs.append(true);
    let columns: [(&str, ArrayRef); 4] = [
        ("number", Arc::new(numbers.finish())),
        ("other", Arc::new(others.finish())),
        ("list", Arc::new(lists.finish())),
        ("pair", Arc::new(pairs.finish())),
    ];
    let columns = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap();
    RecordBatch::try_from_iter([("struct", Arc::new(StructArray::from(columns)) as ArrayRef)]).unwrap()
}

#[test]
fn rows_are_near_if_nulls_and_lists_are_equal() {
    let first = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().unwrap());
    let are_near = |one: &RecordBatch, other: &RecordBatch| {
        let pairs = scalars(one).into_iter().zip(scalars(other));
        pairs.fold(true, |all, (one, other)| all & one.are_near(other, |one, other| (first(one) - first(other)).abs() < 0.5))
    };
    let one = row(1.0, None, &[1, 2], [None, Some(1.0)]);
    assert!(are_near(&one, &row(1.25, None, &[1, 2], [None, Some(1.25)])));
    for other in [
        row(2.0, None, &[1, 2], [None, Some(1.0)]),
        row(1.0, Some(1), &[1, 2], [None, Some(1.0)]),
        row(1.0, None, &[1, 3], [None, Some(1.0)]),
        row(1.0, None, &[1, 2], [Some(1.0), None]),
        row(1.0, None, &[1, 2], [None, Some(2.0)]),
    ] {
        assert!(!are_near(&one, &other), "{other:?}");
    }
}
