"""Frama-C's WP: which contracts of a file hold, by each of two solvers alone."""
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from proofs.functions.contracts import ROOT, Contract

SECONDS = 20
# Why3 finds no cvc5 by itself. Its driver for cvc4 fits, under another logic.
SOLVERS = {
    "z3": ("Z3", r"Z3 version (\S+)", "-smt2 -T:%t sat.random_seed=42 nlsat.randomize=false smt.random_seed=42 %f", "z3_471"),
    "cvc5": ("CVC5", r"cvc5 version (\S+)", "--tlimit=%t000 --lang=smt2 --force-logic=ALL %f", "cvc4_17"),
}
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
# Portable C, without the extensions of a compiler: what is proved does not depend on any.
DEFINES = ("-U__GNUC__", "-U__SIZEOF_INT128__", "-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1")


def configuration(place: Path) -> Path:
    """Writes Why3's configuration; SystemExit for a tool that is missing."""
    missing = [tool for tool in ("frama-c", *SOLVERS) if shutil.which(tool) is None]
    if missing:
        raise SystemExit(f"{', '.join(missing)}: missing; ./bootstrap.sh proofs installs what make prove needs")
    text = MAIN
    for shortcut, (name, version, options, driver) in SOLVERS.items():
        told = subprocess.run([shortcut, "--version"], capture_output=True, text=True, check=True).stdout
        found = re.search(version, told)
        text += PROVER.format(name=name, version=found[1] if found else "unknown", path=shutil.which(shortcut), options=options,
                              driver=driver, shortcut=shortcut)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return place


def unproved(unit: Path, wanted: Sequence[Contract], solver: str, settings: Path, root: Path = ROOT) -> set[str] | None:
    """Functions of which some goal is not proved by a solver: assertions of the contract, of loops, and of all undefined
    behaviour. None if Frama-C refuses the file, or told what is not understood."""
    names = [one.function for one in wanted]
    checks = ["-wp", "-wp-rte", "-wp-prover", solver, "-wp-timeout", str(SECONDS), "-wp-par", "2", "-wp-fct", ",".join(names)]
    preprocessor = f"-cpp-extra-args=-I{root}/device/include {' '.join(DEFINES)}"
    command = ["frama-c", "-c11", "-machdep", "x86_64", *checks, preprocessor, str(root / unit.relative_to(ROOT))]
    environment = {"WHY3CONFIG": str(settings), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    failed = failures(done.stdout)
    if failed is None or any(not goal.startswith(tuple(f"{name}_" for name in names)) for goal in failed):
        return None
    return {name for name in names for goal in failed if goal.startswith(name + "_")}


def failures(text: str) -> list[str] | None:
    """The goals that are not proved; None unless every goal is told once: a line that is not understood proves nothing."""
    told = re.search(r"Proved goals: +(\d+) / (\d+)", text)
    goals = re.findall(r"Goal typed_(\w+)(?: : (\w+))?", text)
    failed = [goal for goal, verdict in goals if verdict != "Valid"]
    if told is None or (len(goals) - len(failed), len(goals)) != (int(told[1]), int(told[2])) or not goals:
        return None
    return failed
