//! SQL on tables of frames that devices made: the same values as evaluation of files, or refused by name.
#![cfg(feature = "sql")]
// The support of the workflow's tests asks for a feature of that crate.
#![allow(clippy::unwrap_used, unexpected_cfgs)]

#[path = "../../../workflow/tests/suite/support/mod.rs"]
mod support;

mod memory;
mod merged;

use std::path::Path;
use std::sync::Arc;

use isopod_table::{Cell, Error, Limits, Row, Session, Stored, Table};
use isopod_wire::Layout;
use isopod_workflow::{
    Answer, Choices, Contents, Device, Inbox, Job, Message, Opened, Request, Results, RowMask,
    Values,
};
use support::{quiet, real, Place, CHOICES};

const HOUR: i64 = 3_600_000_000;
const CKKS: &str = "ckks-2048x1-sum";
const BFV: &str = "bfv-4096x3-sum";

/// Values of a device's frame.
fn numbers(device: u64, sequence: u64) -> Vec<f64> {
    (0..6u64)
        .map(|at| ((device * 31 + sequence * 7 + at * 3) % 40) as f64 / 4.0 - 5.0)
        .collect()
}

fn contents() -> Contents {
    Contents {
        stride: 4,
        columns: 3,
        ..Contents::default()
    }
}

fn real_frame(place: &Place, device: u64, sequence: u64) -> Vec<u8> {
    frame_of(place, device, sequence, &CHOICES, &contents())
}

/// Rows of three values, in slots a stride apart.
fn frame_of(
    place: &Place,
    device: u64,
    at: u64,
    choices: &Choices,
    contents: &Contents,
) -> Vec<u8> {
    let opened = Device::open(&place.path(&format!("keys/device-{device}")), false).unwrap();
    let mut sender = opened.sender(choices, contents, 7, at).unwrap();
    let mut values = numbers(device, at);
    if choices.layout == Layout::Slots {
        let gap = vec![0.0; contents.stride as usize - 3];
        values.splice(3..3, gap);
    }
    sender.frame(&Message::Real(values)).unwrap().concat()
}

fn stored(time: i64, bytes: Vec<u8>) -> isopod_table::Result<Stored> {
    Ok(Stored { time, bytes })
}

/// A table with four frames of each of two devices, one an hour.
fn table(place: &Place, name: &str) -> Table {
    table_of(place, name, &CHOICES)
}

fn table_of(place: &Place, name: &str, choices: &Choices) -> Table {
    let table = Table::create(&place.path(name)).unwrap();
    let frames = (0..8).map(|at| {
        let (device, sequence) = (1 + at % 2, at / 2);
        let frame = frame_of(place, device, sequence, choices, &contents());
        stored(sequence as i64 * HOUR, frame)
    });
    let appended = table.append(&place.server(), frames, None).unwrap();
    assert_eq!((appended.rows, table.snapshot().unwrap().rows), (8, 8));
    table
}

fn query_with(place: &Place, table: &Table, limits: Limits, sql: &str) -> Result<Vec<Row>, Error> {
    let session = Session::new(Arc::new(place.server()), limits)?;
    session.table("frames", table)?;
    let mut rows = Vec::new();
    session.query(sql, |_, row| {
        rows.push(row);
        Ok(())
    })?;
    Ok(rows)
}

fn query(place: &Place, table: &Table, sql: &str) -> Vec<Row> {
    query_with(place, table, Limits::default(), sql).unwrap()
}

fn refusal(place: &Place, table: &Table, sql: &str) -> String {
    let error = query_with(place, table, Limits::default(), sql).unwrap_err();
    chain(&error)
}

fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

fn sealed(cell: &Cell) -> &Answer {
    match cell {
        Cell::Sealed(answer) => answer,
        other => panic!("an answer wanted: {other:?}"),
    }
}

fn number(cell: &Cell) -> i64 {
    match cell {
        Cell::Clear(value) => value.as_i64().unwrap(),
        other => panic!("a number wanted: {other:?}"),
    }
}

fn opened(place: &Place, answer: &Answer) -> Opened {
    support::open(&place.owner(), answer).remove(0)
}

/// Each value within the error of the answer.
fn near(place: &Place, answer: &Answer, wanted: &[f64]) {
    let opened = opened(place, answer);
    let error = opened.error;
    let found = real(opened);
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!(
            (found - wanted).abs() <= error && error < 1.0,
            "{found} {wanted} {error}"
        );
    }
}

