//! The names of the dimensions of a dataset, which netCDF stores as references to other datasets.

use std::collections::HashMap;
use std::iter::successors;
use std::sync::{Mutex, PoisonError};

use b2nd_frame::Result;
use b2nd_store::readable;
use hdf5_reader::reference::resolve_object_reference;
use hdf5_reader::{Attribute, Dataset, Datatype, Hdf5File, ReferenceType};

use crate::error::fault;

/// The attribute with the names.
pub(crate) const DIMS: &str = "dims";

/// The attribute with a list of references for each dimension. The references are to dimension scales: datasets with the coordinates along
/// a dimension. The name of the first scale is the name of the dimension.
pub(crate) const LIST: &str = "DIMENSION_LIST";

/// The maximum number of names that are kept.
const KEPT: usize = 10_000;

/// The names of the scales that were searched for. The key is the group in which the search started, and the scale's address.
pub(crate) type Scales = Mutex<HashMap<(String, u64), Option<String>>>;

/// Returns the names of a dataset's dimensions: the names of their scales, which are searched for in the group of the dataset and in the
/// groups that contain it. A scale with one dimension gives this dimension its own name. Returns `None` if a dimension has no scale, a
/// scale was not found, or the file is damaged.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub(crate) fn names(file: &Hdf5File, known: &Scales, dataset: &Dataset, path: &str) -> Result<Option<Vec<String>>> {
    let Ok(Attribute { datatype: Datatype::VarLen { base, .. }, raw_data, .. }) = dataset.attribute(LIST) else {
        let is_scale = dataset.attribute("CLASS").is_ok_and(|class| class.raw_data.starts_with(b"DIMENSION_SCALE"));
        return Ok((is_scale && dataset.ndim() == 1).then(|| vec![dataset.name().to_owned()]));
    };
    let Datatype::Reference { ref_type: ReferenceType::Object, size } = *base else { return Ok(None) };
    let lists = raw_data.chunks_exact(dataset.vlen_reference_size());
    if lists.len() != dataset.ndim() {
        return Ok(None);
    }
    let parent = |path: &str| Some(path.rsplit_once('/')?.0.to_owned());
    let group = parent(&format!("/{}", path.trim_start_matches('/'))).unwrap_or_default();
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let name = |list| {
        let scales = dataset.resolve_vlen_reference_bytes(list, size.into());
        let first = scales.and_then(|scales| resolve_object_reference(&scales, size));
        let Ok(first) = readable(first.map_err(fault))? else { return Ok(None) };
        let find = |group: String| {
            let found = file.group(&group).and_then(|group| group.child_name_by_address(first));
            readable(found.map_err(fault)).map(|found| found.ok().flatten()).transpose()
        };
        let key = (group.clone(), first);
        if known.len() >= KEPT {
            known.clear();
        }
        if !known.contains_key(&key) {
            let found = successors(Some(group.clone()), |path| parent(path)).find_map(find).transpose()?;
            known.insert(key.clone(), found);
        }
        Ok(known.get(&key).cloned().flatten())
    };
    lists.map(name).collect()
}
