//! Thresholds of 3 or more that are less than all holders: contributions carry masks that cancel in their sum.

use super::{refuses, run, values};
use crate::support::Place;

const ALL: [&str; 5] = ["ann", "bob", "cid", "dan", "eva"];
const JOIN: &str = "owner join --insecure-plaintext-key --invitation ann/invitation";

/// Files of a kind of all holders.
fn files(kind: &str) -> String {
    let each = ALL.map(|name| format!("{name}/{kind}-{name}"));
    each.join(" ")
}

/// A place where three of five holders open an answer, and the sum of two devices is computed.
fn asked() -> Place {
    let place = Place::new();
    let names = ALL.join(",");
    run(
        &place,
        &format!("owner begin --out ann --insecure-plaintext-key --holders {names} --threshold 3"),
    );
    for name in &ALL[1..] {
        run(&place, &format!("{JOIN} --as {name} --out {name}"));
    }
    let announcements = files("announcement");
    for name in ALL {
        let step = format!("owner finish --keys {name} --in ann/invitation {announcements}");
        run(&place, &step);
    }
    let openings = files("opening");
    for name in ALL {
        let step = format!("owner finish --keys {name} --in {announcements} {openings}");
        run(&place, &step);
    }
    run(&place, "owner devices 1-2 --keys ann --out fleet");
    place.write("rows.csv", "a\n-7\n0\n63\n");
    for device in 1..=2 {
        let files = format!("--keys fleet/device-{device} --out frame-{device}");
        let line = format!("encrypt {files} --values rows.csv --bound-bits 7");
        run(&place, &line);
    }
    let evaluate = "evaluate --keys fleet/server --job sum --out sum";
    run(&place, &format!("{evaluate} --in frame-1 frame-2"));
    place
}

/// Lets the folders of three holders contribute for the `at`th time, under their names: the command line that opens the sum.
fn contribute(place: &Place, at: usize, folders: &[&str; 3], names: &str) -> String {
    let given = folders.map(|folder| format!("from-{folder}-{at}"));
    for (folder, out) in folders.iter().zip(&given) {
        let line = format!("owner contribute --in sum --agree --with {names} --keys {folder}");
        run(place, &format!("{line} --out {out}"));
    }
    let (first, given) = (folders[0], given.join(" "));
    format!("owner combine --keys {first} --in sum --contribution {given}")
}

#[test]
fn every_three_of_five_open_a_sum() {
    let place = asked();
    for (at, folders) in [
        ["ann", "bob", "cid"],
        ["ann", "cid", "eva"],
        ["bob", "dan", "eva"],
    ]
    .iter()
    .enumerate()
    {
        let combine = contribute(&place, at, folders, &folders.join(","));
        let text = run(&place, &combine);
        assert_eq!(values(&text), (vec![-14.0, 0.0, 126.0], 0.0));
    }
    refuses(
        &place,
        "owner combine --keys ann --in sum --contribution from-ann-0 from-bob-0 from-cid-1",
        "allowed are equal sets",
    );
    refuses(
        &place,
        "owner move --keys bob --to share",
        "threshold: 3 of 5; allowed on a board are 2 and 5",
    );
    refuses(
        &place,
        "owner contribute --in sum --keys ann --with ann,bob",
        "2 answer; allowed are exactly 3",
    );
}

/// A newcomer has another identity, so that masks with the lost holder's do not cancel: who did not note the change spoils the
/// answer, and nothing wrong is printed.
#[test]
fn masks_follow_a_newcomer_and_a_refresh() {
    let place = asked();
    run(&place, &format!("{JOIN} --as dan --out new"));
    let replace = "owner replace --agree --newcomer new/announcement-dan --with ann,bob,cid";
    let masks = "ann/masks-dan-ann bob/masks-dan-bob";
    for (name, given) in [
        ("ann", ""),
        ("bob", "--in ann/masks-dan-ann"),
        ("cid", masks),
    ] {
        let given = if name == "cid" {
            format!("--in {given}")
        } else {
            given.to_owned()
        };
        run(&place, &format!("{replace} --keys {name} {given}"));
    }
    let pieces = "ann/piece-dan-ann bob/piece-dan-bob cid/piece-dan-cid";
    run(
        &place,
        &format!("owner take-over --keys new --public ann/public.key --in {pieces}"),
    );
    let folders = ["ann", "new", "eva"];
    let answer = |at| contribute(&place, at, &folders, "ann,dan,eva");
    // ann, bob and cid know the newcomer; eva's masks are with the lost holder still.
    refuses(
        &place,
        &answer(0),
        "result 0: does not open: a contribution was made under another key",
    );
    run(&place, &format!("{replace} --keys eva"));
    let wanted = (vec![-14.0, 0.0, 126.0], 0.0);
    assert_eq!(values(&run(&place, &answer(1))), wanted);
    let everyone = ["ann", "bob", "cid", "new", "eva"];
    let files = |kind: &str| {
        let each = everyone.map(|folder| {
            let name = if folder == "new" { "dan" } else { folder };
            format!("{folder}/{kind}-1-{name}")
        });
        each.join(" ")
    };
    let (dealt, confirmed) = (files("refresh"), files("refreshed"));
    for given in [
        String::new(),
        format!("--in {dealt}"),
        format!("--agree --in {dealt} {confirmed}"),
    ] {
        for folder in everyone {
            run(&place, &format!("owner refresh --keys {folder} {given}"));
        }
    }
    assert_eq!(values(&run(&place, &answer(2))), wanted);
}

/// Masks hide values and pads hide tags, side by side.
#[test]
fn an_answer_with_masks_is_proved() {
    let place = asked();
    let holders = ["ann", "bob", "cid"];
    let names = holders.join(",");
    for (name, file) in holders
        .iter()
        .zip(["linear.key", "linear-2.key", "linear-3.key"])
    {
        let line = format!("owner tag-key 1-2 --keys {name} --with {names} --verifier ann");
        run(&place, &format!("{line} --out tags-{name}"));
        for device in ["device-1", "device-2"] {
            let key = place.read(&format!("tags-{name}/{device}/{file}"));
            place.write_private(&format!("fleet/{device}/{file}"), key);
        }
    }
    for device in 1..=2 {
        let files = format!("--keys fleet/device-{device} --out frame-{device} --force");
        let line = format!("encrypt {files} --values rows.csv --bound-bits 7");
        run(&place, &line);
    }
    let evaluate = "evaluate --keys fleet/server --job sum --out sum --force --again";
    run(&place, &format!("{evaluate} --in frame-1 frame-2"));
    let combine = contribute(&place, 0, &holders, &names);
    let text = run(&place, &format!("{combine} --verify"));
    assert_eq!(values(&text), (vec![-14.0, 0.0, 126.0], 0.0));
}
