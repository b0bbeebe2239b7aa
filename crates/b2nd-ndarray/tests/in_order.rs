//! The function that compresses parts on all threads and writes them in order: the results in memory are limited, and an error ends it.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

#[path = "../src/write/in_order.rs"]
mod order;

mod error {
    pub(crate) type Result<T> = std::result::Result<T, &'static str>;
}
use order::in_order;

mod threads {
    use crate::error::Result;

    pub(crate) fn threads() -> usize {
        4
    }

    pub(crate) fn in_parallel<A: Send, B: Send>(items: Vec<A>, work: impl Fn(A) -> Result<B> + Sync + Send) -> Result<Vec<B>> {
        std::thread::scope(|scope| {
            let work = &work;
            let threads: Vec<_> = items.into_iter().map(|item| scope.spawn(move || work(item))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(Err("a thread panicked"))).collect()
        })
    }
}

/// Waits until the number no longer changes.
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
    in_order(0..500, work, take).unwrap();
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
    in_order(0..100_000, work, |()| Ok(())).unwrap();
    let most = most.into_inner();
    assert!(most < 5 * threads::threads(), "{most} results waited");
    assert_eq!(done.into_inner(), 99_999);
}

#[test]
fn nothing_is_consumed_after_an_error() {
    let taken = AtomicUsize::new(0);
    let take = |item| {
        taken.fetch_add(1, SeqCst);
        if item == 10 {
            std::thread::sleep(Duration::from_millis(50));
            return Err("the disk is full");
        }
        Ok(())
    };
    assert_eq!(in_order(0..1000, Ok, take), Err("the disk is full"));
    assert_eq!(taken.load(SeqCst), 11);
    let taken = AtomicUsize::new(0);
    let work = |item| if item == 10 { Err("damaged") } else { Ok(()) };
    let take = |()| {
        taken.fetch_add(1, SeqCst);
        Ok(())
    };
    assert_eq!(in_order(0..1000, work, take), Err("damaged"));
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
    assert_eq!(in_order(0..1000, work, |()| Ok(())), Err("a thread panicked"));
    assert!(start.elapsed() < Duration::from_secs(10));
}
