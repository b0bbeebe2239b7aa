#![doc = include_str!("docs/index.md")]

pub mod array_metalayer {
    #![doc = include_str!("docs/array_metalayer.md")]
}

pub mod dtype_strings {
    #![doc = include_str!("docs/dtype_strings.md")]
}

pub mod elements {
    #![doc = include_str!("docs/elements.md")]
}

pub mod stability {
    #![doc = include_str!("docs/stability.md")]
}
