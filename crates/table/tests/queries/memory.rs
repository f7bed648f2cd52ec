//! Groups beyond the memory: a query ends with the exact answer, or with the refusal of its limit, each time in the same way.

use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

use isopod_table::{Limits, Table};
use proptest::prelude::*;

use super::support::Place;
use super::{chain, near, number, numbers, query_with, real_frame, sealed, stored, total, CKKS};

fn limits(memory: usize, threads: usize) -> Limits {
    Limits {
        memory,
        threads: NonZero::new(threads).unwrap(),
        ..Limits::default()
    }
}

#[test]
fn more_groups_than_memory_are_spilled() {
    const GROUPS: u64 = 1200;
    let place = Place::new(CKKS, &[]);
    let table = Table::create(&place.path("table")).unwrap();
    let spill = place.path("spill");
    std::fs::create_dir(&spill).unwrap();
    let frames = (0..2 * GROUPS).map(|at| stored(at as i64, real_frame(&place, 1, at)));
    table.append(&place.server(), frames, None).unwrap();
    // 1,200 groups of 32 KB.
    let limits = Limits {
        memory: 32 << 20,
        threads: NonZero::new(2).unwrap(),
        spill: Some(spill),
        ..Limits::default()
    };
    let sql =
        format!("SELECT sequence % {GROUPS} AS g, he_sum(frame) FROM frames GROUP BY g ORDER BY g");
    let rows = query_with(&place, &table, limits.clone(), &sql).unwrap();
    assert_eq!(rows.len() as u64, GROUPS);
    for (row, group) in rows.iter().zip(0..).step_by(37) {
        near(
            &place,
            sealed(&row[1]),
            &total([numbers(1, group), numbers(1, group + GROUPS)]),
        );
    }
    let few = Limits { rows: 10, ..limits };
    let refused = query_with(&place, &table, few, &sql).unwrap_err();
    let refused = chain(&refused);
    assert!(refused.contains("more than 10 rows"), "{refused}");
}

/// A table of frames that all queries here share.
struct Shared {
    place: Place,
    table: Table,
}

const FRAMES: u64 = 320;
/// Groups of eight frames: more would not fit under the modulus.
const LEAST_GROUPS: u64 = 40;
/// Kilobytes with which any number of groups is answered.
const ANSWERED: usize = 4096;

fn shared() -> &'static Shared {
    static SHARED: OnceLock<Shared> = OnceLock::new();
    SHARED.get_or_init(|| {
        let place = Place::new(CKKS, &[]);
        let table = Table::create(&place.path("table")).unwrap();
        let frames = (0..FRAMES).map(|at| stored(at as i64, real_frame(&place, 1, at)));
        table.append(&place.server(), frames, None).unwrap();
        Shared { place, table }
    })
}

/// The groups and their numbers of frames, after a look at some sums; or the refusal.
fn outcome(groups: u64, limits: Limits) -> Result<Vec<(i64, i64)>, String> {
    let Shared { place, table } = shared();
    let sql = format!(
        "SELECT sequence % {groups} AS g, he_count(frame), he_sum(frame) FROM frames GROUP BY g ORDER BY g DESC"
    );
    let rows = query_with(place, table, limits, &sql).map_err(|error| chain(&error))?;
    for row in rows.iter().step_by(97) {
        let group = number(&row[0]) as u64;
        let of_group = (group..FRAMES).step_by(groups as usize);
        near(
            place,
            sealed(&row[2]),
            &total(of_group.map(|at| numbers(1, at))),
        );
    }
    Ok(rows
        .iter()
        .map(|row| (number(&row[0]), number(&row[1])))
        .collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn an_outcome_depends_on_groups_and_limit_alone(
        groups in prop_oneof![Just(LEAST_GROUPS), Just(FRAMES), LEAST_GROUPS..=FRAMES],
        kilobytes in prop_oneof![16..256_usize, 256..ANSWERED, ANSWERED..65_536_usize],
        threads in 2..5_usize,
    ) {
        let run = |threads| move || outcome(groups, limits(kilobytes << 10, threads));
        // Beside each other, so that each has the other's load.
        let (one, two) = thread::scope(|scope| {
            let one = scope.spawn(run(1));
            let two = scope.spawn(run(threads));
            (one.join().unwrap(), two.join().unwrap())
        });
        prop_assert_eq!(&one, &two);
        match one {
            Ok(rows) => {
                let members = |group: u64| (group..FRAMES).step_by(groups as usize).count() as i64;
                let wanted = (0..groups).rev().map(|group| (group as i64, members(group)));
                prop_assert_eq!(rows, wanted.collect::<Vec<_>>());
            }
            Err(refusal) => {
                prop_assert!(refusal.contains("Resources exhausted"), "{}", refusal);
                prop_assert!(kilobytes < ANSWERED, "{} KB: {}", kilobytes, refusal);
            }
        }
    }
}

/// Sums of 131 KB under the smallest limit of the server.
#[test]
fn the_smallest_limit_has_room_for_any_number_of_groups() {
    const GROUPS: u64 = 150;
    let place = Place::new("ckks-4096x2-linear", &[]);
    let table = Table::create(&place.path("table")).unwrap();
    let frames = (0..GROUPS).map(|at| stored(at as i64, real_frame(&place, 1, at)));
    table.append(&place.server(), frames, None).unwrap();
    let sql = "SELECT sequence AS g, he_sum(frame) FROM frames GROUP BY g ORDER BY g";
    let rows = query_with(&place, &table, limits(16 << 20, 2), sql).unwrap();
    assert_eq!(rows.len() as u64, GROUPS);
}
