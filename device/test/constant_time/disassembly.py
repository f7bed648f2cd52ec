"""Checks branches, divisions and helper calls in code for boards, NEON, AVX-512 and WebAssembly by the function they come from.

Every function that may branch or divide is declared in public.toml, with the public value that decides. An instruction belongs
to the function of its source line, wherever that was inlined: a branch that a compiler makes of a mask belongs to
constant_time.h, where nothing is declared."""
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from compilers import BUILD, DEBIAN, LEVELS, ROOT, library

sys.path.insert(0, str(ROOT))
os.environ.setdefault("BUILD", "build")
from ports import emulate  # noqa: E402

CONTROL = "device/test/constant_time/control_code.c"
DATA = Path(__file__).with_name("public.toml")
ARM_CONDITION = "(eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)"
ARM_BRANCH = re.compile(rf"(b|bl|bx|blx|ldr(b|h|sb|sh|d)?|str(b|h|d)?|ldm\w*|stm\w*|pop|push){ARM_CONDITION}(\.[nw])?$"
                        r"|cbn?z$|tb[bh]$")
A64_BRANCH = re.compile(r"b\.\w+$|cbn?z$|tbn?z$")
RISCV_BRANCH = re.compile(r"b(eq|ne|lt|ge|gt|le)(u|z)?$|b(ltu|geu|gtu|leu)$")
X86_BRANCH = re.compile(r"(?!jmp)j\w+$|loop\w*$|notrack$")
WASM_BRANCH = re.compile(r"br_(if|table)$|if$")
DIVISION = re.compile(r"[us]div$|(div|rem)u?$|i(32|64)\.(div|rem)_[su]$|v(div|sqrt)\.f|i?div[bwlq]?$|v?(div|sqrt)[ps][sd]$")
INDEX = re.compile(r"vp?(gather|scatter)\w+$")  # vector accesses: an address from each lane
FLOATING = re.compile(r"v(add|sub|mul|ml[as]|fm[as]|cmpe?|cvt\w*|neg|abs)\.f|f(add|sub|mul|div|cvt)\."
                      r"|f(add|sub|n?mul|n?madd|n?msub|div|sqrt|cvt\w*)$|[su]cvtf$|v?(add|sub|mul|u?comi|cvt\w+)[ps][sd]$"
                      r"|f(32|64)\.(?!load|store|const|select)\w+$|i(32|64)\.trunc_\w+$")
HELPER = re.compile(r"__(aeabi_([df][a-z0-9]+|[ui]\w*div\w*|l[a-z]*(div|lsl|lsr|asr)\w*)|(u|s)?(div|mod)\w*[sdt]i\d"
                    r"|(ashl|lshr|ashr)di3|\w+[sd]f\d|clzsi2|ctzsi2)$")
LOCATION = re.compile(r"^(?:; )?(\S+\.[chS]):(\d+)")
SYMBOL = re.compile(r"^[0-9a-f]+ <(\w[\w.]*)>:")
INSTRUCTION = re.compile(r"^\s+[0-9a-f]+:\s+(\S+)\s*(.*)")
RELOCATION = re.compile(r"^\s+[0-9a-f]+:\s+R_(?:ARM|AARCH64|RISCV|X86_64|WASM)_\w*(?:CALL|JUMP|PLT|FUNCTION)\w*\s+([A-Za-z_]\w*)")
FILE = re.compile(r"^(\S+\.o):\s+file format .*$", re.MULTILINE)
GUARD = re.compile(r"^#if ISOPOD_BACKEND_IS\((\w+)\)$", re.MULTILINE)  # around a whole kernel
MACHINE = re.compile(r"_(armv7em|neon|rv32im|x86|accel|unrolled)(?=\.)")
DEFINITION = re.compile(r"^(?!#|typedef|\})(?=[A-Za-z_])[^=;]*?\b(?!_|target|NAME)(\w+)\)?\(")


