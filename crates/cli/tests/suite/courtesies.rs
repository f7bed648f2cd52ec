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
