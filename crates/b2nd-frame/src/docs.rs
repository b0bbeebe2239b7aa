#![doc = include_str!("docs/index.md")]

pub mod chunk {
    #![doc = include_str!("docs/chunk.md")]
}

pub mod chunk_index {
    #![doc = include_str!("docs/chunk_index.md")]
}

pub mod frame_header {
    #![doc = include_str!("docs/frame_header.md")]
}

pub mod metalayers {
    #![doc = include_str!("docs/metalayers.md")]
}

pub mod quirks {
    #![doc = include_str!("docs/quirks.md")]
}

pub mod sparse_frame {
    #![doc = include_str!("docs/sparse_frame.md")]
}

pub mod trailer {
    #![doc = include_str!("docs/trailer.md")]
}
