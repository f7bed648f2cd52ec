//! Every set of spec/params.toml: residues from SEAL, residues into SEAL, and a seeded image with SEAL's own mask.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::{largest_error, seal_mask, secret, sets, ternary, transform, values};
use isopod_seal::peer::{serialized_sizes, Peer, PeerSizes};
use isopod_seal::{
    image, seeded_image, Ciphertext, Context, Generator, MaskSeed, Parameters, Residues, SecretKey,
};

struct Case {
    context: Context,
    secret: SecretKey,
    values: Vec<f64>,
    encrypted: Residues,
    tolerance: f64,
}

impl Case {
    fn check(&self, loaded: &Ciphertext, name: &str) {
        let decrypted = self.secret.decrypt(&self.context, loaded).unwrap();
        let error = largest_error(decrypted.for_owner_only(), &self.values);
        assert!(error < self.tolerance, "{name}: error {error}");
    }
}

/// Makes a case encrypted by SEAL. The tolerance is about six standard deviations of public-key noise per slot.
fn case(parameters: &Parameters, scale: f64) -> Case {
    let context = Context::new(parameters).unwrap();
    let secret = secret(&context);
    let values = values(3, parameters.slots(), 1.0);
    let encrypted = Peer::new(&context, &secret)
        .unwrap()
        .encrypt(&values, scale)
        .unwrap();
    let encrypted = context.residues(&encrypted).unwrap();
    let tolerance = 30.0 * parameters.ring_degree as f64 / scale;
    Case {
        context,
        secret,
        values,
        encrypted,
        tolerance,
    }
}

#[test]
fn residues_survive_the_way_into_seal_at_every_level() {
    for (parameters, scale) in sets() {
        let case = case(&parameters, scale);
        let fits = |&primes: &usize| parameters.log2_modulus(primes) > scale.log2() + 2.0;
        for primes in (1..=parameters.data_primes.len()).filter(fits) {
            let (c0, c1) = (&case.encrypted.c0[..primes], &case.encrypted.c1[..primes]);
            let loaded = case.context.ciphertext(c0, c1, scale).unwrap();
            assert_eq!(
                (loaded.primes(), loaded.scale(), loaded.polynomials()),
                (primes, scale, 2)
            );
            assert_eq!(
                case.context.residues(&loaded).unwrap(),
                Residues {
                    c0: c0.to_vec(),
                    c1: c1.to_vec(),
                    scale
                }
            );
            case.check(
                &loaded,
                &format!("{} with {primes} primes", parameters.name),
            );
        }
    }
}

/// Replaces the mask: c0' = c0 + (c1 - a) s, so that (c0', a) decrypts like (c0, c1).
fn with_mask(encrypted: &Residues, mask: &[Vec<u64>], parameters: &Parameters) -> Vec<Vec<u64>> {
    let coefficients = ternary(parameters.ring_degree);
    let row = |j: usize| {
        let prime = u128::from(parameters.data_primes[j]);
        let secret = transform(&coefficients, parameters.data_primes[j]);
        let at = |i: usize| {
            let difference = u128::from(encrypted.c1[j][i]) + prime - u128::from(mask[j][i]);
            ((u128::from(encrypted.c0[j][i]) + difference * u128::from(secret[i])) % prime) as u64
        };
        (0..parameters.ring_degree).map(at).collect()
    };
    (0..encrypted.c0.len()).map(row).collect()
}

#[test]
fn seal_expands_the_seed_of_a_seeded_image() {
    let seed: [u8; 64] = std::array::from_fn(|i| i as u8);
    for (parameters, scale) in sets() {
        let case = case(&parameters, scale);
        let mask = seal_mask(&seed, &parameters.data_primes, parameters.ring_degree);
        let c0 = with_mask(&case.encrypted, &mask, &parameters);
        let mask_seed = MaskSeed {
            generator: Generator::Shake256,
            seed: &seed,
        };
        let loaded = case
            .context
            .seeded_ciphertext(&c0, mask_seed, scale)
            .unwrap();
        assert_eq!(
            case.context.residues(&loaded).unwrap().c1,
            mask,
            "{}",
            parameters.name
        );
        case.check(&loaded, &parameters.name);
    }
}

#[test]
fn images_have_the_documented_sizes() {
    let (parameters, scale) = sets()
        .into_iter()
        .find(|(set, _)| set.name == "ckks-4096x3-multiply")
        .unwrap();
    let rows = vec![vec![1; 4096]; 3];
    assert_eq!(
        image(&parameters, &rows, &rows, scale).unwrap().len(),
        105 + 16 * 4096 * 3
    );
    let mask_seed = MaskSeed {
        generator: Generator::Blake2xb,
        seed: &[0; 64],
    };
    assert_eq!(
        seeded_image(&parameters, &rows, mask_seed, scale)
            .unwrap()
            .len(),
        186 + 8 * 4096 * 3
    );
}

#[test]
fn seals_own_ciphertexts_are_measured() {
    let sizes = serialized_sizes(&crate::support::context("ckks-4096x3-multiply")).unwrap();
    // Version 4 images carry one more word, the correction factor.
    assert_eq!(
        sizes,
        PeerSizes {
            public_key: 113 + 16 * 4096 * 3,
            secret_key_seeded: 194 + 8 * 4096 * 3
        }
    );
}
