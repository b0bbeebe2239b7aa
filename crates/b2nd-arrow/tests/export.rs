//! Exports of values that most tables do not have.
#![cfg(feature = "export")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

use std::sync::Arc;

use arrow_array::types::{Float64Type, TimestampMillisecondType, TimestampSecondType};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Date32Array, DurationMillisecondArray, DurationSecondArray, FixedSizeListArray, Float32Array,
    Float64Array, Int64Array, LargeBinaryArray, ListArray, PrimitiveArray, RecordBatch, StringArray, StructArray,
    TimestampMicrosecondArray, TimestampSecondArray,
};
use arrow_schema::{DataType, Field, TimeUnit};
use b2nd_arrow::{ErrorKind, Format};

/// The bytes of batches that are written in a format.
fn written(format: Format, batches: &[RecordBatch]) -> b2nd_arrow::Result<Vec<u8>> {
    let mut out = Vec::new();
    format.write(&batches[0].schema(), batches.iter().cloned().map(Ok), &mut out, |_| {})?;
    Ok(out)
}

fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
}

/// A batch with times in seconds: as a column, in lists, in arrays, and in structs.
fn times(values: Vec<Option<i64>>) -> RecordBatch {
    let plain = TimestampSecondArray::from(values.clone());
    let lists = ListArray::from_iter_primitive::<TimestampSecondType, _, _>(values.iter().map(|value| Some(vec![*value, None])));
    let rows = values.iter().map(|value| value.map(|value| vec![Some(value), Some(-1)]));
    let rows = FixedSizeListArray::from_iter_primitive::<TimestampSecondType, _, _>(rows, 2);
    let zoned: ArrayRef = Arc::new(plain.clone().with_timezone("Europe/Madrid"));
    let field = Field::new("t", zoned.data_type().clone(), true);
    batch([
        ("t", Arc::new(plain)),
        ("zoned", zoned.clone()),
        ("lists", Arc::new(lists)),
        ("rows", Arc::new(rows)),
        ("structs", Arc::new(StructArray::from(vec![(Arc::new(field), zoned)]))),
    ])
}

#[test]
fn parquet_has_seconds_as_milliseconds_with_their_zone() {
    let batch = times(vec![Some(0), None, Some(-1), Some(4_102_444_800), Some(i64::MAX / 1000)]);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("times.parquet");
    std::fs::write(&path, written(Format::Parquet, std::slice::from_ref(&batch)).unwrap()).unwrap();
    let file =
        parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(&path).unwrap()).unwrap();
    // Programs that ignore the Arrow schema in the file see times too.
    let schema = file.parquet_schema();
    let types: Vec<_> = (0..schema.num_columns()).map(|at| format!("{:?}", schema.column(at).logical_type_ref())).collect();
    assert!(types.iter().all(|name| name.contains("Timestamp") && name.contains("MILLIS")), "{types:?}");
    let read = file.build().unwrap().next().unwrap().unwrap();
    let zone = Some("Europe/Madrid".into());
    assert_eq!(read.column(1).data_type(), &DataType::Timestamp(TimeUnit::Millisecond, zone));
    for (column, expected) in read.columns().iter().zip(batch.columns()) {
        // Casting back to seconds loses nothing.
        assert_eq!(&arrow_cast::cast(column, expected.data_type()).unwrap(), expected);
    }
    let times: &PrimitiveArray<TimestampMillisecondType> = arrow_array::cast::AsArray::as_primitive(read.column(0));
    assert_eq!((times.value(2), times.value(3)), (-1000, 4_102_444_800_000));
}

#[test]
fn a_time_that_parquet_has_no_place_for_is_named() {
    let too_far = i64::MAX / 1000 + 1;
    let (good, all) = (times(vec![Some(1), None]), times(vec![None, Some(5), Some(too_far)]));
    for name in ["t", "zoned", "lists", "rows", "structs"] {
        let column = |batch: &RecordBatch| batch.project(&[batch.schema().index_of(name).unwrap()]).unwrap();
        let error = written(Format::Parquet, &[column(&good), column(&all)]).unwrap_err();
        assert_eq!((error.kind(), error.column(), error.row()), (ErrorKind::Refused, Some(name), Some(4)));
        let limit = i64::MAX;
        let expected =
            format!("column {name:?}, row 4: a time is too far from 1970 for Parquet, whose limit is {limit} milliseconds: ");
        let error = error.to_string();
        let shown = error.strip_prefix(&expected).unwrap_or_else(|| panic!("{error}"));
        assert!(shown.contains(&format!("{too_far} s since 1970-01-01")), "{shown}");
    }
    // The values inside a null row are not checked.
    let (field, rows) = (Arc::new(Field::new("item", DataType::Timestamp(TimeUnit::Second, None), true)), vec![too_far, 1, 2, 3]);
    let nulls = Some(vec![false, true].into());
    let rows = FixedSizeListArray::try_new(field, 2, Arc::new(TimestampSecondArray::from(rows)), nulls).unwrap();
    written(Format::Parquet, &[batch([("rows", Arc::new(rows))])]).unwrap();
}

