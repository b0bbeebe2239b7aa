//! The extension types of python-blosc2.

use super::{Head, Value, decode};
use crate::marker::MAX_DEPTH;

/// The decoded content of an extension.
///
/// Source: python-blosc2 4.14.
pub(super) enum Extension<'a> {
    /// Type 42: the bytes of a frame.
    Frame(&'a [u8]),
    /// Type 43: a reference to another object, or an expression. python-blosc2 writes a map with the keys `kind` and `version`, and others.
    Reference(Value),
    /// Type 44: the real and the imaginary part of a complex number.
    Complex(f64, f64),
    /// Type 45: the elements of a set, as a list.
    Set(Value),
    /// Type 46: a NumPy array.
    NdArray(NdArray),
    /// An extension of any other type, or with content that does not fit its type.
    Other(i8, &'a [u8]),
}

/// A NumPy array, which is the content of an extension of type 46.
pub(super) struct NdArray(Value);

impl NdArray {
    /// Returns the dtype: a string, or a list that describes a structure. Returns `None` for an array of objects.
    pub(super) fn dtype(&self) -> Option<&Value> {
        let dtype = self.0.get("dtype")?;
        dtype.get("str").or_else(|| dtype.get("descr")).or(Some(dtype))
    }

    pub(super) fn shape(&self) -> &Value {
        &self.0["shape"]
    }

    /// Returns the bytes of the elements, in C order and in the dtype's byte order, or `None` for an array of objects.
    pub(super) fn data(&self) -> Option<&[u8]> {
        self.0.get("data")?.as_bytes()
    }

    /// Returns the elements of an array of objects, or `None` for any other array.
    pub(super) fn values(&self) -> Option<&Value> {
        self.0.get("values")
    }
}

impl Value {
    /// Returns the content of an extension, or `None` if the value is not an extension.
    ///
    /// Content that nests more than `depth` levels deep is returned as [`Extension::Other`].
    pub(super) fn extension_within(&self, depth: u8) -> Option<Extension<'_>> {
        let Value::Ext(kind, data, _) = self else { return None };
        // An extension inside an extension counts as a level too.
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

    /// Makes a complex number, an extension of type 44.
    pub(super) fn complex(real: f64, imaginary: f64) -> Value {
        Value::Ext(44, [real.to_be_bytes(), imaginary.to_be_bytes()].concat(), Head::U32).short()
    }

    /// Makes an extension of this type. Its content is `content`, encoded as MessagePack.
    pub(super) fn around(kind: i8, content: &Value) -> crate::Result<Value> {
        Ok(Value::Ext(kind, content.to_vec()?, Head::U32).short())
    }
}

fn complex(data: &[u8]) -> Option<Extension<'static>> {
    let (real, imaginary) = data.split_first_chunk::<8>()?;
    let imaginary: &[u8; 8] = imaginary.try_into().ok()?;
    Some(Extension::Complex(f64::from_be_bytes(*real), f64::from_be_bytes(*imaginary)))
}
