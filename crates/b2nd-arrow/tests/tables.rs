//! Reads what `tests/data/recipe.py` wrote, also with changes, and compares tables with python-blosc2's export. Also reads arrays.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]
#![allow(clippy::single_range_in_vec_init, reason = "a list of ranges may have one")]

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int16Type};
use arrow_array::{Array, ListArray};
use arrow_schema::DataType;
use b2nd_arrow::{ArrayReader, CellReader, ErrorKind, JsonCells, Store, Table, TableOptions};

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

/// A change to the text of the schema.
type Change = fn(String) -> String;

/// The error when a table whose schema was changed is opened.
#[track_caller]
fn refused(archive: &str, change: Change) -> String {
    let directory = tempfile::tempdir().unwrap();
    unpacked(archive, directory.path());
    schema_changed(directory.path(), change);
    let error = Table::open(directory.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    error.to_string().replace(&directory.path().display().to_string(), "it")
}

fn schema_changed(directory: &Path, change: Change) {
    let meta = directory.join("_meta.b2f");
    let source = std::fs::read(&meta).unwrap();
    let frame = b2nd_store::Frame::open(&source).unwrap();
    let metadata = b2nd_store::Attributes::of(&frame).unwrap();
    let schema = metadata.get("schema").unwrap().as_str().unwrap().to_owned();
    let changed = change(schema.clone());
    assert_ne!(changed, schema);
    let packed = b2nd_store::value::pack_text(&changed);
    b2nd_frame::File::edit(&meta).unwrap().set_vlmetalayer_bytes("schema", &packed).unwrap();
}

/// Writes the files of an archive into a directory.
fn unpacked(archive: &str, directory: &Path) {
    let archive = std::fs::read(data(archive)).unwrap();
    let zip = b2nd_store::Zip::open(archive).unwrap();
    for name in b2nd_store::Folder::files(&zip).unwrap() {
        let path = directory.join(&name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let member = b2nd_store::Folder::open(&zip, &name).unwrap();
        std::fs::write(path, member.read(0..member.len().unwrap()).unwrap()).unwrap();
    }
}

#[test]
fn every_table_is_what_python_exports() {
    for name in ["kinds", "blocks", "empty", "names", "refused", "sentinels", "nested", "bools", "escaped"] {
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
    assert!(error.ends_with("tree.b2z: it holds 2 tables; choose one of them: /group/people, /things"), "{error}");
    let error = Table::from_store(store, "/array").unwrap_err();
    assert!(error.to_string().ends_with("tree.b2z::/array: a table needs \"array/_meta.b2f\", which is missing"), "{error}");
}

#[test]
fn a_directory_is_read_as_the_archive_is() {
    let directory = tempfile::tempdir().unwrap();
    unpacked("kinds.b2z", directory.path());
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
    assert!(error.to_string().contains("kinds.b2z: there is no readable column \"absent\": expected one of [\""), "{error}");
}

#[test]
fn a_column_that_arrow_cannot_have_is_refused_by_name_and_the_others_are_read() {
    let table = Table::open(data("refused.b2z")).unwrap();
    let names: Vec<_> = table.columns().iter().map(|column| (column.name(), column.kind(), column.data_type().is_ok())).collect();
    assert_eq!(names, [("i", "int16", true), ("c", "complex64", true), ("o", "object", false), ("twice", "computed", false)]);
    let refused = [
        ("o", "values of the kind object have no declared type"),
        ("twice", "its values are not in a file: python-blosc2 computes them from \"i\" with the expression \"(o0 * 2)\""),
    ];
    for (name, why) in refused {
        let error = table.project([name]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(error.to_string().ends_with(&format!("refused.b2z: column {name:?}: {why}")), "{error}");
    }
}

#[test]
fn objects_are_json_text_on_demand() {
    let table = Table::open(data("refused.b2z")).unwrap().with_objects().unwrap();
    let names: Vec<_> = table.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["i", "c", "o"]);
    for batch_size in [1, 1000] {
        let found = common::whole(&table, batch_size).unwrap();
        let objects: Vec<_> = found.column(2).as_string::<i32>().iter().collect();
        assert_eq!(objects, [Some("{\"a\":[1,null]}"), Some("\"text\""), None]);
    }
}

#[test]
fn complex_numbers_are_structs_of_two_floats() {
    let table = Table::open(data("refused.b2z")).unwrap();
    let complex = common::whole(&table, 2).unwrap().column_by_name("c").unwrap().as_struct().clone();
    let fields: Vec<_> =
        complex.fields().iter().map(|field| (field.name().as_str(), field.data_type(), field.is_nullable())).collect();
    assert_eq!(fields, [("re", &DataType::Float32, false), ("im", &DataType::Float32, false)]);
    let part = |at: usize| complex.column(at).as_primitive::<Float32Type>().values().to_vec();
    assert_eq!([part(0), part(1)], [[0.0, 2.5, 3.0], [1.0, 0.0, -1.0]]);
}

#[test]
fn a_leaf_of_a_struct_is_no_column_and_its_struct_is_named() {
    let table = Table::open(data("nested.b2z")).unwrap();
    let error = table.project(["trip.deep.s"]).unwrap_err();
    assert!(
        error.to_string().ends_with("nested.b2z: column \"trip.deep.s\" is a part of the struct \"trip\": read \"trip\" instead"),
        "{error}"
    );
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
    assert!(
        error.ends_with("text.b2z: it is not a store: it is neither a zip archive, nor a frame, nor an HDF5 file"),
        "{error}"
    );
    let error = Table::open(directory.path()).unwrap_err().to_string();
    assert!(error.ends_with(": it contains no table"), "{error}");
    let error = Table::open("../../tests/data/example.b2nd").unwrap_err().to_string();
    assert_eq!(error, "../../tests/data/example.b2nd: it is not a store, but a single frame of the kind ndarray");
    assert_eq!(Table::open(directory.path().join("absent.b2z")).unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn a_summary_bounds_the_values_of_its_segments() {
    let table = Table::open(data("blocks.b2z")).unwrap();
    let whole = common::whole(&table, 1000).unwrap();
    let (mut bounded, mut unknown, mut null) = (0, 0, 0);
    for name in ["n", "m", "z", "x", "y", "t", "o"] {
        let place = table.project([name]).unwrap()[0];
        let summary = table.summary(place).unwrap().unwrap();
        assert_eq!((summary.len(), summary.rows(14), summary.rows(15), summary.segment(299)), (15, 280..300, 300..300, 14));
        let ordered = |array: &dyn Array| arrow_select::concat::concat(&[array, summary.least(), summary.greatest()]).unwrap();
        // The values and their bounds are in the same array so that one comparator can compare them.
        let all = ordered(whole.column(place));
        let compare = arrow_ord::ord::make_comparator(&all, &all, Default::default()).unwrap();
        for segment in 0..summary.len() {
            let physical = summary.rows(segment);
            let live = table.live_before(physical.start).unwrap()..table.live_before(physical.end).unwrap();
            let (least, greatest) = (whole.num_rows() + segment, whole.num_rows() + summary.len() + segment);
            let rows = live.start as usize..live.end as usize;
            if summary.is_null(segment) {
                assert!(rows.clone().all(|row| all.is_null(row)), "{name}, segment {segment}");
                null += 1;
            } else if all.is_null(least) {
                unknown += 1;
            } else {
                let inside = |row: usize| compare(least, row).is_le() && compare(row, greatest).is_le();
                assert!(rows.clone().all(|row| all.is_null(row) || inside(row)), "{name}, segment {segment}");
                bounded += 1;
            }
        }
    }
    // Segment 3 of x is all NaN and segment 6 holds one; segment 5 of m, z, y and t is null.
    assert_eq!((bounded, unknown, null), (99, 2, 4));
    assert!(table.summary(table.project(["w"]).unwrap()[0]).unwrap().is_none());
}

#[test]
fn an_index_that_is_not_of_the_table_as_it_is_is_none() {
    let directory = tempfile::tempdir().unwrap();
    unpacked("blocks.b2z", directory.path());
    let meta = directory.path().join("_meta.b2f");
    let frame = b2nd_frame::File::open(&meta).unwrap();
    let content = |name: &str| {
        let trailer = frame.trailer().unwrap();
        let chunk = b2nd_frame::Chunk::from_slice(trailer.vlmetalayers().raw_chunk(name).unwrap()).unwrap();
        chunk.data().unwrap()
    };
    let (catalog, epoch) = (b2nd::Value::from_slice(&content("index_catalog")).unwrap(), content("value_epoch"));
    let summary = || {
        let table = Table::open(directory.path()).unwrap();
        table.summary(table.project(["n"]).unwrap()[0])
    };
    assert!(summary().unwrap().is_some());
    let set = |name: &str, bytes: &[u8]| b2nd_frame::File::edit(&meta).unwrap().set_vlmetalayer_bytes(name, bytes).unwrap();
    type Change = fn(&mut b2nd::Value);
    let changes: [(&str, Change); 7] = [
        ("stale", |value| *value = true.into()),
        ("stale", |value| *value = b2nd::Value::from_slice(&[0xc0]).unwrap()),
        ("built_value_epoch", |value| *value = 299_u16.into()),
        ("shape", |value| *value = b2nd::Value::from_slice(&[0x91, 0xcd, 0x01, 0x2d]).unwrap()),
        ("kind", |value| *value = "full".into()),
        ("dtype", |value| *value = "<i8".into()),
        ("target", |value| *value = b2nd::Value::from_slice(b"\x81\xa6source\xaaexpression").unwrap()),
    ];
    for (key, change) in changes {
        let mut changed = catalog.clone();
        change(changed.get_mut("n").unwrap().get_mut(key).unwrap());
        set("index_catalog", &changed.to_vec().unwrap());
        assert!(summary().unwrap().is_none(), "{key}");
    }
    set("index_catalog", &catalog.to_vec().unwrap());
    assert!(summary().unwrap().is_some());
    // The table was changed after the index was built.
    set("value_epoch", &[0xcd, 0x01, 0x2d]);
    assert!(summary().unwrap().is_none());
    set("value_epoch", &epoch);
    // The index of another column.
    let file = |name: &str| directory.path().join(format!("_indexes/{name}/summary.block.b2nd"));
    std::fs::copy(file("z"), file("n")).unwrap();
    let error = summary().unwrap_err().to_string();
    let expected = "_indexes/n/summary.block.b2nd: expected values of [('min', '<i4'), ('max', '<i4'), ('flags', 'u1')], \
        found [('min', '<i8'), ('max', '<i8'), ('flags', 'u1')]";
    assert!(error.ends_with(expected), "{error}");
    std::fs::remove_file(file("n")).unwrap();
    assert!(summary().unwrap().is_none());
}

#[test]
fn batches_end_where_blocks_do() {
    let table = Table::open(data("blocks.b2z")).unwrap();
    let blocks: BTreeSet<u64> = (0..table.physical_rows()).step_by(20).map(|row| table.live_before(row).unwrap()).collect();
    let ends = |start: u64, batch_size: usize| {
        let mut end = start;
        let batches = table.read(&[0], start..table.rows(), batch_size).unwrap();
        let ends: Vec<u64> = batches
            .map(|batch| {
                let rows = batch.unwrap().num_rows();
                assert!(rows <= batch_size, "{rows} of {batch_size}");
                end += rows as u64;
                end
            })
            .collect();
        assert_eq!(ends.last(), Some(&table.rows()));
        ends
    };
    for (start, batch_size) in [(0, 20), (0, 25), (5, 20), (41, 50), (0, 100)] {
        let ends = ends(start, batch_size);
        assert!(ends[..ends.len() - 1].iter().all(|end| blocks.contains(end)), "{start} {batch_size}: {ends:?}");
    }
    // If a block is longer than a batch, it is split into several batches.
    let ends: BTreeSet<u64> = ends(0, 5).into_iter().collect();
    assert!(blocks.iter().skip(1).all(|block| ends.contains(block)), "{ends:?}");
}

#[test]
fn an_array_has_its_rows_as_batches() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, shape: &[usize]| {
        let path = directory.path().join(name);
        let count: usize = shape.iter().product();
        let array = ndarray::ArrayD::from_shape_vec(shape, (0..count as i32).collect()).unwrap();
        b2nd_ndarray::write(&path, &array, &b2nd_ndarray::Options::default()).unwrap();
        b2nd_ndarray::Array::open(path).unwrap()
    };
    let one: Vec<_> = ArrayReader::new(write("one", &[70_000])).unwrap().map(|batch| batch.unwrap()).collect();
    assert_eq!(one.iter().map(|batch| batch.num_rows()).collect::<Vec<_>>(), [65_536, 4464]);
    let last = one[1].column(0).as_primitive::<arrow_array::types::Int32Type>();
    assert_eq!((last.value(0), last.value(4463)), (65_536, 69_999));
    let two: Vec<_> = ArrayReader::new(write("two", &[4, 3])).unwrap().map(|batch| batch.unwrap()).collect();
    let rows = two[0].column(0).as_fixed_size_list();
    assert_eq!(rows.value(2).as_primitive::<arrow_array::types::Int32Type>().values(), &[6, 7, 8]);
    let error = ArrayReader::new(write("empty", &[4, 0])).err().unwrap();
    assert_eq!(error.to_string(), "its rows have 0 bytes each: expected rows of 1 byte to 64 MiB");
    let three: Vec<_> = ArrayReader::new(write("three", &[2, 3, 2])).unwrap().map(|batch| batch.unwrap()).collect();
    let second = three[0].column(0).as_fixed_size_list().value(1);
    let last = second.as_fixed_size_list().value(2);
    assert_eq!(last.as_primitive::<arrow_array::types::Int32Type>().values(), &[10, 11]);
}

/// Structures with a number, a pair of numbers and a date. In the last one the date is NaT.
#[test]
fn fields_are_columns_and_days_are_dates() {
    let elements: Vec<u8> = [(1_i32, [2_i16, 3], 366_i64), (4, [5, 6], i64::MIN)]
        .iter()
        .flat_map(|(a, [b, c], day)| [&a.to_le_bytes()[..], &b.to_le_bytes(), &c.to_le_bytes(), &day.to_le_bytes()].concat())
        .collect();
    let dtype: b2nd::dtype::DType = "[('a', '<i4'), ('b', '<i2', (2,)), ('d', '<M8[D]')]".parse().unwrap();
    let part = elements.clone();
    let read = move |rows: std::ops::Range<u64>| {
        Ok::<_, std::io::Error>(part[16 * rows.start as usize..16 * rows.end as usize].to_vec())
    };
    let batch = ArrayReader::with(dtype.clone(), &[2], read).unwrap().next().unwrap().unwrap();
    let names: Vec<_> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["a", "b", "d"]);
    assert_eq!(batch.column(0).as_primitive::<arrow_array::types::Int32Type>().values(), &[1, 4]);
    assert_eq!(batch.column(1).as_fixed_size_list().value(1).as_primitive::<arrow_array::types::Int16Type>().values(), &[5, 6]);
    let days = batch.column(2).as_primitive::<arrow_array::types::Date32Type>();
    assert_eq!((days.value(0), days.is_null(1)), (366, true));

    let far = move |_: std::ops::Range<u64>| Ok::<_, std::io::Error>([&elements[..24], &(1_i64 << 40).to_le_bytes()].concat());
    let error = ArrayReader::with(dtype, &[2], far).unwrap().next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "External error: row 1: day 1099511627776 does not fit an Arrow date");

    let damaged = |_: std::ops::Range<u64>| Err::<Vec<u8>, _>(b2nd_ndarray::Error::NoArray);
    let error = ArrayReader::with("<i4".parse().unwrap(), &[2], damaged).unwrap().next().unwrap().unwrap_err();
    let arrow_schema::ArrowError::ExternalError(error) = error else { panic!("{error}") };
    assert_eq!(error.downcast_ref::<b2nd_arrow::Error>().unwrap().kind(), b2nd_arrow::ErrorKind::Damaged);
}

#[test]
fn a_field_whose_structures_are_empty_is_an_error() {
    let read = |_: std::ops::Range<u64>| Ok::<_, std::io::Error>(vec![0; 4]);
    let error = ArrayReader::with("[('a', [('b', 'S')]), ('c', '<i4')]".parse().unwrap(), &[1], read).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("structures of 0 bytes are not supported: "), "{error}");
}

#[test]
fn a_stale_column_says_how_it_stores_nulls() {
    let directory = tempfile::tempdir().unwrap();
    unpacked("kinds.b2z", directory.path());
    schema_changed(directory.path(), |schema| {
        schema.replacen('{', r#"{"materialized_columns": [{"name": "u", "stale": true}, {"name": "d", "stale": true}], "#, 1)
    });
    let table = Table::open(directory.path()).unwrap();
    let stale: Vec<_> = table.columns().iter().filter(|column| column.data_type().is_err()).collect();
    let found: Vec<_> = stale.iter().map(|column| (column.name(), column.nulls())).collect();
    assert_eq!(found, [("u", "mask"), ("d", "code")]);
    assert!(table.project(["u"]).unwrap_err().to_string().ends_with("its values are stale"));
}

#[test]
fn zeros_inside_of_text_stay_and_those_at_its_end_go() {
    let text: Vec<u8> = ['a', '\0', '\u{100}', '\0'].iter().flat_map(|&char| u32::from(char).to_le_bytes()).collect();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("text");
    let geometry = b2nd_ndarray::Options::default().geometry(&[1], 16).unwrap();
    b2nd_ndarray::write_bytes(&path, &b2nd::B2ndMeta::new(geometry, "<U4"), &text, &b2nd_ndarray::Options::default()).unwrap();
    let mut reader = ArrayReader::new(b2nd_ndarray::Array::open(path).unwrap()).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().column(0).as_string::<i32>().value(0), "a\0\u{100}");
}

#[test]
fn a_sentinel_that_the_type_cannot_hold_marks_nothing() {
    let directory = tempfile::tempdir().unwrap();
    unpacked("kinds.b2z", directory.path());
    let nulls = || {
        let table = Table::open(directory.path()).unwrap();
        table.read(&table.project(["w"]).unwrap(), 0..6, 6).unwrap().next().unwrap().unwrap().column(0).null_count()
    };
    assert!(nulls() > 0);
    schema_changed(directory.path(), |schema| schema.replace("\"null_value\": 255", "\"null_value\": 256"));
    assert_eq!(nulls(), 0);
}

#[test]
fn values_of_lists_batches_and_objects_are_what_python_wrote() {
    let read = |name: &str, rows: std::ops::Range<u64>| {
        let reader = CellReader::new(std::sync::Arc::new(std::fs::File::open(data(name)).unwrap())).unwrap().slice(rows);
        let batches: Vec<_> = reader.map(|batch| batch.unwrap()).collect();
        assert_eq!(batches.len(), 1, "{name}");
        batches[0].column(0).clone()
    };
    let lists = read("list.b2b", 0..9);
    let expected =
        ListArray::from_iter_primitive::<Int16Type, _, _>([Some(vec![Some(1), None]), None, Some(vec![]), Some(vec![Some(2)])]);
    assert_eq!(lists.as_list::<i32>(), &expected);
    assert_eq!(read("list.b2b", 1..3).as_list::<i32>(), &expected.slice(1, 2));
    let texts =
        |name: &str, rows| read(name, rows).as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(texts("objects.b2b", 0..9), [some("{\"a\":1}"), some("\"text\""), None, some("2.5")]);
    assert_eq!(texts("batches.b2b", 0..9), [some("1"), some("\"two\""), None, some("[4,5]")]);
    assert_eq!(texts("arrow.b2b", 1..4), [None, some("c"), some("d")]);
    let structs = read("structs.b2b", 0..9);
    let numbers = structs.as_struct().column(0).as_primitive::<arrow_array::types::Int64Type>();
    assert_eq!(numbers.values(), &[1, 0, 3]);
    assert!(structs.is_null(1));
    let of_chunks = read("lists.b2b", 1..9);
    assert_eq!(of_chunks.as_list::<i32>().value(0).as_string::<i32>().iter().collect::<Vec<_>>(), [Some("b"), Some("c")]);
    let sparse = "python-blosc2-2.2.9/storage__sframe_2d_int32.b2sd/chunks.b2frame";
    for array in ["example.b2nd", sparse] {
        let array = std::fs::File::open(format!("../../tests/data/{array}")).unwrap();
        let error = CellReader::new(std::sync::Arc::new(array)).err().unwrap();
        let expected = "the frame is not an object array, a batch array or a list array";
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::NotFound, expected.to_owned()));
    }
}

