//! Generation of keys on the owner's machine, by a program of its own: the backend of a server never sees a secret key.

use crate::message::{self, Fields, Kind};
use crate::process::{self, Process};
use crate::{KeySet, Result, Size};
use std::path::Path;
use std::time::Duration;
use zeroize::Zeroizing;

/// Bytes of the seed that the secrets of the large ring follow from.
pub const SEED_BYTES: usize = 32;

/// Makes the keys of a size in a folder, from the ternary secret key of the frames and a seed. Keys that are there already stay,
/// so that an interrupted generation goes on.
///
/// # Errors
/// [`Error::Start`]; [`Error::Keys`] for a folder with keys of another owner or size; those of a program that fails.
pub fn generate(
    program: &Path,
    size: &Size,
    folder: &Path,
    secret: (&[i8], &[u8; SEED_BYTES]),
    progress: &mut dyn FnMut(u32, u32),
) -> Result<KeySet> {
    /// Longest time for one key.
    const PATIENCE: Duration = Duration::from_secs(600);
    let out = format!("--out={}", folder.display());
    let mut process = Process::start(program, &[out], PATIENCE)?;
    process.stage = "generation of keys";
    process.send(message::hello(size.name));
    let (coefficients, seed) = secret;
    // A vector that grows would leave a copy behind.
    let mut body = Zeroizing::new(Vec::with_capacity(SEED_BYTES + coefficients.len()));
    body.extend(seed);
    body.extend(coefficients.iter().map(|&coefficient| coefficient as u8));
    process.send(message::encode(Kind::Secret, &body));
    loop {
        let message = process.receive()?;
        match message.kind {
            Kind::Progress => {
                let (_, done, total) = process::progress(&message.body)?;
                progress(done, total);
            }
            Kind::Keys => return key_set(&message.body),
            other => return Err(process::unexpected(other, Kind::Keys)),
        }
    }
}

fn key_set(body: &[u8]) -> Result<KeySet> {
    let mut fields = Fields(body);
    let keys = KeySet {
        label: fields.text()?,
        parameters: fields.fixed()?,
        set: fields.fixed()?,
    };
    fields.end()?;
    Ok(keys)
}
