//! Parses a dtype string into a [`DType`]. Structures and subarrays are Python literals, spelled as `repr` spells them. The codes and
//! names of scalars are in `scalar.rs`.

use alloc::format;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use super::cursor::Cursor;
use super::scalar::Scalar;
use super::structure::{Field, Misfit, Parts, Struct};
use super::subarray::Subarray;
use super::{DType, MAX_DEPTH, MAX_SIZE};
use crate::error::Result;

impl core::str::FromStr for DType {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<DType> {
        let mut parser = Parser { cursor: Cursor::new(text), depth: 0, aligned: false, aligned_starts: aligned_starts(text) };
        let mut dtype = match text.as_bytes().first() {
            Some(b'[' | b'{' | b'(') => parser.format()?,
            _ => DType::Scalar(Scalar::parse(&mut parser.cursor)?),
        };
        parser.cursor.end()?;
        let mut rest = Rest(text);
        if write!(rest, "{dtype}").is_err() || !rest.0.is_empty() {
            dtype.set_written(Some(text.into()));
        }
        Ok(dtype)
    }
}

/// A sink that compares the text written to it with a string. The field is the part of the string that has not been compared. Writing fails
/// if the texts differ.
struct Rest<'a>(&'a str);

impl Write for Rest<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(text).ok_or(fmt::Error)?;
        Ok(())
    }
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    depth: u8,
    /// Whether the parser is inside an aligned structure. Then all structures inside it are aligned too.
    aligned: bool,
    /// The start of each dictionary that ends with `'aligned': True`, as the number of bytes from its `{` to the end of the dtype string.
    /// The numbers are in ascending order.
    aligned_starts: Vec<usize>,
}

/// Finds the dictionaries that end with `'aligned': True`, and returns their starts for [`Parser::aligned_starts`]. Without these, the
/// parser would have to read each dictionary twice, because it finds this entry only at the end, and the cost would double at each level of
/// nesting.
fn aligned_starts(text: &str) -> Vec<usize> {
    let (mut starts, mut open, mut quote) = (Vec::new(), Vec::new(), None);
    if !text.contains(ALIGNED) {
        return starts;
    }
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if quote.is_some() => drop(bytes.next()),
            b'\'' | b'"' if quote.is_none() => quote = Some(byte),
            _ if quote == Some(byte) => quote = None,
            _ if quote.is_some() => {}
            b'{' if open.len() <= usize::from(MAX_DEPTH) => open.push(at),
            b'}' => match open.pop() {
                Some(start) if text.as_bytes()[start..at].ends_with(ALIGNED.as_bytes()) => starts.push(text.len() - start),
                _ => {}
            },
            _ => {}
        }
    }
    starts.sort_unstable();
    starts
}

/// The last entry of an aligned dictionary.
const ALIGNED: &str = "'aligned': True";

