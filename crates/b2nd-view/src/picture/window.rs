//! [`Window`]: a part of an array's chunks, along any two of its axes.

/// Selects the chunks that are drawn. Along axes that are not drawn, one chunk is selected.
pub struct Window {
    /// The vertical and the horizontal axis, each `None` if the array has fewer axes.
    pub axes: [Option<usize>; 2],
    /// The coordinates of the first chunk, in chunks, with one coordinate for each axis of the array.
    pub first: Vec<i64>,
    /// The maximum number of chunks that are drawn along each of the two axes.
    pub most: i64,
}
