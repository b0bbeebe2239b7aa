//! `b2nd view` serves the page and files to the browser.

#[cfg(feature = "page")]
use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::error::{Error, Result};
use crate::output::Output;

/// Opens files in the browser.
#[derive(Args)]
pub(crate) struct View {
    /// Frames, stores, leaves of stores, directories of sparse frames, or URLs; with -r, directories that are searched.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Search directories and their subdirectories for frames and stores. Files are found by their endings.
    #[arg(short, long)]
    recursive: bool,

    /// The port. By default, a free port is chosen.
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,

    /// Print the URL and do not start a browser.
    #[arg(long)]
    no_open: bool,
}

impl View {
    #[cfg(not(feature = "page"))]
    pub(crate) fn run(&self, _: &mut Output) -> Result<u8> {
        let _ = (&self.files, self.recursive, self.port, self.no_open);
        Err(Error::new(format_args!("this build of b2nd cannot show files in a browser: {}", crate::error::INSTALL)))
    }

    #[cfg(feature = "page")]
    pub(crate) fn run(&self, output: &mut Output) -> Result<u8> {
        use crate::server::Served;
        let mut files = Vec::new();
        for path in &self.files {
            let named = |error: Error| Error::new(format_args!("{}: {error}", path.display()));
            if self.recursive && path.is_dir() {
                for candidate in b2nd_store::walk::candidates(path) {
                    if candidate.is_named_so() || candidate.path.is_dir() && !candidate.path.is_symlink() {
                        files.push(Served::found(&candidate.path, path));
                    } else if candidate.path.is_symlink() {
                        // A link that is named like a Blosc2 file is left out, with a message.
                        if let Some(Err(error)) = candidate.open() {
                            writeln!(output.err, "{}: {error}", candidate.path.display()).map_err(Error::Write)?;
                        }
                    }
                }
            } else {
                files.push(Served::named(path).map_err(named)?);
            }
        }
        if files.is_empty() {
            return Err(Error::new("nothing to show: -r finds files by the endings of frames and stores, such as .b2nd"));
        }
        crate::server::serve(files, self.port, |url| {
            writeln!(output.out, "{url}\nCtrl-C stops the server.").and_then(|()| output.out.flush()).map_err(Error::Write)?;
            if !self.no_open {
                // Errors are ignored, because the URL is printed too.
                let _ = open::that_detached(url);
            }
            Ok(())
        })?;
        Ok(0)
    }
}
