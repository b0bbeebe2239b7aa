//! Operations that are measured, of `b2nd` and of its contenders: one list for the clock and for the instruction counter.

use std::hint::black_box;

pub mod c;
mod dtypes;
pub mod files;
mod frames;
pub mod hand;
mod metadata;

/// One contender at one task of one size. Each has given the right result before it is in a list.
pub struct Operation {
    /// The work, such as `encode`.
    pub task: &'static str,
    /// The number of dimensions, of metalayers or of bytes.
    pub size: usize,
    /// Who does it. Ours start with `b2nd`.
    pub contender: &'static str,
    /// Runs it this number of times.
    pub run: Box<dyn FnMut(usize)>,
}

impl Operation {
    fn new<R>(task: &'static str, size: usize, contender: &'static str, mut once: impl FnMut() -> R + 'static) -> Operation {
        // The result is lent to the black box, so that a large one is not moved for the measurement.
        let run = Box::new(move |times| {
            for _ in 0..times {
                black_box(&once());
            }
        });
        Operation { task, size, contender, run }
    }

    /// True if it is to be compared with another: of the same task and size.
    pub fn is_beside(&self, other: &Operation) -> bool {
        (self.task, self.size) == (other.task, other.size)
    }

    /// `task/size/contender`
    pub fn name(&self) -> String {
        format!("{}/{}/{}", self.task, self.size, self.contender)
    }
}

/// All operations in memory, those of one task and size together.
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

/// A value for as long as the program runs, so that operations can share it.
fn forever<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}
