//! Answers that were wrong in silence: each is right now, or refused by name.
#![allow(clippy::unwrap_used)]

use crate::support::{answer, opened, quiet, real, Place};
use isopod_wire::{AnySet, FrameId, Gap, Layout};
use isopod_workflow::{
    Contents, Description, Error, Job, Message, Model, ModelOutput, Opened, Request, Results,
    Values,
};
use proptest::prelude::*;

fn described(names: &[&str]) -> Description {
    Description {
        names: names.iter().map(ToString::to_string).collect(),
        ..Description::default()
    }
}

fn rows_of(stride: u32, names: &[&str]) -> Contents {
    Contents {
        stride,
        packing: Some(described(names).packing()),
        ..Contents::default()
    }
}

fn model(names: &[&str]) -> Model {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    let weights = vec!["1"; names.len()].join(",");
    let text = format!(
        r#"{{"kind":"linear","features":[{}],"weights":[{weights}],"bias":0}}"#,
        names.join(",")
    );
    Model::from_json(&text).unwrap()
}

/// The refusal of a job on frames.
fn refused(place: &Place, request: &Request, sources: &[Vec<u8>]) -> Error {
    let server = place.server();
    answer(&server, request, &sources.concat()).unwrap_err()
}

/// The sealed results of a job on frames.
fn sealed(place: &Place, request: &Request, sources: &[&[u8]]) -> Vec<Vec<u8>> {
    let server = place.server();
    answer(&server, request, &sources.concat()).unwrap().items
}

fn read(place: &Place, items: &[&Vec<u8>]) -> Result<Results, Error> {
    let bytes: Vec<u8> = items.iter().flat_map(|item| item.iter().copied()).collect();
    place.owner().read(&bytes[..])
}

/// Totals of rows of two devices; the second one sent three frames, and the middle one got lost.
fn totals(place: &Place) -> Vec<Vec<u8>> {
    let frame = |device, sequence, value| {
        let message = Message::Real(vec![value, 1.0, value, 2.0]);
        place
            .items_of(device, sequence, &message, &rows_of(2, &["a", "b"]))
            .concat()
    };
    let sources = [frame(1, 5, 1.0), frame(2, 0, 2.0), frame(2, 2, 3.0)];
    let sources: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
    sealed(place, &Request::new(Job::Total), &sources)
}

#[test]
fn a_missing_device_moved_the_rows_of_the_others() {
    let place = Place::new("ckks-4096x2-linear", &[1]);
    let results = totals(&place);
    let results = read(&place, &results.iter().collect::<Vec<_>>()).unwrap();
    let (device, epoch) = (2, 7);
    let (first, last) = (1, 1);
    let gap = Gap {
        device,
        epoch,
        first,
        last,
    };
    assert_eq!(results.missing().gaps, [gap]);
    let opened = place.owner().open_results(&results, &mut quiet).unwrap();
    let named = |opened: Opened| {
        let places = opened.places.clone();
        assert!(
            opened.error > 0.0 && opened.error < 0.02,
            "{}",
            opened.error
        );
        let bound = opened.bound.unwrap();
        assert!(bound > 5.0, "{bound}");
        let values = real(opened);
        places.into_iter().zip(values).collect::<Vec<_>>()
    };
    let found: Vec<_> = opened.into_iter().flat_map(named).collect();
    let wanted = [
        (1, 5, 0, 2.0),
        (1, 5, 1, 3.0),
        (2, 0, 0, 3.0),
        (2, 0, 1, 4.0),
        (2, 2, 0, 4.0),
        (2, 2, 1, 5.0),
    ];
    assert_eq!(found.len(), wanted.len());
    for ((place, value), (device, sequence, row, wanted)) in found.into_iter().zip(wanted) {
        let id = FrameId {
            device,
            epoch: 7,
            sequence,
        };
        assert_eq!(
            (place.frame, place.row, place.column),
            (Some(id), Some(row), 0)
        );
        assert!((value - wanted).abs() < 0.02, "{value} / {wanted}");
    }
}

