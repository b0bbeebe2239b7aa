//! Ranges of values, scales between two values, and histograms.

/// A linear or logarithmic scale. Maps values between its two ends to positions from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    ends: [f64; 2],
    is_log: bool,
}

impl Scale {
    /// Creates a scale from the value `least` to the value `greatest`. A logarithmic scale maps only values above 0, and its ends should be
    /// above 0.
    pub fn new(least: f64, greatest: f64, is_log: bool) -> Scale {
        Scale { ends: [least, greatest], is_log }
    }

    /// Creates a scale from the smallest finite value to the largest. A logarithmic scale starts at the smallest value above 0.
    pub fn of(values: &[f64], is_log: bool) -> Scale {
        let has_place = |value: &f64| !is_log || *value > 0.0;
        let (least, greatest) = range(values.iter().copied().filter(has_place)).unwrap_or_default();
        Scale::new(least, greatest, is_log)
    }

    /// Returns the value at the lower end.
    pub fn least(&self) -> f64 {
        self.ends[0]
    }

    /// Returns the value at the upper end.
    pub fn greatest(&self) -> f64 {
        self.ends[1]
    }

    /// Returns the value at a position from 0 to 1.
    pub fn value(&self, part: f64) -> f64 {
        let [least, greatest] = self.ends;
        if self.is_log { least * (greatest / least).powf(part) } else { least + (greatest * part - least * part) }
    }

    /// Returns the position of a value: 0 at the lower end, 1 at the upper, 0.5 if the upper end is not above the lower. Returns `None` if
    /// the value is not finite, or if it is not above 0 on a logarithmic scale.
    pub fn part(&self, value: f64) -> Option<f64> {
        let place = |value: f64| if self.is_log { value.ln() } else { value };
        let (value, [least, greatest]) = (place(value), self.ends.map(place));
        // The values are halved, because the difference of two floats may overflow.
        let span = greatest / 2.0 - least / 2.0;
        value.is_finite().then(|| if span > 0.0 { (value / 2.0 - least / 2.0) / span } else { 0.5 })
    }
}

/// Returns the smallest and the largest finite value, or `None` if no value is finite.
pub fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.is_finite()).fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((least, greatest)) => Some((value.min(least), value.max(greatest))),
    })
}

/// Counts the finite values in each of `bins` bins of equal width between the smallest and the largest value.
pub fn histogram(values: &[f64], bins: usize) -> Vec<u64> {
    histogram_in(values, bins, Scale::of(values, false))
}

/// Counts the values in each of `bins` bins of equal width on a scale. If the upper end of the scale is above the lower, values beyond the
/// ends are not counted.
pub fn histogram_in(values: &[f64], bins: usize, scale: Scale) -> Vec<u64> {
    let mut counts = vec![0; bins];
    let is_one = scale.least() == scale.greatest();
    for part in values.iter().filter_map(|&value| scale.part(value)).filter(|part| (0.0..=1.0).contains(part)) {
        let part = if is_one { 0.0 } else { part };
        let bin = ((part * bins as f64) as usize).min(bins.saturating_sub(1));
        if let Some(count) = counts.get_mut(bin) {
            *count += 1;
        }
    }
    counts
}
