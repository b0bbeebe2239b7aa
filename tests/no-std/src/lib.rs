//! The library without `std`: a static library with an allocator and a panic handler of its own, which would not link if anything
//! below it used `std`'s.
#![no_std]

extern crate alloc;

use b2nd::{ArrayMeta, B2ndMeta, Geometry};
use b2nd_frame::{Chunk, Frame, Header, Sizes, Writer};

#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: emballoc::Allocator<16384> = emballoc::Allocator::new();

#[cfg(not(test))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

/// True if a metalayer, a header and a frame come back as they were written.
#[allow(unsafe_code, reason = "a name that a program outside Rust can call")]
#[unsafe(no_mangle)]
pub extern "C" fn round_trips() -> bool {
    matches!((metalayer(), header(), frame()), (Ok(true), Ok(true), Ok(true)))
}

fn array() -> b2nd_frame::Result<B2ndMeta> {
    Ok(B2ndMeta::new(Geometry::new(&[400, 3], &[110, 3], &[57, 3])?, "|u1"))
}

/// Without the heap.
fn metalayer() -> b2nd_frame::Result<bool> {
    let array = array()?;
    let mut buffer = [0; 64];
    let bytes = b2nd::to_slice(&array, &mut buffer)?;
    let again: B2ndMeta<&str> = b2nd::from_slice(bytes)?;
    Ok(again.geometry == array.geometry && again.dtype == array.dtype && again.parse_dtype()?.itemsize() == 1)
}

fn header() -> b2nd_frame::Result<bool> {
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 330, blocksize: 171 })?;
    header.metalayers_mut().set(&array()?)?;
    let again = Header::from_slice(&b2nd::to_vec(&header)?)?;
    Ok(again == header && again.array()?.map(ArrayMeta::into_owned) == Some(ArrayMeta::B2nd(array()?)))
}

fn frame() -> b2nd_frame::Result<bool> {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 })?);
    writer.append(&Chunk::store(b"data", 1)?)?;
    writer.set_vlmetalayer_bytes("name", b"value")?;
    let bytes = writer.finish()?;
    let frame = Frame::from_slice(&bytes)?;
    let value = frame.trailer()?.vlmetalayers().value("name")?;
    Ok(frame.chunk(0)?.stored() == Some(b"data") && value.as_deref() == Some(b"value"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn everything_round_trips() {
        assert!(super::round_trips());
    }
}
