//! [`spawned`]: waits for a task.

use tokio::task::JoinHandle;

/// Returns the result of a task. Panics if the task panicked.
pub(crate) async fn spawned<T>(task: JoinHandle<T>) -> T {
    match task.await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // A task is cancelled only when the runtime ends, and then its result is not needed.
            Err(_) => std::future::pending().await,
        },
    }
}
