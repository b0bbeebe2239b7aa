//! JSON with the extensions that Python writes.

use b2nd_store::json::{float, parse};

#[test]
fn floats_that_json_lacks_are_read_outside_of_strings_alone() {
    let value = parse(r#"{"a": NaN, "b": [-Infinity, Infinity, -1.5], "N\"aN, \\": "NaN Infinity \" -Infinity"}"#).unwrap();
    assert!(float(&value["a"]).unwrap().is_nan());
    let floats: Vec<_> = value["b"].as_array().unwrap().iter().filter_map(float).collect();
    assert_eq!(floats, [f64::NEG_INFINITY, f64::INFINITY, -1.5]);
    assert_eq!(value["N\"aN, \\"], "NaN Infinity \" -Infinity");
    for wrong in ["{\"a\": NaNN}", "{\"a\": \"NaN}", "-", "{\"a\": Infinit}", "\"\\"] {
        assert!(parse(wrong).unwrap_err().starts_with("it cannot be read as JSON: "), "{wrong}");
    }
}
