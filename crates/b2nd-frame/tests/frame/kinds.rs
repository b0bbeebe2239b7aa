//! The kinds of errors that [`b2nd_frame::Error::kind`] returns.

use b2nd_frame::{Chunk, ErrorKind, Frame, Header};

#[test]
fn kinds_of_refusals() {
    let kind = |at: usize, byte: u8, matches: fn(&ErrorKind) -> bool| {
        let mut bytes = crate::common::frames::small();
        bytes[at] = byte;
        let error = Frame::from_slice(&bytes).unwrap_err();
        assert!(matches(error.kind()), "{error}");
    };
    kind(0, 0x89, |kind| matches!(kind, ErrorKind::NotAFrame(_)));
    kind(0, 0x93, |kind| matches!(kind, ErrorKind::NotAFrame(_)));
    kind(4, b'B', |kind| matches!(kind, ErrorKind::NotAFrame(_)));
    kind(0, 0x9d, |kind| matches!(kind, ErrorKind::UnsupportedVersion { .. }));
    kind(0x19, 0x14, |kind| matches!(kind, ErrorKind::UnsupportedVersion { found, .. } if found == "4"));
    kind(0x59, 0xff, |kind| matches!(kind, ErrorKind::Mismatch { .. }));
    kind(0x17, 0xff, |kind| matches!(kind, ErrorKind::UnexpectedEnd { .. }));

    let mut chunk = Chunk::store(b"data", 1).unwrap().into_bytes();
    (chunk[2], chunk[22]) = (0xc5, 200);
    let error = Chunk::from_slice(&chunk).unwrap().data().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoCodec { codec, .. } if codec == "codec 200"), "{error}");
    assert!(matches!(Header::from_slice(b"").unwrap_err().kind(), ErrorKind::UnexpectedEnd { .. }));
}
