//! Tests of the function that compresses parts on all threads and writes them in order. The number of results in memory is
//! limited, and an error stops it.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use super::in_order;
use crate::error::{Error, Result};

const THREADS: usize = 4;

/// Calls `work` in a pool of four threads.
fn pooled<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().unwrap().install(work)
}

fn failed<T>(message: &str) -> Result<T> {
    Err(b2nd_frame::Error::custom(message).into())
}

fn message(done: Result<()>) -> String {
    done.as_ref().map_err(Error::to_string).unwrap_err()
}

/// Waits until the number stops changing.
fn settled(number: &AtomicUsize) -> usize {
    let mut before = usize::MAX;
    while before != number.load(SeqCst) {
        before = number.load(SeqCst);
        std::thread::sleep(Duration::from_millis(100));
    }
    before
}

#[test]
fn results_are_consumed_in_the_order_of_the_items() {
    let mut taken = Vec::new();
    let work = |item: usize| {
        std::thread::sleep(Duration::from_micros(((item * 7919) % 13) as u64 * 50));
        Ok(item * 2)
    };
    let take = |result| {
        taken.push(result);
        Ok(())
    };
    pooled(|| in_order(0..500, work, take)).unwrap();
    assert_eq!(taken, (0..500).map(|item| item * 2).collect::<Vec<_>>());
}

#[test]
fn a_slow_item_limits_the_results_that_wait() {
    let done = AtomicUsize::new(0);
    let most = AtomicUsize::new(0);
    let work = |item| {
        if item == 0 {
            most.store(settled(&done), SeqCst);
        } else {
            done.fetch_add(1, SeqCst);
        }
        Ok(())
    };
    pooled(|| in_order(0..100_000, work, |()| Ok(()))).unwrap();
    let most = most.into_inner();
    assert!(most < 5 * THREADS, "{most} results waited");
    assert_eq!(done.into_inner(), 99_999);
}

#[test]
fn nothing_is_consumed_after_an_error() {
    let taken = AtomicUsize::new(0);
    let take = |item| {
        taken.fetch_add(1, SeqCst);
        if item == 10 {
            std::thread::sleep(Duration::from_millis(50));
            return failed("the disk is full");
        }
        Ok(())
    };
    assert_eq!(message(pooled(|| in_order(0..1000, Ok, take))), "the disk is full");
    assert_eq!(taken.load(SeqCst), 11);
    let taken = AtomicUsize::new(0);
    let work = |item| if item == 10 { failed("damaged") } else { Ok(()) };
    let take = |()| {
        taken.fetch_add(1, SeqCst);
        Ok(())
    };
    assert_eq!(message(pooled(|| in_order(0..1000, work, take))), "damaged");
    assert!(taken.into_inner() <= 10);
}

#[test]
fn a_panic_ends_the_threads_that_wait() {
    let start = Instant::now();
    let work = |item| {
        if item == 0 {
            std::thread::sleep(Duration::from_millis(100));
            panic!("in the work");
        }
        Ok(())
    };
    assert!(std::panic::catch_unwind(|| pooled(|| in_order(0..1000, work, |()| Ok(())))).is_err());
    assert!(start.elapsed() < Duration::from_secs(10));
}
