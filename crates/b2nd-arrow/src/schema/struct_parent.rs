//! [`StructParent`]: a struct whose leaves are columns of their own.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, Field};
use serde_json::Value;

use crate::column::cast::conform;
use crate::column::nulls::some_nulls;
use crate::error::{Error, Result};
use crate::schema::spec::{Kind, Spec};

/// A struct that was split into columns when it was written.
pub(crate) struct StructParent {
    field: Field,
    leaves: Vec<(String, usize)>,
    tree: Vec<Node>,
}

/// A field of the struct: a column, by its index among the leaves, or another struct.
enum Node {
    Leaf(usize),
    Struct(Vec<Node>),
}

impl StructParent {
    /// Parses an entry of the schema's `struct_parents`. `places` contains the index of each column by its name.
    pub(crate) fn of(name: &str, spec: &Value, places: &BTreeMap<&str, usize>) -> Result<StructParent> {
        let wrong = |what: String| Error::damaged(format_args!("the schema's struct_parents: {what}")).in_column(name);
        let spec = Spec::of(spec).map_err(wrong)?;
        let Kind::Struct(fields) = &spec.kind else { return Err(wrong("expected a struct".to_owned())) };
        let field = Field::new(name, spec.data_type().map_err(wrong)?, true);
        let mut leaves = Vec::new();
        let tree = nodes(name, fields, places, &mut leaves).map_err(wrong)?;
        Ok(StructParent { field, leaves, tree })
    }

    pub(crate) fn field(&self) -> Field {
        self.field.clone()
    }

    pub(crate) fn has(&self, column: &str) -> bool {
        self.leaves.iter().any(|(name, _)| name == column)
    }

    /// Returns the indices of the struct's columns, in order.
    pub(crate) fn columns(&self) -> Vec<usize> {
        self.leaves.iter().map(|(_, place)| *place).collect()
    }

    /// Returns the index of the struct's first column, whose position the struct takes.
    pub(crate) fn first(&self) -> Option<usize> {
        self.leaves.iter().map(|(_, place)| *place).min()
    }

    /// Builds the struct from the arrays of its columns. A struct value is null if all its columns are null and none of them is a list.
    pub(crate) fn array(&self, columns: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        let is_list = |column: &ArrayRef| matches!(column.data_type(), DataType::List(_));
        let nulls = columns.iter().map(|column| column.logical_nulls().filter(|_| !is_list(column)));
        // A value of the struct is valid if the value of one of its columns is valid.
        let valid = nulls.reduce(|one, other| {
            let (one, other) = (one?, other?);
            Some(NullBuffer::new(one.inner() | other.inner()))
        });
        let valid = valid.flatten().map_or_else(|| BooleanBuffer::new_set(rows), |nulls| nulls.inner().clone());
        build(&self.tree, self.field.data_type(), columns, Some(valid), rows)
    }
}

fn nodes(
    path: &str,
    fields: &[(String, Spec)],
    places: &BTreeMap<&str, usize>,
    leaves: &mut Vec<(String, usize)>,
) -> Result<Vec<Node>, String> {
    let node = |(name, spec): &(String, Spec)| {
        let path = format!("{path}.{}", name.replace('\\', "\\\\").replace('.', "\\."));
        match (places.get(path.as_str()), &spec.kind) {
            (Some(&place), _) => {
                leaves.push((path, place));
                Ok(Node::Leaf(leaves.len() - 1))
            }
            (None, Kind::Struct(fields)) => Ok(Node::Struct(nodes(&path, fields, places, leaves)?)),
            (None, _) => Err(format!("there is no column {path:?}")),
        }
    };
    fields.iter().map(node).collect()
}

fn build(
    tree: &[Node],
    data_type: &DataType,
    columns: &[ArrayRef],
    valid: Option<BooleanBuffer>,
    rows: usize,
) -> Result<ArrayRef> {
    let DataType::Struct(fields) = data_type else { return Err(Error::damaged(format_args!("{data_type} is not a struct"))) };
    let array = |(node, field): (&Node, &Arc<Field>)| match node {
        Node::Leaf(at) => {
            let column = columns.get(*at).ok_or_else(|| Error::damaged("a column of the struct is missing"))?;
            conform(column, field.data_type())
        }
        Node::Struct(tree) => build(tree, field.data_type(), columns, None, rows),
    };
    let arrays = tree.iter().zip(fields).map(array).collect::<Result<Vec<_>>>()?;
    let nulls = valid.and_then(some_nulls);
    Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), arrays, nulls, rows)?))
}
