//! The answers that the page gets, as JSON: a result, or a sentence about an error.

use b2nd::Error;
use serde::Serialize;

#[derive(Serialize)]
struct Problem {
    error: String,
}

pub fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| problem(&Error::custom(error)))
}

pub fn problem(error: &Error) -> String {
    to_json(&Problem { error: error.to_string() })
}
