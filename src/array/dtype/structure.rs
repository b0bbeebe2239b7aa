//! [`Struct`] and [`Field`]: the dtype of an element that consists of several values.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::quote::Quoted;
use super::{DType, MAX_DEPTH, MAX_SIZE, Written};
use crate::error::{Error, Result};

/// One field of a structure.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) offset: usize,
    pub(super) dtype: DType,
}

impl Field {
    /// Returns the field's name, which is neither the name nor the title of another field of the structure.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the field's title, a second name that few programs use.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Returns the field's offset in bytes from the start of the structure.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the field's type.
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    fn end(&self) -> usize {
        self.offset.saturating_add(self.dtype.itemsize())
    }
}

/// A structure: fields at given offsets.
///
/// NumPy writes a structure that is not aligned as a list if its fields follow one another without padding, and otherwise as a dictionary.
/// It writes an aligned structure as a dictionary. Inside another structure, an aligned structure can be a list:
///
/// ```
/// use b2nd::dtype::{DType, Struct};
///
/// let fields = [("flag", "|u1".parse()?), ("value", "<f8".parse()?)];
/// let packed = Struct::packed(fields.clone())?;
/// assert_eq!(DType::Struct(packed).to_string(), "[('flag', 'u1'), ('value', '<f8')]");
///
/// let aligned = Struct::aligned(fields)?;
/// assert_eq!((aligned.itemsize(), aligned.fields()[1].offset()), (16, 8));
/// assert_eq!(DType::Struct(aligned).to_string(),
///     "{'names': ['flag', 'value'], 'formats': ['u1', '<f8'], 'offsets': [0, 8], 'itemsize': 16, 'aligned': True}");
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Struct {
    pub(super) fields: Vec<Field>,
    itemsize: usize,
    pub(super) alignment: usize,
    aligned: bool,
    pub(super) depth: u8,
    /// Whether the structure contains a value of type `object` at any level.
    pub(super) has_object: bool,
    pub(super) written: Written,
}

/// The parts of a structure before its layout is computed.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) fields: Vec<Field>,
    /// Whether the fields already have offsets. If not, the offsets are computed.
    pub(super) has_offsets: bool,
    pub(super) itemsize: Option<usize>,
    pub(super) aligned: bool,
}

/// The reason why the layout of a structure is invalid, and the index of the field that is the cause, if one is.
pub(super) struct Misfit {
    pub(super) field: Option<usize>,
    pub(super) why: String,
}

impl Struct {
    /// Makes a structure whose fields follow one another without padding. The dtypes of the fields are converted to NumPy's spelling.
    ///
    /// # Errors
    ///
    /// Fails if a name is empty or occurs twice, the structure takes more than 2147483647 bytes, or the types nest more than 100
    /// levels deep.
    pub fn packed<N: Into<String>>(fields: impl IntoIterator<Item = (N, DType)>) -> Result<Struct> {
        Struct::build(fields.into_iter().map(|(name, dtype)| (name, 0, dtype)), None, false)
    }

    /// Makes a structure as a C compiler for 64-bit machines lays it out (`#[repr(C)]`): every field starts at a multiple of its alignment.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`packed`](Struct::packed). Also fails if a field is a structure, or a subarray of structures, that is not
    /// aligned, because NumPy would read the inner structure as aligned.
    pub fn aligned<N: Into<String>>(fields: impl IntoIterator<Item = (N, DType)>) -> Result<Struct> {
        Struct::build(fields.into_iter().map(|(name, dtype)| (name, 0, dtype)), None, true)
    }

    /// Makes a structure of `itemsize` bytes from the names, offsets and dtypes of its fields. The dtypes are converted to NumPy's
    /// spelling.
    ///
    /// # Errors
    ///
    /// Fails if a name occurs twice, a field does not fit into the structure, the structure takes more than 2147483647 bytes, a field that
    /// holds objects overlaps another field, or the types nest more than 100 levels deep.
    ///
    /// ```
    /// use b2nd::dtype::{DType, Struct};
    ///
    /// let padded = Struct::with_offsets([("flag", 0, "|u1".parse()?), ("value", 8, "<f8".parse()?)], 16)?;
    /// let string = "{'names': ['flag', 'value'], 'formats': ['u1', '<f8'], 'offsets': [0, 8], 'itemsize': 16}";
    /// assert_eq!(DType::Struct(padded).to_string(), string);
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn with_offsets<N: Into<String>>(fields: impl IntoIterator<Item = (N, usize, DType)>, itemsize: usize) -> Result<Struct> {
        Struct::build(fields, Some(itemsize), false)
    }

    /// Lays out fields. With an itemsize, they have the given offsets.
    fn build<N: Into<String>>(
        fields: impl IntoIterator<Item = (N, usize, DType)>,
        itemsize: Option<usize>,
        aligned: bool,
    ) -> Result<Struct> {
        let has_offsets = itemsize.is_some();
        let field = |(name, offset, dtype): (N, usize, DType)| Field {
            name: name.into(),
            title: None,
            offset,
            dtype: dtype.into_canonical(),
        };
        let fields: Vec<Field> = fields.into_iter().map(field).collect();
        let wrong = fields.iter().enumerate().find_map(|(index, field)| match field.dtype.innermost() {
            _ if field.name().is_empty() && !has_offsets => Some(format!("field {index} has no name")),
            DType::Struct(inner) if aligned && !inner.aligned => {
                Some(format!("the structure in field {} is not aligned, but the outer structure is", Quoted(field.name())))
            }
            _ => None,
        });
        let laid_out = match wrong {
            None => Struct::lay_out(Parts { fields, has_offsets, itemsize, aligned }).map_err(|misfit| misfit.why),
            Some(why) => Err(why),
        };
        laid_out.map_err(|why| Error::custom(why).field("dtype"))
    }

