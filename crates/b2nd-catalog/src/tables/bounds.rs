//! Determines statistics of a column without reading its values.

use b2nd_arrow::Table;
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, DataFusionError, Result, ScalarValue};
use datafusion::functions_aggregate::min_max::{MaxAccumulator, MinAccumulator};
use datafusion::logical_expr::Accumulator;

/// Returns the min, max and number of nulls of a field of the table's schema, if they are exact. DataFusion uses them to answer `min`,
/// `max` and `count`.
pub(super) fn of_column(table: &Table, place: usize) -> ColumnStatistics {
    let statistics = ColumnStatistics::new_unknown();
    let schema = table.schema();
    let name = schema.fields().get(place).map_or("", |field| field.name());
    let column = table.columns().iter().position(|column| column.name() == name && column.nulls() == "none");
    let nulls = column.and_then(|column| table.null_count(column).ok().flatten()).and_then(|nulls| usize::try_from(nulls).ok());
    let statistics = statistics.with_null_count(nulls.map_or(Precision::Absent, Precision::Exact));
    match bounds(table, place) {
        Ok(Some((min, max))) => statistics.with_min_value(Precision::Exact(min)).with_max_value(Precision::Exact(max)),
        // Without an exact index, the values are read from the table instead.
        _ => statistics,
    }
}

/// Returns the min and max of a field from its index. Returns `None` if the index does not have them exactly, for example because it
/// includes deleted rows.
fn bounds(table: &Table, place: usize) -> Result<Option<(ScalarValue, ScalarValue)>> {
    if table.rows() != table.physical_rows() {
        return Ok(None);
    }
    let Some(summary) = table.summary(place).ok().flatten().filter(|summary| summary.is_exact()) else { return Ok(None) };
    let of = summary.least().data_type();
    let (mut min, mut max) = (MinAccumulator::try_new(of)?, MaxAccumulator::try_new(of)?);
    min.update_batch(&[summary.least().clone()])?;
    max.update_batch(&[summary.greatest().clone()])?;
    let (min, max) = (min.evaluate()?, max.evaluate()?);
    // The min and max are not used if one of them is the float 0, whose sign may be wrong in the index, or if the min is greater than the
    // max, because the index is damaged.
    let is_zero = |value: &ScalarValue| {
        let zero = ScalarValue::new_zero(of)?;
        Ok::<_, DataFusionError>(of.is_floating() && (*value == zero || *value == zero.arithmetic_negate()?))
    };
    Ok((min <= max && !is_zero(&min)? && !is_zero(&max)?).then_some((min, max)))
}
