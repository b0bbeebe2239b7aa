//! [`Run`]: numbers that are summed together, and [`Moments`], the sums of runs.
//!
//! Integers are summed exactly. Floats are summed pairwise in each run, and the sums of runs are added with Neumaier's correction. Squared
//! deviations from the mean are computed for each run, and merged with the formula of Chan, Golub and LeVeque.

use super::number::Number;

#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Kind {
    #[default]
    Integer,
    Float,
    Complex,
}

/// The numbers of a run, without NaN and NaT.
#[derive(Default)]
pub(super) struct Run {
    kind: Kind,
    /// The number of values that are NaN or NaT.
    pub(super) nan: usize,
    integers: Vec<i64>,
    /// The number to add to each of `integers`.
    offset: i128,
    /// Floats, or the real and the imaginary parts of complex numbers.
    parts: [Vec<f64>; 2],
}

impl Run {
    pub(super) fn integers(integers: impl Iterator<Item = i64>) -> Run {
        Run { integers: integers.collect(), ..Run::default() }
    }

    pub(super) fn unsigned(integers: impl Iterator<Item = u64>) -> Run {
        let half = 1 << 63;
        Run { offset: i128::from(half), ..Run::integers(integers.map(|number| (number ^ half) as i64)) }
    }

    pub(super) fn times(steps: impl Iterator<Item = i64>) -> Run {
        let mut run = Run::integers(steps);
        run.nan = retained(&mut run.integers, |&steps| steps != i64::MIN);
        run
    }

    pub(super) fn floats(floats: impl Iterator<Item = f64>) -> Run {
        let mut floats = floats.collect();
        let nan = retained(&mut floats, |number| !number.is_nan());
        Run { kind: Kind::Float, nan, parts: [floats, Vec::new()], ..Run::default() }
    }

