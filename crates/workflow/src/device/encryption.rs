//! A device's side on this machine: messages to frames, with the code that runs on devices.

use std::path::Path;

use isopod_device::{
    Encoding, Encryptor, FrameClaims, PacketContext, RoundedRows, TfheEncoding, TfheEncryptor,
    Values,
};
use isopod_eval::{droppable, Claims, Key};
use isopod_keys::{
    find_public_key, read_public_key, DeviceKeys, KeysError, LinearSecrets, SecretBytes,
};
use isopod_wire::{
    AnySet, BlobKind, FrameId, KeyBlob, KeyId, Label, Layout, PackingId, ParameterSet, Rounding,
    Submission, Suite, TfheBlob, TfheSuite,
};

use crate::device::pads::{PadChoice, PadContents, PadSender};
use crate::device::public_key::verified;
use crate::device::readings::{grid_integer, Message};
use crate::{Error, Result};

/// A device's folder.
pub struct Device {
    keys: DeviceKeys,
    blob: SecretBytes,
    set: AnySet,
    /// Whether the blob is a compact secret key or that of pads, for packets.
    is_compact: bool,
    /// Secrets of linear tags: none, those of one owner, or of each holder who answers.
    linear: Vec<LinearSecrets>,
}

/// The randomness suite; not every scheme takes every suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnySuite {
    /// ChaCha20.
    Chacha20,
    /// SHAKE-256.
    Shake256,
    /// SHAKE-256, the mask as SEAL makes it; CKKS and BFV.
    SealShake256,
    /// The mask as tfhe-rs makes it; TFHE.
    Aes128,
}

/// How values are encoded and encrypted. Settings of other schemes are ignored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choices {
    /// CKKS: log2 of the scale; None for the set's.
    pub scale_bits: Option<u8>,
    /// CKKS, BFV and pads: log2 of the bound on values. Integers are bound by half the plaintext modulus besides.
    pub bound_bits: i8,
    /// The randomness suite.
    pub suite: AnySuite,
    /// CKKS and BFV: the level, 0 for all primes.
    pub level: u8,
    /// CKKS and BFV: the layout.
    pub layout: Layout,
    /// Rounded coefficients: error that every value may have; None for what noise has spoilt already.
    pub precision: Option<f64>,
    /// Rounded coefficients of CKKS: log2 of the unit of which every value is a multiple, -31 to 31. Frames of a device with keys
    /// of linear tags then have tags.
    pub grid_bits: Option<i8>,
    /// TFHE: bodies sent whole, for less noise and twice the bytes.
    pub whole_bodies: bool,
    /// BFV: a second linear tag, of the columns, in a folder that has a key of tags.
    pub has_column_tag: bool,
    /// Pads: how integers lie in packets.
    pub pad: PadChoice,
    /// The set's label, accepted.
    pub accept_label: Label,
}

/// Arrangement and meaning of the values of messages, for whoever computes on their frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Contents {
    /// CKKS and BFV: places from row to row; 0 if a message is one row.
    pub stride: u32,
    /// BFV: slots of one reading; 0 or 1 but for one-hot blocks, whose values are 0 and 1.
    pub buckets: u32,
    /// TFHE, pads, and rounded coefficients: values of a row; 0 if a message is one row.
    pub columns: u16,
    /// Names and standardisation of the columns.
    pub packing: Option<PackingId>,
}

/// Encrypts messages, one frame each. Holds one encryptor and its workspace.
pub struct Sender<'a> {
    encryptor: AnyEncryptor,
    sender: isopod_device::Sender<'a>,
    packets: Option<PacketContext>,
    /// log2 of the unit of real numbers that travel as integers.
    grid: Option<i8>,
}

enum AnyEncryptor {
    Rns(Encryptor),
    Tfhe(TfheEncryptor),
    Pads(PadSender),
}

impl Device {
    /// Opens a device's folder, to encrypt by the public key in it or beside it, or by its secret key, if it has one, or under
    /// its pads.
    ///
    /// # Errors
    /// [`Error::Keys`] for a folder that is damaged, for a public key that is missing, and for a key of another pair;
    /// [`Error::At`] for a key that does not read or verify, with [`Error::Mask`] for one that its seed does not give.
    pub fn open(folder: &Path, by_secret_key: bool) -> Result<Self> {
        if let Some(device) = Self::with_pads(folder)? {
            return Ok(device);
        }
        if !by_secret_key {
            return Self::with_public_key(folder, &find_public_key(folder)?);
        }
        Self::with_secret_key(folder, DeviceKeys::secret_blob(folder)?)
    }

