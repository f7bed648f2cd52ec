"""Builds one case for one target, runs it and gives its record; the parts that every record of device.json has."""
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.device import keys, linked
from bench.device.cases import BOARDS, FURTHER_TARGETS, KINDS, SPLIT_KINDS, Case
from bench.device.tfhe_cases import TfheCase
from bench.record import commit
from ports import emulate
from ports.cores import BY_SLUG
from ports.emulate import BUILD, ROOT
from spec.gen.__main__ import main as spec_gen

SECONDS = 600
MESSAGE32_BITS = 30  # ISOPOD_MESSAGE32_BITS
PORT_OF = {"cortex-m4": "mps2-an386", "rv32im": "virt-rv32", "x86-64": "linux", "aarch64": "linux-aarch64",
           "armv7a": "linux-armv7a", "cortex-m55": "mps3-an547", **{name: name for name in FURTHER_TARGETS}}
COMPILERS = {target: emulate.COMPILER[emulate.port_of(place)] for target, place in PORT_OF.items()}
METHODS = {
    "cortex-m4": "guest instructions, QEMU TCG plugin, mps2-an386",
    "rv32im": "guest instructions, QEMU TCG plugin, virt",
    "x86-64": "instructions, valgrind callgrind, AVX2 kernels",
    "aarch64": "guest instructions, QEMU TCG plugin, qemu-aarch64, NEON",
    "armv7a": "guest instructions, QEMU TCG plugin, qemu-arm, Cortex-A7 with NEON",
    "cortex-m55": "guest instructions, QEMU TCG plugin, mps3-an547, Helium",
    **{name: f"guest instructions, QEMU TCG plugin, {BY_SLUG[name].machine or BY_SLUG[name].port}" for name in FURTHER_TARGETS},
}
# Fields of a record that judge or explain a run and are not results.
PRIVATE = ("digests",)


@dataclass(frozen=True)
class Files:
    """The files of one case, relative to the root of the repository."""

    elf: Path
    key: Path
    tables: Path


def prepare() -> None:
    """Builds the instruction counter."""
    emulate.make(f"{BUILD}/counter/libcounter.so")


@cache
def generate_tables(set_name: str, lean: bool = False, message64: bool = False) -> Path:
    """Writes the flash tables of a set, once per run; their path."""
    out = BUILD / "bench" / f"tables_{set_name}{'-lean' if lean else ''}{'-message64' if message64 else ''}.c"
    (ROOT / out).parent.mkdir(parents=True, exist_ok=True)
    if spec_gen(["tables", "--set", set_name, "--out", str(ROOT / out), *["--lean"] * lean, *["--message64"] * message64]):
        raise RuntimeError(f"no tables of {set_name}")
    return out


def app_flags(case: Case) -> str:
    """The definitions that app.c asks for."""
    values = {
        **set_values(case),
        "KIND": (KINDS | SPLIT_KINDS)[case.kind],
        "PRIMES": len(case.set.primes),
        "KEY_BYTES": keys.blob_bytes(case.set, case.kind),
        "WIRE_BYTES": case.body_bytes + 512 * len(case.set.primes),
    }
    return definitions(values | rounding_values(case)) + (" -DBENCH_VALUES_INSIDE" if case.is_total else "")


def rounding_values(case: Case) -> dict[str, str]:
    """Definitions of rounded coefficients; none for other cases."""
    if case.rounding is None:
        return {}
    return {"METHOD": f"isopod_rounded_{case.rounding.method}",
            "DROPPED": ",".join(map(str, case.rounding.dropped)),
            "WORKSPACE": f"ISOPOD_ROUNDED_{case.rounding.method.upper()}_WORKSPACE",
            **({"LINEAR_TAGS": str(case.rounding.linear_tags)} if case.rounding.linear_tags else {})}


def set_values(case: Case) -> dict[str, str | int]:
    """Definitions of set and suite that every measured application needs."""
    return {
        "PARAMS": f"isopod_{case.set.symbol}",
        "TABLES": f"isopod_tables_{case.set.symbol}",
        "SUITE": f"isopod_suite_{case.suite}",
        "N": case.set.ring_degree,
        "LOG2_SCALE": case.set.log2_scale,
        "PLAIN_MODULUS": case.set.plain_modulus,
        "PRIMES64": int(case.set.has_primes64),
    }


def definitions(values: dict[str, str | int]) -> str:
    """Compiler flags."""
    return " ".join(f"-DBENCH_{name}={value}" for name, value in values.items()) + " -Ibench"


