"""Pads (pad.md): integers plus secret numbers of which a sum over a range of packets keeps two."""

import hashlib
import struct
from dataclasses import dataclass

from . import wire_codes as wire
from .chacha20 import chacha20_blocks
from .frame import head, item
from .packet import Described, authentic, header, packet_keys, packet_tag
from .streams import CHACHA20

DIGIT_BITS, DIGITS = 4, 8  # of a sequence; node 7 has the pads of sixteen
LAST = (1 << DIGIT_BITS * DIGITS) - 2  # the largest sequence of a packet: the pad behind it exists
NODE, STREAM, RATCHET = 1, 2, 3  # last words of the blocks


@dataclass(frozen=True)
class PadContext(Described):
    """Everything that the packets of a context have in common: the fields of the item with these names."""

    key_id: bytes
    device: int
    number: int
    width: int
    columns: int
    bound: int
    packing: bytes = b""
    ratchet: int = 0
    device_bytes: int = 4
    tag_bytes: int = 8
    naming = wire.NAMING_SEQUENCE

    @property
    def description(self):
        """The bytes of the item up to the announcement."""
        return head(wire.CBOR_ARRAY, len(wire.PAD_CONTEXT)) + items(
            [wire.VERSION, wire.KIND_PAD_CONTEXT, CHACHA20, self.key_id, self.device, *self.fields])

    @property
    def fields(self):
        """The numbers and names of the context behind its device."""
        return [self.number, self.width, self.columns, self.bound, self.packing, self.ratchet, self.device_bytes, self.tag_bytes]

    @property
    def body_bytes(self):
        """The length of the body, and of a pad."""
        return self.columns * self.width

    def root(self, pad_key, epoch=1):
        """The root of the pads of an epoch, which without a ratchet is that of all."""
        root = hashlib.shake_256(wire.HASH_LABEL_PAD + pad_key + hashlib.sha3_256(self.description).digest()).digest(32)
        for _ in range(1, epoch if self.ratchet else 1):
            root = next_root(root)
        return root


def items(values):
    """The fields of an item, one after the other."""
    return b"".join(map(item, values))


def device_pad_key(master, device):
    """The pad key of one device."""
    return hashlib.shake_256(wire.HASH_LABEL_PAD_DEVICE + master + struct.pack("<Q", device)).digest(wire.PAD_KEY_BYTES)


def pad_key_id(master):
    """The field `key` of contexts."""
    return hashlib.shake_256(wire.HASH_LABEL_PAD_KEY_ID + master).digest(wire.KEY_ID_BYTES)


def next_root(root):
    """The root of the next epoch, with a ratchet."""
    return _block(root, (0, 0, 0, RATCHET))[:32]


def _block(key, words):
    return chacha20_blocks(key, words[0], struct.pack("<3I", *words[1:]))


@dataclass(frozen=True)
class Node:
    """A node of the tree of one epoch: its first `depth` digits, as a number, and its bytes. One of depth 8 is a pad."""

    depth: int
    number: int
    data: bytes

    def below(self, context, epoch, depth, number):
        """The node below this one, or this one."""
        node = self
        while node.depth < depth:
            path = number >> DIGIT_BITS * (depth - node.depth - 1)
            node = Node(node.depth + 1, path, _child(context, epoch, node, path % (1 << DIGIT_BITS)))
        return node


