//! Nothing that `head`, `info` and `show` print is wider or longer than the screen.

use std::fs;
use std::path::{Path, PathBuf};

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{Header, Sizes, Special, Writer};

use crate::harness::{Directory, Place, on_screen};

/// A frame of zeros with this shape and dtype, and with `layers` attributes and as many metalayers, but at most 12.
fn zeros(shape: &[i64], dtype: &str, layers: usize) -> Vec<u8> {
    let chunks: Vec<i32> = shape.iter().map(|&length| i32::try_from(length).unwrap()).collect();
    let dtype: b2nd::dtype::DType = dtype.parse().unwrap();
    let typesize = dtype.itemsize() as i32;
    let chunksize = chunks.iter().product::<i32>() * typesize;
    let mut header =
        Header::new(Sizes { typesize, chunksize: chunksize.max(typesize), blocksize: chunksize.max(typesize) }).unwrap();
    let geometry = Geometry::new(shape, &chunks, &chunks).unwrap();
    header.metalayers_mut().set(&B2ndMeta::new(geometry, dtype.to_string().as_str())).unwrap();
    let name = |number: usize| format!("the name of a metalayer {number}");
    for number in 0..layers.min(12) {
        header.metalayers_mut().insert(&name(number), b"\xa3abc".as_slice()).unwrap();
    }
    let mut writer = Writer::new(header);
    if chunksize != 0 {
        writer.append_special(Special::Zeros, chunksize as usize).unwrap();
    }
    for number in 0..layers {
        writer.set_vlmetalayer_bytes(&name(number), b"\xa3abc").unwrap();
    }
    writer.finish().unwrap()
}

/// A sample of the files in each directory of test data, and new files with too much content for a small screen.
fn files(tests: &Directory) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut directories: Vec<PathBuf> =
        fs::read_dir(Place::data().path("")).unwrap().map(|entry| entry.unwrap().path()).collect();
    directories.push(Place::tables().path(""));
    directories.sort();
    let ends = ["b2nd", "b2frame", "b2z", "b2e", "b2d", "b2b", "caterva"];
    for directory in directories.iter().filter(|path| path.is_dir()) {
        let mut inside: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
        inside.retain(|path| path.extension().is_some_and(|end| ends.iter().any(|&known| end == known)));
        inside.sort();
        let step = inside.len().div_ceil(5).max(1);
        files.extend(inside.into_iter().step_by(step));
    }
    let fields: Vec<String> = (0..40).map(|field| format!("('field number {field}', '<f4')")).collect();
    let made = [
        ("wide.b2nd", zeros(&[3, 1_000_000], "<f4", 0)),
        ("layers.b2nd", zeros(&[3, 4], "<i8", 16)),
        ("dimensions.b2nd", zeros(&[2; 14], "|u1", 3)),
        ("empty.b2nd", zeros(&[0, 5], "<f8", 0)),
        ("fields.b2nd", zeros(&[100], &format!("[{}]", fields.join(", ")), 0)),
        ("texts.b2nd", zeros(&[3, 3], "<U300", 0)),
        (&format!("{}.b2nd", "long name ".repeat(12)), zeros(&[5], "<i4", 0)),
    ];
    for (name, bytes) in made {
        tests.write(name, bytes);
        files.push(tests.path(name));
    }
    for leaf in 0..70 {
        tests.write(&format!("many.b2d/group{}/leaf{leaf}.b2nd", leaf % 7), zeros(&[3], "<i4", 0));
    }
    tests.write("many.b2d/embed.b2e", Place::data().read("python-blosc2-4.8.0/embedstore__three.b2e"));
    files.push(tests.path("many.b2d"));
    files
}

/// The directory of a file, and the file's name in it.
fn named(file: &Path) -> (Place, &str) {
    (Place(file.parent().unwrap().to_owned()), file.file_name().unwrap().to_str().unwrap())
}

#[test]
fn nothing_is_wider_or_longer_than_the_screen() {
    let tests = Directory::new();
    let files = files(&tests);
    assert!(files.len() >= 55, "{}", files.len());
    let mut wrong = Vec::new();
    for screen in [(80, 24), (120, 40)] {
        for file in &files {
            let (place, name) = named(file);
            for command in ["info", "head", "show"] {
                let Some((lines, _)) = on_screen(&place, screen, &[command, name]) else {
                    return eprintln!("no script here: nothing was tried");
                };
                let wide = lines.iter().find(|line| line.chars().count() > screen.0);
                // One line must remain for the prompt.
                if wide.is_some() || lines.len() >= screen.1 || lines.is_empty() {
                    wrong.push(format!("{command} {name}, {screen:?}: {wide:?}\n{}", lines.join("\n")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn full_pages_have_all_and_cut_ones_say_how_many_are_left_out() {
    let tests = Directory::new();
    tests.write("layers.b2nd", zeros(&[3, 4], "<i8", 16));
    let Some((cut, _)) = on_screen(&tests, (80, 24), &["info", "layers.b2nd"]) else {
        return eprintln!("no script here: nothing was tried");
    };
    let (full, _) = on_screen(&tests, (80, 24), &["info", "--full", "layers.b2nd"]).unwrap();
    let names = |lines: &[String]| lines.iter().filter(|line| line.contains("name of a metalayer")).count();
    assert_eq!(names(&full), 12 + 16);
    let more = |line: &String| line.trim().strip_prefix("… ")?.strip_suffix(" more: use --full")?.parse::<usize>().ok();
    // The metalayer of the array may be among those that are left out.
    let left_out: usize = cut.iter().filter_map(more).sum();
    assert!((28..=29).contains(&(names(&cut) + left_out)), "{}", cut.join("\n"));
    assert_eq!(
        names(&tests.ok(&["info", "layers.b2nd"]).lines().map(str::to_owned).collect::<Vec<_>>()),
        12 + 16,
        "a pipe gets all"
    );
    let line = tests.ok(&["ls", "layers.b2nd"]).trim_end().to_owned();
    let shown = |width| on_screen(&tests, (width, 24), &["ls", "layers.b2nd"]).unwrap().0;
    assert_eq!(shown(line.len()), [line.as_str()]);
    assert_eq!(shown(line.len() - 1), [format!("{}…", &line[..line.len() - 2])]);
}
