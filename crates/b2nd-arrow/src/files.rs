//! [`Files`]: the files of a column.

use crate::error::{Error, ErrorKind, Result};
use crate::leaf::Leaf;
use crate::place::Store;

/// Where the files of a column are, and what they must agree with.
pub(crate) struct Files<'a> {
    pub(crate) store: &'a Store,
    /// The folder of the table, with `/` at its end, or empty.
    pub(crate) folder: &'a str,
    /// The column's name.
    pub(crate) name: &'a str,
    /// How many physical rows the table has.
    pub(crate) rows: u64,
}

impl Files<'_> {
    /// One of the column's files, which it needs.
    pub(crate) fn leaf(&self, end: &str) -> Result<Leaf> {
        let missing = || Error::new(ErrorKind::NotFound, format_args!("its file {:?} is missing", self.file(end)));
        self.optional(end)?.ok_or_else(missing)
    }

    /// One of the column's files, if it is there.
    pub(crate) fn optional(&self, end: &str) -> Result<Option<Leaf>> {
        let encoded = self.file(end);
        // 4.2.0 alone writes names as they are.
        let plain = format!("{}_cols/{}{end}", self.folder, self.name);
        let (file, source) = match self.store.member(&encoded)? {
            Some(source) => (encoded, source),
            None => match self.store.member(&plain)? {
                Some(source) => (plain, source),
                None => return Ok(None),
            },
        };
        let leaf = Leaf::open(source).map_err(|error| Error::new(error.kind(), format_args!("{file}: {error}")))?;
        Ok(Some(leaf))
    }

    fn file(&self, end: &str) -> String {
        format!("{}_cols/{}{end}", self.folder, path(self.name))
    }
}

/// Where a column is below `_cols`, without the end. A dot in its name divides folders, unless a backslash is before it.
fn path(name: &str) -> String {
    let mut path = String::new();
    let mut chars = name.chars();
    while let Some(char) = chars.next() {
        match char {
            '.' => path.push('/'),
            '\\' => path += &escaped(chars.next().unwrap_or('\\')),
            char => path += &escaped(char),
        }
    }
    path
}

/// A character that has a meaning in a path comes as `%` and two digits.
fn escaped(char: char) -> String {
    if matches!(char, '%' | '/' | '.' | '\\') { format!("%{:02X}", u32::from(char)) } else { char.to_string() }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_column_is_where_its_name_says() {
        let names =
            [("a", "a"), ("a.b", "a/b"), (r"a\.b", "a%2Eb"), ("a%/", "a%25%2F"), (r"a\", "a%5C"), ("é", "é"), (r"b\s", "bs")];
        for (column, file) in names {
            assert_eq!(super::path(column), file);
        }
    }
}