@dataclass(frozen=True)
class Target:
    """A processor: its compilers and the patterns of its instructions. `only` limits the backend's sources to symbols with
    such an operand; valgrind runs all others."""

    name: str
    port: str
    objdump: str
    gcc: tuple[str, ...]
    clang: tuple[str, ...]
    branch: re.Pattern
    only: re.Pattern | None = None
    compilers: tuple[str, ...] = DEBIAN

    @property
    def kernels(self) -> str:
        """The backend that the library chooses there."""
        return emulate.BACKEND[self.port] if self.port else "portable"


M4_CORE = ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard")
RV32_CORE = ("-march=rv32im", "-mabi=ilp32")
A53_CORE = ("-mcpu=cortex-a53",)
A7_CORE = ("-mcpu=cortex-a7", "-mfpu=neon-vfpv4", "-mfloat-abi=hard", "-marm")
AVX512 = re.compile(r"%zmm|%k[0-7]")
TARGETS = (
    Target("cortex-m4", "mps2-an386", "arm-none-eabi-objdump", ("arm-none-eabi-gcc", *M4_CORE),
           ("--target=thumbv7em-none-eabihf", *M4_CORE), ARM_BRANCH),
    Target("rv32im", "virt-rv32", "riscv64-unknown-elf-objdump", ("riscv64-unknown-elf-gcc", *RV32_CORE),
           ("--target=riscv32-unknown-elf", *RV32_CORE), RISCV_BRANCH),
    Target("aarch64", "linux-aarch64", "aarch64-linux-gnu-objdump", ("aarch64-linux-gnu-gcc", *A53_CORE),
           ("--target=aarch64-linux-gnu", *A53_CORE), A64_BRANCH),
    Target("armv7a", "linux-armv7a", "arm-linux-gnueabihf-objdump", ("arm-linux-gnueabihf-gcc", *A7_CORE),
           ("--target=arm-linux-gnueabihf", *A7_CORE), ARM_BRANCH),
    Target("wasm32", "", "llvm-objdump-14", (), ("--target=wasm32", "-DISOPOD_BACKEND=portable"), WASM_BRANCH,
           compilers=("clang-14",)),  # with which web/build.py makes the module
    Target("x86-64", "linux", "objdump", ("gcc",), ("--target=x86_64-linux-gnu",), X86_BRANCH, AVX512),
)
# The RISC-V objdump confuses files in DWARF 5 line tables; ports/ports.mk avoids them, too.
FLAGS = ("-std=c11", "-gdwarf-4", "-ffreestanding", "-ffunction-sections", f"-I{ROOT}/device/include",
         "-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1")
# One build per instruction set, and one in which clang vectorises and unrolls.
QUICK = (("cortex-m4", "gcc", "O2"), ("rv32im", "gcc", "O2"), ("aarch64", "gcc", "O2"), ("armv7a", "gcc", "O2"),
         ("cortex-m4", "clang-14", "O2"), ("rv32im", "clang-14", "Os"), ("wasm32", "clang-14", "O2"), ("x86-64", "gcc", "O2"))


@dataclass(frozen=True)
class Finding:
    """One instruction that needs a reason: its source line and kind."""

    path: str
    line: int
    kind: str
    instruction: str
    symbol: str
    source: str

    @property
    def file(self) -> str:
        """The file that declares it, without the machine; intrinsics of the compiler's headers belong to the calling source."""
        return MACHINE.sub("", Path(self.source if Path(self.path).is_absolute() else self.path).name)

    @property
    def function(self) -> str:
        """The C function of the source line, wherever it was inlined; for assembly and intrinsics, the symbol."""
        is_symbol = self.path.endswith(".S") or Path(self.path).is_absolute()
        return self.symbol if is_symbol else function_at(self.path, self.line)


@cache
def source_lines(path: str) -> tuple[str, ...]:
    """The lines of a file of the repository."""
    return tuple((ROOT / path).read_text().splitlines())


@cache
def function_at(path: str, line: int) -> str:
    """The function of C that a line belongs to: the last definition before it."""
    found = (DEFINITION.match(text) for text in reversed(source_lines(path)[:line]))
    return next((match[1] for match in found if match), "")


@cache
def functions_of(path: str) -> frozenset[str]:
    """The functions that a C file defines."""
    return frozenset(match[1] for text in source_lines(path) if (match := DEFINITION.match(text)))


