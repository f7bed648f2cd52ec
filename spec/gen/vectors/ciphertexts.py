"""Records of keys, ciphertexts, frames and decryptions, for each set."""

from dataclasses import dataclass, replace
from functools import cache, cached_property

from ...model import streams
from ...model.authentication import device_key
from ...model.decode import FRACTION, decode
from ...model.encode import Precision, encode
from ...model.encryption import decrypt, encrypt
from ...model.frame import Claims, Encoding, Identity, description, frame
from ...model.keys import BLOB_KINDS, SPLIT_KINDS, KeyPair, KeySeeds, blob, split_blob
from ...model.shapes import SLOTS_DITHERED
from ...model.wire_codes import KEY_BLOB_HEADER_BYTES
from .digest import sha3, words
from .inputs import bytes_of, counting_bytes, values_of

SEEDS = KeySeeds(counting_bytes(0x60), counting_bytes(0x80), counting_bytes(0xA0))
SENDER = streams.Sender(device_key(counting_bytes(0xC0), 1001), 1001, 3, 42)
SOURCE = streams.Source(counting_bytes(0), SENDER)
INTERLEAVES = (1, 2, 4, 8)

FIXED = {
    "key_generation": {"secret_key_start": 0x60, "mask_seed_start": 0x80, "noise_key_start": 0xA0},
    "source": {"entropy_start": 0,
               "hedge": "of the sender, the frame's header, and the values: float32, in BFV int32 or uint32, in TFHE the packed "
                        "blocks"},
    "encoding": "slots with a dither, where the record has no layout",
    "sender": {"device_master_start": 0xC0, "device": 1001, "device_key": SENDER.device_key.hex(), "epoch": 3,
               "sequence": 42},
    "input": "number rule f32, the record's pattern, log2_scale and log2_bound",
}

# Sets whose key generation has records: one to three primes, both schemes, both word sizes.
GENERATED = ("ckks-1024x1-sum", "ckks-4096x3-multiply", "ckks-4096x2-linear", "bfv-1024x1-count", "bfv-4096x2w-seal-default",
             "ckks-8192x3w-sum")

# Beyond random input at the default scale: 64-bit encodings, and fewer values than slots.
MORE_MESSAGES = {
    "ckks-1024x1-sum": (("short", 18, 0),),
    "ckks-4096x3-sum": (("random", 40, 0),),
    "ckks-8192x6-multiply": (("random", 40, 4),),
    "ckks-8192x3w-sum": (("random", 50, 4), ("short", 20, 0)),
}


@dataclass(frozen=True)
class Case:
    """The inputs of one ciphertext, and the ciphertext itself."""

    pair: KeyPair
    pattern: str
    precision: Precision
    kind: int
    suite: int
    interleave: int = 1

    @property
    def values(self):
        return values_of(self.pattern, "f32", self.precision.ring_degree, self.precision.log2_bound)

    @property
    def encoding(self):
        """The fields of the frame that describe the values."""
        return Encoding(self.precision.log2_scale, len(self.values), self.interleave, Claims(self.precision.log2_bound),
                        SLOTS_DITHERED)

    @cached_property
    def ciphertext(self):
        """The ciphertext of the frame with this interleave. The frame's root binds the interleave."""
        source = described(source_of(self.values), identity_of(self.pair, self.kind, self.suite), self.encoding)
        message = encode(self.values, self.precision, dither_of(self.pair, source, self.kind, self.suite))
        return encrypt(self.pair, message, source, self.kind, self.suite)

    @property
    def label(self):
        return {"set": self.pair.parameters.name, "kind": self.kind, "suite": self.suite,
                "pattern": self.pattern, "log2_scale": self.precision.log2_scale,
                "log2_bound": self.precision.log2_bound}


def source_of(values, letter="f"):
    """The source that encrypts these values, without their description."""
    return replace(SOURCE, values=bytes_of(values, letter))


# Types of values in a hedge, by the letter of `struct`.
VALUE_TYPES = {"f": 1, "d": 2, "i": 3, "I": 5, "h": 6}


def identity_of(pair, kind, suite, level=None):
    """The names in a frame of the sender. The level is all data primes unless another one is given."""
    return Identity(pair, kind, suite, SENDER, level or len(pair.parameters.data_primes))


def described(source, identity, encoding, letter="f"):
    """The source, with the description that the frame will carry."""
    return replace(source, description=description(identity, encoding, VALUE_TYPES[letter]))


def dither_of(pair, source, kind, suite):
    """The random words of an encryption's dither."""
    root = streams.derive_root(source, suite, kind, pair.key_id, pair.parameters.set_id)
    return streams.stream_words(suite, root.noise_key, streams.DITHER, 0)


@cache
def pair_of(parameters):
    """The key pair of a set, made once for all documents."""
    return KeyPair(parameters, SEEDS)


