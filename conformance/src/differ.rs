//! [`Differ`]: an implementation whose result differs from the expected one, and why.

use std::fmt;
use std::path::Path;

use serde_json::Value;

/// How an implementation differs from the expected result of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Does {
    /// It accepts a file that is not valid.
    Accepts,
    /// It rejects a valid file, or cannot encode its facts.
    Rejects,
    /// It accepts the file but reads other facts, or encodes the facts as other bytes.
    ReadsAnother,
    /// Its process is ended by a signal or a sanitizer, exits unexpectedly, or prints an invalid answer.
    Crashes,
    /// It exceeds the time limit.
    Hangs,
}

const NAMES: [(Does, &str); 5] = [
    (Does::Accepts, "accepts"),
    (Does::Rejects, "rejects"),
    (Does::ReadsAnother, "reads another"),
    (Does::Crashes, "crashes"),
    (Does::Hangs, "hangs"),
];

impl Does {
    fn parse(text: &str) -> Option<Does> {
        NAMES.into_iter().find(|(_, name)| *name == text).map(|(does, _)| does)
    }
}

impl fmt::Display for Does {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(does, _)| does == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

/// A known difference of an implementation, with its reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Differ {
    /// The name of the implementation.
    pub who: String,
    /// What the implementation does. There are several values if the result is not always the same.
    pub does: Vec<Does>,
    /// The reason, in words.
    pub why: String,
    /// The cases as `layer/name`, where `*` matches any characters. The list is empty in a difference that is read from the file of a case.
    pub cases: Vec<String>,
}

impl Differ {
    /// Reads a list of differences from `differences.json` or from the `differ` of a case.
    ///
    /// # Errors
    ///
    /// Fails if the JSON is not a list, or if an entry has no reason or has an unknown result.
    pub fn list(json: &Value) -> Result<Vec<Differ>, String> {
        let text = |entry: &Value, name: &str| {
            entry
                .get(name)
                .and_then(Value::as_str)
                .map(str::to_owned)
                .ok_or_else(|| format!("expected a string {name:?} in {entry}"))
        };
        let texts = |entry: &Value, name: &str| match entry.get(name) {
            Some(Value::Array(list)) => list.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect(),
            Some(Value::String(text)) => vec![text.clone()],
            _ => Vec::new(),
        };
        let mut differences = Vec::new();
        for entry in json.as_array().ok_or_else(|| format!("expected a list of differences, found {json}"))? {
            let known = NAMES.map(|(_, name)| name);
            let wrong = |name: &String| format!("expected `does` to be one of {known:?}, found {name:?} in {entry}");
            let parse = |name: &String| Does::parse(name).ok_or_else(|| wrong(name));
            let does = texts(entry, "does").iter().map(parse).collect::<Result<Vec<_>, _>>()?;
            let (why, cases) = (text(entry, "why")?, texts(entry, "cases"));
            let one = |who| Differ { who, does: does.clone(), why: why.clone(), cases: cases.clone() };
            differences.extend(texts(entry, "who").into_iter().map(one));
        }
        Ok(differences)
    }

    /// Reads `differences.json`.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or does not contain a list of differences.
    pub fn read(path: &Path) -> Result<Vec<Differ>, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let json: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        Differ::list(&json).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Returns true if the difference applies to the case `layer/name`.
    pub fn matches(&self, case: &str) -> bool {
        self.cases.iter().any(|pattern| matches(pattern.as_bytes(), case.as_bytes()))
    }
}

fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) if matches(rest, text) => true,
        (Some((b'*', _)), Some((_, text))) => matches(pattern, text),
        (Some((one, pattern)), Some((other, text))) => one == other && matches(pattern, text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, text, expected) in
            [("a/*", "a/b", true), ("a/*", "b/a", false), ("*-x-*", "a/b-x-c", true), ("a", "ab", false), ("a*b*", "ab", true)]
        {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
        }
    }
}
