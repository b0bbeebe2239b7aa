//! Finds the tables that queries name by a path or URL: `from 'data/table.b2z'`, `b2nd_table('url', 'key')`.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use b2nd_arrow::{Store, Table};
use b2nd_store::Location;
use datafusion::catalog::{DynamicFileCatalog, TableFunctionArgs, TableFunctionImpl, TableProvider, UrlTableFactory};
use datafusion::common::{DataFusionError, Result, plan_err};
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::Expr;

use crate::place::{FilePlace, is_store, shown};
use crate::tables::Provider;
use crate::tables::remote;

/// Opens a table by a path, or by a URL with the scheme `http`, `https`, `s3`, `gs`, `az` or `file`. If a store has several tables
/// and is not a table itself, a key is required, either as an argument or at the end of the path or URL: `store.b2z::/group/name`.
///
/// If the server supports ranges, parts of the file are read when they are needed. A remote `.b2d` store cannot be opened.
///
/// # Errors
///
/// Fails if the table does not exist or cannot be opened, or if a key is required and there is none.
pub fn open(place: &str, key: Option<&str>) -> anyhow::Result<Table> {
    let location = Location::new(OsStr::new(place));
    let name = location.place();
    let store = match FilePlace::of(&name)? {
        // A path is opened as it was given, so that errors show it.
        FilePlace::Disk(path) => {
            let path = if name.contains("://") { &path } else { Path::new(&*name) };
            Store::open(path).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?
        }
        FilePlace::Remote(store, path) => {
            let name = shown(&name);
            let file = remote::open(store, path).map_err(|error| anyhow::anyhow!("{name}: {error}"))?;
            Store::from_source(&name, file).map_err(|error| anyhow::anyhow!("{name}: {error}"))?
        }
    };
    Ok(match key.or(location.key()) {
        Some(key) => Table::from_store(store, key)?,
        None => Table::only(store)?,
    })
}

/// Adds tables of python-blosc2 to a context: queries may use a path or URL instead of a table's name, or the table function
/// `b2nd_table`.
pub fn with_tables(context: SessionContext) -> SessionContext {
    let id = context.session_id();
    let catalogs = context.state().catalog_list().clone();
    let catalogs = Arc::new(DynamicFileCatalog::new(catalogs, Arc::new(Files)));
    let state = context.into_state_builder().with_session_id(id).with_catalog_list(catalogs).build();
    let context = SessionContext::from(state);
    context.register_udtf("b2nd_table", Arc::new(Function));
    context
}

/// Opens tables that queries name by a path or URL.
#[derive(Debug)]
struct Files;

#[async_trait]
impl UrlTableFactory for Files {
    async fn try_new(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let location = Location::new(OsStr::new(name));
        let place = location.place();
        let is_named = is_store(place.trim_end_matches('/')) || location.key().is_some();
        // If `None` is returned, DataFusion reports that there is no table with this name.
        if !is_named && !Path::new(&*place).join("_meta.b2f").is_file() {
            return Ok(None);
        }
        let name = name.to_owned();
        let opened = tokio::task::spawn_blocking(move || provider(&name, None)).await;
        opened.map_err(|error| DataFusionError::External(error.into()))?.map(Some)
    }
}

/// The table function `b2nd_table`.
#[derive(Debug)]
struct Function;

impl TableFunctionImpl for Function {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let texts: Option<Vec<_>> = args.exprs().iter().map(text_of).collect();
        match texts.as_deref() {
            Some([place]) => provider(place, None),
            Some([place, key]) => provider(place, Some(key)),
            _ => plan_err!(
                "b2nd_table takes a URL or path, and the key of a table if there are several, as text: b2nd_table('store.b2z', \
                 '/group/name')"
            ),
        }
    }
}

/// Returns the text of an expression, if it is a text literal.
pub(crate) fn text_of(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Literal(value, _) => value.try_as_str().flatten(),
        _ => None,
    }
}

fn provider(place: &str, key: Option<&str>) -> Result<Arc<dyn TableProvider>> {
    match open(place, key) {
        Ok(table) => Ok(Arc::new(Provider::new(table))),
        Err(error) => Err(DataFusionError::External(error.into())),
    }
}
