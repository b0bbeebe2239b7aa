//! Blocks of Arrow IPC, which a column of lists may hold.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Int64Builder, LargeStringBuilder, ListBuilder, StringBuilder, StringDictionaryBuilder, StructBuilder,
};
use arrow_array::types::Int8Type;
use arrow_array::{Array, ArrayRef, RecordBatch, TimestampSecondArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::DataType;
use b2nd_arrow::ipc_column;

fn stream(column: ArrayRef) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter([("values", column)]).unwrap();
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn columns() -> Vec<ArrayRef> {
    let mut numbers = ListBuilder::new(Int64Builder::new());
    numbers.append_value([Some(1), None, Some(3)]);
    numbers.append_null();
    numbers.append_value([Some(1 << 40)]);
    let mut texts = ListBuilder::new(LargeStringBuilder::new());
    texts.append_value([Some("one"), None, Some("")]);
    let mut words = ListBuilder::new(StringDictionaryBuilder::<Int8Type>::new());
    words.append_value([Some("red"), None, Some("blue"), Some("red")]);
    let fields =
        [("flag", DataType::Boolean), ("text", DataType::Utf8)].map(|(name, of)| arrow_schema::Field::new(name, of, true));
    let mut structs = StructBuilder::from_fields(fields.to_vec(), 2);
    for flag in [Some(true), None] {
        structs.field_builder::<BooleanBuilder>(0).unwrap().append_option(flag);
        structs.field_builder::<StringBuilder>(1).unwrap().append_option(flag.map(|_| "text"));
        structs.append(flag.is_some());
    }
    let times = TimestampSecondArray::from(vec![Some(0), None]).with_timezone("UTC");
    vec![
        Arc::new(numbers.finish()),
        Arc::new(texts.finish()),
        Arc::new(words.finish()),
        Arc::new(structs.finish()),
        Arc::new(times),
    ]
}

#[test]
fn a_column_is_read_as_it_was_written() {
    for expected in columns() {
        let found = ipc_column(&stream(expected.clone()), None).unwrap();
        assert_eq!(found.to_data(), expected.to_data());
    }
}

/// Arrow's decoder panics on most of these where nothing is checked before.
#[test]
fn a_damaged_stream_is_an_error_and_no_panic() {
    let (mut good, mut bad) = (0, 0);
    for bytes in columns().into_iter().map(stream) {
        for at in 0..bytes.len() {
            for change in [0x01, 0x02, 0x10, 0x80, 0xff] {
                let mut mutant = bytes.clone();
                mutant[at] ^= change;
                *(if ipc_column(&mutant, None).is_ok() { &mut good } else { &mut bad }) += 1;
            }
            bad += usize::from(ipc_column(&bytes[..at], None).is_err());
        }
    }
    assert!(good > 1000 && bad > 1000, "{good} could be read, {bad} could not");
}