def _child(context, epoch, node, digit):
    if node.depth < DIGITS - 1:
        return _block(node.data, (epoch, digit, node.depth, NODE))[:32]
    blocks = range(-(-context.body_bytes // 64))
    return b"".join(_block(node.data, (epoch, digit, c, STREAM)) for c in blocks)[:context.body_bytes]


def pad(context, root, epoch, sequence):
    """The pad of a sequence, as bytes."""
    return Node(0, 0, root).below(context, epoch, DIGITS, sequence).data


def integers_of(context, data):
    """Numbers of the context's width, modulo 2^b."""
    return [int.from_bytes(data[at:at + context.width], "little") for at in range(0, len(data), context.width)]


def reduced(context, values):
    """Integers modulo 2^b."""
    return [value % (1 << 8 * context.width) for value in values]


def difference(context, first, last):
    """One pad less another one, modulo 2^b."""
    return reduced(context, [a - b for a, b in zip(integers_of(context, first), integers_of(context, last))])


def pad_packet(context, sender, root, values):
    """A packet under the sender's name; `root` is that of its epoch."""
    assert sender.sequence <= LAST and all(abs(value) <= context.bound for value in values)
    pads = [pad(context, root, sender.epoch, sender.sequence + step) for step in (0, 1)]
    sums = reduced(context, [m + k for m, k in zip(values, difference(context, *pads), strict=True)])
    sealed = header(context, sender.sequence) + b"".join(value.to_bytes(context.width, "little") for value in sums)
    return sealed + packet_tag(context, packet_keys(context.key(sender.device_key), sender.epoch, sender.sequence), sealed)


def open_pad_packet(context, device_key, window, data):
    """(sequence, integers with their pads) of an authentic packet; Malformed for any other."""
    sequence, _, packed = authentic(context, device_key, window, data)
    window.largest = max(window.largest, sequence)
    return sequence, integers_of(context, packed)


@dataclass(frozen=True)
class Run:
    """Packets of one epoch, without a gap, and of one weight."""

    epoch: int
    first: int
    last: int
    weight: int = 1


def open_sum(context, total, runs, pad_of):
    """The true sums, from those of the server; pad_of(epoch, sequence) gives the pads."""
    true = list(total)
    for run in runs:
        taken = difference(context, pad_of(run.epoch, run.first), pad_of(run.epoch, run.last + 1))
        true = [value - run.weight * k for value, k in zip(true, taken)]
    half = 1 << 8 * context.width - 1
    assert sum((run.last + 1 - run.first) * abs(run.weight) for run in runs) * context.bound < half
    return [(value + half) % (2 * half) - half for value in true]


def range_key(context, root, epoch, first, last):
    """The entries that open sums of runs within first .. last - 1."""
    entries, at = [], first
    while at <= last:
        height = max(h for h in range(DIGITS) if at % (1 << DIGIT_BITS * h) == 0 and at + (1 << DIGIT_BITS * h) - 1 <= last)
        depth = DIGITS - height
        entries.append(Node(0, 0, root).below(context, epoch, depth, at >> DIGIT_BITS * height))
        at += 1 << DIGIT_BITS * height
    return entries


def pad_from(context, entries, epoch, sequence):
    """A pad from a range key; KeyError if the key does not open it."""
    for node in entries:
        if sequence >> DIGIT_BITS * (DIGITS - node.depth) == node.number:
            return node.below(context, epoch, DIGITS, sequence).data
    raise KeyError(sequence)


def grant(context, link, epoch, entries, first_and_last):
    """The file that gives a reader the entries of a range (wire.md, section 16)."""
    fields = [wire.VERSION, wire.KIND_PAD_GRANT, context.key_id, context.device, *context.fields, epoch, *first_and_last]
    described = head(wire.CBOR_ARRAY, len(wire.PAD_GRANT)) + items(fields)
    reader = hashlib.shake_256(wire.HASH_LABEL_PAD_READER + link + hashlib.sha3_256(described).digest()).digest(32)
    whole = described + items([reader, b"".join(node.data for node in entries)])
    return whole + item(hashlib.sha3_256(whole).digest())


def sum_fields(context, runs, total):
    """The fields of a result from `width` on, of packets of one context (wire.md, section 15)."""
    contexts = [context.number, context.bound, context.ratchet, context.device_bytes, context.tag_bytes]
    listed = [number for run in runs for number in (context.device, run.epoch, run.first, run.last, 0, run.weight % (1 << 32))]
    sums = b"".join(value.to_bytes(context.width, "little") for value in total)
    return (items([context.width, context.columns]) + head(wire.CBOR_ARRAY, len(contexts)) + items(contexts)
            + items([head(wire.CBOR_ARRAY, len(listed)) + items(listed), sums]))
