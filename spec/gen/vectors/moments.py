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


def records(sets):
    """One record of each frame of the sets."""
    plain = {entry.name: entry.plain_modulus for entry in sets}
    return [record(plain[name], name, *frame) for name, *frame in FRAMES if name in plain]


def record(plain, name, rule, log2_bound, fraction, rows, columns, moments, stride):
    """The numbers of one frame, as words of 32 bits."""
    own = own_bound(log2_bound) if not plain else isqrt(plain // 2).bit_length() - 1
    if not plain and not fits(log2_bound, fraction):
        raise ValueError(f"{name}: a product of 2^{log2_bound} in units of 2^-{fraction} needs more than 32 bits")
    bits = own + fraction if rule == "i32" else own
    readings = numbers_of(rows * columns, rule, bits)
    if rule == "f32":
        readings = [in_units(reading, fraction) for reading in readings]
    derived = numbers(readings, columns, moments, fraction, stride)
    return {"set": name, "numbers": rule, "reading_bits": bits, "log2_bound": log2_bound, "fraction": fraction, "rows": rows,
            "columns": columns, "moments": moments, "stride": stride, "count": len(derived), **digest(derived)}
