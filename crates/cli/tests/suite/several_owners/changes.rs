//! Holders who change under one key: refreshed shares, a newcomer for a lost holder, and the end of a key.

use super::{asked, opened, refuses, run, values, CONTRIBUTE, HOLDERS};
use crate::support::Place;

/// A step of a change by each holder of a list, with the files of all of them that are there.
fn change(place: &Place, action: &str, names: &[&str], files: &str, more: &str) -> Vec<String> {
    let step = |name: &&str| {
        let others = names.iter().map(|other| {
            let own: Vec<String> = files
                .split(' ')
                .map(|file| format!("{other}/{file}-{other}"))
                .collect();
            own.into_iter()
                .filter(|file| place.exists(file))
                .collect::<Vec<_>>()
                .join(" ")
        });
        let files = others.collect::<Vec<_>>().join(" ");
        let given = if files.trim().is_empty() {
            String::new()
        } else {
            format!("--in {files}")
        };
        run(
            place,
            &format!("owner {action} --keys {name} {given} {more}"),
        )
    };
    names.iter().map(step).collect()
}

/// Refreshes all shares to a generation.
fn refresh(place: &Place, names: &[&str], generation: u32) {
    let files = format!("refresh-{generation} refreshed-{generation}");
    change(place, "refresh", names, &files, "");
    let confirmed = change(place, "refresh", names, &files, "");
    let fingerprints: Vec<&str> = confirmed
        .iter()
        .filter_map(|text| {
            text.split("fingerprint of the refresh ")
                .nth(1)?
                .split(':')
                .next()
        })
        .collect();
    assert_eq!(
        fingerprints,
        vec![fingerprints[0]; names.len()],
        "{confirmed:?}"
    );
    // All files as they are now, since each holder's agreement ends the generation of the folder.
    for text in change(place, "refresh", names, &files, "--agree") {
        assert!(
            text.starts_with(&format!("generation {generation}: ")),
            "{text}"
        );
    }
}

#[test]
fn refreshed_shares_open_and_older_ones_do_not() {
    let place = asked("", "");
    run(
        &place,
        &format!("{CONTRIBUTE} alice,bob --keys alice --agree --out older"),
    );
    let (old, public) = (
        place.read("alice/holder.key"),
        place.read("alice/public.key"),
    );
    refresh(&place, &HOLDERS, 1);
    assert_eq!(place.read("alice/public.key"), public);
    let text = opened(&place, "sum", "", "");
    let wanted: Vec<f64> = (0..64).map(|row| f64::from((row - 32) * 6)).collect();
    assert_eq!(values(&text).0, wanted);
    let combine = "owner combine --in sum --keys bob --contribution";
    let text = "alice: the contribution is of generation 0; allowed is 1, that of this folder";
    refuses(&place, &format!("{combine} older sum-bob"), text);
    // Counts went on: one contribution before, one after.
    let shown = run(&place, &format!("{CONTRIBUTE} alice,bob --keys alice"));
    assert!(
        shown.contains("answers opened: 2 of 64, 62 remain"),
        "{shown}"
    );
    // Files of a refresh that is over, once more.
    let again = "owner refresh --keys carol --in alice/refresh-1-alice";
    refuses(
        &place,
        again,
        "alice: the file is of generation 0; allowed is 1, at which this folder is",
    );
    // An old copy of the folder is behind in its count, and behind in its generation.
    place.write_private("alice/holder.key", &old);
    let back = format!("{CONTRIBUTE} alice,bob --keys alice --agree --out set-back");
    refuses(&place, &back, "so the folder is an old copy");
    refuses(
        &place,
        &format!("{combine} sum-alice sum-bob").replace("bob --contr", "alice --contr"),
        "is of generation 1; allowed is 0",
    );
}

#[test]
fn a_refresh_waits_keeps_the_old_share_and_names_whose_file_is_wrong() {
    let place = asked("", "");
    let step = change(&place, "refresh", &["bob"], "none", "");
    assert!(
        step[0].ends_with("waiting for refresh-* of alice, carol\n"),
        "{step:?}"
    );
    let first = place.read("bob/refresh-1-bob");
    change(&place, "refresh", &["bob"], "none", "--agree");
    assert_eq!(first, place.read("bob/refresh-1-bob"));
    change(&place, "refresh", &["alice", "carol"], "none", "");
    let files = "alice/refresh-1-alice bob/refresh-1-bob carol/refresh-1-carol";
    let refused = |files: &str, text: &str| {
        refuses(
            &place,
            &format!("owner refresh --keys bob --in {files}"),
            text,
        );
    };
    let spoiled = |name: &str, at: usize| {
        let mut bytes = place.read(name);
        bytes[at] ^= 1;
        place.write("spoiled", &bytes);
    };
    // A bit of the commitment, and one of what is sealed for the reader.
    spoiled("carol/refresh-1-carol", 45);
    refused(&format!("{files} spoiled"), "carol: two files differ");
    let carol = place.read("carol/refresh-1-carol");
    let sealed: Vec<usize> = (0..carol.len() - 4)
        .filter(|&at| carol[at..].starts_with(b"age-"))
        .collect();
    spoiled("carol/refresh-1-carol", sealed[1] + 1000);
    refused(
        "alice/refresh-1-alice spoiled",
        "carol: sealed: not encrypted to this holder",
    );
    refused(
        "alice/opening-alice",
        "array: 6 bytes or elements; allowed is 7",
    );
    let other = asked("", "");
    change(&other, "refresh", &["alice"], "none", "");
    place.write("foreign", other.read("alice/refresh-1-alice"));
    refused("foreign", "alice: the file is of another key");
}

