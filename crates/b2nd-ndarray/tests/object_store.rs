//! Arrays in an object store: the number of requests for a slice, and the handling of failed requests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use b2nd_ndarray::{Array, Error, Options, Remote, Select, to_frame};
use futures_executor::block_on;
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use ndarray::{Array2, s};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetRange, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

/// A store that counts the requests for bytes, and lets requests after the offset `broken` fail.
#[derive(Debug)]
struct Counting {
    memory: InMemory,
    requests: Mutex<Vec<Range<u64>>>,
    under_way: AtomicUsize,
    most_at_once: AtomicUsize,
    broken: AtomicUsize,
    /// `lax` is true if conditions of requests are ignored, as by simple servers; `tagless` if responses have no ETag.
    lax: AtomicBool,
    tagless: AtomicBool,
    /// True if only whole objects are sent.
    rangeless: AtomicBool,
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.memory.fmt(f)
    }
}

#[async_trait::async_trait]
impl ObjectStore for Counting {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let Some(GetRange::Bounded(range)) = options.range.clone() else {
            assert!(self.rangeless.load(Ordering::SeqCst), "{options:?}");
            return self.memory.get_opts(location, options).await;
        };
        self.requests.lock().unwrap().push(range.clone());
        if self.rangeless.load(Ordering::SeqCst) {
            return Err(object_store::Error::NotSupported { source: "no ranges".into() });
        }
        let at_once = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(at_once, Ordering::SeqCst);
        let mut asked = false;
        std::future::poll_fn(|context| {
            context.waker().wake_by_ref();
            if std::mem::replace(&mut asked, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        if range.end > self.broken.load(Ordering::SeqCst) as u64 {
            return Err(object_store::Error::Generic { store: "test", source: "no answer after 30 seconds".into() });
        }
        let if_match = options.if_match.clone().filter(|_| !self.lax.load(Ordering::SeqCst));
        let mut answer = self.memory.get_opts(location, GetOptions { if_match, ..options }).await?;
        answer.meta.e_tag = answer.meta.e_tag.filter(|_| !self.tagless.load(Ordering::SeqCst));
        Ok(answer)
    }

    async fn put_opts(&self, location: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.memory.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(&self, location: &Path, options: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.memory.put_multipart_opts(location, options).await
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.memory.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.memory.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.memory.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.memory.copy_opts(from, to, options).await
    }
}

const PATH: &str = "some/array.b2nd";

fn values() -> Array2<u32> {
    Array2::from_shape_fn((500, 400), |(row, column)| ((row * 400 + column) as u32).wrapping_mul(0x9e37_79b1) >> 3)
}

/// A frame with 5 x 4 chunks of 40 KB, which are not compressed.
fn frame() -> Vec<u8> {
    let options = Options { chunkshape: Some(vec![100, 100]), blockshape: Some(vec![25, 100]), level: 0, ..Options::default() };
    to_frame(&values(), &options).unwrap()
}

fn store_with(object: Vec<u8>) -> Arc<Counting> {
    let store = Counting {
        memory: InMemory::new(),
        requests: Mutex::default(),
        under_way: AtomicUsize::new(0),
        most_at_once: AtomicUsize::new(0),
        broken: AtomicUsize::new(usize::MAX),
        lax: AtomicBool::new(false),
        tagless: AtomicBool::new(false),
        rangeless: AtomicBool::new(false),
    };
    block_on(store.memory.put(&PATH.into(), object.into())).unwrap();
    Arc::new(store)
}

fn open(store: &Arc<Counting>) -> b2nd_ndarray::Result<Remote> {
    block_on(Remote::open(store.clone(), PATH.into()))
}

#[test]
fn a_slice_takes_the_requests_of_its_chunks_and_opening_two() {
    let store = store_with(frame());
    let remote = open(&store).unwrap();
    assert_eq!(store.requests.lock().unwrap().len(), 2);
    for (slice, expected) in [
        // One chunk; two chunks that are adjacent in the object; a column of five chunks that are not adjacent; all; none.
        ([10..20, 10..20], 1),
        ([10..20, 150..250], 1),
        ([0..500, 10..20], 5),
        ([0..500, 0..400], 1),
        ([7..7, 0..400], 0),
    ] {
        store.requests.lock().unwrap().clear();
        let place = [slice[0].start as usize..slice[0].end as usize, slice[1].start as usize..slice[1].end as usize];
        let wanted = values().slice(s![place[0].clone(), place[1].clone()]).to_owned().into_dyn();
        assert_eq!(block_on(remote.read::<u32>(&slice)).unwrap(), wanted);
        assert_eq!(store.requests.lock().unwrap().len(), expected, "{slice:?}");
    }
    assert_eq!(store.most_at_once.load(Ordering::SeqCst), 5, "the five chunks of a column at once");
}

#[test]
fn a_frame_inside_an_object() {
    let store = store_with([&[7; 12_345][..], &frame()].concat());
    let remote = block_on(Remote::open_at(store.clone(), PATH.into(), 12_345)).unwrap();
    assert_eq!(block_on(remote.read::<u32>(&[0..500, 0..400])).unwrap(), values().into_dyn());
}

#[test]
fn a_header_longer_than_the_first_request_takes_one_more() {
    let options = Options { metalayers: vec![("long".into(), vec![1; 9000])], ..Options::default() };
    let store = store_with(to_frame(&values(), &options).unwrap());
    let remote = open(&store).unwrap();
    assert_eq!(store.requests.lock().unwrap().len(), 3);
    assert_eq!(block_on(remote.read::<u32>(&[0..500, 0..400])).unwrap(), values().into_dyn());
}

#[test]
fn a_request_that_fails_is_an_error_that_names_its_range() {
    let store = store_with(frame());
    let remote = open(&store).unwrap();
    store.broken.store(100_000, Ordering::SeqCst);
    // The first chunk can be read.
    block_on(remote.fetch(&[0..1, 0..1])).unwrap();
    store.requests.lock().unwrap().clear();
    let error = block_on(remote.fetch(&[499..500, 399..400])).unwrap_err();
    let range = store.requests.lock().unwrap()[0].clone();
    let expected = format!("bytes {}..{} of {PATH}: Generic test error: no answer after 30 seconds", range.start, range.end);
    assert_eq!(error.to_string(), expected);
    assert!(matches!(error, Error::Request { range: found, .. } if found == range));
    let error = open(&store).unwrap_err().to_string();
    assert!(error.ends_with("no answer after 30 seconds") && error.starts_with("bytes "), "the index: {error}");
}

#[test]
fn a_store_without_ranges_is_refused_by_its_first_answer() {
    let store = store_with(frame());
    let remote = open(&store).unwrap();
    store.rangeless.store(true, Ordering::SeqCst);
    store.requests.lock().unwrap().clear();
    let sentence = "the server does not support range requests: download the object, and open the file";
    assert_eq!(open(&store).unwrap_err().to_string(), format!("bytes 0..4096 of {PATH}: {sentence}"));
    assert_eq!(store.requests.lock().unwrap().len(), 1);
    let error = block_on(remote.read::<u32>(&[0..1, 0..1])).unwrap_err().to_string();
    assert!(error.ends_with(sentence), "{error}");
}

#[test]
fn an_object_that_is_replaced_meanwhile_is_an_error() {
    let store = store_with(frame());
    let remote = open(&store).unwrap();
    block_on(store.memory.put(&PATH.into(), frame().into())).unwrap();
    let error = block_on(remote.fetch(&[0..1, 0..1])).unwrap_err().to_string();
    assert!(error.starts_with("bytes ") && error.contains("precondition"), "{error}");
}

#[test]
fn a_store_that_minds_no_conditions_is_caught_by_its_answers() {
    for (tagless, longer, expected) in
        [(false, false, "the ETag"), (true, false, "the modification time"), (true, true, "the length")]
    {
        let store = store_with(frame());
        store.lax.store(true, Ordering::SeqCst);
        store.tagless.store(tagless, Ordering::SeqCst);
        let remote = open(&store).unwrap();
        block_on(remote.fetch(&[0..1, 0..1])).unwrap();
        let mut other = frame();
        other.extend(vec![0; usize::from(longer)]);
        block_on(store.memory.put(&PATH.into(), other.into())).unwrap();
        let error = block_on(remote.fetch(&[0..1, 0..1])).unwrap_err().to_string();
        assert!(error.contains(&format!("it has changed since it was opened: expected {expected}")), "{error}");
    }
}

#[test]
fn a_slice_in_ndarrays_notation() {
    let remote = open(&store_with(frame())).unwrap();
    let part = block_on(remote.slice::<u32>(s![-1, 10..390;-7])).unwrap();
    assert_eq!(part, values().slice(s![-1, 10..390;-7]).to_owned().into_dyn());
    let error = block_on(remote.slice::<u32>(s![0, 0, 0])).unwrap_err();
    assert!(matches!(error.kind(), Error::Dimensions { .. }), "{error}");
}

/// Tests each way to read, and the number of requests that it needs.
#[test]
fn every_way_to_read_gives_what_the_array_gives() {
    let (store, local) = (store_with(frame()), Array::from_frame(frame()).unwrap());
    let remote = open(&store).unwrap();
    let took = || std::mem::take(&mut *store.requests.lock().unwrap()).len();
    took();
    // Rows 0, 200 and 400, and columns 0 and 200: six chunks. In each row of chunks, one request fetches both
    // chunks and the chunk between them.
    let steps = Select::steps(&[0..500, 0..400], &[200, 200]).unwrap();
    assert_eq!(block_on(remote.select::<u32>(&steps)).unwrap(), local.select::<u32>(&steps).unwrap());
    assert_eq!(took(), 3);
    assert_eq!(block_on(remote.slice::<u32>(s![..;200, 0])).unwrap(), local.slice::<u32>(s![..;200, 0]).unwrap());
    assert_eq!(took(), 3);
    let selection: [Select; 2] = [[499, 0, -1].into(), [350, 10, 10].into()];
    assert_eq!(block_on(remote.select::<u32>(&selection)).unwrap(), local.select::<u32>(&selection).unwrap());
    assert_eq!(took(), 4);
    assert_eq!(block_on(remote.select_bytes(&selection)).unwrap(), local.select_bytes(&selection).unwrap());
    assert_eq!(block_on(remote.read_bytes(&[0..1, 0..9])).unwrap(), local.read_bytes(&[0..1, 0..9]).unwrap());
    assert_eq!(block_on(remote.elements(&[0..1, 0..9])).unwrap(), local.elements(&[0..1, 0..9]).unwrap());
    took();
    assert_eq!(block_on(remote.chunk::<u32>(7)).unwrap(), local.chunk(7).unwrap());
    assert_eq!(took(), 1);
    let chunks: Vec<_> = block_on(remote.chunks::<u32>().unwrap().try_collect()).unwrap();
    assert_eq!(chunks, local.chunks::<u32>().unwrap().collect::<Result<Vec<_>, _>>().unwrap());
    assert_eq!(took(), 20);

    let said = |error: Error| error.kind().to_string();
    assert_eq!(said(block_on(remote.chunk::<u32>(20)).unwrap_err()), "chunk 20 is out of range: the array has 20 chunks");
    assert_eq!(said(remote.chunks::<f32>().err().unwrap()), "the elements are uint32, little-endian, not float32");
    assert_eq!(
        said(block_on(remote.select::<u32>(&[Select::All, [400].into()])).unwrap_err()),
        "index 400 is outside dimension 1, whose length is 400"
    );
    let none = Select::Step(0..400, 0);
    let refused = block_on(remote.select::<u32>(&[Select::All, none])).unwrap_err();
    assert_eq!(said(refused), "selection[1]: expected a step of 1 or more, found 0");
}

#[test]
fn an_array_that_is_put_comes_back_and_replaces_none_unasked() {
    let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    let path = Path::from("new.b2nd");
    block_on(Remote::put(&store, &path, &values(), &Options::default())).unwrap();
    let error = block_on(Remote::put(&store, &path, &Array2::<u8>::zeros((1, 1)), &Options::default())).unwrap_err().to_string();
    assert!(error.starts_with("bytes 0..") && error.contains("already exists"), "{error}");
    let read = || block_on(async { Remote::open(store.clone(), path.clone()).await?.slice::<u32>(s![.., ..]).await });
    assert_eq!(read().unwrap(), values().into_dyn());
    let other = values() + 1;
    block_on(Remote::put(&store, &path, &other, &Options { overwrite: true, ..Options::default() })).unwrap();
    assert_eq!(read().unwrap(), other.into_dyn());
}

#[test]
fn an_object_that_is_cut_short_is_an_error() {
    let whole = frame();
    for length in [0, 10, 60, 4000, 4097, 100_000, whole.len() - 1] {
        let store = store_with(whole[..length].to_vec());
        let error = open(&store).unwrap_err().to_string();
        assert!(error.contains("bytes") || error.contains("end of input"), "{length}: {error}");
    }
    let missing = block_on(Remote::open(store_with(whole), "elsewhere".into())).unwrap_err().to_string();
    assert!(missing.starts_with("bytes 0..4096 of elsewhere: "), "{missing}");
}

#[test]
fn the_futures_may_go_to_other_threads() {
    fn movable<T: Send>(future: T) -> T {
        future
    }
    let store = store_with(frame());
    let remote = block_on(movable(Remote::open(store, PATH.into()))).unwrap();
    let read = movable(remote.read::<u32>(&[0..1, 0..1]));
    assert_eq!(block_on(read).unwrap()[[0, 0]], 0);
}

#[test]
fn an_object_that_is_a_store_is_named_for_what_it_is() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/");
    let archive = std::fs::read(format!("{data}python-blosc2-4.14.1/treestore__dfltb2z.b2z")).unwrap();
    let open = |bytes: Vec<u8>| open(&store_with(bytes)).unwrap_err().to_string();
    let error = open(archive);
    assert!(error.contains(": it is a zip archive, such as a store of python-blosc2: `Remote::open_at` takes"), "{error}");
    let error = open(b"\x93NUMPY\x01\x00v\x00{'descr': '<i8'}".to_vec());
    assert!(error.contains(": it is ") && error.matches("frames").count() <= 1, "{error}");
    let missing = block_on(Remote::open(store_with(Vec::new()), "elsewhere.b2nd".into())).unwrap_err().to_string();
    assert_eq!(missing, "bytes 0..4096 of elsewhere.b2nd: it does not exist");
}
