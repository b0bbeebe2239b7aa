//! Reads the locations of a dataset's chunks. hdf5-reader has a public function for each kind of index, but none for all kinds.

use hdf5_reader::btree_v1::{BTreeV1Key, collect_btree_v1_leaves_storage};
use hdf5_reader::chunk_index::{
    ChunkEntry, collect_implicit_chunk_entries, collect_v2_chunk_entries_storage, single_chunk_entry,
};
use hdf5_reader::error::Result;
use hdf5_reader::extensible_array::collect_extensible_array_chunk_entries_storage;
use hdf5_reader::fixed_array::collect_fixed_array_chunk_entries_storage;
use hdf5_reader::messages::layout::ChunkIndexing;
use hdf5_reader::{Dataset, Hdf5File};

/// Reads the index at an address. The offsets of an entry can have one more dimension than the dataset, and the size of a chunk without
/// filters can be 0.
pub(crate) fn entries(
    file: &Hdf5File,
    dataset: &Dataset,
    at: u64,
    indexing: Option<&ChunkIndexing>,
    chunk: &[u32],
) -> Result<Vec<ChunkEntry>> {
    use ChunkIndexing::{BTreeV2, ExtensibleArray, FixedArray, Implicit, SingleChunk};
    let (storage, superblock, rank) = (file.storage(), file.superblock(), chunk.len());
    let (offsets, lengths, shape, longest) =
        (superblock.offset_size, superblock.length_size, dataset.shape(), dataset.max_dims());
    match indexing {
        None => {
            let leaves = collect_btree_v1_leaves_storage(storage, at, offsets, lengths, Some(rank as u32), chunk, None)?;
            let entry = |(key, address)| match key {
                BTreeV1Key::RawData { chunk_size, filter_mask, offsets } => {
                    Some(ChunkEntry { address, size: chunk_size.into(), filter_mask, offsets })
                }
                BTreeV1Key::Group { .. } => None,
            };
            Ok(leaves.into_iter().filter_map(entry).collect())
        }
        Some(SingleChunk { filtered_size, filters }) => Ok(vec![single_chunk_entry(at, *filtered_size, *filters, rank)]),
        Some(Implicit) => collect_implicit_chunk_entries(at, shape, chunk, dataset.raw_element_size()?, None, storage.len()),
        Some(FixedArray { .. }) => collect_fixed_array_chunk_entries_storage(storage, at, offsets, lengths, shape, chunk, None),
        Some(ExtensibleArray { .. }) => {
            collect_extensible_array_chunk_entries_storage(storage, at, offsets, lengths, shape, longest, chunk, None)
        }
        Some(BTreeV2) => collect_v2_chunk_entries_storage(storage, at, offsets, lengths, rank as u32, chunk, None),
    }
}
