//! [`TimeStep`]: the step in which `datetime64` and `timedelta64` count.

use core::fmt;

use super::MAX_SIZE;
use super::cursor::Cursor;
use crate::error::Result;

/// The step in which a time type counts, such as `25s` for 25 seconds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TimeStep {
    /// The number of units in a step, at most 2147483647.
    pub count: u32,
    /// The unit of time.
    pub unit: TimeUnit,
}

macro_rules! time_units {
    ($($variant:ident $code:literal $name:literal;)*) => {
        /// A unit of time.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum TimeUnit {
            $(
                #[doc = concat!("`", $code, "`: ", $name, ".")]
                $variant,
            )*
        }

        const UNITS: &[(TimeUnit, &str)] = &[$((TimeUnit::$variant, $code)),*];

        impl TimeUnit {
            fn code(self) -> &'static str {
                UNITS[self as usize].1
            }
        }
    };
}

time_units! {
    Year "Y" "years";
    Month "M" "months";
    Week "W" "weeks";
    Day "D" "days";
    Hour "h" "hours";
    Minute "m" "minutes";
    Second "s" "seconds";
    Millisecond "ms" "thousandths of a second";
    Microsecond "us" "millionths of a second";
    Nanosecond "ns" "thousandths of a microsecond";
    Picosecond "ps" "thousandths of a nanosecond";
    Femtosecond "fs" "thousandths of a picosecond";
    Attosecond "as" "thousandths of a femtosecond";
}

/// Writes the count and the unit, such as `25s`, or only the unit if the count is 1.
impl fmt::Display for TimeStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.count != 1 {
            write!(f, "{}", self.count)?;
        }
        f.write_str(self.unit.code())
    }
}

impl TimeStep {
    /// Parses a step in brackets. If the next character is not a bracket, returns `None`, which means NumPy's generic unit.
    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Option<TimeStep>> {
        if !cursor.eat("[") {
            return Ok(None);
        }
        let start = *cursor;
        let count = if cursor.rest().starts_with(|c: char| c.is_ascii_digit()) { Some(cursor.number(MAX_SIZE)?) } else { None };
        let word = cursor.word();
        let Some(&(unit, code)) = UNITS.iter().find(|(_, code)| *code == word) else {
            let codes = "a unit of time (Y M W D h m s ms us ns ps fs as)";
            return Err(cursor.found_instead(codes, word.len()));
        };
        if count == Some(1) {
            return Err(start.found_instead("a number other than 1, or no number", 1));
        }
        cursor.eat(code);
        cursor.expect("]")?;
        let count = count.and_then(|count| u32::try_from(count).ok()).unwrap_or(1);
        Ok(Some(TimeStep { count, unit }))
    }
}
