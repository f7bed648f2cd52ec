//! Completions, manual pages, and tables of any separator.
#![allow(clippy::unwrap_used)]

use crate::support::{close, words, Place};

#[test]
fn every_shell_completes_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.output(&["completions", shell]);
        for word in ["keygen", "server-keys", "public-key", "keep-earlier"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let refused = place.refusal(2, &["completions", "tcsh"]);
    assert!(refused.contains("possible values"), "{refused}");
}

#[test]
fn every_command_has_a_page() {
    let place = Place::new();
    let pages = place.json(&["man", "man"])["pages"].clone();
    for page in [
        "isopod.1",
        "isopod-encrypt.1",
        "isopod-device.1",
        "isopod-device-revoke.1",
    ] {
        assert!(
            pages.as_array().unwrap().contains(&page.into()),
            "{page}: {pages}"
        );
        let text = String::from_utf8(place.read(&format!("man/{page}"))).unwrap();
        assert!(
            text.contains(".SH NAME") && text.contains("OPTIONS"),
            "{text}"
        );
    }
    let encrypt = String::from_utf8(place.read("man/isopod-encrypt.1")).unwrap();
    assert!(
        encrypt.contains("public\\-key") || encrypt.contains("public-key"),
        "{encrypt}"
    );
    assert!(place.refusal(5, &["man", "man"]).contains("exists already"));
}

#[test]
fn semicolons_and_tabs_separate_readings() {
    let place = Place::with_keys("ckks-4096x2-linear", &["--no-evaluation-keys"]);
    for (text, name) in [
        ("a;\"b;c\"\n1;2\n", "b;c"),
        ("a\tb\n1\t2\n", "b"),
        ("a,b\n1,2\n", "b"),
    ] {
        place.write("v.csv", text);
        let encrypt = words("encrypt --keys keys/device-1 --values v.csv --out f.bin --force");
        assert_eq!(
            place.json(&encrypt)["columns"],
            serde_json::json!(["a", name])
        );
        let sum = words("evaluate --keys keys/server --job sum --in f.bin --out r.bin --force");
        place.run(&sum).success();
        close(&place.decrypted("r.bin"), &[1.0, 2.0], 0.01);
    }
    place.write("v.csv", "a;b,c\n1;2,5\n");
    let encrypt = words("encrypt --keys keys/device-1 --values v.csv --out g.bin");
    let refused = place.refusal(3, &encrypt);
    assert!(
        refused.contains("v.csv: header: comma and semicolon both stand between names"),
        "{refused}"
    );
    place.write("v.csv", "a;b\n1;2,5\n");
    let refused = place.refusal(3, &encrypt);
    assert!(
        refused.contains("row 1, column b: \"2,5\" is no number"),
        "{refused}"
    );
}

/// Bits that travel as bytes, and keys whose next steps are another library's, are told of; what was chosen is not.
#[test]
fn the_next_better_step_is_said() {
    let said = |place: &Place, arguments: &[&str]| {
        let run = place.run(arguments).success();
        let output = run.get_output();
        let streams = [output.stdout.clone(), output.stderr.clone()].concat();
        String::from_utf8(streams).unwrap()
    };
    let place = Place::with_keys("tfhe-2048-tfhe-rs", &["--no-evaluation-keys"]);
    for (values, more, is_said) in [
        ("v\n0\n1\n1\n", "", true),
        ("v\n0\n1\n2\n", "", false),
        ("v\n0\n1\n1\n", " --type u8", false),
        ("v\n0\n1\n1\n", " --type bool", false),
    ] {
        place.write("v.csv", values);
        let encrypt = "encrypt --keys keys/device-1 --values v.csv --out f.bin --force";
        let text = said(&place, &words(&format!("{encrypt}{more}")));
        assert_eq!(text.contains("--type bool takes"), is_said, "{text}");
    }
    let keygen =
        "keygen --set tfhe-1024-tfhepp --allow-compat-tfhepp --out k --insecure-plaintext-key";
    let text = said(&place, &words(keygen));
    assert!(
        text.contains("isopod export-tfhepp --keys OWNER --what key"),
        "{text}"
    );
}

/// A row of one column takes one slot.
#[test]
fn all_slots_hold_rows_of_one_column() {
    let place = Place::with_keys("ckks-4096x2-linear", &["--for", "column-sum"]);
    let rows: Vec<String> = (0..2048).map(|row| (row % 7).to_string()).collect();
    place.write("v.csv", format!("v\n{}\n", rows.join("\n")));
    let encrypt = words("encrypt --keys keys/device-1 --values v.csv --out f.bin");
    assert_eq!(place.json(&encrypt)["frames"], 1);
    place
        .run(&words(
            "evaluate --keys keys/server --in f.bin --job column-sum --out r.bin",
        ))
        .success();
    let sum: usize = (0..2048).map(|row| row % 7).sum();
    close(&place.decrypted("r.bin"), &[sum as f64], 0.5);
}