    fn with_secret_key(folder: &Path, blob: SecretBytes) -> Result<Self> {
        let keys = DeviceKeys::open(folder)?;
        let place = format!("{}: secret key", folder.display());
        let device = Self::with_blob(keys, blob, &place)?.with_linear_tags(folder)?;
        let (found, wanted) = (device.blob_key_id()?, device.keys.key_id());
        if found == wanted {
            return Ok(device);
        }
        let path = folder.to_owned();
        Err(KeysError::OtherKey {
            path,
            found,
            wanted,
        }
        .into())
    }

    /// Opens a device's folder, to send packets: by the key of its pads, or by its secret key as it is before any transform.
    ///
    /// # Errors
    /// The errors of [`Device::open`].
    pub fn for_packets(folder: &Path) -> Result<Self> {
        if let Some(device) = Self::with_pads(folder)? {
            return Ok(device);
        }
        let device = Self::with_secret_key(folder, DeviceKeys::compact_blob(folder)?)?;
        Ok(Self {
            is_compact: true,
            ..device
        })
    }

    /// Opens the folder of a device that has a key of pads; None for others.
    fn with_pads(folder: &Path) -> Result<Option<Self>> {
        let Some(key) = DeviceKeys::pad_key(folder)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            keys: DeviceKeys::open(folder)?,
            blob: key.expose().to_vec().into(),
            set: AnySet::Pads,
            is_compact: true,
            linear: Vec::new(),
        }))
    }

    /// Opens a device's folder, to encrypt by the public key in this file.
    ///
    /// # Errors
    /// The errors of [`Device::open`].
    pub fn with_public_key(folder: &Path, public_key: &Path) -> Result<Self> {
        let keys = DeviceKeys::open(folder)?;
        let blob = read_public_key(public_key, Some(keys.key_id()))?;
        Self::with_blob(keys, blob.into(), &public_key.display().to_string())?
            .with_linear_tags(folder)
    }

    /// The device with the secrets of linear tags in its folder, if there are any.
    fn with_linear_tags(mut self, folder: &Path) -> Result<Self> {
        self.linear = LinearSecrets::open(folder, self.keys.key_id())?;
        Ok(self)
    }

    fn with_blob(keys: DeviceKeys, blob: SecretBytes, place: &str) -> Result<Self> {
        let set = verified(&blob).map_err(|error| error.at(place))?;
        Ok(Self {
            keys,
            blob,
            set,
            is_compact: false,
            linear: Vec::new(),
        })
    }

    /// The key pair that the blob names.
    fn blob_key_id(&self) -> Result<KeyId> {
        Ok(match self.set {
            AnySet::Tfhe(_) => TfheBlob::read(&self.blob)?.key_id,
            AnySet::Rns(_) => KeyBlob::read(&self.blob)?.key_id,
            // A pad key names nothing.
            AnySet::Pads => self.keys.key_id(),
        })
    }

    /// Whether it was opened with a key of packets: a compact secret key, or pads.
    pub fn sends_packets(&self) -> bool {
        self.is_compact
    }

    /// Parameter set of the key.
    pub fn set(&self) -> AnySet {
        self.set
    }

    /// Name of the key pair that the device encrypts for; an owner who knows it can compare.
    pub fn key_id(&self) -> KeyId {
        self.keys.key_id()
    }

    /// The device's number.
    pub fn number(&self) -> u64 {
        self.keys.device()
    }

    /// Prepares to encrypt under this epoch, from this sequence on. An epoch and a sequence together must never occur twice.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a scale or suite that the set does not have, and a tag of columns without a key of tags;
    /// [`Error::Device`].
    pub fn sender(
        &self,
        choices: &Choices,
        contents: &Contents,
        epoch: u32,
        sequence: u64,
    ) -> Result<Sender<'_>> {
        self.check_column_tag(choices)?;
        let encryptor = match self.set {
            AnySet::Rns(set) => AnyEncryptor::Rns(self.encryptor(set, choices, contents)?),
            AnySet::Tfhe(_) => {
                let encoding = TfheEncoding {
                    suite: choices.suite.tfhe()?,
                    whole_bodies: choices.whole_bodies,
                    streaming: self.is_compact,
                    columns: contents.columns,
                    packing: contents.packing,
                    accept_label: choices.accept_label,
                };
                AnyEncryptor::Tfhe(TfheEncryptor::new(&self.blob, encoding)?)
            }
            AnySet::Pads => {
                let contents = PadContents {
                    choice: choices.pad,
                    bound_bits: choices.bound_bits,
                    columns: contents.columns,
                    packing: contents.packing,
                };
                AnyEncryptor::Pads(PadSender::new(self.key_id(), &self.blob, contents)?)
            }
        };
        let sender = isopod_device::Sender {
            device: self.number(),
            epoch,
            sequence,
            key: self.keys.key().expose(),
        };
        Ok(Sender {
            encryptor,
            sender,
            packets: None,
            grid: choices.grid_bits,
        })
    }

    fn encryptor(
        &self,
        set: &ParameterSet,
        choices: &Choices,
        contents: &Contents,
    ) -> Result<Encryptor> {
        let range = set.log2_scale;
        let log2_scale = choices.scale_bits.unwrap_or(range.default);
        if !(range.min..=range.max).contains(&log2_scale) {
            let problem = format!(
                "{log2_scale} is out of range; allowed is {} to {} for {}",
                range.min, range.max, set.name
            );
            return Err(Error::parameter("scale_bits", problem));
        }
        let encoding = Encoding {
            log2_scale,
            log2_bound: match set.plain_modulus {
                None => choices.bound_bits,
                Some(_) => 0,
            },
            claims: FrameClaims {
                bound: set
                    .plain_modulus
                    .map_or(0, |modulus| integer_bound(modulus, choices, contents)),
                stride: contents.stride,
                buckets: contents.buckets,
                packing: contents.packing,
            },
            chunks: 1,
            suite: choices.suite.rns()?,
            accept_label: choices.accept_label,
        };
        let encryptor = Encryptor::new(&self.blob, encoding)?.with_level(choices.level);
        let encryptor = self.tagged(encryptor, set, choices);
        if choices.layout != Layout::CoefficientsRounded {
            return Ok(encryptor.with_layout(choices.layout));
        }
        let columns = u32::from(contents.columns);
        let dropped = self.dropped(set, choices, log2_scale, encoding.claims.bound)?;
        Ok(encryptor.with_rounded_rows(RoundedRows {
            columns,
            rounding: Rounding {
                run: columns,
                dropped,
            },
        }))
    }

    /// Gives integers their unit, and linear tags, if the device has keys of them.
    fn tagged(&self, encryptor: Encryptor, set: &ParameterSet, choices: &Choices) -> Encryptor {
        let encryptor = match choices.grid_bits {
            Some(log2_unit) => encryptor.with_unit(log2_unit),
            None => encryptor,
        };
        let has_integers = set.plain_modulus.is_some() || choices.grid_bits.is_some();
        match self.linear.split_first().filter(|_| has_integers) {
            Some((secrets, others)) => {
                encryptor.with_linear_secrets(&isopod_device::LinearSecrets {
                    group: secrets.group.expose(),
                    device: secrets.device.expose(),
                    others: others.iter().map(|other| other.device.expose()).collect(),
                    period: secrets.period,
                    has_column_tag: choices.has_column_tag,
                })
            }
            None => encryptor,
        }
    }

    fn check_column_tag(&self, choices: &Choices) -> Result<()> {
        let is_exact = matches!(self.set, AnySet::Rns(set) if set.plain_modulus.is_some());
        let has_tags = !self.linear.is_empty() && is_exact && !self.is_compact;
        if has_tags || !choices.has_column_tag {
            return Ok(());
        }
        let problem = "the folder has no key of linear tags, or no frames of integers; allowed under sets of integers (bfv-...) \
                       after device tag-key, and not in packets";
        Err(Error::parameter("column_tag", problem))
    }

    /// Low bits that rounded coefficients lose.
    fn dropped(
        &self,
        set: &ParameterSet,
        choices: &Choices,
        log2_scale: u8,
        bound: u32,
    ) -> Result<[u8; 2]> {
        let kind = KeyBlob::read(&self.blob)?.kind;
        let claims = Claims {
            bound: match set.plain_modulus {
                None => f64::from(choices.bound_bits).exp2(),
                Some(_) => f64::from(bound),
            },
            scale: f64::from(log2_scale).exp2(),
            primes: match choices.level {
                0 => set.data_primes.len(),
                level => usize::from(level).min(set.data_primes.len()),
            },
            key: match kind {
                BlobKind::SecretTernary | BlobKind::SecretNtt => Key::Secret,
                _ => Key::Public,
            },
            dithered: false,
            rows: 1,
            columns: set.ring_degree,
            stride: set.ring_degree,
            buckets: 1,
            frames: 1,
        };
        Ok(droppable(&set.into(), claims, choices.precision)?)
    }
}

