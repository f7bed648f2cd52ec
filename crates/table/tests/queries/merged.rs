//! Jobs on merged frames in SQL, from frames of devices to the values of the owner: by the program that bootstraps, in the ring
//! of tests, and by one that ends at a job. What is refused names the function and the field.

use std::fs;
use std::num::NonZero;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use isopod_lattigo::{INSECURE, INSECURE_TABLES};
use isopod_table::{Cell, Limits, Session, Stored, Table};
use isopod_wire::Layout;
use isopod_workflow::{
    Answer, Backend, BackendOptions, Choices, Contents, Device, Job, Message, Side, Size, Summary,
    ThresholdValue, Values,
};

use super::support::{open, quiet, Place, CHOICES};
use super::{chain, number, own_frames, sealed, stored};

const SET: &str = "ckks-2048x1-air";
/// Scale and bound of readings from -8 to 8, of integers up to 16, and of others beyond the range of a bootstrapping.
const REAL: [u8; 2] = [15, 3];
const INTEGERS: [u8; 2] = [20, 4];
const WIDE: [u8; 2] = [15, 4];
/// Frames of each device.
const FRAMES: u64 = 3;
const READINGS: u64 = 60;

/// Greets as the program for the ring of tests does, and then goes on as its end says.
const FAKE: &str = r#"#!/usr/bin/env python3
import os, struct, sys, time
def receive():
    kind, length = struct.unpack("<BI", sys.stdin.buffer.read(5))
    return sys.stdin.buffer.read(length)
receive()
def send(kind, body):
    sys.stdout.buffer.write(struct.pack("<BI", kind, len(body)) + body)
    sys.stdout.buffer.flush()
hello = b"isopdeep" + struct.pack("<H", 6) + b"\x056.1.1\x04test" + bytes(64)
send(1, hello + struct.pack("<QI", 1152921504606830593, 4096))
receive()
"#;
/// It ends at a job.
const KILLED: &str = "os.kill(os.getpid(), 9)\n";
/// It answers a count of one ciphertext with nothing, after a while.
const SLOW: &str = r#"
for _ in range(3):
    receive()
time.sleep(6)
send(5, struct.pack("<d", 8.0))
for count in (1, 2048):
    send(3, struct.pack("<II", 0, count) + bytes(8 * count))
send(10, b"")
receive()
"#;
/// A limit that one such answer is beyond.
const LIMIT: Duration = Duration::from_secs(5);

/// The integers of a frame, from -15 to 15; those of device 2 to 12.
fn integers(device: u64, sequence: u64) -> Vec<f64> {
    let at = |at| device * 1009 + sequence * 211 + at;
    (0..READINGS)
        .map(|place| (at(place) * 7919 % (34 - 3 * device)) as f64 - 15.0)
        .collect()
}

/// Readings from -7.75 to 7.25, each 0.25 or more from an integer.
fn readings(device: u64, sequence: u64) -> Vec<f64> {
    let integers = integers(device, sequence).into_iter();
    integers.map(|integer| integer / 2.0 - 0.25).collect()
}

fn frame(place: &Place, device: u64, sequence: u64, [scale, bound]: [u8; 2]) -> Vec<u8> {
    let opened = Device::open(&place.path(&format!("keys/device-{device}")), false).unwrap();
    let choices = Choices {
        layout: Layout::CoefficientsRounded,
        scale_bits: Some(scale.into()),
        bound_bits: bound as i8,
        ..CHOICES
    };
    let contents = Contents {
        stride: 1,
        columns: 1,
        ..Contents::default()
    };
    let mut sender = opened.sender(&choices, &contents, 7, sequence).unwrap();
    let values = match [scale, bound] == INTEGERS {
        true => integers(device, sequence),
        false => readings(device, sequence),
    };
    sender.frame(&Message::Real(values)).unwrap().concat()
}

/// A table of frames of two devices.
fn table(place: &Place, name: &str, choice: [u8; 2]) -> Table {
    let table = Table::create(&place.path(name)).unwrap();
    let frames = (0..2 * FRAMES).map(|at| {
        let (device, sequence) = (1 + at % 2, at / 2);
        stored(sequence as i64, frame(place, device, sequence, choice))
    });
    table.append(&place.server(), frames, None).unwrap();
    table
}

