"""The strict reader of TFHE frames (wire.md, section 6). Every defect has a name."""

from dataclasses import dataclass

from . import wire_codes as wire
from .authentication import tag
from .parse import demand, expect_array, read_head, read_item
from .tfhe import TFHE_KINDS, TFHE_PUBLIC, TYPE_BITS
from .tfhe_sampling import TFHE_SUITES

FIXED_LENGTHS = {"key": wire.KEY_ID_BYTES, "nonce": wire.NONCE_BYTES}
BYTE_STRINGS = (*FIXED_LENGTHS, "packing", "bodies")


@dataclass
class Receiver:
    """A server's state for one device: the device's key, and the frames that were accepted."""

    device_key: bytes
    accepted: set


def parse_tfhe_frame(data, parameters, receiver):
    """The fields of a frame that was not accepted before. The set is the one of the key that the frame names."""
    fields, position = _read_fields(data)
    given, end = read_item(data, position, wire.CBOR_BYTES)
    demand(end == len(data), "trailing_bytes")
    demand(len(given) == wire.TAG_BYTES and all(len(fields[name]) == size for name, size in FIXED_LENGTHS.items()), "length")
    demand(tag(receiver.device_key, fields["nonce"], wire.DOMAIN_TFHE_FRAME, data[:position]) == given, "tag")
    _check_numbers(fields, parameters)
    _check_schema(fields["schema"])
    _check_rows(fields)
    _check_bodies(fields, parameters)
    name = fields["device"], fields["epoch"], fields["sequence"]
    demand(name not in receiver.accepted, "duplicate")
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
    demand(name != "version" or fields[name] == wire.VERSION, "unknown_version")
    demand(name != "kind" or fields[name] in TFHE_KINDS, "unknown_kind")


def _read_schema(data, position):
    count, position = read_head(data, position, wire.CBOR_ARRAY)
    demand(count <= 2 * wire.TFHE_RUNS, "length")
    numbers = []
    for _ in range(count):
        number, position = read_item(data, position, wire.CBOR_UNSIGNED)
        numbers.append(number)
    return numbers, position


def _check_numbers(fields, parameters):
    demand(fields["suite"] in TFHE_SUITES, "unknown_suite")
    demand(fields["epoch"] < 1 << 32 and fields["width"] in (parameters.word_bytes, parameters.word_bytes // 2), "out_of_range")


def _check_schema(numbers):
    types, counts = numbers[::2], numbers[1::2]
    demand(numbers and len(numbers) % 2 == 0, "length")
    demand(all(kind in TYPE_BITS for kind in types) and all(0 < count < 1 << 16 for count in counts), "out_of_range")
    demand(all(left != right for left, right in zip(types, types[1:])), "out_of_range")


def _check_rows(fields):
    demand(fields["columns"] and sum(fields["schema"][1::2]) % fields["columns"] == 0, "out_of_range")
    demand(len(fields["packing"]) in (0, wire.PACKING_BYTES), "length")


def _check_bodies(fields, parameters):
    numbers = fields["schema"]
    coefficients = sum(max(1, TYPE_BITS[kind] // parameters.message_bits) * count
                       for kind, count in zip(numbers[::2], numbers[1::2]))
    mask = parameters.ring_degree * parameters.word_bytes if fields["kind"] == TFHE_PUBLIC else 0
    demand(coefficients <= parameters.ring_degree and len(fields["bodies"]) == mask + coefficients * fields["width"], "length")
