"""`.venv/bin/python -m rtl.soc.experiment [--quick] [--latency N ...] [CASE ...]`: the experiment
of the NTT-accelerator paper [DMGS23].

Runs each encryption three times on one system: by the library in software alone, with the engine
and its words carried by the core, and with the engine's own transfers. Counts cycles of the core's
clock from the call of begin to the last packed byte, with entropy, root, encode, sampling and
packing; keys and descriptors are in place. All ways must give the same bytes. Unchanged programs on
an unchanged system are not run again (build/soc-runs). Records go to bench/out/rtl.json and
replace those of the same config, case and latency:

    config   soc-software | soc-<configuration>-carried | soc-<configuration>
    case     ckks-<n>x<primes>-<sym|pk|ternary>; -prime for the second prime of it alone; ntt-<n>;
             of 64-bit primes ckks-<n>x<primes>w-<key>, ckks-<n>w-prime-<key>, ntt-<n>w;
             ckks-<n>x<primes>w-complex: of complex slots, under a ternary key;
             ckks-<n>x<primes>-air-<key>: of rounded coefficients; -framed: whole frames
    latency  further cycles of every access of the core to memory, and of every burst of a transfer;
             0: zero-wait memory. Otherwise the config ends in -latency<N>"""
import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.record import OUT, merge
from bench.rtl.run import key
from rtl.soc.build import CORE, build
from rtl.soc.firmware import ENGINE, SOFTWARE, Firmware, named_set, remembered

SMALL, LARGE, WIDE, ALL = "w32p4", "w32p4-16384", "w54p4", "w54p4-bfv"
AIR = "w32p4-air"
FRAME, AIR_FRAME = "w32p4-frame", "w32p4-air-frame"
# Enough at the largest degree for the check of a public key, about 100 cycles per byte, and two
# encryptions in software.
LIMIT = 1 << 30


@dataclass(frozen=True)
class Case:
    """One set and kind of key, and the configuration of the engine that takes it; layout of
    isopod_layout."""

    name: str
    set: str
    kind: str
    configuration: str = SMALL
    quick: bool = False
    layout: int = 0
    framed: bool = False

    @property
    def degree(self) -> str:
        """The ring degree in names of parts of the case."""
        chosen = named_set(self.set)
        return f"{chosen.ring_degree}{'w' * chosen.has_primes64}"


CASES = (
    Case("ckks-1024x1-sym", "ckks-1024x1-sum", "sym", quick=True),
    Case("ckks-1024x1-pk", "ckks-1024x1-sum", "pk"),
    Case("ckks-2048x1-sym", "ckks-2048x1-sum", "sym"),
    Case("ckks-2048x1-pk", "ckks-2048x1-sum", "pk"),
    Case("ckks-4096x3-sym", "ckks-4096x3-seal-embedded-30", "sym", quick=True),
    Case("ckks-4096x3-pk", "ckks-4096x3-seal-embedded-30", "pk", quick=True),
    Case("ckks-2048x1-air-sym", "ckks-2048x1-air", "sym", AIR, layout=5),
    Case("ckks-2048x1-air-pk", "ckks-2048x1-air", "pk", AIR, layout=5),
    Case("ckks-1024x1-sym-framed", "ckks-1024x1-sum", "sym", FRAME, framed=True),
    Case("ckks-2048x1-sym-framed", "ckks-2048x1-sum", "sym", FRAME, framed=True),
    Case("ckks-4096x3-sym-framed", "ckks-4096x3-seal-embedded-30", "sym", FRAME, framed=True),
    Case("ckks-4096x3-pk-framed", "ckks-4096x3-seal-embedded-30", "pk", FRAME, framed=True),
    Case("ckks-2048x1-air-sym-framed", "ckks-2048x1-air", "sym", AIR_FRAME, layout=5,
         framed=True),
    Case("ckks-2048x1-air-pk-framed", "ckks-2048x1-air", "pk", AIR_FRAME, layout=5, framed=True),
    Case("ckks-8192x6-ternary", "ckks-8192x6-seal-embedded", "ternary", LARGE),
    Case("ckks-8192x6-pk", "ckks-8192x6-seal-embedded", "pk", LARGE),
    Case("ckks-8192x3w-ternary", "ckks-8192x3w-sum", "ternary", WIDE),
    Case("ckks-8192x3w-pk", "ckks-8192x3w-sum", "pk", WIDE),
    Case("ckks-8192x3w-complex", "ckks-8192x3w-sum", "ternary", ALL, layout=2),
    Case("ckks-16384x13-ternary", "ckks-16384x13-seal-embedded", "ternary", LARGE),
    Case("ckks-16384x13-pk", "ckks-16384x13-seal-embedded", "pk", LARGE),
)


