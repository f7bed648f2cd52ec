//! Keys that several owners hold together: the ceremony by files, answers that open together, and everything that is refused.

use crate::support::{words, Place};

mod changes;
mod masked;
mod verified;

const HOLDERS: [&str; 3] = ["alice", "bob", "carol"];
const BEGIN: &str =
    "owner begin --out alice --insecure-plaintext-key --holders alice,bob,carol --threshold 2";
const CONTRIBUTE: &str = "owner contribute --in sum --with";

/// Standard output of a command line.
fn run(place: &Place, line: &str) -> String {
    place.output(&words(line))
}

fn refuses(place: &Place, line: &str, wanted: &str) {
    let assert = place.run(&words(line)).failure();
    let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(message.contains(wanted), "{line}: {message}");
}

/// A place where three holders have announced themselves, two of whom open an answer.
fn announced(more: &str) -> Place {
    let place = Place::new();
    run(&place, &format!("{BEGIN} {more}"));
    for name in &HOLDERS[1..] {
        run(&place, &format!("owner join --invitation alice/invitation --as {name} --out {name} --insecure-plaintext-key"));
    }
    place
}

/// Goes on as a holder, with the files of all others of these kinds.
fn finish(place: &Place, name: &str, kinds: &[&str]) -> String {
    let others = HOLDERS.iter().filter(|&&other| other != name);
    let files = others.flat_map(|other| {
        kinds
            .iter()
            .map(move |kind| format!(" {other}/{kind}-{other}"))
    });
    let files: String = files.collect();
    run(
        place,
        &format!("owner finish --keys {name} --in alice/invitation{files}"),
    )
}

/// A place where the key is made, and the sum of three devices is computed, which sent 1, 2 and 3 times the rows from -32 to 31.
fn asked(begin: &str, encrypt: &str) -> Place {
    let place = announced(begin);
    for kinds in [&["announcement"][..], &["announcement", "opening"]] {
        for name in HOLDERS {
            finish(&place, name, kinds);
        }
    }
    run(&place, "owner devices 1-3 --keys alice --out fleet");
    for device in 1..=3 {
        let rows: String = (0..64)
            .map(|row| format!("{}\n", (row - 32) * device))
            .collect();
        place.write("rows.csv", format!("a\n{rows}"));
        let files = format!("--keys fleet/device-{device} --values rows.csv --out frame-{device}");
        run(&place, &format!("encrypt {files} --bound-bits 7 {encrypt}"));
    }
    run(
        &place,
        "evaluate --keys fleet/server --job sum --out sum --in frame-1 frame-2 frame-3",
    );
    place
}

/// The values and the error of a table in CSV.
fn values(text: &str) -> (Vec<f64>, f64) {
    let cell = |line: &str, at| line.split(',').nth(at).and_then(|cell| cell.parse().ok());
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("names").split(',').collect();
    let at = names
        .iter()
        .position(|&name| name == "value")
        .expect("values");
    let lines: Vec<&str> = lines.collect();
    let values = lines.iter().map(|line| cell(line, at).expect("a value"));
    (values.collect(), cell(lines[0], at + 1).expect("an error"))
}

#[test]
fn two_of_three_open_a_sum_that_one_does_not() {
    let place = asked("", "");
    let wanted: Vec<f64> = (0..64).map(|row| f64::from((row - 32) * 6)).collect();
    for (one, other) in [("alice", "bob"), ("alice", "carol"), ("bob", "carol")] {
        for name in [one, other] {
            run(
                &place,
                &format!(
                    "{CONTRIBUTE} {other},{one} --keys {name} --agree --out {name}-{one}-{other}"
                ),
            );
        }
        let files = format!("{one}-{one}-{other} {other}-{one}-{other}");
        let text = run(
            &place,
            &format!("owner combine --keys {one} --in sum --contribution {files}"),
        );
        assert_eq!(values(&text), (wanted.clone(), 0.0));
    }
}

