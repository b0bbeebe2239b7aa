//! Helpers of the tests, including those of `b2nd`.
#![allow(dead_code, unreachable_pub, unused_imports, clippy::unwrap_used, clippy::panic)]

pub mod blosclz;
#[cfg(debug_assertions)]
pub mod faulty;
pub mod frames;
pub mod manifest;
pub mod scratch;
pub mod state;

#[path = "../../../../tests/common/mod.rs"]
mod shared;
pub use shared::*;

/// The bytes of a frame's header with these metalayers.
pub fn header(metalayers: &[(&[u8], &[u8])]) -> Vec<u8> {
    let names: usize = metalayers.iter().map(|(name, _)| name.len() + 6).sum();
    let contents: usize = metalayers.iter().map(|(_, content)| content.len() + 5).sum();
    let mut bytes = b"\x9e\xa8b2frame\0\xd2".to_vec();
    bytes.extend(((97 + names + contents) as u32).to_be_bytes());
    bytes.extend(b"\xcf\0\0\0\0\0\0\x02\0\xa4\x12\0\x15\x03");
    bytes.extend(b"\xd3\0\0\0\0\0\0\x0e\xa0\xd3\0\0\0\0\0\0\0\x64");
    bytes.extend(b"\xd2\0\0\0\x01\xd2\0\0\0\xab\xd2\0\0\x01\x4a\xd1\0\x01\xd1\0\x02\xc2");
    bytes.extend(b"\xd8\x06\0\0\0\0\0\x01\x05\0\0\0\0\0\0\0\0\0");
    let index = 7 + names;
    bytes.extend([0x93, 0xcd, (index >> 8) as u8, index as u8, 0xde, 0, metalayers.len() as u8]);
    let mut offset = 0x57 + index + 3;
    for (name, content) in metalayers {
        bytes.push(0xa0 | name.len() as u8);
        bytes.extend(*name);
        bytes.push(0xd2);
        bytes.extend((offset as u32).to_be_bytes());
        offset += 5 + content.len();
    }
    bytes.extend([0xdc, 0, metalayers.len() as u8]);
    for (_, content) in metalayers {
        bytes.push(0xc6);
        bytes.extend((content.len() as u32).to_be_bytes());
        bytes.extend(*content);
    }
    bytes
}
