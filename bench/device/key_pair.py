"""Key generation: the record of a case of kind "keygen"."""
from bench.device import keys, linked, measure
from bench.device.cases import Case
from ports import emulate


def record(case: Case, target: str) -> dict:
    """One record of device.json, with the private fields. The framed instructions make a whole blob from the same seeds, with
    its digests."""
    tables = measure.generate_tables(case.set.name)
    blob_bytes = keys.blob_bytes(case.set, "pk")
    flags = measure.definitions({**measure.set_values(case), "KEY_BYTES": blob_bytes})
    elf = emulate.build_app(measure.PORT_OF[target], f"bench-{case.name}", ["bench/device/key_pair.c"], flags, (str(tables),))
    seen = measure.observe(elf, [str(case.chunks)], target)
    return measure.record(case, seen) | {
        "chunks": case.chunks,
        "ram_bytes": seen.values["ram_bytes"],
        "flash_table_bytes": linked.table_bytes(seen.kept, tables.stem),
        "flash_key_bytes": blob_bytes,
        "wire_bytes": 0,
        "digests": (seen.values["digest"],),
    }
