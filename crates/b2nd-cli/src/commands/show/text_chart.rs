//! Draws charts in the terminal.

use std::io::{self, IsTerminal};

use b2nd_view::histogram::Scale;
use b2nd_view::pixels::{self, Depth, Pixels};
use b2nd_view::text::{FAINT, styled, thousands};

use super::chart::{Axis, Body, Chart, plain};

/// The width of the labels to the left of the picture, in characters.
pub(super) const MARGIN: usize = 11;

/// Draws a chart. A line has this width and height in characters, and the bars of a histogram are scaled to the width. A map and an image
/// have their own size. `range` has the ends of the scale, if they are not those of the values.
pub(super) fn draw(chart: &Chart, range: Option<(f64, f64)>, (width, height): (usize, usize)) -> String {
    match &chart.body {
        Body::Image(pixels) => map(chart, pixels),
        Body::Map(pixels, values, colors) => {
            let ramp: Vec<f64> = (0..48).map(|step| f64::from(step % 24)).collect();
            let ramp = Pixels::heat(&ramp, 24, Scale::of(&ramp, false), colors).lines(depth()).concat();
            let [min, max] = range.map_or_else(|| ["min", "max"].map(str::to_owned), |(least, most)| [least, most].map(plain));
            let blank = values.lacking(pixels).map_or_else(String::new, |lacking| format!("   blank: {lacking}"));
            map(chart, pixels) + &format!("{:MARGIN$}{min} {ramp} {max}{blank}\n", "")
        }
        Body::Line(values, scale) => {
            let [least, greatest] = chart.down.ends.map(|end| fitting(&(chart.down.label)(end)));
            let lines = pixels::plot(values, width, height, *scale);
            let label = |line: usize| match line {
                0 => greatest.as_str(),
                line if line + 1 == height => &least,
                _ => "",
            };
            let lines = lines.iter().enumerate().map(|(number, line)| labelled(label(number), line));
            lines.collect::<String>() + &ends(&chart.across, width)
        }
        Body::Bars(counts, scale) => {
            let most = counts.iter().copied().max().unwrap_or(0).max(1);
            let room = width.saturating_sub(14).max(8);
            let bars = counts.iter().enumerate().map(|(bar, &count)| {
                // The label is the lower end of the bar's range.
                let least = scale.value(bar as f64 / counts.len() as f64);
                let length = (count as f64 / most as f64 * room as f64).ceil() as usize;
                labelled(&fitting(&(chart.across.label)(least)), &format!("{} {}", "█".repeat(length), thousands(count)))
            });
            bars.collect()
        }
    }
}

/// Returns how many colors the terminal shows.
fn depth() -> Depth {
    let stdout = io::stdout();
    match (anstream::AutoStream::choice(&stdout), std::env::var("COLORTERM")) {
        (anstream::ColorChoice::Never, _) => Depth::None,
        (anstream::ColorChoice::Auto, _) if !stdout.is_terminal() => Depth::None,
        (_, Ok(colors)) if colors == "truecolor" || colors == "24bit" => Depth::True,
        _ => Depth::Indexed,
    }
}

/// Draws the pixels of a map or an image, two rows in a line, with the index of every tenth row.
fn map(chart: &Chart, pixels: &Pixels) -> String {
    let [first, last] = chart.down.ends;
    let step = (last - first) / pixels.height().saturating_sub(1).max(1) as f64;
    let line = |(number, line): (usize, &String)| {
        let row = (number % 5 == 0).then_some(2 * number);
        labelled(&row.map_or_else(String::new, |row| whole(first + step * row as f64)), line)
    };
    pixels.lines(depth()).iter().enumerate().map(line).collect::<String>() + &ends(&chart.across, pixels.width)
}

/// Returns the line below a picture, with the index of the first element, and that of the last if there is room for it.
fn ends(axis: &Axis, width: usize) -> String {
    let [first, last] = axis.ends.map(whole);
    let gap = width.saturating_sub(first.len());
    format!("{:MARGIN$}{}\n", "", styled(FAINT, if gap > last.len() { format!("{first}{last:>gap$}") } else { first }))
}

fn whole(index: f64) -> String {
    format!("{index:.0}")
}

/// Returns a line of a picture, with a label at its start.
fn labelled(label: &str, line: &str) -> String {
    let room = MARGIN - 1;
    format!("{} {line}\n", styled(FAINT, format!("{label:>room$}")))
}

/// Shortens a value to at most ten characters.
fn fitting(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(number) if text.len() >= MARGIN => format!("{number:.2e}"),
        _ => crate::output::cut_to(text.to_owned(), MARGIN - 1),
    }
}
