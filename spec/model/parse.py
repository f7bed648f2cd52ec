"""The strict reader of parts, wire.md: every defect has one name."""


from .authentication import tag
from .frame import ARRAY, BYTES, PART_FIELDS, UNSIGNED, VERSION
from .packing import unpack
from .shapes import LAYOUTS, REPEATED, places
from .streams import KINDS_OF, SEAL_SHAKE256, SUITES, is_public

TAG_BYTES = 16
FIXED_LENGTHS = {2: 8, 4: 16, 8: 16}
FIELD_MAJORS = {2: BYTES, 4: BYTES, 8: BYTES, 15: BYTES, 16: BYTES}


class Malformed(Exception):
    """One of truncated, trailing_bytes, not_canonical, unknown_version, unknown_kind, unknown_set, unknown_suite,
    length, out_of_range, residue_range, tag, duplicate."""


def parse_part(data, sets, device_key):
    """Fields 0..16 of one authentic part; `sets` are the known parameter sets."""
    position = _expect_array(data)
    fields = []
    for index in range(PART_FIELDS - 1):
        value, position = read_item(data, position, FIELD_MAJORS.get(index, UNSIGNED))
        fields.append(value)
    given, end = read_item(data, position, BYTES)
    if end != len(data):
        raise Malformed("trailing_bytes")
    parameters = _known(fields, sets)
    _check_lengths(fields, given, parameters)
    if tag(device_key, fields[8], fields[9], data[:position]) != given:
        raise Malformed("tag")
    prime = parameters.data_primes[fields[9]]
    if any(residue >= prime for residue in unpack(fields[16], prime.bit_length())):
        raise Malformed("residue_range")
    return fields


def _expect_array(data):
    if not data:
        raise Malformed("truncated")
    if data[0] != ARRAY << 5 | PART_FIELDS:
        raise Malformed("not_canonical")
    return 1


def read_item(data, position, major):
    """(value, position behind it) of an unsigned integer or a byte string."""
    value, position = read_head(data, position, major)
    if major == UNSIGNED:
        return value, position
    if position + value > len(data):
        raise Malformed("truncated")
    return data[position:position + value], position + value


def read_head(data, position, major):
    """(number, position behind it) of the shortest CBOR head of a major type."""
    if position >= len(data):
        raise Malformed("truncated")
    if data[position] >> 5 != major:
        raise Malformed("not_canonical")
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
    if fields[0] != VERSION:
        raise Malformed("unknown_version")
    if not any(fields[1] in kinds for kinds in KINDS_OF.values()):
        raise Malformed("unknown_kind")
    if fields[3] not in SUITES:
        raise Malformed("unknown_suite")
    if any(len(fields[index]) != size for index, size in FIXED_LENGTHS.items()):
        raise Malformed("length")
    for parameters in sets:
        if parameters.set_id == fields[2]:
            if fields[1] not in KINDS_OF[parameters.scheme]:
                raise Malformed("unknown_kind")
            return parameters
    raise Malformed("unknown_set")


def _check_lengths(fields, given, parameters):
    count, layout = fields[13:15]
    if layout not in LAYOUTS[parameters.scheme] or not 0 < count <= places(parameters, layout):
        raise Malformed("out_of_range")
    if layout in REPEATED and count & (count - 1):
        raise Malformed("out_of_range")
    kind, suite, part, parts = fields[1], fields[3], fields[9], fields[10]
    if not part < parts <= len(parameters.data_primes):
        raise Malformed("length")
    polynomials, seed = (2, 0) if is_public(kind) else (1, 64 if suite == SEAL_SHAKE256 else 32)
    bits = parameters.data_primes[part].bit_length()
    expected = {15: seed, 16: polynomials * parameters.ring_degree * bits // 8}
    if len(given) != TAG_BYTES or any(len(fields[index]) != size for index, size in expected.items()):
        raise Malformed("length")
