//! The names of the dimensions of a dataset, which netCDF stores as references to other datasets.

use std::collections::HashMap;
use std::iter::successors;
use std::sync::{Mutex, PoisonError};

use hdf5_reader::reference::resolve_object_reference;
use hdf5_reader::{Attribute, Dataset, Datatype, Hdf5File, ReferenceType};

/// The attribute with the names.
pub(crate) const DIMS: &str = "dims";

/// The attribute with a list of references for each dimension, of which the first names it. The references are to dimension scales: datasets
/// with the coordinates along a dimension.
pub(crate) const LIST: &str = "DIMENSION_LIST";

/// The names of scales that were found, by the group that they were looked up in and their address. A search reads all links of a group.
pub(crate) type Scales = Mutex<HashMap<(String, u64), Option<String>>>;

/// Returns the names of a dataset's dimensions. They are those of the scales, in the group of the dataset or in a group that contains it.
/// Returns `None` if a dimension has no scale there.
pub(crate) fn names(file: &Hdf5File, known: &Scales, dataset: &Dataset, path: &str) -> Option<Vec<String>> {
    let Ok(Attribute { datatype: Datatype::VarLen { base, .. }, raw_data, .. }) = dataset.attribute(LIST) else {
        let is_scale = dataset.attribute("CLASS").is_ok_and(|class| class.raw_data.starts_with(b"DIMENSION_SCALE"));
        return (is_scale && dataset.ndim() == 1).then(|| vec![dataset.name().to_owned()]);
    };
    let Datatype::Reference { ref_type: ReferenceType::Object, size } = *base else { return None };
    let lists = raw_data.chunks_exact(dataset.vlen_reference_size());
    if lists.len() != dataset.ndim() {
        return None;
    }
    let parent = |path: &str| Some(path.rsplit_once('/')?.0.to_owned());
    let group = parent(&format!("/{path}"))?;
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let name = |list| {
        let scales = dataset.resolve_vlen_reference_bytes(list, size.into()).ok()?;
        let first = resolve_object_reference(&scales, size).ok()?;
        let find = |group: String| file.group(&group).ok()?.child_name_by_address(first).ok()?;
        let search = || successors(Some(group.clone()), |path| parent(path)).find_map(find);
        known.entry((group.clone(), first)).or_insert_with(search).clone()
    };
    lists.map(name).collect()
}
