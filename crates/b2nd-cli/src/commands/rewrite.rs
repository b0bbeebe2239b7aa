//! `b2nd rewrite`: a frame with other metalayers in its header.

use std::path::PathBuf;

use b2nd::frame::Metalayers;
use b2nd::{Error, Result};
use b2nd_view::text::quoted;
use b2nd_view::value::pack;
use clap::Args;

use crate::output::Output;
use crate::staged::must_not_exist;

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
        let is_new = self.target.as_ref().map_or(Ok(()), |target| must_not_exist(target));
        let done = is_new.and_then(|()| Ok(b2nd::frame::rewrite(&self.source, target, |metalayers| self.edit(metalayers))?));
        Ok(output.settle(&self.source, done)?.is_some())
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
