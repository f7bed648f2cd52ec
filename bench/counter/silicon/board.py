"""`python3 -m bench.counter.silicon.board build --memory MAP.ld` and `... read LOG --board NAME --megahertz N`, from the root of
the repository: measured cycles of a Cortex-M board beside those of the model.

`build` writes build/board/mps2-an386/board.elf: the modules of an encryption (bench/device/modules.c), each as a region that
reads the board's own cycle counter (DWT). MAP.ld has the memories FLASH, RAM and EXTERNAL of the board, as
ports/mps2-an386/link.ld has them. The program writes its results by semihosting: start it in a debugger that shows them (OpenOCD:
`arm semihosting enable`), and save what it prints as LOG. It expects the clock and the flash's wait states as the debugger or
boot loader left them; say them in NAME.

`read` prints every module with both numbers and the error of the model, and writes bench/out/board.json, which can be given back.
It needs bench/out/device.json (`make bench-device`)."""
import argparse
import sys
from pathlib import Path

from bench.device import measure
from bench.device.cases import by_prefix
from bench.device.modules import RESULT_BYTES
from bench.document import markdown
from bench.record import OUT, by_target, commit, read, write
from ports import emulate

PORT, PREFIX, SUITE = "mps2-an386", "ckks-4096x3", "chacha20"
# Modules in the order of the regions of modules.c, and their cases in device.json. The permutation belongs to another suite.
CASES = {name: f"{PREFIX}-module-{'shake256-' if name == 'keccak' else ''}{name}" for name in RESULT_BYTES}
FOLDER = emulate.BUILD / "board"


def build(memory: str) -> Path:
    """Builds the program; its ELF file. RuntimeError if it does not link into the board's memories."""
    parameters = by_prefix(PREFIX)
    values = {"PARAMS": f"isopod_{parameters.symbol}", "TABLES": f"isopod_tables_{parameters.symbol}",
              "SUITE": f"isopod_suite_{SUITE}", "N": parameters.ring_degree, "LOG2_SCALE": parameters.log2_scale,
              "PLAIN_MODULUS": 0, "PRIMES64": 0}
    emulate.make("port-app", f"PORT={PORT}", f"PORTS={PORT}", "APP=board", "APP_SOURCES=bench/device/modules.c",
                 f"APP_FLAGS={measure.definitions(values)} -DISOPOD_BOARD_CYCLES",
                 f"APP_TABLES={measure.generate_tables(parameters.name)}", f"BUILD={FOLDER}", f"{PORT}.MEMORY={memory}")
    return FOLDER / PORT / "board.elf"


def cycles(log: str) -> dict[str, int]:
    """Cycles by case; ValueError if the log is not that of the program, or the counter stood still."""
    words = [line.split() for line in log.splitlines()]
    found = [int(line[1]) for line in words if len(line) == 2 and line[0] == "cycles" and line[1].isdigit()]
    if len(found) != len(CASES):
        raise ValueError(f"the log has {len(found)} lines of cycles; the program prints {len(CASES)}")
    if not all(found):
        raise ValueError("the counter stood still: no board, or one without DWT")
    return dict(zip(CASES.values(), found, strict=True))


def records(measured: dict[str, int], modelled: dict[tuple[str, str], dict], board: str, megahertz: float) -> list[dict]:
    """One record per module, with the model's cycles and its error."""
    found = []
    for case, count in measured.items():
        model = modelled["cortex-m4", case]["est_cycles"]
        found.append({"case": case, "board": board, "megahertz": megahertz, "cycles": count, "modelled": model,
                      "error": model / count - 1, "commit": commit()})
    return found


def table(found: list[dict]) -> str:
    """The records as a table."""
    rows = [(one["case"], f"{one['cycles']:,}", f"{one['modelled']:,}", f"{one['error']:+.1%}") for one in found]
    return markdown(("module", "measured cycles", "modelled", "error of the model"), rows)


def main() -> int:
    """The exit status: 2 if something does not build, or the log cannot be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("build").add_argument("--memory", required=True, metavar="MAP.ld")
    reading = steps.add_parser("read")
    reading.add_argument("log", type=Path, metavar="LOG")
    reading.add_argument("--board", required=True, metavar="NAME")
    reading.add_argument("--megahertz", type=float, required=True, metavar="N")
    options = parser.parse_args()
    try:
        if options.step == "build":
            print(build(options.memory))
            return 0
        found = records(cycles(options.log.read_text()), by_target(read(OUT / "device.json")), options.board, options.megahertz)
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    write(OUT / "board.json", found)
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