/// Everything is there, and nobody else confirmed: the old share opens still, and agreeing alone wipes nothing.
#[test]
fn an_old_share_opens_until_all_confirmed_one_transcript() {
    let place = asked("", "");
    change(&place, "refresh", &HOLDERS, "none", "");
    let files = "alice/refresh-1-alice bob/refresh-1-bob carol/refresh-1-carol";
    let text = run(
        &place,
        &format!("owner refresh --keys bob --agree --in {files}"),
    );
    assert!(
        text.contains("the old share is valid still") && text.contains("of alice, carol"),
        "{text}"
    );
    let before = place.read("bob/holder.key");
    run(
        &place,
        &format!("owner refresh --keys bob --agree --in {files}"),
    );
    assert_eq!(before, place.read("bob/holder.key"));
    let mut spoiled = place.read("bob/refreshed-1-bob");
    let last = spoiled.len() - 1;
    spoiled[last] ^= 1;
    place.write("spoiled", spoiled);
    refuses(
        &place,
        &format!("owner refresh --keys alice --in {files} spoiled"),
        "bob: confirmed a refresh of other files",
    );
    assert_eq!(values(&opened(&place, "sum", "", "")).0.len(), 64);
}

const REPLACE: &str = "owner replace --newcomer new/announcement-carol --with alice,bob";
const REJOIN: &str =
    "owner join --invitation alice/invitation --as carol --insecure-plaintext-key --out";
const TAKE: &str = "owner take-over --public alice/public.key --keys";
const PIECES: &str = "alice/piece-carol-alice bob/piece-carol-bob";

/// A sum of three holders, and a newcomer for carol, to whom alice and bob gave their pieces.
fn given() -> Place {
    let place = asked("", "");
    run(
        &place,
        &format!("{CONTRIBUTE} alice,carol --keys carol --agree --out from-old-carol"),
    );
    run(&place, &format!("{REJOIN} new"));
    let text = run(&place, &format!("{REPLACE} --keys alice --agree"));
    assert!(
        text.starts_with("send alice/piece-carol-alice to the newcomer"),
        "{text}"
    );
    let text = run(&place, &format!("{REPLACE} --keys bob --agree"));
    assert!(text.contains("waiting for masks-* of alice"), "{text}");
    run(
        &place,
        &format!("{REPLACE} --keys bob --agree --in alice/masks-carol-alice"),
    );
    place
}

#[test]
fn a_lost_holder_is_replaced_by_who_compared_the_announcement() {
    let place = given();
    let asked = run(&place, &format!("{REPLACE} --keys alice"));
    assert!(
        asked.starts_with("fingerprint ") && asked.contains("call carol"),
        "{asked}"
    );
    for (line, text) in [
        (
            format!("{REPLACE} --keys carol --agree"),
            "carol: holds this folder",
        ),
        (
            format!("{REPLACE} --keys alice --agree").replace("alice,bob", "alice,carol"),
            "with: carol is replaced",
        ),
        (
            format!("{REPLACE} --keys alice --agree")
                .replace("new/announcement-carol", "bob/opening-bob"),
            "kind: 55",
        ),
        (
            format!("{TAKE} new --in alice/piece-carol-alice"),
            "1 answer; allowed are exactly 2",
        ),
        (
            format!("{TAKE} new --in alice/masks-carol-alice"),
            "alice: the file is no piece of a share",
        ),
    ] {
        refuses(&place, &line, text);
    }
    // Whoever else announced the lost number opens nothing.
    run(&place, &format!("{REJOIN} thief"));
    refuses(
        &place,
        &format!("{TAKE} thief --in {PIECES}"),
        "alice: gave a piece to another newcomer",
    );
    let text = run(&place, &format!("{TAKE} new --in {PIECES}"));
    assert!(
        text.contains("generation 0: refresh all shares now"),
        "{text}"
    );
}

/// Files of a kind of the three who hold the key after the replacement.
fn of_all(kind: &str) -> String {
    ["alice/{}-1-alice", "bob/{}-1-bob", "new/{}-1-carol"]
        .map(|file| file.replace("{}", kind))
        .join(" ")
}

