//! A ceremony without files, and results that are encrypted under its secret key.

use isopod_device::expand_mask;
use isopod_linear::{Factors, Machine, Ring};
use isopod_owners::{
    contribute, Answering, Circuit, Contributor, HolderPart, MaskedResult, Plan, Polynomial,
};
use isopod_wire::{
    by_name, Contribution, EncryptedResult, Grid, Invitation, Provenance, Scheme, Suite,
};
use zeroize::Zeroizing;

pub const KEY: [u8; 16] = [7; 16];
/// Digest of the answers in tests: the bytes from 0x20 on.
pub const ANSWER: [u8; 32] = counting(0x20);

/// The key of two holders: the bytes from 16 times the lower number plus the higher one on.
pub fn pair_key(one: u8, other: u8) -> [u8; 32] {
    counting(16 * one.min(other) + one.max(other))
}

const fn counting(first: u8) -> [u8; 32] {
    let mut bytes = [0; 32];
    let mut at = 0;
    while at < 32 {
        bytes[at] = first.wrapping_add(at as u8);
        at += 1;
    }
    bytes
}

/// Everything that the holders have.
pub struct Holders {
    pub invitation: Invitation,
    pub ring: Ring,
    pub shares: Vec<Polynomial>,
}

/// Holders of a set, with the threshold, and seeds of their numbers.
pub fn holders(set: &str, count: u8, threshold: u8) -> Holders {
    let invitation = Invitation {
        params: by_name(set).expect("a set"),
        ceremony: [1; 32],
        holders: (1..=count)
            .map(|number| format!("holder-{number}"))
            .collect(),
        threshold,
        frames: 1000,
        statistical_bits: 40,
        queries: 64,
    };
    let primes = invitation.params.data_primes.len();
    let ring = Ring::new(invitation.params, primes, Machine::best()).expect("a ring");
    let shares = (1..=count).map(|receiver| {
        let parts = (1..=count).map(|holder| {
            let seed = [holder; 32];
            let part = HolderPart::derive(&ring, (&[9; 32], holder), &seed).expect("a part");
            part.share(threshold, receiver).expect("a share")
        });
        let mut sum = None;
        for part in parts {
            match &mut sum {
                None => sum = Some(part),
                Some(sum) => isopod_owners::add(&ring, sum, &part),
            }
        }
        sum.expect("at least one holder")
    });
    let shares = shares.collect();
    Holders {
        invitation,
        ring,
        shares,
    }
}

impl Holders {
    /// The secret key, which nobody has: the value at 0 of the polynomial through the first shares.
    pub fn secret(&self) -> Vec<Vec<u64>> {
        let count = i64::from(self.invitation.threshold);
        let moduli = self.ring.moduli().iter().enumerate();
        moduli
            .map(|(prime, &modulus)| {
                let mut secret = vec![0; self.ring.degree()];
                for one in 1..=count {
                    let factor =
                        (1..=count)
                            .filter(|&other| other != one)
                            .fold(1, |factor, other| {
                                let difference = modulus.invert(modulus.reduce(other - one));
                                let quotient = modulus.multiply(other as u64, difference);
                                modulus.multiply(factor, quotient)
                            });
                    let share = &self.shares[one as usize - 1][prime];
                    for (sum, &value) in secret.iter_mut().zip(share) {
                        *sum = modulus.add(*sum, modulus.multiply(value, factor));
                    }
                }
                secret
            })
            .collect()
    }

    /// A result whose message has these coefficients, scaled as BFV does or as given, with an error of -1, 0 or 1.
    pub fn result(&self, message: &[i64], scale: f64) -> EncryptedResult {
        let (set, n) = (self.invitation.params, self.ring.degree());
        let secret = self.secret();
        let mut random = 0x1234_5678_9abc_def1u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let (mut c0, mut c1) = (Vec::new(), Vec::new());
        let errors: Vec<i64> = (0..n).map(|_| (next() % 3) as i64 - 1).collect();
        for (prime, (modulus, transform)) in self
            .ring
            .moduli()
            .iter()
            .zip(self.ring.transforms())
            .enumerate()
        {
            let mask: Vec<u64> = (0..n).map(|_| next() % modulus.prime()).collect();
            let mut product = secret[prime].clone();
            Factors::new(*modulus, mask.clone(), Machine::best())
                .and_then(|factors| factors.multiply(&mut product))
                .expect("a product");
            let mut phase: Vec<u64> = (0..n)
                .map(|at| {
                    let value = message.get(at).copied().unwrap_or(0);
                    modulus.reduce(self.encoded(value, prime) + errors[at])
                })
                .collect();
            transform.forward(&mut phase).expect("a transform");
            let one = phase
                .iter()
                .zip(&product)
                .map(|(&phase, &product)| modulus.subtract(phase, product));
            c0.push(one.collect());
            c1.push(mask);
        }
        EncryptedResult {
            params: set,
            key_id: KEY,
            nonce: [0; 16],
            provenance: provenance(),
            bound: 1_000_000.0,
            error: 0.0,
            scale,
            first: 0,
            grid: Grid {
                rows: 1,
                columns: n as u32 / 2,
                stride: n as u32 / 2,
            },
            rounded: None,
            c0,
            c1,
            linear_tag: None,
        }
    }