#[test]
fn joined_swapped_dropped_and_repeated_results_were_read() {
    let place = Place::new("ckks-4096x2-linear", &[1]);
    let (one, other) = (totals(&place), totals(&place));
    let [a, b, c] = &one[..] else {
        panic!("three results")
    };
    let refused = |items: &[&Vec<u8>]| read(&place, items).err().unwrap().to_string();
    let joined = refused(&[a, b, c, &other[0], &other[1], &other[2]]);
    assert!(
        joined.starts_with("result 3: run: another than that of result 0"),
        "{joined}"
    );
    let exchanged = refused(&[a, &other[1], c]);
    assert!(
        exchanged.starts_with("result 1: run: another"),
        "{exchanged}"
    );
    let swapped = refused(&[b, a, c]);
    assert!(
        swapped.starts_with("result 0: index: 1 of 3; allowed is 0: results are swapped"),
        "{swapped}"
    );
    let dropped = refused(&[a, c]);
    assert!(
        dropped.starts_with("result 1: index: 2 of 3; allowed is 1: results are missing"),
        "{dropped}"
    );
    let cut = refused(&[a, b]);
    assert!(cut.starts_with("result: 2 of 3; allowed are all"), "{cut}");
    let repeated = refused(&[a, b, b]);
    assert!(
        repeated.starts_with("result 2: index: 1 of 3; allowed is 2: results are repeated"),
        "{repeated}"
    );
    assert_eq!(read(&place, &[a, b, c]).unwrap().count(), 3);
}

#[test]
fn a_model_of_three_features_scored_frames_of_two_columns() {
    let place = Place::new("ckks-4096x2-linear", &[1, 2]);
    let sent = |contents: &Contents| {
        let message = Message::Real(vec![1.0, 2.0]);
        vec![place.items_of(1, 0, &message, contents).concat()]
    };
    let request = Request::new(Job::Linear(model(&["a", "b", "c"])));
    let error = refused(&place, &request, &sent(&rows_of(2, &["a", "b"]))).to_string();
    let wanted =
        "frame 0 of device 1, epoch 7: packing: its 2 columns are not the 3 features of the model";
    assert!(error.starts_with(wanted), "{error}");
    let turned = Request::new(Job::Linear(model(&["b", "a"])));
    let error = refused(&place, &turned, &sent(&rows_of(2, &["a", "b"])));
    assert!(matches!(error, Error::OtherColumns { .. }), "{error}");
    let unnamed = Contents {
        stride: 2,
        ..Contents::default()
    };
    let error = refused(&place, &request, &sent(&unnamed));
    assert!(matches!(error, Error::UnnamedColumns { .. }), "{error}");
    let mut request = request;
    request.unnamed_columns = true;
    let error = refused(&place, &request, &sent(&unnamed));
    assert!(
        matches!(
            error,
            Error::OtherColumns {
                columns: 2,
                features: 3,
                ..
            }
        ),
        "{error}"
    );
    request.job = Job::Linear(model(&["b", "a"]));
    let sealed = sealed(&place, &request, &[&sent(&unnamed)[0]]);
    assert_eq!(
        read(&place, &sealed.iter().collect::<Vec<_>>())
            .unwrap()
            .count(),
        1
    );
}

#[test]
fn a_model_with_another_standardisation_scored_the_frames() {
    let place = Place::new("ckks-4096x2-linear", &[1]);
    let mut standardised = model(&["a", "b"]);
    standardised.mean = vec![1.0, 2.0];
    let sent = place.items_of(
        1,
        0,
        &Message::Real(vec![1.0, 2.0]),
        &rows_of(2, &["a", "b"]),
    );
    let request = Request::new(Job::Linear(standardised));
    let error = refused(&place, &request, &[sent.concat()]);
    assert!(matches!(error, Error::OtherColumns { .. }), "{error}");
}

