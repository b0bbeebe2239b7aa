//! [`Column`]: a column of a table, and the files that hold its values.

pub(crate) mod batches;
pub(crate) mod cast;
pub(crate) mod column_file;
pub(crate) mod element;
pub(crate) mod files;
pub(crate) mod fixed_width;
pub(crate) mod ipc;
pub(crate) mod nulls;
pub(crate) mod rows;
pub(crate) mod text_builder;
pub(crate) mod utf8;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, PrimitiveArray, new_empty_array};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;

pub(crate) use crate::column::batches::{Batches, Part};
use crate::column::cast::conform;
use crate::column::column_file::ColumnFile;
use crate::column::files::ColumnFiles;
use crate::column::fixed_width::FixedColumn;
use crate::column::nulls::{Nulls, some_nulls};
use crate::column::rows::Rows;
use crate::column::utf8::Utf8Column;
use crate::error::{Error, ErrorKind, Result};
use crate::live_rows::{LiveRows, Selection};
use crate::msgpack::builder::CellBuilder;
use crate::msgpack::reader::{Item, Pack};
use crate::schema::spec::{Dictionary, Kind, Spec, Storage};

/// The open files of a column.
pub(crate) enum Column {
    Fixed(Box<FixedColumn>),
    Text(Box<Utf8Column>),
    Dictionary(Box<FixedColumn>, Dictionary, ArrayRef),
    /// Cells of MessagePack or Arrow IPC, in batches.
    Batches(Box<Batches>, Spec),
    /// Cells of MessagePack, each in a chunk of its own.
    Cells(Box<ColumnFile>, Spec),
}

impl Column {
    pub(crate) fn open(place: &ColumnFiles, spec: &Spec) -> Result<Column> {
        Ok(match &spec.kind {
            Kind::Element(_) | Kind::NdArray(..) => Column::Fixed(FixedColumn::open(place, spec)?.into()),
            Kind::Utf8 => Column::Text(Utf8Column::open(place, &spec.nulls)?.into()),
            Kind::Dictionary(dictionary) => {
                let codes = FixedColumn::codes(place)?;
                Column::Dictionary(codes.into(), dictionary.clone(), words(place)?)
            }
            Kind::VlString
            | Kind::VlBytes
            | Kind::Object
            | Kind::Struct(_)
            | Kind::Arrow(_)
            | Kind::List(_, Storage::Batches | Storage::Arrow) => {
                Column::Batches(Batches::open(place.leaf(".b2b")?)?.into(), spec.clone())
            }
            Kind::List(_, Storage::Cells) => Column::Cells(place.leaf(".b2b")?.into(), spec.clone()),
            Kind::Refused(why) => return Err(Error::new(ErrorKind::Refused, why)),
        })
    }

    /// Reads the values of some rows.
    pub(crate) fn read(&self, selection: &Selection, live: &LiveRows) -> Result<ArrayRef> {
        match self {
            Column::Fixed(fixed) => fixed.read(selection, live),
            Column::Text(text) => text.read(selection),
            Column::Dictionary(codes, dictionary, words) => {
                read_codes(&codes.read(selection, live)?, dictionary, words, selection)
            }
            Column::Batches(batches, spec) => read_batches(batches, spec, selection),
            Column::Cells(leaf, spec) => read_cells(leaf, spec, selection),
        }
    }

    /// Returns the file of the mask of nulls, if the column has one.
    pub(crate) fn mask(&self) -> Option<&Rows> {
        match self {
            Column::Fixed(fixed) => fixed.mask(),
            Column::Text(text) => text.mask(),
            Column::Dictionary(..) | Column::Batches(..) | Column::Cells(..) => None,
        }
    }

    /// Returns the number of physical rows of a block, if values have a fixed width.
    pub(crate) fn block(&self) -> Option<u64> {
        match self {
            Column::Fixed(fixed) | Column::Dictionary(fixed, ..) => fixed.block(),
            Column::Text(_) | Column::Batches(..) | Column::Cells(..) => None,
        }
    }

    /// Returns two lengths in bytes: of the files, and of the uncompressed values.
    pub(crate) fn sizes(&self) -> (u64, u64) {
        let of = |leaf: &ColumnFile| (leaf.frame_len(), leaf.data_len());
        match self {
            Column::Fixed(fixed) | Column::Dictionary(fixed, ..) => fixed.sizes(),
            Column::Text(text) => text.sizes(),
            Column::Batches(batches, _) => of(batches.leaf()),
            Column::Cells(leaf, _) => of(leaf),
        }
    }
}

/// Reads the words of a dictionary, in the order of their codes.
fn words(place: &ColumnFiles) -> Result<ArrayRef> {
    let spec = Spec { kind: Kind::VlString, nulls: Nulls::None };
    let named = |error: Error| Error::new(error.kind(), format_args!("the words of the dictionary: {error}"));
    let batches = Batches::open(place.leaf("_dict.b2b")?).map_err(named)?;
    let rows = usize::try_from(batches.len()).map_err(|_| Error::damaged("the dictionary has too many values for memory"))?;
    let all = Selection { runs: std::iter::once(0..batches.len()).filter(|run| run.end > 0).collect(), first: 0, rows };
    read_pack(&batches, &spec, &all).map_err(named)
}