fn total(of: impl IntoIterator<Item = Vec<f64>>) -> Vec<f64> {
    let add = |sum: Vec<f64>, next: Vec<f64>| sum.iter().zip(next).map(|(a, b)| a + b).collect();
    of.into_iter().reduce(add).unwrap()
}

/// The result of `isopod evaluate` on the same frames has the same residues, claims and origin.
fn same_as_evaluated(place: &Place, answer: &Answer, job: Job, frames: &[Vec<u8>]) {
    let server = place.server();
    let mut inbox = Inbox::for_request(&server, &Request::new(job), true).unwrap();
    inbox.read(&frames.concat()[..]).unwrap();
    let evaluated = inbox.answer(&mut quiet).unwrap();
    let read = |answer: &Answer| {
        let Results::Rns(mut results) = place.owner().read(&answer.items.concat()[..]).unwrap()
        else {
            panic!("a result of CKKS or BFV wanted");
        };
        results.remove(0)
    };
    let (one, two) = (read(answer), read(&evaluated));
    assert_eq!(
        (one.c0, one.c1, one.scale, one.grid),
        (two.c0, two.c1, two.scale, two.grid)
    );
    assert_eq!((one.bound, one.error), (two.bound, two.error));
    assert_eq!(one.provenance.request, two.provenance.request);
    assert_eq!(one.provenance.manifest, two.provenance.manifest);
    assert_ne!(one.provenance.sequence, two.provenance.sequence);
}

/// The request that an answer says it is for.
fn same_request(place: &Place, answer: &Answer, job: Job) {
    let Results::Rns(results) = place.owner().read(&answer.items.concat()[..]).unwrap() else {
        panic!("a result of CKKS or BFV wanted");
    };
    let wanted = Request::new(job).digest(place.server().set());
    assert_eq!(results[0].provenance.request, wanted);
}

#[test]
fn groups_have_the_answers_of_evaluate() {
    let place = Place::new(CKKS, &[]);
    let table = table(&place, "table");
    let sql = "SELECT device, he_sum(frame), he_mean(frame), he_count(frame) FROM frames GROUP BY device ORDER BY device";
    let rows = query(&place, &table, sql);
    assert_eq!(rows.len(), 2);
    for (row, device) in rows.iter().zip(1..) {
        assert_eq!((number(&row[0]), number(&row[3])), (device, 4));
        let device = device as u64;
        let sum = total((0..4).map(|sequence| numbers(device, sequence)));
        let mean: Vec<f64> = sum.iter().map(|value| value / 4.0).collect();
        near(&place, sealed(&row[1]), &sum);
        near(&place, sealed(&row[2]), &mean);
        let frames: Vec<Vec<u8>> = (0..4).map(|at| real_frame(&place, device, at)).collect();
        let (sum, mean) = (sealed(&row[1]), sealed(&row[2]));
        assert_eq!(sum.frames.count(), 4);
        // Frames are encrypted anew by each call: those of the table are read back from it.
        let own = own_frames(&place, &table, device);
        assert_eq!(own.len(), frames.len());
        same_as_evaluated(&place, sum, Job::Sum, &own);
        same_as_evaluated(&place, mean, Job::Mean, &own);
    }
}

fn own_frames(place: &Place, table: &Table, device: u64) -> Vec<Vec<u8>> {
    let sql = format!("SELECT frame FROM frames WHERE device = {device} ORDER BY sequence");
    let rows = query(place, table, &sql).into_iter();
    let frame = |row: Row| match row.into_iter().next() {
        Some(Cell::Bytes(bytes)) => bytes,
        other => panic!("a frame wanted: {other:?}"),
    };
    rows.map(frame).collect()
}

#[test]
fn windows_of_time_are_groups() {
    let place = Place::new(CKKS, &[]);
    let table = table(&place, "table");
    let window = "date_bin(INTERVAL '2 hours', time)";
    let sql = format!("SELECT {window} AS hours, he_sum(frame), count(*) FROM frames GROUP BY hours ORDER BY hours");
    let rows = query(&place, &table, &sql);
    assert_eq!(rows.len(), 2);
    for (row, first) in rows.iter().zip([0, 2]) {
        let inside = [(1, first), (2, first), (1, first + 1), (2, first + 1)];
        near(
            &place,
            sealed(&row[1]),
            &total(inside.map(|(device, at)| numbers(device, at))),
        );
        assert_eq!(number(&row[2]), 4);
    }
    let nested = format!(
        "SELECT he_sum(s) FROM (SELECT {window} AS hours, he_sum(frame) AS s FROM frames GROUP BY hours)"
    );
    let all = (0..8).map(|at| numbers(1 + at % 2, at / 2));
    near(
        &place,
        sealed(&query(&place, &table, &nested)[0][0]),
        &total(all),
    );
    let sliding = "SELECT he_sum(frame) OVER (ORDER BY time ROWS 1 PRECEDING) FROM frames";
    assert!(
        refusal(&place, &table, sliding).contains("allowed are groups, such as GROUP BY date_bin")
    );
}

