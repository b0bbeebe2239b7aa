//! [`Error`]: an error with its table, column and row.

use std::fmt;

use arrow_schema::ArrowError;

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error, with its table, column and row if they are known.
///
/// ```
/// let error = b2nd_arrow::Table::open("missing.b2z").unwrap_err();
/// assert!(error.to_string().starts_with("missing.b2z: "));
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    table: Option<String>,
    column: Option<String>,
    row: Option<u64>,
    kind: ErrorKind,
    what: String,
}

/// The kind of an error, by which programs can distinguish errors.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// A file does not exist, or cannot be read or written.
    Io,
    /// The store has no such table (or several, and none was chosen), the table has no such column, a file of the table is missing, or a
    /// file holds a different kind of data than expected.
    NotFound,
    /// The request is not supported or took too long, although the file may be valid: for example, a column has no Arrow type (it holds
    /// objects or is computed), or the output format cannot represent a value.
    Refused,
    /// The content of a file is not valid, or has a form that is not supported, or the values of an array cannot be read.
    Damaged,
    /// Values or metadata need more memory than is available or allowed.
    TooLong,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, what: impl fmt::Display) -> Error {
        Error(Box::new(Inner { table: None, column: None, row: None, kind, what: what.to_string() }))
    }

    pub(crate) fn damaged(what: impl fmt::Display) -> Error {
        Error::new(ErrorKind::Damaged, what)
    }

    pub(crate) fn in_table(mut self, table: &str) -> Error {
        self.0.table.get_or_insert_with(|| table.to_owned());
        self
    }

    pub(crate) fn in_column(mut self, column: &str) -> Error {
        self.0.column.get_or_insert_with(|| column.to_owned());
        self
    }

    pub(crate) fn at_row(mut self, row: u64) -> Error {
        self.0.row.get_or_insert(row);
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the name of the table, if it is known: the name of its store (usually a path or URL), and its key unless it is `/`.
    pub fn table(&self) -> Option<&str> {
        self.0.table.as_deref()
    }

    /// Returns the message without the table, the column and the row.
    pub fn message(&self) -> &str {
        &self.0.what
    }

    /// Returns the name of the column, if it is known.
    pub fn column(&self) -> Option<&str> {
        self.0.column.as_deref()
    }

    /// Returns the index of the row, if it is known. Rows are counted from 0, without deleted rows. In errors of
    /// [`JsonCells::read`](crate::JsonCells::read), only the requested values are counted. In errors about values that Parquet cannot
    /// represent, only the written rows are counted.
    pub fn row(&self) -> Option<u64> {
        self.0.row
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { table, column, row, what, .. } = &*self.0;
        if let Some(table) = table {
            write!(f, "{table}: ")?;
        }
        match (column, row) {
            (Some(column), Some(row)) => write!(f, "column {column:?}, row {row}: ")?,
            (Some(column), None) => write!(f, "column {column:?}: ")?,
            (None, Some(row)) => write!(f, "row {row}: ")?,
            (None, None) => {}
        }
        f.write_str(what)
    }
}

/// Prints the same sentence as `Display`, since `unwrap()` prints an error with `Debug`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

impl From<b2nd_frame::Error> for Error {
    fn from(error: b2nd_frame::Error) -> Error {
        let kind = if matches!(error.kind(), b2nd_frame::ErrorKind::Io(_)) { ErrorKind::Io } else { ErrorKind::Damaged };
        Error::new(kind, error)
    }
}

impl From<b2nd::Error> for Error {
    fn from(error: b2nd::Error) -> Error {
        Error::damaged(error)
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::new(ErrorKind::Io, error)
    }
}

impl From<b2nd_ndarray::Error> for Error {
    fn from(error: b2nd_ndarray::Error) -> Error {
        let kind =
            if matches!(error.kind(), b2nd_ndarray::Error::Memory { .. }) { ErrorKind::TooLong } else { ErrorKind::Damaged };
        Error::new(kind, error)
    }
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Error {
        match error {
            // An error of this crate that Arrow has wrapped is returned as it was.
            ArrowError::ExternalError(error) => error.downcast::<Error>().map_or_else(Error::damaged, |error| *error),
            ArrowError::IoError(_, error) => error.into(),
            error => Error::damaged(error),
        }
    }
}

impl From<Error> for ArrowError {
    fn from(error: Error) -> ArrowError {
        ArrowError::ExternalError(Box::new(error))
    }
}
