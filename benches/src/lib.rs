//! The measured operations of `b2nd` and its contenders.

use std::hint::black_box;

pub mod c;
mod dtypes;
pub mod files;
mod frames;
pub mod hand;
mod metadata;

/// A contender that performs one task at one size.
pub struct Operation {
    /// The task, such as `encode`.
    pub task: &'static str,
    /// The size of the task, such as the number of dimensions, metalayers or bytes.
    pub size: usize,
    /// The contender. Names that start with `b2nd` are those of this project.
    pub contender: &'static str,
    /// Runs the operation this number of times.
    pub run: Box<dyn FnMut(usize)>,
}

impl Operation {
    fn new<R>(task: &'static str, size: usize, contender: &'static str, mut once: impl FnMut() -> R + 'static) -> Operation {
        // The black box gets a reference, so that a large result is not moved.
        let run = Box::new(move |times| {
            for _ in 0..times {
                black_box(&once());
            }
        });
        Operation { task, size, contender, run }
    }

    /// Returns true if the other operation has the same task and size, so that the two can be compared.
    pub fn is_beside(&self, other: &Operation) -> bool {
        (self.task, self.size) == (other.task, other.size)
    }

    /// Returns the name of the operation: `task/size/contender`.
    pub fn name(&self) -> String {
        format!("{}/{}/{}", self.task, self.size, self.contender)
    }
}

/// Returns all operations that need no files. Operations with the same task and size are adjacent.
pub fn in_memory() -> Vec<Operation> {
    let mut operations = Vec::new();
    for ndim in [0, 1, 2, 3, 8, 15, 16] {
        operations.extend(metadata::encode(ndim));
    }
    for ndim in [0, 1, 2, 3, 8, 15, 16] {
        operations.extend(metadata::decode(ndim));
    }
    operations.extend(metadata::derived());
    operations.extend(frames::all());
    operations.extend(dtypes::all());
    operations
}

/// Leaks a value so that operations can share it.
fn forever<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}
