// Converts a drawing of bytes to these bytes. The pages of `docs` include this expression in their doctests. Each line of a drawing is
//
//     OFFSET │ BYTES │ what they are
//
// where OFFSET is the position of the line's first byte, in hexadecimal. `×16` after bytes repeats them 16 times.
|drawing: &str| -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut start = None;
    for line in drawing.lines().filter(|line| !line.trim().is_empty()) {
        let mut columns = line.split('│').map(str::trim);
        let offset = usize::from_str_radix(columns.next().unwrap(), 16).expect(line);
        let start = *start.get_or_insert(offset);
        assert_eq!(offset, start + bytes.len(), "wrong offset: {line}");
        let (hex, times) = columns.next().expect(line).split_once('×').map_or_else(
            || (line.split('│').nth(1).unwrap(), 1),
            |(hex, times)| (hex, times.parse().expect(line)),
        );
        let row: Vec<u8> = hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect(line)).collect();
        assert!(columns.next().is_some_and(|words| !words.is_empty()), "{line} does not say what it is");
        bytes.extend(row.repeat(times));
    }
    bytes
}
