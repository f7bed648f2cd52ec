"""Packets (isopod/packet.h): the record of a case of kind "packet". RAM counts all that the caller keeps, the workspace and the
stack; the second count is that of a second packet, whose mask takes refills in other places."""
from bench.device import keys, measure
from bench.device.cases import PACKET_DROPPED, Case
from ports import emulate
from ports.emulate import BUILD, ROOT

HEADER_BYTES, TAG_BYTES = 7, 8  # context, a device of 4 bytes, counter


def packet_bytes(case: Case) -> int:
    """The length of every packet of the case."""
    bits = case.set.primes[0].bit_length() - PACKET_DROPPED
    return HEADER_BYTES + (case.readings * bits + 7) // 8 + TAG_BYTES


def record(case: Case, target: str) -> dict:
    """One record of device.json, with the private fields."""
    key = BUILD / "bench" / f"{case.set.name}-ternary.key"
    (ROOT / key).parent.mkdir(parents=True, exist_ok=True)
    keys.write(ROOT / key, case.set, "ternary")
    flags = measure.definitions({"PARAMS": f"isopod_{case.set.symbol}", "LOG2_SCALE": case.set.log2_scale,
                                 "KEY_BYTES": keys.blob_bytes(case.set, "ternary"), "READINGS": case.readings,
                                 "DROPPED": PACKET_DROPPED})
    elf = emulate.build_app(measure.PORT_OF[target], f"bench-{case.name}", ["bench/device/packet.c"], flags, ())
    seen = measure.observe(elf, [str(key)], target)
    if seen.values["wire_bytes"] != packet_bytes(case):
        raise ValueError(f"{case.name}: {seen.values['wire_bytes']} bytes, expected {packet_bytes(case)}")
    found = measure.record(case, seen)
    return found | {
        "ram_bytes": seen.values["ram_bytes"] + seen.values["stack_bytes"],
        "flash_table_bytes": 0,
        "flash_key_bytes": keys.blob_bytes(case.set, "ternary"),
        "wire_bytes": packet_bytes(case),
        "digests": (seen.values["digest"],),
    }
