"""Reads the items of spec/wire.md as Python values, without checks, because `isopod` made or accepted all of them."""
import struct

FLOAT64 = 0xFB
SIMPLE = {0xF4: False, 0xF5: True}
UNSIGNED, NEGATIVE, BYTES, TEXT, ARRAY = range(5)


def fields(data: bytes, names: tuple[str, ...]) -> dict:
    """The elements of an array by their names."""
    values, _ = item(data, 0)
    return dict(zip(names, values, strict=True))


def item(data: bytes, place: int) -> tuple:
    """(value, position after it) of an item."""
    first = data[place]
    if first == FLOAT64:
        return struct.unpack_from(">d", data, place + 1)[0], place + 9
    if first in SIMPLE:
        return SIMPLE[first], place + 1
    size = 1 << max(0, (first & 31) - 24) if first & 31 >= 24 else 0
    number = int.from_bytes(data[place + 1:place + 1 + size], "big") if size else first & 31
    return content(data, first >> 5, number, place + 1 + size)


def content(data: bytes, major: int, number: int, place: int) -> tuple:
    """(value, position after it) of the content after a head."""
    if major == UNSIGNED:
        return number, place
    if major == NEGATIVE:
        return -1 - number, place
    if major == ARRAY:
        values = []
        for _ in range(number):
            value, place = item(data, place)
            values.append(value)
        return values, place
    found = data[place:place + number]
    return (found.decode() if major == TEXT else found), place + number
