//! Check shared by fuzz targets and smoke test: every accepted item writes back to the bytes that were read.
#![allow(clippy::unwrap_used, dead_code)]

use isopod_wire::{
    codes, Announcement, AnySet, Authentic, Authenticator, BoardContribution, Change, Context,
    Contribution, DeviceKeyFile, Digested as _, Envelope, EvaluationKeysWriter, HolderDraftFile,
    HolderKeyFile, Invitation, ItemKind, KeyBlob, Opening, OwnerKeyFile, Receipt, Relation, Result,
    ServerKeyFile, Submission, Tag, TfheBlob, Unsealed, TFHE_SETS,
};

/// Authenticator that accepts every tag, since a fuzzer makes none.
struct Unchecked;

impl Authenticator for Unchecked {
    fn verify(&self, _: Relation, _: &[u8; 24], _: &[u8], _: &Tag) -> bool {
        true
    }
}

/// Reads an item whatever its tag; if it is accepted, writes it again and returns true.
pub fn item(bytes: &[u8]) -> bool {
    let Ok((envelope, rest)) = Envelope::read(bytes) else {
        return false;
    };
    let item = &bytes[..bytes.len() - rest.len()];
    if let Some(packet) = envelope.packet() {
        assert_eq!(packet.encode(), item);
        return true;
    }
    let authentic = envelope.authenticate(&Unchecked).unwrap();
    let written = match authentic.kind() {
        ItemKind::Part => part(&authentic),
        ItemKind::Result => authentic.result().map(|result| result.encode().unwrap()),
        ItemKind::Partial => authentic.partial().map(|state| state.encode().unwrap()),
        ItemKind::EvaluationKeys => authentic.evaluation_keys().map(|keys| {
            let mut writer = EvaluationKeysWriter::new(keys.header().clone()).unwrap();
            for at in keys.header().polynomials() {
                writer.push(&keys.polynomial(at).unwrap()).unwrap();
            }
            writer.finish().unwrap()
        }),
        ItemKind::TfheFrame => return tfhe_frame(item),
        ItemKind::TfheResult => authentic
            .tfhe_result()
            .map(|result| result.encode().unwrap()),
        ItemKind::PadResult => authentic
            .pad_result()
            .map(|result| result.encode().unwrap()),
        ItemKind::PadPartial => authentic.pad_partial().map(|state| state.encode().unwrap()),
        ItemKind::TfheServerKeys => authentic
            .tfhe_server_keys()
            .map(|keys| keys.encode().unwrap()),
        // Returned above.
        ItemKind::Packet => return false,
    };
    let Ok(unsealed) = written else { return false };
    let tag = item[item.len() - 16..].try_into().unwrap();
    assert_eq!(unsealed.with_tag(tag), item);
    true
}

/// Reads a file of several owners, contributions under a ring degree of 64; if it is accepted, writes it again and returns true.
pub fn owners(bytes: &[u8]) -> bool {
    let written = match isopod_wire::kind_of_owners(bytes) {
        Ok(codes::kind::OWNERS_INVITATION) => Invitation::read(bytes).map(|file| file.write()),
        Ok(codes::kind::OWNERS_ANNOUNCEMENT) => Announcement::read(bytes).map(|file| file.write()),
        Ok(codes::kind::OWNERS_OPENING) => {
            Opening::read(bytes).map(|(file, shares)| file.write(&shares))
        }
        Ok(codes::kind::HOLDER_DRAFT) => HolderDraftFile::read(bytes).map(|file| file.write()),
        Ok(codes::kind::OWNERS_CHANGE) => {
            Change::read(bytes).map(|(file, shares)| file.write(&shares))
        }
        Ok(codes::kind::HOLDER_KEY) => HolderKeyFile::read(bytes).map(|file| file.write()),
        Ok(codes::kind::CONTRIBUTION) => Contribution::read(bytes, 64)
            .map(|items| items.iter().flat_map(Contribution::write).collect()),
        Ok(codes::kind::BOARD_CONTRIBUTION) => BoardContribution::read(bytes, 64)
            .map(|file| [file.message, &[0x50], file.tag].concat()),
        _ => return false,
    };
    let Ok(written) = written else { return false };
    assert_eq!(written, bytes);
    true
}

