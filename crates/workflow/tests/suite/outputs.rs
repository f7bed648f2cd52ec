//! Models with several outputs: each is what a model of its own gives, and the owner reads them as one table.
#![allow(clippy::unwrap_used)]

use crate::support::{answer, open, quiet, real, Place, CHOICES};
use isopod_wire::{AnySet, Layout};
use isopod_workflow::{
    Choices, Contents, Description, Device, Error, Job, Message, Model, ModelOutput, Opened,
    Request, Results, Values,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

const COLUMNS: usize = 4;
const ROWS: usize = 3;
const WEIGHTS: [[f64; COLUMNS]; 3] = [
    [1.0, -0.5, 0.25, 2.0],
    [0.0, 3.0, -1.0, 0.125],
    [-2.0, 0.5, 0.0, 1.0],
];
const BIASES: [f64; 3] = [0.5, -1.0, 0.0];

fn model(outputs: &[usize]) -> Model {
    let list = |of: &dyn Fn(usize) -> String| {
        let each: Vec<String> = outputs.iter().map(|&output| of(output)).collect();
        match outputs {
            [_] => each[0].clone(),
            _ => format!("[{}]", each.join(",")),
        }
    };
    let weights = list(&|output| format!("{:?}", WEIGHTS[output]));
    let bias = list(&|output| BIASES[output].to_string());
    let text = format!(
        r#"{{"kind":"linear","features":["a","b","c","d"],"weights":{weights},"bias":{bias}}}"#
    );
    Model::from_json(&text).unwrap()
}

/// Values of a frame, from -12 to 12.
fn values(seed: usize) -> Vec<f64> {
    let number = |at: usize| ((at * 37 + seed * 11) % 97) as f64 / 4.0 - 12.0;
    (0..ROWS * COLUMNS).map(number).collect()
}

/// Frames of both devices, two of the first.
fn sent(place: &Place, layout: Layout) -> Vec<u8> {
    let frame = |device: u64, sequence: u64| {
        let contents = Contents {
            stride: COLUMNS as u32,
            columns: COLUMNS as u16,
            packing: Some(Description::of_model(&model(&[0])).packing()),
            ..Contents::default()
        };
        let choices = Choices { layout, ..CHOICES };
        let device = Device::open(&place.path(&format!("keys/device-{device}")), false).unwrap();
        let mut sender = device.sender(&choices, &contents, 7, sequence).unwrap();
        let message = Message::Real(values(sequence as usize));
        sender.frame(&message).unwrap().concat()
    };
    [frame(1, 0), frame(1, 1), frame(2, 2)].concat()
}

fn results(place: &Place, request: &Request, source: &[u8]) -> Results {
    let items = answer(&place.server(), request, source).unwrap().items;
    place.owner().read(&items.concat()[..]).unwrap()
}

fn tables(place: &Place, job: Job, source: &[u8]) -> Vec<Opened> {
    open(
        &place.owner(),
        &answer(&place.server(), &Request::new(job), source).unwrap(),
    )
}

#[test]
fn every_output_is_that_of_a_model_of_its_own() {
    for (set, layout) in [
        ("ckks-4096x2-linear", Layout::Slots),
        ("ckks-4096x3-multiply", Layout::Slots),
        ("ckks-2048x1-air", Layout::CoefficientsRounded),
        ("ckks-2048x2-air", Layout::CoefficientsRounded),
    ] {
        let place = Place::new(
            set,
            if layout == Layout::Slots {
                &[1, 2]
            } else {
                &[]
            },
        );
        let source = sent(&place, layout);
        let several = tables(&place, Job::Linear(model(&[0, 1, 2])), &source);
        let alone = [0, 1, 2].map(|output| tables(&place, Job::Linear(model(&[output])), &source));
        assert_eq!(several.len(), 3);
        let mut alone = alone.map(Vec::into_iter);
        for (frame, table) in several.into_iter().enumerate() {
            let columns = alone.each_mut().map(|frames| frames.next().unwrap());
            let errors = columns.each_ref().map(|column| column.error);
            assert_eq!(table.error, errors.into_iter().fold(0.0, f64::max));
            let places: Vec<_> = table
                .places
                .iter()
                .map(|place| (place.row, place.column))
                .collect();
            let wanted: Vec<_> = (0..ROWS as u32)
                .flat_map(|row| (0..3).map(move |column| (Some(row), column)))
                .collect();
            assert_eq!(places, wanted);
            assert!(table
                .places
                .iter()
                .all(|place| place.frame == columns[0].places[0].frame));
            let (found, columns) = (real(table), columns.map(real));
            let rows = values(frame);
            for (at, value) in found.iter().enumerate() {
                let (row, output) = (at / 3, at % 3);
                assert_eq!(
                    *value, columns[output][row],
                    "{set}, frame {frame}, row {row}, output {output}"
                );
                let clear = model(&[output]).outputs[0].score(&rows[row * COLUMNS..][..COLUMNS]);
                assert!(
                    (value - clear).abs() <= errors[output],
                    "{set}: {value} / {clear}"
                );
            }
        }
    }
}

/// Values of every output, bit by bit those of a model of its own, for weights and biases of any sign and size.
#[test]
fn outputs_of_any_weights_are_those_of_models_of_their_own() {
    let place = Place::new("ckks-2048x2-air", &[]);
    let source = sent(&place, Layout::CoefficientsRounded);
    let number = || (-1.0f64..1.0, -3i32..4).prop_map(|(value, power)| value * 10f64.powi(power));
    let output = (prop::array::uniform4(number()), number());
    let models = prop::collection::vec(output, 2..5);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(24));
    let run = runner.run(&models, |outputs| {
        let of = |outputs: &[([f64; COLUMNS], f64)]| Model {
            outputs: outputs
                .iter()
                .map(|(weights, bias)| ModelOutput::unnamed(weights.to_vec(), *bias))
                .collect(),
            ..model(&[0])
        };
        let several: Vec<Opened> = tables(&place, Job::Inner(of(&outputs)), &source);
        for (at, output) in outputs.iter().enumerate() {
            let alone = tables(&place, Job::Inner(of(&[*output])), &source);
            for (together, alone) in several.iter().zip(alone) {
                let Values::Real(values) = together.values.for_owner_only() else {
                    panic!("real numbers")
                };
                let column: Vec<f64> = values
                    .iter()
                    .skip(at)
                    .step_by(outputs.len())
                    .copied()
                    .collect();
                prop_assert!(alone.error <= together.error);
                prop_assert_eq!(column, real(alone));
            }
        }
        Ok(())
    });
    run.unwrap();
}