#[test]
fn contributions_that_do_not_belong_together_are_refused_by_name() {
    let place = asked("", "");
    for (one, other) in [("alice", "bob"), ("alice", "carol")] {
        for name in [one, other] {
            let out = format!("{name}-{one}-{other}");
            run(
                &place,
                &format!("{CONTRIBUTE} {one},{other} --keys {name} --agree --out {out}"),
            );
        }
    }
    place.write("other", b"age-encryption.org/v1\n");
    for (name, files, text) in [
        (
            "alice",
            "alice-alice-bob",
            "1 answer; allowed are exactly 2 of alice, bob, carol",
        ),
        (
            "alice",
            "alice-alice-bob alice-alice-bob",
            "alice occurs twice",
        ),
        (
            "alice",
            "alice-alice-bob carol-alice-carol",
            "the contribution is for alice, bob; allowed are equal sets",
        ),
        ("carol", "alice-alice-bob", "not encrypted to this holder"),
        (
            "alice",
            "other alice-alice-bob",
            "not encrypted to this holder",
        ),
        ("alice", "nothing", "nothing"),
    ] {
        refuses(
            &place,
            &format!("owner combine --keys {name} --in sum --contribution {files}"),
            text,
        );
    }
    run(
        &place,
        "evaluate --keys fleet/server --job sum --out sum2 --in frame-1 frame-2 frame-3 --again",
    );
    let files = "alice-alice-bob bob-alice-bob";
    refuses(
        &place,
        &format!("owner combine --keys alice --in sum2 --contribution {files}"),
        "alice: the contribution is to another answer",
    );
}

/// An answer that two holders open, with more arguments for both and for the last step.
fn opened(place: &Place, answer: &str, more: &str, combine: &str) -> String {
    let with = "--with alice,bob --agree";
    for name in &HOLDERS[..2] {
        run(
            place,
            &format!(
                "owner contribute --in {answer} {with} --keys {name} --out {answer}-{name} {more}"
            ),
        );
    }
    let files = format!("{answer}-alice {answer}-bob");
    run(
        place,
        &format!("owner combine --keys bob --in {answer} {more} {combine} --contribution {files}"),
    )
}

#[test]
fn the_rows_of_an_opened_sum_are_folded_in_the_clear() {
    let place = asked("--for sum --readings 1000 --value-bits 12", "");
    let text = opened(&place, "sum", "", "--fold column-sum");
    // 64 rows from -32 to 31, six times.
    assert_eq!(values(&text), (vec![-192.0], 0.0));
    let again = |fold: &str| {
        format!(
            "owner combine --keys alice --in sum --fold {fold} --contribution sum-alice sum-bob"
        )
    };
    assert_eq!(values(&run(&place, &again("column-mean"))).0, [-1.0]);
    refuses(&place, &again("histogram"), "--packing: missing");
}

#[test]
fn readings_in_buckets_are_counted_together() {
    let place = asked("", "");
    for (device, rows) in [(1, "3\n12\n31\n"), (2, "4\n5\n"), (3, "40\n11\n")] {
        place.write("rows.csv", format!("a\n{rows}"));
        let files = format!("--keys fleet/device-{device} --values rows.csv --out counts-{device}");
        run(
            &place,
            &format!("encrypt {files} --buckets 10,20,30 --write-packing packing-{device}"),
        );
    }
    run(
        &place,
        "evaluate --keys fleet/server --job sum --out counts --in counts-1 counts-2 counts-3",
    );
    let text = opened(&place, "counts", "", "--fold histogram --packing packing-1");
    assert_eq!(values(&text).0, [3.0, 2.0, 0.0, 2.0]);
    assert!(
        text.contains(",below 10,") && text.contains(",30 and above,"),
        "{text}"
    );
}

