//! The command, and the text of errors that have passed through `thiserror` and `anyhow`.
#![cfg(feature = "std")]

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use b2nd::{B2ndMeta, Geometry};
use tile_catalogue::{Acquisition, Error, GeoTransform, Platform, Tile};

/// The standard output and standard error of the command for a file with these bytes.
fn run(name: &str, bytes: &[u8]) -> (String, String) {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(directory.join(name), bytes).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiles"));
    // Otherwise anyhow might add a backtrace.
    let output = command.arg(name).current_dir(directory).env("RUST_LIB_BACKTRACE", "0").output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_tile_is_told_in_a_line() {
    let tile = Tile {
        array: B2ndMeta::of::<u16>(Geometry::new(&[1, 4, 6], &[1, 4, 6], &[1, 2, 3]).unwrap()),
        geo: GeoTransform { origin: [0.0, 0.0], pixel: [30.0, -30.0], crs: "EPSG:32632".into() },
        acquisition: Acquisition {
            platform: Platform::Landsat(9),
            time: 1_700_000_000,
            cloud_cover: f32::NAN,
            bands: Vec::new(),
        },
    };
    let (out, err) = run("tile.b2nd", &tile.frame(&[None]).unwrap());
    assert_eq!((out.as_str(), err.as_str()), ("tile.b2nd: [1, 4, 6] of uint16, little-endian, Landsat(9), EPSG:32632\n", ""));
}

#[test]
fn what_is_no_tile_is_told_in_a_chain() {
    let (out, err) = run("picture.png", b"\x89PNG\r\n\x1a\n");
    assert_eq!(out, "");
    assert_eq!(
        err,
        "Error: cannot read picture.png\n\nCaused by:\n    \
         not a Blosc2 frame: expected an array of 14 elements (9e), found 89 at byte 0\n"
    );
}

#[test]
fn the_error_is_still_there_below_anyhow() {
    let error = Tile::from_prefix(b"\x9e\xa8b2frame").context("tile 7").unwrap_err();
    assert_eq!(
        format!("{error:#}"),
        "tile 7: the frame cannot be read or written: unexpected end of input at byte 9: the frame's header needs 6 more bytes"
    );
    let Some(Error::Frame(source)) = error.downcast_ref() else { panic!("{error:?}") };
    assert_eq!(source.needed(), Some(6));
    assert!(error.root_cause().downcast_ref::<b2nd_frame::Error>().is_some_and(b2nd_frame::Error::is_eof));
}
