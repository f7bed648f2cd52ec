//! A server that lies about sums with linear tags, a captured device, and both together: each gets what `spec/verify.md`,
//! section 8, says, from the owner's program and from the C code of a device that reads results.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use isopod_device::{Decryptor, DeviceError};
use isopod_keys::{
    linear_pad_key, linear_point, LinearAccount, LinearSecrets, SecretKey, ServerKeys,
};
use isopod_verify::{Pads, Shape};
use isopod_wire::{EncryptedResult, Envelope, FrameId, Layout, LinearTag, Manifest};
use isopod_workflow::{
    Choices, Contents, Device, Error, Job, Message, Owner, Request, TagPeriodChoice, Values,
    Verified,
};
use sha3::{Digest as _, Sha3_256};

use crate::support::{answer, quiet, Place, CHOICES};

const SET: &str = "bfv-2048x2-air";
const EPOCH: u32 = 7;
const COLUMNS: u32 = 4;
/// Frames of each of the two devices.
const FRAMES: u64 = 3;

/// A name with the values of its frame.
type Sent = (FrameId, Vec<i32>);

/// Two devices with keys of tags, their owner, and a server that holds everything but secret keys.
struct World {
    place: Place,
    owner: Owner,
    period: u32,
}

/// An answer of the server, which may be a lie.
#[derive(Clone)]
struct Answer(EncryptedResult);

fn named(device: u64, sequence: u64) -> FrameId {
    FrameId {
        device,
        epoch: EPOCH,
        sequence,
    }
}

fn values(id: FrameId) -> Vec<i32> {
    let place = |place| (id.device * 31 + id.sequence * 7 + place * 3) as i32 % 50 - 20;
    (0..u64::from(COLUMNS)).map(place).collect()
}

fn all() -> Vec<FrameId> {
    let of = |device| (0..FRAMES).map(move |sequence| named(device, sequence));
    (1..3).flat_map(of).collect()
}

impl World {
    fn new() -> Self {
        let place = Place::new(SET, &[]);
        let owner = place.owner();
        let mut world = Self {
            place,
            owner,
            period: 0,
        };
        world.begin(TagPeriodChoice::Present);
        world
    }

    fn begin(&mut self, choice: TagPeriodChoice) {
        let given = self
            .owner
            .give_tag_keys(&self.place.path("keys"), &[1, 2], choice);
        self.period = given.unwrap().period;
    }

    /// The frame of a device, as it sends it.
    fn frame(&self, (id, values): &Sent) -> Vec<u8> {
        let folder = self.place.path(&format!("keys/device-{}", id.device));
        let device = Device::open(&folder, false).unwrap();
        let choices = Choices {
            layout: Layout::CoefficientsRounded,
            bound_bits: 10,
            ..CHOICES
        };
        let contents = Contents {
            stride: COLUMNS,
            columns: COLUMNS as u16,
            packing: Some([9; 16]),
            ..Contents::default()
        };
        let sender = device.sender(&choices, &contents, id.epoch, id.sequence);
        let items = sender.unwrap().frame(&Message::Integers(values.clone()));
        items.unwrap().concat()
    }

    /// The server's honest sum.
    fn sum(&self, ids: &[FrameId]) -> Answer {
        let frames: Vec<u8> = ids
            .iter()
            .flat_map(|id| self.frame(&(*id, values(*id))))
            .collect();
        let request = Request::new(Job::Sum);
        let sealed = answer(&self.place.server(), &request, &frames).unwrap();
        let item = sealed.items.concat();
        let envelope = Envelope::read_only(&item).unwrap();
        let authentic = envelope.authenticate(self.owner.keys()).unwrap();
        Answer(authentic.result().unwrap().with_all_bits())
    }

    fn sealed(&self, answer: &Answer) -> Vec<u8> {
        let server = ServerKeys::open(&self.place.path("keys/server")).unwrap();
        server.link().seal(answer.0.encode().unwrap())
    }

    /// Values that the owner believes, and the proof.
    fn told(&self, answer: &Answer) -> isopod_workflow::Result<(Vec<i32>, Option<Verified>)> {
        let results = self.owner.read(&self.sealed(answer)[..])?;
        let (opened, verified) = self.owner.open_verified(&results, &mut quiet)?;
        match opened.into_iter().next().unwrap().values.into_owner_only() {
            Values::Integers(values) => Ok((values, verified)),
            other => panic!("integers wanted: {other:?}"),
        }
    }

