//! Kernels of every instruction set that this processor has, against arithmetic in 128 bits.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::{moduli, packed, Numbers};
use isopod_linear::{
    drop_bits, restore_bits, Accumulator, Error, Factors, Machine, Modulus, Ntt, Packing, Slice,
};
use isopod_wire::sets;
use proptest::prelude::*;

fn modulo(value: i128, modulus: Modulus) -> u64 {
    value.rem_euclid(i128::from(modulus.prime())) as u64
}

#[test]
fn every_width_is_unpacked_to_what_was_packed_at_every_length() {
    for modulus in moduli() {
        for groups in [1, 2, 3, 4, 5, 16, 33] {
            let residues = Numbers(7).residues(modulus.prime(), 8 * groups);
            let bytes = packed(modulus, &residues);
            for machine in Machine::all() {
                let mut words = vec![1; residues.len()];
                Packing::new(modulus, machine)
                    .unpack(&bytes, &mut words)
                    .unwrap();
                let place = format!("{}, {} groups, {}", machine.name(), groups, modulus.prime());
                assert_eq!(words, residues, "{place}");
            }
        }
    }
}

#[test]
fn a_residue_of_the_prime_is_refused_wherever_it_is_and_the_sum_is_as_before() {
    for modulus in moduli() {
        let residues = Numbers(3).residues(modulus.prime(), 40);
        let bytes = packed(modulus, &residues);
        for (machine, at) in Machine::all().flat_map(|machine| (0..40).map(move |at| (machine, at)))
        {
            let mut wrong = residues.clone();
            wrong[at] = modulus.prime();
            let wrong = packed(modulus, &wrong);
            let mut sum = Accumulator::new(modulus, 80, machine);
            let slice = |at, bytes| Slice { at, bytes };
            sum.add(&[slice(0, &bytes[..]), slice(40, &bytes)], 1)
                .unwrap();
            let refusal = sum.add(&[slice(0, &bytes[..]), slice(40, &wrong)], -3);
            let prime = modulus.prime();
            let position = 40 + at;
            assert_eq!(
                refusal,
                Err(Error::Residue { prime, position }),
                "{}",
                machine.name()
            );
            assert_eq!(sum.residues(), [&residues[..], &residues].concat());
        }
    }
}

#[test]
fn words_are_reduced_before_they_overflow() {
    for modulus in moduli() {
        let residues = vec![modulus.prime() - 1; 8];
        let bytes = packed(modulus, &residues);
        let slice = [Slice {
            at: 0,
            bytes: &bytes,
        }];
        for (machine, weight) in Machine::all().flat_map(|machine| {
            [1, -1, i64::from(i32::MIN), i64::MIN, i64::MAX].map(|weight| (machine, weight))
        }) {
            let mut sum = Accumulator::new(modulus, 8, machine);
            for terms in 1..20 {
                sum.add(&slice, weight).unwrap();
                let wanted = -i128::from(modulo(weight.into(), modulus)) * terms;
                let found = if terms % 5 == 0 {
                    sum.residues()[7]
                } else {
                    continue;
                };
                assert_eq!(
                    found,
                    modulo(wanted, modulus),
                    "{} {weight}",
                    machine.name()
                );
            }
        }
    }
}

#[test]
fn the_ends_of_a_signed_word_are_reduced_as_by_division() {
    for modulus in moduli() {
        for word in [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX] {
            assert_eq!(modulus.reduce(word), modulo(word.into(), modulus));
        }
    }
}

#[test]
fn slices_beyond_the_polynomial_and_other_lengths_are_refused_by_name() {
    let modulus = Modulus::new(1_073_668_097).unwrap();
    let bytes = [0; 30];
    let mut sum = Accumulator::new(modulus, 16, Machine::best());
    for (at, bytes) in [
        (16, &bytes[..]),
        (9, &bytes),
        (usize::MAX, &bytes),
        (0, &bytes[..29]),
    ] {
        let refusal = sum.add(&[Slice { at, bytes }], 1);
        assert!(
            matches!(refusal, Err(Error::Length { .. })),
            "{at}: {refusal:?}"
        );
    }
    assert_eq!(sum.residues(), [0; 16]);
}

#[test]
fn moduli_and_roots_that_kernels_cannot_use_are_refused() {
    for prime in [0, 1, 2, 1 << 40, 1 << 61, u64::MAX] {
        assert_eq!(Modulus::new(prime), Err(Error::Modulus { found: prime }));
    }
    let modulus = Modulus::new(1_073_668_097).unwrap();
    for root in [0, 1, modulus.prime()] {
        let refusal = Ntt::new(modulus, 4096, root, Machine::PORTABLE);
        assert!(matches!(refusal, Err(Error::Root { .. })));
    }
}

/// X^n = -1, by schoolbook.
fn negacyclic(modulus: Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut product = vec![0; a.len()];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let (at, term) = ((i + j) % a.len(), modulus.multiply(x, y));
            product[at] = match i + j < a.len() {
                true => modulus.add(product[at], term),
                false => modulus.subtract(product[at], term),
            };
        }
    }
    product
}