#[test]
fn days_that_have_no_date_are_numbers() {
    let batch = batch([("d", Arc::new(Date32Array::from(vec![Some(366), Some(i32::MAX), None, Some(i32::MIN)])))]);
    let text = |format| String::from_utf8(written(format, std::slice::from_ref(&batch)).unwrap()).unwrap();
    let [late, early] = ["2147483647 days since 1970-01-01", "-2147483648 days since 1970-01-01"];
    assert_eq!(text(Format::Csv), format!("d\n1971-01-02\n{late}\n\n{early}\n").replace("\n\n", "\n\"\"\n"));
    let json = format!("{{\"d\":\"1971-01-02\"}}\n{{\"d\":\"{late}\"}}\n{{\"d\":null}}\n{{\"d\":\"{early}\"}}\n");
    assert_eq!(text(Format::Json), json);
}

/// Times around the last second that can be written as a date. Later ones are written as numbers.
fn far() -> RecordBatch {
    const LAST: i64 = 8_200_000_000_000;
    let seconds = vec![Some(LAST), Some(LAST + 1), Some(i64::MAX), None, Some(0)];
    let plain = TimestampSecondArray::from(seconds.clone());
    let lists = ListArray::from_iter_primitive::<TimestampSecondType, _, _>([
        Some(vec![Some(i64::MAX), None, Some(0)]),
        None,
        Some(vec![]),
        Some(vec![Some(-LAST)]),
        Some(vec![None]),
    ]);
    let zoned: ArrayRef = Arc::new(plain.clone().with_timezone("Europe/Madrid"));
    let field = Field::new("z", zoned.data_type().clone(), true);
    let unknown = plain.clone().with_timezone("Nowhere/Town");
    let micros = TimestampMicrosecondArray::from(vec![Some(i64::MIN), Some(i64::MIN + 1), Some(i64::MAX), None, Some(1)]);
    let durations = DurationSecondArray::from(vec![Some(i64::MAX), Some(-i64::MAX), Some(90_061), None, Some(0)]);
    let millis = DurationMillisecondArray::from(vec![Some(i64::MIN), Some(i64::MAX), Some(1500), None, Some(0)]);
    batch([
        ("t", Arc::new(plain)),
        ("l", Arc::new(lists)),
        ("s", Arc::new(StructArray::from(vec![(Arc::new(field), zoned)]))),
        ("u", Arc::new(unknown)),
        ("us", Arc::new(micros)),
        ("d", Arc::new(durations)),
        ("dms", Arc::new(millis)),
    ])
}

/// The times as text, column by column: a date, or a number with its unit.
const FAR: [[&str; 5]; 7] = [
    [
        "+261817-08-28T09:46:40",
        "8200000000001 s since 1970-01-01",
        "9223372036854775807 s since 1970-01-01",
        "NULL",
        "1970-01-01T00:00:00",
    ],
    ["[9223372036854775807 s since 1970-01-01, NULL, 1970-01-01T00:00:00]", "NULL", "[]", "[-257878-05-06T14:13:20]", "[NULL]"],
    [
        "{z: +261817-08-28T10:46:40+01:00}",
        "{z: 8200000000001 s since 1970-01-01}",
        "{z: 9223372036854775807 s since 1970-01-01}",
        "{z: NULL}",
        "{z: 1970-01-01T01:00:00+01:00}",
    ],
    [
        "8200000000000 s since 1970-01-01",
        "8200000000001 s since 1970-01-01",
        "9223372036854775807 s since 1970-01-01",
        "NULL",
        "0 s since 1970-01-01",
    ],
    [
        "-9223372036854775808 µs since 1970-01-01",
        "-9223372036854775807 µs since 1970-01-01",
        "9223372036854775807 µs since 1970-01-01",
        "NULL",
        "1970-01-01T00:00:00.000001",
    ],
    ["9223372036854775807 s", "-9223372036854775807 s", "PT90061S", "NULL", "P0D"],
    ["-9223372036854775808 ms", "9223372036854775807 ms", "PT1.5S", "NULL", "P0D"],
];

