"""Inputs of the known answers. Each follows a rule that any language repeats in a few lines."""

import struct

from ...model.encode import slot_positions

# The ring degree with fewer records: each is large and slow to compute.
LARGEST_DEGREE = 32768

PATTERNS = ("random", "constant", "impulse", "signs", "square", "short")
NUMBERS = ("f32", "f64", "i32")

RULES = {
    "recurrence": "x_0 = 12345, x_{i+1} = (1664525 x_i + 1013904223) mod 2^32; value i uses x_{i+1}",
    "f32": "(floor(x / 2^8) - 2^23) * 2^(b - 23), exact in float32",
    "f64": "(floor(x / 2^8) * 2^29 + (x mod 2^8) * 2^21 - 2^52) * 2^(b - 52), exact in float64",
    "i32": "floor(x / 2^(31 - b)) - 2^b, an integer, for b >= 0",
    "h12": "as i32 with b = 11, as int16; i12: as int32",
    "random": "n/2 values by the number rule",
    "constant": "n/2 times 2^b",
    "impulse": "one value, 2^b",
    "signs": "n/2 values, 2^b if x < 2^31, else -2^b",
    "square": "n/2 values; slot j: e = 3^j mod 2n, 2n - e if e mod 4 = 3; 2^b if e < n/2 or e > 3n/2, else -2^b",
    "short": "the first five of random",
    "u32": "BFV, floor(x (t + 1) / 2^33)",
    "s32": "BFV, floor(x t / 2^32) - (t - 1) / 2",
    "count": "where a record has one: so many values by its number rule, for complex layouts twice as many, re and im in turn",
    "bytes": "32 bytes start, start + 1, ...; 64 bytes where a mask seed of suite 3 is meant",
}


def recurrence(count):
    """The numbers x_1 .. x_count of the recurrence."""
    state = 12345
    for _ in range(count):
        state = (1664525 * state + 1013904223) % (1 << 32)
        yield state


def counting_bytes(start, count=32):
    """start, start + 1, ... modulo 256."""
    return bytes((start + index) % 256 for index in range(count))


def values_of(pattern, numbers, ring_degree, log2_bound):
    """The slot values of a pattern; floats for f32 and f64, integers for i32."""
    half, top = ring_degree // 2, 1 << log2_bound
    number = int if numbers == "i32" else float
    if pattern == "constant":
        return [number(top)] * half
    if pattern == "impulse":
        return [number(top)]
    if pattern == "signs":
        return [number(top if state < 1 << 31 else -top) for state in recurrence(half)]
    if pattern == "square":
        return [number(top * _square(ring_degree, 4 * i + 1)) for i in slot_positions(ring_degree)]
    return numbers_of(5 if pattern == "short" else half, numbers, log2_bound)


def numbers_of(count, numbers, log2_bound):
    """`count` numbers of the rule f32, f64 or i32."""
    return [_number(state, numbers, log2_bound) for state in recurrence(count)]


def integers_of(count, numbers, plain):
    """`count` values of BFV by the rule u32 or s32."""
    if numbers == "u32":
        return [state * (plain + 1) >> 33 for state in recurrence(count)]
    return [(state * plain >> 32) - (plain - 1) // 2 for state in recurrence(count)]


def bytes_of(values, letter="f"):
    """The values as they lie in a device's memory: as float32, or as the type of another letter of `struct`. A complex value
    is two numbers."""
    flat = [number for value in values for number in (value if isinstance(value, tuple) else (value,))]
    return struct.pack(f"<{len(flat)}{letter}", *flat)


def _square(ring_degree, odd):
    return 1 if 2 * odd < ring_degree or 2 * odd > 3 * ring_degree else -1


def _number(state, numbers, log2_bound):
    if numbers == "i32":
        return (state >> 31 - log2_bound) - (1 << log2_bound)
    if numbers == "f32":
        return ((state >> 8) - (1 << 23)) * 2.0 ** (log2_bound - 23)
    return ((state >> 8 << 29) + (state % 256 << 21) - (1 << 52)) * 2.0 ** (log2_bound - 52)
