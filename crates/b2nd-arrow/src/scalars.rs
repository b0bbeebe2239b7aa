//! [`Scalars`]: the columns of a batch as scalars, to compute statistics.

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, RecordBatch, downcast_primitive_array};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use b2nd::dtype::DType;

use crate::schema::numpy_dtype::dtype;

/// The scalars of a column: its values, the values of one field of its structs, or the elements of its arrays.
pub struct Scalars<'a> {
    /// The name of the column, followed by the names of nested fields: `a.b`.
    pub name: String,
    /// The Arrow type of a scalar, as text.
    pub data_type: String,
    /// The meaning of a scalar's bytes.
    pub content: Content,
    /// The lengths of the nested `FixedSizeList`s in each row, from the outermost to the innermost. Empty if there are none.
    pub shape: Vec<usize>,
    /// The number of scalars that are null.
    pub nulls: u64,
    /// The number of scalars that are not null.
    pub count: u64,
    /// The bytes of each scalar that is not null, in order. Empty if `content` is `Cell`.
    pub values: Box<dyn Iterator<Item = &'a [u8]> + 'a>,
    array: &'a dyn Array,
    /// The positions of nulls, if there are any.
    valid: Option<NullBuffer>,
}

impl Scalars<'_> {
    /// Returns true if both have the same content type and the same nulls, `is_near` accepts each pair of values, and cells, which have no
    /// values, are equal.
    pub fn are_near(self, other: Scalars<'_>, is_near: impl Fn(&[u8], &[u8]) -> bool) -> bool {
        let is_cell = self.content == Content::Cell && self.count != 0;
        self.content == other.content
            && (self.count, self.valid) == (other.count, other.valid)
            && (!is_cell || self.array == other.array)
            && self.values.zip(other.values).all(|(one, other)| is_near(one, other))
    }
}

/// The meaning of a scalar's bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// An element of this type.
    Element(DType),
    /// Text in UTF-8.
    Text,
    /// Bytes of any length.
    Bytes,
    /// Cells of any other type, such as lists, whose bytes are not in [`Scalars::values`].
    Cell,
}

/// Splits the columns of a batch into scalars. A column of structs is split into its fields.
pub fn scalars(batch: &RecordBatch) -> Vec<Scalars<'_>> {
    let mut all = Vec::new();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        descend(field.name().clone(), &**column, None, Vec::new(), &mut all);
    }
    all
}

fn descend<'a>(name: String, array: &'a dyn Array, above: Option<NullBuffer>, mut shape: Vec<usize>, all: &mut Vec<Scalars<'a>>) {
    let valid = NullBuffer::union(above.as_ref(), array.logical_nulls().as_ref());
    if let Some(structs) = array.as_struct_opt() {
        for (field, column) in structs.fields().iter().zip(structs.columns()) {
            descend(format!("{name}.{}", field.name()), &**column, valid.clone(), shape.clone(), all);
        }
        return;
    }
    if let Some(lists) = array.as_fixed_size_list_opt() {
        let length = usize::try_from(lists.value_length()).unwrap_or(0);
        shape.push(length);
        return descend(name, &**lists.values(), valid.map(|valid| valid.expand(length)), shape, all);
    }
    let valid = valid.filter(|valid| valid.null_count() != 0);
    let nulls = valid.as_ref().map_or(0, NullBuffer::null_count);
    let (content, values) = values(array, valid.clone());
    all.push(Scalars {
        name,
        data_type: array.data_type().to_string(),
        content,
        shape,
        nulls: nulls as u64,
        count: (array.len() - nulls) as u64,
        values,
        array,
        valid,
    });
}

type ScalarBytes<'a> = Box<dyn Iterator<Item = &'a [u8]> + 'a>;

fn values(array: &dyn Array, valid: Option<NullBuffer>) -> (Content, ScalarBytes<'_>) {
    let places = (0..array.len()).filter(move |&row| valid.as_ref().is_none_or(|valid| valid.is_valid(row)));
    macro_rules! text {
        ($array:expr, $content:expr) => {{
            let array = $array;
            let bytes = move |row: usize| -> &[u8] { array.value(row).as_ref() };
            ($content, Box::new(places.map(bytes)))
        }};
    }
    match array.data_type() {
        DataType::Boolean => {
            let bools = array.as_boolean();
            let bytes = move |row| -> &[u8] { if bools.value(row) { &[1] } else { &[0] } };
            return (element("|b1"), Box::new(places.map(bytes)));
        }
        DataType::Utf8 => return text!(array.as_string::<i32>(), Content::Text),
        DataType::LargeUtf8 => return text!(array.as_string::<i64>(), Content::Text),
        DataType::Binary => return text!(array.as_binary::<i32>(), Content::Bytes),
        DataType::LargeBinary => return text!(array.as_binary::<i64>(), Content::Bytes),
        _ => {}
    }
    let dictionary = array.as_dictionary_opt::<Int32Type>();
    let dictionary = dictionary.and_then(|words| Some((words.keys(), words.values().as_string_opt::<i32>()?)));
    if let Some((keys, words)) = dictionary {
        let word = |row: usize| usize::try_from(keys.value(row)).ok().filter(|&word| word < words.len());
        let bytes = move |row: usize| -> &[u8] { word(row).map_or(&[], |word| words.value(word).as_bytes()) };
        return (Content::Text, Box::new(places.map(bytes)));
    }
    let (Some(dtype), Some((bytes, size))) = (dtype(array.data_type()), fixed(array)) else {
        return (Content::Cell, Box::new(std::iter::empty()));
    };
    (element(&dtype), Box::new(places.map(move |row| bytes.get(row * size..(row + 1) * size).unwrap_or_default())))
}

/// Returns the bytes of a primitive array, and the number of bytes of each value. Returns `None` for other arrays.
fn fixed(array: &dyn Array) -> Option<(&[u8], usize)> {
    downcast_primitive_array! {
        array => Some((array.values().inner().as_slice(), array.data_type().primitive_width()?)),
        _ => None
    }
}

/// Returns the [`Content`] for a dtype string, or `Cell` if the string is not a dtype.
fn element(dtype: &str) -> Content {
    dtype.parse().map_or(Content::Cell, Content::Element)
}
