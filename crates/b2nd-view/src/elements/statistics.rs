//! [`Tally`]: statistics of values (count, min, max, mean, standard deviation), computed in parts that are merged in order.

use super::number::Number;
use super::reader::{NumberReader, Read};
use super::run::{Kind, Moments, Run};

const RUN: usize = 4096;

/// The maximum number of distinct values that are counted separately.
const FEW: usize = 16;

/// The maximum number of values that are kept for the quantiles of a column, which need 512 MiB.
pub const MOST_KEPT: usize = 1 << 26;

/// Statistics of values. NaN and NaT are counted separately, and ignored by everything else. Numbers of unsupported types, such as
/// `float128`, are counted like bytes.
#[derive(Clone, Default)]
pub struct Tally {
    /// The number of values that are neither NaN nor NaT.
    pub count: u64,
    /// The number of values that are NaN or NaT.
    pub nan: u64,
    /// The number of zeros. A value that is not read as a number counts as zero if all its bytes are 0.
    pub zeros: u64,
    min: Option<Extreme>,
    max: Option<Extreme>,
    moments: Moments,
    few: Few,
    /// All numbers of at most 8 bytes, if they are kept for quantiles.
    kept: Option<Vec<[u8; 8]>>,
}

/// The minimum or the maximum, as a number and as bytes.
type Extreme = (Number, Vec<u8>);

impl Tally {
    /// Creates statistics of no values. If `keeps` is true, numbers are kept for [`quantiles`](Tally::quantiles).
    pub fn new(keeps: bool) -> Tally {
        Tally { kept: keeps.then(Vec::new), ..Tally::default() }
    }

    /// Returns quantiles of the numbers, each for a fraction from 0 to 1, interpolated linearly. Returns `None` if there are no numbers, if
    /// there are more than 2^26, if they are complex, or if they were not kept.
    pub fn quantiles(&mut self, read: Read, fractions: &[f64]) -> Option<Vec<Number>> {
        let kept = self.kept.as_mut().filter(|kept| !kept.is_empty())?;
        kept.sort_unstable_by(|one, other| read(one).partial_cmp(&read(other)).unwrap_or(std::cmp::Ordering::Equal));
        let at = |fraction: f64| {
            let place = fraction.clamp(0.0, 1.0) * (kept.len() - 1) as f64;
            let (low, part) = (place as usize, place.fract());
            match (read(kept.get(low)?), read(kept.get(low + 1).or(kept.last())?)) {
                (Number::Integer(low), Number::Integer(high)) => Some(match part {
                    0.0 => Number::Integer(low),
                    part => Number::Float(low as f64 + (high - low) as f64 * part),
                }),
                // The difference of two equal infinities is NaN.
                (Number::Float(low), Number::Float(high)) if part == 0.0 || low == high => Some(Number::Float(low)),
                (Number::Float(low), Number::Float(high)) => Some(Number::Float(low + (high - low) * part)),
                _ => None,
            }
        };
        fractions.iter().map(|&fraction| at(fraction)).collect()
    }

    /// Adds numbers, which follow each other in `bytes`. Each occurs `times` times.
    pub(super) fn add_numbers(&mut self, bytes: &[u8], times: u64, reader: NumberReader) {
        let [mut min, mut max]: [Option<(Number, &[u8])>; 2] = [None, None];
        for bytes in bytes.chunks(RUN * reader.size) {
            let run = (reader.run)(bytes);
            self.count += run.len() as u64 * times;
            self.nan += run.nan as u64 * times;
            self.zeros += run.zeros() as u64 * times;
            if let Some([least, greatest]) = run.range() {
                if min.is_none_or(|(min, _)| least < min) {
                    min = Some((least, bytes));
                }
                if max.is_none_or(|(max, _)| greatest > max) {
                    max = Some((greatest, bytes));
                }
            }
            self.few.add_run(&run, bytes, times, reader);
            if self.kept.is_some() {
                let numbers = bytes.chunks_exact(reader.size).filter(|bytes| (reader.one)(bytes) != Number::Nan);
                numbers.for_each(|bytes| self.keep(bytes, times));
            }
            self.moments.merge(&run.moments().repeated(times));
        }
        let first = |(number, run): (Number, &[u8])| {
            Some((number, run.chunks_exact(reader.size).find(|bytes| (reader.one)(bytes) == number)?.to_vec()))
        };
        self.extremes(min.and_then(first), max.and_then(first));
    }

