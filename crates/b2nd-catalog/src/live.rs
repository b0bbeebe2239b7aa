//! `b2nd('url')`: a table function that scans files during a query.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray, new_null_array};
use arrow::datatypes::{Field, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{DFSchema, DataFusionError, Result, plan_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, TableProviderFilterPushDown, TableType};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::StreamExt;

use crate::columns::{SCHEMA, batch};
use crate::listing::{Listing, Names, list};
use crate::place::{Object, is_store, shown};
use crate::row::Extent;
use crate::scan::{ReadOptions, scan};
use crate::tables::text_of;

/// The maximum number of rows in a batch of the result.
const ROWS: usize = 1024;

/// The table function `b2nd('url')`.
#[derive(Debug)]
pub struct Live {
    /// The number of files to read at the same time, or `None` for the default.
    pub jobs: Option<usize>,
}

impl TableFunctionImpl for Live {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        match args.exprs().iter().map(text_of).collect::<Vec<_>>().as_slice() {
            [Some(root)] => {
                // This call remembers the user and password of the URL. Its errors are ignored, because they are reported when the URL is
                // listed.
                let _ = Object::of(root);
                Ok(Arc::new(Table { root: shown(root), jobs: self.jobs }))
            }
            _ => plan_err!("b2nd takes one URL or path, as text: b2nd('s3://bucket/prefix')"),
        }
    }
}

#[derive(Debug)]
struct Table {
    root: String,
    jobs: Option<usize>,
}

#[async_trait]
impl TableProvider for Table {
    fn schema(&self) -> SchemaRef {
        SCHEMA.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    /// Supports filters that use only the URL or only the key. They are tested before a file is read, if its URL is enough for that.
    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let supported = |filter: &&Expr| match column_of(filter) {
            // The filter must be applied again, since a location that cannot be listed has a row whose URL was not tested.
            Some("url" | "key") => TableProviderFilterPushDown::Inexact,
            _ => TableProviderFilterPushDown::Unsupported,
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
        let schema = DFSchema::try_from(SCHEMA.as_ref().clone())?;
        let mut tests = Vec::new();
        for filter in filters {
            if let Some(column) = column_of(filter) {
                tests.push(Test { on_url: column == "url", expression: state.create_physical_expr(filter.clone(), &schema)? });
            }
        }
        let asked = |names: &[&str]| {
            projection.is_none_or(|columns| columns.iter().any(|&column| names.contains(&SCHEMA.field(column).name().as_str())))
        };
        let extent = Extent { attributes: asked(&["attributes", "dims", "units", "long_name"]), index: asked(&["nchunks"]) };
        let scan = Scan { root: narrowed(&self.root, filters), tests, options: ReadOptions { extent, jobs: self.jobs } };
        // The limit is used only if there are no filters, because filters are applied again later and could leave fewer rows than the
        // limit.
        let limit = limit.filter(|_| filters.is_empty());
        Ok(Arc::new(StreamingTableExec::try_new(SCHEMA.clone(), vec![Arc::new(scan)], projection, [], false, limit)?))
    }
}

/// Returns the column that an expression uses, or `None` if it does not use exactly one column or is volatile.
fn column_of(filter: &Expr) -> Option<&str> {
    let columns = filter.column_refs();
    let mut names = columns.iter().map(|column| column.name.as_str());
    match (names.next(), names.next()) {
        (Some(name), None) if !filter.is_volatile() => Some(name),
        _ => None,
    }
}

/// Returns the URL to list: a directory below the root that contains all URLs that can pass the filters. If the filters name no such
/// directory, returns the root.
fn narrowed(root: &str, filters: &[Expr]) -> String {
    let Ok(url) = Object::of(root).map(|object| object.url) else { return root.to_owned() };
    let below = format!("{}/", url.trim_end_matches('/'));
    let starts = filters.iter().filter_map(start_of).filter(|start| start.starts_with(&below));
    let longest = starts.filter_map(|start| Some(start[..=start.rfind('/')?].to_owned())).max_by_key(String::len);
    longest.filter(|start| start.len() > below.len()).unwrap_or_else(|| root.to_owned())
}

/// Returns the text with which a URL must start to pass the filter, if the filter has the form `url = '…'` or `url like '…%'`.
/// DataFusion turns `starts_with` into `like`.
fn start_of(filter: &Expr) -> Option<String> {
    match filter {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) => match (&**left, &**right) {
            (Expr::Column(_), value) | (value, Expr::Column(_)) => text_of(value).map(str::to_owned),
            _ => None,
        },
        Expr::Like(like)
            if !like.negated && !like.case_insensitive && like.escape_char.is_none() && matches!(*like.expr, Expr::Column(_)) =>
        {
            let pattern = text_of(&like.pattern)?;
            Some(pattern.split(['%', '_', '\\']).next().unwrap_or_default().to_owned())
        }
        _ => None,
    }
}

/// A filter that uses only the URL or only the key.
#[derive(Clone, Debug)]
struct Test {
    on_url: bool,
    expression: Arc<dyn PhysicalExpr>,
}

impl Test {
    /// Returns true if the file at this URL may have rows that pass the filter. Only stores have rows with a key.
    fn admits(&self, url: &str) -> bool {
        if !self.on_url && is_store(url) {
            return true;
        }
        // The batch has all columns of a catalogue, because the expressions refer to columns by position.
        let column = |field: &Arc<Field>| -> ArrayRef {
            match field.name().as_str() {
                "url" => Arc::new(StringArray::from(vec![url])),
                _ => new_null_array(field.data_type(), 1),
            }
        };
        let one = RecordBatch::try_new(SCHEMA.clone(), SCHEMA.fields().iter().map(column).collect());
        let passed = one.ok().and_then(|one| self.expression.evaluate(&one).ok()?.into_array(1).ok());
        passed.is_none_or(|passed| {
            passed.as_boolean_opt().is_none_or(|passed| arrow::array::Array::is_valid(passed, 0) && passed.value(0))
        })
    }
}

#[derive(Debug)]
struct Scan {
    root: String,
    tests: Vec<Test>,
    options: ReadOptions,
}

impl PartitionStream for Scan {
    fn schema(&self) -> &SchemaRef {
        &SCHEMA
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (root, tests, options) = (self.root.clone(), self.tests.clone(), self.options);
        let listing = futures::stream::once(async move { list(&root, Names::default()).await }).flatten();
        let admitted: Listing = listing
            .filter(move |object| {
                std::future::ready(object.as_ref().map_or(true, |object| tests.iter().all(|test| test.admits(&object.url))))
            })
            .boxed();
        let batches = scan(admitted, options)
            // A location that could not be listed has one row with the error.
            .flat_map(|done| futures::stream::iter(done.unwrap_or_else(|unlisted| vec![unlisted.into()])))
            .ready_chunks(ROWS)
            .map(|rows| batch(&rows.iter().collect::<Vec<_>>()).map_err(DataFusionError::from));
        Box::pin(RecordBatchStreamAdapter::new(SCHEMA.clone(), batches))
    }
}
