//! `b2nd show` draws values in the terminal or in a PNG file.

mod drawn;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use b2nd_ndarray::Array;
use b2nd_view::colors::{COLOR_MAPS, Rgb, VIRIDIS};
use b2nd_view::elements::{Column, Tally, columns, reader};
use b2nd_view::histogram::{self as bins, Scale, range};
use b2nd_view::pixels::{Depth, Pixels};
use b2nd_view::slice::{Selection, Slice};
use b2nd_view::text::{self, TITLE, printable, styled, thousands};
use clap::Args;

use crate::error::{Error, Result};
use crate::output::{fitted, terminal};
use crate::piped::is_standard;
use crate::png_chart::{self, Axis, Body, Chart, Ticks};
use crate::screen;
use crate::staged::{must_not_be_input, must_not_exist, new_file};
use crate::tables::{self, TablePart, TableRows};
use crate::tiles;
use crate::values::{SelectedArray, Start, length};
use drawn::Drawn;

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
    #[arg(allow_negative_numbers = true)]
    slice: Option<Slice>,

    /// The field of a structure to draw.
    #[arg(long, value_name = "NAME")]
    field: Option<String>,

    /// Columns of a table, by name. A PNG file has the histogram of one column.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    columns: Vec<String>,

    /// Draw a histogram of all values: with 16 bins in the terminal, with 64 in a PNG file.
    #[arg(long)]
    histogram: bool,

    /// The colors of a heat map.
    #[arg(long, value_name = "NAME", default_value = "viridis", value_parser = ["viridis", "gray", "blue-red"])]
    cmap: String,

    /// The values at the ends of the colors or of the axis, such as -5:30. The default is the smallest and the largest value.
    #[arg(long, value_name = "MIN:MAX", value_parser = parse_range, allow_hyphen_values = true)]
    range: Option<(f64, f64)>,

    /// Use a logarithmic scale, which leaves out values that are not above 0.
    #[arg(long)]
    log: bool,

    /// Fill the picture: pixels need not be square.
    #[arg(long)]
    stretch: bool,

    /// Write the picture to a PNG file, or to standard output if the name is -. An existing file is an error without --overwrite.
    #[arg(long, value_name = "OUT")]
    png: Option<PathBuf>,

    /// Replace an existing PNG file.
    #[arg(long, requires = "png")]
    overwrite: bool,

    /// The size of the PNG file. The default is 1200x800, less for maps that need less, and for images one pixel for each element. Pictures smaller than 400x240 have no
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

fn parse_range(text: &str) -> Result<(f64, f64), String> {
    let ends = text.split_once(':').and_then(|(least, greatest)| Some((least.parse().ok()?, greatest.parse().ok()?)));
    ends.filter(|(least, greatest): &(f64, f64)| least < greatest && least.is_finite() && greatest.is_finite())
        .ok_or_else(|| "expected MIN:MAX, two numbers of which the first is smaller".to_owned())
}

impl Show {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Result<u8> {
        self.draw(out).map(|()| 0)
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
        if !self.columns.is_empty() {
            return Err(Error::new("--columns is for tables, but it is an array: --field selects a field of its structures"));
        }
        let values = SelectedArray::open(&self.file, &self.start, self.slice.as_ref())?;
        let column = self.column(&values)?;
        if self.histogram {
            return self.bars(&values, &column, out);
        }
        let mut drawn = Drawn::new(values, column);
        if drawn.axes.is_empty() && drawn.values.selection.kept.iter().all(|kept| !kept) {
            return Err(Error::new("it is a single value, which has no picture: print it with `b2nd cat`"));
        }
        let (columns, lines) = terminal().unwrap_or((80, 24));
        let (width, height) = (columns.saturating_sub(MARGIN + 1).max(8), lines.saturating_sub(AROUND).max(4));
        let room = match (self.size, &self.png) {
            (Some((width, height)), _) => [height, width],
            (None, Some(_)) => [MOST_PIXELS; 2],
            _ => [2 * height as u32, width as u32],
        };
        let all = drawn.values.selection.clone();
        drawn.fit(room.map(i64::from), self.stretch);
        let items = drawn.values.selection.lengths().into_iter().map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        if items.fold(drawn.values.array.itemsize(), usize::saturating_mul) > LARGEST_ARRAY {
            return Err(Error::new("it is too large to be drawn: draw a part of it, as in `b2nd show FILE 0:1000`"));
        }
        let elements = drawn.values.read_all()?;
        if let Some(path) = &self.png {
            return write_png(path, self.overwrite, &self.picture(&drawn, &elements)?);
        }
        let is_whole = drawn.values.selection == all;
        let (tally, of) = if !is_whole && length(&drawn.values.array, &all.ranges) <= QUICK {
            (tally_of(&drawn.values.array, &all, &drawn.column)?, "")
        } else {
            let tally = drawn.column.tally(&elements, drawn.values.array.itemsize(), 1, false);
            (tally, if is_whole { "" } else { " sampled elements" })
        };
        let page = drawn.page(&elements, self, (width, height), &tally, of)?;
        out.write_all(page.as_bytes()).map_err(Error::Write)
    }

