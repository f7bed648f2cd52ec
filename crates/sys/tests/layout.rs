//! Comparison of `src/structs.rs` and `src/constants.rs` with the C headers: with layout and values as the C compiler sees
//! them, and with the names in the headers' text.

use isopod_sys::{rust_constants, Member, Structure, LAYOUT};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

extern "C" {
    static isopod_sys_layout: [usize; 0];
    static isopod_sys_constants: [i64; 0];
}

/// Layout as the C compiler sees it, in the order that `build.rs` writes.
fn c_layout(rust: &[Structure]) -> Vec<(usize, usize, Vec<Member>)> {
    let numbers = rust
        .iter()
        .map(|structure| 2 + 2 * structure.members.len())
        .sum();
    let start = (&raw const isopod_sys_layout).cast::<usize>();
    // SAFETY: `build.rs` writes two numbers for each structure and each member of the same list.
    let mut numbers = unsafe { std::slice::from_raw_parts(start, numbers) }
        .iter()
        .copied();
    let mut next = || numbers.next().expect("counted above");
    rust.iter()
        .map(|structure| {
            let (size, alignment) = (next(), next());
            let members = (structure.members.iter())
                .map(|member| Member {
                    name: member.name,
                    offset: next(),
                    size: next(),
                })
                .collect();
            (size, alignment, members)
        })
        .collect()
}

#[test]
fn every_member_lies_where_c_puts_it() {
    for (rust, c) in LAYOUT.iter().zip(c_layout(LAYOUT)) {
        let found = (rust.size, rust.alignment, rust.members.to_vec());
        assert_eq!(found, c, "{}: left: Rust, right: C", rust.name);
    }
}

#[test]
fn every_constant_has_its_value_in_c() {
    let rust: Vec<_> = rust_constants().collect();
    let start = (&raw const isopod_sys_constants).cast::<i64>();
    // SAFETY: `build.rs` writes one number for each constant of the same list.
    let values = unsafe { std::slice::from_raw_parts(start, rust.len()) };
    for ((name, rust), c) in rust.into_iter().zip(values) {
        assert_eq!(rust, *c, "{name}");
    }
}

/// Text of the headers without comments.
fn headers() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../device/include/isopod");
    let files = std::fs::read_dir(folder)
        .expect("headers")
        .map(|file| file.expect("header").path());
    let text: Vec<_> = files
        .map(|path| std::fs::read_to_string(path).expect("text"))
        .collect();
    let with_comments = text.concat();
    let mut parts = with_comments.split("/*");
    let code = parts.next().unwrap_or_default().to_owned();
    parts.fold(code, |code, part| {
        code + part.split_once("*/").expect("comments end").1
    })
}

/// Body and name of every `typedef <what> { body } name;`, with a tag before the body or without.
fn definitions<'a>(text: &'a str, what: &str) -> Vec<(&'a str, &'a str)> {
    let opening = format!("typedef {what} ");
    let has_body = |tag: &str| !tag.contains([';', '*']);
    (text.split(opening.as_str()).skip(1))
        .filter_map(|rest| rest.split_once('{').filter(|(tag, _)| has_body(tag)))
        .map(|(_, rest)| rest)
        .filter_map(|rest| rest.split_once("\n}").or_else(|| rest.split_once('}')))
        .filter_map(|(body, rest)| Some((body, rest.split_once(';')?.0.trim())))
        .collect()
}

/// Name that a declaration such as `uint32_t first` or `int (*fill)(void *state)` declares.
fn declared(declaration: &str) -> &str {
    let head = match declaration.split_once("(*") {
        Some((_, rest)) => rest.split(')').next(),
        None => declaration.split('[').next(),
    };
    let is_name = |character: char| character.is_alphanumeric() || character == '_';
    let head = head.unwrap_or_default().trim();
    head.rsplit(|character| !is_name(character))
        .next()
        .unwrap_or_default()
}

/// Members that Rust lacks would be missed by offsets alone if they lie in padding.
#[test]
fn no_structure_or_member_of_the_headers_is_missing() {
    let text = headers();
    let listed: BTreeMap<_, Vec<_>> = (LAYOUT.iter())
        .map(|structure| {
            (
                structure.name,
                (structure.members.iter())
                    .map(|member| member.name.trim_start_matches("r#"))
                    .collect(),
            )
        })
        .collect();
    let found: BTreeMap<_, Vec<_>> = (definitions(&text, "struct").into_iter())
        .map(|(body, name)| {
            let outer = body.split(';').filter(|member| !member.trim().is_empty());
            let names = outer.flat_map(|member| match member.contains("(*") {
                true => vec![declared(member)],
                false => member.split(',').map(declared).collect(),
            });
            (name, names.collect())
        })
        .collect();
    assert_eq!(
        listed, found,
        "left: structs.rs, right: device/include/isopod"
    );
}

#[test]
fn no_enumerator_of_the_headers_is_missing() {
    let text = headers();
    let listed: BTreeSet<_> = rust_constants().map(|(name, _)| name).collect();
    for (body, name) in definitions(&text, "enum") {
        for enumerator in body.split(',') {
            let enumerator = enumerator.split('=').next().unwrap_or_default().trim();
            assert!(
                enumerator.is_empty() || listed.contains(enumerator),
                "{name}: {enumerator}"
            );
        }
    }
}
