//! [`Column`]: a column of a table, and the files that hold its values.

pub(crate) mod cast;
pub(crate) mod cell_builder;
pub(crate) mod cells;
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
use arrow_array::{Array, ArrayRef, DictionaryArray, PrimitiveArray};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;

use crate::column::cells::Cells;
use crate::column::files::ColumnFiles;
use crate::column::fixed_width::FixedColumn;
use crate::column::nulls::{Nulls, some_nulls};
use crate::column::rows::RowArray;
use crate::column::utf8::Utf8Column;
use crate::error::{Error, ErrorKind, Result};
use crate::live_rows::{LiveRows, Selection};
use crate::schema::spec::{Dictionary, Kind, Spec, Storage};

/// The open files of a column.
pub(crate) enum Column {
    Fixed(Box<FixedColumn>),
    Text(Box<Utf8Column>),
    Dictionary(Box<FixedColumn>, Dictionary, ArrayRef),
    Cells(Box<Cells>, Spec),
}

impl Column {
    pub(crate) fn open(place: &ColumnFiles, spec: &Spec) -> Result<Column> {
        Ok(match &spec.kind {
            Kind::Element(element) => Column::Fixed(FixedColumn::open(place, element, None, &spec.nulls)?.into()),
            Kind::NdArray(element, shape) => Column::Fixed(FixedColumn::open(place, element, Some(shape), &spec.nulls)?.into()),
            Kind::Utf8 => Column::Text(Utf8Column::open(place, &spec.nulls)?.into()),
            Kind::Dictionary(dictionary) => {
                let codes = FixedColumn::open(place, &DataType::Int32, None, &Nulls::None)?;
                Column::Dictionary(codes.into(), dictionary.clone(), words(place)?)
            }
            Kind::VlString
            | Kind::VlBytes
            | Kind::Object
            | Kind::Struct(_)
            | Kind::Arrow(_)
            | Kind::List(_, Storage::Batches) => Column::Cells(Cells::batches(place.leaf(".b2b")?)?.into(), spec.clone()),
            Kind::List(_, Storage::Cells) => Column::Cells(Cells::chunks(place.leaf(".b2b")?).into(), spec.clone()),
            Kind::Refused(why) => return Err(Error::new(ErrorKind::Refused, why)),
        })
    }

    pub(crate) fn read(&self, selection: &Selection, live: &LiveRows) -> Result<ArrayRef> {
        match self {
            Column::Fixed(fixed) => fixed.read(selection, live),
            Column::Text(text) => text.read(selection),
            Column::Dictionary(codes, dictionary, words) => {
                read_codes(&codes.read(selection, live)?, dictionary, words, selection)
            }
            Column::Cells(cells, spec) => cells.read(spec, selection),
        }
    }

    /// Returns the file of the mask of nulls, if the column has a mask.
    pub(crate) fn mask(&self) -> Option<&RowArray> {
        match self {
            Column::Fixed(fixed) => fixed.valid.file(),
            Column::Text(text) => text.valid.file(),
            Column::Dictionary(..) | Column::Cells(..) => None,
        }
    }

    /// Returns the number of physical rows per block, if values have a fixed width.
    pub(crate) fn block(&self) -> Option<u64> {
        match self {
            Column::Fixed(fixed) | Column::Dictionary(fixed, ..) => fixed.block(),
            Column::Text(_) | Column::Cells(..) => None,
        }
    }

    /// Returns the length of the files and the length of the uncompressed values, both in bytes. The values of a dictionary and the mask of
    /// a `utf8` column are not counted.
    pub(crate) fn sizes(&self) -> (u64, u64) {
        match self {
            Column::Fixed(fixed) | Column::Dictionary(fixed, ..) => fixed.sizes(),
            Column::Text(text) => text.sizes(),
            Column::Cells(cells, _) => (cells.leaf.frame_len(), cells.leaf.data_len()),
        }
    }
}

/// Reads the values of a dictionary, in the order of their codes.
fn words(place: &ColumnFiles) -> Result<ArrayRef> {
    let spec = Spec { kind: Kind::VlString, nulls: Nulls::None };
    let named = |error: Error| Error::new(error.kind(), format_args!("the dictionary's values: {error}"));
    let cells = Cells::batches(place.leaf("_dict.b2b")?).map_err(named)?;
    let len = cells.len()?;
    let rows = usize::try_from(len).map_err(|_| Error::damaged("the dictionary has too many values to fit in memory"))?;
    let all = Selection { runs: std::iter::once(0..len).filter(|run| run.end > 0).collect(), first: 0, rows };
    cells.read(&spec, &all).map_err(named)
}

fn read_codes(codes: &ArrayRef, dictionary: &Dictionary, words: &ArrayRef, selection: &Selection) -> Result<ArrayRef> {
    let codes = codes.as_primitive::<Int32Type>();
    let mut keys = Vec::with_capacity(codes.len());
    for (at, &code) in codes.values().iter().enumerate() {
        let is_word = usize::try_from(code).is_ok_and(|code| code < words.len());
        if code != dictionary.null_code && !is_word {
            let message = format!("code {code} is not in the dictionary of {}", b2nd_store::text::count(words.len(), "value"));
            return Err(Error::damaged(message).at_row(selection.row(at)));
        }
        keys.push(if code == dictionary.null_code { 0 } else { code });
    }
    let valid = codes.values().iter().map(|&code| code != dictionary.null_code).collect();
    let keys = PrimitiveArray::<Int32Type>::try_new(ScalarBuffer::from(keys), some_nulls(valid))?;
    Ok(Arc::new(DictionaryArray::try_new(keys, words.clone())?))
}
