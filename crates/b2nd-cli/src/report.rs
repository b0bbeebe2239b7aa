//! [`Report`]: the statistics of an array, a field or a column, as text and JSON.

use b2nd::dtype::DType;
use b2nd_view::elements::{self, Number, Tally, figures_to, float, mean_bytes, reader, significant, time_bytes, time_unit};
use b2nd_view::histogram::histogram;
use b2nd_view::text::{LABEL, TITLE, columns, hex, printable, shortened, styled, thousands};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// The maximum number of characters that are shown of a text or a byte string of a table.
const TEXT: usize = 40;

/// The maximum number of characters that are shown of a name in a summary. With the limits of types and values, most lines have at most 80
/// characters.
const NAME: usize = 13;

/// The maximum number of characters that are shown of a type in a summary.
const TYPE: usize = 10;

/// The maximum number of characters that are shown of a value in a summary.
const VALUE: usize = 11;

/// The maximum number of characters that are shown of a type in a grid.
const GRID_TYPE: usize = 14;

/// The maximum number of values in the histogram of a table's column. The first values are taken.
pub(crate) const SAMPLE: usize = 1 << 20;

/// The maximum number of significant digits of floats in a grid, except quantiles.
const GRID_DIGITS: usize = 6;

/// The maximum number of significant digits of floats in other texts of `stats`, and of other commands such as `head`.
pub(crate) const DIGITS: usize = 8;

/// Formats the statistics of several columns as a grid with a row for each. Columns of the grid without values are left out.
pub(crate) fn grid(reports: &[Report]) -> Vec<String> {
    let rows: Vec<_> = reports.iter().map(Report::cells).collect();
    let width = rows.first().map_or(0, Vec::len);
    let used: Vec<usize> = (0..width).filter(|&column| rows.iter().any(|row| !row[column].1.is_empty())).collect();
    let heading = rows.iter().take(1).map(|row| used.iter().map(|&column| row[column].0.to_owned()).collect());
    let cells = rows.iter().map(|row| used.iter().map(|&column| row[column].1.clone()).collect());
    let right: Vec<usize> = (2..used.len()).collect();
    columns(&heading.chain(cells).collect::<Vec<_>>(), &right)
}

/// Returns the summary of a table with this number of rows, as cells: a heading, and a row with statistics for each column.
pub(crate) fn summary(reports: &[Report], rows: u64) -> Vec<Vec<String>> {
    let distribution = if rows > SAMPLE as u64 { "distribution of a sample" } else { "distribution" };
    let heading = ["name", "type", "nulls", "min", "max", distribution].map(str::to_owned).to_vec();
    let cells = |report: &Report| {
        let range =
            report.tally.range().map_or_else(Default::default, |(min, max)| [min, max].map(|value| report.of.text(value)));
        let [min, max] = range.map(|text| shortened(text, VALUE));
        let name = shortened(printable(report.column.as_deref().unwrap_or_default()), NAME);
        let kind = shortened(report.of.name().unwrap_or_default(), TYPE);
        let more = match report.of.distinct() {
            Some(Some(distinct)) => format!("{} different", thousands(distinct)),
            _ => spark(&report.sample),
        };
        vec![name, kind, thousands(report.nulls.unwrap_or(0)), min, max, more]
    };
    std::iter::once(heading).chain(reports.iter().map(cells)).collect()
}

/// Draws a histogram of sixteen bins, with one character for each bin.
fn spark(values: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let counts = histogram(values, 16);
    let most = counts.iter().copied().max().filter(|&most| most != 0);
    let bar = |most: u64, count: u64| match count {
        0 => ' ',
        count => BARS[usize::try_from((count * 8 - 1) / most).unwrap_or(0).min(7)],
    };
    most.map_or_else(String::new, |most| counts.into_iter().map(|count| bar(most, count)).collect())
}

