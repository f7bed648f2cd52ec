//! Sums that prove themselves: an honest sum is verified; a server that lies is refused, and nothing is printed.
#![allow(clippy::unwrap_used)]

use crate::support::{words, Place};
use isopod_wire::{EncryptedResult, FrameId, LinearTag, Manifest};
use sha3::{Digest as _, Sha3_256};

const SET: &str = "bfv-2048x2-air";
const DECRYPT: [&str; 5] = ["decrypt", "--keys", "keys/owner", "--in", "r.bin"];

/// A place in which three devices with keys of tags sent two frames each, in all.bin.
fn fleet() -> Place {
    let place = Place::with_keys(SET, &words("--for sum --device 1 --device 2 --device 3"));
    place
        .run(&words("device tag-key 1-3 --keys keys"))
        .success();
    place.write("all.bin", send(&place));
    place
}

/// The frames of all devices.
fn send(place: &Place) -> Vec<u8> {
    let mut all = Vec::new();
    for (device, table) in [
        (1, "a,b\n1,-7\n2,8\n"),
        (2, "a,b\n30,1\n40,2\n"),
        (3, "a,b\n5,5\n6,6\n"),
    ] {
        place.write("v.csv", table);
        let keys = format!("keys/device-{device}");
        let encrypt =
            words("--values v.csv --out f.bin --force --rows-per-frame 1 --bound-bits 10");
        let encrypt = [&["encrypt", "--keys", &keys], &encrypt[..]].concat();
        place.run(&encrypt).success();
        all.extend(place.read("f.bin"));
    }
    all
}

fn sum(place: &Place, frames: &str, out: &str, more: &[&str]) {
    let sum = [
        "evaluate",
        "--keys",
        "keys/server",
        "--job",
        "sum",
        "--again",
        "--force",
    ];
    let sum = [&sum[..], &["--in", frames, "--out", out], more].concat();
    place.run(&sum).success();
}

#[test]
fn an_honest_sum_is_verified() {
    let place = fleet();
    sum(&place, "all.bin", "r.bin", &["--verifiable"]);
    let run = place.run(&[&DECRYPT[..], &["--verify"]].concat()).success();
    let said = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    assert!(
        said.contains("verified: 6 frames of 3 devices, sequences 0 to 1 of device 1, epoch"),
        "{said}"
    );
    assert!(said.contains("forgery 2^-50"), "{said}");
    assert_eq!(place.decrypted("r.bin"), [84.0, 15.0]);
    let facts = place.json(&DECRYPT)["verified"].clone();
    assert_eq!((&facts["frames"], &facts["period"]), (&6.into(), &0.into()));
}

#[test]
fn states_carry_tags() {
    let place = fleet();
    sum(&place, "all.bin", "s.bin", &["--partial"]);
    sum(&place, "s.bin", "r.bin", &[]);
    place.run(&[&DECRYPT[..], &["--verify"]].concat()).success();
}

/// A lie, under the server's seal.
type Lie = fn(&mut EncryptedResult, &EncryptedResult);

fn tag(result: &EncryptedResult) -> LinearTag {
    result.linear_tag.unwrap()
}

fn names(result: &mut EncryptedResult, change: impl Fn(FrameId) -> FrameId) {
    let manifest = result.provenance.manifest.take().unwrap();
    let manifest = Manifest::of(manifest.frames().map(|(id, rows)| (change(id), rows))).unwrap();
    result.provenance.origin = Sha3_256::digest(manifest.encode()).into();
    result.provenance.manifest = Some(manifest);
}

