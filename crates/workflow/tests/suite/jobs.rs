//! One interface for every scheme: from messages to values, and refusals of requests.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use crate::support::{answer, open, opened, real, Place};
use isopod_wire::{AnySet, Schema, ValueType};
use isopod_workflow::{
    Contents, Description, Error, Evaluator, Inbox, Job, JobName, Layouts, Message, Model, Numbers,
    Packing, Progress, Readings, Request, Side, Stage, Summary, Threshold, Values,
};

fn set(name: &str) -> AnySet {
    AnySet::by_name(name).unwrap()
}

#[test]
fn real_numbers_from_readings_to_values() {
    let place = Place::new("ckks-4096x2-linear", &[1]);
    let (server, owner) = (place.server(), place.owner());
    let readings = Readings {
        columns: vec!["a".to_owned(), "b".to_owned()],
        rows: vec![vec![1.0, 2.0], vec![3.0, -0.5]],
    };
    let packing = Packing::new(2, 2048, None).unwrap();
    let messages = readings.messages(server.set().rns().unwrap(), packing);
    let described = Description {
        names: readings.columns.clone(),
        ..Description::default()
    };
    let contents = Contents {
        stride: packing.stride as u32,
        packing: Some(described.packing()),
        ..Contents::default()
    };
    let items = place.items_of(1, 0, &messages[0], &contents).concat();
    let model = r#"{"kind":"linear","features":["a","b"],"weights":[2,1],"bias":0.5}"#;
    let model = Model::from_json(model).unwrap();
    for (job, wanted) in [(Job::Linear(model), [4.5, 6.0]), (Job::Total, [3.0, 2.5])] {
        let mut stages = Vec::new();
        let mut report = |progress: Progress| stages.push((progress.stage, progress.done));
        let mut inbox = Inbox::for_request(&server, &Request::new(job), false).unwrap();
        inbox.read(&items[..]).unwrap();
        let answer = inbox.answer(&mut report).unwrap();
        assert!(matches!(
            answer.summary,
            Summary::Seal {
                results: 1,
                values: 2,
                ..
            }
        ));
        assert_eq!(stages, [(Stage::Computing, 0), (Stage::Computing, 1)]);
        let values = real(open(&owner, &answer).remove(0));
        for (value, wanted) in values.iter().zip(wanted) {
            assert!((value - wanted).abs() < 0.01, "{value} / {wanted}");
        }
    }
}

#[test]
fn integers_are_exact() {
    let place = Place::new("bfv-4096x2-linear", &[]);
    let (server, owner) = (place.server(), place.owner());
    let one = place.items(1, 0, &Message::Integers(vec![5, -7])).concat();
    let two = place.items(2, 0, &Message::Integers(vec![10, 1])).concat();
    let weighted = Job::Weighted(vec![3.0, -1.0]);
    let values = opened(&owner, &server, weighted, &[one, two].concat())
        .remove(0)
        .values;
    assert_eq!(values.into_owner_only(), Values::Integers(vec![5, -22]));
    let uneven = Request::new(Job::Weighted(vec![0.5, 1.0]));
    let error = uneven.check(server.set()).unwrap_err();
    assert!(matches!(
        error,
        Error::Parameter {
            field: "weights",
            ..
        }
    ));
}

#[test]
fn every_job_names_the_sets_that_have_it() {
    for &job in JobName::ALL {
        assert_eq!(JobName::from_name(job.name()), Some(job));
        let without_parameters = Job::from_json(&format!(r#"{{"job":"{}"}}"#, job.name()));
        let refusal = without_parameters.map_or_else(|error| error.to_string(), |_| String::new());
        assert!(!refusal.contains("allowed is a job"), "{refusal}");
        assert!(
            job.check_keys(set(job.usual_set())).is_ok(),
            "{}",
            job.name()
        );
        let tfhe = job.check_keys(set("tfhe-2048-tfhe-rs")).is_ok();
        let takes_tfhe = matches!(job.evaluator(), None | Some(Evaluator::TfheRs));
        assert_eq!(tfhe, takes_tfhe);
    }
    let refused = |job: JobName, name: &str| job.check(set(name)).unwrap_err().to_string();
    assert!(refused(JobName::Histogram, "ckks-4096x2-linear").starts_with("job: histogram counts"));
    assert!(refused(JobName::Mean, "bfv-4096x2-linear").starts_with("job: mean works on real"));
    assert!(refused(JobName::Sum, "tfhe-2048-tfhe-rs").starts_with("sum is computed by Microsoft"));
}

fn word(debug: impl std::fmt::Debug) -> String {
    format!("{debug:?}").to_lowercase()
}

/// One row of the table of jobs.
fn row(job: JobName) -> String {
    let job = job.descriptor();
    let tfhe = job.evaluator != Some(Evaluator::Seal);
    let merged = JobName::from_name(job.name).unwrap();
    let numbers = match (job.layouts, job.numbers) {
        (Layouts::Neither, _) if job.evaluator == Some(Evaluator::Lattigo) => "merged CKKS",
        (Layouts::Neither, _) if merged.takes_merged(set("ckks-2048x1-air")) => "TFHE, merged CKKS",
        (Layouts::Neither, _) => "TFHE",
        (_, Numbers::Real) => "CKKS",
        (_, Numbers::Integers) if tfhe && merged.takes_merged(set("ckks-2048x1-air")) => {
            "BFV, TFHE, merged CKKS"
        }
        (_, Numbers::Integers) if tfhe => "BFV, TFHE",
        (_, Numbers::Integers) => "BFV",
        (_, Numbers::Both) => "CKKS, BFV",
    };
    let layouts = match job.layouts {
        Layouts::Neither => "".to_owned(),
        Layouts::Either => "slots, coefficients".to_owned(),
        other => word(other),
    };
    let options: Vec<String> = job
        .options
        .names()
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let (name, question, keys) = (job.name, job.question, word(job.keys));
    format!(
        "| `{name}` | {question} | {numbers} | {layouts} | {keys} | {} |\n",
        options.join(", ")
    )
}

#[test]
fn the_page_of_jobs_has_every_descriptor() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/choose/jobs.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows: String = JobName::ALL.iter().map(|&job| row(job)).collect();
    assert!(
        page.contains(&rows),
        "docs/choose/jobs.md lacks these rows:\n{rows}"
    );
}

/// The npm package has lists of its own of the jobs that answer frame by frame; one that is missing there is read as one answer.
#[test]
fn the_npm_package_knows_what_answers_frame_by_frame() {
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../web/package/src/results.ts"
    );
    let text = std::fs::read_to_string(source).unwrap();
    let names = |list: &str| -> BTreeSet<String> {
        let (_, rest) = text.split_once(&format!("const {list} = [")).unwrap();
        let (list, _) = rest.split_once("];").unwrap();
        list.split('"')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect()
    };
    let jobs = |is: fn(JobName) -> bool| -> BTreeSet<String> {
        let seal = |job: &&JobName| job.evaluator() == Some(Evaluator::Seal);
        let chosen = JobName::ALL.iter().filter(seal).filter(|job| is(**job));
        chosen.map(|job| job.name().to_owned()).collect()
    };
    let rows = names("PER_ROW");
    assert_eq!(rows, jobs(JobName::is_per_row));
    assert_eq!(
        &names("PER_FRAME") | &rows,
        jobs(JobName::is_per_frame),
        "the list begins with those of PER_ROW"
    );
}

