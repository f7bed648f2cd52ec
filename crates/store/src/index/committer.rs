//! The thread that commits the index, so that the writing thread does not wait for it.

use std::sync::{Arc, PoisonError};

use super::{Changes, Index};
use crate::threads::mpsc::{sync_channel, SyncSender};
use crate::threads::thread::{self, JoinHandle};
use crate::threads::{Mutex, MutexGuard};

/// A thread that commits changes one after the other.
pub(crate) struct Committer {
    sender: Option<SyncSender<Arc<Changes>>>,
    thread: Option<JoinHandle<()>>,
}

impl Committer {
    /// Begins the thread.
    pub fn new(index: Arc<Mutex<Index>>) -> Self {
        let (sender, receiver) = sync_channel::<Arc<Changes>>(1);
        let work = move || {
            while let Ok(changes) = receiver.recv() {
                let database = locked(&index).database();
                let committed = database.commit(&changes);
                // Changes that are not committed wait for the next commit; a start reads them from the log.
                locked(&index).end_commit(&committed);
            }
        };
        Self {
            sender: Some(sender),
            thread: Some(thread::spawn(work)),
        }
    }

    /// Waits for the commit that is under way; there is none after it.
    pub fn finish(&mut self) {
        drop(self.sender.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    /// Begins to commit what changed, unless a commit is under way.
    pub fn begin(&self, index: &mut Index) {
        let changes = index.begin_commit();
        if let (Some(changes), Some(sender)) = (changes, &self.sender) {
            // The thread takes it: no other commit is under way.
            let _ = sender.send(changes);
        }
    }
}

fn locked(index: &Mutex<Index>) -> MutexGuard<'_, Index> {
    index.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.finish();
    }
}