def measured(program: Path, firmware: Firmware, words: list[str], latency: int) -> dict[str, int]:
    """Numbers that a program of rtl/soc/firmware prints."""
    return remembered(program, firmware.build(), [str(firmware.key()), *words], LIMIT, latency)


def record(config: str, case: str, cycles: int, latency: int) -> dict:
    """One line of rtl.json."""
    config += f"-latency{latency}" if latency else ""
    return {"config": config, "case": case, "cycles": cycles, "latency": latency,
            "method": "mcycle, CV32E40P and engine in Verilator"}


def both_ways(case: Case, latency: int) -> tuple[dict[str, int], dict[str, int]]:
    """Software, and the library with the engine; ValueError if their bytes differ."""
    chosen = named_set(case.set)
    software, engine = (
        measured(build(configuration),
                 Firmware("encrypt", chosen, case.kind, backend=backend, layout=case.layout,
                          framed=case.framed), [], latency)
        for configuration, backend in ((CORE, SOFTWARE), (case.configuration, ENGINE)))
    if software["digest"] != engine["digest"] or software["bytes"] != engine["bytes"]:
        raise ValueError(f"{case.name}: the engine's bytes are not those of the software")
    return software, engine


def encryptions(case: Case, latency: int) -> list[dict]:
    """Both ways' records; ValueError if the engine left the encryption to software."""
    software, engine = both_ways(case, latency)
    if software["whole"] < 5 * engine["whole"]:
        raise ValueError(f"{case.name}: the engine did not take it")
    found = []
    for config, numbers in (("soc-software", software), (f"soc-{case.configuration}", engine)):
        found.append(record(config, case.name, numbers["whole"], latency))
        if numbers["prime"] and not case.layout and not case.framed:
            found.append(record(config, f"ckks-{case.degree}-prime-{case.kind}", numbers["prime"],
                                latency))
    return found


def driven(case: Case, latency: int) -> list[dict]:
    """Without the library: transfers and the core's carrying, of an encryption and of a
    transform."""
    chosen = named_set(case.set)
    numbers = measured(build(case.configuration), Firmware("drive", chosen, case.kind), ["measure"],
                       latency)
    config, ntt = f"soc-{case.configuration}", f"ntt-{case.degree}"
    found = [record(f"{config}-carried", case.name, numbers["carried"], latency),
             record(f"{config}-registers", case.name, numbers["transferred"], latency)]
    if case.kind != "pk":
        found += [record("soc-software", ntt, numbers["ntt_software"], latency),
                  record(f"{config}-carried", ntt, numbers["ntt_carried"], latency),
                  record(config, ntt, numbers["ntt_transferred"], latency)]
    return found


def chosen_cases(options: argparse.Namespace) -> list[Case]:
    """The named cases, those of --quick, or all; ValueError for an unknown name."""
    unknown = set(options.cases) - {case.name for case in CASES}
    if unknown:
        names = ", ".join(case.name for case in CASES)
        raise ValueError(f"no case {', '.join(sorted(unknown))}; there are {names}")
    if options.cases:
        return [case for case in CASES if case.name in options.cases]
    return [case for case in CASES if case.quick or not options.quick]


def main() -> int:
    """Exit status 1 if a case failed, 2 for an unknown name."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--quick", action="store_true", help="three cases")
    parser.add_argument("--latency", type=int, nargs="+", default=[0], help="0 .. 255")
    options = parser.parse_args()
    try:
        selected = chosen_cases(options)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    failed = 0
    for case, latency in [(case, latency) for latency in options.latency for case in selected]:
        try:
            found = encryptions(case, latency)
            if not case.layout and not case.framed:
                found += driven(case, latency)
        except (RuntimeError, ValueError) as error:
            print(f"FAILED {error}", flush=True)
            failed += 1
            continue
        merge(OUT / "rtl.json", found, key)
        for entry in found:
            print(f"{entry['config']:32} {entry['case']:24} {entry['cycles']:12,}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
