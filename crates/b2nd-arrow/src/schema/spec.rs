//! [`Spec`]: how the schema describes a column, the items of a list or the field of a struct.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, TimeUnit};
use serde_json::Value;

use crate::column::nulls::Nulls;
use crate::schema::numpy_dtype::{self, time_unit};

/// The key in the metadata of an Arrow field under which the shape of an ndarray column's rows is stored. python-blosc2 uses the same key.
const SHAPE: &str = "blosc2:ndarray_shape";

/// The keys that any column may have.
const COMMON: [&str; 8] = ["name", "kind", "nullable", "default", "cparams", "dparams", "chunks", "blocks"];

/// Returns the keys that python-blosc2 4.14.1 accepts for a kind in addition to `COMMON`, or `None` if the keys are not checked.
fn keys(kind: &str) -> Option<&'static [&'static str]> {
    Some(match kind {
        "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64" | "float32" | "float64" => {
            &["ge", "gt", "le", "lt", "null_value", "null_storage"]
        }
        "bool" | "utf8" | "complex64" | "complex128" => &["null_value", "null_storage"],
        "string" => &["min_length", "max_length", "pattern", "null_value", "null_storage"],
        "bytes" => &["min_length", "max_length", "null_value", "null_storage"],
        "timestamp" => &["unit", "timezone", "null_value", "null_storage"],
        "vlstring" | "vlbytes" | "object" => &["serializer", "batch_rows", "items_per_block"],
        "ndarray" => &["item_shape", "dtype_str", "null_value", "null_storage", "bool_widened_to_uint8"],
        "dictionary" => &["index_type", "value_type", "ordered", "null_code"],
        // The last two keys are used only in the metalayer of a file of lists, not in schemas of tables.
        "list" => &["item", "storage", "serializer", "batch_rows", "items_per_block", "version", "backend"],
        _ => return None,
    })
}

/// The type of a column, of list items or of a struct's field, and how nulls are stored.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Spec {
    pub(crate) kind: Kind,
    pub(crate) nulls: Nulls,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Kind {
    /// Values of this Arrow type, which have a fixed width. A nullable `bool` may be stored as 0, 1 and another number for null.
    Element(DataType),
    /// An array in each row: the type of its elements, and its shape.
    NdArray(DataType, Vec<u64>),
    Utf8,
    VlString,
    VlBytes,
    Dictionary(Dictionary),
    Struct(Vec<(String, Spec)>),
    List(Box<Spec>, Storage),
    /// Any object, as JSON text.
    Object,
    /// Cells of Arrow IPC in a file that is not part of a table, with the type that the file gives.
    Arrow(DataType),
    /// Values without an Arrow type, and the reason.
    Refused(String),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Dictionary {
    pub(crate) is_ordered: bool,
    pub(crate) null_code: i32,
}

/// The form in which the cells of a column of lists are stored.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Storage {
    /// Batches of cells.
    Batches,
    /// One chunk for each cell.
    Cells,
}

impl Spec {
    /// Parses an entry of the schema.
    ///
    /// # Errors
    ///
    /// If a key is missing, is unknown or has a wrong value, returns a sentence that explains the error.
    pub(crate) fn of(spec: &Value) -> Result<Spec, String> {
        let text = |key: &str| spec.get(key).and_then(Value::as_str);
        let flag = |key: &str| spec.get(key).and_then(Value::as_bool).unwrap_or(false);
        let kind = text("kind").ok_or_else(|| expected(spec, "kind", "a string"))?;
        if let Some(known) = keys(kind) {
            let is_known = |key: &&String| known.contains(&key.as_str()) || COMMON.contains(&key.as_str());
            if let Some(key) = spec.as_object().into_iter().flat_map(|spec| spec.keys()).find(|key| !is_known(key)) {
                return Err(format!(
                    "the key {key:?} is unknown for the kind {kind:?}: python-blosc2 4.14.1 rejects unknown keys"
                ));
            }
        }
        let kind = match kind {
            "bool" => Kind::Element(DataType::Boolean),
            "string" => Kind::Element(DataType::Utf8),
            "bytes" => Kind::Element(DataType::LargeBinary),
            "timestamp" => Kind::Element(DataType::Timestamp(unit(spec)?, text("timezone").map(Arc::from))),
            "utf8" => Kind::Utf8,
            "vlstring" => Kind::VlString,
            "vlbytes" => Kind::VlBytes,
            "ndarray" => ndarray(spec)?,
            "dictionary" => {
                let code = spec.get("null_code").and_then(Value::as_i64).unwrap_or(-1);
                let null_code = i32::try_from(code).map_err(|_| format!("null_code: expected a 32-bit integer, found {code}"))?;
                Kind::Dictionary(Dictionary { is_ordered: flag("ordered"), null_code })
            }
            "struct" => Kind::Struct(fields(spec)?),
            "list" => list(spec)?,
            "object" => Kind::Refused("values of the kind object have no declared type".to_owned()),
            kind => match number(kind) {
                Some(element) => Kind::Element(element),
                None => Kind::Refused(format!("the kind {kind:?} is not supported")),
            },
        };
        Ok(Spec { kind, nulls: Nulls::of(spec) })
    }

    /// Parses the entry of a list's items or of a struct's field. Complex numbers are refused, because they are not supported inside lists
    /// and structs.
    fn of_cells(spec: &Value) -> Result<Spec, String> {
        let mut spec = Spec::of(spec)?;
        if matches!(&spec.kind, Kind::Element(element) if numpy_dtype::is_complex(element)) {
            spec.kind = Kind::Refused("complex numbers inside of lists or structs are not supported".to_owned());
        }
        Ok(spec)
    }

