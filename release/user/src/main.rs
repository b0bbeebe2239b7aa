//! Prints the shape of an array from its header, and the sum of its values.

use b2nd_ndarray::Array;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("give a file")?;
    let header = b2nd_frame::File::open(&path)?.header().clone();
    let meta = header.array()?.ok_or("the frame has no array")?;
    let array = Array::open(&path)?;
    assert_eq!(array.geometry().shape(), meta.geometry().shape());
    let sum: i64 = array.read::<i32>(&array.whole())?.iter().copied().map(i64::from).sum();
    println!("{:?}: {sum}", array.geometry().shape());
    Ok(())
}
