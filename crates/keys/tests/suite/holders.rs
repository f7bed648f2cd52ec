//! Keys that two holders of one key share.

use bech32::{Bech32, Hrp};
use isopod_keys::{EndedCeremony, HolderDraft, HolderIdentity, HolderKeys, KeysError};
use isopod_wire::{by_name, Invitation};
use serde_json::Value;
use zeroize::Zeroizing;

/// Keys of holder 3 of three, whose identity has this secret, and of holder 2 with this point.
fn keys(secret: &[u8], point: &[u8], fingerprint: [u8; 32]) -> HolderKeys {
    let invitation = Invitation {
        params: by_name("bfv-4096x3-owners").expect("a set"),
        ceremony: [1; 32],
        holders: ["a", "b", "c"].map(str::to_owned).to_vec(),
        threshold: 2,
        frames: 1,
        statistical_bits: 40,
        queries: 1,
    };
    let text = |prefix, bytes: &[u8]| {
        let prefix = Hrp::parse(prefix).expect("a prefix");
        bech32::encode::<Bech32>(prefix, bytes).expect("a text")
    };
    let identity = text("age-secret-key-", secret).to_uppercase();
    let mut draft = HolderDraft::random(invitation, 3).expect("a draft");
    draft.identity = HolderIdentity::parse(&identity).expect("an identity");
    let own = draft.identity.recipient();
    let ended = EndedCeremony {
        fingerprint,
        key_id: [7; 16],
        recipients: vec![String::new(), text("age", point), own],
        share: Zeroizing::new(vec![0]),
        link_and_master: Zeroizing::new([0; 64]),
    };
    HolderKeys::new(draft, ended)
}

fn bytes(record: &Value) -> [u8; 32] {
    let bytes = hex::decode(record.as_str().expect("a text")).expect("hexadecimal");
    bytes[..].try_into().expect("32 bytes")
}

#[test]
fn keys_of_two_holders_are_those_of_the_model() {
    let vectors = include_str!("../../../../spec/vectors/owners.json");
    let vectors: Value = serde_json::from_str(vectors).expect("JSON");
    let record = &vectors["owner_pairs"][0];
    let fingerprint = bytes(&record["fingerprint"]);
    let keys = keys(
        &bytes(&record["secret"]),
        &bytes(&record["points"][0]),
        fingerprint,
    );
    assert_eq!(hex::encode(keys.pair_key(2).expect("a key")), record["key"]);
}

#[test]
fn both_holders_have_the_same_key_and_others_have_another() {
    let [one, other, third] = [(); 3].map(|()| HolderIdentity::random());
    let point = |identity: &HolderIdentity| {
        let (_, bytes) = bech32::decode(&identity.recipient()).expect("a recipient");
        bytes
    };
    let secret = |identity: &HolderIdentity| {
        let (_, bytes) = bech32::decode(&identity.text()).expect("an identity");
        bytes
    };
    let mut higher = keys(&secret(&one), &point(&other), [5; 32]);
    let found = higher.pair_key(2).expect("a key");
    let mut lower = keys(&secret(&other), &point(&one), [5; 32]);
    (lower.holder, lower.recipients) = (2, higher.recipients.clone());
    assert_eq!(lower.pair_key(3).expect("a key"), found);
    // Another ceremony, and another holder with the number.
    let of_other_ceremony = keys(&secret(&one), &point(&other), [6; 32]);
    assert_ne!(of_other_ceremony.pair_key(2).expect("a key"), found);
    higher.recipients[1] = third.recipient();
    assert_ne!(higher.pair_key(2).expect("a key"), found);
}

/// With a point of small order everybody shares zero, so that a mask from it would hide nothing.
#[test]
fn points_of_small_order_and_absent_holders_have_no_key() {
    let mut one = [0; 32];
    one[0] = 1;
    for point in [[0; 32], one] {
        let keys = keys(&[9; 32], &point, [5; 32]);
        assert!(matches!(keys.pair_key(2), Err(KeysError::Recipient)));
    }
    let keys = keys(&[9; 32], &[9; 32], [5; 32]);
    assert!(keys.pair_key(2).is_ok());
    for number in [0, 1, 4] {
        assert!(matches!(keys.pair_key(number), Err(KeysError::Recipient)));
    }
}
