//! Parses dtype strings. The operations show that the time grows with the length of the string, and that nested structures are parsed only
//! once.

use std::hint::black_box;

use b2nd::dtype::DType;

use crate::{Operation, forever};

/// Returns operations that parse structures with different numbers of fields, a long structure inside different numbers of levels,
/// and text with many opening brackets.
pub(crate) fn all() -> Vec<Operation> {
    let mut operations = Vec::new();
    for fields in [1, 100, 1000] {
        operations.push(parse("dtype_fields", fields, "b2nd::DType", list(fields)));
    }
    for levels in [1, 98] {
        operations.push(parse("dtype_levels", levels, "b2nd::DType(all)", nested(levels, true)));
        operations.push(parse("dtype_levels", levels, "b2nd::DType(outermost)", nested(levels, false)));
    }
    let opened: &str = forever("{'names': ['f'], 'formats': [".repeat(1000));
    assert!(opened.parse::<DType>().is_err());
    operations.push(Operation::new("dtype_opened", 1000, "b2nd::DType", move || black_box(opened).parse::<DType>()));
    operations
}

fn parse(task: &'static str, size: usize, contender: &'static str, text: String) -> Operation {
    let text: &str = forever(text);
    assert_eq!(text.parse::<DType>().unwrap().to_string(), text);
    Operation::new(task, size, contender, move || black_box(text).parse::<DType>())
}

fn list(fields: usize) -> String {
    let fields: Vec<String> = (0..fields).map(|number| format!("('field {number}', '<i4')")).collect();
    format!("[{}]", fields.join(", "))
}

/// Returns a long list inside nested dictionaries. Either all of them are aligned, or only the outermost.
fn nested(levels: usize, all_told: bool) -> String {
    (0..levels).fold(list(300), |inner, level| {
        let told = if all_told || level + 1 == levels { ", 'aligned': True" } else { "" };
        format!("{{'names': ['a'], 'formats': [{inner}], 'offsets': [0], 'itemsize': 1200{told}}}")
    })
}
