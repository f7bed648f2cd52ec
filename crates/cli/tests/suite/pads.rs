//! Pads from keys to values: exact sums of packets of several devices, and what is refused.
#![allow(clippy::unwrap_used)]

use crate::support::{words, Place};

const READINGS: &str = "a,b\n10,-3\n20,5\n30,1\n";

/// A fleet of two devices under pads, and a file of packets of each.
fn place(more: &[&str]) -> Place {
    let place = Place::with_keys("pads", &["--device", "1", "--device", "2"]);
    place.write("v.csv", READINGS);
    for (device, out) in [("keys/device-1", "p1"), ("keys/device-2", "p2")] {
        encrypt(&place, device, out, more);
    }
    place
}

fn encrypt(place: &Place, device: &str, out: &str, more: &[&str]) {
    let own = ["encrypt", "--keys", device, "--values", "v.csv"];
    let all = [&own, &["--bound-bits", "6", "--out", out][..], more].concat();
    place.run(&all).success();
}

fn evaluate<'a>(job: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let inputs = [
        "evaluate",
        "--keys",
        "keys/server",
        "--in",
        "p1",
        "--in",
        "p2",
    ];
    let rest = ["--job", job, "--out", "r.bin", "--force"];
    [&inputs, &rest[..], more].concat()
}

#[test]
fn sums_means_and_weighted_sums_are_exact() {
    for more in [
        &[][..],
        &["--ratchet", "--epoch", "4"],
        &["--pad-bytes", "4", "--tag-bytes", "16"],
    ] {
        let place = place(more);
        let weights = ["--weights", "1,2,3,-1,0,5"];
        for (job, with, wanted) in [
            ("sum", &[][..], [120.0, 6.0]),
            ("mean", &[], [20.0, 1.0]),
            ("column-sum", &[], [120.0, 6.0]),
            ("column-mean", &[], [20.0, 1.0]),
            ("weighted", &weights, [280.0, 18.0]),
        ] {
            place.run(&evaluate(job, with)).success();
            assert_eq!(place.decrypted("r.bin"), wanted, "{job}");
        }
    }
}

