//! Determines from a header what to change in a frame.

use b2nd::dtype::DType;
use b2nd::{ArrayMeta, B2ndMeta};
use b2nd_frame::{Header, Metalayers};

use super::dtype;
use b2nd_view::Array;

/// What to do with a frame.
pub(crate) enum Plan {
    Upgrade(Box<Upgrade>),
    /// The array has the current layout.
    Released,
    /// The frame has no array.
    NoArray,
}

/// The replacement of a metalayer.
pub(crate) struct Upgrade {
    /// The name of the old metalayer.
    name: &'static str,
    /// A description of the old layout.
    pub(crate) layout: &'static str,
    pub(crate) meta: B2ndMeta,
}

impl Plan {
    /// Determines what to change in the frame with this header. `given` is the dtype that `--dtype` gives.
    ///
    /// # Errors
    ///
    /// Fails if the array cannot be upgraded.
    pub(crate) fn new(header: &Header, given: Option<&DType>) -> Result<Plan, String> {
        let array = Array::find(header).map_err(|error| format!("the array cannot be read: {error}"))?;
        let Some(array) = array else { return Ok(Plan::NoArray) };
        if let ArrayMeta::B2nd(_) = array.meta {
            return Ok(Plan::Released);
        }
        if array.name != "b2nd" && header.metalayers().get("b2nd").is_some() {
            return Err("a user's metalayer has the name \"b2nd\", which the array's metalayer needs: rename it first".to_owned());
        }
        let typesize = header.typesize();
        let wanted = || dtype::candidates(typesize);
        let dtype = match (array.meta.dtype(), given) {
            (Some(_), _) => None,
            (None, given @ Some(_)) => given.cloned().map(DType::into_canonical),
            (None, None) => {
                return Err(format!(
                    "the file has no dtype, and its typesize is {typesize}: give a dtype with --dtype, such as {}",
                    wanted()
                ));
            }
        };
        if let Some(given) = dtype.as_ref().filter(|dtype| usize::try_from(typesize) != Ok(dtype.itemsize())) {
            let itemsize = given.itemsize();
            return Err(format!(
                "--dtype {given} has {itemsize} bytes, but the file's typesize is {typesize}: give a dtype of this size, such as {}",
                wanted()
            ));
        }
        let (name, layout) = (array.name, array.describe());
        let meta = array.meta.upgrade(dtype.map(|dtype| dtype.to_string()).as_deref()).map_err(|error| error.to_string())?;
        Ok(Plan::Upgrade(Box::new(Upgrade { name, layout, meta })))
    }
}

impl Upgrade {
    /// Replaces the old metalayer by the new one.
    pub(crate) fn apply(&self, metalayers: &mut Metalayers) -> b2nd_frame::Result<()> {
        metalayers.rename(self.name, "b2nd")?;
        metalayers.set(&self.meta)
    }
}
