//! [`Window`]: a part of an array's chunks, along any two of its axes.

/// The chunks that are drawn.
pub struct Window {
    /// The vertical and the horizontal axis, or `None` if the array has fewer axes.
    pub axes: [Option<usize>; 2],
    /// The coordinates of the first chunk.
    pub first: Vec<i64>,
    /// The maximum number of chunks along each of the two axes.
    pub most: i64,
}
