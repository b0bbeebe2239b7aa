//! Runs a whole scan: lists the files, reads them and writes the catalogue.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, bail};
use futures::{FutureExt, StreamExt};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::catalog::{Notes, Writer};
use crate::listing::{ENDINGS, Listing, Names};
use crate::place::Object;
use crate::row::Extent;
use crate::scan::{ReadOptions, Shard, listings, scan};
use crate::update::Known;

/// The options of a scan.
#[derive(clap::Args)]
pub struct Job {
    /// Directories, files or URLs (file, http, https, s3, gs, az). Keys come from AWS_*, GOOGLE_* and AZURE_*.
    #[arg(required = true)]
    roots: Vec<String>,
    /// The catalogue, a Parquet file; with --shard the directory of the parts.
    #[arg(long)]
    out: PathBuf,
    /// Read only files that are new, have changed or could not be read before, and drop the rows of deleted files.
    #[arg(long)]
    update: bool,
    /// The number of files to read at the same time. The default is 256 for servers, and 4 per core for disks.
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Also read attributes. They are at the end of a frame, so on servers, files of more than 4 KiB need a second request.
    #[arg(long)]
    attributes: bool,
    /// Also read the index if it is needed to count the chunks.
    #[arg(long)]
    index: bool,
    /// Read only part I of N of the files, with I from 0 to N-1. A file's part depends only on its URL.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// The endings of the names of files to read below directories; `*` reads all files except temporary ones (`.*.tmp`).
    #[arg(long, value_delimiter = ',', default_values = ENDINGS)]
    ending: Vec<String>,
}

/// The result of a scan.
#[derive(Default)]
pub struct Summary {
    /// The number of files that were read, including those with an error.
    pub read: u64,
    /// The number of files that were not read, because they have not changed since the last scan.
    pub unchanged: u64,
    /// The number of new rows with an error, including the rows of locations that could not be listed.
    pub errors: u64,
    /// The number of files and other locations whose rows were dropped, because they were not listed again.
    pub gone: u64,
    /// Whether the argument `stop` of `Job::run` ended the scan before all files were read.
    pub interrupted: bool,
    /// Whether everything could be listed, and the scan was not interrupted.
    pub is_complete: bool,
}

/// The parts of a running scan that the listing changes.
struct Listed {
    known: Option<Known>,
    /// The number of listed files that belong to this shard.
    files: u64,
    unchanged: u64,
}