#[test]
fn integers_have_several_outputs_too() {
    let place = Place::new("bfv-2048x2-air", &[]);
    let device = Device::open(&place.path("keys/device-1"), false).unwrap();
    let contents = Contents {
        stride: 2,
        columns: 2,
        ..Contents::default()
    };
    let choices = Choices {
        layout: Layout::CoefficientsRounded,
        ..CHOICES
    };
    let mut sender = device.sender(&choices, &contents, 7, 0).unwrap();
    let source = sender
        .frame(&Message::Integers(vec![3, -4, 5, 1]))
        .unwrap()
        .concat();
    let text =
        r#"{"kind":"linear","features":["a","b"],"weights":[[1,2],[-3,0],[0,7]],"bias":[0,0,0]}"#;
    let request = Request {
        unnamed_columns: true,
        ..Request::new(Job::Inner(Model::from_json(text).unwrap()))
    };
    let mut opened = open(
        &place.owner(),
        &answer(&place.server(), &request, &source).unwrap(),
    );
    let values = opened.remove(0).values.into_owner_only();
    assert_eq!(values, Values::Integers(vec![-5, -9, -28, 7, -15, 7]));
    assert!(opened.is_empty());
}

#[test]
fn frames_with_several_outputs_are_neither_doubled_nor_missing() {
    let place = Place::new("ckks-2048x1-air", &[]);
    let source = sent(&place, Layout::CoefficientsRounded);
    let (set, several) = (place.owner().set(), model(&[0, 1, 2]));
    let asked = Request::new(Job::Linear(several.clone()))
        .challenged()
        .unwrap();
    let results = results(&place, &asked, &source);
    assert_eq!((results.count(), results.outputs()), (9, 3));
    let missing = results.missing();
    assert_eq!((missing.duplicates, missing.gaps), (vec![], vec![]));
    assert_eq!(missing.manifest.unwrap().count(), 3);
    results.check_request(&asked, set).unwrap();
    results.check_model(&several, set).unwrap();
    let others = [model(&[0, 1]), model(&[0]), model(&[2, 1, 0])];
    for other in others {
        let refused = results.check_model(&other, set).unwrap_err().to_string();
        assert!(
            refused.contains("model: the results of linear are not of this one"),
            "{refused}"
        );
    }
    let opened = place.owner().open_results(&results, &mut quiet).unwrap();
    assert_eq!(opened.len(), 3);
}

#[test]
fn a_part_of_the_outputs_is_refused() {
    let place = Place::new("ckks-2048x1-air", &[]);
    let source = sent(&place, Layout::CoefficientsRounded);
    let request = Request::new(Job::Linear(model(&[0, 1, 2])));
    let items = answer(&place.server(), &request, &source).unwrap().items;
    let read = |items: &[Vec<u8>]| place.owner().read(&items.concat()[..]).err().unwrap();
    let Error::Dropped { found: 8, total: 9 } = read(&items[..8]) else {
        panic!("a result is missing")
    };
    let swapped = [&items[..1], &items[2..3], &items[1..2], &items[3..]].concat();
    let refused = read(&swapped).to_string();
    assert!(refused.contains("results are swapped"), "{refused}");
}

