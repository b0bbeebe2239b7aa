//! HDF5 files, which are opened like stores. The tests of b2nd-hdf5 compare them with h5py.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Directory, Place};

fn directory() -> Directory {
    let directory = Directory::new();
    for name in ["arrays.h5", "chunks.h5", "h5py.h5", "pytables.h5", "scales.h5", "user_block.h5"] {
        let file = Place::root().path("crates/b2nd-hdf5/tests/data").join(name);
        fs::copy(file, directory.path(name)).unwrap();
    }
    directory
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text.lines().next().unwrap()).unwrap()
}

#[test]
fn chunks_with_an_unknown_filter_are_not_decoded_but_no_errors() {
    let tests = directory();
    let mut file = tests.read("chunks.h5");
    // Changes the id of the filter from that of Blosc2 to that of zfp.
    for at in 0..file.len() - 1 {
        if file[at..].starts_with(&32026_u16.to_le_bytes()) {
            file[at..at + 2].copy_from_slice(&32013_u16.to_le_bytes());
        }
    }
    tests.write("zfp.h5", file);
    let (out, _, status) = tests.run(&["check", "--data", "zfp.h5"]);
    assert!(out.contains("chunk 0: filter id 32013 is not supported (not decoded)\n"), "{out}");
    assert!(!out.contains("not as specified") && status == 0, "{out}");
    assert_eq!(tests.run(&["check", "--data", "--strict", "zfp.h5"]).2, 1);
}

/// C-Blosc2 opens the frame, and ignores the bytes after it.
#[test]
fn a_frame_in_the_user_block_of_a_file_is_checked_as_a_frame() {
    let tests = directory();
    let mut file = tests.read("user_block.h5");
    let frame = Place::root().read("conformance/cases/frame/variable-chunks.bin");
    file[..512].fill(0);
    tests.write("zeros.h5", &file);
    assert_eq!(tests.ok(&["cat", "zeros.h5::/plain", "118:"]), "118\n119\n");
    file[..frame.len()].copy_from_slice(&frame);
    tests.write("frame.b2nd", file);
    let (out, _, status) = tests.run(&["check", "frame.b2nd", "--for", "python-blosc2"]);
    assert!(out.contains("its chunks vary in length") && status == 4, "{out}");
}

#[test]
fn a_file_is_shown_as_a_store_of_its_datasets() {
    let tests = directory();
    let (out, err, status) = tests.run(&["info", "h5py.h5"]);
    assert!(
        out.starts_with("h5py.h5\n  kind          HDF5 file\n  attributes    1\n    \"title\"  \"made for tests\"\n"),
        "{out}"
    );
    assert!(out.contains("── cube            ndarray  <f4"), "{out}");
    // There is an error for each dataset that cannot be read as an array.
    assert_eq!((err.lines().count(), status), (5, 1), "{err}");
    let references = "h5py.h5::/refused/references: the values are references to objects, which are not supported\n";
    assert!(err.contains(references), "{err}");

    let cube = parsed(&tests.ok(&["info", "--json", "h5py.h5::/cube"]));
    assert_eq!(
        (&cube["key"], &cube["codec"], &cube["array"]["chunkshape"]),
        (&"/cube".into(), &"zstd".into(), &serde_json::json!([2, 10, 15]))
    );
    assert_eq!(tests.ok(&["meta", "get", "h5py.h5::/cube", "units"]), "\"K\"\n");
    let inside = tests.ok(&["info", "--tree", "h5py.h5::/types"]);
    assert!(inside.starts_with("h5py.h5::/types  group\n") && inside.contains("complex"), "{inside}");
    assert!(tests.refused(&["head", "h5py.h5"]).ends_with("it is a store: name a leaf, as in h5py.h5::/blosc"));
    assert!(tests.refused(&["head", "h5py.h5::/cub"]).contains("it has no leaf /cub; its leaves are "));
    tests.ok(&["import", "h5py.h5::/cube", "cube.b2nd"]);
    let sentence = "an HDF5 file cannot be changed or copied: `b2nd import` copies one of its datasets";
    for [file, command] in [
        ["h5py.h5::/cube", "meta set FILE units m"],
        ["h5py.h5", "meta rm FILE title"],
        ["h5py.h5", "repack FILE copy.b2nd"],
        ["h5py.h5", "rewrite FILE copy.b2nd"],
        ["h5py.h5", "upgrade FILE copy.b2nd"],
    ] {
        let refused = tests.refused(&command.replace("FILE", file).split(' ').collect::<Vec<_>>());
        assert_eq!(refused, format!("{file}: {sentence}"), "{command}");
    }
}

