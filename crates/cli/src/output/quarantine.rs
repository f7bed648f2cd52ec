//! The quarantine: items that did not enter, as they were, and beside them why.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{ensure, Result};
use isopod_workflow::{Error, Rejected};
use serde::Serialize;

use crate::output::failure::{chain, SetAside};
use crate::output::new_file::{is_standard_output, NewFile};

/// Two files, begun with the first item: the items, which `--in` takes again, and a line of JSON about each.
pub struct Quarantine {
    place: PathBuf,
    files: Mutex<Option<Files>>,
}

struct Files {
    items: NewFile,
    reasons: NewFile,
    offset: u64,
    count: u64,
    first: String,
}

/// One line beside the items.
#[derive(Serialize)]
struct Reason<'a> {
    /// Offset in the file of items.
    offset: u64,
    bytes: usize,
    source: &'a str,
    /// Offset in the source.
    position: u64,
    reason: String,
}

impl Quarantine {
    /// A quarantine beside the output unless a place is given; where a file is already, a number is added to the name.
    pub fn beside(out: &Path, place: Option<&Path>) -> Result<Self> {
        let place = match place {
            Some(place) => {
                ensure!(
                    !place.exists(),
                    "--quarantine: {} exists already; allowed is a new name, as nothing that was set aside is replaced",
                    place.display()
                );
                place.to_owned()
            }
            None if is_standard_output(out) => free(Path::new("isopod.quarantine")),
            None => free(&with_suffix(out, ".quarantine")),
        };
        let files = Mutex::new(None);
        Ok(Self { place, files })
    }

    /// Keeps an item and the reason.
    pub fn keep(&self, rejected: &Rejected<'_>) -> isopod_workflow::Result<()> {
        let kept = self.write(rejected);
        kept.map_err(|error| Error::Quarantine(format!("{error:#}")))
    }

    fn write(&self, rejected: &Rejected<'_>) -> Result<()> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let files = match files.as_mut() {
            Some(files) => files,
            None => files.insert(Files {
                items: NewFile::new(&self.place, None)?,
                reasons: NewFile::new(&self.reasons(), true)?,
                offset: 0,
                count: 0,
                first: format!(
                    "{} at byte {}: {}",
                    rejected.source,
                    rejected.position,
                    chain(rejected.reason)
                ),
            }),
        };
        let line = serde_json::to_string(&Reason {
            offset: files.offset,
            bytes: rejected.bytes.len(),
            source: rejected.source,
            position: rejected.position,
            reason: chain(rejected.reason),
        })?;
        files.items.write(rejected.bytes)?;
        files.reasons.write(line.as_bytes())?;
        files.reasons.write(b"\n")?;
        files.offset += rejected.bytes.len() as u64;
        files.count += 1;
        Ok(())
    }

    fn reasons(&self) -> PathBuf {
        with_suffix(&self.place, ".reasons.jsonl")
    }

    /// Gives the files their names, if there are any, and says what they hold.
    pub fn publish(self) -> Result<Option<SetAside>> {
        let files = self.files.into_inner();
        let Some(files) = files.unwrap_or_else(PoisonError::into_inner) else {
            return Ok(None);
        };
        files.reasons.publish()?;
        files.items.publish()?;
        Ok(Some(SetAside {
            count: files.count,
            file: self.place.display().to_string(),
            first: files.first,
        }))
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The path, or one with a number behind it that no file has.
fn free(path: &Path) -> PathBuf {
    let numbered = (2..).map(|number| with_suffix(path, &format!("-{number}")));
    let mut all = std::iter::once(path.to_owned()).chain(numbered);
    all.find(|path| !path.exists())
        .unwrap_or_else(|| path.to_owned())
}
