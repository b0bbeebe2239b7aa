//! Marks, by which a type requests an encoding that serde cannot express.
//!
//! A mark is the name of a newtype struct that contains the value, so that other formats see only the plain value. The names are valid
//! identifiers, since some formats refuse other names.

/// Defines the marks: the variant, the name of the newtype struct, and the description of the values that the mark accepts.
macro_rules! marks {
    ($($(#[$doc:meta])* $mark:ident $constant:ident $name:literal $holds:literal;)*) => {
        /// The encoding of a marked value.
        #[derive(Clone, Copy)]
        pub(crate) enum Mark {
            $($(#[$doc])* $mark,)*
        }

        $(pub(crate) const $constant: &str = $name;)*

        impl Mark {
            /// Returns the mark with this name, or `None` if the name of the newtype struct is not a mark.
            #[inline(always)]
            pub(crate) fn from_name(name: &'static str) -> Option<Mark> {
                // With this check, the newtypes of other crates cost only one comparison.
                if !name.starts_with("__b2nd_") {
                    return None;
                }
                match name {
                    $($constant => Some(Mark::$mark),)*
                    _ => None,
                }
            }

            /// Describes the values that the mark accepts. This text is used in the error for any other value.
            pub(crate) fn holds(self) -> &'static str {
                match self {
                    $(Mark::$mark => $holds,)*
                }
            }
        }
    };
}

marks! {
    /// A string as a fixstr.
    Fixstr FIXSTR "__b2nd_fixstr" "with::fixstr is only for strings";
    /// Bytes, which need not be UTF-8, as a fixstr.
    FixstrBytes FIXSTR_BYTES "__b2nd_fixstr_bytes" "with::fixstr_bytes is only for bytes";
    /// 17 bytes as a fixext16: the extension's type, then its data.
    Fixext16 FIXEXT16 "__b2nd_fixext16" "with::fixext16 is only for 17 bytes: the extension's type and its data";
    /// A sequence as an array16, even if the sequence is short.
    Array16 ARRAY16 "__b2nd_array16" "with::array16 is only for sequences, tuples and structs";
    /// A map as a map16, even if the map is short.
    Map16 MAP16 "__b2nd_map16" "with::map16 is only for maps";
    /// A list of int64, for an array's shape.
    Lengths64 LENGTHS64 "__b2nd_lengths64" "an array's shape has to be a sequence";
    /// A list of int32, for chunkshape and blockshape.
    Lengths32 LENGTHS32 "__b2nd_lengths32" "an array's shape has to be a sequence";
    /// An array metalayer that has seven entries, although its fixarray marker gives the count six.
    Miscounted MISCOUNTED "__b2nd_miscounted" "with::array16 is only for sequences, tuples and structs";
    /// An array metalayer of any layout. If the count of its fixarray is six, a seventh entry may follow.
    ArrayMeta ARRAY_META "__b2nd_array_meta" "an array metalayer has to be a struct";
    /// A struct to which a later version may have added fields, which are skipped.
    Extensible EXTENSIBLE "__b2nd_extensible" "with::extensible is only for structs";
    /// A value that is encoded in this format and stored in a bin32.
    Embedded EMBEDDED "__b2nd_embedded" "with::embedded is only for whole values";
    /// The unchanged bytes of one entry of MessagePack, which may have any markers.
    Any ANY "__b2nd_any" "a value of MessagePack must be the bytes of one entry";
    /// A value as generic MessagePack, in which a struct is a map with the names of its fields.
    Named NAMED "__b2nd_named" "with::named is only for whole values";
    /// The entry after blockshape, from which the layout follows: a positive fixint (dtype_format) or a str32 (dtype).
    FormatOrDtype FORMAT_OR_DTYPE "__b2nd_format_or_dtype" "a dtype_format has to be a number, and a dtype a string";
}

/// The name of the newtype struct directly around an embedded value. This newtype struct is itself inside the newtype struct [`EMBEDDED`].
pub(crate) const VALUE: &str = "__b2nd_value";

/// Returns true for the types in [`with`](crate::with) that serialize arrays. The length of an array is part of its type, but serde's
/// methods do not show this.
pub(crate) fn has_length_in_type<T: ?Sized>() -> bool {
    let name = core::any::type_name::<T>();
    name.starts_with("b2nd::with::numbers::OfArray<") || name.starts_with("b2nd::with::AsBytes<&[u8; ")
}