#[test]
fn weights_come_from_columns_and_from_the_query() {
    let place = Place::new("ckks-4096x2-linear", &[1, 2]);
    let table = table(&place, "table");
    let sql = "SELECT he_weighted_sum(frame, 0.5 + 0.25 * sequence), he_dot(frame, 0.5, -1, 2) FROM frames WHERE device = 2";
    let row = query(&place, &table, sql).remove(0);
    let of = |at: u64| numbers(2, at);
    let weighted = (0..4).map(|at| {
        of(at)
            .iter()
            .map(|value| value * (0.5 + 0.25 * at as f64))
            .collect()
    });
    near(&place, sealed(&row[0]), &total(weighted));
    let sum = total((0..4).map(of));
    let dot = |row: &[f64]| 0.5 * row[0] - row[1] + 2.0 * row[2];
    near(&place, sealed(&row[1]), &[dot(&sum[..3]), dot(&sum[3..])]);
    let frames = own_frames(&place, &table, 2);
    same_as_evaluated(
        &place,
        sealed(&row[1]),
        Job::Dot(vec![0.5, -1.0, 2.0]),
        &frames,
    );
    let refused = refusal(&place, &table, "SELECT he_dot(frame, 1.0) FROM frames");
    assert!(
        refused.contains("dot") && refused.contains("3"),
        "{refused}"
    );
    let refused = refusal(
        &place,
        &table,
        "SELECT he_dot(frame, bound, 1, 1) FROM frames",
    );
    assert!(
        refused.contains("allowed are numbers that the query names"),
        "{refused}"
    );
    let refused = refusal(
        &place,
        &table,
        "SELECT he_weighted_sum(frame, 1e9) FROM frames",
    );
    assert!(
        refused.contains("weight: 1000000000; allowed are numbers from"),
        "{refused}"
    );
}

#[test]
fn integers_are_exact() {
    let place = Place::new(BFV, &[]);
    let table = Table::create(&place.path("table")).unwrap();
    let integers = |at: u64| -> Vec<i32> {
        (0..5)
            .map(|place| (at as i32 * 7 + place) % 11 - 5)
            .collect()
    };
    let frames = (0..5).map(|at| {
        let message = Message::Integers(integers(at));
        stored(
            0,
            place
                .items_of(1, at, &message, &Contents::default())
                .concat(),
        )
    });
    table.append(&place.server(), frames, None).unwrap();
    let row = query(
        &place,
        &table,
        "SELECT he_sum(frame), he_weighted_sum(frame, sequence - 2) FROM frames",
    )
    .remove(0);
    let wanted = |weight: &dyn Fn(u64) -> i32| -> Vec<i32> {
        (0..5)
            .map(|place| (0..5).map(|at| weight(at) * integers(at)[place]).sum())
            .collect()
    };
    let values = |cell: &Cell| opened(&place, sealed(cell)).values.into_owner_only();
    assert_eq!(values(&row[0]), Values::Integers(wanted(&|_| 1)));
    assert_eq!(
        values(&row[1]),
        Values::Integers(wanted(&|at| at as i32 - 2))
    );
    let refused = refusal(
        &place,
        &table,
        "SELECT he_weighted_sum(frame, 0.5) FROM frames",
    );
    assert!(
        refused.contains("under a set of integers integers"),
        "{refused}"
    );
    assert!(refusal(&place, &table, "SELECT he_mean(frame) FROM frames")
        .contains("mean works on real numbers"));
}

#[test]
fn coefficients_are_added_up_and_scored_without_keys() {
    let place = Place::new("ckks-2048x2-air", &[]);
    let table = Table::create(&place.path("table")).unwrap();
    let frames = (0..3).map(|at| {
        let choices = Choices {
            layout: Layout::CoefficientsRounded,
            ..CHOICES
        };
        stored(0, frame_of(&place, 1, at, &choices, &contents()))
    });
    table.append(&place.server(), frames, None).unwrap();
    let row = query(
        &place,
        &table,
        "SELECT he_sum(frame), he_dot(frame, 0.5, -1, 2) FROM frames",
    )
    .remove(0);
    let sum = total((0..3).map(|at| numbers(1, at)));
    near(&place, sealed(&row[0]), &sum);
    let dot = |row: &[f64]| 0.5 * row[0] - row[1] + 2.0 * row[2];
    near(&place, sealed(&row[1]), &[dot(&sum[..3]), dot(&sum[3..])]);
}

