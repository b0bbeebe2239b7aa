//! Tables of python-blosc2 in SQL.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Int32Type};
use arrow::util::display::array_value_to_string;
use b2nd_arrow::{Store, Table};
use b2nd_catalog::tables::{Provider, with_tables};
use datafusion::arrow::ipc::reader::FileReader;
use datafusion::catalog::TableProvider;
use datafusion::common::{Column, DataFusionError, ScalarValue};
use datafusion::logical_expr::{Expr, col, lit, placeholder};
use datafusion::physical_plan::common::collect;
use datafusion::physical_plan::{displayable, execute_stream_partitioned};
use datafusion::prelude::{SessionConfig, SessionContext};
use serde_json::{Value, json};

use crate::files::{archive, rows, run};
use crate::server::{Kind, Server};

/// The path of a file that the recipe of b2nd-arrow wrote.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../b2nd-arrow/tests/data").join(name)
}

/// The rows that a query returns, as JSON objects.
#[track_caller]
fn says(query: &str) -> Vec<Value> {
    rows(run(&["sql", query, "--format", "json"]))
}

/// A session with one partition, so that the rows are in order.
fn context() -> SessionContext {
    with_tables(SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1)))
}

fn truth(path: &Path) -> RecordBatch {
    let reader = FileReader::try_new(std::fs::File::open(path).unwrap(), None).unwrap();
    let schema = reader.schema();
    concat_batches(&schema, &reader.map(|batch| batch.unwrap()).collect::<Vec<_>>()).unwrap()
}

/// Filters of a column, with values from the column.
fn filters(column: &Expr, values: &dyn Array) -> Vec<Expr> {
    let valid: Vec<usize> = (0..values.len()).filter(|&row| values.is_valid(row)).collect();
    let value = |row: usize| lit(ScalarValue::try_from_array(values, row).unwrap());
    let mut filters = vec![column.clone().is_null(), column.clone().is_not_null()];
    if let (Some(&first), Some(&last)) = (valid.first(), valid.last()) {
        let middle = value(valid[valid.len() / 2]);
        filters.extend([
            column.clone().eq(value(last)),
            column.clone().not_eq(value(first)),
            column.clone().gt(middle.clone()),
            column.clone().lt(middle.clone()),
            column.clone().gt_eq(value(first)).and(column.clone().lt_eq(middle.clone())),
            column.clone().in_list(vec![value(first), middle], false),
        ]);
    }
    filters
}

/// Filters a table and its expected contents in memory, and compares the results. Returns the number of filters, and the number
/// of rows that indexes skipped.
async fn compare(name: &str, table: &Table, truth: &RecordBatch) -> (usize, usize) {
    let context = context();
    context.register_table("t", Arc::new(Provider::new(table.clone()))).unwrap();
    let names: Vec<_> = table.schema().fields().iter().map(|field| field.name().clone()).collect();
    let columns: Vec<_> = names.iter().map(|name| truth.schema().index_of(name).unwrap()).collect();
    // Computed columns are only in the expected contents.
    let truth = truth.project(&columns).unwrap();
    let (mut compared, mut spared) = (0, 0);
    for place in (0..names.len()).filter(|&place| table.summary(place).unwrap().is_some()) {
        let column = Expr::Column(Column::new_unqualified(names[place].as_str()));
        for filter in filters(&column, truth.column(place)) {
            let expected = context.read_batch(truth.clone()).unwrap().filter(filter.clone()).unwrap().collect().await.unwrap();
            let expected = concat_batches(&truth.schema(), &expected).unwrap();
            let frame = context.table("t").await.unwrap().filter(filter.clone()).unwrap();
            let plan = frame.clone().create_physical_plan().await.unwrap();
            spared += usize::try_from(table.rows()).unwrap() - scanned(&plan);
            let found = frame.collect().await.unwrap();
            let found = concat_batches(&table.schema(), &found).unwrap();
            for (one, other) in found.columns().iter().zip(expected.columns()) {
                assert!(one.to_data() == other.to_data(), "{name}: {filter}: {one:?}, expected {other:?}");
            }
            assert_eq!(found.num_rows(), expected.num_rows(), "{name}: {filter}");
            compared += 1;
        }
    }
    (compared, spared)
}