    /// Values that the C code of a device believes.
    fn told_on_device(&self, answer: &Answer) -> Result<Vec<i32>, DeviceError> {
        let account = self.account();
        let decryptor = Decryptor::new(self.owner.keys().secret_blob()).unwrap();
        let mut decryptor = decryptor
            .with_verifier(account.group(self.period), self.period)
            .unwrap();
        let server = ServerKeys::open(&self.place.path("keys/server")).unwrap();
        decryptor.decrypt_integers_sealed(&self.sealed(answer), server.link().expose())
    }

    fn account(&self) -> LinearAccount {
        LinearAccount::open(&self.place.path("keys/owner"), self.owner.keys().key_id()).unwrap()
    }

    fn believes(&self, answer: &Answer, wanted: &[i32], what: &str) {
        let (values, verified) = self.told(answer).unwrap();
        let manifest = answer.0.provenance.manifest.as_ref().unwrap();
        assert_eq!(values, wanted, "{what}");
        assert_eq!(verified.unwrap().frames, *manifest, "{what}");
        assert_eq!(self.told_on_device(answer).unwrap(), wanted, "{what}");
    }

    /// Neither reader gives a value, and the owner counts it.
    fn refuses(&self, answer: &Answer, what: &str) {
        let before = self.account().refusals(self.period);
        let error = self.told(answer).unwrap_err();
        assert!(matches!(error, Error::Unverified { .. }), "{what}: {error}");
        assert_eq!(self.account().refusals(self.period), before + 1, "{what}");
        let error = self.told_on_device(answer).unwrap_err();
        assert!(matches!(error, DeviceError::Unproved), "{what}: {error}");
    }
}

trait AllBits {
    fn with_all_bits(self) -> Self;
}

impl AllBits for EncryptedResult {
    /// The result with coefficients that lose no bits, so that a lie adds to them what it likes.
    fn with_all_bits(mut self) -> Self {
        self.rounded.as_mut().unwrap().dropped = [0; 2];
        self
    }
}

impl Answer {
    fn modulus(&self) -> u128 {
        let primes = self.0.params.data_primes.iter().take(self.0.primes());
        primes.map(|&prime| u128::from(prime)).product()
    }

    /// Adds weight times the ciphertext and the tag of another answer; the names stay.
    fn plus(mut self, other: &Self, weight: i64) -> Self {
        let modulus = self.modulus() as i128;
        let sides = [(&mut self.0.c0, &other.0.c0), (&mut self.0.c1, &other.0.c1)];
        for (side, more) in sides {
            for (one, more) in side[0].iter_mut().zip(&more[0]) {
                let sum = i128::from(*one) + i128::from(weight) * i128::from(*more);
                *one = sum.rem_euclid(modulus) as u64;
            }
        }
        self.tagged(|tag| tag.plus(other.tag(), weight).unwrap())
    }

    /// Adds a number to the value at a place, as anybody can.
    fn shifted(mut self, place: usize, by: i32) -> Self {
        let (modulus, plain) = (self.modulus(), self.0.params.plain_modulus.unwrap());
        let shift =
            (modulus * by.unsigned_abs() as u128 + u128::from(plain) / 2) / u128::from(plain);
        let value = (u128::from(self.0.c0[0][place]) + shift) % modulus;
        self.0.c0[0][place] = value as u64;
        self
    }

    fn tag(&self) -> LinearTag {
        self.0.linear_tag.unwrap()
    }

    fn tagged(mut self, change: impl FnOnce(LinearTag) -> LinearTag) -> Self {
        self.0.linear_tag = Some(change(self.tag()));
        self
    }

    /// The tag with a number added.
    fn tag_plus(self, number: u64) -> Self {
        self.tagged(|tag| tag.plus(LinearTag::new(tag.period(), number), 1).unwrap())
    }

    fn named(mut self, ids: &[FrameId]) -> Self {
        let manifest = Manifest::of(ids.iter().map(|id| (*id, 1))).unwrap();
        let provenance = &mut self.0.provenance;
        provenance.origin = Sha3_256::digest(manifest.encode()).into();
        provenance.frames = manifest.count();
        provenance.manifest = Some(manifest);
        self
    }
}

fn sums(ids: &[FrameId]) -> Vec<i32> {
    let place = |place: usize| ids.iter().map(|id| values(*id)[place]).sum();
    (0..COLUMNS as usize).map(place).collect()
}

