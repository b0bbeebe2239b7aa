//! Tests that run the program on directories, and on a small server that can be slow or fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod disk;
mod faults;
mod files;
mod http;
mod roots;
mod server;
mod stores;
mod tables;
mod truth;
mod urls;
