//! `b2nd show` draws values in the terminal or in a PNG file.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use b2nd::dtype::{ByteOrder, DType, ScalarType};
use b2nd_view::colors::Rgb;
use b2nd_view::elements::{Column, Tally, columns, figures_to, reader, text as text_of, time_unit};
use b2nd_view::histogram::{self as bins, range};
use b2nd_view::pixels::{self, Depth, Pixels};
use b2nd_view::slice::{Selection, Slice};
use b2nd_view::text::{self, FAINT, LABEL, TITLE, printable, styled, thousands};
use clap::Args;

use super::stats::tally_of;
use crate::chart::{self, Axis, Body};
use crate::error::{Error, Result};
use crate::output::{Output, fitted, terminal};
use crate::piped::is_standard;
use crate::report::DIGITS;
use crate::screen;
use crate::staged::{must_not_be_input, must_not_exist, new_file};
use crate::tables::{self, Part, Rows};
use crate::values::{Start, Values, length};

/// The statistics of an array of at most this size in bytes are computed from all its values, which takes less than a second. The
/// statistics of a larger array are computed only from the drawn values.
const QUICK: usize = 1 << 26;

/// The maximum size of the drawn elements in bytes.
const LARGEST_ARRAY: usize = 1 << 28;

/// The maximum number of chunks to read. If the elements are in more chunks than this, some elements are left out.
const MOST_CHUNKS: u64 = 1024;

/// The maximum number of elements that are drawn in a line plot.
const MOST_POINTS: i64 = 1 << 16;

/// The maximum number of elements along each side of a PNG file if `--size` is not given.
const MOST_PIXELS: u32 = 2048;

/// The maximum width and height in pixels that `--size` accepts.
const LARGEST: u32 = 1 << 14;

/// The number of lines of the terminal that are needed for texts around the picture.
const AROUND: usize = 8;

/// The width of the labels to the left of the picture, in characters.
const MARGIN: usize = 11;

/// The number of bars of a histogram in the terminal.
const BARS: usize = 16;
/// The number of bars of a histogram in a PNG file.
const PICTURE_BARS: usize = 64;

/// The default width and height of a PNG file with axes, in pixels.
const SIZE: (u32, u32) = (1200, 800);

/// `b2nd show`.
#[derive(Args)]
pub(crate) struct Show {
    /// An array or a table: a path, a URL, - or STORE::KEY, as for `b2nd info`.
    pub(super) file: PathBuf,

    /// A slice of the array, written as in Python: `0:10,5,::2`.
    #[arg(allow_hyphen_values = true)]
    slice: Option<Slice>,

    /// The field of a structure to draw.
    #[arg(long, value_name = "NAME")]
    field: Option<String>,

    /// Draw a histogram: with 16 bins in the terminal, with 64 in a PNG file.
    #[arg(long)]
    histogram: bool,

    /// Write the picture to a PNG file, which must not exist, or to standard output if the name is -.
    #[arg(long, value_name = "OUT")]
    png: Option<PathBuf>,

    /// Replace an existing PNG file.
    #[arg(long, requires = "png")]
    overwrite: bool,

    /// The size of the PNG file. The default is 1200x800, and for images one pixel for each element. Pictures smaller than 400x240 have no
    /// axes, and histograms cannot be smaller.
    #[arg(long, value_name = "WIDTHxHEIGHT", requires = "png", value_parser = parse_size)]
    size: Option<(u32, u32)>,

    #[command(flatten)]
    start: Start,
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let side = |digits: &str| digits.parse().ok().filter(|side| (1..=LARGEST).contains(side));
    let sides = text.split_once('x').and_then(|(width, height)| Some((side(width)?, side(height)?)));
    sides.ok_or_else(|| format!("expected WIDTHxHEIGHT, each from 1 to {LARGEST}"))
}

/// The elements of an array that are drawn, and how they are drawn.
struct Drawn {
    values: Values,
    column: Column,
    /// The drawn dimensions: two for a map (vertical, then horizontal), one for a line.
    axes: Vec<usize>,
    /// The number of channels if an image is drawn, otherwise `None`.
    channels: Option<usize>,
    /// Sentences about dimensions and elements that are left out.
    notes: Vec<String>,
}