#[test]
fn blocks_without_a_number_of_cells_are_counted() {
    let mut file = std::fs::read(data("batches.b2b")).unwrap();
    let key = file.windows(15).position(|bytes| bytes == b"items_per_block").unwrap();
    file[key] = b'I';
    let cells = JsonCells::new(std::sync::Arc::new(file)).unwrap();
    assert_eq!(cells.read(&[0..4]).unwrap(), ["1", "\"two\"", "null", "[4,5]"]);
    assert_eq!(cells.read(&[2..3]).unwrap(), ["null"]);
}

#[test]
fn values_of_batches_are_the_same_as_json() {
    let cells = |name: &str| JsonCells::new(std::sync::Arc::new(std::fs::File::open(data(name)).unwrap()));
    for (name, expected) in [
        ("list.b2b", "[[1,null],null,[],[2]]"),
        ("objects.b2b", r#"[{"a":1},"text",null,2.5]"#),
        ("batches.b2b", r#"[1,"two",null,[4,5]]"#),
        ("arrow.b2b", r#"["a",null,"c","d"]"#),
    ] {
        let cells = cells(name).unwrap();
        assert_eq!(cells.count().unwrap(), 4, "{name}");
        let all = cells.read(&[0..4]).unwrap();
        assert_eq!(format!("[{}]", all.join(",")), expected, "{name}");
        assert_eq!(cells.read(&[0..1, 2..4]).unwrap(), [&all[..1], &all[2..]].concat(), "{name}");
        assert_eq!(cells.read(&[2..5]).unwrap_err().to_string().split_once(": ").unwrap().1, "expected 5 or more cells, found 4");
    }
    assert_eq!(cells("lists.b2b").unwrap().read(&[1..2]).unwrap(), [r#"["b","c"]"#]);
    assert_eq!(cells("../../../../tests/data/example.b2nd").err().unwrap().kind(), ErrorKind::NotFound);
}

#[test]
fn nulls_are_counted_where_a_file_says_them() {
    for name in ["kinds", "blocks", "nights"] {
        let table = Table::open(data(&format!("{name}.b2z"))).unwrap();
        let mut counted = 0;
        for (place, column) in table.columns().iter().enumerate() {
            let Some(count) = table.null_count(place).unwrap() else { continue };
            let read = table.read(&table.project([column.name()]).unwrap(), 0..u64::MAX, 7).unwrap();
            let truth: usize = read.map(|batch| batch.unwrap().column(0).null_count()).sum();
            assert_eq!(count, truth as u64, "{name}: {}", column.name());
            counted += 1;
        }
        assert!(counted > 1, "{name}: {counted}");
    }
}

/// A file that counts the bytes that are read.
struct Counting(std::fs::File, std::sync::atomic::AtomicU64);

impl b2nd_frame::Source for Counting {
    fn len(&self) -> b2nd_frame::Result<u64> {
        b2nd_frame::Source::len(&self.0)
    }

    fn read(&self, range: std::ops::Range<u64>) -> b2nd_frame::Result<std::borrow::Cow<'_, [u8]>> {
        let bytes = b2nd_frame::Source::read(&self.0, range)?;
        self.1.fetch_add(bytes.len() as u64, std::sync::atomic::Ordering::Relaxed);
        Ok(bytes)
    }
}

#[test]
fn a_reader_of_one_part_reads_no_block_before_it_is_asked_for() {
    let file = std::fs::File::open(data("blocks.b2z")).unwrap();
    let source = std::sync::Arc::new(Counting(file, Default::default()));
    let table = Table::only(Store::from_source("blocks", source.clone()).unwrap()).unwrap();
    let place = table.project(["t"]).unwrap();
    let after_first = |parts: usize| {
        let mut reader = table.read(&place, 0..table.rows(), 20).unwrap().parallel(parts);
        let before = source.1.load(std::sync::atomic::Ordering::Relaxed);
        assert_eq!(reader.next().unwrap().unwrap().num_rows(), 20);
        source.1.load(std::sync::atomic::Ordering::Relaxed) - before
    };
    // The first read includes more bytes, such as the index of the file.
    let (_, one, eight) = (after_first(1), after_first(1), after_first(8));
    assert!(one > 0 && eight > 4 * one, "{one} bytes, of eight parts {eight}");
}

#[test]
fn batches_before_an_error_come_out() {
    let directory = tempfile::tempdir().unwrap();
    unpacked("kinds.b2z", directory.path());
    let table = Table::open(directory.path()).unwrap();
    let place = table.project(["d"]).unwrap();
    let before: Vec<_> = table.read(&place, 0..6, 1).unwrap().map(|batch| batch.unwrap()).collect();
    // The code of physical row 5, which is row 4 because a row before it is deleted, is not in the dictionary.
    let path = directory.path().join("_cols/d.b2nd");
    let array = b2nd_ndarray::Array::open(&path).unwrap();
    let mut codes = array.read::<i32>(&array.whole()).unwrap();
    codes[[5]] = 99;
    std::fs::remove_file(&path).unwrap();
    b2nd_ndarray::write(&path, &codes, &b2nd_ndarray::Options::default()).unwrap();
    let read: Vec<_> = Table::open(directory.path()).unwrap().read(&place, 0..6, 1).unwrap().collect();
    assert_eq!(read.len(), 5);
    for (batch, before) in read[..4].iter().zip(&before) {
        assert_eq!(batch.as_ref().unwrap(), before);
    }
    let error = read[4].as_ref().unwrap_err().to_string();
    assert!(error.contains("column \"d\", row 4: code 99 is not in the dictionary of "), "{error}");
}

#[test]
fn values_are_verified_until_a_time_and_what_is_left_is_named() {
    let table = Table::open("tests/data/names.b2z").unwrap();
    assert!(table.verify_until(None).is_empty());
    let errors = table.verify_until(Some(std::time::Instant::now()));
    assert_eq!(errors.len(), table.schema().fields().len());
    assert!(errors.iter().all(|error| error.to_string().contains("within the time limit")), "{errors:?}");
}

#[test]
fn a_schema_that_python_refuses_is_an_error() {
    let twice: Change = |schema| {
        let first = schema.find("[{").unwrap() + 1..schema.find("},").unwrap() + 2;
        let column = schema[first.clone()].repeat(10_000);
        [&schema[..first.start], &column, &schema[first.end..]].concat()
    };
    let expected = "it: column \"n\": the schema: two columns have this name";
    assert_eq!(refused("blocks.b2z", twice), expected);
    let rows: Change = |schema| schema.replace("\"n_rows\": ", "\"n_rows\": -");
    assert_eq!(refused("blocks.b2z", rows), "it: the schema's n_rows: expected an integer of at least 0, found -275");
    let columns: Change = |schema| schema.replace("\"columns\":", "\"columnz\":");
    assert_eq!(refused("blocks.b2z", columns), "it: the schema: columns: expected a list, found nothing");
    let key: Change = |schema| schema.replacen("{\"name\"", "{\"colour\":1,\"name\"", 1);
    let expected = "it: column \"n\": the schema: the key \"colour\" is unknown for the kind \"int32\": python-blosc2 \
                    4.14.1 rejects unknown keys";
    assert_eq!(refused("blocks.b2z", key), expected);
}

/// A changed bit in the archive's directory could hide the mask of nulls of a column.
#[test]
fn a_damaged_name_of_a_mask_is_an_error_and_no_lost_null() {
    let mut archive = std::fs::read(data("kinds.b2z")).unwrap();
    let name = b"_cols/i.notnull.b2nd";
    let last = archive.windows(name.len()).rposition(|window| window == name).unwrap();
    archive[last + name.len() - 1] ^= 0x20;
    let error = Table::only(Store::from_source("it", std::sync::Arc::new(archive)).unwrap()).unwrap_err().to_string();
    let expected = "it: the member \"_cols/i.notnull.b2nD\" is damaged: its own header, which should match the archive's \
                    directory, has a different name";
    assert_eq!(error, expected);
}

/// A table may have more columns than a process can have open files, which on most systems is 1,024 or less.
#[cfg(target_os = "linux")]
#[test]
fn few_files_are_open_however_many_columns_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let open = || {
        let links = std::fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
        links.filter(|link| link.starts_with(directory.path())).count()
    };
    unpacked("blocks.b2z", directory.path());
    let change: Change = |schema| {
        let first = schema.find("[{").unwrap() + 1..schema.find("},").unwrap() + 2;
        let columns: String = (0..300).map(|at| schema[first.clone()].replace("\"n\"", &format!("\"n{at}\""))).collect();
        [&schema[..first.start], &columns, &schema[first.end..]].concat()
    };
    schema_changed(directory.path(), change);
    for at in 0..300 {
        std::fs::copy(directory.path().join("_cols/n.b2nd"), directory.path().join(format!("_cols/n{at}.b2nd"))).unwrap();
    }
    let table = Table::open(directory.path()).unwrap();
    assert!(table.schema().fields().len() > 300);
    for batch in table.read_all().unwrap() {
        assert_eq!(batch.unwrap().num_rows() as u64, table.rows());
    }
    assert!((1..=200).contains(&open()), "{}", open());
}

#[test]
fn a_limit_of_memory_holds_for_tables() {
    let table = Table::open(data("nights.b2z")).unwrap();
    let all =
        |table: &Table| table.read_all().unwrap().map(|batch| batch.map(|batch| batch.num_rows())).collect::<Result<Vec<_>, _>>();
    let most = |rows: Vec<usize>| rows.into_iter().max().unwrap();
    let whole = most(all(&table).unwrap());
    let little = table.with(TableOptions { max_memory: 1 << 20, ..TableOptions::default() }).unwrap();
    let rows = all(&little).unwrap();
    assert_eq!(rows.iter().sum::<usize>() as u64, table.rows());
    assert!(most(rows) < whole / 2);
    let error = table.with(TableOptions { max_memory: 100, ..TableOptions::default() }).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLong, "{error}");
}
