//! Trailers: accepted bytes are written back unchanged, whether the input ends with the trailer or has other bytes before it.
#![no_main]

use b2nd_frame::{Chunk, Trailer};
use b2nd_fuzz::{explains, reencodes, writes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    match Trailer::from_slice(input) {
        Ok(trailer) => {
            writes(&trailer, input);
            assert_eq!(trailer.trailer_len(), input.len());
            assert_eq!(reencodes::<Trailer>(input).as_ref(), Some(&trailer));
            let tail = [b"what is in front", input].concat();
            assert_eq!(Trailer::from_tail(&tail).expect("the same trailer"), trailer);
            for (name, content) in trailer.vlmetalayers().raw_chunks().iter() {
                // A special chunk can claim almost 2 GiB.
                let small = Chunk::from_slice(content).is_ok_and(|chunk| chunk.header().nbytes() <= 1 << 16);
                if let (Ok(name), true) = (str::from_utf8(name), small) {
                    assert_eq!(trailer.vlmetalayers().raw_chunk(name), Some(content));
                    let _ = trailer.vlmetalayers().value(name);
                }
            }
            edit(trailer);
        }
        Err(error) => explains(error, input),
    }
    match Trailer::from_tail(input) {
        Ok(trailer) => writes(&trailer, &input[input.len() - trailer.trailer_len()..]),
        Err(error) => explains(error, input),
    }
});

/// Checks that a value that is set can be read from the written trailer.
fn edit(mut trailer: Trailer) {
    let count = trailer.vlmetalayers().len();
    if trailer.vlmetalayers_mut().set_bytes("name", b"value").is_err() {
        assert!(count >= 16 && trailer.vlmetalayers().raw_chunk("name").is_none());
        return;
    }
    let bytes = b2nd::to_vec(&trailer).expect("a trailer of so few bytes can be written");
    let again = Trailer::from_slice(&bytes).expect("an encoded trailer can be decoded");
    assert_eq!(again.vlmetalayers().value("name").expect("a stored value").as_deref(), Some(&b"value"[..]));
}
