//! Known answers of the model: parts, shares, and contributions without the noise that hides them.

use isopod_device::expand_mask;
use isopod_linear::{Factors, Machine, Ring};
use isopod_owners::{
    combine, commitment, contribute, mask_seed, pack_polynomial, Answering, Contributor,
    HolderPart, Plan, Polynomial,
};
use isopod_wire::{by_name, Contribution, Suite};
use serde_json::Value;
use sha3::{Digest as _, Sha3_256};
use zeroize::Zeroizing;

use crate::support::{Holders, KEY};

fn vectors() -> Value {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../spec/vectors/owners.json"
    );
    let text = std::fs::read_to_string(path).expect("known answers");
    serde_json::from_str(&text).expect("JSON")
}

pub fn records(list: &str) -> Vec<Value> {
    vectors()[list].as_array().expect("records").clone()
}

pub fn number(record: &Value, field: &str) -> u8 {
    record[field].as_u64().expect("a number") as u8
}

pub fn bytes(record: &Value, field: &str) -> [u8; 32] {
    let bytes = hex::decode(record[field].as_str().expect("a text")).expect("hexadecimal");
    bytes[..].try_into().expect("32 bytes")
}

fn check(record: &Value, field: &str, data: &[u8]) {
    assert_eq!(
        hex::encode(Sha3_256::digest(data)),
        record[field],
        "{field} of {record}"
    );
}

pub fn ring(record: &Value) -> Ring {
    let set = by_name(record["set"].as_str().expect("a name")).expect("a set");
    Ring::new(set, set.data_primes.len(), Machine::best()).expect("a ring")
}

/// The words x_1, x_2 and so on of the recurrence of all known answers.
fn words(count: usize) -> impl Iterator<Item = u64> {
    let next = |state: &u64| Some((1_664_525 * state + 1_013_904_223) % (1 << 32));
    std::iter::successors(next(&12345), next).take(count)
}

#[test]
fn parts_are_those_of_the_model() {
    for record in records("owner_parts") {
        let (ring, set) = (
            ring(&record),
            by_name(record["set"].as_str().expect("a name")),
        );
        let (invitation, holder) = (bytes(&record, "invitation"), number(&record, "holder"));
        let seed = mask_seed(&invitation);
        assert_eq!(seed, bytes(&record, "mask_seed"));
        let mask = expand_mask(set.expect("a set"), Suite::Chacha20, &seed).expect("a mask");
        let own = bytes(&record, "seed");
        let part = HolderPart::derive(&ring, (&invitation, holder), &own).expect("a part");
        let public = part.packed_public(&mask).expect("a public part");
        check(&record, "public_sha3", &public);
        let committed = commitment((&invitation, holder), &bytes(&record, "blind"), &public);
        assert_eq!(committed, bytes(&record, "commitment"));
        assert_eq!(
            hex::encode(&part.link_and_master()[..]),
            record["link_and_master"]
        );
    }
}

/// The shares of all holders of a ceremony of the known answers.
pub fn shares(ring: &Ring, (holders, threshold): (u8, u8)) -> Vec<Polynomial> {
    let invitation = bytes(&records("owner_parts")[0], "invitation");
    let share = |receiver: u8| {
        let zeros = vec![vec![0; ring.degree()]; ring.moduli().len()];
        let mut sum = Zeroizing::new(zeros);
        for holder in 1..=holders {
            let seed: [u8; 32] = std::array::from_fn(|at| holder + at as u8);
            let part = HolderPart::derive(ring, (&invitation, holder), &seed).expect("a part");
            isopod_owners::add(
                ring,
                &mut sum,
                &part.share(threshold, receiver).expect("a share"),
            );
        }
        sum
    };
    (1..=holders).map(share).collect()
}

#[test]
fn shares_are_those_of_the_model() {
    for record in records("owner_shares")
        .iter()
        .filter(|record| number(record, "holder") == 1)
    {
        let ring = ring(record);
        let all = shares(
            &ring,
            (number(record, "holders"), number(record, "threshold")),
        );
        let of = |other: &Value| other["set"] == record["set"];
        for (share, record) in all
            .iter()
            .zip(records("owner_shares").into_iter().filter(of))
        {
            check(&record, "sha3", &pack_polynomial(&ring, share));
        }
    }
}

