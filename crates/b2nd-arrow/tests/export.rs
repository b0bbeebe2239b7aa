//! Files of other formats, read back: values that most tables do not have.
#![cfg(feature = "export")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

use std::sync::Arc;

use arrow_array::types::{TimestampMillisecondType, TimestampSecondType};
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, ListArray, PrimitiveArray, RecordBatch, StructArray, TimestampSecondArray,
};
use arrow_schema::{DataType, Field, TimeUnit};
use b2nd_arrow::{ErrorKind, Format};

/// Writes batches in a format.
fn written(format: Format, batches: &[RecordBatch]) -> b2nd_arrow::Result<Vec<u8>> {
    let mut out = Vec::new();
    format.write(&batches[0].schema(), batches.iter().cloned().map(Ok), &mut out, |_| {})?;
    Ok(out)
}

fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
}

/// Seconds as a column, in lists, in rows of an array, and in structs.
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
    // Programs that do not know Arrow's schema see times too.
    let schema = file.parquet_schema();
    let types: Vec<_> = (0..schema.num_columns()).map(|at| format!("{:?}", schema.column(at).logical_type_ref())).collect();
    assert!(types.iter().all(|name| name.contains("Timestamp") && name.contains("MILLIS")), "{types:?}");
    let read = file.build().unwrap().next().unwrap().unwrap();
    let zone = Some("Europe/Madrid".into());
    assert_eq!(read.column(1).data_type(), &DataType::Timestamp(TimeUnit::Millisecond, zone));
    for (column, expected) in read.columns().iter().zip(batch.columns()) {
        // Back to seconds nothing is lost.
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
        let expected =
            format!("column {name:?}, row 4: {too_far} s after 1970: Parquet counts milliseconds, and has no place for so many");
        assert_eq!(error.to_string(), expected);
    }
    // Bytes under a null row are no time.
    let (field, rows) = (Arc::new(Field::new("item", DataType::Timestamp(TimeUnit::Second, None), true)), vec![too_far, 1, 2, 3]);
    let nulls = Some(vec![false, true].into());
    let rows = FixedSizeListArray::try_new(field, 2, Arc::new(TimestampSecondArray::from(rows)), nulls).unwrap();
    written(Format::Parquet, &[batch([("rows", Arc::new(rows))])]).unwrap();
}
