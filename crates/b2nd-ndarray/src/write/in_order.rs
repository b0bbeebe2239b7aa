//! [`in_order`]: processes items on all threads, and consumes the results in order.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::Result;
use crate::threads::{in_parallel, threads};

/// The number of items per thread that may be started while an earlier result is missing.
const WAITING: usize = 4;

/// The state that the threads share.
struct Queue<I, B, T> {
    /// The items that no thread has started, or `None` if all threads must end.
    items: Option<I>,
    started: usize,
    /// The results that have not been consumed, by the indices of their items.
    done: BTreeMap<usize, B>,
    consumed: usize,
    /// The function that consumes results, or `None` while a thread calls it, and after it has failed.
    take: Option<T>,
}

/// Calls a function when it is dropped: at the end of a thread's work, even if the work fails or panics.
struct AtEnd<F: Fn()>(F);

impl<F: Fn()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Processes items in parallel, and consumes the results in the order of the items. A thread does not start an item that is far ahead of
/// the first missing result, but waits. `work` and `take` must not use the thread pool: during such a call, the pool could start another
/// loop of this function on the same thread. This loop could wait for the result of the interrupted call, and so wait forever.
pub(super) fn in_order<A, B: Send>(
    items: impl Iterator<Item = A> + Send,
    work: impl Fn(A) -> Result<B> + Sync + Send,
    take: impl FnMut(B) -> Result<()> + Send,
) -> Result<()> {
    let threads = threads();
    let queue = Mutex::new(Queue { items: Some(items), started: 0, done: BTreeMap::new(), consumed: 0, take: Some(take) });
    let progress = Condvar::new();
    let run = |_| {
        let _end = AtEnd(|| {
            lock(&queue).items = None;
            progress.notify_all();
        });
        loop {
            let is_ahead =
                |queue: &mut Queue<_, _, _>| queue.items.is_some() && queue.started >= queue.consumed + WAITING * threads;
            let mut shared = progress.wait_while(lock(&queue), is_ahead).unwrap_or_else(PoisonError::into_inner);
            let Some(item) = shared.items.as_mut().and_then(Iterator::next) else { return Ok(()) };
            let number = shared.started;
            shared.started += 1;
            drop(shared);
            let result = work(item)?;
            let mut shared = lock(&queue);
            shared.done.insert(number, result);
            let Some(mut take) = shared.take.take() else { continue };
            let mut next = shared.consumed;
            while let Some(result) = shared.done.remove(&next) {
                drop(shared);
                take(result)?;
                next += 1;
                shared = lock(&queue);
                shared.consumed = next;
                progress.notify_all();
            }
            shared.take = Some(take);
        }
    };
    in_parallel((0..threads).collect(), run)?;
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, feature = "rayon"))]
#[allow(clippy::unwrap_used, clippy::panic)]
#[path = "../../tests/unit/in_order.rs"]
mod tests;
