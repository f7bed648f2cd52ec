//! TFHE: the device library's frames of 256 integers of 8 bits, and tfhe-rs where it is built in.

use anyhow::Result;
use isopod_device::{Sender, TfheEncoding, TfheEncryptor, TfheKeyPair};
use isopod_wire::{Label, Schema, TfheParams, TfheSuite, ValueType, TFHE_SETS};

use super::Bench;
use crate::operation::Operation;
use crate::timer::Clock;

const SET: &TfheParams = &TFHE_SETS[0];
const VALUES: usize = 256;

pub fn measure(bench: &mut Bench<'_>) -> Result<()> {
    bench.group.degree = SET.ring_degree;
    SET.name.clone_into(&mut bench.set);
    let pair = TfheKeyPair::generate(SET)?;
    let values: Vec<i128> = (0..VALUES as i128).collect();
    let schema = Schema::of_values(vec![ValueType::U8; VALUES])?;
    for (operation, blob) in [
        (
            Operation::SendSecret,
            pair.secret_transformed_blob.as_slice(),
        ),
        (Operation::SendPublic, pair.public_blob.as_slice()),
    ] {
        let mut encryptor = TfheEncryptor::new(blob, encoding())?;
        let mut sender = sender();
        let mut bytes = 0;
        bench.record("isopod", operation, |timer| {
            let sampled = timer.sample(
                Clock::Processor,
                || (),
                |()| {
                    bytes = encryptor.encrypt(&schema, &values, &mut sender)?.len();
                    Ok(())
                },
            )?;
            Ok((sampled, bytes))
        })?;
    }
    evaluation(bench, &pair)
}

fn encoding() -> TfheEncoding {
    TfheEncoding {
        suite: TfheSuite::Chacha20,
        whole_bodies: false,
        streaming: false,
        columns: 0,
        packing: None,
        accept_label: Label::Bits128,
    }
}

fn sender() -> Sender<'static> {
    Sender {
        device: 1,
        epoch: 1,
        sequence: 0,
        key: &[7; 32],
    }
}

/// The device library encrypts integers by public key; for a process that measures its peak.
pub fn ours(set: &'static TfheParams) -> Result<()> {
    let pair = TfheKeyPair::generate(set)?;
    let values: Vec<i128> = (0..VALUES as i128).collect();
    let schema = Schema::of_values(vec![ValueType::U8; VALUES])?;
    TfheEncryptor::new(&pair.public_blob, encoding())?.encrypt(&schema, &values, &mut sender())?;
    Ok(())
}

/// Refuses, as this build has no tfhe-rs.
#[cfg(not(feature = "tfhe"))]
pub fn peers() -> Result<()> {
    anyhow::bail!("this program was built without tfhe-rs")
}

/// Says that this build computes nothing under TFHE.
#[cfg(not(feature = "tfhe"))]
fn evaluation(bench: &mut Bench<'_>, _: &TfheKeyPair) -> Result<()> {
    for operation in [
        Operation::Receive,
        Operation::Add,
        Operation::Multiply,
        Operation::Compare,
    ] {
        bench.skip(operation, "this program was built without tfhe-rs");
    }
    Ok(())
}

#[cfg(feature = "tfhe")]
pub use native::{evaluation, peers};

#[cfg(feature = "tfhe")]
mod native {
    use super::*;
    use isopod_tfhe::native::{client_key, RingCiphertext, ServerKeyBytes, ServerKeys};
    use isopod_tfhe::{secret_coefficients, OwnerSecrets};
    use isopod_wire::{Authenticator, Envelope, Relation, Tag, TfheBlob, TfheFrame};
    use tfhe::integer::RadixCiphertext;
    use tfhe::prelude::*;
    use tfhe::safe_serialization::safe_serialized_size;
    use tfhe::{ClientKey, CompactCiphertextList, CompactPublicKey, CompressedFheUint8};

    const PEER: &str = "tfhe-rs";

    struct Anyone;

    impl Authenticator for Anyone {
        fn verify(&self, _: Relation, _: &[u8; 24], _: &[u8], _: &Tag) -> bool {
            true
        }
    }

    /// tfhe-rs makes keys of its own and encrypts integers by public key; for a process that measures its peak.
    pub fn peers() -> Result<()> {
        let keys = TfheKeyPair::generate(SET)?;
        list(&CompactPublicKey::new(&client_key(&secrets(&keys)?)));
        Ok(())
    }

