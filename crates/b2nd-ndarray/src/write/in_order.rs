//! [`in_order`]: processes items on all threads, and consumes the results in order.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Result;

/// The number of finished results per thread that may be kept while an earlier result is missing.
const WAITING: usize = 4;

/// Processes items in parallel, and consumes the results in the order of the items.
pub(super) fn in_order<A, B: Send>(
    items: impl Iterator<Item = A> + Send,
    work: impl Fn(A) -> Result<B> + Sync + Send,
    mut take: impl FnMut(B) -> Result<()> + Send,
) -> Result<()> {
    // If a thread fails, `items` is set to `None`, so that all threads end.
    let items = Mutex::new(Some(items.enumerate()));
    let done = Mutex::new(BTreeMap::new());
    let mut next = 0;
    let take_next = Mutex::new(|| -> Result<()> {
        loop {
            let Some(result) = lock(&done).remove(&next) else { return Ok(()) };
            next += 1;
            take(result)?;
        }
    });
    let threads = crate::threads();
    let some = |_| -> Result<()> {
        loop {
            let next = lock(&items).as_mut().and_then(Iterator::next);
            let Some((number, item)) = next else { return Ok(()) };
            let result = work(item)?;
            let waiting = {
                let mut done = lock(&done);
                done.insert(number, result);
                done.len()
            };
            let turn = if waiting > WAITING * threads { Some(lock(&take_next)) } else { take_next.try_lock().ok() };
            if let Some(mut take_next) = turn {
                take_next()?;
            }
        }
    };
    let until_error = |thread| some(thread).inspect_err(|_| *lock(&items) = None);
    crate::in_parallel((0..threads).collect(), until_error)?;
    lock(&take_next)()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
