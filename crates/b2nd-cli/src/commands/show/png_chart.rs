//! Draws the pictures that `b2nd show --png` writes.

use std::convert::Infallible;

use b2nd_view::colors::Rgb;
use b2nd_view::elements::first_of_month;
use b2nd_view::histogram::Scale;
use b2nd_view::pixels::Pixels;
use embedded_graphics::mono_font::MonoTextStyle;
use embedded_graphics::mono_font::iso_8859_1::FONT_10X20;
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::{Line, PrimitiveStyle, Rectangle};
use embedded_graphics::text::{Alignment, Baseline, Text, TextStyleBuilder};

use super::chart::{Axis, Body, Chart, Ticks};
use crate::error::{Error, Result};

/// The width of a character in pixels.
const CHARACTER: i32 = 10;
/// The length of a tick in pixels.
const TICK: i32 = 6;

/// The left margin of the drawing, in pixels.
const LEFT: i32 = 130;
/// The top margin, in pixels.
const TOP: i32 = 44;
/// The bottom margin, in pixels.
const BELOW: i32 = 68;
/// The right margin of a drawing without a color bar, in pixels.
const RIGHT: i32 = 30;
/// The right margin of a drawing with a color bar, in pixels.
const BAR: i32 = 170;

/// The default width and height of a picture with axes, in pixels.
const SIZE: (u32, u32) = (1200, 800);

/// The smallest width and height in pixels for which `draw` draws axes.
const SMALLEST: (u32, u32) = (400, 240);

/// In a picture with axes, the color of lines and bars.
const INK: Rgb = [68, 1, 84];

/// In a picture with axes, the color of elements of a heat map that are not finite, or that a logarithmic scale leaves out.
const LACKING: Rgb = [200; 3];

/// Draws a chart, with axes unless it is an image or too small for axes. By default, an image has one pixel for each element.
/// Fails if a histogram is too small for axes.
pub(super) fn draw(chart: &Chart, size: Option<(u32, u32)>) -> Result<Pixels> {
    let (width, height) = size.unwrap_or(SIZE);
    let [wide, high] = [width as usize, height as usize];
    let is_small = width < SMALLEST.0 || height < SMALLEST.1;
    Ok(match &chart.body {
        Body::Image(pixels) => match (size, chart.aspect) {
            (Some(_), Some(_)) => {
                let factor =
                    (f64::from(width) / pixels.width.max(1) as f64).min(f64::from(height) / pixels.height().max(1) as f64);
                let side = |length: usize| ((length as f64 * factor).round() as usize).max(1);
                pixels.scaled(side(pixels.width), side(pixels.height()))
            }
            (Some(_), None) => pixels.scaled(wide, high),
            (None, _) => pixels.scaled(pixels.width, pixels.height()),
        },
        Body::Map(pixels, ..) if is_small => pixels.scaled(wide, high),
        Body::Line(values, scale) if is_small => Pixels::plot(values, wide, high, *scale),
        Body::Bars(..) if is_small => {
            let (width, height) = SMALLEST;
            let why = format!("a histogram has axes, which need a picture of at least {width}x{height}: give a larger --size");
            return Err(Error::new(why));
        }
        _ => with_axes(chart, [width as i32, height as i32], size.is_none()),
    })
}