#[test]
fn keys_of_a_set_without_the_job_are_refused_with_a_set_that_has_it() {
    let lacking = [
        (
            JobName::Sigmoid,
            "ckks-4096x3-multiply",
            "four data primes or more; allowed is another set, such as ckks-8192x6",
        ),
        (
            JobName::Histogram,
            "ckks-4096x2-linear",
            "counts integers; allowed is another set, such as bfv-4096x2-linear",
        ),
        (
            JobName::Histogram,
            "bfv-2048x2-air",
            "the set has none; allowed is another set, such as bfv-4096x2-linear",
        ),
        (
            JobName::Linear,
            "ckks-1024x1-sum",
            "the set has none; allowed is another set, such as ckks-4096x2-linear",
        ),
        (
            JobName::MovingAverage,
            "bfv-2048x2-air",
            "real numbers; allowed is another set, such as ckks-2048x2-air",
        ),
        (
            JobName::Alarm,
            "ckks-4096x2-linear",
            "TFHE; allowed is another set, such as tfhe-2048-tfhe-rs",
        ),
        (
            JobName::Count,
            "tfhe-1024-tuniform",
            "TFHEpp; allowed is another set, such as tfhe-2048-tfhe-rs",
        ),
        (
            JobName::Sigmoid,
            "tfhe-2048-tfhe-rs",
            "CKKS or BFV; allowed is another set, such as ckks-8192x6-multiply",
        ),
    ];
    for (job, name, wanted) in lacking {
        let message = job.check_keys(set(name)).unwrap_err().to_string();
        assert!(message.contains(wanted), "{message}");
    }
}

/// Without tfhe-rs a request on bits is refused; with it the same calls compute.
#[test]
fn bits_and_integers() {
    let place = Place::new("tfhe-2048-tfhe-rs", &[]);
    let server = place.server();
    let schema = Schema::of_values(vec![ValueType::U8; 3]).unwrap();
    let items = place.items(1, 0, &Message::Typed(schema, vec![12, 200, 7]));
    let (value, side) = (100, Side::Above);
    let request = Request::new(Job::Count(Threshold { value, side }));
    let answer = answer(&server, &request, &items.concat());
    if !cfg!(feature = "tfhe") {
        assert!(matches!(
            answer.err(),
            Some(Error::WithoutTfhe { job: "count" })
        ));
        return;
    }
    let values = open(&place.owner(), &answer.unwrap()).remove(0).values;
    let wanted = Values::Typed(vec![(ValueType::U16, 1)]);
    assert_eq!(values.into_owner_only(), wanted);
    frames_of_bits_are_taken_as_they_come(&place, &request);
}

/// More frames than may wait, and one of another type among them.
fn frames_of_bits_are_taken_as_they_come(place: &Place, request: &Request) {
    let frame = |of, sequence| {
        let schema = Schema::of_values(vec![of]).unwrap();
        let message = Message::Typed(schema, vec![i128::from(sequence) * 3 % 256]);
        place.items(2, sequence, &message).concat()
    };
    let bytes: Vec<u8> = (0..70).flat_map(|at| frame(ValueType::U8, at)).collect();
    let server = place.server();
    let answered = answer(&server, request, &bytes).unwrap();
    assert_eq!(answered.frames.count(), 70);
    let values = open(&place.owner(), &answered).remove(0).values;
    let wanted = Values::Typed(vec![(ValueType::U16, 36)]);
    assert_eq!(values.into_owner_only(), wanted);
    let bytes = [bytes, frame(ValueType::U16, 70)].concat();
    let mut inbox = Inbox::for_request(&server, request, true).unwrap();
    let error = inbox.read(&bytes[..]).unwrap_err();
    let reason = std::error::Error::source(&error).unwrap().to_string();
    let wanted = "count: value 0 is of type u16; allowed is u8 throughout";
    assert_eq!(reason, wanted);
}
