//! Arrays in real files have the values that C-Blosc2 reads: those in `tests/data`, whose hashes are committed, and those in the
//! directory that B2ND_CORPUS names. `python/values.py` wrote the hashes of the latter to the file that B2ND_VALUES names.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;

use b2nd::ArrayMeta;
use b2nd_frame::{File, Header};
use b2nd_ndarray::{Array, Error};
use ndarray::{ArrayD, IxDyn, Slice};
use sha2::{Digest, Sha256};

#[test]
fn files_of_tests_data_have_the_values_that_c_blosc2_reads() {
    let tally = Tally::of(Path::new("../../tests/data"), include_str!("values.tsv"));
    tally.check("tests/data");
    assert_eq!(tally.count("equal") + tally.refused(), 66);
    assert!(tally.count(STALE) > 0 && tally.count(EMPTIED) > 0, "files on which other readers fail");
}

#[test]
fn files_of_the_corpus_have_the_values_that_c_blosc2_reads() {
    let Some(directory) = std::env::var_os("B2ND_CORPUS") else { return };
    let Some(values) = std::env::var_os("B2ND_VALUES") else {
        return report("B2ND_VALUES names no file: values of the corpus are not compared");
    };
    let values = std::fs::read_to_string(values).unwrap();
    Tally::of(Path::new(&directory), &values).check("corpus");
}

#[test]
fn arrays_that_python_just_wrote_have_the_values_that_it_wrote() {
    let Some(directory) = std::env::var_os("B2ND_THEIRS") else { return };
    let directory = Path::new(&directory);
    let values = std::fs::read_to_string(directory.join("values.tsv")).unwrap();
    let tally = Tally::of(directory, &values);
    tally.check("python-blosc2 and hdf5plugin");
    assert_eq!(tally.count("equal") + tally.refused(), values.lines().count());
}

const STALE: &str = "equal, of these with stale bytes after the metalayer";
const EMPTIED: &str = "equal, of these resized to nothing";

/// The outcomes, with the files that had each of them.
struct Tally(BTreeMap<String, Vec<String>>);

impl Tally {
    fn of(directory: &Path, values: &str) -> Tally {
        let mut tally = Tally(BTreeMap::new());
        for line in values.lines() {
            let row: Vec<_> = line.split('\t').collect();
            let [file, offset, shape, itemsize, said] = row[..] else { panic!("no row of five: {line}") };
            let path = directory.join(file);
            let outcome = outcome(&path, offset.parse().unwrap(), shape, itemsize, said);
            if outcome == "equal" {
                let oddities = oddities(File::open_at(&path, offset.parse().unwrap()).unwrap().header());
                oddities.iter().for_each(|oddity| tally.add(oddity, file));
            }
            tally.add(&outcome, file);
        }
        assert!(!tally.0.is_empty());
        tally
    }

    fn add(&mut self, outcome: &str, file: &str) {
        self.0.entry(outcome.to_owned()).or_default().push(file.to_owned());
    }

    fn count(&self, outcome: &str) -> usize {
        self.0.get(outcome).map_or(0, Vec::len)
    }

    /// The number of arrays that need the feature `plugins`; 0 if it is enabled.
    fn refused(&self) -> usize {
        let refused = |(outcome, _): &(&String, &Vec<String>)| outcome.starts_with("not read: this build of b2nd has no");
        self.0.iter().filter(refused).map(|(_, files)| files.len()).sum()
    }