#[test]
fn chunks_of_different_codecs_are_shown_checked_and_copied() {
    let tests = directory();
    let lines = |file: &str| {
        let out = tests.ok(&["info", "--chunks", file]);
        let lines = out.lines().skip_while(|line| !line.trim_start().starts_with("chunk ")).skip(1);
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let codecs = ["lz4", "zstd", "zlib", "blosclz"];
    let mixed = lines("chunks.h5::/mixed");
    assert!(mixed.len() == 4 && mixed.iter().zip(codecs).all(|(line, codec)| line.contains(&format!("  {codec} "))), "{mixed:?}");
    tests.ok(&["import", "chunks.h5::/mixed", "mixed.b2nd"]);
    let kinds = lines("mixed.b2nd").into_iter().map(|line| line.split_whitespace().rev().nth(1).unwrap().to_owned());
    assert_eq!(kinds.collect::<Vec<_>>(), codecs);
    for array in ["mixed.b2nd", "chunks.h5::/mixed", "chunks.h5::/snappy"] {
        tests.ok(&["check", "--strict", array]);
        assert_eq!(tests.ok(&["cat", array, "3,19,17:"]), "1597\n1598\n1599\n", "{array}");
    }
    // The typesize of these chunks is the size of a part of an element.
    tests.ok(&["import", "arrays.h5::/vectors", "vectors.b2nd"]);
    for array in ["vectors.b2nd", "arrays.h5::/vectors"] {
        tests.ok(&["check", "--data", "--strict", array]);
    }
    let names = tests.ok(&["ls", "chunks.h5"]);
    assert!(names.contains("chunks.h5::/mixed ") && names.contains("chunks.h5::/snappy "), "{names}");
}

#[test]
fn chunks_are_listed_with_their_place_and_filters_in_the_file() {
    let tests = directory();
    let file = tests.read("h5py.h5");
    let chunks =
        |dataset: &str| parsed(&tests.ok(&["info", "--json", "--chunks", dataset]))["chunks"].as_array().unwrap().clone();
    let cube = chunks("h5py.h5::/cube");
    assert_eq!((cube.len(), &cube[7]["start"], &cube[7]["filters"]), (12, &json!([2, 10, 15]), &json!(["blosc2"])));
    for chunk in &cube {
        let [at, length] = ["offset", "cbytes"].map(|name| chunk[name].as_u64().unwrap() as usize);
        let frame = b2nd_frame::Frame::from_slice(&file[at..at + length]).unwrap();
        assert_eq!((frame.header().frame_len() as usize, &chunk["blosc2"]), (length, &json!("zstd 5, shuffle")));
        assert_eq!(chunk["blockshape"], json!([2, 10, 15]));
    }
    // Chunks that were not written are not in the file.
    assert!(chunks("h5py.h5::/missing").len() < 12);
    let (gzip, checked) = (chunks("h5py.h5::/gzip"), chunks("h5py.h5::/checked"));
    assert_eq!((&gzip[0]["filters"], &gzip[0]["blosc2"]), (&json!(["shuffle", "deflate"]), &Value::Null));
    assert_eq!(checked[0]["filters"], json!(["blosc2", "fletcher32"]));
    assert_eq!(checked[0]["blosc2"], "lz4 5, shuffle");

    let snappy = chunks("chunks.h5::/snappy");
    assert_eq!((&snappy[0]["blosc"], &snappy[0]["blosc2"]), (&json!("snappy, shuffle"), &Value::Null));
    assert!(tests.ok(&["info", "--chunks", "chunks.h5::/snappy"]).contains("  blosc    snappy, shuffle\n"));

    let text = tests.ok(&["info", "--chunks", "h5py.h5::/cube"]);
    assert!(text.contains("  [2, 10, 15]  ") && text.contains("  zstd 5, shuffle  [2, 10, 15]"), "{text}");
    for dataset in ["h5py.h5::/cube", "h5py.h5::/gzip", "pytables.h5::/group/events"] {
        assert!(!tests.ok(&["info", "--chunks", dataset]).contains(".chunk"), "{dataset}");
    }
    assert!(tests.ok(&["info", "--chunks", "h5py.h5::/plain"]).contains("the file has no chunks of this dataset"));
}

#[test]
fn every_command_for_arrays_reads_datasets() {
    let tests = directory();
    assert_eq!(tests.ok(&["head", "-n", "2", "h5py.h5::/flat"]), "0  1\n… the first 2 of 600\n");
    assert_eq!(tests.ok(&["cat", "h5py.h5::/cube", "5,19,27:"]), "3597.0\n3598.0\n3599.0\n");
    // In this file, a user block of 512 bytes precedes the HDF5 data.
    assert_eq!(tests.ok(&["cat", "user_block.h5::/blosc2", "118:"]), "118\n119\n");
    assert!(tests.ok(&["check", "--data", "user_block.h5"]).contains("user_block.h5::/plain: ok: "));
    let stats = parsed(&tests.ok(&["stats", "--json", "h5py.h5::/types/big"]));
    assert_eq!((&stats["count"], &stats["max"]), (&600.into(), &599.0.into()));
    tests.ok(&["export", "h5py.h5::/gzip", "gzip.npy"]);
    tests.ok(&["export", "h5py.h5::/both", "both.npy"]);
    assert_eq!(tests.read("gzip.npy").len(), 128 + 3600 * 8);
    assert_eq!(tests.read("both.npy").len(), 128 + 3600 * 4);
    let rows = tests.ok(&["cat", "pytables.h5::/group/events", "118:"]);
    assert!(rows.contains("119") && rows.contains("abc"), "{rows}");
    assert_eq!(tests.run(&["diff", "--data", "h5py.h5::/cube", "h5py.h5::/links/soft"]).2, 0);
    assert!(tests.ok(&["show", "h5py.h5::/cube"]).contains("6 x 20 x 30"));
}

#[test]
fn attributes_that_pytables_writes_for_itself_are_in_the_full_output() {
    let tests = directory();
    let table = "pytables.h5::/group/events";
    let (short, full) = (tests.ok(&["info", table]), tests.ok(&["info", "--full", table]));
    assert!(short.contains("attributes of PyTables, which --full shows") && !short.contains("TITLE"), "{short}");
    assert!(full.contains("\"TITLE\": \"what was seen\"") && full.contains("\"units\""), "{full}");
    assert!(!tests.ok(&["info", "pytables.h5"]).contains("CLASS"));
}

#[test]
fn names_of_dimensions_are_shown_and_imported() {
    let tests = directory();
    tests.ok(&["import", "scales.h5::/tas", "tas.b2nd"]);
    for array in ["scales.h5::/tas", "tas.b2nd"] {
        assert_eq!(tests.ok(&["meta", "get", array, "dims"]), "[\"time\",\"lat\",\"lon\"]\n");
    }
}

#[test]
fn a_frame_in_a_chunk_is_read_at_its_offset() {
    let tests = directory();
    let file = tests.read("h5py.h5");
    let at = file.windows(9).position(|bytes| bytes[1..] == *b"\xa8b2frame").unwrap().to_string();
    for command in ["info", "cat", "stats", "head"] {
        assert!(!tests.ok(&[command, "h5py.h5", "--offset", &at]).is_empty(), "{command}");
    }
}

#[test]
fn an_import_copies_compressed_chunks() {
    let tests = directory();
    let file = tests.read("h5py.h5");
    for name in ["cube", "missing", "types/big"] {
        let (dataset, array) = (format!("h5py.h5::/{name}"), format!("{}.b2nd", name.replace('/', "-")));
        tests.ok(&["import", &dataset, &array]);
        tests.ok(&["check", "--strict", &array]);
        tests.ok(&["export", &dataset, "a.npy", "--overwrite"]);
        tests.ok(&["export", &array, "b.npy", "--overwrite"]);
        assert!(tests.read("a.npy") == tests.read("b.npy"), "{name}");
        let frame = b2nd_frame::File::open(tests.path(&array)).unwrap();
        let mut copied = 0;
        for number in 0..frame.offsets().unwrap().len() {
            let chunk = frame.chunk(number).unwrap();
            if chunk.header().special().is_none() {
                assert!(file.windows(chunk.bytes().len()).any(|bytes| bytes == chunk.bytes()), "{name}: chunk {number}");
                copied += 1;
            }
        }
        assert!(copied > 0, "{name}");
    }
    assert_eq!(tests.ok(&["meta", "get", "cube.b2nd", "range"]), "[1,-2]\n");
    let said = tests.ok(&["repack", "h5py.h5::/cube", "repacked.b2nd"]);
    assert!(tests.path("repacked.b2nd").is_file(), "{said}");
    let before: u64 = said.split_once(" bytes, ").unwrap().1.split_once(" before").unwrap().0.replace(',', "").parse().unwrap();
    assert!(Some(before) > parsed(&tests.ok(&["info", "--json", "h5py.h5::/cube"]))["cbytes"].as_u64(), "{said}");
    // Data that is not compressed by Blosc2 is compressed on import, with the same chunks.
    tests.ok(&["import", "h5py.h5::/gzip", "gzip.b2nd"]);
    let array = parsed(&tests.ok(&["info", "--json", "gzip.b2nd"]));
    assert_eq!((&array["codec"], &array["array"]["chunkshape"]), (&"zstd".into(), &serde_json::json!([3, 20, 30])));
    assert!(array["cbytes"].as_u64() < Some(8000), "{}", array["cbytes"]);
    tests.ok(&["check", "--strict", "gzip.b2nd"]);
    tests.ok(&["import", "h5py.h5::/cube", "other.b2nd", "--chunks", "6,20,10", "--codec", "lz4"]);
    let array = parsed(&tests.ok(&["info", "--json", "other.b2nd"]));
    assert_eq!((&array["codec"], &array["array"]["chunkshape"]), (&"lz4".into(), &serde_json::json!([6, 20, 10])));
    assert!(tests.refused(&["import", "h5py.h5", "all.b2nd"]).contains("it is a store: name a leaf"));
    assert!(tests.refused(&["import", "h5py.h5::/refused/strings", "all.b2nd"]).contains("strings of variable length"));
}

#[test]
fn a_check_finds_damage_in_chunks() {
    let tests = directory();
    for dataset in ["h5py.h5::/cube", "h5py.h5::/both", "h5py.h5::/checked", "h5py.h5::/plain"] {
        tests.ok(&["check", dataset]);
        tests.ok(&["check", "--strict", dataset]);
    }
    // Flips a bit in each frame. The frames in /checked and /both also have a checksum of HDF5.
    let file = tests.read("h5py.h5");
    let frames: Vec<_> =
        file.windows(9).enumerate().filter(|(_, bytes)| bytes[1..] == *b"\xa8b2frame").map(|(at, _)| at).collect();
    let (mut found_checksums, mut found_frames) = (0, 0);
    for at in frames {
        let mut damaged = file.clone();
        damaged[at + 11 + 3] ^= 0x10;
        tests.write("damaged.h5", damaged);
        let (out, ..) = tests.run(&["check", "--for", "c-blosc2", "damaged.h5"]);
        found_checksums += usize::from(out.contains("checksum mismatch"));
        found_frames += usize::from(out.contains("the frame in chunk "));
    }
    // /checked and /both have 6 chunks each.
    assert_eq!(found_checksums, 12);
    assert!(found_frames > 50, "{found_frames}");
}

#[test]
fn files_are_found_in_directories() {
    let tests = directory();
    fs::create_dir(tests.path("below")).unwrap();
    for name in ["below/a.hdf5", "below/b.nc", "below/c.data", "below/d.HE5", "below/e.hdf"] {
        tests.write(name, tests.read("arrays.h5"));
    }
    for name in ["classic.nc", "hdf4.hdf"] {
        tests.write(name, b"\x0e\x03\x13\x01 of another format");
    }
    let names = |args: &[&str]| -> Vec<String> {
        let out = tests.ok(args);
        out.lines().map(|line| line.split("  ").next().unwrap().to_owned()).collect()
    };
    let here = ["arrays.h5", "chunks.h5", "h5py.h5", "pytables.h5", "scales.h5", "user_block.h5"];
    assert_eq!(names(&["ls"]), here);
    let all = ["arrays.h5", "below/a.hdf5", "below/b.nc", "below/c.data", "below/d.HE5", "below/e.hdf", "chunks.h5"];
    assert_eq!(names(&["ls", "-r"])[..7], all);
    // A damaged file is reported if its ending belongs to HDF5 only.
    fs::create_dir(tests.path("damaged")).unwrap();
    tests.write("damaged/f.Nc4", b"");
    let (out, err, status) = tests.run(&["check", "-r", "damaged"]);
    assert!(err.starts_with("damaged/f.Nc4: ") && status == 3, "{out}{err}{status}");
    let below = tests.ok(&["info", "--tree", "-r", "below"]);
    assert_eq!(below.matches("HDF5 file").count(), 5, "{below}");
    let checked = tests.run(&["check", "-r", "below"]);
    assert_eq!((checked.0.matches("::/vectors: ok").count(), checked.2), (5, 0), "{checked:?}");
    // Arrays in HDF5 files have no old layouts to upgrade.
    let upgraded = tests.ok(&["upgrade", "--dry-run", "below"]);
    assert_eq!(upgraded, "0 to upgrade, 0 already in the current layout, 0 without an array, 0 failed\n");
}

#[test]
fn a_leaf_that_cannot_be_read_is_counted_and_named() {
    let tests = directory();
    let (page, err, status) = tests.run(&["info", "h5py.h5"]);
    assert_eq!((err.lines().count(), status), (5, 1), "{err}");
    assert!(page.contains("  leaves        27\n") && tests.ok(&["ls"]).contains("  27 leaves\n"), "{page}");
    let unread: Vec<_> = page.lines().filter_map(|line| line.strip_suffix("cannot be read")).collect();
    let names = ["external", "null", "references", "sequences", "strings"];
    assert!(unread.len() == 5 && unread.iter().zip(names).all(|(line, name)| line.contains(name)), "{page}");
    let group = tests.run(&["info", "h5py.h5::/refused"]).0;
    assert!(group.contains("  leaves        5\n"), "{group}");
}