impl Show {
    pub(crate) fn run(&self, output: &mut Output) -> Result<bool> {
        self.draw(&mut *output.out).map(|()| true)
    }

    fn draw(&self, out: &mut dyn Write) -> Result<()> {
        if let Some(path) = self.png.as_ref().filter(|path| !is_standard(path) && !self.overwrite) {
            must_not_exist(path)?;
        }
        if let Some(path) = &self.png {
            must_not_be_input(path, &self.file)?;
        }
        if let Some(rows) = self.table()? {
            return self.columns(rows, out);
        }
        let values = Values::open(&self.file, &self.start, self.slice.as_ref())?;
        let column = self.column(&values)?;
        let mut drawn = Drawn::new(values, column);
        let (columns, lines) = terminal().unwrap_or((80, 24));
        let (width, height) = (columns.saturating_sub(MARGIN + 1).max(8), lines.saturating_sub(AROUND).max(4));
        let room = match (self.size, &self.png) {
            (Some((width, height)), _) => [height, width],
            (None, Some(_)) => [MOST_PIXELS; 2],
            _ => [2 * height as u32, width as u32],
        };
        let all = drawn.values.selection.clone();
        drawn.fit(room.map(i64::from));
        let items = drawn.values.selection.lengths().into_iter().map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        if items.fold(drawn.values.array.itemsize(), usize::saturating_mul) > LARGEST_ARRAY {
            return Err(Error::new("it is too large to be drawn: draw a part of it, as in `b2nd show FILE 0:1000`"));
        }
        let elements = drawn.values.read_all()?;
        if let Some(path) = &self.png {
            return write_png(path, self.overwrite, &self.picture(&drawn, &elements)?);
        }
        let is_whole = drawn.values.selection == all;
        let (mut tally, mut of) = (Tally::default(), "");
        if !is_whole && length(&drawn.values.array, &all.ranges) <= QUICK {
            let tallies = tally_of(&drawn.values.array, &all, std::slice::from_ref(&drawn.column))?;
            tallies.into_iter().for_each(|part| tally.merge(part));
        } else {
            tally.add(
                drawn.column.scalars(&elements, drawn.values.array.itemsize()),
                drawn.column.dtype.as_ref().and_then(reader),
            );
            of = if is_whole { "" } else { " sampled elements" };
        }
        let page = drawn.page(&elements, self, (width, height), &tally, of);
        out.write_all(page.as_bytes()).map_err(Error::Write)
    }

    /// Opens the file as a table. Returns `None` if it is not a table.
    fn table(&self) -> Result<Option<Box<dyn Rows>>> {
        let is_array = self.start.offset.is_some() || self.start.dtype.is_some() || self.field.is_some() || self.png.is_some();
        let mut rows = if is_array { None } else { tables::open(&self.file)? };
        if let Some(rows) = &mut rows {
            rows.select(&Part::default(), self.slice.as_ref())?;
        }
        Ok(rows)
    }

    /// Prints a line for each column of a table.
    fn columns(&self, rows: Box<dyn Rows>, out: &mut dyn Write) -> Result<()> {
        let count = rows.len();
        let cells = rows.summary()?;
        let (width, lines) = screen::size();
        let name = styled(TITLE, printable(&self.file.display().to_string()));
        let title = format!("{name}  {} rows, {} columns", thousands(count), cells.len() - 1);
        writeln!(out, "{}", fitted(&title)).map_err(Error::Write)?;
        let most = lines.saturating_sub(3).max(1);
        for line in text::columns(&cells, &[2, 3, 4]).into_iter().take(most) {
            writeln!(out, "{}", text::shortened(line, width - 1)).map_err(Error::Write)?;
        }
        match cells.len().saturating_sub(most) {
            0 => Ok(()),
            left => writeln!(out, "… and {left} more columns: `b2nd stats` has all of them").map_err(Error::Write),
        }
    }