/// Programs of the ring of tests, and its keys; None without Go.
fn with_keys(sizes: &[Size]) -> Option<Place> {
    let place = Place::new(SET, &[]);
    let mut go = Command::new("go");
    let deep = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deep");
    go.current_dir(deep)
        .args(["build", "-tags", "insecure", "-o"])
        .arg(place.path("programs/"))
        .args(["./cmd/isopod-deep", "./cmd/isopod-deep-keys"]);
    let Ok(built) = go.output() else {
        eprintln!("skipped: no Go");
        return None;
    };
    let text = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{text}");
    let program = place.path("programs/isopod-deep-keys");
    for size in sizes {
        let folder = place.path(size.name);
        let made = place
            .owner()
            .large_ring_keys(&program, size, &folder, &mut quiet);
        made.unwrap();
    }
    Some(place)
}

/// Keys, and a program that goes on like this.
fn with_fake(end: &str) -> Place {
    let place = Place::new(SET, &[]);
    let program = place.path("programs/isopod-deep");
    fs::create_dir_all(place.path("programs")).unwrap();
    fs::write(&program, [FAKE, end].concat()).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    for size in [INSECURE, INSECURE_TABLES] {
        fs::create_dir_all(place.path(size.name)).unwrap();
        let head = [b"isopodkey\x0b", size.name.as_bytes()].concat();
        fs::write(place.path(size.name).join("keys.deep"), head).unwrap();
    }
    place
}

/// A session on a table by the program and the keys of a size.
fn session(place: &Place, table: &Table, size: Size, memory: Option<u64>) -> Session {
    session_with(place, table, (size, memory), Limits::default())
}

fn session_with(
    place: &Place,
    table: &Table,
    (size, memory): (Size, Option<u64>),
    limits: Limits,
) -> Session {
    let (program, keys) = (place.path("programs/isopod-deep"), place.path(size.name));
    let options = BackendOptions::of_keys(program, &keys, memory, 1).unwrap();
    let server = place.server().with_backend(Backend::new(options));
    let session = Session::new(Arc::new(server), limits).unwrap();
    session.table("frames", table).unwrap();
    session
}

fn query(session: &Session, sql: &str) -> Vec<Vec<Cell>> {
    let mut rows = Vec::new();
    let each = |_: &[String], row| {
        rows.push(row);
        Ok(())
    };
    session.query(sql, each).unwrap();
    rows
}

fn refusal(session: &Session, sql: &str) -> String {
    let refused = session.query(sql, |_, _| Ok(())).unwrap_err();
    chain(&refused)
}

/// Values of an answer, and the largest of their errors.
fn values(place: &Place, cell: &Cell) -> (Vec<f64>, f64) {
    let (mut values, mut error) = (Vec::new(), 0f64);
    for opened in open(&place.owner(), sealed(cell)) {
        error = error.max(opened.error);
        match opened.values.into_owner_only() {
            Values::Real(real) => values.extend(real),
            Values::Typed(typed) => values.extend(typed.iter().map(|(_, value)| *value as f64)),
            other => panic!("{other:?}"),
        }
    }
    (values, error)
}

/// Values that are off by less than this.
fn near(place: &Place, cell: &Cell, wanted: &[f64], most: f64) {
    let (found, error) = values(place, cell);
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        let off = (found - wanted).abs();
        assert!(off <= error && off < most, "{found} {wanted} {error}");
    }
}

fn all(device: u64, of: fn(u64, u64) -> Vec<f64>) -> Vec<f64> {
    (0..FRAMES).flat_map(|at| of(device, at)).collect()
}

fn count(readings: &[f64], is: impl Fn(f64) -> bool) -> f64 {
    readings.iter().filter(|reading| is(**reading)).count() as f64
}

