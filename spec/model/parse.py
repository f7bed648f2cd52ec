"""The strict reader of parts (wire.md, section 1). Every defect has a name."""

from . import wire_codes as wire
from .authentication import tag
from .frame import head
from .linear_tag import is_canonical, period_of
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


def demand(is_met, error):
    """Refuses an item with the name of its defect, unless a condition is met."""
    if not is_met:
        raise Malformed(error)


def parse_part(data, sets, device_key):
    """The fields of one authenticated part, by name, and `linear`, its linear tag, empty if there is none; `sets` are the known
    parameter sets."""
    position = expect_array(data, len(wire.PART))
    fields = {}
    for name in wire.PART[:-1]:
        fields[name], position = read_field(data, position, name)
    given, end = read_item(data, position, wire.CBOR_BYTES)
    demand(end == len(data), "trailing_bytes")
    parameters = _known(fields, sets)
    _check_lengths(fields, given, parameters)
    demand(tag(device_key, fields["nonce"], fields["part"], data[:position]) == given, "tag")
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
    demand(all(residue < prime for residue in unpack(fields["residues"], prime.bit_length())), "residue_range")


def check_rounded(data, modulus, count, dropped):
    """Refuses coefficients that are not below the modulus, and set bits after the last coefficient."""
    kept = modulus.bit_length() - dropped
    values = unpack(data, kept)[:count]
    demand(all(value << dropped < modulus for value in values), "residue_range")
    demand(pack(values, kept) == data, "not_canonical")


def _rounded_shape(fields, parameters):
    """The modulus of a frame in layout 5, and the coefficients and dropped bits of each polynomial that is sent."""
    sent = len(sent_places(fields["count"], fields["stride"], fields["run"]))
    polynomials = 2 if is_public(fields["kind"]) else 1
    return (parameters.at_level(fields["parts"]).modulus, (sent, parameters.ring_degree)[:polynomials],
            (fields["dropped_0"], fields["dropped_1"])[:polynomials])


def expect_array(data, elements):
    """The position after the head of an array with this number of fields."""
    expected = head(wire.CBOR_ARRAY, elements)
    demand(data[:len(expected)] != expected[:len(data)] or len(data) >= len(expected), "truncated")
    demand(data[:len(expected)] == expected, "not_canonical")
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
    demand(position + value <= len(data), "truncated")
    return data[position:position + value], position + value


def read_head(data, position, major):
    """(number, position after it) of the shortest CBOR head of a major type [RFC8949]."""
    demand(position < len(data), "truncated")
    demand(data[position] >> 5 == major, "wrong_type")
    low = data[position] & 31
    if low < 24:
        return low, position + 1
    demand(low <= 27, "not_canonical")
    size = 1 << low - 24
    digits = data[position + 1:position + 1 + size]
    demand(len(digits) == size, "truncated")
    value = int.from_bytes(digits, "big")
    demand(value >= (24 if size == 1 else 1 << 4 * size), "not_canonical")
    return value, position + 1 + size


def _known(fields, sets):
    demand(fields["version"] == wire.VERSION, "unknown_version")
    demand(any(fields["kind"] in kinds for kinds in KINDS_OF.values()), "unknown_kind")
    demand(fields["suite"] in SUITES, "unknown_suite")
    demand(all(len(fields[name]) == size for name, size in FIXED_LENGTHS.items()), "length")
    found = next((parameters for parameters in sets if parameters.set_id == fields["set"]), None)
    demand(found, "unknown_set")
    demand(fields["kind"] in KINDS_OF[found.scheme], "unknown_kind")
    return found


def _check_lengths(fields, given, parameters):
    count, layout = fields["count"], fields["layout"]
    demand(layout in LAYOUTS[parameters.scheme] and 0 < count <= places(parameters, layout), "out_of_range")
    demand(layout not in REPEATED or not count & (count - 1), "out_of_range")
    _check_claims(fields, parameters)
    demand(fields["part"] < fields["parts"] <= len(parameters.data_primes), "length")
    demand(len(fields["packing"]) in (0, wire.PACKING_BYTES), "length")
    demand(len(fields["seed"]) == (0 if is_public(fields["kind"]) else seed_bytes(fields["suite"])), "length")
    _split_linear_tag(fields, _body_bytes(fields, parameters))
    demand(len(given) == wire.TAG_BYTES, "length")


def _split_linear_tag(fields, size):
    """Takes the linear tags, one or two of one period, off the residues of the last part."""
    fields["residues"], fields["linear"] = fields["residues"][:size], fields["residues"][size:]
    is_last = fields["layout"] == COEFFICIENTS_ROUNDED or fields["part"] == fields["parts"] - 1
    lengths = (0, wire.LINEAR_TAG_BYTES, 2 * wire.LINEAR_TAG_BYTES) if is_last else (0,)
    demand(len(fields["residues"]) == size and len(fields["linear"]) in lengths, "length")
    tags = [fields["linear"][at:at + wire.LINEAR_TAG_BYTES] for at in range(0, len(fields["linear"]), wire.LINEAR_TAG_BYTES)]
    demand(all(map(is_canonical, tags)) and len({period_of(tag) for tag in tags}) <= 1, "not_canonical")


def _body_bytes(fields, parameters):
    """The length of the residues, or of the rounded coefficients."""
    if fields["layout"] == COEFFICIENTS_ROUNDED:
        _check_rounding(fields, parameters)
        return sum(payload_bytes(*_rounded_shape(fields, parameters)))
    demand(not (fields["run"] or fields["dropped_0"] or fields["dropped_1"]), "out_of_range")
    polynomials = 2 if is_public(fields["kind"]) else 1
    return polynomials * parameters.ring_degree * parameters.data_primes[fields["part"]].bit_length() // 8


def _check_rounding(fields, parameters):
    """Refuses a level, a part, rows and dropped bits that rounded coefficients of the set cannot have."""
    stride, run, parts = fields["stride"], fields["run"], fields["parts"]
    modulus = parameters.at_level(parts).modulus
    rows, columns = (fields["count"] - 1) // stride, (fields["count"] - 1) % stride + 1
    dropped = fields["dropped_0"], fields["dropped_1"]
    demand(not parameters.has_primes64 and parts <= wire.ROUNDED_PRIMES, "out_of_range")
    demand(fields["part"] == 0 and fields["interleave"] == 1, "out_of_range")
    demand(columns <= run <= stride and rows * stride + run <= parameters.ring_degree, "out_of_range")
    demand(max(dropped) < modulus.bit_length() and (is_public(fields["kind"]) or not dropped[1]), "out_of_range")


def _check_claims(fields, parameters):
    """Refuses a bound that the set cannot have, and rows or buckets that do not fit the number of values."""
    stride, buckets = fields["stride"], fields["buckets"]
    bounds = LOG2_BOUNDS if parameters.scheme == "ckks" else range(1, parameters.plain_modulus // 2 + 1)
    demand(fields["bound"] in bounds and 0 < stride <= wire.RING_DEGREE, "out_of_range")
    demand(fields["layout"] not in REPEATED or stride == fields["count"], "out_of_range")
    columns = (fields["count"] - 1) % stride + 1
    demand(buckets >= 1 and not buckets & (buckets - 1) and columns % buckets == 0, "out_of_range")