/// A sum of files and a partial state, or of partial states alone, is that of all packets; each packet counts once.
#[test]
fn partial_states_of_pads_add_up() {
    let place = place(&[]);
    let part = |job: &str, inputs: &[&str], out: &str, more: &[&str]| {
        let inputs = inputs.iter().flat_map(|input| ["--in", *input]);
        let mut all = vec![
            "evaluate",
            "--keys",
            "keys/server",
            "--job",
            job,
            "--out",
            out,
        ];
        all.extend(inputs.chain(more.iter().copied()));
        all.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let run = |arguments: Vec<String>| {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        place.run(&words).success();
    };
    run(part("sum", &["p1"], "s1", &["--partial"]));
    run(part("sum", &["p2"], "s2", &["--partial"]));
    run(part("sum", &["s1", "s2"], "s", &["--partial"]));
    let told = place.run(&words("inspect s")).success();
    let told = String::from_utf8(told.get_output().stdout.clone()).unwrap();
    assert!(told.contains("partial state of pads"), "{told}");
    for (at, inputs) in [&["s1", "s2"][..], &["s"], &["s2", "p1"], &["p1", "p2", "s"]]
        .iter()
        .enumerate()
    {
        let out = format!("r{at}");
        run(part("sum", inputs, &out, &["--again"]));
        assert_eq!(place.decrypted(&out), [120.0, 6.0], "{inputs:?}");
    }
    for (job, inputs, wanted) in [
        ("mean", &["s1"][..], "job"),
        ("weighted", &["s1"], "partial state: not taken here"),
        ("sum", &["s", "s1"], "partial state"),
    ] {
        let weights: &[&str] = if job == "weighted" {
            &["--weights", "1,1,1"]
        } else {
            &[]
        };
        let arguments = part(job, inputs, "r", weights);
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let refused = place.run(&words).failure();
        let refused = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(refused.contains(wanted), "{job}: {refused}");
        assert!(!place.exists("r"));
    }
}

#[test]
fn a_device_added_later_has_pads_of_its_own() {
    let place = place(&[]);
    let add = ["device", "add", "3", "--keys", "keys"];
    place.run(&add).success();
    let secrets =
        ["1", "2", "3"].map(|device| place.read(&format!("keys/device-{device}/pad.key")));
    assert!(
        secrets[0] != secrets[1] && secrets[2].len() == 32 && !secrets[..2].contains(&secrets[2])
    );
    encrypt(&place, "keys/device-3", "p1", &["--force"]);
    place.run(&evaluate("sum", &[])).success();
    assert_eq!(place.decrypted("r.bin"), [120.0, 6.0]);
    let rotate = "rotate --keys keys --out fresh --insecure-plaintext-key";
    place.run(&words(rotate)).success();
    let fresh = place.read("fresh/device-3/pad.key");
    assert!(fresh.len() == 32 && !secrets.contains(&fresh));
}

#[test]
fn what_sums_of_pads_are_not_is_refused_before_any_byte() {
    let place = place(&[]);
    let refused = |code, arguments: &[&str], wanted: &str| {
        let message = place.refusal(code, arguments);
        assert!(message.contains(wanted), "{message}");
        assert!(!place.exists("r.bin"));
    };
    for job in ["total", "minimum"] {
        let allowed = "allowed under pads are column-sum, column-mean, sum, mean and weighted";
        refused(3, &evaluate(job, &[]), allowed);
    }
    let weights = |list| evaluate("weighted", &["--weights", list]);
    refused(3, &weights("1,2"), "one for each of 6 packets");
    refused(
        3,
        &weights("1,2,0.5,1,1,1"),
        "weights: 0.5; allowed under pads are integers",
    );
    refused(
        3,
        &evaluate("column-sum", &["--rows", "1"]),
        "a packet is one row",
    );
    let most = "1000,1000,1000,1000,1000,1000";
    refused(
        3,
        &weights(most),
        "sum: may be as large as 384000; allowed is less than 32768",
    );
    let encrypt = |more: &[&str], wanted: &str| {
        let own = [
            "encrypt",
            "--keys",
            "keys/device-1",
            "--values",
            "v.csv",
            "--out",
            "r.bin",
        ];
        refused(3, &[&own, more].concat(), wanted);
    };
    encrypt(&["--bound-bits", "4"], "allowed is -16 to 16");
    encrypt(&["--bound-bits", "6", "--pad-bytes", "5"], "width: 5");
    encrypt(&["--bound-bits", "15"], "bound: 32768");
    encrypt(&["--bound-bits", "6", "--ratchet"], "epoch");
    encrypt(&["--bound-bits", "6", "--layout", "slots"], "not of pads");
    place.write("v.csv", "a,b\n1,0.5\n");
    encrypt(&["--bound-bits", "6"], "is no integer");
}

#[test]
fn a_bad_packet_is_set_aside_and_a_doubled_one_counts_once() {
    let place = place(&[]);
    let mut packets = place.read("p2");
    *packets.last_mut().unwrap() ^= 1;
    place.write("p2", packets);
    place.run(&evaluate("sum", &[])).code(6);
    assert_eq!(place.decrypted("r.bin"), [90.0, 5.0]);
    let again = ["--in", "p1", "--again"];
    place.run(&evaluate("sum", &again)).code(6);
    assert_eq!(place.decrypted("r.bin"), [90.0, 5.0]);
}

#[test]
fn a_reader_opens_sums_of_granted_packets_alone() {
    read_by_grant(&["--epoch", "4"]);
}

#[test]
fn a_reader_opens_sums_of_one_epoch_under_a_ratchet() {
    read_by_grant(&["--epoch", "4", "--ratchet"]);
}

fn read_by_grant(more: &[&str]) {
    let place = Place::with_keys("pads", &["--device", "1"]);
    let rows: Vec<String> = (0..20).map(|at| format!("{at},1")).collect();
    place.write("v.csv", format!("a,b\n{}\n", rows.join("\n")));
    encrypt(&place, "keys/device-1", "p1", more);
    let elements = crate::packets::elements(&place.read("p1"));
    place.write("some", [&elements[..1], &elements[4..11]].concat().concat());
    place.run(&grant("1:4:3-9", "p1", "g")).success();
    place.run(&reading("some", "--reader 1:4:3-9")).success();
    let opened = place.json(&words("decrypt --grant g --in r.bin"));
    let values = [0, 1].map(|at| opened["values"][at]["value"].as_i64());
    assert_eq!(values, [Some(42), Some(7)]);
    // Neither the owner's key nor another grant opens it, and the grant opens no answer to the owner.
    let owner = words("decrypt --keys keys/owner --in r.bin");
    place.refusal(4, &owner);
    place.run(&grant("1:4:3-10", "p1", "more")).success();
    place.refusal(4, &words("decrypt --grant more --in r.bin"));
    for (input, reader) in [
        ("p1", "--reader 1:4:3-9"),
        ("some", "--reader 1:4:3-8"),
        ("some", "--reader 1:5:3-9"),
        ("some", "--reader 2:4:3-9"),
    ] {
        let message = place.refusal(3, &reading(input, reader));
        assert!(
            message.contains("allowed are those of the reader"),
            "{message}"
        );
    }
    place.run(&reading("some", "")).success();
    place.refusal(4, &words("decrypt --grant g --in r.bin"));
    assert_eq!(place.decrypted("r.bin"), [42.0, 7.0]);
}

fn grant<'a>(packets: &'a str, context: &'a str, out: &'a str) -> Vec<&'a str> {
    let own = words("pads grant --keys keys/owner --packets");
    [&own[..], &[packets, "--context", context, "--out", out]].concat()
}

