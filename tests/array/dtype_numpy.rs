//! NumPy's dtype strings, compared with what NumPy itself reports about them (`tests/data/dtype`).

use b2nd::dtype::{ByteOrder, DType};
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Deserialize)]
struct Row {
    s: String,
    str: String,
    itemsize: i64,
    alignment: usize,
    kind: String,
    byteorder: String,
    #[serde(default)]
    isalignedstruct: bool,
    fields: Option<Vec<FieldRow>>,
    subshape: Option<Vec<usize>>,
    base: Option<String>,
    source: Option<String>,
    canonical: Option<String>,
}

#[derive(Deserialize)]
struct FieldRow {
    name: String,
    title: Option<String>,
    offset: i64,
    itemsize: usize,
    s: String,
}

#[derive(Deserialize)]
struct Text {
    s: String,
    dtype_format: Option<u8>,
    what: Option<String>,
}

fn load<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let path = format!("{}/tests/data/dtype/{name}", env!("CARGO_MANIFEST_DIR"));
    let rows: Vec<T> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(!rows.is_empty(), "{name} is empty");
    rows
}

/// Strings that NumPy reads but writes differently, and why they are rejected.
const NOT_WRITTEN: &[(&str, &str)] = &[
    ("M8[1s]", "NumPy writes M8[s]"),
    ("datetime64[1D]", "NumPy writes datetime64[D]"),
    ("M8[generic]", "NumPy writes M8"),
    ("<m8[generic]", "NumPy writes <m8"),
    ("M8[μs]", "NumPy writes M8[us]"),
    (r#"[("a", "<i4"), ("b", "<f8")]"#, "double quotes without need"),
    ("[('a','<i4'),('b','<f8')]", "no blanks"),
    ("[ ( 'a' , '<i4' ) , ( 'b' , '<f8' ) ]", "more blanks"),
    ("[('a', '<i4'), ('b', '<f8'),]", "a last comma"),
    ("[('a', '<i4', (2, 3,))]", "a last comma"),
    ("('<i4', (2,3))", "no blank"),
    ("('<i4', [2, 3])", "a list for a tuple"),
    ("('<i4', ())", "a shape that is none"),
    ("[('a', '<i4', (1,)), ('b', '<i4', ())]", "a shape that is none"),
    ("[('a', ('<i4', (2, 3)))]", "a shape inside the format"),
    ("{'itemsize': 20, 'offsets': [0, 8], 'formats': ['<i4', '<f8'], 'names': ['a', 'b']}", "another order"),
    ("{'names': ('a', 'b'), 'formats': ('<i4', '<f8'), 'offsets': (0, 8), 'itemsize': 16}", "tuples for lists"),
];

fn is_aligned(dtype: &DType) -> bool {
    match dtype {
        DType::Struct(structure) => structure.is_aligned(),
        DType::Subarray(subarray) => is_aligned(subarray.base()),
        _ => false,
    }
}

/// Dtypes that NumPy's own string loses or changes. Our string quotes such names and keeps `'aligned': True`.
fn is_lost_by_numpy(dtype: &DType) -> bool {
    let text = dtype.to_string();
    let outer = is_aligned(dtype) && dtype.shape().is_empty();
    text.contains("bfloat16") && text != "bfloat16"
        || text.contains("int4'")
        || text.contains("float8_e5m2")
        || text.matches("'aligned': True").count() > usize::from(outer)
}

#[track_caller]
fn check(row: &Row, dtype: &DType) {
    let s = &row.s;
    assert_eq!(dtype.to_string(), *s);
    assert_eq!(i64::try_from(dtype.itemsize()).unwrap(), row.itemsize, "itemsize of {s}");
    assert_eq!(dtype.alignment(), row.alignment, "alignment of {s}");
    assert_eq!(is_aligned(dtype), row.isalignedstruct, "{s}");
    let order = match row.byteorder.as_str() {
        "=" if row.itemsize == 1 => None,
        "=" => Some(ByteOrder::Little),
        ">" => Some(ByteOrder::Big),
        _ => None,
    };
    assert_eq!(dtype.byte_order(), order, "byte order of {s}");
    assert_eq!(dtype.shape(), row.subshape.as_deref().unwrap_or_default(), "shape of {s}");
    if let Some(base) = &row.base {
        let found = dtype.base().clone().into_canonical();
        assert!(found.to_string() == *base || is_lost_by_numpy(dtype), "base of {s}: {found}");
    }
    let fields = row.fields.as_deref().unwrap_or_default();
    assert_eq!(dtype.fields().len(), fields.len(), "fields of {s}");
    for (field, expected) in dtype.fields().iter().zip(fields) {
        assert_eq!((field.name(), field.title()), (expected.name.as_str(), expected.title.as_deref()), "{s}");
        assert_eq!(i64::try_from(field.offset()).unwrap(), expected.offset, "offset of {} in {s}", field.name());
        assert_eq!(field.dtype().itemsize(), expected.itemsize, "itemsize of {} in {s}", field.name());
        let found = field.dtype().clone().into_canonical();
        assert!(found.to_string() == expected.s || is_lost_by_numpy(field.dtype()), "{} in {s}: {found}", field.name());
    }
    let canonical = dtype.clone().into_canonical();
    if row.kind == "V" && !is_lost_by_numpy(&canonical) {
        assert_eq!(canonical.to_string(), row.str, "canonical form of {s}");
    }
}

/// Checks that each part of a dtype has the same meaning if it is written and read on its own.
fn check_parts(dtype: &DType) {
    let text = dtype.to_string();
    let again: DType = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(again.to_string(), text);
    assert_eq!(again.into_canonical(), dtype.clone().into_canonical(), "{text}");
    for field in dtype.fields() {
        check_parts(field.dtype());
    }
    if !dtype.shape().is_empty() {
        check_parts(dtype.base());
    }
}

#[track_caller]
fn assert_refused(s: &str) {
    match s.parse::<DType>() {
        Ok(dtype) => panic!("{s} was read as {}", dtype.describe()),
        Err(error) => {
            let offset = error.offset().unwrap_or_else(|| panic!("{s}: no offset in {error}"));
            assert!(s.is_char_boundary(offset), "{s}: {error}");
            assert!(error.to_string().starts_with("dtype: ") && error.to_string().ends_with(&format!(" at byte {offset}")));
        }
    }
}

#[test]
fn numpy_and_this_crate_read_the_same() {
    let rows: Vec<Row> = load("dtypes.json");
    let (mut read, mut refused) = (0, 0);
    for row in &rows {
        if NOT_WRITTEN.iter().any(|(s, _)| *s == row.s) {
            assert_eq!(row.source.as_deref(), Some("accepted"));
            assert_refused(&row.s);
            refused += 1;
            continue;
        }
        let dtype: DType = row.s.parse().unwrap_or_else(|error| panic!("{}: {error}", row.s));
        check(row, &dtype);
        check_parts(&dtype);
        read += 1;
    }
    println!("{read} strings of {} read and written back, {refused} refused", rows.len());
    assert!(read > 800);
    assert_eq!(refused, NOT_WRITTEN.len());
}

#[test]
fn what_numpy_refuses_is_refused() {
    let rows: Vec<Text> = load("refused.json");
    for row in &rows {
        assert_refused(&row.s);
    }
    println!("{} strings refused", rows.len());
}

/// Unusual strings that are read: names, types without a length, a bool with a prefix, and a step of 0 seconds.
const ODD: &str = "byte ubyte short ushort intc uintc longlong ulonglong int_ half single double csingle cdouble unicode
    S U V |S |V <U >U =U S0 U0 V0 <? >? |? =? M8[0s]";

#[test]
fn odd_strings_are_read_by_list() {
    let rows: Vec<Row> = load("odd.json");
    let mut read = 0;
    for row in &rows {
        if !ODD.split_whitespace().any(|odd| odd == row.s) {
            assert_refused(&row.s);
            continue;
        }
        let dtype: DType = row.s.parse().unwrap_or_else(|error| panic!("{}: {error}", row.s));
        check(row, &dtype);
        assert_eq!(Some(dtype.into_canonical().to_string()), row.canonical);
        read += 1;
    }
    println!("{read} odd strings of {} read", rows.len());
    assert_eq!(read, ODD.split_whitespace().count());
}

/// Dtypes whose string, as python-blosc2 writes it, NumPy rejects or reads as another dtype, in the order of the file.
const EXCEPTIONS: &[(&str, usize, &str)] = &[
    ("refused", 2, "NumPy writes the codes '<W4' and '<f1', but does not read them"),
    ("refused", 9, "ml_dtypes names without quotes in a structure"),
    ("changed", 2, "an empty name becomes f0"),
    ("changed", 1, "a packed structure in an aligned one becomes aligned"),
    ("refused", 1, "a packed structure in an aligned one would become aligned, which its offsets do not allow"),
    ("changed", 8, "an aligned structure that does not say so is read as packed, or a packed one as aligned"),
    ("refused", 3, "another class than numpy.void, such as numpy.record"),
];

#[test]
fn exceptions_are_read_as_numpy_reads_them() {
    let rows: Vec<Text> = load("exceptions.json");
    let verdicts = EXCEPTIONS.iter().flat_map(|&(what, count, why)| std::iter::repeat_n((what, why), count));
    assert_eq!(verdicts.clone().count(), rows.len());
    let dtypes: Vec<Row> = load("dtypes.json");
    for (row, (what, why)) in rows.iter().zip(verdicts) {
        assert_eq!(row.what.as_deref(), Some(what), "{}: {why}", row.s);
        match what {
            "refused" => assert_refused(&row.s),
            // dtypes.json has the dtype that NumPy reads instead.
            _ => check(dtypes.iter().find(|dtype| dtype.s == row.s).unwrap(), &row.s.parse().unwrap()),
        }
    }
}

/// Strings with dtype_format 0 in real files that NumPy rejects: an empty one, and one that is cut off after 3000 bytes.
const NO_DTYPES: &[&str] = &["", "[('field','<f8'), [('field','<f8'), "];

#[test]
fn strings_of_real_files_are_read_and_written_back() {
    let rows: Vec<Text> = load("seen.json");
    let mut read = 0;
    for row in rows.iter().filter(|row| row.dtype_format.is_none()) {
        if NO_DTYPES.iter().any(|s| if s.is_empty() { row.s.is_empty() } else { row.s.starts_with(s) }) {
            assert_refused(&row.s);
            continue;
        }
        let dtype: DType = row.s.parse().unwrap_or_else(|error| panic!("{}: {error}", row.s));
        assert_eq!(dtype.to_string(), row.s);
        read += 1;
    }
    println!("{read} strings of real files read and written back");
    assert!(read > 70);
}
