//! Prints what array a file holds. Only the header is read: usually with one read of 4 KiB, however large the file is.
//!
//! ```text
//! cargo run -p b2nd-frame --example read_header -- tests/data/example.b2nd
//! ```

use b2nd_frame::File;

fn main() -> b2nd_frame::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "tests/data/example.b2nd".to_owned());
    let file = File::open(&path)?;
    let Some(array) = file.header().array()? else {
        println!("{path} holds no array");
        return Ok(());
    };
    let geometry = array.geometry();
    println!("{path}: {:?} elements of {}", geometry.shape(), array.dtype().unwrap_or("a dtype that the file does not give"));
    println!("in chunks of {:?}, and blocks of {:?}", geometry.chunkshape(), geometry.blockshape());
    println!("compressed with {}, level {}", file.header().codec(), file.header().level());
    Ok(())
}
