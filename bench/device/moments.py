"""Squares and products of columns (isopod/moments.h): the record of a case of kind "moments"."""
from math import prod

from bench.device import keys, linked, measure
from bench.device.cases import MOMENTS_COLUMNS, MOMENTS_DROPPED, Case
from ports import emulate
from ports.emulate import BUILD, ROOT


def derived_columns() -> int:
    """Columns of a row with its products."""
    return MOMENTS_COLUMNS * (MOMENTS_COLUMNS + 3) // 2


def body_bytes(case: Case) -> int:
    """Bytes of the coefficients that are sent."""
    count = case.set.ring_degree // derived_columns() * derived_columns()
    return (count * (prod(case.set.primes).bit_length() - MOMENTS_DROPPED) + 7) // 8


def record(case: Case, target: str) -> dict:
    """One record of device.json, with the private fields: the frame with products that the device computes, and what each of
    them adds to the frame whose values come ready, rounded up."""
    tables = measure.generate_tables(case.set.name)
    key = BUILD / "bench" / f"{case.set.name}-sym.key"
    keys.write(ROOT / key, case.set, "sym")
    flags = measure.definitions({**measure.set_values(case), "COLUMNS": MOMENTS_COLUMNS, "WIRE_BYTES": body_bytes(case) + 512,
                                 "KEY_BYTES": keys.blob_bytes(case.set, "sym")})
    elf = emulate.build_app(measure.PORT_OF[target], f"bench-{case.name}", ["bench/device/moments.c"], flags, (str(tables),))
    seen = measure.observe(elf, [str(key)], target)
    if seen.values["residue_bytes"] != body_bytes(case):
        raise ValueError(f"{case.name}: {seen.values['residue_bytes']} bytes, expected {body_bytes(case)}")
    found = measure.record(case, seen)
    ready, derived = seen.counts
    return found | {
        "instructions": derived,
        "instructions_ready": ready,
        "instructions_per_product": -((ready - derived) // seen.values["products"]),
        "products": seen.values["products"],
        "ram_bytes": seen.values["ram_bytes"],
        "flash_table_bytes": linked.table_bytes(seen.kept, tables.stem),
        "flash_key_bytes": keys.blob_bytes(case.set, "sym"),
        "wire_bytes": body_bytes(case),
        "digests": (seen.values["residue_digest"],),
    }