/// Each changes the honest sum of all frames, with that of some beside it.
const LIES: [(&str, Lie); 10] = [
    ("omit", |result, some| {
        (result.c0, result.c1) = (some.c0.clone(), some.c1.clone())
    }),
    ("omit, with the tag", |result, some| {
        (result.c0, result.c1) = (some.c0.clone(), some.c1.clone());
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
    ("old names", |result, _| {
        names(result, |id| FrameId {
            sequence: id.sequence + 9,
            ..id
        })
    }),
    ("other devices", |result, _| {
        names(result, |id| FrameId {
            device: id.device + 9,
            ..id
        })
    }),
    ("other columns", |result, _| {
        result.provenance.packing = Some([7; 16])
    }),
    ("forged", |result, _| {
        result.linear_tag = Some(LinearTag::new(0, 12345))
    }),
];

#[test]
fn every_lie_is_refused_and_counted() {
    let place = fleet();
    sum(&place, "all.bin", "r.bin", &[]);
    let honest = place.opened("r.bin");
    let few = place.read("f.bin");
    place.write("few.bin", few);
    sum(&place, "few.bin", "some.bin", &[]);
    let some = place.opened("some.bin");
    for (name, lie) in LIES {
        let mut result = honest.clone();
        lie(&mut result, &some);
        place.sealed(&result);
        let message = place.refusal(4, &DECRYPT);
        assert!(message.contains("not verified"), "{name}: {message}");
    }
    place.sealed(&honest);
    place.run(&DECRYPT).success();
    // 64 refusals end the period, for honest results, too.
    let mut result = honest.clone();
    LIES[9].1(&mut result, &some);
    for _ in LIES.len()..64 {
        place.sealed(&result);
        place.refused(4, &DECRYPT, "linear tag");
    }
    place.sealed(&honest);
    place.refused(4, &DECRYPT, "period 0 ended after 64 refusals");
    place
        .run(&words("device tag-key 1-3 --keys keys --new-group"))
        .success();
    place.write("all.bin", send(&place));
    sum(&place, "all.bin", "r.bin", &[]);
    place.run(&[&DECRYPT[..], &["--verify"]].concat()).success();
}

#[test]
fn what_has_no_proof_is_said() {
    let place = fleet();
    // One frame of a device without keys of tags leaves the sum without a tag.
    std::fs::remove_file(place.path("keys/device-3/linear.key")).unwrap();
    place.write("all.bin", send(&place));
    sum(&place, "all.bin", "r.bin", &[]);
    place.run(&DECRYPT).success();
    place.refused(3, &[&DECRYPT[..], &["--verify"]].concat(), "no linear tags");
    // So do frames of two periods.
    place
        .run(&words("device tag-key 3 --keys keys --next-period"))
        .success();
    place.write("all.bin", send(&place));
    sum(&place, "all.bin", "r.bin", &[]);
    place.refused(3, &[&DECRYPT[..], &["--verify"]].concat(), "no linear tags");
}

#[test]
fn other_sets_have_no_keys_of_tags() {
    let place = Place::with_keys("tfhe-2048-tfhe-rs", &["--no-evaluation-keys"]);
    let message = place.refusal(3, &words("device tag-key 1 --keys keys"));
    assert!(message.contains("without linear tags"), "{message}");
}

/// Three devices under CKKS, whose readings are multiples of 1/16; the sum of a reading of each is in r.bin.
fn on_grid(more: &[&str]) -> Place {
    let devices = words("--for sum --device 1 --device 2 --device 3");
    let place = Place::with_keys("ckks-2048x2-air", &devices);
    let tag_keys = words("device tag-key 1-3 --keys keys");
    place.run(&tag_keys).success();
    let mut all = Vec::new();
    for (device, table) in [
        (1, "a,b\n1.5,-2.0625\n"),
        (2, "a,b\n0.25,0.0625\n"),
        (3, "a,b\n-7,12\n"),
    ] {
        place.write("v.csv", table);
        let keys = format!("keys/device-{device}");
        let encrypt = words("--values v.csv --out f.bin --force");
        place
            .run(&[&["encrypt", "--keys", &keys], &encrypt[..], more].concat())
            .success();
        all.extend(place.read("f.bin"));
    }
    place.write("all.bin", all);
    sum(&place, "all.bin", "r.bin", &["--verifiable"]);
    place
}

const ON_GRID: [&str; 2] = ["--grid-bits", "-4"];

#[test]
fn a_sum_of_readings_on_a_grid_is_verified_and_exact() {
    let place = on_grid(&ON_GRID);
    let decrypt = [&DECRYPT[..], &ON_GRID, &["--verify"]].concat();
    let run = place.run(&decrypt).success();
    let said = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    assert!(said.contains("verified: 3 frames of 3 devices"), "{said}");
    let facts = place.json(&decrypt);
    let values = facts["values"].as_array().unwrap();
    let read = |field: &str| {
        values
            .iter()
            .map(|value| value[field].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(read("value"), [-5.25, 10.0]);
    assert_eq!(read("error"), [0.0, 0.0]);
    // Without the grid, or on another one, nothing is shown.
    place.refused(4, &DECRYPT, "real numbers; give the grid");
    let other = [&DECRYPT[..], &["--grid-bits", "-3"]].concat();
    place.refused(4, &other, "its linear tag is not that of the sum");
    // The server shifts value and tag, or the tag alone.
    let honest = place.opened("r.bin");
    for shift in [1, 12345] {
        let mut lie = honest.clone();
        lie.linear_tag = tag(&honest).plus(LinearTag::new(0, shift), 1);
        place.sealed(&lie);
        place.refused(4, &decrypt, "its linear tag is not that of the sum");
    }
    // It says that the values are twice as large, or that their error is.
    let mut lie = honest.clone();
    lie.scale /= 2.0;
    lie.bound *= 2.0;
    place.sealed(&lie);
    place.refused(4, &decrypt, "its linear tag is not that of the sum");
    let mut lie = honest;
    lie.error = 0.03125;
    place.sealed(&lie);
    place.refused(4, &decrypt, "its error is half a unit of the grid or more");
}

#[test]
fn readings_that_have_no_grid_are_refused_or_have_no_tags() {
    let place = on_grid(&[]);
    let decrypt = [&DECRYPT[..], &ON_GRID].concat();
    place.refused(3, &decrypt, "the results have no linear tags");
    place.write("v.csv", "a,b\n1,2\n1.5,0.03125\n");
    let encrypt = words("encrypt --keys keys/device-1 --values v.csv --out x.bin");
    let encrypt = [&encrypt[..], &ON_GRID].concat();
    let message = place.refusal(3, &encrypt);
    assert!(
        message.contains("row 2") && message.contains("column b"),
        "{message}"
    );
    assert!(
        message.contains("0.03125 is no multiple of 2^-4"),
        "{message}"
    );
    let slots = [&encrypt[..], &["--layout", "slots"]].concat();
    place.refused(3, &slots, "--grid-bits: of frames of rounded coefficients");
    let range = words("encrypt --keys keys/device-1 --values v.csv --out x.bin --grid-bits 32");
    place.refused(2, &range, "--grid-bits");
    let integers = fleet();
    place.write("v.csv", "a\n1\n");
    integers.write("v.csv", "a\n1\n");
    integers.refused(
        3,
        &encrypt,
        "--grid-bits: of frames of rounded coefficients",
    );
}
