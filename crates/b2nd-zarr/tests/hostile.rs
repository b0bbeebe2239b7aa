//! Zarr arrays that are designed to crash a reader, or to use up its memory or time. At most, they cause errors.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use b2nd_ndarray::Options;
use b2nd_zarr::{import, zarrs};
use serde_json::{Value, json};

struct Zarr(tempfile::TempDir);

impl Zarr {
    /// An array of 4 x 4 `int32` in chunks of 2 x 2, without compression. `replaced` replaces members of its metadata.
    fn new(replaced: Value) -> Zarr {
        let mut metadata = json!({
            "zarr_format": 3, "node_type": "array", "shape": [4, 4], "data_type": "int32",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0, "codecs": [bytes()], "attributes": {}
        });
        for (name, value) in replaced.as_object().unwrap() {
            metadata[name] = value.clone();
        }
        let zarr = Zarr(tempfile::tempdir().unwrap());
        zarr.write("zarr.json", metadata.to_string().as_bytes());
        zarr
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("x.zarr").join(name)
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), content).unwrap();
    }

    fn import(&self) -> Result<(), String> {
        let started = Instant::now();
        let done = import(self.path(""), self.0.path().join("o.b2nd"), &Options::default());
        assert!(started.elapsed() < Duration::from_secs(10), "it took {:?}", started.elapsed());
        assert_eq!(self.0.path().join("o.b2nd").exists(), done.is_ok());
        done.map_err(|error| error.to_string())
    }

    #[track_caller]
    fn fails(&self, why: &str) {
        let error = self.import().unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}

fn bytes() -> Value {
    json!({"name": "bytes", "configuration": {"endian": "little"}})
}

fn regular(chunkshape: &[u64]) -> Value {
    json!({"name": "regular", "configuration": {"chunk_shape": chunkshape}})
}

fn sharding(chunkshape: &[u64]) -> Value {
    let inner = json!({"chunk_shape": chunkshape, "codecs": [bytes()], "index_codecs": [bytes()], "index_location": "end"});
    json!([{"name": "sharding_indexed", "configuration": inner}])
}

#[test]
fn a_panic_of_zarrs_is_an_error() {
    let index: Vec<u8> = [1_u64 << 63; 8].iter().flat_map(|entry| entry.to_le_bytes()).collect();
    let zarr = Zarr::new(json!({"codecs": sharding(&[1, 1])}));
    zarr.write("c/0/0", &index);
    zarr.fails("zarrs panicked: ");
}

#[test]
fn a_gzip_chunk_is_decompressed_up_to_its_length() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(9));
    let codecs = json!([bytes(), {"name": "gzip", "configuration": {"level": 9}}]);
    let zarr = Zarr::new(json!({"codecs": codecs}));
    gzip.write_all(&[1, 0, 0, 0].repeat(4)).unwrap();
    zarr.write("c/0/0", &gzip.finish().unwrap());
    zarr.import().unwrap();
    let array = b2nd_ndarray::Array::open(zarr.0.path().join("o.b2nd")).unwrap();
    assert_eq!(array.read::<i32>(&[0..2, 0..3]).unwrap(), ndarray::array![[1, 1, 0], [1, 1, 0]].into_dyn());

    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(9));
    gzip.write_all(&vec![0; 64 << 20]).unwrap();
    let zarr = Zarr::new(json!({"codecs": codecs}));
    zarr.write("c/0/0", &gzip.finish().unwrap());
    zarr.fails("codec gzip: expected 16 bytes, found more");
    zarr.write("c/0/0", b"no gzip");
    assert!(zarr.import().is_err());
}

#[test]
fn a_level_of_zstd_that_does_not_exist_is_refused() {
    let codecs = json!([bytes(), {"name": "zstd", "configuration": {"level": 23, "checksum": false}}]);
    let zarr = Zarr::new(json!({"codecs": codecs}));
    let store = zarrs::filesystem::FilesystemStore::new(zarr.path("")).unwrap();
    let array = zarrs::array::Array::open(store.into(), "/").unwrap();
    let error = array.store_chunk(&[0, 0], &[1_i32; 4]).unwrap_err().to_string();
    assert!(error.contains("codec zstd: expected a level of at most 22, found 23"), "{error}");
}

