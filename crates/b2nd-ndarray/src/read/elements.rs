//! [`Elements`]: structures and text, as bytes with a dtype.

use std::ops::Range;

use b2nd::dtype::{ByteOrder, DType, ScalarType};
use ndarray::{ArrayD, IxDyn};

use crate::array::Array;
use crate::element::{self, Element};
use crate::error::{Error, Result};
use crate::read::lengths;

/// The elements of a slice as bytes, with their dtype. If they are structures, the values of single fields can be read. Text can be read as
/// strings.
///
/// ```
/// use b2nd_ndarray::Array;
///
/// let array = Array::open("../../tests/data/example.b2nd")?;
/// assert_eq!(array.dtype().map(|dtype| dtype.to_string()).as_deref(), Some("[('time', '<i8'), ('temp', '<f4'), ('rain', '<f4')]"));
/// let elements = array.elements(&[0..2, 0..1, 0..3])?;
/// let temp = elements.field::<f32>("temp")?;
/// assert_eq!(temp.shape(), [2, 1, 3]);
/// # Ok::<(), b2nd_ndarray::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Elements {
    bytes: Vec<u8>,
    shape: Vec<usize>,
    itemsize: usize,
    dtype: DType,
}

impl Array {
    /// Reads the elements of a slice, of any known dtype.
    ///
    /// # Errors
    ///
    /// Fails if the dtype is not known. Also returns the errors of [`read_bytes`](Array::read_bytes).
    pub fn elements(&self, slice: &[Range<i64>]) -> Result<Elements> {
        let unknown = || self.error(Error::custom("the array's dtype is not known: `read_bytes` reads the elements as bytes"));
        let dtype = self.dtype().cloned().ok_or_else(unknown)?;
        let bytes = self.read_bytes(slice)?;
        Ok(Elements { bytes, shape: lengths(slice), itemsize: self.itemsize(), dtype })
    }
}

impl Elements {
    /// Returns the bytes of all elements, in C order.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the shape of the slice. For a field that is a subarray, the subarray's dimensions follow.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the dtype of an element. The dtype of a structure includes the offsets of its fields.
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Returns the values that the field with this name has in each structure. If the field is a subarray, its dimensions follow the
    /// dimensions of the slice.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`part`](Elements::part) and [`values`](Elements::values).
    pub fn field<T: Element>(&self, name: &str) -> Result<ArrayD<T>> {
        self.part(name)?.values()
    }

    /// Returns the field with this name of each structure, such as text (see [`strings`](Elements::strings)) or a nested structure. If the
    /// field is a subarray, its dimensions follow the dimensions of the slice.
    ///
    /// ```
    /// use b2nd::{B2ndMeta, Geometry};
    /// use b2nd_ndarray::{Array, Options};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("stations.b2nd");
    /// let meta = B2ndMeta::new(Geometry::new(&[2], &[2], &[2])?, "[('name', 'S3'), ('place', '<i2', (2,))]");
    /// b2nd_ndarray::write_bytes(&path, &meta, b"ab\0\x01\0\x02\0xyz\x03\0\x04\0", &Options::default())?;
    /// let elements = Array::open(&path)?.elements(&[0..2])?;
    /// assert_eq!(elements.part("name")?.strings()?, ndarray::array!["ab", "xyz"].mapv(String::from).into_dyn());
    /// assert_eq!(elements.field::<i16>("place")?, ndarray::array![[1, 2], [3, 4]].into_dyn());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is no such field, or if the elements are too short for it.
    pub fn part(&self, name: &str) -> Result<Elements> {
        let field = self.dtype.fields().iter().find(|field| field.name() == name);
        let (found, names) = (self.dtype.describe(), self.dtype.fields().iter().map(|field| field.name()).collect::<Vec<_>>());
        let no_field = || Error::custom(format_args!("no field {name:?} in the elements ({found}); their fields are {names:?}"));
        let field = field.ok_or_else(no_field)?;
        let (dtype, inner) = (field.dtype().base().clone(), field.dtype().shape());
        let place = field.offset()..field.offset().saturating_add(field.dtype().itemsize());
        let length = self.each().len().saturating_mul(place.len());
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).map_err(|_| self.no_memory(self.each().len()))?;
        let short = || Error::custom(format_args!("the itemsize {} is too small for the dtype ({found})", self.itemsize));
        for element in self.each() {
            bytes.extend_from_slice(element.get(place.clone()).ok_or_else(short)?);
        }
        Ok(Elements { bytes, shape: [&self.shape, inner].concat(), itemsize: dtype.itemsize(), dtype })
    }

    /// Returns the elements as values.
    ///
    /// # Errors
    ///
    /// Fails if the elements are not of type `T`.
    pub fn values<T: Element>(&self) -> Result<ArrayD<T>> {
        let swapped = element::swapped::<T>(Some(&self.dtype))?;
        let count = self.each().len();
        let mut bits: Vec<T::Bits> = element::zeroed(count).ok_or_else(|| self.no_memory(count))?;
        let places = bytemuck::cast_slice_mut::<T::Bits, u8>(&mut bits);
        if places.len() != self.bytes.len() {
            return Err(Error::Itemsize { expected: size_of::<T>(), found: self.itemsize });
        }
        places.copy_from_slice(&self.bytes);
        if swapped {
            element::swap::<T>(&mut bits);
        }
        Ok(ArrayD::from_shape_vec(IxDyn(&self.shape), T::values(bits))?)
    }

    /// Returns text as strings: elements of a dtype `U`, or elements of a dtype `S` whose bytes are UTF-8. Zeros at the end of an element
    /// are padding and are removed.
    ///
    /// # Errors
    ///
    /// Fails, for example, if the elements are not text, or not valid Unicode.
    pub fn strings(&self) -> Result<ArrayD<String>> {
        let wrong = |what: &str| Error::custom(format_args!("the elements ({}) are not {what}", self.dtype.describe()));
        let DType::Scalar(scalar) = &self.dtype else { return Err(wrong("text")) };
        let big = scalar.byte_order() == Some(ByteOrder::Big);
        let code = |bytes: &[u8; 4]| if big { u32::from_be_bytes(*bytes) } else { u32::from_le_bytes(*bytes) };
        let string = |element: &[u8]| {
            let mut string = match scalar.scalar_type() {
                ScalarType::Bytes(_) => String::from_utf8(element.to_vec()).ok()?,
                ScalarType::Str(_) => {
                    let codes = element.chunks_exact(4).filter_map(|bytes| bytes.first_chunk()).map(code);
                    codes.map(char::from_u32).collect::<Option<String>>()?
                }
                _ => return None,
            };
            string.truncate(string.trim_end_matches('\0').len());
            Some(string)
        };
        let is_text = matches!(scalar.scalar_type(), ScalarType::Bytes(_) | ScalarType::Str(_));
        let invalid = || wrong(if is_text { "valid Unicode" } else { "text" });
        let strings = self.each().map(string).collect::<Option<Vec<_>>>().filter(|_| is_text).ok_or_else(invalid)?;
        Ok(ArrayD::from_shape_vec(IxDyn(&self.shape), strings)?)
    }

    /// Iterates over the bytes of each element, in C order. Elements of 0 bytes are left out.
    pub fn each(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.itemsize.max(1))
    }

    fn no_memory(&self, count: usize) -> Error {
        Error::Memory { items: i64::try_from(count).unwrap_or(i64::MAX), itemsize: self.itemsize }
    }
}
