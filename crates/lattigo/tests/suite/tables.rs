//! Tables, and exact questions, that no readings or not these readings could make right: refused before any work.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::merged;
use isopod_lattigo::{
    Alarm, Backend, Count, Covariance, Error, Histogram, Occurrences, Options, Question, Side,
    Table, INSECURE, INSECURE_TABLES, SIZES,
};
use isopod_linear::{Merged, Reduction};
use std::path::PathBuf;
use std::time::Duration;

/// Integers from -8 to 8 at this scale.
fn integers(log2_scale: u8) -> Merged {
    let mut merged = merged([4, 4], 3.0, 0.1).0;
    merged.header.log2_scale = log2_scale;
    merged.reduction = Reduction::Circle;
    merged
}

fn table() -> Table {
    Table {
        step: 1.0,
        first: -5,
        values: vec![7; 11],
        others: Some(255),
    }
}

fn refusal_of(question: &dyn Question, merged: &Merged) -> String {
    match question.plan(std::slice::from_ref(merged)) {
        Ok(_) => String::new(),
        Err(Error::Allowed { field, found, .. }) => format!("{field}: {found}"),
        Err(other) => other.to_string(),
    }
}

#[test]
fn tables_out_of_range_are_refused() {
    let with = |change: &dyn Fn(&mut Table)| {
        let mut table = table();
        change(&mut table);
        refusal_of(&table, &integers(20))
    };
    assert_eq!(with(&|_| {}), "");
    assert_eq!(with(&|table| table.step = 0.5), "");
    for (found, wanted) in [
        (with(&|table| table.step = 0.0), "step: 0"),
        (with(&|table| table.step = f64::NAN), "step: NaN"),
        (with(&|table| table.step = 9.0), "step: 9"),
        (
            with(&|table| table.step = 0.01),
            "entries: 1601 of readings up to 8, 0.01 apart",
        ),
        (with(&|table| table.values.clear()), "values: 0"),
        (with(&|table| table.values = vec![0; 1025]), "values: 1025"),
        (with(&|table| table.first = i32::MIN), "first: -2147483648"),
        (
            with(&|table| table.others = None),
            "entries: readings of -5 to 5 steps of 1",
        ),
    ] {
        assert_eq!(found, wanted);
    }
    let whole = with(&|table| {
        (table.first, table.others) = (-8, None);
        table.values = (0..17).collect();
    });
    assert_eq!(whole, "");
}

#[test]
fn bounds_noise_and_numbers_that_are_too_large_are_refused() {
    let gap = Some(0.0);
    let (threshold, side) = (3.0, Side::Above);
    let count = Count {
        threshold,
        side,
        gap,
    };
    let alarm = Alarm {
        threshold,
        side,
        gap,
    };
    let edges = vec![1.0, 2.0];
    let histogram = Histogram { edges, gap };
    let table = table();
    let questions: [&dyn Question; 4] = [&count, &histogram, &alarm, &table];
    assert!(questions
        .iter()
        .all(|question| question.reduction() == Reduction::Circle));
    let mut wide = integers(17);
    wide.frames[0].log2_bound = 10;
    for question in questions {
        assert_eq!(refusal_of(question, &integers(20)), "");
        assert_eq!(
            refusal_of(question, &wide),
            "entries: 2049 of readings up to 1024, 1 apart"
        );
    }
    // Six deviations of noise are an eighth of a step, and half of one.
    let values = "values: up to 255, off by";
    let counts = "readings: 128";
    for (log2_scale, wanted) in [
        (13, ["", "", "", values]),
        (11, [counts, counts, "values: up to 1, off by", values]),
    ] {
        let noisy = Merged {
            noise: 1024.0,
            ..integers(log2_scale)
        };
        for (question, wanted) in questions.into_iter().zip(wanted) {
            let found = refusal_of(question, &noisy);
            assert!(
                found.starts_with(wanted) && found.is_empty() == wanted.is_empty(),
                "{log2_scale}: {found}"
            );
        }
    }
    let beyond = Count {
        threshold: 9.0,
        ..count
    };
    assert_eq!(refusal_of(&beyond, &integers(20)), "threshold: 9");
}

