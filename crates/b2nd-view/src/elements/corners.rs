//! [`Corners`]: the elements at the corners of an array, laid out as numpy prints them.

use b2nd::dtype::DType;
use b2nd::{Error, Result};

use super::numpy::{ALL, EDGE, Words};

/// The most elements that are printed, and their most bytes.
const MOST: usize = 4096;
const MOST_BYTES: usize = 1 << 20;

/// The width of numpy's lines.
pub const LINE: usize = 75;

/// The elements that are printed of an array of any size: all of a short one, else those along its edges.
pub struct Corners {
    axes: Vec<Axis>,
}

struct Axis {
    indices: Vec<i64>,
    /// The number of indices before those that are left out.
    before: Option<usize>,
}

impl Corners {
    /// Chooses elements as numpy does: three on each side of an axis, or fewer where an array has very many axes or long elements.
    ///
    /// # Errors
    ///
    /// There are too many corners, or a corner is too long.
    pub fn new(shape: &[i64], itemsize: usize) -> Result<Corners> {
        let items = shape.iter().try_fold(1, |items: usize, &length| items.checked_mul(usize::try_from(length).ok()?));
        if items.is_some_and(|items| items <= ALL && items.saturating_mul(itemsize) <= MOST_BYTES) {
            // Of an empty array nothing is read, however long its other axes are.
            let length = |&length: &i64| if items == Some(0) { 0 } else { length };
            return Ok(Corners { axes: shape.iter().map(length).map(Axis::whole).collect() });
        }
        let at_edges = |edge| Corners { axes: shape.iter().map(|&length| Axis::new(length, edge)).collect() };
        (1..=EDGE as i64).rev().map(at_edges).find(|corners| corners.fits(itemsize)).ok_or_else(|| {
            Error::custom(format_args!("its corners are more than {MOST} elements, or longer than {MOST_BYTES} bytes"))
        })
    }

    /// The indices of each axis: every combination of them is an element to be read.
    pub fn indices(&self) -> impl Iterator<Item = &[i64]> {
        self.axes.iter().map(|axis| &*axis.indices)
    }

    fn len(&self) -> usize {
        self.axes.iter().fold(1, |items, axis| items.saturating_mul(axis.indices.len()))
    }

    fn fits(&self, itemsize: usize) -> bool {
        self.len() <= MOST && self.len().saturating_mul(itemsize) <= MOST_BYTES
    }

    /// The elements as numpy prints them in lines of this width, if they are those that were to be read, in C order. `kept` says which
    /// axes stay.
    pub fn text(&self, dtype: Option<&DType>, itemsize: usize, elements: &[u8], kept: &[bool], width: usize) -> String {
        let mut axes: Vec<&Axis> = self.axes.iter().zip(kept).filter(|(_, is_kept)| **is_kept).map(|(axis, _)| axis).collect();
        // A type that is not as long as the elements says nothing of them.
        let dtype = dtype.filter(|dtype| dtype.itemsize() == itemsize);
        // Elements that are arrays are axes in numpy.
        let (inner, dtype, itemsize) = match dtype.filter(|dtype| !dtype.shape().is_empty()) {
            Some(dtype) => (dtype.shape(), Some(dtype.base()), dtype.base().itemsize()),
            None => (&[][..], dtype, itemsize),
        };
        if inner.contains(&0) {
            return "[]".to_owned();
        }
        let inner: Vec<Axis> = inner.iter().map(|&length| Axis::whole(i64::try_from(length).unwrap_or(0))).collect();
        axes.extend(&inner);
        if axes.iter().any(|axis| axis.indices.is_empty()) {
            return "[]".to_owned();
        }
        let items: Vec<&[u8]> = elements.chunks_exact(itemsize.max(1)).collect();
        let mut words = Words::new(dtype, &items, axes.is_empty());
        nested(&axes, 0, width, &mut words)
    }
}

impl Axis {
    fn new(length: i64, edge: i64) -> Axis {
        match usize::try_from(edge).ok().filter(|_| length > 2 * edge) {
            Some(before) => Axis { indices: (0..edge).chain(length - edge..length).collect(), before: Some(before) },
            None => Axis::whole(length),
        }
    }

