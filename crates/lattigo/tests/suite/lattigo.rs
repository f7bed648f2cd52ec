//! Lattigo itself, in the small ring without security: keys, an interrupted generation, counts of real encryptions.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::device::Fleet;
use crate::support::Numbers;
use isopod_lattigo::{
    generate, Activation, Alarm, Answer, Backend, Count, Covariance, Decision, Error, Hidden,
    Histogram, KeySet, Leaf, Network, Options, Question, Side, Stage, Table, Unit, INSECURE, SIZES,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Whether there is Go 1.22 or newer, which Lattigo needs.
fn has_go() -> bool {
    let output = Command::new("go").arg("version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    let version = text
        .split_whitespace()
        .find_map(|word| word.strip_prefix("go1."));
    let minor = version.and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    minor.is_some_and(|minor| minor >= 22)
}

/// Both programs, built with the ring of tests; None without Go.
fn programs(place: &Path) -> Option<[PathBuf; 2]> {
    if !has_go() {
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deep");
    let build = |name: &str| {
        let program = place.join(name);
        let mut go = Command::new("go");
        go.current_dir(&source)
            .args(["build", "-tags", "insecure", "-o"]);
        let done = go
            .arg(&program)
            .arg(format!("./cmd/{name}"))
            .output()
            .ok()?;
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        Some(program)
    };
    Some([build("isopod-deep")?, build("isopod-deep-keys")?])
}

fn options(program: &Path, keys: &Path) -> Options {
    Options {
        program: program.into(),
        keys: keys.into(),
        size: INSECURE,
        memory: Some(3 << 30),
        threads: 1,
        patience: Duration::from_secs(300),
    }
}

#[test]
fn answers_are_within_their_promise() {
    let place = tempfile::tempdir().unwrap();
    let Some([deep, make]) = programs(place.path()) else {
        eprintln!("skipped: no Go");
        return;
    };
    let keys = place.path().join("keys");
    let missing = Backend::new(options(&deep, &keys)).start().unwrap_err();
    assert!(
        missing.to_string().contains("server-keys --size"),
        "{missing}"
    );
    let fleet = Fleet::new();
    let made = keys_of_owner(&make, &keys, &fleet.secret());
    check_refusals(&options(&deep, &keys));

    let mut backend = Backend::new(options(&deep, &keys));
    assert_eq!(backend.start().unwrap(), &made);
    check_count(&mut backend, &fleet, [128, 128], (3.0, Side::Above));
    check_count(&mut backend, &fleet, [3, 90], (3.0, Side::Below));
    check_counts_together(&mut backend, &fleet);
    check_histogram(&mut backend, &fleet);
    check_alarms(&mut backend, &fleet);
    check_models(&mut backend, &fleet);
    check_covariances(&mut backend, &fleet);
    check_decisions(&mut backend, &fleet);
    check_table(&mut backend, &fleet);
    check_exact(&mut backend, &fleet);
}

/// A table with entries for some readings, and one for the others.
fn check_table(backend: &mut Backend, fleet: &Fleet) {
    let (merged, integers) = fleet.integers([90, 128]);
    let table = Table {
        step: 1.0,
        first: -5,
        values: (0..11).map(|at| (at * 97 + 13) as u8).collect(),
        others: Some(255),
    };
    let one = std::slice::from_ref(&merged);
    let answer = backend.ask(one, &table, &mut |_| {}).unwrap();
    let each = answer.plan.each.unwrap();
    assert!(each.error < 0.5 && answer.plan.gap == 0.0, "{each:?}");
    let values = fleet.values(&merged, &answer);
    let mut found = 0;
    for (frame, integers) in integers.iter().enumerate() {
        for (at, integer) in integers.iter().enumerate() {
            let place = usize::try_from(*integer as i32 + 5).ok();
            let wanted = place.and_then(|place| table.values.get(place));
            let error = (values[2 * at + frame] - f64::from(*wanted.unwrap_or(&255))).abs();
            assert!(error <= each.error, "{integer}: {error} {each:?}");
            found += 1;
        }
    }
    assert_eq!(found, (90 + 128) * 16);
    let others = values.iter().filter(|value| **value < -0.9 * 255.0);
    assert_eq!(others.count() + found, values.len());
}

/// Counts, bins and alarms of integers, of which many are at a threshold.
fn check_exact(backend: &mut Backend, fleet: &Fleet) {
    let (merged, integers) = fleet.integers([90, 128]);
    let both = [merged.clone(), merged];
    let number = |of: &dyn Fn(f64) -> bool| {
        let all = integers.iter().flatten();
        2.0 * all.filter(|integer| of(**integer)).count() as f64
    };
    let gap = Some(0.0);
    let mut numbers = |question: &dyn Question| {
        let answer = backend.ask(&both, question, &mut |_| {}).unwrap();
        assert!(answer.plan.error() < 0.5, "{:?}", answer.plan);
        fleet.read(&both[0], &answer)
    };
    for (threshold, side) in [(3.0, Side::Above), (3.0, Side::Below), (2.5, Side::Above)] {
        let found = numbers(&Count {
            threshold,
            side,
            gap,
        })[0];
        let wanted = number(&|integer| match side {
            Side::Above => integer > threshold,
            Side::Below => integer < threshold,
        });
        assert_eq!(found.round(), wanted, "{found}");
    }
    let edges = vec![-8.0, -2.0, -1.0, 6.0];
    let found = numbers(&Histogram {
        edges: edges.clone(),
        gap,
    });
    for (bin, found) in found.into_iter().enumerate() {
        let wanted =
            number(&|integer| edges.iter().filter(|edge| integer >= **edge).count() == bin);
        assert!((found - wanted).abs() < 0.1, "{bin}: {found} {wanted}");
    }
    let alarm = Alarm {
        threshold: 3.0,
        side: Side::Below,
        gap,
    };
    let one = &both[..1];
    let answer = backend.ask(one, &alarm, &mut |_| {}).unwrap();
    let (values, each) = (fleet.values(&one[0], &answer), answer.plan.each.unwrap());
    for reading in one[0].readings() {
        let integer = integers[reading.frame][(reading.row * 16 + reading.column) as usize];
        let off = (values[reading.coefficient] - f64::from(u8::from(integer < 3.0))).abs();
        assert!(off <= each.error && each.error < 0.5, "{integer}: {off}");
    }
}

/// The largest of four scores, and two trees, of which one has a path of five comparisons.
fn check_decisions(backend: &mut Backend, fleet: &Fleet) {
    let mut numbers = Numbers(91);
    let scores: Vec<Unit> = std::iter::repeat_with(|| unit(&mut numbers, 16, 0.5))
        .take(4)
        .collect();
    let largest = Decision::largest_of(&scores);
    assert_eq!((largest.nodes.len(), largest.trees[0].len()), (6, 4));
    check_decision(backend, fleet, &largest, (1.5, 100));
    let compared = |column: usize, threshold: f64| {
        let mut weights = vec![0.0; 16];
        weights[column] = 1.0;
        Unit {
            weights,
            bias: -threshold,
        }
    };
    let nodes = (0..6).map(|node| compared(3 * node % 16, f64::from(node as u8) - 2.5));
    let (mut first, mut path) = (Vec::new(), Vec::new());
    for node in 0..5 {
        let below = [&path[..], &[(node, Side::Below)]].concat();
        first.push(Leaf {
            path: below,
            values: vec![node as f64, -2.0],
        });
        path.push((node, Side::Above));
    }
    first.push(Leaf {
        path,
        values: vec![-7.0, 1.0],
    });
    let second = [(Side::Above, 3.0), (Side::Below, -1.0)];
    let second = second.map(|(side, value)| Leaf {
        path: vec![(5, side)],
        values: vec![value, 0.5],
    });
    let forest = Decision {
        nodes: nodes.collect(),
        trees: vec![first, second.to_vec()],
        outputs: 2,
    };
    check_decision(backend, fleet, &forest, (0.25, 100));
}

/// Outputs of all rows outside of the gap of every node, of which there are so many.
fn check_decision(
    backend: &mut Backend,
    fleet: &Fleet,
    asked: &Decision,
    (most, fewest): (f64, usize),
) {
    let (merged, _) = fleet.merged([90, 128], &[], 0.0);
    let answer = backend
        .ask(std::slice::from_ref(&merged), asked, &mut |_| {})
        .unwrap();
    let (plan, each) = (&answer.plan, answer.plan.each.unwrap());
    assert!(
        plan.gap > 0.0 && plan.gap < most && each.error < 0.01 * plan.factor,
        "{plan:?}"
    );
    let values = fleet.values(&merged, &answer);
    let (mut far, mut furthest) = (0, 0.0f64);
    for (frame, readings) in fleet.readings([90, 128], &[], 0.0).iter().enumerate() {
        for (row, readings) in readings.chunks(16).enumerate() {
            let sums: Vec<f64> = asked
                .nodes
                .iter()
                .map(|node| score(node, readings))
                .collect();
            let is_reached = |leaf: &&Leaf| {
                let mut path = leaf.path.iter();
                path.all(|(node, side)| (sums[*node] > 0.0) == (*side == Side::Above))
            };
            let leaves = asked
                .trees
                .iter()
                .map(|tree| tree.iter().find(is_reached).unwrap());
            let leaves: Vec<&Leaf> = leaves.collect();
            // A comparison of two smaller scores may be within the gap, too.
            let mut on_way = leaves.iter().flat_map(|leaf| &leaf.path);
            let near = on_way.any(|(node, _)| sums[*node].abs() <= plan.gap);
            if near || (leaves.len() == 1 && sums.iter().any(|sum| sum.abs() <= plan.gap)) {
                continue;
            }
            far += 1;
            for output in 0..asked.outputs {
                let wanted: f64 = leaves.iter().map(|leaf| leaf.values[output]).sum();
                let value = values[(row * 16 + output) * 2 + frame];
                furthest = furthest.max((value - wanted - plan.factor / 2.0).abs());
            }
        }
    }
    assert!(
        far >= fewest && furthest <= each.error,
        "{far} {furthest} {each:?}"
    );
}

/// Variances and covariances of columns of two ciphertexts that hold the same rows.
fn check_covariances(backend: &mut Backend, fleet: &Fleet) {
    let question = Covariance {
        pairs: vec![[0, 0], [15, 15], [3, 12], [12, 3]],
    };
    let (merged, _) = fleet.merged([90, 128], &[], 0.0);
    let both = [merged.clone(), merged];
    let answer = backend.ask(&both, &question, &mut |_| {}).unwrap();
    let found = fleet.read(&both[0], &answer);
    let readings = fleet.readings([90, 128], &[], 0.0).concat();
    for ((pair, promise), found) in question.pairs.iter().zip(&answer.plan.numbers).zip(found) {
        let column = |number: u32| readings.chunks(16).map(move |row| row[number as usize]);
        let mean = |column: &mut dyn Iterator<Item = f64>| column.sum::<f64>() / 218.0;
        let products = column(pair[0]).zip(column(pair[1])).map(|(a, b)| a * b);
        let wanted =
            mean(&mut { products }) - mean(&mut column(pair[0])) * mean(&mut column(pair[1]));
        let error = (found - wanted).abs();
        assert!(
            error <= promise.error && promise.error < 0.5,
            "{found} {wanted} {promise:?}"
        );
        // The promise holds for every key and all readings, and is far above the usual error.
        assert!(error < 0.02, "{found} {wanted}");
    }
}

/// Makes keys, and refuses to mix them with those of another owner.
fn keys_of_owner(make: &Path, keys: &Path, secret: &[i8]) -> KeySet {
    let mut reports = 0;
    let made = generate(make, &INSECURE, keys, (secret, &[9; 32]), &mut |_, _| {
        reports += 1
    })
    .unwrap();
    assert!(reports > 5 && made.label == "insecure, for tests");
    let other = generate(make, &INSECURE, keys, (secret, &[8; 32]), &mut |_, _| {});
    assert!(matches!(other, Err(Error::Keys(_))), "{other:?}");
    made
}

/// Too little memory, and keys of another size.
fn check_refusals(options: &Options) {
    let small = Options {
        memory: Some(1 << 20),
        ..options.clone()
    };
    let foreign = Options {
        size: SIZES[0],
        ..options.clone()
    };
    for (options, wanted) in [
        (small, "memory: 1048576 bytes; allowed are"),
        (foreign, "keys: of insecure-12"),
    ] {
        let refusal = Backend::new(options).start().unwrap_err().to_string();
        assert!(refusal.starts_with(wanted), "{refusal}");
    }
}

fn check_count(backend: &mut Backend, fleet: &Fleet, rows: [u32; 2], asked: (f64, Side)) {
    let (threshold, side) = asked;
    let question = Count {
        threshold,
        side,
        gap: None,
    };
    let plan = question
        .plan(&[fleet.merged(rows, &[threshold], 0.0).0])
        .unwrap();
    assert!(plan.gap < 0.11 && plan.error() < 0.5, "{plan:?}");
    let (merged, bins) = fleet.merged(rows, &[threshold], plan.gap);
    let mut stages = Vec::new();
    let mut progress = |stage: Stage| stages.push((stage.name, stage.done, stage.total));
    let one = std::slice::from_ref(&merged);
    let answer = backend.ask(one, &question, &mut progress).unwrap();
    let wanted = bins[usize::from(side == Side::Above)];
    let found = fleet.read(&merged, &answer)[0];
    let error = (found - wanted as f64).abs();
    assert!(error <= answer.plan.error(), "{found} {wanted} {plan:?}");
    let total = stages.len() as u32;
    let last = [
        ("reduction modulo q0", total - 3, total),
        ("polynomials", total - 2, total),
        ("answer", total - 1, total),
    ];
    assert!(stages.ends_with(&last), "{stages:?}");
}

/// Two ciphertexts, all of whose readings count, so that the answer is nearly as large as it can be.
fn check_counts_together(backend: &mut Backend, fleet: &Fleet) {
    let question = Count {
        threshold: -8.0,
        side: Side::Above,
        gap: None,
    };
    let both = [[128, 128], [128, 7]].map(|rows| fleet.merged(rows, &[-8.0], 0.2).0);
    let answer = backend.ask(&both, &question, &mut |_| {}).unwrap();
    let (found, wanted) = (fleet.read(&both[0], &answer)[0], answer.plan.readings);
    assert_eq!(wanted, (3 * 128 + 7) * 16);
    let (error, plan) = ((found - wanted as f64).abs(), &answer.plan);
    assert!(error <= plan.error(), "{found} {plan:?}");
}

/// Alarms of each reading of two ciphertexts, of which one has a single frame.
fn check_alarms(backend: &mut Backend, fleet: &Fleet) {
    let question = Alarm {
        threshold: 2.5,
        side: Side::Below,
        gap: Some(0.11),
    };
    let merged = [[90, 128], [128, 1]].map(|rows| fleet.merged(rows, &[2.5], 0.11));
    let (both, bins): (Vec<_>, Vec<_>) = merged.into_iter().unzip();
    let mut stages = Vec::new();
    let mut progress = |stage: Stage| stages.push((stage.name, stage.done, stage.total));
    let mut answer = backend.ask(&both, &question, &mut progress).unwrap();
    assert_eq!((answer.pieces.len(), stages.len()), (4, 10));
    assert_eq!(stages.last(), Some(&("answer", 9, 10)));
    let each = answer.plan.each.unwrap();
    let second = answer.pieces.split_off(2);
    for (merged, (bins, pieces)) in both.iter().zip(bins.iter().zip([answer.pieces, second])) {
        let answer = Answer {
            pieces,
            plan: answer.plan.clone(),
        };
        let values = fleet.values(merged, &answer);
        let mut raised = 0;
        let mut is_reading = vec![false; values.len()];
        for reading in merged.readings() {
            let value = values[reading.coefficient];
            is_reading[reading.coefficient] = true;
            raised += usize::from(value > 0.5);
            let off = value.abs().min((value - 1.0).abs());
            assert!(off <= each.error, "{value} {each:?}");
        }
        assert_eq!(raised, bins[0]);
        let others = values.iter().zip(is_reading).filter(|(_, is)| !is);
        assert!(others.clone().all(|(value, _)| *value < -0.6) && others.count() > 500);
    }
}

/// Weights of 16 columns, the same numbers on every run.
fn unit(numbers: &mut Numbers, weights: usize, largest: f64) -> Unit {
    let drawn = std::iter::repeat_with(|| numbers.real() * largest);
    Unit {
        weights: drawn.take(weights).collect(),
        bias: numbers.real() * largest,
    }
}

/// Scores of a unit.
fn score(unit: &Unit, inputs: &[f64]) -> f64 {
    let products = unit.weights.iter().zip(inputs);
    products.map(|(weight, input)| weight * input).sum::<f64>() + unit.bias
}

/// A logistic model, and a network with three outputs, held against the functions themselves.
fn check_models(backend: &mut Backend, fleet: &Fleet) {
    let mut numbers = Numbers(77);
    let logistic = Network {
        hidden: None,
        outputs: vec![unit(&mut numbers, 16, 0.25)],
        link: Some(Activation::Logistic),
    };
    check_model(backend, fleet, &logistic, 0.02);
    for (activation, most) in [(Activation::Tanh, 0.3), (Activation::Relu, 0.8)] {
        let units = std::iter::repeat_with(|| unit(&mut numbers, 16, 0.1)).take(4);
        let hidden = Hidden {
            units: units.collect(),
            activation,
        };
        let outputs = std::iter::repeat_with(|| unit(&mut numbers, 4, 1.0)).take(3);
        let network = Network {
            outputs: outputs.collect(),
            hidden: Some(hidden),
            link: None,
        };
        check_model(backend, fleet, &network, most);
    }
}

fn check_model(backend: &mut Backend, fleet: &Fleet, network: &Network, most: f64) {
    let (merged, _) = fleet.merged([90, 128], &[], 0.0);
    let one = std::slice::from_ref(&merged);
    let answer = backend.ask(one, network, &mut |_| {}).unwrap();
    let each = answer.plan.each.unwrap();
    assert!(
        each.error < most && answer.plan.readings == 90 + 128,
        "{:?}",
        answer.plan
    );
    let values = fleet.values(&merged, &answer);
    let (step, mut furthest, mut found) = (2, 0.0f64, 0);
    let readings = fleet.readings([90, 128], &[], 0.0);
    for (frame, readings) in readings.iter().enumerate() {
        for (row, readings) in readings.chunks(16).enumerate() {
            let hidden = network.hidden.as_ref().map(|hidden| {
                let sums = hidden.units.iter().map(|unit| score(unit, readings));
                sums.map(|sum| hidden.activation.of(sum)).collect()
            });
            let inputs: Vec<f64> = hidden.unwrap_or(readings.to_vec());
            for (column, output) in network.outputs.iter().enumerate() {
                let sum = score(output, &inputs);
                let wanted = match network.link {
                    Some(link) => link.of(sum),
                    None => sum + answer.plan.factor / 2.0,
                };
                let value = values[(row * 16 + column) * step + frame];
                furthest = furthest.max((value - wanted).abs());
                found += 1;
            }
        }
    }
    assert!(furthest <= each.error, "{furthest} {each:?}");
    let others = values
        .iter()
        .filter(|value| **value < -0.9 * answer.plan.factor);
    assert_eq!(others.count() + found, values.len());
}

/// Bins of two ciphertexts that hold the same readings; the last edge is the bound, so that its bin is empty.
fn check_histogram(backend: &mut Backend, fleet: &Fleet) {
    let question = Histogram {
        edges: vec![-5.5, -1.0, 0.25, 8.0],
        gap: Some(0.11),
    };
    let (merged, bins) = fleet.merged([100, 128], &question.edges, 0.11);
    let both = [merged.clone(), merged];
    let mut polynomials = 0;
    let mut progress = |stage: Stage| polynomials += u32::from(stage.name == "polynomials");
    let answer = backend.ask(&both, &question, &mut progress).unwrap();
    assert_eq!(polynomials, 2 * 4);
    assert_eq!((answer.pieces.len(), bins.len(), bins[4]), (5, 5, 0));
    let found = fleet.read(&both[0], &answer);
    let promises = answer.plan.numbers.iter().zip(&bins);
    for ((promise, bin), found) in promises.zip(&found) {
        let error = (found - 2.0 * *bin as f64).abs();
        assert!(error <= promise.error && error < 0.5, "{found:?} {bins:?}");
    }
    // Each bin by itself is off by far less than its promise, and all of them add up to the readings.
    let sum: f64 = found.iter().sum();
    assert!((sum - answer.plan.readings as f64).abs() < 0.5, "{sum}");
}
