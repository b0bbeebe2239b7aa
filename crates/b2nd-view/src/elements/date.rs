//! Datetimes as NumPy prints them.

use b2nd::dtype::{TimeStep, TimeUnit};

/// Formats a time with the precision of its unit: `2026-11-21T20:30`. `number` is the number of steps since the start of 1970.
pub(super) fn moment(number: i128, step: TimeStep) -> String {
    let number = number * i128::from(step.count);
    // The number of digits after the decimal point of the seconds.
    let digits = match step.unit {
        TimeUnit::Year => return format!("{:04}", 1970 + number),
        TimeUnit::Month => return format!("{:04}-{:02}", 1970 + number.div_euclid(12), number.rem_euclid(12) + 1),
        TimeUnit::Week => return date(number * 7),
        TimeUnit::Day => return date(number),
        TimeUnit::Hour => return format!("{}T{:02}", date(number.div_euclid(24)), number.rem_euclid(24)),
        TimeUnit::Minute => return minute(number),
        TimeUnit::Second => return second(number),
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
        TimeUnit::Picosecond => 12,
        TimeUnit::Femtosecond => 15,
        TimeUnit::Attosecond => 18,
    };
    let per_second = 10_i128.pow(digits);
    let width = digits as usize;
    format!("{}.{:0width$}", second(number.div_euclid(per_second)), number.rem_euclid(per_second))
}

/// Returns the day of the first of a month, counted from 1970-01-01. `month` counts months from January 1970.
pub fn first_of_month(month: i64) -> i64 {
    let (year, month) = (1970 + month.div_euclid(12), month.rem_euclid(12) + 1);
    // As in `date`, years start in March.
    let year = if month < 3 { year - 1 } else { year };
    let in_year = (153 * ((month + 9) % 12) + 2) / 5;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + in_year - 719_468
}

fn second(number: i128) -> String {
    format!("{}:{:02}", minute(number.div_euclid(60)), number.rem_euclid(60))
}

fn minute(number: i128) -> String {
    let in_day = number.rem_euclid(24 * 60);
    format!("{}T{:02}:{:02}", date(number.div_euclid(24 * 60)), in_day / 60, in_day % 60)
}

/// Formats a date. `day` is the number of days since 1970-01-01. The calculation uses cycles of 400 years, after which the Gregorian
/// calendar repeats.
fn date(day: i128) -> String {
    const DAYS: i128 = 400 * 365 + 97;
    // In this calculation years start in March, so that a leap day is the last day of its year.
    let since = day + 719_468;
    let (cycle, in_cycle) = (since.div_euclid(DAYS), since.rem_euclid(DAYS));
    let year = (in_cycle - in_cycle / 1460 + in_cycle / 36_524 - in_cycle / (DAYS - 1)) / 365;
    let in_year = in_cycle - (365 * year + year / 4 - year / 100);
    // From March on, the lengths of the months repeat: 31, 30, 31, 30 and 31 days.
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", 400 * cycle + year + next)
}
