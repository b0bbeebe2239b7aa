//! Errors: their whole messages, offsets, kinds and sources.
#![cfg(feature = "std")]

use std::error::Error as _;
use std::io;

use crate::common::{message, refused};
use b2nd::{B2ndMeta, Error, ErrorKind};
use hex_literal::hex;

#[test]
fn the_sentences_that_the_design_promises() {
    refused::<B2ndMeta>(
        &hex!(
            "97 00 02 92 d30000000000000190 d30000000000000003 92 d20000006e d30000000000000003 92 d200000039 d200000003 00 db00000003 7c7531"
        ),
        "chunkshape[1]: expected int32 (d2), found int64 (d3) at byte 28",
    );
    refused::<B2ndMeta>(&hex!("97 00 11 90 90 90 00 db00000000"), "expected at most 16 dimensions, found 17");
    refused::<B2ndMeta>(
        &hex!(
            "97 00 02 92 d30000000000000190 d30000000000000003 92 d20000006e d200000003 92 d200000039 d200000003 00 db00000006 7c7531"
        ),
        "unexpected end of input at byte 53: dtype needs 3 more bytes",
    );
}

#[test]
fn what_the_system_refuses() {
    struct Broken;
    impl io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the line is dead"))
        }
    }
    impl io::Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is full"))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    assert_eq!(message(b2nd::from_reader::<_, u8>(Broken)), "the line is dead");
    assert_eq!(message(b2nd::to_writer(Broken, &1u8)), "the disk is full");
}

#[test]
fn an_error_is_a_pointer_and_its_debug_is_the_sentence() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<b2nd::Result<()>>(), size_of::<usize>());
    for error in [
        b2nd::from_slice::<u8>(b"").unwrap_err(),
        b2nd::from_slice::<Vec<u16>>(b"\x91\x01").unwrap_err(),
        b2nd::from_slice::<u8>(b"\x01\x02").unwrap_err(),
    ] {
        assert_eq!(format!("{error:?}"), error.to_string());
        fn thread_safe(_: impl std::error::Error + Send + Sync + 'static) {}
        thread_safe(error);
    }
}

#[test]
fn an_error_tells_its_kind_byte_and_path() {
    let error =
        b2nd::from_slice::<std::collections::BTreeMap<String, Vec<(u8, i8)>>>(&hex!("81 db0000000161 92 92 01 d002 92 01 02"));
    let error = error.unwrap_err();
    assert_eq!(error.to_string(), "a[1][1]: expected int8 (d0), found positive fixint (02) at byte 14");
    assert!(matches!(error.kind(), ErrorKind::Marker { expected: "int8 (d0)", found: 2 }));
    assert_eq!((error.offset(), error.path().as_deref()), (Some(14), Some("a[1][1]")));
    assert_eq!((error.is_eof(), error.needed()), (false, None));
    let error = b2nd::from_slice::<u32>(&hex!("ce 00")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnexpectedEnd { needed: 3 }));
    assert_eq!((error.offset(), error.path(), error.needed()), (Some(2), None, Some(3)));
}

#[test]
fn an_error_becomes_an_io_error() {
    let kind = |error: Error| io::Error::from(error).kind();
    assert_eq!(kind(b2nd::from_slice::<u8>(b"").unwrap_err()), io::ErrorKind::UnexpectedEof);
    assert_eq!(kind(b2nd::from_slice::<u8>(b"\xff").unwrap_err()), io::ErrorKind::InvalidData);
    let error = io::Error::from(b2nd::from_slice::<u8>(b"\x01\x02").unwrap_err());
    assert_eq!(error.to_string(), "the value is followed by 1 trailing byte at byte 1");
    let inner = error.get_ref().unwrap().downcast_ref::<Error>().unwrap();
    assert!(matches!(inner.kind(), ErrorKind::TrailingBytes { count: 1 }));
    let error = Error::from(io::Error::from(io::ErrorKind::PermissionDenied));
    assert!(matches!(error.kind(), ErrorKind::Io(error) if error.kind() == io::ErrorKind::PermissionDenied));
}

#[test]
fn the_source_of_an_io_error_is_the_errors() {
    #[derive(thiserror::Error, Debug)]
    #[error("the line is dead")]
    struct Dead(#[source] std::fmt::Error);
    let error = Error::from(io::Error::other(Dead(std::fmt::Error)));
    assert!(error.source().is_some_and(|source| source.is::<std::fmt::Error>()));
    assert!(Error::from(io::Error::other("nothing")).source().is_none());
    assert!(b2nd::from_slice::<u8>(b"").unwrap_err().source().is_none());
}

#[test]
fn a_struct_of_a_user_is_not_taken_for_one_of_this_crate_by_its_name() {
    #[derive(serde::Deserialize, Debug)]
    #[allow(dead_code)]
    struct CatervaMeta {
        version: u8,
        ndim: u8,
        shape: Vec<i64>,
        chunkshape: Vec<i32>,
        blockshape: Vec<i32>,
    }
    let bytes = hex!("95 00 02 91 d30000000000000001 91 d200000001 c0");
    refused::<CatervaMeta>(&bytes, "blockshape: expected array (90 to 9f, dc, dd), found nil (c0) at byte 19");
    refused::<b2nd::CatervaMeta>(
        &bytes,
        "blockshape: expected a list of at most 16 elements (90 to a0), found nil (c0) at byte 19",
    );
}