#[test]
fn a_product_of_transforms_is_the_negacyclic_product() {
    for set in sets() {
        let (prime, root) = (set.data_primes[0], set.roots[0]);
        let modulus = Modulus::new(prime).unwrap();
        // The ring of degree 64 is within: its root is a power of the set's.
        let root = modulus.power(root, (set.ring_degree / 64) as u64);
        let mut numbers = Numbers(prime);
        let (a, b) = (numbers.residues(prime, 64), numbers.residues(prime, 64));
        for machine in Machine::all() {
            let ntt = Ntt::new(modulus, 64, root, machine).unwrap();
            let (mut x, mut y) = (a.clone(), b.clone());
            ntt.forward(&mut x).unwrap();
            ntt.forward(&mut y).unwrap();
            Factors::new(modulus, y, machine)
                .unwrap()
                .multiply(&mut x)
                .unwrap();
            ntt.inverse(&mut x).unwrap();
            assert_eq!(
                x,
                negacyclic(modulus, &a, &b),
                "{} {}",
                set.name,
                machine.name()
            );
        }
    }
}

#[test]
fn transforms_of_every_set_are_the_same_on_every_machine_and_undo_each_other() {
    for set in sets() {
        let prime = *set.data_primes.last().unwrap();
        let root = *set.roots.last().unwrap();
        let modulus = Modulus::new(prime).unwrap();
        let mut input = Numbers(1).residues(prime, set.ring_degree);
        input[..4].copy_from_slice(&[prime - 1, 0, 1, prime - 1]);
        let mut outputs = Machine::all().map(|machine| {
            let ntt = Ntt::new(modulus, set.ring_degree, root, machine).unwrap();
            let mut output = input.clone();
            ntt.forward(&mut output).unwrap();
            let mut back = output.clone();
            ntt.inverse(&mut back).unwrap();
            assert_eq!(back, input, "{} {}", set.name, machine.name());
            output
        });
        let first = outputs.next().unwrap();
        assert!(outputs.all(|output| output == first), "{}", set.name);
    }
}

#[test]
fn restored_coefficients_are_within_half_a_step() {
    let modulus = Modulus::new(1_073_668_097).unwrap();
    let prime = modulus.prime();
    for bits in 0..=20 {
        for residue in [0, 1, prime / 2, prime - 1]
            .into_iter()
            .chain(Numbers(9).residues(prime, 99))
        {
            let restored = restore_bits(modulus, drop_bits(residue, bits), bits);
            let off = modulus.subtract(restored, residue);
            assert!(
                off.min(prime - off) <= (1 << bits) / 2 + prime % (1 << bits).max(1),
                "{residue} {bits}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn weighted_sums_are_those_of_integers(
        at in 0..usize::MAX,
        seed: u64,
        weights in prop::collection::vec(prop_oneof![Just(1i64), -300..300i64, any::<i64>()], 1..12),
    ) {
        let moduli = moduli();
        let modulus = moduli[at % moduli.len()];
        let mut numbers = Numbers(seed);
        let terms: Vec<_> = weights.iter().map(|_| numbers.residues(modulus.prime(), 24)).collect();
        let wanted: Vec<u64> = (0..24).map(|slot| {
            let products = terms.iter().zip(&weights);
            let terms = products.map(|(term, &weight)| {
                i128::from(term[slot]) * i128::from(modulo(weight.into(), modulus))
            });
            modulo(terms.sum(), modulus)
        }).collect();
        for machine in Machine::all() {
            let mut sum = Accumulator::new(modulus, 24, machine);
            for (index, (term, &weight)) in terms.iter().zip(&weights).enumerate() {
                let bytes = packed(modulus, term);
                match index % 3 {
                    0 => sum.add(&[Slice { at: 0, bytes: &bytes }], weight).unwrap(),
                    1 => {
                        let (head, tail) = bytes.split_at(bytes.len() / 3);
                        let slices = [Slice { at: 8, bytes: tail }, Slice { at: 0, bytes: head }];
                        sum.add(&slices, weight).unwrap();
                    }
                    _ => sum.add_residues(term, weight).unwrap(),
                }
            }
            prop_assert_eq!(sum.residues(), &wanted[..], "{}", machine.name());
        }
    }

    #[test]
    fn products_are_those_of_integers(at in 0..usize::MAX, seed: u64, scalar: i64) {
        let moduli = moduli();
        let modulus = moduli[at % moduli.len()];
        let mut numbers = Numbers(seed);
        let (a, b) = (numbers.residues(modulus.prime(), 19), numbers.residues(modulus.prime(), 19));
        for machine in Machine::all() {
            let (mut by_each, mut by_one) = (a.clone(), a.clone());
            Factors::new(modulus, b.clone(), machine).unwrap().multiply(&mut by_each).unwrap();
            Factors::scalar(modulus, scalar, machine).multiply(&mut by_one).unwrap();
            for slot in 0..19 {
                prop_assert_eq!(by_each[slot], modulus.multiply(a[slot], b[slot]));
                let wanted = i128::from(a[slot]) * i128::from(scalar);
                prop_assert_eq!(by_one[slot], modulo(wanted, modulus));
            }
        }
    }
}
