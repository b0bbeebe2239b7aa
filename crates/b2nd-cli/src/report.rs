//! [`Report`]: the statistics of an array, a field or a column, as text and JSON.

use b2nd::dtype::DType;
use b2nd_view::elements::{self, Number, Tally, figures_to, float, mean_bytes, time_unit};
use b2nd_view::text::{LABEL, TITLE, hex, printable, shortened, styled, thousands};
use serde::Serialize;
use serde_json::{Value, json};

/// The maximum number of characters that are shown of a value.
const TEXT: usize = 40;

/// The number of significant digits of floats in text, which is the same as in NumPy.
pub(crate) const DIGITS: usize = 8;

/// The statistics of an array, a field or a column.
pub(crate) struct Report {
    pub(crate) column: Option<String>,
    pub(crate) of: Of,
    pub(crate) shape: Vec<i64>,
    pub(crate) tally: Tally,
    /// The number of nulls in a column of a table, or `None` for an array.
    pub(crate) nulls: Option<u64>,
}

/// The type of the values of a report.
pub(crate) enum Of {
    /// Elements of an array, with their dtype, or `None` if the file has no dtype.
    Elements(Option<DType>),
    /// Texts of a table: the name of their type, and the number of distinct texts, or `None` if there are too many to count.
    Texts(String, Option<u64>),
    /// Byte strings of a table, with the same fields as `Texts`.
    Bytes(String, Option<u64>),
    /// Values that have no statistics except their number. Contains the name of their type.
    Cells(String),
}

/// One line of the output of `b2nd stats --json`.
#[derive(Serialize)]
pub(crate) struct Object<'a> {
    path: &'a str,
    key: Option<&'a str>,
    column: Option<&'a str>,
    dtype: Option<String>,
    shape: &'a [i64],
    count: u64,
    nan: u64,
    zeros: u64,
    min: Value,
    max: Value,
    mean: Value,
    std: Value,
    /// The distinct values, each with its number of occurrences, or `null` if there are more than 16.
    values: Option<Vec<(Value, u64)>>,
    /// The number of nulls in a column of a table, or `None` for an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    nulls: Option<u64>,
    /// The number of distinct texts or byte strings of a column, or `null` if there are too many to count. Left out for other types.
    #[serde(skip_serializing_if = "Option::is_none")]
    distinct: Option<Option<u64>>,
}

impl Of {
    fn dtype(&self) -> Option<&DType> {
        match self {
            Of::Elements(dtype) => dtype.as_ref(),
            _ => None,
        }
    }

    pub(crate) fn name(&self) -> Option<String> {
        match self {
            Of::Elements(dtype) => dtype.as_ref().map(DType::to_string),
            Of::Texts(name, _) | Of::Bytes(name, _) | Of::Cells(name) => Some(name.clone()),
        }
    }

    fn has_few(&self) -> bool {
        !matches!(self, Of::Cells(_))
    }

    /// Returns the number of distinct texts or byte strings, or `Some(None)` if there are too many to count. Returns `None` for other
    /// types.
    pub(crate) fn distinct(&self) -> Option<Option<u64>> {
        match self {
            Of::Texts(_, distinct) | Of::Bytes(_, distinct) => Some(*distinct),
            _ => None,
        }
    }

    fn json(&self, bytes: &[u8]) -> Value {
        match self {
            Of::Elements(Some(dtype)) => elements::exact_json(dtype, bytes),
            Of::Texts(..) => String::from_utf8_lossy(bytes).into(),
            _ => json!({ "bytes": hex(bytes, "") }),
        }
    }

    fn text(&self, bytes: &[u8]) -> String {
        match self {
            Of::Elements(Some(dtype)) => elements::text_to(DIGITS, dtype, bytes),
            Of::Texts(..) => shortened(format!("{:?}", String::from_utf8_lossy(bytes)), TEXT),
            _ => shortened(hex(bytes, ""), TEXT),
        }
    }
}

impl Report {
    pub(crate) fn object<'a>(&'a self, path: &'a str, key: Option<&'a str>) -> Object<'a> {
        let Report { of, tally, .. } = self;
        let dtype = of.dtype();
        let (min, max) = tally.range().map_or((Value::Null, Value::Null), |(min, max)| (of.json(min), of.json(max)));
        let few = tally.few().filter(|_| of.has_few());
        Object {
            path,
            key,
            column: self.column.as_deref(),
            dtype: of.name(),
            shape: &self.shape,
            count: tally.count,
            nan: tally.nan,
            zeros: tally.zeros,
            min,
            max,
            mean: match (mean_bytes(tally, dtype), tally.mean()) {
                (Some(bytes), _) => of.json(&bytes),
                (None, Some(Number::Float(mean))) => float(&mean.to_string()),
                (None, Some(Number::Complex(real, imaginary))) => {
                    json!({ "complex": [float(&real.to_string()), float(&imaginary.to_string())] })
                }
                _ => Value::Null,
            },
            std: match (tally.std(), time_unit(dtype)) {
                (Some(std), Some(unit)) => format!("{std:?}{unit}").into(),
                (Some(std), None) => float(&std.to_string()),
                (None, _) => Value::Null,
            },
            values: few.map(|few| few.into_iter().map(|(bytes, count)| (of.json(bytes), count)).collect()),
            nulls: self.nulls,
            distinct: self.nulls.map(|_| of.distinct().flatten()),
        }
    }

    /// Returns min and max as text.
    pub(crate) fn range(&self) -> Option<(String, String)> {
        self.tally.range().map(|(min, max)| (self.of.text(min), self.of.text(max)))
    }

    pub(crate) fn text(&self, path: &str, key: Option<&str>) -> String {
        let Report { of, tally, .. } = self;
        let key = key.map_or_else(String::new, |key| format!("::{key}"));
        let column = self.column.as_ref().map_or_else(String::new, |name| format!("  {name}"));
        let lengths: Vec<String> = self.shape.iter().map(i64::to_string).collect();
        let mut lines = vec![
            ("dtype", of.name().unwrap_or_else(|| "none".to_owned())),
            ("shape", lengths.join(" x ")),
            ("count", thousands(tally.count)),
        ];
        lines.extend(self.nulls.map(|nulls| ("nulls", thousands(nulls))));
        match of.distinct() {
            Some(distinct) => {
                lines.push(("empty", thousands(tally.zeros)));
                lines.push(("distinct", distinct.map_or_else(|| "too many to count".to_owned(), thousands)));
            }
            None if of.has_few() => {
                lines.extend([("NaN", thousands(tally.nan)), ("zeros", thousands(tally.zeros))]);
                lines.extend(figures_to(DIGITS, tally, of.dtype()));
            }
            None => {}
        }
        if let Some(few) = tally.few().filter(|_| of.has_few()) {
            let values: Vec<String> =
                few.into_iter().map(|(bytes, count)| format!("{} ({})", of.text(bytes), thousands(count))).collect();
            lines.push(("values", values.join(", ")));
        }
        let title = styled(TITLE, printable(&format!("{path}{key}{column}")));
        let width = lines.iter().map(|(label, _)| label.len()).max().unwrap_or(0).max(6);
        let lines = lines
            .into_iter()
            .map(|(label, value)| format!("  {}  {}\n", styled(LABEL, format!("{label:width$}")), printable(&value)));
        format!("{title}\n{}", lines.collect::<String>())
    }
}
