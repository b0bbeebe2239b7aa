//! Cases of tables of columns.

use super::bytes::low;
use super::chunk::{self, Chunk};
use super::frame::{Frame, Place};
use super::header::Header;
use super::meta::Meta;
use super::store::{Files, embed};
use super::{Suite, pack, zip};
use crate::case::{Content, Layer, Verdict};
use crate::fact::{Fact, quoted};

/// A column: its name, its kind in the schema, its dtype, and the bytes of its rows.
struct Column {
    name: &'static str,
    kind: &'static str,
    dtype: &'static str,
    itemsize: usize,
    rows: Vec<u8>,
}

fn array(dtype: &str, itemsize: usize, bytes: &[u8]) -> Vec<u8> {
    let rows = bytes.len() / itemsize;
    let [length, size, item] = [rows.max(1), rows.max(1) * itemsize, itemsize].map(|n| i32::try_from(n).unwrap_or(0));
    let meta = Meta::new(&[i64::try_from(rows).unwrap_or(0)], &[length], &[length], dtype).bytes().bytes;
    let mut frame = Frame::new(Header::new(item, size, size).with("b2nd", &meta));
    if rows > 0 {
        frame.places = vec![Place::Chunk(Chunk { blocksize: bytes.len(), ..chunk::stored(bytes, low(itemsize)) })];
    }
    frame.build().bytes
}

fn files(columns: &[Column], live: &[u8]) -> Files {
    let rows = live.iter().filter(|&&byte| byte != 0).count();
    let listed: Vec<String> = columns
        .iter()
        .map(|column| format!("{{\"name\": {}, \"kind\": {}}}", quoted(column.name), quoted(column.kind)))
        .collect();
    let schema = format!("{{\"version\": 1, \"columns\": [{}], \"n_rows\": {rows}}}", listed.join(", "));
    let meta = Frame::new(Header::new(1, 1, 1))
        .note("kind", &pack::text("ctable"))
        .note("version", &pack::int(1))
        .note("schema", &pack::text(&schema))
        .build()
        .bytes;
    let mut files: Files = columns
        .iter()
        .map(|column| (format!("_cols/{}.b2nd", column.name), array(column.dtype, column.itemsize, &column.rows)))
        .collect();
    files.extend([
        ("_meta.b2f".into(), meta),
        ("_valid_rows.b2nd".into(), array("|b1", 1, live)),
        ("embed.b2e".into(), embed("b2tree")),
    ]);
    files
}

fn says(columns: &[Column], live: &[u8]) -> Fact {
    let rows = live.iter().filter(|&&byte| byte != 0).count();
    let names = columns.iter().map(|column| Fact::List(vec![Fact::text(column.name), Fact::text(column.kind)])).collect();
    let values = columns
        .iter()
        .map(|column| {
            let rows = column.rows.chunks(column.itemsize).zip(live).filter(|(_, live)| **live != 0);
            let bytes: Vec<u8> = rows.flat_map(|(row, _)| row.to_vec()).collect();
            Fact::List(vec![Fact::text(column.name), Fact::digest(&bytes)])
        })
        .collect();
    Fact::map([
        ("rows", Fact::int(i64::try_from(rows).unwrap_or(0))),
        ("columns", Fact::List(names)),
        ("values", Fact::List(values)),
    ])
}

fn columns(rows: usize) -> Vec<Column> {
    let number = |width: usize| (0..rows).flat_map(move |row| (row * 37 + 5).to_le_bytes()[..width].to_vec()).collect();
    vec![
        Column { name: "i", kind: "int32", dtype: "<i4", itemsize: 4, rows: number(4) },
        Column { name: "l", kind: "int64", dtype: "<i8", itemsize: 8, rows: number(8) },
        Column { name: "b", kind: "uint8", dtype: "|u1", itemsize: 1, rows: number(1) },
        Column {
            name: "f",
            kind: "float64",
            dtype: "<f8",
            itemsize: 8,
            rows: (0..rows).flat_map(|row| (f64::from(low(row)) / 4.0).to_le_bytes()).collect(),
        },
        Column { name: "t", kind: "bool", dtype: "|b1", itemsize: 1, rows: (0..rows).map(|row| low(row % 2)).collect() },
    ]
}

pub(crate) fn add(suite: &mut Suite) {
    let mut both = |name: &str, what: &str, files: Files, verdict: Verdict| {
        suite.add(
            Layer::Table,
            format!("{name}-zip"),
            format!("a table in a zip archive: {what}"),
            Content::File("b2z", zip::stored(&files)),
            verdict.clone(),
        );
        suite.add(
            Layer::Table,
            format!("{name}-directory"),
            format!("a table in a directory: {what}"),
            Content::Folder("b2d", files),
            verdict,
        );
    };
    let good = columns(7);
    both("plain", "five columns and seven rows", files(&good, &[1; 7]), Verdict::Accept(says(&good, &[1; 7])));
    let live = [1, 0, 1, 1, 0, 1, 1];
    both("deleted", "seven rows, two of which are deleted", files(&good, &live), Verdict::Accept(says(&good, &live)));
    let none = columns(3);
    both("all-deleted", "three rows, all of them deleted", files(&none, &[0; 3]), Verdict::Accept(says(&none, &[0; 3])));
    let mut missing = files(&good, &[1; 7]);
    missing.retain(|(name, _)| name != "_cols/l.b2nd");
    both("no-column", "a column whose file is missing", missing, Verdict::Reject);
    let mut cut = files(&good, &[1; 7]);
    cut[0].1.truncate(200);
    both("column-cut", "a column whose file is cut off", cut, Verdict::Reject);
    let mut no_rows = files(&good, &[1; 7]);
    no_rows.retain(|(name, _)| name != "_valid_rows.b2nd");
    both("no-valid-rows", "_valid_rows.b2nd, which marks the rows that are not deleted, is missing", no_rows, Verdict::Reject);
    let mut schema = files(&good, &[1; 7]);
    for (name, bytes) in &mut schema {
        if name == "_meta.b2f" {
            let broken = Frame::new(Header::new(1, 1, 1))
                .note("kind", &pack::text("ctable"))
                .note("version", &pack::int(1))
                .note("schema", &pack::text("{\"columns\": ["));
            *bytes = broken.build().bytes;
        }
    }
    both("schema-cut", "a schema that is cut off", schema, Verdict::Reject);
    let mut short = columns(7);
    short[1].rows.truncate(3 * 8);
    both("column-short", "a column with three rows, although the others have seven", files(&short, &[1; 7]), Verdict::Reject);
}
