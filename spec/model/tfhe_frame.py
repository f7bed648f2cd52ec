"""Writes TFHE frames, wire.md section 6."""

from .frame import head, item, seal_part
from .tfhe import packed_words, rounded
from .wire_codes import CBOR_ARRAY, CBOR_UNSIGNED, DOMAIN_TFHE_FRAME, KIND_TFHE_PUBLIC, TFHE_FRAME, VERSION


def tfhe_frame(pair, ciphertext, schema, width, sender):
    """The bytes of a frame; the schema is pairs of type and count."""
    parameters = pair.parameters
    bodies = packed_words(rounded(parameters, ciphertext.body, width), parameters, width)
    if ciphertext.kind == KIND_TFHE_PUBLIC:
        bodies = packed_words(ciphertext.mask, parameters) + bodies
    fields = [VERSION, ciphertext.kind, ciphertext.suite, pair.key_id, sender.device, sender.epoch, sender.sequence,
              ciphertext.nonce, width]
    encoded = head(CBOR_ARRAY, len(TFHE_FRAME)) + b"".join(map(item, fields)) + schema_item(schema) + item(bodies)
    return seal_part(encoded, ciphertext.nonce, DOMAIN_TFHE_FRAME, sender.device_key)


def schema_item(schema):
    numbers = [number for run in schema for number in run]
    return head(CBOR_ARRAY, len(numbers)) + b"".join(head(CBOR_UNSIGNED, number) for number in numbers)
