"""Checks that instructions and addresses do not depend on random secrets: every step on boards and NEON, and on x86-64 the
number of instructions over messages, under callgrind."""
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock

from compilers import ROOT

sys.path.insert(0, str(ROOT))
os.environ.setdefault("BUILD", "build")
from ports import emulate  # noqa: E402

SOURCES = [*(f"device/test/constant_time/{name}.c" for name in ("counts", "counts_owner", "counts_tfhe", "counts_packet")),
           *(f"device/test/{name}_input.c" for name in ("holder/holder", "packet/packet", "pad/pad")),
           *(f"device/test/harness/{name}.c" for name in ("check", "fixture", "key_calls", "key_calls64",
                                                          "platform_board", "tfhe_fixture", "vector_input"))]
WRAPPED = ("isopod_root_take", "isopod_root_take_keys", "isopod_sample_ternary")
LEVELS = ("O2", "O0", "O1", "O3", "Os")  # the first one is that of the ports
TRIALS, QUICK_TRIALS = 64, 16
TERNARY_TRIALS = 48  # with --quick: enough for several of them to reject equally many symbols
SECONDS = 1200
BUILDING = Lock()  # the levels share the counter, and the boards' own level the folder of the ports
REJECTED = re.compile(r"^\s*rejected (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Profile:
    """A row of counts.c: whether it calls the ternary sampler, whether it is part of --quick, and whether the host runs it
    over messages as well."""

    name: str
    ternary: bool
    quick: bool
    host: bool = True


PROFILES = (
    Profile("secret key, ternary, ChaCha20, 1 chunk, float32", False, True),
    Profile("secret key, NTT, SHAKE256, 4 chunks, float64", False, True),
    Profile("public key, ChaCha20, 4 chunks, int32", True, True),
    Profile("public key, seeded, ChaCha20, 1 chunk, float32", True, False),
    Profile("secret key, NTT, 64-bit message, 4 chunks, float64", False, False),
    Profile("BFV, secret key, NTT, 1 chunk, uint32", False, True),
    Profile("BFV, public key, 4 chunks, 3 primes, int32", True, False),
    Profile("complex slots, public key, 2 chunks, float32", True, False),
    Profile("BFV, secret key, NTT, 64-bit primes, 4 chunks, uint32", False, True, host=False),
    Profile("secret key, NTT, 64-bit primes, 4 chunks, float64", False, False, host=False),
    Profile("BFV, public key, 64-bit primes, 2 chunks, int32", True, False, host=False),
    Profile("rounded coefficients, secret key, NTT, float32", False, True),
    Profile("rounded coefficients, public key, small, 2 primes, float64", True, False),
    Profile("rounded coefficients, BFV, secret key, ternary, int32", False, False),
    Profile("rounded coefficients, secret key, NTT, float32 with products", False, True),
    Profile("rounded coefficients, BFV, secret key, NTT, int32 with products", False, False),
    Profile("decryption, NTT, 1 prime, float32", False, True, host=False),
    Profile("decryption, ternary, 3 primes, 64-bit message, float64", False, False, host=False),
    Profile("decryption, BFV, NTT, 1 prime, int32", False, True, host=False),
    Profile("decryption, ternary, lean decoder, int32", False, True, host=False),
    Profile("decryption, NTT, 64-bit primes, float64", False, False, host=False),
    Profile("decryption, BFV, ternary, 64-bit primes, int32", False, True, host=False),
    Profile("key pair, 4 chunks, all payloads", True, True, host=False),
    Profile("key pair, 64-bit primes, 4 chunks, all payloads", True, False, host=False),
    Profile("contribution of a holder", False, True, host=False),
    Profile("TFHE 1024, secret key, ternary", False, False, host=False),
    Profile("TFHE 1024, public key", True, True, host=False),
    Profile("TFHE 2048, secret key, transformed", False, True, host=False),
    Profile("TFHE 2048, public key", False, False, host=False),
    Profile("TFHE 2048, secret key, streaming", False, False, host=False),
    Profile("TFHE 1024, key generation", True, False, host=False),
    Profile("TFHE 2048, key generation", False, False, host=False),
    Profile("packet, stream, ten readings", False, True, host=False),
    Profile("packet, BFV, stream, three rows", False, False, host=False),
    Profile("packet, transform, two rows", False, False, host=False),
    Profile("packet, TFHE 1024, bits and bytes", False, False, host=False),
    Profile("packet, TFHE 2048, bits and bytes", False, True, host=False),
    Profile("pads, ten integers, across sixteen sequences", False, True, host=False),
)


@dataclass(frozen=True)
class Trial:
    """One encryption: instructions and digests of addresses; `begin` excludes the ternary sampler."""

    begin: tuple[int, str]
    pieces: tuple[int, str]
    ternary: int
    rejected: int


@cache
def build(port: str, level: str) -> Path:
    """The counter and the application, at the port's own level of optimisation or at another one."""
    emulate.make(f"{emulate.BUILD}/counter/libcounter.so")
    wraps = " ".join(f"-Wl,--wrap={name}" for name in WRAPPED)
    folder = emulate.BUILD if level == LEVELS[0] else emulate.BUILD / "constant_time" / level
    emulate.make("port-app", f"BUILD={folder}", f"OPTIMISE=-{level}", f"PORT={port}", "APP=constant-time-counts",
                 f"APP_SOURCES={' '.join(SOURCES)}", "APP_FLAGS=-Ibench", f"APP_LDFLAGS={wraps}")
    return folder / port / "constant-time-counts.elf"


def _said(command: list[str]) -> list[int]:
    done = emulate.run(command, SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return [int(number) for number in REJECTED.findall(done.stdout + done.stderr)]


def trials(port: str, program: Path, number: int, trials_of_row: int) -> list[Trial]:
    """Encryptions of random secrets and messages, under QEMU."""
    file = program.with_name(f"counts-{number}.txt")
    rejected = _said(emulate.command(port, program, [str(number), str(trials_of_row), "all"], file, traced=True))
    regions, traces, step = emulate.regions(file), emulate.traces(file), 4 if PROFILES[number].ternary else 2
    if len(rejected) != trials_of_row or len(regions) != step * trials_of_row:
        raise RuntimeError(f"{port}, profile {number}: {len(rejected)} trials, {len(regions)} regions")
    found = []
    for at, count in zip(range(0, len(regions), step), rejected):
        ternary, replay = regions[at + 1:at + 3] if step == 4 else (0, 0)
        last = at + step - 1
        found.append(Trial((regions[at] - ternary - replay, traces[at]), (regions[last], traces[last]), ternary, count))
    return found


def differences(found: list[Trial], ternary: bool) -> list[str]:
    """The places where instructions depend on a secret."""
    complaints = []
    for region in ("begin", "pieces"):
        counts = sorted({getattr(trial, region) for trial in found})
        if len(counts) != 1:
            complaints.append(f"{region}: {len(counts)} different runs, of {counts[0][0]:,} to {counts[-1][0]:,} instructions")
    by_rejected = defaultdict(set)
    for trial in found:
        by_rejected[trial.rejected].add(trial.ternary)
    complaints += [f"ternary sampler: {sorted(counts)} instructions for {rejected} rejected symbols"
                   for rejected, counts in by_rejected.items() if len(counts) != 1]
    if ternary and len(found) - len(by_rejected) < 4:
        complaints.append("ternary sampler: too few trials with equal numbers of rejected symbols to tell")
    return complaints


def check_board(port: str, program: Path, number: int, trials_of_row: int) -> tuple[str, list[str]]:
    """Checks one profile on one board: the counts seen, and complaints."""
    found, profile = trials(port, program, number, trials_of_row), PROFILES[number]
    seen = f"{trials_of_row} trials, begin {found[0].begin[0]:,}, pieces {found[0].pieces[0]:,}"
    if profile.ternary:
        counts = {trial.ternary for trial in found}
        repeated = len(found) - len({trial.rejected for trial in found})
        seen += f"; ternary {min(counts):,} to {max(counts):,}, {repeated} repeated numbers of rejections agree"
    return seen, differences(found, profile.ternary)


def check_host(port: str, program: Path, number: int, messages: int) -> tuple[str, list[str]]:
    """Checks one profile on x86-64: equal secrets, different messages."""
    found = emulate.callgrind(program, [str(number), str(messages), "message"], SECONDS)
    if len(found) != 2 * messages:
        raise RuntimeError(f"{port}, profile {number}: {len(found)} regions")
    complaints = [f"{region}: counts {sorted(set(found[at::2]))}"
                  for at, region in enumerate(("begin", "pieces")) if len(set(found[at::2])) != 1]
    return f"{messages} messages, begin {found[0]:,}, pieces {found[1]:,}", complaints


def check(level: str, port: str, number: int, trials_of_row: int) -> tuple[str, list[str]]:
    """The counts seen, and complaints; a program that fails to build or run is one."""
    try:
        with BUILDING:
            program = build(port, level)
        check_row = check_host if port == "linux" else check_board
        return check_row(port, program, number, trials_of_row)
    except (RuntimeError, ValueError, OSError, subprocess.TimeoutExpired) as error:
        return "", [str(error)]


def number_of_trials(quick: bool, number: int) -> int:
    """The repetitions of a row."""
    return TRIALS if not quick else TERNARY_TRIALS if PROFILES[number].ternary else QUICK_TRIALS


def cases(quick: bool) -> list[tuple[str, str, int]]:
    """Level, port and number of profile of every run."""
    return [(level, port, number) for level in (LEVELS[:1] if quick else LEVELS) for port in emulate.PORTS
            for number, profile in enumerate(PROFILES)
            if (profile.quick or not quick) and (profile.host or port != "linux")]


def run(quick: bool) -> Iterator[tuple[str, str, list[str]]]:
    """Runs every profile on boards and host at every level, two at a time, in order: name, counts seen, complaints."""
    chosen = cases(quick)
    with ThreadPoolExecutor(max_workers=2) as pool:
        results = pool.map(lambda case: check(*case, number_of_trials(quick, case[2])), chosen)
        for at, ((level, port, number), result) in enumerate(zip(chosen, results), 1):
            yield f"{at}/{len(chosen)} {port} -{level}: {PROFILES[number].name}", *result