    /// Returns the field to draw.
    fn column(&self, values: &Values) -> Result<Column> {
        let mut columns = columns(values.array.dtype(), values.array.itemsize())?;
        let names: Vec<&str> = columns.iter().filter_map(|column| column.name.as_deref()).collect();
        let place = match &self.field {
            Some(field) => columns.iter().position(|column| column.name.as_ref() == Some(field)),
            None => (columns.len() == 1).then_some(0),
        };
        let Some(place) = place else {
            return Err(Error::new(match &self.field {
                Some(field) if names.is_empty() => format!("there is no field {field}: the elements are not structures"),
                Some(field) => format!("there is no field {field}; the fields are {}", names.join(", ")),
                None => format!("the elements are structures: choose one of their fields with --field ({})", names.join(", ")),
            }));
        };
        let column = columns.swap_remove(place);
        if column.dtype.as_ref().and_then(reader).is_none() {
            return Err(Error::new(match &column.dtype {
                Some(dtype) => {
                    format!("its values are {dtype}, but only numbers and times can be drawn: print the values with `b2nd head`")
                }
                None if values.array.is_flat() => "the type of its values is unknown: give it with --dtype".to_owned(),
                None => "the type of its values is unknown: give the array a dtype with `b2nd upgrade --dtype`".to_owned(),
            }));
        }
        if column.offsets.len() != 1 {
            let count = column.offsets.len();
            return Err(Error::new(format_args!("an element holds {count} values, but only single values can be drawn")));
        }
        Ok(column)
    }

    /// Draws the picture for the PNG file, with axes unless the picture is an image or too small for axes. Fails if a histogram is too small.
    fn picture(&self, drawn: &Drawn, elements: &[u8]) -> Result<Pixels> {
        if elements.is_empty() {
            return Err(Error::new("there are no elements to draw"));
        }
        let (width, height) = self.size.unwrap_or(SIZE);
        let is_image = drawn.channels.is_some() && !self.histogram;
        let is_map = drawn.axes.len() == 2 && !self.histogram;
        let numbers = if is_image { Vec::new() } else { drawn.numbers(elements) };
        let ends = range(&numbers);
        if ends.is_none() && !is_image {
            return Err(Error::new("none of the values is a finite number: there is nothing to draw"));
        }
        let is_small = width < chart::SMALLEST.0 || height < chart::SMALLEST.1;
        if is_image || is_map && is_small {
            let pixels = drawn.pixels(elements);
            return Ok(match self.size {
                Some(_) => pixels.scaled(width as usize, height as usize),
                None => pixels.scaled(pixels.width, pixels.height()),
            });
        }
        if is_small && self.histogram {
            let (width, height) = chart::SMALLEST;
            return Err(Error::new(format_args!(
                "a histogram has axes, which need a picture of at least {width}x{height}: give a larger --size"
            )));
        }
        if is_small {
            return Ok(Pixels::plot(&numbers, width as usize, height as usize));
        }
        let (least, greatest) = ends.unwrap_or_default();
        let value = |number: f64| drawn.value(number);
        let values = |is_whole| Axis { ends: [least, greatest], is_whole, label: &value };
        let indices = |place| {
            let last = drawn.index(place, drawn.length(place).saturating_sub(1));
            // The axis extends half an element beyond the first and the last element, so that the tick of each element is in the middle of
            // its pixels.
            let half = (last - drawn.index(place, 0)) as f64 / (drawn.length(place).max(2) - 1) as f64 / 2.0;
            Axis { ends: [drawn.index(place, 0) as f64 - half, last as f64 + half], is_whole: true, label: &chart::plain }
        };
        let title = printable(&drawn.title(&self.file.display().to_string()));
        let size = (width, height);
        if self.histogram {
            let counts = bins::histogram(&numbers, PICTURE_BARS);
            let most = counts.iter().copied().max().unwrap_or(0) as f64;
            let down = Axis { ends: [0.0, most], is_whole: true, label: &chart::plain };
            return Ok(chart::draw(&title, &Body::Bars(&counts), &values(false), &down, size));
        }
        Ok(match is_map {
            true => chart::draw(&title, &Body::Map(drawn.pixels(elements), values(false)), &indices(1), &indices(0), size),
            false => chart::draw(&title, &Body::Line(&numbers), &indices(0), &values(false), size),
        })
    }
}