fn read_codes(codes: &ArrayRef, dictionary: &Dictionary, words: &ArrayRef, selection: &Selection) -> Result<ArrayRef> {
    let codes = codes.as_primitive::<Int32Type>();
    let mut keys = Vec::with_capacity(codes.len());
    for (at, &code) in codes.values().iter().enumerate() {
        let is_word = usize::try_from(code).is_ok_and(|code| code < words.len());
        if code != dictionary.null_code && !is_word {
            let message = format!("code {code} is outside of the dictionary, which has {} words", words.len());
            return Err(Error::damaged(message).at_row(selection.row(at)));
        }
        keys.push(if code == dictionary.null_code { 0 } else { code });
    }
    let valid = codes.values().iter().map(|&code| code != dictionary.null_code).collect();
    let keys = PrimitiveArray::<Int32Type>::try_new(ScalarBuffer::from(keys), some_nulls(valid))?;
    Ok(Arc::new(DictionaryArray::try_new(keys, words.clone())?))
}

pub(crate) fn read_batches(batches: &Batches, spec: &Spec, selection: &Selection) -> Result<ArrayRef> {
    if batches.is_arrow() { read_arrow(batches, spec, selection) } else { read_pack(batches, spec, selection) }
}

fn read_pack(batches: &Batches, spec: &Spec, selection: &Selection) -> Result<ArrayRef> {
    let mut cells = CellBuilder::new(spec).map_err(|why| Error::new(ErrorKind::Refused, why))?;
    each_pack(batches, selection, |pack| cells.push(pack))?;
    cells.finish()
}

/// Calls `push` once for each selected cell. `push` must read exactly that cell.
pub(crate) fn each_pack(batches: &Batches, selection: &Selection, mut push: impl FnMut(&mut Pack) -> Result<()>) -> Result<()> {
    let (mut held, mut done) = (0, 0);
    batches.each(selection, |part: Part| {
        let mut pack = Pack::new(&part.block);
        let count = match pack.next()? {
            Item::Array(count) => count as u64,
            item => return Err(Error::damaged(format_args!("expected a block to be an array, found {item}"))),
        };
        part.check(count)?;
        let mut at = part.first;
        for run in &part.wanted {
            while at < run.start {
                pack.skip()?;
                at += 1;
            }
            while at < run.end {
                let before = pack.rest().len();
                push(&mut pack).map_err(|error| error.at_row(selection.row(done)))?;
                done += 1;
                held += (before - pack.rest().len()) as u64;
                batches.leaf().allow(held)?;
                at += 1;
            }
        }
        if at == part.first + count && !pack.is_empty() {
            let found = pack.rest().len();
            return Err(Error::damaged(format_args!("{found} bytes follow the cells of a block")));
        }
        Ok(())
    })
}

fn read_arrow(batches: &Batches, spec: &Spec, selection: &Selection) -> Result<ArrayRef> {
    let data_type = spec.data_type().map_err(|why| Error::new(ErrorKind::Refused, why))?;
    let mut parts: Vec<ArrayRef> = Vec::new();
    batches.each(selection, |part: Part| {
        let array = ipc::column(&part.block, batches.arrow_schema.as_deref())?;
        let places = part.places(array.len())?;
        let array = conform(&array, &data_type)?;
        parts.extend(places.into_iter().map(|place| array.slice(place.start, place.len())));
        Ok(())
    })?;
    joined(&parts, &data_type)
}

/// Concatenates arrays of the same type.
fn joined(parts: &[ArrayRef], data_type: &DataType) -> Result<ArrayRef> {
    match parts {
        [] => Ok(new_empty_array(data_type)),
        [one] => Ok(one.clone()),
        parts => Ok(arrow_select::concat::concat(&parts.iter().map(|part| &**part).collect::<Vec<_>>())?),
    }
}

pub(crate) fn read_cells(leaf: &ColumnFile, spec: &Spec, selection: &Selection) -> Result<ArrayRef> {
    let mut cells = CellBuilder::new(spec).map_err(|why| Error::new(ErrorKind::Refused, why))?;
    each_chunk(leaf, selection, |pack| cells.push(pack))?;
    cells.finish()
}

/// Calls `push` once for each selected cell of a file that has one chunk per cell. `push` must read exactly that cell.
pub(crate) fn each_chunk(leaf: &ColumnFile, selection: &Selection, mut push: impl FnMut(&mut Pack) -> Result<()>) -> Result<()> {
    let count = leaf.nchunks()?;
    for (done, row) in selection.runs.iter().cloned().flatten().enumerate() {
        let at = selection.row(done);
        if row >= count {
            return Err(Error::damaged(format_args!("the file ends after {count} cells")).at_row(at));
        }
        let mut read = || {
            let data = leaf.data(row)?;
            let mut pack = Pack::new(&data);
            push(&mut pack)?;
            match pack.rest() {
                [] => Ok(()),
                rest => Err(Error::damaged(format_args!("{} bytes follow the cell", rest.len()))),
            }
        };
        read().map_err(|error: Error| error.at_row(at))?;
    }
    Ok(())
}
