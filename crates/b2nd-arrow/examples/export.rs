//! Writes a table as Arrow, Parquet, CSV or JSON: `export TABLE.b2z OUT.parquet`. The file extension determines the format.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use b2nd_arrow::{Format, Table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [table, out] = words.as_slice() else { return Err("expected a table and a file to write".into()) };
    let ending = Path::new(out).extension().and_then(|ending| ending.to_str());
    let format = ending.and_then(Format::of).ok_or("expected a name that ends in .arrow, .parquet, .csv or .json")?;
    let table = Table::open(table)?;
    format.write(&table.schema(), table.read_all()?, BufWriter::new(File::create(out)?), |_| {})?;
    Ok(())
}
