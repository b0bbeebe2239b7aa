//! Typical tasks of programs that use frames. Each uses only public functions.
#![cfg(feature = "std")]
#![allow(missing_docs, reason = "the names of the tests say it")]

use std::borrow::Cow;
use std::cell::Cell;
use std::io::Write;
use std::ops::Range;

use b2nd::{B2ndMeta, Geometry, Metalayer};
use b2nd_frame::{File, Frame, Header, Result, Source, Window, Writer};
use b2nd_ndarray::{Appender, Array, Options, Select, write_slabs};
use ndarray::{Array2, array};
use serde::{Deserialize, Serialize};

/// The path of a test's file.
macro_rules! path {
    ($name:literal) => {
        std::env::temp_dir().join(format!(concat!("tasks-{}-", $name, ".b2nd"), std::process::id()))
    };
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Station {
    name: String,
    depth: f64,
}

impl Metalayer for Station {
    const NAME: &'static str = "station";
    // With names, Python reads a dict instead of a list.
    const NAMED: bool = true;
}

#[test]
fn python_reads_a_metalayer_and_a_vlmetalayer_as_dicts() -> Result<()> {
    let station = Station { name: "K1".into(), depth: 42.5 };
    let mut header = Header::for_array(&B2ndMeta::of::<u8>(Geometry::new(&[4], &[4], &[4])?))?;
    header.metalayers_mut().set(&station)?;
    let mut writer = Writer::new(header);
    writer.append_elements(&[1, 2, 3, 4])?;
    writer.set_vlmetalayer("deepest", &station)?;
    let bytes = writer.finish()?;

    let frame = Frame::from_slice(&bytes)?;
    let dict = b"\x82\xa4name\xa2K1\xa5depth\xcb\x40\x45\x40\0\0\0\0\0";
    assert_eq!(frame.header().metalayers().get("station").unwrap(), dict);
    assert_eq!(*frame.trailer()?.vlmetalayers().value("deepest")?.unwrap(), *dict);
    assert_eq!(frame.header().metalayer::<Station>()?.unwrap(), station);
    assert_eq!(frame.trailer()?.vlmetalayers().get::<Station>("deepest")?.unwrap(), station);
    Ok(())
}

/// A remote file that counts its requests.
struct Remote(Vec<u8>, Cell<usize>);

impl Source for Remote {
    fn len(&self) -> Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.1.set(self.1.get() + 1);
        let end = range.end.min(self.0.len() as u64);
        Ok(Cow::Borrowed(&self.0[range.start as usize..end as usize]))
    }
}

#[test]
fn header_trailer_and_a_chunk_of_a_remote_file_take_three_reads() -> Result<()> {
    let header = Header::for_array(&B2ndMeta::of::<u8>(Geometry::new(&[90_000], &[30_000], &[30_000])?))?.with_level(0)?;
    let mut writer = Writer::new(header);
    let elements: Vec<u8> = (0..90_000_u32).map(|element| (element % 251) as u8).collect();
    elements.chunks(30_000).try_for_each(|chunk| writer.append_elements(chunk))?;
    writer.set_vlmetalayer("author", "Ada")?;

    let frame = Frame::open(Remote(writer.finish()?, Cell::new(0)))?;
    assert_eq!(frame.trailer()?.vlmetalayers().get::<String>("author")?.unwrap(), "Ada");
    assert_eq!(frame.chunk(1)?.data()?, elements[30_000..60_000]);
    assert_eq!(frame.source().1.get(), 3);
    Ok(())
}