    /// Adds strings or bytes of any length, which are not numbers. Each occurs `times` times, and is counted as zero if all its bytes are
    /// zero.
    pub fn add_bytes<'a>(&mut self, values: impl Iterator<Item = &'a [u8]>, times: u64) {
        for bytes in values {
            self.count += times;
            self.zeros += if bytes.iter().all(|&byte| byte == 0) { times } else { 0 };
            self.few.add(Number::Nan, bytes, times);
        }
    }

    fn keep(&mut self, bytes: &[u8], times: u64) {
        let Some(kept) = &mut self.kept else { return };
        let mut value = [0; 8];
        match (value.get_mut(..bytes.len()), usize::try_from(times)) {
            (Some(place), Ok(times)) if times <= MOST_KEPT - kept.len() => {
                place.copy_from_slice(bytes);
                kept.extend(std::iter::repeat_n(value, times));
            }
            _ => self.kept = None,
        }
    }

    /// Adds the statistics of further values, which follow the values of `self`.
    pub fn merge(&mut self, after: Tally) {
        self.count += after.count;
        self.nan += after.nan;
        self.zeros += after.zeros;
        self.moments.merge(&after.moments);
        self.few.merge(after.few);
        match (&mut self.kept, after.kept) {
            (Some(kept), Some(more)) if kept.len() + more.len() <= MOST_KEPT => kept.extend(more),
            _ => self.kept = None,
        }
        self.extremes(after.min, after.max);
    }

    fn extremes(&mut self, min: Option<Extreme>, max: Option<Extreme>) {
        if let Some(least) = min.filter(|new| self.min.as_ref().is_none_or(|least| new.0 < least.0)) {
            self.min = Some(least);
        }
        if let Some(greatest) = max.filter(|new| self.max.as_ref().is_none_or(|greatest| new.0 > greatest.0)) {
            self.max = Some(greatest);
        }
    }

    /// Returns the bytes of the minimum and the maximum, or `None` if there are no numbers, or they are complex and have no order.
    pub fn range(&self) -> Option<(&[u8], &[u8])> {
        Some((&self.min.as_ref()?.1, &self.max.as_ref()?.1))
    }

    /// Returns the mean of the numbers, or `None` if there are no numbers.
    pub fn mean(&self) -> Option<Number> {
        let moments = &self.moments;
        (moments.count != 0).then(|| match moments.kind {
            Kind::Integer => {
                let (whole, [part, _]) = moments.mean();
                Number::Float(whole as f64 + part.high)
            }
            Kind::Float => Number::Float(moments.mean().1[0].high),
            Kind::Complex => Number::Complex(moments.mean().1[0].high, moments.mean().1[1].high),
        })
    }

    /// Returns the mean, rounded towards zero, or `None` if there are no numbers. The numbers must be integers or times.
    pub fn whole_mean(&self) -> Option<i128> {
        self.moments.whole.checked_div(i128::from(self.moments.count))
    }

    /// Returns the standard deviation (NumPy's `ddof=0`), or `None` if there are no numbers.
    pub fn std(&self) -> Option<f64> {
        (self.moments.count != 0).then(|| (self.moments.squares / self.moments.count as f64).sqrt())
    }

    /// Returns the distinct values without NaN and NaT, each with its count, or `None` if there are more than 16. Numbers are in ascending
    /// order, other values in the order of their bytes.
    pub fn few(&self) -> Option<Vec<(&[u8], u64)>> {
        let mut seen: Vec<&Seen> = self.few.0.as_ref()?.iter().collect();
        seen.sort_by(|a, b| {
            a.number.partial_cmp(&b.number).unwrap_or(std::cmp::Ordering::Equal).then_with(|| a.bytes.cmp(&b.bytes))
        });
        Some(seen.into_iter().map(|seen| (&*seen.bytes, seen.count)).collect())
    }
}

/// The distinct values with their counts, or `None` if there are more than [`FEW`].
#[derive(Clone)]
struct Few(Option<Vec<Seen>>);

#[derive(Clone)]
struct Seen {
    number: Number,
    bytes: Vec<u8>,
    count: u64,
}

impl Default for Few {
    fn default() -> Few {
        Few(Some(Vec::new()))
    }
}

impl Few {
    /// Adds the numbers of a run, whose bytes are in `bytes`. Each occurs `times` times.
    fn add_run(&mut self, run: &Run, bytes: &[u8], times: u64, reader: NumberReader) {
        if reader.size == 1 && self.0.is_some() {
            let mut counts = [0; 256];
            bytes.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
            let counted = (0..=u8::MAX).zip(counts).filter(|(_, count)| *count != 0);
            return counted.for_each(|(byte, count)| self.add((reader.one)(&[byte]), &[byte], count * times));
        }
        let (mut counted, mut place) = (0, 0);
        while counted < run.len() {
            let Some(seen) = &mut self.0 else { return };
            if let Some(seen) = seen.get_mut(place) {
                let count = run.count_of(seen.number);
                seen.count += count as u64 * times;
                (counted, place) = (counted + count, place + 1);
                continue;
            }
            let is_new = |number| number != Number::Nan && !seen.iter().any(|seen| seen.number == number);
            let mut numbers = bytes.chunks_exact(reader.size).map(|bytes| ((reader.one)(bytes), bytes));
            let Some((number, bytes)) = numbers.find(|(number, _)| is_new(*number)) else { return };
            self.add(number, bytes, 0);
        }
    }

    fn add(&mut self, number: Number, bytes: &[u8], count: u64) {
        let Some(seen) = &mut self.0 else { return };
        let is_it = |seen: &Seen| if number == Number::Nan { seen.bytes == bytes } else { seen.number == number };
        match seen.iter().position(is_it) {
            Some(place) => seen[place].count += count,
            None if seen.len() < FEW => seen.push(Seen { number, bytes: bytes.to_vec(), count }),
            None => self.0 = None,
        }
    }

    fn merge(&mut self, after: Few) {
        match after.0 {
            Some(seen) => seen.iter().for_each(|seen| self.add(seen.number, &seen.bytes, seen.count)),
            None => self.0 = None,
        }
    }
}
