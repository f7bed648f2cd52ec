//! The contexts of all devices of one key pair, and what each device announced last.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use isopod_keys::ServerKeys;
use isopod_wire::{Context, DeviceItem, FrameId, PacketPrefix, WireError};

use crate::derived::{context_tag, ContextKey};
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
    is_new: bool,
    /// Whether it changes anything.
    pub(crate) changes: bool,
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
            isopod_tag::equal(&context_tag(&keys.device_key(device), message), tag)
        })?;
        if context.key_id() != keys.key_id() {
            return Err(PacketError::OtherKey);
        }
        let announced = context.announced();
        let device = self.0.get(&announced.device);
        let is_new = match device {
            Some(device) => device.lacks(&context)?,
            None => true,
        };
        let is_newer = device.is_none_or(|device| device.announced.is_raised_by(announced));
        let key = ContextKey::new(&keys.device_key(announced.device), &context);
        Ok(Registration {
            registered: Registered::new(context, key, item),
            is_new,
            changes: is_new || is_newer,
        })
    }

    /// Registers what [`Contexts::check`] found. A newer announcement forgets the false tags of the device, because nobody else
    /// can make one; whoever repeats an old one changes nothing.
    pub fn register(&mut self, registration: Registration) {
        let announced = registration.announced();
        let Registration {
            registered, is_new, ..
        } = registration;
        let device = self.0.entry(announced.device).or_default();
        if device.announced.is_raised_by(announced) {
            device.newest.clone_from(&registered.item);
            device.false_tags = AtomicU32::new(0);
        }
        device.announced.raise(announced.epoch, announced.sequence);
        if is_new {
            let number = registered.context().number();
            device.contexts.entry(number).or_default().push(registered);
        }
    }

    /// The name of a packet, of a device of which the store has frames beside its announcements.
    ///
    /// # Errors
    /// [`PacketError::Guessed`]; [`PacketError::Wire`] for an unknown context, other bytes, or a tag
    /// that is false in every window.
    pub fn name(&self, device: u64, packet: &[u8], stored: Windows) -> Result<FrameId> {
        let unknown = || WireError::unknown_context(device, packet);
        let number = PacketPrefix::read(packet)?.context;
        let sender = self.0.get(&device).ok_or_else(unknown)?;
        let contexts = sender.contexts.get(&number).ok_or_else(unknown)?;
        if sender.false_tags.load(Ordering::Relaxed) >= FALSE_TAGS {
            return Err(PacketError::Guessed { device });
        }
        let windows = sender.announced.and(stored);
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
    /// Whether a context is another one than those that are registered, and may be.
    fn lacks(&self, context: &Context) -> Result<bool> {
        let (device, number) = (context.device(), context.number());
        let same = self.contexts.get(&number);
        let is_known = |one: &Registered| one.context().description() == context.description();
        if same.into_iter().flatten().any(is_known) {
            return Ok(false);
        }
        if let Some(newest) = same.and_then(|same| same.last()) {
            let epoch = newest.begin();
            if context.announced().epoch <= epoch {
                return Err(PacketError::Occupied {
                    device,
                    number,
                    epoch,
                });
            }
        }
        match self.contexts.values().map(Vec::len).sum::<usize>() < MOST_CONTEXTS {
            true => Ok(true),
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
