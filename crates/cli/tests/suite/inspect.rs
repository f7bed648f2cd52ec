//! Output of `inspect` and `params`, which never shows secrets.
#![allow(clippy::unwrap_used)]

use crate::support::{words, Place};
use isopod_wire::{LinearKeyFile, OwnerKeyFile, ServerKeyFile, CKKS_SETS};

fn place() -> Place {
    let place = Place::with_keys(
        "ckks-4096x2-linear",
        &["--rotations", "1,2", "--device", "7"],
    );
    place.write("v.csv", "x\n1\n");
    place
        .run(&words(
            "encrypt --key keys/device-7 --values v.csv --out f.bin --epoch 3",
        ))
        .success();
    place
}

/// Frames of two primes that come as one item.
#[test]
fn frames_of_rounded_coefficients() {
    let place = Place::with_keys("ckks-2048x2-air", &[]);
    place.write("v.csv", "x\n1\n");
    let options = ["--key", "keys/device-1", "--values", "v.csv"];
    place
        .run(&[&["encrypt", "--out", "f.bin"], &options[..]].concat())
        .success();
    let item = &place.json(&["inspect", "f.bin", "--keys", "keys/server"])["items"][0];
    for (field, wanted) in [("part", 0), ("parts", 1), ("count", 1), ("rows", 1)] {
        assert_eq!(item[field], wanted, "{field}");
    }
    assert_eq!(item["authenticity"], "verified");
    assert!(item["dropped_0"].as_u64().unwrap() > 0, "{item}");
}

#[test]
fn frames_with_and_without_keys() {
    let place = place();
    let facts = place.json(&["inspect", "f.bin"]);
    let item = &facts["items"][1];
    assert_eq!(facts["items"].as_array().unwrap().len(), 2);
    for (field, wanted) in [
        ("device", 7),
        ("epoch", 3),
        ("sequence", 0),
        ("part", 1),
        ("parts", 2),
        ("log2_scale", 27),
        ("count", 1),
    ] {
        assert_eq!(item[field], wanted, "{field}");
    }
    assert_eq!(
        (&item["set"], &item["label"]),
        (&"ckks-4096x2-linear".into(), &"128".into())
    );
    assert_eq!(item["authenticity"], "not checked");
    for keys in ["keys/server", "keys/owner"] {
        assert_eq!(
            place.json(&["inspect", "f.bin", "--keys", keys])["items"][0]["authenticity"],
            "verified"
        );
    }
    let mut changed = place.read("f.bin");
    changed[3000] ^= 1;
    place.write("changed.bin", &changed);
    let inspect = ["inspect", "changed.bin", "--keys", "keys/server", "--json"];
    let assert = place.run(&inspect).code(4);
    let facts: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(facts["items"][0]["authenticity"], "DOES NOT VERIFY");
    assert_eq!(facts["items"][1]["authenticity"], "verified");
    assert!(place.output(&["inspect", "f.bin"]).contains("not checked"));
}

#[test]
fn keys_are_described_and_secrets_are_not_shown() {
    let place = place();
    let owner = place.read("keys/owner/owner.key");
    let server = place.read("keys/server/server.key");
    let (owner, server) = (
        OwnerKeyFile::read(&owner).ok().unwrap(),
        ServerKeyFile::read(&server).ok().unwrap(),
    );
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let secrets = [
        hex(owner.link),
        hex(server.device_master),
        hex(&owner.blob[80..96]),
    ];
    let files = words(
        "owner/owner.key server/server.key server/evaluation.keys device-7/frame.key public/public.key",
    );
    for file in files {
        let path = format!("keys/{file}");
        for output in [
            place.output(&["inspect", &path]),
            place.output(&["inspect", &path, "--json"]),
        ] {
            assert!(
                secrets.iter().all(|secret| !output.contains(secret)),
                "{output}"
            );
        }
    }
    assert_eq!(
        place.json(&["inspect", "keys/server/evaluation.keys"])["items"][0]["galois"],
        serde_json::json!([3, 9])
    );
    assert_eq!(
        place.json(&["inspect", "keys/device-7/frame.key"])["items"][0]["device"],
        7
    );
    assert_eq!(
        place.json(&["inspect", "keys/device-7/frame.key"])["items"][0]["key"],
        place.json(&["inspect", "keys/public/public.key"])["items"][0]["key"]
    );
}

#[test]
fn damage_is_named() {
    let place = place();
    let mut blob = place.read("keys/public/public.key");
    blob[100] ^= 1;
    place
        .write("blob", &blob)
        .write("text", "hello, world")
        .write("empty", "");
    assert!(place
        .refusal(5, &["inspect", "blob"])
        .contains("digest does not match"));
    assert!(place
        .refusal(3, &["inspect", "text"])
        .contains("text: item 0 at byte 0: item: no Isopod file"));
    assert!(place
        .refusal(3, &["inspect", "empty"])
        .contains("the bytes end early"));
    let frames = place.read("f.bin");
    place.write("cut", &frames[..frames.len() - 5]);
    assert!(place
        .refusal(3, &["inspect", "cut"])
        .contains("item 1 at byte 30"));
}

