"""Parts and frames (wire.md, sections 1 and 2)."""

import struct
from dataclasses import dataclass

from . import wire_codes as wire
from .authentication import padded, tag
from .packing import pack
from .rounding import Rounding, payload, sent_places
from .streams import is_public


@dataclass(frozen=True)
class Claims:
    """The bound of the values (in CKKS its log2), the places from row to row (0: one row), the places of a reading, and the
    name of the columns."""

    bound: int
    stride: int = 0
    buckets: int = 1
    packing: bytes = b""


@dataclass(frozen=True)
class Encoding:
    """The description of the values in a frame: scale, count, layout, claims, the order of the parts' residues, and the
    rounding of layout 5."""

    log2_scale: int
    count: int
    interleave: int
    claims: Claims
    layout: int = 0
    rounding: Rounding = Rounding(0)


def head(major, value):
    """The shortest CBOR head for an argument."""
    if value < 24:
        return bytes([major << 5 | value])
    for extra, form in ((24, ">B"), (25, ">H"), (26, ">I"), (27, ">Q")):
        if value < 1 << 8 * struct.calcsize(form):
            return bytes([major << 5 | extra]) + struct.pack(form, value)
    raise ValueError(f"{value} does not fit 64 bits")


def item(value):
    """The CBOR encoding of an integer or a byte string."""
    if isinstance(value, int):
        return head(wire.CBOR_UNSIGNED, value) if value >= 0 else head(wire.CBOR_NEGATIVE, -1 - value)
    return head(wire.CBOR_BYTES, len(value)) + value


@dataclass(frozen=True)
class Identity:
    """The names in a frame: key pair, kind, suite, sender and level."""

    pair: object
    kind: int
    suite: int
    sender: object
    level: int


def header_fields(identity, encoding, nonce, part):
    """The fields of PART before the seed. They say everything about the part and its values."""
    pair, sender = identity.pair, identity.sender
    claims, rounding = encoding.claims, encoding.rounding
    return [wire.VERSION, identity.kind, pair.parameters.set_id, identity.suite, pair.key_id, sender.device, sender.epoch,
            sender.sequence, nonce, part, identity.level, encoding.interleave, encoding.log2_scale, encoding.count,
            encoding.layout, claims.bound, claims.stride or encoding.count, claims.buckets, claims.packing, rounding.run,
            *rounding.dropped]


def description(identity, encoding, value_type, log2_unit=0):
    """The bytes that precede the values under the hedge of a root (ckks.md, section 2): the header of part 0 with a nonce of
    zeros, then the type and unit of the values."""
    fields = header_fields(identity, encoding, bytes(wire.NONCE_BYTES), 0)
    return padded(head(wire.CBOR_ARRAY, len(wire.PART)) + b"".join(map(item, fields)) + bytes([value_type, log2_unit % 256]))


def part_fields(pair, ciphertext, sender, encoding, linear=b""):
    """The fields of PART for each part, without the tag. A linear tag follows the residues of the last part."""
    parameters, root, level = pair.parameters, ciphertext.root, len(ciphertext.c0)
    identity = Identity(pair, ciphertext.kind, ciphertext.suite, sender, level)
    seed = b"" if is_public(ciphertext.kind) else root.mask_seed
    parts = 1 if encoding.layout == wire.LAYOUT_COEFFICIENTS_ROUNDED else level
    for index in range(parts):
        if encoding.layout == wire.LAYOUT_COEFFICIENTS_ROUNDED:
            places = sent_places(encoding.count, encoding.claims.stride or encoding.count, encoding.rounding.run)
            body = payload(ciphertext, parameters.data_primes[:level], places, encoding.rounding.dropped)
        else:
            body = residues(ciphertext, index, parameters.data_primes[index].bit_length(), encoding.interleave)
        yield [*header_fields(identity, encoding, root.nonce, index), seed, body + (linear if index == parts - 1 else b"")]


def residues(ciphertext, index, bits, interleave):
    """The packed residues of one part."""
    c0, c1 = ciphertext.c0[index], ciphertext.c1[index]
    if not is_public(ciphertext.kind):
        return pack(c0, bits)
    size = len(c0) // interleave
    ranges = [slice(start, start + size) for start in range(0, len(c0), size)]
    return b"".join(pack(c0[piece], bits) + pack(c1[piece], bits) for piece in ranges)


def seal_part(encoded, nonce, part, device_key):
    """A part from its bytes before the tag."""
    return encoded + item(tag(device_key, nonce, part, encoded))


def frame(pair, ciphertext, sender, encoding, linear=b""):
    """The parts of a frame, ordered by prime; `linear` is its linear tag, if it has one."""
    parts = []
    for index, fields in enumerate(part_fields(pair, ciphertext, sender, encoding, linear)):
        encoded = head(wire.CBOR_ARRAY, len(wire.PART)) + b"".join(map(item, fields))
        parts.append(seal_part(encoded, ciphertext.root.nonce, index, sender.device_key))
    return parts