    pub(super) fn complex(numbers: impl Iterator<Item = [f64; 2]>) -> Run {
        let mut numbers = numbers.collect();
        let nan = retained(&mut numbers, |[real, imaginary]| !real.is_nan() && !imaginary.is_nan());
        let parts = [0, 1].map(|part| numbers.iter().map(|number| number[part]).collect());
        Run { kind: Kind::Complex, nan, parts, ..Run::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.integers.len() + self.parts[0].len()
    }

    /// Returns how often a number occurs.
    pub(super) fn count_of(&self, number: Number) -> usize {
        match number {
            Number::Nan => self.nan,
            Number::Integer(number) => i64::try_from(number - self.offset)
                .map_or(0, |number| self.integers.iter().filter(|&&other| other == number).count()),
            Number::Float(number) => self.parts[0].iter().filter(|&&other| other == number).count(),
            Number::Complex(real, imaginary) => {
                self.parts[0].iter().zip(&self.parts[1]).filter(|&(&one, &other)| (one, other) == (real, imaginary)).count()
            }
        }
    }

    pub(super) fn zeros(&self) -> usize {
        self.count_of(match self.kind {
            Kind::Integer => Number::Integer(0),
            Kind::Float => Number::Float(0.0),
            Kind::Complex => Number::Complex(0.0, 0.0),
        })
    }

    /// Returns the minimum and the maximum, or `None` if there are no numbers, or complex numbers, which have no order.
    pub(super) fn range(&self) -> Option<[Number; 2]> {
        match self.kind {
            Kind::Integer => {
                let range = [self.integers.iter().min()?, self.integers.iter().max()?];
                Some(range.map(|&number| Number::Integer(i128::from(number) + self.offset)))
            }
            Kind::Float => {
                // Each lane has extremes of its own, so that several numbers are compared at the same time.
                let [mut min, mut max] = [[*self.parts[0].first()?; 8]; 2];
                let lanes = self.parts[0].chunks_exact(8);
                let rest = lanes.remainder();
                for numbers in lanes.chain([rest]) {
                    for (number, (min, max)) in numbers.iter().zip(min.iter_mut().zip(&mut max)) {
                        *min = if number < min { *number } else { *min };
                        *max = if number > max { *number } else { *max };
                    }
                }
                let range = [min.into_iter().fold(min[0], f64::min), max.into_iter().fold(max[0], f64::max)];
                Some(range.map(Number::Float))
            }
            Kind::Complex => None,
        }
    }

    /// Returns the sums of the run.
    pub(super) fn moments(&self) -> Moments {
        let count = self.len();
        let integers: i128 = self.integers.iter().map(|&number| i128::from(number)).sum();
        let mut moments = Moments { kind: self.kind, count: count as u64, whole: integers, ..Moments::default() };
        // If a difference does not fit in 64 bits, it is so large that its rounding does not matter.
        let (whole, means) = moments.mean();
        let whole = i64::try_from(whole).unwrap_or(0);
        let difference =
            |&number: &i64| number.checked_sub(whole).map_or(number as f64 - whole as f64, |difference| difference as f64);
        let squares: Vec<f64> = self.integers.iter().map(|number| (difference(number) - means[0].high).powi(2)).collect();
        moments.squares = pairwise(&squares);
        moments.whole += self.offset * count as i128;
        for (part, sum) in self.parts.iter().zip(&mut moments.parts).filter(|(part, _)| !part.is_empty()) {
            let (high, count) = (pairwise(part), count as f64);
            let mean = Sum { high, low: 0.0 }.over(count).high;
            let mut deviations: Vec<f64> = part.iter().map(|number| number - mean).collect();
            // If the mean is far from zero, the rounding error of the sum may be large. The sum of the deviations gives this error.
            let rest = pairwise(&deviations);
            *sum = Sum { high, low: mean.mul_add(count, -high) + rest };
            deviations.iter_mut().for_each(|deviation| *deviation *= *deviation);
            moments.squares += pairwise(&deviations) - rest * rest / count;
        }
        moments
    }
}

/// Keeps the numbers for which `is_kept` returns true, and returns how many are removed.
fn retained<T>(numbers: &mut Vec<T>, is_kept: impl Fn(&T) -> bool) -> usize {
    // Most runs keep all their numbers, and counting is faster than moving.
    let removed = numbers.iter().filter(|number| !is_kept(number)).count();
    if removed != 0 {
        numbers.retain(is_kept);
    }
    removed
}

/// Adds up to 32 numbers in order. Sums each half of more numbers separately, recursively, and adds the two sums.
fn pairwise(numbers: &[f64]) -> f64 {
    if numbers.len() <= 32 {
        return numbers.iter().sum();
    }
    let (left, right) = numbers.split_at(numbers.len() / 2);
    pairwise(left) + pairwise(right)
}

/// A sum or a mean, as a float and its rounding error.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) high: f64,
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
pub(super) struct Moments {
    pub(super) kind: Kind,
    pub(super) count: u64,
    pub(super) whole: i128,
    parts: [Sum; 2],
    pub(super) squares: f64,
}

impl Moments {
    /// Returns the sums of the same numbers, of which each occurs `times` times.
    pub(super) fn repeated(self, times: u64) -> Moments {
        let factor = times as f64;
        let parts = self.parts.map(|Sum { high, low }| {
            let sum = high * factor;
            Sum { high: sum, low: high.mul_add(factor, -sum) + low * factor }
        });
        let (count, whole) = (self.count * times, self.whole * i128::from(times));
        Moments { kind: self.kind, count, whole, parts, squares: self.squares * factor }
    }

    /// Returns the mean as the sum of an integer and a complex number (real and imaginary part). The integer is separate so that
    /// differences of large means stay precise.
    pub(super) fn mean(&self) -> (i128, [Sum; 2]) {
        let count = i128::from(self.count.max(1));
        let rest = self.whole.rem_euclid(count) as f64 / count as f64;
        let mut means = self.parts.map(|part| part.over(count as f64));
        means[0].high += rest;
        (self.whole.div_euclid(count), means)
    }

    pub(super) fn merge(&mut self, after: &Moments) {
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
