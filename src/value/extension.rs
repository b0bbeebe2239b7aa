//! The extension types of python-blosc2.

use alloc::vec::Vec;

use super::{Value, decode};
use crate::marker::MAX_DEPTH;

/// The content of an extension, by its type.
///
/// Source: python-blosc2 4.2 (42, 43), 4.13 (44, 45) and 4.14 (46).
pub(super) enum Extension<'a> {
    /// 42: the bytes of a frame.
    Frame(&'a [u8]),
    /// 43: a map that names an object elsewhere, by its `kind` and `urlpath` or others.
    Reference(Value),
    /// 44: a complex number, its real and its imaginary part.
    Complex(f64, f64),
    /// 45: a set, as the list of its elements.
    Set(Value),
    /// 46: a NumPy array.
    NdArray(NdArray),
    /// Another type, or content that does not fit the type.
    Other(i8, &'a [u8]),
}

/// A NumPy array in an extension of type 46.
pub(super) struct NdArray(Value);

impl NdArray {
    /// Returns the dtype: its string, or the list that describes a structure. An array of objects has none.
    pub(super) fn dtype(&self) -> Option<&Value> {
        let dtype = self.0.get("dtype")?;
        dtype.get("str").or_else(|| dtype.get("descr")).or(Some(dtype))
    }

    /// Returns the shape, a list of lengths.
    pub(super) fn shape(&self) -> &Value {
        &self.0["shape"]
    }

    /// Returns the elements in C order, in the dtype's byte order.
    pub(super) fn data(&self) -> Option<&[u8]> {
        self.0.get("data")?.as_bytes()
    }

    /// Returns the elements of an array of objects.
    pub(super) fn values(&self) -> Option<&Value> {
        self.0.get("values")
    }
}

impl Value {
    /// Returns the extension's content by its type, if the value is one.
    ///
    /// The content may nest `depth` levels deep; one that goes deeper is [`Extension::Other`].
    pub(super) fn extension_within(&self, depth: u8) -> Option<Extension<'_>> {
        let Value::Ext(kind, data, _) = self else { return None };
        // An extension in an extension is a level too.
        let content = || decode::whole(data, MAX_DEPTH.checked_sub(depth).filter(|_| depth != 0)?).ok();
        let known = match kind {
            42 => Some(Extension::Frame(data)),
            43 => content().map(Extension::Reference),
            44 => complex(data),
            45 => content().filter(|content| matches!(content, Value::Array(..))).map(Extension::Set),
            46 => content().filter(|content| content.get("shape").is_some()).map(|content| Extension::NdArray(NdArray(content))),
            _ => None,
        };
        Some(known.unwrap_or(Extension::Other(*kind, data)))
    }

    /// Makes the extension 44, a complex number.
    pub(super) fn complex(real: f64, imaginary: f64) -> Value {
        Value::short_ext(44, [real.to_be_bytes(), imaginary.to_be_bytes()].concat())
    }

    /// Makes the extension of this type around a value, which is not too deep since it has been decoded.
    pub(super) fn around(kind: i8, content: &Value) -> crate::Result<Value> {
        let data: Vec<u8> = content.to_vec()?;
        Ok(Value::short_ext(kind, data))
    }
}

fn complex(data: &[u8]) -> Option<Extension<'static>> {
    let (real, imaginary) = data.split_first_chunk::<8>()?;
    let imaginary: &[u8; 8] = imaginary.try_into().ok()?;
    Some(Extension::Complex(f64::from_be_bytes(*real), f64::from_be_bytes(*imaginary)))
}