#[test]
fn a_time_without_a_date_is_text_in_every_format_and_breaks_none() {
    let batch = far();
    for (at, texts) in FAR.iter().enumerate() {
        let column = batch.project(&[at]).unwrap();
        let (name, is_nested) = (column.schema().field(0).name().clone(), column.column(0).data_type().is_nested());
        let shown = b2nd_arrow::TextTable::new(None).format(&column).unwrap();
        let shown: Vec<_> = shown.lines().skip(2).collect();
        let cut: Vec<_> = texts.iter().map(|text| text.chars().take(38).collect::<String>()).collect();
        assert!(shown.iter().zip(&cut).all(|(line, text)| line.starts_with(text)), "{name}: {shown:?}");
        let lines = String::from_utf8(written(Format::Json, std::slice::from_ref(&column)).unwrap()).unwrap();
        assert!(!lines.contains("ERROR") && !lines.contains("invalid"), "{lines}");
        let csv = String::from_utf8(written(Format::Csv, &[column]).unwrap()).unwrap();
        if is_nested {
            assert!(
                lines.contains("9223372036854775807 s since 1970-01-01")
                    && csv.contains("9223372036854775807 s since 1970-01-01"),
                "{csv}"
            );
            continue;
        }
        for ((line, cell), text) in lines.lines().zip(csv.lines().skip(1)).zip(texts) {
            let value = if *text == "NULL" { format!("{{\"{name}\":null}}") } else { format!("{{\"{name}\":\"{text}\"}}") };
            assert_eq!((line, cell), (&*value, if *text == "NULL" { "\"\"" } else { text }));
        }
    }
}

#[test]
fn json_tells_nulls_from_floats_that_it_lacks_and_bytes_from_text() {
    let floats = [Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY), None, Some(0.1)];
    let bytes: Vec<Option<&[u8]>> = vec![Some(b"a"), Some(&[0, 0xff]), Some(b""), None, Some(b"text")];
    let lists = floats.iter().map(|value| value.map(|value| vec![Some(value), None, Some(-0.0)]));
    let narrow: Float32Array = floats.iter().map(|value| value.map(|value| value as f32)).collect();
    let field = |name, data_type| Arc::new(Field::new(name, data_type, true));
    let structs = StructArray::from(vec![
        (field("f", DataType::Float32), Arc::new(narrow) as ArrayRef),
        (field("b", DataType::LargeBinary), Arc::new(LargeBinaryArray::from(bytes.clone()))),
    ]);
    let batch = batch([
        ("f", Arc::new(Float64Array::from(floats.to_vec()))),
        ("b", Arc::new(BinaryArray::from(bytes))),
        ("l", Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(lists))),
        ("s", Arc::new(structs)),
    ]);
    let lines = String::from_utf8(written(Format::Json, std::slice::from_ref(&batch)).unwrap()).unwrap();
    let expected = [
        r#"{"f":null,"b":{"bytes":"61"},"l":[null,null,-0.0],"s":{"f":null,"b":{"bytes":"61"}}}"#,
        r#"{"f":null,"b":{"bytes":"00ff"},"l":[null,null,-0.0],"s":{"f":null,"b":{"bytes":"00ff"}}}"#,
        r#"{"f":null,"b":{"bytes":""},"l":[null,null,-0.0],"s":{"f":null,"b":{"bytes":""}}}"#,
        r#"{"f":null,"b":null,"l":null,"s":{"f":null,"b":null}}"#,
        r#"{"f":0.1,"b":{"bytes":"74657874"},"l":[0.1,null,-0.0],"s":{"f":0.1,"b":{"bytes":"74657874"}}}"#,
    ];
    assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
    // Lists and structs are JSON inside CSV.
    let csv = String::from_utf8(written(Format::Csv, &[batch.project(&[2, 3]).unwrap()]).unwrap()).unwrap();
    let first = r#""[null,null,-0.0]","{""f"":null,""b"":{""bytes"":""61""}}""#;
    assert_eq!((csv.lines().nth(1), csv.lines().nth(4)), (Some(first), Some(r#","{""f"":null,""b"":null}""#)));
}

#[test]
fn csv_tells_an_empty_text_from_a_null() {
    let texts = StringArray::from(vec![Some("a"), Some(""), None, Some(" b,\"c\"")]);
    let bytes: Vec<Option<&[u8]>> = vec![Some(b"a"), None, Some(b""), None];
    let batch = batch([("", Arc::new(texts) as ArrayRef), ("b", Arc::new(BinaryArray::from(bytes)))]);
    let csv = String::from_utf8(written(Format::Csv, &[batch]).unwrap()).unwrap();
    assert_eq!(csv, "\"\",b\na,61\n\"\",\n,\"\"\n\" b,\"\"c\"\"\",\n");
}

#[test]
fn the_null_of_a_single_column_is_no_blank_line_in_csv() {
    let batch = batch([("n", Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])) as ArrayRef)]);
    let csv = String::from_utf8(written(Format::Csv, &[batch]).unwrap()).unwrap();
    assert_eq!(csv, "n\n1\n\"\"\n3\n");
}