/// Every lie, told with the ciphertexts and tags of real frames; the honest sum before and after is believed.
#[test]
fn a_server_that_lies_is_refused_and_counted() {
    let (world, ids) = (World::new(), all());
    let honest = world.sum(&ids);
    let (one, rest) = (world.sum(&ids[..1]), world.sum(&ids[1..]));
    let wanted = sums(&ids);
    world.believes(&honest, &wanted, "honest");
    let old = (FRAMES..2 * FRAMES).flat_map(|sequence| [named(1, sequence), named(2, sequence)]);
    let mut mixed = ids.clone();
    mixed[2].epoch += 1;
    let zero = LinearTag::new(world.period, 0);
    let lies = [
        ("omit", rest.clone().named(&ids)),
        ("double", honest.clone().plus(&one, 1)),
        ("swap", one.clone().named(&ids[1..2])),
        (
            "splice the tag of another sum",
            honest.clone().tagged(|_| rest.tag()),
        ),
        (
            "splice the ciphertext of another sum",
            rest.clone().tagged(|_| honest.tag()).named(&ids),
        ),
        ("scale", honest.clone().plus(&honest, 1)),
        ("shift", honest.clone().shifted(0, 5)),
        (
            "shift value and tag",
            honest.clone().shifted(3, 5).tag_plus(5),
        ),
        (
            "old answers",
            honest.clone().named(&old.collect::<Vec<_>>()),
        ),
        ("other weights", honest.clone().plus(&one, 2).plus(&rest, 1)),
        ("mixed epochs", honest.clone().named(&mixed)),
        (
            "forged states",
            rest.clone().plus(&one, 2).tagged(|_| zero).named(&ids),
        ),
    ];
    for (what, lie) in &lies {
        world.refuses(lie, what);
    }
    world.believes(&honest, &wanted, "honest, after the lies");
    world.believes(&rest, &sums(&ids[1..]), "fewer frames, and named so");
}

/// A server has the frame keys of all devices, but no pads.
#[test]
fn frames_that_a_server_forges_leave_a_sum_without_a_proof() {
    let (world, ids) = (World::new(), all());
    std::fs::remove_file(world.place.path("keys/device-2/linear.key")).unwrap();
    let forged = world.sum(&ids);
    assert!(forged.0.linear_tag.is_none());
    assert!(
        world.told(&forged).unwrap().1.is_none(),
        "said by decrypt --verify"
    );
    assert!(matches!(
        world.told_on_device(&forged),
        Err(DeviceError::NoProof)
    ));
    // A tag of its own in their place is refused.
    let mut guessed = forged;
    guessed.0.linear_tag = Some(LinearTag::new(world.period, 98765));
    world.refuses(&guessed, "a tag from nowhere");
}

/// Everything that a captured device gives away.
struct Captured {
    point: u64,
    pad_key: SecretKey,
}

impl Captured {
    fn device(world: &World, device: u64) -> Self {
        let folder = world.place.path(&format!("keys/device-{device}"));
        let key_id = world.owner.keys().key_id();
        let secrets = LinearSecrets::open(&folder, key_id).unwrap().remove(0);
        Self {
            point: *linear_point(&secrets.group),
            pad_key: linear_pad_key(&secrets.device),
        }
    }

    /// value * r^(n - place) modulo p.
    fn term(&self, degree: usize, place: usize, value: i32) -> u64 {
        let p = u128::from(LinearTag::MODULUS);
        let power = (0..degree - place).fold(1, |power, _| power * u128::from(self.point) % p);
        let signed = i128::from(value).rem_euclid(p as i128) as u128;
        (power * signed % p) as u64
    }

    fn pad(&self, id: FrameId) -> u64 {
        let shape = Shape {
            columns: COLUMNS,
            stride: COLUMNS,
            packing: Some([9; 16]),
            log2_unit: 0,
        };
        Pads::new(&self.pad_key, &shape, id.epoch).pad(id.sequence)
    }
}

/// The answer shifted by a number at a place, with the tag that goes with it under this point.
fn shifted_with_point(answer: &Answer, captured: &Captured, place: usize, by: i32) -> Answer {
    let term = captured.term(answer.0.params.ring_degree, place, by);
    answer.clone().shifted(place, by).tag_plus(term)
}