/// Draws a chart with axes in a picture of this size. If `is_cut` is true, the picture of a map can be smaller.
fn with_axes(chart: &Chart, [mut width, mut height]: [i32; 2], is_cut: bool) -> Pixels {
    let Chart { title, body, across, down, unit, aspect } = chart;
    // The axes of a map extend half an element beyond the first and the last element, so that the tick of each element is in the middle of
    // its pixels.
    let (right, margins) = match body {
        Body::Map(pixels, ..) => (BAR, [pixels.width, pixels.height()].map(|count| 0.5 / (count.max(2) - 1) as f64)),
        _ => (RIGHT, [0.0; 2]),
    };
    let mut frame = Frame { left: LEFT, top: TOP, width: (width - LEFT - right).max(1), height: (height - TOP - BELOW).max(1) };
    if let (Some(aspect), Body::Map(pixels, ..)) = (aspect, body) {
        let (wide, high) = (f64::from(frame.height) * aspect, f64::from(frame.width) / aspect);
        // Each element that is drawn has at least a pixel, if the picture has room for that.
        let fit = |side: f64, least: usize, most: i32| (side as i32).clamp((least as i32).clamp(1, most), most);
        (frame.width, frame.height) = (fit(wide, pixels.width, frame.width), fit(high, pixels.height(), frame.height));
        if is_cut {
            (width, height) = ((LEFT + frame.width + right).max(SMALLEST.0 as i32), TOP + frame.height + BELOW);
        }
    }
    let mut canvas = Canvas::new(width, height);
    match body {
        Body::Map(pixels, scale, colors) => {
            canvas.fill_with(LACKING, (frame.left, frame.top), (frame.width, frame.height));
            canvas.copy(&pixels.scaled(frame.width as usize, frame.height as usize), frame.left, frame.top);
            let bar = Frame { left: frame.left + frame.width + 30, width: 24, ..frame };
            let ramp: Vec<f64> = (0..256).rev().map(f64::from).collect();
            let ramp = Pixels::heat(&ramp, 1, Scale::new(0.0, 255.0, false), colors);
            canvas.copy(&ramp.scaled(bar.width as usize, bar.height as usize), bar.left, bar.top);
            canvas.outline(&bar);
            for (at, label) in ticks(scale, 0.0, bar.height / 60) {
                let y = bar.top + bar.height - (at * f64::from(bar.height)) as i32;
                canvas.line((bar.left + bar.width, y), (bar.left + bar.width + TICK, y));
                canvas.text(&label, (bar.left + bar.width + TICK + 4, y), Alignment::Left, Baseline::Middle);
            }
            if let Some(unit) = unit {
                canvas.text(unit, (bar.left, TOP / 2), Alignment::Left, Baseline::Middle);
            }
            if let Some(lacking) = scale.lacking(pixels) {
                let y = bar.top + bar.height + TICK + 4;
                canvas.fill_with(LACKING, (bar.left, y), (24, 18));
                canvas.text(lacking, (bar.left + bar.width + TICK, y), Alignment::Left, Baseline::Top);
            }
        }
        Body::Line(values, scale) => {
            let dots = Pixels::plot(values, frame.width as usize, frame.height as usize, *scale);
            let ink = dots.colors.iter().enumerate().filter(|(_, color)| **color != Some([255; 3]));
            for (place, _) in ink {
                let (x, y) = (place % dots.width, place / dots.width);
                // The line is two pixels wide.
                canvas.fill((frame.left + x as i32, frame.top + y as i32), (2, 2));
            }
        }
        Body::Bars(counts, _) => {
            let most = counts.iter().copied().max().unwrap_or(1).max(1);
            let edge = |bar: usize| frame.left + (bar as f64 / counts.len() as f64 * f64::from(frame.width)) as i32;
            for (bar, &count) in counts.iter().enumerate() {
                let tall = (count as f64 / most as f64 * f64::from(frame.height)).ceil() as i32;
                canvas.fill((edge(bar), frame.top + frame.height - tall), (edge(bar + 1) - edge(bar) - 1, tall));
            }
        }
        Body::Image(_) => {}
    }
    canvas.outline(&frame);
    let is_map = matches!(body, Body::Map(..));
    for (at, label) in ticks(across, margins[0], frame.width / 130) {
        let x = frame.left + (at * f64::from(frame.width)) as i32;
        canvas.line((x, frame.top + frame.height), (x, frame.top + frame.height + TICK));
        canvas.text(&label, (x, frame.top + frame.height + TICK + 4), Alignment::Center, Baseline::Top);
    }
    for (at, label) in ticks(down, margins[1], frame.height / 60) {
        let at = if is_map { at } else { 1.0 - at };
        let y = frame.top + (at * f64::from(frame.height)) as i32;
        canvas.line((frame.left - TICK, y), (frame.left, y));
        canvas.text(&label, (frame.left - TICK - 4, y), Alignment::Right, Baseline::Middle);
    }
    canvas.text(
        &across.name,
        (frame.left + frame.width / 2, frame.top + frame.height + TICK + 28),
        Alignment::Center,
        Baseline::Top,
    );
    canvas.text_upwards(&down.name, (4, frame.top + frame.height / 2));
    let right = if unit.is_some() { frame.left + frame.width } else { width };
    let room = usize::try_from((right - LEFT) / CHARACTER).unwrap_or(0);
    let title: String = title.concat().chars().take(room).collect();
    canvas.text(&title, (frame.left, TOP / 2), Alignment::Left, Baseline::Middle);
    Pixels { width: width as usize, colors: canvas.colors }
}