/// Reads an element of a body; if it is accepted, writes it again and returns true. A context also opens a packet of zeros.
pub fn submission(bytes: &[u8]) -> bool {
    let Ok((element, rest)) = Submission::read(bytes) else {
        return false;
    };
    assert!(Submission::least_bytes(bytes) <= bytes.len() - rest.len());
    match element {
        Submission::Item(bytes) => item(bytes),
        Submission::Packet { sender, packet } => {
            let written = Submission::of_packet(sender, packet);
            assert_eq!(written, bytes[..bytes.len() - rest.len()]);
            true
        }
        Submission::Context { item, .. } => {
            let rns = isopod_wire::sets().map(AnySet::Rns);
            let tfhe = TFHE_SETS.iter().map(AnySet::Tfhe);
            let sets = rns.chain(tfhe).chain([AnySet::Pads]);
            let read = |set| Context::open(item, set, |_, _, _| true).ok();
            let mut contexts = sets.filter_map(read);
            contexts.next().is_some_and(|context| {
                let tag = item[item.len() - 16..].try_into().unwrap();
                assert_eq!(context.seal(|_| tag), item);
                let packet = vec![0; context.packet_bytes().unwrap()];
                if let Ok(split) = context.split(&packet) {
                    let name = context.announced();
                    context.frame(name, &[0; 32], split.body).unwrap();
                }
                true
            })
        }
    }
}

/// Reads a receipt whatever its tag; if it is accepted, writes it again and returns true.
pub fn receipt(bytes: &[u8]) -> bool {
    let Ok(receipt) = Receipt::open(bytes, |_, _, _| true) else {
        return false;
    };
    let tag = bytes[bytes.len() - 16..].try_into().unwrap();
    assert_eq!(receipt.seal(|_| tag), bytes);
    true
}

/// Reads the rest of an item of this kind and number of fields behind its head, for fuzzers to start there.
pub fn behind_head((kind, fields): (u64, u64), rest: &[u8]) -> bool {
    // Numbers below 256.
    let head = |major: u8, value: u64| match value {
        0..24 => vec![major << 5 | value as u8],
        _ => vec![major << 5 | 24, value as u8],
    };
    let heads = [head(4, fields), head(0, codes::VERSION), head(0, kind)].concat();
    item(&[&heads, rest].concat())
}

/// A part of residues or of rounded coefficients, written again.
fn part(authentic: &Authentic<Envelope<'_>>) -> Result<Unsealed> {
    let part = authentic.packed_part()?;
    Ok(match part.header.rounding {
        None => part.unpack()?.encode().unwrap(),
        Some(_) => part.rounded()?.encode().unwrap(),
    })
}

/// Whether a TFHE frame is accepted under any set; it is written again under each that accepts it.
fn tfhe_frame(item: &[u8]) -> bool {
    let tag = item[item.len() - 16..].try_into().unwrap();
    let accepted = TFHE_SETS.iter().filter(|&set| {
        let envelope = Envelope::read_only(item).unwrap();
        let frame = envelope.authenticate(&Unchecked).unwrap().tfhe_frame(set);
        let Ok(frame) = frame else { return false };
        assert_eq!(frame.encode().unwrap().with_tag(tag), item);
        true
    });
    accepted.count() > 0
}

/// Reads and writes a key blob of any scheme, otherwise like [`item`].
pub fn blob(bytes: &[u8]) -> bool {
    if let Ok(blob) = TfheBlob::read(bytes) {
        let head = TfheBlob::head(blob.kind, blob.params, &blob.key_id);
        assert_eq!([&head[..], blob.digest, blob.payload].concat(), bytes);
        return true;
    }
    let Ok(blob) = KeyBlob::read(bytes) else {
        return false;
    };
    let head = KeyBlob::head(blob.kind, blob.params, &blob.key_id);
    assert_eq!([&head[..], blob.digest, blob.payload].concat(), bytes);
    true
}

/// Reads and writes the key file of an owner, a server or a device, otherwise like [`item`].
pub fn key_file(bytes: &[u8]) -> bool {
    let owner = OwnerKeyFile::read(bytes).map(|file| file.write());
    let server = ServerKeyFile::read(bytes).map(|file| file.write());
    let device = DeviceKeyFile::read(bytes).map(|file| file.write());
    let written = owner.or(server).or(device);
    let Ok(written) = written else { return false };
    assert_eq!(written, bytes);
    true
}
