//! Creates the content of `zarr.json` from the metadata of a frame. `import.rs` reads the metadata of Zarr arrays of versions 2 and 3.

use b2nd::dtype::{ByteOrder, DType, ScalarType};
use b2nd::{ArrayMeta, Geometry};
use b2nd_ndarray::Array;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::data_type::{ZarrType, to_zarr};
use crate::error::{Error, Result};

/// The name of the metadata file of an array or a group in Zarr version 3.
pub(crate) const FILE: &str = "zarr.json";

/// Returns the Zarr data type for an array's elements.
pub(crate) fn zarr_type(meta: &ArrayMeta<&str>) -> Result<ZarrType> {
    let unknown = || Error::NoDataType { dtype: meta.dtype().unwrap_or("elements of a missing or unknown dtype").to_owned() };
    to_zarr(&meta.parse_dtype()?.ok_or_else(unknown)?)
}

pub(crate) fn array(
    shape: &[i64],
    chunkshape: &[u64],
    zarr: &ZarrType,
    codecs: Vec<Value>,
    attributes: Map<String, Value>,
    names: Option<Vec<String>>,
) -> Value {
    let mut array = json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": zarr.data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunkshape}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": zarr.fill_value,
        "codecs": codecs,
        "attributes": attributes,
    });
    if let Some(names) = names {
        array["dimension_names"] = json!(names);
    }
    array
}

/// The attribute with the names of the dimensions, in a frame.
pub(crate) const NAMES: &str = "dims";

/// Takes the names of the dimensions from the attributes: from `dims`, or from the attribute that xarray writes into Zarr version 2.
pub(crate) fn take_names(attributes: &mut Map<String, Value>, ndim: usize) -> Option<Vec<String>> {
    let (name, names) = [NAMES, "_ARRAY_DIMENSIONS"].into_iter().find_map(|name| {
        let names: Vec<String> = serde_json::from_value(attributes.get(name)?.clone()).ok()?;
        (names.len() == ndim && ndim != 0).then_some((name, names))
    })?;
    attributes.remove(name);
    Some(names)
}

/// Replaces the objects that represent NaN and infinities with null, as in `JSON.stringify`.
fn without_floats(value: &mut Value) {
    match value {
        Value::Object(fields) if fields.len() == 1 && fields.get("float").is_some_and(Value::is_string) => *value = Value::Null,
        Value::Object(fields) => fields.values_mut().for_each(without_floats),
        Value::Array(items) => items.iter_mut().for_each(without_floats),
        _ => {}
    }
}

/// Returns the shape of the Zarr chunks. Each length is at least 1, even if the array has no elements.
pub(crate) fn chunkshape(geometry: &Geometry) -> Vec<u64> {
    geometry.chunkshape().iter().map(|&length| u64::from(length.unsigned_abs().max(1))).collect()
}

/// Returns the codec `bytes` as an entry of `zarr.json`. The byte order is left out if the elements do not have one.
pub(crate) fn bytes(zarr: &ZarrType, order: Option<ByteOrder>) -> Value {
    match order.filter(|_| zarr.word > 1) {
        Some(ByteOrder::Little) => json!({"name": "bytes", "configuration": {"endian": "little"}}),
        Some(ByteOrder::Big) => json!({"name": "bytes", "configuration": {"endian": "big"}}),
        None => json!({"name": "bytes"}),
    }
}

/// Returns the Zarr codecs, as entries of `zarr.json`, that read the array's chunks as they are stored in the frame.
pub(crate) fn codecs(geometry: &Geometry, zarr: &ZarrType, compressor: &Value) -> Vec<Value> {
    let pairs: Vec<_> =
        geometry.chunkshape().iter().zip(geometry.blockshape()).map(|(&chunk, &block)| (chunk.max(1), block.max(1))).collect();
    let bytes = bytes(zarr, zarr.order);
    let blosc2 = json!({"name": "blosc2", "configuration": compressor});
    let divides = pairs.iter().all(|(chunk, block)| chunk % block == 0);
    if divides && pairs.iter().skip(1).all(|(chunk, block)| chunk == block) {
        return vec![bytes, blosc2];
    }
    if divides {
        let shape: Vec<_> = pairs.iter().flat_map(|(chunk, block)| [chunk / block, *block]).collect();
        let order: Vec<_> = (0..shape.len()).step_by(2).chain((1..shape.len()).step_by(2)).collect();
        return vec![
            json!({"name": "reshape", "configuration": {"shape": shape}}),
            json!({"name": "transpose", "configuration": {"order": order}}),
            bytes,
            blosc2,
        ];
    }
    let mut configuration =
        json!({"block_shape": pairs.iter().map(|(_, block)| block).collect::<Vec<_>>(), "compressor": compressor});
    if let Some(endian) = bytes["configuration"].get("endian") {
        configuration["endian"] = endian.clone();
    }
    vec![json!({"name": "b2nd", "configuration": configuration})]
}

/// The attribute with the value of missing elements. If the elements are floats, xarray writes the value as a double in base64, and reads
/// nothing else.
pub(crate) const FILL_VALUE: &str = "_FillValue";

pub(crate) fn is_float(dtype: &DType) -> bool {
    let DType::Scalar(scalar) = dtype else { return false };
    matches!(scalar.scalar_type(), ScalarType::Float16 | ScalarType::Float32 | ScalarType::Float64)
}

/// Converts attributes to JSON. The [`FILL_VALUE`] of floats is a double in base64. NaN and infinities become null. Other values that JSON
/// cannot represent become objects, in the form in which [`b2nd::Value`] is serialized. Attributes that are not MessagePack, or whose names
/// are not UTF-8, become null.
pub(crate) fn attributes(array: &Array) -> Result<Map<String, Value>> {
    let found = array.attributes()?;
    let mut attributes = Map::new();
    for name in found.names() {
        let name = String::from_utf8_lossy(name).into_owned();
        let content = found.bytes(&name)?.unwrap_or_default();
        if name == FILL_VALUE
            && array.dtype().is_some_and(is_float)
            && let Ok(number) = b2nd::msgpack::from_slice::<f64>(&content)
        {
            attributes.insert(name, json!(STANDARD.encode(number.to_le_bytes())));
            continue;
        }
        let value = b2nd_store::value::read(&content).and_then(|value| serde_json::to_value(value).ok());
        let mut value = value.unwrap_or_default();
        without_floats(&mut value);
        attributes.insert(name, value);
    }
    Ok(attributes)
}
