"""Receipts (wire.md, section 11): the server's word on one frame, for the device that sent it."""

import hashlib
import struct

from . import wire_codes as wire
from .frame import head, item
from .parse import demand
from .streams import Sender

NAME_OFFSET = 22
OUTCOMES = (wire.OUTCOME_STORED, wire.OUTCOME_KNOWN, wire.OUTCOME_STALE, wire.OUTCOME_ANNOUNCED)


def receipt(key_id, sender, outcome):
    """The item about the frame of this device, epoch and sequence, under the sender's device key."""
    name = struct.pack("<QIQ", sender.device, sender.epoch, sender.sequence)
    fields = [wire.VERSION, wire.KIND_RECEIPT, key_id, name, outcome]
    message = head(wire.CBOR_ARRAY, len(wire.RECEIPT)) + b"".join(map(item, fields))
    return message + item(receipt_tag(sender.device_key, message))


def receipt_tag(device_key, message):
    """The tag of the bytes before its head."""
    return hashlib.shake_256(wire.HASH_LABEL_RECEIPT + device_key + message).digest(wire.TAG_BYTES)


def parse_receipt(data, device, device_key):
    """Epoch, sequence and outcome, of a receipt for this device; Malformed("tag") for every other."""
    message, given = data[:-wire.TAG_BYTES - 1], data[-wire.TAG_BYTES:]
    demand(receipt_tag(device_key, message) == given, "tag")
    name = data[NAME_OFFSET:NAME_OFFSET + wire.FRAME_NAME_BYTES]
    demand(len(name) == wire.FRAME_NAME_BYTES, "tag")
    of, epoch, sequence = struct.unpack("<QIQ", name)
    key_id, outcome = data[NAME_OFFSET - 1 - wire.KEY_ID_BYTES:NAME_OFFSET - 1], data[NAME_OFFSET + len(name)]
    sender = Sender(device_key, device, epoch, sequence)
    demand(of == device and outcome in OUTCOMES and data == receipt(key_id, sender, outcome), "tag")
    return epoch, sequence, outcome
