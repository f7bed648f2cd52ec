//! The thread that commits the index, so that the writing thread does not wait for it.

use std::sync::mpsc::{sync_channel, SyncSender};
use std::sync::Arc;
use std::thread::JoinHandle;

use super::Changes;
use crate::shared::Shared;

/// A thread that commits changes one after the other.
pub(crate) struct Committer {
    sender: Option<SyncSender<Arc<Changes>>>,
    thread: Option<JoinHandle<()>>,
}

impl Committer {
    /// Begins the thread.
    pub fn new(shared: Arc<Shared>) -> Self {
        let (sender, receiver) = sync_channel::<Arc<Changes>>(1);
        let work = move || {
            while let Ok(changes) = receiver.recv() {
                let database = shared.index().database();
                let committed = database.commit(&changes);
                // What is not committed waits for the next one; a start reads it from the log.
                shared.index().end_commit(committed.is_ok());
            }
        };
        Self {
            sender: Some(sender),
            thread: Some(std::thread::spawn(work)),
        }
    }

    /// Begins to commit what changed, unless a commit is under way.
    pub fn begin(&self, shared: &Shared) {
        let changes = shared.index().begin_commit();
        if let (Some(changes), Some(sender)) = (changes, &self.sender) {
            // The thread takes it: no other commit is under way.
            let _ = sender.send(changes);
        }
    }
}

impl Drop for Committer {
    /// Waits for the commit that is under way.
    fn drop(&mut self) {
        drop(self.sender.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
