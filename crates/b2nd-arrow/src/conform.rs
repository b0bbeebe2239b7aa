//! Arrays of one type as those of another that says the same.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, GenericByteArray, LargeBinaryArray, LargeStringArray, ListArray,
    OffsetSizeTrait, PrimitiveArray, StringArray, StructArray, types::ByteArrayType,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;

use crate::error::{Error, Result};
use crate::strings::too_long;
use crate::words::Words;

/// The array as one of the type that the schema says: offsets and names of fields may differ, values not.
pub(crate) fn conform(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if array.data_type() == to {
        return Ok(array.clone());
    }
    let refused = || Error::damaged(format_args!("expected {to}, found {}", array.data_type()));
    Ok(match (array.data_type(), to) {
        (DataType::Utf8, DataType::LargeUtf8) => {
            let array = array.as_string::<i32>();
            Arc::new(LargeStringArray::try_new(offsets(array)?, array.values().clone(), array.nulls().cloned())?)
        }
        (DataType::LargeUtf8, DataType::Utf8) => {
            let array = array.as_string::<i64>();
            Arc::new(StringArray::try_new(offsets(array)?, array.values().clone(), array.nulls().cloned())?)
        }
        (DataType::Binary, DataType::LargeBinary) => {
            let array = array.as_binary::<i32>();
            Arc::new(LargeBinaryArray::try_new(offsets(array)?, array.values().clone(), array.nulls().cloned())?)
        }
        (DataType::LargeBinary, DataType::Binary) => {
            let array = array.as_binary::<i64>();
            Arc::new(BinaryArray::try_new(offsets(array)?, array.values().clone(), array.nulls().cloned())?)
        }
        (DataType::List(_), DataType::List(field)) => {
            let list = array.as_list::<i32>();
            let values = conform(list.values(), field.data_type())?;
            Arc::new(ListArray::try_new(field.clone(), list.offsets().clone(), values, list.nulls().cloned())?)
        }
        (DataType::LargeList(_), DataType::List(field)) => {
            let list = array.as_list::<i64>();
            let values = conform(list.values(), field.data_type())?;
            Arc::new(ListArray::try_new(field.clone(), small(list.offsets())?, values, list.nulls().cloned())?)
        }
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let array = array.as_struct();
            let column = |field: &arrow_schema::FieldRef| {
                let column = array.column_by_name(field.name()).ok_or_else(refused)?;
                conform(column, field.data_type())
            };
            let columns = fields.iter().map(column).collect::<Result<Vec<_>>>()?;
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, array.nulls().cloned(), array.len())?)
        }
        (DataType::Dictionary(_, _), DataType::Utf8 | DataType::LargeUtf8) => {
            let array = array.as_any_dictionary();
            if array.values().is_empty() {
                return Ok(arrow_array::new_null_array(to, array.len()));
            }
            let keys: ArrayRef = Arc::new(PrimitiveArray::<arrow_array::types::UInt64Type>::new(
                array.normalized_keys().into_iter().map(|key| key as u64).collect::<ScalarBuffer<u64>>(),
                array.nulls().cloned(),
            ));
            conform(&arrow_select::take::take(array.values(), &keys, None)?, to)?
        }
        // Text as a dictionary of it.
        (DataType::Utf8 | DataType::LargeUtf8, DataType::Dictionary(key, value)) if is_of_text(key, value) => {
            let large = conform(array, &DataType::LargeUtf8)?;
            let (mut words, mut codes) = (Words::default(), Vec::with_capacity(array.len()));
            for word in large.as_string::<i64>() {
                codes.push(word.map_or(Ok(0), |word| words.code(word))?);
            }
            let keys = PrimitiveArray::<Int32Type>::try_new(ScalarBuffer::from(codes), array.nulls().cloned())?;
            Arc::new(DictionaryArray::try_new(keys, words.finish()?)?)
        }
        (DataType::Dictionary(_, _), DataType::Dictionary(key, value)) if is_of_text(key, value) => {
            conform(&conform(array, &DataType::Utf8)?, to)?
        }
        // The zone of a time.
        (DataType::Timestamp(one, _), DataType::Timestamp(other, _)) if one == other => {
            let data = array.to_data().into_builder().data_type(to.clone()).build()?;
            arrow_array::make_array(data)
        }
        _ => return Err(refused()),
    })
}

fn is_of_text(key: &DataType, value: &DataType) -> bool {
    (key, value) == (&DataType::Int32, &DataType::Utf8)
}

fn offsets<T: ByteArrayType, O: OffsetSizeTrait>(array: &GenericByteArray<T>) -> Result<OffsetBuffer<O>> {
    small(array.offsets())
}

/// Offsets of another width.
fn small<A: OffsetSizeTrait, B: OffsetSizeTrait>(offsets: &OffsetBuffer<A>) -> Result<OffsetBuffer<B>> {
    let one = |at: &A| B::from_usize(at.as_usize()).ok_or_else(|| too_long(at.as_usize() as u64));
    Ok(OffsetBuffer::new(offsets.iter().map(one).collect::<Result<Vec<B>>>()?.into()))
}