#[test]
fn a_mean_over_frames_of_three_and_two_rows_divided_by_two() {
    let place = Place::new("ckks-4096x2-linear", &[]);
    let contents = rows_of(2, &["a", "b"]);
    let three = Message::Real(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let two = Message::Real(vec![1.0, 2.0, 3.0, 4.0]);
    let sources = [
        place.items_of(1, 0, &three, &contents).concat(),
        place.items_of(1, 1, &two, &contents).concat(),
    ];
    let error = refused(&place, &Request::new(Job::Mean), &sources).to_string();
    let wanted = "frame 1 of device 1, epoch 7: rows: 2, but frame 0 of device 1, epoch 7 has 3; allowed for mean";
    assert!(error.starts_with(wanted), "{error}");
    let sources: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
    let sums = sealed(&place, &Request::new(Job::Sum), &sources);
    let results = read(&place, &sums.iter().collect::<Vec<_>>()).unwrap();
    let values = real(
        place
            .owner()
            .open_results(&results, &mut quiet)
            .unwrap()
            .remove(0),
    );
    for (value, wanted) in values.iter().zip([2.0, 4.0, 6.0, 8.0, 5.0, 6.0]) {
        assert!((value - wanted).abs() < 0.01, "{value} / {wanted}");
    }
}

#[test]
fn a_histogram_was_read_with_other_buckets() {
    let place = Place::new(
        "bfv-4096x2-linear",
        &[4, 8, 16, 32, 64, 128, 256, 512, 1024],
    );
    let buckets = |edges: &[f64]| Description {
        edges: edges.to_vec(),
        ..described(&["litres"])
    };
    let sent = |device, description: &Description| {
        let contents = Contents {
            stride: 4,
            buckets: 4,
            columns: 0,
            packing: Some(description.packing()),
        };
        let message = Message::Integers(vec![0, 1, 0, 0, 0, 0, 0, 1]);
        place.items_of(device, 0, &message, &contents).concat()
    };
    let (mine, other) = (buckets(&[0.0, 10.0, 100.0]), buckets(&[0.0, 50.0, 100.0]));
    let request = Request::new(Job::Buckets);
    let error = refused(&place, &request, &[sent(1, &mine), sent(2, &other)]);
    assert!(
        matches!(
            error,
            Error::Differs {
                field: "packing",
                ..
            }
        ),
        "{error}"
    );
    let counts = sealed(&place, &request, &[&sent(1, &mine)]);
    let results = read(&place, &counts.iter().collect::<Vec<_>>()).unwrap();
    results.check_packing(&mine).unwrap();
    assert!(matches!(
        results.check_packing(&other),
        Err(Error::OtherPacking)
    ));
    assert_eq!(
        mine.columns_of(results.job_name().unwrap()),
        ["below 0", "0 to 10", "10 to 100", "100 and above"]
    );
    let opened = place
        .owner()
        .open_results(&results, &mut quiet)
        .unwrap()
        .remove(0);
    assert_eq!((opened.error, opened.bound), (0.0, Some(2.0)));
    assert_eq!(
        opened.values.into_owner_only(),
        Values::Integers(vec![0, 1, 0, 1])
    );
}

#[test]
fn frames_without_buckets_were_folded_as_a_histogram() {
    let place = Place::new("bfv-4096x2-linear", &[4]);
    let sent = place.items(1, 0, &Message::Integers(vec![7, 8])).concat();
    let error = refused(&place, &Request::new(Job::Buckets), &[sent]).to_string();
    assert!(error.contains("buckets"), "{error}");
}

#[test]
fn results_answered_another_request() {
    let place = Place::new("ckks-4096x2-linear", &[]);
    let (owner, server) = (place.owner(), place.server());
    let set = owner.set();
    let asked = Request::new(Job::Weighted(vec![0.1])).challenged().unwrap();
    let text = asked.to_json(set, server.key_id()).unwrap();
    let received = Request::from_json(&text, server.set(), server.key_id()).unwrap();
    assert_eq!(received, asked);
    let sent = place.items(1, 0, &Message::Real(vec![1.0])).concat();
    let answer = sealed(&place, &received, &[&sent]);
    let results = read(&place, &answer.iter().collect::<Vec<_>>()).unwrap();
    results.check_request(&asked, set).unwrap();
    let again = Request::new(Job::Weighted(vec![0.1])).challenged().unwrap();
    let refused = results.check_request(&again, set);
    assert!(matches!(
        refused,
        Err(Error::OtherRequest { field: "challenge" })
    ));
    let other = Request {
        job: Job::Weighted(vec![0.2]),
        ..asked.clone()
    };
    let refused = results.check_request(&other, set);
    assert!(matches!(
        refused,
        Err(Error::OtherRequest { field: "request" })
    ));
    let foreign = Request::from_json(&text, set, [0; 16])
        .unwrap_err()
        .to_string();
    assert!(foreign.starts_with("request: key: "), "{foreign}");
    let changed = text.replace("0.1", "0.2");
    let changed = Request::from_json(&changed, set, server.key_id())
        .unwrap_err()
        .to_string();
    assert!(changed.starts_with("request: request: "), "{changed}");
}

#[test]
fn repeated_values_are_one_row() {
    let place = Place::new("bfv-4096x2-linear", &[]);
    let device = isopod_workflow::Device::open(&place.path("keys/device-1"), false).unwrap();
    let choices = isopod_workflow::Choices {
        layout: Layout::SlotsRepeated,
        ..crate::support::CHOICES
    };
    let mut sender = device.sender(&choices, &Contents::default(), 7, 0).unwrap();
    let sent = sender
        .frame(&Message::Integers(vec![3, -4]))
        .unwrap()
        .concat();
    let server = place.server();
    let values = opened(&place.owner(), &server, Job::Sum, &sent)
        .remove(0)
        .values;
    assert_eq!(values.into_owner_only(), Values::Integers(vec![3, -4]));
}

fn numbers() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("in range", |value| value.abs() <= 2f64.powi(64)),
        Just(0.1)
    ]
}

