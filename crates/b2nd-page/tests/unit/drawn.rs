//! Tests of labels.

use super::*;

#[test]
fn labels_of_times_end_at_the_ends_of_their_range() {
    let dtype: DType = "<m8[s]".parse().unwrap();
    let column = &elements::columns(Some(&dtype), 8).unwrap()[0];
    let greatest = elements::text(&dtype, &i64::MAX.to_le_bytes());
    let zero = elements::text(&dtype, &[0; 8]);
    assert_eq!(labels(column, &[0.0, i64::MAX as f64]), Some(vec![zero, greatest]));
}
