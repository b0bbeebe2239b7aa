//! `b2nd rewrite` copies a frame with other metalayers in its header.

use std::path::PathBuf;

use b2nd_frame::{Error, Metalayers, Result};
use b2nd_view::text::quoted;
use b2nd_view::value::pack;
use clap::Args;

use crate::piped::Piped;
use crate::staged::{must_be_local, must_not_exist};

/// Copies a frame with other metalayers in its header. An edit in place cannot change the number or the lengths of metalayers.
#[derive(Args)]
pub(crate) struct Rewrite {
    /// A frame, the directory of a sparse frame, or `-` for standard input.
    pub(super) source: PathBuf,

    /// The path of the new frame, or `-` for standard output. By default, the old frame is replaced when the new one is complete; if
    /// it comes from standard input, the new one goes to standard output.
    target: Option<PathBuf>,

    /// Add or replace a metalayer, with its value as JSON: --set 'station={"id": 17}'.
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
    pub(crate) fn run(&self) -> crate::error::Result<u8> {
        crate::signals::clean_up();
        let files = Piped::new(&self.source, self.target.as_deref())?;
        crate::hdf5::must_not_be_hdf5(&files.source)?;
        must_be_local(&files.source, "rewrite")?;
        let target = files.target.as_ref().unwrap_or(&files.source);
        files.target.as_ref().map_or(Ok(()), |target| must_not_exist(target))?;
        let done = b2nd_frame::rewrite_to(&files.source, target, |metalayers| self.edit(metalayers));
        done.map_err(|error| crate::error::Error::new(files.named(&error.to_string())))?;
        files.print().map(|()| 0)
    }

    fn edit(&self, metalayers: &mut Metalayers) -> Result<()> {
        for name in &self.rm {
            if metalayers.remove(name).is_none() {
                return Err(Error::custom(format_args!("no metalayer {}: see `b2nd meta list`", quoted(name.as_bytes()))));
            }
        }
        for (name, content) in &self.set {
            metalayers.insert(name, content.as_slice())?;
        }
        Ok(())
    }
}
