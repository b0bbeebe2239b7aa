//! Tables that `tests/data/recipe.py` wrote, beside what python-blosc2 exports of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

mod common;

use std::path::Path;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use b2nd_arrow::{ErrorKind, Store, Table};

fn data(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

#[track_caller]
fn is_as_python_says(table: &Table, truth: &str) {
    let computed: Vec<&str> =
        table.columns().iter().filter(|column| column.kind() == "computed").map(|column| column.name()).collect();
    for batch_size in [1, 4, 1000] {
        let found = common::whole(table, batch_size).unwrap();
        assert_eq!(common::differences(&found, &common::truth(&data(truth)), &computed), [""; 0]);
    }
}

#[test]
fn every_table_is_what_python_exports() {
    for name in ["kinds", "empty", "names", "refused", "nested"] {
        is_as_python_says(&Table::open(data(&format!("{name}.b2z"))).unwrap(), &format!("{name}.arrow"));
    }
}

#[test]
fn a_table_of_a_tree_is_opened_by_its_key() {
    let store = std::sync::Arc::new(Store::open(data("tree.b2z")).unwrap());
    assert_eq!(store.tables().unwrap(), ["/group/people", "/things"]);
    for (key, truth) in [("/group/people", "tree_group_people.arrow"), ("things", "tree_things.arrow")] {
        is_as_python_says(&Table::from_store(store.clone(), key).unwrap(), truth);
    }
    let error = Table::open(data("tree.b2z")).unwrap_err().to_string();
    assert!(error.ends_with("tree.b2z: it holds 2 tables, name one of them: /group/people, /things"), "{error}");
    let error = Table::from_store(store, "/array").unwrap_err();
    assert!(error.to_string().ends_with("tree.b2z::/array: no table: \"array/_meta.b2f\" is missing"), "{error}");
}

#[test]
fn a_directory_is_read_as_the_archive_is() {
    let directory = tempfile::tempdir().unwrap();
    let archive = std::fs::read(data("kinds.b2z")).unwrap();
    let zip = b2nd_store::Zip::open(&archive).unwrap();
    for name in b2nd_store::Folder::files(&zip).unwrap() {
        let path = directory.path().join(&name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let member = b2nd_store::Folder::open(&zip, &name).unwrap();
        std::fs::write(path, member.read(0..member.len().unwrap()).unwrap()).unwrap();
    }
    is_as_python_says(&Table::open(directory.path()).unwrap(), "kinds.arrow");
}

#[test]
fn rows_and_columns_are_those_that_are_asked_for() {
    let table = Table::open(data("kinds.b2z")).unwrap();
    assert_eq!((table.rows(), table.physical_rows()), (6, 7));
    let truth = common::truth(&data("kinds.arrow"));
    let projection = table.project(["l", "i"]).unwrap();
    for rows in [0..6, 2..5, 4..5, 5..100, 3..3, 7..9] {
        let batches: Vec<_> = table.read(&projection, rows.clone(), 2).unwrap().map(|batch| batch.unwrap()).collect();
        let (start, end) = (rows.start.min(6) as usize, rows.end.min(6) as usize);
        let found =
            arrow_select::concat::concat_batches(&batches.first().map_or(truth.schema(), |batch| batch.schema()), &batches)
                .unwrap();
        assert_eq!(found.num_rows(), end - start);
        if end > start {
            assert_eq!(found.column(0).to_data(), truth.column_by_name("l").unwrap().slice(start, end - start).to_data());
            assert_eq!(found.column(1).to_data(), truth.column_by_name("i").unwrap().slice(start, end - start).to_data());
        }
    }
    let error = table.project(["i", "absent"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().ends_with("kinds.b2z: there is no column \"absent\""), "{error}");
}

#[test]
fn a_column_that_arrow_cannot_have_is_refused_by_name_and_the_others_are_read() {
    let table = Table::open(data("refused.b2z")).unwrap();
    let names: Vec<_> = table.columns().iter().map(|column| (column.name(), column.kind(), column.data_type().is_ok())).collect();
    assert_eq!(names, [("i", "int16", true), ("c", "complex64", false), ("o", "object", false), ("twice", "computed", false)]);
    let refused = [
        ("c", "it is complex64, and Arrow has no complex numbers"),
        ("o", "it is object, whose values have no common type"),
        ("twice", "it is computed when it is read, by the expression \"(o0 * 2)\" of \"i\": no file has its values"),
    ];
    for (name, why) in refused {
        let error = table.project([name]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(error.to_string().ends_with(&format!("refused.b2z: column {name:?}: {why}")), "{error}");
    }
}

#[test]
fn a_leaf_of_a_struct_is_no_column_and_its_struct_is_named() {
    let table = Table::open(data("nested.b2z")).unwrap();
    let error = table.project(["trip.deep.s"]).unwrap_err();
    assert!(error.to_string().ends_with("nested.b2z: column \"trip.deep.s\" is a part of \"trip\""), "{error}");
    let trip = common::whole(&table, 9).unwrap();
    let trip = trip.column_by_name("trip").unwrap().as_struct().clone();
    assert_eq!((trip.len(), trip.null_count()), (3, 1));
}

#[test]
fn physical_rows_are_counted_in_live_ones() {
    let table = Table::open(data("kinds.b2z")).unwrap();
    let before: Vec<_> = (0..9).map(|row| table.live_before(row).unwrap()).collect();
    assert_eq!(before, [0, 1, 2, 3, 4, 4, 5, 6, 6]);
}

#[test]
fn what_is_no_table_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("text.b2z");
    std::fs::write(&file, "text").unwrap();
    let error = Table::open(&file).unwrap_err().to_string();
    assert!(error.ends_with("text.b2z: it is neither an archive nor a frame, so it holds no table"), "{error}");
    let error = Table::open(directory.path()).unwrap_err().to_string();
    assert!(error.ends_with(": it holds no table"), "{error}");
    assert_eq!(Table::open(directory.path().join("absent.b2z")).unwrap_err().kind(), ErrorKind::Io);
}
