//! `b2nd show` draws values in the terminal or in a PNG file.

mod chart;
mod drawn;
mod png_chart;
mod text_chart;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use b2nd_ndarray::Array;
use b2nd_view::colors::{COLOR_MAPS, Rgb, VIRIDIS};
use b2nd_view::elements::{Column, Tally, columns, reader};
use b2nd_view::histogram::{self as bins, Scale, range};
use b2nd_view::pixels::Pixels;
use b2nd_view::slice::{Selection, Slice};
use b2nd_view::text::{self, FAINT, TITLE, count, printable, styled};
use clap::Args;

use crate::error::{Error, Result};
use crate::output::{cut_to, fitted, terminal};
use crate::piped::is_standard;
use crate::report::{Report, summary};
use crate::screen;
use crate::staged::{must_be_new, new_file};
use crate::tables::{self, TablePart, TableRows};
use crate::tiles;
use crate::values::{SelectedArray, Start, length};
use chart::{Axis, Body, Chart, Ticks, plain};
use drawn::Drawn;
use text_chart::MARGIN;

/// If the selected ranges of a map, an image or a line have at most this size in bytes, the statistics are computed from all their selected
/// elements, otherwise only from the drawn ones.
const QUICK: usize = 1 << 26;

/// The maximum size of the drawn elements in bytes.
const LARGEST_ARRAY: u64 = 1 << 28;

/// The maximum number of elements along each side of a map or an image in a PNG file if `--size` is not given.
const MOST_PIXELS: i64 = 2048;

/// The maximum width and height in pixels that `--size` accepts.
const LARGEST: u32 = 1 << 14;

/// The number of lines of the terminal that are needed for texts around the picture.
const AROUND: usize = 8;

/// The number of bars of a histogram in the terminal.
const BARS: usize = 16;
/// The number of bars of a histogram in a PNG file.
const PICTURE_BARS: usize = 64;

/// `b2nd show`.
#[derive(Args)]
pub(crate) struct Show {
    /// An array or a table: a path, a URL, - or STORE::KEY, as for `b2nd info`.
    pub(super) file: PathBuf,

    /// A slice of the array, written as in Python (such as `0:10,5,::2`), or rows of a table.
    #[arg(allow_negative_numbers = true)]
    slice: Option<Slice>,

    /// The field of a structure to draw.
    #[arg(long, value_name = "NAME")]
    field: Option<String>,

    /// Columns of a table, by name. A PNG file has the histogram of one column.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    columns: Vec<String>,

    /// Draw an array as a histogram: with 16 bins in the terminal, with 64 in a PNG file.
    #[arg(long)]
    histogram: bool,

    /// The colors of a heat map.
    #[arg(long, value_name = "NAME", default_value = "viridis", value_parser = ["viridis", "gray", "blue-red"])]
    cmap: String,

    /// The values at the ends of the colors or of the axis, such as -5:30. The default is the smallest and the largest drawn value.
    #[arg(long, value_name = "MIN:MAX", value_parser = parse_range, allow_hyphen_values = true)]
    range: Option<(f64, f64)>,

    /// Use a logarithmic scale, which leaves out values that are not above 0.
    #[arg(long)]
    log: bool,

    /// Fill the picture: elements need not be square.
    #[arg(long)]
    stretch: bool,

    /// Write the picture to a PNG file, or to standard output if the name is -. An existing file is an error without --overwrite.
    #[arg(long, value_name = "OUT")]
    png: Option<PathBuf>,

    /// Replace an existing PNG file.
    #[arg(long, requires = "png")]
    overwrite: bool,

    /// The size of the PNG file; an image may be smaller, to keep its aspect ratio. The default is 1200x800, less for maps that need less,
    /// and for images one pixel for each drawn element. With a --size narrower than 400 or lower than 240 pixels, there are no axes, and
    /// histograms are an error.
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
        .ok_or_else(|| "expected MIN:MAX, two finite numbers of which the first is smaller".to_owned())
}

impl Show {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Result<u8> {
        self.png.as_ref().map_or(Ok(()), |path| must_be_new(path, self.overwrite, &self.file))?;
        match (self.table()?, &self.png) {
            (Some(rows), Some(path)) => self.write_png(path, &self.histogram_of(rows)?)?,
            (Some(rows), None) => self.print_summary(rows, out)?,
            _ if !self.columns.is_empty() => {
                let why = "--columns is only for tables, and cannot be combined with --field, --dtype or --offset; for structures, use only --field";
                return Err(Error::new(why));
            }
            _ => self.array(out)?,
        }
        Ok(0)
    }

