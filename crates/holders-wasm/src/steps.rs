//! Ceremony, contribution and opening, on byte strings.

use std::collections::BTreeSet;
use std::error::Error;
use std::iter::successors;
use std::path::Path;

use isopod_holders::{announce, check_held, go_on, spoken, Answer, HoldersError, Step};
use isopod_keys::{key_name, random, zero_key_blob, HolderDraft, HolderKeys, KeysError};
use isopod_wire::codes::kind;
use isopod_wire::{
    by_name, kind_of_owners, AnySet, EncryptedResult, Envelope, Invitation, Label, OwnerKeyFile,
    Sharing, Unsealed, WireError,
};
use serde::Deserialize;
use serde_json::{json, Value};
use zeroize::Zeroizing;

/// Byte strings, wiped when dropped.
pub type Chunks = Vec<Zeroizing<Vec<u8>>>;

pub(crate) type Outcome<T> = Result<T, Refusal>;

/// A refusal.
#[derive(Debug)]
pub struct Refusal {
    /// Which holder's file or contribution does not fit, if it is one's.
    pub holder: Option<String>,
    /// The problem, and what is allowed.
    pub problem: String,
}

impl Refusal {
    /// The refusal as JSON.
    pub fn json(&self) -> Vec<u8> {
        let text = json!({"holder": self.holder, "problem": self.problem});
        text.to_string().into_bytes()
    }
}

impl From<String> for Refusal {
    fn from(problem: String) -> Self {
        let holder = None;
        Self { holder, problem }
    }
}

