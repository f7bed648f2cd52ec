//! Frames whose coefficients travel rounded: from messages to values, without a key on the server.
#![allow(clippy::unwrap_used)]

use std::num::NonZero;

use crate::support::{answer, frames, opened, real, Place, CHOICES};
use isopod_wire::Layout;
use isopod_workflow::{Choices, Contents, Device, Inbox, Job, Message, Model, Request, Values};

const CKKS: &str = "ckks-2048x1-air";
const PRECISE: &str = "ckks-2048x2-air";
const BFV: &str = "bfv-2048x2-air";
const COLUMNS: u16 = 5;
const ROWS: usize = 3;

fn contents() -> Contents {
    Contents {
        stride: 7,
        columns: COLUMNS,
        ..Contents::default()
    }
}

fn rounded(log2_bound: i8) -> Choices {
    Choices {
        layout: Layout::CoefficientsRounded,
        bound_bits: log2_bound,
        ..CHOICES
    }
}

/// The items of rows of five values.
fn sent(place: &Place, device: u64, sequence: u64, message: &Message) -> Vec<u8> {
    let device = Device::open(&place.path(&format!("keys/device-{device}")), false).unwrap();
    let mut sender = device
        .sender(&rounded(4), &contents(), 7, sequence)
        .unwrap();
    sender.frame(message).unwrap().concat()
}

/// Values from -12 to 12.
fn numbers(seed: usize) -> Vec<f64> {
    let number = |at: usize| ((at * 37 + seed * 11) % 97) as f64 / 4.0 - 12.0;
    (0..ROWS * usize::from(COLUMNS)).map(number).collect()
}

fn near(found: &[f64], wanted: &[f64], error: f64) {
    assert_eq!(found.len(), wanted.len());
    let largest = found
        .iter()
        .zip(wanted)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(largest <= error && error < 2.0, "{largest} of {error}");
}

fn model() -> Model {
    let json = r#"{"kind":"linear","features":["a","b","c","d","e"],"weights":[0.5,-1,0.25,2,0],"bias":-3}"#;
    Model::from_json(json).unwrap()
}

fn unnamed(job: Job) -> Request {
    Request {
        unnamed_columns: true,
        ..Request::new(job)
    }
}

/// The values of each result, each within its error of the value that is wanted.
fn check(place: &Place, request: &Request, sent: &[u8], wanted: &[Vec<f64>]) {
    let owner = place.owner();
    let answer = answer(&place.server(), request, sent).unwrap();
    let opened = crate::support::open(&owner, &answer);
    assert_eq!(opened.len(), wanted.len());
    for (opened, wanted) in opened.into_iter().zip(wanted) {
        let error = opened.error;
        near(&real(opened), wanted, error);
    }
}

#[test]
fn sums_means_and_weighted_sums() {
    for set in [CKKS, PRECISE] {
        let place = Place::new(set, &[]);
        let (one, two) = (numbers(1), numbers(2));
        let items = [(1, &one), (2, &two)]
            .map(|(device, values)| sent(&place, device, 0, &Message::Real(values.clone())));
        let source = items.concat();
        let pairs = |of: &dyn Fn(f64, f64) -> f64| {
            one.iter()
                .zip(&two)
                .map(|(a, b)| of(*a, *b))
                .collect::<Vec<_>>()
        };
        check(
            &place,
            &Request::new(Job::Sum),
            &source,
            &[pairs(&|a, b| a + b)],
        );
        check(
            &place,
            &Request::new(Job::Mean),
            &source,
            &[pairs(&|a, b| (a + b) / 2.0)],
        );
        let weighted = Job::Weighted(vec![0.75, -0.5]);
        check(
            &place,
            &Request::new(weighted),
            &source,
            &[pairs(&|a, b| 0.75 * a - 0.5 * b)],
        );
    }
}

#[test]
fn scores_and_filters_of_each_row() {
    let place = Place::new(PRECISE, &[]);
    let values = numbers(5);
    let source = sent(&place, 1, 0, &Message::Real(values.clone()));
    let rows: Vec<&[f64]> = values.chunks(COLUMNS.into()).collect();
    let scores = rows
        .iter()
        .map(|row| model().outputs[0].score(row))
        .collect();
    check(&place, &unnamed(Job::Linear(model())), &source, &[scores]);
    let totals = rows.iter().map(|row| row.iter().sum()).collect();
    check(&place, &Request::new(Job::Total), &source, &[totals]);
    let windows = |of: &dyn Fn(&[f64]) -> f64, length| {
        rows.iter()
            .flat_map(|row| row.windows(length))
            .map(of)
            .collect::<Vec<_>>()
    };
    let filtered = windows(&|w| 0.5 * w[2] - 2.0 * w[1] + 0.25 * w[0], 3);
    check(
        &place,
        &Request::new(Job::Filter(vec![0.5, -2.0, 0.25])),
        &source,
        &[filtered],
    );
    let correlated = windows(&|w| 0.5 * w[0] - 2.0 * w[1], 2);
    check(
        &place,
        &Request::new(Job::Correlation(vec![0.5, -2.0])),
        &source,
        &[correlated],
    );
    let averages = windows(&|w| w.iter().sum::<f64>() / 4.0, 4);
    check(
        &place,
        &Request::new(Job::MovingAverage(4)),
        &source,
        &[averages],
    );
}