/// Frames of one row and of two: sums and means of their columns, in groups, equal those of `evaluate`.
#[test]
fn columns_have_the_answers_of_evaluate() {
    let place = Place::new("ckks-2048x2-air", &[]);
    let table = Table::create(&place.path("table")).unwrap();
    let choices = Choices {
        layout: Layout::CoefficientsRounded,
        ..CHOICES
    };
    let values = |at: u64| numbers(1 + at % 2, at)[..3 * (1 + at as usize % 2)].to_vec();
    let frames = (0..8).map(|at| {
        let path = place.path(&format!("keys/device-{}", 1 + at % 2));
        let opened = Device::open(&path, false).unwrap();
        let mut sender = opened.sender(&choices, &contents(), 7, at).unwrap();
        let bytes = sender.frame(&Message::Real(values(at))).unwrap().concat();
        stored(at as i64 / 2 * HOUR, bytes)
    });
    table.append(&place.server(), frames, None).unwrap();
    let columns = |of: &[u64]| total(of.iter().flat_map(|&at| rows_of(&values(at))));
    let sql = "SELECT device, he_column_sum(frame), he_column_mean(frame) FROM frames GROUP BY device ORDER BY device";
    for (row, (of, rows)) in query(&place, &table, sql)
        .iter()
        .zip([([0, 2, 4, 6], 4.0), ([1, 3, 5, 7], 8.0)])
    {
        let sum = columns(&of);
        let mean: Vec<f64> = sum.iter().map(|value| value / rows).collect();
        near(&place, sealed(&row[1]), &sum);
        near(&place, sealed(&row[2]), &mean);
        let own = own_frames(&place, &table, number(&row[0]) as u64);
        let job = Job::ColumnMean(RowMask::ALL);
        same_as_evaluated(&place, sealed(&row[2]), job, &own);
    }
    let hours =
        "SELECT date_bin(INTERVAL '2 hours', time) AS hours, he_column_sum(frame) FROM frames \
         GROUP BY hours ORDER BY hours";
    let rows = query(&place, &table, hours);
    near(&place, sealed(&rows[0][1]), &columns(&[0, 1, 2, 3]));
    near(&place, sealed(&rows[1][1]), &columns(&[4, 5, 6, 7]));
}

fn rows_of(values: &[f64]) -> Vec<Vec<f64>> {
    values.chunks(3).map(<[f64]>::to_vec).collect()
}

#[test]
fn what_differs_in_a_group_is_refused_by_name() {
    let place = Place::new("ckks-4096x2-linear", &[]);
    let coarse = Choices {
        scale_bits: Some(20),
        ..CHOICES
    };
    let others = [
        ("parts", Choices { level: 1, ..coarse }, contents()),
        (
            "log2_scale",
            Choices {
                scale_bits: Some(21),
                ..coarse
            },
            contents(),
        ),
        (
            "stride",
            coarse,
            Contents {
                stride: 5,
                ..contents()
            },
        ),
    ];
    for (field, choices, contents) in others {
        let table = table_of(&place, field, &coarse);
        let other = frame_of(&place, 2, 9, &choices, &contents);
        table
            .append(&place.server(), [stored(9 * HOUR, other)], None)
            .unwrap();
        let refused = refusal(&place, &table, "SELECT he_sum(frame) FROM frames");
        assert!(
            refused.contains(field) && refused.contains("frame 9 of device 2"),
            "{refused}"
        );
        // Apart from each other they are answered.
        let apart = "SELECT he_sum(frame) FROM frames GROUP BY sequence > 8";
        assert_eq!(query(&place, &table, apart).len(), 2);
    }
}

#[test]
fn a_frame_that_is_there_twice_is_refused() {
    let place = Place::new(CKKS, &[]);
    let table = table(&place, "table");
    let again = own_frames(&place, &table, 1).remove(2);
    table
        .append(&place.server(), [stored(HOUR, again)], None)
        .unwrap();
    let refused = refusal(&place, &table, "SELECT he_sum(frame) FROM frames");
    assert!(
        refused.contains("device 1") && refused.contains("2"),
        "{refused}"
    );
    assert_eq!(
        query(
            &place,
            &table,
            "SELECT he_sum(frame) FROM frames WHERE device = 2"
        )
        .len(),
        1
    );
}