#[test]
fn answers_are_those_of_the_model() {
    for record in records("owner_answers") {
        let (count, threshold) = (number(&record, "holders"), number(&record, "threshold"));
        let mut holders =
            crate::support::holders(record["set"].as_str().expect("a name"), count, threshold);
        holders.shares = shares(&holders.ring, (count, threshold));
        let result = result(&holders, &record);
        let numbers = record["answering"].as_array().expect("numbers").iter();
        let numbers = numbers.map(|one| one.as_u64().expect("a number") as u8);
        let numbers: Vec<u8> = numbers.collect();
        let plan = Plan {
            primes: 3,
            bits: number(&record, "bits").into(),
            flood: 0.0,
            error: 0.0,
        };
        let answering = Answering::new(&holders.invitation, numbers.clone()).expect("a set");
        let given = numbers.iter().enumerate().map(|(at, &holder)| {
            let share = &holders.shares[usize::from(holder) - 1];
            let contributor = Contributor {
                answering: &answering,
                holder,
                share,
                masks: &holders.masks(&answering, holder),
            };
            let values = contribute(&result, &plan, &contributor).expect("values");
            let data: Vec<u8> = values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect();
            assert_eq!(
                hex::encode(Sha3_256::digest(&data)),
                record["contributions_sha3"][at]
            );
            Contribution {
                key_id: KEY,
                holder,
                generation: 0,
                answering: numbers.clone(),
                answer: [0; 32],
                index: 0,
                total: 1,
                primes: 3,
                pads: None,
                bits: plan.bits as u8,
                values,
            }
        });
        let given: Vec<Contribution> = given.collect();
        let opened = combine(&result, &plan, &given.iter().collect::<Vec<_>>()).expect("an answer");
        if let Some(plain) = holders.invitation.params.plain_modulus {
            let (values, plain) = (holders.integers(&opened), plain as i64);
            let data: Vec<u8> = values
                .iter()
                .flat_map(|value| (value.rem_euclid(plain) as u32).to_le_bytes())
                .collect();
            check(&record, "message_sha3", &data);
        }
    }
}

/// The result of a record, whose ciphertext is under the secret key of the shares.
fn result(holders: &Holders, record: &Value) -> isopod_wire::EncryptedResult {
    let (ring, secret) = (&holders.ring, holders.secret());
    let plain = holders.invitation.params.plain_modulus;
    let moduli = ring.moduli().iter();
    let modulus: i128 = moduli.map(|one| i128::from(one.prime())).product();
    let scaled = |word: u64| match plain.map(i128::from) {
        Some(plain) => (2 * (i128::from(word) % plain) * modulus + plain) / (2 * plain),
        None => i128::from(word % (1 << 20)) << 40,
    };
    let mut result = holders.result(&[], 1.0);
    for (index, (&one, transform)) in ring.moduli().iter().zip(ring.transforms()).enumerate() {
        let prime = one.prime();
        let mask = words(ring.degree()).map(|word| ((word * (index as u64 + 1)) << 20 | 1) % prime);
        let mask: Vec<u64> = mask.collect();
        let mut product = secret[index].clone();
        let factors = Factors::new(one, mask.clone(), Machine::best()).expect("factors");
        factors.multiply(&mut product).expect("a product");
        let phase = words(ring.degree()).enumerate().map(|(at, word)| {
            (scaled(word) + at as i128 % 3 - 1).rem_euclid(i128::from(prime)) as u64
        });
        let mut phase: Vec<u64> = phase.collect();
        transform.forward(&mut phase).expect("a transform");
        let c0 = phase
            .iter()
            .zip(&product)
            .map(|(&phase, &product)| one.subtract(phase, product));
        result.c0[index] = c0.collect();
        result.c1[index] = mask;
    }
    check(record, "c0_sha3", &pack_polynomial(ring, &result.c0));
    check(record, "c1_sha3", &pack_polynomial(ring, &result.c1));
    result
}
