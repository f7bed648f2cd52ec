//! Linear tags that the pads of all who answer hide: a spoiled answer is found, and no holder reads tags alone.
#![allow(clippy::unwrap_used)]

use isopod_keys::{seal_to, HolderKeys};
use isopod_wire::{Contribution, LinearTag};

use super::{finish, refuses, run, values, HOLDERS};
use crate::support::{words, Place};

const TAG_KEY: &str = "owner tag-key 1-2 --with alice,bob --verifier alice";
const COMBINE: &str = "owner combine --in sum --contribution from-alice";

/// Writes the rows of both devices, and sums their frames.
fn sum(place: &Place) {
    for device in 1..=2 {
        place.write("rows.csv", format!("a,b\n{device},-7\n3,{device}\n"));
        let files = format!("--keys fleet/device-{device} --values rows.csv --out frame-{device}");
        let encrypt = format!("encrypt {files} --force --bound-bits 7");
        run(place, &encrypt);
    }
    let evaluate = "evaluate --keys fleet/server --job sum --out sum --force --again";
    run(place, &format!("{evaluate} --in frame-1 frame-2"));
}

/// Lets holders contribute together.
fn contribute(place: &Place, names: [&str; 2]) {
    for name in names {
        let with = names.join(",");
        let line = format!("owner contribute --in sum --agree --with {with} --keys {name}");
        run(place, &format!("{line} --out from-{name}"));
    }
}

/// A place where two devices have keys of tags of alice and bob.
fn tagged() -> Place {
    let place = super::announced("");
    for kinds in [&["announcement"][..], &["announcement", "opening"]] {
        for name in HOLDERS {
            finish(&place, name, kinds);
        }
    }
    run(&place, "owner devices 1-2 --keys alice --out fleet");
    for name in ["alice", "bob"] {
        run(
            &place,
            &format!("{TAG_KEY} --keys {name} --out tags-{name}"),
        );
    }
    deliver(&place, "alice", "linear.key");
    refuses(
        &place,
        "encrypt --keys fleet/device-1 --values none.csv --out x",
        "linear-2.key: missing, or of another device",
    );
    deliver(&place, "bob", "linear-2.key");
    place
}

/// Puts a holder's keys of tags into the folders of both devices.
fn deliver(place: &Place, name: &str, file: &str) {
    for device in ["device-1", "device-2"] {
        let key = place.read(&format!("tags-{name}/{device}/{file}"));
        place.write_private(&format!("fleet/{device}/{file}"), key);
    }
}

/// The contribution in a file, as bob reads it, and bob's keys.
fn read(place: &Place, file: &str) -> (HolderKeys, Contribution) {
    let path = place.path("bob/holder.key");
    let keys = HolderKeys::parse(&path, &std::fs::read(&path).unwrap()).unwrap();
    let items = keys.identity.open(&place.read(file)).unwrap();
    let degree = keys.invitation.params.ring_degree;
    let mut contributions = Contribution::read(&items, degree).unwrap();
    assert_eq!(contributions.len(), 1);
    (keys, contributions.remove(0))
}

/// Changes what bob contributed, as a holder can who seals it again.
fn spoiled(place: &Place, change: impl FnOnce(&mut Contribution)) {
    let (keys, mut contribution) = read(place, "from-bob");
    change(&mut contribution);
    let recipients: Vec<&str> = keys.recipients.iter().map(String::as_str).collect();
    place.write(
        "spoiled",
        seal_to(&recipients, &contribution.write()).unwrap(),
    );
}

/// Adds one to the constant coefficient, which is in every slot.
fn shift(contribution: &mut Contribution) {
    let params = isopod_wire::by_name("bfv-4096x3-sum").unwrap();
    let unit = (1u128 << contribution.bits) / u128::from(params.plain_modulus.unwrap());
    contribution.values[0] = (contribution.values[0] + unit) % (1 << contribution.bits);
}

