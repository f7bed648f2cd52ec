//! Changes of holders by name, on byte strings: what is kept and what is sent comes back in one list.

use isopod_holders::{
    end_share, note_ended, refresh_shares, replace_holder, spoken, take_over, RefreshStep,
    Replacement, ReplacementStep,
};
use isopod_keys::{HolderKeys, HolderPlace, KeysError};
use serde::Deserialize;
use serde_json::{json, Value};

use crate::steps::{finished, holder, made, told_as, Chunks, Holder, Outcome};

/// Files of the others by their places, names of own files that were kept before, and whether this holder agrees.
#[derive(Deserialize)]
pub(crate) struct Change {
    places: Vec<String>,
    #[serde(default)]
    sent: Vec<String>,
    #[serde(default)]
    agree: bool,
    /// Names of the helpers of a replacement.
    #[serde(default)]
    with: Vec<String>,
}

/// Files for the others. The caller keeps them with the holder's file, all or none.
struct Sent {
    before: Vec<String>,
    files: Vec<(String, Vec<u8>)>,
}

impl HolderPlace for Sent {
    fn keep(&mut self, _: &HolderKeys) -> Result<(), KeysError> {
        Ok(())
    }

    fn has(&self, name: &str) -> bool {
        self.before.iter().any(|one| one == name)
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), KeysError> {
        self.files.push((name.to_owned(), bytes.to_vec()));
        Ok(())
    }
}

impl Change {
    fn split(self, received: &[&[u8]]) -> (Sent, Vec<(String, Vec<u8>)>) {
        let bytes = received.iter().map(|bytes| bytes.to_vec());
        let received = self.places.into_iter().zip(bytes).collect();
        let (before, files) = (self.sent, Vec::new());
        (Sent { before, files }, received)
    }
}

/// Facts, the holder's file, and the files for the others, whose names are among the facts.
fn kept(keys: &HolderKeys, sent: Sent, step: Value) -> Chunks {
    let mut facts = made(keys);
    let names: Vec<&String> = sent.files.iter().map(|(name, _)| name).collect();
    facts["files"] = json!(names);
    facts["step"] = step;
    let files = sent.files.into_iter().map(|(_, bytes)| bytes.into());
    [told_as(&facts), keys.file()]
        .into_iter()
        .chain(files)
        .collect()
}

pub(crate) fn refresh(change: Change, file: &[u8], received: &[&[u8]]) -> Outcome<Chunks> {
    let mut keys = finished(file)?;
    let is_agreed = change.agree;
    let (mut sent, received) = change.split(received);
    let step = match refresh_shares(&mut sent, &mut keys, &received, is_agreed)? {
        RefreshStep::Dealt(_, missing) => json!({"name": "dealt", "missing": missing}),
        RefreshStep::Confirmed(_, missing, digest) => {
            json!({"name": "confirmed", "missing": missing, "fingerprint": spoken(&digest)})
        }
        RefreshStep::Refreshed(_) => json!({"name": "refreshed", "missing": []}),
    };
    Ok(kept(&keys, sent, step))
}

pub(crate) fn replace(
    change: Change,
    file: &[u8],
    newcomer: &[u8],
    received: &[&[u8]],
) -> Outcome<Chunks> {
    let mut keys = finished(file)?;
    let helpers = change.with.clone();
    let replacement = Replacement {
        announcement: newcomer,
        helpers: &helpers,
        is_agreed: change.agree,
    };
    let (mut sent, received) = change.split(received);
    let step = match replace_holder(&mut sent, &mut keys, &replacement, &received)? {
        ReplacementStep::Asked(name, digest) => {
            json!({"name": "asked", "missing": [], "newcomer": name, "fingerprint": spoken(&digest)})
        }
        ReplacementStep::Noted(name) => json!({"name": "noted", "missing": [], "newcomer": name}),
        ReplacementStep::Masked(_, missing) => json!({"name": "masked", "missing": missing}),
        ReplacementStep::Given(_) => json!({"name": "given", "missing": []}),
    };
    Ok(kept(&keys, sent, step))
}

pub(crate) fn take(change: Change, file: &[u8], received: &[&[u8]]) -> Outcome<Chunks> {
    let Holder::Draft(draft) = holder(file)? else {
        let problem = "holder: has a share; allowed is one who joined in place of a lost holder";
        return Err(problem.to_owned().into());
    };
    let (sent, received) = change.split(received);
    let keys = take_over(draft, &received)?;
    Ok(kept(
        &keys,
        sent,
        json!({"name": "taken over", "missing": []}),
    ))
}

pub(crate) fn end(file: &[u8]) -> Outcome<Chunks> {
    let mut keys = finished(file)?;
    let mut sent = Sent {
        before: Vec::new(),
        files: Vec::new(),
    };
    end_share(&mut sent, &mut keys)?;
    Ok(kept(&keys, sent, json!({"name": "ended", "missing": []})))
}

pub(crate) fn note(change: Change, file: &[u8], received: &[&[u8]]) -> Outcome<Chunks> {
    let mut keys = finished(file)?;
    let (mut sent, received) = change.split(received);
    note_ended(&mut sent, &mut keys, &received)?;
    Ok(kept(&keys, sent, json!({"name": "noted", "missing": []})))
}
