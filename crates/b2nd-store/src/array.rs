//! The metadata of the array in a frame.

use b2nd::ArrayMeta;
use b2nd_frame::Header;

/// The metadata of an array, and the name of the metalayer that contains the metadata.
pub struct Array<'a> {
    /// The name of the metalayer.
    pub name: &'static str,
    /// The metadata.
    pub meta: ArrayMeta<&'a str>,
    /// The number of unused bytes that follow the metadata in the metalayer.
    pub stale: usize,
}

impl<'a> Array<'a> {
    /// Returns the metadata of the array in a frame, or `None` if the frame has no array.
    ///
    /// # Errors
    ///
    /// Fails if the frame has a metalayer `b2nd` or `caterva`, but none that contains valid metadata of an array.
    pub fn find(header: &'a Header) -> b2nd_frame::Result<Option<Array<'a>>> {
        Ok(header.array_metalayer()?.map(|(name, meta, stale)| Array { name, meta, stale: stale.len() }))
    }

    /// Returns the name of the metadata's layout in one word, for use in JSON.
    pub fn layout(&self) -> &'static str {
        self.names().0
    }

    /// Returns a description of the metadata's layout for users.
    pub fn describe(&self) -> &'static str {
        self.names().1
    }

    fn names(&self) -> (&'static str, &'static str) {
        match (&self.meta, self.name) {
            (ArrayMeta::B2nd(_), _) => ("b2nd", "b2nd"),
            (ArrayMeta::MiscountedB2nd(_), _) => {
                ("b2nd_miscounted", "b2nd of February 2023, whose marker says 6 entries although there are 7")
            }
            (ArrayMeta::LegacyB2nd(_), _) => ("b2nd_without_dtype_format", "b2nd of February 2023, without dtype_format"),
            (ArrayMeta::Caterva(_), "b2nd") => ("b2nd_without_dtype", "b2nd of January 2023, without a dtype"),
            (ArrayMeta::Caterva(_), _) => ("caterva", "Caterva, without a dtype"),
            _ => ("unknown", "a layout that this program does not know"),
        }
    }
}
