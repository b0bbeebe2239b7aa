//! Runs a whole scan: lists the files, reads them and writes the catalogue.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail};
use futures::{FutureExt, StreamExt};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::catalog::{Known, Notes, Writer};
use crate::listing::{Listing, Names, Unlisted};
use crate::place::Object;
use crate::read::Batch;
use crate::scan::{Counts, Options, Shard, listings, scan};

/// A scan: its roots, its options and the path of its catalogue.
pub struct Job {
    pub roots: Vec<String>,
    pub names: Names,
    pub out: PathBuf,
    pub update: bool,
    pub shard: Option<Shard>,
    pub options: Options,
    pub progress: Progress,
}

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    Terminal,
    None,
}

/// The result of a scan.
pub struct Summary {
    pub counts: Arc<Counts>,
    /// The number of files that are in the last catalogue but no longer exist.
    pub gone: u64,
    /// Whether the argument `stop` of `Job::run` ended the scan before all files were read.
    pub interrupted: bool,
    /// Whether everything could be listed, and the scan was not interrupted.
    pub is_complete: bool,
}

impl Job {
    /// Scans until all listed files are read or the future `stop` completes. If `stop` completes first, the catalogue contains the files
    /// that were read completely until then.
    ///
    /// # Errors
    ///
    /// Fails if a root is not a valid path or URL, if the catalogue cannot be written, or if the catalogue to update cannot be read. Also
    /// fails, without changing an existing catalogue, if errors leave the listing without a single file.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<Summary> {
        let urls = self.roots.iter().map(|root| Ok(Object::of(root)?.url.trim_end_matches('/').to_owned()));
        let urls = urls.collect::<Result<Vec<_>>>()?;
        let path = self.path()?;
        let known = if self.update { Known::load(&path, urls, self.options.extent)? } else { None };
        let known = Arc::new(Mutex::new(known));
        let counts = Arc::new(Counts::default());
        let mut writer = Writer::new(&path)?;
        let bar = self.bar(&counts);
        let mut rows = scan(self.changed(&known, &counts), self.options);
        let mut stop = std::pin::pin!(stop.fuse());
        let (mut unlisted, mut reasons, mut interrupted) = (Vec::new(), Vec::new(), false);
        let mut begun = HashSet::new();
        loop {
            let done = tokio::select! {
                biased;
                () = &mut stop => { interrupted = true; break }
                done = rows.next() => done,
            };
            let Some(done) = done else { break };
            let done = match done {
                Ok(batch) => batch,
                Err(error) => {
                    unlisted.push(error.url.clone());
                    reasons.push(format!("{} cannot be listed: {}", error.url, error.message));
                    Batch { rows: vec![error.into()], goes_on: false }
                }
            };
            let files = ended(&done, &mut begun);
            Counts::add(&counts.read, files.len());
            Counts::add(&counts.errors, done.rows.iter().filter(|row| row.error.is_some()).count());
            if let Some(known) = lock(&known).as_mut() {
                files.into_iter().for_each(|url| known.replace(url));
            }
            writer.push(done.rows)?;
        }
        if !begun.is_empty() {
            writer = writer.without(&begun)?;
        }
        let is_complete = unlisted.is_empty() && !interrupted;
        if !unlisted.is_empty() && Counts::get(&counts.listed) == 0 && path.exists() {
            bail!("{} was not changed: {}", path.display(), reasons.join("; "));
        }
        let gone = match lock(&known).as_ref() {
            Some(known) => known.keep(&mut writer, (!interrupted).then_some(&unlisted))?,
            None => 0,
        };
        writer.finish(&Notes { extent: self.options.extent, is_complete })?;
        bar.finish_and_clear();
        Ok(Summary { counts, gone, interrupted, is_complete })
    }

    /// Returns the path of the catalogue, or of the part of the catalogue that this shard writes. Fails if the directory has parts from a
    /// scan with another number of shards.
    fn path(&self) -> Result<PathBuf> {
        let Some(Shard { index, of }) = self.shard else { return Ok(self.out.clone()) };
        std::fs::create_dir_all(&self.out)?;
        let ours = format!("-of-{of}.parquet");
        for entry in std::fs::read_dir(&self.out)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.starts_with("part-") && name.contains("-of-") && name.ends_with(".parquet") && !name.ends_with(&ours) {
                let out = self.out.display();
                bail!(
                    "{out} contains {name}, from a scan with another number of parts: with the {of} parts of this scan, files would be counted \
                     twice. Remove it, or choose another directory"
                );
            }
        }
        Ok(self.out.join(format!("part-{index}-of-{of}.parquet")))
    }

    /// Returns the listed files that belong to this shard and are new or have changed.
    fn changed(&self, known: &Arc<Mutex<Option<Known>>>, counts: &Arc<Counts>) -> Listing {
        let (shard, known, counts) = (self.shard, known.clone(), counts.clone());
        let names = if self.update { self.names.clone().with_sizes() } else { self.names.clone() };
        let listed = listings(self.roots.clone(), names);
        let changed = listed.filter(move |object| {
            let Ok(object) = object else { return std::future::ready(true) };
            if shard.is_some_and(|shard| !shard.has(&object.url)) {
                return std::future::ready(false);
            }
            Counts::add(&counts.listed, 1);
            let unchanged = lock(&known).as_mut().is_some_and(|known| known.is_unchanged(object));
            Counts::add(&counts.unchanged, usize::from(unchanged));
            std::future::ready(!unchanged)
        });
        changed.boxed()
    }

    /// Creates a progress bar that shows the number of files and the speed. A second listing counts the files at the same time; when it has
    /// finished, the bar also shows the remaining time.
    fn bar(&self, counts: &Arc<Counts>) -> ProgressBar {
        if self.progress == Progress::None {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
        bar.set_style(style("{human_pos} files, {per_sec}, {elapsed} {msg}"));
        let (shown, counts) = (bar.clone(), counts.clone());
        let (roots, names, shard) = (self.roots.clone(), self.names.clone(), self.shard);
        tokio::spawn(async move {
            let counting = async {
                let mine = |object: &Result<Object, Unlisted>| {
                    object.as_ref().is_ok_and(|object| shard.is_none_or(|shard| shard.has(&object.url)))
                };
                listings(roots, names).filter(|object| std::future::ready(mine(object))).count().await
            };
            let mut counting = std::pin::pin!(counting.fuse());
            while !shown.is_finished() {
                tokio::select! {
                    total = &mut counting => {
                        shown.set_length(total as u64);
                        shown.set_style(style("{bar:30} {human_pos} of {human_len} files, {per_sec}, {eta} left {msg}"));
                    }
                    () = tokio::time::sleep(Duration::from_millis(200)) => {}
                }
                shown.set_position(Counts::get(&counts.read) + Counts::get(&counts.unchanged));
                match Counts::get(&counts.errors) {
                    0 => {}
                    errors => shown.set_message(format!("({errors} errors)")),
                }
            }
        });
        bar
    }
}

/// Returns the URLs of files whose last row is in this batch. If the rows of a store continue in the next batch, the URL of the store is
/// added to `begun`, and the batch with its last row removes it from `begun`. At the end, the caller deletes the rows of the stores that
/// are still in `begun` from the catalogue, so that a catalogue has either all rows of a store or none.
fn ended<'b>(batch: &'b Batch, begun: &mut HashSet<String>) -> Vec<&'b str> {
    let own = batch.rows.iter().filter(|row| row.key.is_none());
    let went_on = batch.rows.first().filter(|row| begun.remove(&row.url));
    let mut ended: Vec<&str> = went_on.into_iter().chain(own).map(|row| row.url.as_str()).collect();
    if let Some(last) = batch.rows.last().filter(|_| batch.goes_on) {
        ended.retain(|url| *url != last.url);
        begun.insert(last.url.clone());
    }
    ended
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn lock(known: &Mutex<Option<Known>>) -> std::sync::MutexGuard<'_, Option<Known>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
