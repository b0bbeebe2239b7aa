//! `blosc2-pure-rs`: what it has, what it is given, and what is checked of what it gives back.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};

use b2nd::frame::{Codec, Filter};
use blosc2_pure_rs::compress::{CParams, DParams, compress_chunk, decompress_chunk_into_with_dparams};

use super::Compressor;

pub(super) fn decompress(metalayer: &[u8], chunk: &[u8], data: &mut [u8]) -> b2nd::Result<()> {
    let params = DParams { b2nd_metalayer: (!metalayer.is_empty()).then(|| metalayer.to_vec()), ..DParams::default() };
    let length = data.len();
    let written = guarded(|| decompress_chunk_into_with_dparams(chunk, data, &params))?;
    if written != length {
        return Err(b2nd::Error::custom(format_args!("blosc2-pure-rs: expected {length} bytes, it gave {written}")));
    }
    Ok(())
}

/// Refuses by name what it does not have.
pub(super) fn has(codec: Codec, mut filters: impl Iterator<Item = (Filter, u8)>) -> b2nd::Result<()> {
    // 32 to 35: ndlz and zfp.
    if !matches!(codec, Codec::BloscLz | Codec::Lz4 | Codec::Lz4Hc | Codec::Zlib | Codec::Zstd | Codec::Other(32..=35)) {
        return Err(b2nd::Error::custom(format_args!("blosc2-pure-rs has no {}", super::codec_name(codec))));
    }
    // 32 to 36: ndcell, ndmean, bytedelta in its two versions, int_trunc.
    match filters.find(|(filter, _)| matches!(filter, Filter::Other(..32 | 37..))) {
        Some((filter, _)) => Err(b2nd::Error::custom(format_args!("blosc2-pure-rs has no {}", super::filter_name(filter)))),
        None => Ok(()),
    }
}

pub(super) fn compress(with: &Compressor, data: &[u8]) -> b2nd::Result<Vec<u8>> {
    let params = CParams {
        compcode: with.codec,
        clevel: with.level,
        typesize: with.typesize,
        blocksize: with.blocksize,
        splitmode: with.split_mode,
        filters: with.filters,
        filters_meta: with.filters_meta,
        b2nd_metalayer: Some(with.metalayer.clone()),
        ..CParams::default()
    };
    guarded(|| compress_chunk(data, &params))
}

thread_local! {
    /// Whether this thread is in the codec.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// A panic of the codec is an error here: its 57,000 lines meet whatever a file holds.
fn guarded<T>(work: impl FnOnce() -> Result<T, &'static str>) -> b2nd::Result<T> {
    GUARDED.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    match done {
        Ok(done) => done.map_err(|error| b2nd::Error::custom(format_args!("blosc2-pure-rs: {error}"))),
        Err(_) => Err(b2nd::Error::custom("blosc2-pure-rs panicked")),
    }
}

/// Silences the messages of panics inside the codec, which are returned as errors. Other panics print as before.
///
/// This sets the process's panic hook: call it once, at the start of a program.
pub fn quiet_panics() {
    let others = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !GUARDED.get() {
            others(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    use std::panic::{catch_unwind, set_hook, take_hook};
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn a_panic_of_the_codec_is_an_error_and_prints_nothing() {
        static PRINTED: AtomicU32 = AtomicU32::new(0);
        let before = take_hook();
        set_hook(Box::new(|_| {
            PRINTED.fetch_add(1, Ordering::Relaxed);
        }));
        super::quiet_panics();
        let error = super::guarded::<()>(|| panic!("in the codec")).unwrap_err();
        assert_eq!((error.to_string().as_str(), PRINTED.load(Ordering::Relaxed)), ("blosc2-pure-rs panicked", 0));
        catch_unwind(|| panic!("elsewhere")).unwrap_err();
        assert_eq!(PRINTED.load(Ordering::Relaxed), 1);
        set_hook(before);
    }
}
