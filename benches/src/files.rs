//! Opening files.
