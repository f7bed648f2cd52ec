//! Refusals: every input that must be refused, each with its own error.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::{context, secret, set};
use isopod_seal::peer::Peer;
use isopod_seal::{
    image, Ciphertext, Context, Error, EvaluationKeys, Evaluator, KeyMaterial, KeySwitchingKey,
    Parameters, SecretKey,
};

const SCALE: f64 = (1u64 << 25) as f64;
const NAME: &str = "ckks-4096x2-linear";

fn encrypt(context: &Context) -> Ciphertext {
    Peer::new(context, &secret(context))
        .unwrap()
        .encrypt(&[1.0], SCALE)
        .unwrap()
}

fn changed(change: impl Fn(&mut Parameters)) -> Error {
    let mut parameters = set(NAME);
    change(&mut parameters);
    Context::new(&parameters).unwrap_err()
}

#[test]
fn parameters() {
    assert_eq!(
        changed(|p| p.ring_degree = 4095),
        Error::RingDegree { got: 4095 }
    );
    assert_eq!(
        changed(|p| p.ring_degree = 65536),
        Error::RingDegree { got: 65536 }
    );
    assert_eq!(
        changed(|p| p.data_primes.clear()),
        Error::PrimeCount { got: 0 }
    );
    assert_eq!(
        changed(|p| p.special_prime = None),
        Error::SpecialPrimeMissing { data_primes: 2 }
    );
    let refused = |prime, reason| Error::Prime {
        field: "data_primes",
        prime,
        reason,
    };
    assert_eq!(
        changed(|p| p.data_primes[0] = 1 << 60),
        refused(1 << 60, "has more than 60 bits")
    );
    assert_eq!(
        changed(|p| p.data_primes[0] = 65_539),
        refused(65_539, "is not = 1 mod 2*ring_degree")
    );
    assert_eq!(
        changed(|p| p.data_primes[0] = 8192 * 2 + 1),
        refused(16_385, "is not prime")
    );
    let twice = set(NAME).data_primes[0];
    assert_eq!(
        changed(|p| p.special_prime = Some(twice)),
        Error::Prime {
            field: "special_prime",
            prime: twice,
            reason: "occurs twice"
        }
    );
}

#[test]
fn a_set_below_the_security_limit_of_seal() {
    let insecure = changed(|p| p.data_primes.push(1_099_511_480_321));
    assert!(
        matches!(insecure, Error::Refused { ref set, .. } if set == NAME),
        "{insecure}"
    );
}

#[test]
fn residues() {
    let context = context(NAME);
    let good = context.residues(&encrypt(&context)).unwrap();
    let modulus = context.parameters().data_primes[1];

    let mut large = good.c1.clone();
    large[1][17] = modulus;
    let wanted = Error::Residue {
        field: "c1",
        prime: 1,
        position: 17,
        value: modulus,
        modulus,
    };
    assert_eq!(
        context.ciphertext(&good.c0, &large, SCALE).unwrap_err(),
        wanted
    );

    let mut short = good.c0.clone();
    short[0].pop();
    let wanted = Error::Length {
        field: "c0",
        got: 4095,
        wanted: 4096,
    };
    assert_eq!(
        context.ciphertext(&short, &good.c1, SCALE).unwrap_err(),
        wanted
    );

    let wanted = Error::Length {
        field: "c1",
        got: 1,
        wanted: 2,
    };
    assert_eq!(
        context
            .ciphertext(&good.c0, &good.c1[..1], SCALE)
            .unwrap_err(),
        wanted
    );
    assert_eq!(
        context.ciphertext(&[], &[], SCALE).unwrap_err(),
        Error::Level { got: 0, most: 2 }
    );
    let three = vec![vec![0; 4096]; 3];
    assert_eq!(
        context.ciphertext(&three, &three, SCALE).unwrap_err(),
        Error::Level { got: 3, most: 2 }
    );
    for scale in [0.0, -1.0, 0.5, f64::NAN, f64::INFINITY, 2f64.powi(60)] {
        let error = image(context.parameters(), &good.c0, &good.c1, scale).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Scale {
                    modulus_bits: 60,
                    ..
                }
            ),
            "{scale}: {error}"
        );
    }
}

#[test]
fn secret_keys() {
    let context = context(NAME);
    let mut coefficients = vec![0; 4096];
    coefficients[5] = 2;
    assert_eq!(
        SecretKey::new(&context, &coefficients).unwrap_err(),
        Error::Ternary { index: 5 }
    );
    let wanted = Error::Length {
        field: "secret key",
        got: 1024,
        wanted: 4096,
    };
    assert_eq!(SecretKey::new(&context, &[0; 1024]).unwrap_err(), wanted);
}

#[test]
fn missing_keys() {
    let context = context(NAME);
    let evaluator = Evaluator::new(&context);
    let keys = EvaluationKeys::generate(&context, &secret(&context), false, &[1]).unwrap();
    let mut a = encrypt(&context);
    let wanted = Error::MissingGaloisKey {
        step: 2,
        element: 9,
    };
    assert_eq!(evaluator.rotate(&mut a, 2, &keys).unwrap_err(), wanted);
    assert_eq!(keys.check_rotations(&context, &[1, 2]).unwrap_err(), wanted);
    assert_eq!(
        evaluator.rotate(&mut a, 2048, &keys).unwrap_err(),
        Error::Step {
            step: 2048,
            most: 2047
        }
    );
    evaluator.square(&mut a).unwrap();
    assert_eq!(
        evaluator.relinearize(&mut a, &keys).unwrap_err(),
        Error::MissingRelinearizationKey
    );
    assert_eq!(
        evaluator.rotate(&mut a, 1, &keys).unwrap_err(),
        Error::NotRelinearized { polynomials: 3 }
    );
    assert_eq!(
        context.residues(&a).unwrap_err(),
        Error::NotRelinearized { polynomials: 3 }
    );
}