/// The statistics of an array, a field or a column.
pub(crate) struct Report {
    pub(crate) column: Option<String>,
    pub(crate) of: Of,
    pub(crate) shape: Vec<i64>,
    pub(crate) tally: Tally,
    /// The number of nulls in a column of a table or among the values of a batch, list or object array. `None` for other arrays.
    pub(crate) nulls: Option<u64>,
    /// The quantiles at [`FRACTIONS`], if they were requested and could be computed.
    pub(crate) quantiles: Option<Vec<Number>>,
    /// A label and a text that follow the statistics.
    pub(crate) note: Option<(&'static str, String)>,
    /// The first numbers of a column of a table, for its histogram, at most [`SAMPLE`].
    pub(crate) sample: Vec<f64>,
}

/// The fractions of the values below the quantiles: the quartiles.
pub(crate) const FRACTIONS: [f64; 3] = [0.25, 0.5, 0.75];

/// The type of the values of a report.
pub(crate) enum Of {
    /// Elements of a dtype, or `None` if the dtype is not known.
    Elements(Option<DType>),
    /// Texts of a table: the name of their type, and the number of distinct texts, or `None` if there are too many to count.
    Texts(String, Option<u64>),
    /// Byte strings of a table, with the same fields as `Texts`.
    Bytes(String, Option<u64>),
    /// Values that are only counted. Contains the name of their type.
    Cells(String),
}

/// A JSON object whose fields have an order.
pub(crate) struct Object(Vec<(&'static str, Value)>);

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Formats the lengths of dimensions.
pub(crate) fn shape_text(shape: &[i64]) -> String {
    if shape.is_empty() { "()".to_owned() } else { shape.iter().map(i64::to_string).collect::<Vec<_>>().join(" x ") }
}

/// Formats the title of statistics.
pub(crate) fn title(path: &str, key: Option<&str>, column: &str) -> String {
    let key = key.map_or_else(String::new, |key| format!("::{key}"));
    styled(TITLE, printable(&format!("{path}{key}{column}")))
}

impl Of {
    fn dtype(&self) -> Option<&DType> {
        match self {
            Of::Elements(dtype) => dtype.as_ref(),
            _ => None,
        }
    }

    pub(crate) fn is_number(&self) -> bool {
        self.dtype().is_some_and(|dtype| reader(dtype).is_some())
    }

    fn name(&self) -> Option<String> {
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
    fn distinct(&self) -> Option<Option<u64>> {
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
    /// Returns one line of the output of `b2nd stats --json`.
    pub(crate) fn object(&self, path: &str, key: Option<&str>) -> Object {
        let Report { of, tally, .. } = self;
        let dtype = of.dtype();
        let (min, max) = tally.range().map_or((Value::Null, Value::Null), |(min, max)| (of.json(min), of.json(max)));
        let mean = match (mean_bytes(tally, dtype), tally.mean()) {
            (Some(bytes), _) => of.json(&bytes),
            (None, Some(Number::Float(mean))) => float(&mean.to_string()),
            (None, Some(Number::Complex(real, imaginary))) => {
                json!({ "complex": [float(&real.to_string()), float(&imaginary.to_string())] })
            }
            _ => Value::Null,
        };
        let std = match (tally.std(), time_unit(dtype)) {
            (Some(std), Some(unit)) => format!("{std:?}{unit}").into(),
            (Some(std), None) => float(&std.to_string()),
            (None, _) => Value::Null,
        };
        // The distinct values except NaN and NaT, each with its number of occurrences, or `null` if there are more than 16 or they are not
        // counted.
        let few = tally.few().filter(|_| of.has_few());
        let values = few.map(|few| few.into_iter().map(|(bytes, count)| json!([of.json(bytes), count])).collect::<Vec<_>>());
        let mut object = vec![
            ("path", json!(path)),
            ("key", json!(key)),
            ("column", json!(self.column)),
            ("dtype", json!(of.name())),
            ("shape", json!(self.shape)),
            ("count", json!(tally.count)),
            ("nan", json!(tally.nan)),
            ("zeros", json!(tally.zeros)),
            ("min", min),
            ("max", max),
            ("mean", mean),
            ("std", std),
            ("values", json!(values)),
        ];
        // Only columns of tables and batch, list and object arrays have these two fields. `distinct` is only known for texts and byte
        // strings that are not too many to count.
        object.extend(self.nulls.map(|nulls| ("nulls", json!(nulls))));
        object.extend(self.nulls.map(|_| ("distinct", json!(of.distinct().flatten()))));
        let quantiles = self.quantiles.as_ref().map(|all| all.iter().map(|&number| self.quantile_json(number)).collect());
        object.extend(quantiles.map(|all| ("quantiles", Value::Array(all))));
        Object(object)
    }

    /// Returns a quantile as the bytes of an element if it is a time, otherwise as a number.
    fn quantile(&self, number: Number) -> Result<Vec<u8>, Number> {
        let steps = match number {
            Number::Integer(steps) => steps,
            other => other.to_f64() as i128,
        };
        time_bytes(steps, self.of.dtype()).ok_or(number)
    }

    fn quantile_json(&self, number: Number) -> Value {
        match self.quantile(number) {
            Ok(bytes) => self.of.json(&bytes),
            Err(Number::Integer(number)) => serde_json::Number::from_i128(number).map_or(Value::Null, Value::Number),
            Err(number) => float(&number.to_f64().to_string()),
        }
    }

    fn quantile_texts(&self) -> impl Iterator<Item = (&'static str, String)> {
        let text = |&number: &Number| match self.quantile(number) {
            Ok(bytes) => self.of.text(&bytes),
            Err(Number::Integer(number)) => number.to_string(),
            Err(number) => significant(number.to_f64(), DIGITS),
        };
        let texts = self.quantiles.iter().flatten().map(text).chain(std::iter::repeat(String::new()));
        ["25%", "50%", "75%"].into_iter().zip(texts)
    }

    /// Returns the names and the texts of the statistics. Those that the values do not have are empty.
    fn figures(&self, digits: usize) -> Vec<(&'static str, String)> {
        let Report { of, tally, .. } = self;
        let figures = figures_to(digits, tally, of.dtype());
        let figure =
            |name| (name, figures.iter().find(|(other, _)| *other == name).map_or_else(String::new, |(_, text)| text.clone()));
        let is_text = of.distinct().is_some();
        let is_number = of.has_few() && !is_text;
        let only = |is_shown: bool, number: u64| if is_shown { thousands(number) } else { String::new() };
        let distinct = of.distinct().map_or_else(String::new, |distinct| distinct.map_or_else(|| "many".to_owned(), thousands));
        let mut all = vec![
            ("count", thousands(tally.count)),
            ("null", only(self.nulls.is_some(), self.nulls.unwrap_or(0))),
            ("NaN", only(is_number, tally.nan)),
            ("zeros", only(is_number, tally.zeros)),
            ("empty", only(is_text, tally.zeros)),
            ("distinct", distinct),
            figure("min"),
        ];
        all.extend(self.quantile_texts());
        all.extend(["max", "mean", "std"].map(figure));
        all
    }

    /// Returns the cells of this report's row in the grid, each with the heading of its column. Numbers of nulls and NaN that are 0 have
    /// empty texts.
    pub(crate) fn cells(&self) -> Vec<(&'static str, String)> {
        let kind = shortened(self.of.name().unwrap_or_default(), GRID_TYPE);
        let mut cells = vec![("column", printable(self.column.as_deref().unwrap_or_default())), ("type", kind)];
        let is_none = |name: &str, text: &str| matches!(name, "null" | "NaN") && text == "0";
        let figures = self.figures(GRID_DIGITS).into_iter();
        cells.extend(figures.map(|(name, text)| if is_none(name, &text) { (name, String::new()) } else { (name, text) }));
        cells
    }

    pub(crate) fn text(&self, path: &str, key: Option<&str>) -> String {
        let Report { of, tally, .. } = self;
        let column = self.column.as_ref().map_or_else(String::new, |name| format!("  {name}"));
        let mut lines = vec![("dtype", of.name().unwrap_or_else(|| "none".to_owned())), ("shape", shape_text(&self.shape))];
        lines.extend(self.figures(DIGITS).into_iter().filter(|(_, text)| !text.is_empty()));
        if let Some(few) = tally.few().filter(|few| of.has_few() && !few.is_empty()) {
            let values: Vec<String> =
                few.into_iter().map(|(bytes, count)| format!("{} ({})", of.text(bytes), thousands(count))).collect();
            lines.push(("values", values.join(", ")));
        }
        lines.extend(self.note.clone());
        let title = title(path, key, &column);
        let width = lines.iter().map(|(label, _)| label.len()).max().unwrap_or(0).max(6);
        let lines = lines
            .into_iter()
            .map(|(label, value)| format!("  {}  {}\n", styled(LABEL, format!("{label:width$}")), printable(&value)));
        format!("{title}\n{}", lines.collect::<String>())
    }
}

#[cfg(test)]
#[path = "../tests/unit/report.rs"]
mod tests;
