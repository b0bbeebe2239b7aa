//! [`Words`]: the dictionary of a batch, each word once.

use std::collections::HashMap;

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use crate::error::{Error, Result};
use crate::strings::Strings;

/// Words in the order in which they were first seen.
#[derive(Default)]
pub(crate) struct Words {
    codes: HashMap<String, i32>,
    strings: Strings,
}

impl Words {
    /// The code of a word, a new one where it was not seen before.
    pub(crate) fn code(&mut self, word: &str) -> Result<i32> {
        if let Some(&code) = self.codes.get(word) {
            return Ok(code);
        }
        let code = i32::try_from(self.strings.len()).map_err(|_| Error::damaged("a dictionary of more than 2^31 words"))?;
        self.codes.insert(word.to_owned(), code);
        self.strings.push_bytes(word.as_bytes());
        self.strings.end();
        Ok(code)
    }

    pub(crate) fn finish(self) -> Result<ArrayRef> {
        self.strings.finish(&DataType::Utf8, None)
    }
}
