//! Sums, means and counts of columns over all rows of all frames, however many rows each has.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use crate::support::{answer, open, opened, quiet, real, Place, CHOICES};
use isopod_wire::Layout;
use isopod_workflow::{
    row_mask, Aggregation, Choices, Contents, Device, Group, Job, Message, Opened, Request,
    RowMask, Values,
};

const COLUMNS: usize = 3;

/// Rows of three columns between -16 and 16, many of them at the bound.
fn table(rows: usize, seed: usize) -> Vec<Vec<f64>> {
    let value = |row: usize, column: usize| match (row * 7 + column * 3 + seed) % 5 {
        0 => 16.0,
        1 => -16.0,
        other => (row * 5 + column + seed + other) as f64 % 9.0 - 4.0 + 0.125,
    };
    let row = |row| (0..COLUMNS).map(|column| value(row, column)).collect();
    (0..rows).map(row).collect()
}

/// One frame of rows a stride apart.
fn frame(place: &Place, number: u64, choices: &Choices, rows: &[Vec<f64>], exact: bool) -> Vec<u8> {
    let stride = match choices.layout {
        Layout::CoefficientsRounded => COLUMNS,
        _ => 4,
    };
    let mut values = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        values.resize(at * stride, 0.0);
        values.extend(row);
    }
    let message = match exact {
        true => Message::Integers(values.iter().map(|value| *value as i32).collect()),
        false => Message::Real(values),
    };
    let contents = Contents {
        stride: stride as u32,
        columns: match choices.layout {
            Layout::CoefficientsRounded => COLUMNS as u16,
            _ => 0,
        },
        ..Contents::default()
    };
    let device = Device::open(&place.path("keys/device-1"), false).unwrap();
    let mut sender = device.sender(choices, &contents, 7, number).unwrap();
    sender.frame(&message).unwrap().concat()
}

/// Frames of a full table, of a short one and of a single row.
fn frames(place: &Place, choices: &Choices, exact: bool) -> (Vec<u8>, Vec<Vec<Vec<f64>>>) {
    let mut tables: Vec<Vec<Vec<f64>>> = [100, 100, 37, 1, 2]
        .iter()
        .enumerate()
        .map(|(seed, &rows)| table(rows, seed))
        .collect();
    if exact {
        let values = tables.iter_mut().flatten().flatten();
        values.for_each(|value| *value = value.round());
    }
    let each = tables.iter().enumerate();
    let bytes = each.map(|(number, rows)| frame(place, number as u64, choices, rows, exact));
    (bytes.collect::<Vec<_>>().concat(), tables)
}

fn sums(tables: &[Vec<Vec<f64>>], rows: &RowMask) -> (Vec<f64>, f64) {
    let (mut sums, mut taken) = (vec![0.0; COLUMNS], 0.0);
    for table in tables {
        for (_, row) in table.iter().enumerate().filter(|(at, _)| rows.takes(*at)) {
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, value)| *sum += value);
            taken += 1.0;
        }
    }
    (sums, taken)
}

fn near(opened: Opened, wanted: &[f64], most: f64) {
    let error = opened.error;
    let found = real(opened);
    assert_eq!(found.len(), wanted.len());
    assert!(error < most, "{error}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert!(
            (found - wanted).abs() <= error,
            "{found} for {wanted} within {error}"
        );
    }
}

const ROUNDED: Choices = Choices {
    layout: Layout::CoefficientsRounded,
    ..CHOICES
};
/// Frames drop more bits than the scale has: each reading is off by half of the bound, and a mean by far less.
const COARSE: Choices = Choices {
    precision: Some(8.0),
    ..ROUNDED
};
const IN_SLOTS: Choices = Choices {
    layout: Layout::Slots,
    ..CHOICES
};
/// A set, rotations that the server has, choices of the device, and the largest error that a mean may have.
const PLACES: [(&str, &[i32], Choices, f64); 4] = [
    ("ckks-2048x2-air", &[], ROUNDED, 0.01),
    ("ckks-2048x1-air", &[], ROUNDED, 2.0),
    ("ckks-2048x2-air", &[], COARSE, 8.0),
    (
        "ckks-4096x2-linear",
        &[4, 8, 16, 32, 64, 128, 256],
        IN_SLOTS,
        0.1,
    ),
];

#[test]
fn columns_of_frames_with_any_number_of_rows() {
    for (set, rotations, choices, error) in PLACES {
        let place = Place::new(set, rotations);
        let (server, owner) = (place.server(), place.owner());
        let (source, tables) = frames(&place, &choices, false);
        let masks: [&[u8]; 4] = [&[], &[1, 0], &[0, 0, 1, 1, 0], &[1]];
        for mask in masks {
            let rows = row_mask(mask).unwrap();
            let (sums, taken) = sums(&tables, &rows);
            let means: Vec<f64> = sums.iter().map(|sum| sum / taken).collect();
            let found = opened(&owner, &server, Job::ColumnSum(rows.clone()), &source);
            near(found.into_iter().next().unwrap(), &sums, error * taken);
            let found = opened(&owner, &server, Job::ColumnMean(rows), &source);
            near(found.into_iter().next().unwrap(), &means, error);
        }
    }
}