/// The number of rows that a plan reads from its table, 0 if the plan knows that no row matches.
fn scanned(plan: &Arc<dyn datafusion::physical_plan::ExecutionPlan>) -> usize {
    let shown = displayable(plan.as_ref()).indent(false).to_string();
    let Some((_, rows)) = shown.split_once("rows=") else { return 0 };
    rows.split(' ').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn filters_leave_what_they_leave_of_the_truth() {
    let (mut compared, mut spared) = (0, 0);
    for name in ["blocks", "kinds", "empty", "names", "nested"] {
        let table = Table::open(data(&format!("{name}.b2z"))).unwrap();
        let (more, rows) = compare(name, &table, &truth(&data(&format!("{name}.arrow")))).await;
        compared += more;
        spared += rows;
    }
    assert!(compared > 50 && spared > 3000, "{compared} filters, {spared} rows spared");
}

/// The public tables with their expected contents. Empty without the variable `B2ND_TABLES`.
fn public() -> Vec<(String, Table, RecordBatch)> {
    let Some(directory) = std::env::var_os("B2ND_TABLES").map(PathBuf::from) else { return Vec::new() };
    let expect: Value = serde_json::from_slice(&std::fs::read(directory.join("expect.json")).unwrap()).unwrap();
    let open = |entry: &Value| {
        let says = entry["truth_4_14_1"].as_str().or(entry["truth"].as_str())?;
        let path = directory.join(entry["file"].as_str().unwrap());
        let table = match entry["key"].as_str() {
            Some(key) => Table::from_store(Store::open(&path).unwrap(), key).unwrap(),
            None => Table::open(&path).unwrap(),
        };
        Some((entry["name"].as_str().unwrap().to_owned(), table, truth(&directory.join(says))))
    };
    expect["tables"].as_array().unwrap().iter().filter_map(open).collect()
}

#[tokio::test]
async fn filters_leave_what_they_leave_of_the_truth_of_public_tables() {
    let (mut compared, mut spared) = (0, 0);
    let tables = public();
    for (name, table, truth) in &tables {
        let (more, rows) = compare(name, table, truth).await;
        (compared, spared) = (compared + more, spared + rows);
    }
    println!("{} tables, {compared} filters, {spared} rows spared", tables.len());
    assert!(tables.len() > 50 && compared > 1000 || std::env::var_os("B2ND_TABLES").is_none());
}

#[tokio::test]
async fn a_query_reads_the_blocks_that_indexes_leave_over() {
    let context = context();
    let table = data("blocks.b2z").display().to_string();
    let left = [
        ("n >= 140", 20),
        ("n = 3", 20),
        ("n < 0", 0),
        ("n >= 140 and n < 145 or n = 3", 40),
        // Block 5 has only nulls.
        ("m is not null", 255),
        ("m is null", 275),
        // Blocks 3 and 6 have NaN, which DataFusion sorts above all other numbers.
        ("x > 70", 45),
        ("x < 1", 65),
        // SQL does not distinguish zeros: the -0 in block 9 is not below 0.
        ("x < 0", 25),
        ("y < 20", 20),
        ("t between to_timestamp_seconds(0) and to_timestamp_seconds(60)", 20),
        ("o and n < 30", 40),
        // No index applies to the first two of these filters.
        ("w = 'ab'", 275),
        ("n % 7 = 1", 275),
        ("n >= 140 and m > 100", 0),
    ];
    for (filter, rows) in left {
        let frame = context.sql(&format!("select n, x from '{table}' where {filter}")).await.unwrap();
        let plan = frame.create_physical_plan().await.unwrap();
        assert_eq!(scanned(&plan), rows, "{filter}");
    }
}

/// The number of rows in `nights.b2z` that pass a filter. The result is compared with that of a filter on an aggregate, which is
/// never pushed down to the table.
async fn nights(filter: &str) -> String {
    let table = data("nights.b2z").display().to_string();
    let count = async |query: String| {
        let batches = context().sql(&query).await.unwrap().collect().await.unwrap();
        array_value_to_string(batches[0].column(0), 0).unwrap()
    };
    let truth = count(format!("select count(*) filter (where {filter}) from '{table}'")).await;
    let frame = context().sql(&format!("select count(*) from '{table}' where {filter}")).await.unwrap();
    let found = frame.collect().await.unwrap_or_else(|error| panic!("{filter}: {error}"));
    assert_eq!(array_value_to_string(found[0].column(0), 0).unwrap(), truth, "{filter}");
    truth
}

#[tokio::test]
async fn no_row_is_lost_to_casts_whose_ends_are_not_the_casts_of_ends() {
    assert_eq!(nights("t::time < '01:00:00'").await, "10800");
    assert_eq!(nights("try_cast(t as time) < '01:00:00'").await, "10800");
    assert_eq!(nights("t::time >= '22:00:00' and t::time < '23:00:00'").await, "10800");
    assert_eq!(nights("not (t::time > '00:00:00')").await, "3");
    assert_eq!(nights("cast(n as boolean) < true").await, "1");
    // A cast from a timestamp to a date keeps the order, so an index applies. A cast to a time of day does not, but another filter can
    // skip rows.
    let table = data("nights.b2z").display().to_string();
    for (filter, rows) in [("t::date = '2020-01-01'", 19_999), ("t::time < '01:00:00' and n between 9000 and 18000", 10_000)] {
        assert_ne!(nights(filter).await, "0");
        let frame = context().sql(&format!("select n from '{table}' where {filter}")).await.unwrap();
        assert_eq!(scanned(&frame.create_physical_plan().await.unwrap()), rows, "{filter}");
    }
}

#[tokio::test]
async fn a_value_that_no_row_of_the_result_has_ends_no_query() {
    // The cast fails only for a deleted row, or only for rows that another filter removes.
    assert_eq!(nights("cast(m as smallint) > 7.5").await, "184000");
    assert_eq!(nights("n < 100 and cast(n as smallint) > 5.5").await, "94");
}

#[tokio::test]
async fn a_filter_that_no_index_can_be_asked_ends_no_scan() {
    let provider = Provider::new(Table::open(data("nights.b2z")).unwrap());
    let context = context();
    let filters = [placeholder("$1").gt(lit(3)), col("n").gt_eq(lit(189_000))];
    let plan = provider.scan(&context.state(), None, &filters, None).await.unwrap();
    assert_eq!(scanned(&plan), 10_000);
}

#[tokio::test]
async fn partitions_are_rows_in_their_order_of_whole_batches() {
    let provider = Provider::new(Table::open(data("nights.b2z")).unwrap());
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(3));
    let filter = col("n").lt(lit(69_000)).or(col("n").gt_eq(lit(79_000)));
    let plan = provider.scan(&context.state(), Some(&vec![1]), &[filter], None).await.unwrap();
    let mut found: Vec<i32> = Vec::new();
    let mut lengths = Vec::new();
    for stream in execute_stream_partitioned(plan, context.task_ctx()).unwrap() {
        let before = found.len();
        for batch in collect(stream).await.unwrap() {
            found.extend(batch.column(0).as_primitive::<Int32Type>().values());
        }
        lengths.push(found.len() - before);
    }
    assert_eq!(lengths, [65_536, 65_536, 189_999 - 2 * 65_536]);
    // The row with -995 is deleted.
    let left = (-1000..69_000).chain(79_000..199_000).filter(|&n| n != -995);
    assert!(left.eq(found));
}