/// The frames `f.bin` of device 7, over and over, and one of another device in between.
fn many(place: &Place) -> Vec<u8> {
    place
        .run(&["device", "add", "9", "--keys", "keys"])
        .success();
    place
        .run(&words(
            "encrypt --keys keys/device-9 --values v.csv --out g.bin --epoch 8",
        ))
        .success();
    let (frame, other) = (place.read("f.bin"), place.read("g.bin"));
    [&frame.repeat(30)[..], &other, &frame].concat()
}

#[test]
fn many_items_are_counted() {
    let place = place();
    let bytes = many(&place);
    place.write("many", &bytes);
    let facts = place.json(&["inspect", "many", "--keys", "keys/server"]);
    assert_eq!(
        (&facts["count"], &facts["bytes"]),
        (&64.into(), &bytes.len().into())
    );
    assert!(facts["items"].is_null());
    let group = &facts["groups"][0];
    for (field, wanted) in [
        ("items", 64),
        ("frames", 32),
        ("devices", 2),
        ("verified", 64),
        ("bad", 0),
    ] {
        assert_eq!(group[field], wanted, "{field}");
    }
    assert_eq!(
        (&group["set"], &group["epochs"]),
        (&"ckks-4096x2-linear".into(), &serde_json::json!([3, 8]))
    );
    let text = place.output(&["inspect", "many"]);
    assert!(
        text.contains("64 item(s)") && text.contains("3-8"),
        "{text}"
    );
}

#[test]
fn bad_ones_of_many_items_are_counted_with_their_first_place() {
    let place = place();
    let mut bytes = many(&place);
    let part = place.read("f.bin").len() / 2;
    bytes[41 * part + 3000] ^= 1;
    bytes[50 * part + 3000] ^= 1;
    place.write("many", &bytes);
    let inspect = ["inspect", "many", "--keys", "keys/server", "--json"];
    let assert = place.run(&inspect).code(4);
    let facts: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    let group = &facts["groups"][0];
    assert_eq!(
        (
            &group["verified"],
            &group["bad"],
            &group["first_bad"]["item"]
        ),
        (&62.into(), &2.into(), &41.into())
    );
    place.write("cut", &bytes[..bytes.len() - 5]);
    let assert = place.run(&["inspect", "cut"]).code(3);
    let output = assert.get_output();
    let (said, refused) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(said.contains("63 item(s)"), "{said}");
    assert!(
        refused.contains("item 63 at byte") && refused.contains("the bytes end early"),
        "{refused}"
    );
}

#[test]
fn what_fits_a_board_is_listed_by_its_measured_sizes() {
    let place = Place::new();
    let list = |board: &str| place.json(&["params", "--board", board]);
    let small = list("ram=16K,flash=64K");
    let fits = |one: &serde_json::Value, ram: u64, flash: u64| {
        let sum = |names: &[&str]| {
            names
                .iter()
                .map(|&name| one[name].as_u64().unwrap())
                .sum::<u64>()
        };
        sum(&["library_ram", "values_ram", "frame_ram", "stack"]) <= ram
            && sum(&["code", "tables", "key_bytes"]) <= flash
    };
    let small = small.as_array().unwrap();
    let all = list("ram=4096M,flash=4096M");
    let all = all.as_array().unwrap();
    assert!(small.iter().all(|one| fits(one, 16 << 10, 64 << 10)));
    let fitting = all.iter().filter(|one| fits(one, 16 << 10, 64 << 10));
    assert_eq!(fitting.count(), small.len());
    assert!(small.len() > 10 && all.len() > small.len());
    let one = place.output(&["params", "ckks-2048x1-air", "--board", "ram=64K,flash=128K"]);
    assert!(one.contains("rounded") && !one.contains("slots"), "{one}");
    assert!(
        list("ram=64K,flash=256K,core=rv32im")
            .as_array()
            .unwrap()
            .len()
            > 10
    );
}

#[test]
fn figures_of_a_cortex_m7_are_of_the_code_of_a_cortex_m4() {
    let place = Place::new();
    for (core, wanted) in [
        ("cortex-m7", true),
        ("cortex-m33", true),
        ("cortex-m4", false),
    ] {
        let board = format!("ram=64K,flash=256K,core={core}");
        let text = place.output(&["params", "--board", &board]);
        assert_eq!(text.contains("runs the Cortex-M4's code"), wanted, "{text}");
    }
}