#[test]
fn one_changed_coefficient_of_a_contribution_is_found() {
    let place = tagged();
    sum(&place);
    contribute(&place, ["alice", "bob"]);
    let honest = format!("{COMBINE} from-bob --keys alice --verify");
    let told = place.run(&words(&honest)).success();
    let said = String::from_utf8(told.get_output().stderr.clone()).unwrap();
    assert!(said.contains("verified: 2 frames of 2 devices"), "{said}");
    // With the pads of all, bob would find the point of alice's tags.
    assert_eq!(read(&place, "from-alice").1.pads, None);
    let text = run(&place, &honest);
    assert_eq!(values(&text), (vec![3.0, -14.0, 6.0, 3.0], 0.0));

    // Everybody but alice is deceived.
    spoiled(&place, shift);
    let text = run(&place, &format!("{COMBINE} spoiled --keys bob"));
    assert_eq!(values(&text).0, [4.0, -13.0, 7.0, 4.0]);
    let deceived = format!("{COMBINE} spoiled --keys alice");
    refuses(&place, &deceived, "its linear tag is not that of the sum");

    // With pads that fit another sum, or none.
    spoiled(&place, |one| {
        one.pads = one.pads.and_then(|pads| pads.plus(LinearTag::new(0, 1), 1))
    });
    refuses(&place, &deceived, "its linear tag is not that of the sum");
    spoiled(&place, |one| one.pads = None);
    refuses(
        &place,
        &deceived,
        "bob: the contribution has no pads of this period",
    );
    refuses(
        &place,
        &format!("{COMBINE} from-bob --keys bob --verify"),
        "--verify: the frames have no linear tags",
    );
}

#[test]
fn others_open_answers_without_a_proof() {
    let place = tagged();
    sum(&place);
    contribute(&place, ["alice", "carol"]);
    let combine = "owner combine --in sum --contribution from-alice from-carol --keys alice";
    assert_eq!(values(&run(&place, combine)).0, [3.0, -14.0, 6.0, 3.0]);
    refuses(
        &place,
        &format!("{combine} --verify"),
        "--verify: the frames have no linear tags",
    );
    for (line, text) in [
        (
            "--with alice,bob --verifier carol --keys alice",
            "carol does not answer; allowed are alice, bob",
        ),
        (
            "--with bob,carol --verifier bob --keys alice",
            "alice holds this folder and is not named",
        ),
        (
            "--with alice,bob,carol --verifier bob --keys bob",
            "3 answer; allowed are exactly 2",
        ),
        (
            "--with alice,dora --verifier alice --keys alice",
            "dora is no holder",
        ),
    ] {
        refuses(&place, &format!("owner tag-key 1 {line} --out more"), text);
    }
}

/// Pads are weighed as the frames are, by the request that holders see.
#[test]
fn weighted_sums_are_proved_by_the_request() {
    let place = tagged();
    sum(&place);
    let request = "request --keys alice --job weighted --weights 3,-1 --out request";
    run(&place, request);
    let evaluate = "evaluate --keys fleet/server --request request --out sum --force --again";
    run(&place, &format!("{evaluate} --in frame-1 frame-2"));
    for name in ["alice", "bob"] {
        let line = "owner contribute --in sum --request request --agree --with alice,bob";
        run(&place, &format!("{line} --keys {name} --out from-{name}"));
    }
    let combine = format!("{COMBINE} from-bob --keys alice --verify");
    let text = run(&place, &format!("{combine} --request request"));
    assert_eq!(values(&text).0, [1.0, -14.0, 6.0, 1.0]);
    refuses(&place, &combine, "its weights are not known");
    spoiled(&place, shift);
    let deceived = format!("{COMBINE} spoiled --keys alice --request request");
    refuses(&place, &deceived, "its linear tag is not that of the sum");
}

/// A verifier's pads of a period stay secret for good, so another verifier begins a period of its own.
#[test]
fn another_verifier_begins_a_period() {
    let place = tagged();
    sum(&place);
    let swapped = "owner tag-key 1-2 --with alice,bob --verifier bob --keys";
    refuses(
        &place,
        &format!("{swapped} alice --out more"),
        "the present period is of alice, bob, verified by alice; allowed are these, or a period that begins",
    );
    for name in ["alice", "bob"] {
        run(
            &place,
            &format!("{swapped} {name} --out more-{name} --next-period"),
        );
    }
    contribute(&place, ["alice", "bob"]);
    for file in ["from-alice", "from-bob"] {
        assert_eq!(read(&place, file).1.pads, None);
    }
}

#[test]
fn a_new_period_takes_the_keys_of_all() {
    let place = tagged();
    run(
        &place,
        &format!("{TAG_KEY} --keys alice --out more --next-period"),
    );
    place.write_private(
        "fleet/device-1/linear.key",
        place.read("more/device-1/linear.key"),
    );
    refuses(
        &place,
        "encrypt --keys fleet/device-1 --values none.csv --out x",
        "linear-2.key: missing, or of another device, period",
    );
    // A tag of bob's period, which alice's account has, too.
    let place = tagged();
    for name in ["alice", "bob"] {
        run(
            &place,
            &format!("{TAG_KEY} --keys {name} --out next-{name} --next-period"),
        );
    }
    sum(&place);
    contribute(&place, ["alice", "bob"]);
    let text = run(&place, &format!("{COMBINE} from-bob --keys alice --verify"));
    assert_eq!(values(&text).0, [3.0, -14.0, 6.0, 3.0]);
}
