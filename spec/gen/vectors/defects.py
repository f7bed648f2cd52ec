"""Malformed parts, each with one named defect. The tag is valid for the bytes before it, unless the tag is the defect."""

from ...model.authentication import tag
from ...model.encode import Precision
from ...model.encryption import encrypt
from ...model.frame import Claims, Encoding, head, item, part_fields, seal_part
from ...model.keys import KeyPair
from ...model.packing import pack, unpack
from ...model.rounding import Rounding
from ...model.shapes import COEFFICIENTS, COEFFICIENTS_ROUNDED, COMPLEX, SLOTS_REPEATED
from ...model.streams import BFV_KINDS, PUBLIC_KEY, SECRET_KEY
from ...model.wire_codes import CBOR_ARRAY
from ...model.wire_codes import PART as FIELDS
from .ciphertexts import SEEDS, SENDER, SOURCE

SET_NAME, BFV_SET_NAME = "ckks-1024x1-sum", "bfv-1024x1-count"
VERSION, KIND, SET, SUITE, SEQUENCE, NONCE, PART, PARTS, INTERLEAVE, COUNT, LAYOUT, BOUND, STRIDE, BUCKETS, PACKING, RUN, \
    DROPPED_0, DROPPED_1, SEED, RESIDUES = map(
        FIELDS.index, ("version", "kind", "set", "suite", "sequence", "nonce", "part", "parts", "interleave", "count", "layout",
                       "bound", "stride", "buckets", "packing", "run", "dropped_0", "dropped_1", "seed", "residues"))


class Defects:
    """Builds variants of one good part."""

    def __init__(self, parameters, kind, bound=0, rounding=None):
        self.parameters = parameters
        pair = KeyPair(parameters, SEEDS)
        precision = Precision(parameters.ring_degree, parameters.log2_scale[1], 0)
        ciphertext = encrypt(pair, [0] * precision.ring_degree, SOURCE, kind, 1)
        encoding = Encoding(precision.log2_scale, 1, 1, Claims(bound))
        if rounding:
            encoding = Encoding(precision.log2_scale, 35, 1, Claims(bound, 16), COEFFICIENTS_ROUNDED, rounding)
        self.fields = list(part_fields(pair, ciphertext, SENDER, encoding))[0]
        self.good = self.part()

    def part(self, changes=None, encodings=None, array=None):
        """The part with some fields changed, some fields encoded as given bytes, or another array head."""
        fields = list(self.fields)
        for index, value in (changes or {}).items():
            fields[index] = value
        items = [item(value) for value in fields]
        for index, encoded in (encodings or {}).items():
            items[index] = encoded
        encoded = (array or head(CBOR_ARRAY, len(FIELDS))) + b"".join(items)
        return seal_part(encoded, self.fields[NONCE], fields[PART], SENDER.device_key)

    def residues(self, position, value):
        """The packed residues, with one residue replaced."""
        bits = self.parameters.data_primes[0].bit_length()
        values = unpack(self.fields[RESIDUES], bits)
        values[position] = value
        return {RESIDUES: pack(values, bits)}


def truncated(defects):
    good = defects.good
    for length in (0, 1, 30, 150, len(good) - 1):
        yield f"only the first {length} bytes", good[:length]


def trailing(defects):
    yield "one more byte", defects.good + b"\0"


def wrong_type(defects):
    yield "bound as a byte string", defects.part(encodings={BOUND: b"\x40"})
    yield "stride below zero", defects.part(encodings={STRIDE: b"\x20"})
    yield "packing as text", defects.part(encodings={PACKING: b"\x60"})


def not_canonical(defects):
    fields, body = defects.fields, defects.fields[RESIDUES]
    yield "version in two bytes", defects.part(encodings={VERSION: b"\x18\x02"})
    yield "bound -1 in two bytes", defects.part(encodings={BOUND: b"\x38\x00"})
    yield "sequence in nine bytes", defects.part(encodings={SEQUENCE: b"\x1b" + fields[SEQUENCE].to_bytes(8, "big")})
    long_length = b"\x5a" + len(body).to_bytes(4, "big")
    yield "residue length in four bytes", defects.part(encodings={RESIDUES: long_length + body})
    yield "set of indefinite length", defects.part(encodings={SET: b"\x5f" + item(fields[SET]) + b"\xff"})
    yield "array length in three bytes", defects.part(array=b"\x99\0" + bytes([len(FIELDS)]))
    good_tag = tag(SENDER.device_key, fields[NONCE], 0, defects.good[:-17])
    yield "tag length in two bytes", defects.good[:-17] + b"\x58\x10" + good_tag


