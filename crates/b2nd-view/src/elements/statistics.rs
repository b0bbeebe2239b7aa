//! [`Tally`]: statistics of values (count, min, max, mean, standard deviation), computed in parts that are merged in order.
//!
//! Integers are summed exactly. Floats are summed pairwise in runs of [`RUN`] values, and the sums of runs are added with Neumaier's
//! correction. Squared deviations from the mean are computed for each run, and merged with the formula of Chan, Golub and LeVeque. Runs and
//! their order depend only on the array, so the result is the same for any number of threads.

use super::number::{Number, Read};

/// The number of values in a run.
const RUN: usize = 4096;

/// The maximum number of distinct values that are counted separately.
const FEW: usize = 16;

/// The maximum number of values that are kept for the quantiles of a column, which need 512 MiB.
const MOST_KEPT: usize = 1 << 26;

/// Statistics of values. NaN is counted separately, and ignored by everything else.
#[derive(Clone, Default)]
pub struct Tally {
    /// The number of values that are neither NaN nor NaT.
    pub count: u64,
    /// The number of values that are NaN or NaT.
    pub nan: u64,
    /// The number of zeros. A value that is not a number counts as zero if all its bytes are 0.
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
    /// Creates statistics of no values. If `keeps` is true, all numbers are kept for [`quantiles`](Tally::quantiles).
    pub fn new(keeps: bool) -> Tally {
        Tally { kept: keeps.then(Vec::new), ..Tally::default() }
    }

