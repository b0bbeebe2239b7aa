//! `b2nd rewrite`: a frame with other metalayers in its header.

use std::fs;
use std::path::PathBuf;

use b2nd::frame::Metalayers;
use b2nd::{Error, Result};
use b2nd_view::text::quoted;
use b2nd_view::value::pack;
use clap::Args;

use super::meta::report;
use crate::output::Output;

/// Copies a frame with other metalayers in its header, which in place keep their number and length.
#[derive(Args)]
pub(crate) struct Rewrite {
    /// A frame, or the directory of a sparse frame.
    source: PathBuf,

    /// Where the new frame goes; without it the old one is replaced when the new one is complete.
    target: Option<PathBuf>,

    /// Add or replace a metalayer, its value as JSON: --set 'station={"id": 17}'.
    #[arg(long, value_name = "NAME=JSON", value_parser = assignment)]
    set: Vec<(String, Vec<u8>)>,

    /// Remove a metalayer.
    #[arg(long, value_name = "NAME")]
    rm: Vec<String>,
}

fn assignment(text: &str) -> std::result::Result<(String, Vec<u8>), String> {
    let (name, json) = text.split_once('=').ok_or("expected NAME=JSON")?;
    Ok((name.to_owned(), pack(json)?))
}

impl Rewrite {
    pub(crate) fn run(&self, output: &mut Output) -> std::io::Result<bool> {
        let target = self.target.as_ref().unwrap_or(&self.source);
        let exists = self.target.as_ref().filter(|target| fs::symlink_metadata(target).is_ok());
        let done = match exists {
            Some(target) => Err(Error::custom(format_args!("{} exists, and nothing is overwritten", target.display()))),
            None => b2nd::frame::rewrite(&self.source, target, |metalayers| self.edit(metalayers)),
        };
        report(&self.source, done, output)
    }

    fn edit(&self, metalayers: &mut Metalayers) -> Result<()> {
        for name in &self.rm {
            if metalayers.remove(name).is_none() {
                return Err(Error::custom(format_args!("there is no metalayer {}", quoted(name.as_bytes()))));
            }
        }
        for (name, content) in &self.set {
            metalayers.insert(name, content.as_slice())?;
        }
        Ok(())
    }
}