#[test]
fn a_captured_device_and_the_server_shift_sums_and_nothing_else() {
    let (world, ids) = (World::new(), all());
    let (honest, captured) = (world.sum(&ids), Captured::device(&world, 1));
    let mut wanted = sums(&ids);
    wanted[2] += 1000;
    let shifted = shifted_with_point(&honest, &captured, 2, 1000);
    world.believes(&shifted, &wanted, "shifted, as the specification says");
    // Its own contribution can be anything: a shift from frames that were never sent.
    let own = named(1, 77);
    let invented = [&ids[..], &[own]].concat();
    let invented = honest.clone().named(&invented).tag_plus(captured.pad(own));
    world.believes(&invented, &sums(&ids), "a frame of its own, invented");

    // It cannot leave out, count twice, scale or name anything of the other device.
    let other = named(2, 0);
    let rest: Vec<FrameId> = ids.iter().copied().filter(|id| *id != other).collect();
    let without = world.sum(&rest);
    let omitted = without.clone().named(&ids);
    world.refuses(
        &omitted.clone().tag_plus(captured.pad(other)),
        "omit, with its own pads",
    );
    let of_other = world.sum(&[other]);
    world.refuses(&honest.clone().plus(&of_other, 1), "double");
    world.refuses(&honest.clone().plus(&honest, 1), "scale");
    let renamed = [&rest[..], &[named(2, 9)]].concat();
    world.refuses(&honest.clone().named(&renamed), "another name");

    // Who knows the values of a frame and r knows its pad.
    let degree = honest.0.params.ring_degree;
    let known = values(other).into_iter().enumerate();
    let polynomial = known.fold(LinearTag::new(0, 0), |sum, (place, value)| {
        let term = LinearTag::new(0, captured.term(degree, place, value));
        sum.plus(term, 1).unwrap()
    });
    let pad = of_other.tag().plus(polynomial, -1).unwrap();
    let informed = omitted.tagged(|tag| tag.plus(pad, 1).unwrap());
    world.believes(&informed, &sums(&rest), "omitted by who knows its values");
}

#[test]
fn a_captured_device_opens_no_earlier_period_and_no_other_group() {
    let (mut world, ids) = (World::new(), all());
    let earlier = world.sum(&ids);
    world.begin(TagPeriodChoice::Next);
    let captured = Captured::device(&world, 1);
    let lie = shifted_with_point(&world.sum(&ids), &captured, 0, 9);
    let mut wanted = sums(&ids);
    wanted[0] += 9;
    world.believes(&lie, &wanted, "its own period");
    world.begin(TagPeriodChoice::NewGroup);
    let lie = shifted_with_point(&world.sum(&ids), &captured, 0, 9);
    world.refuses(&lie, "another group");
    world.period = 0;
    let lie = shifted_with_point(&earlier, &captured, 0, 9);
    world.refuses(&lie, "an earlier period");
    world.believes(&earlier, &sums(&ids), "an earlier period as it was");
}

/// A captured device alone speaks for itself: the server refuses frames in another device's name.
#[test]
fn a_captured_device_alone_speaks_for_itself() {
    let world = World::new();
    let mut lie = named(1, 50);
    let honest = world.frame(&(named(2, 0), vec![1, 2, 3, 4]));
    let own = world.frame(&(lie, vec![500, 500, 500, 500]));
    let request = Request::new(Job::Sum);
    let sources = [&own[..], &honest].concat();
    answer(&world.place.server(), &request, &sources).unwrap();
    // Its keys under the number of another device.
    let (one, two) = ("keys/device-1", "keys/device-2");
    for file in ["frame.key", "linear.key"] {
        let bytes = std::fs::read(world.place.path(one).join(file)).unwrap();
        std::fs::write(world.place.path(two).join(file), bytes).unwrap();
    }
    lie.device = 2;
    let forged = world.frame(&(lie, vec![500, 500, 500, 500]));
    let sources = [&forged[..], &honest].concat();
    let sealed = answer(&world.place.server(), &request, &sources).unwrap();
    let item = sealed.items.concat();
    let envelope = Envelope::read_only(&item).unwrap();
    let result = envelope
        .authenticate(world.owner.keys())
        .unwrap()
        .result()
        .unwrap();
    let frames: Vec<u64> = result
        .provenance
        .manifest
        .unwrap()
        .frames()
        .map(|(id, _)| id.device)
        .collect();
    assert_eq!(frames, [1, 2], "a frame names the device of its key");
}
