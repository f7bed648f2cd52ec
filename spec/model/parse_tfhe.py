"""The strict reader of TFHE frames, wire.md section 6: every defect has one name."""

from dataclasses import dataclass

from . import wire_codes as wire
from .authentication import tag
from .parse import Malformed, expect_array, read_head, read_item
from .tfhe import TFHE_KINDS, TFHE_PUBLIC, TYPE_BITS
from .tfhe_sampling import TFHE_SUITES

FIXED_LENGTHS = {"key": wire.KEY_ID_BYTES, "nonce": wire.NONCE_BYTES}
BYTE_STRINGS = (*FIXED_LENGTHS, "packing", "bodies")


@dataclass
class Receiver:
    """A server's state for one device: the device's key, and the frames accepted so far."""

    device_key: bytes
    accepted: set


def parse_tfhe_frame(data, parameters, receiver):
    """The fields of a frame not accepted before; the set is that of the key that the frame names."""
    fields, position = _read_fields(data)
    given, end = read_item(data, position, wire.CBOR_BYTES)
    if end != len(data):
        raise Malformed("trailing_bytes")
    if len(given) != wire.TAG_BYTES or any(len(fields[name]) != size for name, size in FIXED_LENGTHS.items()):
        raise Malformed("length")
    if tag(receiver.device_key, fields["nonce"], wire.DOMAIN_TFHE_FRAME, data[:position]) != given:
        raise Malformed("tag")
    _check_numbers(fields, parameters)
    _check_schema(fields["schema"])
    _check_rows(fields)
    _check_bodies(fields, parameters)
    name = fields["device"], fields["epoch"], fields["sequence"]
    if name in receiver.accepted:
        raise Malformed("duplicate")
    receiver.accepted.add(name)
    return fields


def _read_fields(data):
    position, fields = expect_array(data, len(wire.TFHE_FRAME)), {}
    for name in wire.TFHE_FRAME[:-1]:
        if name == "schema":
            fields[name], position = _read_schema(data, position)
        else:
            fields[name], position = read_item(data, position, wire.CBOR_BYTES if name in BYTE_STRINGS else wire.CBOR_UNSIGNED)
        _check_known(name, fields)
    return fields, position


def _check_known(name, fields):
    if name == "version" and fields[name] != wire.VERSION:
        raise Malformed("unknown_version")
    if name == "kind" and fields[name] not in TFHE_KINDS:
        raise Malformed("unknown_kind")


def _read_schema(data, position):
    count, position = read_head(data, position, wire.CBOR_ARRAY)
    if count > 2 * wire.TFHE_RUNS:
        raise Malformed("length")
    numbers = []
    for _ in range(count):
        number, position = read_item(data, position, wire.CBOR_UNSIGNED)
        numbers.append(number)
    return numbers, position


def _check_numbers(fields, parameters):
    if fields["suite"] not in TFHE_SUITES:
        raise Malformed("unknown_suite")
    if fields["epoch"] >= 1 << 32 or fields["width"] not in (parameters.word_bytes, parameters.word_bytes // 2):
        raise Malformed("out_of_range")


def _check_schema(numbers):
    types, counts = numbers[::2], numbers[1::2]
    if len(numbers) % 2 or not numbers:
        raise Malformed("length")
    if any(kind not in TYPE_BITS for kind in types) or any(not 0 < count < 1 << 16 for count in counts):
        raise Malformed("out_of_range")
    if any(left == right for left, right in zip(types, types[1:])):
        raise Malformed("out_of_range")


def _check_rows(fields):
    if fields["columns"] == 0 or sum(fields["schema"][1::2]) % fields["columns"]:
        raise Malformed("out_of_range")
    if len(fields["packing"]) not in (0, wire.PACKING_BYTES):
        raise Malformed("length")


def _check_bodies(fields, parameters):
    numbers = fields["schema"]
    coefficients = sum(max(1, TYPE_BITS[kind] // parameters.message_bits) * count
                       for kind, count in zip(numbers[::2], numbers[1::2]))
    mask = parameters.ring_degree * parameters.word_bytes if fields["kind"] == TFHE_PUBLIC else 0
    if coefficients > parameters.ring_degree or len(fields["bodies"]) != mask + coefficients * fields["width"]:
        raise Malformed("length")
