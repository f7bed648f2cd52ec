"""The strict reader of parts, wire.md section 1: every defect has one name."""


from . import wire_codes as wire
from .authentication import tag
from .frame import head
from .packing import pack, unpack
from .rounding import payload_bytes, sent_places
from .shapes import COEFFICIENTS_ROUNDED, LAYOUTS, REPEATED, places
from .streams import KINDS_OF, SUITES, is_public, seed_bytes

FIXED_LENGTHS = {"set": wire.SET_ID_BYTES, "key": wire.KEY_ID_BYTES, "nonce": wire.NONCE_BYTES}
BYTE_STRINGS = (*FIXED_LENGTHS, "packing", "seed", "residues")
LOG2_BOUNDS = range(-20, 41)


class Malformed(Exception):
    """One of truncated, trailing_bytes, wrong_type, not_canonical, unknown_version, unknown_kind, unknown_set, unknown_suite,
    length, out_of_range, residue_range, tag, duplicate."""


def parse_part(data, sets, device_key):
    """The fields of one authenticated part, by name; `sets` are the known parameter sets."""
    position = expect_array(data, len(wire.PART))
    fields = {}
    for name in wire.PART[:-1]:
        fields[name], position = read_field(data, position, name)
    given, end = read_item(data, position, wire.CBOR_BYTES)
    if end != len(data):
        raise Malformed("trailing_bytes")
    parameters = _known(fields, sets)
    _check_lengths(fields, given, parameters)
    if tag(device_key, fields["nonce"], fields["part"], data[:position]) != given:
        raise Malformed("tag")
    _check_residues(fields, parameters)
    return fields


def _check_residues(fields, parameters):
    if fields["layout"] == COEFFICIENTS_ROUNDED:
        modulus, counts, dropped = _rounded_shape(fields, parameters)
        start = 0
        for size, count, bits in zip(payload_bytes(modulus, counts, dropped), counts, dropped):
            check_rounded(fields["residues"][start:start + size], modulus, count, bits)
            start += size
        return
    prime = parameters.data_primes[fields["part"]]
    if any(residue >= prime for residue in unpack(fields["residues"], prime.bit_length())):
        raise Malformed("residue_range")


def check_rounded(data, modulus, count, dropped):
    """Refuses coefficients that are not below the modulus, and bits behind the last one."""
    kept = modulus.bit_length() - dropped
    values = unpack(data, kept)[:count]
    if any(value << dropped >= modulus for value in values):
        raise Malformed("residue_range")
    if pack(values, kept) != data:
        raise Malformed("not_canonical")


def _rounded_shape(fields, parameters):
    """The modulus of a frame in layout 5, and for each polynomial that travels its coefficients and dropped bits."""
    sent = len(sent_places(fields["count"], fields["stride"], fields["run"]))
    polynomials = 2 if is_public(fields["kind"]) else 1
    return (parameters.at_level(fields["parts"]).modulus, (sent, parameters.ring_degree)[:polynomials],
            (fields["dropped_0"], fields["dropped_1"])[:polynomials])


def expect_array(data, elements):
    """The position after the head of an array of so many fields."""
    expected = head(wire.CBOR_ARRAY, elements)
    if data[:len(expected)] == expected[:len(data)] and len(data) < len(expected):
        raise Malformed("truncated")
    if data[:len(expected)] != expected:
        raise Malformed("not_canonical")
    return len(expected)


def read_field(data, position, name):
    """(value, position after it) of a field of a part."""
    if name == "bound":
        return read_integer(data, position)
    return read_item(data, position, wire.CBOR_BYTES if name in BYTE_STRINGS else wire.CBOR_UNSIGNED)


def read_integer(data, position):
    """(value, position after it) of a signed integer."""
    if position < len(data) and data[position] >> 5 == wire.CBOR_NEGATIVE:
        value, position = read_head(data, position, wire.CBOR_NEGATIVE)
        return -1 - value, position
    return read_head(data, position, wire.CBOR_UNSIGNED)


def read_item(data, position, major):
    """(value, position after it) of an unsigned integer or a byte string."""
    value, position = read_head(data, position, major)
    if major == wire.CBOR_UNSIGNED:
        return value, position
    if position + value > len(data):
        raise Malformed("truncated")
    return data[position:position + value], position + value


