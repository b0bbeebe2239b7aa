//! [`StructParent`]: a struct whose innermost fields are stored as columns of their own.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};
use serde_json::Value;

use crate::column::cast::conform;
use crate::error::{Error, Result};
use crate::schema::spec::{Kind, Spec, expected};

/// A struct of the Arrow schema that python-blosc2 split into columns when it wrote the table.
pub(crate) struct StructParent {
    pub(crate) field: Field,
    /// The names and indices of the struct's columns, in order. The name of a column is the path of the field that it holds, such as `a.b`.
    leaves: Vec<(String, usize)>,
}

impl StructParent {
    /// Parses an entry of the schema's `struct_parents`. `places` contains the index of each column by its name.
    pub(crate) fn of(name: &str, entry: &Value, places: &BTreeMap<&str, usize>) -> Result<StructParent> {
        let wrong = |what: String| Error::damaged(format_args!("the schema's struct_parents: {what}")).in_column(name);
        let spec = Spec::of(entry).map_err(wrong)?;
        let Kind::Struct(fields) = &spec.kind else { return Err(wrong(expected(entry, "kind", "\"struct\""))) };
        let field = Field::new(unescaped(name), spec.data_type().map_err(wrong)?, true);
        let mut leaves = Vec::new();
        find(name, fields, places, &mut leaves).map_err(wrong)?;
        Ok(StructParent { field, leaves })
    }

    pub(crate) fn has(&self, column: &str) -> bool {
        self.leaves.iter().any(|(name, _)| name == column)
    }

    /// Returns the indices of the struct's columns, in order.
    pub(crate) fn columns(&self) -> Vec<usize> {
        self.leaves.iter().map(|(_, place)| *place).collect()
    }

    /// Returns the index of the struct's first column. The struct has the position of this column in the Arrow schema.
    pub(crate) fn first(&self) -> Option<usize> {
        self.leaves.iter().map(|(_, place)| *place).min()
    }

    /// Builds the struct from the arrays of its columns. A value of the struct is null if the values of all its columns are null and none
    /// of its columns is a list.
    pub(crate) fn array(&self, columns: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        let is_list = |column: &ArrayRef| matches!(column.data_type(), DataType::List(_));
        let nulls = columns.iter().map(|column| column.logical_nulls().filter(|_| !is_list(column)));
        // A value of the struct is valid if at least one of its columns is a list or has a valid value.
        let valid = nulls.reduce(|one, other| {
            let (one, other) = (one?, other?);
            Some(NullBuffer::new(one.inner() | other.inner()))
        });
        let nulls = valid.flatten().filter(|nulls| nulls.null_count() > 0);
        self.build(&escaped(self.field.name()), self.field.data_type(), columns, nulls, rows)
    }

    /// Builds the struct with this path from its columns and the structs inside it.
    fn build(&self, path: &str, of: &DataType, columns: &[ArrayRef], nulls: Option<NullBuffer>, rows: usize) -> Result<ArrayRef> {
        let DataType::Struct(fields) = of else { return Err(Error::damaged(format_args!("{of} is not a struct"))) };
        let array = |field: &Arc<Field>| {
            let path = below(path, field.name());
            match self.leaves.iter().zip(columns).find(|((name, _), _)| *name == path) {
                Some((_, column)) => conform(column, field.data_type()),
                None => self.build(&path, field.data_type(), columns, None, rows),
            }
        };
        let arrays = fields.iter().map(array).collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), arrays, nulls, rows)?))
    }
}

/// Finds the columns that belong to a struct or to the structs inside it.
fn find(
    path: &str,
    fields: &[(String, Spec)],
    places: &BTreeMap<&str, usize>,
    leaves: &mut Vec<(String, usize)>,
) -> Result<(), String> {
    for (name, spec) in fields {
        let path = below(path, name);
        match (places.get(path.as_str()), &spec.kind) {
            (Some(&place), _) => leaves.push((path, place)),
            (None, Kind::Struct(fields)) => find(&path, fields, places, leaves)?,
            (None, _) => return Err(format!("there is no column {path:?}")),
        }
    }
    Ok(())
}

/// Returns the path of a field of a struct, which is also the name of the field's column.
fn below(path: &str, name: &str) -> String {
    format!("{path}.{}", escaped(name))
}

/// Returns a name as a part of a path. [`unescaped`] is the inverse.
fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('.', "\\.").replace('/', "\\/")
}

fn unescaped(name: &str) -> String {
    let mut chars = name.chars();
    std::iter::from_fn(|| chars.next().map(|char| if char == '\\' { chars.next().unwrap_or(char) } else { char })).collect()
}