fn reading<'a>(input: &'a str, more: &'a str) -> Vec<&'a str> {
    let own = words("evaluate --keys keys/server --job sum --again --out r.bin --force --in");
    [&own[..], &[input], &words(more)].concat()
}

#[test]
fn grants_that_are_none_are_refused() {
    let place = place(&[]);
    for packets in ["1:4:9-3", "1:4", "1:4:0-4294967295", "x:1:0-1"] {
        let message = place.refusal(2, &grant(packets, "p1", "g"));
        assert!(message.contains("DEVICE:EPOCH:FIRST-LAST"), "{message}");
    }
    let message = place.refusal(3, &grant("2:4:0-3", "p1", "g"));
    assert!(message.contains("of device 1; allowed is 2"), "{message}");
    let mut packets = place.read("p1");
    packets[40] ^= 1;
    place.write("bad", packets);
    place.refusal(4, &grant("1:4:0-3", "bad", "g"));
    assert!(!place.exists("g"));
    place.run(&grant("1:4:0-3", "p1", "g")).success();
    let mut changed = place.read("g");
    changed[100] ^= 1;
    std::fs::write(place.path("g"), changed).unwrap();
    place.refusal(5, &words("decrypt --grant g --in p1"));
}

#[test]
fn results_of_another_owner_are_refused() {
    let (place, other) = (place(&[]), place_of_other());
    place.run(&evaluate("sum", &[])).success();
    other.write("r.bin", place.read("r.bin"));
    let message = other.refusal(4, &["decrypt", "--keys", "keys/owner", "--in", "r.bin"]);
    assert!(
        message.contains("tag") || message.contains("key"),
        "{message}"
    );
}

fn place_of_other() -> Place {
    Place::with_keys("pads", &[])
}

#[cfg(feature = "tfhe")]
fn encrypted_pads<'a>(packets: &'a str, out: &'a str) -> Vec<&'a str> {
    let own = words("pads encrypt --keys keys/owner --context p1 --to tfhe/device-7 --packets");
    [&own[..], &[packets, "--out", out]].concat()
}

/// Packets of pads become ciphertexts that are compared, by frames of their pads that the owner made beforehand.
#[cfg(feature = "tfhe")]
#[test]
fn packets_raise_an_alarm_by_encrypted_pads() {
    let place = Place::with_keys("pads", &["--device", "7"]);
    let keygen = "keygen --set tfhe-2048-tfhe-rs --device 7 --out tfhe --insecure-plaintext-key";
    place.run(&words(keygen)).success();
    place.write("v.csv", "a,b\n60,-3\n49,5\n30,-61\n");
    encrypt(&place, "keys/device-7", "p1", &["--epoch", "4"]);
    place.run(&encrypted_pads("7:4:0-2", "f")).success();
    let own = "evaluate --keys tfhe/server --in f --again --out r.bin --force --packets p1 --packet-keys keys/server";
    for (job, wanted) in [
        ("--job alarm --above 59", &[1][..]),
        ("--job alarm --above 60", &[0]),
        ("--job alarm --below -3 --each", &[1, 0, 0, 0, 0, 0, 1]),
        ("--job minimum", &[-61]),
    ] {
        place.run(&[words(own), words(job)].concat()).success();
        let read = place.json(&words("decrypt --keys tfhe/owner --in r.bin"));
        let values = read["values"].as_array().unwrap().iter();
        let values: Vec<i64> = values
            .map(|value| value["value"].as_i64().unwrap())
            .collect();
        assert_eq!(values, wanted, "{job}");
    }
    // A frame without a packet, packets of other keys, and an output in place of an input.
    place.run(&encrypted_pads("7:4:0-3", "more")).success();
    let more = "evaluate --keys tfhe/server --in more --again --strict --job maximum --out r.bin --force --packets p1 \
                --packet-keys keys/server";
    let message = place.refusal(3, &words(more));
    assert!(message.contains("no packet has its name"), "{message}");
    let frames = own.replace(
        "--packets p1 --packet-keys keys/server",
        "--packets f --packet-keys tfhe/server",
    );
    place.refusal(3, &[words(&frames), words("--job maximum")].concat());
    place.refusal(
        3,
        &[&encrypted_pads("7:4:0-2", "p1")[..], &["--force"]].concat(),
    );
}
