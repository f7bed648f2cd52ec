//! The clock of the server: that of the system as long as it agrees with the last time seen, and otherwise that time plus the
//! time that has passed since.
//!
//! A clock that is wrong would mark all later frames with times that retention and groups by time take at their word, so frames
//! that come while it is in doubt are marked by what is known.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use isopod_disk::SystemDisk;
use rustix::time::{clock_gettime, ClockId};

use crate::health::disk;

/// Milliseconds of a minute, and of an hour.
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
/// Milliseconds of a day.
pub const DAY: i64 = 24 * HOUR;

/// The time of the system in milliseconds since 1970, unchecked.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

/// A look at both clocks of the system, in milliseconds.
#[derive(Debug, Clone, Copy)]
struct Reading {
    /// Since 1970; anybody may set it.
    wall: i64,
    /// Since the machine's start, its sleep included; nobody sets it.
    running: i64,
}

impl Reading {
    fn take() -> Self {
        let running = clock_gettime(ClockId::Boottime);
        Self {
            wall: i64::try_from(now()).unwrap_or(i64::MAX),
            running: running.tv_sec * 1000 + running.tv_nsec / 1_000_000,
        }
    }
}

/// Difference of the system's clock from what was expected.
#[derive(Debug, Clone, Copy)]
struct Doubt {
    difference: i64,
    since: i64,
}

/// Decides whether the system's clock is trusted.
#[derive(Debug, Clone, Copy)]
struct Judge {
    /// The last time that was trusted.
    trusted: Reading,
    /// Milliseconds by which the system's clock may be ahead of what is expected.
    ahead: i64,
    doubt: Option<Doubt>,
}

impl Judge {
    /// A judge that trusts this reading.
    fn trusting(reading: Reading) -> Self {
        Self {
            trusted: reading,
            ahead: MINUTE,
            doubt: None,
        }
    }

    /// A judge that knows the last time seen before the start: the server was off for a day, or for less.
    fn after(last: i64, reading: Reading) -> Self {
        let running = reading.running;
        Self {
            trusted: Reading {
                wall: last,
                running,
            },
            ahead: DAY,
            doubt: None,
        }
    }

    /// The time, in milliseconds since 1970.
    fn time(&mut self, reading: Reading) -> i64 {
        let expected = self.trusted.wall + reading.running - self.trusted.running;
        let difference = reading.wall.saturating_sub(expected);
        if (-MINUTE..=self.ahead).contains(&difference) || self.is_settled(difference, reading) {
            *self = Self::trusting(reading);
            return reading.wall;
        }
        if !self.is_as_before(difference) {
            let since = reading.running;
            self.doubt = Some(Doubt { difference, since });
        }
        expected
    }

    /// Whether a jump of less than a day has lasted for an hour: a virtual machine that slept, or a clock that was set right.
    fn is_settled(&self, difference: i64, reading: Reading) -> bool {
        let lasts = self
            .doubt
            .is_some_and(|doubt| reading.running - doubt.since >= HOUR);
        lasts && difference.abs() <= DAY && self.is_as_before(difference)
    }

    fn is_as_before(&self, difference: i64) -> bool {
        let changed = self
            .doubt
            .map(|doubt| doubt.difference.saturating_sub(difference));
        changed.is_some_and(|changed| changed.abs() <= MINUTE)
    }
}

/// A day in UTC, as an operator writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day(i64);

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<i64> = text
            .split('-')
            .filter_map(|part| part.parse().ok())
            .collect();
        let [year, month, day] = parts[..] else {
            return Err("allowed is a day such as 2026-03-31".to_owned());
        };
        let (Ok(month), Ok(day)) = (u8::try_from(month), u8::try_from(day)) else {
            return Err("allowed is a day such as 2026-03-31".to_owned());
        };
        let found = days_since_1970(year.clamp(1970, 9999), month, day);
        match shown(found * DAY).starts_with(text) {
            true => Ok(Self(found)),
            false => Err("allowed is a day such as 2026-03-31".to_owned()),
        }
    }
}

impl Day {
    /// Whether a time lies within this day, or within one beside it, as it may elsewhere on earth.
    fn has(self, time: i64) -> bool {
        (time.div_euclid(DAY) - self.0).abs() <= 1
    }
}

