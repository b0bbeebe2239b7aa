//! Runs the jobs that it reads from standard input, and prints how long each took. `speed.py` sends jobs to this program and to
//! python-blosc2 in turn.
//!
//! Each line is a job: `read THREADS PATH`, `slices THREADS COUNT PATH`, `steps THREADS STEP PATH`, `write THREADS CODEC LEVEL
//! PATH TARGET` (copies an array to another file) or `append THREADS CODEC ROWS COUNT TARGET` (appends `ROWS` rows of 256 float32
//! `COUNT` times, then flushes once). The response has four numbers: elapsed nanoseconds, nanoseconds of processor time, a
//! checksum of the values (or the length of the written file, or the number of rows), and the growth of resident memory at its peak in
//! bytes, including the result.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::io::BufRead;
use std::ops::Range;
use std::time::Instant;

use b2nd_frame::CodecId;
use b2nd_ndarray::{Appender, Array, Element, Options, Select};
use ndarray::{Array2, ArrayD};

fn main() {
    let pools = [1, 2].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<_> = line.split(' ').collect();
        let pool = &pools[words[1].parse::<usize>().unwrap() - 1];
        let (took, sum) = match words[..] {
            ["read", _, path] => pool.install(|| read(path)),
            ["slices", _, count, path] => pool.install(|| slices(path, count.parse().unwrap())),
            ["steps", _, step, path] => pool.install(|| steps(path, step.parse().unwrap())),
            ["write", _, codec, level, path, target] => {
                let [codec, level] = [codec, level].map(|word| word.parse().unwrap());
                pool.install(|| write(codec, level, path, target))
            }
            ["append", _, codec, rows, count, target] => {
                let [rows, count] = [rows, count].map(|word| word.parse().unwrap());
                pool.install(|| append(codec.parse().unwrap(), rows, count, target))
            }
            _ => unreachable!("{line}"),
        };
        println!("{} {} {sum} {}", took[0], took[1], took[2]);
    }
}

/// Opens the file and reads the whole array.
fn read(path: &str) -> ([u64; 3], u64) {
    let start = now();
    let array = Array::open(path).unwrap();
    if array.dtype().is_some_and(|dtype| dtype.to_string() == "<f4") {
        let values = array.read::<f32>(&array.whole()).unwrap();
        (since(start), sum(&values, |value| u64::from(value.to_bits())))
    } else {
        let values = array.read::<i32>(&array.whole()).unwrap();
        (since(start), sum(&values, |value| u64::from(value as u32)))
    }
}

/// Reads runs of 10,000 elements, squares of 100 by 100, or boxes of 8 by 64 by 64. `speed.py` computes the same positions.
fn slices(path: &str, count: u64) -> ([u64; 3], u64) {
    let array = Array::open(path).unwrap();
    let shape = array.geometry().shape().to_vec();
    let sides: &[i64] = match shape.len() {
        1 => &[10_000],
        2 => &[100, 100],
        _ => &[8, 64, 64],
    };
    let mut state = 1_u64;
    let places: Vec<Vec<Range<i64>>> = (0..count)
        .map(|_| {
            let mut place = |(&length, &side): (&i64, &i64)| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let start = ((state >> 33) % (length - side + 1) as u64) as i64;
                start..start + side
            };
            shape.iter().zip(sides).map(&mut place).collect()
        })
        .collect();
    let mut total = 0_u64;
    let start = now();
    for place in &places {
        let bytes = array.read_bytes(place).unwrap();
        total = total.wrapping_add(u64::from(bytes[0]) + u64::from(bytes[bytes.len() - 4]));
    }
    (since(start), total)
}

/// Reads each `step`th element in each dimension.
fn steps(path: &str, step: i64) -> ([u64; 3], u64) {
    let array = Array::open(path).unwrap();
    let whole = array.whole();
    let start = now();
    let bytes = array.select_bytes(&Select::steps(&whole, &vec![step; whole.len()]).unwrap()).unwrap();
    (since(start), u64::from(bytes[0]) + u64::from(bytes[bytes.len() - 4]))
}

/// Writes the array of one file to another, with the same chunks and blocks.
fn write(codec: u8, level: u8, path: &str, target: &str) -> ([u64; 3], u64) {
    let array = Array::open(path).unwrap();
    let values = array.read::<i32>(&array.whole()).or_else(|_| {
        let values = array.read::<f32>(&array.whole())?;
        Ok::<_, b2nd_ndarray::Error>(values.mapv(|value| value.to_bits() as i32))
    });
    let options = Options {
        chunkshape: Some(array.geometry().chunkshape().to_vec()),
        blockshape: Some(array.geometry().blockshape().to_vec()),
        codec: CodecId::from_code(codec),
        level,
        overwrite: true,
        ..Options::default()
    };
    let values = values.unwrap();
    let start = now();
    b2nd_ndarray::write(target, &values, &options).unwrap();
    (since(start), std::fs::metadata(target).unwrap().len())
}

/// Appends rows of a counter to a new array with chunks of 4 MiB.
fn append(codec: u8, rows: usize, count: usize, target: &str) -> ([u64; 3], u64) {
    let values = Array2::from_shape_fn((rows, 256), |(row, column)| (row * 256 + column) as f32);
    let options = Options {
        chunkshape: Some(vec![4096, 256]),
        blockshape: Some(vec![256, 256]),
        codec: CodecId::from_code(codec),
        overwrite: true,
        ..Options::default()
    };
    let mut appender = Appender::create::<f32>(target, &[256], &options).unwrap();
    let start = now();
    for _ in 0..count {
        appender.append(&values).unwrap();
    }
    appender.flush().unwrap();
    (since(start), appender.rows() as u64)
}

/// Returns the time, the processor time of this process, and its resident memory, whose peak is reset (Linux).
fn now() -> (Instant, u64, u64) {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    (Instant::now(), processor(), memory("VmRSS:"))
}

fn since(start: (Instant, u64, u64)) -> [u64; 3] {
    [start.0.elapsed().as_nanos() as u64, processor() - start.1, memory("VmHWM:").saturating_sub(start.2)]
}

fn processor() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn memory(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

fn sum<T: Element>(values: &ArrayD<T>, bits: impl Fn(T) -> u64) -> u64 {
    values.iter().step_by(97).fold(0, |sum, &value| sum.wrapping_add(bits(value)))
}