/// A directory with the members of an archive.
fn unpacked(name: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let archive = std::fs::read(data(name)).unwrap();
    let zip = b2nd_store::Zip::open(archive).unwrap();
    for name in b2nd_store::Folder::files(&zip).unwrap() {
        let path = directory.path().join(&name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let member = b2nd_store::Folder::open(&zip, &name).unwrap();
        std::fs::write(path, member.read(0..member.len().unwrap()).unwrap()).unwrap();
    }
    directory
}

/// Compares the min and max of each column that is neither nested nor a dictionary with those of the expected contents in memory.
/// Returns the columns that were not read.
async fn compare_extremes(name: &str, table: &Table, truth: RecordBatch) -> Vec<String> {
    let context = context();
    context.register_table("t", Arc::new(Provider::new(table.clone()))).unwrap();
    context.register_batch("truth", truth).unwrap();
    let mut unread = Vec::new();
    for field in table.schema().fields() {
        let kind = field.data_type();
        if kind.is_nested() || matches!(kind, DataType::Dictionary(..)) {
            continue;
        }
        let column = field.name().replace('"', "\"\"");
        let query =
            |table: &str| format!("select min(\"{column}\"), max(\"{column}\"), count(\"{column}\"), count(*) from {table}");
        let says = async |table: &str| context.sql(&query(table)).await.unwrap().collect().await.unwrap().remove(0);
        let (found, expected) = (says("t").await, says("truth").await);
        for (one, other) in found.columns().iter().zip(expected.columns()) {
            assert!(one.to_data() == other.to_data(), "{name}: {column}: {found:?}, expected {expected:?}");
        }
        let extremes = format!("select min(\"{column}\"), max(\"{column}\"), count(*) from t");
        let plan = context.sql(&extremes).await.unwrap().create_physical_plan().await.unwrap();
        if table.rows() > 0 && !displayable(plan.as_ref()).indent(false).to_string().contains("TableScan") {
            unread.push(field.name().clone());
        }
    }
    unread
}

#[tokio::test]
async fn extremes_come_from_indexes_that_are_exact() {
    let open = |name: &str| (Table::open(data(&format!("{name}.b2z"))).unwrap(), truth(&data(&format!("{name}.arrow"))));
    let (table, expected) = open("whole");
    // x has NaN, r has NaT, and w has no index.
    assert_eq!(compare_extremes("whole", &table, expected).await, ["n", "m", "z", "y", "t", "o", "p", "q"]);
    for name in ["blocks", "kinds"] {
        let (table, expected) = open(name);
        assert!(compare_extremes(name, &table, expected).await.is_empty(), "{name} has a deleted row");
    }
}

#[tokio::test]
async fn extremes_of_public_tables_are_those_of_the_truth() {
    let mut unread = 0;
    for (name, table, truth) in public() {
        unread += compare_extremes(&name, &table, truth).await.len();
    }
    assert!(unread > 50 || std::env::var_os("B2ND_TABLES").is_none(), "{unread}");
}

#[tokio::test]
async fn extremes_are_found_without_the_column_and_not_in_an_index_that_is_stale_or_damaged() {
    let directory = unpacked("whole.b2z");
    let path = |name: &str| directory.path().join(name);
    let says = async |column: &str| {
        let query = format!("select min({column}), max({column}), count(*) from '{}'", directory.path().display());
        let batches = context().sql(&query).await.unwrap().collect().await?;
        let cell = |place| array_value_to_string(batches[0].column(place), 0).unwrap();
        Ok::<_, DataFusionError>([cell(0), cell(1), cell(2)])
    };
    std::fs::rename(path("_cols/n.b2nd"), path("n")).unwrap();
    assert_eq!(says("n").await.unwrap(), ["0", "149", "300"]);
    std::fs::rename(path("n"), path("_cols/n.b2nd")).unwrap();
    let index = |name: &str| path(&format!("_indexes/{name}/summary.block.b2nd"));
    // A wrong index with the right type is used, which shows in the results. An index that is cut off is not used.
    std::fs::copy(index("z"), path("other")).unwrap();
    std::fs::copy(index("p"), index("z")).unwrap();
    assert_eq!(says("z").await.unwrap(), ["0", "298", "300"]);
    let whole = std::fs::read(index("q")).unwrap();
    std::fs::write(index("q"), &whole[..whole.len() / 2]).unwrap();
    assert_eq!(says("q").await.unwrap()[2], "300");
    std::fs::copy(index("t"), index("q")).unwrap();
    let other = says("q").await.unwrap();
    // Marks the table as changed after the index was built.
    let mut meta = b2nd_frame::File::edit(path("_meta.b2f")).unwrap();
    meta.set_vlmetalayer_bytes("value_epoch", &[0xcd, 0x01, 0x2d]).unwrap();
    drop(meta);
    assert_ne!(says("q").await.unwrap(), other);
    std::fs::remove_file(path("_cols/n.b2nd")).unwrap();
    assert!(says("n").await.is_err());
}

#[tokio::test]
async fn a_stale_index_is_not_believed() {
    let directory = unpacked("blocks.b2z");
    let count = async || {
        let query = format!("select count(*) from '{}' where t > to_timestamp_seconds(300)", directory.path().display());
        let batches = context().sql(&query).await.unwrap().collect().await.unwrap();
        array_value_to_string(batches[0].column(0), 0).unwrap()
    };
    let truth = count().await;
    assert_ne!(truth, "0");
    // The index is used, since a wrong one gives a wrong result.
    let index = |name: &str| directory.path().join(format!("_indexes/{name}/summary.block.b2nd"));
    std::fs::copy(index("z"), index("t")).unwrap();
    assert_eq!(count().await, "0");
    // Marks the table as changed after the index was built.
    let mut meta = b2nd_frame::File::edit(directory.path().join("_meta.b2f")).unwrap();
    meta.set_vlmetalayer_bytes("value_epoch", &[0xcd, 0x01, 0x2d]).unwrap();
    drop(meta);
    assert_eq!(count().await, truth);
}

#[test]
fn tables_are_joined_by_their_places_and_keys() {
    let (tree, blocks) = (data("tree.b2z"), data("blocks.b2z"));
    let (tree, blocks) = (tree.display(), blocks.display());
    let query = format!(
        "select p.name, t.name as thing, count(*) as n from '{tree}::/group/people' p join b2nd_table('{tree}', '/things') t \
         on p.n = t.n join '{blocks}' b on b.n = p.n group by 1, 2"
    );
    assert_eq!(says(&query), [json!({"name": "Ada", "thing": "spoon", "n": 2})]);
    assert_eq!(says(&format!("select count(*) as n from '{blocks}'")), [json!({"n": 275})]);
    assert_eq!(says(&format!("select n from '{blocks}' limit 3")), [json!({"n": 0}), json!({"n": 0}), json!({"n": 1})]);
    let refused = |query: &str| {
        let output = crate::files::program(&["sql", query]).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let error = refused(&format!("select * from '{tree}'"));
    assert_eq!(error, format!("error: {tree}: it holds 2 tables; choose one of them: /group/people, /things\n"));
    let error = refused(&format!("select * from b2nd_table('{tree}', '/absent')"));
    assert!(error.contains("tree.b2z::/absent: a table needs \"absent/_meta.b2f\", which is missing"), "{error}");
    let error = refused("select * from b2nd_table(3)");
    assert!(error.contains("b2nd_table takes a URL or path"), "{error}");
    let error = refused("select * from absent");
    assert!(error.contains("table 'datafusion.public.absent' not found"), "{error}");
}

#[tokio::test]
async fn limits_and_rows_of_no_columns_hold_over_partitions() {
    let partitions = SessionConfig::new().with_target_partitions(3);
    let context = with_tables(SessionContext::new_with_config(partitions));
    let table = Table::open(data("blocks.b2z")).unwrap();
    context.register_table("t", Arc::new(Provider::new(table))).unwrap();
    for (query, rows) in [
        ("select 1 from t", 275),
        ("select 1 from t where n >= 140", 20),
        ("select n from t limit 7", 7),
        ("select n from t limit 7 offset 270", 5),
        ("select n from t where n >= 140 limit 7", 7),
        ("select n from t where n >= 140 limit 700", 20),
        ("select n from t limit 0", 0),
    ] {
        assert_eq!(context.sql(query).await.unwrap().count().await.unwrap(), rows, "{query}");
        let batches = context.sql(query).await.unwrap().collect().await.unwrap();
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), rows, "{query}");
    }
}

