"""Equal instruction counts over random secrets: on Cortex-M4 and RV32 exactly, on x86-64 over messages under callgrind."""
import os
import re
import sys
from collections import defaultdict
from dataclasses import dataclass

from compilers import ROOT

sys.path.insert(0, str(ROOT))
os.environ.setdefault("BUILD", "build")
from ports import emulate  # noqa: E402

SOURCES = ["device/test/constant_time/counts.c", *(f"device/test/{name}.c" for name in ("check", "fixture", "platform_board"))]
WRAPPED = ("isopod_root_take", "isopod_sample_ternary")
TRIALS = 64
SECONDS = 600
REJECTED = re.compile(r"^\s*rejected (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Profile:
    """A row of counts.c; whether the ternary sampler is called, and whether it is part of --quick."""

    name: str
    ternary: bool
    quick: bool


PROFILES = (
    Profile("secret key, ternary, ChaCha20, 1 chunk, float32", False, True),
    Profile("secret key, NTT, SHAKE256, 4 chunks, float64", False, True),
    Profile("public key, ChaCha20, 4 chunks, int32", True, True),
    Profile("public key, seeded, ChaCha20, 1 chunk, float32", True, False),
    Profile("secret key, NTT, wide, 4 chunks, float64", False, False),
    Profile("BFV, secret key, NTT, 1 chunk, uint32", False, True),
    Profile("BFV, public key, 4 chunks, 3 primes, int32", True, False),
)


@dataclass(frozen=True)
class Trial:
    """Instructions of one encryption; `begin` is without the ternary sampler."""

    begin: int
    pieces: int
    ternary: int
    rejected: int


def build(port: str) -> None:
    """The counter and the application."""
    emulate.make(f"{emulate.BUILD}/counter/libcounter.so")
    wraps = " ".join(f"-Wl,--wrap={name}" for name in WRAPPED)
    emulate.make("port-app", f"PORT={port}", "APP=constant-time-counts", f"APP_SOURCES={' '.join(SOURCES)}",
                 "APP_FLAGS=-Ibench", f"APP_LDFLAGS={wraps}")


def _program(port: str):
    return emulate.BUILD / port / "constant-time-counts.elf"


def _said(command: list[str]) -> list[int]:
    done = emulate.run(command, SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return [int(number) for number in REJECTED.findall(done.stdout + done.stderr)]


def trials(port: str, number: int) -> list[Trial]:
    """Everything random, on a board."""
    file = emulate.BUILD / f"constant_time/counts-{port}-{number}.txt"
    (ROOT / file).parent.mkdir(parents=True, exist_ok=True)
    rejected = _said(emulate.command(port, _program(port), [str(number), str(TRIALS), "all"], file))
    regions, step = emulate.regions(file), 4 if PROFILES[number].ternary else 2
    if len(rejected) != TRIALS or len(regions) != step * TRIALS:
        raise RuntimeError(f"{port}, profile {number}: {len(rejected)} trials, {len(regions)} regions")
    found = []
    for at, count in zip(range(0, len(regions), step), rejected):
        ternary, replay = regions[at + 1:at + 3] if step == 4 else (0, 0)
        found.append(Trial(regions[at] - ternary - replay, regions[at + step - 1], ternary, count))
    return found


def differences(found: list[Trial], ternary: bool) -> list[str]:
    """Where instructions depend on a secret."""
    complaints = []
    for region in ("begin", "pieces"):
        counts = sorted({getattr(trial, region) for trial in found})
        if len(counts) != 1:
            complaints.append(f"{region}: {len(counts)} different counts, from {counts[0]:,} to {counts[-1]:,}")
    by_rejected = defaultdict(set)
    for trial in found:
        by_rejected[trial.rejected].add(trial.ternary)
    complaints += [f"ternary sampler: {sorted(counts)} instructions for {rejected} rejected symbols"
                   for rejected, counts in by_rejected.items() if len(counts) != 1]
    if ternary and len(found) - len(by_rejected) < 8:
        complaints.append("ternary sampler: too few trials with equal numbers of rejected symbols to tell")
    return complaints


def check_board(port: str, number: int) -> tuple[str, list[str]]:
    """One profile on one board: what was seen, and complaints."""
    found, profile = trials(port, number), PROFILES[number]
    seen = f"{TRIALS} trials, begin {found[0].begin:,}, pieces {found[0].pieces:,}"
    if profile.ternary:
        counts = {trial.ternary for trial in found}
        repeated = len(found) - len({trial.rejected for trial in found})
        seen += f"; ternary {min(counts):,} to {max(counts):,}, {repeated} repeated numbers of rejections agree"
    return seen, differences(found, profile.ternary)


def check_host(number: int) -> tuple[str, list[str]]:
    """One profile on x86-64: the same secrets, other messages."""
    found = emulate.callgrind(_program("linux"), [str(number), str(TRIALS), "message"], SECONDS)
    if len(found) != 2 * TRIALS:
        raise RuntimeError(f"linux, profile {number}: {len(found)} regions")
    complaints = [f"{region}: counts {sorted(set(found[at::2]))}"
                  for at, region in enumerate(("begin", "pieces")) if len(set(found[at::2])) != 1]
    return f"{TRIALS} messages, begin {found[0]:,}, pieces {found[1]:,}", complaints


def run(quick: bool) -> list[tuple[str, str, list[str]]]:
    """Every profile on every board and on the host: name, what was seen, complaints."""
    results = []
    for port in emulate.PORTS:
        build(port)
        for number, profile in enumerate(PROFILES):
            if quick and not profile.quick:
                continue
            try:
                seen, complaints = check_host(number) if port == "linux" else check_board(port, number)
            except (RuntimeError, ValueError, OSError) as error:
                seen, complaints = "", [str(error)]
            results.append((f"{port}: {profile.name}", seen, complaints))
    return results
