//! Arrays in an object store that are read as Zarr arrays: their values, and the requested ranges.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::ops::Range;
use std::path::Path as FilePath;
use std::sync::{Arc, Mutex};

use b2nd_ndarray::object_store::local::LocalFileSystem;
use b2nd_ndarray::object_store::memory::InMemory;
use b2nd_ndarray::object_store::path::Path;
use b2nd_ndarray::object_store::{
    self, CopyOptions, GetOptions, GetRange, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt,
    PutMultipartOptions, PutOptions, PutPayload, PutResult,
};
use b2nd_ndarray::{Options, to_frame};
use b2nd_zarr::zarrs::array::{Array, ArrayBytes};
use b2nd_zarr::zarrs::storage::storage_adapter::async_to_sync::{AsyncToSyncBlockOn, AsyncToSyncStorageAdapter};
use b2nd_zarr::zarrs::storage::{AsyncListableStorageTraits, ListableStorageTraits, StorePrefix};
use b2nd_zarr::{B2ndObject, B2ndStorage};
use futures_executor::block_on;
use futures_util::stream::BoxStream;

/// A store that records the requested ranges.
#[derive(Debug)]
struct Counting {
    store: Arc<dyn ObjectStore>,
    requests: Mutex<Vec<Range<u64>>>,
}

impl Counting {
    fn new(store: impl ObjectStore) -> Arc<Counting> {
        Arc::new(Counting { store: Arc::new(store), requests: Mutex::default() })
    }

    fn taken(&self) -> Vec<Range<u64>> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

impl std::fmt::Display for Counting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.store.fmt(f)
    }
}

#[async_trait::async_trait]
impl ObjectStore for Counting {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> object_store::Result<GetResult> {
        let Some(GetRange::Bounded(range)) = options.range.clone() else { panic!("{options:?}") };
        self.requests.lock().unwrap().push(range);
        self.store.get_opts(location, options).await
    }

    async fn put_opts(&self, location: &Path, payload: PutPayload, options: PutOptions) -> object_store::Result<PutResult> {
        self.store.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        self.store.put_multipart_opts(location, options).await
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        self.store.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.store.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.store.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> object_store::Result<()> {
        self.store.copy_opts(from, to, options).await
    }
}

struct BlockOn;

impl AsyncToSyncBlockOn for BlockOn {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        block_on(future)
    }
}

const DATA: &str = "../../tests/data";

/// Compares a file with the same file in an object store.
fn compare(store: Arc<dyn ObjectStore>, path: &FilePath) {
    let name = path.display();
    let file = Arc::new(B2ndStorage::open(path).unwrap());
    let key = Path::from(path.strip_prefix(DATA).unwrap().to_str().unwrap());
    let object = Arc::new(block_on(B2ndObject::open(store, key)).unwrap_or_else(|error| panic!("{name}: {error}")));
    assert_eq!(block_on(object.list()).unwrap(), file.list().unwrap(), "{name}");
    let root = StorePrefix::root();
    assert_eq!(block_on(object.list_dir(&root)).unwrap(), file.list_dir(&root).unwrap(), "{name}");
    assert_eq!(block_on(object.size_prefix(&root)).unwrap(), file.size_prefix(&root).unwrap(), "{name}");

    let theirs = Array::open(file, "/").unwrap();
    let expected: ArrayBytes<'_> = theirs.retrieve_array_subset(&theirs.subset_all()).unwrap();
    let array = block_on(Array::async_open(object.clone(), "/")).unwrap();
    assert_eq!(array.attributes(), theirs.attributes(), "{name}");
    let found: ArrayBytes<'_> = block_on(array.async_retrieve_array_subset(&array.subset_all())).unwrap();
    assert_eq!(found, expected, "{name}");
    let array = Array::open(Arc::new(AsyncToSyncStorageAdapter::new(object, BlockOn)), "/").unwrap();
    let found: ArrayBytes<'_> = array.retrieve_array_subset(&array.subset_all()).unwrap();
    assert_eq!(found, expected, "{name}");
}

#[test]
fn values_are_those_of_the_file() {
    let local = Arc::new(LocalFileSystem::new_with_prefix(DATA).unwrap());
    let memory = Arc::new(InMemory::new());
    let mut count = 0;
    for directory in ["grid", "python-blosc2-4.14.1", ""] {
        for entry in std::fs::read_dir(FilePath::new(DATA).join(directory)).unwrap() {
            let path = FilePath::new(DATA).join(directory).join(entry.unwrap().file_name());
            if path.extension().is_none_or(|ending| ending != "b2nd") || !path.is_file() || B2ndStorage::open(&path).is_err() {
                continue;
            }
            let key = Path::from(path.strip_prefix(DATA).unwrap().to_str().unwrap());
            block_on(memory.put(&key, std::fs::read(&path).unwrap().into())).unwrap();
            compare(local.clone(), &path);
            compare(memory.clone(), &path);
            count += 1;
        }
    }
    assert!(count > 5, "{count}");
}

#[test]
fn a_chunk_takes_one_request_for_its_range() {
    // There are 5 x 4 chunks of 40 KB, which are not compressed.
    let values = ndarray::Array2::from_shape_fn((500, 400), |(row, column)| (row * 400 + column) as u32);
    let attributes = vec![("unit".to_owned(), b2nd::msgpack::to_vec("m").unwrap())];
    let (chunkshape, blockshape) = (Some(vec![100, 100]), Some(vec![25, 100]));
    let options = Options { chunkshape, blockshape, level: 0, attributes, ..Options::default() };
    let frame = to_frame(&values, &options).unwrap();
    let length = frame.len() as u64;
    let store = Counting::new(InMemory::new());
    block_on(store.put(&"some/array.b2nd".into(), frame.into())).unwrap();
    let object = block_on(B2ndObject::open(store.clone(), "some/array.b2nd".into())).unwrap();
    assert_eq!(store.taken().len(), 2, "the header and the index");

    let array = block_on(Array::async_open(Arc::new(object), "/")).unwrap();
    assert_eq!(array.attributes()["unit"], "m");
    assert_eq!(store.taken(), [], "zarr.json takes no request");
    let elements: Vec<u32> = block_on(array.async_retrieve_array_subset(&[110..112, 390..400])).unwrap();
    assert_eq!(
        elements,
        [110, 111].map(|row| (390..400).map(move |column| row * 400 + column)).into_iter().flatten().collect::<Vec<_>>()
    );
    let [range] = &store.taken()[..] else { panic!("one chunk takes one request") };
    assert!((40_000..40_200).contains(&(range.end - range.start)), "{range:?} of {length}");
    let chunk: Vec<u32> = block_on(array.async_retrieve_chunk(&[1, 3])).unwrap();
    assert_eq!((chunk.len(), &store.taken()[..]), (10_000, std::slice::from_ref(range)));
}

#[test]
fn an_object_without_an_array_is_an_error() {
    let memory = Arc::new(InMemory::new());
    block_on(memory.put(&"text".into(), "text".into())).unwrap();
    for (path, expected) in [("text", "text: "), ("gone", "gone")] {
        let error = block_on(B2ndObject::open(memory.clone(), path.into())).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // The chunks in such a file are zeros, not the actual values.
    let error =
        B2ndStorage::open(FilePath::new(DATA).join("python-blosc2-4.14.1/c2array__offline.b2nd")).unwrap_err().to_string();
    assert!(error.contains("the file may not contain all values"), "{error}");
}
