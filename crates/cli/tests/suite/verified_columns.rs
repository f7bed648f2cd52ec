//! Sums of columns, weighted sums and histograms that prove themselves, in all exact layouts; a server that lies is refused.
#![allow(clippy::unwrap_used)]

use crate::support::{words, Place};
use isopod_wire::{EncryptedResult, LinearTag, Manifest};
use sha3::{Digest as _, Sha3_256};

const DECRYPT: [&str; 6] = [
    "decrypt",
    "--keys",
    "keys/owner",
    "--in",
    "r.bin",
    "--verify",
];
/// Rows of three devices: frames of two rows, and one of one row.
const TABLES: [(u32, &str); 3] = [
    (1, "a,b\n1,-7\n2,8\n3,0\n"),
    (2, "a,b\n30,1\n40,2\n"),
    (3, "a,b\n500,5\n-500,6\n"),
];
const SUMS: [f64; 2] = [76.0, 15.0];

/// A place in which three devices have keys of tags.
fn fleet(options: &str) -> Place {
    let options = format!("{options} --device 1 --device 2 --device 3");
    let place = Place::with_new_keys(&words(&options));
    place
        .run(&words("device tag-key 1-3 --keys keys"))
        .success();
    place
}

/// The frames of all devices, with tags of columns.
fn send(place: &Place, options: &str) {
    let mut all = Vec::new();
    for (device, table) in TABLES {
        place.write("v.csv", table);
        let encrypt = format!(
            "encrypt --keys keys/device-{device} --values v.csv --out f.bin --force --bound-bits 10 --column-tag {options}"
        );
        place.run(&words(&encrypt)).success();
        all.extend(place.read("f.bin"));
    }
    place.write("all.bin", all);
}

fn evaluate(place: &Place, options: &str) {
    let evaluate = "evaluate --keys keys/server --again --force";
    place
        .run(&words(&format!("{evaluate} {options}")))
        .success();
}

fn told(place: &Place, more: &[&str]) -> String {
    let run = place.run(&[&DECRYPT[..], more].concat()).success();
    String::from_utf8(run.get_output().stderr.clone()).unwrap()
}

#[test]
fn columns_and_their_rows_are_proved_however_many_rows_frames_have() {
    let place = fleet("--set bfv-2048x2-air");
    send(&place, "--rows-per-frame 2");
    evaluate(
        &place,
        "--job column-sum --verifiable --in all.bin --out r.bin",
    );
    let said = told(&place, &[]);
    let wanted = "verified: 4 frames with 7 rows of 3 devices";
    assert!(
        said.contains(wanted) && said.contains("forgery 2^-59"),
        "{said}"
    );
    assert_eq!(place.decrypted("r.bin"), SUMS);
    let facts = place.json(&DECRYPT)["verified"].clone();
    assert_eq!(facts["rows"], 7);
    // States carry the tags of columns, and the sum of the same frames has those of places.
    evaluate(
        &place,
        "--job column-sum --partial --in all.bin --out s.bin",
    );
    evaluate(&place, "--job column-sum --in s.bin --out r.bin");
    assert!(told(&place, &[]).contains(wanted));
    send(&place, "--rows-per-frame 1");
    evaluate(&place, "--job sum --verifiable --in all.bin --out r.bin");
    assert!(told(&place, &[]).contains("verified: 7 frames of 3 devices"));
    assert_eq!(place.decrypted("r.bin"), SUMS);
}

/// A lie, under the server's seal.
type Lie = fn(&mut EncryptedResult, &EncryptedResult);

fn tag(result: &EncryptedResult) -> LinearTag {
    result.linear_tag.unwrap()
}

fn values_of(result: &mut EncryptedResult, some: &EncryptedResult) {
    (result.c0, result.c1) = (some.c0.clone(), some.c1.clone());
    result.rounded = some.rounded;
}

fn rows(result: &mut EncryptedResult, change: impl Fn(usize, u32) -> u32) {
    let manifest = result.provenance.manifest.take().unwrap();
    let frames = manifest.frames().enumerate();
    let changed = frames.map(|(at, (id, rows))| (id, change(at, rows)));
    let manifest = Manifest::of(changed).unwrap();
    result.provenance.origin = Sha3_256::digest(manifest.encode()).into();
    result.provenance.manifest = Some(manifest);
}

