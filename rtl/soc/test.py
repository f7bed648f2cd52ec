"""`.venv/bin/python -m rtl.soc.test`: runs the short programs on the simulated processor with the
engine w32p4.

The engine through its registers under bad input, aborts and bus errors, by polling and by
interrupt; an encryption by the library, whose bytes must equal those of its software."""
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from device.test.sources import tests
from ports.emulate import ROOT, build_app
from rtl.soc.build import DEFAULT, build
from rtl.soc.firmware import ENGINE, PORT, SOFTWARE, Firmware, named_set, run, values

LIMIT = 400_000_000


@dataclass(frozen=True)
class Program:
    """Program for the simulated system, and the latency of its memory."""

    name: str
    build: Callable[[], tuple[Path, list[str]]]
    configuration: str = DEFAULT
    latency: int = 0


def registers(set_name: str, kind: str, sleeps: bool = False) -> tuple[Path, list[str]]:
    """The program rtl/soc/firmware/drive.c and its arguments."""
    firmware = Firmware("drive", named_set(set_name), kind, sleeps=sleeps)
    return firmware.build(), [str(firmware.key()), "errors"]


def library(largest: int, *groups: str) -> tuple[Path, list[str]]:
    """The tests of device/test, with the known ciphertexts of the engine's suite up to a degree; by
    secret key, where the slot makes roots of its own, those of software."""
    sources = [str(path) for path in tests("board")]
    sources.append("device/src/backend/accel/engine_accel.c")
    flags = f"-DISOPOD_TEST_LARGEST_DEGREE={largest} -DISOPOD_TEST_SUITE=1 -DISOPOD_ACCEL_SLOT=0"
    return build_app(PORT, f"device-test-{largest}", sources, flags), list(groups)


QUICK = (
    Program("registers", lambda: registers("ckks-1024x1-sum", "sym")),
    Program("registers, by interrupt", lambda: registers("ckks-1024x1-sum", "sym", sleeps=True)),
)


def same_bytes(kind: str) -> bool:
    """True if the library's encryption gives the same bytes with the engine and in software."""
    cases = [Firmware("encrypt", named_set("ckks-1024x1-sum"), kind, backend=backend)
             for backend in (ENGINE, SOFTWARE)]
    found = [values(run(build(), case.build(), [str(case.key())], LIMIT)) for case in cases]
    engine, software = found
    good = engine["digest"] == software["digest"] and 10 * engine["whole"] < software["whole"]
    print(f"encryption, {kind}: {'ok' if good else 'FAILED'}, {engine['whole']} cycles, "
          f"software {software['whole']}")
    return good


def verdict(program: Program, done: subprocess.CompletedProcess) -> bool:
    """Prints the outcome, and the whole output after a failure."""
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "silent"
    good = done.returncode == 0 and " 0 failed" in last
    print(f"{program.name}: {'ok' if good else 'FAILED'}, {last}", flush=True)
    if not good:
        print(f"exit status {done.returncode}\n{done.stdout}{done.stderr}", flush=True)
    return good


def test(programs: tuple[Program, ...], kinds: tuple[str, ...]) -> int:
    """Runs the programs and encryptions under these kinds of keys. Exit status 1 if one fails;
    programs are counted, not their checks."""
    failed = 0
    for program in programs:
        try:
            elf, words = program.build()
            failed += not verdict(program,
                                  run(build(program.configuration), elf, words, LIMIT,
                                      program.latency))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{program.name}: FAILED\n{error}")
            failed += 1
    for kind in kinds:
        try:
            failed += not same_bytes(kind)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"encryption, {kind}: FAILED\n{error}")
            failed += 1
    print(f"{len(programs) + len(kinds) - failed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(test(QUICK, ("sym",)))
