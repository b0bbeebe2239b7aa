//! Damaged tables cause no panics, and errors when they are opened begin with the store's name.
//!
//! The number of mutants is 200 or the value of `B2ND_MUTANTS`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

use std::path::Path;
use std::sync::Arc;

use b2nd_arrow::{Store, Table};

/// Pseudorandom numbers, the same on every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        // The algorithm is SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % below as u64) as usize
    }
}

/// Changes random bytes, often to values that break lengths, offsets and markers, and sometimes cuts off the end.
fn damage(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    for _ in 0..=numbers.next(3) {
        let at = numbers.next(bytes.len());
        match numbers.next(8) {
            0 => bytes[at] ^= 1 << numbers.next(8),
            1 => bytes[at] = numbers.next(256) as u8,
            2 => bytes[at] = [0, 0x7f, 0x80, 0xff, 0xdf, 0xdd][numbers.next(6)],
            3 => bytes[at..].iter_mut().take(4).for_each(|byte| *byte = 0xff),
            4 => {
                let end = bytes.len().min(at + 8);
                let length = (numbers.next(1 << 20) as u64).to_le_bytes();
                bytes[at..end].copy_from_slice(&length[..end - at]);
            }
            5 => {
                // Changes a digit, for example in the schema or in a shape.
                if let Some(digit) = bytes.iter_mut().skip(at).find(|byte| byte.is_ascii_digit()) {
                    *digit = b'0' + numbers.next(10) as u8;
                }
            }
            6 => {
                let from = numbers.next(bytes.len());
                let count = numbers.next(16).min(bytes.len() - at.max(from));
                bytes.copy_within(from..from + count, at);
            }
            _ if numbers.next(8) == 0 => bytes.truncate(at.max(1)),
            _ => bytes[at] = bytes[at].wrapping_add(1),
        }
    }
}

fn read(bytes: Vec<u8>) -> Result<u64, String> {
    // The store has a name, so the errors of its tables begin with it.
    let named = |error: b2nd_frame::Error| format!("mutant: {error}");
    let store = Arc::new(Store::from_source("mutant", Arc::new(bytes)).map_err(named)?);
    let mut rows = 0;
    for key in store.tables().map_err(named)? {
        let table = Table::from_store(store.clone(), &key).map_err(|error| error.to_string())?;
        for place in 0..table.schema().fields().len() {
            // Reads only the first rows, because a damaged table may claim to be long.
            let Ok(reader) = table.read(&[place], 0..1000, 100) else { continue };
            rows += reader.map_while(Result::ok).map(|batch| batch.num_rows() as u64).sum::<u64>();
            table.sizes(place).ok();
            table.summary(place).ok();
        }
    }
    Ok(rows)
}

#[test]
fn a_damaged_table_is_an_error_and_no_panic() {
    let count = std::env::var("B2ND_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(200);
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let names = ["kinds", "nested", "refused", "tree", "kinds", "names", "blocks", "empty"];
    let (mut good, mut bad) = (0, 0);
    for seed in 0..count {
        let mut numbers = Numbers(seed);
        let name = names[numbers.next(names.len())];
        let mut bytes = std::fs::read(directory.join(format!("{name}.b2z"))).unwrap();
        damage(&mut bytes, &mut numbers);
        match read(bytes) {
            Ok(_) => good += 1,
            Err(error) => {
                assert!(error.starts_with("mutant"), "{error}");
                bad += 1;
            }
        }
    }
    println!("{good} could be opened, {bad} could not");
    assert!(good > 0 && bad > 0);
}
