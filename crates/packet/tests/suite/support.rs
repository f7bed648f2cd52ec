//! A server whose keys are those of the known answers, and devices that send packets to it.
#![allow(clippy::unwrap_used)]

use isopod_keys::{SecretKey, Seen, ServerKeys};
use isopod_packet::{
    seal_context, sender, siphash_128, siphash_64, ContextKey, Contexts, Result, Windows,
};
use isopod_wire::{
    by_name, AnySet, Authenticator, Claims, Context, DeviceAuthenticator, DeviceItem, Envelope,
    FrameHeader, FrameId, ItemKind, Kind, Layout, MaskOrder, Naming, PacketForm, Relation,
    RoundedFrame, Rounding, ServerKeyFile, StoredPacket, Suite, Tag,
};
use std::collections::BTreeMap;
use std::os::unix::fs::OpenOptionsExt as _;

pub const SET: &str = "ckks-1024x1-sum";
pub const KEY_ID: [u8; 16] = [5; 16];
pub const FORM: PacketForm = PacketForm {
    naming: Naming::Sequence,
    device_bytes: 4,
    tag_bytes: 8,
};

/// The master key of the known answers: counting bytes.
pub fn master() -> [u8; 32] {
    std::array::from_fn(|at| 192 + at as u8)
}

/// A server of this key pair.
pub fn server(set: &str, key_id: [u8; 16]) -> ServerKeys {
    let folder = tempfile::tempdir().unwrap();
    let file = ServerKeyFile {
        params: AnySet::by_name(set).unwrap(),
        key_id,
        link: &[1; 32],
        device_master: &master(),
    };
    let path = folder.path().join("server.key");
    let mut options = std::fs::OpenOptions::new();
    let mut open = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .unwrap();
    std::io::Write::write_all(&mut open, &file.write()).unwrap();
    ServerKeys::open(folder.path()).unwrap()
}

pub fn name(device: u64, epoch: u32, sequence: u64) -> FrameId {
    FrameId {
        device,
        epoch,
        sequence,
    }
}

/// A header of ten readings in one row, announced with a name.
pub fn header(announced: FrameId) -> FrameHeader {
    FrameHeader {
        kind: Kind::SecretKey,
        params: by_name(SET).unwrap(),
        parts: 1,
        suite: Suite::Chacha20,
        key_id: KEY_ID,
        id: announced,
        nonce: Default::default(),
        interleave: 1,
        log2_scale: 18,
        count: 10,
        layout: Layout::CoefficientsRounded,
        dithered: false,
        claims: Claims {
            bound: 0,
            stride: 10,
            buckets: 1,
            packing: None,
        },
        rounding: Some(Rounding {
            run: 10,
            dropped: [5, 0],
        }),
        seed: Vec::new(),
        mask_order: MaskOrder::Coefficients,
    }
}

/// A server's contexts, and what it learned from frames that it stored.
pub struct Store {
    pub keys: ServerKeys,
    pub contexts: Contexts,
    seen: BTreeMap<u64, Seen>,
}

impl Store {
    pub fn new(keys: ServerKeys) -> Self {
        let (contexts, seen) = Default::default();
        Self {
            keys,
            contexts,
            seen,
        }
    }

    pub fn register(&mut self, item: &[u8]) -> Result<FrameId> {
        let registration = self.contexts.check(&self.keys, item)?;
        let announced = registration.announced();
        self.contexts.register(registration);
        Ok(announced)
    }

    pub fn name(&self, transport: Option<u64>, packet: &[u8]) -> Result<FrameId> {
        let device = sender(transport, packet)?;
        let stored = self.seen.get(&device).map(Windows::from);
        let windows = self.contexts.announced(device);
        self.contexts
            .name(device, packet, windows.and(stored.unwrap_or_default()))
    }

    /// The frame of a packet as it comes, and once more from the item that a server stores.
    pub fn open(&self, transport: Option<u64>, packet: &[u8]) -> Result<RoundedFrame> {
        let name = self.name(transport, packet)?;
        let key_id = self.keys.key_id();
        let stored = StoredPacket {
            key_id,
            name,
            packet,
        };
        let item = stored.encode();
        let envelope = Envelope::read_only(&item)?;
        assert_eq!(
            (envelope.kind(), envelope.key_id()),
            (ItemKind::Packet, key_id)
        );
        let set = self.keys.params();
        let frame = DeviceItem::open(envelope, set, self)?.part()?.rounded()?;
        Ok(frame)
    }

    /// Learns that a frame of this name was stored.
    pub fn observe(&mut self, name: FrameId) {
        let seen = self.seen.entry(name.device).or_default();
        seen.insert(name.epoch, name.sequence);
    }
}

impl Authenticator for Store {
    fn verify(&self, _: Relation, _: &[u8; 24], _: &[u8], _: &Tag) -> bool {
        false
    }
}

impl DeviceAuthenticator for Store {
    fn open_packet<'a>(
        &self,
        name: FrameId,
        packet: &'a [u8],
    ) -> isopod_wire::Result<DeviceItem<'a>> {
        self.contexts.open(name, packet)
    }
}

/// A context of a device, and its key.
pub struct Sender {
    pub context: Context,
    device_key: SecretKey,
    key: ContextKey,
}

impl Sender {
    pub fn new(header: &FrameHeader, number: u8, form: PacketForm) -> Self {
        let context = Context::new(header, number, form).unwrap();
        let device_key = SecretKey::from_bytes(&master()).device_key(header.id.device);
        let key = ContextKey::new(&device_key, &context);
        Self {
            context,
            device_key,
            key,
        }
    }

    /// A sender of the usual packets.
    pub fn usual(announced: FrameId) -> Self {
        Self::new(&header(announced), 3, FORM)
    }

    /// The context's item.
    pub fn item(&self) -> Vec<u8> {
        seal_context(&self.device_key, &self.context)
    }

    /// A packet of this name with a body of zeros.
    pub fn packet(&self, name: FrameId) -> Vec<u8> {
        let form = self.context.form();
        let mut bytes = vec![self.context.number() | (form.device_bytes / 2) << 6];
        bytes.extend(&name.device.to_le_bytes()[..form.device_bytes.into()]);
        bytes.extend(&name.sequence.to_le_bytes()[..form.naming.counter_bytes()]);
        let tag = usize::from(form.tag_bytes);
        bytes.resize(self.context.packet_bytes().unwrap() - tag, 0);
        let keys = self.key.packet_keys(name);
        let tag = match tag {
            16 => siphash_128(&keys.tag_key, &bytes).to_vec(),
            length => siphash_64(&keys.tag_key, &bytes)[..length].to_vec(),
        };
        bytes.extend(tag);
        bytes
    }
}