/// Returns the ticks of an axis. Each tick has a position from 0 to 1 and a label. The axis extends beyond its
/// ends by `margin`, as a part of its length. `most` limits the number of intervals between ticks.
fn ticks(axis: &Axis, margin: f64, most: i32) -> Vec<(f64, String)> {
    if let Some(ticks) = ticks_of_kind(axis, most.max(1)) {
        return ticks;
    }
    let margin = (axis.ends[1] - axis.ends[0]) * margin;
    let [first, last] = [axis.ends[0] - margin, axis.ends[1] + margin];
    let span = last - first;
    if span == 0.0 {
        return vec![(0.5, (axis.label)(first))];
    }
    // If the difference between the two ends is too large for a float, only the ends get ticks.
    if !span.is_finite() {
        return vec![(0.0, (axis.label)(first)), (1.0, (axis.label)(last))];
    }
    let least = span / f64::from(most.max(1));
    let unit = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * unit).find(|&step| step >= least).unwrap_or(span);
    let step = if matches!(axis.ticks, Ticks::Whole) { step.ceil().max(1.0) } else { step };
    let numbers = (0..=64).map(|nth| ((first / step).ceil() + f64::from(nth)) * step).take_while(|&at| at <= last + step * 1e-9);
    // A number that differs from zero only by a rounding error becomes zero.
    let numbers = numbers.map(|at| if at.abs() < step * 1e-9 { 0.0 } else { at });
    numbers.map(|at| ((at - first) / span, (axis.label)(at))).collect()
}

/// Returns the ticks of a logarithmic axis, or of an axis of dates if they can be at months. Returns `None` for other axes.
fn ticks_of_kind(axis: &Axis, most: i32) -> Option<Vec<(f64, String)>> {
    let [first, last] = axis.ends;
    match axis.ticks {
        Ticks::Log => {
            let scale = Scale::new(first, last, true);
            let (low, high) = (first.log10().ceil() as i32, last.log10().floor() as i32);
            let step = ((high - low) / most + 1).max(1) as usize;
            let powers: Vec<f64> = (low..=high).step_by(step).map(|power| 10_f64.powi(power)).collect();
            let numbers = if powers.len() < 2 { vec![first, last] } else { powers };
            Some(numbers.into_iter().filter_map(|number| Some((scale.part(number)?, (axis.label)(number)))).collect())
        }
        Ticks::Days(days) => {
            let months = (last - first) * days / 30.436_875;
            if !(2.0..1e6).contains(&months) {
                return None;
            }
            let steps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 12_000, 120_000];
            let step = steps.into_iter().find(|&step| months <= f64::from(most) * step as f64)?;
            let month = (first * days / 30.436_875) as i64;
            let month = (month - 2).div_euclid(step) * step;
            let starts = (0..).map(|nth| first_of_month(month + nth * step) as f64 / days).take_while(|&at| at <= last);
            let label = |at: f64| (axis.label)(at).chars().take(if step < 12 { 7 } else { 4 }).collect();
            Some(starts.filter(|&at| at >= first).map(|at| ((at - first) / (last - first), label(at))).collect())
        }
        Ticks::Plain | Ticks::Whole => None,
    }
}

