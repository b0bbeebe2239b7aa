//! `b2nd check`: every finding of frames and stores.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use b2nd_ndarray::codec::{Codec, metalayer};
use b2nd_view::Frame;
use b2nd_view::check::{self, Finding};
use b2nd_view::json::{self, Place};
use b2nd_view::store::{Content, Leaf};
use b2nd_view::text::{LABEL, printable, styled};
use clap::Args;
use serde::Serialize;

use crate::error::Error;
use crate::output::Output;
use crate::paths::{Found, Leaves, Paths};
use crate::progress::{self, Watched};

/// What to check.
#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    paths: Paths,

    /// Print a JSON object for each frame, on a line of its own.
    #[arg(long)]
    json: bool,

    /// Decompress every chunk. Values have no checksum: those that were changed and still decompress are not found.
    #[arg(long)]
    data: bool,
}

/// The exit statuses beside 0.
pub(crate) const FINDINGS: u8 = 1;
pub(crate) const UNREADABLE: u8 = 3;

#[derive(Serialize)]
struct Object<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    findings: Vec<Finding>,
}

impl Check {
    /// Gives the exit status.
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<u8> {
        let any = AtomicBool::new(false);
        let readable = self.paths.each_at_once(Leaves::Each, output, &|found, out| {
            let (place, findings) = match *found {
                Found::Frame { place, frame } => (place, self.frame(frame)?),
                Found::Leaf { path, leaf: Leaf { key, member, offset, content: Content::Table(table) }, folder } => {
                    let mut findings = check::table(table);
                    for file in &table.files {
                        findings.extend(check::file(folder, file, |frame| self.frame(frame)));
                    }
                    (Place { path, key: Some(key), member: member.as_deref(), offset: *offset }, findings)
                }
                Found::Store { path, store } => match check::store(store) {
                    findings if findings.is_empty() => return Ok(true),
                    findings => (Place { path, ..Place::default() }, findings),
                },
                Found::Leaf { .. } => return Ok(true),
            };
            any.fetch_or(!findings.is_empty(), Ordering::Relaxed);
            if self.json {
                json::write_line(out, &Object { place, findings })
            } else {
                let name = printable(&found.name());
                findings.iter().try_for_each(|finding| writeln!(out, "{name}: {}", line(finding)))
            }
            .map_err(Error::Write)?;
            Ok(true)
        })?;
        Ok(match (readable, any.into_inner()) {
            (false, _) => UNREADABLE,
            (true, true) => FINDINGS,
            (true, false) => 0,
        })
    }

    fn frame(&self, frame: &Frame) -> b2nd::Result<Vec<Finding>> {
        let array = frame.header().array().ok().flatten();
        let metalayer = array.and_then(|array| metalayer(&array).ok()).unwrap_or_default();
        let data = if self.data && !self.paths.recursive { frame.header().nbytes() } else { 0 };
        let bar = progress::bytes(u64::try_from(data).unwrap_or(0));
        let mut codec = Watched { codec: Codec::with_metalayer(&metalayer), bar: &bar };
        check::frame(frame, self.data, &mut codec)
    }
}

/// Who minds: `against the document, read by C-Blosc2, refused by python-blosc2`.
fn answers(finding: &Finding) -> String {
    let document = finding.document.map(|is_allowed| if is_allowed { "allowed by the document" } else { "against the document" });
    let reads =
        |who: &str, answer: Option<bool>| answer.map(|reads| format!("{} by {who}", if reads { "read" } else { "refused" }));
    let libraries = match (finding.c_blosc2, finding.python_blosc2) {
        (c, python) if c == python => vec![reads("C-Blosc2 and python-blosc2", c)],
        (c, python) => vec![reads("C-Blosc2", c), reads("python-blosc2", python)],
    };
    let answers: Vec<_> = document.map(str::to_owned).into_iter().chain(libraries.into_iter().flatten()).collect();
    if answers.is_empty() { "nobody has tried who reads it".to_owned() } else { answers.join(", ") }
}

fn line(finding: &Finding) -> String {
    let at = finding.offset.map_or_else(String::new, |offset| format!(" at byte {offset}"));
    let place = styled(LABEL, format_args!("{}{at}", finding.place));
    format!("{place}: {} ({})", finding.finding, answers(finding))
}
