//! Publishing results, and fresh keys of the same shape.
#![allow(clippy::unwrap_used)]

use crate::support::{words, Place};

const SET: &str = "ckks-8192x6-multiply";
const SHARE: &[&str] = &[
    "share",
    "--keys",
    "keys/owner",
    "--in",
    "results.bin",
    "--job",
    "sum",
];

/// Keys, and one result: 0.25 + 0.5, 1.25 + 1.5, ... at a scale of 2^40.
fn place() -> Place {
    let place = Place::with_keys(SET, &["--rotations", "1"]);
    for (name, start, sequence) in [("one", 0.25, "0"), ("two", 0.5, "1")] {
        let row: Vec<String> = (0..8)
            .map(|at| (start + f64::from(at)).to_string())
            .collect();
        let table = format!("a,b,c,d,e,f,g,h\n{}\n", row.join(","));
        place.write(&format!("{name}.csv"), table);
        let (values, frames) = (format!("{name}.csv"), format!("{name}.bin"));
        let encrypt = [
            "encrypt",
            "--keys",
            "keys/device-1",
            "--values",
            &values,
            "--out",
            &frames,
        ];
        place
            .run(
                &[
                    &encrypt[..],
                    &["--scale-bits", "40", "--sequence", sequence],
                ]
                .concat(),
            )
            .success();
    }
    let both = [place.read("one.bin"), place.read("two.bin")].concat();
    place.write("frames.bin", both);
    let evaluate = ["evaluate", "--keys", "keys/server", "--job", "sum"];
    let files = ["--in", "frames.bin", "--out", "results.bin"];
    place.run(&[&evaluate[..], &files].concat()).success();
    place
}

fn share(place: &Place, more: &[&str]) -> serde_json::Value {
    place.json(&[SHARE, &["--frames", "2", "--scale-bits", "40"], more].concat())
}

#[test]
fn shared_values_are_near_counted_and_limited() {
    let place = place();
    let more = ["--largest-error", "0.2", "--queries", "2"];
    let first = share(&place, &more);
    assert_eq!((&first["queries"], &first["used"]), (&2.into(), &1.into()));
    let values = first["values"].as_array().unwrap();
    assert_eq!(values.len(), 8);
    for (at, value) in values.iter().enumerate() {
        let (value, error) = (
            value["value"].as_f64().unwrap(),
            value["error"].as_f64().unwrap(),
        );
        assert!((1e-4..0.2).contains(&error), "{error}");
        let wanted = 0.75 + 2.0 * at as f64;
        assert!((value - wanted).abs() < 7.0 * error, "{value} / {wanted}");
    }
    let second = share(&place, &more);
    assert_eq!(second["used"], 2);
    assert_ne!(first["values"], second["values"]);
    let circuit = ["--frames", "2", "--scale-bits", "40"];
    place.refused(5, &[SHARE, &circuit, &more].concat(), "2 of the 2 declared");
    let message = place.refusal(
        5,
        &[
            SHARE,
            &circuit,
            &["--largest-error", "0.2", "--queries", "9"],
        ]
        .concat(),
    );
    assert!(
        message.contains("queries: 9") && message.contains("declared with 2"),
        "{message}"
    );
    assert_eq!(place.decrypted("results.bin").len(), 8);
}

#[test]
fn what_cannot_be_shared_is_not_counted() {
    let place = place();
    let fine = ["--frames", "2", "--scale-bits", "40"];
    let cases: [(&[&str], &str); 4] = [
        (&["--largest-error", "1e-9"], "precision"),
        (
            &["--largest-error", "1", "--statistical-bits", "20"],
            "statistical_bits: 20",
        ),
        (&["--largest-error", "1", "--queries", "0"], "queries: 0"),
        (&["--largest-error", "nan"], "largest_error"),
    ];
    for (more, wanted) in cases {
        let message = place.refusal(3, &[SHARE, &fine, more].concat());
        assert!(
            message.contains(wanted) && message.contains("allowed"),
            "{message}"
        );
    }
    let mean = words("share --keys keys/owner --in results.bin --job mean --largest-error 1");
    place.refused(3, &mean, "mean was declared");
    let sigmoid = words("share --keys keys/owner --in results.bin --job sigmoid --largest-error 1");
    place.refusal(3, &sigmoid);
    let shared = share(&place, &["--largest-error", "1", "--queries", "1"]);
    assert_eq!(shared["used"], 1);
}

#[test]
fn small_scales_are_refused() {
    let place = Place::with_keys("ckks-4096x2-linear", &[]);
    place.write("values.csv", "a\n1\n2\n");
    let encrypt = words("encrypt --keys keys/device-1 --values values.csv --out frames.bin");
    place.run(&encrypt).success();
    let evaluate = words("evaluate --keys keys/server --job sum --in frames.bin --out results.bin");
    place.run(&evaluate).success();
    place.refused(
        3,
        &[SHARE, &["--largest-error", "0.1"]].concat(),
        "larger scale",
    );
}

#[test]
fn rotation_keeps_the_shape_and_changes_every_key() {
    let place = Place::new();
    let keygen = words("keygen --set ckks-4096x3-multiply --out keys --insecure-plaintext-key");
    let shape =
        words("--device 3 --device 12 --rotations 1,4,-1 --relinearization --seeded-public-key");
    let old = place.json(&[&keygen[..], &shape].concat());
    let rotate = words("rotate --keys keys --out fresh --insecure-plaintext-key");
    let new = place.json(&rotate);
    assert_ne!(old["key"], new["key"]);
    for field in [
        "set",
        "devices",
        "relinearization",
        "evaluation_key_bytes",
        "public_key_bytes",
    ] {
        assert_eq!(old[field], new[field], "{field}");
    }
    for file in [
        "server/server.key",
        "device-3/frame.key",
        "public/public.key",
        "device-12/frame.key",
        "owner/owner.key",
    ] {
        let (old, new) = (
            place.read(&format!("keys/{file}")),
            place.read(&format!("fresh/{file}")),
        );
        assert_eq!(old.len(), new.len());
        assert_ne!(old, new, "{file}");
    }
    place.refused(5, &rotate, "exists already");
    place.refused(
        5,
        &["rotate", "--keys", "nothing", "--out", "other"],
        "keygen wrote",
    );
}
