//! Compares `b2nd info -r --json` over many files with the library, which finds and opens the files and prints nothing. If
//! `B2ND_PYTHON` is a Python with blosc2, python-blosc2 is measured too, in one round; it prints some of the same facts. Times are
//! the processor time of all threads: for the library and the tool, the minimum of several rounds, in which they take turns.

use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use b2nd_frame::File;

/// The numbers of files and rounds. `--smoke` only tests that the benchmark runs.
const ALL: (usize, usize) = (50_000, 5);
const SMOKE: (usize, usize) = (200, 1);

const ATTRIBUTES: [(&str, &str); 4] = [
    ("author", r#""somebody""#),
    ("acquired", r#"{"when": "2026-11-21T10:00:00", "station": 17, "checked": true}"#),
    ("calibration", "[0.5, 1.25, 3.75, 100.0]"),
    ("history", r#"["measured", "cut", "checked"]"#),
];

const PYTHON: &str = r#"
import json, os, sys, blosc2
for place, _, names in sorted(os.walk(sys.argv[1])):
    for name in sorted(names):
        array = blosc2.open(os.path.join(place, name), mode="r")
        chunks = array.schunk
        print(json.dumps({
            "path": name, "shape": array.shape, "chunkshape": array.chunks, "blockshape": array.blocks, "dtype": str(array.dtype),
            "nbytes": chunks.nbytes, "cbytes": chunks.cbytes, "typesize": chunks.typesize, "chunksize": chunks.chunksize,
            "meta": {name: chunks.meta[name] for name in chunks.meta}, "vlmeta": dict(chunks.vlmeta.getall()),
        }, default=repr))
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/python-blosc2-4.14.1/random__09.b2nd");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recursive");
    let tool = || Command::new(env!("CARGO_BIN_EXE_b2nd"));
    let (file, place) = (place.with_extension("b2nd"), place);
    fs::copy(data, &file)?;
    let smoke = std::env::args().any(|argument| argument == "--smoke");
    let (files, rounds) = if smoke { SMOKE } else { ALL };
    println!("{files} files, {rounds} rounds, milliseconds of processor time, the minimum");
    for attributes in [&[][..], &ATTRIBUTES] {
        for (name, value) in attributes {
            run(tool().args(["meta", "set"]).arg(&file).args([name, "--json", value]))?;
        }
        let bytes = fs::read(&file)?;
        copies(&place, files, &bytes)?;
        let mut info = tool();
        info.args(["info", "-r", "--json"]).arg(&place);
        let mut times = [f64::INFINITY; 2];
        for _ in 0..rounds {
            times[0] = times[0].min(milliseconds(|| library(&place))?);
            times[1] = times[1].min(milliseconds(|| run(&mut info))?);
        }
        let [library, of_tool] = times;
        let what = format!("{} attributes, {} bytes", attributes.len(), bytes.len());
        println!("{what}: library {library:.0}, tool {of_tool:.0}: {:.2} times as long", of_tool / library);
        if let Some(python) = std::env::var_os("B2ND_PYTHON") {
            let mut python = Command::new(python);
            python.args(["-c", PYTHON]).arg(&place);
            let of_python = milliseconds(|| run(&mut python))?;
            println!("{what}: Python {of_python:.0}, {:.1} times as long as the tool", of_python / of_tool);
        }
        fs::remove_dir_all(&place)?;
    }
    Ok(fs::remove_file(&file)?)
}

/// Writes the files, a hundred per directory.
fn copies(place: &Path, files: usize, bytes: &[u8]) -> io::Result<()> {
    for number in 0..files {
        let directory = place.join(format!("{:03}", number / 100));
        fs::create_dir_all(&directory)?;
        fs::write(directory.join(format!("{number:05}.b2nd")), bytes)?;
    }
    Ok(())
}

fn library(directory: &Path) -> Result<(), Box<dyn Error>> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        if entry.file_type()?.is_dir() {
            library(&entry.path())?;
        } else {
            let file = File::open(entry.path())?;
            std::hint::black_box(file.header().array()?);
            std::hint::black_box(file.trailer()?);
        }
    }
    Ok(())
}

fn run(command: &mut Command) -> Result<(), Box<dyn Error>> {
    match command.stdout(Stdio::null()).status()? {
        status if status.success() => Ok(()),
        status => Err(format!("{command:?}: {status}").into()),
    }
}

/// Measures the processor time of this process and of the commands that it waited for. Linux counts it in hundredths of a
/// second.
fn milliseconds(run: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let processor = || -> Result<u64, Box<dyn Error>> {
        let stat = fs::read_to_string("/proc/self/stat")?;
        let (_, fields) = stat.rsplit_once(')').ok_or("no name in /proc/self/stat")?;
        Ok(fields.split_whitespace().skip(11).take(4).map(str::parse::<u64>).sum::<Result<u64, _>>()?)
    };
    let start = processor()?;
    run()?;
    Ok((processor()? - start).max(1) as f64 * 10.0)
}
