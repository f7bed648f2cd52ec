//! Peak memory: what a process of its own does, and how it reads its peak.

use std::fs;

use anyhow::{Context as _, Result};
use isopod_device::{Encryptor, KeyPair};
use isopod_seal::peer::Peer;
use isopod_seal::{Context, SecretKey};
use isopod_wire::by_name;

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

/// The device library makes keys and tables, and encrypts all slots of a set once by public key.
///
/// # Errors
/// An unknown set; entropy.
pub fn ours_alone(set: &str) -> Result<()> {
    let set = by_name(set).with_context(|| format!("set: {set} is unknown"))?;
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

/// SEAL makes keys and tables, and encrypts all slots of a set once by public key.
///
/// # Errors
/// An unknown set; memory.
pub fn seals_alone(set: &str) -> Result<()> {
    let set = by_name(set).with_context(|| format!("set: {set} is unknown"))?;
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
