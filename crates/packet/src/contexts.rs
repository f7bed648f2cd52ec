//! The contexts of all devices of one key pair, and what each device announced last.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use isopod_keys::ServerKeys;
use isopod_wire::{Context, DeviceItem, FrameId, PacketPrefix, WireError};

use crate::derived::{verify_context, ContextKey};
use crate::registered::Registered;
use crate::window::Windows;
use crate::{PacketError, Result};

/// False tags of four bytes after which a sender is refused.
const FALSE_TAGS: u32 = 1 << 16;
/// Bytes of the shortest tag.
const SHORT_TAG: u8 = 4;
/// Most contexts of one device, those of numbers that were taken anew among them: packets of theirs may be stored.
const MOST_CONTEXTS: usize = 1024;

/// One device.
#[derive(Default)]
struct Device {
    announced: Windows,
    /// The item of the newest announcement.
    newest: Vec<u8>,
    /// Contexts of each number, the newest last: each counts from the epoch in which it was announced.
    contexts: BTreeMap<u8, Vec<Registered>>,
    false_tags: AtomicU32,
}

/// Contexts of the devices of one key pair.
#[derive(Default)]
pub struct Contexts(BTreeMap<u64, Device>);

/// A context whose tag was verified, and that may be registered.
pub struct Registration {
    registered: Registered,
    place: Place,
    /// Whether it changes anything.
    pub(crate) changes: bool,
}

/// Place of a context among those of its number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// One of them, as it is.
    Known,
    /// One of them, which counts from an earlier epoch on than was known: number in their order.
    Earlier(usize),
    /// Another one.
    New,
}

impl Registration {
    /// The name that the context announces.
    pub fn announced(&self) -> FrameId {
        self.registered.context().announced()
    }

    /// Number of the context.
    pub fn number(&self) -> u8 {
        self.registered.context().number()
    }
}

impl Contexts {
    /// Verifies the item of a context.
    ///
    /// # Errors
    /// [`PacketError::Wire`] for bytes or tag; [`PacketError::OtherKey`]; [`PacketError::Occupied`], [`PacketError::Crowded`].
    pub fn check(&self, keys: &ServerKeys, item: &[u8]) -> Result<Registration> {
        let context = Context::open(item, keys.params(), |device, message, tag| {
            verify_context(&keys.device_key(device), message, tag)
        })?;
        if context.key_id() != keys.key_id() {
            return Err(PacketError::OtherKey);
        }
        let announced = context.announced();
        let device = self.0.get(&announced.device);
        let place = match device {
            Some(device) => device.place(&context)?,
            None => Place::New,
        };
        let is_newer = device.is_none_or(|device| device.announced.is_raised_by(announced));
        let key = ContextKey::new(&keys.device_key(announced.device), &context);
        Ok(Registration {
            registered: Registered::new(context, key, item),
            place,
            changes: place != Place::Known || is_newer,
        })
    }

    /// Registers what [`Contexts::check`] found. A newer announcement forgets the false tags of the device, because nobody else
    /// can make one; whoever repeats an old one changes nothing.
    pub fn register(&mut self, registration: Registration) {
        let announced = registration.announced();
        let Registration {
            registered, place, ..
        } = registration;
        let device = self.0.entry(announced.device).or_default();
        if device.announced.is_raised_by(announced) {
            device.newest.clone_from(&registered.item);
            device.false_tags = AtomicU32::new(0);
        }
        device.announced.raise(announced.epoch, announced.sequence);
        let number = registered.context().number();
        let same = device.contexts.entry(number).or_default();
        match place {
            Place::New => same.push(registered),
            Place::Earlier(at) => same[at] = registered,
            Place::Known => {}
        }
    }

    /// Where a device is by its announcements.
    pub fn announced(&self, device: u64) -> Windows {
        let device = self.0.get(&device);
        device.map_or_else(Windows::default, |device| device.announced)
    }

