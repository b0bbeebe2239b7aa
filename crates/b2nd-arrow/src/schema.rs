//! [`ColumnInfo`]: a column, as the table's own schema describes it. This module also creates the Arrow schema of the table.

pub(crate) mod numpy_dtype;
pub(crate) mod spec;
pub(crate) mod struct_parent;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde_json::Value;

use crate::column::nulls::Nulls;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::spec::{Kind, Spec, expected};
use crate::schema::struct_parent::StructParent;

/// The source of the values of a field of the Arrow schema.
pub(crate) enum Output {
    /// The column with this index.
    Column(usize),
    /// Several columns, which are the parts of a struct.
    Struct(StructParent),
}

/// A column, as the table's own schema describes it.
#[derive(Clone, Debug)]
pub struct ColumnInfo {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) spec: Spec,
    pub(crate) data_type: Result<DataType, String>,
}

impl ColumnInfo {
    /// Returns the column's name in the table's schema, which is its name in python-blosc2. The field in the Arrow schema can have another
    /// name: for example, a column that is a part of a struct has the path of the part as its name, but the field is the whole struct.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the column's kind in the schema, such as `int32`, `utf8` or `list`, or `computed` if the values are computed when they are
    /// read.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns how the column stores nulls: `mask` (in a file), `value` (as a value that marks nulls), `code` (as a code of the
    /// dictionary), `cell` (as null in the cell), or `none` (also for many columns without an Arrow type, such as computed columns, and
    /// for columns of times in which only NaT is null).
    pub fn nulls(&self) -> &'static str {
        match (&self.spec.kind, &self.spec.nulls) {
            (Kind::Dictionary(_), _) => "code",
            (Kind::VlString | Kind::VlBytes | Kind::Object | Kind::Struct(_) | Kind::List(..), _) => "cell",
            (_, Nulls::None) => "none",
            (_, Nulls::Mask) => "mask",
            (_, Nulls::Sentinel(_)) => "value",
        }
    }

    /// Returns the Arrow type of the values.
    ///
    /// # Errors
    ///
    /// If the column has no Arrow type or its values are stale, so that it is not in [`Table::schema`](crate::Table::schema), returns a
    /// sentence that explains why.
    pub fn data_type(&self) -> std::result::Result<&DataType, &str> {
        self.data_type.as_ref().map_err(String::as_str)
    }
}

/// Returns the columns that the schema lists. Computed columns come last. If `objects` is true, columns of objects are read as JSON text.
pub(crate) fn columns_of(metadata: &Value, objects: bool) -> Result<Vec<ColumnInfo>> {
    let listed = |key: &str| metadata.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let unnamed = |column| Error::damaged(format_args!("the schema: a column: {}", expected(column, "name", "a string")));
    let stale = b2nd_store::Table::stale_columns(metadata);
    if !metadata.get("columns").is_some_and(Value::is_array) {
        return Err(Error::damaged(format_args!("the schema: {}", expected(metadata, "columns", "a list"))));
    }
    let mut names = BTreeSet::new();
    for name in ["columns", "computed_columns"].into_iter().flat_map(listed).filter_map(|column| column.get("name")?.as_str()) {
        if !names.insert(name) {
            return Err(Error::damaged("the schema: two columns have this name").in_column(name));
        }
    }
    let mut columns = Vec::new();
    for column in listed("columns") {
        let name = text(column, "name").ok_or_else(|| unnamed(column))?;
        let mut spec = Spec::of(column).map_err(|error| Error::damaged(format_args!("the schema: {error}")).in_column(&name))?;
        let kind = text(column, "kind").unwrap_or_default();
        if objects && kind == "object" {
            spec.kind = Kind::Object;
        }
        let data_type = match stale.contains(&name) {
            true => Err("it is computed from columns that have changed since, so its values are stale".to_owned()),
            false => spec.data_type(),
        };
        columns.push(ColumnInfo { name, kind, data_type, spec });
    }
    for column in listed("computed_columns") {
        let name = text(column, "name").ok_or_else(|| unnamed(column))?;
        let of = column.get("col_deps").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let of: Vec<_> = of.map(|name| format!("{name:?}")).collect();
        let of = if of.is_empty() { String::new() } else { format!("from {} ", of.join(", ")) };
        let what = text(column, "expression").map_or("with Python code".to_owned(), |it| format!("with the expression {it:?}"));
        let why = format!("its values are not in a file: python-blosc2 computes them {of}{what}");
        let spec = Spec { kind: Kind::Refused(why), nulls: Nulls::None };
        columns.push(ColumnInfo { name, kind: "computed".to_owned(), data_type: spec.data_type(), spec });
    }
    Ok(columns)
}

/// Creates the Arrow schema, and returns the source of the values of each field. A struct whose parts are columns has the position of
/// its first column.
pub(crate) fn outputs_of(columns: &[ColumnInfo], metadata: &Value) -> Result<(Vec<Output>, SchemaRef)> {
    let metadata = metadata.get("metadata");
    let parents = metadata.and_then(|metadata| metadata.get("struct_parents")).and_then(Value::as_object);
    let places: BTreeMap<&str, usize> = columns.iter().enumerate().map(|(place, column)| (column.name.as_str(), place)).collect();
    let mut parents =
        parents.into_iter().flatten().map(|(name, spec)| StructParent::of(name, spec, &places)).collect::<Result<Vec<_>>>()?;
    let root = metadata.and_then(|metadata| metadata.get("nested")?.get("root")?.get("physical")?.as_str());
    let parts: BTreeSet<usize> = parents.iter().flat_map(StructParent::columns).collect();
    let (mut outputs, mut fields) = (Vec::new(), Vec::new());
    for (place, column) in columns.iter().enumerate() {
        if let Some(at) = parents.iter().position(|parent| parent.first() == Some(place)) {
            let parent = parents.swap_remove(at);
            if parent.columns().iter().all(|&leaf| columns.get(leaf).is_some_and(|leaf| leaf.data_type.is_ok())) {
                fields.push(parent.field.clone());
                outputs.push(Output::Struct(parent));
            }
            continue;
        }
        if column.data_type.is_err() || parts.contains(&place) {
            continue;
        }
        let name = if root == Some(column.name.as_str()) && !column.name.is_empty() { "" } else { &column.name };
        let field = column.spec.field(name).map_err(|why| Error::new(ErrorKind::Refused, why).in_column(&column.name))?;
        fields.push(field);
        outputs.push(Output::Column(place));
    }
    Ok((outputs, Arc::new(Schema::new(fields.into_iter().map(Arc::<Field>::from).collect::<Vec<_>>()))))
}
