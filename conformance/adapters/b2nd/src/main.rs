//! The adapter for the crates of b2nd, as the conformance suite calls it.

use std::process::ExitCode;

use b2nd_conformance::Layer;
use b2nd_conformance_adapter::{encode, read};

fn main() -> ExitCode {
    b2nd_conformance::adapter::main(
        |layer, path| Some(read(layer, path).map_err(|refused| refused.to_string())),
        |layer, facts| matches!(layer, Layer::Metalayer | Layer::Header | Layer::Trailer).then(|| encode(layer, facts)),
    )
}