    /// The name of a packet of a device, in these windows.
    ///
    /// # Errors
    /// [`PacketError::Guessed`]; [`PacketError::Wire`] for an unknown context, other bytes, or a tag
    /// that is false in every window.
    pub fn name(&self, device: u64, packet: &[u8], windows: Windows) -> Result<FrameId> {
        let unknown = || WireError::unknown_context(device, packet);
        let number = PacketPrefix::read(packet)?.context;
        let sender = self.0.get(&device).ok_or_else(unknown)?;
        let contexts = sender.contexts.get(&number).ok_or_else(unknown)?;
        if sender.false_tags.load(Ordering::Relaxed) >= FALSE_TAGS {
            return Err(PacketError::Guessed { device });
        }
        let (mut refusal, mut end) = (PacketError::from(WireError::Tag), u32::MAX);
        for one in contexts.iter().rev() {
            let epochs = one.begin()..=end;
            end = one.begin().saturating_sub(1);
            match one.name(windows, &epochs, packet) {
                Ok(name) => return Ok(name),
                Err(error) => refusal = error,
            }
        }
        let is_short = |one: &Registered| one.context().form().tag_bytes == SHORT_TAG;
        if refusal == WireError::Tag.into() && contexts.iter().any(is_short) {
            sender.false_tags.fetch_add(1, Ordering::Relaxed);
        }
        Err(refusal)
    }

    /// The frame of a packet that was stored with its name.
    ///
    /// # Errors
    /// [`WireError::UnknownContext`], [`WireError::Tag`]; what the context does not allow.
    pub fn open<'a>(&self, name: FrameId, packet: &'a [u8]) -> isopod_wire::Result<DeviceItem<'a>> {
        let number = PacketPrefix::read(packet)?.context;
        let device = self.0.get(&name.device);
        let contexts = device.and_then(|device| device.contexts.get(&number));
        let mut contexts = contexts.into_iter().flatten().rev();
        let context = contexts.find(|one| one.begin() <= name.epoch);
        let unknown = || WireError::unknown_context(name.device, packet);
        context.ok_or_else(unknown)?.open(name, packet)
    }

    /// The items that make these contexts again, in this order.
    pub(crate) fn items(&self) -> impl Iterator<Item = &[u8]> {
        self.0.values().flat_map(|device| {
            let each = device.contexts.values().flatten();
            let each = each.map(|one| &one.item[..]);
            each.chain([&device.newest[..]])
        })
    }
}

impl Device {
    /// The place of a context among those of its number.
    fn place(&self, context: &Context) -> Result<Place> {
        let (device, number) = (context.device(), context.number());
        let epoch = context.announced().epoch;
        let same = self.contexts.get(&number).map_or(&[][..], Vec::as_slice);
        let is_known = |one: &Registered| one.context().description() == context.description();
        if let Some(at) = same.iter().position(is_known) {
            let before = at.checked_sub(1).map(|before| same[before].begin());
            let is_earlier = epoch < same[at].begin() && before < Some(epoch);
            return Ok(match is_earlier {
                true => Place::Earlier(at),
                false => Place::Known,
            });
        }
        if let Some(newest) = same.last().filter(|newest| epoch <= newest.begin()) {
            return Err(PacketError::Occupied {
                device,
                number,
                epoch: newest.begin(),
            });
        }
        match self.contexts.values().map(Vec::len).sum::<usize>() < MOST_CONTEXTS {
            true => Ok(Place::New),
            false => Err(PacketError::Crowded {
                device,
                most: MOST_CONTEXTS,
            }),
        }
    }
}

/// The sender of a packet, which it names or its transport.
///
/// # Errors
/// [`PacketError::NoSender`], [`PacketError::OtherSender`]; [`PacketError::Wire`] for bytes that no packet begins with.
pub fn sender(transport: Option<u64>, packet: &[u8]) -> Result<u64> {
    match (PacketPrefix::read(packet)?.device, transport) {
        (Some(found), Some(transport)) if found != transport => {
            Err(PacketError::OtherSender { found, transport })
        }
        (Some(device), _) | (None, Some(device)) => Ok(device),
        (None, None) => Err(PacketError::NoSender),
    }
}
