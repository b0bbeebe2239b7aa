//! The program `b2nd-catalog`.

use std::process::ExitCode;
use std::time::Instant;
#[cfg(feature = "sql")]
use std::{num::NonZeroUsize, path::PathBuf};

use anyhow::Result;
use b2nd_catalog::job::{Job, Summary};
#[cfg(feature = "sql")]
use b2nd_catalog::sql;
use clap::{Parser, Subcommand};
use tokio::signal::unix::{SignalKind, signal};

/// Collects the metadata of many Blosc2 files in one Parquet file, the catalogue, and queries it with SQL.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reads the headers of Blosc2 files below directories and URLs, and writes a catalogue.
    Scan(Job),
    #[cfg(feature = "sql")]
    /// Queries with SQL: the catalogue as `arrays`, files as `b2nd('url')`, tables of python-blosc2 as `'table.b2z'`.
    Sql(Sql),
}

#[cfg(feature = "sql")]
#[derive(clap::Args)]
struct Sql {
    /// The query, such as `select dtype, count(*) from arrays group by dtype`.
    query: String,
    /// The catalogue: a file, a directory of parts, or a URL.
    #[arg(long)]
    catalog: Option<String>,
    /// The format of the result. By default, the ending of --out determines it; without --out, it is a table.
    #[arg(long)]
    format: Option<sql::Format>,
    /// Write the result to this file instead of standard output.
    #[arg(long)]
    out: Option<PathBuf>,
    /// The number of files that `b2nd('url')` reads at the same time. The default is 256 for servers, and 4 per core for disks.
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let done = tokio::runtime::Runtime::new().map_err(anyhow::Error::from).and_then(|runtime| {
        let done = runtime.block_on(async {
            match command {
                Command::Scan(job) => scan(job).await,
                #[cfg(feature = "sql")]
                Command::Sql(sql) => sql.run().await,
            }
        });
        // After Ctrl-C, do not wait for disks that do not answer.
        runtime.shutdown_background();
        done
    });
    done.unwrap_or_else(|error| {
        eprintln!("error: {}", sentence(&error));
        ExitCode::FAILURE
    })
}

/// Formats an error with its causes. Errors of DataFusion contain the text of their cause, so a cause whose text was already printed is
/// left out. Control characters, which may come from names of files and columns, are escaped, except line feeds.
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

async fn scan(job: Job) -> Result<ExitCode> {
    let started = Instant::now();
    let Summary { read, unchanged, gone, errors, interrupted, is_complete } = job.run(stop()).await?;
    let seconds = started.elapsed().as_secs_f64();
    let files = if read == 1 { "file" } else { "files" };
    eprintln!("{read} {files} read in {seconds:.1} s, {unchanged} unchanged, {gone} gone, new rows with an error: {errors}");
    if interrupted {
        eprintln!("interrupted: the catalogue has the files read so far; scan again with --update to continue");
        return Ok(ExitCode::from(130));
    }
    if !is_complete {
        eprintln!("not everything could be listed: see the rows whose error starts with `cannot be listed`");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(feature = "sql")]
impl Sql {
    async fn run(self) -> Result<ExitCode> {
        let context = sql::context(self.catalog.as_deref(), self.jobs.map(usize::from)).await?;
        sql::run(&context, &self.query, self.format, self.out.as_deref()).await?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Waits until the user or the system ends the program: by Ctrl-C, by SIGTERM, or by closing the terminal.
async fn stop() {
    if let (Ok(mut terminate), Ok(mut hang_up)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        return;
    }
    let _ = tokio::signal::ctrl_c().await;
}
