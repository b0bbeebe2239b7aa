//! [`Session`]: answers all questions of the page about a file or a folder whose bytes can be read at any time.

use std::sync::{Arc, Mutex, PoisonError};

use b2nd_frame::{Error, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{answer, parse};
use crate::metadata_reader::{self, MetadataReader};
use crate::shown::Shown;
use crate::value_reader::{ValueReader, View, framed};

/// A question, with the leaf of the store that it is about.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    /// A question to the [`MetadataReader`], about the leaf with this index.
    Reader(Option<usize>, metadata_reader::Question),
    /// A question to [`ValueReader`], about the leaf with this key.
    Values(Option<String>, Question),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Question {
    /// The description of an array. For an object array, a batch array or a list array (`batches`), `{}`.
    Open { batches: bool },
    /// The values in batches in ranges (start, end, start, end, …).
    Cells(Vec<u64>),
    /// A slice of an array.
    View(View),
}

/// The answer to a question: JSON, or bytes as [`ValueReader::forms`] returns them.
pub struct Answer {
    /// The content of the answer.
    pub bytes: Vec<u8>,
    /// Whether the content is JSON.
    pub is_json: bool,
}

/// Answers all questions of the page about a file or a folder. Several threads can ask at the same time.
pub struct Session {
    place: Arc<Shown>,
    reader: Mutex<MetadataReader>,
}

impl Session {
    /// Creates a session for a file or a folder.
    #[must_use]
    pub fn new(place: Shown) -> Session {
        let place = Arc::new(place);
        Session { reader: Mutex::new(MetadataReader::new(place.clone())), place }
    }

    /// Returns true if this is the question with which the page opens a file or a folder, which may have changed since the last question.
    #[must_use]
    pub fn is_new(request: &[u8]) -> bool {
        matches!(parse(request), Ok(Request::Reader(_, metadata_reader::Question::Look)))
    }

    /// Answers a question, which is JSON: `{"reader": [leaf, question]}` or `{"values": [key, question]}`. An error is answered as
    /// `{"error": …}`, which is framed like other answers if the question is about a slice ([`ValueReader::forms`]). While a slice is read,
    /// `goes_on` is called from time to time: if it returns false, the answer is an error.
    pub fn answer(&self, request: &[u8], goes_on: &dyn Fn() -> bool) -> Answer {
        let json = |text: String| Answer { bytes: text.into_bytes(), is_json: true };
        match parse(request) {
            Ok(Request::Reader(leaf, question)) => {
                json(answer(self.reader.lock().unwrap_or_else(PoisonError::into_inner).reply(leaf, &question)))
            }
            Ok(Request::Values(key, question)) => {
                let mut values = ValueReader::new(self.place.clone());
                match question {
                    Question::Open { batches } => json(values.open(key.as_deref(), batches)),
                    Question::Cells(ranges) => json(
                        values.opened(key.as_deref(), true).map_or_else(|error| answer(Err(error)), |_| values.cells(&ranges)),
                    ),
                    Question::View(view) => {
                        Answer { bytes: framed(look(values, key.as_deref(), &view, goes_on)), is_json: false }
                    }
                }
            }
            Err(error) => json(answer(Err(error))),
        }
    }
}

fn look(mut values: ValueReader, key: Option<&str>, view: &View, goes_on: &dyn Fn() -> bool) -> Result<(Value, Vec<u8>)> {
    values.opened(key, false)?;
    let mut shape = values.begun(view)?;
    shape["broken"] = values.read(goes_on).ok_or_else(|| Error::custom("the answer takes too long: choose a smaller part"))?;
    values.formed(shape, view)
}
