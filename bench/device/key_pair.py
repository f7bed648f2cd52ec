"""Key generation: the record of a case of kind "keygen"."""
from bench.device import keys, linked, measure
from bench.device.cases import Case
from ports import emulate
from ports.emulate import ROOT


def record(case: Case, target: str) -> dict:
    """One record of device.json, with the private fields. The framed instructions are those of a whole blob, digests
    included, from the same seeds."""
    tables = measure.generate_tables(case.set.name)
    blob_bytes = keys.blob_bytes(case.set, "pk")
    flags = measure.definitions({**measure.set_values(case), "KEY_BYTES": blob_bytes})
    elf = emulate.build_app(measure.PORT_OF[target], f"bench-{case.name}", ["bench/device/key_pair.c"], flags, (str(tables),))
    (bare, sealed), values = measure.run(elf, [str(case.chunks)], target)
    kept = linked.sections(ROOT / elf.with_suffix(".map"))
    linked.check_no_globals(kept)
    return {
        "target": target,
        "case": case.name,
        "set": case.set.name,
        "kind": case.kind,
        "chunks": case.chunks,
        "instructions": bare,
        "instructions_framed": sealed,
        **measure.cycles(elf, target),
        "ram_bytes": values["ram_bytes"],
        "stack_bytes": values["stack_bytes"],
        "flash_table_bytes": linked.table_bytes(kept, tables.stem),
        "flash_key_bytes": blob_bytes,
        "text_bytes": linked.text_bytes(kept),
        "wire_bytes": 0,
        "backend": emulate.backend_of(measure.PORT_OF[target]),
        "method": measure.METHODS[target],
        "tools": measure.tools(target),
        "commit": measure.commit(),
        "digests": (values["digest"],),
        "functions": {} if target == "x86-64" else emulate.functions(measure.count_file(elf), 0),
        "sections": linked.largest(kept, linked.LIBRARY),
    }
