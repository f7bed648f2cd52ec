"""Frama-C's WP: which goals of a file hold, by each of two solvers alone."""
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from proofs.functions.contracts import ROOT, Contract

SECONDS = 10
# Why3 finds no cvc5 by itself. Its driver for cvc4 fits, under another logic. Neither driver knows how a newer solver says that
# its time is over, so that a goal without an answer in time is told from one that a solver gives up.
SOLVERS = {
    "z3": ("Z3", r"Z3 version (\S+)", "-smt2 -T:%t sat.random_seed=42 nlsat.randomize=false smt.random_seed=42 %f", "z3_471",
           "^timeout$"),
    "cvc5": ("CVC5", r"cvc5 version (\S+)", "--tlimit-per=%t000 --lang=smt2 --force-logic=ALL %f", "cvc4_17",
             "^(:reason-unknown timeout)$"),
}
DRIVERS = "/usr/share/why3/drivers"
MAIN = """[main]
datadir = "/usr/share/why3"
libdir = "/usr/lib/ocaml/why3"
magic = 14
memlimit = 2000
running_provers_max = 2
"""
PROVER = """
[prover]
name = "{name}"
version = "{version}"
command = "{path} {options}"
driver = "{driver}"
in_place = false
interactive = false
shortcut = "{shortcut}"
"""
# Portable C, without the extensions of a compiler: what is proved does not depend on any. Frama-C does not know _Alignas, and
# WP knows no alignment.
DEFINES = ("-U__GNUC__", "-U__SIZEOF_INT128__", "'-D_Alignas(bytes)='", "-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1")
# Answers to the same question by the same version of a solver.
CACHE = ROOT / "build/proofs-cache"
UNITS = {"s": 1.0, "ms": 0.001, "m": 60.0}


@dataclass(frozen=True)
class Verdict:
    """The word of a solver for a goal (Valid, Unknown, Timeout, Failed), and after how many seconds."""

    word: str
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether the goal is proved."""
        return self.word == "Valid"


def configuration(place: Path) -> Path:
    """Writes Why3's configuration; SystemExit for a tool that is missing."""
    missing = [tool for tool in ("frama-c", *SOLVERS) if shutil.which(tool) is None]
    if missing:
        raise SystemExit(f"{', '.join(missing)}: missing; ./bootstrap.sh proofs installs what make prove needs")
    place.parent.mkdir(parents=True, exist_ok=True)
    text = MAIN
    for shortcut, (name, version, options, driver, over) in SOLVERS.items():
        told = subprocess.run([shortcut, "--version"], capture_output=True, text=True, check=True).stdout
        found = re.search(version, told)
        own = place.parent / f"proofs-{shortcut}.drv"
        own.write_text(f'timeout "{over}"\nimport "{DRIVERS}/{driver}.drv"\n')
        text += PROVER.format(name=name, version=found[1] if found else "unknown", path=shutil.which(shortcut), options=options,
                              driver=own, shortcut=shortcut)
    place.write_text(text)
    return place


# For each solver, its verdicts by goal
VerdictsBySolver = dict[str, dict[str, Verdict]]


@dataclass(frozen=True)
class Attempt:
    """A solver, Why3's configuration, the folder with the library, and the seconds for each goal."""

    solver: str
    settings: Path
    root: Path = ROOT
    seconds: int = SECONDS


def verdicts(wanted: Sequence[Contract], attempt: Attempt) -> dict[str, dict[str, Verdict]]:
    """The verdicts on all goals of functions: assertions of the contract, of loops, and of all undefined behaviour. None is there
    if Frama-C refuses the files, or told what is not understood."""
    units = sorted({str(attempt.root / one.unit.relative_to(ROOT)) for one in wanted})
    names = [one.function for one in wanted]
    CACHE.mkdir(parents=True, exist_ok=True)
    checks = ["-wp", "-wp-rte", "-wp-prover", attempt.solver, "-wp-timeout", str(attempt.seconds), "-wp-par", "2",
              "-wp-cache", "update", "-wp-cache-dir", str(CACHE), "-wp-fct", ",".join(names)]
    preprocessor = f"-cpp-extra-args=-I{attempt.root}/device/include {' '.join(DEFINES)}"
    command = ["frama-c", "-c11", "-machdep", "x86_64", *checks, preprocessor, *units]
    environment = {"WHY3CONFIG": str(attempt.settings), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    found: dict[str, dict[str, Verdict]] = {name: {} for name in names}
    for goal, verdict in goals(done.stdout).items():
        owner = max((name for name in names if goal.startswith(name + "_")), key=len, default=None)
        if owner is None:
            return {name: {} for name in names}
        found[owner][goal] = verdict
    return found


def goals(text: str) -> dict[str, Verdict]:
    """The verdict on each goal; none unless every goal is told once: a line that is not understood proves nothing."""
    told = re.search(r"Proved goals: +(\d+) / (\d+)", text)
    lines = re.findall(r"Goal typed_(\w+)(?: : (\w+))?([^\n]*)", text)
    found = {goal: Verdict(word or "Failed", seconds(rest)) for goal, word, rest in lines}
    held = sum(verdict.holds for verdict in found.values())
    if told is None or len(lines) != len(found) or (held, len(found)) != (int(told[1]), int(told[2])) or not found:
        return {}
    return found


def seconds(rest: str) -> float:
    """The time at the end of a line about a goal; 0 if it names none."""
    found = re.search(r"\(([\d.]+)(ms|s|m)\)\s*$", rest)
    return float(found[1]) * UNITS[found[2]] if found else 0.0