    /// Returns the fields in the order of the dtype string.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the size in bytes, including padding.
    pub fn itemsize(&self) -> usize {
        self.itemsize
    }

    /// Returns true if the structure is declared as aligned. A structure that is not declared as aligned may still have fields at aligned
    /// offsets.
    pub fn is_aligned(&self) -> bool {
        self.aligned
    }

    /// Computes the offsets of the fields as NumPy does, or checks them if the fields already have offsets.
    pub(super) fn lay_out(parts: Parts) -> Result<Struct, Misfit> {
        let Parts { mut fields, has_offsets, itemsize, aligned } = parts;
        let misfit = |field, why| Err(Misfit { field, why });
        let (mut end, mut alignment, mut depth) = (0usize, 1, 0);
        for (index, field) in fields.iter_mut().enumerate() {
            let step = if aligned { field.dtype.alignment() } else { 1 };
            if !has_offsets {
                field.offset = end.next_multiple_of(step);
            }
            if field.offset % step != 0 {
                return misfit(
                    Some(index),
                    format!("field {}: expected a multiple of {step} as offset, found {}", Quoted(field.name()), field.offset),
                );
            }
            if field.end() > MAX_SIZE {
                let (name, end) = (Quoted(field.name()), field.end());
                return misfit(Some(index), format!("field {name} ends at byte {end}, above NumPy's limit of {MAX_SIZE}"));
            }
            end = end.max(field.end());
            alignment = alignment.max(step);
            depth = depth.max(field.dtype.depth());
        }
        end = end.next_multiple_of(alignment);
        if depth >= MAX_DEPTH {
            return misfit(None, super::too_deep());
        }
        if let Some(size) = [end, itemsize.unwrap_or(end)].into_iter().find(|&size| size > MAX_SIZE) {
            return misfit(None, format!("the structure takes {size} bytes, above NumPy's limit of {MAX_SIZE}"));
        }
        match itemsize {
            Some(itemsize) if itemsize < end => {
                return misfit(None, format!("itemsize: expected at least {end}, found {itemsize}"));
            }
            Some(itemsize) if itemsize % alignment != 0 => {
                return misfit(None, format!("itemsize: expected a multiple of {alignment}, found {itemsize}"));
            }
            _ => {}
        }
        if let Some((index, name)) = repeated(&fields) {
            return misfit(Some(index), format!("{} occurs twice among the names and titles of the fields", Quoted(name)));
        }
        if let Some((index, field)) = has_offsets.then(|| overlapping_object(&fields)).flatten() {
            let why = format!("field {} overlaps another, which NumPy rejects if either holds objects", Quoted(field.name()));
            return misfit(Some(index), why);
        }
        let (itemsize, has_object) = (itemsize.unwrap_or(end), fields.iter().any(|field| field.dtype.has_object()));
        Ok(Struct { fields, itemsize, alignment, aligned, depth: depth + 1, has_object, written: None })
    }

    /// Returns true if the structure is written as a list, not as a dictionary. `aligned` is whether the structure is inside an
    /// aligned structure. If so, even an aligned structure can be written as a list, since the outer structure already contains `'aligned':
    /// True`.
    pub(super) fn is_list(&self, aligned: bool) -> bool {
        let named = self.fields.iter().all(|field| !field.name().is_empty());
        self.follows_from_fields() && named && (aligned || !self.aligned)
    }

    /// Returns true if the offsets and the itemsize are those that NumPy computes from the types of the fields.
    fn follows_from_fields(&self) -> bool {
        let mut end = 0usize;
        for field in &self.fields {
            let step = if self.aligned { field.dtype.alignment() } else { 1 };
            if field.offset != end.next_multiple_of(step) {
                return false;
            }
            end = field.end();
        }
        end.next_multiple_of(self.alignment) == self.itemsize
    }
}

/// Returns the first name or title that occurs a second time, and the index of the field that repeats it.
fn repeated(fields: &[Field]) -> Option<(usize, &str)> {
    let mut seen = BTreeSet::new();
    for (index, field) in fields.iter().enumerate() {
        for name in [Some(field.name()), field.title()].into_iter().flatten() {
            if !seen.insert(name) {
                return Some((index, name));
            }
        }
    }
    None
}

/// Returns a field that overlaps another field, if one of the two contains Python objects.
fn overlapping_object(fields: &[Field]) -> Option<(usize, &Field)> {
    let mut order: Vec<(usize, &Field)> = fields.iter().enumerate().collect();
    order.sort_by_key(|(_, field)| (field.offset, field.end()));
    let (mut end, mut objects_end) = (0, 0);
    order.into_iter().find(|(_, field)| {
        let is_object = field.dtype.has_object();
        let overlaps = field.offset < if is_object { end } else { objects_end };
        end = end.max(field.end());
        if is_object {
            objects_end = end;
        }
        overlaps
    })
}