impl Drawn {
    fn new(mut values: Values, column: Column) -> Drawn {
        let Selection { ranges, kept, .. } = &values.selection;
        let is_byte = matches!(&column.dtype, Some(DType::Scalar(scalar)) if scalar.scalar_type() == ScalarType::UInt8);
        let lengths = values.selection.lengths();
        let is_image = is_byte && column.name.is_none() && lengths.len() > 2 && kept.iter().rev().take(3).all(|&kept| kept);
        let channels = lengths.last().filter(|length| is_image && matches!(length, 3 | 4)).map(|&length| length as usize);
        let last = ranges.len() - usize::from(channels.is_some());
        let mut axes: Vec<usize> = (0..last).filter(|&axis| kept[axis] && (channels.is_some() || lengths[axis] != 1)).collect();
        let mut notes = Vec::new();
        while axes.len() > 2 {
            let axis = axes.remove(0);
            let range = &mut values.selection.ranges[axis];
            notes.push(format!("index {} of dimension {axis}", range.start));
            range.end = range.end.min(range.start + 1);
        }
        Drawn { values, column, axes, channels, notes }
    }

    /// Increases the steps of the selection, so that at most `room` elements are drawn along each axis and at most [`MOST_CHUNKS`] chunks
    /// are read. For a line, the limit is [`MOST_POINTS`].
    fn fit(&mut self, room: [i64; 2]) {
        let Values { array, selection } = &mut self.values;
        let room = if self.axes.len() == 1 { [MOST_POINTS; 2] } else { room };
        let first = selection.touched(array.grid());
        let factors = selection.coarsen(array.grid(), &self.axes, &room, self.channels.is_some(), MOST_CHUNKS);
        for (&axis, &factor) in self.axes.iter().zip(&factors) {
            if factor > 1 {
                let left = selection.lengths()[axis].unsigned_abs();
                self.notes.push(format!("dimension {axis} in steps of {}: {} elements", selection.steps[axis], thousands(left)));
            }
        }
        let now = selection.touched(array.grid());
        if now < first {
            self.notes.push(format!("{} of {} chunks read", thousands(now), thousands(first)));
        }
    }

    fn length(&self, place: usize) -> usize {
        let lengths = self.values.selection.lengths();
        self.axes.get(place).and_then(|&axis| usize::try_from(lengths[axis]).ok()).unwrap_or(1)
    }

    fn numbers(&self, elements: &[u8]) -> Vec<f64> {
        let read = self.column.dtype.as_ref().and_then(reader);
        let scalars = self.column.scalars(elements, self.values.array.itemsize());
        scalars.map(|bytes| read.map_or(f64::NAN, |read| read(bytes).to_f64())).collect()
    }

    /// Formats a number like the values of the column that is drawn. If these are times, formats the number as a time.
    fn value(&self, number: f64) -> String {
        let dtype = self.column.dtype.as_ref();
        match dtype.filter(|_| time_unit(dtype).is_some()) {
            Some(dtype) if dtype.byte_order() == Some(ByteOrder::Big) => text_of(dtype, &(number as i64).to_be_bytes()),
            Some(dtype) => text_of(dtype, &(number as i64).to_le_bytes()),
            None => chart::plain(number),
        }
    }

    /// Returns the title: name, field, shape and dtype.
    fn title(&self, name: &str) -> String {
        let lengths: Vec<String> = self.values.array.grid().shape().iter().map(i64::to_string).collect();
        let field = self.column.name.as_ref().map_or_else(String::new, |name| format!("  {name}"));
        let dtype = self.column.dtype.as_ref().map_or_else(String::new, DType::to_string);
        format!("{name}{field}  {}  {dtype}", lengths.join(" x "))
    }

    fn pixels(&self, elements: &[u8]) -> Pixels {
        match self.channels {
            Some(channels) => Pixels::image(elements, self.length(1), channels),
            None => Pixels::heat(&self.numbers(elements), self.length(1)),
        }
    }

