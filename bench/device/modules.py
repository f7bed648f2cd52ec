"""The modules of an encryption, each measured alone: one application per set and suite gives the records `<case>-<module>`."""
from pathlib import Path

from bench.device import linked, measure
from bench.device.cases import BOARDS, Case, ParameterSet
from ports import emulate
from ports.emulate import ROOT

# In the order of the regions of modules.c, with bytes of the result per coefficient.
RESULT_BYTES = {"encode": 2, "error": 1, "ternary": 0.25, "uniform": 4, "ntt": 4, "product": 4, "packing": 4, "fused": 4,
                "keccak": 0}
SAMPLING = ("error", "ternary", "uniform")
OF_SHAKE256 = (*SAMPLING, "keccak")


def records(case: Case, target: str) -> list[dict]:
    """One record per module. Other suites than the default one change sampling only, so only sampling is measured with them."""
    tables = measure.generate_tables(case.set.name)
    elf = emulate.build_app(measure.PORT_OF[target], f"{case.name}-{case.suite}", ["bench/device/modules.c"],
                            measure.definitions(measure.set_values(case)), (str(tables),))
    instructions, values = measure.run(elf, [], target)
    counted = dict(zip(RESULT_BYTES, instructions, strict=True))
    modelled = dict(zip(RESULT_BYTES, emulate.cycles(measure.count_file(elf)), strict=True)) if target in BOARDS else {}
    kept = linked.sections(ROOT / elf.with_suffix(".map"))
    shared = {"target": target, "set": case.set.name, "kind": "module", "stack_bytes": values["stack_bytes"],
              **measure.circumstances(case, target), "digests": (values["digest"],)}
    return [{**shared, "case": f"{case.name}-{name}", "instructions": counted[name],
             **({"est_cycles": modelled[name]} if modelled else {}), **sizes(case.set, name, kept, tables)}
            for name in of_suite(case.suite)]


def of_suite(suite: str) -> tuple[str, ...]:
    """The modules that are measured with a suite; permutations are the same for every set."""
    return OF_SHAKE256 if suite == "shake256" else tuple(name for name in RESULT_BYTES if name != "keccak")


def sizes(parameters: ParameterSet, name: str, kept: list[tuple[str, int, str]], tables: Path) -> dict[str, int]:
    """RAM of the result, and the tables of one prime that the module reads. Nothing is sent."""
    large = [section for section in kept if tables.stem in section[2] and section[1] >= parameters.ring_degree]
    cosines = sum(size for section, size, _ in large if "cosine" in section)
    twiddles = (sum(size for _, size, _ in large) - cosines) // len(parameters.primes)
    flash = {"encode": cosines, "ntt": twiddles, "fused": twiddles}
    return {
        "ram_bytes": int(RESULT_BYTES[name] * parameters.ring_degree),
        "flash_table_bytes": flash.get(name, 0),
        "text_bytes": linked.text_bytes(kept),
        "wire_bytes": 0,
    }
