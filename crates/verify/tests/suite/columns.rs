//! Sums of columns and weighted sums, and lies about them: omitted, doubled, swapped and spliced rows and frames, other weights,
//! other shapes, frames of several shapes together, values at the edges, one row and one column.

use isopod_verify::{Claim, Period, Shape};
use isopod_wire::{FrameId, LinearTag, Manifest};

use crate::support::{cell, columns, fleet, honest, owner, shape, Table, DEGREE, GROUP, PERIOD};

fn frames() -> Vec<(FrameId, u32)> {
    let id = |device, sequence| FrameId {
        device,
        epoch: 2,
        sequence,
    };
    vec![(id(1, 0), 1), (id(1, 1), 5), (id(2, 0), 5), (id(3, 9), 300)]
}

/// A change that a server makes to an honest answer.
type Lie = fn(&mut Table, &Table);

const LIES: [(&str, Lie); 16] = [
    ("omit a frame", |lie, some| {
        lie.values.clone_from(&some.values)
    }),
    ("omit a frame, with the tag", |lie, some| {
        lie.values.clone_from(&some.values);
        lie.tag = some.tag;
    }),
    ("omit a frame, with its rows", |lie, some| {
        lie.values.clone_from(&some.values);
        lie.tag = some.tag;
        (lie.frames[2].1, lie.frames[3].1) = (4, 1);
    }),
    ("double frames, tag and rows", |lie, some| {
        (lie.values.iter_mut().zip(&some.values)).for_each(|(sum, more)| *sum += more);
        lie.tag = lie.tag.plus(some.tag, 1).unwrap();
        lie.frames[3].1 += 11;
    }),
    ("omit a row", |lie, _| {
        let id = lie.frames[3].0;
        (0..)
            .zip(&mut lie.values)
            .for_each(|(at, sum)| *sum -= cell(id, 299, at));
        lie.frames[3].1 -= 1;
    }),
    ("count a row twice", |lie, _| {
        let id = lie.frames[3].0;
        (0..)
            .zip(&mut lie.values)
            .for_each(|(at, sum)| *sum += cell(id, 0, at));
        lie.frames[3].1 += 1;
    }),
    ("one row more", |lie, _| lie.frames[0].1 += 1),
    ("one row fewer", |lie, _| lie.frames[2].1 -= 1),
    ("splice the tag of others", |lie, some| lie.tag = some.tag),
    ("swap columns", |lie, _| lie.values.rotate_left(1)),
    ("scale", |lie, _| {
        lie.values.iter_mut().for_each(|sum| *sum *= 2);
        lie.frames.iter_mut().for_each(|(_, rows)| *rows *= 2);
        lie.tag = LinearTag::new(PERIOD, 0).plus(lie.tag, 2).unwrap();
    }),
    ("shift the last column and the tag", |lie, _| {
        *lie.values.last_mut().unwrap() += 5;
        lie.tag = lie.tag.plus(LinearTag::new(PERIOD, 5), 1).unwrap();
    }),
    ("around p", |lie, _| {
        lie.values[0] = lie.values[0].wrapping_sub(1 << 61)
    }),
    ("other columns", |lie, _| lie.shape.packing = Some([3; 16])),
    ("other names", |lie, _| lie.frames[0].0.sequence = 7),
    ("a column more", |lie, _| {
        lie.shape.columns += 1;
        lie.values.push(0);
    }),
];

#[test]
fn the_truth_about_columns_is_believed_and_every_lie_refused() {
    let owner = owner();
    let master = owner.linear_master().unwrap();
    let period = Period::new(&master, GROUP, PERIOD);
    for width in [2, 7, 1000] {
        let shape = Shape::of_rows(width, Some([9; 16]));
        let (all, some) = (frames(), &frames()[..3]);
        assert!(columns(&master, shape, &all).is_believed(&period));
        for (name, lie) in LIES {
            let mut answer = columns(&master, shape, &all);
            lie(&mut answer, &columns(&master, shape, some));
            assert!(!answer.is_believed(&period), "{name}, {width} columns");
        }
    }
}

