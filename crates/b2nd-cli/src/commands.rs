//! The subcommands, a file for each.

pub(crate) mod cat;
pub(crate) mod check;
pub(crate) mod chunks;
pub(crate) mod diff;
pub(crate) mod draw;
pub(crate) mod export;
pub(crate) mod hex;
pub(crate) mod import;
pub(crate) mod info;
pub(crate) mod meta;
pub(crate) mod rewrite;
pub(crate) mod salvage;
pub(crate) mod show;
pub(crate) mod slice;
pub(crate) mod stats;
pub(crate) mod upgrade;