    fn whole(length: i64) -> Axis {
        Axis { indices: (0..length).collect(), before: None }
    }
}

/// The words of some axes in brackets, after so many brackets: numpy's `_formatArray`.
fn nested(axes: &[&Axis], depth: usize, width: usize, words: &mut impl Iterator<Item = String>) -> String {
    let Some((axis, inner)) = axes.split_first() else { return words.next().unwrap_or_default() };
    // The brackets that close need their places.
    let mut lines = Lines { text: "[".to_owned(), column: depth + 1, indent: depth + 1, room: width.saturating_sub(depth + 1) };
    for place in 0..axis.indices.len() {
        if axis.before == Some(place) {
            lines.push("...", inner.len());
        }
        lines.push(&nested(inner, depth + 1, width, words), inner.len());
    }
    lines.text + "]"
}

/// Lines that are filled.
struct Lines {
    text: String,
    column: usize,
    indent: usize,
    room: usize,
}

impl Lines {
    /// Adds a word to the line, or, with axes in it, on lines of its own.
    fn push(&mut self, word: &str, axes: usize) {
        let length = word.chars().count();
        let is_first = self.text.len() == 1;
        // A line that has nothing yet does not become shorter.
        let is_full = self.column + 1 + length > self.room && self.column > self.indent;
        if !is_first && (axes > 0 || is_full) {
            // Words may end in spaces, lines do not.
            self.text.truncate(self.text.trim_end_matches(' ').len());
            self.text += &format!("{}{}", "\n".repeat(axes.max(1)), " ".repeat(self.indent));
            self.column = self.indent;
        } else if !is_first {
            self.text.push(' ');
            self.column += 1;
        }
        self.text += word;
        self.column += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(dtype: &str, shape: &[i64], elements: &[u8]) -> String {
        let dtype: DType = dtype.parse().unwrap();
        let corners = Corners::new(shape, dtype.itemsize()).unwrap();
        corners.text(Some(&dtype), dtype.itemsize(), elements, &vec![true; shape.len()], LINE)
    }

    fn floats(values: &[f64]) -> String {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        shown("<f8", &[i64::try_from(values.len()).unwrap()], &bytes)
    }

    /// The texts that numpy 2.4 prints.
    #[test]
    fn floats_are_as_in_numpy() {
        assert_eq!(floats(&[1.0, 2.5, -0.125]), "[ 1.     2.5   -0.125]");
        assert_eq!(floats(&[1.0 / 3.0, 123_456_789.0]), "[3.33333333e-01 1.23456789e+08]");
        assert_eq!(floats(&[0.0, 1e-5]), "[0.e+00 1.e-05]");
        assert_eq!(floats(&[f64::NAN, f64::NEG_INFINITY, 1.5]), "[ nan -inf  1.5]");
        assert_eq!(floats(&[f64::INFINITY]), "[inf]");
        assert_eq!(floats(&[99_999_999.0, 1e5]), "[99999999.   100000.]");
        assert_eq!(floats(&[1e300, -1e-300]), "[ 1.e+300 -1.e-300]");
        // The digits behind those that tell a number from others are its own.
        let single: Vec<u8> = [5.00025e-5_f32, 9.850493e-3].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(shown("<f4", &[2], &single), "[5.000250e-05 9.850493e-03]");
        let single: Vec<u8> = [5.00025e-5_f32, 1.0000501e-4].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(shown("<f4", &[2], &single), "[5.0002502e-05 1.0000501e-04]");
        // 0.1, 1 and 64,992 in 16 bits.
        assert_eq!(shown("<f2", &[3], &[0x66, 0x2e, 0, 0x3c, 0xef, 0x7b]), "[1.0e-01 1.0e+00 6.5e+04]");
        assert_eq!(shown(">c8", &[1], &[0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0]), "[1.-2.5j]");
    }

    #[test]
    fn other_elements_are_as_in_numpy() {
        assert_eq!(shown("|i1", &[2, 2], &[0, 100, 0xf6, 5]), "[[  0 100]\n [-10   5]]");
        assert_eq!(shown("|b1", &[2], &[1, 0]), "[ True False]");
        assert_eq!(shown("|b1", &[], &[1]), "True");
        assert_eq!(shown("|S4", &[2], b"it's\x00\xff\n\x00"), "[b\"it's\" b'\\x00\\xff\\n']");
        assert_eq!(shown("<M8[D]", &[2], &[[0; 8], i64::MIN.to_le_bytes()].concat()), "['1970-01-01'        'NaT']");
        assert_eq!(shown("<m8[s]", &[2], &[7_i64.to_le_bytes(), i64::MIN.to_le_bytes()].concat()), "[    7 'NaT']");
        assert_eq!(shown("[('a', '|u1'), ('b', '|i1', (2,))]", &[2], &[1, 2, 3, 10, 0xff, 0]), "[( 1, [ 2,  3]) (10, [-1,  0])]");
        assert_eq!(shown("('<i2', (2,))", &[2], &[1, 0, 2, 0, 3, 0, 4, 0]), "[[1 2]\n [3 4]]");
        assert_eq!(shown("|V2", &[1], &[1, 0xfe]), "[b'\\x01\\xFE']");
        assert_eq!(shown("[('a', '|b1')]", &[1], &[0]), "[(False,)]");
        assert_eq!(shown("<i4", &[0, 3], &[]), "[]");
    }

    #[test]
    fn of_what_is_empty_nothing_is_made_however_long_it_is_elsewhere() {
        assert_eq!(shown("<i4", &[1 << 40, 0], &[]), "[]");
        assert_eq!(shown("[('a', '|u1'), ('b', '<f8', (2147483647, 0))]", &[2], &[1, 2]), "[(1, []) (2, [])]");
        assert_eq!(shown("('|u1', (0, 2147483647))", &[], &[]), "[]");
    }

    #[test]
    fn elements_of_another_length_than_their_types_are_shown_as_bytes() {
        let corners = Corners::new(&[2], 2).unwrap();
        assert_eq!(corners.text(Some(&"<i4".parse().unwrap()), 2, &[1, 2, 3, 4], &[true], LINE), "[b'\\x01\\x02' b'\\x03\\x04']");
    }

    #[test]
    fn of_a_long_array_the_edges_are_shown() {
        let shape = [1_000_000_000, 7, 2];
        let corners = Corners::new(&shape, 1).unwrap();
        let indices: Vec<&[i64]> = corners.indices().collect();
        assert_eq!(indices[0], [0, 1, 2, 999_999_997, 999_999_998, 999_999_999]);
        assert_eq!((indices[1], indices[2]), (&[0, 1, 2, 4, 5, 6][..], &[0, 1][..]));
        let elements: Vec<u8> = (0..72).collect();
        let text = corners.text(Some(&"|u1".parse().unwrap()), 1, &elements, &[true; 3], LINE);
        assert!(text.starts_with("[[[ 0  1]\n  [ 2  3]\n  [ 4  5]\n  ...\n  [ 6  7]\n"), "{text}");
        assert_eq!(text.matches("\n\n ...\n\n").count(), 1, "{text}");
        // Each of 20 axes has two corners at the least.
        assert!(Corners::new(&[100; 20], 1).is_err());
        assert_eq!(Corners::new(&[100; 8], 1).unwrap().indices().next(), Some(&[0, 99][..]));
    }

    #[test]
    fn lines_are_broken_where_numpy_breaks_them() {
        let bytes: Vec<u8> = (0..30).collect();
        let text = shown("|u1", &[30], &bytes);
        let first = "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23";
        assert_eq!(text, format!("{first}\n 24 25 26 27 28 29]"));
        // Without the spaces behind the last word of a line.
        let steps: Vec<f64> = (0..9).map(|step| f64::from(step) / 32.0).collect();
        assert_eq!(floats(&steps), "[0.      0.03125 0.0625  0.09375 0.125   0.15625 0.1875  0.21875 0.25   ]");
        let steps: Vec<f64> = (0..10).map(|step| f64::from(step) / 32.0).collect();
        assert_eq!(floats(&steps), "[0.      0.03125 0.0625  0.09375 0.125   0.15625 0.1875  0.21875 0.25\n 0.28125]");
    }
}
