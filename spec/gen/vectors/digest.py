"""Shortens long known answers to the SHA3-256 of their little-endian bytes, the first four values and the last four."""

import hashlib
import struct

SHORT = 4


def sha3(data):
    return hashlib.sha3_256(data).hexdigest()


def words(values, width=32):
    """Little-endian words of 8, 32 or 64 bits, in two's complement if one is negative."""
    form = {8: "b", 32: "i" if min(values) < 0 else "I",
            64: "q" if min(values) < 0 else "Q"}[width]
    return struct.pack(f"<{len(values)}{form}", *values)


def digest(values, width=32):
    """The fields `first`, `last` and `sha3` of a record."""
    return {"first": values[:SHORT], "last": values[-SHORT:], "sha3": sha3(words(values, width))}