def build(case: Case, target: str, library: Path | None = None) -> Files:
    """Builds the application for the case's set, kind and suite; memory plans share it. `library` is used instead of the
    port's own if it is given."""
    tables = generate_tables(case.set.name, case.lean, case.set.log2_scale > MESSAGE32_BITS)
    key = BUILD / "bench" / f"{case.set.name}-{case.kind}.key"
    keys.write(ROOT / key, case.set, case.kind)
    app = f"bench-{case.set.name}-{case.kind}-{case.suite}{'-lean' if case.lean else ''}"
    app += "-total" if case.is_total else ""
    if case.rounding:
        app += f"-{case.rounding.method}" + "-linear" * case.rounding.linear_tags
    elf = emulate.build_app(PORT_OF[target], app, ["bench/device/app.c"], app_flags(case), (str(tables),),
                            library or case.backend)
    return Files(elf, key, tables)


def run(elf: Path, words: list[str], target: str) -> tuple[list[int], dict[str, int]]:
    """Instructions of the regions, and the values that the application printed."""
    if target == "x86-64":
        values = values_of(emulate.run([str(elf), *words], SECONDS))
        return emulate.callgrind(elf, words, SECONDS), values
    values = values_of(emulate.run(emulate.command(PORT_OF[target], elf, words, count_file(elf)), SECONDS))
    return emulate.regions(count_file(elf)), values


def count_file(elf: Path) -> Path:
    """The file to which the counter writes the regions of an application."""
    return elf.with_suffix(".regions")


def values_of(done: subprocess.CompletedProcess) -> dict[str, int]:
    """The lines "name value" of the application."""
    if done.returncode != 0:
        raise RuntimeError(f"{done.args[-1]}: exit status {done.returncode}: {done.stderr}")
    return {name: int(value) for name, value in (line.split() for line in done.stderr.splitlines())}


def check_output(case: Case, values: dict[str, int]) -> None:
    """Refuses an encryption that stopped early, because it would look fast."""
    expected = case.body_bytes
    if values["residue_bytes"] != expected or values["wire_bytes"] <= expected:
        raise ValueError(f"{case.name}: {values['residue_bytes']} residue bytes and {values['wire_bytes']} bytes on "
                         f"the wire, expected {expected} and more than that")


def measure(case: Case, target: str) -> dict:
    """One record of device.json, with the private fields."""
    files = build(case, target)
    seen = observe(files.elf, [str(files.key), str(case.chunks)], target)
    values = seen.values
    check_output(case, values)
    others = values["frame_bytes"] + values["stack_bytes"] if case.is_total else 0
    return record(case, seen) | {
        "chunks": case.chunks,
        "ram_bytes": values["ram_bytes"] + others,
        "ram_bytes_framed": values["ram_bytes"] + max(others, values["frame_bytes"]),
        "frame_bytes": values["frame_bytes"],
        "flash_table_bytes": linked.table_bytes(seen.kept, files.tables.stem),
        "flash_key_bytes": keys.blob_bytes(case.set, case.kind),
        "wire_bytes": values["wire_bytes"],
        "digests": (values["residue_digest"], values["wire_digest"]),
    }


@dataclass(frozen=True)
class Observation:
    """One run of an application: instructions of its regions, the values that it printed, and the sections that it keeps."""

    elf: Path
    target: str
    counts: list[int]
    values: dict[str, int]
    kept: list[tuple[str, int, str]]


def observe(elf: Path, words: list[str], target: str) -> Observation:
    """Runs an application; ValueError if the library in it owns memory."""
    kept = linked.sections(ROOT / elf.with_suffix(".map"))
    linked.check_no_globals(kept)
    return Observation(elf, target, *run(elf, words, target), kept)


def record(case: Case | TfheCase, seen: Observation) -> dict:
    """The fields that every record of an application has: its case, its two counts, its code, and how it was measured."""
    (bare, framed), elf, target = seen.counts, seen.elf, seen.target
    return {
        "target": target,
        "case": case.name,
        "set": case.set.name,
        "kind": case.kind,
        "instructions": bare,
        "instructions_framed": framed,
        **cycles(elf, target),
        "stack_bytes": seen.values["stack_bytes"],
        "text_bytes": linked.text_bytes(seen.kept),
        **circumstances(case, target),
    }


def circumstances(case: Case | TfheCase, target: str) -> dict:
    """Suite, kernels, method, tools and commit of a measurement."""
    return {"suite": case.suite, "backend": case.backend or emulate.backend_of(PORT_OF[target]), "method": METHODS[target],
            "tools": tools(target), "commit": commit()}


def cycles(elf: Path, target: str) -> dict[str, int]:
    """Cycles of the bare and the framed encryption by the model of bench/counter; on boards only."""
    if target not in BOARDS:
        return {}
    bare, framed = emulate.cycles(count_file(elf))
    return {"est_cycles": bare, "est_cycles_framed": framed}


@cache
def tools(target: str) -> dict[str, str]:
    """The first lines of the texts that compiler and counting tool print as their versions."""
    port = emulate.port_of(PORT_OF[target])
    runner = ("valgrind", "valgrind") if port == "linux" else ("qemu", emulate.MACHINE[port][0])
    named = {"gcc": COMPILERS[target], runner[0]: runner[1]}
    return {name: emulate.run([tool, "--version"]).stdout.split("\n")[0] for name, tool in named.items()}
