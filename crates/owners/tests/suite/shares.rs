//! Parts and shares of a key.

use isopod_linear::Factors;
use isopod_owners::{
    commitment, joint_public, mask_seed, pack_polynomial, unpack_polynomial, HolderPart,
};

use crate::support::holders;

/// The centred residue of the largest magnitude in coefficients.
fn largest(residues: &[u64], prime: u64) -> u64 {
    residues
        .iter()
        .map(|&residue| residue.min(prime - residue))
        .max()
        .unwrap_or(0)
}

#[test]
fn the_joint_key_is_a_public_key_of_the_shared_secret() {
    let holders = holders("bfv-4096x3-sum", 3, 2);
    let (ring, secret) = (&holders.ring, holders.secret());
    let mask: Vec<Vec<u64>> = ring
        .moduli()
        .iter()
        .map(|modulus| {
            (0..4096u64)
                .map(|at| at * at * 77 % modulus.prime())
                .collect()
        })
        .collect();
    let parts: Vec<_> = (1..=3)
        .map(|number| {
            let seed = [number; 32];
            let part = HolderPart::derive(ring, (&[9; 32], number), &seed).expect("a part");
            part.public(&mask).expect("a public part")
        })
        .collect();
    let mut error = joint_public(ring, &parts);
    for (prime, (&modulus, transform)) in ring.moduli().iter().zip(ring.transforms()).enumerate() {
        let mut product = secret[prime].clone();
        let factors = Factors::new(
            modulus,
            mask[prime].clone(),
            isopod_linear::Machine::PORTABLE,
        );
        factors
            .expect("factors")
            .multiply(&mut product)
            .expect("a product");
        for (error, product) in error[prime].iter_mut().zip(product) {
            *error = modulus.add(*error, product);
        }
        transform.inverse(&mut error[prime]).expect("a transform");
        let mut coefficients = secret[prime].clone();
        transform.inverse(&mut coefficients).expect("a transform");
        // Three errors of CBD(21) and three ternary secrets; four deviations of the errors are 22.
        assert!((10..=63).contains(&largest(&error[prime], modulus.prime())));
        assert_eq!(largest(&coefficients, modulus.prime()), 3);
    }
}

#[test]
fn a_share_alone_looks_uniform() {
    let holders = holders("bfv-4096x3-sum", 3, 2);
    let prime = holders.ring.moduli()[0].prime();
    let above = holders.shares[0][0]
        .iter()
        .filter(|&&residue| residue > prime / 2)
        .count();
    assert!(
        (1850..=2250).contains(&above),
        "{above} of 4,096 residues in the upper half"
    );
}

#[test]
fn every_input_changes_parts_seeds_and_commitments() {
    let holders = holders("bfv-4096x3-sum", 2, 2);
    let ring = &holders.ring;
    let (one, other) = ([1; 32], [2; 32]);
    let share = |invitation, number, seed| {
        let part = HolderPart::derive(ring, (invitation, number), seed).expect("a part");
        part.share(2, 1).expect("a share")
    };
    let first = share(&one, 1, &one);
    assert_eq!(first, share(&one, 1, &one));
    for changed in [
        share(&other, 1, &one),
        share(&one, 2, &one),
        share(&one, 1, &other),
    ] {
        assert_ne!(first, changed);
    }
    assert_ne!(mask_seed(&one), mask_seed(&other));
    let committed = commitment((&one, 1), &one, b"part");
    for changed in [
        commitment((&other, 1), &one, b"part"),
        commitment((&one, 2), &one, b"part"),
        commitment((&one, 1), &other, b"part"),
        commitment((&one, 1), &one, b"parts"),
    ] {
        assert_ne!(committed, changed);
    }
}

#[test]
fn packed_polynomials_are_read_whole_and_in_range() {
    let holders = holders("bfv-4096x3-sum", 2, 2);
    let packed = pack_polynomial(&holders.ring, &holders.shares[0]);
    let unpacked = unpack_polynomial(&holders.ring, "share", &packed).expect("a polynomial");
    assert_eq!(unpacked, holders.shares[0]);
    let mut beyond = packed.to_vec();
    beyond[..4].fill(0xff);
    for bytes in [&packed[1..], &beyond] {
        let refused = unpack_polynomial(&holders.ring, "share", bytes);
        assert!(refused.is_err_and(|error| error.to_string().starts_with("share: ")));
    }
}