impl Parser<'_> {
    /// Reads a scalar in quotes, a structure or a subarray.
    fn format(&mut self) -> Result<DType> {
        match self.cursor.rest().as_bytes().first() {
            Some(b'\'') => {
                self.cursor.expect("'")?;
                let scalar = Scalar::parse(&mut self.cursor)?;
                self.cursor.expect("'")?;
                Ok(DType::Scalar(scalar))
            }
            Some(b'[') => self.deeper(Self::list).map(DType::Struct),
            Some(b'{') => self.deeper(Self::dictionary).map(DType::Struct),
            Some(b'(') => self.deeper(Self::tuple).map(DType::Subarray),
            _ => Err(self.cursor.expected("a type in single quotes, a list, a dictionary or a tuple")),
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.cursor.refuse(super::too_deep()));
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    /// Reads a list: `[`, items separated by `, `, and `]`.
    fn sequence<T>(&mut self, mut item: impl FnMut(&mut Self, usize) -> Result<T>) -> Result<Vec<T>> {
        self.cursor.expect("[")?;
        let mut items = Vec::new();
        if self.cursor.eat("]") {
            return Ok(items);
        }
        loop {
            items.push(item(self, items.len())?);
            if self.cursor.eat("]") {
                return Ok(items);
            }
            if !self.cursor.eat(", ") {
                return Err(self.cursor.found_instead("', ' or ']'", 2));
            }
        }
    }

    /// Reads a subarray such as `('<i4', (2, 3))`.
    fn tuple(&mut self) -> Result<Subarray> {
        let start = self.cursor;
        self.cursor.expect("(")?;
        let base = self.format()?;
        self.cursor.expect(", ")?;
        let shape = self.shape()?;
        self.cursor.expect(")")?;
        Subarray::of(base, shape).map_err(|why| start.refuse(why))
    }

    /// Reads a shape such as `(2,)` or `(2, 3)`.
    fn shape(&mut self) -> Result<Vec<usize>> {
        self.cursor.expect("(")?;
        let mut shape = Vec::from([self.cursor.number(MAX_SIZE)?]);
        if self.cursor.eat(",)") {
            return Ok(shape);
        }
        loop {
            self.cursor.expect(", ")?;
            shape.push(self.cursor.number(MAX_SIZE)?);
            if self.cursor.eat(")") {
                return Ok(shape);
            }
        }
    }

    /// Reads a structure such as `[('a', '<i4'), (('title', 'b'), '<f8', (2,))]`.
    fn list(&mut self) -> Result<Struct> {
        let start = self.cursor;
        let mut places = Vec::new();
        let fields = self.sequence(|this, index| {
            places.push(this.cursor);
            this.item(index)
        })?;
        let parts = Parts { fields, aligned: self.aligned, ..Parts::default() };
        Struct::lay_out(parts).map_err(|misfit| locate(misfit, &places, start))
    }

    fn item(&mut self, index: usize) -> Result<Field> {
        self.cursor.expect("(")?;
        let mut title = None;
        if self.cursor.eat("(") {
            title = Some(self.cursor.string()?);
            self.cursor.expect(", ")?;
        }
        let place = self.cursor;
        let mut name = self.cursor.string()?;
        if name.is_empty() {
            if title.is_some() {
                return Err(place.refuse(format_args!("field {index} has a title, but no name")));
            }
            name = format!("f{index}");
        }
        if title.is_some() {
            self.cursor.expect(")")?;
        }
        self.cursor.expect(", ")?;
        let place = self.cursor;
        let mut dtype = self.format()?;
        if self.cursor.eat(", ") {
            let shape = self.shape()?;
            dtype = DType::Subarray(Subarray::of(dtype, shape).map_err(|why| place.refuse(why))?);
        } else if let DType::Subarray(_) = dtype {
            return Err(self.cursor.expected("', ' and a shape after a tuple"));
        }
        self.cursor.expect(")")?;
        Ok(Field { name, title, offset: 0, dtype })
    }

    /// Reads a structure such as `{'names': […], 'formats': […], 'offsets': […], 'titles': […], 'itemsize': 8, 'aligned': True}`, of which
    /// the last four entries are optional.
    fn dictionary(&mut self) -> Result<Struct> {
        let around = self.aligned;
        self.aligned = around || self.aligned_starts.binary_search(&self.cursor.rest().len()).is_ok();
        let mut places = Vec::new();
        self.cursor.expect("{'names': ")?;
        let names = self.sequence(|this, _| {
            places.push(this.cursor);
            this.cursor.string()
        })?;
        let count = names.len();
        self.cursor.expect(", 'formats': ")?;
        let formats = self.counted(count, "formats", |this, _| this.format())?;
        let field = |(name, dtype)| Field { name, title: None, offset: 0, dtype };
        let mut fields: Vec<Field> = names.into_iter().zip(formats).map(field).collect();
        let has_offsets = self.cursor.eat(", 'offsets': ");
        if has_offsets {
            let offsets = self.counted(count, "offsets", |this, _| this.cursor.number(MAX_SIZE))?;
            for (field, offset) in fields.iter_mut().zip(offsets) {
                field.offset = offset;
            }
        }
        if self.cursor.eat(", 'titles': ") {
            let title = |this: &mut Self, _| if this.cursor.eat("None") { Ok(None) } else { this.cursor.string().map(Some) };
            let titles = self.counted(count, "titles", title)?;
            for (field, title) in fields.iter_mut().zip(titles) {
                field.title = title;
            }
        }
        let mut end = self.cursor;
        let mut itemsize = None;
        if self.cursor.eat(", 'itemsize': ") {
            end = self.cursor;
            itemsize = Some(self.cursor.number(MAX_SIZE)?);
        }
        let mut aligned = self.aligned;
        if self.cursor.eat(", 'aligned': ") {
            let place = self.cursor;
            aligned = self.cursor.eat("True");
            if !aligned && !self.cursor.eat("False") {
                return Err(self.cursor.found_instead("True or False", 5));
            }
            if around && !aligned {
                return Err(place.refuse("the outer structure is aligned: expected 'aligned': True, found False"));
            }
        }
        if !self.cursor.eat("}") {
            return Err(self
                .cursor
                .found_instead("'}' or a later key (the order is names, formats, offsets, titles, itemsize, aligned)", 16));
        }
        self.aligned = around;
        Struct::lay_out(Parts { fields, has_offsets, itemsize, aligned }).map_err(|misfit| locate(misfit, &places, end))
    }

    /// Reads a sequence. Fails if it does not have `count` items, one for each name.
    fn counted<T>(&mut self, count: usize, what: &str, item: impl FnMut(&mut Self, usize) -> Result<T>) -> Result<Vec<T>> {
        let start = self.cursor;
        let items = self.sequence(item)?;
        if items.len() != count {
            return Err(start.refuse(format_args!("{what}: expected {count}, one for each name, found {}", items.len())));
        }
        Ok(items)
    }
}

fn locate(misfit: Misfit, places: &[Cursor<'_>], end: Cursor<'_>) -> crate::Error {
    misfit.field.and_then(|index| places.get(index)).unwrap_or(&end).refuse(misfit.why)
}
