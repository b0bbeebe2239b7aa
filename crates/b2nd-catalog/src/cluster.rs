//! Runs a scan on a Ballista cluster, as the query `select b2nd_header(url, size) from manifest`.

mod function;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use ballista::prelude::{SessionConfigExt, SessionContextExt};
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use futures::StreamExt;
use parquet::arrow::ArrowWriter;

use crate::catalog::{Notes, Writer};
use crate::listing::Names;
use crate::row::{Extent, Row};
use crate::scan::{Counts, listings};

/// The number of files in a part of the manifest. If an executor is lost, the part that it was reading is read again.
const PART: usize = 1000;

/// If an executor does not answer for this time, its work is given to other executors.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns a DataFusion session state with the function `b2nd_header`, which the scheduler, the executors and the client all need.
fn state(config: SessionConfig) -> SessionState {
    let functions = datafusion::functions::all_default_functions().into_iter().chain([Arc::new(function::header())]);
    SessionStateBuilder::new().with_default_features().with_config(config).with_scalar_functions(functions.collect()).build()
}

/// Runs a scheduler until the process ends.
///
/// # Errors
///
/// Fails if the address is already in use.
pub async fn scheduler(address: SocketAddr) -> Result<()> {
    let config = ballista_scheduler::config::SchedulerConfig {
        override_session_builder: Some(Arc::new(|config| Ok(state(config)))),
        bind_host: address.ip().to_string(),
        bind_port: address.port(),
        executor_timeout_seconds: PATIENCE.as_secs(),
        expire_dead_executor_interval_seconds: 2,
        ..Default::default()
    };
    let cluster = ballista_scheduler::cluster::BallistaCluster::new_from_config(&config).await?;
    ballista_scheduler::scheduler_process::start_server(cluster, address, Arc::new(config)).await?;
    Ok(())
}

/// The arguments of an executor.
#[derive(Debug, clap::Args)]
pub struct Executor {
    /// The scheduler's address.
    #[arg(long, default_value = "127.0.0.1:50050")]
    scheduler: String,
    /// The address to listen on.
    #[arg(long, default_value = "127.0.0.1:50051")]
    listen: SocketAddr,
    /// The name or address under which other machines reach this executor, if it is not the one to listen on.
    #[arg(long)]
    host: Option<String>,
    /// The number of parts of the manifest to read at the same time.
    #[arg(long, default_value_t = 2)]
    parts: usize,
    /// The number of files of a part to read at the same time.
    #[arg(long, default_value_t = 256)]
    jobs: usize,
}

impl Executor {
    /// Runs an executor until the process ends.
    ///
    /// # Errors
    ///
    /// Fails if the scheduler cannot be reached or the address is already in use.
    pub async fn run(self) -> Result<()> {
        function::set_jobs(self.jobs);
        let Some((host, port)) = self.scheduler.rsplit_once(':') else { bail!("{} is not HOST:PORT", self.scheduler) };
        let registry = ballista_core::registry::BallistaFunctionRegistry::from(&state(SessionConfig::new()));
        let config = ballista_executor::executor_process::ExecutorProcessConfig {
            bind_host: self.listen.ip().to_string(),
            external_host: self.host,
            port: self.listen.port(),
            grpc_port: self.listen.port() + 1,
            scheduler_host: host.to_owned(),
            scheduler_port: port.parse()?,
            vcores: self.parts,
            executor_heartbeat_interval_seconds: 2,
            override_function_registry: Some(Arc::new(registry)),
            ..Default::default()
        };
        ballista_executor::executor_process::start_executor_process(Arc::new(config)).await?;
        Ok(())
    }
}

/// A scan on a cluster.
pub struct Job {
    pub roots: Vec<String>,
    pub names: Names,
    pub out: PathBuf,
    pub extent: Extent,
    /// The scheduler's address, as `HOST:PORT`.
    pub scheduler: String,
    /// A directory for the manifest, which this machine and the executors share.
    pub manifest: PathBuf,
    pub counts: Arc<Counts>,
}