fn weights() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(numbers(), 1..5)
}

fn edges() -> impl Strategy<Value = std::collections::BTreeSet<i64>> {
    prop::collection::btree_set(any::<i64>(), 1..9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn requests_come_back_from_their_files(
        weights in weights(),
        bias in numbers(),
        above: i64,
        each: bool,
        edges in edges(),
    ) {
        let names: Vec<String> = (0..weights.len()).map(|at| format!("a\"{at}\n")).collect();
        let output = |name: &str| ModelOutput { name: name.to_owned(), weights: weights.clone(), bias };
        let model = Model { outputs: vec![output("")], features: names, ..model(&["a"]) };
        let several = Model { outputs: vec![output("b"), output("c")], ..model.clone() };
        let side = isopod_workflow::Side::Below;
        let threshold = isopod_workflow::Threshold { value: above.into(), side };
        let edges = edges.into_iter().map(i128::from).collect();
        let set = AnySet::by_name("ckks-4096x2-linear").unwrap();
        for job in [
            Job::Sum,
            Job::Buckets,
            Job::Total,
            Job::Weighted(weights.clone()),
            Job::Logistic(model.clone()),
            Job::Inner(several.clone()),
            Job::Alarm(threshold, each),
            Job::Count(threshold),
            Job::Histogram(edges),
        ] {
            let request = Request::new(job).challenged().unwrap();
            let text = request.to_json(set, [7; 16]).unwrap();
            prop_assert_eq!(Request::from_json(&text, set, [7; 16]).unwrap(), request);
        }
    }

    #[test]
    fn descriptions_come_back_from_their_files(names: Vec<String>, means in prop::collection::vec(numbers(), 0..4)) {
        let description = Description { names, scales: means.clone(), means, edges: vec![0.1], ..Description::default() };
        let text = description.to_json().unwrap();
        prop_assert_eq!(Description::from_json(&text).unwrap(), description);
    }
}

/// The number was computed by hand: SHA3-256 of the label and the bytes of the array of four arrays.
#[test]
fn a_packing_is_a_hash_of_deterministic_cbor() {
    let description = Description {
        names: vec!["a".to_owned()],
        means: vec![1.5],
        scales: vec![],
        edges: vec![],
        ..Description::default()
    };
    let hex: String = description
        .packing()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(hex, "5c51154901f7b0537a069f59c3aeaa0d");
    let text = description.to_json().unwrap().replace("1.5", "2.5");
    let error = Description::from_json(&text).unwrap_err().to_string();
    assert!(error.starts_with("packing: "), "{error}");
}

/// The known answers of the readable model: what devices, servers and owners of other programs compute.
#[test]
fn packings_are_those_of_the_known_answers() {
    let vectors = include_str!("../../../../spec/vectors/provenance.json");
    let vectors: serde_json::Value = serde_json::from_str(vectors).unwrap();
    let packings = vectors["packings"].as_array().unwrap();
    assert!(packings.len() >= 4);
    for record in packings {
        let text = serde_json::to_string(record).unwrap();
        let description = Description::from_json(&text).unwrap();
        assert_eq!(
            description.names.len(),
            record["names"].as_array().unwrap().len()
        );
    }
}