#[test]
fn an_index_that_the_file_does_not_have_takes_no_memory() {
    let most = 1 << 16;
    let shape = json!({"shape": [most, most], "chunk_grid": regular(&[most, most]), "codecs": sharding(&[1, 1])});
    let zarr = Zarr::new(shape);
    zarr.write("c/0/0", b"short");
    zarr.fails("");
}

#[test]
fn arrays_much_larger_than_their_files_are_refused() {
    Zarr::new(json!({"shape": [1_000_000_000_u64], "chunk_grid": regular(&[1])}))
        .fails("it has at least 4000000000 bytes (chunks: 1000000000)");
    Zarr::new(json!({"shape": [1_u64 << 50], "chunk_grid": regular(&[1 << 20])}))
        .fails("files may be missing, or the shape may be wrong");
    Zarr::new(json!({"shape": [1_u64 << 30], "chunk_grid": regular(&[1 << 30])})).fails("a chunk has 4294967296 bytes");
    Zarr::new(json!({"shape": [1_u64 << 30], "chunk_grid": regular(&[1 << 30]), "codecs": sharding(&[1 << 29])}))
        .fails("a chunk has 2147483648 bytes");
    Zarr::new(json!({"shape": [1000, 1000], "chunk_grid": regular(&[10, 10])})).import().unwrap();
}

#[cfg(unix)]
#[test]
fn only_files_of_the_array_are_read() {
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("0"), [7; 16]).unwrap();
    let link = |from: &Path, to: PathBuf| std::os::unix::fs::symlink(from, to).unwrap();
    let zarr = Zarr::new(json!({}));
    zarr.write("c/1/0", &[0; 16]);
    link(other.path(), zarr.path("c/0"));
    zarr.fails("c/0/0: a symbolic link leads out of the array's directory, and is not followed");

    let zarr = Zarr::new(json!({}));
    zarr.write("c/0/1", &[7; 16]);
    link(Path::new("1"), zarr.path("c/0/0"));
    zarr.import().unwrap();

    let zarr = Zarr::new(json!({}));
    zarr.write("c/0/1", &[0; 16]);
    let made = std::process::Command::new("mkfifo").arg(zarr.path("c/0/0")).status().unwrap();
    assert!(made.success());
    zarr.fails("c/0/0: expected a regular file, found a special file");

    // The metadata file is a pipe.
    let zarr = Zarr::new(json!({}));
    fs::remove_file(zarr.path("zarr.json")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(zarr.path("zarr.json")).status().unwrap().success());
    zarr.fails("zarr.json: expected a regular file, found a special file");

    // The only array in the group is a link to another directory.
    let array = Zarr::new(json!({}));
    let group = Zarr::new(json!({}));
    group.write("zarr.json", br#"{"zarr_format": 3, "node_type": "group"}"#);
    link(&array.path(""), group.path("array"));
    group.fails("no Zarr arrays were found");
}

#[test]
fn the_names_of_dimensions_need_room() {
    let attributes: serde_json::Map<_, _> = (0..16).map(|number| (format!("a{number}"), json!(number))).collect();
    for (count, has_dims) in [(15, true), (16, false)] {
        let attributes: serde_json::Map<_, _> = attributes.clone().into_iter().take(count).collect();
        let zarr = Zarr::new(json!({"dimension_names": ["x", "y"], "attributes": attributes}));
        let target = zarr.0.path().join("o.b2nd");
        let options = Options { attributes: vec![("a0".to_owned(), b"\x63".to_vec())], ..Options::default() };
        import(zarr.path(""), &target, &options).unwrap();
        let array = b2nd_ndarray::Array::open(&target).unwrap();
        let found = array.attributes().unwrap();
        assert_eq!((found.get::<u8>("a0").unwrap(), found.get::<u8>("a14").unwrap()), (Some(99), Some(14)));
        assert_eq!(found.bytes("dims").unwrap().is_some(), has_dims);
    }
}
