"""Names of columns, requests and manifests (wire.md, sections 1 and 3): digests of CBOR that several sides must compute
equally."""

import hashlib
import struct
from dataclasses import astuple, dataclass

from . import wire_codes as wire
from .frame import head, item

FLOAT64 = bytes([wire.CBOR_SIMPLE << 5 | 27])


def encoded(value):
    """Deterministic CBOR of an integer, a float, a byte string, a text, or a list of these."""
    if isinstance(value, float):
        return FLOAT64 + struct.pack(">d", value)
    if isinstance(value, str):
        text = value.encode()
        return head(wire.CBOR_TEXT, len(text)) + text
    if isinstance(value, (list, tuple)):
        return head(wire.CBOR_ARRAY, len(value)) + b"".join(map(encoded, value))
    return item(value)


@dataclass(frozen=True)
class Columns:
    """Names of the columns, their standardisation (empty: none), and the edges of one-hot buckets (empty: none)."""

    names: tuple
    means: tuple = ()
    scales: tuple = ()
    edges: tuple = ()

    @property
    def packing(self):
        """The field `packing` of frames and results."""
        return hashlib.sha3_256(wire.HASH_LABEL_PACKING + encoded(astuple(self))).digest()[:wire.PACKING_BYTES]


def request_digest(set_id, job, parameters):
    """The field `request` of results: the job and its parameters, in the order that the job defines."""
    return hashlib.sha3_256(wire.HASH_LABEL_REQUEST + encoded([set_id, job, *parameters])).digest()


@dataclass(frozen=True, order=True)
class FrameRange:
    """Frames of one device and epoch with consecutive sequences and the same number of rows."""

    device: int
    epoch: int
    first: int
    last: int
    rows: int


def manifest(frames):
    """The manifest of frames (device, epoch, sequence, rows): sorted ranges, each of the greatest length."""
    ranges = []
    for device, epoch, sequence, rows in sorted(frames):
        before = ranges[-1] if ranges else None
        if before and (before.device, before.epoch, before.last + 1, before.rows) == (device, epoch, sequence, rows):
            ranges[-1] = FrameRange(device, epoch, before.first, sequence, rows)
        else:
            ranges.append(FrameRange(device, epoch, sequence, sequence, rows))
    return encoded([number for entry in ranges for number in astuple(entry)])


def origin(manifest_bytes):
    """The field `origin` of results."""
    return hashlib.sha3_256(manifest_bytes).digest()
