//! Random dtypes are written and read back; strings with random changes are rejected or written back unchanged.

use b2nd::dtype::{ByteOrder, DType, Scalar, ScalarType, Struct, Subarray, TimeStep, TimeUnit};
use proptest::prelude::*;

fn scalar() -> impl Strategy<Value = DType> {
    use ScalarType::*;
    let length = prop_oneof![Just(0), 1..20usize, Just(0x1fff_ffff)];
    let unit = prop_oneof![Just(TimeUnit::Year), Just(TimeUnit::Minute), Just(TimeUnit::Nanosecond), Just(TimeUnit::Attosecond)];
    let step =
        prop::option::of((prop_oneof![0..3u32, Just(0x7fff_ffff)], unit).prop_map(|(count, unit)| TimeStep { count, unit }));
    let fixed =
        prop::sample::select(vec![Bool, Int8, Int32, UInt8, UInt16, Float16, Float128, Complex64, Object, BFloat16, Int4]);
    let scalar_type = prop_oneof![
        fixed,
        length.prop_flat_map(|length| prop::sample::select(vec![Bytes(length), Str(length), Void(length)])),
        step.prop_flat_map(|step| prop::sample::select(vec![Datetime64(step), Timedelta64(step)])),
    ];
    (scalar_type, prop::sample::select(vec![ByteOrder::Little, ByteOrder::Big]))
        .prop_filter_map("bfloat16 has no big-endian string", |(scalar_type, order)| {
            Scalar::new(scalar_type, order).ok().map(DType::Scalar)
        })
}

fn dtype() -> impl Strategy<Value = DType> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        let name = prop_oneof!["[a-z]", any::<String>(), Just("it's \"both\" \\ \n".to_string())];
        let fields = prop::collection::vec((name, inner.clone()), 0..4);
        // The index makes the names unique and not empty.
        let named = |fields: Vec<(String, DType)>| -> Vec<(String, DType)> {
            fields.into_iter().enumerate().map(|(index, (name, dtype))| (format!("{name}{index}"), dtype)).collect()
        };
        prop_oneof![
            fields.clone().prop_filter_map("too large", move |fields| Struct::packed(named(fields)).ok().map(DType::Struct)),
            fields.prop_filter_map("too large, or packed inside", move |fields| {
                Struct::aligned(named(fields)).ok().map(DType::Struct)
            }),
            (inner, prop::collection::vec(0..4usize, 1..4)).prop_filter_map("too large", |(base, shape)| Subarray::new(
                base, &shape
            )
            .ok()
            .map(DType::Subarray)),
        ]
    })
}

/// Pieces that are inserted into a string to break it.
const PIECES: &[&str] = &[
    "",
    " ",
    "'",
    "\"",
    "\\",
    "\\n",
    "\\x41",
    "\\u200b",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ",",
    ", ",
    ":",
    "<",
    ">",
    "|",
    "=",
    "0",
    "1",
    "2147483647",
    "i4",
    "S",
    "U3",
    "V0",
    "O",
    "?",
    "M8[ns]",
    "é",
    "\u{200b}",
    "\n",
    "'aligned': True",
    ", 'itemsize': 64",
    "(2,)",
    "None",
    "'offsets': [0, 8]",
];

fn broken() -> impl Strategy<Value = String> {
    let spelled = prop::sample::select(vec![
        "{'names': ['a', 'b'], 'formats': ['u1', '<i4'], 'offsets': [0, 4], 'titles': ['t', None], 'itemsize': 8, 'aligned': True}",
        "[(('title', 'a'), '=i4'), ('', '|u1', (2, 3)), ('c', [('x', 'float64'), ('y', 'datetime64[25s]')])]",
        "{'names': ['p'], 'formats': [[('x', 'u1'), ('y', '<i4')]], 'aligned': False}",
    ]);
    let string = prop_oneof![dtype().prop_map(|dtype| dtype.to_string()), spelled.prop_map(String::from)];
    let edit = (any::<prop::sample::Index>(), 0..4usize, prop::sample::select(PIECES));
    (string, prop::collection::vec(edit, 1..4)).prop_map(|(string, edits)| {
        let mut characters: Vec<char> = string.chars().collect();
        for (index, cut, piece) in edits {
            let start = index.index(characters.len() + 1);
            let end = characters.len().min(start + cut);
            characters.splice(start..end, piece.chars());
        }
        characters.into_iter().collect()
    })
}

fn assert_exact_or_refused(string: &str) -> Result<(), TestCaseError> {
    match string.parse::<DType>() {
        Ok(dtype) => {
            prop_assert_eq!(dtype.to_string(), string);
            prop_assert!(dtype.itemsize() <= 0x7fff_ffff);
            let canonical = dtype.into_canonical();
            prop_assert_eq!(&canonical.to_string().parse::<DType>().unwrap(), &canonical);
        }
        Err(error) => prop_assert!(error.offset().is_some_and(|offset| string.is_char_boundary(offset)), "{}: {}", string, error),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_made_is_read_back(dtype in dtype()) {
        let string = dtype.to_string();
        let again: DType = string.parse().map_err(|error| TestCaseError::fail(format!("{string}: {error}")))?;
        prop_assert_eq!(again.to_string(), string);
        prop_assert_eq!(again.itemsize(), dtype.itemsize());
        prop_assert_eq!(again, dtype);
    }

    #[test]
    fn what_is_broken_is_refused_or_comes_back(string in broken()) {
        assert_exact_or_refused(&string)?;
    }

    #[test]
    fn what_is_cut_off_is_refused_or_comes_back(dtype in dtype(), index in any::<prop::sample::Index>()) {
        let string = dtype.to_string();
        let characters: Vec<char> = string.chars().collect();
        assert_exact_or_refused(&characters[..index.index(characters.len() + 1)].iter().collect::<String>())?;
    }

    #[test]
    fn any_text_is_refused_or_comes_back(string in any::<String>()) {
        assert_exact_or_refused(&string)?;
    }
}
