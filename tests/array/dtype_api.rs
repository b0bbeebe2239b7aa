//! Uses of dtype strings: in metalayers, from Rust types, in structures built by hand, and with serde.

use b2nd::dtype::{ByteOrder, DType, HasDType, Scalar, ScalarType, Struct, Subarray, TimeStep, TimeUnit};
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};

fn geometry() -> Geometry {
    Geometry::new(&[400, 3], &[110, 3], &[57, 3]).unwrap()
}

fn parse(s: &str) -> DType {
    s.parse().unwrap_or_else(|error| panic!("{s}: {error}"))
}

#[test]
fn rust_types_write_themselves() {
    let native = if cfg!(target_endian = "little") { "<" } else { ">" };
    assert_eq!(B2ndMeta::of::<f64>(geometry()), B2ndMeta::new(geometry(), format!("{native}f8")));
    assert_eq!(B2ndMeta::of::<u8>(geometry()).dtype, "|u1");
    #[track_caller]
    fn agrees<T: HasDType>(scalar_type: ScalarType) {
        let dtype = parse(T::DTYPE);
        let scalar = Scalar::new(scalar_type, ByteOrder::NATIVE).unwrap();
        assert_eq!((scalar.to_string(), &dtype), (dtype.to_string(), &DType::Scalar(scalar)));
        assert_eq!((dtype.itemsize(), dtype.alignment()), (size_of::<T>(), size_of::<T>()), "as on 64-bit machines");
    }
    agrees::<bool>(ScalarType::Bool);
    agrees::<i8>(ScalarType::Int8);
    agrees::<i16>(ScalarType::Int16);
    agrees::<i32>(ScalarType::Int32);
    agrees::<i64>(ScalarType::Int64);
    agrees::<u8>(ScalarType::UInt8);
    agrees::<u16>(ScalarType::UInt16);
    agrees::<u32>(ScalarType::UInt32);
    agrees::<u64>(ScalarType::UInt64);
    agrees::<f32>(ScalarType::Float32);
    agrees::<f64>(ScalarType::Float64);
}

#[test]
fn an_aligned_structure_is_laid_out_as_rust_does() {
    #[repr(C)]
    struct Inner(u8, u16);
    #[repr(C, align(8))]
    struct Float(f64);
    #[repr(C)]
    struct Outer(u8, Inner, Float, [u16; 3]);
    let inner = Struct::aligned([("a", parse(u8::DTYPE)), ("b", parse(u16::DTYPE))]).unwrap();
    let array = Subarray::new(parse(u16::DTYPE), &[3]).unwrap();
    let fields = [parse(u8::DTYPE), DType::Struct(inner), parse(f64::DTYPE), DType::Subarray(array)];
    let outer = Struct::aligned(["a", "b", "c", "d"].into_iter().zip(fields)).unwrap();
    let offsets: Vec<usize> = outer.fields().iter().map(|field| field.offset()).collect();
    assert_eq!(offsets, [0, std::mem::offset_of!(Outer, 1), std::mem::offset_of!(Outer, 2), std::mem::offset_of!(Outer, 3)]);
    let outer = DType::Struct(outer);
    assert_eq!((outer.itemsize(), outer.alignment()), (size_of::<Outer>(), align_of::<Outer>()));
    assert_eq!(parse(&outer.to_string()), outer);
}

#[test]
fn what_is_put_together_is_spelled_as_numpy_does() {
    let fields = [("a", parse("uint8")), ("b", parse("{'names': ['c'], 'formats': ['=i4']}"))];
    assert_eq!(DType::Struct(Struct::packed(fields).unwrap()).to_string(), "[('a', 'u1'), ('b', [('c', '<i4')])]");
    assert_eq!(DType::Subarray(Subarray::new(parse("int32"), &[2]).unwrap()).to_string(), "('<i4', (2,))");
}

#[test]
fn a_part_of_an_aligned_structure_says_by_itself_that_it_is() {
    let aligned = "{'names': ['x', 'y'], 'formats': ['u1', '<i4'], 'offsets': [0, 4], 'itemsize': 8, 'aligned': True}";
    for (part, alone) in [
        ("[('x', 'u1'), ('y', '<i4')]", aligned.to_string()),
        ("{'names': ['x', 'y'], 'formats': ['u1', '<i4']}", aligned.to_string()),
        ("[('', 'u1'), ('y', '<i4')]", aligned.replace("'x'", "'f0'")),
        ("{'names': ['', 'y'], 'formats': ['u1', '<i4'], 'offsets': [0, 4], 'itemsize': 8}", aligned.replace("'x'", "''")),
    ] {
        let whole = format!("{{'names': ['p'], 'formats': [{part}], 'offsets': [0], 'itemsize': 8, 'aligned': True}}");
        let dtype = parse(&whole);
        assert_eq!(dtype.to_string(), whole);
        assert_eq!(dtype.fields()[0].dtype().to_string(), alone);
        // A list cannot hold an empty name, because there it means f0.
        assert_eq!(parse(&alone).into_canonical(), dtype.fields()[0].dtype().clone().into_canonical());
        assert_eq!(parse(&dtype.clone().into_canonical().to_string()), dtype.into_canonical());
    }
}

