//! Frames in memory: the header and the trailer are written back unchanged, and chunks are where the index says and do not
//! overlap.
#![no_main]

use b2nd_frame::{Buffer, Frame, Offset, Offsets, Trailer};
use b2nd_fuzz::{explains, writes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let frame = match Frame::from_slice(input) {
        Ok(frame) => frame,
        Err(error) => return explains(error, input),
    };
    let (header, trailer) = (frame.header(), frame.trailer().expect("it was read"));
    let source = Frame::open(Buffer(input)).expect("the same header");
    assert_eq!(source.trailer().expect("the same trailer"), trailer);
    assert_eq!(source.offsets().expect("the same index"), frame.offsets().expect("it was read"));
    let bytes = &input[..header.frame_len() as usize];
    writes(header, &bytes[..header.header_len()]);
    let range = header.tail_range();
    let tail = &bytes[range.start as usize..range.end as usize];
    if header.nbytes() == 0 {
        // If there is no data, the trailer is the first one after the header.
        writes(trailer, &bytes[header.header_len()..][..trailer.trailer_len()]);
    } else {
        writes(trailer, &bytes[bytes.len() - trailer.trailer_len()..]);
        assert_eq!(Trailer::from_tail(tail).ok().as_ref(), Some(trailer).filter(|trailer| trailer.trailer_len() <= tail.len()));
    }

    let offsets = frame.offsets().expect("it was read");
    assert_eq!(&Offsets::from_tail(header, tail).expect("the same index"), offsets);
    assert!(header.nchunks().is_none_or(|count| count == offsets.len()));
    assert!(frame.chunk(offsets.len()).is_err());
    let mut places = Vec::new();
    // An index can repeat one value for a hundred million chunks.
    for (number, offset) in (0..64).zip(offsets.iter()) {
        let read = source.chunk(number).map_err(|error| error.to_string());
        assert_eq!(read, frame.chunk(number).map_err(|error| error.to_string()));
        let Ok(chunk) = frame.chunk(number) else { continue };
        match offset {
            Offset::At(at) => {
                let start = header.header_len() + at as usize;
                assert_eq!(offsets.range(number).map(|range| range.start), Some(start as u64));
                assert_eq!(chunk.bytes(), &bytes[start..start + chunk.bytes().len()]);
                places.push(start..start + chunk.bytes().len());
            }
            Offset::Special(special) => assert_eq!(chunk.header().special(), Some(special)),
            _ => {}
        }
        // The header of an empty frame may have a negative chunksize, which means the same as 0.
        if !header.has_variable_chunks() && header.chunksize() > 0 && number + 1 < offsets.len() {
            assert_eq!(chunk.header().nbytes(), header.chunksize() as usize);
        }
        if chunk.header().nbytes() <= 1 << 16 {
            let data = chunk.data();
            assert!(data.map_or(true, |data| data.len() == chunk.header().nbytes()));
        }
    }
    places.sort_by_key(|place| place.start);
    assert!(places.windows(2).all(|pair| pair[0].end <= pair[1].start), "two chunks share bytes: {places:?}");
});
