//! Runs work on the threads of rayon's pool, or on the calling thread without the feature `rayon`.

use crate::error::Result;

/// Returns the number of threads in the caller's thread pool.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Runs `work` on all items in parallel, and returns the results in the order of the items.
pub(crate) fn in_parallel<A: Send, B: Send>(items: Vec<A>, work: impl Fn(A) -> Result<B> + Sync + Send) -> Result<Vec<B>> {
    #[cfg(feature = "rayon")]
    use rayon::iter::{IntoParallelIterator, ParallelIterator};
    #[cfg(feature = "rayon")]
    return items.into_par_iter().map(work).collect();
    #[cfg(not(feature = "rayon"))]
    items.into_iter().map(work).collect()
}

/// Calls `work` for the numbers in parallel, and then `take` with each number and its result, in the order of `numbers`. At most one result
/// per thread is in memory at a time.
pub(crate) fn in_batches<B: Send>(
    numbers: impl IntoIterator<Item = u64>,
    work: impl Fn(u64) -> Result<B> + Sync + Send,
    mut take: impl FnMut(u64, B) -> Result<()>,
) -> Result<()> {
    let mut numbers = numbers.into_iter();
    loop {
        let batch: Vec<_> = numbers.by_ref().take(threads()).collect();
        if batch.is_empty() {
            return Ok(());
        }
        for (number, result) in in_parallel(batch, |number| Ok((number, work(number)?)))? {
            take(number, result)?;
        }
    }
}
