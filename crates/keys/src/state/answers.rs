//! The answers that an owner has read, in the owner's folder: an answer that comes back later is not news.

use std::path::Path;

use isopod_disk::SystemDisk;
use isopod_wire::codes::size;
use isopod_wire::KeyId;

use crate::error::Result;
use crate::files::lock;
use crate::record::{self, problem, Magic, Numbers};

/// The file in the owner's folder.
pub const ANSWERS_FILE: &str = "answers";
const MAGIC: &Magic = b"ISOPODQ2";
/// Answers that are remembered, those of the highest numbers; what is below them is late.
const MOST: usize = 4096;

type Run = [u8; size::RUN];

/// The news of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Novelty {
    /// Its number is above all others.
    New,
    /// It was read before.
    Again,
    /// An answer of a higher number was read before.
    Late {
        /// The highest number.
        newest: u64,
    },
    /// Another answer has its number, so two copies of one server's folder answer.
    Twofold,
}

/// Remembers an answer of this server's number and run, durably and under a lock, and says whether it is news.
///
/// Errors: [`KeysError::Record`](crate::KeysError::Record) for a file that is damaged or another key pair's;
/// [`KeysError::File`](crate::KeysError::File).
pub fn remember(folder: &Path, key_id: KeyId, sequence: u64, run: Run) -> Result<Novelty> {
    let _lock = lock(&SystemDisk, folder)?;
    let path = folder.join(ANSWERS_FILE);
    let mut known = match record::read(&SystemDisk, &path, MAGIC)? {
        Some(content) => parse(&content, key_id)
            .ok_or_else(|| problem(&path, "not the answers to this key pair"))?,
        None => Vec::new(),
    };
    let novelty = novelty(&known, sequence, run);
    if novelty != Novelty::Again {
        known.push((sequence, run));
        known.sort_unstable();
        known.drain(..known.len().saturating_sub(MOST));
        record::write(&SystemDisk, &path, MAGIC, &bytes(key_id, &known))?;
    }
    Ok(novelty)
}

fn novelty(known: &[(u64, Run)], sequence: u64, run: Run) -> Novelty {
    if known.contains(&(sequence, run)) {
        return Novelty::Again;
    }
    match known.last() {
        _ if known.iter().any(|(other, _)| *other == sequence) => Novelty::Twofold,
        Some((newest, _)) if *newest > sequence => Novelty::Late { newest: *newest },
        _ => Novelty::New,
    }
}

fn bytes(key_id: KeyId, known: &[(u64, Run)]) -> Vec<u8> {
    let mut bytes = key_id.to_vec();
    for (sequence, run) in known {
        bytes.extend(sequence.to_le_bytes());
        bytes.extend(run);
    }
    bytes
}

/// Answers in ascending order; None for other bytes.
fn parse(bytes: &[u8], key_id: KeyId) -> Option<Vec<(u64, Run)>> {
    let mut numbers = Numbers(bytes);
    if numbers.bytes() != Some(key_id) {
        return None;
    }
    let mut known = Vec::new();
    while !numbers.0.is_empty() {
        known.push((numbers.u64()?, numbers.bytes()?));
    }
    known.is_sorted().then_some(known)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn an_old_answer_was_read_as_a_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let read = |sequence, run| remember(folder.path(), [1; 16], sequence, [run; 16]).unwrap();
        assert_eq!(read(5, 1), Novelty::New);
        assert_eq!(read(5, 1), Novelty::Again);
        assert_eq!(read(5, 2), Novelty::Twofold);
        assert_eq!(read(7, 3), Novelty::New);
        assert_eq!(read(6, 4), Novelty::Late { newest: 7 });
        assert_eq!(read(6, 4), Novelty::Again);
    }

    #[test]
    fn answers_to_another_key_pair_or_damaged_are_refused_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        remember(folder.path(), [1; 16], 5, [1; 16]).unwrap();
        let path = folder.path().join(ANSWERS_FILE);
        let held = std::fs::read(&path).unwrap();
        let refused = remember(folder.path(), [2; 16], 6, [1; 16]).unwrap_err();
        assert!(refused.to_string().contains("answers: "), "{refused}");
        assert_eq!(std::fs::read(&path).unwrap(), held);
        std::fs::write(&path, &held[1..]).unwrap();
        assert!(remember(folder.path(), [1; 16], 6, [1; 16]).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), held[1..]);
    }

    #[test]
    fn the_oldest_are_forgotten_and_late() {
        let run = |number: usize| [number as u8; 16];
        let known: Vec<_> = (1..=MOST)
            .map(|number| (number as u64, run(number)))
            .collect();
        let content = bytes([1; 16], &known);
        assert_eq!(parse(&content, [1; 16]), Some(known.clone()));
        let newest = MOST as u64;
        assert_eq!(novelty(&known, 0, run(9)), Novelty::Late { newest });
        assert_eq!(parse(&content[..content.len() - 1], [1; 16]), None);
    }
}
