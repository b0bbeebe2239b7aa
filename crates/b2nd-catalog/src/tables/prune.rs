//! Uses SUMMARY indexes to find the rows that may pass a filter.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, UInt64Array};
use arrow::compute::take;
use arrow::datatypes::DataType;
use b2nd_arrow::{Summary, Table};
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{Column, DataFusionError, Result, ScalarValue};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{CastExpr, TryCastExpr};
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_optimizer::pruning::PruningPredicateBuilder;

/// Returns the rows of a table that may pass all filters, in order. The row indices do not count deleted rows. If no index excludes rows,
/// all rows are returned.
pub(super) fn rows(table: &Table, filters: &[Arc<dyn PhysicalExpr>]) -> Result<Vec<Range<u64>>> {
    let mut summaries = BTreeMap::new();
    let mut predicates = Vec::new();
    for filter in filters {
        if turns(filter)? {
            continue;
        }
        predicates.extend(PruningPredicateBuilder::new().with_file_schema(table.schema()).build(filter.clone()));
        for column in collect_columns(filter) {
            // An error in an index is ignored, because the values can be read from the table.
            if let Ok(Some(summary)) = table.summary(column.index()) {
                summaries.insert(column.name().to_owned(), summary);
            }
        }
    }
    if predicates.is_empty() || summaries.is_empty() {
        return Ok(std::iter::once(0..table.rows()).collect());
    }
    let parts = Parts::of(&summaries, table.physical_rows());
    let mut kept = vec![true; parts.rows.len()];
    for predicate in predicates {
        // An index may include the values of deleted rows and of rows that another filter excludes. If such a value cannot be cast, this
        // filter excludes no parts.
        if let Ok(passed) = predicate.prune(&parts) {
            kept.iter_mut().zip(passed).for_each(|(kept, passed)| *kept &= passed);
        }
    }
    let live = |row: u64| table.live_before(row).map_err(|error| DataFusionError::External(error.into()));
    let kept: Vec<&Range<u64>> = parts.rows.iter().zip(kept).filter_map(|(part, kept)| kept.then_some(part)).collect();
    let runs = kept.chunk_by(|one, next| one.end == next.start);
    let rows = runs.map(|run| Ok(live(run[0].start)?..live(run[run.len() - 1].end)?));
    let mut rows = rows.collect::<Result<Vec<Range<u64>>>>()?;
    rows.retain(|run| !run.is_empty());
    Ok(rows)
}

/// Returns true if a filter casts values to a time of day or to a bool. Such a filter cannot be tested with the min and max, because these
/// casts do not keep the order of values.
fn turns(filter: &Arc<dyn PhysicalExpr>) -> Result<bool> {
    filter.exists(|part| {
        let cast = part.downcast_ref::<CastExpr>().map(CastExpr::cast_type);
        let cast = cast.or_else(|| part.downcast_ref::<TryCastExpr>().map(TryCastExpr::cast_type));
        Ok(matches!(cast, Some(DataType::Time32(_) | DataType::Time64(_) | DataType::Boolean)))
    })
}

/// The physical rows of a table, including deleted rows, divided into parts so that each part is inside one segment of every index. An
/// index has a min and a max for each segment.
struct Parts<'s> {
    rows: Vec<Range<u64>>,
    summaries: &'s BTreeMap<String, Summary>,
}

impl<'s> Parts<'s> {
    fn of(summaries: &'s BTreeMap<String, Summary>, physical_rows: u64) -> Parts<'s> {
        let starts = |summary: &'s Summary| (0..summary.len()).map(move |segment| summary.rows(segment).start);
        let mut starts: BTreeSet<u64> = summaries.values().flat_map(starts).collect();
        starts.insert(0);
        let ends = starts.iter().skip(1).copied().chain([physical_rows]);
        let rows = starts.iter().copied().zip(ends).map(|(start, end)| start..end).filter(|part| !part.is_empty()).collect();
        Parts { rows, summaries }
    }

    /// Returns a value for each part: the value of the segment that contains the part.
    fn spread(&self, column: &Column, values: impl Fn(&Summary) -> &ArrayRef) -> Option<ArrayRef> {
        let summary = self.summaries.get(&column.name)?;
        let segments: UInt64Array = self.rows.iter().map(|part| summary.segment(part.start) as u64).collect();
        take(values(summary), &segments, None).ok()
    }
}

impl PruningStatistics for Parts<'_> {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        self.spread(column, Summary::least)
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        self.spread(column, Summary::greatest)
    }

    fn num_containers(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of nulls in each part, if it is known. An index records the segments in which all values are null, but not the
    /// number of nulls in other segments.
    fn null_counts(&self, column: &Column) -> Option<ArrayRef> {
        let summary = self.summaries.get(&column.name)?;
        let count = |part: &Range<u64>| summary.is_null(summary.segment(part.start)).then_some(part.end - part.start);
        Some(Arc::new(self.rows.iter().map(count).collect::<UInt64Array>()))
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        Some(Arc::new(self.rows.iter().map(|part| Some(part.end - part.start)).collect::<UInt64Array>()))
    }

    fn contained(&self, _: &Column, _: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}