fn gap(answer: &Answer) -> f64 {
    match answer.summary {
        Summary::Lattigo { gap, .. } => gap,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn each_group_has_the_answers_of_its_readings() {
    let Some(place) = with_keys(&[INSECURE]) else {
        return;
    };
    let table = table(&place, "table", REAL);
    let asked = session(&place, &table, INSECURE, None);
    let sql = "SELECT device, he_count(frame), he_count_above(frame, 2), he_alarms_below(frame, -3), \
               he_histogram(frame, -4, 0, 3.0), he_variance(frame, 0) FROM frames GROUP BY device ORDER BY device";
    let rows = query(&asked, sql);
    assert_eq!(rows.len(), 2);
    for (row, device) in rows.iter().zip(1..) {
        let readings = all(device, readings);
        assert_eq!(number(&row[0]), device as i64);
        assert_eq!(number(&row[1]), FRAMES as i64);
        near(
            &place,
            &row[2],
            &[count(&readings, |reading| reading > 2.0)],
            0.5,
        );
        for cell in &row[2..5] {
            let gap = gap(sealed(cell));
            assert!(gap > 0.0 && gap < 0.25, "{gap}: readings are further off");
        }
        let alarms: Vec<f64> = readings
            .iter()
            .map(|reading| f64::from(u8::from(*reading < -3.0)))
            .collect();
        assert_eq!(values(&place, &row[3]), (alarms, 0.0));
        let bin = |reading: f64| {
            [-4.0, 0.0, 3.0]
                .iter()
                .filter(|&&edge| reading > edge)
                .count()
        };
        let bins = [0, 1, 2, 3].map(|number| count(&readings, |reading| bin(reading) == number));
        near(&place, &row[4], &bins, 0.5);
        let mean = |power| {
            readings
                .iter()
                .map(|reading| reading.powi(power))
                .sum::<f64>()
                / readings.len() as f64
        };
        near(&place, &row[5], &[mean(2) - mean(1).powi(2)], 0.5);
    }
    // It says which question it answers, of which frames, as an evaluation of files does.
    let (answer, frames) = (sealed(&rows[0][2]), own_frames(&place, &table, 1));
    assert_eq!(
        (answer.frames.count(), frames.len() as u64),
        (FRAMES, FRAMES)
    );
    let job = Job::count(ThresholdValue::Integer(2), Side::Above, None);
    super::same_request(&place, answer, job);
    check_parts(&place, &asked);
}

/// Frames in several parts, spilled and merged again, or from an inner query: no frame is lost.
fn check_parts(place: &Place, asked: &Session) {
    let all: Vec<f64> = [1, 2]
        .iter()
        .flat_map(|&device| all(device, readings))
        .collect();
    let wanted = [count(&all, |reading| reading > 2.0)];
    let nested =
        "SELECT he_count_above(s, 2), he_count_above(s, 2) FILTER (WHERE device > 9) FROM \
                  (SELECT device, he_count_above(frame, 2) AS s FROM frames GROUP BY device)";
    let row = query(asked, nested).remove(0);
    near(place, &row[0], &wanted, 0.5);
    assert_eq!(row[1], Cell::Clear(serde_json::Value::Null));
    // A state of one question is none of another one.
    let other = nested.replacen("he_count_above(s, 2)", "he_count_above(s, 3)", 1);
    let refused = refusal(asked, &other);
    assert!(
        refused.starts_with("he_count_above: request: differs"),
        "{refused}"
    );
    let table = Table::create(&place.path("many")).unwrap();
    let frames = (0..400).map(|at| stored(at as i64, frame(place, 1, 100 + at, REAL)));
    table.append(&place.server(), frames, None).unwrap();
    let limits = Limits {
        memory: 2 << 20,
        threads: NonZero::new(2).unwrap(),
        ..Limits::default()
    };
    let sql = "SELECT sequence % 200 AS g, he_count_above(frame, 2) FROM frames GROUP BY g ORDER BY g LIMIT 1";
    let unspilled = Limits {
        spill_bytes: 0,
        ..limits.clone()
    };
    let refused = refusal(
        &session_with(place, &table, (INSECURE, None), unspilled),
        sql,
    );
    assert!(refused.contains("spill"), "{refused}");
    let asked = session_with(place, &table, (INSECURE, None), limits);
    let row = query(&asked, sql).remove(0);
    let own = [readings(1, 200), readings(1, 400)].concat();
    near(place, &row[1], &[count(&own, |reading| reading > 2.0)], 0.5);
    assert_eq!(sealed(&row[1]).frames.count(), 2);
    let sql = "SELECT he_count_above(frame, 2) FROM frames WHERE sequence < 120";
    let own: Vec<f64> = (100..120).flat_map(|at| readings(1, at)).collect();
    near(
        place,
        &query(&asked, sql)[0][0],
        &[count(&own, |reading| reading > 2.0)],
        0.5,
    );
}

#[test]
fn integers_are_counted_exactly() {
    let Some(place) = with_keys(&[INSECURE_TABLES]) else {
        return;
    };
    let table = table(&place, "table", INTEGERS);
    let asked = session(&place, &table, INSECURE_TABLES, None);
    let sql = "SELECT device, he_exact_count_below(frame, -3), he_exact_alarms_above(frame, 4), \
               he_exact_histogram(frame, -5, 0, 1), he_minimum(frame), he_maximum(frame) FROM frames GROUP BY device \
               ORDER BY device";
    for (row, device) in query(&asked, sql).iter().zip(1..) {
        let integers = all(device, integers);
        near(
            &place,
            &row[1],
            &[count(&integers, |reading| reading < -3.0)],
            0.5,
        );
        let alarms: Vec<f64> = integers
            .iter()
            .map(|reading| f64::from(u8::from(*reading > 4.0)))
            .collect();
        assert_eq!(values(&place, &row[2]), (alarms, 0.0));
        let bin = |reading: f64| {
            [-5.0, 0.0, 1.0]
                .iter()
                .filter(|&&edge| reading >= edge)
                .count()
        };
        let bins = [0, 1, 2, 3].map(|number| count(&integers, |reading| bin(reading) == number));
        near(&place, &row[3], &bins, 0.5);
        let least = integers.iter().copied().fold(f64::MAX, f64::min);
        let most = integers.iter().copied().fold(f64::MIN, f64::max);
        assert_eq!(values(&place, &row[4]), (vec![least], 0.0));
        assert_eq!(values(&place, &row[5]), (vec![most], 0.0));
    }
    let too_little = session(&place, &table, INSECURE_TABLES, Some(100 << 20));
    let refused = refusal(
        &too_little,
        "SELECT he_exact_count_above(frame, 0) FROM frames",
    );
    let wanted = "he_exact_count_above: memory: 104857600 bytes; allowed are ";
    assert!(refused.starts_with(wanted), "{refused}");
}

/// Aggregates, and what their refusals say.
const REFUSED: &[(&str, &str)] = &[
    (
        "he_count_above(frame)",
        "allowed is he_count_above(frame, threshold)",
    ),
    (
        "he_count_above(frame, 1, 2)",
        "allowed is he_count_above(frame, threshold)",
    ),
    (
        "he_histogram(frame)",
        "allowed is he_histogram(frame, edge, edge, ...",
    ),
    (
        "he_count_above(frame, sequence)",
        "he_count_above: an argument is no number",
    ),
    (
        "he_variance(frame, 0.5)",
        "allowed is he_variance(frame, column, column",
    ),
    (
        "he_variance(frame, -1)",
        "allowed is he_variance(frame, column, column",
    ),
    ("he_variance(frame, 0, 0)", "he_variance: columns: "),
    ("he_variance(frame, 1)", "he_variance: columns: "),
    ("he_minimum(frame, 1)", "allowed is he_minimum(frame)"),
    (
        "he_histogram(frame, 3, 2)",
        "he_histogram: edges: 3 2; allowed are",
    ),
    (
        "he_histogram(frame, 2, 2.001)",
        "he_histogram: edges: 2 and 2.001; allowed is ascending",
    ),
    (
        "he_count_below(frame, 9)",
        "he_count_below: threshold: 9; allowed is -8 to 8",
    ),
    (
        "he_alarms_above(frame, -8.5)",
        "he_alarms_above: threshold: -8.5; allowed is -8 to 8",
    ),
    (
        "he_exact_count_above(frame, 9)",
        "he_exact_count_above: threshold: 9; allowed is -8 to 8",
    ),
    (
        "he_exact_histogram(frame, 2, 2)",
        "he_exact_histogram: edges: 2 2; allowed are",
    ),
    (
        "he_count_above(frame, 1)",
        "he_count_above: backend: ended with signal: 9",
    ),
    (
        "he_count_above(frame, 1) OVER (ORDER BY time ROWS 1 PRECEDING)",
        "allowed are groups, such as GROUP BY date_bin",
    ),
];

#[test]
fn what_does_not_enter_is_refused_by_function_and_field() {
    let place = with_fake(KILLED);
    let table = table(&place, "table", REAL);
    let asked = session(&place, &table, INSECURE, None);
    for (of, wanted) in REFUSED {
        let refused = refusal(&asked, &format!("SELECT {of} FROM frames"));
        assert!(refused.contains(wanted), "{of}: {refused}");
    }
    let sine = session(&place, &table, INSECURE_TABLES, None);
    let refused = refusal(&sine, "SELECT he_count_above(frame, 1) FROM frames");
    let wanted = "he_count_above: size: insecure-13; allowed is deep-16 for this job";
    assert!(refused.starts_with(wanted), "{refused}");
    let without = Session::new(Arc::new(place.server()), Limits::default()).unwrap();
    without.table("frames", &table).unwrap();
    let refused = refusal(&without, "SELECT he_histogram(frame, 1) FROM frames");
    let wanted = "he_histogram: histogram on frames of ckks-2048x1-air needs keys of a large ring";
    assert!(refused.starts_with(wanted), "{refused}");
    // No answer was computed, so the server remembers none; sums need no keys.
    assert_eq!(
        query(
            &without,
            "SELECT he_count(frame), he_sum(frame) FROM frames"
        )
        .len(),
        1
    );
}

#[test]
fn frames_that_are_not_merged_are_refused_by_name() {
    let place = with_fake(KILLED);
    let sql = "SELECT he_count_above(frame, 1) FROM frames";
    let named = "frame 9 of device 2, epoch 7";
    for (choice, field) in [
        ([14, 3], ": log2_scale: "),
        (WIDE, "bound: 4; allowed is 3 or less"),
    ] {
        let name = format!("table-{}", choice[0] + choice[1]);
        let table = table(&place, &name, REAL);
        let other: [isopod_table::Result<Stored>; 1] = [stored(9, frame(&place, 2, 9, choice))];
        table.append(&place.server(), other, None).unwrap();
        let asked = session(&place, &table, INSECURE, None);
        for sql in [sql, &format!("{sql} GROUP BY device")] {
            let refused = refusal(&asked, sql);
            let is_named = refused.starts_with("he_count_above: frame ") && refused.contains(named);
            assert!(is_named && refused.contains(field), "{refused}");
        }
    }
    let table = table(&place, "twice", REAL);
    let again = own_frames(&place, &table, 1).remove(2);
    table
        .append(&place.server(), [stored(9, again)], None)
        .unwrap();
    let asked = session(&place, &table, INSECURE, None);
    for sql in [sql, &format!("{sql} GROUP BY device")] {
        let refused = refusal(&asked, sql);
        let named = "he_count_above: frame 2 of device 1, epoch 7: ";
        assert!(refused.starts_with(named), "{refused}");
    }
    place.server().revoke(&[2], false).unwrap();
    let asked = session(&place, &table, INSECURE, None);
    let refused = refusal(&asked, &format!("{sql} WHERE device = 2"));
    assert!(
        refused.starts_with("he_count_above: ") && refused.contains("revoked"),
        "{refused}"
    );
    let slots = Place::new(super::CKKS, &[]);
    let of_slots = super::table(&slots, "table");
    let asked = Session::new(Arc::new(slots.server()), Limits::default()).unwrap();
    asked.table("frames", &of_slots).unwrap();
    let refused = refusal(&asked, sql);
    let wanted = "he_count_above: set: ckks-2048x1-sum; allowed are those whose frames are merged";
    assert!(refused.starts_with(wanted), "{refused}");
}

/// A state that a query writes is of frames that have their tags, or of none.
#[test]
fn forged_states_are_no_answers() {
    let place = with_fake(KILLED);
    let table = table(&place, "table", REAL);
    let asked = session(&place, &table, INSECURE, None);
    let states = "SELECT he_count_above(frame, 1), he_count_above(X'6865'::bytea, 1) FROM frames";
    assert!(refusal(&asked, states).contains("he_count_above: "));
    for bytes in ["68656c6473657431", "68656c647365743100"] {
        let sql = format!("SELECT he_count_above(X'{bytes}', 1) FROM frames");
        let refused = refusal(&asked, &sql);
        assert!(
            refused.contains("he_count_above: state: the bytes end early"),
            "{refused}"
        );
    }
    let zeros = "00".repeat(32);
    let sql = format!("SELECT he_count_above(X'68656c6473657431{zeros}', 1) FROM frames");
    assert!(refusal(&asked, &sql).contains("he_count_above: request: differs"));
}

/// The answer to one group is computed whole; that to the next one is not begun.
#[test]
fn no_group_is_begun_behind_the_time_of_a_query() {
    let place = with_fake(SLOW);
    let table = table(&place, "table", REAL);
    let limits = Limits {
        time: LIMIT,
        ..Limits::default()
    };
    let asked = session_with(&place, &table, (INSECURE, None), limits.clone());
    let sql = "SELECT he_count_above(frame, 1) FROM frames";
    assert_eq!(query(&asked, &format!("{sql} WHERE device = 1")).len(), 1);
    let asked = session_with(&place, &table, (INSECURE, None), limits);
    let refused = refusal(&asked, &format!("{sql} GROUP BY device"));
    assert!(refused.contains("longer than 5 seconds"), "{refused}");
}
