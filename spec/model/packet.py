"""Contexts and packets (packet.md): what a device sends, and what a server reads."""

import hashlib
import struct
from dataclasses import dataclass

from . import wire_codes as wire
from .chacha20 import chacha20_blocks
from .frame import head, item
from .mask import mask
from .ntt import inverse_ntt, ntt
from .packing import pack
from .parse import demand
from .rounding import lift, payload_bytes, rounded, sent_places, spread
from .sampling import error
from .siphash import siphash
from .streams import CHACHA20, ERROR_0

DEVICE_CODES = {0: 0, 2: 1, 4: 2}
NUMBER_BITS = 6
COUNTER_BYTES = {wire.NAMING_SEQUENCE: 2, wire.NAMING_RANDOM: 4}
RANDOM_NAMES = 1 << 62


class Described:
    """A context of any scheme, once it has a description, the form of its packets, and the length of their bodies."""

    @property
    def packet_bytes(self):
        """The length of every packet."""
        return 1 + self.device_bytes + COUNTER_BYTES[self.naming] + self.body_bytes + self.tag_bytes

    def key(self, device_key):
        """The context key."""
        digest = hashlib.sha3_256(self.description).digest()
        return hashlib.shake_256(wire.HASH_LABEL_PACKET + device_key + digest).digest(wire.CONTEXT_KEY_BYTES)

    def item(self, device_key, epoch, first):
        """The item with its announcement and tag."""
        message = self.description + item(epoch) + item(first)
        return message + item(hashlib.shake_256(wire.HASH_LABEL_CONTEXT + device_key + message).digest(wire.TAG_BYTES))

    def name_of(self, counter):
        """The sequence that a random counter stands for."""
        return RANDOM_NAMES | self.number << 32 | counter


@dataclass(frozen=True)
class Context(Described):
    """Everything that the packets of a context have in common: the fields of the item with these names."""

    pair: object
    frame: int
    device: int
    number: int
    log2_scale: int
    count: int
    bound: int
    stride: int
    run: int
    dropped: int
    buckets: int = 1
    packing: bytes = b""
    naming: int = wire.NAMING_SEQUENCE
    device_bytes: int = 4
    tag_bytes: int = 8

    @property
    def description(self):
        """The bytes of the item up to the announcement."""
        fields = [wire.VERSION, wire.KIND_CONTEXT, self.pair.parameters.set_id, CHACHA20, self.pair.key_id, self.device,
                  self.number, self.frame, self.log2_scale, self.count, wire.LAYOUT_COEFFICIENTS_ROUNDED, self.bound, self.stride,
                  self.buckets, self.packing, self.run, self.dropped, self.naming, self.device_bytes, self.tag_bytes]
        return head(wire.CBOR_ARRAY, len(wire.CONTEXT)) + b"".join(map(item, fields))

    @property
    def places(self):
        """The coefficients that are sent."""
        return sent_places(self.count, self.stride, self.run)

    @property
    def modulus(self):
        """The one prime of the level."""
        return self.pair.parameters.data_primes[0]

    @property
    def body_bytes(self):
        """The length of the body."""
        return payload_bytes(self.modulus, (len(self.places),), (self.dropped,))[0]


@dataclass(frozen=True)
class PacketKeys:
    """Seeds and keys that a packet derives from its name."""

    mask_seed: bytes
    tag: bytes
    hedge: bytes
    pad: bytes


def packet_keys(context_key, epoch, sequence):
    """Blocks P and Q."""
    words = [epoch, sequence & 0xFFFFFFFF, sequence >> 32]
    first, second = (_block(context_key, [*words, last]) for last in (0, 1))
    return PacketKeys(first[:32], first[32:48], first[48:], second[:32])


def _block(key, words):
    return chacha20_blocks(key, words[0], struct.pack("<3I", *words[1:]))


def random_counter(entropy):
    """The four random bytes of naming 1, as a number."""
    return int.from_bytes(_block(entropy, (0, 0, 0, 1))[:4], "little")


def noise_key(keys, entropy, value_type, log2_unit, values):
    """The noise key of values as they lie in memory."""
    hedge = siphash(keys.hedge, bytes([value_type, log2_unit % 256]) + values, 16)
    fresh = _block(entropy, (2, *struct.unpack("<3I", hedge[:12])))[:32]
    return bytes(a ^ b for a, b in zip(fresh, keys.pad))


