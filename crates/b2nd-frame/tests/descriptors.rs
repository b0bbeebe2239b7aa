//! Edits in a process that has few free file descriptors or none. This test has its own process, because other tests could not open
//! files in the meantime.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;

use b2nd_frame::File;

use crate::common::frames;
use crate::common::scratch::Scratch;

#[test]
fn an_edit_without_file_descriptors_is_done_or_an_error() {
    let scratch = Scratch::new();
    let path = scratch.join("f.b2nd");
    fs::write(&path, frames::python()).unwrap();
    let mut editor = File::edit(&path).unwrap();
    let (mut done, mut failed) = (0, 0);
    for value in 1..12_u32 {
        let mut held: Vec<_> = std::iter::from_fn(|| fs::File::open("/dev/null").ok()).collect();
        held.truncate(held.len() - (value as usize - 1) / 2);
        let edited = if value % 2 == 0 {
            editor.set_vlmetalayer("n", &value)
        } else {
            editor.rewrite(|metalayers| metalayers.insert("n", value.to_le_bytes()).map(|_| ()))
        };
        drop(held);
        let file = File::open(&path).unwrap();
        let is_new = if value % 2 == 0 {
            file.trailer().unwrap().vlmetalayers().get("n").unwrap() == Some(value)
        } else {
            file.header().metalayers().get("n") == Some(&value.to_le_bytes()[..])
        };
        assert_eq!(is_new, edited.is_ok(), "{value}: {edited:?}");
        assert_eq!(scratch.names(), ["f.b2nd"]);
        if is_new { done += 1 } else { failed += 1 }
    }
    assert!(done > 2 && failed > 2, "{done} {failed}");
}