    /// Draws an array.
    fn array(&self, out: &mut dyn Write) -> Result<()> {
        let values = SelectedArray::open(&self.file, &self.start, self.slice.as_ref())?;
        let column = &self.column(&values)?;
        if self.histogram {
            let tally = tally_of(&values.array, &values.selection, column)?;
            let chart = self.histogram(&values, column, &tally)?;
            return self.finish(&chart, &[], || Ok((tally, "")), column, out);
        }
        let mut drawn = Drawn::new(values, column);
        if drawn.axes.is_empty() && drawn.whole.kept.iter().all(|kept| !kept) {
            return Err(Error::new("a single value has no picture: print it with `b2nd cat`"));
        }
        let room = match (self.size, &self.png) {
            (Some((width, height)), _) => [height, width].map(i64::from),
            (None, Some(_)) => [MOST_PIXELS; 2],
            (None, None) => [2 * room().1 as i64, room().0 as i64],
        };
        drawn.fit(room, self.stretch);
        let array = &drawn.values.array;
        if drawn.values.len() > LARGEST_ARRAY {
            return Err(Error::new("the drawn elements have more than 2^28 bytes: draw fewer, as in `b2nd show FILE 0:1000`"));
        }
        let elements = drawn.values.read_all()?;
        let tally = || {
            let is_whole = drawn.values.selection == drawn.whole;
            if !is_whole && length(array, &drawn.whole.ranges) <= QUICK {
                return Ok((tally_of(array, &drawn.whole, column)?, ""));
            }
            Ok((column.tally(&elements, array.itemsize(), 1, false), if is_whole { "" } else { " sampled elements" }))
        };
        self.finish(&self.chart(&drawn, column, &elements)?, &drawn.notes, tally, column, out)
    }

    /// Writes the PNG file, or prints the chart with notes and statistics.
    fn finish(
        &self,
        chart: &Chart,
        notes: &[String],
        tally: impl FnOnce() -> Result<(Tally, &'static str)>,
        column: &Column,
        out: &mut dyn Write,
    ) -> Result<()> {
        if let Some(path) = &self.png {
            return self.write_png(path, chart);
        }
        let (tally, sampled) = tally()?;
        let [name, title] = &chart.title;
        let mut page = format!("{}\n", fitted(&(styled(TITLE, name) + title)));
        if !notes.is_empty() {
            page += &format!("{}\n", fitted(&styled(FAINT, notes.join(", "))));
        }
        let is_empty = tally.count + tally.nan == 0;
        page += &if is_empty { "no elements\n".to_owned() } else { text_chart::draw(chart, self.range, room()) };
        page += &drawn::figures(&tally, column, sampled);
        out.write_all(page.as_bytes()).map_err(Error::Write)
    }

    /// Opens the file as a table. Returns `None` if it is not a table, or if --offset, --dtype or --field was given.
    fn table(&self) -> Result<Option<Box<dyn TableRows>>> {
        let is_array = self.start.offset.is_some() || self.start.dtype.is_some() || self.field.is_some();
        let mut rows = if is_array { None } else { tables::open(&self.file)? };
        if let Some(rows) = &mut rows {
            rows.select(&TablePart { columns: self.columns.clone(), ..TablePart::default() }, self.slice.as_ref())?;
        }
        Ok(rows)
    }

    /// Returns the histogram of the only selected column of a table that has numbers or times.
    fn histogram_of(&self, rows: Box<dyn TableRows>) -> Result<Chart<'static>> {
        let mut columns = rows.count(false)?;
        columns.retain(|column| column.of.is_number());
        let names: Vec<_> = columns.iter().filter_map(|column| column.column.clone()).collect();
        let ([name], Some(Report { sample: numbers, tally, .. })) = (names.as_slice(), columns.pop()) else {
            let none = "none of the selected columns has numbers or times: there is nothing to draw".to_owned();
            let some = format!("a PNG file shows one column, which --columns selects; found {}", names.join(", "));
            return Err(Error::new(if names.is_empty() { none } else { some }));
        };
        let sample = if numbers.len() as u64 == tally.count + tally.nan { "" } else { "  (a sample)" };
        let scale = self.scale(&numbers, true)?;
        let counts = bins::histogram_in(&numbers, PICTURE_BARS, scale);
        Ok(self.bars(format!("  {name}{sample}"), counts, scale, None))
    }

