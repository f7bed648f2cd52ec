"""`.venv/bin/python -m bench.rtl.run [--cycles] [--synthesis] [CONFIG ...]`: measures the engine's cycles, resources,
frequency.

Without names it measures every configuration of rtl/configs.yaml, and the resources of every block. Writes bench/out/rtl.json,
and keeps its records of other configurations. A record is {config, case, cycles} or {config, flow, dsp, lut, lc,
lc_without_xof, lc_without_randomness, ff, bram, fmax_mhz}."""
import argparse
import json
import subprocess
import sys
from collections.abc import Callable

from bench.record import OUT, ROOT, merge
from rtl.dv.bench import BUILD, Bench
from rtl.dv.run import benches
from rtl.sources import configurations
from rtl.syn.flow import BUILD as SYNTHESIS_BUILD
from rtl.syn.run import BLOCKS

SAME_SHAPE = ("Lanes", "MaxLogN")
WIDTH = "ModulusWidth"


def transform_bench(known: list[Bench], parameters: dict[str, str]) -> str:
    """The transform's test bench with this width, number of lanes and bank size."""
    return next(bench.name for bench in known if bench.top == "isopod_transform" and bench.width == int(parameters[WIDTH]) and
                all(int(bench.parameters[name]) == int(parameters[name]) for name in SAME_SHAPE))


def cycles_of(config: str, known: list[Bench]) -> list[dict]:
    """Simulates one configuration; CalledProcessError if a bench fails."""
    system = f"measure-system-{config}"
    names = [f"measure-{config}", transform_bench(known, configurations()[config]),
             *(bench.name for bench in known if bench.name == system)]
    for name in names:
        (BUILD / name / "cycles.json").unlink(missing_ok=True)
    subprocess.run([sys.executable, "-m", "rtl.dv.run", *names], cwd=ROOT, check=True)
    found = [(BUILD / name / "cycles.json").read_text() for name in names]
    return [{"config": config, "case": case, "cycles": cycles} for text in found for case, cycles in json.loads(text).items()]


def resources_of(design: str) -> list[dict]:
    """Synthesises one configuration or block; CalledProcessError if a step fails."""
    subprocess.run([sys.executable, "-m", "rtl.syn.run", design], cwd=ROOT, check=True)
    return json.loads((SYNTHESIS_BUILD / "records.json").read_text())


def key(record: dict) -> tuple:
    """The configuration, case and flow of a record."""
    return record["config"], record.get("case", ""), record.get("flow", "")


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", nargs="*", metavar="CONFIG")
    parser.add_argument("--cycles", action="store_true", help="only cycles")
    parser.add_argument("--synthesis", action="store_true", help="only resources and frequency: an hour or more")
    return parser.parse_args()


def steps_of(options: argparse.Namespace) -> list[tuple[str, Callable[[], list[dict]]]]:
    """The measurements to make, simulations first; ValueError for an unknown name."""
    simulated = list(configurations())
    known = [*simulated, *(block.name for block in BLOCKS)]
    unknown = set(options.configs) - set(known)
    if unknown:
        raise ValueError(f"no configuration {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    chosen, found = options.configs or known, []
    if options.cycles or not options.synthesis:
        found += [(name, lambda name=name: cycles_of(name, benches())) for name in chosen if name in simulated]
    if options.synthesis or not options.cycles:
        found += [(name, lambda name=name: resources_of(name)) for name in chosen]
    return found


def main() -> int:
    """The exit status: 1 if something failed, 2 for an unknown name."""
    try:
        steps = steps_of(arguments())
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    failed = 0
    for name, step in steps:
        try:
            merge(OUT / "rtl.json", step(), key)
        except (subprocess.CalledProcessError, OSError) as error:
            failed += 1
            print(f"FAILED {name}: {error}", flush=True)
    print(f"{len(steps) - failed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