#[test]
fn a_new_file_has_all_chunks_of_its_array() -> Result<()> {
    let path = path!("new");
    let geometry = Geometry::new(&[5, 7], &[2, 3], &[1, 2])?;
    let mut writer = Writer::create(&path, Header::for_array(&B2ndMeta::of::<i16>(geometry))?)?;
    let grid = geometry.grid()?;
    for chunk in 0..grid.nchunks() {
        let elements: i64 = grid.chunk_extent(chunk).unwrap().iter().map(|range| range.end - range.start).product();
        writer.append_elements(&(chunk as i16).to_le_bytes().repeat(elements as usize))?;
    }
    writer.finish()?;

    let file = File::open(&path)?;
    let mut elements = [0; 2 * 7 * 2];
    for chunk in grid.chunks_in(&[0..2, 0..7])? {
        grid.unpack(chunk, &[0..2, 0..7], 2, &file.chunk(chunk)?.data()?, &mut elements)?;
    }
    assert_eq!(elements[12..16], [2, 0, 0, 0]);
    std::fs::remove_file(&path)?;
    Ok(())
}

#[test]
fn a_reader_sees_every_edit_whole() -> Result<()> {
    let path = path!("edited");
    let mut writer = Writer::create(&path, Header::for_array(&B2ndMeta::of::<u8>(Geometry::new(&[4], &[4], &[4])?))?)?;
    writer.append_elements(&[1, 2, 3, 4])?;
    writer.set_vlmetalayer("steps", &0)?;
    writer.finish()?;

    std::thread::scope(|scope| {
        let edits = scope.spawn(|| (1..=40).try_for_each(|step| File::edit(&path)?.set_vlmetalayer("steps", &step)));
        let mut last = 0;
        while last < 40 && !edits.is_finished() {
            let steps = File::open_shared(&path)?.trailer()?.vlmetalayers().get::<u32>("steps")?.unwrap();
            assert!(steps >= last);
            last = steps;
        }
        edits.join().unwrap()
    })?;
    assert_eq!(File::open(&path)?.trailer()?.vlmetalayers().get("steps")?, Some(40_u32));
    std::fs::remove_file(&path)?;
    Ok(())
}

#[test]
fn an_array_is_written_read_and_appended_to() -> Result<(), Box<dyn std::error::Error>> {
    let path = path!("array");
    let days = (0..4_u16)
        .map(|day| Array2::from_shape_fn((6, 3), move |(hour, station)| f32::from(day * 100) + (3 * hour + station) as f32));
    write_slabs(&path, &[24, 3], days, &Options::default())?;
    let array = Array::open(&path)?;
    assert_eq!(array.select::<f32>(&Select::steps(&[0..24, 2..3], &[12, 1])?)?, array![[2.0_f32], [202.0]].into_dyn());
    let warm = array.read::<f32>(&[0..24, 0..1])?.iter().map(|&value| value > 310.0).collect::<Vec<_>>();
    assert_eq!(array.select::<f32>(&[warm.into(), [2, 0].into()])?, array![[314.0_f32, 312.0], [317.0, 315.0]].into_dyn());

    let mut appender = Appender::open(&path)?;
    appender.append(&array![[1.0_f32, 2.0, 3.0]])?;
    appender.flush()?;
    drop(appender);
    assert_eq!(Array::open(&path)?.read::<f32>(&[23..25, 0..1])?, array![[315.0_f32], [1.0]].into_dyn());
    std::fs::remove_file(&path)?;
    Ok(())
}

#[test]
fn a_frame_is_read_inside_another_file() -> Result<()> {
    let path = path!("container");
    let mut writer = Writer::new(Header::for_array(&B2ndMeta::of::<u8>(Geometry::new(&[4], &[4], &[4])?))?);
    writer.append_elements(&[1, 2, 3, 4])?;
    let frame = writer.finish()?;

    // A frame can be appended to another file, because no offset in a frame depends on where the frame starts.
    std::fs::write(&path, b"#ASDF 1.0.0\n")?;
    let mut container = std::fs::OpenOptions::new().append(true).open(&path)?;
    container.write_all(&frame)?;
    container.write_all(b"and more")?;

    assert_eq!(File::open_at(&path, 12)?.chunk(0)?.data()?, [1, 2, 3, 4]);
    let window = Window::new(std::fs::File::open(&path)?, 12..12 + frame.len() as u64);
    assert_eq!(Frame::open(window)?.chunk(0)?.data()?, [1, 2, 3, 4]);
    std::fs::remove_file(&path)?;
    Ok(())
}
