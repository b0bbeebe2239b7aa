//! Tests of the summary of columns, and of the number of distinct texts.

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

#[test]
fn the_heading_of_a_summary_names_a_sample() {
    let heading = |rows: u64| {
        let dtype = "<i4".parse().unwrap();
        let reader = b2nd_arrow::ArrayReader::with(dtype, &[3], |_| Ok::<_, b2nd_arrow::Error>(vec![0; 12])).unwrap();
        summary(reader, rows).unwrap().remove(0).pop().unwrap()
    };
    assert_eq!(heading(SAMPLE as u64), "distribution");
    assert_eq!(heading(SAMPLE as u64 + 1), "distribution of a sample");
}
