//! Parses the page's questions, and formats answers that are JSON: a result or an error.

use b2nd_frame::{Error, Result};
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
struct Problem {
    error: String,
    /// The kind of the error: `missing` if an array cannot be opened because a leaf or its file is missing in a store, or `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
}

/// Parses a question of the page.
pub(crate) fn parse<'a, T: Deserialize<'a>>(question: &'a [u8]) -> Result<T> {
    let failed = |error| Error::custom(format_args!("the page's request cannot be parsed: {error}: load the page again"));
    serde_json::from_slice(question).map_err(failed)
}

pub(crate) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| problem(&Error::custom(error), None))
}

/// Returns `text`, which must be JSON. If `text` is an error, returns the error as JSON.
pub(crate) fn answer(text: Result<String>) -> String {
    text.unwrap_or_else(|error| problem(&error, None))
}

/// Returns an error as JSON.
pub(crate) fn problem(error: &Error, kind: Option<&'static str>) -> String {
    to_json(&Problem { error: error.to_string(), kind })
}