    /// Returns the Arrow type. For complex numbers, it is a struct of `re` and `im`.
    ///
    /// # Errors
    ///
    /// If there is no Arrow type, returns a sentence that explains why.
    pub(crate) fn data_type(&self) -> Result<DataType, String> {
        Ok(match &self.kind {
            Kind::Element(element) => element.clone(),
            Kind::NdArray(element, shape) => {
                let length = i32::try_from(shape.iter().fold(1_u64, |length, &axis| length.saturating_mul(axis)));
                let length = length.map_err(|_| format!("a row of the shape {shape:?} has more than 2^31 - 1 elements"))?;
                DataType::FixedSizeList(Arc::new(item(element.clone())), length)
            }
            Kind::Utf8 => DataType::LargeUtf8,
            Kind::VlString | Kind::Object => DataType::Utf8,
            Kind::VlBytes => DataType::LargeBinary,
            Kind::Dictionary(_) => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            Kind::Struct(fields) => {
                let fields = fields.iter().map(|(name, spec)| spec.field(name)).collect::<Result<Fields, _>>()?;
                DataType::Struct(fields)
            }
            Kind::List(spec, _) => DataType::List(Arc::new(spec.field(Field::LIST_FIELD_DEFAULT_NAME)?)),
            Kind::Arrow(data_type) => data_type.clone(),
            Kind::Refused(why) => return Err(why.clone()),
        })
    }

    /// Creates an Arrow field of this type, with the given name.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`data_type`](Spec::data_type).
    pub(crate) fn field(&self, name: &str) -> Result<Field, String> {
        let field = Field::new(name, self.data_type()?, true);
        Ok(match &self.kind {
            Kind::NdArray(_, shape) => field.with_metadata([(SHAPE.to_owned(), format!("{shape:?}"))].into()),
            Kind::Dictionary(dictionary) => field.with_dict_is_ordered(dictionary.is_ordered),
            _ => field,
        })
    }
}

/// Creates the field for the items of lists.
pub(crate) fn item(data_type: DataType) -> Field {
    Field::new(Field::LIST_FIELD_DEFAULT_NAME, data_type, true)
}

/// Returns the type of the numbers of a kind. The kind has a name from NumPy, such as `int8` or `complex128`.
fn number(kind: &str) -> Option<DataType> {
    let (name, bits) = kind.split_at_checked(kind.find(|char: char| char.is_ascii_digit())?)?;
    let code = matches!(name, "int" | "uint" | "float" | "complex").then(|| name.get(..1))??;
    keys(kind).and_then(|_| numpy_dtype::data_type(&format!("<{code}{}", bits.parse::<u32>().ok()? / 8)).ok())
}

fn unit(spec: &Value) -> Result<TimeUnit, String> {
    spec["unit"].as_str().and_then(time_unit).ok_or_else(|| expected(spec, "unit", "s, ms, us or ns"))
}

/// Returns the sentence for a key whose value is missing or is not what is expected.
pub(crate) fn expected(object: &Value, key: &str, expected: &str) -> String {
    let found = object.get(key).map_or("nothing".to_owned(), |value| b2nd_store::text::shortened(value.to_string(), 80));
    format!("{key}: expected {expected}, found {found}")
}

fn ndarray(spec: &Value) -> Result<Kind, String> {
    let dtype = spec.get("dtype_str").and_then(Value::as_str).ok_or_else(|| expected(spec, "dtype_str", "a string"))?;
    let unfit = || expected(spec, "item_shape", "a list of integers from 0 to 2147483647");
    let shape = spec.get("item_shape").and_then(Value::as_array).ok_or_else(unfit)?;
    let shape = shape.iter().map(|axis| axis.as_u64().filter(|&axis| axis <= i32::MAX as u64));
    let shape: Vec<u64> = shape.collect::<Option<_>>().ok_or_else(unfit)?;
    Ok(match numpy_dtype::data_type(dtype) {
        Ok(element) => Kind::NdArray(element, shape),
        Err(why) => Kind::Refused(why),
    })
}

fn fields(spec: &Value) -> Result<Vec<(String, Spec)>, String> {
    let fields = spec.get("fields").and_then(Value::as_array).ok_or_else(|| expected(spec, "fields", "a list"))?;
    let field = |field: &Value| {
        let unnamed = || format!("a field: {}", expected(field, "name", "a string"));
        let name = field.get("name").and_then(Value::as_str).ok_or_else(unnamed)?;
        let mut spec = Spec::of_cells(field).map_err(|error| format!("field {name:?}: {error}"))?;
        if let Kind::Refused(why) = &spec.kind {
            spec.kind = Kind::Refused(format!("field {name:?}: {why}"));
        }
        Ok((name.to_owned(), spec))
    };
    fields.iter().map(field).collect()
}

fn list(spec: &Value) -> Result<Kind, String> {
    let item = Spec::of_cells(spec.get("item").ok_or("item: expected the type of the list's items, found nothing")?)?;
    let nullable = spec.get("item").and_then(|item| item.get("nullable")).and_then(Value::as_bool).unwrap_or(false);
    if nullable && item.kind == Kind::Element(DataType::Boolean) {
        return Ok(Kind::Refused("lists of bools that may be null are not supported".to_owned()));
    }
    let text = |key: &str| spec.get(key).and_then(Value::as_str);
    let storage = match (text("storage").unwrap_or("batch"), text("serializer").unwrap_or("msgpack")) {
        ("batch", "msgpack" | "arrow") => Storage::Batches,
        ("vl", "msgpack") => Storage::Cells,
        (storage, serializer) => {
            return Ok(Kind::Refused(format!("the storage {storage:?} with the serializer {serializer:?} is not supported")));
        }
    };
    Ok(Kind::List(Box::new(item), storage))
}
