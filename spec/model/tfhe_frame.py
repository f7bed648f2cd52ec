"""Writes TFHE frames (wire.md, section 6)."""

from dataclasses import dataclass

from .authentication import padded
from .frame import Identity, head, item, seal_part
from .tfhe import packed_words, rounded
from .wire_codes import CBOR_ARRAY, CBOR_UNSIGNED, DOMAIN_TFHE_FRAME, KIND_TFHE_PUBLIC, NONCE_BYTES, TFHE_FRAME, VERSION


@dataclass(frozen=True)
class TfheEncoding:
    """The description of the values in a frame: pairs of type and count, bytes of a body, values of a row (0: one row), and
    the name of the columns."""

    schema: tuple
    width: int
    columns: int = 0
    packing: bytes = b""


def tfhe_header(identity, encoding, nonce):
    """The bytes of a frame before its bodies. They say everything about the frame and its values."""
    sender = identity.sender
    columns = encoding.columns or sum(count for _, count in encoding.schema)
    fields = [VERSION, identity.kind, identity.suite, identity.pair.key_id, sender.device, sender.epoch, sender.sequence, nonce,
              encoding.width]
    encoded = head(CBOR_ARRAY, len(TFHE_FRAME)) + b"".join(map(item, fields)) + schema_item(encoding.schema)
    return encoded + item(columns) + item(encoding.packing)


def tfhe_description(identity, encoding):
    """The bytes that precede the blocks under the hedge of a root (tfhe.md, section 2): the header with a nonce of zeros."""
    return padded(tfhe_header(identity, encoding, bytes(NONCE_BYTES)))


def tfhe_frame(pair, ciphertext, encoding, sender):
    """The bytes of a frame."""
    parameters, width = pair.parameters, encoding.width
    bodies = packed_words(rounded(parameters, ciphertext.body, width), parameters, width)
    if ciphertext.kind == KIND_TFHE_PUBLIC:
        bodies = packed_words(ciphertext.mask, parameters) + bodies
    identity = Identity(pair, ciphertext.kind, ciphertext.suite, sender, 0)
    encoded = tfhe_header(identity, encoding, ciphertext.nonce) + item(bodies)
    return seal_part(encoded, ciphertext.nonce, DOMAIN_TFHE_FRAME, sender.device_key)


def schema_item(schema):
    numbers = [number for run in schema for number in run]
    return head(CBOR_ARRAY, len(numbers)) + b"".join(head(CBOR_UNSIGNED, number) for number in numbers)