#[test]
fn integers_are_exact() {
    let place = Place::new(BFV, &[]);
    let integers: Vec<i32> = numbers(3).into_iter().map(|value| value as i32).collect();
    let source = sent(&place, 1, 0, &Message::Integers(integers.clone()));
    let other = sent(&place, 2, 0, &Message::Integers(integers.clone()));
    let of = |job: Job, source: &[u8]| {
        let values = opened(&place.owner(), &place.server(), job, source)
            .remove(0)
            .values;
        values.into_owner_only()
    };
    let twice = integers.iter().map(|x| 2 * x).collect();
    assert_eq!(
        of(Job::Sum, &[source.clone(), other].concat()),
        Values::Integers(twice)
    );
    let rows = integers.chunks(COLUMNS.into());
    let filtered = rows
        .flat_map(|row| row.windows(2))
        .map(|w| 3 * w[1] - 7 * w[0])
        .collect();
    assert_eq!(
        of(Job::Filter(vec![3.0, -7.0]), &source),
        Values::Integers(filtered)
    );
}

#[test]
fn states_merge_and_slots_do_not_mix() {
    let place = Place::new(CKKS, &[]);
    let server = place.server();
    let items = [1, 2].map(|device| sent(&place, device, 0, &Message::Real(numbers(4))));
    let request = Request::new(Job::Sum);
    let mut inbox = Inbox::for_request(&server, &request, true).unwrap();
    inbox.read(&items[0][..]).unwrap();
    let state = inbox.partial().unwrap();
    let twice: Vec<f64> = numbers(4).iter().map(|x| 2.0 * x).collect();
    check(
        &place,
        &request,
        &[state.clone(), items[1].clone()].concat(),
        &[twice],
    );
    let slots = place.items(2, 1, &Message::Real(vec![1.0; 5])).concat();
    for request in [request, unnamed(Job::Linear(model()))] {
        let refused = answer(
            &server,
            &request,
            &[items[0].clone(), slots.clone()].concat(),
        );
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("layout"), "{message}");
    }
    let refused = answer(&server, &Request::new(Job::Filter(vec![1.0])), &slots)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("layout: slots; allowed for the job are rounded coefficients"),
        "{refused}"
    );
}

#[test]
fn frames_of_two_levels_were_read_as_of_the_higher_one() {
    let place = Place::new(PRECISE, &[]);
    let device = Device::open(&place.path("keys/device-1"), false).unwrap();
    let frame = |level, sequence| {
        let choices = Choices {
            level,
            scale_bits: Some(16),
            ..rounded(4)
        };
        let mut sender = device.sender(&choices, &contents(), 7, sequence).unwrap();
        let message = Message::Real(numbers(6));
        sender.frame(&message).unwrap().concat()
    };
    let source = [frame(1, 0), frame(2, 1)].concat();
    let rows = numbers(6);
    let totals: Vec<f64> = rows
        .chunks(COLUMNS.into())
        .map(|row| row.iter().sum())
        .collect();
    check(
        &place,
        &Request::new(Job::Total),
        &source,
        &[totals.clone(), totals],
    );
}

#[test]
fn what_does_not_fit_is_refused_with_numbers() {
    let place = Place::new(CKKS, &[]);
    let server = place.server();
    let source = sent(&place, 1, 0, &Message::Real(numbers(4)));
    let refused = |request: &Request| answer(&server, request, &source).unwrap_err().to_string();
    let message = refused(&Request::new(Job::Filter(vec![1.0; 6])));
    assert!(
        message.contains("weights of filter are 6; allowed are 1 to 5, the values of a row"),
        "{message}"
    );
    let device = Device::open(&place.path("keys/device-1"), false).unwrap();
    let precise = Choices {
        precision: Some(1e-9),
        ..rounded(4)
    };
    let message = device
        .sender(&precise, &contents(), 7, 9)
        .err()
        .unwrap()
        .to_string();
    assert!(
        message.contains("precision is 1e-9; allowed under ckks-2048x1-air at scale 2^15"),
        "{message}"
    );
    assert_eq!(frames(&server, &[&source]).unwrap().len(), 1);
}

/// Frames of two descriptions in turn: threads share those of one, and the answers keep the order of the frames.
#[test]
fn answers_of_many_frames_are_the_same_in_any_number_of_threads() {
    let place = Place::new(CKKS, &[]);
    let items = (0..12).map(|at| {
        let message = Message::Real(numbers(at as usize));
        sent(&place, 1 + at % 4 / 2, at, &message)
    });
    let source: Vec<u8> = items.flatten().collect();
    let (server, request) = (place.server(), unnamed(Job::Linear(model())));
    let values = [1, 3].map(|threads| {
        let inbox = Inbox::for_request(&server, &request, true).unwrap();
        let mut inbox = inbox.with_threads(NonZero::new(threads).unwrap());
        inbox.read(&source[..]).unwrap();
        let opened = crate::support::open(&place.owner(), &inbox.answer(&mut |_| {}).unwrap());
        opened.into_iter().map(real).collect::<Vec<_>>()
    });
    assert_eq!(values[0].len(), 12);
    assert_eq!(values[0], values[1]);
}