#[test]
fn complex_numbers_have_a_text_and_a_json_of_their_own() {
    let fields = ["re", "im"].map(|name| Arc::new(Field::new(name, DataType::Float64, false)));
    let parts: [ArrayRef; 2] = [vec![-1.39, 0.0, 1e300, f64::NAN], vec![1.06, 9.0, -2.0, f64::INFINITY]]
        .map(|part| Arc::new(Float64Array::from(part)) as ArrayRef);
    let nulls = Some(vec![true, false, true, true].into());
    let complex: ArrayRef = Arc::new(StructArray::try_new(fields.to_vec().into(), parts.to_vec(), nulls).unwrap());
    let batch = batch([("c", complex)]);
    let text = |format| String::from_utf8(written(format, std::slice::from_ref(&batch)).unwrap()).unwrap();
    assert_eq!(text(Format::Csv), "c\n-1.39+1.06j\n\"\"\n1e300-2.0j\nNaN+infj\n");
    let json = [
        r#"{"c":{"complex":[-1.39,1.06]}}"#,
        r#"{"c":null}"#,
        r#"{"c":{"complex":[1.0e300,-2.0]}}"#,
        r#"{"c":{"complex":[null,null]}}"#,
    ];
    assert_eq!(text(Format::Json).lines().collect::<Vec<_>>(), json);
    let shown = b2nd_arrow::TextTable::new(None).format(&batch).unwrap();
    assert_eq!(shown, "          c\n complex128\n-1.39+1.06j\n       NULL\n 1e300-2.0j\n   NaN+infj\n");
}

#[test]
fn a_table_of_no_columns_is_refused() {
    let none = arrow_schema::Schema::empty().into();
    for format in [Format::Arrow, Format::Csv, Format::Json, Format::Parquet] {
        let mut out = Vec::new();
        let error = format.write(&none, std::iter::empty(), &mut out, |_| {}).unwrap_err();
        assert_eq!((error.to_string(), out.len()), ("there are no columns to write".to_owned(), 0));
    }
}

#[test]
fn an_error_that_arrow_passed_on_has_its_place_once() {
    let of = || b2nd_arrow::Table::open("missing.b2z").unwrap_err();
    let (inner, passed) = (of(), b2nd_arrow::Error::from(arrow_schema::ArrowError::from(of())));
    assert_eq!((inner.to_string(), inner.kind()), (passed.to_string(), passed.kind()));
}

#[test]
fn a_table_of_several_batches_has_one_heading_and_loses_nothing() {
    let long = "long ".repeat(20);
    let texts = |values: Vec<&str>| batch([("name", Arc::new(StringArray::from(values)) as ArrayRef)]);
    let (one, other) = (texts(vec!["a", "b"]), texts(vec![&long, "c"]));
    let mut table = b2nd_arrow::TextTable::new(None);
    let text = table.format(&one).unwrap() + &table.format(&other).unwrap() + &table.format(&one).unwrap();
    assert_eq!(text, format!("name\nstring\na\nb\n{}\nc\na\nb\n", long.trim_end()));
    let text = b2nd_arrow::TextTable::new(Some(80)).format(&other).unwrap();
    assert_eq!(text.lines().nth(2).unwrap().chars().count(), 40, "{text}");
}

#[test]
fn columns_in_the_middle_give_way_to_those_at_the_ends() {
    let heading = |names: &[&str], width| {
        let column = |name| (name, Arc::new(StringArray::from(vec!["value"])) as ArrayRef);
        let names: Vec<(&str, ArrayRef)> = names.iter().copied().map(column).collect();
        let batch = RecordBatch::try_from_iter(names).unwrap();
        b2nd_arrow::TextTable::new(width).format(&batch).unwrap().lines().next().unwrap().to_owned()
    };
    assert_eq!(heading(&["a", "b", "c"], None), "a       b       c");
    assert_eq!(heading(&["a", "b", "c"], Some(22)), "a       b       c");
    assert_eq!(heading(&["a", "b", "c", "d"], Some(22)), "a       …  d");
    assert_eq!(heading(&["the only column that fits", "b"], Some(20)), "the only column that fits  …");
}