/// The bound on integers modulo `modulus`: of buckets 1, otherwise the chosen power of two, at most half the modulus.
fn integer_bound(modulus: u64, choices: &Choices, contents: &Contents) -> u32 {
    if contents.buckets > 1 {
        return 1;
    }
    let chosen = f64::from(choices.bound_bits).exp2();
    // Half of a modulus of at most 31 bits; a bound of at least 1.
    chosen.clamp(1.0, (modulus / 2) as f64) as u32
}

impl AnySuite {
    fn rns(self) -> Result<Suite> {
        match self {
            Self::Chacha20 => Ok(Suite::Chacha20),
            Self::Shake256 => Ok(Suite::Shake256),
            Self::SealShake256 => Ok(Suite::SealShake256),
            Self::Aes128 => Err(Error::parameter(
                "suite",
                "aes128 is tfhe-rs's; allowed with CKKS sets are chacha20, shake256 and seal-shake256",
            )),
        }
    }

    fn tfhe(self) -> Result<TfheSuite> {
        match self {
            Self::Chacha20 => Ok(TfheSuite::Chacha20),
            Self::Shake256 => Ok(TfheSuite::Shake256),
            Self::Aes128 => Ok(TfheSuite::Aes128),
            Self::SealShake256 => Err(Error::parameter(
                "suite",
                "seal-shake256 is SEAL's; allowed with TFHE sets are chacha20, shake256 and aes128",
            )),
        }
    }
}

