//! [`Kind`]: what a frame contains.

use b2nd_frame::{Decompressor, Header, Trailer};
use serde::{Serialize, Serializer};

use crate::attributes;
use crate::value;

/// The kind of a frame: the type of python-blosc2's object that the frame contains. The frame's metalayers and attributes determine its
/// kind. A kind is serialized as the name that is given with each variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// `ndarray`: an array of n dimensions.
    NdArray,
    /// `schunk`: chunks of bytes, without the metadata of one of the other kinds.
    SChunk,
    /// `ctable`: the metadata of a table.
    CTable,
    /// `treestore`: a `TreeStore`, whose leaves are in groups.
    TreeStore,
    /// `dictstore`: a `DictStore`, which is like a dictionary.
    DictStore,
    /// `embedstore`: a frame that contains frames.
    EmbedStore,
    /// `lazyexpr`: an expression. Its values are computed when they are read.
    LazyExpr,
    /// `lazyudf`: a Python function. Its values are computed when they are read.
    LazyUdf,
    /// `b2object`: an object with the metalayer `b2o` that is not one of `lazyexpr`, `lazyudf` and `remote_array`, such as a reference to
    /// an array on a Caterva2 server.
    B2Object,
    /// `proxy`: a cache of another array.
    Proxy,
    /// `remote_array`: a reference to an array that is stored elsewhere.
    RemoteArray,
    /// `object_array`: Python objects, one in each chunk.
    ObjectArray,
    /// `batch_array`: batches of Python objects.
    BatchArray,
    /// `list_array`: an array whose values are lists.
    ListArray,
    /// `tensor`: an array that a function of python-blosc2 such as `save_tensor` or `save_array` wrote.
    Tensor,
}

impl Kind {
    /// Returns true if a frame of this kind is a store, whose data is other frames.
    pub fn is_store(self) -> bool {
        matches!(self, Kind::EmbedStore | Kind::DictStore | Kind::TreeStore)
    }

    /// Returns the kind of a frame. Tables and tensors are recognized by attributes, so they are not recognized without a trailer.
    pub fn of(header: &Header, trailer: Option<&Trailer>) -> Kind {
        Decompressor::lend(|decompressor| Kind::of_with(header, trailer, decompressor))
    }

    /// Returns the kind of a frame, like `of`, but decompresses attributes with the given decompressor.
    pub fn of_with(header: &Header, trailer: Option<&Trailer>, decompressor: &mut Decompressor) -> Kind {
        let has = |name: &str| header.metalayers().get(name).is_some();
        if let Some(content) = header.metalayers().get("b2o") {
            let value = value::read(content);
            return match value.and_then(|value| value.get("kind")).and_then(|kind| kind.as_str()) {
                Some("lazyexpr") => Kind::LazyExpr,
                Some("lazyudf") => Kind::LazyUdf,
                Some("remote_array") => Kind::RemoteArray,
                _ => Kind::B2Object,
            };
        }
        let by_class = ["listarray", "vlarray", "batcharray"].into_iter().any(has);
        if let Some(content) = header.metalayers().get("LazyArray").filter(|_| has("b2nd") && !by_class) {
            let is_function = value::read(content).and_then(|value| value.as_u64()) == Some(1);
            return if is_function { Kind::LazyUdf } else { Kind::LazyExpr };
        }
        let by_name = [
            ("proxy-source", Kind::Proxy),
            ("b2tree", Kind::TreeStore),
            ("b2dict", Kind::DictStore),
            ("b2embed", Kind::EmbedStore),
            ("listarray", Kind::ListArray),
            ("vlarray", Kind::ObjectArray),
            ("batcharray", Kind::BatchArray),
        ];
        if let Some((_, kind)) = by_name.into_iter().find(|(name, _)| has(name)) {
            return kind;
        }
        let attribute = |name| trailer.and_then(|trailer| trailer.vlmetalayers().raw_chunk(name));
        if attribute("__pack_tensor__").is_some() {
            return Kind::Tensor;
        }
        if attribute("schema").is_some() {
            let kind = trailer.and_then(|trailer| attributes::get_with(trailer, "kind", decompressor));
            if kind.as_deref().and_then(value::read).and_then(|kind| kind.as_str()) == Some("ctable") {
                return Kind::CTable;
            }
        }
        if has("b2nd") || has("caterva") { Kind::NdArray } else { Kind::SChunk }
    }

    /// Returns the kind's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::NdArray => "ndarray",
            Kind::SChunk => "schunk",
            Kind::CTable => "ctable",
            Kind::TreeStore => "treestore",
            Kind::DictStore => "dictstore",
            Kind::EmbedStore => "embedstore",
            Kind::LazyExpr => "lazyexpr",
            Kind::LazyUdf => "lazyudf",
            Kind::B2Object => "b2object",
            Kind::Proxy => "proxy",
            Kind::RemoteArray => "remote_array",
            Kind::ObjectArray => "object_array",
            Kind::BatchArray => "batch_array",
            Kind::ListArray => "list_array",
            Kind::Tensor => "tensor",
        }
    }

    /// Returns true if python-blosc2 opens frames of this kind only if the user declares them as trusted, because they may refer to other
    /// files or contain code.
    pub fn needs_trust(self) -> bool {
        matches!(self, Kind::LazyExpr | Kind::LazyUdf | Kind::RemoteArray | Kind::B2Object | Kind::Proxy)
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
