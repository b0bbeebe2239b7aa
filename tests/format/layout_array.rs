//! Layouts of array metalayers, as their types say: against Blosc2's specifications, this crate's pages, and the bytes of values.

use std::collections::BTreeSet;

use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, Layout, LegacyB2ndMeta, layout, to_vec};
use hex_literal::hex;

use crate::layout::lines;

/// The markers of an array metalayer's entries and their names, in the order of the specifications: `|-0-|-1-|` and so on.
const SPECIFIED: [(&str, Option<u8>, &str); 7] = [
    ("version", None, "positive fixint"),
    ("ndim", None, "positive fixint"),
    ("shape", Some(0xd3), "int64"),
    ("chunkshape", Some(0xd2), "int32"),
    ("blockshape", Some(0xd2), "int32"),
    ("dtype_format", None, "positive fixint"),
    ("dtype", Some(0xdb), "str32"),
];

/// The entries of a layout are the specified ones of these names.
#[track_caller]
fn as_specified(layout: &Layout, count: usize, names: &[&str]) {
    let entries = layout.entries();
    assert_eq!((entries[0].marker(), entries[0].what()), (Some(0x90 + count as u8), &*format!("fixarray of {count}")));
    let mut entries = entries[1..].iter();
    for (offset, name) in (1..).zip(names) {
        let (_, marker, what) = SPECIFIED.into_iter().find(|(known, ..)| known == name).unwrap();
        let entry = entries.next().unwrap();
        assert_eq!((&entry.path(), entry.offset()), (name, (offset < 4).then_some(offset)));
        if name.ends_with("shape") {
            assert_eq!((entry.marker(), entry.what()), (None, "fixarray of any count"), "{name}");
            let item = entries.next().unwrap();
            assert_eq!((item.path(), item.marker(), item.what()), (&*format!("{name}[]"), marker, what));
        } else {
            assert_eq!((entry.marker(), entry.what()), (marker, what), "{name}");
        }
    }
    assert_eq!(entries.next(), None);
}

#[test]
fn the_array_metalayers_are_laid_out_as_specified() {
    let names: Vec<&str> = SPECIFIED.iter().map(|(name, ..)| *name).collect();
    as_specified(&layout::<CatervaMeta>().unwrap(), 5, &names[..5]);
    as_specified(&layout::<LegacyB2ndMeta>().unwrap(), 6, &[&names[..5], &["dtype"]].concat());
    as_specified(&layout::<B2ndMeta>().unwrap(), 7, &names);
    as_specified(&layout::<B2ndMeta<&str>>().unwrap(), 7, &names);
    assert_eq!(layout::<CatervaMeta>().unwrap().max_len(), Some(6 + 16 * 19));
}

/// The boxes of a drawing's rows, without their widths: `9X`, `shape`, ….
fn boxes(drawing: &str) -> Vec<Vec<String>> {
    let rows = drawing.lines().map(str::trim).filter(|line| line.starts_with("| ") && line.ends_with('|') && !line.contains("^"));
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    rows.map(cells).filter(|cells: &Vec<_>| cells.iter().any(|cell| !cell.is_empty())).collect()
}

/// A specification's drawing and one of ours have the same boxes: its `9X`, `v`, `nd` and `dtype_string` are ours by full names.
#[track_caller]
fn same_boxes(specified: &str, layout: &Layout) {
    let ours = boxes(&layout.to_string());
    let full = |cell: &String| match cell.as_str() {
        "v" => "version".to_owned(),
        "nd" => "ndim".to_owned(),
        "XX" => "dtype_format".to_owned(),
        "dtype_string" => "dtype".to_owned(),
        "first_dim" => "first".to_owned(),
        "nth_dim" => "nth".to_owned(),
        cell => cell.to_owned(),
    };
    let mut specified: Vec<Vec<String>> = boxes(specified).iter().map(|row| row.iter().map(full).collect()).collect();
    // The dtype is drawn below there, and in its place here.
    if specified.len() == 5 {
        let dtype = specified.pop().unwrap();
        specified[0].extend(dtype);
    }
    // `d3 first d3 second ... d3 nth` is shorter here.
    specified.iter_mut().skip(1).for_each(|row| drop(row.drain(2..4)));
    let ours: Vec<Vec<String>> = ours
        .iter()
        .map(|row| {
            row.iter()
                .enumerate()
                .map(|(index, cell)| if index == 0 && row.len() > 6 { "9X".into() } else { cell.clone() })
                .collect()
        })
        .collect();
    assert_eq!(ours, specified);
}