def unknown(defects):
    yield "unknown_version", "version 0", defects.part({VERSION: 0})
    yield "unknown_version", "version 1", defects.part({VERSION: 1})
    yield "unknown_version", "version 3", defects.part({VERSION: 3})
    yield "unknown_kind", "kind 0", defects.part({KIND: 0})
    yield "unknown_kind", "kind 4 with a set of CKKS", defects.part({KIND: 4})
    yield "unknown_suite", "suite 0", defects.part({SUITE: 0})
    yield "unknown_suite", "suite 4", defects.part({SUITE: 4})
    yield "unknown_set", "last byte of the set changed", defects.part({SET: defects.fields[SET][:7] + b"\xff"})


def lengths(defects):
    fields = defects.fields
    yield "residues one byte short", defects.part({RESIDUES: fields[RESIDUES][:-1]})
    yield "residues one byte long", defects.part({RESIDUES: fields[RESIDUES] + b"\0"})
    yield "seed of suite 3 in suite 1", defects.part({SEED: 2 * fields[SEED]})
    yield "no seed", defects.part({SEED: b""})
    yield "two parts of a set with one prime", defects.part({PARTS: 2})
    yield "set of seven bytes", defects.part({SET: fields[SET][:7]})
    yield "packing of fifteen bytes", defects.part({PACKING: bytes(15)})
    yield "packing of seventeen bytes", defects.part({PACKING: bytes(17)})


def shapes(defects):
    half = defects.parameters.ring_degree // 2
    yield "count 0", defects.part({COUNT: 0})
    yield "count n/2 + 1", defects.part({COUNT: half + 1})
    yield "layout 6", defects.part({LAYOUT: 6})
    yield "a run of slots", defects.part({RUN: 1})
    yield "one bit of c0 dropped from slots", defects.part({DROPPED_0: 1})
    yield "one bit of c1 dropped from slots", defects.part({DROPPED_1: 1})
    yield "three values repeated", defects.part({COUNT: 3, LAYOUT: SLOTS_REPEATED})
    yield "n + 1 coefficients", defects.part({COUNT: 2 * half + 1, LAYOUT: COEFFICIENTS})
    yield "bound 2^-21", defects.part({BOUND: -21})
    yield "bound 2^41", defects.part({BOUND: 41})
    yield "stride 0", defects.part({STRIDE: 0})
    yield "stride 2^15 + 1", defects.part({STRIDE: (1 << 15) + 1})
    yield "four values repeated, in two rows", defects.part({COUNT: 4, STRIDE: 2, LAYOUT: SLOTS_REPEATED})
    yield "buckets 0", defects.part({BUCKETS: 0})
    yield "three buckets of six columns", defects.part({COUNT: 6, STRIDE: 6, BUCKETS: 3})
    yield "four buckets of six columns", defects.part({COUNT: 6, STRIDE: 6, BUCKETS: 4})
    yield "two buckets, and one column in the last row", defects.part({COUNT: 5, STRIDE: 2, BUCKETS: 2})


