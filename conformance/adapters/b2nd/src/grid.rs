//! Reads grids, which are texts of four lines.

use std::ops::Range;

use b2nd::Geometry;
use b2nd_conformance::Fact;

use crate::{Refused, Result, refuse};

pub(crate) fn read(bytes: &[u8]) -> Result {
    let text = std::str::from_utf8(bytes).map_err(|error| refuse(error.to_string()))?;
    let line = |name: &str| {
        let words = text.lines().map(|line| line.split(' ')).find_map(|mut words| (words.next() == Some(name)).then_some(words));
        words
            .map(|words| words.collect::<Vec<_>>())
            .ok_or_else(|| refuse(format!("the line that starts with {name:?} is missing")))
    };
    let shape = numbers::<i64>(&line("shape")?)?;
    let geometry = Geometry::new(&shape, &numbers(&line("chunkshape")?)?, &numbers(&line("blockshape")?)?)?;
    let words = line("slice")?;
    let ranges = words.iter().map(|range| {
        let (start, end) = range.split_once(':').ok_or_else(|| refuse(format!("expected a range START:END, found {range:?}")))?;
        Ok(number(start)?..number(end)?)
    });
    let slice = ranges.collect::<Result<Vec<Range<i64>>>>()?;
    let grid = geometry.grid()?;
    let chunks: Vec<u64> = grid.chunks_in(&slice)?.collect();
    Ok(Fact::map([
        ("nchunks", Fact::int(grid.nchunks())),
        ("blocks_per_chunk", Fact::int(grid.blocks_per_chunk())),
        ("extshape", Fact::ints(grid.extshape())),
        ("extchunkshape", Fact::ints(grid.extchunkshape())),
        ("chunks", Fact::ints(&chunks)),
    ]))
}

fn numbers<T: std::str::FromStr>(words: &[&str]) -> Result<Vec<T>> {
    words.iter().map(|word| number(word)).collect()
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T> {
    word.parse().map_err(|_| -> Refused { refuse(format!("expected an {}, found {word:?}", std::any::type_name::<T>())) })
}