#[test]
fn the_drawings_have_the_boxes_of_the_specifications() {
    const SHAPES: &str = "
        | 9X| v | nd| 9X| shape          | 9X| chunkshape     | 9X| blockshape     |
        | d3| first_dim  | d3| second_dim | ... | d3| nth_dim    |
        | d2| first_dim  | d2| second_dim | ... | d2| nth_dim    |
        | d2| first_dim  | d2| second_dim | ... | d2| nth_dim    |";
    let (caterva, legacy, b2nd) =
        (layout::<CatervaMeta>().unwrap(), layout::<LegacyB2ndMeta>().unwrap(), layout::<B2ndMeta>().unwrap());
    same_boxes(SHAPES, &caterva);
    same_boxes(&format!("{SHAPES}\n| db| dtype_len  | dtype_string |"), &legacy);
    same_boxes(&format!("{SHAPES}\n| XX| db| dtype_len  | dtype_string |"), &b2nd);
    // The pages themselves, where they are at hand.
    let Some(pages) = std::env::var_os("B2ND_SPEC") else {
        return crate::common::report("the specifications' own pages are left out: B2ND_SPEC names no directory");
    };
    let mut compared = 0;
    for page in std::fs::read_dir(pages).unwrap() {
        let text = std::fs::read_to_string(page.unwrap().path()).unwrap();
        let page = text
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with("| ") && line.matches('|').count() > 3)
            .collect::<Vec<_>>();
        let drawn =
            page.iter().filter(|line| !line.contains("|   |") && !line.contains("+--")).copied().collect::<Vec<_>>().join("\n");
        match (text.contains("X=5 elements"), text.contains("X=6 elements"), text.contains("X=7 elements")) {
            // One page has its drawings in one line each.
            _ if boxes(&drawn).len() < 4 => continue,
            (true, ..) => same_boxes(&drawn, &caterva),
            (_, true, _) => same_boxes(&drawn, &legacy),
            (.., true) => same_boxes(&drawn, &b2nd),
            _ => continue,
        }
        compared += 1;
    }
    assert!(compared >= 4, "{compared} pages");
}

#[test]
fn the_metalayer_of_any_layout_has_the_entries_of_all() {
    let expected = [
        " @0 -- 6..- fixarray of 5 to 7",
        "version @1 -- 1..1 positive fixint",
        "ndim @2 -- 1..1 positive fixint",
        "shape @3 -- 1..145 fixarray of any count",
        "shape[] @- d3 9..9 int64",
        "chunkshape @- -- 1..81 fixarray of any count",
        "chunkshape[] @- d2 5..5 int32",
        "blockshape @- -- 1..81 fixarray of any count",
        "blockshape[] @- d2 5..5 int32",
        "dtype_format @- -- 1..- positive fixint or str32",
        "dtype @- db 5..- str32",
    ];
    assert_eq!(lines(&layout::<ArrayMeta>().unwrap()), expected);
    assert_eq!(lines(&layout::<ArrayMeta<&str>>().unwrap()), expected);
    let geometry = ["shape", "chunkshape", "blockshape"];
    let layout = layout::<Geometry>().unwrap();
    let paths: Vec<&str> = layout.entries().iter().map(b2nd::Entry::path).collect();
    assert!(geometry.iter().all(|name| paths.contains(name)), "{paths:?}");
}

#[test]
fn no_array_metalayer_says_that_it_never_grows() {
    assert!(!layout::<B2ndMeta>().unwrap().is_fixed());
    assert!(!layout::<LegacyB2ndMeta>().unwrap().is_fixed());
    assert!(!layout::<CatervaMeta>().unwrap().is_fixed());
    assert!(!layout::<ArrayMeta>().unwrap().is_fixed());
    // Without dimensions, and with the most.
    let caterva = layout::<CatervaMeta>().unwrap();
    assert_eq!((caterva.min_len(), caterva.max_len()), (6, Some(6 + 16 * 19)));
    assert_eq!(layout::<B2ndMeta>().unwrap().min_len(), 12);
    assert_eq!(layout::<LegacyB2ndMeta>().unwrap().min_len(), 11);
}

