//! Blocks in Arrow IPC format, which a column of lists may contain.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Int8Builder, Int64Builder, LargeStringBuilder, ListBuilder, StringBuilder, StringDictionaryBuilder,
    StructBuilder,
};
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float32Array, LargeBinaryArray, RecordBatch, TimestampSecondArray, UInt16Array,
};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::DataType;
use b2nd_arrow::{ipc_column, ipc_values};

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

#[test]
fn a_column_has_the_same_values_as_json() {
    let expected = [
        r#"[[1,null,3],null,[1099511627776]]"#,
        r#"[["one",null,""]]"#,
        r#"[["red",null,"blue","red"]]"#,
        r#"[{"flag":true,"text":"text"},null]"#,
        r#"[0,null]"#,
        r#"[[-1,127],[]]"#,
        r#"[255,65535]"#,
        r#"[{"float":"nan"},-0.5]"#,
        r#"[{"bytes":"00ff"},{"bytes":""}]"#,
        r#"[true,false,null]"#,
    ];
    let mut small = ListBuilder::new(Int8Builder::new());
    small.append_value([Some(-1), Some(127)]);
    small.append_value([]);
    let others: [ArrayRef; 5] = [
        Arc::new(small.finish()),
        Arc::new(UInt16Array::from(vec![255, 65535])),
        Arc::new(Float32Array::from(vec![f32::NAN, -0.5])),
        Arc::new(LargeBinaryArray::from(vec![&[0, 255][..], &[]])),
        Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])),
    ];
    for (column, expected) in columns().into_iter().chain(others).zip(expected) {
        let found = ipc_values(&stream(column), None).unwrap();
        assert_eq!(serde_json::Value::from(found).to_string(), expected);
    }
}

/// Arrow's decoder panics on some of these unless they are checked first.
#[test]
fn a_damaged_stream_is_an_error_and_no_panic() {
    let (mut good, mut bad) = (0, 0);
    for bytes in columns().into_iter().map(stream) {
        for at in 0..bytes.len() {
            for change in [0x01, 0x02, 0x10, 0x80, 0xff] {
                let mut mutant = bytes.clone();
                mutant[at] ^= change;
                drop(ipc_values(&mutant, None));
                match ipc_column(&mutant, None) {
                    Ok(_) => good += 1,
                    Err(error) => {
                        assert!(!error.to_string().contains(['\n', '\t']), "{error}");
                        bad += 1;
                    }
                }
            }
            bad += usize::from(ipc_column(&bytes[..at], None).is_err());
        }
    }
    assert!(good > 1000 && bad > 1000, "{good} could be read, {bad} could not");
}
