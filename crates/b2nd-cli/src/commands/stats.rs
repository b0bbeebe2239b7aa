//! `b2nd stats`: counts, range, mean and standard deviation of values.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use b2nd::dtype::DType;
use b2nd_view::elements::{self, Column, Number, Tally, columns, figures, float, mean_bytes, reader, time_unit};
use b2nd_view::json::write_line;
use b2nd_view::slice::Slice;
use b2nd_view::store::Content;
use b2nd_view::text::{LABEL, TITLE, hex, printable, styled, thousands};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::output::Output;
use crate::paths::{Found, Leaves, Paths};
use crate::progress;
use crate::tiles::Tiles;
use crate::values::Values;

/// Counts values: of arrays, of each array in a store, and of structures field by field.
///
/// Integers and booleans are summed exactly, all floats as 64 bits: pairwise, and the same on any number of threads. The standard
/// deviation is numpy's (ddof=0). NaN and NaT are counted, and left out of the rest. Complex numbers have no least and no greatest.
/// Of text and of types that have no numbers here, empty ones count as zeros. Up to 16 different values are listed.
#[derive(Args)]
pub(crate) struct Stats {
    #[command(flatten)]
    paths: Paths,

    /// A part of each array: 0:10,5,::2 as in Python.
    #[arg(long, value_name = "SLICE", allow_hyphen_values = true)]
    slice: Option<Slice>,

    /// Print a JSON object for each array or field, on a line of its own.
    #[arg(long)]
    json: bool,
}

/// The place of a value.
struct Subject {
    path: String,
    key: Option<String>,
    /// The word that opens it, and the byte at which its frame starts.
    word: PathBuf,
    offset: Option<u64>,
}

impl Stats {
    pub(crate) fn output(&self) -> Output {
        if self.json { Output::plain() } else { Output::styled() }
    }

    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        let (mut all, mut shown) = (true, 0_u64);
        for path in &self.paths.paths {
            let subjects = if path == Path::new("-") {
                // It can be read once.
                let place = path.display().to_string();
                vec![Subject { path: place, key: None, word: path.clone(), offset: self.paths.offset }]
            } else {
                let mut subjects = Vec::new();
                let paths = Paths { paths: vec![path.clone()], recursive: self.paths.recursive, offset: self.paths.offset };
                let offset = self.paths.offset;
                all &= paths.each(Leaves::Each, &mut output.err, &mut |found| subject(found, offset, &mut subjects))?;
                subjects
            };
            for subject in subjects {
                let done = self.count(&subject, &mut *output.out, &mut shown);
                all &= output.settle(&subject.word, done)?.is_some();
                output.out.flush()?;
            }
        }
        Ok(all)
    }

    fn count(&self, subject: &Subject, out: &mut dyn Write, shown: &mut u64) -> Result<()> {
        let values = Values::open(&subject.word, subject.offset, self.slice.as_ref())?;
        let columns = columns(values.array.dtype(), values.array.itemsize())?;
        let tallies = tally(&values, &columns)?;
        for (column, tally) in columns.iter().zip(tallies) {
            let mut shape = values.selection.shape();
            shape.extend(column.shape.iter().filter_map(|&length| i64::try_from(length).ok()));
            let report = Report { subject, column, shape, tally };
            let written = if self.json {
                write_line(out, &report.object())
            } else {
                let gap = if *shown == 0 { "" } else { "\n" };
                write!(out, "{gap}{}", report.text())
            };
            written.map_err(Error::Write)?;
            *shown += 1;
        }
        Ok(())
    }
}

/// Adds the array that was found, by the word that opens it.
fn subject(found: &Found, offset: Option<u64>, subjects: &mut Vec<Subject>) -> Result<bool> {
    match found {
        Found::Store { .. } => {}
        Found::Frame { place, .. } => subjects.push(Subject {
            path: place.path.to_owned(),
            key: place.key.map(str::to_owned),
            word: found.name().into(),
            offset,
        }),
        Found::Leaf { leaf, .. } => {
            let what = match leaf.content {
                Content::Table(_) => "table, whose columns are",
                _ => "reference to an array on a server, whose values are",
            };
            return Err(Error::new(format_args!("it is a {what} not counted here")));
        }
    }
    Ok(true)
}

