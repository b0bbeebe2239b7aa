//! `b2nd concat`: arrays are joined along an axis; chunks that do not align are compressed again only if an option allows it.

use crate::harness::{Directory, npy};

#[test]
fn arrays_are_joined_along_an_axis() {
    let tests = Directory::new();
    tests.write("one.npy", npy("<i4", "(2, 3)", &[0, 1, 2, 3, 4, 5]));
    tests.write("two.npy", npy("<i4", "(1, 3)", &[6, 7, 8]));
    for name in ["one", "two"] {
        tests.ok(&["import", "--chunks", "2,3", "--blocks", "1,3", &format!("{name}.npy"), &format!("{name}.b2nd")]);
    }
    tests.ok(&["concat", "one.b2nd", "two.b2nd", "all.b2nd"]);
    assert_eq!(tests.ok(&["cat", "all.b2nd"]), "0  1  2\n3  4  5\n6  7  8\n");
    assert_eq!(tests.pipe(&["concat", "one.b2nd", "two.b2nd", "-"], &[]), tests.read("all.b2nd"));
    tests.ok(&["concat", "--axis", "1", "--overwrite", "one.b2nd", "one.b2nd", "one.b2nd", "all.b2nd"]);
    assert_eq!(tests.ok(&["cat", "all.b2nd"]), "0  1  2  0  1  2  0  1  2\n3  4  5  3  4  5  3  4  5\n");

    let misaligned = "two.b2nd: it would start at element 1 of axis 0, which is inside a chunk of length 2: the arrays can be \
                      joined only by compressing their chunks again: use --recompress";
    tests.fails(&["concat", "two.b2nd", "two.b2nd", "new.b2nd"], misaligned);
    tests.ok(&["concat", "--recompress", "two.b2nd", "one.b2nd", "new.b2nd"]);
    assert_eq!(tests.ok(&["cat", "new.b2nd"]), "6  7  8\n0  1  2\n3  4  5\n");

    tests.fails(&["concat", "one.b2nd", "two.b2nd", "all.b2nd"], "all.b2nd already exists");
    let (_, error, status) = tests.run(&["concat", "--overwrite", "two.b2nd", "one.b2nd", "one.b2nd"]);
    assert!(error.ends_with("one.b2nd: it is the input, or contains it: choose another name\n") && status == 1, "{error}");
    let shapes = "two.b2nd: expected the shape [2, 3] except along axis 1, found [1, 3]";
    tests.fails(&["concat", "--axis", "1", "one.b2nd", "two.b2nd", "new2.b2nd"], shapes);
    let foreign = "new.npy: .npy is the ending of another format: choose a name that ends in .b2nd";
    tests.fails(&["concat", "one.b2nd", "two.b2nd", "new.npy"], foreign);
    let (_, error, status) = tests.run(&["concat", "one.b2nd", "none.b2nd", "new3.b2nd"]);
    assert!(error.starts_with("none.b2nd: ") && status != 0, "{error}");
}
