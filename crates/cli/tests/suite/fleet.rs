//! Devices that come and go, and the public key that they share.
#![allow(clippy::unwrap_used)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use crate::support::{close, words, Place};
use serde_json::json;

const SET: &str = "ckks-4096x2-linear";
/// Most bytes of a device's folder.
const MOST_BYTES: u64 = 1024;

fn place() -> Place {
    let place = Place::with_keys(SET, &["--no-evaluation-keys"]);
    place.write("v.csv", "x\n1.5\n");
    place
}

fn add<'a>(ids: &[&'a str]) -> Vec<&'a str> {
    [&["device", "add", "--keys", "keys"], ids].concat()
}

fn revoke<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["device", "revoke", "--keys", "keys"], more].concat()
}

/// Frames of a device, under the next numbers of its folder.
fn encrypt(place: &Place, device: &str, out: &str) {
    let folder = format!("keys/device-{device}");
    let encrypt = [
        "encrypt", "--keys", &folder, "--values", "v.csv", "--out", out, "--force",
    ];
    place.run(&encrypt).success();
}

fn sum<'a>(frames: &[&'a str]) -> Vec<&'a str> {
    let evaluate = words("evaluate --keys keys/server --job sum --out r.bin --force --in");
    [&evaluate, frames].concat()
}

fn bytes(place: &Place, folder: &str) -> u64 {
    let files = fs::read_dir(place.path(folder)).unwrap();
    files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum()
}

#[test]
fn a_device_joins_and_the_others_stay_as_they_are() {
    let place = place();
    let before = [
        "owner/owner.key",
        "server/server.key",
        "public/public.key",
        "device-1/frame.key",
    ];
    let read = || before.map(|file| place.read(&format!("keys/{file}")));
    let old = read();
    let facts = place.json(&add(&["2", "10-12"]));
    assert_eq!(facts["devices"], json!([2, 10, 11, 12]));
    assert_eq!(read(), old);
    for device in ["1", "11"] {
        encrypt(&place, device, &format!("{device}.bin"));
        let folder = format!("keys/device-{device}");
        let size = bytes(&place, &folder);
        assert!(size <= MOST_BYTES, "{size}");
        let mode = fs::metadata(place.path(&folder))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
    }
    place.run(&sum(&["1.bin", "11.bin"])).success();
    close(&place.decrypted("r.bin"), &[3.0], 0.01);
    let list = place.json(&["device", "list", "--keys", "keys"]);
    assert_eq!(list, json!({"in_use": [[1, 2], [10, 12]], "revoked": []}));
    let text = place.output(&["device", "list", "--keys", "keys"]);
    assert!(
        text.contains("10-12") && text.ends_with("in use: 5; revoked: 0\n"),
        "{text}"
    );
}

#[test]
fn numbers_that_cannot_be_given() {
    let place = place();
    assert!(place
        .refusal(5, &add(&["1"]))
        .contains("device 1: given before"));
    assert!(place
        .refusal(5, &add(&["7", "7"]))
        .contains("device 7: given before"));
    assert!(place
        .refusal(5, &add(&["7", "--again"]))
        .contains("device 7: unknown; allowed are the devices of this key pair: 1"));
    for id in ["18446744073709551616", "-1", "x", "9-8", ""] {
        let refused = place.refusal(2, &add(&["--", id]));
        assert!(refused.contains("allowed is"), "{refused}");
    }
    assert!(place
        .refusal(3, &add(&["0-18446744073709551615"]))
        .contains("allowed are at most 1048576"));
    assert!(place
        .refusal(5, &["device", "add", "7", "--keys", "nothing"])
        .contains("keygen wrote"));
    fs::create_dir(place.path("keys/device-8")).unwrap();
    assert!(place
        .refusal(5, &add(&["7", "8"]))
        .contains("device-8: exists already"));
    assert!(!place.exists("keys/device-7"));
    assert_eq!(
        place.json(&["device", "list", "--keys", "keys"])["in_use"],
        json!([[1, 1]])
    );
    place.run(&add(&["18446744073709551615", "7"])).success();
}

#[test]
fn a_folder_that_was_lost_is_made_again() {
    let place = place();
    let key = place.read("keys/device-1/frame.key");
    fs::remove_dir_all(place.path("keys/device-1")).unwrap();
    place.run(&add(&["1", "--again"])).success();
    assert_eq!(place.read("keys/device-1/frame.key"), key);
    place.run(&revoke(&["1"])).success();
    fs::remove_dir_all(place.path("keys/device-1")).unwrap();
    assert!(place
        .refusal(5, &add(&["1", "--again"]))
        .contains("device 1: revoked, and a number is never in use again"));
    assert!(place.refusal(5, &add(&["1"])).contains("device 1: revoked"));
}