#[test]
fn weights_are_opened_with_their_request_and_within_the_invitation() {
    let place = asked(
        "--for weighted --readings 3 --value-bits 8 --weights-bound 30",
        "",
    );
    let request = "request --keys alice --job weighted --weights";
    run(&place, &format!("{request} 30,-7,2 --out request"));
    run(
        &place,
        "evaluate --keys fleet/server --request request --out scores --in frame-1 frame-2 frame-3",
    );
    refuses(
        &place,
        "owner contribute --keys alice --in scores --with alice,bob --agree --out one",
        "request: missing; allowed is the request that was answered",
    );
    run(&place, &format!("{request} 30,-7,2 --out other"));
    refuses(
        &place,
        "owner contribute --keys alice --in scores --with alice,bob --request other",
        "challenge",
    );
    let text = opened(&place, "scores", "--request request", "");
    // 30 of the first device, -14 of the second, 6 of the third.
    let wanted: Vec<f64> = (0..64).map(|row| f64::from((row - 32) * 22)).collect();
    assert_eq!(values(&text), (wanted, 0.0));
    let text = "weights: have squares of 2718 together; allowed are at most 2700, the frames of the invitation";
    refuses(&place, &format!("{request} 30,-27,33 --out beyond"), text);
    let evaluate =
        "evaluate --keys fleet/server --job weighted --out beyond --in frame-1 frame-2 frame-3";
    refuses(&place, &format!("{evaluate} --weights 30,-27,33"), text);
}

#[test]
fn real_numbers_open_within_the_printed_error() {
    let begin = "--set ckks-8192x3w-sum --frames 3 --queries 8 --statistical-bits 30";
    let place = asked(begin, "--scale-bits 50");
    for name in ["bob", "carol"] {
        run(
            &place,
            &format!("{CONTRIBUTE} bob,carol --keys {name} --agree --out of-{name}"),
        );
    }
    let text = run(
        &place,
        "owner combine --keys bob --in sum --contribution of-bob of-carol",
    );
    let (found, error) = values(&text);
    assert!((1e-4..2.0).contains(&error), "{error}");
    for (row, value) in (0..64).zip(found) {
        let off = (value - f64::from((row - 32) * 6)).abs();
        assert!(off <= error, "row {row} is off by {off}, more than {error}");
    }
}

#[test]
fn every_step_waits_for_what_is_missing_and_can_be_repeated() {
    let place = announced("");
    let waiting = finish(&place, "bob", &[]);
    assert_eq!(waiting, "waiting for announcements of alice, carol\n");
    assert!(!place.exists("bob/opening-bob"));
    let step = finish(&place, "bob", &["announcement"]);
    assert_eq!(
        step,
        "send bob/opening-bob to the others; waiting for openings of alice, carol\n"
    );
    let first = place.read("bob/opening-bob");
    finish(&place, "bob", &["announcement"]);
    assert_eq!(first, place.read("bob/opening-bob"));
    for name in ["alice", "carol"] {
        finish(&place, name, &["announcement"]);
    }
    // An opening that was lost is made again: it says the same, though its shares are sealed anew.
    std::fs::remove_file(place.path("bob/opening-bob")).expect("removed");
    finish(&place, "bob", &["announcement"]);
    assert_ne!(first, place.read("bob/opening-bob"));
    let ends = HOLDERS.map(|name| finish(&place, name, &["announcement", "opening"]));
    assert!(
        ends[0].contains("\nfingerprint ") && ends.iter().all(|end| end == &ends[0]),
        "{ends:?}"
    );
    assert_eq!(finish(&place, "carol", &[]), ends[0]);
    for (file, wanted) in [
        ("invitation", "alice, bob, carol"),
        ("announcement-alice", "announcement of a holder"),
        ("opening-alice", "opening of a holder"),
        (
            "holder.key",
            "share of the secret key, link key, device master",
        ),
    ] {
        let shown = run(&place, &format!("inspect alice/{file}"));
        assert!(
            shown.contains(wanted) && !shown.contains("AGE-SECRET"),
            "{shown}"
        );
    }
    assert_eq!(
        place.read("alice/public.key"),
        place.read("carol/public.key")
    );
}

#[test]
fn files_that_do_not_fit_are_refused_by_the_name_of_their_holder() {
    let (place, other) = (announced(""), announced(""));
    let finish_with = |files: &str, text: &str| {
        refuses(
            &place,
            &format!("owner finish --keys alice --in {files}"),
            text,
        );
    };
    place.write("foreign", other.read("bob/announcement-bob"));
    finish_with("foreign", "bob: the announcement is of another ceremony");
    place.write("invitation", other.read("alice/invitation"));
    finish_with("invitation", "the invitation is of another ceremony");
    finish_with("alice/holder.key", "kind: 57");
    let changed = |name: &str, at: usize, to: &str| {
        let mut bytes = place.read(name);
        bytes[at] ^= 1;
        place.write(to, &bytes);
    };
    let last = place.read("bob/announcement-bob").len() - 1;
    changed("bob/announcement-bob", last, "changed");
    finish_with(
        "bob/announcement-bob changed",
        "bob: two announcements differ",
    );
}

