//! [`Attributes`]: the attributes of an array, `array.vlmeta` in python-blosc2.

use b2nd_frame::Trailer;
use serde::de::DeserializeOwned;

use crate::array::Array;
use crate::error::Result;

/// The attributes of an array: names and values. A value is decompressed when it is read.
#[derive(Clone, Copy)]
pub struct Attributes<'a>(&'a Trailer);

impl Array {
    /// Returns the array's attributes, which python-blosc2 calls `vlmeta`.
    ///
    /// # Errors
    ///
    /// Fails if the frame's trailer cannot be read.
    ///
    /// ```
    /// use b2nd::msgpack::to_vec;
    /// use b2nd_ndarray::{Array, Options, to_frame};
    ///
    /// #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    /// struct Station {
    ///     id: u32,
    ///     name: String,
    /// }
    ///
    /// let station = Station { id: 17, name: "Zugspitze".into() };
    /// let attributes = vec![("station".to_owned(), to_vec(&station)?)];
    /// let options = Options { attributes, ..Options::default() };
    /// let array = Array::from_frame(to_frame(&ndarray::arr1(&[1.5, 2.5]), &options)?)?;
    ///
    /// assert_eq!(array.attributes()?.get("station")?, Some(station));
    /// assert_eq!(array.attributes()?.get::<String>("nobody")?, None);
    /// let error = array.attributes()?.get::<Vec<u8>>("station").unwrap_err();
    /// assert!(error.to_string().starts_with("vlmetalayers.station: "), "{error}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn attributes(&self) -> Result<Attributes<'_>> {
        Ok(Attributes(self.store.trailer().map_err(|error| self.error(error))?))
    }
}

impl<'a> Attributes<'a> {
    /// Deserializes the attribute with this name, or returns `None` if the array has no such attribute. A struct is read from a map whose
    /// keys are the names of the struct's fields.
    ///
    /// # Errors
    ///
    /// Fails if the value cannot be decompressed, or is not MessagePack of type `T`.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        Ok(self.0.vlmetalayers().get(name)?)
    }

    /// Returns the decompressed bytes of the attribute with this name, or `None` if the array has no such attribute.
    ///
    /// # Errors
    ///
    /// Fails if the value cannot be decompressed.
    pub fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.0.vlmetalayers().value(name)?.map(std::borrow::Cow::into_owned))
    }

    /// Returns the names of the attributes, in the order in which they are stored. A name need not be UTF-8.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + use<'a> {
        self.0.vlmetalayers().names()
    }
}
