//! Leaves and tables of a store.

use b2nd_store::{Leaf, Table};

/// A `Leaf` must stay small, because a store may have a million leaves. `Content::Table` is boxed, because few leaves are tables.
#[test]
fn a_leaf_is_no_larger_than_its_names() {
    assert!(size_of::<Leaf>() <= 6 * size_of::<String>(), "{}", size_of::<Leaf>());
}

#[test]
fn a_column_is_where_its_name_says() {
    let names = [("a", "a"), ("a.b", "a/b"), (r"a\.b", "a%2Eb"), ("a%/", "a%25%2F"), (r"a\", "a%5C"), ("é", "é"), (r"b\s", "bs")];
    for (column, file) in names {
        assert_eq!(Table::file_name(column), file);
    }
}