impl Job {
    /// Writes a manifest that lists the files, lets the executors read these files, and writes the catalogue. Returns true if everything
    /// could be listed.
    ///
    /// # Errors
    ///
    /// Fails if the cluster cannot be reached or reports an error, or if the catalogue cannot be written.
    pub async fn run(self) -> Result<bool> {
        let manifest = tempfile::Builder::new().prefix("manifest-").tempdir_in(&self.manifest);
        let manifest = manifest.with_context(|| format!("cannot write to {}", self.manifest.display()))?;
        let mut writer = Writer::new(&self.out)?;
        let unlisted = self.list(manifest.path()).await?;
        let is_complete = unlisted.is_empty();
        writer.push(unlisted)?;
        if Counts::get(&self.counts.listed) > 0 {
            self.query(manifest.path(), &mut writer).await?;
        }
        writer.finish(&Notes { extent: self.extent, is_complete })?;
        Ok(is_complete)
    }

    async fn query(&self, manifest: &Path, writer: &mut Writer) -> Result<()> {
        let parts = Counts::get(&self.counts.listed).div_ceil(PART as u64);
        let config = SessionConfig::new_with_ballista().with_target_partitions(usize::try_from(parts)?);
        let context = SessionContext::remote_with_state(&format!("df://{}", self.scheduler), state(config)).await?;
        // The function is registered again, because creating a context removes it from the state.
        context.register_udf(function::header());
        context.register_parquet("manifest", manifest.to_string_lossy(), ParquetReadOptions::default()).await?;
        let extent = match self.extent {
            Extent { attributes: false, index: false } => "",
            Extent { attributes: true, index: false } => "attributes",
            Extent { attributes: false, index: true } => "index",
            Extent { attributes: true, index: true } => "attributes,index",
        };
        let query = format!("select b2nd_header(url, size, '{extent}') from manifest");
        let mut batches = context.sql(&query).await?.execute_stream().await?;
        while let Some(batch) = batches.next().await {
            let batch = batch?;
            let rows = batch.column(0).as_list::<i32>();
            let flat = rows
                .values()
                .slice(rows.value_offsets()[0] as usize, (rows.value_offsets()[rows.len()] - rows.value_offsets()[0]) as usize);
            let rows = RecordBatch::from(flat.as_struct());
            let errors = rows.column_by_name("error").map_or(0, |errors| errors.len() - errors.null_count());
            Counts::add(&self.counts.read, batch.num_rows());
            Counts::add(&self.counts.errors, errors);
            writer.push_batch(RecordBatch::try_new(crate::columns::SCHEMA.clone(), rows.columns().to_vec())?)?;
        }
        Ok(())
    }

    /// Writes the listed files to the manifest, and returns rows for everything that could not be listed.
    async fn list(&self, manifest: &Path) -> Result<Vec<Row>> {
        let mut unlisted = Vec::new();
        let mut parts = listings(self.roots.clone(), self.names.clone()).chunks(PART).enumerate();
        while let Some((number, part)) = parts.next().await {
            let (mut urls, mut sizes) = (Vec::new(), Vec::new());
            for object in part {
                match object {
                    Ok(object) => {
                        urls.push(object.address());
                        sizes.push(object.size.and_then(|size| i64::try_from(size).ok()));
                    }
                    Err(error) => unlisted.push(error.into()),
                }
            }
            Counts::add(&self.counts.listed, urls.len());
            let (urls, sizes): (ArrayRef, ArrayRef) = (Arc::new(StringArray::from(urls)), Arc::new(Int64Array::from(sizes)));
            let batch = RecordBatch::try_from_iter_with_nullable([("url", urls, false), ("size", sizes, true)])?;
            let file = std::fs::File::create(manifest.join(format!("{number:08}.parquet")))?;
            let mut writer = ArrowWriter::try_new(file, batch.schema(), None)?;
            writer.write(&batch)?;
            writer.close()?;
        }
        Ok(unlisted)
    }
}
