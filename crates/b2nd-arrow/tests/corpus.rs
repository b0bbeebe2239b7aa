//! Compares every table in the directory that `B2ND_TABLES` names with its expected contents.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

mod common;

use std::path::PathBuf;
use std::sync::Arc;

use b2nd_arrow::{Error, Store, Table};
use serde_json::Value;

#[test]
fn every_table_of_every_version_is_what_python_exports() {
    let Some(directory) = std::env::var_os("B2ND_TABLES").map(PathBuf::from) else { return };
    let expect: Value = serde_json::from_slice(&std::fs::read(directory.join("expect.json")).unwrap()).unwrap();
    let (mut tables, mut columns, mut wrong) = (0, 0, Vec::new());
    for entry in expect["tables"].as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let path = directory.join(entry["file"].as_str().unwrap());
        let table = match entry["key"].as_str() {
            Some(key) => Store::open(&path).map_err(Error::from).and_then(|store| Table::from_store(Arc::new(store), key)),
            None => Table::open(&path),
        };
        // There are no expected contents if python-blosc2 could not read the table.
        let Some(truth) = entry["truth"].as_str() else {
            let read = table.and_then(|table| table.read_all()).map(|reader| reader.collect::<Result<Vec<_>, _>>());
            if let Ok(Ok(batches)) = read {
                let columns = batches.iter().map(|batch| batch.num_columns()).max().unwrap_or(0);
                if columns > 0 {
                    wrong.push(format!("{name}: it was read, and python-blosc2 fails"));
                }
            }
            continue;
        };
        let table = match table {
            Ok(table) => table,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let computed: Vec<&str> =
            table.columns().iter().filter(|column| column.kind() == "computed").map(|column| column.name()).collect();
        let truth = entry["truth_4_14_1"].as_str().unwrap_or(truth);
        let truth = common::truth(&directory.join(truth));
        // Reads the table in about three batches, and in batches of the default size.
        for batch_size in [truth.num_rows() / 3 + 1, b2nd_arrow::BATCH_SIZE] {
            match common::whole(&table, batch_size) {
                Err(error) => wrong.push(format!("{name}: {error}")),
                Ok(found) => {
                    let differences = common::differences(&found, &truth, &computed);
                    wrong.extend(differences.into_iter().map(|difference| format!("{name}: {difference}")));
                }
            }
        }
        if table.rows() != truth.num_rows() as u64 || Some(table.physical_rows()) != entry["physical_rows"].as_u64() {
            wrong.push(format!("{name}: {} of {} rows", table.rows(), table.physical_rows()));
        }
        tables += 1;
        columns += truth.num_columns();
    }
    println!("{tables} tables, {columns} columns, {} differences", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
