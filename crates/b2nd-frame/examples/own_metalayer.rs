//! Stores a struct of your own as a metalayer next to `b2nd`, reads it back, and shows that another value has the same length.
//!
//! ```text
//! cargo run -p b2nd-frame --example own_metalayer
//! ```

use b2nd::{B2ndMeta, Geometry, Metalayer};
use b2nd_frame::{Chunk, Frame, Header, Writer};
use serde::{Deserialize, Serialize};

/// The position of an array on the ground.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct GeoTransform {
    /// The outer corner of the first element: x and y in the datum's unit.
    origin: [f64; 2],
    /// The size of an element in x and y.
    pixel: [f64; 2],
    // A `String` is written as a str32. This attribute makes it a fixstr, which is four bytes shorter.
    #[serde(with = "b2nd::with::fixstr")]
    datum: String,
}

impl Metalayer for GeoTransform {
    const NAME: &'static str = "geotransform";
}

impl GeoTransform {
    /// The row and column of the element that contains a point.
    fn element(&self, x: f64, y: f64) -> (f64, f64) {
        let index = |point: f64, axis: usize| ((point - self.origin[axis]) / self.pixel[axis]).floor();
        (index(y, 1), index(x, 0))
    }
}

fn main() -> b2nd_frame::Result<()> {
    let geo = GeoTransform { origin: [600_000.0, 5_300_040.0], pixel: [10.0, -10.0], datum: "EPSG:32632".to_owned() };

    // Write the metalayer to a frame. It is part of the header, with which a writer is created. (`rewrite` can add metalayers later.)
    let meta = B2ndMeta::of::<u16>(Geometry::new(&[2, 3], &[2, 3], &[2, 3])?);
    let mut header = Header::for_array(&meta)?;
    header.metalayers_mut().set(&geo)?;
    let mut writer = Writer::new(header);
    let elements = [100u16, 101, 102, 200, 201, 202];
    writer.append(&Chunk::store(&elements.map(u16::to_le_bytes).concat(), 2)?)?;
    let bytes = writer.finish()?;

    // Read it back. `File` does the same for a file, and reads only the parts that are needed.
    let frame = Frame::from_slice(&bytes)?;
    for (name, content) in frame.header().metalayers().iter() {
        println!("metalayer {}: {} bytes", name.escape_ascii(), content.len());
    }
    if let Some(found) = frame.header().metalayer::<GeoTransform>()? {
        println!("{found:?}");
        let (row, column) = found.element(600_015.0, 5_300_025.0);
        println!("the point (600015, 5300025) is in row {row}, column {column}");
        assert_eq!(found, geo);
    }

    // The length does not depend on the numbers, so `Editor::overwrite_metalayer` can replace the value in a file.
    let moved = GeoTransform { origin: [0.0, 1e300], ..geo };
    println!("moved to {:?} it is {} bytes too", moved.origin, b2nd::serialized_len(&moved)?);
    assert_eq!(Some(b2nd::serialized_len(&moved)?), frame.header().metalayers().get(GeoTransform::NAME).map(<[u8]>::len));

    // A metalayer of another type is an error: here there are integers instead of floats.
    let mut header = frame.header().clone();
    header.metalayers_mut().insert(GeoTransform::NAME, b2nd::to_vec(&([1, 2], [0.5, 0.5], "EPSG:32632"))?)?;
    if let Err(error) = header.metalayer::<GeoTransform>() {
        println!("refused: {error}");
    }
    Ok(())
}