    fn secrets(pair: &TfheKeyPair) -> Result<OwnerSecrets> {
        let blob = TfheBlob::read(&pair.secret_blob)?;
        Ok(OwnerSecrets::new(&secret_coefficients(&blob)?)?)
    }

    fn list(public: &CompactPublicKey) -> CompactCiphertextList {
        let all = (0..=255u8).take(VALUES);
        CompactCiphertextList::builder(public)
            .extend(all)
            .build_packed()
    }

    /// The way into tfhe-rs, its own encryption, and its operations on two integers of 8 bits.
    pub fn evaluation(bench: &mut Bench<'_>, pair: &TfheKeyPair) -> Result<()> {
        let secrets = secrets(pair)?;
        encryption(bench, &client_key(&secrets))?;
        let (frame, bytes) = frame(pair)?;
        bench.record("isopod", Operation::Receive, |timer| {
            let call = || Ok(RingCiphertext::new(&frame)?.values()?);
            Ok((timer.repeat(Clock::Processor, call)?, bytes))
        })?;
        let wanted = [Operation::Add, Operation::Multiply, Operation::Compare];
        match wanted.into_iter().any(|operation| bench.wants(operation)) {
            true => arithmetic(bench, &secrets, &frame),
            false => Ok(()),
        }
    }

    fn frame(pair: &TfheKeyPair) -> Result<(TfheFrame, usize)> {
        let values: Vec<i128> = (0..VALUES as i128).collect();
        let schema = Schema::of_values(vec![ValueType::U8; VALUES])?;
        let mut encryptor = TfheEncryptor::new(&pair.secret_transformed_blob, encoding())?;
        let bytes = encryptor.encrypt(&schema, &values, &mut sender())?;
        let frame = Envelope::read_only(&bytes)?
            .authenticate(&Anyone)?
            .tfhe_frame(SET)?;
        Ok((frame, bytes.len()))
    }

    fn encryption(bench: &mut Bench<'_>, key: &ClientKey) -> Result<()> {
        let all = || (0..=255u8).take(VALUES);
        let one = safe_serialized_size(&CompressedFheUint8::encrypt(0u8, key))?;
        bench.record(PEER, Operation::SendSecret, |timer| {
            let sampled = timer.repeat(Clock::Processor, || {
                let encrypted = all().map(|value| CompressedFheUint8::encrypt(value, key));
                Ok(encrypted.collect::<Vec<_>>())
            })?;
            Ok((sampled, one as usize * VALUES))
        })?;
        let public = CompactPublicKey::new(key);
        let bytes = safe_serialized_size(&list(&public))? as usize;
        bench.record(PEER, Operation::SendPublic, |timer| {
            let sampled = timer.repeat(Clock::Processor, || Ok(list(&public)))?;
            Ok((sampled, bytes))
        })
    }

    fn arithmetic(bench: &mut Bench<'_>, secrets: &OwnerSecrets, frame: &TfheFrame) -> Result<()> {
        (bench.report)("tfhe server keys");
        let keys = server_keys(secrets)?;
        let ring = RingCiphertext::new(frame)?;
        let (a, b) = (radix(&ring, 37)?, radix(&ring, 200)?);
        let integers = keys.integers();
        parallel(bench, Operation::Add, || integers.add_parallelized(&a, &b))?;
        parallel(bench, Operation::Multiply, || {
            integers.mul_parallelized(&a, &b)
        })?;
        parallel(bench, Operation::Compare, || {
            integers.scalar_gt_parallelized(&a, 90u64)
        })
    }

    fn server_keys(secrets: &OwnerSecrets) -> Result<ServerKeys> {
        let stored = ServerKeyBytes::generate(secrets)?;
        Ok(ServerKeys::load(&stored.server, &stored.packing)?)
    }

    fn radix(ring: &RingCiphertext, at: usize) -> Result<RadixCiphertext> {
        Ok(RadixCiphertext::from(ring.value(at)?.into_blocks()))
    }

    /// Measures an operation of tfhe-rs, which works on threads of its own.
    fn parallel<T>(
        bench: &mut Bench<'_>,
        operation: Operation,
        call: impl Fn() -> T,
    ) -> Result<()> {
        bench.record(PEER, operation, |timer| {
            Ok((timer.repeat(Clock::Wall, || Ok(call()))?, 0))
        })
    }
}
