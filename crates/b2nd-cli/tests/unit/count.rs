//! Tests of the number of distinct texts.

use super::*;

#[test]
fn different_texts_are_counted_as_long_as_memory_holds_them() {
    let mut distinct = Distinct::default();
    (0..1000_u32).for_each(|number| distinct.add(&(number % 7).to_le_bytes()));
    assert_eq!(distinct.count(), Some(7));
    let long = vec![0; MOST / 2];
    distinct.add(&long);
    distinct.add(&long);
    assert_eq!(distinct.count(), Some(8));
    distinct.add(&vec![1; MOST / 2]);
    assert_eq!((distinct.count(), distinct.seen.is_empty()), (None, true));
}