/// Each changes the honest sums of columns, with those of some frames beside them.
const LIES: [(&str, Lie); 10] = [
    ("omit", values_of),
    ("omit, with the tag", |result, some| {
        values_of(result, some);
        result.linear_tag = some.linear_tag;
    }),
    ("splice", |result, some| result.linear_tag = some.linear_tag),
    ("double", |result, some| {
        result.linear_tag = tag(result).plus(tag(some), 1)
    }),
    ("scale", |result, _| {
        result.linear_tag = LinearTag::new(0, 0).plus(tag(result), 2)
    }),
    ("shift", |result, _| {
        result.linear_tag = tag(result).plus(LinearTag::new(0, 1), 1)
    }),
    ("one row fewer", |result, _| {
        rows(result, |_, rows| rows - u32::from(rows == 2))
    }),
    ("one row more", |result, _| {
        rows(result, |at, rows| rows + u32::from(at == 0))
    }),
    ("other columns", |result, _| {
        result.provenance.packing = Some([7; 16])
    }),
    ("as the sum of frames", |result, _| {
        result.provenance.job = "sum".to_owned()
    }),
];

#[test]
fn every_lie_about_columns_is_refused() {
    let place = fleet("--set bfv-2048x2-air");
    send(&place, "--rows-per-frame 2");
    evaluate(&place, "--job column-sum --in all.bin --out r.bin");
    let honest = place.opened("r.bin");
    evaluate(&place, "--job column-sum --in f.bin --out some.bin");
    let some = place.opened("some.bin");
    for (name, lie) in LIES {
        let mut result = honest.clone();
        lie(&mut result, &some);
        place.sealed(&result);
        let message = place.refusal(4, &DECRYPT);
        assert!(message.contains("linear tag"), "{name}: {message}");
    }
    // Rows that move from frame to frame are the server's word: their number is what is proved.
    let mut result = honest.clone();
    rows(&mut result, |at, rows| match at {
        0 => rows + 1,
        2 => rows - 1,
        _ => rows,
    });
    place.sealed(&result);
    assert!(told(&place, &[]).contains("with 7 rows"));
    // The frames' sum, place by place, is not the sum of columns.
    send(&place, "--rows-per-frame 1");
    evaluate(&place, "--job sum --in all.bin --out r.bin");
    let mut result = place.opened("r.bin");
    result.provenance.job = "column-sum".to_owned();
    place.sealed(&result);
    assert!(place.refusal(4, &DECRYPT).contains("linear tag"));
}

#[test]
fn weights_are_those_of_the_request() {
    let place = fleet("--set bfv-2048x2-air");
    let request = |weights: &str| {
        let request = "request --keys keys/owner --job weighted --force --out w.req --weights";
        place.run(&words(&format!("{request} {weights}"))).success();
    };
    send(&place, "--rows-per-frame 1");
    request("1,2,3,-4,5,6,7");
    evaluate(
        &place,
        "--request w.req --verifiable --in all.bin --out r.bin",
    );
    let asked = ["--request", "w.req"];
    assert!(told(&place, &asked).contains("verified: 7 frames of 3 devices"));
    let values = place.json(&[&DECRYPT[..], &asked].concat())["values"].clone();
    let wanted = [14 - 120 + 200 + 3000 - 3500, -7 + 16 - 4 + 10 + 30 + 42];
    for (value, wanted) in values.as_array().unwrap().iter().zip(wanted) {
        assert_eq!(value["value"], wanted);
    }
    place.refused(4, &DECRYPT, "give the request");
    let honest = place.opened("r.bin");
    // Other weights under the digest of the owner's: exchanged, one changed, one of 0.
    for weights in ["2,1,3,-4,5,6,7", "1,2,3,-4,5,6,8", "1,2,3,-4,5,6,0"] {
        let evaluate_with = format!("--job weighted --weights {weights} --in all.bin --out r.bin");
        evaluate(&place, &evaluate_with);
        let mut result = place.opened("r.bin");
        result.provenance.request = honest.provenance.request;
        result.provenance.challenge = honest.provenance.challenge;
        place.sealed(&result);
        let message = place.refusal(4, &[&DECRYPT[..], &asked].concat());
        assert!(message.contains("linear tag"), "{weights}: {message}");
    }
    // A weighted sum that says to be a sum.
    let mut result = honest.clone();
    result.provenance.job = "sum".to_owned();
    place.sealed(&result);
    assert!(place.refusal(4, &DECRYPT).contains("linear tag"));
    // Fewer frames than weights.
    let mut result = honest;
    let manifest = result.provenance.manifest.take().unwrap();
    let manifest = Manifest::of(manifest.frames().skip(1)).unwrap();
    result.provenance.frames = manifest.count();
    result.provenance.origin = Sha3_256::digest(manifest.encode()).into();
    result.provenance.manifest = Some(manifest);
    place.sealed(&result);
    place.refused(4, &[&DECRYPT[..], &asked].concat(), "weights");
}

