//! Casts arrays to the type of the schema. Values do not change, except that a cast to floats may round them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, StructArray};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field};

use crate::error::{Error, Result};

/// Casts an array to the type of the schema. The types can differ, for example, in the widths of numbers and offsets, in time zones, in the
/// names of list items and in dictionary encoding. An integer that does not fit is an error. A cast to floats may round.
pub(crate) fn conform(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if array.data_type() == to {
        return Ok(array.clone());
    }
    let refused = || Error::damaged(format_args!("expected values of the Arrow type {to}, found {}", array.data_type()));
    Ok(match (array.data_type(), to) {
        (DataType::List(_), DataType::List(field)) => {
            let list = array.as_list::<i32>();
            let values = conform(list.values(), field.data_type())?;
            Arc::new(ListArray::try_new(field.clone(), list.offsets().clone(), values, list.nulls().cloned())?)
        }
        (DataType::LargeList(item), DataType::List(_)) => conform(&cast(array, &DataType::List(item.clone()))?, to)?,
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let array = array.as_struct();
            let column = |field: &Arc<Field>| {
                let column = array.column_by_name(field.name()).ok_or_else(refused)?;
                conform(column, field.data_type())
            };
            let columns = fields.iter().map(column).collect::<Result<Vec<_>>>()?;
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, array.nulls().cloned(), array.len())?)
        }
        // Only the time zone differs. The numbers are kept; a cast could shift them.
        (DataType::Timestamp(one, _), DataType::Timestamp(other, _)) if one == other => {
            arrow_array::make_array(array.to_data().into_builder().data_type(to.clone()).build()?)
        }
        (from, to) if says_the_same(from, to) => cast(array, to)?,
        _ => return Err(refused()),
    })
}

/// Returns true if a cast between these types either keeps all values or fails. Casts to floats are allowed although they round.
fn says_the_same(from: &DataType, to: &DataType) -> bool {
    match (from, to) {
        (DataType::Dictionary(_, from), to) => says_the_same(from, to),
        (from, DataType::Dictionary(_, to)) => says_the_same(from, to),
        (DataType::Utf8 | DataType::LargeUtf8, to) => matches!(to, DataType::Utf8 | DataType::LargeUtf8),
        (DataType::Binary | DataType::LargeBinary, to) => matches!(to, DataType::Binary | DataType::LargeBinary),
        (from, to) => from.is_integer() && to.is_numeric() || from.is_floating() && to.is_floating(),
    }
}

fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    Ok(cast_with_options(array, to, &CastOptions { safe: false, ..CastOptions::default() })?)
}

#[cfg(test)]
#[path = "../../tests/unit/cast.rs"]
mod tests;