/// Counts the values of each column.
pub(crate) fn tally(values: &Values, columns: &[Column]) -> Result<Vec<Tally>> {
    let size = values.array.itemsize();
    let bar = progress::bytes(values.len());
    let mut all = vec![Tally::default(); columns.len()];
    let make = |_: &[_], elements: &[u8]| {
        let tallies = columns.iter().map(|column| {
            let mut tally = Tally::default();
            tally.add(column.scalars(elements, size), column.dtype.as_ref().and_then(reader));
            tally
        });
        tallies.collect::<Vec<_>>()
    };
    Tiles::new(&values.array, &values.selection).each(make, |tallies, read| {
        all.iter_mut().zip(tallies).for_each(|(all, tally)| all.merge(tally));
        bar.inc(read);
        Ok(())
    })?;
    Ok(all)
}

/// Counts of a column.
struct Report<'a> {
    subject: &'a Subject,
    column: &'a Column,
    shape: Vec<i64>,
    tally: Tally,
}

/// One line of `--json`.
#[derive(Serialize)]
struct Object<'a> {
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
}

impl Report<'_> {
    fn object(&self) -> Object<'_> {
        let element = |bytes: &[u8]| match &self.column.dtype {
            Some(dtype) => elements::json(dtype, bytes),
            None => json!({ "bytes": hex(bytes, "") }),
        };
        let (min, max) = self.tally.range().map_or((Value::Null, Value::Null), |(min, max)| (element(min), element(max)));
        let few = self.tally.few();
        Object {
            path: &self.subject.path,
            key: self.subject.key.as_deref(),
            column: self.column.name.as_deref(),
            dtype: self.column.dtype.as_ref().map(DType::to_string),
            shape: &self.shape,
            count: self.tally.count,
            nan: self.tally.nan,
            zeros: self.tally.zeros,
            min,
            max,
            mean: match (self.mean_bytes(), self.tally.mean()) {
                (Some(bytes), _) => element(&bytes),
                (None, Some(Number::Float(mean))) => float(&mean.to_string()),
                (None, Some(Number::Complex(real, imaginary))) => {
                    json!({ "complex": [float(&real.to_string()), float(&imaginary.to_string())] })
                }
                _ => Value::Null,
            },
            std: match (self.tally.std(), time_unit(self.column.dtype.as_ref())) {
                (Some(std), Some(unit)) => format!("{std:?}{unit}").into(),
                (Some(std), None) => float(&std.to_string()),
                (None, _) => Value::Null,
            },
            values: few.map(|few| few.into_iter().map(|(bytes, count)| (element(bytes), count)).collect()),
        }
    }

    fn text(&self) -> String {
        let element = |bytes: &[u8]| match &self.column.dtype {
            Some(dtype) => elements::text(dtype, bytes),
            None => hex(bytes, ""),
        };
        let key = self.subject.key.as_ref().map_or_else(String::new, |key| format!("::{key}"));
        let column = self.column.name.as_ref().map_or_else(String::new, |name| format!("  {name}"));
        let lengths: Vec<String> = self.shape.iter().map(i64::to_string).collect();
        let mut lines = vec![
            ("dtype", self.column.dtype.as_ref().map_or_else(|| "not said".to_owned(), DType::to_string)),
            ("shape", lengths.join(" x ")),
            ("count", thousands(self.tally.count)),
            ("NaN", thousands(self.tally.nan)),
            ("zeros", thousands(self.tally.zeros)),
        ];
        lines.extend(self.figures());
        if let Some(few) = self.tally.few() {
            let values: Vec<String> =
                few.into_iter().map(|(bytes, count)| format!("{} ({})", element(bytes), thousands(count))).collect();
            lines.push(("values", values.join(", ")));
        }
        let title = styled(TITLE, printable(&format!("{}{key}{column}", self.subject.path)));
        let lines =
            lines.into_iter().map(|(label, value)| format!("  {}  {}\n", styled(LABEL, format!("{label:6}")), printable(&value)));
        format!("{title}\n{}", lines.collect::<String>())
    }

    fn figures(&self) -> Vec<(&'static str, String)> {
        figures(&self.tally, self.column.dtype.as_ref())
    }

    fn mean_bytes(&self) -> Option<Vec<u8>> {
        mean_bytes(&self.tally, self.column.dtype.as_ref())
    }
}