/// A true sum is no answer to a request for weights, nor that of all rows to one for some.
#[test]
fn a_true_sum_does_not_answer_another_question() {
    let place = fleet("--set bfv-2048x2-air");
    send(&place, "--rows-per-frame 1");
    for (asked, answered, wanted) in [
        ("weighted --weights 1,2,3,-4,5,6,7", "sum", "another job"),
        (
            "column-sum --rows 1,0",
            "column-sum",
            "no linear tag proves",
        ),
    ] {
        let request = format!("request --keys keys/owner --out a.req --force --job {asked}");
        place.run(&words(&request)).success();
        evaluate(&place, "--request a.req --in all.bin --out r.bin");
        let provenance = place.opened("r.bin").provenance;
        evaluate(
            &place,
            &format!("--job {answered} --in all.bin --out r.bin"),
        );
        let mut result = place.opened("r.bin");
        result.provenance.request = provenance.request;
        result.provenance.challenge = provenance.challenge;
        place.sealed(&result);
        let decrypt = [&DECRYPT[..], &["--request", "a.req"]].concat();
        place.refused(4, &decrypt, wanted);
    }
}

#[test]
fn slots_are_proved() {
    let place = fleet("--set bfv-4096x2-linear --for column-sum --stride 2");
    for options in ["", "--level 1"] {
        send(&place, &format!("--rows-per-frame 2 {options}"));
        for job in ["column-sum", "sum"] {
            evaluate(
                &place,
                &format!("--job {job} --verifiable --in all.bin --out r.bin"),
            );
            let said = told(&place, &[]);
            assert!(
                said.contains("verified: 4 frames"),
                "{options} {job}: {said}"
            );
        }
    }
    evaluate(&place, "--job column-sum --in all.bin --out r.bin");
    assert_eq!(place.decrypted("r.bin"), SUMS);
    send(&place, "--layout repeated --rows-per-frame 1");
    evaluate(&place, "--job sum --verifiable --in all.bin --out r.bin");
    assert!(told(&place, &[]).contains("verified: 7 frames"));
}

#[test]
fn histograms_are_proved() {
    let place = fleet("--set bfv-4096x2-linear --for histogram");
    let mut all = Vec::new();
    for (device, table) in TABLES {
        place.write("v.csv", table);
        let encrypt = format!(
            "encrypt --keys keys/device-{device} --values v.csv --out f.bin --force --column-tag --buckets 0,10,100"
        );
        place.run(&words(&encrypt)).success();
        all.extend(place.read("f.bin"));
    }
    place.write("all.bin", all);
    evaluate(
        &place,
        "--job histogram --verifiable --in all.bin --out r.bin",
    );
    assert!(told(&place, &[]).contains("verified: 3 frames of 3 devices"));
    let counts = place.decrypted("r.bin");
    assert_eq!(counts.iter().sum::<f64>(), 14.0);
    let mut result = place.opened("r.bin");
    result.provenance.job = "column-sum".to_owned();
    place.sealed(&result);
    assert!(place.refusal(4, &DECRYPT).contains("linear tag"));
}

#[test]
fn what_cannot_be_proved_is_refused_before_a_frame_is_read() {
    let place = fleet("--set bfv-2048x2-air");
    place.write("all.bin", "no frame");
    let evaluate = "evaluate --keys keys/server --in all.bin --out r.bin --verifiable --job";
    for (job, wanted) in [
        (
            "total",
            "no linear tag proves the job total; allowed are sum",
        ),
        (
            "column-sum --rows 1,0",
            "of some rows; allowed are all rows",
        ),
    ] {
        place.refused(3, &words(&format!("{evaluate} {job}")), wanted);
    }
    let real = Place::with_new_keys(&words("--set ckks-2048x2-air"));
    real.write("all.bin", "no frame");
    real.refused(
        3,
        &words(&format!("{evaluate} column-sum")),
        "allowed are sets of integers (bfv-...), and under sets of CKKS the sum of readings on a grid",
    );
    // Without a key of tags, and with a key for frames without tags of columns.
    place.write("v.csv", "a,b\n1,2\n3,4\n");
    place.run(&words("device add 4 --keys keys")).success();
    let encrypt = "encrypt --values v.csv --out f.bin --force --bound-bits 4 --keys keys/device-";
    place.refused(
        3,
        &words(&format!("{encrypt}4 --column-tag")),
        "no key of linear tags",
    );
    place.run(&words(&format!("{encrypt}1"))).success();
    let column_sum =
        "evaluate --keys keys/server --job column-sum --in f.bin --out r.bin --verifiable";
    place.run(&words(column_sum)).success();
    place.refused(3, &DECRYPT, "no linear tags");
}
