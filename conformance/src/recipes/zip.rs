//! Creates zip archives byte by byte.

use super::bytes::le32;

/// Creates an archive with these members in order, without compression.
pub(crate) fn stored(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in members {
        let length = |length: usize| le32(length);
        let fields = [
            &[20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x58][..],
            &crc(bytes).to_le_bytes(),
            &length(bytes.len()),
            &length(bytes.len()),
            &length(name.len())[..2],
            &[0, 0],
        ]
        .concat();
        directory.extend([b'P', b'K', 1, 2, 20, 0]);
        directory.extend(&fields);
        directory.extend([0; 10]);
        directory.extend(length(out.len()));
        directory.extend(name.as_bytes());
        out.extend([b'P', b'K', 3, 4]);
        out.extend(&fields);
        out.extend(name.as_bytes());
        out.extend(bytes);
    }
    let (start, count) = (out.len(), &le32(members.len())[..2]);
    out.extend(&directory);
    out.extend([b'P', b'K', 5, 6, 0, 0, 0, 0]);
    out.extend([count, count].concat());
    out.extend(le32(directory.len()));
    out.extend(le32(start));
    out.extend([0, 0]);
    out
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}