#[test]
fn a_refusal_names_the_output() {
    for (set, layout) in [
        ("ckks-4096x2-linear", Layout::Slots),
        ("ckks-2048x1-air", Layout::CoefficientsRounded),
    ] {
        let place = Place::new(
            set,
            if layout == Layout::Slots {
                &[1, 2]
            } else {
                &[]
            },
        );
        let source = sent(&place, layout);
        let mut several = model(&[0, 1, 2]);
        several.outputs[1].weights = vec![0.0; COLUMNS];
        let refused = |model: &Model| {
            let request = Request::new(Job::Linear(model.clone()));
            let error = answer(&place.server(), &request, &source).unwrap_err();
            format!(
                "{error}: {}",
                std::error::Error::source(&error).map_or_else(String::new, ToString::to_string)
            )
        };
        let message = refused(&several);
        assert!(
            message.starts_with("output 1") && message.contains("every weight is zero"),
            "{message}"
        );
        several.outputs[1].name = "virginica".to_owned();
        let message = refused(&several);
        assert!(message.starts_with("output 1 (virginica)"), "{message}");
    }
}

#[test]
fn more_results_than_are_held_in_memory_are_refused_before_any_work() {
    let place = Place::new("ckks-1024x1-sum", &[]);
    let device = Device::open(&place.path("keys/device-1"), false).unwrap();
    let mut sender = device.sender(&CHOICES, &Contents::default(), 7, 0).unwrap();
    let frames = (0..257).map(|_| sender.frame(&Message::Real(vec![1.0])).unwrap().concat());
    let source: Vec<u8> = frames.flatten().collect();
    let rows = vec!["[1]"; 256].join(",");
    let zeros = vec!["0"; 256].join(",");
    let text =
        format!(r#"{{"kind":"linear","features":["a"],"weights":[{rows}],"bias":[{zeros}]}}"#);
    let request = Request {
        unnamed_columns: true,
        ..Request::new(Job::Linear(Model::from_json(&text).unwrap()))
    };
    let refused = answer(&place.server(), &request, &source)
        .unwrap_err()
        .to_string();
    let wanted = "model: has 256 outputs, 65792 results of 257 frames; allowed in one evaluation are 65536, of 256 frames";
    assert_eq!(refused, wanted);
}

#[test]
fn a_sigmoid_of_several_outputs_is_refused_before_any_work() {
    let request = Request::new(Job::Sigmoid(model(&[0, 1])));
    let set = AnySet::by_name("ckks-8192x6-multiply").unwrap();
    let refused = request.check(set).unwrap_err().to_string();
    let wanted =
        "model: has 2 outputs; allowed for sigmoid is one: logistic gives the scores of all";
    assert!(refused.starts_with(wanted), "{refused}");
}

/// Digests as the readable model computes them: the one of a single output is that of earlier versions.
#[test]
fn digests_are_those_of_the_specification() {
    let set = AnySet::by_name("ckks-2048x2-air").unwrap();
    let digest = |text: &str| {
        let request = Request::new(Job::Linear(Model::from_json(text).unwrap()));
        let digest = request.digest(set);
        let digits: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        digits.concat()
    };
    let single = r#"{"kind":"linear","features":["a","b"],"weights":[0.5,-2],"bias":3,"mean":[1,2],"scale":[3,4]}"#;
    assert_eq!(
        digest(single),
        "aa577b6324c3e5bdeab07e3ec80b63ccbe7b51ed2be1f93e32f8be488602465e"
    );
    let several = r#"{"kind":"linear","features":["a"],"weights":[[0.5],[-2]],"bias":[3,4],"outputs":["x","y"]}"#;
    assert_eq!(
        digest(several),
        "0f136896fba386c8f7fafbf0d4141075e060cb2ac362c5021c21c57492a87e51"
    );
    let unnamed = r#"{"kind":"linear","features":["a"],"weights":[[0.5],[-2]],"bias":[3,4],"largest_score":8}"#;
    assert_eq!(
        digest(unnamed),
        "da09d876f6afb58a8cc686955d24ed0d00d22880eb8fb8110e26f37ba3d780c0"
    );
}

#[test]
fn a_single_output_keeps_its_file() {
    let text = r#"{"kind":"linear","features":["a"],"mean":[],"scale":[],"weights":[0.5],"bias":3.0,"largest_score":8.0}"#;
    let model = Model::from_json(text).unwrap();
    assert_eq!(serde_json::to_string(&model).unwrap(), text);
    let several = r#""weights":[[0.5],[1.0]],"bias":[3.0,0.0],"outputs":["x","y"]"#;
    let text =
        format!(r#"{{"kind":"classifier","features":["a"],"mean":[],"scale":[],{several}}}"#);
    let model = Model::from_json(&text).unwrap();
    assert_eq!(serde_json::to_string(&model).unwrap(), text);
}