class Reasons:
    """The functions that may branch or divide, with reasons, from public.toml."""

    def __init__(self) -> None:
        self.entries = tomllib.loads(DATA.read_text())["public"]
        self.used: set[tuple[str, str]] = set()

    def accept(self, finding: Finding) -> bool:
        """True if the function of the instruction's source line is declared for its kind."""
        file, function = finding.file, finding.function
        names = {(file, pattern) for entry in self.entries if file in entry["files"] and finding.kind in entry["kinds"]
                 for pattern in entry["functions"] if fnmatch(function, pattern)}
        self.used |= names
        return bool(names)

    def stale(self) -> list[str]:
        """Declarations of functions that do not exist, and of assembly that does not branch."""
        paths = {}
        for path in (ROOT / "device/src").rglob("*.[chS]"):
            paths.setdefault(MACHINE.sub("", path.name), []).append(str(path.relative_to(ROOT)))
        declared = [(file, name) for entry in self.entries for file in entry["files"] for name in entry["functions"]]
        return [f"public.toml: {file} needs no entry for {name}" for file, name in declared
                if not self._is_needed(file, name, paths.get(file, []))]

    def _is_needed(self, file: str, name: str, paths: list[str]) -> bool:
        if file.endswith(".S"):
            return (file, name) in self.used
        return bool(paths) and (name == "*" or any(name in functions_of(path) for path in paths))


def _kind(target: Target, mnemonic: str, operands: str) -> str:
    if target.branch.match(mnemonic) or mnemonic == "jmp" and operands.startswith("*"):
        return "branch"
    if INDEX.match(mnemonic):
        return "index"
    if DIVISION.match(mnemonic):
        return "division"
    return "floating point" if FLOATING.match(mnemonic) else ""


@cache
def _repository_path(path: str) -> str:
    """A path of the line table, relative to the repository; a compiler's own header stays where it is."""
    full = Path(path).resolve()
    return str(full.relative_to(ROOT) if full.is_relative_to(ROOT) else full)


@dataclass(frozen=True)
class Build:
    """One compiler at one level for one target."""

    target: Target
    name: str
    command: tuple[str, ...]
    level: str

    @property
    def is_of_port(self) -> bool:
        """True for the compiler and level with which ports/ports.mk builds the library; the development host's is -O3."""
        return (self.name, self.level) == ("gcc", "O2") and self.target.port != "linux"


def findings(build: Build, source: str, listing: str) -> list[Finding]:
    """Every instruction of an object that needs a reason; ValueError for code without a source line."""
    target = build.target
    found, path, line, symbol = [], "", 0, ""
    for text in listing.splitlines():
        if match := LOCATION.match(text):
            path, line = _repository_path(match[1]), int(match[2])
        elif match := SYMBOL.match(text):
            symbol = match[1]
        elif match := RELOCATION.match(text):
            if HELPER.match(match[1]):
                kind = "division" if "div" in match[1] or "mod" in match[1] else "helper"
                found.append(Finding(path, line, kind, match[1], symbol, source))
        elif (match := INSTRUCTION.match(text)) and (kind := _kind(target, match[1], match[2])):
            instruction = f"{match[1]} {match[2].split(';')[0].strip()}"
            found.append(Finding(path, line, kind, instruction, symbol, source))
    if any(not finding.path for finding in found):
        raise ValueError("code without a source line; it must be compiled with -g")
    return found


def judged_symbols(only: re.Pattern, listing: str) -> set[str]:
    """The symbols with such an operand."""
    parts = re.split(r"^[0-9a-f]+ <(\w[\w.]*)>:$", listing, flags=re.MULTILINE)[1:]
    return {name for name, text in zip(parts[::2], parts[1::2]) if only.search(text)}


def builds(quick: bool) -> list[Build]:
    """All builds, whether or not their compiler is installed."""
    chosen = [Build(target, name, target.gcc if name == "gcc" else (name, *target.clang), level)
              for target in TARGETS for name in target.compilers for level in LEVELS]
    return [build for build in chosen if not quick or (build.target.name, build.name, build.level) in QUICK]


