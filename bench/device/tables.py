"""Tables built in memory at start: the record of the case of kind "tables". The framed instructions are those of the cosines."""
from bench.device import measure
from bench.device.cases import Case
from ports import emulate


def record(case: Case, target: str) -> dict:
    """One record of device.json, with the private fields."""
    values = {"PARAMS": f"isopod_{case.set.symbol}", "N": case.set.ring_degree, "PRIMES": len(case.set.primes)}
    flags = measure.definitions(values) + " -Idevice/src"
    elf = emulate.build_app(measure.PORT_OF[target], f"bench-{case.name}", ["bench/device/tables.c"], flags)
    seen = measure.observe(elf, [], target)
    return measure.record(case, seen) | {"chunks": case.chunks, "ram_bytes": seen.values["ram_bytes"], "flash_table_bytes": 0,
                                         "flash_key_bytes": 0, "wire_bytes": 0, "digests": ()}
