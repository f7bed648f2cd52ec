"""TFHE frames, wire.md section 6."""

from .frame import ARRAY, UNSIGNED, VERSION, head, item, seal_part
from .tfhe import TFHE_PUBLIC, packed_words, rounded

TFHE_FIELDS = 12
TFHE_TAG_DOMAIN = 1 << 34


def tfhe_frame(pair, ciphertext, schema, width, sender):
    """The bytes of a frame; schema: pairs of type and count."""
    parameters = pair.parameters
    bodies = packed_words(rounded(parameters, ciphertext.body, width), parameters, width)
    if ciphertext.kind == TFHE_PUBLIC:
        bodies = packed_words(ciphertext.mask, parameters) + bodies
    fields = [VERSION, ciphertext.kind, ciphertext.suite, pair.key_id, sender.device, sender.epoch, sender.sequence,
              ciphertext.nonce, width]
    encoded = head(ARRAY, TFHE_FIELDS) + b"".join(map(item, fields)) + schema_item(schema) + item(bodies)
    return seal_part(encoded, ciphertext.nonce, TFHE_TAG_DOMAIN, sender.device_key)


def schema_item(schema):
    numbers = [number for run in schema for number in run]
    return head(ARRAY, len(numbers)) + b"".join(head(UNSIGNED, number) for number in numbers)