#[test]
fn names_of_columns_reach_a_terminal_as_text() {
    let table = "(select 1 as \"a\u{1b}[31mb\", 'c' as d)";
    let shown = String::from_utf8(run(&["sql", &format!("select * from {table}")]).stdout).unwrap();
    assert!(shown.contains("| a\\u{1b}[31mb | d |"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    let output = crate::files::program(&["sql", &format!("select zz\nfrom {table}")]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("a\\u{1b}[31mb") && !error.contains('\u{1b}'), "{error:?}");
}

#[test]
fn of_a_remote_table_ranges_are_read() {
    let archive = std::fs::read(data("blocks.b2z")).unwrap();
    let server = Server::start([("blocks.b2z".to_owned(), archive)], Duration::ZERO);
    let query = format!("select count(*) as n, sum(n) as sum from '{}blocks.b2z' where n >= 140", server.url());
    assert_eq!(says(&query), [json!({"n": 20, "sum": 2890})]);
    assert!(server.answered() < 5, "{:?}", server.requests());
    let output = crate::files::program(&["sql", &format!("select * from '{}absent.b2z'", server.url())]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("absent.b2z: it does not exist"), "{error}");
}

#[test]
fn a_server_without_ranges_sends_a_table_once() {
    let archive = std::fs::read(data("blocks.b2z")).unwrap();
    let server = Server::of_kind(Kind::WithoutRanges, [("blocks.b2z".to_owned(), archive)]);
    let query = format!("select count(*) as n, sum(n) as sum from '{}blocks.b2z' where n >= 140", server.url());
    assert_eq!(says(&query), [json!({"n": 20, "sum": 2890})]);
    assert!(server.answered() <= 3, "{:?}", server.requests());
}

/// An archive in which the members of a table are between two long members, so that reading its ends does not read the table.
fn amid_noise() -> Vec<u8> {
    let table = std::fs::read(data("blocks.b2z")).unwrap();
    let zip = b2nd_store::Zip::open(table).unwrap();
    let mut state = 1_u64;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    });
    let noise: Vec<u8> = noise.take(1 << 20).collect();
    let mut members = vec![("a.noise".to_owned(), noise.clone())];
    for name in b2nd_store::Folder::files(&zip).unwrap() {
        let member = b2nd_store::Folder::open(&zip, &name).unwrap();
        let bytes = member.read(0..member.len().unwrap()).unwrap().into_owned();
        members.push((name, bytes));
    }
    members.push(("z.noise".to_owned(), noise));
    archive(members)
}

