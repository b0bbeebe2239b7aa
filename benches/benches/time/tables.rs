//! Writes the tables, in Markdown that is also readable as plain text.

use std::fmt::Write;

use crate::outside::Others;
use crate::sample::Samples;

/// Each task, the unit of its sizes, and the contender with which the others are compared.
const TASKS: [(&str, &str, &str); 7] = [
    ("encode", "dimensions", "C"),
    ("decode", "dimensions", "C"),
    ("derived_encode", "dimensions", "rmp_serde::to_vec"),
    ("derived_decode", "dimensions", "rmp_serde::from_slice"),
    ("header_metalayers", "metalayers", "copy"),
    ("header_bytes", "bytes", "copy"),
    ("trailer_vlmetalayers", "vlmetalayers", "copy"),
];

/// The required speed of an operation as a multiple of another's. For example, 1 / 1.5 allows it to take 1.5 times as long.
const TARGETS: [(&str, usize, &str, &str, f64); 9] = [
    ("encode", 3, "b2nd::to_slice", "C", 1.0),
    ("encode", 3, "b2nd::to_vec", "rmp_serde::to_vec", 2.5),
    ("decode", 3, "b2nd::B2ndMeta<&str>", "C", 0.5),
    ("decode", 3, "b2nd::B2ndMeta<&str>", "rmp_serde<&str>", 2.5),
    ("decode", 3, "b2nd::B2ndMeta", "rmp_serde", 2.5),
    ("derived_encode", 3, "b2nd::to_vec", "rmp_serde::to_vec", 2.0),
    ("derived_decode", 3, "b2nd::from_slice", "rmp_serde::from_slice", 2.0),
    ("open_file", 2000, "b2nd::File", "open+read+close", 1.0 / 1.15),
    ("open_file", 2000, "b2nd::File", "C", 5.0),
];

/// Three sizes for each operation. The cost per unit is compared between the first two and the last two.
const LINES: [(&str, &str, [usize; 3]); 7] = [
    ("encode", "b2nd::to_slice", [1, 8, 15]),
    ("encode", "b2nd::to_vec", [1, 8, 15]),
    ("decode", "b2nd::B2ndMeta<&str>", [1, 8, 15]),
    ("decode", "b2nd::B2ndMeta", [1, 8, 15]),
    ("header_metalayers", "b2nd::Header", [1, 8, 16]),
    ("header_bytes", "b2nd::Header", [1191, 16551, 65703]),
    ("trailer_vlmetalayers", "b2nd::Trailer", [0, 8, 16]),
];

fn row(out: &mut String, first: &str, cells: impl IntoIterator<Item = String>) {
    write!(out, "| {first:<33} |").unwrap();
    cells.into_iter().for_each(|cell| write!(out, " {cell:>16} |").unwrap());
    out.push('\n');
}

fn head<T: ToString>(out: &mut String, first: &str, columns: &[T]) {
    row(out, first, columns.iter().map(T::to_string));
    row(out, "---", columns.iter().map(|_| "--:".to_owned()));
}

/// Returns tables of nanoseconds, and of the speed relative to the contender in the heading.
pub fn times(samples: &Samples) -> String {
    let mut out = String::new();
    for (task, unit, base) in TASKS {
        let of_task = || samples.0.iter().filter(|sample| sample.task == task);
        let mut sizes: Vec<_> = of_task().map(|sample| sample.size).collect();
        sizes.dedup();
        writeln!(out, "\n### {task}: nanoseconds (times as fast as {base})\n").unwrap();
        head(&mut out, unit, &sizes);
        for first in of_task().filter(|sample| sample.size == sizes[0]) {
            let cell = |&size: &usize| {
                let time = samples.nanoseconds(task, size, first.contender)?;
                let ratio = samples.ratio(task, size, first.contender, base)?;
                Some(format!("{time:.1} ({ratio:.2})"))
            };
            row(&mut out, first.contender, sizes.iter().map(|size| cell(size).unwrap_or_default()));
        }
    }
    out
}

/// Returns a table of microseconds and system calls per file.
pub fn files(samples: &Samples, others: &Others) -> String {
    let mut out = String::new();
    let of_task = || samples.0.iter().filter(|sample| sample.task == "open_file");
    let Some(count) = of_task().map(|sample| sample.size).next() else { return out };
    writeln!(out, "\n### open_file: {count} files\n").unwrap();
    head(&mut out, "", &["microseconds", "ours is", "system calls"]);
    for sample in of_task() {
        let time = samples.nanoseconds("open_file", count, sample.contender).unwrap_or_default();
        let ratio = samples.ratio("open_file", count, "b2nd::File", sample.contender).unwrap_or_default();
        let calls = others.system_calls.iter().find(|(contender, _)| *contender == sample.contender);
        let calls = calls.map_or_else(|| "no strace".to_owned(), |(_, calls)| format!("{calls:.1}"));
        row(&mut out, sample.contender, [format!("{:.2}", time / 1e3), format!("{ratio:.2} x as fast"), calls]);
    }
    if let (Some(python), Some(ours)) = (others.python, samples.nanoseconds("open_file", count, "b2nd::File")) {
        let (time, ratio) = (format!("{:.2}", python / 1e3), format!("{:.2} x as fast", python / ours));
        row(&mut out, "python: blosc2.open", [time, ratio, String::new()]);
    }
    out
}

/// Returns a table of the cost of each additional dimension, metalayer or byte, between the two smaller sizes and between the two
/// larger.
pub fn linear(samples: &Samples) -> String {
    let mut out = String::from("\n### linear: nanoseconds for each additional dimension, metalayer or byte, ");
    out.push_str("between the two smaller sizes (few) and the two larger (many)\n\n");
    head(&mut out, "", &["sizes", "few", "many"]);
    for (task, contender, sizes) in LINES {
        let [first, second, third] = sizes.map(|size| samples.nanoseconds(task, size, contender).unwrap_or(f64::NAN));
        let slope = |time: f64, from: usize, to: usize| format!("{:.3}", time / (to - from) as f64);
        let name = format!("{task} {}", contender.trim_start_matches("b2nd::"));
        let cells = [slope(second - first, sizes[0], sizes[1]), slope(third - second, sizes[1], sizes[2])];
        row(&mut out, &name, std::iter::once(sizes.map(|size| size.to_string()).join(" ")).chain(cells));
    }
    out
}

/// Returns a table of the required ratios and the measured ones.
pub fn targets(samples: &Samples) -> String {
    let mut out = String::from("\n### ratios: how many times as fast as another contender\n\n");
    head(&mut out, "", &["compared with", "measured", "required", "reached"]);
    for (task, size, contender, other, must) in TARGETS {
        let Some(ratio) = samples.ratio(task, size, contender, other) else { continue };
        let reached = if ratio >= must { "yes" } else { "no" };
        let name = format!("{task} {size} {}", contender.trim_start_matches("b2nd::"));
        row(&mut out, &name, [other.to_owned(), format!("{ratio:.2}"), format!("{must:.2}"), reached.to_owned()]);
    }
    out
}
