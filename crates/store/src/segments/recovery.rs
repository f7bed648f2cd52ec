//! Recovery at the start: the records behind the index, damage among them, and a torn tail.

use std::path::{Path, PathBuf};

use isopod_disk::Access;

use crate::damage::{Damage, DamageState};
use crate::error::{Result, StoreError};
use crate::record::Head;
use crate::segments::mark::{Acknowledged, MarkState};
use crate::segments::records::{Gap, Records, Step};
use crate::segments::{Segments, Tail, BEGIN};
use crate::Position;

/// Bytes that a pass over all records reads at a time.
pub(crate) const CHUNK: usize = 1 << 20;

/// End of a log as a start finds it.
pub(crate) struct Recovered {
    pub tail: Tail,
    pub torn: Option<TornTail>,
    pub damage: Vec<Damage>,
}

/// Bytes behind the last record that was acknowledged, which a crash left, and the file that keeps them now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornTail {
    /// Number of bytes.
    pub bytes: u64,
    /// File.
    pub kept: PathBuf,
}

/// Records and damage that a recovery finds, in their order.
pub(crate) enum Found<'a> {
    Record(&'a Head, Position),
    Damage(&'a Damage),
}

/// A recovery under way.
struct Recovery<'a, F> {
    segments: &'a Segments,
    acknowledged: Acknowledged,
    damage: Vec<Damage>,
    each: F,
}

