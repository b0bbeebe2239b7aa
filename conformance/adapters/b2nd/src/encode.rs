//! Encodes facts as bytes.

use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};
use b2nd_conformance::{Fact, Layer, hex};
use b2nd_frame::{Header, Trailer};
use serde_json::{Value, json};

/// Encodes the facts of a layer.
///
/// # Errors
///
/// Fails if the facts cannot be encoded, for example because the layer is not metalayer, header or trailer.
pub fn encode(layer: Layer, facts: &Fact) -> Result<Vec<u8>, String> {
    let written = match layer {
        Layer::Metalayer => metalayer(facts)?.to_metalayer(),
        Layer::Header => {
            let header = readable(facts, &["header_len"])?;
            b2nd::to_vec(&serde_json::from_value::<Header>(header).map_err(|error| error.to_string())?)
        }
        Layer::Trailer => {
            let trailer = readable(facts, &["trailer_len"])?;
            b2nd::to_vec(&serde_json::from_value::<Trailer>(trailer).map_err(|error| error.to_string())?)
        }
        layer => return Err(format!("expected the layer metalayer, header or trailer, found {layer}")),
    };
    written.map_err(|error| error.to_string())
}

fn metalayer(facts: &Fact) -> Result<ArrayMeta, String> {
    // A missing value is `null`.
    let of = |name: &str| facts.get(name).unwrap_or(&Fact::Null);
    let list = |name: &str| -> Result<Vec<i64>, String> {
        let Fact::List(list) = of(name) else { return Err(format!("{name}: expected a list, found {}", of(name))) };
        list.iter().map(|fact| integer(fact).ok_or_else(|| format!("{name}: expected an int64, found {fact}"))).collect()
    };
    let short = |name: &str| -> Result<Vec<i32>, String> {
        let lengths = list(name)?.into_iter();
        lengths.map(|n| i32::try_from(n).map_err(|_| format!("{name}: expected an int32, found {n}"))).collect()
    };
    let small = |name: &str| {
        let number = integer(of(name)).and_then(|n| u8::try_from(n).ok());
        number.ok_or_else(|| format!("{name}: expected a uint8, found {}", of(name)))
    };
    let text = |name: &str| match of(name) {
        Fact::Text(text) => Ok(text.clone()),
        other => Err(format!("{name}: expected text, found {other}")),
    };
    let geometry = Geometry::new(&list("shape")?, &short("chunkshape")?, &short("blockshape")?);
    let (geometry, version) = (geometry.map_err(|error| error.to_string())?, small("version")?);
    let b2nd = || Ok::<_, String>(B2ndMeta { version, geometry, dtype_format: small("dtype_format")?, dtype: text("dtype")? });
    Ok(match text("layout")?.as_str() {
        "caterva" => ArrayMeta::Caterva(CatervaMeta { version, geometry }),
        "b2nd-six" => ArrayMeta::LegacyB2nd(LegacyB2ndMeta { version, geometry, dtype: text("dtype")? }),
        "b2nd-miscounted" => ArrayMeta::MiscountedB2nd(b2nd()?),
        _ => ArrayMeta::B2nd(b2nd()?),
    })
}

fn integer(fact: &Fact) -> Option<i64> {
    match fact {
        Fact::Int(value) => i64::try_from(*value).ok(),
        _ => None,
    }
}

/// Returns the facts as the JSON from which the library deserializes a header or trailer. Leaves out the fields that the library computes.
fn readable(facts: &Fact, without: &[&str]) -> Result<Value, String> {
    let Fact::Map(entries) = facts else { return Err(format!("expected an object, found {facts}")) };
    let kept = entries.iter().filter(|(name, _)| !without.contains(&name.as_str()));
    kept.map(|(name, fact)| Ok((name.clone(), plain(fact).map_err(|error| format!("{name}: {error}"))?))).collect()
}

fn plain(fact: &Fact) -> Result<Value, String> {
    Ok(match fact {
        Fact::Bool(value) => json!(value),
        Fact::Int(value) if *value < 0 => json!(i64::try_from(*value).map_err(|_| format!("expected an int64, found {value}"))?),
        Fact::Int(value) => json!(u64::try_from(*value).map_err(|_| format!("expected a uint64, found {value}"))?),
        Fact::Bytes(bytes) => json!(bytes),
        // Lists consist of pairs of a name and a content.
        Fact::List(pairs) => {
            let wrong = |pair: &Fact| format!("expected a list of a name and a content, both as bytes, found {pair}");
            let pair = |pair: &Fact| match pair {
                Fact::List(list) => match &list[..] {
                    [Fact::Bytes(name), Fact::Bytes(content)] => Ok(json!([name, hex(content)])),
                    _ => Err(wrong(pair)),
                },
                _ => Err(wrong(pair)),
            };
            Value::Array(pairs.iter().map(pair).collect::<Result<_, _>>()?)
        }
        other => return Err(format!("expected a Boolean, an integer, bytes or a list, found {other}")),
    })
}