    /// Prints a line for each column of a table, as many as fit the screen.
    fn print_summary(&self, rows: Box<dyn TableRows>, out: &mut dyn Write) -> Result<()> {
        let length = rows.len();
        let cells = summary(&rows.count(false)?, length);
        let (width, lines) = screen::size();
        let name = styled(TITLE, printable(&self.file.display().to_string()));
        let title = format!("{name}  {}, {}", count(length, "row"), count(cells.len() - 1, "column"));
        writeln!(out, "{}", fitted(&title)).map_err(Error::Write)?;
        let most = lines.saturating_sub(3).max(1);
        for line in text::columns(&cells, &[2, 3, 4]).into_iter().take(most) {
            writeln!(out, "{}", cut_to(line, width)).map_err(Error::Write)?;
        }
        match cells.len().saturating_sub(most) {
            0 => Ok(()),
            left => writeln!(out, "… and {}: `b2nd stats` shows all of them", count(left, "more column")).map_err(Error::Write),
        }
    }

    /// Returns the column to draw: the field that `--field` names, or the only column.
    fn column(&self, values: &SelectedArray) -> Result<Column> {
        let mut columns = columns(values.array.dtype(), values.array.itemsize())?;
        let names: Vec<&str> = columns.iter().filter_map(|column| column.name.as_deref()).collect();
        let place = match &self.field {
            Some(field) => columns.iter().position(|column| column.name.as_ref() == Some(field)),
            None => (columns.len() == 1).then_some(0),
        };
        let Some(place) = place else {
            return Err(Error::new(match &self.field {
                Some(field) if names.is_empty() => format!("there is no field {field}: the elements have no known fields"),
                Some(field) => format!("there is no field {field}; the fields are {}", names.join(", ")),
                None => format!("the elements are structures: choose one of their fields with --field ({})", names.join(", ")),
            }));
        };
        let column = columns.swap_remove(place);
        if column.dtype.as_ref().and_then(reader).is_none() {
            return Err(Error::new(match &column.dtype {
                Some(dtype) => format!("the values are {dtype}, which cannot be drawn: print the values with `b2nd head`"),
                None if values.array.is_flat() => "the dtype is not known: give it with --dtype".to_owned(),
                None => "the dtype is missing or unknown; `b2nd upgrade --dtype` adds one to Caterva arrays".to_owned(),
            }));
        }
        if column.offsets.len() != 1 {
            let count = column.offsets.len();
            return Err(Error::new(format_args!("an element holds {count} values, but only single values can be drawn")));
        }
        Ok(column)
    }

    /// Returns the scale of numbers, from one end of `--range` to the other, or from the smallest number to the largest.
    fn scale(&self, numbers: &[f64], has_values: bool) -> Result<Scale> {
        let (least, greatest) = match (self.range, range(numbers.iter().copied().filter(|&number| !self.log || number > 0.0))) {
            (Some(ends), _) | (None, Some(ends)) => ends,
            (None, None) if self.png.is_none() && !(self.log && has_values) => return Ok(Scale::new(0.0, 0.0, false)),
            (None, None) => {
                let why = if self.log { "no value to draw is finite and above 0" } else { "no value to draw is finite" };
                return Err(Error::new(why));
            }
        };
        if self.log && least <= 0.0 {
            return Err(Error::new(format_args!("--log needs a --range that starts above 0, found {least}:{greatest}")));
        }
        Ok(Scale::new(least, greatest, self.log))
    }