/// The crate's page about array metalayers draws each layout as its type does.
#[test]
fn the_page_draws_the_types() {
    let page = include_str!("../../src/docs/array_metalayer.md");
    let drawings = [
        layout::<B2ndMeta>().unwrap().to_string(),
        layout::<CatervaMeta>().unwrap().to_string(),
        layout::<LegacyB2ndMeta>().unwrap().to_string(),
    ];
    for drawing in drawings {
        // The sections of the three lists are in the first drawing alone.
        let row = drawing.split("\nThe section").next().unwrap();
        assert!(
            page.contains(&format!("```text\n{row}```")) || page.contains(&format!("```text\n{drawing}```")),
            "not on the page:\n{drawing}"
        );
    }
    assert!(page.contains(&layout::<B2ndMeta>().unwrap().to_string()), "the lists are drawn once");
}

#[test]
fn each_byte_of_an_array_metalayer_is_described() {
    let geometry = Geometry::new(&[400, 3], &[110, 3], &[57, 3]).unwrap();
    let bytes = to_vec(&B2ndMeta::new(geometry, "|u1")).unwrap();
    for layout in [layout::<B2ndMeta>().unwrap(), layout::<ArrayMeta>().unwrap()] {
        let rows = layout.describe(&bytes).unwrap();
        let mut end = 0;
        for row in &rows {
            assert_eq!(row.offset, end);
            end += row.length;
        }
        assert_eq!(end, bytes.len());
        let text: Vec<_> = rows.iter().map(|row| format!("{} {} {}", row.path, row.marker, row.value)).collect();
        assert_eq!(text[3..6], ["shape fixarray 2 elements", "shape[0] int64 400", "shape[1] int64 3"]);
        assert_eq!(text.last().unwrap(), "dtype str32 \"|u1\"");
    }
    // 16 dimensions have a marker of their own.
    let most = Geometry::new(&[2; 16], &[2; 16], &[1; 16]).unwrap();
    let bytes = to_vec(&B2ndMeta::new(most, "|b1")).unwrap();
    let rows = layout::<B2ndMeta>().unwrap().describe(&bytes).unwrap();
    assert_eq!(rows.len(), 1 + 7 + 48);
    let lists: BTreeSet<_> = rows.iter().filter(|row| row.path.ends_with("shape")).map(|row| row.marker).collect();
    assert_eq!(lists, BTreeSet::from(["90 + 16"]));
}

#[test]
fn a_metalayer_of_early_2023_is_described_whatever_its_count_says() {
    let layout = layout::<ArrayMeta>().unwrap();
    let last = |bytes: &[u8]| {
        let rows = layout.describe(bytes).unwrap();
        assert_eq!(rows.iter().map(|row| row.length).sum::<usize>(), bytes.len());
        rows[6..].iter().map(|row| format!("{} {} {}", row.path, row.marker, row.value)).collect::<Vec<_>>().join(", ")
            + " of "
            + &rows[0].value
    };
    assert_eq!(last(&hex!("96 00 00 90 90 90 db 00000002 7531")), "dtype str32 \"u1\" of 6 elements");
    let miscounted = "dtype_format positive fixint 0, dtype str32 \"u1\" of says 6, has 7 elements";
    assert_eq!(last(&hex!("96 00 00 90 90 90 00 db 00000002 7531")), miscounted);
    assert_eq!(last(&hex!("95 00 00 90 90 90")), " of 5 elements");
    let refused = |bytes: &[u8]| layout.describe(bytes).unwrap_err().to_string();
    assert_eq!(refused(&hex!("97 00 00 90 90 90 db 00000002 7531 db 00000000")), "expected 6 elements, found 7 at byte 6");
    assert!(refused(&hex!("96 00 00 90 90 90 00")).starts_with("unexpected end of input at byte 7"));
    assert_eq!(refused(&hex!("94 00 00 90 90")), "expected 7 elements, found 4 at byte 0");
}