    /// round(Q / t m) of BFV modulo a prime; the message itself in CKKS.
    fn encoded(&self, value: i64, prime: usize) -> i64 {
        let Some(plain) = self.invitation.params.plain_modulus else {
            return value;
        };
        let t = i128::from(plain);
        let modulus: i128 = self
            .ring
            .moduli()
            .iter()
            .map(|one| i128::from(one.prime()))
            .product();
        let scaled = (i128::from(value) * modulus + t / 2).div_euclid(t);
        scaled.rem_euclid(i128::from(self.ring.moduli()[prime].prime())) as i64
    }

    pub fn plan(&self, result: &EncryptedResult) -> Plan {
        let circuit = Circuit::new(&self.invitation).expect("a circuit");
        circuit.plan(result).expect("a plan")
    }

    /// The contributions of the holders with these numbers.
    pub fn contributions(&self, result: &EncryptedResult, numbers: &[u8]) -> Vec<Contribution> {
        let answering = Answering::new(&self.invitation, numbers.to_vec()).expect("a set");
        let plan = self.plan(result);
        let of = |&holder: &u8| {
            let share = &self.shares[usize::from(holder) - 1];
            Contribution {
                key_id: KEY,
                holder,
                generation: 0,
                answering: numbers.to_vec(),
                answer: ANSWER,
                index: 0,
                total: 1,
                primes: plan.primes as u16,
                pads: None,
                bits: plan.bits as u8,
                values: contribute(
                    result,
                    &plan,
                    &Contributor {
                        answering: &answering,
                        holder,
                        share,
                        masks: &self.masks(&answering, holder),
                    },
                )
                .expect("a contribution"),
            }
        };
        numbers.iter().map(of).collect()
    }

    /// The masks of a holder in result 0 of the answer [`ANSWER`].
    pub fn masks(&self, answering: &Answering, holder: u8) -> Vec<(u8, Polynomial)> {
        let masked = MaskedResult {
            answer: &ANSWER,
            index: 0,
            generation: 0,
            answering: answering.numbers(),
        };
        let mask = |other: u8| {
            let seed = masked.mask_seed(&pair_key(holder, other));
            let mask = expand_mask(self.invitation.params, Suite::Chacha20, &seed[..]);
            (other, Zeroizing::new(mask.expect("a mask")))
        };
        answering.pairs(holder).into_iter().map(mask).collect()
    }

    /// The coefficients of the message in an opened result, which has no noise but that of flooding: of the first prime, centred.
    pub fn phase(&self, opened: &EncryptedResult) -> Vec<i64> {
        let modulus = self.ring.moduli()[0];
        let mut residues = opened.c0[0].clone();
        self.ring.transforms()[0]
            .inverse(&mut residues)
            .expect("a transform");
        let centred = |residue: u64| match residue > modulus.prime() / 2 {
            true => residue as i64 - modulus.prime() as i64,
            false => residue as i64,
        };
        residues.into_iter().map(centred).collect()
    }

    /// The integers of an opened result of BFV.
    pub fn integers(&self, opened: &EncryptedResult) -> Vec<i64> {
        assert_eq!(self.invitation.params.scheme(), Scheme::Bfv);
        let modulus = self.ring.moduli()[0];
        let plain = self
            .invitation
            .params
            .plain_modulus
            .expect("a plaintext modulus") as i64;
        // The phase is round(p Q / t), so its residue is -r / t for the remainder r: t times it is -r = -p Q modulo t.
        let remainder = self.phase(opened).into_iter().map(|phase| {
            let times = modulus.multiply(modulus.reduce(phase), plain as u64);
            match times > modulus.prime() / 2 {
                true => times as i64 - modulus.prime() as i64,
                false => times as i64,
            }
        });
        let of_modulus = self.ring.moduli().iter().fold(1i128, |product, one| {
            product * i128::from(one.prime()) % i128::from(plain)
        });
        let inverse = (1..plain)
            .find(|&one| of_modulus * i128::from(one) % i128::from(plain) == 1)
            .expect("a unit");
        remainder
            .map(|remainder| {
                let value = (-i128::from(remainder) * i128::from(inverse))
                    .rem_euclid(i128::from(plain)) as i64;
                if value > plain / 2 {
                    value - plain
                } else {
                    value
                }
            })
            .collect()
    }
}

fn provenance() -> Provenance {
    Provenance {
        run: [0; 16],
        sequence: 1,
        index: 0,
        total: 1,
        challenge: None,
        request: [0; 32],
        job: "sum".to_owned(),
        frames: 1000,
        origin: [0; 32],
        manifest: None,
        packing: None,
    }
}