#[test]
fn a_scalar_has_either_byte_order_unless_its_name_alone_is_written() {
    for (order, written) in [(ByteOrder::Little, "<i4"), (ByteOrder::Big, ">i4")] {
        assert_eq!(Scalar::new(ScalarType::Int32, order).unwrap().to_string(), written);
    }
    assert_eq!(Scalar::new(ScalarType::BFloat16, ByteOrder::Little).unwrap().to_string(), "bfloat16");
    let longest = Scalar::new(ScalarType::Void(i32::MAX as usize), ByteOrder::Little).unwrap();
    assert_eq!(longest.to_string(), "|V2147483647");
}

#[test]
fn what_cannot_be_written_cannot_be_made() {
    let u1 = || parse(u8::DTYPE);
    let packed = || DType::Struct(Struct::packed([("a", u1())]).unwrap());
    let step = |count| ScalarType::Datetime64(Some(TimeStep { count, unit: TimeUnit::Day }));
    let errors = [
        (Struct::packed([("", u1())]).unwrap_err(), "field 0 has no name"),
        (Struct::packed([("a", u1()), ("a", u1())]).unwrap_err(), "'a' occurs twice among the names and titles of the fields"),
        (
            Struct::aligned([("a", packed())]).unwrap_err(),
            "the structure in field 'a' is not aligned, but the outer structure is",
        ),
        (
            Struct::with_offsets([("a", 0, u1())], 1 << 31).unwrap_err(),
            "the structure takes 2147483648 bytes, above NumPy's limit of 2147483647",
        ),
        (Subarray::new(u1(), &[]).unwrap_err(), "expected a subarray of 1 to 64 dimensions, found 0"),
        (Subarray::new(u1(), &[1; 65]).unwrap_err(), "expected a subarray of 1 to 64 dimensions, found 65"),
        (
            Subarray::new(u1(), &[0, 1 << 31]).unwrap_err(),
            "a dimension has the length 2147483648, above NumPy's limit of 2147483647",
        ),
        (
            Scalar::new(ScalarType::Str(usize::MAX), ByteOrder::Little).unwrap_err(),
            &format!("str[{}] takes more than NumPy's limit of 2147483647 bytes", usize::MAX),
        ),
        (
            Scalar::new(step(1 << 31), ByteOrder::Big).unwrap_err(),
            "datetime64[2147483648D] has more than NumPy's limit of 2147483647 units in a step",
        ),
        (
            Scalar::new(ScalarType::BFloat16, ByteOrder::Big).unwrap_err(),
            "bfloat16 cannot be big-endian: it is written as a name, which does not include the byte order",
        ),
    ];
    for (error, expected) in errors {
        assert_eq!(error.to_string(), format!("dtype: {expected}"));
    }
}

#[test]
fn metalayers_say_what_their_dtype_is() {
    let meta = B2ndMeta::new(geometry(), "<M8[25s]");
    assert_eq!(meta.parse_dtype().unwrap(), parse("<M8[25s]"));
    let other = B2ndMeta { dtype_format: 1, ..meta.clone() };
    let message = "dtype_format: expected 0 (NumPy), found 1: the meaning of the dtype is unknown";
    assert_eq!(other.parse_dtype().unwrap_err().to_string(), message);
    assert_eq!(ArrayMeta::B2nd(other).parse_dtype().unwrap_err().to_string(), message);
    assert_eq!(ArrayMeta::MiscountedB2nd(meta).parse_dtype().unwrap(), Some(parse("<M8[25s]")));

    let legacy = LegacyB2ndMeta { version: 0, geometry: geometry(), dtype: "datetime64[ns]" };
    assert_eq!(legacy.parse_dtype().unwrap().into_canonical(), parse("<M8[ns]"));
    assert_eq!(ArrayMeta::LegacyB2nd(legacy).upgrade(None).unwrap().dtype, "<M8[ns]");
    let caterva = ArrayMeta::<&str>::Caterva(CatervaMeta { version: 0, geometry: geometry() });
    assert_eq!(caterva.parse_dtype().unwrap(), None);
}

