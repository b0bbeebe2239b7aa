//! Lengths that are not known in advance, and lengths that differ from what was declared.

use crate::common::{both_ways, cat, message, refused, unwritable, writes};
use hex_literal::hex;
use serde::de::{SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple};
use serde::ser::{SerializeTupleStruct, SerializeTupleVariant};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A sequence of `count` elements that declares the length `declared`.
struct Sequence<T> {
    declared: Option<usize>,
    count: usize,
    element: T,
}

impl<T> Sequence<T> {
    fn unknown(count: usize, element: T) -> Self {
        Sequence { declared: None, count, element }
    }
}

impl<T: Serialize> Serialize for Sequence<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(self.declared)?;
        (0..self.count).try_for_each(|_| sequence.serialize_element(&self.element))?;
        sequence.end()
    }
}

/// A map with the keys 0, 1, … that declares `declared` entries.
struct Map<T> {
    declared: Option<usize>,
    count: u32,
    value: T,
}

impl<T: Serialize> Serialize for Map<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(self.declared)?;
        (0..self.count).try_for_each(|key| map.serialize_entry(&key, &self.value))?;
        map.end()
    }
}

#[test]
fn a_sequence_of_unknown_length_is_written_like_one_of_known_length() {
    for count in [0, 1, 15, 16, 65_535, 65_536] {
        let known = b2nd::to_vec(&vec![true; count]).unwrap();
        writes(&Sequence::unknown(count, true), &known);
        writes(&(1u8, Sequence::unknown(count, true), 2u8), &cat(&[&hex!("93 01"), &known, &hex!("02")]));
    }
}

#[test]
fn a_map_of_unknown_length_is_written_like_one_of_known_length() {
    for count in [0, 1, 15, 16, 65_535, 65_536] {
        let known = b2nd::to_vec(&Map { declared: Some(count as usize), count, value: () }).unwrap();
        writes(&Map { declared: None, count, value: () }, &known);
        writes(&(1u8, Map { declared: None, count, value: () }, 2u8), &cat(&[&hex!("93 01"), &known, &hex!("02")]));
    }
}

#[test]
fn unknown_lengths_nest() {
    let known = b2nd::to_vec(&vec![vec![vec![7u8; 3]; 20]; 16]).unwrap();
    writes(&Sequence::unknown(16, Sequence::unknown(20, Sequence::unknown(3, 7u8))), &known);
    let map = Map { declared: None, count: 1, value: Sequence::unknown(2, Map { declared: None, count: 1, value: false }) };
    writes(&map, &hex!("81 ce00000000 92 81 ce00000000 c2 81 ce00000000 c2"));
}

#[test]
fn a_sequence_of_unknown_length_is_inserted_into_a_full_buffer() {
    let value = Sequence::unknown(16, 7u8);
    let mut buffer = [0; 19];
    assert_eq!(b2nd::to_slice(&value, &mut buffer).unwrap(), [&hex!("dc0010")[..], &[7; 16]].concat());
    for length in 0..19 {
        let error = message(b2nd::to_slice(&value, &mut buffer[..length]));
        assert_eq!(error, format!("the value takes 19 bytes, but the buffer holds {length}"));
    }
}

#[test]
fn a_sequence_or_map_that_is_not_as_declared_is_not_written() {
    let sequence = |declared, count| Sequence { declared: Some(declared), count, element: 1u8 };
    unwritable(&sequence(3, 2), "expected 3 elements, found 2");
    unwritable(&sequence(1, 2), "expected 1 element, found 2");
    unwritable(&sequence(0, 1), "expected 0 elements, found 1");
    unwritable(&sequence(16, 15), "expected 16 elements, found 15");
    #[cfg(target_pointer_width = "64")]
    unwritable(&sequence(usize::MAX, 1), "18446744073709551615 elements are too many: array32 holds at most 4294967295");
    unwritable(&(sequence(3, 2), 1u8), "[0]: expected 3 elements, found 2");
    let map = |declared, count| Map { declared: Some(declared), count, value: () };
    unwritable(&map(3, 2), "expected 3 elements, found 2");
    unwritable(&map(1, 2), "expected 1 element, found 2");
    #[cfg(target_pointer_width = "64")]
    unwritable(&map(usize::MAX, 1), "18446744073709551615 entries are too many: map32 holds at most 4294967295");
    #[cfg(target_pointer_width = "64")]
    unwritable(&map(usize::MAX / 2 + 1, 0), "9223372036854775808 entries are too many: map32 holds at most 4294967295");
}