    /// Prints the numbers, and the names of files that are not simply equal.
    #[track_caller]
    fn check(&self, what: &str) {
        let total: usize =
            self.0.iter().filter(|(outcome, _)| !outcome.starts_with("equal, of")).map(|(_, files)| files.len()).sum();
        report(&format!("{what}: {total} arrays"));
        for (outcome, files) in &self.0 {
            report(&format!("{:6} {outcome}", files.len()));
            if !outcome.starts_with("equal") {
                files.iter().for_each(|file| report(&format!("         {file}")));
            }
        }
        let wrong: Vec<_> = self.0.keys().filter(|outcome| outcome.starts_with("WRONG")).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

fn outcome(path: &Path, offset: u64, shape: &str, itemsize: &str, said: &str) -> String {
    let reader = match File::open_at(path, offset).map_err(Error::from).and_then(Array::new) {
        Ok(reader) => reader,
        Err(error) => match error.kind() {
            Error::Elsewhere { metalayer } => return format!("refused: {metalayer}"),
            _ => return format!("WRONG: not opened: {error}"),
        },
    };
    let lengths: Vec<_> = reader.grid().shape().iter().map(i64::to_string).collect();
    if (lengths.join(","), reader.itemsize().to_string()) != (shape.to_owned(), itemsize.to_owned()) {
        return format!("WRONG: {lengths:?} of {} bytes", reader.itemsize());
    }
    let mut slice = reader.whole();
    let large = said.starts_with("large");
    if large {
        // Of a large array, only the last element is read.
        slice.iter_mut().for_each(|range| range.start = range.end - 1);
    }
    match (said, reader.read_bytes(&slice)) {
        (_, Err(error))
            if [" has no codec ", " has no filter ", " not supported"].iter().any(|no| error.to_string().contains(no)) =>
        {
            format!("not read: {}", without_chunk(&error))
        }
        (_, Err(error)) if said.starts_with("unread") => format!("not read by either: {} ({said})", without_chunk(&error)),
        (_, Err(error)) => format!("WRONG: {error}"),
        (_, Ok(_)) if large => "one element read: larger than 256 MiB".into(),
        ("undefined", Ok(_)) => "read, not compared: uninitialized chunks".into(),
        (_, Ok(bytes)) if sha256(&bytes) == said => middle(&reader, &bytes).unwrap_or_else(|| "equal".into()),
        (_, Ok(_)) if said.starts_with("unread") => format!("read here alone ({said})"),
        (_, Ok(_)) => {
            let header = reader.header();
            let filters: Vec<_> = header.filters().map(|(filter, _)| filter.to_string()).collect();
            format!("WRONG: other values: {} after {}", header.codec(), filters.join(", "))
        }
    }
}

/// Compares a slice from the middle, for which some blocks can be skipped, with the bytes of the whole array. Returns the error.
fn middle(reader: &Array, whole: &[u8]) -> Option<String> {
    let shape: Vec<_> = reader.grid().shape().iter().map(|&length| length as usize).collect();
    let slice: Vec<_> = reader.grid().shape().iter().map(|&length| length / 3..(2 * length + 2) / 3).collect();
    let numbers = ArrayD::from_shape_vec(IxDyn(&shape), (0..shape.iter().product()).collect::<Vec<usize>>()).unwrap();
    let wanted = numbers.slice_each_axis(|axis| {
        let range = &slice[axis.axis.index()];
        Slice::from(range.start as isize..range.end as isize)
    });
    let itemsize = reader.itemsize();
    let expected: Vec<_> = wanted.iter().flat_map(|number| &whole[number * itemsize..][..itemsize]).copied().collect();
    match reader.read_bytes(&slice) {
        Ok(bytes) if bytes == expected => None,
        Ok(_) => Some(format!("WRONG: other values in {slice:?}")),
        Err(error) => Some(format!("WRONG: {slice:?}: {error}")),
    }
}

/// Properties that make a file hard to read even though its values are plain.
fn oddities(header: &Header) -> Vec<&'static str> {
    let array = header.array().unwrap().unwrap();
    let name = if matches!(array, ArrayMeta::Caterva(_)) { "caterva" } else { "b2nd" };
    let stale = header.metalayers().get(name).is_some_and(|content| content.len() > array.to_metalayer().unwrap().len());
    let emptied = header.nbytes() == 0 && header.cbytes() != 0;
    [(stale, STALE), (emptied, EMPTIED)].into_iter().filter_map(|(is, what)| is.then_some(what)).collect()
}

fn without_chunk(error: &Error) -> String {
    let text = error.kind().to_string();
    text.split_once(": ").filter(|_| text.starts_with("chunk")).map_or(text.clone(), |(_, what)| what.to_owned())
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Prints a line even if the test's output is captured.
fn report(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
