//! Interior mutability: types whose values can be set through `&self`. Without `std`, these types cannot be shared between threads.

#[cfg(feature = "std")]
pub(crate) use std::sync::OnceLock as Once;

#[cfg(not(feature = "std"))]
pub(crate) use core::cell::OnceCell as Once;

/// A value that can be changed through `&self`.
#[derive(Default, Debug)]
pub(crate) struct Lock<T>(#[cfg(feature = "std")] std::sync::Mutex<T>, #[cfg(not(feature = "std"))] core::cell::RefCell<T>);

impl<T> Lock<T> {
    /// Calls `change` with the value. `change` must not call `with` on the same lock, since this would cause a deadlock or a panic.
    pub(crate) fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        #[cfg(feature = "std")]
        let mut value = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        #[cfg(not(feature = "std"))]
        let mut value = self.0.borrow_mut();
        change(&mut value)
    }
}
