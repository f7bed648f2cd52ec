//! Elements of bodies, one at a time: items of frames, contexts, and packets, which become items here.

use isopod_packet::Windows;
use isopod_wire::{FrameId, KeyId, PacketPrefix, Submission, WireError};
use isopod_workflow::Error;

use crate::admit::access::Caller;
use crate::admit::admission::{other_key, Admission, Whole};
use crate::admit::refusal::Refusal;
use crate::elsewhere::producer::Record;
use crate::service::{Service, Store};

/// An announcement that counts: its device may send packets of the context.
#[derive(Debug, Clone, Copy)]
pub struct Announced {
    /// Key pair.
    pub key_id: KeyId,
    /// The announced name.
    pub name: FrameId,
}

/// Outcome of an element.
pub enum Taken {
    /// A part of a frame that lacks others, or one that came before.
    Nothing,
    /// A frame that is whole by the element.
    Whole(Whole),
    /// A context that is registered, and the packets that waited for it, in the order in which they came.
    Context(Announced, Vec<Vec<u8>>),
}

impl From<Option<Whole>> for Taken {
    fn from(whole: Option<Whole>) -> Self {
        whole.map_or(Self::Nothing, Self::Whole)
    }
}

impl Service {
    /// Takes an element of a body.
    ///
    /// # Errors
    /// The field that is wrong. What was taken before stays.
    pub fn take(
        &self,
        admission: &mut Admission,
        element: Submission<'_>,
        caller: &Caller,
    ) -> Result<Taken, Refusal> {
        let now = self.clock.now();
        match element {
            Submission::Item(item) => Ok(admission.take(item, caller, now)?.into()),
            Submission::Context { key_id, item } => {
                let (announced, number) = self.register(key_id, item, caller)?;
                let waiting = self.waiting().take(announced.name.device, number);
                Ok(Taken::Context(announced, waiting))
            }
            Submission::Packet { sender, packet } => {
                let Some(item) = self.named(sender, packet, caller)? else {
                    return Ok(Taken::Nothing);
                };
                Ok(admission.take(&item, caller, now)?.into())
            }
        }
    }

    /// Registers a context of the key pair whose device made it; its number comes, too.
    fn register(
        &self,
        key_id: KeyId,
        item: &[u8],
        caller: &Caller,
    ) -> Result<(Announced, u8), Refusal> {
        let pair = self.pairs.get(&key_id);
        let pair = pair.ok_or_else(|| other_key(&self.pairs, &key_id))?;
        let checked = pair.server.check_context(item);
        let (name, number) = checked.map_err(|error| Refusal::of(&error, None))?;
        caller.check_device(name.device)?;
        let refused = |error: &(dyn std::error::Error + 'static)| Refusal::of(error, Some(name));
        pair.check_device(name).map_err(|error| refused(&error))?;
        let registered = tokio::task::block_in_place(|| pair.server.register_context(item));
        registered.map_err(|error| refused(&error))?;
        self.forward(name.device, || item.to_vec())?;
        Ok((Announced { key_id, name }, number))
    }

    /// Hands an element to a topic, if frames go there: who reads it judges it. Whether it went there.
    fn forward(&self, device: u64, element: impl FnOnce() -> Vec<u8>) -> Result<bool, Refusal> {
        let Some(producer) = &self.places.producer else {
            return Ok(false);
        };
        let record = Record {
            device,
            time: self.clock.now(),
            bytes: element(),
        };
        let sent = tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(producer.send(vec![record]))
        });
        sent.map_err(Refusal::unavailable)?;
        Ok(true)
    }

    /// The item of a packet, with its whole name; none for a packet that went to a topic. One whose context nobody knows waits
    /// for it.
    fn named(
        &self,
        transport: Option<u64>,
        packet: &[u8],
        caller: &Caller,
    ) -> Result<Option<Vec<u8>>, Refusal> {
        let sender = isopod_packet::sender(transport.or(caller.device()), packet);
        let device = sender.map_err(|error| Refusal::of(&error, None))?;
        caller.check_device(device)?;
        if self.forward(device, || Submission::of_packet(Some(device), packet))? {
            return Ok(None);
        }
        let mut refusal = Error::from(WireError::unknown_context(device, packet));
        for pair in self.pairs.all() {
            let stored = self.windows(&pair.server.key_id(), device)?;
            let windows = pair.server.announced(device).and(stored);
            match pair.server.name_packet(device, packet, windows) {
                Ok(item) => return Ok(Some(item)),
                Err(error) if is_unknown(&error) => {}
                Err(error) => refusal = error,
            }
        }
        if is_unknown(&refusal) {
            self.wait(device, packet);
        }
        Err(Refusal::of(&refusal, None))
    }

    /// Where the stored frames of a device are.
    fn windows(&self, key_id: &KeyId, device: u64) -> Result<Windows, Refusal> {
        let store = self.opened();
        if let Some(stream) = store.and_then(Store::stream) {
            return Ok(stream.windows(key_id, device));
        }
        let log = store.map(|store| &store.log);
        let state = log.map(|log| log.device(key_id, device)).transpose();
        let state = state.map_err(|error| Refusal::of(&error, None))?.flatten();
        Ok(state.map_or_else(Windows::default, |state| (&state.seen).into()))
    }

    fn wait(&self, device: u64, packet: &[u8]) {
        if let Ok(prefix) = PacketPrefix::read(packet) {
            let seconds = self.clock.now() / 1000;
            self.waiting().keep(device, prefix.context, seconds, packet);
        }
    }
}

fn is_unknown(error: &Error) -> bool {
    matches!(error, Error::Wire(WireError::UnknownContext { .. }))
}
