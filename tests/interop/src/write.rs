//! Writes new frames, edits frames and rewrites them.

use std::error::Error;
use std::path::{Path, PathBuf};

use b2nd::{B2ndMeta, Metalayer};
use b2nd_frame::{Chunk, File, Header, Metalayers, Sizes, Special, Target, Writer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hex::Hex;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A frame to write.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewFrame {
    path: PathBuf,
    sparse: bool,
    typesize: i32,
    chunksize: i32,
    blocksize: i32,
    array: Option<B2ndMeta>,
    metalayers: Vec<(String, Hex)>,
    chunks: Vec<NewChunk>,
    vlmetalayers: Vec<(String, Hex)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum NewChunk {
    /// Data that is stored without compression.
    Data(Hex),
    /// A chunk that C-Blosc2 compressed.
    Chunk(Hex),
    /// This number of zero bytes, as an entry in the index.
    Zeros(usize),
    Nan(usize),
    Uninitialized(usize),
    /// This number of zero bytes, as a special chunk for `append`.
    ZerosChunk(usize),
}

impl NewFrame {
    pub fn write(self) -> Result<Value> {
        let mut header = Header::new(Sizes { typesize: self.typesize, chunksize: self.chunksize, blocksize: self.blocksize })?;
        if let Some(array) = &self.array {
            header.metalayers_mut().set(array)?;
        }
        for (name, Hex(content)) in &self.metalayers {
            header.metalayers_mut().insert(name, content.as_slice())?;
        }
        if self.sparse {
            let writer = Writer::create_sparse(&self.path, header)?;
            self.fill(writer)?.finish()?;
        } else {
            let writer = self.fill(Writer::create(&self.path, header.clone())?)?;
            writer.finish()?;
            // The frame in memory must be equal to the file.
            let bytes = self.fill(Writer::new(header))?.finish()?;
            if bytes != std::fs::read(&self.path)? {
                return Err("the frame in memory differs from the file".into());
            }
        }
        Ok(Value::Null)
    }

    fn fill<T: Target>(&self, mut writer: Writer<T>) -> Result<Writer<T>> {
        let typesize = usize::try_from(self.typesize)?;
        for chunk in &self.chunks {
            match chunk {
                NewChunk::Data(Hex(data)) => writer.append(&Chunk::store(data, typesize)?)?,
                NewChunk::Chunk(Hex(bytes)) => writer.append(&Chunk::from_slice(bytes)?)?,
                NewChunk::Zeros(nbytes) => writer.append_special(Special::Zeros, *nbytes)?,
                NewChunk::Nan(nbytes) => writer.append_special(Special::Nan, *nbytes)?,
                NewChunk::Uninitialized(nbytes) => writer.append_special(Special::Uninitialized, *nbytes)?,
                NewChunk::ZerosChunk(nbytes) => writer.append(&Chunk::special(Special::Zeros, *nbytes, typesize)?)?,
            }
        }
        for (name, Hex(value)) in &self.vlmetalayers {
            writer.set_vlmetalayer_bytes(name, value)?;
        }
        Ok(writer)
    }
}

/// A metalayer with a user's type.
#[derive(Serialize, Deserialize)]
pub struct Interop {
    count: u32,
    scale: f64,
    label: String,
}

impl Metalayer for Interop {
    const NAME: &'static str = "interop";
}

/// One edit of a frame.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    SetArray(B2ndMeta),
    SetInterop(Interop),
    SetMetalayer(String, Hex),
    SetVlmetalayer(String, Hex),
    RemoveVlmetalayer(String),
}

pub fn edit(path: &Path, edits: Vec<Edit>) -> Result<Value> {
    let mut file = File::edit(path)?;
    for edit in edits {
        match edit {
            Edit::SetArray(array) => file.overwrite_metalayer(&array)?,
            Edit::SetInterop(value) => file.overwrite_metalayer(&value)?,
            Edit::SetMetalayer(name, Hex(content)) => file.overwrite_metalayer_bytes(&name, &content)?,
            Edit::SetVlmetalayer(name, Hex(value)) => file.set_vlmetalayer_bytes(&name, &value)?,
            Edit::RemoveVlmetalayer(name) => {
                if !file.remove_vlmetalayer(&name)? {
                    return Err(format!("no vlmetalayer {name:?} to remove").into());
                }
            }
        }
    }
    Ok(Value::Null)
}

pub fn rewrite(path: &Path, target: &Path, insert: Vec<(String, Hex)>, remove: Vec<String>) -> Result<Value> {
    b2nd_frame::rewrite_to(path, target, |metalayers: &mut Metalayers| {
        remove.iter().for_each(|name| drop(metalayers.remove(name)));
        insert.into_iter().try_for_each(|(name, Hex(content))| metalayers.insert(&name, content).map(drop))
    })?;
    Ok(Value::Null)
}