/// An error with all its causes, in a line.
fn told(error: &(dyn Error + 'static)) -> Refusal {
    let causes = successors(Some(error), |&error| error.source());
    let texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.join(": ").into()
}

macro_rules! told {
    ($($error:ty),*) => {
        $(impl From<$error> for Refusal {
            fn from(error: $error) -> Self {
                told(&error)
            }
        })*
    };
}

told!(KeysError, WireError, serde_json::Error);

impl From<HoldersError> for Refusal {
    fn from(error: HoldersError) -> Self {
        let holder = error.of_holder().map(str::to_owned);
        Self {
            holder,
            ..told(&error)
        }
    }
}

/// Choices of the first holder.
#[derive(Deserialize)]
pub(crate) struct Begin {
    holders: Vec<String>,
    threshold: u8,
    set: String,
    frames: u32,
    queries: u64,
    statistical_bits: u8,
}

pub(crate) fn begin(chosen: Begin) -> Outcome<Chunks> {
    let Some(params) = by_name(&chosen.set).filter(|set| set.label == Label::Bits128) else {
        let problem = format!(
            "set: {}; allowed are sets of label 128 of CKKS and BFV",
            chosen.set
        );
        return Err(problem.into());
    };
    announced(
        Invitation {
            params,
            ceremony: random()?,
            holders: chosen.holders,
            threshold: chosen.threshold,
            frames: chosen.frames,
            statistical_bits: chosen.statistical_bits,
            queries: chosen.queries,
        },
        1,
    )
}

pub(crate) fn join(name: String, invitation: &[u8]) -> Outcome<Chunks> {
    let invitation = Invitation::read(invitation)?;
    let Some(number) = invitation.number(&name) else {
        let all = invitation.holders.join(", ");
        return Err(format!("name: {name} is not invited; allowed are {all}").into());
    };
    announced(invitation, number)
}

/// Facts, the holder's file, the invitation and the announcement.
fn announced(invitation: Invitation, holder: u8) -> Outcome<Chunks> {
    let draft = HolderDraft::random(invitation, holder)?;
    let (circuit, announcement) = announce(&draft)?;
    let mut facts = agreed(&draft.invitation, holder);
    facts["added_error"] = json!(circuit.least_error());
    let invitation = draft.invitation.write();
    Ok(vec![
        told_as(&facts),
        draft.file(),
        invitation.into(),
        announcement.into(),
    ])
}

fn agreed(invitation: &Invitation, holder: u8) -> Value {
    json!({
        "holder": invitation.name(holder),
        "holders": invitation.holders,
        "threshold": invitation.threshold,
        "set": invitation.params.name,
        "frames": invitation.frames,
        "queries": invitation.queries,
        "statistical_bits": invitation.statistical_bits,
    })
}

pub(crate) fn told_as(facts: &Value) -> Zeroizing<Vec<u8>> {
    facts.to_string().into_bytes().into()
}

/// A holder's file, during the ceremony and after it.
pub(crate) enum Holder {
    Draft(HolderDraft),
    Keys(HolderKeys),
}

pub(crate) fn holder(file: &[u8]) -> Outcome<Holder> {
    let path = Path::new("holder.key");
    Ok(match kind_of_owners(file)? {
        kind::HOLDER_DRAFT => Holder::Draft(HolderDraft::parse(path, file)?),
        _ => Holder::Keys(HolderKeys::parse(path, file)?),
    })
}

pub(crate) fn finished(file: &[u8]) -> Outcome<HolderKeys> {
    match holder(file)? {
        Holder::Keys(keys) => {
            check_held(&keys)?;
            Ok(keys)
        }
        Holder::Draft(_) => Err(
            "holder: the ceremony has not ended; allowed is a holder whose key is made"
                .to_owned()
                .into(),
        ),
    }
}

pub(crate) fn facts(file: &[u8]) -> Outcome<Chunks> {
    let facts = match holder(file)? {
        Holder::Draft(draft) => agreed(&draft.invitation, draft.holder),
        Holder::Keys(keys) => made(&keys),
    };
    Ok(vec![told_as(&facts)])
}

pub(crate) fn made(keys: &HolderKeys) -> Value {
    let current = keys.current().into_iter();
    let current = current.map(|number| keys.invitation.name(number));
    let mut facts = agreed(&keys.invitation, keys.holder);
    facts["key"] = json!(key_name(&keys.key_id));
    facts["fingerprint"] = json!(spoken(&keys.fingerprint));
    facts["used"] = json!(keys.used());
    facts["generation"] = json!(keys.generation);
    facts["current"] = json!(current.collect::<Vec<_>>());
    facts["ended"] = json!(keys.is_ended());
    facts
}

/// Facts with what is missing; the holder's opening; at the end the new file of the holder and the blob of the public key.
pub(crate) fn continue_with(
    places: Vec<String>,
    file: &[u8],
    received: &[&[u8]],
) -> Outcome<Chunks> {
    let Holder::Draft(draft) = holder(file)? else {
        return Err(
            "holder: the key is made already; allowed is a ceremony that has not ended"
                .to_owned()
                .into(),
        );
    };
    let received = places
        .into_iter()
        .zip(received.iter().map(|bytes| bytes.to_vec()));
    let received: Vec<(String, Vec<u8>)> = received.collect();
    let step = go_on(&draft, &received)?;
    let mut facts = agreed(&draft.invitation, draft.holder);
    Ok(match step {
        Step::Announcements(missing) => {
            facts["waiting_for"] = json!("announcements");
            facts["missing"] = json!(missing);
            vec![told_as(&facts)]
        }
        Step::Openings(opening, missing) => {
            facts["waiting_for"] = json!("openings");
            facts["missing"] = json!(missing);
            vec![told_as(&facts), opening.into()]
        }
        Step::Finished(opening, ended, blob) => {
            let keys = HolderKeys::new(draft, *ended);
            vec![
                told_as(&made(&keys)),
                opening.into(),
                keys.file(),
                blob.into(),
            ]
        }
    })
}

/// The file of an owner who holds a key of zeros: it makes the folders of server and devices, and reads results that were opened.
pub(crate) fn keys(file: &[u8]) -> Outcome<Chunks> {
    let keys = finished(file)?;
    let params = keys.invitation.params;
    let file = OwnerKeyFile {
        params: AnySet::Rns(params),
        key_id: keys.key_id,
        blob: &zero_key_blob(params, &keys.key_id),
        link: keys.link.expose(),
        device_master: keys.device_master.expose(),
        sharing: Sharing::default(),
    };
    let invitation = keys.invitation.write();
    Ok(vec![
        told_as(&made(&keys)),
        file.write().into(),
        invitation.into(),
    ])
}

/// Authentic results of a file.
fn read(keys: &HolderKeys, mut bytes: &[u8]) -> Outcome<Vec<EncryptedResult>> {
    let mut results = Vec::new();
    while !bytes.is_empty() {
        let (envelope, rest) = Envelope::read(bytes)?;
        results.push(envelope.authenticate(keys)?.result()?);
        bytes = rest;
    }
    Ok(results)
}

fn answer(file: &[u8], bytes: &[u8]) -> Outcome<(Answer, Vec<EncryptedResult>)> {
    let keys = finished(file)?;
    let results = read(&keys, bytes)?;
    Ok((Answer::new(keys, &results, bytes)?, results))
}

/// Everything that a holder agrees to.
pub(crate) fn review(file: &[u8], bytes: &[u8]) -> Outcome<Chunks> {
    let (answer, results) = answer(file, bytes)?;
    let provenances = || results.iter().map(|result| &result.provenance);
    let manifests = provenances().filter_map(|provenance| provenance.manifest.as_ref());
    let devices: BTreeSet<u64> = manifests
        .flat_map(|manifest| manifest.ranges().iter().map(|range| range.device))
        .collect();
    let errors = answer.plans().iter().map(|plan| plan.error);
    let mut facts = made(answer.keys());
    facts["job"] = json!(provenances().next().map(|one| &one.job));
    facts["results"] = json!(results.len());
    facts["entered"] = json!(provenances().map(|one| one.frames).max());
    facts["devices"] = json!(devices);
    facts["error"] = json!(errors.fold(0.0, f64::max));
    Ok(vec![told_as(&facts)])
}

/// Agreement of a holder: the names of all who answer, and the contributions that are known to be made.
#[derive(Deserialize)]
pub(crate) struct Agreed {
    with: Vec<String>,
    least: u64,
}

/// Facts, the holder's file with the new count, and the contribution, which nobody gets before that file is kept.
pub(crate) fn contribute(agreed: Agreed, file: &[u8], bytes: &[u8]) -> Outcome<Chunks> {
    let (mut answer, results) = answer(file, bytes)?;
    let answering = answer.answering(&agreed.with)?;
    let path = Path::new("holder.key");
    let charge = |keys: &mut HolderKeys, count| keys.charge(path, agreed.least, count);
    let contribution = answer.contribute(&results, &answering, charge)?;
    let keys = answer.keys();
    Ok(vec![told_as(&made(keys)), keys.file(), contribution.into()])
}

/// Facts, and the results that a key of zeros reads, sealed as the server sealed them.
pub(crate) fn combine(file: &[u8], bytes: &[u8], contributions: &[&[u8]]) -> Outcome<Chunks> {
    let (answer, results) = answer(file, bytes)?;
    let keys = answer.keys();
    let sealed: Vec<Vec<u8>> = contributions.iter().map(|bytes| bytes.to_vec()).collect();
    let opened = answer.combine(&results, &sealed, &[])?;
    let sealed = opened.into_iter().map(|result| -> Outcome<Vec<u8>> {
        let result = EncryptedResult {
            nonce: random()?,
            ..result
        };
        let unsealed: Unsealed = result.encode()?;
        Ok(keys.link.seal(unsealed))
    });
    let items = sealed.collect::<Outcome<Vec<Vec<u8>>>>()?.concat();
    Ok(vec![told_as(&made(keys)), items.into()])
}