#[test]
fn sets_without_key_switching() {
    for name in [
        "ckks-1024x1-sum",
        "ckks-2048x1-sum",
        "ckks-4096x3-sum",
        "ckks-4096x3-seal-embedded-30",
    ] {
        let context = context(name);
        let wanted = Error::NoKeySwitching {
            set: name.to_owned(),
        };
        assert_eq!(
            EvaluationKeys::generate(&context, &secret(&context), true, &[1]).unwrap_err(),
            wanted
        );
        assert_eq!(
            EvaluationKeys::from_material(&context, &KeyMaterial::default()).unwrap_err(),
            wanted
        );
    }
}

#[test]
fn key_material() {
    let context = context(NAME);
    let good = EvaluationKeys::generate(&context, &secret(&context), true, &[1])
        .unwrap()
        .material(&context)
        .unwrap();
    let import = |change: &dyn Fn(&mut KeyMaterial)| {
        let mut material = good.clone();
        change(&mut material);
        EvaluationKeys::from_material(&context, &material).unwrap_err()
    };
    let key =
        |material: &mut KeyMaterial| -> KeySwitchingKey { material.galois.remove(&3).unwrap() };
    for element in [0, 1, 4, 8193] {
        let error = import(&|material| {
            drop(material.galois.insert(
                element,
                KeySwitchingKey {
                    decompositions: vec![],
                },
            ))
        });
        assert_eq!(
            error,
            Error::GaloisElement {
                element,
                most: 8191
            }
        );
    }
    let field = "key switching key";
    let error = import(&|material| {
        let mut key = key(material);
        key.decompositions.pop();
        material.galois.insert(3, key);
    });
    assert_eq!(
        error,
        Error::Length {
            field,
            got: 1,
            wanted: 2
        }
    );
    let error = import(&|material| {
        drop(material.relinearization.as_mut().unwrap().decompositions[0][1].pop())
    });
    assert_eq!(
        error,
        Error::Length {
            field,
            got: 2,
            wanted: 3
        }
    );
    let modulus = context.parameters().special_prime.unwrap();
    let error = import(&|material| {
        material.galois.get_mut(&3).unwrap().decompositions[1][0][2][9] = u64::MAX
    });
    assert_eq!(
        error,
        Error::Residue {
            field,
            prime: 2,
            position: 9,
            value: u64::MAX,
            modulus
        }
    );
}

#[test]
fn operands() {
    let context = context("ckks-4096x3-multiply");
    let evaluator = Evaluator::new(&context);
    let a = encrypt(&context);
    let mut low = a.clone();
    assert_eq!(
        evaluator.switch_to(&mut low, 4).unwrap_err(),
        Error::Level { got: 4, most: 3 }
    );
    assert_eq!(
        evaluator.switch_to(&mut low, 0).unwrap_err(),
        Error::Level { got: 0, most: 3 }
    );
    evaluator.switch_to(&mut low, 1).unwrap();
    assert_eq!(evaluator.rescale(&mut low).unwrap_err(), Error::LastLevel);
    assert_eq!(
        evaluator.add(&mut low, &a).unwrap_err(),
        Error::LevelMismatch { left: 1, right: 3 }
    );
    assert!(matches!(
        evaluator
            .multiply_plain(&mut low, &[1.0], 1024.0)
            .unwrap_err(),
        Error::Scale { .. }
    ));

    let mut larger = a.clone();
    evaluator.divide(&mut larger, 2.0).unwrap();
    assert_eq!(
        evaluator.add(&mut larger, &a).unwrap_err(),
        Error::ScaleMismatch {
            left: 2.0 * SCALE,
            right: SCALE
        }
    );
    for divisor in [0.0, -2.0, f64::NAN] {
        assert!(matches!(
            evaluator.divide(&mut larger, divisor).unwrap_err(),
            Error::Scale { .. }
        ));
    }

    let mut a = a;
    assert_eq!(
        evaluator.add_plain(&mut a, &[]).unwrap_err(),
        Error::Values { got: 0, most: 2048 }
    );
    assert_eq!(
        evaluator.add_plain(&mut a, &[0.0; 2049]).unwrap_err(),
        Error::Values {
            got: 2049,
            most: 2048
        }
    );
    let error = evaluator
        .add_plain(&mut a, &[0.0, f64::INFINITY])
        .unwrap_err();
    assert_eq!(
        error,
        Error::NotFinite {
            index: 1,
            value: f64::INFINITY
        }
    );
    // 2^70 at scale 2^25 spreads over 2^11 coefficients, above the 79 bits of the modulus: SEAL itself refuses.
    assert!(matches!(
        evaluator.add_plain(&mut a, &[2f64.powi(70)]).unwrap_err(),
        Error::Seal { .. }
    ));
}

#[test]
fn exceptions_of_seal() {
    let (here, elsewhere) = (context(NAME), context("ckks-4096x3-multiply"));
    let mut a = encrypt(&here);
    let same = a.clone();
    assert!(matches!(
        Evaluator::new(&here).subtract(&mut a, &same).unwrap_err(),
        Error::Seal { .. }
    ));
    assert!(matches!(
        secret(&elsewhere).decrypt(&elsewhere, &same).err().unwrap(),
        Error::Seal { .. }
    ));
    assert!(matches!(
        secret(&elsewhere).decrypt(&here, &same).err().unwrap(),
        Error::Seal { .. }
    ));
}
