//! Layouts of array metalayers: against Blosc2's specifications, this crate's pages, and the bytes of values.

use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, Layout, LegacyB2ndMeta, layout};

use crate::layout::lines;

fn geometry() -> Geometry {
    Geometry::new(&[400, 3], &[110, 3], &[57, 3]).unwrap()
}

fn caterva() -> CatervaMeta {
    CatervaMeta { version: 0, geometry: geometry() }
}

fn legacy() -> LegacyB2ndMeta<&'static str> {
    LegacyB2ndMeta { version: 0, geometry: geometry(), dtype: "u1" }
}

fn b2nd() -> B2ndMeta {
    B2ndMeta::new(geometry(), "|u1")
}

/// The entries in the order of the specifications, `|-0-|-1-|` and so on.
const ENTRIES: [&str; 14] = [
    "version @1 00 1~",
    "ndim @2 02 1~",
    "shape @3 92 19~",
    "shape[0] @4 d3 9",
    "shape[1] @13 d3 9",
    "chunkshape @22 92 11~",
    "chunkshape[0] @23 d2 5",
    "chunkshape[1] @28 d2 5",
    "blockshape @33 92 11~",
    "blockshape[0] @34 d2 5",
    "blockshape[1] @39 d2 5",
    "dtype_format @44 00 1~",
    "dtype @45 db 8~",
    "dtype @44 db 7~",
];

#[test]
fn the_array_metalayers_are_laid_out_as_specified() {
    let of = |layout: Layout| lines(&layout);
    assert_eq!(of(layout(&caterva()).unwrap()), [&[" @0 95 44~"], &ENTRIES[..11]].concat());
    assert_eq!(of(layout(&legacy()).unwrap()), [&[" @0 96 51~"], &ENTRIES[..11], &ENTRIES[13..]].concat());
    let seven = [&[" @0 97 53~"], &ENTRIES[..13]].concat();
    assert_eq!(of(layout(&b2nd()).unwrap()), seven);
    assert_eq!(of(layout(&ArrayMeta::from(b2nd())).unwrap()), seven);
    assert_eq!(of(layout(&ArrayMeta::MiscountedB2nd(b2nd())).unwrap()), [&[" @0 96 53~"], &ENTRIES[..13]].concat());
    let paths: Vec<String> = layout(&geometry()).unwrap().entries().iter().map(|entry| entry.path().to_owned()).collect();
    assert_eq!(paths[1..4], ["ndim", "shape", "shape[0]"]);
}

#[test]
fn the_list_of_16_dimensions_has_a_marker_of_its_own() {
    let most = Geometry::new(&[2; 16], &[2; 16], &[1; 16]).unwrap();
    let layout = layout(&B2ndMeta::new(most, "|b1")).unwrap();
    assert_eq!(layout.entries().len(), 1 + 7 + 48);
    let lists = layout.entries().iter().filter(|entry| entry.path().ends_with("shape"));
    assert!(lists.map(b2nd::Entry::marker).eq([0xa0; 3]));
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
    let (caterva, legacy, b2nd) = (layout(&caterva()).unwrap(), layout(&legacy()).unwrap(), layout(&b2nd()).unwrap());
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

/// The crate's page about array metalayers draws each layout.
#[test]
fn the_page_draws_the_layouts() {
    let page = include_str!("../../src/docs/array_metalayer.md");
    let drawings =
        [layout(&b2nd()).unwrap(), layout(&caterva()).unwrap(), layout(&legacy()).unwrap()].map(|layout| layout.to_string());
    for drawing in drawings {
        // The sections of the three lists are only in the first drawing.
        let row = drawing.split("\nThe section").next().unwrap();
        assert!(
            page.contains(&format!("```text\n{row}```")) || page.contains(&format!("```text\n{drawing}```")),
            "not on the page:\n{drawing}"
        );
    }
    assert!(page.contains(&layout(&b2nd()).unwrap().to_string()), "the lists are drawn once");
}