impl Segments {
    /// Opens the last segment for appending, and hands on records and damage from a position on.
    ///
    /// Bytes that do not verify are damage if all before the mark is acknowledged and they lie there, and a torn tail if they lie
    /// behind. Without a mark they are damage where a record that verifies follows them.
    pub fn recover(
        &self,
        from: Position,
        acknowledged: Acknowledged,
        each: impl FnMut(Found<'_>) -> Result<()>,
    ) -> Result<Recovered> {
        let recovery = Recovery {
            segments: self,
            acknowledged,
            damage: Vec::new(),
            each,
        };
        recovery.run(from)
    }
}

impl<F: FnMut(Found<'_>) -> Result<()>> Recovery<'_, F> {
    fn run(mut self, from: Position) -> Result<Recovered> {
        let mut files: Vec<_> = self.segments.files().clone().into_iter().collect();
        let Some((last, path)) = files.pop() else {
            return self.begin_anew(0);
        };
        for (at, (base, path)) in files.iter().enumerate() {
            let next = files.get(at + 1).map_or(last, |(next, _)| *next);
            if next > from {
                self.earlier(*base, path, from, next)?;
            }
        }
        self.segments.mend_begin(last, &path)?;
        let length = self.segments.disk.length(&path);
        let length = length.map_err(StoreError::file(&path))?;
        if length < BEGIN {
            // The crash came before the first record, or all of them are lost.
            return self.begin_anew(last);
        }
        self.last(last, path, from)
    }

    /// Begins a segment behind all that was acknowledged.
    fn begin_anew(mut self, base: Position) -> Result<Recovered> {
        let end = self.acknowledged.end.max(base);
        if end > base + BEGIN {
            self.lost(base, end - base, None)?;
        }
        let base = if end > base + BEGIN { end } else { base };
        let tail = self.segments.add(base)?;
        self.finish(tail, None)
    }

    fn finish(self, tail: Tail, torn: Option<TornTail>) -> Result<Recovered> {
        Ok(Recovered {
            tail,
            torn,
            damage: self.damage,
        })
    }

    /// Hands on a segment behind which another begins: all of it was acknowledged.
    fn earlier(
        &mut self,
        base: Position,
        path: &Path,
        from: Position,
        next: Position,
    ) -> Result<()> {
        self.segments.mend_begin(base, path)?;
        let disk = self.segments.disk.clone();
        let mut records = Records::open(disk.as_ref(), path, base, from, CHUNK)?;
        records.set_end(next)?;
        let end = records.end().max(base);
        self.pass(&mut records, false)?;
        match end < next {
            true => self.lost(end, next - end, None),
            false => Ok(()),
        }
    }

    /// Hands on the last segment up to its torn tail.
    fn last(mut self, base: Position, path: PathBuf, from: Position) -> Result<Recovered> {
        let disk = self.segments.disk.clone();
        let mut records = Records::open(disk.as_ref(), &path, base, from, CHUNK)?;
        let length = records.end();
        let end = self.pass(&mut records, true)?;
        let known = self.acknowledged.end;
        if length < known.max(from) {
            let end = known.max(from);
            self.lost(length, end - length, None)?;
            let tail = self.segments.add(end)?;
            return self.finish(tail, None);
        }
        let file = disk.open(&path, Access::Write);
        let file = file.map_err(StoreError::file(&path))?;
        let tail = Tail {
            file,
            path,
            base,
            end,
        };
        if self.damage.iter().any(|damage| damage.end() == length) {
            // Nothing is written over what may be mended.
            let tail = self.segments.add(length)?;
            return self.finish(tail, None);
        }
        let torn = self.segments.cut_torn(&tail, length)?;
        if self.acknowledged.mark != MarkState::Whole {
            refresh(&tail).map_err(StoreError::file(&tail.path))?;
        }
        self.finish(tail, torn)
    }

    /// Hands on the records of a pass; the position of a torn tail, which only the last segment has, or of the end.
    fn pass(&mut self, records: &mut Records, is_last: bool) -> Result<Position> {
        let mut frame = Vec::new();
        loop {
            if is_last && self.is_unacknowledged(records.position()) {
                return Ok(records.position());
            }
            match records.next(&mut frame)? {
                Step::End => return Ok(records.position()),
                Step::Record(head) => (self.each)(Found::Record(&head, records.position()))?,
                Step::Gap(gap) if is_last && self.is_torn(&gap) => return Ok(gap.position),
                Step::Gap(gap) => self.lost(gap.position, gap.bytes, gap.head)?,
            }
        }
    }

    /// Whether the mark says that nothing from here on is acknowledged. What a failed flush left may verify now and be gone
    /// after a loss of power, so that it does not count, whole or not.
    fn is_unacknowledged(&self, position: Position) -> bool {
        self.acknowledged.mark == MarkState::Whole && position >= self.acknowledged.end
    }

    /// Whether a gap in the last segment was never acknowledged.
    fn is_torn(&self, gap: &Gap) -> bool {
        match self.acknowledged.mark {
            _ if gap.position < self.acknowledged.end => false,
            MarkState::Whole => true,
            MarkState::Missing => !gap.is_followed,
            MarkState::Damaged => false,
        }
    }

    fn lost(&mut self, position: Position, bytes: u64, head: Option<Head>) -> Result<()> {
        let damage = self.segments.damage(position, bytes, head);
        (self.each)(Found::Damage(&damage))?;
        self.damage.push(damage);
        Ok(())
    }
}

impl Segments {
    /// Description of damage at a position.
    pub fn damage(&self, position: Position, bytes: u64, head: Option<Head>) -> Damage {
        let (base, path, _) = self.of(position).unwrap_or_default();
        Damage {
            path,
            offset: position - base,
            position,
            bytes,
            head,
            state: DamageState::Open,
        }
    }

    /// Copies the bytes behind the end into a file of their own, and then cuts them off.
    fn cut_torn(&self, tail: &Tail, length: Position) -> Result<Option<TornTail>> {
        let bytes = length - tail.end;
        if bytes == 0 {
            return Ok(None);
        }
        let kept = self.folder.join(format!("{:020}.torn", tail.end));
        let copy = self.disk.open(&kept, Access::Empty);
        let copy = copy.map_err(StoreError::file(&kept))?;
        let end = tail.end - tail.base;
        isopod_disk::copy(tail.file.as_ref(), end..end + bytes, copy.as_ref(), 0)
            .and_then(|()| copy.sync())
            .map_err(StoreError::file(&kept))?;
        tail.file
            .set_length(end)
            .and_then(|()| tail.file.sync())
            .map_err(StoreError::file(&tail.path))?;
        Ok(Some(TornTail { bytes, kept }))
    }
}

/// Writes a segment over itself and flushes it: what is read may be in memory alone, after a flush that failed.
fn refresh(tail: &Tail) -> std::io::Result<()> {
    let file = tail.file.as_ref();
    isopod_disk::copy(file, 0..tail.end - tail.base, file, 0)?;
    file.sync()
}