#[test]
fn frames_of_other_keys_and_damaged_ones_do_not_enter() {
    let (place, other) = (Place::new(CKKS, &[]), Place::new(CKKS, &[]));
    let table = table(&place, "table");
    let before = table.snapshot().unwrap();
    let mut damaged = real_frame(&place, 1, 7);
    damaged[200] ^= 1;
    for (frame, part) in [
        (real_frame(&other, 1, 7), "tag"),
        (damaged, "tag"),
        (vec![1, 2, 3], "item"),
    ] {
        let frames = [stored(0, real_frame(&place, 1, 6)), stored(0, frame)];
        let error = table.append(&place.server(), frames, None).unwrap_err();
        let refused = chain(&error);
        assert!(
            refused.starts_with("frame 1: ") && refused.contains(part),
            "{refused}"
        );
    }
    let after = table.snapshot().unwrap();
    assert_eq!((before.version, before.files), (after.version, after.files));
    let files = std::fs::read_dir(place.path("table")).unwrap().count();
    assert_eq!(
        files,
        after.rows.min(1) as usize + 1,
        "one file and the log"
    );
    let error = query_with(
        &other,
        &table,
        Limits::default(),
        "SELECT he_sum(frame) FROM frames",
    );
    assert!(chain(&error.unwrap_err()).contains("another key pair"));
}

#[test]
fn damage_on_the_disk_is_noticed() {
    let place = Place::new(CKKS, &[]);
    let table = table(&place, "table");
    let path = table.snapshot().unwrap().files.remove(0);
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    let whole = std::fs::read(&path).unwrap();
    let frame = own_frames(&place, &table, 1).remove(0);
    let is_of_frame = |window: &[u8]| window == &frame[500..564];
    let in_frame = whole.windows(64).position(is_of_frame).unwrap();
    // Bytes of the frames, of other columns, and of the end of the file.
    for at in [
        in_frame,
        whole.len() / 2,
        whole.len() - 600,
        whole.len() - 9,
    ] {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        std::fs::write(&path, &bytes).unwrap();
        let table = Table::open(&place.path("table")).unwrap();
        for sql in [
            "SELECT he_sum(frame) FROM frames",
            "SELECT count(*) FROM frames WHERE device = 1",
        ] {
            let refused = refusal(&place, &table, sql);
            assert!(
                refused.contains(&name) && refused.contains("damaged"),
                "{at} {refused}"
            );
        }
    }
    // A frame that is damaged after its file was verified has its tag.
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(
        query(&place, &table, "SELECT he_sum(frame) FROM frames").len(),
        1
    );
    let mut bytes = whole;
    bytes[in_frame] ^= 4;
    std::fs::write(&path, bytes).unwrap();
    let refused = refusal(&place, &table, "SELECT he_sum(frame) FROM frames");
    assert!(refused.contains("tag"), "{refused}");
}

#[test]
fn revoked_devices_are_refused() {
    let place = Place::new(CKKS, &[]);
    let table = table(&place, "table");
    place.server().revoke(&[2], false).unwrap();
    let refused = refusal(&place, &table, "SELECT he_sum(frame) FROM frames");
    assert!(
        refused.contains("device 2") && refused.contains("revoked"),
        "{refused}"
    );
    assert_eq!(
        query(
            &place,
            &table,
            "SELECT he_sum(frame) FROM frames WHERE device <> 2"
        )
        .len(),
        1
    );
}

#[test]
fn queries_change_nothing() {
    let place = Place::new(CKKS, &[]);
    let table = table(&place, "table");
    for sql in [
        "DROP TABLE frames",
        "CREATE TABLE other AS SELECT device FROM frames",
        "COPY frames TO 'out.parquet'",
        "SET datafusion.execution.batch_size = 1",
        "SELECT device FROM '/etc/hostname'",
        "SELECT he_sum(device) FROM frames",
        "SELECT he_sum(frame, 1) FROM frames",
        "",
    ] {
        assert!(
            query_with(&place, &table, Limits::default(), sql).is_err(),
            "{sql}"
        );
    }
    assert_eq!(
        query(&place, &table, "SELECT count(*) FROM frames").len(),
        1
    );
    let empty = Table::create(&place.path("empty")).unwrap();
    let row = query(&place, &empty, "SELECT count(*), he_sum(frame) FROM frames").remove(0);
    assert_eq!(
        row,
        [Cell::Clear(0.into()), Cell::Clear(serde_json::Value::Null)]
    );
    assert!(Table::open(Path::new("/nowhere")).is_err());
}