def integers(defects):
    ring_degree = defects.parameters.ring_degree
    yield "unknown_kind", "kind 2 with a set of BFV", defects.part({KIND: 2})
    yield "out_of_range", "complex slots of BFV", defects.part({LAYOUT: COMPLEX})
    yield "out_of_range", "n + 1 slots of BFV", defects.part({COUNT: ring_degree + 1})
    yield "out_of_range", "bound 0 of BFV", defects.part({BOUND: 0})
    yield "out_of_range", "bound -1 of BFV", defects.part({BOUND: -1})
    yield "out_of_range", "bound above t/2", defects.part({BOUND: defects.parameters.plain_modulus // 2 + 1})


def residue_range(defects):
    prime, ring_degree = defects.parameters.data_primes[0], defects.parameters.ring_degree
    yield "first residue q", defects.part(defects.residues(0, prime))
    yield "last residue q", defects.part(defects.residues(ring_degree - 1, prime))
    yield "a residue of all ones", defects.part(defects.residues(7, (1 << prime.bit_length()) - 1))


def rounded(secret, public):
    """Defects of frames with 35 coefficients in three rows. A row has 3, begins 16 after the row before, and sends 5. Of c0 22
    bits remain, of c1 24."""
    run, body, both = "out_of_range", secret.fields[RESIDUES], public.fields[RESIDUES]
    c0, c1 = unpack(body, 22)[:15], unpack(both[len(body):], 24)
    beyond = (secret.parameters.modulus >> 4) + 1
    yield run, "2 sent of 3 columns", secret.part({RUN: 2})
    yield run, "17 sent, 16 apart", secret.part({RUN: 17, RESIDUES: bytes(3 * 17 * 22 // 8 + 1)})
    yield run, "a last row beyond n", secret.part({COUNT: 35 + 62 * 16, RUN: 16, RESIDUES: bytes(65 * 16 * 22 // 8)})
    yield run, "all 26 bits of c0 dropped", secret.part({DROPPED_0: 26, RESIDUES: b""})
    yield run, "64 bits of c0 dropped", secret.part({DROPPED_0: 64})
    yield run, "a bit of a seed dropped", secret.part({DROPPED_1: 1})
    yield run, "all 26 bits of c1 dropped", public.part({DROPPED_1: 26})
    yield run, "interleave 2", public.part({INTERLEAVE: 2})
    yield "length", "two primes of a set with one", secret.part({PARTS: 2})
    yield "length", "one byte short", secret.part({RESIDUES: body[:-1]})
    yield "length", "one byte long", secret.part({RESIDUES: body + b"\0"})
    yield "length", "21 bits instead of 22", secret.part({DROPPED_0: 5})
    yield "length", "no c1", public.part({RESIDUES: both[:len(body)]})
    yield "residue_range", "the first coefficient above q", secret.part({RESIDUES: pack([beyond, *c0[1:]], 22)})
    yield "residue_range", "the last coefficient of all ones", secret.part({RESIDUES: pack([*c0[:-1], (1 << 22) - 1], 22)})
    yield "residue_range", "the last of c1 of all ones", public.part({
        RESIDUES: both[:len(body)] + pack([*c1[:-1], (1 << 24) - 1], 24)})
    yield "not_canonical", "a bit behind the last coefficient", secret.part({RESIDUES: body[:-1] + bytes([body[-1] | 128])})


def wrong_tag(defects):
    good = defects.good
    yield "last bit of the tag flipped", good[:-1] + bytes([good[-1] ^ 1])
    yield "one bit of the residues flipped", good[:1000] + bytes([good[1000] ^ 1]) + good[1001:]
    sender = [item(value) for value in (SENDER.device, SENDER.epoch, SENDER.sequence, SENDER.sequence + 1)]
    replayed = good[:-17].replace(b"".join(sender[:3]), sender[0] + sender[1] + sender[3], 1)
    yield "sequence changed", replayed + good[-17:]


def defect_records(sets):
    """{error, defect, hex} of every malformed part."""
    parameters, bfv = (next(entry for entry in sets if entry.name == name) for name in (SET_NAME, BFV_SET_NAME))
    secret, public = Defects(parameters, SECRET_KEY), Defects(parameters, PUBLIC_KEY)
    named = {"truncated": truncated, "trailing_bytes": trailing, "wrong_type": wrong_type, "not_canonical": not_canonical,
             "length": lengths,
             "out_of_range": shapes, "residue_range": residue_range, "tag": wrong_tag}
    found = [(error, *defect) for error, defects in named.items() for defect in defects(secret)]
    found += unknown(secret)
    found += integers(Defects(bfv, BFV_KINDS[1], 1))
    found += rounded(*rounded_parts(parameters))
    found.append(("length", "public key, with a seed", public.part({SEED: secret.fields[SEED]})))
    return [{"error": error, "defect": defect, "hex": data.hex()} for error, defect, data in found]


def rounded_parts(parameters):
    """The good parts of rounded coefficients from which the defects start."""
    return [Defects(parameters, kind, 0, Rounding(5, dropped))
            for kind, dropped in ((SECRET_KEY, (4, 0)), (PUBLIC_KEY, (4, 2)))]


def good_records(sets):
    """The good parts from which the defects start."""
    parameters = next(entry for entry in sets if entry.name == SET_NAME)
    every = [Defects(parameters, SECRET_KEY), *rounded_parts(parameters)]
    return [{"set": SET_NAME, "hex": defects.good.hex()} for defects in every]
