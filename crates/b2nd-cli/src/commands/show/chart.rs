//! [`Chart`]: the contents of a picture. `text_chart` draws it in the terminal, `png_chart` in a PNG file.

use b2nd_view::colors::Rgb;
use b2nd_view::elements::significant;
use b2nd_view::histogram::Scale;
use b2nd_view::pixels::Pixels;

/// A picture with its axes.
pub(super) struct Chart<'a> {
    /// The name of the file, and the rest of the title.
    pub(super) title: [String; 2],
    pub(super) body: Body<'a>,
    /// The horizontal axis.
    pub(super) across: Axis<'a>,
    /// The vertical axis.
    pub(super) down: Axis<'a>,
    /// The unit that is written at the color bar of a heat map.
    pub(super) unit: Option<String>,
    /// The ratio of the width to the height of a map or an image. If this is `None`, it fills the picture.
    pub(super) aspect: Option<f64>,
}

/// The drawing inside the axes.
pub(super) enum Body<'a> {
    Image(Pixels),
    /// A heat map: its pixels, the axis of its color bar, and its color map.
    Map(Pixels, Axis<'a>, &'a [Rgb]),
    /// A line: its values from left to right, and their scale.
    Line(Vec<f64>, Scale),
    /// Bars: the height of each bar, and the scale along which they are arranged.
    Bars(Vec<u64>, Scale),
}

/// An axis: its name, the numbers at its ends, its ticks, and the function that formats a number as a label. The axes of a map and an image
/// have the indices of the first and the last element at their ends.
pub(super) struct Axis<'a> {
    pub(super) name: String,
    pub(super) ends: [f64; 2],
    pub(super) ticks: Ticks,
    pub(super) label: Box<dyn Fn(f64) -> String + 'a>,
}

/// The positions of the ticks of an axis.
#[derive(Clone, Copy)]
pub(super) enum Ticks {
    /// At round numbers.
    Plain,
    /// At whole numbers.
    Whole,
    /// At powers of ten of a logarithmic axis, if it is long enough.
    Log,
    /// At the first days of months, if the length of the axis allows that. Holds the number of days in a unit of the axis.
    Days(f64),
}

impl<'a> Axis<'a> {
    pub(super) fn new(ends: [f64; 2], ticks: Ticks, label: impl Fn(f64) -> String + 'a) -> Axis<'a> {
        Axis { name: String::new(), ends, ticks, label: Box::new(label) }
    }

    /// Returns the name for the elements of a map that have no color, if there are any.
    pub(super) fn lacking(&self, pixels: &Pixels) -> Option<&'static str> {
        let name = if matches!(self.ticks, Ticks::Log) { "NaN,inf,<=0" } else { "NaN, inf" };
        pixels.colors.contains(&None).then_some(name)
    }
}

/// Formats a number as the label of a tick.
pub(super) fn plain(number: f64) -> String {
    let text = significant(number, 6);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
