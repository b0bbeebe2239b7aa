//! Determines the new metalayer of an array.

use b2nd::B2ndMeta;
use b2nd::dtype::DType;
use b2nd_frame::Header;
use b2nd_view::Array;

/// Returns the metalayer in the current layout for an array with another layout. `header` is the header of its frame, and `given` is the
/// value of `--dtype`.
///
/// # Errors
///
/// Fails if the array cannot be upgraded.
pub(super) fn upgraded(array: &Array, header: &Header, given: Option<&DType>) -> Result<B2ndMeta, String> {
    if array.name != "b2nd" && header.metalayers().get("b2nd").is_some() {
        return Err("a user's metalayer has the name \"b2nd\", which the array's metalayer needs: remove it with `b2nd rewrite FILE --rm b2nd`".to_owned());
    }
    let typesize = header.typesize();
    let dtype = match (array.meta.dtype(), given) {
        (Some(_), _) => None,
        (None, Some(given)) => Some(given.clone().into_canonical()),
        (None, None) => {
            let wanted = candidates(typesize);
            return Err(format!(
                "the file has no dtype, and its typesize is {typesize}: give a dtype with --dtype, such as {wanted}"
            ));
        }
    };
    if let Some(given) = dtype.as_ref().filter(|dtype| usize::try_from(typesize) != Ok(dtype.itemsize())) {
        let (itemsize, wanted) = (given.itemsize(), candidates(typesize));
        return Err(format!(
            "the itemsize of {given} is {itemsize}, but the file's typesize is {typesize}: give a dtype of this size, such as {wanted}"
        ));
    }
    array.meta.upgrade(dtype.map(|dtype| dtype.to_string()).as_deref()).map_err(|error| error.to_string())
}

/// Returns dtypes whose itemsize is `typesize`, separated by commas, the most likely first.
fn candidates(typesize: i32) -> String {
    let numbers: &[&str] = match typesize {
        1 => &["|u1", "|i1", "|b1"],
        2 => &["<i2", "<u2", "<f2"],
        4 => &["<f4", "<i4", "<u4"],
        8 => &["<f8", "<i8", "<u8", "<c8", "<M8[s]"],
        16 => &["<c16"],
        _ => &[],
    };
    let strings = (typesize > 4 && typesize % 4 == 0).then(|| format!("<U{}", typesize / 4));
    let bytes = [format!("|S{typesize}"), format!("|V{typesize}")];
    numbers.iter().map(|&dtype| dtype.to_owned()).chain(strings).chain(bytes).collect::<Vec<_>>().join(", ")
}