#[test]
fn a_newcomer_opens_and_the_lost_share_is_refreshed_away() {
    let place = given();
    run(&place, &format!("{TAKE} new --in {PIECES}"));
    let old = place.read("carol/holder.key");
    for (folder, name) in [("new", "carol"), ("alice", "alice")] {
        run(
            &place,
            &format!("{CONTRIBUTE} alice,carol --keys {folder} --agree --out from-{name}"),
        );
    }
    let combine = "owner combine --in sum --contribution from-alice --keys";
    let text = run(
        &place,
        &format!("{combine} new").replace("from-alice", "from-alice from-carol"),
    );
    assert_eq!(values(&text).0.len(), 64);
    // Contributions are sealed for the newcomer, who counts on where the lost holder was.
    refuses(
        &place,
        &format!("{combine} carol").replace("from-alice", "from-alice from-old-carol"),
        "not encrypted to this holder",
    );
    let shown = run(&place, &format!("{CONTRIBUTE} alice,carol --keys new"));
    assert!(shown.contains("answers opened: 2 of 64"), "{shown}");
    // A refresh in which the lost folder has no part.
    for given in [
        String::new(),
        format!("--in {}", of_all("refresh")),
        format!("--agree --in {} {}", of_all("refresh"), of_all("refreshed")),
    ] {
        for folder in ["alice", "bob", "new"] {
            run(&place, &format!("owner refresh --keys {folder} {given}"));
        }
    }
    assert_eq!(place.read("carol/holder.key"), old);
    run(
        &place,
        &format!("{CONTRIBUTE} alice,carol --keys alice --agree --out second"),
    );
    refuses(
        &place,
        &format!("{combine} alice").replace("from-alice", "second from-carol"),
        "carol: the contribution is of generation 0; allowed is 1",
    );
}

#[test]
fn an_ended_share_is_wiped_and_the_others_hear_of_it() {
    let place = asked("", "");
    refuses(&place, "owner end --keys carol", "--agree: missing");
    let share = place.read("carol/holder.key").len();
    run(&place, "owner end --keys carol --agree");
    assert!(place.read("carol/holder.key").len() + 40_000 < share);
    for line in [
        "owner contribute --in sum --with alice,carol --keys carol --agree --out none",
        "owner refresh --keys carol",
        "owner devices 9 --keys carol --out more",
    ] {
        refuses(&place, line, "the share was wiped");
    }
    let notice = place.read("carol/ended-carol");
    let mut forged = notice.clone();
    let last = forged.len() - 1;
    forged[last] ^= 1;
    place.write("forged", forged);
    let text = "carol: the file is no notice that a holder of this key ended the share";
    refuses(&place, "owner end --keys alice --in forged", text);
    let text = run(&place, "owner end --keys alice --in carol/ended-carol");
    assert_eq!(text, "who holds the key still: alice, bob\n");
    run(&place, "owner end --keys bob --in carol/ended-carol");
    refuses(
        &place,
        &format!("{CONTRIBUTE} alice,carol --keys alice"),
        "with: carol ended this key; allowed are alice, bob",
    );
    // Nobody waits for carol any more.
    refresh(&place, &["alice", "bob"], 1);
    assert_eq!(values(&opened(&place, "sum", "", "")).0.len(), 64);
}

#[test]
fn a_share_moves_to_a_board_once() {
    let place = asked("--queries 3", "");
    let copied = place.read("carol/holder.key");
    let text = run(&place, "owner move --keys carol --to share");
    assert!(text.contains("answers left: 2"), "{text}");
    // Header, numbers and keys, and three primes in words of 32 bits.
    assert_eq!(place.read("share").len(), 80 + 104 + 3 * 4 * 4096);
    assert!(place.read("carol/holder.key").len() < 2000);
    let on_board = "the share of this folder is on a board";
    refuses(&place, "owner move --keys carol --to again", on_board);
    refuses(
        &place,
        "owner refresh --keys carol",
        "on a board and cannot change there",
    );
    refuses(
        &place,
        &format!("{CONTRIBUTE} alice,carol --keys carol --agree --out x"),
        on_board,
    );
    assert!(!place.exists("again") && !place.exists("x"));
    let from = format!("{CONTRIBUTE} alice,carol --agree --out x --from-board share --keys");
    refuses(
        &place,
        &format!("{from} alice"),
        "the share is in this folder",
    );
    refuses(&place, &format!("{from} carol"), "array");
    // An older copy of the folder, which has the share still.
    place.write_private("carol/holder.key", copied);
    refuses(
        &place,
        &format!("{CONTRIBUTE} alice,carol --keys carol --agree --out x"),
        "carol/holder.key",
    );
}

#[test]
fn boards_serve_integers_of_three_small_primes() {
    let place = asked("--set ckks-8192x3w-sum", "--scale-bits 50");
    refuses(
        &place,
        "owner move --keys carol --to share",
        "allowed on a board are sets of BFV with three 32-bit primes",
    );
    assert!(!place.exists("share"));
}
