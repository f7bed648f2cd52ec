//! Upkeep of log and tables until the server stops: compaction, retention, the clock's file, the look for room.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use isopod_disk::SystemDisk;

use crate::health::clock::DAY;
use crate::health::disk;
use crate::service::{Service, Store};

/// Bytes of the log that no table has, beyond which compaction begins at once.
const MOST_BEHIND: u64 = 1 << 30;
/// Time between two looks for frames that retention removes.
const RETENTION_PERIOD: Duration = Duration::from_secs(3600);
/// Time between two passes over all that is stored, which find damage and mend it.
const VERIFY_PERIOD: Duration = Duration::from_secs(86_400);
/// Bytes that are verified without a pause.
const VERIFY_BYTES: usize = 16 << 20;
/// Time between two looks for files that left the tables.
const VACUUM_PERIOD: Duration = Duration::from_secs(60);
/// Time between two looks for files that servers left which died.
const SWEEP_PERIOD: Duration = Duration::from_secs(3600);
/// Time between two writes of the clock's file.
const CLOCK_PERIOD: Duration = Duration::from_secs(60);
/// Time between two looks at clock and disk.
const WATCH_PERIOD: Duration = Duration::from_secs(1);
/// Time between two looks for work, and that after an error.
const TICK: Duration = Duration::from_millis(100);
const PAUSE: Duration = Duration::from_secs(5);

/// Measures of the upkeep.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Time after which new frames are in the tables.
    pub table_period: Duration,
    /// Days after which frames are removed.
    pub retain_days: Option<u64>,
    /// Percent of the frames that retention may remove at once.
    pub most_percent: u64,
    /// Days for which removed segments are kept.
    pub grace_days: u64,
}

/// Keeps log and tables until the server stops.
pub fn work(service: &Service, plan: Plan) {
    let Some(store) = service.opened() else {
        return;
    };
    let (mut compacted, mut retained, mut vacuumed, mut swept) = (None, None, None, None);
    while !service.is_stopping() {
        let behind = store.log.end().saturating_sub(store.tables.size().position);
        let is_due = behind > 0 && is_over(compacted, plan.table_period);
        if is_due || behind >= MOST_BEHIND {
            compacted = Some(Instant::now());
            let done = store
                .tables
                .compact(&store.log)
                .and_then(|()| store.tables.merge());
            report(service, done);
        }
        if is_over(retained, RETENTION_PERIOD) {
            retained = Some(Instant::now());
            retain(service, store, plan);
        }
        if is_over(vacuumed, VACUUM_PERIOD) {
            vacuumed = Some(Instant::now());
            report(service, store.tables.vacuum());
        }
        if is_over(swept, SWEEP_PERIOD) {
            swept = Some(Instant::now());
            report(service, store.tables.sweep());
        }
        std::thread::sleep(TICK);
    }
}

/// Reads all that is stored once a day, a tenth of the time at most, and mends damage where another copy is.
pub fn verify(service: &Service) {
    let Some(store) = service.opened() else {
        return;
    };
    let (mut verified, mut known) = (None, 0);
    while !service.is_stopping() {
        let is_due = is_over(verified, VERIFY_PERIOD);
        if is_due {
            let (mut bytes, mut begun) = (0, Instant::now());
            let read = store.log.verify(|more| {
                bytes += more;
                if bytes >= VERIFY_BYTES {
                    std::thread::sleep(9 * begun.elapsed());
                    (bytes, begun) = (0, Instant::now());
                }
                !service.is_stopping()
            });
            if let Err(error) = read {
                tracing::error!("log: {error}");
            }
            verified = Some(Instant::now());
        }
        let damage = store.log.damage().len();
        if (is_due || damage != known) && !service.is_stopping() {
            match store.tables.mend(&store.log) {
                Ok(0) => {}
                Ok(mended) => tracing::warn!(mended, "mended damage"),
                Err(error) => tracing::error!("mending: {error:#}"),
            }
            known = store.log.damage().len();
        }
        std::thread::sleep(WATCH_PERIOD);
    }
}

/// Watches clock and disk until the server stops.
pub fn watch(service: &Service) {
    let mut saved = None;
    while !service.is_stopping() {
        service.clock.now();
        service.disk.probe();
        if is_over(saved, CLOCK_PERIOD) {
            saved = Some(Instant::now());
            save_clock(service);
        }
        std::thread::sleep(WATCH_PERIOD);
    }
    save_clock(service);
}

/// Watches the brokers that frames are handed to until the server stops, if they are.
pub fn watch_brokers(service: &Service) {
    let Some(producer) = &service.places.producer else {
        return;
    };
    service.topic.lose();
    while !service.is_stopping() {
        let is_up = service.topic.is_up() == Some(true);
        match producer.reaches_brokers() {
            true if !is_up => service.topic.connect(),
            false if is_up => service.topic.lose(),
            _ => {}
        }
        std::thread::sleep(WATCH_PERIOD);
    }
}

