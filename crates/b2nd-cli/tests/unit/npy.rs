//! Tests of the order of elements.

use std::io::{Read, Write};

use super::in_c_order;

/// Each element is its number in C order, two bytes long.
#[test]
fn fortran_order_becomes_c_order_in_parts_of_any_size() {
    for shape in [&[5, 4][..], &[3, 1, 4], &[2, 3, 2, 2], &[1, 7], &[4, 0]] {
        let count: i64 = shape.iter().product();
        let element = |number: i64| (number as u16).to_le_bytes();
        let expected: Vec<u8> = (0..count).flat_map(element).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"head").unwrap();
        for place in 0..count {
            let (mut left, mut number, mut stride) = (place, 0, count);
            for &length in shape {
                stride /= length;
                number += left % length * stride;
                left /= length;
            }
            file.write_all(&element(number)).unwrap();
        }
        for most in 1..=expected.len() + 3 {
            let mut found = Vec::new();
            in_c_order(file.try_clone().unwrap(), 4, shape, 2, most).read_to_end(&mut found).unwrap();
            assert_eq!(found, expected, "{shape:?} in parts of {most} bytes");
        }
    }
}