#[test]
fn openings_that_do_not_fit_are_refused_by_the_name_of_their_holder() {
    let place = announced("");
    let finish_with = |files: &str, text: &str| {
        refuses(
            &place,
            &format!("owner finish --keys alice --in {files}"),
            text,
        );
    };
    let changed = |name: &str, at: usize, to: &str| {
        let mut bytes = place.read(name);
        bytes[at] ^= 1;
        place.write(to, &bytes);
    };
    let last = place.read("bob/announcement-bob").len() - 1;
    for name in HOLDERS {
        finish(&place, name, &["announcement"]);
    }
    changed("carol/announcement-carol", last, "changed");
    let bob = "bob/announcement-bob bob/opening-bob";
    finish_with(
        &format!("{bob} changed carol/opening-carol"),
        "saw other announcements than these",
    );
    // A bit of the public part, and one of the share for the reader.
    let carol = "carol/announcement-carol carol/opening-carol bob/announcement-bob";
    changed("bob/opening-bob", 200, "opening");
    finish_with(
        &format!("{carol} opening"),
        "bob: opened another part of the key than was announced",
    );
    let opening = place.read("bob/opening-bob");
    let share = opening
        .windows(4)
        .position(|bytes| bytes == b"age-")
        .expect("a share");
    changed("bob/opening-bob", share + 1000, "opening");
    finish_with(
        &format!("{carol} opening"),
        "bob: sealed: not encrypted to this holder",
    );
    refuses(
        &place,
        "owner devices 1 --keys alice --out fleet",
        "the ceremony of this folder has not ended",
    );
    assert!(!place.exists("fleet"));
    let join = "owner join --invitation alice/invitation --out new --insecure-plaintext-key --as";
    refuses(
        &place,
        &format!("{join} dave"),
        "dave is not invited; allowed are alice, bob, carol",
    );
    refuses(
        &place,
        "owner finish --keys nobody",
        "holds neither holder.key.age nor holder.key",
    );
}

#[test]
fn ceremonies_that_cannot_work_are_refused_before_any_key() {
    let place = Place::new();
    for (arguments, text) in [
        (
            "alice --threshold 2",
            "holders: 1 is out of range; allowed is 2 to 10 names",
        ),
        ("alice,alice --threshold 2", "'alice' is out of range"),
        (
            "alice,B --threshold 2",
            "allowed is names of 1 to 32 characters",
        ),
        (
            "alice,bob --threshold 1",
            "threshold: 1 is out of range; allowed is 2 to 2",
        ),
        ("alice,bob --threshold 3", "threshold: 3"),
        ("alice,bob --threshold 2 --frames 0", "frames: 0"),
        ("alice,bob --threshold 2 --queries 0", "queries: 0"),
        (
            "alice,bob --threshold 2 --statistical-bits 29",
            "statistical_bits: 29",
        ),
        (
            "alice,bob --threshold 2 --set bfv-2048x2-air",
            "no room for the noise of 2 owners",
        ),
        (
            "alice,bob --threshold 2 --set bfv-8192x6-multiply",
            "allowed are sets of at most 3 data primes",
        ),
        (
            "alice,bob --threshold 2 --set tfhe-2048-tfhe-rs",
            "allowed for several owners",
        ),
        (
            "alice,bob --threshold 2 --set bfv-4096x2w-seal-default",
            "labelled compat-2018",
        ),
    ] {
        refuses(
            &place,
            &format!("owner begin --out new --insecure-plaintext-key --holders {arguments}"),
            text,
        );
        assert!(!place.exists("new"));
    }
}

