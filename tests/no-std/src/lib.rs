//! The library without `std`: a static library with its own allocator and panic handler. It would not build if one of its
//! dependencies used those of `std`.
#![no_std]

extern crate alloc;

use alloc::vec::Vec;

use b2nd::{ArrayMeta, B2ndMeta, Geometry};
use b2nd_codec::{ChunkHeader, CodecId, Filter, Format, Options, compress, decompress};
use b2nd_frame::{Chunk, Frame, Header, Sizes, Writer};

#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: emballoc::Allocator<524288> = emballoc::Allocator::new();

#[cfg(not(test))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

/// Returns true if a metalayer, a header, a frame and chunks of Blosc 1 are read back as they were written.
#[allow(unsafe_code, reason = "programs outside Rust call this function by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn round_trips() -> bool {
    matches!((metalayer(), header(), frame(), blosc1()), (Ok(true), Ok(true), Ok(true), Ok(true)))
}

fn array() -> b2nd_frame::Result<B2ndMeta> {
    Ok(B2ndMeta::new(Geometry::new(&[400, 3], &[110, 3], &[57, 3])?, "|u1"))
}

/// Writes and reads a metalayer in a buffer on the stack.
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

fn blosc1() -> b2nd_frame::Result<bool> {
    let data: Vec<u8> = (0..1000_u16).flat_map(u16::to_le_bytes).collect();
    let mut all = true;
    for codec in [CodecId::BloscLz, CodecId::Lz4, CodecId::Lz4Hc] {
        for filter in [Filter::None, Filter::Shuffle, Filter::BitShuffle] {
            let filters = Vec::from([(filter, 0)]);
            let options = Options { codec, typesize: 2, filters, format: Format::Blosc1, ..Options::default() };
            let chunk = compress(&data, &options)?;
            let header = ChunkHeader::from_slice(&chunk)?;
            let is_short = header.header_len() == 16 && (filter == Filter::None || !header.is_stored());
            all &= is_short && decompress(&chunk)? == data;
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    #[test]
    fn everything_round_trips() {
        assert!(super::round_trips());
    }
}