/// Integers within the bound, each with a number of the answer.
#[test]
fn integers_that_are_told_apart_are_those_of_small_bounds() {
    let with = |log2_bound| {
        let mut merged = integers(20);
        merged
            .frames
            .iter_mut()
            .for_each(|frame| frame.log2_bound = log2_bound);
        merged
    };
    for (log2_bound, numbers) in [(0, 3), (4, 33), (6, 129)] {
        let plan = Occurrences.plan(&[with(log2_bound)]).unwrap();
        let largest = plan
            .numbers
            .iter()
            .map(|number| number.error)
            .fold(0.0, f64::max);
        assert_eq!((plan.numbers.len(), plan.gap), (numbers, 0.0));
        assert!(largest > 0.0 && largest < 0.5, "{largest}");
    }
    assert_eq!(Occurrences.reduction(), Reduction::Circle);
    let refused = refusal_of(&Occurrences, &with(7));
    assert_eq!(refused, "entries: 257 integers from -128 to 128");
    assert_eq!(refusal_of(&Occurrences, &with(-1)), "step: 1");
}

#[test]
fn frames_in_the_range_of_another_reduction_are_refused() {
    let mut backend = Backend::new(Options {
        program: PathBuf::from("/none"),
        keys: PathBuf::from("/none"),
        size: INSECURE,
        memory: None,
        threads: 1,
        patience: Duration::from_secs(1),
    });
    let (threshold, side) = (3.0, Side::Above);
    let sine = Count {
        threshold,
        side,
        gap: None,
    };
    let circle = [integers(15)];
    for (question, reduction, wanted) in [
        (
            &sine as &dyn Question,
            Reduction::Circle,
            "reduction: Circle; allowed is Sine",
        ),
        (
            &table(),
            Reduction::Sine,
            "reduction: Sine; allowed is Circle",
        ),
    ] {
        let merged = [Merged {
            reduction,
            ..circle[0].clone()
        }];
        let found = backend.ask(&merged, question, &mut |_| {}).unwrap_err();
        assert_eq!(found.to_string(), wanted);
    }
}

/// The noise of a public key, at the scale and the bound of bytes.
#[test]
fn tables_of_bytes_are_exact_under_every_size_with_levels_for_them() {
    let mut merged = Merged {
        noise: 1100.0,
        ..integers(20)
    };
    merged.large = SIZES[0].ring;
    merged.frames[0].log2_bound = 8;
    assert_eq!(refusal_of(&table(), &merged), "");
    let most = Table {
        others: Some(63),
        ..table()
    };
    merged.large = SIZES[1].ring;
    merged.frames[0].log2_bound = 4;
    assert_eq!(refusal_of(&most, &merged), "");
    let found = refusal_of(&table(), &merged);
    assert!(found.starts_with("values: up to 255, off by 1."), "{found}");
}

/// The size without a sine has six levels, 64 entries.
#[test]
fn sizes_without_levels_for_a_question_are_named() {
    let small = SIZES
        .into_iter()
        .find(|size| size.name == "deep-15")
        .unwrap();
    let sum = Covariance {
        pairs: vec![[0, 0]],
    };
    let refusal = small.check(sum.reduction()).unwrap_err().to_string();
    assert!(
        refusal.starts_with("size: deep-15; allowed is deep-16 for this job"),
        "{refusal}"
    );
    assert!(SIZES[0].check(sum.reduction()).is_ok() && small.check(table().reduction()).is_ok());
    let mut merged = integers(20);
    merged.large = INSECURE_TABLES.ring;
    let narrow = Table {
        values: vec![7; 11],
        others: Some(63),
        ..table()
    };
    assert_eq!(refusal_of(&narrow, &merged), "");
    merged.frames[0].log2_bound = 5;
    let found = refusal_of(&narrow, &merged);
    assert_eq!(found, "entries: 65 of readings up to 32, 1 apart");
    assert_eq!(
        refusal_of(
            &Table {
                step: 2.0,
                first: 0,
                ..narrow
            },
            &merged
        ),
        ""
    );
    merged.large.degree *= 2;
    assert!(refusal_of(&table(), &merged).starts_with("ring: LargeRing"));
}
