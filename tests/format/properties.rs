//! Properties of random values and bytes: written values are read back, accepted bytes are written back unchanged, and the
//! length of the bytes depends only on the lengths inside the value.

use crate::common::Hex;
use crate::common::pairs::Pairs;
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};

use proptest::collection::vec;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Has a variant for each shape of serde's data model that this format supports, and for most modules in `with`.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
enum Shape {
    Unit,
    Numbers(bool, i8, i16, i32, i64, u16, u32, u64),
    /// Takes two bytes if it is above 127.
    U8(u8),
    Floats(f32, f64),
    Text(char, String),
    Bytes(#[serde(with = "serde_bytes")] Vec<u8>),
    Option(Option<Box<Shape>>),
    Structs(UnitStruct, Newtype, TupleStruct, Struct),
    Seq(Vec<Shape>),
    Tuple((Box<Shape>, Box<Shape>)),
    Map(Pairs<Shape, Shape>),
    StructVariant {
        one: Box<Shape>,
        other: Vec<()>,
    },
    Fixstr(#[serde(with = "b2nd::with::fixstr")] Option<String>),
    FixstrBytes(#[serde(with = "b2nd::with::fixstr_bytes")] Vec<u8>),
    Fixext16(#[serde(with = "b2nd::with::fixext16")] [u8; 17]),
    Array16(#[serde(with = "b2nd::with::array16")] Vec<Shape>),
    Map16(#[serde(with = "b2nd::with::map16")] Pairs<Shape, Shape>),
    Dims(#[serde(with = "b2nd::with::dims")] Vec<Shape>),
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
struct UnitStruct;

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
struct Newtype(i32);

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
struct TupleStruct(i64, String);

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
struct Struct {
    number: u64,
    list: Vec<i16>,
}

impl Shape {
    /// Changes all numbers and keeps all lengths.
    fn renumber(&mut self) {
        match self {
            Shape::Numbers(a, b, c, d, e, f, g, h) => {
                (*a, *b, *c, *d, *e, *f, *g, *h) = (!*a, !*b, !*c, !*d, !*e, !*f, !*g, !*h);
            }
            Shape::Floats(a, b) => (*a, *b) = (1.0, -1.0),
            Shape::Bytes(bytes) | Shape::FixstrBytes(bytes) => bytes.fill(0xff),
            Shape::Fixext16(bytes) => bytes.fill(0xff),
            Shape::U8(number) => *number ^= 0x7f,
            Shape::Text(_, text) | Shape::Fixstr(Some(text)) => *text = "~".repeat(text.len()),
            Shape::Structs(_, Newtype(a), TupleStruct(b, text), Struct { number, list }) => {
                (*a, *b, *number, *text) = (!*a, !*b, !*number, "~".repeat(text.len()));
                list.fill(-1);
            }
            Shape::Option(Some(inner)) | Shape::StructVariant { one: inner, .. } => inner.renumber(),
            Shape::Tuple((one, other)) => [one, other].into_iter().for_each(|inner| inner.renumber()),
            Shape::Seq(list) | Shape::Array16(list) | Shape::Dims(list) => list.iter_mut().for_each(Shape::renumber),
            Shape::Map(Pairs(pairs)) | Shape::Map16(Pairs(pairs)) => pairs.iter_mut().for_each(|(key, value)| {
                key.renumber();
                value.renumber();
            }),
            Shape::Unit | Shape::Option(None) | Shape::Fixstr(None) => {}
        }
    }
}

fn shape() -> impl Strategy<Value = Shape> {
    let numbers = any::<(bool, i8, i16, i32, i64, u16, u32, u64)>();
    let leaf = prop_oneof![
        Just(Shape::Unit),
        numbers.prop_map(|(a, b, c, d, e, f, g, h)| Shape::Numbers(a, b, c, d, e, f, g, h)),
        any::<u8>().prop_map(Shape::U8),
        // `any` makes no NaN, which is not equal to itself.
        any::<(f32, f64)>().prop_map(|(a, b)| Shape::Floats(a, b)),
        any::<(char, String)>().prop_map(|(a, b)| Shape::Text(a, b)),
        vec(any::<u8>(), 0..40).prop_map(Shape::Bytes),
        any::<(i32, i64, String, u64, Vec<i16>)>().prop_map(|(a, b, c, number, list)| {
            Shape::Structs(UnitStruct, Newtype(a), TupleStruct(b, c), Struct { number, list })
        }),
        prop::option::of("[a-zé]{0,15}").prop_map(Shape::Fixstr),
        vec(any::<u8>(), 0..=31).prop_map(Shape::FixstrBytes),
        any::<[u8; 17]>().prop_map(Shape::Fixext16),
    ];
    leaf.prop_recursive(4, 40, 20, |inner| {
        let list = || vec(inner.clone(), 0..20);
        let pairs = || vec((inner.clone(), inner.clone()), 0..18).prop_map(Pairs);
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            prop::option::of(boxed()).prop_map(Shape::Option),
            list().prop_map(Shape::Seq),
            (boxed(), boxed()).prop_map(Shape::Tuple),
            pairs().prop_map(Shape::Map),
            (boxed(), 0..20usize).prop_map(|(one, count)| Shape::StructVariant { one, other: vec![(); count] }),
            list().prop_map(Shape::Array16),
            pairs().prop_map(Shape::Map16),
            // With 16 elements the marker would be that of an empty string, which `IgnoredAny` does not read as a list.
            vec(inner.clone(), 0..16).prop_map(Shape::Dims),
        ]
    })
}

fn geometry() -> impl Strategy<Value = Geometry> {
    vec((0..i64::MAX, 0..i32::MAX, 0..i32::MAX, any::<bool>()), 0..=16).prop_map(|lengths| {
        let shape: Vec<i64> = lengths.iter().map(|&(length, .., empty)| if empty { 0 } else { length }).collect();
        let part = |length: i32, empty: bool| if empty { length % 2 } else { length.max(1) };
        let chunkshape: Vec<i32> = lengths.iter().map(|&(_, length, _, empty)| part(length, empty)).collect();
        let blockshape: Vec<i32> = lengths.iter().map(|&(_, _, length, empty)| part(length, empty)).collect();
        Geometry::new(&shape, &chunkshape, &blockshape).unwrap()
    })
}

fn array() -> impl Strategy<Value = ArrayMeta> {
    let layout = prop::sample::select(vec![0, 1, 2, 3]);
    (layout, 0..128u8, geometry(), 0..128u8, any::<String>()).prop_map(|(layout, version, geometry, dtype_format, dtype)| {
        let b2nd = B2ndMeta { version, geometry, dtype_format, dtype: dtype.clone() };
        match layout {
            0 => ArrayMeta::Caterva(CatervaMeta { version, geometry }),
            1 => ArrayMeta::LegacyB2nd(LegacyB2ndMeta { version, geometry, dtype }),
            2 => ArrayMeta::MiscountedB2nd(b2nd),
            _ => ArrayMeta::B2nd(b2nd),
        }
    })
}

/// A change that breaks bytes: the position, the number of bytes to remove, and the bytes to insert.
type Change = (prop::sample::Index, usize, Vec<u8>);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let piece = prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        prop::sample::select(vec![0x90u8, 0x97, 0x96, 0xa0, 0xc0, 0xcc, 0xd2, 0xd3, 0xdb, 0xdc, 0xde])
            .prop_map(|byte| vec![byte]),
        Just(vec![]),
        vec(any::<u8>(), 0..4),
    ];
    vec((any::<prop::sample::Index>(), 0..3usize, piece), 1..3)
}

fn changed(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (index, cut, piece) in changes {
        let start = index.index(bytes.len() + 1);
        let end = bytes.len().min(start + cut);
        bytes.splice(start..end, piece.iter().copied());
    }
    bytes
}

/// The bytes with the marker at `position` replaced by longer markers for the same number, list or map.
fn longer(bytes: &[u8], position: usize) -> impl Iterator<Item = Vec<u8>> {
    let (before, byte, after) = (&bytes[..position], bytes[position], &bytes[position + 1..]);
    let forms: [&[u8]; 6] = [&[0xcc], &[0xdc, 0], &[0xdd, 0, 0, 0], &[0xde, 0], &[0xdf, 0, 0, 0], &[0xd9]];
    let rest = if byte < 0x80 { byte } else { byte & 0x0f };
    forms.into_iter().map(move |form| [before, form, &[rest], after].concat())
}

/// Checks that a written value is read back, equal and to its last byte.
#[track_caller]
fn comes_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) -> Vec<u8> {
    let bytes = b2nd::to_vec(value).unwrap();
    assert_eq!(bytes.len(), b2nd::serialized_len(value).unwrap());
    assert_eq!(&b2nd::from_slice::<T>(&bytes).unwrap(), value);
    let longer = [bytes.as_slice(), b"\xc0"].concat();
    assert_eq!(b2nd::take_from_slice::<T>(&longer).unwrap().1, b"\xc0");
    bytes
}

/// Checks that bytes are either rejected or written back unchanged. Returns whether they were accepted.
#[track_caller]
fn exact_or_refused<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> bool {
    let Ok(value) = b2nd::from_slice::<T>(bytes) else { return false };
    assert_eq!(Hex(&b2nd::to_vec(&value).unwrap()), Hex(bytes));
    true
}

#[track_caller]
fn exact_or_refused_as_a_metalayer(bytes: &[u8]) {
    if let Ok((array, rest)) = ArrayMeta::from_metalayer(bytes) {
        assert_eq!(Hex(&[&array.to_metalayer().unwrap(), rest].concat()), Hex(bytes));
    }
}

#[track_caller]
fn exact_or_refused_by_every_type(bytes: &[u8]) {
    exact_or_refused::<Geometry>(bytes);
    exact_or_refused::<CatervaMeta>(bytes);
    exact_or_refused::<LegacyB2ndMeta>(bytes);
    exact_or_refused::<B2ndMeta>(bytes);
    exact_or_refused_as_a_metalayer(bytes);
    exact_or_refused::<b2nd::dtype::DType>(bytes);
    exact_or_refused::<Shape>(bytes);
}

/// Checks that every proper prefix is an unexpected end of input that needs at most the number of missing bytes.
#[track_caller]
fn ends_early_everywhere<T>(whole: &[u8], read: impl Fn(&[u8]) -> b2nd::Result<T>) {
    for length in 0..whole.len() {
        let error = read(&whole[..length]).err().unwrap();
        assert!(error.needed().is_some_and(|needed| (1..=whole.len() - length).contains(&needed)), "{length}: {error}");
    }
}

/// Checks that entries cover all bytes of a value: each byte is in the marker of one entry or in an entry without children.
#[cfg(feature = "msgpack")]
#[track_caller]
fn covered<T: Serialize>(value: &T) {
    let (layout, bytes) = (b2nd::layout(value).unwrap(), b2nd::to_vec(value).unwrap());
    assert_eq!(layout.len(), bytes.len());
    let entries = layout.entries();
    let mut before = 0;
    for (index, entry) in entries.iter().enumerate() {
        let end = entry.offset() + entry.len();
        assert!(entry.offset() >= before && end <= bytes.len(), "{}", entry.path());
        assert_eq!(bytes[entry.offset()], entry.marker(), "{}", entry.path());
        let inside: Vec<&b2nd::Entry> = entries[index + 1..].iter().take_while(|inner| inner.depth() > entry.depth()).collect();
        assert!(
            inside.iter().all(|inner| inner.offset() > entry.offset() && inner.offset() + inner.len() <= end),
            "{}",
            entry.path()
        );
        let children = inside.iter().filter(|inner| inner.depth() == entry.depth() + 1);
        // Each child begins where the one before it ends, and the last one ends where the entry does.
        let last = children.fold(None, |last, child| {
            assert!(last.is_none_or(|last| last == child.offset()), "{}", child.path());
            Some(child.offset() + child.len())
        });
        assert!(last.is_none_or(|last| last == end), "{}", entry.path());
        before = entry.offset() + 1;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_of_any_shape_comes_back(shape in shape()) {
        let bytes = comes_back(&shape);
        prop_assert!(b2nd::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok());
        let mut other = shape.clone();
        other.renumber();
        // `renumber` keeps a `u8` in the range 0 to 127 or 128 to 255, so its length stays the same.
        prop_assert_eq!(b2nd::serialized_len(&other).unwrap(), bytes.len());
    }

    #[cfg(feature = "msgpack")]
    #[test]
    fn a_layout_has_each_byte(shape in shape(), array in array()) {
        covered(&shape);
        covered(&array);
        covered(array.geometry());
    }

    #[test]
    fn a_value_of_any_shape_ends_early_everywhere(shape in shape()) {
        let bytes = b2nd::to_vec(&shape).unwrap();
        ends_early_everywhere(&bytes, |input| b2nd::from_slice::<Shape>(input));
    }

    #[test]
    fn a_changed_value_is_refused_or_written_back(shape in shape(), changes in changes()) {
        exact_or_refused::<Shape>(&changed(&b2nd::to_vec(&shape).unwrap(), &changes));
    }

    #[test]
    fn a_longer_form_is_refused_or_written_back(shape in shape(), array in array(), start in any::<prop::sample::Index>()) {
        let bytes = b2nd::to_vec(&shape).unwrap();
        for position in (start.index(bytes.len())..bytes.len()).take(40) {
            longer(&bytes, position).for_each(|longer| _ = exact_or_refused::<Shape>(&longer));
        }
        let bytes = array.to_metalayer().unwrap();
        for position in (0..bytes.len()).take(8) {
            longer(&bytes, position).for_each(|longer| exact_or_refused_as_a_metalayer(&longer));
        }
    }

    #[test]
    fn an_array_metalayer_comes_back(array in array()) {
        let bytes = array.to_metalayer().unwrap();
        prop_assert_eq!(&ArrayMeta::from_metalayer(&bytes).unwrap().0.into_owned(), &array);
        comes_back(array.geometry());
        match &array {
            ArrayMeta::Caterva(meta) => prop_assert_eq!(&comes_back(meta), &bytes),
            ArrayMeta::LegacyB2nd(meta) => prop_assert_eq!(&comes_back(meta), &bytes),
            ArrayMeta::B2nd(meta) => prop_assert_eq!(&comes_back(meta), &bytes),
            _ => {}
        }
        let dtype = array.dtype().map_or(0, |dtype| 5 + dtype.len());
        let format = usize::from(matches!(array, ArrayMeta::B2nd(_) | ArrayMeta::MiscountedB2nd(_)));
        prop_assert_eq!(bytes.len(), 6 + (9 + 5 + 5) * array.geometry().ndim() + format + dtype);
    }

    #[test]
    fn changed_bytes_are_refused_or_written_back(array in array(), changes in changes()) {
        let geometry = b2nd::to_vec(array.geometry()).unwrap();
        for bytes in [array.to_metalayer().unwrap(), geometry] {
            exact_or_refused_by_every_type(&changed(&bytes, &changes));
        }
    }
}
