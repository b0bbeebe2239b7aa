//! [`MetadataReader`]: answers the page's questions about metadata with JSON.

use std::sync::Arc;

use b2nd::Grid;
use b2nd_frame::{Offsets, Result};
use b2nd_store::{Bytes, Frame, Leaf, StoreListing, attributes};
use b2nd_view::colors::COLOR_MAPS;
use b2nd_view::facts::{Facts, as_stored};
use b2nd_view::{Array, json};
use serde::Deserialize;

use crate::answer::{answer, parse, to_json};
use crate::shown::Shown;
use crate::{bytes, chunk, store};

/// The maximum number of chunks that are drawn along an axis.
const SHOWN: i64 = 64;

/// A question about metadata. In JSON, it is the name of a variant in snake case, or `{"name": [..]}` with the fields in their order.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Question {
    /// A store and its leaves as `{"store": …, "leaves": […]}`, or `{"store": null}` if this is not a store.
    Look,
    /// The metadata of the frame, as an object like those that `b2nd info --json` prints.
    Info,
    /// The metadata of the frame as text: `{"array": [[label, text, field], …], "frame": […]}`.
    Facts,
    /// The annotated bytes of the header and the trailer, or only of the header if it is invalid.
    Bytes,
    /// The number of chunks in the index as `{"chunks": …}`.
    Index,
    /// The number of chunks along each axis, or null if there are no chunks to draw.
    Grid,
    /// A drawing of at most `most` chunks (at least 1) along each of two axes: from the chunk at the coordinates `first` on, or the last
    /// ones if fewer follow it. `axes` contains the axis of the rows and the axis of the columns; -1 means that the array has no such axis.
    Picture { axes: [i32; 2], most: i64, first: Vec<i64> },
    /// An overview of the sizes that chunks have in the frame, along two axes.
    Overview { axes: [i32; 2], at: Vec<i64> },
    /// The chunk at the coordinates `at`: its elements and, with `index`, its position or file, or its kind if it has no bytes.
    Chunk { index: bool, at: Vec<i64> },
    /// The name and the colors of each color map.
    ColorMaps,
}

/// Answers questions about the metadata of a file, or of the leaves of a store.
pub struct MetadataReader {
    place: Arc<Shown>,
    listing: Option<StoreListing>,
    /// The index of the leaf that the fields below belong to, or `None` for the file itself.
    leaf: Option<usize>,
    grid: Option<Grid>,
    offsets: Option<Offsets>,
}

impl MetadataReader {
    /// Creates a reader. Nothing is read yet.
    #[must_use]
    pub fn new(place: Arc<Shown>) -> MetadataReader {
        MetadataReader { place, listing: None, leaf: None, grid: None, offsets: None }
    }

    /// Answers a question in JSON about a leaf of the store, or about the file itself if `leaf` is `None`. The answer is JSON. An error is
    /// answered as `{"error": …}`.
    pub fn ask(&mut self, leaf: Option<usize>, question: &str) -> String {
        answer(parse(question.as_bytes()).and_then(|question| self.reply(leaf, &question)))
    }

    pub(crate) fn reply(&mut self, leaf: Option<usize>, question: &Question) -> Result<String> {
        if leaf != self.leaf {
            (self.leaf, self.grid, self.offsets) = (leaf, None, None);
        }
        let place = self.place.clone();
        match question {
            Question::ColorMaps => return Ok(to_json(&COLOR_MAPS)),
            Question::Look => {
                let Some(store) = place.store()? else { return Ok(r#"{"store":null}"#.to_owned()) };
                let (listing, text) = store::describe(store)?;
                self.listing = Some(listing);
                return Ok(text);
            }
            _ => {}
        }
        let (source, leaf) = self.source()?;
        let start = leaf.as_ref().map_or(0, store::start);
        if let Question::Bytes = question {
            return Ok(to_json(&bytes::parts(&*source, start)?));
        }
        let frame = Frame::open(&*source)?;
        let grid = || Array::find(frame.header()).ok()??.meta.geometry().grid().ok();
        self.grid = self.grid.take().or_else(grid);
        let needs_index = matches!(question, Question::Index | Question::Overview { .. } | Question::Chunk { index: true, .. });
        if needs_index && self.offsets.is_none() {
            self.offsets = Some(frame.offsets()?.clone());
        }
        let (grid, offsets) = (self.grid.as_ref(), self.offsets.as_ref());
        Ok(match question {
            Question::Info => {
                let place = json::FramePlace { path: place.name(), ..json::FramePlace::default() };
                let place = match &leaf {
                    Some(leaf) => {
                        json::FramePlace { key: Some(&leaf.key), member: leaf.member.as_deref(), offset: leaf.offset, ..place }
                    }
                    None => place,
                };
                to_json(&json::Object::new(&frame, place, &json::InfoOptions::default())?)
            }
            Question::Facts => {
                let mut facts = Facts::of(frame.header());
                if let (Some(array), Ok(trailer)) = (&mut facts.array, frame.trailer()) {
                    array.extend(as_stored(|name| attributes::get(trailer, name), None));
                }
                to_json(&facts)
            }
            Question::Index => format!(r#"{{"chunks":{}}}"#, offsets.map_or(0, Offsets::len)),
            Question::Grid => to_json(&grid.filter(|grid| grid.nchunks() != 0).map(Grid::chunks_per_dimension)),
            Question::Picture { axes, first, most } => {
                to_json(&grid.and_then(|grid| chunk::picture(grid, *axes, first, (*most).min(SHOWN))))
            }
            Question::Overview { axes, at } => {
                to_json(&grid.zip(offsets).and_then(|(grid, offsets)| chunk::overview(grid, offsets, *axes, at)))
            }
            Question::Chunk { at, index } => {
                let offsets = offsets.filter(|_| *index);
                to_json(&grid.map(|grid| chunk::describe(grid, &frame, offsets, start, at)).transpose()?.flatten())
            }
            Question::ColorMaps | Question::Look | Question::Bytes => String::new(),
        })
    }

    /// Returns the bytes of the selected frame, and its leaf.
    fn source(&mut self) -> Result<(Bytes, Option<Leaf>)> {
        let (Some(number), Some(store)) = (self.leaf, self.place.store()?) else { return Ok((self.place.source(None)?, None)) };
        if self.listing.is_none() {
            self.listing = Some(store.list()?);
        }
        match self.listing.as_ref().and_then(|listing| listing.leaves.get(number)) {
            Some(leaf) => Ok((leaf.open(store)?, Some(leaf.clone()))),
            None => Err(b2nd_frame::Error::custom("the store has changed: load the page again")),
        }
    }
}