#[test]
fn a_tuple_or_struct_that_is_not_as_declared_is_not_written() {
    /// Declares three elements and writes two.
    enum Liar {
        Tuple,
        TupleStruct,
        TupleVariant,
        Struct,
        StructVariant,
    }
    impl Serialize for Liar {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            macro_rules! two {
                ($start:expr, $method:ident $(, $key:literal)?) => {{
                    let mut compound = $start?;
                    compound.$method($($key,)? &1u8)?;
                    compound.$method($($key,)? &2u8)?;
                    compound.end()
                }};
            }
            match self {
                Liar::Tuple => two!(serializer.serialize_tuple(3), serialize_element),
                Liar::TupleStruct => two!(serializer.serialize_tuple_struct("T", 3), serialize_field),
                Liar::TupleVariant => two!(serializer.serialize_tuple_variant("T", 0, "V", 3), serialize_field),
                Liar::Struct => two!(serializer.serialize_struct("S", 3), serialize_field, "x"),
                Liar::StructVariant => two!(serializer.serialize_struct_variant("S", 0, "V", 3), serialize_field, "x"),
            }
        }
    }
    for liar in [Liar::Tuple, Liar::TupleStruct, Liar::TupleVariant, Liar::Struct, Liar::StructVariant] {
        unwritable(&liar, "expected 3 elements, found 2");
    }
}

#[test]
fn a_key_has_a_value() {
    struct KeyAlone(Option<usize>);
    impl Serialize for KeyAlone {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(self.0)?;
            map.serialize_key(&1u8)?;
            map.end()
        }
    }
    unwritable(&KeyAlone(None), "a map has a key without a value, or a value without a key");
    unwritable(&KeyAlone(Some(1)), "a map has a key without a value, or a value without a key");
}

/// A type that reads at most `N` elements and ignores the rest.
#[derive(Debug)]
struct Takes<const N: usize>;

impl<'de, const N: usize> Deserialize<'de> for Takes<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements<const N: usize>;
        impl<'de, const N: usize> Visitor<'de> for Elements<N> {
            type Value = Takes<N>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("elements")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Takes<N>, A::Error> {
                for _ in 0..N {
                    if elements.next_element::<u8>()?.is_none() {
                        break;
                    }
                }
                Ok(Takes)
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut entries: A) -> Result<Takes<N>, A::Error> {
                for _ in 0..N {
                    if entries.next_entry::<u8, u8>()?.is_none() {
                        break;
                    }
                }
                Ok(Takes)
            }
        }
        deserializer.deserialize_any(Elements)
    }
}

#[test]
fn elements_that_nobody_takes_are_refused() {
    refused::<Takes<1>>(&hex!("93 01 02 03"), "expected 1 element, found 3 at byte 0");
    refused::<Takes<2>>(&hex!("83 01 02 03 04 05 06"), "expected 2 elements, found 3 at byte 0");
    refused::<(u8, Takes<0>)>(&hex!("92 01 91 01"), "[1]: expected 0 elements, found 1 at byte 2");
    assert!(b2nd::from_slice::<Takes<9>>(&hex!("93 01 02 03")).is_ok());
    assert!(b2nd::from_slice::<Takes<9>>(&hex!("81 01 02")).is_ok());
}

#[test]
fn fewer_elements_than_declared_are_the_end_of_the_input() {
    refused::<Vec<u8>>(&hex!("93 01 02"), "unexpected end of input at byte 3: [2] needs 1 more byte");
    refused::<Vec<u8>>(&hex!("dc 0010 01"), "unexpected end of input at byte 4: [1] needs 1 more byte");
    refused::<std::collections::BTreeMap<u8, u8>>(&hex!("82 01 02"), "unexpected end of input at byte 3: key needs 1 more byte");
    refused::<std::collections::BTreeMap<u8, u8>>(&hex!("81 01"), "unexpected end of input at byte 2: value needs 1 more byte");
    refused::<String>(&hex!("db 00000005 61"), "unexpected end of input at byte 6: the value needs 4 more bytes");
}

#[test]
fn a_struct_says_how_many_elements_it_has() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Three(u8, u8, u8);
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Named {
        a: u8,
        b: u8,
    }
    both_ways(Three(1, 2, 3), &hex!("93 01 02 03"));
    both_ways(Named { a: 1, b: 2 }, &hex!("92 01 02"));
    refused::<Three>(&hex!("94 01 02 03 04"), "expected 3 elements, found 4 at byte 0");
    refused::<Named>(&hex!("93 01 02 03"), "expected 2 elements, found 3 at byte 0");
    refused::<Named>(&hex!("93 c0 c0 c0"), "expected 2 elements, found 3 at byte 0");
    refused::<Vec<Named>>(&hex!("92 92 01 02 93 01 02 03"), "[1]: expected 2 elements, found 3 at byte 4");
    refused::<Vec<Named>>(&hex!("92 92 01 02 91 01"), "[1]: invalid length 1, expected struct Named with 2 elements at byte 4");
}