    /// Opens the file as a table. Returns `None` if it is not a table.
    fn table(&self) -> Result<Option<Box<dyn TableRows>>> {
        let is_array = self.start.offset.is_some() || self.start.dtype.is_some() || self.field.is_some();
        let mut rows = if is_array { None } else { tables::open(&self.file)? };
        if let Some(rows) = &mut rows {
            rows.select(&TablePart { columns: self.columns.clone(), ..TablePart::default() }, self.slice.as_ref())?;
        }
        Ok(rows)
    }

    /// Writes the histogram of a column, or prints a line for each column of a table.
    fn columns(&self, rows: Box<dyn TableRows>, out: &mut dyn Write) -> Result<()> {
        if let Some(path) = &self.png {
            let mut columns = rows.numbers()?;
            let names: Vec<_> = columns.iter().map(|(name, _)| name.clone()).collect();
            let (Some((name, numbers)), true) = (columns.pop(), names.len() == 1) else {
                let names = if names.is_empty() { "none of its columns are numbers".to_owned() } else { names.join(", ") };
                return Err(Error::new(format_args!("it is a table: choose a column to draw with --columns: {names}")));
            };
            let sample = if numbers.len() < tables::SAMPLE { "" } else { "  (a sample)" };
            let title = printable(&format!("{}  {name}{sample}", self.file.display()));
            let scale = self.scale(&numbers)?;
            let counts = bins::histogram_in(&numbers, PICTURE_BARS, scale);
            return write_png(path, self.overwrite, &self.picture_of_bars(&title, &counts, scale, &png_chart::plain, None)?);
        }
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
    fn column(&self, values: &SelectedArray) -> Result<Column> {
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

    /// Returns the scale of numbers, between the ends that the user gave.
    fn scale(&self, numbers: &[f64]) -> Result<Scale> {
        let (least, greatest) = match self.range {
            Some(ends) => ends,
            None => range(numbers.iter().copied().filter(|&number| !self.log || number > 0.0)).ok_or_else(|| {
                let why = if self.log { "none of the values is above 0" } else { "none of the values is a finite number" };
                Error::new(format_args!("{why}: there is nothing to draw"))
            })?,
        };
        if self.log && least <= 0.0 {
            return Err(Error::new("a logarithmic scale starts above 0: give another --range"));
        }
        Ok(Scale::new(least, greatest, self.log))
    }

    /// Returns the scale of a picture in the terminal. If it is not logarithmic or all values are NaN, the picture may be empty.
    fn scale_or_none(&self, numbers: &[f64], tally: &Tally) -> Result<Scale> {
        let scale = self.scale(numbers);
        if self.log && tally.count != 0 { scale } else { Ok(scale.unwrap_or(Scale::new(0.0, 0.0, false))) }
    }

    fn colors(&self) -> &'static [Rgb] {
        COLOR_MAPS.iter().find(|(name, _)| *name == self.cmap).map_or(VIRIDIS, |(_, colors)| colors)
    }

    /// Draws the histogram of all selected values of an array, which is read in parts.
    fn bars(&self, values: &SelectedArray, column: &Column, out: &mut dyn Write) -> Result<()> {
        let SelectedArray { array, selection } = values;
        let tally = tally_of(array, selection, column)?;
        let numbers = |elements: &[u8]| drawn::numbers(column, elements, array.itemsize());
        if tally.count + tally.nan == 0 && self.png.is_some() {
            return Err(Error::new("there are no elements to draw"));
        }
        let mut ends = Vec::new();
        let has_place = |number: &f64| !self.log || *number > 0.0;
        let bounds = |elements: &[u8], _| range(numbers(elements).into_iter().filter(has_place));
        tiles::each(array, selection, bounds, |found, _| ends.extend(found.map(|(least, greatest)| [least, greatest])))?;
        let ends = ends.concat();
        let scale = if self.png.is_some() { self.scale(&ends)? } else { self.scale_or_none(&ends, &tally)? };
        let mut counts = vec![0_u64; if self.png.is_some() { PICTURE_BARS } else { BARS }];
        let bins = counts.len();
        let count = |elements: &[u8], times| (bins::histogram_in(&numbers(elements), bins, scale), times);
        tiles::each(array, selection, count, |(found, times), _| {
            counts.iter_mut().zip(found).for_each(|(all, more)| *all += more * times);
        })?;
        let label = |number: f64| drawn::value(column, number);
        let title = drawn::title(array, selection, column);
        let name = self.file.display().to_string();
        if let Some(path) = &self.png {
            let picture = self.picture_of_bars(&printable(&(name + &title)), &counts, scale, &label, drawn::days(column))?;
            return write_png(path, self.overwrite, &picture);
        }
        let (columns, _) = terminal().unwrap_or((80, 24));
        let mut page = format!("{}\n", fitted(&(styled(TITLE, printable(&name)) + &printable(&title))));
        page += &drawn::histogram(&counts, columns.saturating_sub(MARGIN + 1).max(8), scale, &label);
        page += &drawn::figures(&tally, column, "");
        out.write_all(page.as_bytes()).map_err(Error::Write)
    }

    fn picture_of_bars(
        &self,
        title: &str,
        counts: &[u64],
        scale: Scale,
        label: &dyn Fn(f64) -> String,
        days: Option<f64>,
    ) -> Result<Pixels> {
        let (width, height) = self.size.unwrap_or(SIZE);
        if width < png_chart::SMALLEST.0 || height < png_chart::SMALLEST.1 {
            let (width, height) = png_chart::SMALLEST;
            return Err(Error::new(format_args!(
                "a histogram has axes, which need a picture of at least {width}x{height}: give a larger --size"
            )));
        }
        let most = counts.iter().copied().max().unwrap_or(0) as f64;
        let down = Axis { name: "values".to_owned(), ..Axis::new([0.0, most], Ticks::Whole, &png_chart::plain) };
        let ticks = if self.log { Ticks::Log } else { days.map_or(Ticks::Plain, Ticks::Days) };
        let across = Axis::new([scale.least(), scale.greatest()], ticks, label);
        Ok(png_chart::draw(&Chart::new(title, Body::Bars(counts), across, down), (width, height)))
    }

    /// Draws the picture for the PNG file, with axes unless the picture is an image or too small for axes.
    fn picture(&self, drawn: &Drawn, elements: &[u8]) -> Result<Pixels> {
        if elements.is_empty() {
            return Err(Error::new("there are no elements to draw"));
        }
        let (width, height) = self.size.unwrap_or(SIZE);
        let is_small = width < png_chart::SMALLEST.0 || height < png_chart::SMALLEST.1;
        if let Some(channels) = drawn.channels {
            let pixels = Pixels::image(elements, drawn.length(1), channels);
            let (wide, high) = match self.size {
                // The picture fits into the size, and keeps the shape of the image.
                Some((width, height)) if !self.stretch => {
                    let factor =
                        (f64::from(width) / pixels.width.max(1) as f64).min(f64::from(height) / pixels.height().max(1) as f64);
                    let side = |length: usize| ((length as f64 * factor).round() as usize).max(1);
                    (side(pixels.width), side(pixels.height()))
                }
                Some((width, height)) => (width as usize, height as usize),
                None => (pixels.width, pixels.height()),
            };
            return Ok(pixels.scaled(wide, high));
        }
        let numbers = drawn.numbers(elements);
        let scale = self.scale(&numbers)?;
        let is_map = drawn.axes.len() == 2;
        if is_small && is_map {
            return Ok(Pixels::heat(&numbers, drawn.length(1), scale, self.colors()).scaled(width as usize, height as usize));
        }
        if is_small {
            return Ok(Pixels::plot(&numbers, width as usize, height as usize, scale));
        }
        let value = |number: f64| drawn::value(&drawn.column, number);
        let ticks = if self.log { Ticks::Log } else { drawn::days(&drawn.column).map_or(Ticks::Plain, Ticks::Days) };
        let values = Axis::new([scale.least(), scale.greatest()], ticks, &value);
        let indices = |place| {
            let last = drawn.index(place, drawn.length(place).saturating_sub(1));
            // The axis of a map extends half an element beyond the first and the last element, so that the tick of each element is in the
            // middle of its pixels.
            let steps = (drawn.length(place).max(2) - 1) as f64;
            let half = if is_map { (last - drawn.index(place, 0)) as f64 / steps / 2.0 } else { 0.0 };
            let ends = [drawn.index(place, 0) as f64 - half, last as f64 + half];
            Axis { name: drawn.name(place), ..Axis::new(ends, Ticks::Whole, &png_chart::plain) }
        };
        let title = &printable(&(self.file.display().to_string() + &drawn.title()));
        let unit = drawn::attribute(&drawn.values.array, &["units", "unit"]);
        let unit = unit.as_ref().and_then(|unit| unit.as_str()).map(printable);
        Ok(match is_map {
            true => {
                let pixels = Pixels::heat(&numbers, drawn.length(1), scale, self.colors());
                let aspect = drawn.aspect.filter(|_| !self.stretch);
                let body = Body::Map(pixels, values, self.colors());
                let chart = Chart::new(title, body, indices(1), indices(0));
                png_chart::draw(&Chart { unit, aspect, is_cut: self.size.is_none(), ..chart }, (width, height))
            }
            false => {
                let down = Axis { name: unit.unwrap_or_default(), ..values };
                png_chart::draw(&Chart::new(title, Body::Line(&numbers, scale), indices(0), down), (width, height))
            }
        })
    }
}

/// Computes the statistics of one column.
fn tally_of(array: &Array, selection: &Selection, column: &Column) -> Result<Tally> {
    let tallies = super::stats::tally_of(array, selection, std::slice::from_ref(column), false)?;
    Ok(tallies.into_iter().next().unwrap_or_default())
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
