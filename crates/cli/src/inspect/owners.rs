//! Facts about files of several owners; secrets are none of them.

use isopod_wire::codes::kind;
use isopod_wire::{
    kind_of_owners, Announcement, Change, ChangeStep, HolderDraftFile, HolderKeyFile, Invitation,
    Opening,
};
use serde_json::{json, Value};

use crate::output::table::hex;

/// Nothing of a ceremony is authenticated before its holders compare the fingerprint.
const STATED: &str = "not authenticated; compare the fingerprint";

/// The facts of a file of a ceremony or of a holder; None of any other.
pub fn facts(bytes: &[u8]) -> Option<Value> {
    match kind_of_owners(bytes).ok()? {
        kind::OWNERS_INVITATION => {
            let file = Invitation::read(bytes).ok()?;
            Some(
                json!({"item": "invitation of several owners", "set": file.params.name,
                "label": file.params.label.name(), "holders": file.holders.join(", "),
                "threshold": file.threshold, "frames": file.frames, "queries": file.queries,
                "statistical_bits": file.statistical_bits, "authenticity": STATED}),
            )
        }
        kind::OWNERS_ANNOUNCEMENT => {
            let file = Announcement::read(bytes).ok()?;
            Some(
                json!({"item": "announcement of a holder", "holder": file.holder,
                "recipient": file.recipient, "invitation": hex(&file.invitation), "authenticity": STATED}),
            )
        }
        kind::OWNERS_OPENING => {
            let (file, shares) = Opening::read(bytes).ok()?;
            Some(json!({"item": "opening of a holder", "holder": file.holder,
                "shares": shares.len(), "announcements": hex(&file.announcements), "authenticity": STATED}))
        }
        kind::OWNERS_CHANGE => {
            let (file, shares) = Change::read(bytes).ok()?;
            let step = match file.step {
                ChangeStep::Dealt => "a sharing of zero, for a refresh",
                ChangeStep::Confirmed => "has the share of the next generation",
                ChangeStep::Masked => "masks for a replacement",
                ChangeStep::Given => "piece of a lost share",
                ChangeStep::Ended => "ended the share",
            };
            Some(
                json!({"item": "change of holders", "step": step, "holder": file.holder,
                "generation": file.generation, "shares": shares.len(), "authenticity": STATED}),
            )
        }
        kind::HOLDER_DRAFT => {
            let file = HolderDraftFile::read(bytes).ok()?;
            Some(
                json!({"item": "holder's key file, before the ceremony ends", "holder": file.holder,
                "holds": "seed of this holder's part", "authenticity": "not authenticated"}),
            )
        }
        kind::HOLDER_KEY => {
            let file = HolderKeyFile::read(bytes).ok()?;
            Some(
                json!({"item": "holder's key file", "key": hex(&file.key_id),
                "holder": file.holder, "fingerprint": hex(&file.fingerprint[..10]), "used": file.used,
                "generation": file.generation,
                "holds": "share of the secret key, link key, device master",
                "authenticity": "not authenticated"}),
            )
        }
        _ => None,
    }
}
