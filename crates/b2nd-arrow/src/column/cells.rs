//! [`Cells`]: the values of a `.b2b` file, which have any length.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, new_empty_array};
use arrow_schema::DataType;
use b2nd::RawValue;

use crate::column::batches::{Batches, array_in};
use crate::column::cast::conform;
use crate::column::cell_builder::CellBuilder;
use crate::column::column_file::ColumnFile;
use crate::column::ipc;
use crate::error::{Error, ErrorKind, Result};
use crate::live_rows::Selection;
use crate::schema::spec::Spec;

/// The values of a `.b2b` file.
pub(crate) enum Cells {
    /// Cells of MessagePack or Arrow IPC, in batches.
    Batches(Box<Batches>),
    /// Cells of MessagePack, each in a chunk of its own.
    Chunks(Box<ColumnFile>),
}

impl Cells {
    pub(crate) fn leaf(&self) -> &ColumnFile {
        match self {
            Cells::Batches(batches) => &batches.leaf,
            Cells::Chunks(leaf) => leaf,
        }
    }

    /// Returns the number of cells.
    pub(crate) fn len(&self) -> Result<u64> {
        match self {
            Cells::Batches(batches) => Ok(batches.len()),
            Cells::Chunks(leaf) => leaf.nchunks(),
        }
    }

    /// Reads the cells of a selection.
    pub(crate) fn read(&self, spec: &Spec, selection: &Selection) -> Result<ArrayRef> {
        let refused = |why| Error::new(ErrorKind::Refused, why);
        if let Cells::Batches(batches) = self {
            if batches.is_arrow {
                return read_arrow(batches, &spec.data_type().map_err(refused)?, selection);
            }
        }
        let mut cells = CellBuilder::new(spec).map_err(refused)?;
        self.each(selection, |cell| cells.push(cell))?;
        cells.finish()
    }

    /// Calls `push` with each selected cell of MessagePack.
    pub(crate) fn each(&self, selection: &Selection, mut push: impl FnMut(RawValue) -> Result<()>) -> Result<()> {
        let batches = match self {
            Cells::Batches(batches) => batches,
            Cells::Chunks(leaf) => return each_chunk(leaf, selection, push),
        };
        let (mut held, mut done) = (0, 0);
        batches.each(selection, |part| {
            let block = array_in(&part.block)?;
            let (mut cells, mut at) = (block.elements(), 0);
            part.check(block.elements().count())?;
            for place in part.wanted {
                for cell in cells.by_ref().skip(place.start - at).take(place.len()) {
                    push(cell).map_err(|error| error.at_row(selection.row(done)))?;
                    done += 1;
                    held += cell.encoded().len() as u64;
                    batches.leaf.allow(held)?;
                }
                at = place.end;
            }
            Ok(())
        })
    }
}

fn each_chunk(leaf: &ColumnFile, selection: &Selection, mut push: impl FnMut(RawValue) -> Result<()>) -> Result<()> {
    let count = leaf.nchunks()?;
    for (done, row) in selection.runs.iter().cloned().flatten().enumerate() {
        let mut read = || match row < count {
            true => push(RawValue::from_slice(&leaf.data(row)?)?),
            false => Err(Error::damaged(format_args!("the file ends after {count} cells"))),
        };
        read().map_err(|error| error.at_row(selection.row(done)))?;
    }
    Ok(())
}

fn read_arrow(batches: &Batches, data_type: &DataType, selection: &Selection) -> Result<ArrayRef> {
    let mut parts: Vec<ArrayRef> = Vec::new();
    batches.each(selection, |part| {
        let array = ipc::column(&part.block, batches.arrow_schema.as_deref())?;
        part.check(array.len())?;
        let array = conform(&array, data_type)?;
        parts.extend(part.wanted.into_iter().map(|place| array.slice(place.start, place.len())));
        Ok(())
    })?;
    match parts.as_slice() {
        [] => Ok(new_empty_array(data_type)),
        [one] => Ok(Arc::clone(one)),
        parts => Ok(arrow_select::concat::concat(&parts.iter().map(|part| &**part).collect::<Vec<_>>())?),
    }
}
