//! Measures contenders in turns, so that disturbances affect all of them alike. Medians exclude short disturbances.

use std::time::Instant;

use b2nd_benches::Operation;

/// The nanoseconds per operation in each round.
pub struct Sample {
    pub task: &'static str,
    pub size: usize,
    pub contender: &'static str,
    turns: Vec<f64>,
}

#[derive(Default)]
pub struct Samples(pub Vec<Sample>);

impl Samples {
    /// Measures each contender once in each round, for about `turn` nanoseconds.
    pub fn measure(&mut self, contenders: &mut [Operation], rounds: usize, turn: f64) {
        let times: Vec<usize> = contenders.iter_mut().map(|contender| times_in(contender, turn)).collect();
        let first = self.0.len();
        for &Operation { task, size, contender, .. } in contenders.iter() {
            self.0.push(Sample { task, size, contender, turns: Vec::with_capacity(rounds) });
        }
        for round in 0..rounds {
            for position in 0..contenders.len() {
                // Every other round has the reverse order, so that a contender does not always follow the same one.
                let index = if round % 2 == 0 { position } else { contenders.len() - 1 - position };
                self.0[first + index].turns.push(clock(&mut contenders[index], times[index]));
            }
        }
    }

    fn get(&self, task: &str, size: usize, contender: &str) -> Option<&Sample> {
        self.0.iter().find(|sample| (sample.task, sample.size, sample.contender) == (task, size, contender))
    }

    /// Returns the median time in nanoseconds.
    pub fn nanoseconds(&self, task: &str, size: usize, contender: &str) -> Option<f64> {
        Some(median(self.get(task, size, contender)?.turns.clone()))
    }

    /// Returns the speed of a contender as a multiple of another's: the median of the ratios in each round.
    pub fn ratio(&self, task: &str, size: usize, contender: &str, other: &str) -> Option<f64> {
        let (ours, others) = (self.get(task, size, contender)?, self.get(task, size, other)?);
        Some(median(ours.turns.iter().zip(&others.turns).map(|(ours, other)| other / ours).collect()))
    }
}

/// Returns the number of operations that take about `turn` nanoseconds.
fn times_in(operation: &mut Operation, turn: f64) -> usize {
    let mut times = 1;
    loop {
        let nanoseconds = clock(operation, times) * times as f64;
        if nanoseconds >= turn / 4.0 {
            return ((times as f64 * turn / nanoseconds) as usize).max(1);
        }
        times *= 2;
    }
}

/// Returns the nanoseconds per operation when it runs this number of times.
fn clock(operation: &mut Operation, times: usize) -> f64 {
    let start = Instant::now();
    (operation.run)(times);
    start.elapsed().as_nanos() as f64 / times as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
