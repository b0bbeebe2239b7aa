//! The program `b2nd-catalog`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
#[cfg(feature = "ballista")]
use b2nd_catalog::cluster;
use b2nd_catalog::job::{Job, Progress, Summary};
use b2nd_catalog::listing::{ENDINGS, Names};
use b2nd_catalog::row::Extent;
use b2nd_catalog::scan::{Counts, Options, Shard};
#[cfg(feature = "sql")]
use b2nd_catalog::sql;
use clap::{Args, Parser, Subcommand};

/// A catalogue of very many Blosc2 arrays: a row of metadata for each, asked in SQL.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reads the headers of all files below directories and urls into a catalogue.
    Scan(Scan),
    #[cfg(feature = "sql")]
    /// Asks a catalogue, `arrays`, files themselves, `b2nd('url')`, or tables of python-blosc2, `'table.b2z'`, in SQL.
    Sql(Sql),
    /// Runs a scheduler, which gives parts of a scan to executors.
    #[cfg(feature = "ballista")]
    Scheduler {
        /// The address that it listens on.
        #[arg(long, default_value = "127.0.0.1:50050")]
        listen: std::net::SocketAddr,
    },
    /// Runs an executor, which reads files for a scheduler.
    #[cfg(feature = "ballista")]
    Executor(cluster::Executor),
}

#[derive(Args)]
struct Scan {
    /// Directories, files, or urls: file, http, https, s3, gs, az. Keys come from AWS_*, GOOGLE_* and AZURE_*.
    #[arg(required = true)]
    roots: Vec<String>,
    /// The catalogue, a Parquet file; with --shard the directory of the parts.
    #[arg(long)]
    out: PathBuf,
    /// Read only what is new or changed since the catalogue was made, and drop what is gone.
    #[arg(long)]
    update: bool,
    /// The number of files that are read at the same time; without it 256 of servers, and of disks 4 for each core.
    #[arg(long, value_parser = jobs)]
    jobs: Option<usize>,
    /// Read attributes too, which are at a frame's end: a second request for most files.
    #[arg(long)]
    attributes: bool,
    /// Read the index where only that counts the chunks.
    #[arg(long)]
    index: bool,
    /// Read only this part of the files, I of N from 0 to N-1, which follows from their urls.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// The endings of the names to look at; `*` for all.
    #[arg(long, value_delimiter = ',', default_values = ENDINGS)]
    ending: Vec<String>,
    /// Have the cluster with this scheduler, HOST:PORT, read the files.
    #[cfg(feature = "ballista")]
    #[arg(long, conflicts_with_all = ["update", "shard"])]
    cluster: Option<String>,
    /// A directory that this machine and the executors share, for the list of files.
    #[cfg(feature = "ballista")]
    #[arg(long, default_value = ".", requires = "cluster")]
    manifest: PathBuf,
}

#[cfg(feature = "sql")]
#[derive(Args)]
struct Sql {
    /// `select dtype, count(*) from arrays group by dtype`
    query: String,
    /// The catalogue: a file, a directory of parts, or a url.
    #[arg(long)]
    catalog: Option<String>,
    /// The format of the result; without it that of --out's ending, else a table.
    #[arg(long)]
    format: Option<sql::Format>,
    /// The file for the result, instead of standard output.
    #[arg(long)]
    out: Option<PathBuf>,
    /// The number of files that `b2nd('url')` reads at the same time; without it 256 of servers, and of disks 4 for each core.
    #[arg(long, value_parser = jobs)]
    jobs: Option<usize>,
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let done = tokio::runtime::Runtime::new().map_err(anyhow::Error::from).and_then(|runtime| {
        let done = runtime.block_on(command.run());
        // After Ctrl-C a disk that does not answer is not waited for.
        runtime.shutdown_background();
        done
    });
    done.unwrap_or_else(|error| {
        eprintln!("error: {}", sentence(&error));
        ExitCode::FAILURE
    })
}

/// An error with its causes, each of which is said once: DataFusion says a cause in its own sentence too. Names of files and of columns are
/// in it, with escapes for what a terminal would not show but do.
fn sentence(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(|cause| cause.to_string()) {
        if !text.ends_with(&cause) {
            text = if text.is_empty() { cause } else { format!("{text}: {cause}") };
        }
    }
    let lines = text.strip_prefix("External error: ").unwrap_or(&text).split('\n');
    lines.map(b2nd_view::text::printable).collect::<Vec<_>>().join("\n")
}

impl Command {
    async fn run(self) -> Result<ExitCode> {
        match self {
            Command::Scan(scan) => scan.run().await,
            #[cfg(feature = "sql")]
            Command::Sql(sql) => sql.run().await,
            #[cfg(feature = "ballista")]
            Command::Scheduler { listen } => cluster::scheduler(listen).await.map(|()| ExitCode::SUCCESS),
            #[cfg(feature = "ballista")]
            Command::Executor(executor) => executor.run().await.map(|()| ExitCode::SUCCESS),
        }
    }
}

impl Scan {
    async fn run(self) -> Result<ExitCode> {
        #[cfg(feature = "ballista")]
        if let Some(scheduler) = self.cluster {
            let counts = std::sync::Arc::<Counts>::default();
            let extent = Extent { attributes: self.attributes, index: self.index };
            let manifest = std::path::absolute(self.manifest)?;
            let names = Names::ending_in(&self.ending);
            let job =
                cluster::Job { roots: self.roots, names, out: self.out, extent, scheduler, manifest, counts: counts.clone() };
            let is_complete = job.run().await?;
            eprintln!("{} files read, {} with an error", Counts::get(&counts.read), Counts::get(&counts.errors));
            return Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        let started = Instant::now();
        let job = Job {
            roots: self.roots,
            names: Names::ending_in(&self.ending),
            out: self.out,
            update: self.update,
            shard: self.shard,
            options: Options { extent: Extent { attributes: self.attributes, index: self.index }, jobs: self.jobs },
            progress: if std::io::stderr().is_terminal() { Progress::Terminal } else { Progress::None },
        };
        let Summary { counts, gone, interrupted, is_complete } = job.run(stop()).await?;
        let (read, unchanged, errors) = (Counts::get(&counts.read), Counts::get(&counts.unchanged), Counts::get(&counts.errors));
        let seconds = started.elapsed().as_secs_f64();
        eprintln!("{read} files read in {seconds:.1} s, {unchanged} unchanged, {gone} gone, {errors} with an error");
        if interrupted {
            eprintln!("interrupted: the catalogue holds what was done; --update goes on");
            return Ok(ExitCode::from(130));
        }
        if !is_complete {
            eprintln!("not everything could be listed: see the rows whose error says so");
            return Ok(ExitCode::FAILURE);
        }
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(feature = "sql")]
impl Sql {
    async fn run(self) -> Result<ExitCode> {
        let context = sql::context(self.catalog.as_deref(), self.jobs).await?;
        sql::run(&context, &self.query, self.format, self.out.as_deref()).await?;
        Ok(ExitCode::SUCCESS)
    }
}

fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a number from 1 on".to_owned()),
        Ok(jobs) => Ok(jobs),
    }
}

/// Is ready when the user or the machine asks for an end: by Ctrl-C, by SIGTERM, or when the terminal is closed.
async fn stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut terminate), Ok(mut hang_up)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = hang_up.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
