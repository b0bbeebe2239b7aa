//! [`B2ndObject`]: provides a frame in an object store as the files of a Zarr array.

use std::ops::Range;
use std::sync::Arc;

use b2nd_ndarray::object_store::{ObjectStore, path::Path};
use b2nd_ndarray::{Array, Remote};
use futures_util::{StreamExt, stream};
use zarrs::storage::byte_range::ByteRangeIterator;
use zarrs::storage::{
    AsyncListableStorageTraits, AsyncMaybeBytesIterator, AsyncReadableStorageTraits, ListableStorageTraits,
    ReadableStorageTraits, StorageError, StoreKey, StoreKeys, StoreKeysPrefixes, StorePrefix,
};

use crate::error::Result;
use crate::storage::{B2ndStorage, failed};

/// A [`B2ndStorage`] for a file in an object store: S3, Google Cloud Storage, Azure or another store of the crate
/// [`object_store`](b2nd_ndarray::object_store).
///
/// Opening usually takes two requests: one for the header, and one for the index and the trailer. A chunk of up to 1 MiB then takes one
/// request. The asynchronous methods of zarrs read this storage directly. For the synchronous methods, zarrs has an adapter:
///
/// ```
/// use std::sync::Arc;
///
/// use b2nd_ndarray::object_store::{ObjectStore, local::LocalFileSystem};
/// use b2nd_zarr::zarrs::storage::storage_adapter::async_to_sync::{AsyncToSyncBlockOn, AsyncToSyncStorageAdapter};
/// use b2nd_zarr::{B2ndObject, zarrs::array::Array};
///
/// /// For stores in a network, use the `block_on` of a tokio runtime.
/// struct BlockOn;
///
/// impl AsyncToSyncBlockOn for BlockOn {
///     fn block_on<F: Future>(&self, future: F) -> F::Output {
///         futures_executor::block_on(future)
///     }
/// }
///
/// let store: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix("../../tests/data/grid")?);
/// let object = Arc::new(BlockOn.block_on(B2ndObject::open(store, "i4_2d.b2nd".into()))?);
/// let array = BlockOn.block_on(Array::async_open(object.clone(), "/"))?;
/// let elements: Vec<i32> = BlockOn.block_on(array.async_retrieve_array_subset(&[0..2, 0..3]))?;
///
/// let array = Array::open(Arc::new(AsyncToSyncStorageAdapter::new(object, BlockOn)), "/")?;
/// assert_eq!(array.retrieve_array_subset::<Vec<i32>>(&[0..2, 0..3])?, elements);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct B2ndObject {
    remote: Remote,
    storage: B2ndStorage,
}

impl B2ndObject {
    /// Opens the array in the object at this path.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`B2ndStorage::open`]. Also fails if a request fails or the object is a sparse frame.
    pub async fn open(store: Arc<dyn ObjectStore>, path: Path) -> Result<B2ndObject> {
        let remote = Remote::open(store, path).await?;
        // This array keeps the header, the index and the trailer, and holds no chunks.
        let storage = B2ndStorage::of(remote.fetch(&nothing(remote.array())).await?)?;
        Ok(B2ndObject { remote, storage })
    }

    /// Fetches the chunk with this key, and returns a storage that can read only this chunk and `zarr.json`. Fetches nothing if no chunk
    /// has this key.
    async fn fetch(&self, key: &StoreKey) -> std::result::Result<B2ndStorage, StorageError> {
        let slice = self.storage.chunk(key).and_then(|number| self.remote.array().grid().chunk_extent(number));
        let slice = slice.map_or_else(|| nothing(self.remote.array()), |slice| slice.to_vec());
        let array = self.remote.fetch(&slice).await.map_err(failed)?;
        Ok(B2ndStorage { array, metadata: self.storage.metadata.clone() })
    }
}

/// Returns a slice without elements.
fn nothing(array: &Array) -> Vec<Range<i64>> {
    vec![0..0; array.grid().shape().len()]
}

#[async_trait::async_trait]
impl AsyncReadableStorageTraits for B2ndObject {
    async fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> std::result::Result<AsyncMaybeBytesIterator<'a>, StorageError> {
        let fetched = self.fetch(key).await?;
        let parts = fetched.get_partial_many(key, byte_ranges)?;
        Ok(parts.map(|parts| stream::iter(parts.collect::<Vec<_>>()).boxed()))
    }

    async fn size_key(&self, key: &StoreKey) -> std::result::Result<Option<u64>, StorageError> {
        self.fetch(key).await?.size_key(key)
    }

    fn supports_get_partial(&self) -> bool {
        true
    }
}

#[async_trait::async_trait]
impl AsyncListableStorageTraits for B2ndObject {
    async fn list(&self) -> std::result::Result<StoreKeys, StorageError> {
        self.storage.list()
    }

    async fn list_prefix(&self, prefix: &StorePrefix) -> std::result::Result<StoreKeys, StorageError> {
        self.storage.list_prefix(prefix)
    }

    async fn list_dir(&self, prefix: &StorePrefix) -> std::result::Result<StoreKeysPrefixes, StorageError> {
        self.storage.list_dir(prefix)
    }

    async fn size_prefix(&self, prefix: &StorePrefix) -> std::result::Result<u64, StorageError> {
        let mut sum = 0;
        for key in self.storage.list_prefix(prefix)? {
            sum += self.size_key(&key).await?.unwrap_or(0);
        }
        Ok(sum)
    }
}
