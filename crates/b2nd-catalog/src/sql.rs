//! SQL over catalogues and over live scans.

use std::fs::File;
use std::io::{BufWriter, Write, stdout};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use futures::StreamExt;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::live::Live;
use crate::place::{Place, shown};

/// How many rows a table on a terminal has at most.
const SHOWN: usize = 10_000;

/// What a result is written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    /// Columns in lines, for people.
    Table,
    /// A line for each row; lists in brackets.
    Csv,
    /// An object for each row, one a line.
    Json,
    /// For other programs; needs --out.
    Parquet,
}

/// A context in which `arrays` is the catalogue, and `b2nd('url')` a scan.
///
/// # Errors
///
/// The catalogue cannot be opened.
pub async fn context(catalog: Option<&str>, jobs: Option<usize>) -> Result<SessionContext> {
    let context = SessionContext::new_with_config(SessionConfig::new().with_information_schema(true));
    context.register_udtf("b2nd", Arc::new(Live { jobs }));
    if let Some(catalog) = catalog {
        let place = Place::of(catalog)?;
        let url = match &place {
            Place::Disk(path) => {
                let found = path.metadata().with_context(|| format!("cannot open {catalog}"))?;
                let url = place.url(catalog)?;
                if found.is_dir() { format!("{}/", url.trim_end_matches('/')) } else { url }
            }
            Place::Remote(store, _) => {
                let url = shown(catalog);
                context.register_object_store(&url::Url::parse(&url)?, store.clone());
                url
            }
        };
        // A file may have any name; of a directory those that end so are its parts.
        let file_extension = if url.ends_with('/') { ".parquet" } else { "" };
        let options = ParquetReadOptions { file_extension, ..ParquetReadOptions::default() };
        context.register_parquet("arrays", url, options).await.with_context(|| format!("cannot open {}", shown(catalog)))?;
    }
    Ok(context)
}

/// Runs a query and writes what it gives.
///
/// # Errors
///
/// The query is wrong, what it reads cannot be read, or the output cannot be written.
pub async fn run(context: &SessionContext, query: &str, format: Option<Format>, out: Option<&Path>) -> Result<()> {
    let format = match (format, out.and_then(|out| out.extension()?.to_str())) {
        (Some(format), _) => format,
        (None, Some("csv")) => Format::Csv,
        (None, Some("json" | "jsonl" | "ndjson")) => Format::Json,
        (None, Some("parquet")) => Format::Parquet,
        (None, None) if out.is_none() => Format::Table,
        _ => bail!("what is the output's format? Give --format, or a name that ends in .csv, .jsonl or .parquet"),
    };
    let frame = context.sql(query).await?;
    let schema = Arc::new(frame.schema().as_arrow().clone());
    let mut batches = frame.execute_stream().await?;
    let mut output = Output::new(format, schema, out)?;
    while let Some(batch) = batches.next().await {
        output.write(&batch?)?;
    }
    output.finish()
}

enum Output {
    Table { schema: Arc<Schema>, shown: Vec<RecordBatch>, rows: usize, to: Box<dyn Write> },
    Csv(Box<arrow::csv::Writer<Box<dyn Write>>>),
    Json(arrow::json::LineDelimitedWriter<Box<dyn Write>>),
    Parquet(Box<ArrowWriter<Temporary>>, std::path::PathBuf),
}

type Temporary = tempfile::NamedTempFile;

impl Output {
    fn new(format: Format, schema: Arc<Schema>, out: Option<&Path>) -> Result<Output> {
        let open = || -> Result<Box<dyn Write>> {
            Ok(match out {
                Some(path) => {
                    Box::new(BufWriter::new(File::create(path).with_context(|| format!("cannot write {}", path.display()))?))
                }
                None => Box::new(BufWriter::new(stdout())),
            })
        };
        Ok(match format {
            Format::Table => Output::Table { schema, shown: Vec::new(), rows: 0, to: open()? },
            Format::Csv => Output::Csv(Box::new(arrow::csv::Writer::new(open()?))),
            Format::Json => Output::Json(arrow::json::LineDelimitedWriter::new(open()?)),
            Format::Parquet => {
                let Some(path) = out else { bail!("Parquet is not for a terminal: give --out") };
                let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let properties = WriterProperties::builder().set_compression(Compression::ZSTD(Default::default())).build();
                let writer = ArrowWriter::try_new(Temporary::new_in(directory)?, schema, Some(properties))?;
                Output::Parquet(Box::new(writer), path.to_owned())
            }
        })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Output::Table { shown, rows, .. } => {
                let room = SHOWN.saturating_sub(*rows);
                *rows += batch.num_rows();
                if room > 0 {
                    shown.push(batch.slice(0, batch.num_rows().min(room)));
                }
            }
            Output::Csv(writer) => writer.write(&flat(batch)?)?,
            Output::Json(writer) => writer.write(batch)?,
            Output::Parquet(writer, _) => writer.write(batch)?,
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        match self {
            Output::Table { schema, shown, rows, mut to } => {
                writeln!(
                    to,
                    "{}",
                    arrow::util::pretty::pretty_format_batches_with_schema(schema, &shown).map(|table| table.to_string())?
                )?;
                if rows > SHOWN {
                    writeln!(to, "{} more rows: --format csv, json or parquet has all of them", rows - SHOWN)?;
                }
                to.flush()?;
            }
            Output::Csv(writer) => writer.into_inner().flush()?,
            Output::Json(mut writer) => {
                writer.finish()?;
                writer.into_inner().flush()?;
            }
            Output::Parquet(writer, path) => {
                writer.into_inner()?.persist(path)?;
            }
        }
        Ok(())
    }
}

/// The same with text for lists, which CSV has not.
fn flat(batch: &RecordBatch) -> Result<RecordBatch> {
    let options = FormatOptions::default();
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        if !field.data_type().is_nested() {
            fields.push(field.clone());
            columns.push(column.clone());
            continue;
        }
        let format = ArrayFormatter::try_new(column, &options)?;
        let text = |row| column.is_valid(row).then(|| format.value(row).to_string());
        fields.push(Arc::new(Field::new(field.name(), DataType::Utf8, true)));
        columns.push(Arc::new((0..column.len()).map(text).collect::<StringArray>()));
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}
