//! JSON packed as MessagePack, in its shortest form as python-blosc2 packs it.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::TUPLE;

/// The MessagePack of a JSON text, with the forms that [`Value`](super::Value) serializes to taken back: an object of the one key
/// `bytes`, `complex`, `set`, `ndarray`, `ext`, `float` or `map` is what it stands for. `{"tuple": [..]}` is a tuple.
///
/// ```
/// use b2nd_store::value::{Value, pack};
///
/// let packed = pack(r#"{"unit": "m", "raw": {"bytes": "00ff"}, "z": {"complex": [1, -2.5]}}"#)?;
/// let value = Value::from_slice(&packed).unwrap();
/// assert_eq!(value.text(80), r#"{"unit": "m", "raw": b"\x00\xff", "z": (1.0, -2.5i)}"#);
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
///
/// A sentence: the text is not JSON, or one of the forms above does not hold what it should.
pub fn pack(json: &str) -> Result<Vec<u8>, String> {
    let value: Json = serde_json::from_str(json).map_err(|error| format!("the value is not JSON: {error}"))?;
    fitting(json)?;
    let mut packed = Vec::new();
    value.pack(&mut packed)?;
    Ok(packed)
}

/// Whether each integer of a JSON text fits into MessagePack. A parser makes floats of those that do not.
fn fitting(json: &str) -> Result<(), String> {
    let mut outside = json;
    while let Some(start) = outside.find(|char: char| char == '"' || char == '-' || char.is_ascii_digit()) {
        let rest = outside.get(start..).unwrap_or_default();
        let mut is_escaped = false;
        let ends = |char: char| {
            let is_end = char == '"' && !is_escaped;
            is_escaped = char == '\\' && !is_escaped;
            is_end
        };
        let length = match rest.strip_prefix('"') {
            Some(string) => string.find(ends).map_or(rest.len(), |end| end + 2),
            None => rest.find(|char: char| !matches!(char, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(length);
        let is_integer = !token.contains(['"', '.', 'e', 'E']);
        if is_integer && token.parse::<i64>().is_err() && token.parse::<u64>().is_err() {
            return Err(format!("{token}: expected an integer from -2^63 to 2^64 - 1, or a float such as {token}.0"));
        }
        outside = after;
    }
    Ok(())
}

/// A string packed.
pub fn pack_text(text: &str) -> Vec<u8> {
    let mut packed = Vec::new();
    string(&mut packed, text);
    packed
}

enum Json {
    Null,
    Bool(bool),
    Int(i64),
    Unsigned(u64),
    Float(f64),
    String(String),
    List(Vec<Json>),
    /// In the order of the text.
    Object(Vec<(String, Json)>),
}

impl Json {
    fn pack(&self, out: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Json::Null => out.push(0xc0),
            Json::Bool(value) => out.push(if *value { 0xc3 } else { 0xc2 }),
            Json::Int(number) => int(out, *number),
            Json::Unsigned(number) => unsigned(out, *number),
            Json::Float(number) => float(out, *number),
            Json::String(text) => string(out, text),
            Json::List(list) => {
                sized(out, list.len(), (0x90, 15), [None, Some(0xdc), Some(0xdd)])?;
                list.iter().try_for_each(|value| value.pack(out))?;
            }
            Json::Object(pairs) => match pairs.as_slice() {
                [(form, value)] if special(form, value, out)? => {}
                pairs => {
                    sized(out, pairs.len(), (0x80, 15), [None, Some(0xde), Some(0xdf)])?;
                    for (key, value) in pairs {
                        string(out, key);
                        value.pack(out)?;
                    }
                }
            },
        }
        Ok(())
    }

    fn number(&self) -> Option<f64> {
        match self {
            Json::Int(number) => Some(*number as f64),
            Json::Unsigned(number) => Some(*number as f64),
            Json::Float(number) => Some(*number),
            Json::Object(pairs) => match pairs.as_slice() {
                [(form, Json::String(word))] if form == "float" => word_float(word),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Packs an object of one key that stands for what JSON lacks; `false` where it is just an object.
fn special(form: &str, value: &Json, out: &mut Vec<u8>) -> Result<bool, String> {
    let wrong = |expected: &str| format!("{{\"{form}\": ..}}: expected {expected}");
    match (form, value) {
        ("bytes", Json::String(digits)) => {
            let bytes = unhex(digits).ok_or_else(|| wrong("pairs of hexadecimal digits"))?;
            sized(out, bytes.len(), (0, 0), [Some(0xc4), Some(0xc5), Some(0xc6)])?;
            out.extend(bytes);
        }
        ("float", Json::String(word)) => float(out, word_float(word).ok_or_else(|| wrong("nan, inf or -inf"))?),
        ("complex", Json::List(parts)) => {
            let [real, imaginary] = parts.as_slice() else { return Err(wrong("[real, imaginary]")) };
            let parts = real.number().zip(imaginary.number()).ok_or_else(|| wrong("two numbers"))?;
            extension(out, 44, &[parts.0.to_be_bytes(), parts.1.to_be_bytes()].concat())?;
        }
        ("set", Json::List(_)) => {
            let mut inner = Vec::new();
            value.pack(&mut inner)?;
            extension(out, 45, &inner)?;
        }
        ("tuple", Json::List(list)) => {
            sized(out, list.len() + 1, (0x90, 15), [None, Some(0xdc), Some(0xdd)])?;
            out.push(0xa0 | TUPLE.len() as u8);
            out.extend_from_slice(TUPLE);
            list.iter().try_for_each(|value| value.pack(out))?;
        }
        ("ndarray", Json::Object(pairs)) => {
            let mut inner = Vec::new();
            inner.push(0x80 | pairs.len().min(15) as u8);
            for (key, value) in pairs {
                string(&mut inner, key);
                match (key.as_str(), value) {
                    ("data", Json::String(digits)) => {
                        let bytes = unhex(digits).ok_or_else(|| wrong("data in pairs of hexadecimal digits"))?;
                        sized(&mut inner, bytes.len(), (0, 0), [Some(0xc4), Some(0xc5), Some(0xc6)])?;
                        inner.extend(bytes);
                    }
                    ("dtype", Json::String(dtype)) => {
                        inner.push(0x81);
                        string(&mut inner, "str");
                        string(&mut inner, dtype);
                    }
                    ("dtype", descr) => {
                        inner.push(0x81);
                        string(&mut inner, "descr");
                        descr.pack(&mut inner)?;
                    }
                    ("shape" | "values", value) => value.pack(&mut inner)?,
                    _ => return Err(wrong("dtype, shape and data, or shape and values")),
                }
            }
            extension(out, 46, &inner)?;
        }
        ("ext", Json::List(parts)) => match parts.as_slice() {
            [Json::Int(kind), Json::String(digits)] => {
                let kind = i8::try_from(*kind).map_err(|_| wrong("a type from -128 to 127"))?;
                extension(out, kind, &unhex(digits).ok_or_else(|| wrong("pairs of hexadecimal digits"))?)?;
            }
            _ => return Err(wrong("[type, \"hex\"]")),
        },
        ("map", Json::List(pairs)) => {
            sized(out, pairs.len(), (0x80, 15), [None, Some(0xde), Some(0xdf)])?;
            for pair in pairs {
                let Json::List(pair) = pair else { return Err(wrong("pairs of a key and a value")) };
                let [key, value] = pair.as_slice() else { return Err(wrong("pairs of a key and a value")) };
                key.pack(out)?;
                value.pack(out)?;
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn word_float(word: &str) -> Option<f64> {
    match word {
        "nan" => Some(f64::NAN),
        "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// Two digits for each byte.
pub fn unhex(digits: &str) -> Option<Vec<u8>> {
    let nibble = |digit: u8| char::from(digit).to_digit(16);
    let byte = |pair: &[u8]| match *pair {
        [high, low] => u8::try_from(nibble(high)? << 4 | nibble(low)?).ok(),
        _ => None,
    };
    digits.as_bytes().chunks(2).map(byte).collect()
}

fn int(out: &mut Vec<u8>, number: i64) {
    match number {
        0.. => unsigned(out, number.unsigned_abs()),
        -32..0 => out.push(number as i8 as u8),
        -0x80..-32 => out.extend([0xd0, number as u8]),
        -0x8000..-0x80 => {
            out.push(0xd1);
            out.extend((number as i16).to_be_bytes());
        }
        -0x8000_0000..-0x8000 => {
            out.push(0xd2);
            out.extend((number as i32).to_be_bytes());
        }
        _ => {
            out.push(0xd3);
            out.extend(number.to_be_bytes());
        }
    }
}

fn unsigned(out: &mut Vec<u8>, number: u64) {
    match number {
        0..0x80 => out.push(number as u8),
        0x80..0x100 => out.extend([0xcc, number as u8]),
        0x100..0x1_0000 => {
            out.push(0xcd);
            out.extend((number as u16).to_be_bytes());
        }
        0x1_0000..0x1_0000_0000 => {
            out.push(0xce);
            out.extend((number as u32).to_be_bytes());
        }
        _ => {
            out.push(0xcf);
            out.extend(number.to_be_bytes());
        }
    }
}

fn float(out: &mut Vec<u8>, number: f64) {
    out.push(0xcb);
    out.extend(number.to_be_bytes());
}

fn string(out: &mut Vec<u8>, text: &str) {
    // What a program holds in memory as a string is below 4 GiB, or the file would not take it.
    let _ = sized(out, text.len(), (0xa0, 31), [Some(0xd9), Some(0xda), Some(0xdb)]);
    out.extend_from_slice(text.as_bytes());
}

/// The shortest marker that holds a length: one with the length in it up to a limit, then those of 8, 16 and 32 bits.
fn sized(out: &mut Vec<u8>, length: usize, (fix, limit): (u8, usize), markers: [Option<u8>; 3]) -> Result<(), String> {
    let [short, middle, long] = markers;
    match (length, short, middle, long) {
        (..=0xff, ..) if limit != 0 && length <= limit => out.push(fix | length as u8),
        (..=0xff, Some(marker), ..) => out.extend([marker, length as u8]),
        (..=0xffff, _, Some(marker), _) => {
            out.push(marker);
            out.extend((length as u16).to_be_bytes());
        }
        (..=0xffff_ffff, _, _, Some(marker)) => {
            out.push(marker);
            out.extend((length as u32).to_be_bytes());
        }
        _ => return Err(format!("a length of {length} does not fit into MessagePack")),
    }
    Ok(())
}

fn extension(out: &mut Vec<u8>, kind: i8, bytes: &[u8]) -> Result<(), String> {
    match bytes.len() {
        1 => out.push(0xd4),
        2 => out.push(0xd5),
        4 => out.push(0xd6),
        8 => out.push(0xd7),
        16 => out.push(0xd8),
        length => sized(out, length, (0, 0), [Some(0xc7), Some(0xc8), Some(0xc9)])?,
    }
    out.push(kind as u8);
    out.extend_from_slice(bytes);
    Ok(())
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Int(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Json, E> {
        Ok(i64::try_from(number).map_or(Json::Unsigned(number), Json::Int))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Json, E> {
        Ok(Json::Float(number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Json::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut pairs: Vec<(String, Json)> = Vec::new();
        let mut places = BTreeMap::new();
        while let Some((key, value)) = map.next_entry::<String, Json>()? {
            // As in Python the last one counts, in the place of the first.
            match places.get(&key).and_then(|&place: &usize| pairs.get_mut(place)) {
                Some((_, place)) => *place = value,
                None => {
                    places.insert(key.clone(), pairs.len());
                    pairs.push((key, value));
                }
            }
        }
        Ok(Json::Object(pairs))
    }
}
