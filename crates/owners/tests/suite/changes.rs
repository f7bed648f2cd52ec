//! Refresh and replacement: the key stays, older shares open nothing with newer ones, and known answers of the model.

use isopod_linear::Ring;
use isopod_owners::{
    add, change_digest, combine, pack_polynomial, replacement_session, Answering, Dealer, Helper,
    OwnersError, Polynomial,
};
use isopod_wire::{ChangeStep, Contribution};
use sha3::{Digest as _, Sha3_256};
use zeroize::Zeroizing;

use crate::known_answers::{bytes, number, records, ring, shares};
use crate::support::{holders, Holders};

const FINGERPRINT: [u8; 32] = [3; 32];

fn seed(holder: u8) -> [u8; 32] {
    std::array::from_fn(|at| 0x80 + holder + at as u8)
}

fn dealer<'a>(fingerprint: &'a [u8; 32], holder: u8, seed: &'a [u8; 32]) -> Dealer<'a> {
    Dealer {
        fingerprint,
        generation: 0,
        holder,
        seed,
    }
}

/// The shares after every holder dealt zero.
fn refreshed(
    ring: &Ring,
    fingerprint: &[u8; 32],
    old: &[Polynomial],
    threshold: u8,
) -> Vec<Polynomial> {
    let count = old.len() as u8;
    let mut new = old.to_vec();
    for (receiver, share) in (1..=count).zip(&mut new) {
        for giver in 1..=count {
            let seed = seed(giver);
            let zero = dealer(fingerprint, giver, &seed).zero(ring, threshold, receiver);
            add(ring, share, &zero.expect("a sharing"));
        }
    }
    new
}

/// The pieces that helpers give to the holder of a lost number.
fn pieces(
    ring: &Ring,
    fingerprint: &[u8; 32],
    first: Helper<'_>,
    shares: &[Polynomial],
) -> Vec<Polynomial> {
    let numbers = first.helpers.numbers();
    let mut pieces = Vec::new();
    for &holder in numbers {
        let mut seeds = Vec::new();
        for &other in numbers.iter().filter(|&&other| other != holder) {
            let (low, high) = (holder.min(other), holder.max(other));
            let seed = seed(low);
            let pair = dealer(fingerprint, low, &seed).pair_seed(first.session, high);
            seeds.push((other, pair));
        }
        let helper = Helper {
            session: first.session,
            helpers: first.helpers,
            holder,
            lost: first.lost,
        };
        let share = &shares[usize::from(holder) - 1];
        pieces.push(helper.piece(ring, share, &seeds).expect("a piece"));
    }
    pieces
}

/// The first of the helpers.
fn first<'a>(session: &'a [u8; 32], helpers: &'a Answering, lost: u8) -> Helper<'a> {
    Helper {
        session,
        helpers,
        holder: helpers.numbers()[0],
        lost,
    }
}

fn sha3(ring: &Ring, polynomial: &Polynomial) -> String {
    hex::encode(Sha3_256::digest(pack_polynomial(ring, polynomial)))
}

#[test]
fn refreshes_are_those_of_the_model() {
    for record in records("owner_refreshes") {
        let (ring, fingerprint) = (ring(&record), bytes(&record, "fingerprint"));
        let (count, threshold) = (number(&record, "holders"), number(&record, "threshold"));
        for holder in 1..=count {
            let seed = seed(holder);
            let found = hex::encode(dealer(&fingerprint, holder, &seed).commitment());
            assert_eq!(found, record["commitments"][usize::from(holder) - 1]);
        }
        let old = shares(&ring, (count, threshold));
        let new = refreshed(&ring, &fingerprint, &old, threshold);
        for (at, share) in new.iter().enumerate() {
            assert_eq!(sha3(&ring, share), record["shares_sha3"][at]);
        }
    }
}

#[test]
fn replacements_are_those_of_the_model() {
    for (record, parts) in records("owner_replacements")
        .iter()
        .zip(records("owner_refreshes"))
    {
        let (ring, fingerprint) = (ring(record), bytes(record, "fingerprint"));
        let (count, threshold) = (number(&parts, "holders"), number(&parts, "threshold"));
        let set = record["set"].as_str().expect("a name");
        let invitation = holders(set, count, threshold).invitation;
        let numbers = record["helpers"].as_array().expect("numbers").iter();
        let numbers = numbers.map(|one| one.as_u64().expect("a number") as u8);
        let helpers = Answering::new(&invitation, numbers.collect()).expect("helpers");
        let announcement = bytes(record, "announcement");
        let session = replacement_session((&fingerprint, 0), &announcement, &helpers);
        assert_eq!(session, bytes(record, "session"));
        let (all, lost) = (shares(&ring, (count, threshold)), number(record, "lost"));
        let pieces = pieces(&ring, &fingerprint, first(&session, &helpers, lost), &all);
        for (at, piece) in pieces.iter().enumerate() {
            assert_eq!(sha3(&ring, piece), record["pieces_sha3"][at]);
        }
        assert_eq!(joined(&ring, &pieces), all[usize::from(lost) - 1]);
    }
}