def records(parameters):
    """The records of one set, by the name of their list."""
    pair = pair_of(parameters)
    found = {**key_records(parameters), "encryption": [], "frames": [], "decryption": []}
    for case in cases(pair):
        found["encryption"] += encryption_records(case)
        found["frames"] += frame_records(case)
        found["decryption"] += decryption_records(case)
    return found


def joined(by_set):
    """The records of all sets, by the name of their list."""
    names = {name for found in by_set for name in found}
    return {name: [record for found in by_set for record in found.get(name, ())] for name in names}


def key_records(parameters):
    """The records of a set's keys only."""
    pair = pair_of(parameters)
    generated = generated_records(parameters) if parameters.name in GENERATED else []
    return {"keys": [key_record(pair)], "blobs": blob_records(pair), "split_blobs": split_records(pair),
            "generated_blobs": generated}


def generated_records(parameters):
    """The blobs of the key pair that a device generates from the source."""
    pair = KeyPair(parameters, KeySeeds(*streams.derive_key_seeds(SOURCE.entropy, parameters.set_id)))
    return blob_records(pair)


def cases(pair):
    parameters = pair.parameters
    messages = [("random", parameters.log2_scale[1], 0), *MORE_MESSAGES.get(parameters.name, ())]
    for pattern, log2_scale, log2_bound in messages:
        precision = Precision(parameters.ring_degree, log2_scale, log2_bound)
        for kind in streams.KINDS:
            for suite in streams.SUITES:
                yield Case(pair, pattern, precision, kind, suite)


def key_record(pair):
    rows = {"public_0": pair.public_0, "public_1": pair.public_1, "secret_ntt": pair.secret_ntt}
    width = pair.parameters.word_bits
    digests = {f"{name}_sha3": sha3(b"".join(words(row, width) for row in residues)) for name, residues in rows.items()}
    return {"set": pair.parameters.name, "set_id": pair.parameters.set_id.hex(), "key_id": pair.key_id.hex(),
            "secret_sha3": sha3(words(pair.secret, 8)), **digests}


def blob_records(pair):
    images = [(kind, blob(pair, kind)) for kind in BLOB_KINDS]
    return [{"set": pair.parameters.name, "blob_kind": kind, "bytes": len(image), "header": image[:KEY_BLOB_HEADER_BYTES].hex(),
             "sha3": sha3(image)} for kind, image in images]


def split_records(pair):
    """The last prime's part of a public key, in both kinds."""
    prime = len(pair.parameters.data_primes) - 1
    images = [(kind, split_blob(pair, kind, prime)) for kind in SPLIT_KINDS]
    return [{"set": pair.parameters.name, "blob_kind": kind, "prime": prime, "bytes": len(image),
             "header": image[:KEY_BLOB_HEADER_BYTES].hex(),
             "sha3": sha3(image)} for kind, image in images]


def encryption_records(case):
    width = case.pair.parameters.word_bits
    for index, (c0, c1) in enumerate(zip(case.ciphertext.c0, case.ciphertext.c1)):
        first = {f"{name}_first": row[:4] for name, row in (("c0", c0), ("c1", c1))}
        yield {**case.label, "prime": index, **first, "c0_sha3": sha3(words(c0, width)),
               "c1_sha3": sha3(words(c1, width))}


def frame_records(case):
    every = case.kind == streams.PUBLIC_KEY and case.suite == streams.CHACHA20
    for interleave in INTERLEAVES if every else (1,):
        of = case if interleave == 1 else replace(case, interleave=interleave)
        parts = frame(of.pair, of.ciphertext, SENDER, of.encoding)
        yield {**of.label, "interleave": interleave, "count": of.encoding.count,
               "bytes": sum(map(len, parts)), "header": parts[0][:header_bytes(of, parts[0])].hex(),
               "last_tag": parts[-1][-16:].hex(), "sha3": sha3(b"".join(parts))}


def header_bytes(case, part):
    """The length of a part of prime 0 without its packed residues, the tag and the tag's head."""
    polynomials = 2 if case.kind == streams.PUBLIC_KEY else 1
    bits = case.pair.parameters.data_primes[0].bit_length()
    return len(part) - 17 - polynomials * case.precision.ring_degree * bits // 8


def decryption_records(case):
    if case.suite != streams.CHACHA20:
        return
    noisy = decrypt(case.pair, case.ciphertext)
    slots = [slot / 2**FRACTION for slot in decode(noisy, case.precision.log2_scale)]
    worst = max(abs(slot - value) for slot, value in zip(slots, case.values))
    parameters = case.pair.parameters
    residues = b"".join(words([value % prime for value in noisy], parameters.word_bits)
                        for prime in parameters.data_primes)
    yield {**case.label, "first": noisy[:4], "last": noisy[-4:], "residues_sha3": sha3(residues),
           "first_slots": slots[:4], "largest_error": worst}