#[test]
fn one_row_of_one_column_is_proved_and_its_count_too() {
    let owner = owner();
    let master = owner.linear_master().unwrap();
    let period = Period::new(&master, GROUP, PERIOD);
    let mut one = columns(&master, Shape::of_rows(1, None), &frames()[..1]);
    assert!(one.is_believed(&period));
    one.values[0] += 1;
    assert!(!one.is_believed(&period));
    one.values[0] -= 1;
    one.frames[0].1 = 2;
    assert!(!one.is_believed(&period));
    assert!(
        !columns(&master, Shape::of_rows(1, None), &[]).is_believed(&Period::new(
            &master,
            GROUP,
            PERIOD + 1
        ))
    );
}

#[test]
fn readings_are_summed_by_buckets_and_are_no_rows() {
    let owner = owner();
    let master = owner.linear_master().unwrap();
    let period = Period::new(&master, GROUP, PERIOD);
    let mut counts = columns(&master, Shape::of_readings(4, None), &frames());
    assert!(counts.is_believed(&period));
    // The tag does not count readings: the manifest's rows are the server's word.
    counts.frames[0].1 += 9;
    assert!(counts.is_believed(&period));
    counts.values[1] += 1;
    assert!(!counts.is_believed(&period));
    counts.values[1] -= 1;
    counts.shape = Shape::of_rows(4, None);
    assert!(!counts.is_believed(&period));
}

/// Frames of two shapes have pads of two shapes, so that no claim takes both.
#[test]
fn frames_of_several_shapes_are_no_sum() {
    let owner = owner();
    let master = owner.linear_master().unwrap();
    let period = Period::new(&master, GROUP, PERIOD);
    let all = frames();
    for other in [
        Shape::of_readings(4, Some([9; 16])),
        Shape::of_rows(4, None),
        Shape {
            stride: 4,
            ..Shape::of_rows(4, Some([9; 16]))
        },
    ] {
        let mut mixed = columns(&master, Shape::of_rows(4, Some([9; 16])), &all[..2]);
        let more = columns(&master, other, &all[2..]);
        (mixed.values.iter_mut().zip(&more.values)).for_each(|(sum, more)| *sum += more);
        mixed.tag = mixed.tag.plus(more.tag, 1).unwrap();
        mixed.frames = all.clone();
        assert!(!mixed.is_believed(&period));
        mixed.frames[1].1 = 4;
        mixed.frames[2].1 = 1;
        mixed.frames[3].1 = 1;
        assert!(!mixed.is_believed(&period));
    }
}

#[test]
fn weights_are_those_of_the_owner_and_no_others() {
    let owner = owner();
    let master = owner.linear_master().unwrap();
    let period = Period::new(&master, GROUP, PERIOD);
    let sent = &fleet(&master)[..4];
    let weights = [3, -2, 0, 1 << 29];
    let weighed = |weights: &[i64; 4]| {
        let mut answer = honest(sent);
        let zero = LinearTag::new(PERIOD, 0);
        answer.tag = (sent.iter().zip(weights)).fold(zero, |sum, (frame, &weight)| {
            sum.plus(frame.tag, weight).unwrap()
        });
        for (place, (_, value)) in answer.values.iter_mut().enumerate() {
            let terms = sent.iter().zip(weights);
            *value = terms
                .map(|(frame, weight)| frame.values[place] * weight)
                .sum();
        }
        answer
    };
    let proves = |answer: &crate::support::Answer, weights: &[i64]| {
        let manifest = Manifest::of(answer.frames.iter().map(|id| (*id, 1))).unwrap();
        let claim = Claim {
            ring_degree: DEGREE,
            shape: shape(),
            manifest: &manifest,
            tag: answer.tag,
            values: &answer.values,
        };
        period.proves_weighted(&claim, weights)
    };
    let truth = weighed(&weights);
    assert!(proves(&truth, &weights));
    for others in [
        [3, -2, 0, 1],
        [-2, 3, 0, 1 << 29],
        [3, -2, 1, 1 << 29],
        [1; 4],
    ] {
        assert!(!proves(&weighed(&others), &weights));
        assert!(!proves(&truth, &others));
    }
    assert!(!proves(&truth, &weights[..3]));
    assert!(!proves(&truth, &[3, -2, 0, 1 << 29, 0]));
    assert!(proves(&honest(sent), &[1; 4]));
}
