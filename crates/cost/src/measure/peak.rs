//! Peak memory: what a process of its own does, and how it reads its peak.

use std::fs;

use anyhow::{bail, Context as _, Result};
use isopod_device::{Encryptor, KeyPair};
use isopod_seal::peer::Peer;
use isopod_seal::{Context, SecretKey};
use isopod_wire::{AnySet, ParameterSet};

use super::tfhe;
use crate::pair::Slots;

/// Peak of this process in resident bytes.
///
/// # Errors
/// A system that does not say.
pub fn of_this_process() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next());
    let number: u64 = kilobytes
        .context("/proc/self/status has no VmHWM")?
        .parse()?;
    Ok(number * 1024)
}

/// A side that encrypts alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The device library.
    Ours,
    /// SEAL, or tfhe-rs for a set of TFHE.
    Peer,
}

/// Makes keys and tables on one side, and encrypts once by public key: all slots of a set, or 256 integers of 8 bits.
///
/// # Errors
/// An unknown set; entropy; memory; tfhe-rs, where the program is without it.
pub fn alone(side: Side, set: &str) -> Result<()> {
    let found = AnySet::by_name(set).with_context(|| format!("set: {set} is unknown"))?;
    match (side, found) {
        (Side::Ours, AnySet::Rns(set)) => ours(set),
        (Side::Ours, AnySet::Tfhe(set)) => tfhe::ours(set),
        (Side::Peer, AnySet::Rns(set)) => seals(set),
        (Side::Peer, AnySet::Tfhe(_)) => tfhe::peers(),
        (_, AnySet::Pads) => bail!("set: pads have no peer; allowed are sets of ciphertexts"),
    }
}

fn ours(set: &'static ParameterSet) -> Result<()> {
    let keys = KeyPair::generate(set)?;
    let encoding = isopod_device::Encoding {
        log2_scale: set.log2_scale.default,
        log2_bound: 0,
        claims: isopod_device::FrameClaims::default(),
        chunks: 1,
        suite: isopod_wire::Suite::Chacha20,
        accept_label: set.label,
    };
    let mut sender = isopod_device::Sender {
        device: 1,
        epoch: 1,
        sequence: 0,
        key: &[7; 32],
    };
    let mut encryptor = Encryptor::new(&keys.public_blob, encoding)?;
    match Slots::of(set) {
        Slots::Real(values) => encryptor.encrypt(&values, &mut sender)?,
        Slots::Integers(values) => {
            let values: Vec<i32> = values.iter().map(|&value| value as i32).collect();
            encryptor.encrypt_values(isopod_device::Values::Signed(&values), &mut sender)?
        }
    };
    Ok(())
}

fn seals(set: &'static ParameterSet) -> Result<()> {
    let context = Context::for_set(set)?;
    let coefficients: Vec<i8> = (0..set.ring_degree).map(|at| (at % 3) as i8 - 1).collect();
    let secret = SecretKey::new(&context, &coefficients)?;
    let peer = Peer::new(&context, &secret)?;
    match Slots::of(set) {
        Slots::Real(values) => {
            peer.serialize_public(&values, f64::from(set.log2_scale.default).exp2())?;
        }
        Slots::Integers(values) => {
            peer.serialize_encoded(&context.encode_integers(&values)?, false)?;
        }
    }
    Ok(())
}
