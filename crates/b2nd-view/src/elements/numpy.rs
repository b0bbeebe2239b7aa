//! [`Words`]: elements as numpy's `array2string` writes them, all of one width where numpy pads them.

use b2nd::dtype::{DType, ScalarType};

use super::number::{Number, reader};
use super::real::{Reals, bits_of};
use super::scalar::{self, Scalar};

/// The number of elements of which numpy prints all.
pub(super) const ALL: usize = 1000;

/// The number of elements along an edge, on each side, of what is longer.
pub(super) const EDGE: usize = 3;

/// The texts of elements, in their order.
pub(super) struct Words(std::vec::IntoIter<String>);

impl Iterator for Words {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        self.0.next()
    }
}

impl Words {
    /// `is_single`: there is one element, without an axis.
    pub(super) fn new(dtype: Option<&DType>, items: &[&[u8]], is_single: bool) -> Words {
        Words(words(dtype, items, is_single).into_iter())
    }
}

fn words(dtype: Option<&DType>, items: &[&[u8]], is_single: bool) -> Vec<String> {
    let Some(dtype) = dtype else { return items.iter().map(|bytes| raw(bytes)).collect() };
    if !dtype.fields().is_empty() {
        return structures(dtype, items);
    }
    match dtype {
        DType::Scalar(scalar) => scalars(dtype, scalar.scalar_type(), items, is_single),
        _ => subarrays(dtype, items),
    }
}

/// Fields in round brackets; the values of a field have one width.
fn structures(dtype: &DType, items: &[&[u8]]) -> Vec<String> {
    let mut fields: Vec<_> = Vec::new();
    for field in dtype.fields() {
        let place = field.offset()..field.offset() + field.dtype().itemsize();
        let parts: Vec<&[u8]> = items.iter().map(|bytes| bytes.get(place.clone()).unwrap_or_default()).collect();
        fields.push(words(Some(field.dtype()), &parts, false).into_iter());
    }
    let one = |_| {
        let texts: Vec<String> = fields.iter_mut().filter_map(Iterator::next).collect();
        // As Python writes a tuple of one.
        if texts.len() == 1 { format!("({},)", texts.concat()) } else { format!("({})", texts.join(", ")) }
    };
    items.iter().map(one).collect()
}

/// Square brackets around each axis, with commas.
fn subarrays(dtype: &DType, items: &[&[u8]]) -> Vec<String> {
    let size = dtype.base().itemsize().max(1);
    let parts: Vec<&[u8]> = items.iter().flat_map(|bytes| bytes.chunks_exact(size)).collect();
    let mut words = words(Some(dtype.base()), &parts, false).into_iter();
    let items_in_one = dtype.shape().iter().fold(1, |items: usize, &length| items.saturating_mul(length));
    if items_in_one == 0 {
        return vec!["[]".to_owned(); items.len()];
    }
    let is_long = items_in_one > ALL;
    fn nested(shape: &[usize], is_long: bool, words: &mut impl Iterator<Item = String>) -> String {
        let Some((&length, inner)) = shape.split_first() else { return words.next().unwrap_or_default() };
        let mut texts: Vec<String> = (0..length).map(|_| nested(inner, is_long, words)).collect();
        if is_long && length > 2 * EDGE {
            texts.splice(EDGE..length - EDGE, ["...".to_owned()]);
        }
        format!("[{}]", texts.join(", "))
    }
    items.iter().map(|_| nested(dtype.shape(), is_long, &mut words)).collect()
}