#[test]
fn nothing_is_given_where_it_cannot_be_written() {
    let place = place();
    let register = place.read("keys/owner/devices");
    fs::rename(place.path("keys/owner/devices"), place.path("kept")).unwrap();
    let missing = place.refusal(5, &add(&["7"]));
    assert!(
        missing.contains("missing, and without it a number could be given twice"),
        "{missing}"
    );
    place.write("keys/owner/devices", &register[..40]);
    assert!(place.refusal(5, &add(&["7"])).contains("torn or changed"));
    place.write("keys/owner/devices", &register);
    place.refusal(1, &add(&["7", "--out", "absent"]));
    assert_eq!(place.read("keys/owner/devices"), register);
    assert!(!place.names().iter().any(|name| name.contains("partial")));
}

/// Exit code and standard error of a command that may write no byte into a file, as on a full disk.
fn on_a_full_disk(place: &Place, arguments: &[&str]) -> (Option<i32>, String) {
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    let program = assert_cmd::cargo::cargo_bin("isopod");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script]).arg(program).args(arguments);
    let output = command.current_dir(place.path("")).output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn a_full_disk_changes_nothing() {
    let place = Place::with_keys(SET, &[]);
    let files = ["owner/devices", "server/revoked", "server/evaluation.keys"]
        .map(|file| format!("keys/{file}"));
    let read = || files.clone().map(|file| place.read(&file));
    let before = read();
    let server_keys = [
        "server-keys",
        "--keys",
        "keys/owner",
        "--force",
        "--out",
        &files[2],
    ];
    for command in [&add(&["7"])[..], &revoke(&["1"]), &server_keys] {
        let (code, said) = on_a_full_disk(&place, command);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("File too large"), "{said}");
        assert!(read() == before, "{said}");
    }
    for folder in ["keys", "keys/owner", "keys/server"] {
        let names = fs::read_dir(place.path(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = names
            .filter(|name| name.to_string_lossy().contains("partial"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
    place.run(&add(&["7"])).success();
    place.run(&revoke(&["7"])).success();
}

#[test]
fn frames_of_a_revoked_device_are_refused() {
    let place = place();
    place.run(&add(&["2"])).success();
    encrypt(&place, "1", "1.bin");
    encrypt(&place, "2", "2.bin");
    let said = place.output(&revoke(&["2"]));
    assert!(
        said.starts_with("device 2: revoked, no frame is taken\n"),
        "{said}"
    );
    let strict = [&sum(&["1.bin", "2.bin"])[..], &["--strict"]].concat();
    let refused = place.refusal(5, &strict);
    assert!(
        refused.contains("part at byte 0: device 2: revoked; allowed is no frame of it"),
        "{refused}"
    );
    assert!(!place.exists("r.bin"));
    place.run(&sum(&["1.bin"])).success();
    assert!(place
        .refusal(5, &revoke(&["2"]))
        .contains("device 2: revoked before"));
    assert!(place
        .refusal(5, &revoke(&["3"]))
        .contains("device 3: unknown; allowed are the devices of this key pair: 1-2"));
    assert_eq!(
        place.json(&["device", "list", "--keys", "keys/server"])["revoked"],
        json!([{"device": 2, "kept": null}])
    );
    let rotate = words("rotate --keys keys --out fresh --insecure-plaintext-key");
    assert_eq!(place.json(&rotate)["devices"], json!([1]));
}

#[test]
fn earlier_frames_stay_valid_by_choice() {
    let place = place();
    encrypt(&place, "1", "early.bin");
    place.run(&sum(&["early.bin"])).success();
    encrypt(&place, "1", "late.bin");
    place.run(&revoke(&["1", "--keep-earlier"])).success();
    let again = [&sum(&["early.bin"])[..], &["--again"]].concat();
    place.run(&again).success();
    let refused = place.refusal(5, &sum(&["late.bin"]));
    assert!(
        refused.contains("device 1: revoked; allowed is its frames up to sequence 0 of epoch"),
        "{refused}"
    );
    place.run(&revoke(&["1"])).success();
    assert!(place
        .refusal(5, &again)
        .contains("allowed is no frame of it"));
}

#[test]
fn a_servers_folder_alone_can_revoke_and_an_owners_cannot() {
    let place = place();
    fs::rename(place.path("keys/server"), place.path("elsewhere")).unwrap();
    let refused = place.refusal(3, &revoke(&["1"]));
    assert!(refused.contains("keys: no server's folder"), "{refused}");
    place
        .run(&["device", "revoke", "1", "--keys", "elsewhere"])
        .success();
    let list = place.output(&["device", "list", "--keys", "elsewhere"]);
    assert!(
        list.ends_with("in use: not known here; revoked: 1\n"),
        "{list}"
    );
    fs::remove_file(place.path("elsewhere/revoked")).unwrap();
    encrypt(&place, "1", "1.bin");
    let evaluate = words("evaluate --keys elsewhere --job sum --in 1.bin --out r.bin");
    let refused = place.refusal(5, &evaluate);
    assert!(
        refused.contains("missing, and without it frames of revoked devices would pass"),
        "{refused}"
    );
}

#[test]
fn a_list_that_cannot_be_written_changes_nothing() {
    let place = place();
    encrypt(&place, "1", "1.bin");
    let list = place.read("keys/server/revoked");
    fs::remove_file(place.path("keys/server/revoked")).unwrap();
    fs::create_dir(place.path("keys/server/revoked")).unwrap();
    place.refusal(1, &revoke(&["1"]));
    fs::remove_dir(place.path("keys/server/revoked")).unwrap();
    place.write("keys/server/revoked", list);
    place.run(&sum(&["1.bin"])).success();
}

#[test]
fn a_device_finds_the_public_key_of_its_fleet_or_says_where_it_looked() {
    let place = place();
    let encrypt = [
        "encrypt", "--keys", "sensor", "--values", "v.csv", "--out", "f.bin", "--force",
    ];
    fs::rename(place.path("keys/device-1"), place.path("sensor")).unwrap();
    let refused = place.refusal(5, &encrypt);
    assert!(
        refused.contains("sensor: no public key, neither public.key in it"),
        "{refused}"
    );
    assert!(refused.contains("--public-key FILE"), "{refused}");
    let named = [&encrypt[..], &["--public-key", "keys/public/public.key"]].concat();
    place.run(&named).success();
    fs::copy(
        place.path("keys/public/public.key"),
        place.path("sensor/public.key"),
    )
    .unwrap();
    place.run(&encrypt).success();
    place
        .run(
            &[&[
                "keygen",
                "--out",
                "other",
                "--insecure-plaintext-key",
                "--no-evaluation-keys",
            ][..]]
            .concat(),
        )
        .success();
    let foreign = [&encrypt[..], &["--public-key", "other/public/public.key"]].concat();
    let refused = place.refusal(5, &foreign);
    for keys in ["keys", "other"] {
        let inspect = ["inspect".to_owned(), format!("{keys}/public/public.key")];
        let key = place.json(&[&inspect[0], &inspect[1]])["items"][0]["key"].clone();
        assert!(refused.contains(key.as_str().unwrap()), "{refused}");
    }
    let mut torn = place.read("sensor/public.key");
    torn[3000] ^= 1;
    place.write("sensor/public.key", torn);
    assert!(place
        .refusal(5, &encrypt)
        .contains("sensor/public.key: key blob: digest does not match"));
}

#[test]
fn a_foreign_frame_tells_both_keys() {
    let place = place();
    let other = self::place();
    encrypt(&other, "1", "f.bin");
    place.write("f.bin", other.read("f.bin"));
    let refused = place.refusal(4, &sum(&["f.bin"]));
    for place in [&place, &other] {
        let key = place.json(&["inspect", "keys/server/server.key"])["items"][0]["key"].clone();
        assert!(refused.contains(key.as_str().unwrap()), "{refused}");
    }
}

#[test]
fn evaluation_keys_are_made_again() {
    let place = place();
    place.write("v.csv", "x,y\n1,2\n");
    encrypt(&place, "1", "f.bin");
    let total = words("evaluate --keys keys/server --job total --in f.bin --out r.bin");
    place.refusal(3, &total);
    let new = words(
        "server-keys --keys keys/owner --for total --stride 2 --out keys/server/evaluation.keys",
    );
    let facts = place.json(&new);
    assert_eq!(facts["rotations"], json!([1]));
    let mode = fs::metadata(place.path("keys/server/evaluation.keys"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(Permissions::from_mode(mode).mode() & 0o77, 0);
    place.run(&total).success();
    close(&place.decrypted("r.bin"), &[3.0], 0.01);
    assert!(place.refusal(3, &new).contains("exists already"));
    place.run(&[&new[..], &["--force"]].concat()).success();
    let sums = Place::with_keys("ckks-1024x1-sum", &[]);
    let none = ["server-keys", "--keys", "keys/owner", "--out", "e.keys"];
    assert!(sums
        .refusal(3, &none)
        .contains("needs no evaluation keys for that"));
    assert!(!sums.exists("e.keys"));
    assert!(place
        .refusal(
            5,
            &["server-keys", "--keys", "keys/server", "--out", "e.keys"]
        )
        .contains("keygen wrote"));
}

#[test]
fn keys_of_a_large_ring_take_the_set_of_its_frames_and_their_program() {
    let make = |place: &Place, code, size| {
        let command = ["server-keys", "--keys", "keys/owner", "--out", "large"];
        let refusal = place.refusal(code, &[&command[..], &["--size", size]].concat());
        assert!(!place.exists("large"));
        refusal
    };
    let sums = Place::with_keys("ckks-1024x1-sum", &[]);
    let refusal = make(&sums, 3, "deep-16");
    assert!(
        refusal.contains("set: ckks-1024x1-sum; allowed with deep-16 is ckks-2048x1-air"),
        "{refusal}"
    );
    let air = Place::with_keys("ckks-2048x1-air", &[]);
    let refusal = make(&air, 2, "deep-99");
    assert!(refusal.contains("possible values: deep-16"), "{refusal}");
    // Tests do not build the programs of `make deep`.
    let refusal = make(&air, 1, "deep-16");
    assert!(refusal.contains("`make deep` builds it"), "{refusal}");
}