def body(context, keys, secret_noise, message):
    """The coefficients of c0 that are sent, packed; `message` has n coefficients modulo q."""
    prime, degree = context.modulus, context.pair.parameters.ring_degree
    product = mask_times_secret(context, keys.mask_seed)
    noise = error(degree, CHACHA20, secret_noise, ERROR_0)
    sums = [(message[place] + noise[place] - product[place]) % prime for place in context.places]
    return pack([rounded(value, prime, context.dropped) for value in sums], prime.bit_length() - context.dropped)


def mask_times_secret(context, mask_seed):
    """a*s modulo q, where the elements of the mask are coefficients of a."""
    prime = context.modulus
    coefficients = mask(context.pair.parameters.at_level(1), CHACHA20, mask_seed)[0]
    secret = context.pair.secret_ntt[0]
    return inverse_ntt([a * s % prime for a, s in zip(ntt(coefficients, prime), secret)], prime)


def header(context, sequence):
    """The bytes before the body."""
    first = context.number | DEVICE_CODES[context.device_bytes] << NUMBER_BITS
    device = context.device if context.device_bytes else 0
    counter = sequence % (1 << 8 * COUNTER_BYTES[context.naming])
    return (bytes([first]) + device.to_bytes(context.device_bytes, "little")
            + counter.to_bytes(COUNTER_BYTES[context.naming], "little"))


def packet(context, sender, entropy, values, message):
    """A packet under the sender's name. values = (type, log2 unit, the values as they lie in memory)."""
    keys = packet_keys(context.key(sender.device_key), sender.epoch, sender.sequence)
    sealed = header(context, sender.sequence) + body(context, keys, noise_key(keys, entropy, *values), message)
    return sealed + packet_tag(context, keys, sealed)


def packet_tag(context, keys, sealed):
    """The tag of the bytes before it."""
    return siphash(keys.tag, sealed, 16 if context.tag_bytes == 16 else 8)[:context.tag_bytes]


@dataclass
class Window:
    """The newest epoch of a device, and its largest sequence; -1: none."""

    epoch: int
    largest: int = -1

    def restore(self, low):
        """The only sequence of the window with these low 16 bits."""
        begin = max(0, self.largest + 1 - wire.PACKET_REORDER)
        return begin + (low - begin) % (1 << 16)


def split_packet(context, data):
    """(counter, body, tag) of a packet of this context; Malformed for a packet of another shape."""
    demand(len(data) == context.packet_bytes, "length")
    start = 1 + context.device_bytes
    demand(data[:start] == header(context, 0)[:start], "context")
    end = start + COUNTER_BYTES[context.naming]
    return int.from_bytes(data[start:end], "little"), data[end:-context.tag_bytes], data[-context.tag_bytes:]


def authentic(context, device_key, window, data):
    """(sequence, keys, body) of an authentic packet under the window's epoch; Malformed for any other."""
    counter, packed, given = split_packet(context, data)
    sequence = window.restore(counter) if context.naming == wire.NAMING_SEQUENCE else context.name_of(counter)
    keys = packet_keys(context.key(device_key), window.epoch, sequence)
    demand(packet_tag(context, keys, data[:-context.tag_bytes]) == given, "tag")
    return sequence, keys, packed


def open_packet(context, device_key, window, data):
    """(sequence, mask seed, c0) of an authentic packet; Malformed for any other."""
    sequence, keys, packed = authentic(context, device_key, window, data)
    demand(pad_is_zero(context, packed), "body")
    sent = lift(packed, context.modulus, len(context.places), context.dropped)
    demand(all(value < context.modulus for value in sent), "residue_range")
    if context.naming == wire.NAMING_SEQUENCE:
        window.largest = max(window.largest, sequence)
    return sequence, keys.mask_seed, sent


def pad_is_zero(context, packed):
    """Whether the bits behind the last coefficient are zero."""
    bits = len(context.places) * (context.modulus.bit_length() - context.dropped)
    return int.from_bytes(packed, "little") >> bits == 0


def decrypt_packet(context, mask_seed, sent):
    """Message plus noise at the places that were sent, centred modulo q."""
    prime, product = context.modulus, mask_times_secret(context, mask_seed)
    polynomial = spread(sent, context.places, context.pair.parameters.ring_degree)
    return [(polynomial[place] + product[place] + prime // 2) % prime - prime // 2 for place in context.places]
