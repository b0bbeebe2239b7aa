//! Tiles in frames, and frames that are rejected.

use std::error::Error as _;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{Chunk, Frame, Header, Sizes};
use tile_catalogue::{Acquisition, Error, GeoTransform, Platform, Tile};

fn tile() -> Tile {
    Tile {
        array: B2ndMeta::of::<u16>(Geometry::new(&[2, 4, 6], &[1, 4, 6], &[1, 2, 3]).unwrap()),
        geo: GeoTransform { origin: [600_000.0, 5_300_040.0], pixel: [10.0, -10.0], crs: "EPSG:32632".into() },
        acquisition: Acquisition {
            platform: Platform::Sentinel2('B'),
            time: 1_700_000_000,
            cloud_cover: 0.5,
            bands: vec![665, 842],
        },
    }
}

#[test]
fn a_tile_comes_back_out_of_its_frame() {
    let tile = tile();
    let data = [7; 48];
    let bytes = tile.frame(&[Some(Chunk::store(&data, 2).unwrap()), None]).unwrap();
    assert_eq!(Tile::from_prefix(&bytes).unwrap(), tile);
    let frame = Frame::from_slice(&bytes).unwrap();
    assert_eq!(*frame.chunk(0).unwrap().data().unwrap(), data);
    assert_eq!(*frame.chunk(1).unwrap().data().unwrap(), [0; 48]);
}

#[test]
fn a_metalayer_keeps_its_length() {
    let mut tile = tile();
    let length = b2nd::to_vec(&tile.acquisition).unwrap().len();
    (tile.acquisition.cloud_cover, tile.acquisition.time) = (0.25, i64::MAX);
    tile.acquisition.platform = Platform::Sentinel2('A');
    assert_eq!(b2nd::to_vec(&tile.acquisition).unwrap().len(), length);
}

#[test]
fn what_a_prefix_lacks_is_told() {
    let bytes = b2nd::to_vec(&tile().header().unwrap()).unwrap();
    let mut length = 0;
    while let Err(error) = Tile::from_prefix(&bytes[..length]) {
        let Error::Frame(source) = error else { panic!("{error}") };
        length += source.needed().unwrap();
    }
    assert_eq!(length, bytes.len());
}

#[test]
fn what_is_no_tile_is_refused() {
    let refused = |header: &Header| Tile::from_header(header).unwrap_err().to_string();

    assert_eq!(
        refused(&Header::new(Sizes { typesize: 1, chunksize: 1, blocksize: 1 }).unwrap()),
        "the frame has no metalayer \"b2nd\""
    );

    let mut header = tile().header().unwrap();
    header.metalayers_mut().remove("acquisition");
    assert_eq!(refused(&header), "the frame has no metalayer \"acquisition\"");

    let line = B2ndMeta::of::<u16>(Geometry::new(&[2], &[2], &[2]).unwrap());
    header.metalayers_mut().set(&line).unwrap();
    assert_eq!(refused(&header), "expected 3 dimensions (bands, rows and columns), found 1");
}

#[test]
fn the_source_of_an_error_says_where() {
    // The time is an int32, as another program might write it.
    let short = (Platform::Landsat(9), 1_700_000_000_i32, 0.5_f32, [665_u16, 842]);
    let mut header = tile().header().unwrap();
    header.metalayers_mut().insert("acquisition", b2nd::to_vec(&short).unwrap()).unwrap();
    let error = Tile::from_header(&header).unwrap_err();
    assert_eq!(error.to_string(), "the frame cannot be read or written");
    let source: &b2nd_frame::Error = error.source().unwrap().downcast_ref().unwrap();
    assert_eq!(source.to_string(), "acquisition.time: expected int64 (d3), found int32 (d2) at byte 294");
    assert_eq!(source.path(), Some("acquisition.time"));
}