fn scalars(dtype: &DType, of: ScalarType, items: &[&[u8]], is_single: bool) -> Vec<String> {
    let numbers = || items.iter().map(|bytes| reader(dtype).map_or(Number::Nan, |read| read(bytes)));
    let texts = || items.iter().map(|bytes| scalar::read(dtype, bytes));
    match of {
        ScalarType::Bool => {
            let yes = if is_single { "True" } else { " True" };
            numbers().map(|number| if number.is_zero() { "False" } else { yes }.to_owned()).collect()
        }
        ScalarType::Datetime64(_) | ScalarType::Timedelta64(_) => {
            let moment = |(number, scalar)| match (number, scalar) {
                (Number::Nan, _) => "'NaT'".to_owned(),
                (_, Scalar::Time(text)) if matches!(of, ScalarType::Datetime64(_)) => format!("'{text}'"),
                (Number::Integer(steps), _) => steps.to_string(),
                _ => String::new(),
            };
            padded(numbers().zip(texts()).map(moment).collect())
        }
        ScalarType::Complex64 | ScalarType::Complex128 => {
            let size = dtype.itemsize() / 2;
            let part = |second: bool| {
                let bits = items.iter().map(|bytes| bits_of(dtype, bytes.get(size * usize::from(second)..).unwrap_or_default()));
                Reals::new(of, bits, second)
            };
            let both = part(false).into_iter().zip(part(true)).map(|(real, imaginary)| {
                let digits = imaginary.trim_end();
                format!("{real}{digits}j{}", &imaginary[digits.len()..])
            });
            both.collect()
        }
        ScalarType::Float16 | ScalarType::BFloat16 | ScalarType::Float32 | ScalarType::Float64 => {
            Reals::new(of, items.iter().map(|bytes| bits_of(dtype, bytes)), false).into_iter().collect()
        }
        ScalarType::Void(_) => items.iter().map(|bytes| raw(bytes)).collect(),
        _ => {
            let word = |scalar| match scalar {
                Scalar::Integer(number) => (number.to_string(), true),
                Scalar::Text(text) => (in_python(text.chars().map(|char| (char, u32::from(char)))), false),
                Scalar::Bytes(bytes) => {
                    let chars = bytes.iter().map(|&byte| (if byte < 0x80 { char::from(byte) } else { '\u{0}' }, u32::from(byte)));
                    (format!("b{}", in_python(chars)), false)
                }
                Scalar::Unknown(digits) => (digits, false),
                Scalar::Bool(_) | Scalar::Float(_) | Scalar::Complex(..) | Scalar::Time(_) => (String::new(), false),
            };
            let (words, padding): (Vec<String>, Vec<bool>) = texts().map(word).unzip();
            if padding.contains(&true) { padded(words) } else { words }
        }
    }
}

/// Texts to the right of a column that is as wide as the longest.
fn padded(texts: Vec<String>) -> Vec<String> {
    let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    texts.into_iter().map(|text| format!("{text:>width$}")).collect()
}

/// Bytes that are no text, each as `\x..`.
fn raw(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect();
    format!("b'{}'", digits.concat())
}

/// Text as Python's `repr` writes it: characters, and the numbers to write of those that are not printed.
fn in_python(chars: impl Iterator<Item = (char, u32)> + Clone) -> String {
    let has = |wanted: char| chars.clone().any(|(char, _)| char == wanted);
    let quote = if has('\'') && !has('"') { '"' } else { '\'' };
    let mut text = String::from(quote);
    for (char, number) in chars {
        match char {
            '\\' => text += "\\\\",
            '\n' => text += "\\n",
            '\r' => text += "\\r",
            '\t' => text += "\\t",
            _ if char == quote => text.extend(['\\', char]),
            _ if number < 0x7f && char >= ' ' => text.push(char),
            _ if number >= 0xa1 && char != '\u{0}' && is_printable(char) => text.push(char),
            _ if number <= 0xff => text += &format!("\\x{number:02x}"),
            _ if number <= 0xffff => text += &format!("\\u{number:04x}"),
            _ => text += &format!("\\U{number:08x}"),
        }
    }
    text.push(quote);
    text
}

fn is_printable(char: char) -> bool {
    // Behind another character, so that marks that combine with it are printed.
    let text = String::from_iter(['a', char]);
    !char.is_whitespace() && text.escape_debug().count() == 2
}