    fn colors(&self) -> &'static [Rgb] {
        COLOR_MAPS.iter().find(|(name, _)| *name == self.cmap).map_or(VIRIDIS, |(_, colors)| colors)
    }

    /// Returns the histogram of all selected values of an array, which is read in parts.
    fn histogram<'a>(&self, values: &SelectedArray, column: &'a Column, tally: &Tally) -> Result<Chart<'a>> {
        let SelectedArray { array, selection } = values;
        let numbers = |elements: &[u8]| drawn::numbers(column, elements, array.itemsize());
        if tally.count + tally.nan == 0 && self.png.is_some() {
            return Err(Error::new("there are no elements to draw"));
        }
        let mut ends = Vec::new();
        let has_place = |number: &f64| !self.log || *number > 0.0;
        let bounds = |elements: &[u8], _| range(numbers(elements).into_iter().filter(has_place));
        tiles::each(array, selection, bounds, |found, _| ends.extend(found.map(|(least, greatest)| [least, greatest])))?;
        let scale = self.scale(&ends.concat(), tally.count != 0)?;
        let mut counts = vec![0_u64; if self.png.is_some() { PICTURE_BARS } else { BARS }];
        let bins = counts.len();
        let count = |elements: &[u8], times| (bins::histogram_in(&numbers(elements), bins, scale), times);
        tiles::each(array, selection, count, |(found, times), _| {
            counts.iter_mut().zip(found).for_each(|(all, more)| *all += more * times);
        })?;
        Ok(self.bars(drawn::title(array, selection, column), counts, scale, Some(column)))
    }

    fn bars<'a>(&self, title: String, counts: Vec<u64>, scale: Scale, column: Option<&'a Column>) -> Chart<'a> {
        let most = counts.iter().copied().max().unwrap_or(0) as f64;
        let down = Axis { name: "values".to_owned(), ..Axis::new([0.0, most], Ticks::Whole, plain) };
        let across = self.axis_of_values(scale, column);
        Chart { title: self.title(&title), body: Body::Bars(counts, scale), across, down, unit: None, aspect: None }
    }

    /// Returns the name of the file and the rest of the title, as they are printed.
    fn title(&self, rest: &str) -> [String; 2] {
        [printable(&self.file.display().to_string()), printable(rest)]
    }

    /// Returns the axis along a scale of the values of a column.
    fn axis_of_values<'a>(&self, scale: Scale, column: Option<&'a Column>) -> Axis<'a> {
        let ticks = match column.and_then(drawn::days) {
            _ if self.log => Ticks::Log,
            Some(days) => Ticks::Days(days),
            None => Ticks::Plain,
        };
        let label = move |number| column.map_or_else(|| plain(number), |column| drawn::value(column, number));
        Axis::new([scale.least(), scale.greatest()], ticks, label)
    }

    /// Returns the map, the image or the line of the drawn elements.
    fn chart<'a>(&self, drawn: &Drawn, column: &'a Column, elements: &[u8]) -> Result<Chart<'a>> {
        let array = &drawn.values.array;
        if elements.is_empty() && self.png.is_some() {
            return Err(Error::new("there are no elements to draw"));
        }
        let unit = drawn::attribute(array, &["units", "unit"]);
        // The unit is that of the values after scaling.
        let is_packed = drawn::attribute(&drawn.values.array, &["scale_factor", "add_offset"]).is_some();
        let unit =
            if is_packed { Some("as stored".to_owned()) } else { unit.as_ref().and_then(|unit| unit.as_str()).map(printable) };
        let title = self.title(&drawn::title(array, &drawn.whole, column));
        let aspect = drawn.aspect.filter(|_| !self.stretch);
        if let Some(channels) = drawn.channels {
            let body = Body::Image(Pixels::image(elements, drawn.length(1), channels));
            return Ok(Chart { title, body, across: drawn.axis(1), down: drawn.axis(0), unit, aspect });
        }
        let numbers = drawn::numbers(column, elements, array.itemsize());
        let scale = self.scale(&numbers, !numbers.iter().all(|number| number.is_nan()))?;
        let values = self.axis_of_values(scale, Some(column));
        if drawn.axes.len() == 2 {
            let body = Body::Map(Pixels::heat(&numbers, drawn.length(1), scale, self.colors()), values, self.colors());
            return Ok(Chart { title, body, across: drawn.axis(1), down: drawn.axis(0), unit, aspect });
        }
        let down = Axis { name: unit.unwrap_or_default(), ..values };
        Ok(Chart { title, body: Body::Line(numbers, scale), across: drawn.axis(0), down, unit: None, aspect })
    }

    fn write_png(&self, path: &Path, chart: &Chart) -> Result<()> {
        let pixels = png_chart::draw(chart, self.size)?;
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
        new_file(path, self.overwrite, |file| Ok(file.write_all(&picture)?))
    }
}

/// Returns the maximum width and height of a picture in the terminal, in characters.
fn room() -> (usize, usize) {
    let (columns, lines) = terminal().unwrap_or((80, 24));
    (columns.saturating_sub(MARGIN + 1).max(8), lines.saturating_sub(AROUND).max(4))
}

/// Computes the statistics of one column.
fn tally_of(array: &Array, selection: &Selection, column: &Column) -> Result<Tally> {
    let tallies = super::stats::tally_of(array, selection, std::slice::from_ref(column), false)?;
    Ok(tallies.into_iter().next().unwrap_or_default())
}
