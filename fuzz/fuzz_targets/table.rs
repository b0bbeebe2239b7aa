//! A table in an archive: an error, or as many rows as the table claims.
#![no_main]

use std::sync::Arc;

use b2nd_arrow::{Store, Table};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|archive: &[u8]| {
    let Ok(store) = Store::from_source("fuzz", Arc::new(archive.to_vec())) else { return };
    let store = Arc::new(store);
    for key in store.tables().unwrap_or_default() {
        let Ok(table) = Table::from_store(store.clone(), &key) else { continue };
        for place in 0..table.schema().fields().len() {
            let _ = table.summary(place);
            let Ok(reader) = table.read(&[place], 0..1000, 100) else { continue };
            let rows: Result<Vec<_>, _> = reader.map(|batch| batch.map(|batch| batch.num_rows() as u64)).collect();
            if let Ok(rows) = rows {
                assert_eq!(rows.iter().sum::<u64>(), table.rows().min(1000));
            }
        }
    }
});