fn joined(ring: &Ring, polynomials: &[Polynomial]) -> Polynomial {
    let mut sum = polynomials[0].clone();
    for other in &polynomials[1..] {
        add(ring, &mut sum, other);
    }
    sum
}

/// Three of five, and the shares of five holders after a refresh.
fn three_of_five() -> (Holders, Holders) {
    let (old, mut new) = (
        holders("bfv-4096x3-owners", 5, 3),
        holders("bfv-4096x3-owners", 5, 3),
    );
    new.shares = refreshed(&old.ring, &FINGERPRINT, &old.shares, 3);
    (old, new)
}

#[test]
fn refreshed_shares_open_what_the_old_ones_opened() {
    let (old, new) = three_of_five();
    assert_eq!(old.secret(), new.secret());
    assert!(old
        .shares
        .iter()
        .zip(&new.shares)
        .all(|(old, new)| old != new));
    let message: Vec<i64> = (0..4096).map(|at| at * 2000 - 4_000_000).collect();
    let result = new.result(&message, 1.0);
    let contributions = new.contributions(&result, &[2, 4, 5]);
    let contributions: Vec<&Contribution> = contributions.iter().collect();
    let opened = combine(&result, &new.plan(&result), &contributions).expect("an answer");
    assert_eq!(new.integers(&opened), message);
}

/// The worst case: two holders who kept their old shares, and two others who have new ones.
#[test]
fn two_old_and_two_new_shares_open_nothing() {
    let (old, new) = three_of_five();
    let mut mixed = holders("bfv-4096x3-owners", 5, 3);
    let result = old.result(&[1000; 4096], 1.0);
    for set in [[1, 2, 3], [1, 3, 4], [1, 2, 4]] {
        for olds in [&[1u8, 2][..], &[1]] {
            for number in 1..=5u8 {
                let at = usize::from(number) - 1;
                mixed.shares[at] = match olds.contains(&number) {
                    true => old.shares[at].clone(),
                    false => new.shares[at].clone(),
                };
            }
            let contributions = mixed.contributions(&result, &set);
            let contributions: Vec<&Contribution> = contributions.iter().collect();
            let refused = combine(&result, &old.plan(&result), &contributions);
            assert!(
                matches!(refused, Err(OwnersError::Unopened { index: 0 })),
                "{set:?} {olds:?}"
            );
        }
    }
}

/// A sharing of zero is none of another generation, holder or key.
#[test]
fn every_input_changes_what_a_holder_deals() {
    let holders = holders("bfv-4096x3-owners", 3, 2);
    let (ring, own) = (&holders.ring, seed(1));
    let first = dealer(&FINGERPRINT, 1, &own);
    let zero = |dealer: &Dealer<'_>| dealer.zero(ring, 2, 3).expect("a sharing");
    let (other_seed, other_key) = (seed(2), [4; 32]);
    let others = [
        dealer(&FINGERPRINT, 2, &own),
        dealer(&FINGERPRINT, 1, &other_seed),
        dealer(&other_key, 1, &own),
        Dealer {
            generation: 1,
            ..dealer(&FINGERPRINT, 1, &own)
        },
    ];
    for other in others {
        assert_ne!(first.commitment(), other.commitment());
        assert_ne!(zero(&first), zero(&other));
    }
    let key = (&FINGERPRINT, 0);
    let digest = |step, data: &[u8]| change_digest(step, key, data);
    assert_ne!(
        digest(ChangeStep::Dealt, b"a"),
        digest(ChangeStep::Confirmed, b"a")
    );
    assert_ne!(
        digest(ChangeStep::Dealt, b"a"),
        digest(ChangeStep::Dealt, b"b")
    );
}

/// A newcomer who sees all pieces, and a helper who sees one and a mask, see numbers of every size.
#[test]
fn a_piece_alone_looks_uniform() {
    let holders = holders("bfv-4096x3-owners", 3, 2);
    let ring = &holders.ring;
    let helpers = Answering::new(&holders.invitation, vec![1, 2]).expect("helpers");
    let session = replacement_session((&FINGERPRINT, 0), b"newcomer", &helpers);
    // Shares of zero: a piece is its mask.
    let zeros = vec![Zeroizing::new(vec![vec![0; ring.degree()]; 3]); 3];
    let pieces = pieces(ring, &FINGERPRINT, first(&session, &helpers, 3), &zeros);
    let prime = ring.moduli()[0].prime();
    for piece in &pieces {
        let above = piece[0]
            .iter()
            .filter(|&&residue| residue > prime / 2)
            .count();
        assert!(
            (1850..=2250).contains(&above),
            "{above} of 4,096 in the upper half"
        );
    }
    assert_eq!(joined(ring, &pieces), zeros[0]);
    let other = replacement_session((&FINGERPRINT, 0), b"another", &helpers);
    assert_ne!(session, other);
}
