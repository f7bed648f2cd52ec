"""`.venv/bin/python -m rtl.syn.run [--flow xc7|ecp5] [--liberty FILE ...] [DESIGN ...]`: resources
and frequency of the engine and its blocks.

Without names every design is synthesised. --liberty maps to the standard cells of a library, whose
files may be several, instead (rtl/doc/area.md). Prints one line per record and writes them to
build/rtl-syn/records.json."""
import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from rtl.sources import ENGINE, configurations, modules
from rtl.syn.cells import standard_cells
from rtl.syn.flow import BUILD, Design, FlowError, ecp5, front_end, xc7

FLOWS: dict[str, Callable[[Design], dict]] = {"xc7": xc7, "ecp5": ecp5}

# Blocks synthesised on their own; configurations of the engine come from rtl/configs.yaml.
BLOCKS = (
    Design("chacha20", "isopod_chacha20_core"),
    Design("keccak", "isopod_keccak_core"),
    Design("keccak-2", "isopod_keccak_core", {"RoundsPerCycle": "2"}),
    Design("randomness", "isopod_randomness"),
    Design("randomness-keccak", "isopod_randomness", {"Xof": "1"}),
    Design("packer", "isopod_packer"),
    Design("transform", "isopod_transform", {"Lanes": "4", "Tiled": "0"}),
    Design("poly1305", "isopod_poly1305", {"Tiled": "0"}),
    Design("montgomery", "isopod_montgomery", {"Tiled": "0"}),
    Design("montgomery-w54", "isopod_montgomery", {"Tiled": "0"}, width=54),
)


def designs() -> list[Design]:
    """Blocks, then the engine in its configurations."""
    engines = [Design(name, ENGINE, chosen, width=int(chosen["ModulusWidth"]))
               for name, chosen in configurations().items()]
    return [*BLOCKS, *engines]


def chosen_designs(names: list[str]) -> list[Design]:
    """The named designs, modules with their default parameters, or all; ValueError for an unknown
    name."""
    known = {design.name: design for design in designs()}
    known = {name: Design(name, name) for name in modules()} | known
    unknown = set(names) - known.keys()
    if unknown:
        raise ValueError(f"no design {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return [known[name] for name in names] or designs()


def text(record: dict) -> str:
    """A record as one line."""
    return "  ".join(f"{name} {value}" for name, value in record.items())


def main() -> int:
    """Exit status 1 if a step failed, 2 for an unknown name."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("designs", nargs="*", metavar="DESIGN")
    parser.add_argument("--flow", choices=sorted(FLOWS), action="append",
                        help="only this one; may be repeated")
    parser.add_argument("--liberty", type=Path, action="append", metavar="FILE",
                        help="a file of the library; may be repeated")
    options = parser.parse_args()
    flows = FLOWS | {"cells": lambda design: standard_cells(design, options.liberty)}
    records, failed = [], 0
    try:
        selected = chosen_designs(options.designs)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for design in selected:
        try:
            for flow in ["cells"] if options.liberty else options.flow or design.flows:
                chosen = design.towards(flow)
                front_end(chosen)
                records.append(flows[flow](chosen))
                print(text(records[-1]), flush=True)
        except FlowError as error:
            failed += 1
            print(f"FAILED {error}", flush=True)
    (BUILD / "records.json").write_text(json.dumps(records, indent=1) + "\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
