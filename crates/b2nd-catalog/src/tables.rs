//! Tables of python-blosc2 for DataFusion.
//!
//! | task | function |
//! | --- | --- |
//! | register a table under a name | [`Provider::new`] |
//! | open a table by its path or URL | [`open`] |
//! | name tables in queries: `from 'data/table.b2z'`, `b2nd_table('url', 'key')` | [`with_tables`] |

mod bounds;
mod names;
mod plan;
mod prune;
mod remote;

use std::ops::Range;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use b2nd_arrow::Table;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DFSchema, DataFusionError, Result};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

pub(crate) use names::text_of;
pub use names::{open, with_tables};

use plan::Scan;

/// Provides a table of python-blosc2 as a table of DataFusion.
///
/// * Only the columns that a query names are read.
/// * Rows can be skipped if a SUMMARY index that is not stale shows that they cannot pass the filters. DataFusion applies the filters to
///   the remaining rows.
/// * The exact number of rows is known without reading values, so `count(*)` without a filter is fast. Without a filter, `min` and `max`
///   of a column can come from its SUMMARY index if the index has them exactly; for example, it does not if a row was deleted.
///
/// ```
/// use std::sync::Arc;
/// use b2nd_catalog::tables::Provider;
/// use datafusion::prelude::SessionContext;
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let table = b2nd_arrow::Table::open("../b2nd-arrow/tests/data/blocks.b2z")?;
/// let context = SessionContext::new();
/// context.register_table("blocks", Arc::new(Provider::new(table)))?;
/// let rows = context.sql("select n from blocks where n >= 140").await?.count().await?;
/// assert_eq!(rows, 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Provider {
    table: Table,
}

impl Provider {
    /// Creates a provider from an open table.
    pub fn new(table: Table) -> Provider {
        Provider { table }
    }
}

#[async_trait]
impl TableProvider for Provider {
    fn schema(&self) -> SchemaRef {
        self.table.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    /// Supports all filters that are not volatile, but only inexactly: an index excludes blocks of rows and not single rows, so DataFusion
    /// must apply the filters again.
    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let supported = |filter: &&Expr| match filter.is_volatile() {
            true => TableProviderFilterPushDown::Unsupported,
            false => TableProviderFilterPushDown::Inexact,
        };
        Ok(filters.iter().map(supported).collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut rows: Vec<Range<u64>> = std::iter::once(0..self.table.rows()).collect();
        if !filters.is_empty() {
            let schema = DFSchema::try_from(self.schema().as_ref().clone())?;
            // A filter that cannot be converted is ignored, because DataFusion applies all filters again.
            let physical = filters.iter().filter_map(|filter| state.create_physical_expr(filter.clone(), &schema).ok());
            let (table, physical) = (self.table.clone(), physical.collect::<Vec<_>>());
            let pruned = tokio::task::spawn_blocking(move || prune::rows(&table, &physical));
            rows = pruned.await.map_err(|error| DataFusionError::External(error.into()))??;
        } else if let (Some(limit), Some(all)) = (limit, rows.first_mut()) {
            // The limit is used only if there are no filters, because filters are applied again later and could leave fewer rows than the
            // limit.
            all.end = all.end.min(limit as u64);
        }
        let projection = projection.cloned().unwrap_or_else(|| (0..self.schema().fields().len()).collect());
        let partitions = state.config().target_partitions();
        Ok(Arc::new(Scan::new(self.table.clone(), projection, rows, partitions, filters.is_empty() && limit.is_none())?))
    }
}
