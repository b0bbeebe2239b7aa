//! SQL queries of catalogues, of files and of tables.

use std::fs::File;
use std::io::{BufWriter, Write, stdout};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use arrow::array::{Array, ArrayRef, LargeStringArray, RecordBatch, RecordBatchWriter};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use b2nd_frame::NewFile;
use b2nd_view::text;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use futures::StreamExt;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::live::Live;
use crate::place::{FilePlace, Object, shown};
use crate::tables::with_tables;

/// The maximum number of rows that are printed as a table.
const SHOWN: usize = 10_000;

/// The format of a query's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    /// A table of aligned columns, for people.
    Table,
    /// The names of the columns, then the rows; usually nothing if there are no rows. Lists are in brackets.
    Csv,
    /// A line for each row, with a JSON object.
    Json,
    /// Parquet, for other programs; needs --out.
    Parquet,
}

/// Creates a context in which `arrays` is the catalogue, if one is given, `b2nd('url')` is a scan, and `'table.b2z'` is a table of
/// python-blosc2.
///
/// # Errors
///
/// Fails if the catalogue cannot be opened.
pub async fn context(catalog: Option<&str>, jobs: Option<usize>) -> Result<SessionContext> {
    let context = with_tables(SessionContext::new_with_config(SessionConfig::new().with_information_schema(true)));
    context.register_udtf("b2nd", Arc::new(Live { jobs }));
    if let Some(catalog) = catalog {
        let Object { url, place, .. } = Object::of(catalog)?;
        let url = match &place {
            FilePlace::Disk(path) => {
                let found = path.metadata().with_context(|| format!("cannot open {catalog}"))?;
                if found.is_dir() { format!("{}/", url.trim_end_matches('/')) } else { url }
            }
            FilePlace::Remote(store, _) => {
                let url = shown(catalog);
                context.register_object_store(&url::Url::parse(&url)?, store.clone());
                url
            }
        };
        // The path of a single file may have any ending. In a directory, the parts of a catalogue are the files that end in `.parquet`.
        let file_extension = if url.ends_with('/') { ".parquet" } else { "" };
        let options = ParquetReadOptions { file_extension, ..ParquetReadOptions::default() };
        context.register_parquet("arrays", url, options).await.with_context(|| format!("cannot open {}", shown(catalog)))?;
    }
    Ok(context)
}

/// Runs a query and writes its result.
///
/// # Errors
///
/// Fails if the query is wrong or cannot be run, the format of the output is unknown, or the output cannot be written.
pub async fn run(context: &SessionContext, query: &str, format: Option<Format>, out: Option<&Path>) -> Result<()> {
    let format = match (format, out.and_then(|out| out.extension()?.to_str())) {
        (Some(format), _) => format,
        (None, Some("csv")) => Format::Csv,
        (None, Some("json" | "jsonl" | "ndjson")) => Format::Json,
        (None, Some("parquet")) => Format::Parquet,
        (None, None) if out.is_none() => Format::Table,
        _ => bail!("the format of the output is unknown: give --format, or a file name that ends in .csv, .json or .parquet"),
    };
    let frame = context.sql(query).await?;
    let schema = Arc::new(frame.schema().as_arrow().clone());
    let batches = frame.execute_stream().await?;
    // A query may fail after its first rows, so a new file is renamed to its path only when it is complete. Devices and pipes are written
    // directly.
    let place = out.filter(|path| path.metadata().map_or(true, |found| found.is_file()));
    let new = place.map(|path| NewFile::create(path).with_context(|| format!("cannot write {}", path.display())));
    let new = new.transpose()?;
    let mut to: Box<dyn Write + Send> = match (&new, out) {
        (Some(new), _) => Box::new(BufWriter::new(new.file().try_clone()?)),
        (None, Some(path)) => {
            let file = File::options().write(true).open(path).with_context(|| format!("cannot write {}", path.display()))?;
            Box::new(BufWriter::new(file))
        }
        (None, None) if format == Format::Parquet => bail!("Parquet cannot be written to standard output: use --out"),
        (None, None) => Box::new(BufWriter::new(stdout())),
    };
    match format {
        Format::Table => table(&schema, batches, &mut to).await?,
        Format::Csv => {
            // CSV has neither lists nor structures.
            let flat = |batch: RecordBatch| as_text(&batch, DataType::is_nested, str::to_owned);
            all(arrow::csv::Writer::new(&mut to), batches, flat).await?;
        }
        Format::Json => all(arrow::json::LineDelimitedWriter::new(&mut to), batches, Ok).await?,
        Format::Parquet => {
            let properties = WriterProperties::builder().set_compression(Compression::ZSTD(Default::default())).build();
            all(ArrowWriter::try_new(&mut to, schema, Some(properties))?, batches, Ok).await?;
        }
    }
    to.flush()?;
    new.map_or(Ok(()), |new| new.finish().context("cannot write the result"))
}

/// Writes the batches of a query's result as a table for people.
async fn table(schema: &Schema, mut batches: SendableRecordBatchStream, to: &mut dyn Write) -> Result<()> {
    // Control characters in text are escaped, also in lists and structures.
    let may_hold_text = |of: &DataType| of.is_string() || of.is_nested() || matches!(of, DataType::Dictionary(..));
    let (mut shown, mut rows) = (Vec::new(), 0);
    while let Some(batch) = batches.next().await.transpose()? {
        let room = SHOWN.saturating_sub(rows);
        rows += batch.num_rows();
        if room > 0 {
            shown.push(as_text(&batch.slice(0, batch.num_rows().min(room)), may_hold_text, text::printable)?);
        }
    }
    let fields = schema.fields().iter().map(|field| field.as_ref().clone().with_name(text::printable(field.name())));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    writeln!(to, "{}", arrow::util::pretty::pretty_format_batches_with_schema(schema, &shown)?)?;
    if rows > SHOWN {
        writeln!(to, "{SHOWN} of {rows} rows are shown: use --format csv or --format json to get all rows")?;
    }
    Ok(())
}

/// Writes the batches of a query's result with an Arrow `RecordBatchWriter`. `convert` is applied to each batch.
async fn all(
    mut writer: impl RecordBatchWriter,
    mut batches: SendableRecordBatchStream,
    convert: impl Fn(RecordBatch) -> Result<RecordBatch>,
) -> Result<()> {
    while let Some(batch) = batches.next().await.transpose()? {
        writer.write(&convert(batch)?)?;
    }
    Ok(writer.close()?)
}

/// Replaces columns by text: converts each value to text and applies `shown` to it. `is_text` selects the columns by their type.
fn as_text(batch: &RecordBatch, is_text: impl Fn(&DataType) -> bool, shown: impl Fn(&str) -> String) -> Result<RecordBatch> {
    let options = FormatOptions::default();
    let (mut fields, mut columns) = (Vec::new(), Vec::<ArrayRef>::new());
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        if !is_text(column.data_type()) {
            fields.push(field.clone());
            columns.push(column.clone());
            continue;
        }
        let format = ArrayFormatter::try_new(column, &options)?;
        let cell = |row| column.is_valid(row).then(|| shown(&format.value(row).to_string()));
        // `LargeUtf8` is needed, because a batch may have more than 2 GiB of text.
        fields.push(Arc::new(Field::new(field.name(), DataType::LargeUtf8, true)));
        columns.push(Arc::new((0..column.len()).map(cell).collect::<LargeStringArray>()));
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}
