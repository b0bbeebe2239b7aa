//! [`Report`]: what was counted of an array, a field or a column, for people and as JSON.

use b2nd::dtype::DType;
use b2nd_view::elements::{self, Number, Tally, figures, float, mean_bytes, time_unit};
use b2nd_view::text::{LABEL, TITLE, hex, printable, shortened, styled, thousands};
use serde::Serialize;
use serde_json::{Value, json};

/// The characters of a text that a list shows.
const TEXT: usize = 40;

/// Counts of an array, a field or a column.
pub(super) struct Report<'a> {
    pub(super) path: &'a str,
    pub(super) key: Option<&'a str>,
    pub(super) column: Option<&'a str>,
    pub(super) of: Of,
    pub(super) shape: Vec<i64>,
    pub(super) tally: Tally,
    /// Nulls, if it is a table's column.
    pub(super) nulls: Option<u64>,
}

/// The values that were counted.
pub(super) enum Of {
    /// Elements of an array, whose type may not be said.
    Elements(Option<DType>),
    /// Texts of a table, and how many different ones there are unless they are too many: the name of their type.
    #[cfg(feature = "arrow")]
    Texts(String, Option<u64>),
    /// Bytes of a table, likewise.
    #[cfg(feature = "arrow")]
    Bytes(String, Option<u64>),
    /// Cells, which are counted alone.
    #[cfg(feature = "arrow")]
    Cells(String),
}

/// One line of `--json`.
#[derive(Serialize)]
pub(super) struct Object<'a> {
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
    /// Pairs of a value and how often it is there; `null` where there are more than a few.
    values: Option<Vec<(Value, u64)>>,
    /// Nulls of a table's column.
    #[serde(skip_serializing_if = "Option::is_none")]
    nulls: Option<u64>,
    /// Different texts or bytes of a table's column; `null` of others, and where they are too many to be told apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    distinct: Option<Option<u64>>,
}

impl Of {
    fn dtype(&self) -> Option<&DType> {
        match self {
            Of::Elements(dtype) => dtype.as_ref(),
            #[cfg(feature = "arrow")]
            _ => None,
        }
    }

    fn name(&self) -> Option<String> {
        match self {
            Of::Elements(dtype) => dtype.as_ref().map(DType::to_string),
            #[cfg(feature = "arrow")]
            Of::Texts(name, _) | Of::Bytes(name, _) | Of::Cells(name) => Some(name.clone()),
        }
    }

    fn has_few(&self) -> bool {
        match self {
            #[cfg(feature = "arrow")]
            Of::Cells(_) => false,
            _ => true,
        }
    }

    /// The number of different texts; the outer `None` where they are no texts.
    fn distinct(&self) -> Option<Option<u64>> {
        match self {
            #[cfg(feature = "arrow")]
            Of::Texts(_, distinct) | Of::Bytes(_, distinct) => Some(*distinct),
            _ => None,
        }
    }

    fn json(&self, bytes: &[u8]) -> Value {
        match self {
            Of::Elements(Some(dtype)) => elements::json(dtype, bytes),
            #[cfg(feature = "arrow")]
            Of::Texts(..) => String::from_utf8_lossy(bytes).into(),
            _ => json!({ "bytes": hex(bytes, "") }),
        }
    }

    fn text(&self, bytes: &[u8]) -> String {
        match self {
            Of::Elements(Some(dtype)) => elements::text(dtype, bytes),
            #[cfg(feature = "arrow")]
            Of::Texts(..) => shortened(format!("{:?}", String::from_utf8_lossy(bytes)), TEXT),
            _ => shortened(hex(bytes, ""), TEXT),
        }
    }
}

impl Report<'_> {
    pub(super) fn object(&self) -> Object<'_> {
        let Report { of, tally, .. } = self;
        let dtype = of.dtype();
        let (min, max) = tally.range().map_or((Value::Null, Value::Null), |(min, max)| (of.json(min), of.json(max)));
        let few = tally.few().filter(|_| of.has_few());
        Object {
            path: self.path,
            key: self.key,
            column: self.column,
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

    pub(super) fn text(&self) -> String {
        let Report { of, tally, .. } = self;
        let key = self.key.map_or_else(String::new, |key| format!("::{key}"));
        let column = self.column.map_or_else(String::new, |name| format!("  {name}"));
        let lengths: Vec<String> = self.shape.iter().map(i64::to_string).collect();
        let mut lines = vec![
            ("dtype", of.name().unwrap_or_else(|| "not said".to_owned())),
            ("shape", lengths.join(" x ")),
            ("count", thousands(tally.count)),
        ];
        lines.extend(self.nulls.map(|nulls| ("nulls", thousands(nulls))));
        match of.distinct() {
            Some(distinct) => {
                lines.push(("empty", thousands(tally.zeros)));
                lines.push(("differ", distinct.map_or_else(|| "too many to be told apart".to_owned(), thousands)));
            }
            None if of.has_few() => {
                lines.extend([("NaN", thousands(tally.nan)), ("zeros", thousands(tally.zeros))]);
                lines.extend(figures(tally, of.dtype()));
            }
            None => {}
        }
        if let Some(few) = tally.few().filter(|_| of.has_few()) {
            let values: Vec<String> =
                few.into_iter().map(|(bytes, count)| format!("{} ({})", of.text(bytes), thousands(count))).collect();
            lines.push(("values", values.join(", ")));
        }
        let title = styled(TITLE, printable(&format!("{}{key}{column}", self.path)));
        let lines =
            lines.into_iter().map(|(label, value)| format!("  {}  {}\n", styled(LABEL, format!("{label:6}")), printable(&value)));
        format!("{title}\n{}", lines.collect::<String>())
    }
}