#[test]
fn boards_are_refused_by_field_and_range() {
    let place = Place::new();
    for (board, wanted) in [
        ("ram=64K", "flash is missing; ram and flash are needed"),
        (
            "ram=64K,flash=0",
            "flash: \"0\" is out of range; allowed is 1 to 4096M bytes",
        ),
        (
            "ram=64G,flash=1M",
            "ram: \"64G\" is out of range; allowed is 1 to 4096M bytes",
        ),
        ("ram=-1,flash=1M", "ram: \"-1\" is out of range"),
        ("ram=4097M,flash=1M", "ram: \"4097M\" is out of range"),
        (
            "ram=18014398509481985K,flash=1M",
            "ram: \"18014398509481985K\" is out of range",
        ),
        (
            "ram,flash=1M",
            "\"ram\" has no value; allowed is ram=BYTES,flash=BYTES",
        ),
        (
            "ram=1M,flash=1M,rom=1",
            "\"rom\" is unknown; allowed is ram, flash or core",
        ),
        ("ram=1M,ram=1M,flash=1M", "ram is given twice"),
        (
            "ram=1M,flash=1M,core=z80",
            "core: \"z80\" was not measured; allowed is cortex-m4, rv32im, cortex-m0plus",
        ),
    ] {
        let message = place.refusal(2, &["params", "--board", board]);
        assert!(message.contains(wanted), "{board}: {message}");
    }
    place.refused(
        3,
        &["params", "--board", "ram=1K,flash=1M"],
        "nothing fits ram=1024, flash=1048576; the least RAM of any is 1",
    );
    place.refused(
        3,
        &words("params bfv-32768x15w-seal-default --board ram=1M,flash=1M"),
        "bfv-32768x15w-seal-default was not measured on cortex-m4",
    );
    place.refused(
        3,
        &["params", "ckks-1", "--board", "ram=1M,flash=1M"],
        "allowed is one of ckks-1024x1-sum",
    );
}

#[test]
fn every_set_is_listed_with_its_label() {
    let place = Place::new();
    let list = place.output(&["params"]);
    assert!(CKKS_SETS.iter().all(|set| list.contains(set.name)));
    let json = place.json(&["params", "ckks-4096x3-seal-embedded-27"]);
    assert_eq!(
        (&json["label"], &json["rotations"]),
        (&"compat-2018".into(), &true.into())
    );
    assert_eq!(json["public_key_frame_bytes"], 2 * 3 * 4096 * 27 / 8);
}

/// A place with two devices whose tags are of period 2.
fn with_tags() -> Place {
    let devices = words("--for sum --device 1 --device 2");
    let place = Place::with_keys("bfv-2048x2-air", &devices);
    for more in ["", " --next-period", " --new-group"] {
        let give = format!("device tag-key 1-2 --keys keys{more}");
        place.run(&words(&give)).success();
    }
    place.write("v.csv", "a\n1\n");
    place
}

#[test]
fn frames_states_and_results_say_of_which_period_their_tags_are() {
    let place = with_tags();
    let encrypt = |device: u32, out: &str| {
        let words = words("encrypt --values v.csv");
        let keys = format!("keys/device-{device}");
        let more = ["--keys", &keys, "--out", out];
        place.run(&[&words[..], &more].concat()).success();
    };
    encrypt(1, "1");
    encrypt(2, "2");
    let sum = words("evaluate --keys keys/server --job sum --in 1 2 --out");
    for out in [["state", "--partial"], ["result", "--again"]] {
        place.run(&[&sum[..], &out].concat()).success();
    }
    for item in ["1", "state", "result"] {
        let facts = place.json(&["inspect", item]);
        assert_eq!(
            facts["items"][0]["linear_tag"], "period 2 modulo 8",
            "{item}"
        );
    }
    std::fs::remove_file(place.path("keys/device-1/linear.key")).unwrap();
    encrypt(1, "bare");
    let bare = place.json(&["inspect", "bare"]);
    assert_eq!(bare["items"][0]["linear_tag"], "none");
}

#[test]
fn keys_of_linear_tags_are_described_without_their_secrets() {
    let (place, file) = (with_tags(), "keys/device-2/linear.key");
    let facts = place.json(&["inspect", file])["items"][0].clone();
    assert_eq!((&facts["device"], &facts["period"]), (&2.into(), &2.into()));
    assert_eq!(facts["part"], "1 of 1");
    assert_eq!(facts["authenticity"], "digest verified, no key involved");
    let bytes = place.read(file);
    let secrets = LinearKeyFile::read(&bytes).ok().unwrap();
    for secret in [secrets.group, secrets.secret] {
        let hex: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        for words in [&["inspect", file][..], &["inspect", file, "--json"]] {
            assert!(!place.output(words).contains(&hex[..12]));
        }
    }
    let mut damaged = bytes.clone();
    damaged[100] ^= 1;
    place.write("damaged.key", damaged);
    let facts = place.json(&["inspect", "damaged.key"])["items"][0].clone();
    let wanted = "DOES NOT VERIFY: the digest is another";
    assert_eq!(facts["authenticity"], wanted);
    place.write("cut.key", &bytes[..bytes.len() - 1]);
    place.refused(3, &["inspect", "cut.key"], "cut.key");
}
