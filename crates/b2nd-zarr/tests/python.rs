//! Arrays of python-blosc2 and zarr-python that this crate reads and writes, and Python compares. The comparison needs a Python
//! that `B2ND_PYTHON` names (see `../ci`); otherwise it is skipped, or fails if `CI` is set.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use b2nd_ndarray::{Array, Options};
use b2nd_zarr::zarrs::array::{Array as ZarrArray, ArrayBytes};
use b2nd_zarr::{B2ndStorage, ExportOptions, export, import};

fn python(script: &str, directory: &Path) {
    let python = std::env::var_os("B2ND_PYTHON").unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python").join(script);
    let output = Command::new(python).arg("-B").arg(script).arg(directory).output().unwrap();
    print!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
}

fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == ending));
    files.sort();
    files
}

fn stem(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

#[test]
fn values_are_those_of_python() {
    if std::env::var_os("B2ND_PYTHON").is_none() {
        assert!(std::env::var_os("CI").is_none(), "B2ND_PYTHON names no Python");
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let scratch = scratch.path();
    python("theirs.py", scratch);
    let ours = scratch.join("ours");
    std::fs::create_dir(&ours).unwrap();

    let arrays = files(&scratch.join("arrays"), "b2nd");
    assert!(arrays.len() >= 60, "{}", arrays.len());
    for path in arrays {
        let name = stem(&path);
        let storage = B2ndStorage::open(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let array = ZarrArray::open(Arc::new(storage), "/").unwrap_or_else(|error| panic!("{name}: {error}"));
        let elements: ArrayBytes<'_> =
            array.retrieve_array_subset(&array.subset_all()).unwrap_or_else(|error| panic!("{name}: {error}"));
        std::fs::write(ours.join(format!("{name}.bin")), elements.into_fixed().unwrap()).unwrap();
        export(&Array::open(&path).unwrap(), ours.join(format!("{name}.zarr")), &ExportOptions::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        if name == "shape-8" {
            let options = ExportOptions { group: Some("field".to_owned()), ..ExportOptions::default() };
            export(&Array::open(&path).unwrap(), ours.join("group.zarr"), &options).unwrap();
        }
    }
    let masked = Array::open(scratch.join("masked.b2nd")).unwrap();
    let options = ExportOptions { group: Some("field".to_owned()), ..ExportOptions::default() };
    export(&masked, ours.join("masked.zarr"), &options).unwrap();
    import(ours.join("masked.zarr"), ours.join("masked.b2nd"), &Options::default()).unwrap();
    for path in files(&scratch.join("zarrs"), "zarr") {
        let name = stem(&path);
        import(&path, ours.join(format!("zarr-{name}.b2nd")), &Options::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let data: Vec<u8> = (0..50_000_i32).flat_map(i32::to_le_bytes).collect();
    for compressor in ["blosclz", "lz4", "lz4hc", "zlib", "zstd"] {
        let name = format!("{compressor}.chunk");
        let codec = codec(compressor);
        let options = b2nd_zarr::zarrs::array::codec::api::CodecOptions::default();
        let length = b2nd_zarr::zarrs::array::codec::api::BytesRepresentation::FixedSize(data.len() as u64);
        let theirs = std::fs::read(scratch.join(&name)).unwrap();
        assert_eq!(*codec.decode(theirs.into(), &length, &options).unwrap(), data, "{name}");
        let chunk = codec.encode(data.clone().into(), &options).unwrap();
        assert!(chunk.len() < data.len());
        std::fs::write(ours.join(&name), chunk).unwrap();
    }
    python("check.py", scratch);
}

fn codec(compressor: &str) -> Arc<dyn b2nd_zarr::zarrs::array::codec::api::BytesToBytesCodecTraits> {
    use b2nd_zarr::zarrs::array::codec::api::Codec;
    let metadata = format!(r#"{{"name": "blosc2", "configuration": {{"cname": "{compressor}", "typesize": 4}}}}"#);
    match Codec::from_metadata(&serde_json::from_str::<b2nd_zarr::zarrs::metadata::v3::MetadataV3>(&metadata).unwrap()).unwrap() {
        Codec::BytesToBytes(codec) => codec,
        _ => unreachable!(),
    }
}
