"""Records of layouts and levels of CKKS."""

from dataclasses import dataclass, replace

from ...model.encode import Precision
from ...model.encryption import encrypt
from ...model.frame import Claims, Encoding, frame
from ...model.shapes import (
    COEFFICIENTS,
    COMPLEX,
    COMPLEX_LAYOUTS,
    COMPLEX_REPEATED,
    DITHERED,
    IN_COEFFICIENTS,
    SLOTS,
    SLOTS_REPEATED,
    dithered,
    encode,
    encode_packed,
)
from ...model.streams import KINDS, PUBLIC_KEY, SUITES
from .ciphertexts import SENDER, described, dither_of, identity_of, pair_of, source_of
from .digest import digest, sha3
from .inputs import LARGEST_DEGREE, counting_bytes, numbers_of

DEGREES = (1024, 2048, 4096, 8192, 16384)
# (number rule, log2 scale, log2 bound), as in encode.json.
PRECISIONS = (("f32", 27, 0), ("f32", 20, 10), ("f32", 30, 0), ("f64", 40, 3), ("f64", 57, 0), ("i32", 14, 16), ("i32", 33, 24))


@dataclass(frozen=True)
class Shape:
    """A layout and its number of values."""

    layout: int
    count: int

    def values(self, rule, log2_bound):
        """The values: numbers, or pairs of numbers in complex layouts."""
        if self.layout not in COMPLEX_LAYOUTS:
            return numbers_of(self.count, rule, log2_bound)
        numbers = numbers_of(2 * self.count, rule, log2_bound)
        return list(zip(numbers[0::2], numbers[1::2]))


    @property
    def claims(self):
        """Whole rows of 16 places hold two readings in 8 buckets each, and their columns have names. Five coefficients are
        rows of two places, the last of one. Other layouts are one row without a name."""
        if self.layout == COEFFICIENTS and self.count == 5:
            return Claims(0, 2, 1, counting_bytes(0x70, 16))
        if self.layout in (SLOTS, COMPLEX, COEFFICIENTS) and self.count % 16 == 0:
            return Claims(0, 16, 8, counting_bytes(0x70, 16))
        return Claims(0)


def shapes_of(ring_degree):
    half = ring_degree // 2
    return [Shape(*shape) for shape in (
        (SLOTS_REPEATED, 1), (SLOTS_REPEATED, 8), (SLOTS_REPEATED, half), (COMPLEX, half), (COMPLEX, 5),
        (COMPLEX_REPEATED, 1), (COMPLEX_REPEATED, 64), (COEFFICIENTS, ring_degree), (COEFFICIENTS, 5))]


def shape_encodings():
    for ring_degree in DEGREES:
        for declared in PRECISIONS:
            for shape in shapes_of(ring_degree):
                yield shape_encoding(ring_degree, declared, shape)
    for declared in (("f32", 30, 0), ("f64", 57, 0)):
        yield shape_encoding(LARGEST_DEGREE, declared, Shape(COMPLEX, LARGEST_DEGREE // 2))


def shape_encoding(ring_degree, declared, shape):
    """One record; declared = (number rule, log2 scale, log2 bound)."""
    rule, log2_scale, log2_bound = declared
    precision = Precision(ring_degree, log2_scale, log2_bound)
    packed = encode_packed(shape.values(rule, log2_bound), precision, shape.layout)
    return {"ring_degree": ring_degree, "log2_scale": log2_scale, "log2_bound": log2_bound, "numbers": rule,
            "layout": shape.layout, "count": shape.count, "width": precision.width, **digest(packed, precision.width)}


def shape_cases(sets):
    """(set, log2 scale, level, shape) for the sets that have cases: every layout, and every level of some sets."""
    named = {entry.name: entry for entry in sets}
    for name, cases_of in CASES_OF.items():
        if name in named:
            yield from ((named[name], *case) for case in cases_of(named[name]))


def _level_cases(entry):
    for level in range(1, len(entry.data_primes) + 1):
        for shape in (Shape(SLOTS, 2048), Shape(SLOTS_REPEATED, 16), Shape(COMPLEX, 2048), Shape(COEFFICIENTS, 4096)):
            yield 25 if level == 1 else entry.log2_scale[2], level, shape


CASES_OF = {
    "ckks-1024x1-sum": lambda entry: ((entry.log2_scale[1], 1, shape) for shape in shapes_of(entry.ring_degree)),
    "ckks-4096x3-sum": _level_cases,
    "ckks-4096x2-linear": _level_cases,
    "ckks-8192x6-multiply": lambda _: ((29, 2, Shape(SLOTS_REPEATED, 1)), (40, 5, Shape(COMPLEX_REPEATED, 2))),
    "ckks-32768x14w-multiply": lambda _: ((50, 2, Shape(SLOTS, LARGEST_DEGREE // 2)),),
}


def shape_frames(sets):
    """Frames; those in slots have a dither. One set also gives frames by public key that are rounded to nearest."""
    for entry, log2_scale, level, shape in shape_cases(sets):
        for kind in KINDS:
            for suite in SUITES if shape.layout == SLOTS else (1,):
                plan = Plan(entry, log2_scale, level, kind, suite)
                yield shape_frame(plan, replace(shape, layout=dithered(shape.layout)))
                if entry.name == "ckks-1024x1-sum" and kind == PUBLIC_KEY and shape.layout not in IN_COEFFICIENTS:
                    yield shape_frame(plan, shape)


@dataclass(frozen=True)
class Plan:
    """The set, scale, level, kind and suite of one frame."""

    entry: object
    log2_scale: int
    level: int
    kind: int
    suite: int


def shape_frame(plan, shape):
    """One record."""
    pair, kind, suite = pair_of(plan.entry), plan.kind, plan.suite
    values, precision = shape.values("f32", 0), Precision(plan.entry.ring_degree, plan.log2_scale, 0)
    encoding = Encoding(plan.log2_scale, shape.count, 1, shape.claims, shape.layout)
    source = described(source_of(values), identity_of(pair, kind, suite, plan.level), encoding)
    dither = dither_of(pair, source, kind, suite) if shape.layout in DITHERED else None
    ciphertext = encrypt(pair, encode(values, precision, shape.layout, dither), source, kind, suite, plan.level)
    parts = frame(pair, ciphertext, SENDER, encoding)
    return {"set": plan.entry.name, "kind": kind, "suite": suite, "log2_scale": plan.log2_scale, "log2_bound": 0,
            "level": plan.level, "layout": shape.layout, "count": shape.count, "interleave": 1,
            "stride": shape.claims.stride, "buckets": shape.claims.buckets, "packing": shape.claims.packing.hex(),
            "bytes": sum(map(len, parts)), "sha3": sha3(b"".join(parts))}
