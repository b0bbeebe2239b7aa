//! Copies elements from one view to another.

use ndarray::{ArrayView, ArrayViewMut, Axis, Ix2, IxDyn};

/// Copies all elements: row by row if rows are contiguous in both views, and one by one otherwise.
pub(crate) fn copy<A: Copy>(from: ArrayView<'_, A, IxDyn>, mut to: ArrayViewMut<'_, A, IxDyn>) {
    if from.ndim() > 2 {
        // The outer axes are handled one by one, because iterating over two dimensions takes a tenth of the time of iterating over a
        // dynamic number of dimensions.
        for (from, to) in from.axis_iter(Axis(0)).zip(to.axis_iter_mut(Axis(0))) {
            copy(from, to);
        }
        return;
    }
    if from.ndim() < 2 {
        return copy(from.insert_axis(Axis(0)), to.insert_axis(Axis(0)));
    }
    if let (Some(from), Some(to)) = (from.as_slice(), to.as_slice_mut()) {
        to.copy_from_slice(from);
        return;
    }
    let (Ok(from), Ok(mut to)) = (from.into_dimensionality::<Ix2>(), to.into_dimensionality::<Ix2>()) else { return };
    for (from, mut to) in from.rows().into_iter().zip(to.rows_mut()) {
        match (from.as_slice(), to.as_slice_mut()) {
            (Some(from), Some(to)) => to.copy_from_slice(from),
            _ => to.assign(&from),
        }
    }
}

/// Copies the elements at the indices in `places`, which has one entry for each axis of the array: a list of indices, or `None` for all of
/// them. The views have one more axis, which holds the bytes of an element. If `places` is empty, copies everything.
pub(crate) fn gather<A: Copy>(from: ArrayView<'_, A, IxDyn>, mut to: ArrayViewMut<'_, A, IxDyn>, places: &[Option<Vec<usize>>]) {
    let Some((first, rest)) = places.split_first().filter(|_| places.iter().any(Option::is_some)) else { return copy(from, to) };
    let Some(first) = first else {
        from.axis_iter(Axis(0)).zip(to.axis_iter_mut(Axis(0))).for_each(|(from, to)| gather(from, to, rest));
        return;
    };
    let size = from.shape().last().copied().unwrap_or(0);
    if let (2, Some(from), Some(to)) = (from.ndim(), from.as_slice(), to.as_slice_mut()) {
        for (to, place) in to.chunks_exact_mut(size.max(1)).zip(first) {
            if let Some(from) = from.get(place * size..(place + 1) * size) {
                to.copy_from_slice(from);
            }
        }
        return;
    }
    for (to, &place) in to.axis_iter_mut(Axis(0)).zip(first) {
        gather(from.index_axis(Axis(0), place), to, rest);
    }
}
