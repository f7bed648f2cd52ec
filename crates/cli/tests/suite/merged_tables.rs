//! Tables, and exact questions, on merged frames of integers, and rows of any number of columns: answers, and refusals.

use serde_json::Value;

use crate::support::{words, Place};

/// Bytes in two frames.
fn readings() -> Vec<usize> {
    (0..700).map(|at| at * 7919 % 256).collect()
}

/// An entry for each byte.
fn entry(reading: usize) -> usize {
    reading * reading % 251
}

/// Frames of bytes, and the table of their squares.
fn write(place: &Place) {
    let rows: String = readings()
        .iter()
        .map(|reading| format!("{reading}\n"))
        .collect();
    place.write("v.csv", format!("a\n{rows}"));
    place.encrypt(&words(
        "--scale-bits 20 --bound-bits 8 --rows-per-frame 500 --force",
    ));
    let values: Vec<usize> = (0..256).map(entry).collect();
    place.write("t.json", format!(r#"{{"values":{values:?},"others":255}}"#));
}

fn evaluate(asked: &str, programs: &str) -> Vec<String> {
    let ring = format!("--deep-keys ring --programs {programs}");
    let text =
        format!("evaluate --keys keys/server --in f.bin --out t.bin --force {ring} --job {asked}");
    text.split_whitespace().map(str::to_owned).collect()
}

/// Facts of an evaluation, and its opened values.
fn asked(place: &Place, of: &str) -> (Value, Vec<Value>) {
    let evaluate = evaluate(of, "programs");
    let facts = place.json(&evaluate.iter().map(String::as_str).collect::<Vec<_>>());
    let opened = place.json(&words("decrypt --keys keys/owner --in t.bin"));
    (
        facts,
        opened["values"].as_array().cloned().unwrap_or_default(),
    )
}

/// Every answer to bytes, by programs and keys that are there.
pub fn check(place: &Place) {
    write(place);
    let readings = readings();
    let (facts, values) = asked(place, "table --table t.json");
    assert_eq!(
        (&facts["gap"], values.len()),
        (&0.0.into(), readings.len()),
        "{facts}"
    );
    for (value, reading) in values.iter().zip(&readings) {
        assert_eq!(
            (&value["value"], &value["of"]),
            (&entry(*reading).into(), &"u8".into())
        );
        assert_eq!(value["error"], 0.0);
    }
    let (_, values) = asked(place, "alarm --below 75 --each --exact");
    for (value, reading) in values.iter().zip(&readings) {
        assert_eq!(value["value"], u8::from(*reading < 75), "{reading}");
    }
    let number =
        |of: &dyn Fn(usize) -> bool| readings.iter().filter(|reading| of(**reading)).count();
    let is = |value: &Value, wanted: usize| {
        let (value, error) = (value["value"].as_f64(), value["error"].as_f64());
        error.is_some_and(|error| error < 0.5) && value.map(f64::round) == Some(wanted as f64)
    };
    let (_, values) = asked(place, "count --above 75 --exact");
    assert!(
        is(&values[0], number(&|reading| reading > 75)),
        "{values:?}"
    );
    let (facts, values) = asked(place, "histogram --edges 20,75,76,250 --exact");
    let bins = [0..20, 20..75, 75..76, 76..250, 250..256];
    assert_eq!((&facts["results"], values.len()), (&5.into(), 5));
    for (value, bin) in values.iter().zip(bins) {
        assert!(
            is(value, number(&|reading| bin.contains(&reading))),
            "{bin:?} {value}"
        );
    }
}

/// The size for tables alone: a table that takes all of its levels, a count, and jobs that it does not have.
pub fn check_small(place: &Place) {
    let keys = "server-keys --keys keys/owner --size insecure-13 --programs programs --out small";
    place.run(&words(keys)).success();
    let readings: Vec<i64> = (0..300).map(|at| at * 7919 % 29 - 15).collect();
    let rows: String = readings
        .iter()
        .map(|reading| format!("{reading}\n"))
        .collect();
    place.write("v.csv", format!("a\n{rows}"));
    place.encrypt(&words(
        "--scale-bits 20 --bound-bits 4 --rows-per-frame 100 --force",
    ));
    place.write(
        "t.json",
        r#"{"first":-3,"values":[1,2,3,40,5,6,7],"others":9}"#,
    );
    let evaluate = "evaluate --keys keys/server --in f.bin --out t.bin --force --deep-keys small --programs programs --job";
    let open = |asked: &str| {
        place
            .run(&[&words(evaluate)[..], &words(asked)].concat())
            .success();
        let opened = place.json(&words("decrypt --keys keys/owner --in t.bin"));
        opened["values"].as_array().cloned().unwrap_or_default()
    };
    let values = open("table --table t.json");
    assert_eq!(values.len(), readings.len());
    for (value, reading) in values.iter().zip(&readings) {
        let place = usize::try_from(reading + 3).ok();
        let wanted = place.and_then(|place| [1, 2, 3, 40, 5, 6, 7].get(place));
        assert_eq!(value["value"], *wanted.unwrap_or(&9), "{reading}");
    }
    let values = open("count --below -3 --exact");
    let wanted = readings.iter().filter(|reading| **reading < -3).count();
    let found = values[0]["value"].as_f64().map(f64::round);
    assert_eq!(found, Some(wanted as f64), "{values:?}");
    check_extremes(place, evaluate, &readings);
    for asked in ["count --below -3", "variance --columns 0"] {
        let wanted =
            "size: insecure-13; allowed is deep-16 for this job; insecure-13 has tables alone";
        place.refused(3, &[&words(evaluate)[..], &words(asked)].concat(), wanted);
    }
}

/// The smallest and the largest reading, and how many results tell them: one for each integer within the bound.
fn check_extremes(place: &Place, evaluate: &str, readings: &[i64]) {
    let ask = "request --keys keys/owner --job maximum --out most.json";
    place.run(&words(ask)).success();
    let evaluate = evaluate.trim_end_matches("--job");
    for (asked, decrypt, wanted) in [
        ("--job minimum --exact", "", readings.iter().min()),
        (
            "--request most.json",
            " --request most.json",
            readings.iter().max(),
        ),
    ] {
        let facts = place.json(&[&words(evaluate)[..], &words(asked)].concat());
        assert_eq!(
            (&facts["results"], &facts["gap"]),
            (&33.into(), &0.0.into())
        );
        let decrypt = format!("decrypt --keys keys/owner --in t.bin{decrypt}");
        let opened = place.json(&words(&decrypt));
        let values = opened["values"].as_array().expect("values");
        assert_eq!(
            (values.len(), values[0]["value"].as_i64()),
            (1, wanted.copied())
        );
        assert_eq!(
            (&values[0]["of"], &values[0]["error"]),
            (&"i16".into(), &0.0.into())
        );
    }
}

/// Rows of three columns, which are no power of two apart unless they are filled.
pub fn check_filled_rows(place: &Place) {
    let row = |at: usize| [at % 7, at % 5, at % 11].map(|value| value as f64 - 3.0);
    let rows: String = (0..150)
        .map(row)
        .map(|[a, b, c]| format!("{a},{b},{c}\n"))
        .collect();
    place.write("v.csv", format!("a,b,c\n{rows}"));
    let encrypt = "--scale-bits 15 --bound-bits 3 --rows-per-frame 100 --force";
    let evaluate = "evaluate --keys keys/server --in f.bin --out t.bin --force --deep-keys ring --programs programs \
                    --job variance --columns 2";
    place.encrypt(&words(encrypt));
    place.refused(
        3,
        &words(evaluate),
        "stride: 3; allowed is a power of two up to 1024, as by encrypt --fill-rows",
    );
    place.encrypt(&[&words(encrypt)[..], &["--fill-rows"]].concat());
    place.run(&words(evaluate)).success();
    let opened = place.json(&words("decrypt --keys keys/owner --in t.bin"));
    let mean = |of: &dyn Fn(f64) -> f64| (0..150).map(|at| of(row(at)[2])).sum::<f64>() / 150.0;
    let wanted = mean(&|value| value * value) - mean(&|value| value).powi(2);
    let value = &opened["values"][0];
    let (found, error) = (value["value"].as_f64(), value["error"].as_f64());
    let is_near = |found: f64| (found - wanted).abs() <= error.unwrap_or(0.0) && error < Some(1.0);
    assert!(found.is_some_and(is_near), "{value} {wanted}");
}

/// Tables and frames that do not fit each other, before a program is asked.
pub fn check_refusals(place: &Place) {
    let refused = |of: &str, wanted: &str| {
        let evaluate = evaluate(of, "killed");
        let evaluate: Vec<&str> = evaluate.iter().map(String::as_str).collect();
        place.refused(3, &evaluate, wanted);
    };
    // Readings of one decimal at a scale of 2^10 are no integers that a table could tell apart.
    refused(
        "count --above 75 --exact",
        "readings: 900; allowed is as many, as precise",
    );
    write(place);
    refused("table", "--table: missing; table needs a file");
    for (table, wanted) in [
        (
            r#"{"values":[1,2]}"#,
            "entries: readings of 0 to 1 steps of 1; allowed is entries of -256 to 256 steps",
        ),
        (
            r#"{"values":[1,2],"others":3,"step":300}"#,
            "step: 300; allowed is above 0, up to 256",
        ),
        (
            r#"{"values":[1,2],"others":3,"step":0.25}"#,
            "entries: 2049 of readings up to 256, 0.25 apart",
        ),
        (
            r#"{"values":[1,256]}"#,
            "table: invalid value: integer `256`",
        ),
        (r#"{"values":[]}"#, "values: 0; allowed are 1 to 1024"),
        ("[1,2]", "table: "),
    ] {
        place.write("w.json", table);
        refused("table --table w.json", wanted);
    }
    for (asked, wanted) in [
        (
            "count --above 257 --exact",
            "threshold: 257; allowed is -256 to 256",
        ),
        (
            "histogram --edges 2,1 --exact",
            "edges: 2 1; allowed are one or more, ascending",
        ),
        (
            "minimum",
            "entries: 513 integers from -256 to 256; allowed is up to 129",
        ),
        (
            "alarm --above 1 --exact",
            "each: false; allowed on merged frames is true",
        ),
    ] {
        refused(asked, wanted);
    }
}
