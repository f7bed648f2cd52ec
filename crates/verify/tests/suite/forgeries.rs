//! Lies of a server, of a captured device, and of both: each gets what spec/verify.md, section 8, says.

use isopod_keys::{linear_pad_key, linear_point};
use isopod_verify::{Pads, Period};
use isopod_wire::{FrameId, LinearTag};

use crate::support::{fleet, honest, owner, polynomial, sent, shape, Answer, Sent, GROUP, PERIOD};

/// A change that a server makes to the honest answer to frames.
type Lie = fn(&mut Answer, &[Sent]);

const LIES: [(&str, Lie); 16] = [
    ("omit", |lie, frames| {
        let some = honest(&frames[1..]);
        (lie.values, lie.tag) = (some.values, some.tag);
    }),
    ("double", |lie, frames| {
        let doubled = honest(&[frames, &frames[..1]].concat());
        (lie.values, lie.tag) = (doubled.values, doubled.tag);
    }),
    ("swap values", |lie, _| {
        let (first, second) = (lie.values[0].1, lie.values[1].1);
        (lie.values[0].1, lie.values[1].1) = (second, first);
    }),
    ("splice another sum's tag", |lie, frames| {
        lie.tag = honest(&frames[1..]).tag;
    }),
    ("scale", |lie, _| {
        lie.values.iter_mut().for_each(|(_, value)| *value *= 2);
        lie.tag = LinearTag::new(PERIOD, 0).plus(lie.tag, 2).unwrap();
    }),
    ("shift", |lie, _| lie.values[3].1 += 1),
    ("shift value and tag", |lie, _| {
        lie.values[6].1 += 5;
        lie.tag = lie.tag.plus(LinearTag::new(PERIOD, 5), 1).unwrap();
    }),
    ("old frames under new names", |lie, _| {
        lie.frames[0].sequence = 77
    }),
    ("other weights", |lie, frames| {
        for ((_, value), more) in lie.values.iter_mut().zip(&frames[0].values) {
            *value += 2 * more;
        }
        lie.tag = lie.tag.plus(frames[0].tag, 2).unwrap();
    }),
    ("mixed epochs", |lie, _| lie.frames[2].epoch += 1),
    ("another period", |lie, _| {
        lie.tag = LinearTag::new(PERIOD + 1, lie.tag.number());
    }),
    ("another device's name", |lie, _| lie.frames[0].device = 99),
    ("other columns", |lie, _| lie.shape.packing = None),
    ("another arrangement", |lie, _| lie.shape.columns = 1),
    ("no frames but a tag", |lie, _| {
        lie.frames.clear();
        lie.values.iter_mut().for_each(|(_, value)| *value = 0);
    }),
    ("forged tag", |lie, _| lie.tag = LinearTag::new(PERIOD, 0)),
];

#[test]
fn the_truth_is_believed_and_every_lie_refused() {
    let owner = owner();
    let master = owner.linear_master().unwrap();
    let (frames, period) = (fleet(&master), Period::new(&master, GROUP, PERIOD));
    assert!(honest(&frames).is_believed(&period));
    assert!(honest(&frames[3..9]).is_believed(&period));
    for (name, lie) in LIES {
        let mut answer = honest(&frames);
        lie(&mut answer, &frames);
        assert!(!answer.is_believed(&period), "{name}");
    }
}

#[test]
fn frames_of_two_periods_are_no_sum() {
    let owner = owner();
    let master = owner.linear_master().unwrap();
    let frames = fleet(&master);
    let id = FrameId {
        device: 9,
        epoch: 2,
        sequence: 0,
    };
    let later = sent(&master, id, PERIOD + 1);
    assert!(frames[0].tag.plus(later.tag, 1).is_none());
}

/// A captured device and the server know r: they shift a sum by what they choose, and nothing else.
#[test]
fn a_captured_device_and_the_server_shift_but_do_not_omit() {
    let owner = owner();
    let master = owner.linear_master().unwrap();
    let (frames, period) = (fleet(&master), Period::new(&master, GROUP, PERIOD));
    let captured = master.secrets(GROUP, 1, PERIOD);
    let point = *linear_point(&captured.group);
    let mut shifted = honest(&frames);
    shifted.values[2].1 += 1000;
    let shift = LinearTag::new(PERIOD, polynomial(point, [(2, 1000)]));
    shifted.tag = shifted.tag.plus(shift, 1).unwrap();
    assert!(shifted.is_believed(&period), "as the specification says");

    // To leave out a frame of another device, they need its pad; their own gives nothing.
    let (left_out, rest) = frames.split_last().unwrap();
    let mut omitted = honest(rest);
    omitted.frames.push(left_out.id);
    let mut own = Pads::new(
        &linear_pad_key(&captured.device),
        &shape(),
        left_out.id.epoch,
    );
    let guess = LinearTag::new(PERIOD, own.pad(left_out.id.sequence));
    omitted.tag = omitted.tag.plus(guess, 1).unwrap();
    assert!(!omitted.is_believed(&period));

    // Who knows the values of a frame and r knows its pad.
    let known = polynomial(point, (0..).zip(left_out.values.iter().copied()));
    let mut informed = honest(rest);
    informed.frames.push(left_out.id);
    let pad = left_out
        .tag
        .plus(LinearTag::new(PERIOD, known), -1)
        .unwrap();
    informed.tag = informed.tag.plus(pad, 1).unwrap();
    assert!(informed.is_believed(&period), "as the specification says");
}

/// The secrets of a period lead to the next one of the group, to none before, and to no other group.
#[test]
fn what_a_captured_device_knows_opens_no_other_group() {
    let owner = owner();
    let master = owner.linear_master().unwrap();
    let point = |group, period| *linear_point(&master.group(group, period));
    let points = [
        point(0, 3),
        point(0, 2),
        point(0, 4),
        point(1, 4),
        point(1, 3),
    ];
    for (at, one) in points.iter().enumerate() {
        assert!(points[at + 1..].iter().all(|other| other != one));
    }
}

/// xorshift64* (Vigna 2016): test input, not randomness.
fn random(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
}

#[test]
fn random_forgeries_are_refused() {
    let owner = owner();
    let master = owner.linear_master().unwrap();
    let (frames, period) = (fleet(&master), Period::new(&master, GROUP, PERIOD));
    let (truth, mut state) = (honest(&frames), 1);
    for _ in 0..2000 {
        let mut lie = truth.clone();
        let place = random(&mut state) as usize % lie.values.len();
        lie.values[place].1 += 1 + (random(&mut state) % 1000) as i64;
        let number = match random(&mut state) % 3 {
            0 => random(&mut state),
            1 => lie.tag.number() ^ 1 << (random(&mut state) % 61),
            _ => lie.tag.number(),
        };
        lie.tag = LinearTag::new(PERIOD, number & LinearTag::MODULUS);
        assert!(!lie.is_believed(&period));
    }
}
