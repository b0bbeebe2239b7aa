//! [`Window`]: a part of an array's chunks, along any two of its axes.

/// Which chunks are drawn.
pub struct Window {
    /// The axes that run down and across; none where the array has not as many.
    pub axes: [Option<usize>; 2],
    /// Coordinates of the first chunk: where the window starts along the two axes, and where it is along the others.
    pub first: Vec<i64>,
    /// The most chunks along either axis.
    pub most: i64,
}
