//! [`Meta`]: the metalayer of an array.

use super::bytes::{Bytes, be32, low};
use crate::fact::Fact;

/// The layouts, which differ in their entries or in the declared number of entries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Caterva,
    Six,
    Miscounted,
    B2nd,
}

impl Layout {
    pub(crate) const ALL: [Layout; 4] = [Layout::Caterva, Layout::Six, Layout::Miscounted, Layout::B2nd];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Layout::Caterva => "caterva",
            Layout::Six => "b2nd-six",
            Layout::Miscounted => "b2nd-miscounted",
            Layout::B2nd => "b2nd",
        }
    }

    /// Returns a description.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Layout::Caterva => "Caterva's layout (without a dtype)",
            Layout::Six => "the b2nd layout with six entries (without dtype_format)",
            Layout::Miscounted => "the b2nd layout with seven entries whose marker declares six",
            Layout::B2nd => "the b2nd layout",
        }
    }

    fn count(self) -> u8 {
        match self {
            Layout::Caterva => 0x95,
            Layout::Six | Layout::Miscounted => 0x96,
            Layout::B2nd => 0x97,
        }
    }
}

#[derive(Clone)]
pub(crate) struct Meta {
    pub(crate) layout: Layout,
    pub(crate) version: u8,
    pub(crate) shape: Vec<i64>,
    pub(crate) chunkshape: Vec<i32>,
    pub(crate) blockshape: Vec<i32>,
    pub(crate) dtype_format: u8,
    pub(crate) dtype: Vec<u8>,
}

impl Meta {
    pub(crate) fn new(shape: &[i64], chunkshape: &[i32], blockshape: &[i32], dtype: &str) -> Meta {
        Meta {
            layout: Layout::B2nd,
            version: 0,
            shape: shape.to_vec(),
            chunkshape: chunkshape.to_vec(),
            blockshape: blockshape.to_vec(),
            dtype_format: 0,
            dtype: dtype.as_bytes().to_vec(),
        }
    }

    /// Creates a metalayer whose lengths are all different.
    pub(crate) fn of_rank(ndim: usize) -> Meta {
        let shape: Vec<i64> = (0..ndim).map(|index| 0x0102_0304_0506_0700 + i64::from(low(index))).collect();
        let chunkshape: Vec<i32> = (0..ndim).map(|index| 0x0a0b_0c00 + i32::from(low(index))).collect();
        let blockshape: Vec<i32> = (0..ndim).map(|index| 0x1100 + i32::from(low(index))).collect();
        Meta::new(&shape, &chunkshape, &blockshape, "<f8")
    }

    pub(crate) fn layout(mut self, layout: Layout) -> Meta {
        if layout == Layout::Six && self.dtype == b"<f8" {
            self.dtype = b"float64".to_vec();
        }
        self.layout = layout;
        self
    }

    pub(crate) fn bytes(&self) -> Bytes {
        let mut bytes = Bytes::default();
        bytes.field("count", &[self.layout.count()]);
        bytes.field("version", &[self.version]);
        bytes.field("ndim", &[low(self.shape.len())]);
        let mut list = |name: &str, marker: u8, numbers: Vec<Vec<u8>>| {
            bytes.field(name, &[0x90 + low(numbers.len())]);
            for (index, number) in numbers.iter().enumerate() {
                bytes.field(format!("{name}-{index}"), &[marker]);
                bytes.more(number);
            }
        };
        list("shape", 0xd3, self.shape.iter().map(|n| n.to_be_bytes().to_vec()).collect());
        list("chunkshape", 0xd2, self.chunkshape.iter().map(|n| n.to_be_bytes().to_vec()).collect());
        list("blockshape", 0xd2, self.blockshape.iter().map(|n| n.to_be_bytes().to_vec()).collect());
        if matches!(self.layout, Layout::B2nd | Layout::Miscounted) {
            bytes.field("dtype_format", &[self.dtype_format]);
        }
        if self.layout != Layout::Caterva {
            bytes.field("dtype", &[0xdb]);
            bytes.more(&be32(self.dtype.len()));
            bytes.field("dtype-text", &self.dtype);
        }
        bytes
    }

    pub(crate) fn fact(&self) -> Fact {
        let mut fact = Fact::map([
            ("layout", Fact::text(self.layout.name())),
            ("version", Fact::int(self.version)),
            ("shape", Fact::ints(&self.shape)),
            ("chunkshape", Fact::ints(&self.chunkshape)),
            ("blockshape", Fact::ints(&self.blockshape)),
        ]);
        if matches!(self.layout, Layout::B2nd | Layout::Miscounted) {
            fact = fact.with("dtype_format", Fact::int(self.dtype_format));
        }
        if self.layout != Layout::Caterva {
            fact = fact.with("dtype", Fact::text(String::from_utf8_lossy(&self.dtype)));
        }
        fact
    }
}
