//! The program, run as a user runs it: on directories, and on a small server that can be slow and fail.
#![allow(clippy::unwrap_used, clippy::panic)]

mod cluster;
mod disk;
mod files;
mod http;
mod server;