#[derive(Clone, Copy)]
struct Frame {
    left: i32,
    top: i32,
    width: i32,
    height: i32,
}

struct Canvas {
    width: i32,
    colors: Vec<Option<Rgb>>,
}

impl Canvas {
    fn new(width: i32, height: i32) -> Canvas {
        Canvas { width, colors: vec![Some([255; 3]); (width * height) as usize] }
    }

    /// Writes as much of a text as fits from bottom to top, around the middle of its left side.
    fn text_upwards(&mut self, text: &str, (left, middle): (i32, i32)) {
        let most = self.size().height as usize / CHARACTER as usize;
        let (long, high) = (CHARACTER * text.chars().take(most).count() as i32, 20);
        let mut line = Canvas::new(long.max(1), high);
        line.text(text, (0, 0), Alignment::Left, Baseline::Top);
        for (place, &color) in line.colors.iter().enumerate() {
            let (x, y) = (place as i32 % line.width, place as i32 / line.width);
            self.set(left + y, middle + long / 2 - x, color);
        }
    }

    fn set(&mut self, x: i32, y: i32, color: Option<Rgb>) {
        if (0..self.width).contains(&x) && y >= 0 {
            if let Some(place) = self.colors.get_mut((y * self.width + x) as usize) {
                *place = color;
            }
        }
    }

    /// Copies the pixels that have a color.
    fn copy(&mut self, pixels: &Pixels, left: i32, top: i32) {
        for (place, &color) in pixels.colors.iter().enumerate().filter(|(_, color)| color.is_some()) {
            self.set(left + (place % pixels.width.max(1)) as i32, top + (place / pixels.width.max(1)) as i32, color);
        }
    }

    fn draw(&mut self, drawing: &impl Drawable<Color = Rgb888>) {
        // Drawing cannot fail: the error type has no values.
        let _ = drawing.draw(self);
    }

    fn line(&mut self, from: (i32, i32), to: (i32, i32)) {
        let style = PrimitiveStyle::with_stroke(Rgb888::BLACK, 2);
        self.draw(&Line::new(from.into(), to.into()).into_styled(style));
    }

    fn outline(&mut self, frame: &Frame) {
        let size = Size::new(frame.width as u32 + 2, frame.height as u32 + 2);
        let around = Rectangle::new(Point::new(frame.left - 1, frame.top - 1), size);
        self.draw(&around.into_styled(PrimitiveStyle::with_stroke(Rgb888::BLACK, 2)));
    }

    fn fill(&mut self, from: (i32, i32), size: (i32, i32)) {
        self.fill_with(INK, from, size);
    }

    fn fill_with(&mut self, [red, green, blue]: Rgb, from: (i32, i32), (width, height): (i32, i32)) {
        let size = Size::new(width.max(1).unsigned_abs(), height.max(0).unsigned_abs());
        self.draw(&Rectangle::new(from.into(), size).into_styled(PrimitiveStyle::with_fill(Rgb888::new(red, green, blue))));
    }

    /// Writes as much of a text as the width has room for.
    fn text(&mut self, text: &str, at: (i32, i32), alignment: Alignment, baseline: Baseline) {
        let text: String = text.chars().take((self.width / CHARACTER) as usize).collect();
        let style = TextStyleBuilder::new().alignment(alignment).baseline(baseline).build();
        self.draw(&Text::with_text_style(&text, at.into(), MonoTextStyle::new(&FONT_10X20, Rgb888::BLACK), style));
    }
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        let height = self.colors.len() / usize::try_from(self.width).unwrap_or(1).max(1);
        Size::new(self.width.unsigned_abs(), height as u32)
    }
}

impl DrawTarget for Canvas {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        for Pixel(Point { x, y }, color) in pixels {
            self.set(x, y, Some([color.r(), color.g(), color.b()]));
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/png_chart.rs"]
mod tests;
