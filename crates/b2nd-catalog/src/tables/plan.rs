//! [`Scan`]: reads rows of some columns of a table for DataFusion.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use arrow::datatypes::SchemaRef;
use b2nd_arrow::{BATCH_SIZE, Table};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, Statistics};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties, StatisticsArgs};

use crate::tables::bounds;

/// The capacity of the channel in which the batches of a partition wait for DataFusion.
const WAITING: usize = 2;

/// An execution plan that reads rows of some columns of a table.
#[derive(Debug)]
pub(super) struct Scan {
    table: Table,
    projection: Vec<usize>,
    /// The rows of each partition, in order. Row indices do not count deleted rows.
    partitions: Vec<Vec<Range<u64>>>,
    /// Whether there are neither filters nor a limit, so all rows of the table are read.
    is_whole: bool,
    /// Statistics of all rows, computed on the first request.
    statistics: OnceLock<Arc<Statistics>>,
    properties: Arc<PlanProperties>,
}

impl Scan {
    pub(super) fn new(
        table: Table,
        projection: Vec<usize>,
        rows: Vec<Range<u64>>,
        partitions: usize,
        is_whole: bool,
    ) -> Result<Scan> {
        let schema: SchemaRef = Arc::new(table.schema().project(&projection)?);
        let partitions = divided(rows, partitions);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(Scan { table, projection, partitions, is_whole, statistics: OnceLock::new(), properties: Arc::new(properties) })
    }

    fn rows(&self, partition: Option<usize>) -> usize {
        let of = |rows: &[Range<u64>]| rows.iter().map(|rows| rows.end - rows.start).sum::<u64>();
        let rows = match partition {
            Some(partition) => self.partitions.get(partition).map_or(0, |rows| of(rows)),
            None => self.partitions.iter().map(|rows| of(rows)).sum(),
        };
        usize::try_from(rows).unwrap_or(usize::MAX)
    }
}

/// Divides rows into at most `partitions` parts. All parts except the last have the same length, a multiple of `BATCH_SIZE`.
fn divided(rows: Vec<Range<u64>>, partitions: usize) -> Vec<Vec<Range<u64>>> {
    let total: u64 = rows.iter().map(|rows| rows.end - rows.start).sum();
    let each = total.div_ceil(partitions.max(1) as u64).next_multiple_of(BATCH_SIZE as u64);
    let mut divided = vec![Vec::new()];
    let mut room = each;
    for mut run in rows {
        while !run.is_empty() {
            if room == 0 {
                divided.push(Vec::new());
                room = each;
            }
            let end = run.start.saturating_add(room).min(run.end);
            room -= end - run.start;
            if let Some(last) = divided.last_mut() {
                last.push(run.start..end);
            }
            run.start = end;
        }
    }
    divided
}

impl DisplayAs for Scan {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let schema = self.schema();
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let (rows, total) = (self.rows(None), self.table.rows());
        write!(f, "TableScan: table={}, columns=[{}], rows={rows} of {total}", self.table.name(), names.join(", "))
    }
}

impl ExecutionPlan for Scan {
    fn name(&self) -> &str {
        "TableScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn statistics_from_inputs(&self, _: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        let rows = self.rows(args.partition());
        let unknown = Statistics::new_unknown(&self.schema());
        Ok(match args.partition() {
            None if self.is_whole => {
                let columns = || self.projection.iter().map(|&place| bounds::of_column(&self.table, place)).collect();
                let exact = || Statistics { num_rows: Precision::Exact(rows), column_statistics: columns(), ..unknown };
                self.statistics.get_or_init(|| Arc::new(exact())).clone()
            }
            _ if self.is_whole => Arc::new(unknown.with_num_rows(Precision::Exact(rows))),
            _ => Arc::new(unknown.with_num_rows(Precision::Inexact(rows))),
        })
    }

    fn execute(&self, partition: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let mut stream = RecordBatchReceiverStream::builder(self.schema(), WAITING);
        let batches = stream.tx();
        let (table, projection) = (self.table.clone(), self.projection.clone());
        let rows = self.partitions.get(partition).cloned().unwrap_or_default();
        stream.spawn_blocking(move || {
            for run in rows {
                let reader = table.read(&projection, run, BATCH_SIZE).map_err(|error| DataFusionError::External(error.into()))?;
                // Each reader uses one thread, because the partitions are already read in parallel.
                for batch in reader.parallel(1) {
                    // The receiver is dropped when no more rows are needed.
                    if batches.blocking_send(batch.map_err(DataFusionError::from)).is_err() {
                        return Ok(());
                    }
                }
            }
            Ok(())
        });
        Ok(stream.build())
    }
}
