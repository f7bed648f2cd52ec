//! Questions about a table: sums of columns, and what the owner makes of those that a device derives.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

use crate::support::{words, Place};

const SET: &str = "ckks-2048x2-air";
const CATEGORIES: [&str; 3] = ["red", "green", "blue"];

/// Two columns with a category each; every seventh width is missing, and no row is blue.
fn table(rows: usize, seed: usize) -> Vec<(f64, Option<f64>, &'static str)> {
    let row = |at: usize| {
        let number = |step: usize| ((at * step + seed) * 2_654_435_761 % 4096) as f64 / 512.0 - 4.0;
        let width = (at % 7 != 3).then(|| number(5) / 2.0 + number(3) / 4.0);
        (number(3), width, CATEGORIES[(at * at + seed) % 3 % 2])
    };
    (0..rows).map(row).collect()
}

fn csv(rows: &[(f64, Option<f64>, &str)]) -> String {
    let width = |width: &Option<f64>| width.map_or(String::new(), |width| width.to_string());
    let lines = rows
        .iter()
        .map(|row| format!("{},{},{}\n", row.0, width(&row.1), row.2));
    "length,width,colour\n".to_owned() + &lines.collect::<String>()
}

/// Checks that a value is within its error, and the error below a most.
fn within(estimate: &Value, wanted: f64, most: f64) {
    let (value, error) = (
        estimate["value"].as_f64().unwrap(),
        estimate["error"].as_f64().unwrap(),
    );
    assert!(
        (value - wanted).abs() <= error + 1e-12 && error <= most,
        "{estimate} for {wanted}"
    );
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn covariance(one: &[f64], other: &[f64]) -> f64 {
    let (first, second) = (mean(one), mean(other));
    let products = one
        .iter()
        .zip(other)
        .map(|(a, b)| (a - first) * (b - second));
    products.sum::<f64>() / (one.len() - 1) as f64
}

/// The value between the order statistics beside a share, as pandas has it.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * (sorted.len() - 1) as f64;
    let (low, high) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    low + (high - low) * place.fract()
}

fn check_column(column: &Value, values: &[f64]) {
    within(&column["count"], values.len() as f64, 0.0);
    within(&column["mean"], mean(values), 1e-4);
    let deviation = covariance(values, values).sqrt();
    within(&column["std"], deviation, 1e-3);
    within(
        &column["standard_error"],
        deviation / (values.len() as f64).sqrt(),
        1e-3,
    );
    // Twelve buckets of a range of eight or less, and a quarter of a bucket for what is interpolated.
    let most = 8.0 / 12.0;
    within(&column["min"], quantile(values, 0.0), most);
    within(&column["max"], quantile(values, 1.0), most);
    for (at, share) in [0.25, 0.5, 0.75].into_iter().enumerate() {
        within(&column["quartiles"][at], quantile(values, share), most);
    }
}

/// Devices of one fleet: the first describes the columns, the second takes its description.
#[test]
fn a_table_of_two_devices_is_described_group_by_group() {
    let place = Place::with_keys(SET, &["--device", "1", "--device", "2"]);
    // The second table lies within the range of the first, whose buckets it takes.
    let tables = [table(140, 1), table(57, 1)];
    place.write("v.csv", csv(&tables[0]));
    place.encrypt(&words(
        "--moments --standardise --quantiles 12 --missing count --group-by colour --categories red,green,blue \
         --write-packing p.json --bound-bits 3",
    ));
    place.write("w.csv", csv(&tables[1]));
    let second =
        "encrypt --keys keys/device-2 --values w.csv --out g.bin --like p.json --bound-bits 3";
    place.run(&words(second)).success();
    place.write("f.bin", [place.read("f.bin"), place.read("g.bin")].concat());
    for job in ["column-sum", "column-mean"] {
        place.evaluate(job, &["--again"]);
        let describe = words("describe --keys keys/owner --in r.bin --packing p.json");
        let summary = place.json(&describe);
        let rows: Vec<_> = tables.iter().flatten().collect();
        for (group, category) in summary["groups"].as_array().unwrap().iter().zip(CATEGORIES) {
            assert_eq!(group["category"], category);
            let own: Vec<_> = rows.iter().filter(|row| row.2 == category).collect();
            within(&group["rows"], own.len() as f64, 0.0);
            if own.is_empty() {
                assert_eq!(
                    group["columns"][0]["mean"],
                    Value::Null,
                    "an empty group has no mean"
                );
                continue;
            }
            let lengths: Vec<f64> = own.iter().map(|row| row.0).collect();
            let widths: Vec<f64> = own.iter().filter_map(|row| row.1).collect();
            check_column(&group["columns"][0], &lengths);
            check_column(&group["columns"][1], &widths);
            let both = own.iter().filter_map(|row| Some((row.0, row.1?)));
            let (one, other): (Vec<f64>, Vec<f64>) = both.unzip();
            within(&group["covariance"][0][1], covariance(&one, &other), 1e-3);
        }
        let text = place.output(&describe);
        // A network may bring an old answer once more.
        let again = place.run(&describe).success();
        let notes = String::from_utf8(again.get_output().stderr.clone()).unwrap();
        assert!(notes.contains("again: answer"), "{notes}");
        assert!(
            text.contains("\nblue: 0 rows\n") && text.contains("±"),
            "{text}"
        );
    }
}