    /// Returns quantiles of the numbers, each for a fraction from 0 to 1, interpolated linearly as NumPy does. Returns `None` if there are
    /// no numbers, more than 2^26, or if they were not kept.
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
                // The difference of two infinite numbers is NaN.
                (Number::Float(low), Number::Float(high)) if part == 0.0 || low == high => Some(Number::Float(low)),
                (Number::Float(low), Number::Float(high)) => Some(Number::Float(low + (high - low) * part)),
                _ => None,
            }
        };
        fractions.iter().map(|&fraction| at(fraction)).collect()
    }

    /// Adds scalars. If `read` is `None`, scalars are not numbers: only the counts are updated, and a scalar is counted as zero if all its
    /// bytes are zero.
    pub fn add<'a>(&mut self, scalars: impl Iterator<Item = &'a [u8]>, read: Option<Read>) {
        let Some(read) = read else {
            for bytes in scalars {
                self.count += 1;
                self.zeros += u64::from(bytes.iter().all(|&byte| byte == 0));
                self.few.add(Number::Nan, bytes, 1);
            }
            return;
        };
        let mut run = Run::default();
        let [mut min, mut max]: [Option<(Number, &[u8])>; 2] = [None, None];
        for bytes in scalars {
            let number = read(bytes);
            if number == Number::Nan {
                self.nan += 1;
                continue;
            }
            self.count += 1;
            self.zeros += u64::from(number.is_zero());
            if !matches!(number, Number::Complex(..)) {
                if min.is_none_or(|(least, _)| number < least) {
                    min = Some((number, bytes));
                }
                if max.is_none_or(|(greatest, _)| number > greatest) {
                    max = Some((number, bytes));
                }
            }
            self.few.add(number, bytes, 1);
            self.keep(bytes);
            run.push(number);
            if run.len == RUN {
                self.moments.merge(&run.take());
            }
        }
        self.moments.merge(&run.take());
        let owned = |(number, bytes): (Number, &[u8])| (number, bytes.to_vec());
        self.extremes(min.map(owned), max.map(owned));
    }

    fn keep(&mut self, bytes: &[u8]) {
        let Some(kept) = &mut self.kept else { return };
        let mut value = [0; 8];
        match value.get_mut(..bytes.len()) {
            Some(place) if kept.len() < MOST_KEPT => {
                place.copy_from_slice(bytes);
                kept.push(value);
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

    /// Returns the bytes of the minimum and the maximum, or `None` if there are no numbers, or only complex numbers, which have no order.
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

    /// Returns the mean of integers, rounded towards zero, or `None` if there are no numbers.
    pub fn whole_mean(&self) -> Option<i128> {
        self.moments.whole.checked_div(i128::from(self.moments.count))
    }

    /// Returns the standard deviation (NumPy's `ddof=0`), or `None` if there are no numbers.
    pub fn std(&self) -> Option<f64> {
        (self.moments.count != 0).then(|| (self.moments.squares / self.moments.count as f64).sqrt())
    }

    /// Returns the distinct values in ascending order, each with its count, or `None` if there are more than 16.
    pub fn few(&self) -> Option<Vec<(&[u8], u64)>> {
        let mut seen: Vec<&Seen> = self.few.0.as_ref()?.iter().collect();
        seen.sort_by(|a, b| {
            a.number.partial_cmp(&b.number).unwrap_or(std::cmp::Ordering::Equal).then_with(|| a.bytes.cmp(&b.bytes))
        });
        Some(seen.into_iter().map(|seen| (&*seen.bytes, seen.count)).collect())
    }
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Kind {
    #[default]
    Integer,
    Float,
    Complex,
}

/// A run of numbers, which are summed together.
#[derive(Default)]
struct Run {
    kind: Kind,
    len: usize,
    whole: Vec<i128>,
    parts: [Vec<f64>; 2],
}

impl Run {
    fn push(&mut self, number: Number) {
        self.len += 1;
        match number {
            Number::Nan => {}
            Number::Integer(number) => self.whole.push(number),
            Number::Float(number) => {
                self.kind = Kind::Float;
                self.parts[0].push(number);
            }
            Number::Complex(real, imaginary) => {
                self.kind = Kind::Complex;
                self.parts[0].push(real);
                self.parts[1].push(imaginary);
            }
        }
    }

    /// Returns the sums of the run, and clears the run.
    fn take(&mut self) -> Moments {
        let sum = |part: &Vec<f64>| Sum { high: pairwise(part), low: 0.0 };
        let mut moments = Moments {
            kind: self.kind,
            count: self.len as u64,
            whole: self.whole.iter().sum(),
            parts: [sum(&self.parts[0]), sum(&self.parts[1])],
            squares: 0.0,
        };
        if self.len != 0 {
            let (whole, means) = moments.mean();
            let squares: Vec<f64> = self.whole.iter().map(|&number| ((number - whole) as f64 - means[0].high).powi(2)).collect();
            moments.squares = pairwise(&squares);
            for ((part, mean), sum) in self.parts.iter().zip(means).zip(&mut moments.parts) {
                let mut deviations: Vec<f64> = part.iter().map(|number| number - mean.high).collect();
                // If the mean is far from zero, the sum has a large rounding error. The sum of the deviations from the mean gives this
                // error.
                let rest = pairwise(&deviations);
                let count = part.len() as f64;
                sum.low = mean.high.mul_add(count, -sum.high) + rest;
                deviations.iter_mut().for_each(|deviation| *deviation *= *deviation);
                moments.squares += pairwise(&deviations) - if count == 0.0 { 0.0 } else { rest * rest / count };
            }
        }
        self.len = 0;
        self.whole.clear();
        self.parts.iter_mut().for_each(Vec::clear);
        moments
    }
}

/// Sums each half of the numbers separately, recursively, and adds the two sums.
fn pairwise(numbers: &[f64]) -> f64 {
    if numbers.len() <= 32 {
        return numbers.iter().sum();
    }
    let (left, right) = numbers.split_at(numbers.len() / 2);
    pairwise(left) + pairwise(right)
}

/// A sum or a mean, as a float and its rounding error.
#[derive(Clone, Copy, Default)]
struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        let sum = self.high + other.high;
        let (large, small) = if self.high.abs() >= other.high.abs() { (self.high, other.high) } else { (other.high, self.high) };
        self.low += (large - sum) + small + other.low;
        self.high = sum;
    }

    /// Divides the sum by a count.
    fn over(self, count: f64) -> Sum {
        // An infinite sum has no rounding error.
        let high = if self.high.is_finite() { (self.high + self.low) / count } else { self.high };
        let low = (high.mul_add(-count, self.high) + self.low) / count;
        Sum { high, low: if low.is_finite() { low } else { 0.0 } }
    }
}

/// The sum of numbers, and the sum of the squares of their deviations from the mean.
#[derive(Clone, Default)]
struct Moments {
    kind: Kind,
    count: u64,
    whole: i128,
    parts: [Sum; 2],
    squares: f64,
}

impl Moments {
    /// Returns the mean as the sum of an integer and a complex number (real and imaginary part). The integer is separate so that
    /// differences of large means stay exact.
    fn mean(&self) -> (i128, [Sum; 2]) {
        let count = i128::from(self.count.max(1));
        let rest = self.whole.rem_euclid(count) as f64 / count as f64;
        let mut means = self.parts.map(|part| part.over(count as f64));
        means[0].high += rest;
        (self.whole.div_euclid(count), means)
    }

    fn merge(&mut self, after: &Moments) {
        if after.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = after.clone();
            return;
        }
        let ((whole, means), (other, others)) = (self.mean(), after.mean());
        let [real, imaginary] = [0, 1].map(|part| (others[part].high - means[part].high) + (others[part].low - means[part].low));
        let real = (other - whole) as f64 + real;
        let weight = self.count as f64 * (after.count as f64 / (self.count + after.count) as f64);
        self.squares += after.squares + (real * real + imaginary * imaginary) * weight;
        self.kind = after.kind;
        self.count += after.count;
        self.whole += after.whole;
        for (part, other) in self.parts.iter_mut().zip(after.parts) {
            part.add(other);
        }
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
