"""Records of squares and products of columns (columns.md)."""

from math import isqrt

from ...model.moments import PRODUCTS, SQUARES, fits, in_units, numbers, own_bound
from .digest import digest
from .inputs import numbers_of

REALS, INTEGERS = "ckks-1024x1-sum", "bfv-1024x1-count"

# Set, numbers, log2 bound of the frame, bits below the point, rows, columns, moments, stride.
FRAMES = (
    (REALS, "i32", 0, 15, 11, 8, PRODUCTS, 0),
    (REALS, "i32", 0, 30, 5, 3, PRODUCTS, 0),
    (REALS, "i32", 30, 0, 4, 2, PRODUCTS, 0),
    (REALS, "i32", 7, 10, 3, 5, PRODUCTS, 21),
    (REALS, "i32", 0, 15, 6, 7, SQUARES, 16),
    (REALS, "f32", 0, 15, 9, 4, PRODUCTS, 0),
    (REALS, "f32", 12, 10, 2, 30, SQUARES, 64),
    (REALS, "f32", 4, 26, 1, 1, PRODUCTS, 0),
    (INTEGERS, "i32", 0, 0, 7, 6, PRODUCTS, 0),
    (INTEGERS, "i32", 0, 0, 2, 9, SQUARES, 20),
)
FIELDS = ("set", "numbers", "log2_bound", "fraction", "rows", "columns", "moments", "stride")


def records(sets):
    """One record of each frame of the sets."""
    plain = {entry.name: entry.plain_modulus for entry in sets}
    return [record(plain[frame[0]], dict(zip(FIELDS, frame))) for frame in FRAMES if frame[0] in plain]


def own_bits(plain, frame):
    """The power of two that bounds the readings."""
    if plain:
        return isqrt(plain // 2).bit_length() - 1
    if not fits(frame["log2_bound"], frame["fraction"]):
        raise ValueError(f"{frame}: a product may need more than 32 bits")
    return own_bound(frame["log2_bound"])


def record(plain, frame):
    """The numbers of one frame, as words of 32 bits."""
    rule, fraction, columns = frame["numbers"], frame["fraction"], frame["columns"]
    bits = own_bits(plain, frame) + (fraction if rule == "i32" else 0)
    readings = numbers_of(frame["rows"] * columns, rule, bits)
    if rule == "f32":
        readings = [in_units(reading, fraction) for reading in readings]
    derived = numbers(readings, columns, frame["moments"], fraction, frame["stride"])
    return {**frame, "reading_bits": bits, "count": len(derived), **digest(derived)}
