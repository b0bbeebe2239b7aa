//! [`Lines`]: lines that show the differences between two files.

use b2nd_view::elements::{Number, significant};
use b2nd_view::text::{columns, count, printable, thousands};
use clap::Args;

use crate::report::DIGITS;

/// The number of characters that a text can always have, even if the line is then longer than the terminal is wide.
const NARROWEST: usize = 16;

/// The maximum number of differing values that are shown.
const SHOWN: usize = 10;

/// Options for numbers that are nearly equal.
#[derive(Args, Default)]
pub(crate) struct Tolerance {
    /// Numbers and times are equal if they differ by at most N times the absolute value of the second number; NaN equals NaN. If --atol is
    /// given too, the two limits are added. Implies --data.
    #[arg(long, value_name = "N")]
    rtol: Option<f64>,

    /// Numbers and times are equal if they differ by at most N. Implies --data.
    #[arg(long, value_name = "N")]
    atol: Option<f64>,
}

impl Tolerance {
    pub(crate) fn is_given(&self) -> bool {
        self.rtol.is_some() || self.atol.is_some()
    }

    /// Returns true if a tolerance is given and the numbers are equal within it. NaN equals NaN.
    pub(crate) fn accepts(&self, one: Number, other: Number) -> bool {
        let room = self.atol.unwrap_or(0.0) + self.rtol.unwrap_or(0.0) * other.to_f64().abs();
        self.is_given() && (one == other || distance(one, other) <= room.clamp(f64::MIN, f64::MAX))
    }
}

/// Returns the absolute difference between two numbers, which may be NaN.
pub(crate) fn distance(one: Number, other: Number) -> f64 {
    match (one, other) {
        (Number::Integer(one), Number::Integer(other)) => one.abs_diff(other) as f64,
        (Number::Complex(real, imaginary), Number::Complex(other, others)) => (real - other).hypot(imaginary - others),
        _ => (one.to_f64() - other.to_f64()).abs(),
    }
}

/// The number of differences, the first of them, and the largest difference between two numbers.
#[derive(Default)]
pub(crate) struct Differing {
    count: u64,
    /// The first differences: the position of each, and the two values if they have texts.
    first: Vec<Vec<String>>,
    /// The difference, and its position.
    largest: Option<(f64, String)>,
}

impl Differing {
    /// Counts a difference. `cells` returns its position, in brackets, and the two values if they have texts. It is called only for the
    /// first differences.
    pub(crate) fn add(&mut self, cells: impl FnOnce() -> Vec<String>) {
        if self.first.len() < SHOWN {
            self.first.push(cells());
        }
        self.count += 1;
    }

    /// Records the difference between two numbers if it is the largest so far.
    pub(crate) fn by(&mut self, difference: f64, at: impl FnOnce() -> String) {
        if self.largest.as_ref().is_none_or(|(largest, _)| difference > *largest) && !difference.is_nan() {
            self.largest = Some((difference, at()));
        }
    }

    /// Returns lines with the number of differences and the first of them, or nothing if nothing differs.
    pub(crate) fn lines(&self, what: &str) -> Vec<String> {
        let Some(first) = self.first.first() else { return Vec::new() };
        let verb = if self.count == 1 { "differs" } else { "differ" };
        let at = if first.len() == 1 { format!(", the first at {}", first[0]) } else { String::new() };
        let largest = self.largest.as_ref().map_or_else(String::new, |(largest, at)| {
            format!("; the largest difference is {} at {at}", significant(*largest, DIGITS))
        });
        let mut lines = vec![format!("{} {verb}{at}{largest}", count(self.count, what))];
        if at.is_empty() {
            lines.extend(columns(&self.first, &[1, 2]));
            let more = self.count - self.first.len() as u64;
            lines.extend((more != 0).then(|| format!("… and {} more", thousands(more))));
        }
        lines
    }
}

/// The lines with differences.
pub(crate) struct Lines {
    pub(crate) lines: Vec<String>,
    /// Sentences about what was not compared.
    pub(crate) unread: Vec<String>,
    /// The width of the terminal, if there is one.
    width: Option<usize>,
}

impl Lines {
    pub(crate) fn new(width: Option<usize>) -> Lines {
        Lines { lines: Vec::new(), unread: Vec::new(), width }
    }

    /// Adds a line with a sign, a name and a text.
    pub(crate) fn one(&mut self, sign: char, name: &str, text: &str) {
        self.from(sign, name, text, 0);
    }

    /// Adds lines about values: the first with their name, the others below it.
    pub(crate) fn of_values(&mut self, name: &str, lines: Vec<String>) {
        for (nth, line) in lines.into_iter().enumerate() {
            if nth == 0 { self.one(' ', name, &line) } else { self.lines.push(format!("    {}", printable(&line))) }
        }
    }

    /// Adds a line for each of two texts. Of a text that is too long for the terminal, only the part around the first difference is shown.
    pub(crate) fn both(&mut self, name: &str, a: &str, b: &str) {
        let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        self.from('-', name, a, same);
        self.from('+', name, b, same);
    }

    /// Adds a line with as much of the text as fits, around the character at index `at`.
    fn from(&mut self, sign: char, name: &str, text: &str, at: usize) {
        let start = format!("{sign} {name}: ");
        let length = text.chars().count();
        let room = self.width.map_or(length, |width| width.saturating_sub(start.chars().count()).max(NARROWEST));
        if length <= room {
            return self.lines.push(start + text);
        }
        // An ellipsis takes the place of each end that is cut off.
        let last = length - (room - 1);
        let skipped = if at < room - 1 { 0 } else { (at - room / 3).min(last) };
        let taken = if skipped == 0 || skipped == last { room - 1 } else { room - 2 };
        let part: String = text.chars().skip(skipped).take(taken).collect();
        let [before, after] = [skipped != 0, skipped + taken < length].map(|more| if more { "…" } else { "" });
        self.lines.push(format!("{start}{before}{part}{after}"));
    }
}

#[cfg(test)]
#[path = "../tests/unit/differences.rs"]
mod tests;