/// Days from 1970-01-01 to a day of the Gregorian calendar: months are counted from March, so that leap days end a year.
fn days_since_1970(year: i64, month: u8, day: u8) -> i64 {
    let year = year - i64::from(month <= 2);
    let month = (i64::from(month) + 9) % 12;
    let of_years = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    of_years + (153 * month + 2) / 5 + i64::from(day) - 1 - 719_468
}

/// A time as an operator reads it, in UTC.
pub fn shown(time: i64) -> String {
    let days = time.div_euclid(DAY) + 719_468;
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let january = i64::from(month >= 10);
    let (year, month) = (
        year + 400 * days.div_euclid(146_097) + january,
        (month + 2) % 12 + 1,
    );
    let seconds = time.rem_euclid(DAY) / 1000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The checked clock.
pub struct Clock {
    path: PathBuf,
    confirmed: Option<Day>,
    judge: Mutex<Judge>,
    jumps: AtomicU64,
}

impl Clock {
    /// A clock that keeps the last time seen in this file. On a day that the operator confirmed it is trusted, whatever was seen.
    pub fn new(path: PathBuf, confirmed: Option<Day>) -> Self {
        Self {
            path,
            confirmed,
            judge: Mutex::new(Judge::trusting(Reading::take())),
            jumps: AtomicU64::new(0),
        }
    }

    /// Checks the system's clock against the last time that was seen: that of the file, or of the newest frame.
    pub fn begin(&self, newest: Option<u64>) {
        let kept = std::fs::read_to_string(&self.path).ok();
        let kept = kept.and_then(|text| text.trim().parse::<i64>().ok());
        let newest = newest.and_then(|time| i64::try_from(time).ok());
        let reading = Reading::take();
        let is_confirmed = self.confirmed.is_some_and(|day| day.has(reading.wall));
        *self.judge() = match kept.max(newest) {
            Some(last) if !is_confirmed => Judge::after(last, reading),
            _ => Judge::trusting(reading),
        };
        self.now();
    }

    /// The time in milliseconds since 1970.
    pub fn now(&self) -> u64 {
        let mut judge = self.judge();
        let (before, reading) = (judge.doubt, Reading::take());
        let time = judge.time(reading);
        let after = judge.doubt;
        drop(judge);
        match (before.map(|doubt| doubt.since), after) {
            (before, Some(doubt)) if before != Some(doubt.since) => {
                self.jumps.fetch_add(1, Ordering::Relaxed);
                tracing::warn!("{}", in_doubt(reading.wall, time));
            }
            (Some(_), None) => tracing::info!(time = shown(time), "clock: trusted again"),
            _ => {}
        }
        u64::try_from(time).unwrap_or(0)
    }

    /// Why the system's clock is in doubt; None if it is trusted.
    pub fn doubt(&self) -> Option<String> {
        let reading = Reading::take();
        let mut judge = *self.judge();
        let time = judge.time(reading);
        judge.doubt.map(|_| in_doubt(reading.wall, time))
    }

    /// Times that the system's clock came into doubt since the start.
    pub fn jumps(&self) -> u64 {
        self.jumps.load(Ordering::Relaxed)
    }

    /// Keeps the time for the next start.
    ///
    /// # Errors
    /// The disk's.
    pub fn save(&self) -> std::io::Result<()> {
        disk::replace(
            &SystemDisk,
            &self.path,
            format!("{}\n", self.now()).as_bytes(),
        )
    }

    fn judge(&self) -> MutexGuard<'_, Judge> {
        self.judge.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn in_doubt(system: i64, time: i64) -> String {
    let (system, time) = (shown(system), shown(time));
    let day = &system[..10];
    format!(
        "clock: the system's says {system}, and by the last time seen it is {time}; frames get this time, and retention removes \
         nothing. If the system's clock is right, start the server once with --trust-clock {day}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_790_000_000_000;

    /// Both clocks, so many milliseconds after the start, the system's ahead by some more.
    fn after(passed: i64, ahead: i64) -> Reading {
        Reading {
            wall: START + passed + ahead,
            running: 5_000 + passed,
        }
    }

    fn running() -> Judge {
        Judge::trusting(after(0, 0))
    }

    #[test]
    fn a_clock_that_runs_is_followed() {
        let mut judge = running();
        for second in 0..100_000 {
            // Half a second in an hour, as a poor crystal drifts.
            let reading = after(second * 1000, second / 7);
            assert_eq!(judge.time(reading), reading.wall);
        }
        assert!(judge.doubt.is_none());
    }

    #[test]
    fn a_jump_while_running_does_not_reach_the_frames() {
        for ahead in [
            365 * DAY,
            60 * DAY,
            2 * DAY,
            MINUTE + 1,
            -MINUTE - 1,
            -DAY,
            -20_000 * DAY,
        ] {
            let mut judge = running();
            assert_eq!(judge.time(after(1000, ahead)), START + 1000, "{ahead}");
            assert!(judge.doubt.is_some(), "{ahead}");
            assert_eq!(judge.time(after(9000, ahead)), START + 9000, "{ahead}");
            assert_eq!(judge.time(after(9500, 0)), START + 9500, "{ahead}");
            assert!(judge.doubt.is_none(), "{ahead}");
        }
    }

    #[test]
    fn a_start_far_from_the_last_time_seen_is_in_doubt() {
        for (ahead, is_trusted) in [
            (0, true),
            (DAY, true),
            (DAY + 1, false),
            (365 * DAY, false),
            (-MINUTE, true),
            (-MINUTE - 1, false),
            (-20_000 * DAY, false),
        ] {
            let mut judge = Judge::after(START, after(0, ahead));
            let time = judge.time(after(0, ahead));
            assert_eq!(judge.doubt.is_none(), is_trusted, "{ahead}");
            assert_eq!(
                time,
                if is_trusted { START + ahead } else { START },
                "{ahead}"
            );
        }
    }

    #[test]
    fn a_clock_without_a_battery_is_trusted_once_the_network_set_it() {
        let mut judge = Judge::after(START, after(0, -START));
        assert_eq!(judge.time(after(2000, -START)), START + 2000);
        assert_eq!(
            judge.time(after(60_000, 8 * HOUR)),
            START + 60_000 + 8 * HOUR
        );
        assert!(judge.doubt.is_none());
    }

    #[test]
    fn a_short_jump_that_lasts_is_believed_and_a_long_one_never() {
        for (ahead, is_believed) in [
            (HOUR, true),
            (-2 * HOUR, true),
            (DAY, true),
            (DAY + 1, false),
        ] {
            let mut judge = running();
            judge.time(after(0, ahead));
            assert_eq!(judge.time(after(HOUR - 1, ahead)), START + HOUR - 1);
            judge.time(after(HOUR, ahead));
            assert_eq!(judge.doubt.is_none(), is_believed, "{ahead}");
        }
    }

    #[test]
    fn a_clock_that_jumps_about_is_never_believed() {
        let mut judge = running();
        for step in 1..1000 {
            let ahead = if step % 2 == 0 { 3 * HOUR } else { 5 * HOUR };
            assert_eq!(
                judge.time(after(step * MINUTE, ahead)),
                START + step * MINUTE
            );
        }
    }

    #[test]
    fn extreme_readings_do_not_overflow() {
        for wall in [0, i64::MAX, i64::MAX / 2] {
            let mut judge = running();
            let running = i64::from(u32::MAX) * 1000;
            judge.time(Reading { wall, running });
            assert!(judge.doubt.is_some());
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("2000-02-29", 11_016),
            ("2026-11-27", 20_784),
            ("2100-03-01", 47_541),
        ] {
            assert_eq!(text.parse(), Ok(Day(days)));
            assert_eq!(shown(days * DAY + 3_723_000), format!("{text}T01:02:03Z"));
        }
        for text in [
            "2026-02-29",
            "2026-13-01",
            "2026-1-1",
            "26-01-01",
            "today",
            "",
            "2026-01-01-01",
            "1969-12-31",
        ] {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
        assert!(Day(20_784).has(20_784 * DAY) && Day(20_784).has(20_786 * DAY - 1));
        assert!(!Day(20_784).has(20_786 * DAY) && !Day(20_784).has(20_783 * DAY - 1));
    }
}