def read_head(data, position, major):
    """(number, position after it) of the shortest CBOR head of a major type [RFC8949]."""
    if position >= len(data):
        raise Malformed("truncated")
    if data[position] >> 5 != major:
        raise Malformed("wrong_type")
    low = data[position] & 31
    if low < 24:
        return low, position + 1
    if low > 27:
        raise Malformed("not_canonical")
    size = 1 << low - 24
    digits = data[position + 1:position + 1 + size]
    if len(digits) < size:
        raise Malformed("truncated")
    value = int.from_bytes(digits, "big")
    if value < (24 if size == 1 else 1 << 4 * size):
        raise Malformed("not_canonical")
    return value, position + 1 + size


def _known(fields, sets):
    if fields["version"] != wire.VERSION:
        raise Malformed("unknown_version")
    if not any(fields["kind"] in kinds for kinds in KINDS_OF.values()):
        raise Malformed("unknown_kind")
    if fields["suite"] not in SUITES:
        raise Malformed("unknown_suite")
    if any(len(fields[name]) != size for name, size in FIXED_LENGTHS.items()):
        raise Malformed("length")
    for parameters in sets:
        if parameters.set_id == fields["set"]:
            if fields["kind"] not in KINDS_OF[parameters.scheme]:
                raise Malformed("unknown_kind")
            return parameters
    raise Malformed("unknown_set")


def _check_lengths(fields, given, parameters):
    count, layout = fields["count"], fields["layout"]
    if layout not in LAYOUTS[parameters.scheme] or not 0 < count <= places(parameters, layout):
        raise Malformed("out_of_range")
    if layout in REPEATED and count & (count - 1):
        raise Malformed("out_of_range")
    _check_claims(fields, parameters)
    part = fields["part"]
    if not part < fields["parts"] <= len(parameters.data_primes):
        raise Malformed("length")
    seed = 0 if is_public(fields["kind"]) else seed_bytes(fields["suite"])
    if len(fields["packing"]) not in (0, wire.PACKING_BYTES):
        raise Malformed("length")
    expected = {"seed": seed, "residues": _body_bytes(fields, parameters)}
    if len(given) != wire.TAG_BYTES or any(len(fields[name]) != size for name, size in expected.items()):
        raise Malformed("length")


def _body_bytes(fields, parameters):
    """The length of the residues, or of the rounded coefficients."""
    if fields["layout"] == COEFFICIENTS_ROUNDED:
        _check_rounding(fields, parameters)
        return sum(payload_bytes(*_rounded_shape(fields, parameters)))
    if fields["run"] or fields["dropped_0"] or fields["dropped_1"]:
        raise Malformed("out_of_range")
    polynomials = 2 if is_public(fields["kind"]) else 1
    return polynomials * parameters.ring_degree * parameters.data_primes[fields["part"]].bit_length() // 8


def _check_rounding(fields, parameters):
    """Refuses a level, a part, rows and dropped bits that rounded coefficients of the set do not have."""
    stride, run, parts = fields["stride"], fields["run"], fields["parts"]
    modulus = parameters.at_level(parts).modulus
    rows, columns = (fields["count"] - 1) // stride, (fields["count"] - 1) % stride + 1
    dropped = fields["dropped_0"], fields["dropped_1"]
    if parameters.has_primes64 or parts > wire.ROUNDED_PRIMES:
        raise Malformed("out_of_range")
    if fields["part"] or fields["interleave"] != 1:
        raise Malformed("out_of_range")
    if not columns <= run <= stride or rows * stride + run > parameters.ring_degree:
        raise Malformed("out_of_range")
    if max(dropped) >= modulus.bit_length() or dropped[1] and not is_public(fields["kind"]):
        raise Malformed("out_of_range")


def _check_claims(fields, parameters):
    """Refuses a bound that the set does not have, and rows or buckets that the number of values does not allow."""
    stride, buckets = fields["stride"], fields["buckets"]
    bounds = LOG2_BOUNDS if parameters.scheme == "ckks" else range(1, parameters.plain_modulus // 2 + 1)
    if fields["bound"] not in bounds or not 0 < stride <= wire.RING_DEGREE:
        raise Malformed("out_of_range")
    if fields["layout"] in REPEATED and stride != fields["count"]:
        raise Malformed("out_of_range")
    columns = (fields["count"] - 1) % stride + 1
    if buckets < 1 or buckets & (buckets - 1) or columns % buckets:
        raise Malformed("out_of_range")
