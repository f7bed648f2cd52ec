//! Provenance of a result of any scheme: which evaluation it is of, what was asked, and what entered it (`spec/wire.md`,
//! section 3).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{limit, size};
use crate::{Manifest, PackingId, Result, WireError};

/// Fields that results of every scheme have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// Name of the evaluation, public and fresh; the same in all of its items.
    pub run: [u8; size::RUN],
    /// Number of the server's evaluation.
    pub sequence: u64,
    /// Number of the item in its evaluation, from 0.
    pub index: u32,
    /// Items of the evaluation.
    pub total: u32,
    /// Challenge of the owner's request, if there was one.
    pub challenge: Option<[u8; size::CHALLENGE]>,
    /// SHA3-256 of the request.
    pub request: [u8; size::DIGEST],
    /// Name of the job, at most 64 bytes, no control characters.
    pub job: String,
    /// Frames that entered this item, at least 1.
    pub frames: u64,
    /// SHA3-256 of the manifest; the wire does not compute it.
    pub origin: [u8; size::DIGEST],
    /// The frames that entered this item; None if it was left out.
    pub manifest: Option<Manifest>,
    /// Packing of the frames, if they say.
    pub packing: Option<PackingId>,
}

impl Provenance {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let item = EvaluationItem::read(reader)?;
        let provenance = Self {
            run: item.run,
            sequence: item.sequence,
            index: item.index,
            total: item.total,
            challenge: reader.optional("challenge")?,
            request: *reader.fixed("request")?,
            job: reader.text(size::JOB, "job")?.to_owned(),
            frames: reader.uint(u64::MAX, "frames")?,
            origin: *reader.fixed("origin")?,
            manifest: read_manifest(reader)?,
            packing: reader.optional("packing")?,
        };
        provenance.check().map(|()| provenance)
    }

    pub(crate) fn write(&self, writer: &mut Writer) {
        let manifest = self.manifest.as_ref().map(Manifest::encode);
        writer
            .bytes(&self.run)
            .uint(self.sequence)
            .uint(self.index.into())
            .uint(self.total.into())
            .optional(self.challenge.as_ref())
            .bytes(&self.request)
            .text(&self.job)
            .uint(self.frames)
            .bytes(&self.origin)
            .bytes(&manifest.unwrap_or_default())
            .optional(self.packing.as_ref());
    }

    pub(crate) fn check(&self) -> Result<()> {
        check_job(&self.job)?;
        if self.index >= self.total {
            let allowed = format!("below the total, {}", self.total);
            return Err(WireError::out_of_range("index", self.index, allowed));
        }
        if self.frames == 0 {
            return Err(WireError::out_of_range("frames", 0, "at least 1"));
        }
        let Some(manifest) = &self.manifest else {
            return Ok(());
        };
        if manifest.count() != self.frames {
            let allowed = format!("{}, those of the manifest", manifest.count());
            return Err(WireError::out_of_range("frames", self.frames, allowed));
        }
        let bytes = manifest.encode().len();
        if bytes > limit::MANIFEST_BYTES {
            let allowed = format!("0 to {}", limit::MANIFEST_BYTES);
            return Err(WireError::length("manifest", bytes, allowed));
        }
        Ok(())
    }
}

pub(crate) fn check_job(job: &str) -> Result<()> {
    if job.len() > size::JOB {
        return Err(WireError::length(
            "job",
            job.len(),
            format!("0 to {}", size::JOB),
        ));
    }
    if job.chars().any(char::is_control) {
        return Err(WireError::out_of_range(
            "job",
            job.escape_default(),
            "text without control characters",
        ));
    }
    Ok(())
}

/// One item of an evaluation.
struct EvaluationItem {
    run: [u8; size::RUN],
    sequence: u64,
    index: u32,
    total: u32,
}

impl EvaluationItem {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let (run, sequence) = (*reader.fixed("run")?, reader.uint(u64::MAX, "sequence")?);
        let [index, total] = reader.words(["index", "total"])?;
        Ok(Self {
            run,
            sequence,
            index,
            total,
        })
    }
}

/// Reads a manifest; none was sent where it is empty.
fn read_manifest(reader: &mut Reader<'_>) -> Result<Option<Manifest>> {
    match reader.bytes(limit::MANIFEST_BYTES, "manifest")? {
        [] => Ok(None),
        bytes => Manifest::read(bytes).map(Some),
    }
}