#[test]
fn a_spent_key_and_a_folder_that_was_set_back_open_nothing() {
    let place = asked("--queries 2", "");
    let alice = format!("{CONTRIBUTE} alice,bob --keys alice");
    let shown = run(&place, &alice);
    assert!(
        shown
            .starts_with("sum: 1 results of 3 frames of 3 devices, exact values, for alice, bob\n"),
        "{shown}"
    );
    assert!(shown.contains("nothing is opened"), "{shown}");
    let before = place.read("alice/holder.key");
    run(&place, &format!("{alice} --agree --out first"));
    place.write_private("alice/holder.key", &before);
    refuses(
        &place,
        &format!("{alice} --agree --out second"),
        "so the folder is an old copy",
    );
    let bob = format!("{CONTRIBUTE} alice,bob --keys bob --agree --out");
    run(&place, &format!("{bob} one"));
    run(&place, &format!("{bob} two"));
    refuses(
        &place,
        &format!("{bob} three"),
        "2 of the 2 declared for this key are used up",
    );
    assert!(!place.exists("second") && !place.exists("three"));
    refuses(
        &place,
        &format!("{CONTRIBUTE} alice,bob --keys carol --agree --out x"),
        "carol holds this folder and is not named",
    );
    refuses(
        &place,
        &format!("{CONTRIBUTE} alice,dave --keys alice"),
        "dave is no holder; allowed are alice, bob, carol",
    );
}

#[test]
fn answers_beyond_the_invitation_are_refused_by_server_and_holders() {
    let place = asked("--frames 2", "");
    let alice = format!("{CONTRIBUTE} alice,bob --keys alice");
    refuses(
        &place,
        &alice,
        "frames: 3; allowed are at most 2 in an answer, as the invitation says",
    );
    let evaluate = "evaluate --keys fleet/server --in frame-1 --out other --job";
    refuses(
        &place,
        &format!("{evaluate} column-sum"),
        "column-sum needs evaluation keys, which nobody could make; allowed for a key of several owners in slots: sum, whose \
         rows holders fold in the clear: isopod owner combine --fold",
    );
    refuses(
        &place,
        &format!("{evaluate} total"),
        "in slots: weighted, with one feature of all rows in each frame",
    );
    refuses(
        &place,
        "owner devices 2 --keys alice --out again",
        "device 2",
    );
    refuses(
        &place,
        "decrypt --keys alice --in sum",
        "holds neither owner.key.age nor owner.key",
    );
}

#[test]
fn a_passphrase_protects_a_holder() {
    let place = Place::new();
    place.write_private("passphrase", "correct horse battery staple\n");
    place.write_private("wrong", "another\n");
    let begin = "owner begin --out alice --holders alice,bob --threshold 2";
    run(&place, &format!("{begin} --passphrase-file passphrase"));
    assert!(place.exists("alice/holder.key.age") && !place.exists("alice/holder.key"));
    run(
        &place,
        "owner finish --keys alice --passphrase-file passphrase",
    );
    refuses(
        &place,
        "owner finish --keys alice --passphrase-file wrong",
        "holder.key.age: does not open",
    );
}

#[test]
fn purposes_that_no_set_has_room_for_are_refused() {
    let place = Place::new();
    for (arguments, text) in [
        (
            "alice,bob --threshold 2 --for total --value-bits 8",
            "total needs evaluation keys",
        ),
        (
            "alice,bob --threshold 2 --for sum --value-bits 30",
            "none opens such values for several owners",
        ),
        (
            "alice,bob --threshold 2 --set bfv-4096x3-sum --for sum --value-bits 12",
            "bound: sums of magnitude 4096000; allowed under bfv-4096x3-sum are up to 516096",
        ),
        (
            "alice,bob --threshold 2 --for sum --value-bits 4 --error 1e-9",
            "none opens such values",
        ),
        (
            "alice,bob --threshold 2 --for sum --value-bits 8 --weights-bound 3",
            "--weights-bound: sum has no weights",
        ),
    ] {
        refuses(
            &place,
            &format!("owner begin --out new --insecure-plaintext-key --holders {arguments}"),
            text,
        );
        assert!(!place.exists("new"));
    }
}
