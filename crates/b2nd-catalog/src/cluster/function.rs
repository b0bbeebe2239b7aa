//! The SQL function `b2nd_header(url, size[, what])`, which returns the rows of a file as a list. `what` names parts to read in addition to
//! the header: `attributes`, `index` or `attributes,index`.

use std::sync::{Arc, LazyLock, OnceLock};

use arrow::array::{Array, AsArray, ListArray, StructArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};
use futures::{StreamExt, stream};

use crate::columns::{SCHEMA, batch};
use crate::listing::{Names, list};
use crate::place::{Object, shown};
use crate::read::all_rows;
use crate::remote::wait;
use crate::row::{Extent, Row};

static JOBS: OnceLock<usize> = OnceLock::new();

static ITEM: LazyLock<FieldRef> =
    LazyLock::new(|| Arc::new(Field::new_list_field(DataType::Struct(SCHEMA.fields().clone()), true)));

/// Sets the maximum number of files that `b2nd_header` reads at the same time, for this process. Only the first call has an effect.
pub(super) fn set_jobs(jobs: usize) {
    let _ = JOBS.set(jobs);
}

/// Creates the function `b2nd_header`.
pub(super) fn header() -> ScalarUDF {
    let exact = |types: &[DataType]| TypeSignature::Exact(types.to_vec());
    let signatures = vec![exact(&[DataType::Utf8, DataType::Int64]), exact(&[DataType::Utf8, DataType::Int64, DataType::Utf8])];
    ScalarUDF::new_from_impl(Header { signature: Signature::one_of(signatures, Volatility::Volatile) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Header {
    signature: Signature,
}

impl ScalarUDFImpl for Header {
    fn name(&self) -> &str {
        "b2nd_header"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::List(ITEM.clone()))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let (urls, sizes) = (arrays[0].as_string::<i32>(), arrays[1].as_primitive::<Int64Type>());
        let what = arrays.get(2).map(|what| what.as_string::<i32>());
        let asked = |row: usize, name: &str| {
            what.is_some_and(|what| what.is_valid(row) && what.value(row).split(',').any(|word| word == name))
        };
        let files: Vec<_> = (0..urls.len())
            .map(|row| {
                let size = sizes.is_valid(row).then(|| sizes.value(row)).and_then(|size| size.try_into().ok());
                let extent = Extent { attributes: asked(row, "attributes"), index: asked(row, "index") };
                (urls.is_valid(row).then(|| urls.value(row).to_owned()), size, extent)
            })
            .collect();
        let each = |(url, size, extent): (Option<String>, _, _)| async move {
            match url {
                Some(url) => file(url, size, extent).await,
                None => Vec::new(),
            }
        };
        // This thread of the query engine waits until its batch of files has been read.
        let read = stream::iter(files).map(each).buffered(JOBS.get().copied().unwrap_or(256)).collect::<Vec<Vec<Row>>>();
        let read = wait(read).map_err(|error| DataFusionError::Execution(error.to_string()))?;
        let offsets = OffsetBuffer::from_lengths(read.iter().map(Vec::len));
        let rows = StructArray::from(batch(&read.iter().flatten().collect::<Vec<_>>())?);
        Ok(ColumnarValue::Array(Arc::new(ListArray::try_new(ITEM.clone(), offsets, Arc::new(rows), None)?)))
    }
}

/// Reads a file that is listed in a manifest, and returns the catalogue's rows for it.
async fn file(url: String, size: Option<u64>, extent: Extent) -> Vec<Row> {
    // If a store is a directory, the process that reads the store also lists its files.
    let object = if url.ends_with(".b2d") {
        match list(&format!("{url}/"), Names::default()).await.next().await {
            Some(Ok(object)) => Ok(object),
            Some(Err(unlisted)) => Err(unlisted.message),
            None => Err("it does not exist".to_owned()),
        }
    } else {
        Object::of(&url).map(|object| Object { size, ..object }).map_err(|error| format!("{error:#}"))
    };
    let url = shown(&url);
    match object {
        Ok(object) => match tokio::spawn(all_rows(object, extent)).await {
            Ok(rows) => rows,
            Err(error) => vec![Row { url, error: Some(error.to_string()), ..Row::default() }],
        },
        Err(message) => vec![Row { url, error: Some(message), ..Row::default() }],
    }
}
