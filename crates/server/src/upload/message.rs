//! Messages that are whole in memory: their elements, one after the other.

use isopod_store::NewFrame;
use isopod_wire::{KeyId, Submission};

use crate::admit::access::Caller;
use crate::admit::admission::Admission;
use crate::admit::refusal::Refusal;
use crate::admit::spill::Spill;
use crate::problem::Problem;
use crate::service::Service;
use crate::upload::submitted::{Announced, Taken};

/// Outcomes of the elements of a message.
#[derive(Default)]
pub struct Message {
    /// Frames that are whole by it.
    pub frames: Vec<NewFrame>,
    /// Contexts that are registered.
    pub announced: Vec<Announced>,
    /// Key pair and item of each of them.
    pub contexts: Vec<(KeyId, Vec<u8>)>,
    /// Why some elements should be sent again.
    pub unavailable: Option<Box<Problem>>,
    /// Elements that do not enter.
    pub refused: Vec<(Refusal, Vec<u8>)>,
}

/// Admits the elements of messages of one sender.
pub struct MessageReader<'a> {
    /// The server.
    pub service: &'a Service,
    /// Parts that wait for others.
    pub admission: &'a mut Admission,
    /// Parts in a file, if there are any.
    pub spill: &'a mut Spill,
    /// Who sends.
    pub caller: &'a Caller,
}

impl MessageReader<'_> {
    /// Takes all elements. Behind bytes that are none, no other can be found.
    pub fn read(&mut self, bytes: &[u8]) -> Message {
        let mut message = Message::default();
        let mut rest = bytes;
        loop {
            let (element, behind) = match Submission::read(rest) {
                Ok(read) => read,
                Err(error) => {
                    let refusal = Refusal::of(&error, None);
                    message.refused.push((refusal, rest.to_vec()));
                    return message;
                }
            };
            self.take(element, &rest[..rest.len() - behind.len()], &mut message);
            rest = behind;
            if rest.is_empty() {
                return message;
            }
        }
    }

    /// Takes an element, and with a context the packets that waited for it. `bytes` are what the quarantine keeps of it.
    pub fn take(&mut self, element: Submission<'_>, bytes: &[u8], into: &mut Message) {
        match self.service.take(self.admission, element, self.caller) {
            Ok(Taken::Nothing) => {}
            Ok(Taken::Whole(whole)) => into.frames.extend(whole.frame(self.spill).ok()),
            Ok(Taken::Context(announced, waiting)) => {
                into.announced.push(announced);
                into.contexts.push((announced.key_id, bytes.to_vec()));
                for packet in waiting {
                    let element = Submission::Packet {
                        sender: Some(announced.name.device),
                        packet: &packet,
                    };
                    self.take(element, &packet, into);
                }
            }
            Err(refusal) => match refusal.busy() {
                Some(problem) => into.unavailable = Some(problem.into()),
                None => into.refused.push((refusal, bytes.to_vec())),
            },
        }
    }

    /// Refuses the parts of frames that are not whole at the end of all messages.
    pub fn end(&mut self, into: &mut Message) {
        into.refused
            .extend(self.admission.expire(u64::MAX, self.spill));
    }
}
