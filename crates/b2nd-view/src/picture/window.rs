//! [`Window`]: a part of an array's chunks, along any two of its axes.

/// Selects the chunks that are drawn.
pub struct Window {
    /// The vertical and the horizontal axis, each `None` if the array has fewer axes.
    pub axes: [Option<usize>; 2],
    /// The coordinates of the first chunk.
    pub first: Vec<i64>,
    /// The maximum number of chunks along each of the two axes.
    pub most: i64,
}
