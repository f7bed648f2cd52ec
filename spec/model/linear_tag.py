"""Linear tags (verify.md): eight bytes beside the integers of a frame, which are folded as the frames are; eight more prove sums
of its columns."""

import hashlib
import struct
from dataclasses import dataclass, replace

from . import wire_codes as wire
from .chacha20 import chacha20_blocks, hchacha20

MODULUS = (1 << 61) - 1
PERIOD_SHIFT, PERIODS = 61, 8  # of the period, what a tag says
SEQUENCES = 8  # whose pads are one block
OF_ROWS, OF_READINGS = 0, 1  # in place of the stride in a shape: of the sum of all rows, or of all one-hot readings


@dataclass(frozen=True)
class Shape:
    """Bound by a tag beside values and name: values of a row, places from row to row, name of the columns, and the log2 of the
    unit of the integers, 0 in BFV."""

    columns: int
    stride: int
    packing: bytes = b""
    log2_unit: int = 0

    def words(self, epoch):
        """The second input of a pad's key."""
        return struct.pack("<3I", epoch, self.columns, self.stride) + bytes([self.log2_unit % 256, bool(self.packing), 0, 0])

    def of_columns(self, buckets=1):
        """The shape of the second tag."""
        if buckets > 1:
            return replace(self, columns=buckets, stride=OF_READINGS)
        return replace(self, stride=OF_ROWS)


@dataclass(frozen=True)
class TagKey:
    """The keys of a device in one period: the point r of its group, and the key of its pads."""

    period: int
    point: int
    pad_key: bytes

    def pad(self, shape, epoch, sequence):
        """The number that hides the tag of one frame."""
        first = hchacha20(self.pad_key, shape.packing or bytes(wire.PACKING_BYTES))
        key = hchacha20(first, shape.words(epoch))
        block, at = sequence // SEQUENCES, sequence % SEQUENCES * 8
        data = chacha20_blocks(key, 0, struct.pack("<QI", block, 0))
        return int.from_bytes(data[at:at + 8], "little") % MODULUS


def _derived(label, *parts, size=wire.LINEAR_SECRET_BYTES):
    return hashlib.shake_256(label + b"".join(parts)).digest(size)


def linear_master(payload):
    """The owner's key, from the payload of the secret key's blob."""
    return _derived(wire.HASH_LABEL_LINEAR_MASTER, payload)


def group_secret(master, group, period=0):
    """Shared by the devices of a group in a period."""
    return _advanced(_derived(wire.HASH_LABEL_LINEAR_GROUP, master, struct.pack("<I", group)), period)


def device_secret(master, device, period=0):
    """The secret of one device in a period."""
    return _advanced(_derived(wire.HASH_LABEL_LINEAR_DEVICE, master, struct.pack("<Q", device)), period)


def next_secret(secret):
    """The secret of the next period. There is no way back."""
    return _derived(wire.HASH_LABEL_LINEAR_NEXT, secret)


def _advanced(secret, periods):
    for _ in range(periods):
        secret = next_secret(secret)
    return secret


def tag_key(group, device, period):
    """The keys of a device, from the two secrets of the period."""
    point = int.from_bytes(_derived(wire.HASH_LABEL_LINEAR_POINT, group, size=8), "little") % MODULUS
    return TagKey(period, point, _derived(wire.HASH_LABEL_LINEAR_PAD, device))


def evaluated(point, ring_degree, values):
    """The sum of value * r^(n - place); values are pairs (place, integer)."""
    return sum(value * pow(point, ring_degree - place, MODULUS) for place, value in values) % MODULUS


def columns_evaluated(point, shape, values, rows=0):
    """The polynomial of the sums of columns: values are pairs (column, integer). Readings are not counted, rows are."""
    width = shape.columns
    total = sum(value * pow(point, width - column, MODULUS) for column, value in values)
    counted = rows if shape.stride == OF_ROWS else 0
    return (total + counted * pow(point, width + 1, MODULUS)) % MODULUS


def encoded(period, number):
    """The eight bytes of a tag."""
    return struct.pack("<Q", number | period % PERIODS << PERIOD_SHIFT)


def linear_tag(key, ring_degree, values, shape, sender):
    """The tag of the integers of one frame."""
    hidden = evaluated(key.point, ring_degree, values) + key.pad(shape, sender.epoch, sender.sequence)
    return encoded(key.period, hidden % MODULUS)


def column_tag(key, shape, values, rows, sender):
    """The second tag of one frame. The shape is that of the columns; values are pairs (number in the row, integer)."""
    columns = [(number % shape.columns, value) for number, value in values]
    hidden = columns_evaluated(key.point, shape, columns, rows) + key.pad(shape, sender.epoch, sender.sequence)
    return encoded(key.period, hidden % MODULUS)


def split(data):
    """(period modulo 8, number) of a tag."""
    word, = struct.unpack("<Q", data)
    return word >> PERIOD_SHIFT, word % (1 << PERIOD_SHIFT)


def period_of(data):
    """The period of a tag, modulo 8."""
    return split(data)[0]


def is_canonical(data):
    """Whether the number is below the modulus; readers refuse other tags."""
    return split(data)[1] < MODULUS


def folded(tags):
    """The tag of a sum of frames; `tags` are pairs (tag, weight). ValueError for tags of several periods."""
    parts = [(*split(data), weight) for data, weight in tags]
    periods = {period for period, _, _ in parts}
    if len(periods) != 1:
        raise ValueError("periods differ")
    return encoded(periods.pop(), sum(weight * number for _, number, weight in parts) % MODULUS)


def proves(data, period, values, pads):
    """Whether a folded tag proves values. `values` is their polynomial at the point, pads are pairs (pad, weight)."""
    found, number = split(data)
    hidden = sum(weight * pad for pad, weight in pads)
    return found == period % PERIODS and number == (values + hidden) % MODULUS