impl Job {
    /// Scans until all listed files are read or the future `stop` completes. If `stop` completes first, the catalogue has no new rows of
    /// the files that were not read until then.
    ///
    /// # Errors
    ///
    /// Fails, for example, if a root is not a valid path or URL, if the catalogue cannot be written, if the catalogue to update cannot be
    /// read, is locked or was made with another choice of attributes and index, or if the directory of parts has parts from a scan with
    /// another number of shards. Also fails if a catalogue exists, something could not be listed, and no file of this shard was listed. The
    /// catalogue does not change then.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<Summary> {
        let urls = self.roots.iter().map(|root| Ok(Object::of(root)?.url.trim_end_matches('/').to_owned()));
        let urls = urls.collect::<Result<Vec<_>>>()?;
        let path = self.path()?;
        let extent = Extent { attributes: self.attributes, index: self.index };
        let known = if self.update { Known::load(&path, urls, extent)? } else { None };
        let listed = Arc::new(Mutex::new(Listed { known, files: 0, unchanged: 0 }));
        let mut writer = Writer::new(&path)?;
        let bar = bar();
        let options = ReadOptions { extent, jobs: self.jobs.map(usize::from) };
        let mut rows = scan(self.changed(&listed, &bar), options);
        let mut stop = std::pin::pin!(stop.fuse());
        let (mut unlisted, mut reasons, mut summary) = (Vec::new(), Vec::new(), Summary::default());
        loop {
            let done = tokio::select! {
                biased;
                () = &mut stop => { summary.interrupted = true; break }
                done = rows.next() => done,
            };
            let Some(done) = done else { break };
            let done = match done {
                Ok(rows) => rows,
                Err(error) => {
                    unlisted.push(error.url.clone());
                    reasons.push(format!("{} cannot be listed: {}", error.url, error.message));
                    vec![error.into()]
                }
            };
            let files: Vec<_> = done.iter().filter(|row| row.key.is_none()).map(|row| row.url.as_str()).collect();
            summary.read += files.len() as u64;
            // Locations that could not be listed do not count as files.
            bar.set_position(summary.read.saturating_sub(unlisted.len() as u64) + lock(&listed).unchanged);
            summary.errors += done.iter().filter(|row| row.error.is_some()).count() as u64;
            if let Some(known) = &mut lock(&listed).known {
                files.into_iter().for_each(|url| known.replace(url));
            }
            writer.push(done)?;
        }
        let listed = lock(&listed);
        (summary.unchanged, summary.read) = (listed.unchanged, summary.read - unlisted.len() as u64);
        summary.is_complete = unlisted.is_empty() && !summary.interrupted;
        if !unlisted.is_empty() && listed.files == 0 && path.exists() {
            bail!("{} was not changed: {}", path.display(), reasons.join("; "));
        }
        if let Some(known) = &listed.known {
            summary.gone = known.keep(&mut writer, (!summary.interrupted).then_some(&unlisted))?;
        }
        writer.finish(&Notes { extent, is_complete: summary.is_complete })?;
        bar.finish_and_clear();
        Ok(summary)
    }

    /// Returns the path of the catalogue, or of the part of the catalogue that this shard writes. Fails, for example, if the directory has
    /// parts from a scan with another number of shards.
    fn path(&self) -> Result<PathBuf> {
        let Some(Shard { index, of }) = self.shard else { return Ok(self.out.clone()) };
        std::fs::create_dir_all(&self.out).with_context(|| format!("cannot create {}", self.out.display()))?;
        let ours = format!("-of-{of}.parquet");
        for entry in std::fs::read_dir(&self.out).with_context(|| format!("cannot read {}", self.out.display()))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.starts_with("part-") && name.contains("-of-") && name.ends_with(".parquet") && !name.ends_with(&ours) {
                let out = self.out.display();
                bail!(
                    "{out} contains {name}, which seems to be from a scan with another number of parts, so files may be counted \
                     twice: remove {name}, or choose another directory"
                );
            }
        }
        Ok(self.out.join(format!("part-{index}-of-{of}.parquet")))
    }

    /// Lists the files that belong to this shard and have to be read.
    fn changed(&self, listed: &Arc<Mutex<Listed>>, bar: &ProgressBar) -> Listing {
        let (shard, listed, bar) = (self.shard, listed.clone(), bar.clone());
        let names = Names::ending_in(&self.ending);
        let objects = listings(self.roots.clone(), if self.update { names.with_sizes() } else { names });
        let changed = objects.filter(move |object| {
            let Ok(object) = object else { return std::future::ready(true) };
            if shard.is_some_and(|shard| !shard.has(&object.url)) {
                return std::future::ready(false);
            }
            let mut listed = lock(&listed);
            listed.files += 1;
            bar.inc_length(1);
            let unchanged = listed.known.as_mut().is_some_and(|known| known.is_unchanged(object));
            listed.unchanged += u64::from(unchanged);
            bar.inc(u64::from(unchanged));
            std::future::ready(!unchanged)
        });
        changed.boxed()
    }
}

/// Creates a progress bar. It is hidden if standard error is not a terminal.
fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(5));
    let style = ProgressStyle::with_template("{human_pos} of {human_len} listed files, {per_sec}, {elapsed}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn lock(listed: &Mutex<Listed>) -> MutexGuard<'_, Listed> {
    listed.lock().unwrap_or_else(PoisonError::into_inner)
}
