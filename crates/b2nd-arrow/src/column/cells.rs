//! [`Cells`]: the cells of a `.b2b` file, that is, its values, which can differ in length.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, new_empty_array};
use arrow_schema::DataType;

use b2nd::msgpack::Cursor;

use crate::column::batches::{Batches, cells_in};
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

    pub(crate) fn read(&self, spec: &Spec, selection: &Selection) -> Result<ArrayRef> {
        let refused = |why| Error::new(ErrorKind::Refused, why);
        if let Cells::Batches(batches) = self {
            if batches.is_arrow {
                return read_arrow(batches, &spec.data_type().map_err(refused)?, selection);
            }
        }
        let mut cells = CellBuilder::new(spec).map_err(refused)?;
        self.each(selection, |cursor| cells.push(cursor))?;
        cells.finish()
    }

    /// Calls `push` for each selected cell of MessagePack. `push` must read exactly that cell.
    pub(crate) fn each(&self, selection: &Selection, mut push: impl FnMut(&mut Cursor) -> Result<()>) -> Result<()> {
        let batches = match self {
            Cells::Batches(batches) => batches,
            Cells::Chunks(leaf) => return each_chunk(leaf, selection, push),
        };
        let (mut held, mut done) = (0, 0);
        batches.each(selection, |part| {
            let mut cursor = Cursor::new(&part.block);
            let count = cells_in(&mut cursor)?;
            part.check(count)?;
            let mut wanted = part.wanted.iter().cloned().flatten().peekable();
            for number in 0..count {
                if wanted.next_if_eq(&number).is_none() {
                    cursor.entry()?;
                    continue;
                }
                let before = cursor.rest().len();
                push(&mut cursor).map_err(|error| error.at_row(selection.row(done)))?;
                done += 1;
                held += (before - cursor.rest().len()) as u64;
                batches.leaf.allow(held)?;
            }
            match cursor.rest() {
                [] => Ok(()),
                rest => Err(Error::damaged(format_args!("{} bytes follow the cells of a block", rest.len()))),
            }
        })
    }
}

fn each_chunk(leaf: &ColumnFile, selection: &Selection, mut push: impl FnMut(&mut Cursor) -> Result<()>) -> Result<()> {
    let count = leaf.nchunks()?;
    for (done, row) in selection.runs.iter().cloned().flatten().enumerate() {
        let mut read = || {
            if row >= count {
                return Err(Error::damaged(format_args!("the file ends after {count} cells")));
            }
            let data = leaf.data(row)?;
            let mut cursor = Cursor::new(&data);
            push(&mut cursor)?;
            match cursor.rest() {
                [] => Ok(()),
                rest => Err(Error::damaged(format_args!("{} bytes follow the cell", rest.len()))),
            }
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