#[test]
fn columns_of_all_rows_by_masks_and_requests() {
    let place = Place::with_keys(SET, &[]);
    let lines: String = (0..500).map(|row| format!("{row},{}\n", -row)).collect();
    place.write("v.csv", format!("a,b\n{lines}"));
    place.encrypt(&["--bound-bits", "9", "--write-packing", "p.json"]);
    let mean = |more: &[&str]| {
        place.evaluate("column-mean", &[more, &["--again"]].concat());
        place.decrypted("r.bin")
    };
    crate::support::close(&mean(&[]), &[249.5, -249.5], 1e-3);
    crate::support::close(&mean(&["--rows", "1,0"]), &[249.0, -249.0], 1e-3);
    let request = "request --keys keys/owner --job column-sum --rows 0,1 --out q.json";
    place.run(&words(request)).success();
    let evaluate =
        "evaluate --keys keys/server --in f.bin --request q.json --again --out r.bin --force";
    place.run(&words(evaluate)).success();
    crate::support::close(&place.decrypted("r.bin"), &[62500.0, -62500.0], 1.0);
    // How many rows a mask took is not in the result.
    let describe = words("describe --keys keys/owner --in r.bin --packing p.json");
    place.refused(3, &describe, "manifest: left out");
}

#[test]
fn what_cannot_be_derived_is_refused_before_any_frame() {
    let place = Place::with_keys(SET, &[]);
    let refused = |table: &str, options: &str, wanted: &str| {
        place.write("v.csv", table);
        let encrypt = words("encrypt --keys keys/device-1 --values v.csv --out f.bin");
        place.refused(3, &[&encrypt[..], &words(options)].concat(), wanted);
        assert!(!place.exists("f.bin"));
    };
    let two = "a,b,c\n1,2,x\n3,4,y\n";
    refused(
        two,
        "--group-by c --categories x,z",
        "row 2, column c: \"y\"; allowed is one of the categories x, z",
    );
    refused(
        two,
        "--group-by c --categories x,x",
        "categories: x occurs twice",
    );
    refused(
        "a,b\n1,2\n",
        "--moments --target d",
        "target: d is no column; allowed is one of a, b",
    );
    refused(
        "a,b\n1,\n",
        "",
        "row 1, column b: empty; allowed are finite numbers, or --missing count",
    );
    refused("a,b\n1,nan\n", "--moments", "--missing count");
    refused(
        "a\n1000000\n",
        "--moments --bound-bits 20",
        "leave the modulus of ckks-2048x2-air; allowed is at most",
    );
    let names: Vec<String> = (0..63).map(|at| format!("c{at}")).collect();
    let wide = format!("{}\n{}\n", names.join(","), vec!["1"; 63].join(","));
    refused(
        &wide,
        "--moments",
        "63 make 2079 with all that is derived from them; allowed in a frame of 2048 places are",
    );
}

#[test]
fn frames_of_other_derived_columns_are_not_added_up() {
    let place = Place::with_keys(SET, &[]);
    place.write("v.csv", "a,b\n1,2\n3,4\n");
    place.encrypt(&["--moments"]);
    let first = place.read("f.bin");
    // Five columns of one table are not the five that another derives from two.
    place.write("v.csv", "a,b,c,d,e\n1,2,3,4,5\n");
    place.encrypt(&["--force"]);
    place.write("f.bin", [first, place.read("f.bin")].concat());
    let evaluate = words("evaluate --keys keys/server --in f.bin --out r.bin --job column-sum");
    place.refused(3, &evaluate, "packing");
}