#[test]
fn every_format_holds_the_string() {
    let string = "[('a', '<i4'), ('b', 'S3')]";
    let dtype = parse(string);
    assert_eq!(b2nd::to_vec(&dtype).unwrap(), b2nd::to_vec(string).unwrap());
    assert_eq!(b2nd::from_slice::<DType>(&b2nd::to_vec(string).unwrap()).unwrap(), dtype);
    assert_eq!(serde_json::to_value(&dtype).unwrap(), string);
    assert_eq!(serde_json::from_value::<DType>(string.into()).unwrap(), dtype);
    let error = serde_json::from_value::<DType>(4.into()).unwrap_err();
    assert_eq!(error.to_string(), "invalid type: integer `4`, expected a string");

    // The dtype is parsed when its metalayer is read; the error has the offset in the string and in the metalayer.
    let bytes = b2nd::to_vec(&B2ndMeta::new(geometry(), string)).unwrap();
    assert_eq!(b2nd::from_slice::<B2ndMeta<DType>>(&bytes).unwrap().dtype, dtype);
    let bytes = b2nd::to_vec(&B2ndMeta::new(geometry(), "<x4")).unwrap();
    let error = b2nd::from_slice::<B2ndMeta<DType>>(&bytes).unwrap_err();
    assert_eq!(error.to_string(), "dtype: expected a type code, found 'x' (byte 1 of the string) at byte 45");
}

#[test]
fn names_without_a_code_that_can_be_read_have_a_size() {
    // NumPy writes these as '<W4' and '<f1', which it cannot read.
    for (name, itemsize, alignment) in [("complex32", 4, 2), ("bcomplex32", 4, 2), ("float8_e5m2", 1, 1)] {
        let dtype = parse(name);
        assert_eq!((dtype.itemsize(), dtype.alignment(), dtype.to_string().as_str()), (itemsize, alignment, name));
    }
}

#[test]
fn descriptions_are_words() {
    let cases = [
        ("<f8", "float64, little-endian"),
        ("|b1", "bool"),
        (">M8[25s]", "datetime64[25s], big-endian"),
        ("|S1", "string of 1 byte"),
        ("<U10", "string of 10 characters, little-endian"),
        ("|V4", "4 raw bytes"),
        ("|O", "Python object"),
        ("bfloat16", "bfloat16, little-endian"),
        ("('<i4', (2, 3))", "array (2, 3) of int32, little-endian"),
        ("[('a', '<i4'), ('b', '<f8'), ('c', '>f8')]", "structure of 3 fields, 20 bytes"),
    ];
    for (string, words) in cases {
        assert_eq!(parse(string).describe(), words);
    }
}

#[test]
fn escapes_of_characters_outside_ascii_are_kept_as_they_are() {
    // Python 3.8 does not know U+1FAE8, so it escapes it; U+0378 is unassigned; U+200B is not printable.
    for string in
        ["[('\\U0001fae8', 'u1')]", "[('\u{1fae8}', 'u1')]", "[('\\u0378', 'u1')]", "[('\u{378}', 'u1')]", "[('\u{200b}', 'u1')]"]
    {
        assert_eq!(parse(string).to_string(), string);
    }
    assert_eq!(parse("[('\\xe9', 'u1')]").fields()[0].name(), "é");
    assert_eq!(parse("[('\\xe9', 'u1')]").into_canonical(), parse("[('é', 'u1')]"));
    assert_eq!(parse("[(('\\xe9', 'a'), 'u1')]").into_canonical(), parse("[(('é', 'a'), 'u1')]"));
    let dictionary = parse("{'names': ['a'], 'formats': ['u1'], 'offsets': [0], 'itemsize': 1}");
    assert_eq!(dictionary.into_canonical().to_string(), "[('a', 'u1')]");
}

#[test]
fn what_looks_like_an_aligned_dictionary_in_a_name_is_a_name() {
    for text in [
        r#"{'names': ["{'aligned': True}"], 'formats': ['<i4'], 'offsets': [1], 'itemsize': 6}"#,
        r#"{'names': ['{\'"', "'{"], 'formats': ['u1', '<i4'], 'offsets': [0, 4], 'itemsize': 8, 'aligned': True}"#,
        r#"{'names': ['}\\'], 'formats': [{'names': ['a', 'b'], 'formats': ['u1', '<i4'], 'offsets': [0, 4], 'itemsize': 8, 'aligned': True}], 'offsets': [0], 'itemsize': 9}"#,
    ] {
        let dtype: DType = text.parse().unwrap();
        assert_eq!(dtype.to_string(), text);
    }
    let inside: DType = r#"{'names': ['}\\'], 'formats': [{'names': ['a', 'b'], 'formats': ['u1', '<i4'], 'offsets': [0, 4], 'itemsize': 8, 'aligned': True}], 'offsets': [0], 'itemsize': 9}"#.parse().unwrap();
    let is_aligned = |dtype: &DType| matches!(dtype, DType::Struct(structure) if structure.is_aligned());
    assert!(!is_aligned(&inside) && is_aligned(inside.fields()[0].dtype()));
}