fn save_clock(service: &Service) {
    if let Err(error) = service.clock.save() {
        tracing::warn!("clock: the time is not kept for the next start: {error}");
    }
}

fn is_over(last: Option<Instant>, period: Duration) -> bool {
    last.is_none_or(|last| last.elapsed() >= period)
}

/// Tells the operator; what failed is tried again later.
fn report(service: &Service, done: Result<()>) {
    // A compaction that a stop ends has not failed.
    let problem = done.err().filter(|_| !service.is_stopping());
    service.tables_problem.set(
        problem
            .as_ref()
            .map(|_| "the last compaction failed; the server's log says why".to_owned()),
    );
    if let Some(error) = problem {
        tracing::error!("tables: {error:#}");
        std::thread::sleep(PAUSE);
    }
}

/// Removes old frames unless something is odd about it, deletes what was removed long ago, and tells the operator.
fn retain(service: &Service, store: &Store, plan: Plan) {
    let odd = match service.clock.doubt() {
        Some(doubt) => Ok(Some(doubt)),
        None => remove(service, store, plan),
    };
    let odd = odd.unwrap_or_else(|error| {
        tracing::error!("retention: {error:#}");
        Some("retention: it failed; the server's log says why".to_owned())
    });
    let odd = odd.filter(|_| plan.retain_days.is_some());
    if let Some(odd) = &odd {
        tracing::warn!("retention removes nothing: {odd}");
    }
    service.retention_problem.set(odd);
}

/// Removes old frames, or says why not; deletes what was removed long ago.
fn remove(service: &Service, store: &Store, plan: Plan) -> Result<Option<String>> {
    let now = service.clock.now();
    let refused = match plan.retain_days {
        Some(days) => remove_before(service, store, plan.most_percent, (now, days))?,
        None => None,
    };
    let bytes = store
        .log
        .forget_removed(now.saturating_sub(plan.grace_days * DAY as u64))?;
    if bytes > 0 {
        tracing::info!(bytes, "deleted frames that were removed before");
    }
    Ok(refused)
}

/// Removes frames that came so many days before now, or says why not.
fn remove_before(
    service: &Service,
    store: &Store,
    most_percent: u64,
    (now, days): (u64, u64),
) -> Result<Option<String>> {
    let since = now.saturating_sub(days * DAY as u64);
    // Whether anything is removed now or not: frames to come must not keep those that are here.
    store.log.divide(now.saturating_sub(DAY as u64))?;
    let path = service.data.join("retention");
    if !follows(&path, since) {
        let (due, all) = match store.stream.is_some() {
            true => (
                store.tables.frames_before(since)?,
                store.tables.size().frames,
            ),
            false => (store.log.frames_before(since)?, store.log.totals().stored),
        };
        if let Some(refusal) = refusal(due, all, most_percent) {
            return Ok(Some(refusal));
        }
    }
    let (bytes, rows) = store.tables.retain_since(&store.log, since, now)?;
    if (bytes, rows) != (0, 0) {
        tracing::info!(bytes, rows, "removed old frames");
    }
    disk::replace(&SystemDisk, &path, format!("{since}\n").as_bytes())
        .with_context(|| path.display().to_string())?;
    Ok(None)
}

/// Whether this time is at most a day after that of the retention before, so that frames leave as they came.
fn follows(path: &Path, since: u64) -> bool {
    let before = std::fs::read_to_string(path).ok();
    let before = before.and_then(|text| text.trim().parse::<u64>().ok());
    before.is_some_and(|before| since <= before + DAY as u64)
}

/// Why retention does not remove so many frames of all.
fn refusal(due: u64, all: u64, most_percent: u64) -> Option<String> {
    let percent = (100 * u128::from(due))
        .div_ceil(u128::from(all.max(1)))
        .min(100);
    (percent > u128::from(most_percent)).then(|| {
        format!(
            "retention: {due} of {all} frames are due, which is {percent} percent; allowed at once are {most_percent}. To remove \
             them, start the server once with --remove-percent {percent}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_share_is_refused_with_what_would_allow_it() {
        for (due, all, most, is_refused) in [
            (0, 0, 10, false),
            (100, 1000, 10, false),
            (101, 1000, 10, true),
            (1, 1, 99, true),
            (1200, 1200, 100, false),
            (u64::MAX, u64::MAX, 100, false),
            (u64::MAX, 1, 99, true),
        ] {
            assert_eq!(
                refusal(due, all, most).is_some(),
                is_refused,
                "{due} of {all}"
            );
        }
        let said = refusal(101, 1000, 10).unwrap_or_default();
        assert!(said.ends_with("--remove-percent 11"), "{said}");
        assert_eq!(refusal(101, 1000, 11), None);
    }
}