impl Sender<'_> {
    /// Frames from here on are of this epoch, from this sequence on.
    pub fn at(mut self, epoch: u32, sequence: u64) -> Self {
        (self.sender.epoch, self.sender.sequence) = (epoch, sequence);
        self
    }

    /// Sends packets of a context in place of frames from now on. Packets use the first prime of the set.
    pub fn with_packets(mut self, packets: Option<PacketContext>) -> Self {
        self.packets = packets;
        self
    }

    /// The bytes before all frames, of which this is the first message: of packets the context, of others none.
    ///
    /// # Errors
    /// [`Error::Device`] for a context that no packets have.
    pub fn begin(&mut self, first: &Message) -> Result<Vec<u8>> {
        let Some(context) = self.packets else {
            return Ok(Vec::new());
        };
        Ok(match (&mut self.encryptor, first) {
            (AnyEncryptor::Rns(encryptor), _) => encryptor.announce(context, &self.sender)?,
            (AnyEncryptor::Tfhe(encryptor), Message::Typed(schema, _)) => {
                encryptor.announce(context, schema, &self.sender)?
            }
            (AnyEncryptor::Pads(pads), _) => pads.announce(context, &self.sender)?,
            _ => return Err(other_scheme()),
        })
    }

    /// The packet of one message, as an element of a body (`spec/packet.md`, section 10).
    fn packet(&mut self, context: PacketContext, message: &Message) -> Result<Vec<u8>> {
        let to = &mut self.sender;
        let packet = match (&mut self.encryptor, message) {
            (AnyEncryptor::Rns(encryptor), Message::Real(values)) => {
                encryptor.encrypt_packet(context, Values::Real(values), to)?
            }
            (AnyEncryptor::Rns(encryptor), Message::Integers(values)) => {
                encryptor.encrypt_packet(context, Values::Signed(values), to)?
            }
            (AnyEncryptor::Tfhe(encryptor), Message::Typed(schema, values)) => {
                encryptor.encrypt_packet(context, (schema, values), to)?
            }
            (AnyEncryptor::Pads(pads), Message::Integers(values)) => {
                pads.packet(context, values, to)?
            }
            _ => return Err(other_scheme()),
        };
        let sender = (context.form.device_bytes == 0).then_some(self.sender.device);
        Ok(Submission::of_packet(sender, &packet))
    }

    /// Encodes slots without a dither from now on, as the hardware engine does; nothing else changes.
    pub fn with_rounding_to_nearest(mut self) -> Self {
        self.encryptor = match self.encryptor {
            AnyEncryptor::Rns(encryptor) => AnyEncryptor::Rns(encryptor.with_rounding_to_nearest()),
            other => other,
        };
        self
    }

    /// Takes entropy from `bytes` from now on, and fails when they are used up.
    #[cfg(feature = "testing")]
    pub fn with_fixed_entropy(mut self, bytes: Vec<u8>) -> Self {
        self.encryptor = match self.encryptor {
            AnyEncryptor::Rns(encryptor) => AnyEncryptor::Rns(encryptor.with_fixed_entropy(bytes)),
            AnyEncryptor::Tfhe(encryptor) => {
                AnyEncryptor::Tfhe(encryptor.with_fixed_entropy(bytes))
            }
            AnyEncryptor::Pads(pads) => AnyEncryptor::Pads(pads),
        };
        self
    }

    /// Name of the next frame.
    pub fn next(&self) -> FrameId {
        FrameId {
            device: self.sender.device,
            epoch: self.sender.epoch,
            sequence: self.sender.sequence,
        }
    }

    /// The frame of CKKS or BFV values that are borrowed, otherwise like [`Sender::frame`].
    ///
    /// # Errors
    /// The errors of [`Sender::frame`].
    pub fn frame_of(&mut self, values: Values<'_>) -> Result<Vec<Vec<u8>>> {
        match &mut self.encryptor {
            AnyEncryptor::Rns(encryptor) => Ok(encryptor.encrypt_values(values, &mut self.sender)?),
            AnyEncryptor::Tfhe(_) | AnyEncryptor::Pads(_) => Err(other_scheme()),
        }
    }

    /// The frame of one message: its parts in order, or the frame itself in TFHE, or its packet. It takes the next sequence.
    ///
    /// # Errors
    /// [`Error::Device`] names the first refused value or setting; [`Error::Parameter`] for a message of another scheme.
    pub fn frame(&mut self, message: &Message) -> Result<Vec<Vec<u8>>> {
        if let Some(context) = self.packets {
            return Ok(vec![self.packet(context, message)?]);
        }
        let sender = &mut self.sender;
        Ok(match (&mut self.encryptor, message) {
            (AnyEncryptor::Rns(encryptor), Message::Real(values)) => match self.grid {
                Some(log2_unit) => {
                    let integers = on_grid(values, log2_unit)?;
                    encryptor.encrypt_values(Values::Signed(&integers), sender)?
                }
                None => encryptor.encrypt(values, sender)?,
            },
            (AnyEncryptor::Rns(encryptor), Message::Integers(values)) => {
                encryptor.encrypt_values(Values::Signed(values), sender)?
            }
            (AnyEncryptor::Tfhe(encryptor), Message::Typed(schema, values)) => {
                vec![encryptor.encrypt(schema, values, sender)?]
            }
            _ => return Err(other_scheme()),
        })
    }
}

/// Real numbers in units of 2^log2_unit.
fn on_grid(values: &[f64], log2_unit: i8) -> Result<Vec<i32>> {
    let integer = |&value: &f64| {
        grid_integer(value, log2_unit).ok_or_else(|| {
            let problem = format!("{value} is no multiple of 2^{log2_unit}, or too large");
            Error::parameter("grid_bits", problem)
        })
    };
    values.iter().map(integer).collect()
}

fn other_scheme() -> Error {
    let problem = "of another scheme than the key; allowed are values of its set";
    Error::parameter("values", problem)
}
