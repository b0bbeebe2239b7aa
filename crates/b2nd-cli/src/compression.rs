//! [`Compression`]: the options for the shape and the compression of the chunks of a new file.

use b2nd_frame::{CodecId, Filter};
use clap::Args;

/// The number under which C-Blosc2 registers the filter bytedelta.
pub(crate) const BYTEDELTA: u8 = 35;

/// Options for the chunks of a new file.
#[derive(Args)]
pub(crate) struct Compression {
    /// The codec: blosclz, lz4, lz4hc, zlib or zstd.
    #[arg(long, value_parser = codec)]
    pub(crate) codec: Option<CodecId>,

    /// The compression level, 0 to 9. 0 stores without compression.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=9))]
    pub(crate) level: Option<u8>,

    /// Filters, in the order in which they are applied: shuffle, bitshuffle, bytedelta (after shuffle), delta (not for arrays),
    /// or none.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', value_parser = filter)]
    filters: Option<Vec<Filter>>,

    /// The length of a chunk in each dimension: 100,100.
    #[arg(long, value_name = "SHAPE", value_delimiter = ',')]
    pub(crate) chunks: Option<Vec<i32>>,

    /// The length of a block in each dimension.
    #[arg(long, value_name = "SHAPE", value_delimiter = ',')]
    pub(crate) blocks: Option<Vec<i32>>,
}

impl Compression {
    /// Returns the filters with their parameters, or `None` if no filters are given.
    pub(crate) fn filters(&self) -> Option<Vec<(Filter, u8)>> {
        let filters = self.filters.as_ref()?.iter();
        Some(filters.filter(|&&filter| filter != Filter::None).map(|&filter| (filter, 0)).collect())
    }
}

fn codec(name: &str) -> Result<CodecId, String> {
    let all = [CodecId::BloscLz, CodecId::Lz4, CodecId::Lz4Hc, CodecId::Zlib, CodecId::Zstd];
    all.into_iter().find(|codec| codec.to_string() == name).ok_or_else(|| "expected blosclz, lz4, lz4hc, zlib or zstd".to_owned())
}

fn filter(name: &str) -> Result<Filter, String> {
    let codes = [0, 1, 2, 3, BYTEDELTA];
    let found = codes.map(Filter::from_code).into_iter().find(|filter| filter.to_string() == name);
    found.ok_or_else(|| "expected shuffle, bitshuffle, bytedelta, delta or none".to_owned())
}
