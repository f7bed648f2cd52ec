"""Mistakes, each of which some contract must show."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A change of a source file, and a function whose contract breaks by it."""

    path: str
    before: str
    after: str
    function: str


READER, WRITER, MEMORY = "cbor/cbor_read.c", "cbor/cbor.c", "base/memory.h"
FAULTS = (
    Fault(READER, "(uint64_t)(reader->end - reader->at) < bytes", "(uint64_t)(reader->end - reader->at) + 1u < bytes", "has"),
    Fault(READER, "info > 27 ? 0", "info > 28 ? 0", "read_argument"),
    Fault(READER, "!has(reader, 9)", "!has(reader, 8)", "isopod_cbor_float64"),
    Fault(READER, "        reader->at += length;", "        reader->at += length + 1u;", "take"),
    Fault(READER, "following > length - 1u - i", "following > length - i", "is_text"),
    Fault(READER, "bytes > most || !has(reader, bytes)", "!has(reader, bytes)", "isopod_cbor_text"),
    Fault(READER, "    reader->failed |= bytes > most;\n", "", "isopod_cbor_bytes_of"),
    Fault(READER, "    if (value > most) {", "    if (value > most + 1u) {", "isopod_cbor_unsigned"),
    Fault(WRITER, "argument <= 0xffffu", "argument < 0xffffu", "argument_bytes"),
    Fault(MEMORY, "out[3] = ", "out[4] = ", "isopod_store32"),
    Fault(MEMORY, "i < length; i++) {\n        difference", "i <= length; i++) {\n        difference", "isopod_equal"),
    Fault("link/serial.c", "serial->length == serial->capacity", "serial->length > serial->capacity", "store"),
    Fault("start/counter.c", "unit <= ISOPOD_FLASH_UNIT_MOST", "unit <= 2 * ISOPOD_FLASH_UNIT_MOST", "fits"),
)