#[test]
fn of_a_large_remote_archive_the_ends_and_the_table_are_read() {
    let server = Server::start([("blocks.b2z".to_owned(), amid_noise())], Duration::ZERO);
    let query = format!("select count(*) as n, sum(n) as sum from '{}blocks.b2z' where n >= 140", server.url());
    assert_eq!(says(&query), [json!({"n": 20, "sum": 2890})]);
    let ranges = &server.requests()["/blocks.b2z"];
    assert!(ranges.iter().map(ExactSizeIterator::len).sum::<usize>() < 1 << 19, "{ranges:?}");
    assert!(ranges.iter().any(|range| range.start > 1 << 20 && range.end < 2 << 20), "{ranges:?}");
    // No block is requested twice.
    let starts: std::collections::BTreeSet<_> = ranges.iter().map(|range| range.start).collect();
    assert_eq!(starts.len(), ranges.len(), "{ranges:?}");
}

#[test]
fn what_a_server_without_ranges_has_sent_is_kept() {
    let server = Server::of_kind(Kind::WithoutRanges, [("blocks.b2z".to_owned(), amid_noise())]);
    let query = format!("select count(*) as n, sum(n) as sum from '{}blocks.b2z' where n >= 140", server.url());
    assert_eq!(says(&query), [json!({"n": 20, "sum": 2890})]);
    // At most four requests: two for the first 64 KiB and two for the whole file. Of each two, one has a range, which the server ignores.
    assert!(server.answered() <= 4, "{}", server.answered());
}
