"""Pads (isopod/pad.h): the record of a case of kind "pad". RAM counts all that the caller keeps but its keys, which are flash,
and the stack; the second count is that of the packet which crosses to the next sixteen sequences."""
from bench.device import measure
from bench.device.cases import Case
from ports import emulate

HEADER_BYTES, TAG_BYTES, WIDTH = 5, 8, 2  # context, a device of 2 bytes, counter
KEY_BYTES = 64


def record(case: Case, target: str) -> dict:
    """One record of device.json, with the private fields."""
    flags = measure.definitions({"READINGS": case.readings})
    elf = emulate.build_app(measure.PORT_OF[target], f"bench-{case.name}", ["bench/device/pad.c"], flags, ())
    seen = measure.observe(elf, [], target)
    expected = HEADER_BYTES + WIDTH * case.readings + TAG_BYTES
    if seen.values["wire_bytes"] != expected:
        raise ValueError(f"{case.name}: {seen.values['wire_bytes']} bytes, expected {expected}")
    return measure.record(case, seen) | {
        "set": "",  # pads have none
        "ram_bytes": seen.values["ram_bytes"] + seen.values["stack_bytes"],
        "flash_table_bytes": 0,
        "flash_key_bytes": KEY_BYTES,
        "wire_bytes": expected,
        "digests": (seen.values["digest"],),
    }