#[test]
fn columns_of_integers_are_exact() {
    let places: [(&str, &[i32], Choices); 2] = [
        ("bfv-2048x2-air", &[], ROUNDED),
        ("bfv-4096x2-linear", &[4, 8, 16, 32, 64, 128, 256], IN_SLOTS),
    ];
    for (set, rotations, choices) in places {
        let place = Place::new(set, rotations);
        let (source, tables) = frames(&place, &choices, true);
        let (sums, _) = sums(&tables, &RowMask::ALL);
        let job = Job::ColumnSum(RowMask::ALL);
        let mut found = opened(&place.owner(), &place.server(), job, &source);
        let wanted = sums.iter().map(|sum| *sum as i32).collect();
        assert_eq!(
            found.remove(0).values.into_owner_only(),
            Values::Integers(wanted)
        );
    }
}

#[test]
fn states_of_columns_merge_and_go_on() {
    let place = Place::new("ckks-2048x2-air", &[]);
    let (server, owner) = (Arc::new(place.server()), place.owner());
    let tables = [table(100, 1), table(37, 2), table(1, 3)];
    let item = |at: usize| frame(&place, at as u64, &ROUNDED, &tables[at], false);
    let job = Job::ColumnMean(row_mask(&[1, 1, 0]).unwrap());
    let aggregation = Aggregation::new(server, job.clone()).unwrap();
    let (mut one, mut other) = (Group::default(), Group::default());
    let bytes = [item(0), item(1), item(2)];
    aggregation.fold(&mut one, [(&bytes[0][..], 1.0)]).unwrap();
    let state = aggregation.state(&one).unwrap().unwrap();
    // A state first, then a frame with another number of rows, and another group at last.
    let items = [(&state[..], 1.0), (&bytes[1][..], 1.0)];
    let mut group = Group::default();
    aggregation.fold(&mut group, items).unwrap();
    aggregation
        .fold(&mut other, [(&bytes[2][..], 1.0)])
        .unwrap();
    aggregation.join(&mut group, other).unwrap();
    let state = aggregation.state(&group).unwrap().unwrap();
    let answers = aggregation.answers([&state[..]]).unwrap();
    let (sums, taken) = sums(&tables, &job.rows().unwrap());
    let means: Vec<f64> = sums.iter().map(|sum| sum / taken).collect();
    near(open(&owner, &answers[0]).remove(0), &means, 0.01);
}

/// Groups fold the tags of columns, whether a state or a frame comes first; some rows have no proof.
#[test]
fn aggregations_fold_the_tags_of_columns() {
    let place = Place::new("bfv-2048x2-air", &[]);
    let (owner, server) = (place.owner(), Arc::new(place.server()));
    let secrets = owner.keys().linear_master().unwrap().secrets(0, 1, 0);
    secrets
        .save(&place.path("keys/device-1"), owner.keys().key_id(), 1)
        .unwrap();
    let choices = Choices {
        has_column_tag: true,
        ..ROUNDED
    };
    let item = |at: u64| frame(&place, at, &choices, &table(10 * at as usize + 1, 1), true);
    let bytes = [item(0), item(1), item(2)];
    let verified = |job: Job| {
        let aggregation = Aggregation::new(server.clone(), job).unwrap();
        let (mut one, mut group) = (Group::default(), Group::default());
        aggregation.fold(&mut one, [(&bytes[0][..], 1.0)]).unwrap();
        let state = aggregation.state(&one).unwrap().unwrap();
        let items = [&state, &bytes[1], &bytes[2]].map(|item| (&item[..], 1.0));
        aggregation.fold(&mut group, items).unwrap();
        let state = aggregation.state(&group).unwrap().unwrap();
        let answers = aggregation.answers([&state[..]]).unwrap();
        let results = owner.read(&answers[0].items.concat()[..]).unwrap();
        owner.open_verified(&results, &mut quiet).unwrap().1
    };
    let all = verified(Job::ColumnSum(RowMask::ALL)).unwrap();
    assert_eq!((all.frames.count(), all.rows), (3, Some(1 + 11 + 21)));
    assert!(verified(Job::ColumnSum(row_mask(&[1, 0]).unwrap())).is_none());
}

#[test]
fn what_no_column_has_is_refused() {
    let place = Place::new("ckks-2048x2-air", &[]);
    let server = place.server();
    let refused = |job: Job, source: &[u8]| {
        let message = answer(&server, &Request::new(job), source).unwrap_err();
        message.to_string()
    };
    let single = frame(&place, 0, &ROUNDED, &table(1, 1), false);
    let late = row_mask(&[0, 1]).unwrap();
    let message = refused(Job::ColumnMean(late), &single);
    assert!(message.contains("rows: take 0 of the rows"), "{message}");
    let message = row_mask(&[0, 2]).unwrap_err().to_string();
    assert!(
        message.contains("rows: 2; allowed are 0 and 1"),
        "{message}"
    );
    let message = row_mask(&[0, 0]).unwrap_err().to_string();
    assert!(message.contains("one of them set"), "{message}");
    let source = [table(2, 1), table(1, 1)]
        .map(|rows| frame(&place, rows.len() as u64, &ROUNDED, &rows, false));
    let message = refused(Job::Mean, &source.concat());
    assert!(
        message.contains("rows: 1, but ")
            && message.ends_with("; column-mean takes frames of any number of rows"),
        "{message}"
    );
    let bfv = Place::new("bfv-4096x2-linear", &[4]);
    let request = Request::new(Job::ColumnMean(RowMask::ALL));
    let message = request.check(bfv.server().set()).unwrap_err().to_string();
    assert!(message.contains("works on real numbers"), "{message}");
    let source = frame(&bfv, 0, &IN_SLOTS, &table(2, 1), true);
    let some = Request::new(Job::ColumnSum(row_mask(&[1, 0]).unwrap()));
    let message = answer(&bfv.server(), &some, &source)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("allowed for integers in slots are all rows"),
        "{message}"
    );
}