def _objects(build: Build, names: list[str]) -> list[Path]:
    """The objects of the port, whose code is what boards run and traces see; otherwise compiled here, all in one command."""
    if build.is_of_port and names != [CONTROL]:
        return [_library_of(build.target.port) / Path(name).with_suffix(".o") for name in names]
    out = ROOT / BUILD / "disassembly" / f"{build.target.name}-{build.name}-{build.level}"
    out.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([*build.command, f"-{build.level}", *FLAGS, "-c", *(str(ROOT / name) for name in names)], cwd=out,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{build.target.name} does not compile: {done.stderr[-1500:]}")
    return [out / f"{Path(name).stem}.o" for name in names]


@cache
def _library_of(port: str) -> Path:
    """The folder of a port's objects, all of them built."""
    emulate.make(f"port-{port}", f"PORTS={port}")
    return ROOT / emulate.BUILD / port


def _listings(build: Build, names: list[str]) -> dict[str, str]:
    """The disassembly of each of these sources."""
    files = [str(path) for path in _objects(build, names)]
    said = subprocess.run([build.target.objdump, "-dlr", "--no-show-raw-insn", *files], cwd=ROOT,
                          capture_output=True, text=True, check=True).stdout
    _, *parts = FILE.split(said)
    listings = dict(zip(parts[::2], parts[1::2]))
    return {name: listings[file] for name, file in zip(names, files)}


def _control(build: Build, reasons: Reasons) -> list[str]:
    """Complaints if the check misses planted branches and divisions."""
    found = findings(build, CONTROL, _listings(build, [CONTROL])[CONTROL])
    refused = {finding.kind for finding in found if not reasons.accept(finding)}
    return [] if {"branch", "division"} <= refused else [f"positive control: only {sorted(refused)} found in {CONTROL}"]


def _sources(build: Build) -> list[str]:
    """The sources compiled for the target, without kernels of other machines, which are empty there; assembly only once, since
    no option changes its instructions."""
    return [source for source in library() if (build.name == "gcc" or not source.endswith(".S"))
            and (build.target.only is None or "/backend/x86/" in source) and not _is_elsewhere(source, build.target.kernels)]


@cache
def _is_elsewhere(source: str, kernels: str) -> bool:
    """True for kernels of a machine other than this one."""
    guard = GUARD.search((ROOT / source).read_text())
    return guard is not None and guard[1] != kernels


def _judged(build: Build, source: str, listing: str) -> list[Finding]:
    """Findings in the judged symbols."""
    found, only = findings(build, source, listing), build.target.only
    symbols = judged_symbols(only, listing) if only else set()
    return [finding for finding in found if not only or finding.symbol in symbols]


def check(build: Build, reasons: Reasons) -> tuple[int, list[str]]:
    """The number of instructions with a reason, and complaints about those without."""
    accepted, complaints = 0, _control(build, reasons)
    for source, listing in _listings(build, _sources(build)).items():
        for finding in _judged(build, source, listing):
            if reasons.accept(finding):
                accepted += 1
            else:
                text = source_lines(finding.path)[finding.line - 1].strip()
                complaints.append(f"{finding.path}:{finding.line}: {finding.function} has an undeclared {finding.kind}, "
                                  f"{finding.instruction} in {finding.symbol}: {text}")
    return accepted, complaints if accepted else [*complaints, "nothing was judged"]


def run(quick: bool, reasons: Reasons) -> Iterator[tuple[str, str, list[str]]]:
    """Checks every build, two at a time, in order: name, instructions accepted, complaints."""
    chosen = [build for build in builds(quick) if shutil.which(build.command[0]) and shutil.which(build.target.objdump)]

    def judge(build: Build) -> tuple[int, list[str]]:
        try:
            return check(build, reasons)
        except (RuntimeError, OSError, ValueError) as error:
            return 0, [str(error)]

    with ThreadPoolExecutor(max_workers=2) as pool:
        for at, (build, (accepted, complaints)) in enumerate(zip(chosen, pool.map(judge, chosen)), 1):
            yield f"{at}/{len(chosen)} {build.target.name} {build.name} -{build.level}", f"{accepted} declared", complaints
