//! Files of packets: what devices send is evaluated as a server would take it, and what is refused is set aside.
#![allow(clippy::unwrap_used)]

use crate::support::{close, Place};
use isopod_wire::Submission;

const READINGS: &str = "a,b\n0.5,-0.25\n0.125,0.5\n-0.5,0.25\n";

fn place(set: &str, more: &[&str]) -> Place {
    let keys = ["--allow-device-secret-key"];
    let place = Place::with_keys(set, &[&keys, more].concat());
    place.write("v.csv", READINGS);
    place
}

fn packets(place: &Place, out: &str, more: &[&str]) {
    let own = ["encrypt", "--keys", "keys/device-1", "--by-secret-key"];
    let files = ["--values", "v.csv", "--out", out];
    place.run(&[&own, &files, more].concat()).success();
}

fn evaluate<'a>(input: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let own = ["evaluate", "--keys", "keys/server", "--in", input];
    [
        &own,
        &["--job", "sum", "--out", "r.bin", "--force"][..],
        more,
    ]
    .concat()
}

/// The elements of a file.
pub fn elements(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = bytes;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let behind = Submission::read(rest).unwrap().1;
        found.push(rest[..rest.len() - behind.len()].to_vec());
        rest = behind;
    }
    found
}

#[test]
fn packets_add_up_whatever_was_announced_since() {
    let place = place("ckks-1024x1-sum", &["--no-evaluation-keys"]);
    let scale = ["--packets", "3", "--bound-bits", "0", "--scale-bits", "18"];
    for (out, epoch) in [("old", "5"), ("new", "9"), ("newest", "12")] {
        packets(&place, out, &[&scale[..], &["--epoch", epoch]].concat());
    }
    for input in ["old", "newest", "old"] {
        place.run(&evaluate(input, &["--again"])).success();
        close(&place.decrypted("r.bin"), &[0.125, 0.5], 0.01);
    }
    let message = place.refusal(3, &evaluate("new", &["--strict"]));
    assert!(message.contains("stale"), "{message}");
}

#[test]
fn counters_are_exact() {
    let place = place("bfv-1024x1-count", &["--no-evaluation-keys"]);
    place.write("v.csv", "a,b\n1,0\n1,1\n1,0\n");
    packets(&place, "p", &["--packets", "0", "--bound-bits", "0"]);
    place.run(&evaluate("p", &[])).success();
    assert_eq!(place.decrypted("r.bin"), [3.0, 1.0]);
}

#[test]
fn a_bad_packet_is_set_aside_with_its_place_and_the_others_count() {
    let place = place("ckks-1024x1-sum", &["--no-evaluation-keys"]);
    let scale = ["--packets", "3", "--bound-bits", "0", "--scale-bits", "18"];
    packets(&place, "p", &scale);
    let mut all = elements(&place.read("p"));
    let at = all[0].len() + all[1].len();
    *all[2].last_mut().unwrap() ^= 1;
    place.write("p", all.concat());
    let strict = place.refusal(4, &evaluate("p", &["--strict"]));
    let wanted = format!("p: packet at byte {at}: tag: does not verify");
    assert!(strict.contains(&wanted), "{strict}");
    place.run(&evaluate("p", &[])).code(6);
    close(&place.decrypted("r.bin"), &[0.0, 0.0], 0.01);
    assert_eq!(place.read("r.bin.quarantine"), all[2]);
    // The end of a file that is still written.
    let whole = all.concat();
    place.write("p", &whole[..whole.len() - 1]);
    place.run(&evaluate("p", &["--again"])).code(6);
    close(&place.decrypted("r.bin"), &[0.5, -0.25], 0.01);
}

#[test]
fn a_revoked_device_registers_nothing() {
    let place = place("ckks-1024x1-sum", &["--no-evaluation-keys"]);
    let scale = ["--packets", "3", "--bound-bits", "0", "--scale-bits", "18"];
    packets(&place, "p", &scale);
    let revoke = ["device", "revoke", "1", "--keys", "keys"];
    place.run(&revoke).success();
    let message = place.refusal(5, &evaluate("p", &[]));
    assert!(message.contains("revoked"), "{message}");
    assert!(!place.exists("keys/server/contexts"));
}

#[test]
fn packets_without_a_secret_key_or_with_a_rest_are_refused() {
    let place = place("ckks-1024x1-sum", &["--no-evaluation-keys"]);
    let own = ["encrypt", "--keys", "keys/device-1", "--values", "v.csv"];
    let run = |code, more: &[&str]| {
        let message = place.refusal(code, &[&own, &["--out", "p"][..], more].concat());
        assert!(!place.exists("p"), "{message}");
        message
    };
    assert!(run(3, &["--packets", "0"]).contains("--by-secret-key"));
    let secret = ["--by-secret-key", "--packets", "0"];
    for (more, wanted) in [
        (&["--rows-per-frame", "2"][..], "that divides them"),
        (&["--tag-bytes", "12"], "tag_bytes 0, 4, 8 or 16"),
        (&["--device-bytes", "3"], "device_bytes"),
    ] {
        let message = run(3, &[&secret[..], more].concat());
        assert!(message.contains(wanted), "{message}");
    }
}

#[cfg(feature = "tfhe")]
#[test]
fn packets_of_tfhe_raise_an_alarm() {
    let place = place("tfhe-2048-tfhe-rs", &[]);
    place.write("v.csv", "a,b\n7,200\n3,9\n");
    packets(&place, "p", &["--packets", "1"]);
    let job = ["evaluate", "--keys", "keys/server", "--in", "p", "--again"];
    for (above, wanted) in [("199", 1.0), ("200", 0.0)] {
        let alarm = ["--job", "alarm", "--above", above, "--out", "r.bin"];
        place
            .run(&[&job[..], &alarm, &["--force"]].concat())
            .success();
        assert_eq!(place.decrypted("r.bin"), [wanted], "above {above}");
    }
}