    fn page(&self, elements: &[u8], show: &Show, (width, height): (usize, usize), tally: &Tally, sampled: &str) -> String {
        let name = printable(&show.file.display().to_string());
        let title = self.title(&styled(TITLE, name));
        let mut page = format!("{}\n", fitted(&title));
        if !self.notes.is_empty() {
            page += &format!("{}\n", fitted(&styled(FAINT, self.notes.join(", "))));
        }
        let numbers = if self.channels.is_some() && !show.histogram { Vec::new() } else { self.numbers(elements) };
        if tally.count + tally.nan == 0 {
            page += "no elements\n";
        } else if show.histogram {
            page += &histogram(&numbers, width, &|number| self.value(number));
        } else if self.axes.len() == 2 {
            page += &self.map(&self.pixels(elements), depth());
        } else {
            page += &self.plot(&numbers, width, height);
        }
        let figures = figures_to(DIGITS, tally, self.column.dtype.as_ref()).into_iter();
        let counts = [
            ("count", format!("{}{sampled}", thousands(tally.count))),
            ("NaN", thousands(tally.nan)),
            ("zeros", thousands(tally.zeros)),
        ];
        let all: Vec<String> = figures.chain(counts).map(|(label, value)| format!("{} {value}", styled(LABEL, label))).collect();
        page + &fitted(&all.join("  ")) + "\n"
    }

    /// Returns the index in the array of the `nth` drawn element along the dimension `axes[place]`.
    fn index(&self, place: usize, nth: usize) -> i64 {
        let Some(&axis) = self.axes.get(place) else { return 0 };
        let Selection { ranges, steps, reversed, .. } = &self.values.selection;
        let nth = if reversed[axis] { self.length(place).saturating_sub(nth + 1) } else { nth };
        ranges[axis].start + steps[axis] * i64::try_from(nth).unwrap_or(0)
    }

    fn across(&self, place: usize, width: usize) -> String {
        let last = self.index(place, self.length(place).saturating_sub(1)).to_string();
        let first = self.index(place, 0).to_string();
        let gap = width.saturating_sub(first.len());
        format!("{:MARGIN$}{}\n", "", styled(FAINT, if gap > last.len() { format!("{first}{last:>gap$}") } else { first }))
    }

    fn map(&self, pixels: &Pixels, depth: Depth) -> String {
        let mut map = String::new();
        for (number, line) in pixels.lines(depth).into_iter().enumerate() {
            let label = if number % 5 == 0 { self.index(0, 2 * number).to_string() } else { String::new() };
            map += &labelled(&label, &line);
        }
        map += &self.across(1, pixels.width);
        if self.channels.is_none() {
            let scale: Vec<f64> = (0..48).map(|step| f64::from(step % 24)).collect();
            let line = Pixels::heat(&scale, 24).lines(depth).concat();
            map += &format!("{:MARGIN$}min {line} max\n", "");
        }
        map
    }

    fn plot(&self, numbers: &[f64], width: usize, height: usize) -> String {
        let (least, greatest) = range(numbers).unwrap_or_default();
        let mut plot = String::new();
        for (number, line) in pixels::plot(numbers, width, height).into_iter().enumerate() {
            let label = match number {
                0 => fitting(&self.value(greatest)),
                number if number + 1 == height => fitting(&self.value(least)),
                _ => String::new(),
            };
            plot += &labelled(&label, &line);
        }
        plot + &self.across(0, width)
    }
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
        _ => text::shortened(text.to_owned(), MARGIN - 2),
    }
}

fn histogram(numbers: &[f64], width: usize, value: &dyn Fn(f64) -> String) -> String {
    let counts = bins::histogram(numbers, BARS);
    let (least, greatest) = range(numbers).unwrap_or_default();
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let room = width.saturating_sub(14).max(8);
    let bars = counts.iter().enumerate().map(|(bar, &count)| {
        let from = least + (greatest / BARS as f64 - least / BARS as f64) * bar as f64;
        let length = (count as f64 / most as f64 * room as f64).ceil() as usize;
        labelled(&fitting(&value(from)), &format!("{} {}", "█".repeat(length), thousands(count)))
    });
    bars.collect()
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

fn write_png(path: &std::path::Path, overwrite: bool, pixels: &Pixels) -> Result<()> {
    let (width, height) = (u32::try_from(pixels.width)?, u32::try_from(pixels.height())?);
    let pixel = |color: &Option<Rgb>| color.map_or([0; 4], |[red, green, blue]| [red, green, blue, 255]);
    let bytes: Vec<u8> = pixels.colors.iter().flat_map(pixel).collect();
    let mut picture = Vec::new();
    let mut encoder = png::Encoder::new(&mut picture, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bytes)?;
    writer.finish()?;
    if is_standard(path) {
        return io::stdout().lock().write_all(&picture).map_err(Error::Write);
    }
    new_file(path, overwrite, |file| Ok(file.write_all(&picture)?))
}
