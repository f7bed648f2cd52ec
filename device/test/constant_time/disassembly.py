"""Branches, divisions and helper calls in the machine code for Cortex-M4 and RV32, judged by the source line they come from.

A loop is accepted if its `for` condition compares nothing but loop variables, constants and the names of public.toml, and so
is a backward branch from its body; any other line needs an entry there. What a compiler makes of a mask has the line of the
mask, which has no entry."""
import re
import shutil
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from compilers import BUILD, DEBIAN, ROOT
from taint import kernels

CONTROL = "device/test/constant_time/control_code.c"
DATA = Path(__file__).with_name("public.toml")
ARM_CONDITION = "(eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)"
ARM_BRANCH = re.compile(rf"(b|bl|bx|blx|ldr(b|h|sb|sh|d)?|str(b|h|d)?|ldm\w*|stm\w*|pop|push){ARM_CONDITION}(\.[nw])?$"
                        r"|cbn?z$|tb[bh]$")
RISCV_BRANCH = re.compile(r"b(eq|ne|lt|ge|gt|le)(u|z)?$|b(ltu|geu|gtu|leu)$")
DIVISION = re.compile(r"[us]div$|(div|rem)u?$|v(div|sqrt)\.f")
FLOATING = re.compile(r"v(add|sub|mul|ml[as]|fm[as]|cmpe?|cvt\w*|neg|abs)\.f|f(add|sub|mul|div|cvt)\.")
HELPER = re.compile(r"__(aeabi_([df][a-z0-9]+|[ui]\w*div\w*|l[a-z]*(div|lsl|lsr|asr)\w*)|(u|s)?(div|mod)\w*[sd]i\d"
                    r"|(ashl|lshr|ashr)di3|\w+[sd]f\d|clzsi2|ctzsi2)$")
LOCATION = re.compile(r"^(\S+\.[chS]):(\d+)")
SYMBOL = re.compile(r"^[0-9a-f]+ <(\w[\w.]*)>:")
INSTRUCTION = re.compile(r"^\s+[0-9a-f]+:\s+(\S+)\s*(.*)")
RELOCATION = re.compile(r"^\s+[0-9a-f]+: R_(?:ARM|RISCV)_\w*(?:CALL|JUMP)\w*\s+([A-Za-z_]\w*)")
FOR = re.compile(r"\bfor \((.*?);(.*?);(.*)\) \{")
OBJECT = re.compile(r"\b\w+(->|\.)")
NAME = re.compile(r"\b[A-Za-z_]\w*")
TARGET_ADDRESS = re.compile(r"\b([0-9a-f]+) <")


@dataclass(frozen=True)
class Target:
    """A processor: who compiles for it and how its code reads."""

    name: str
    port: str
    objdump: str
    gcc: tuple[str, ...]
    clang: tuple[str, ...]
    branch: re.Pattern


M4_CORE = ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard")
RV32_CORE = ("-march=rv32im", "-mabi=ilp32")
TARGETS = (
    Target("cortex-m4", "mps2-an386", "arm-none-eabi-objdump", ("arm-none-eabi-gcc", *M4_CORE),
           ("--target=thumbv7em-none-eabihf", *M4_CORE), ARM_BRANCH),
    Target("rv32im", "virt-rv32", "riscv64-unknown-elf-objdump", ("riscv64-unknown-elf-gcc", *RV32_CORE),
           ("--target=riscv32-unknown-elf", *RV32_CORE), RISCV_BRANCH),
)
# The RISC-V objdump mistakes files in DWARF 5 line tables.
FLAGS = ("-std=c11", "-gdwarf-4", "-ffreestanding", "-ffunction-sections", "-Idevice/include",
         "-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1")
LEVELS = ("O1", "O2", "O3", "Os")
QUICK_LEVELS = ("O2", "Os")


@dataclass(frozen=True)
class Finding:
    """One instruction that needs a reason: its source line and what it is."""

    path: str
    line: int
    kind: str
    instruction: str
    symbol: str
    backward: bool = False


def backend_of(target: Target) -> str:
    """What the port builds with."""
    text = (ROOT / "ports" / target.port / "port.mk").read_text()
    return re.search(r"\.BACKEND \?= (\w+)", text)[1]


@cache
def source_lines(path: str) -> tuple[str, ...]:
    """Of a file of the repository."""
    return tuple((ROOT / path).read_text().splitlines())


@cache
def function_at(path: str, line: int) -> str:
    """The function that a line belongs to: the last definition or label before it."""
    pattern = re.compile(r"^(?!\.|\d)(\w+):" if path.endswith(".S") else r"^(?!#|typedef|\})[A-Za-z_][^=;]*?\b(\w+)\(")
    found = (pattern.match(text) for text in reversed(source_lines(path)[:line]))
    return next((match[1] for match in found if match), "")


class Reasons:
    """public.toml: which lines may branch, and why."""

    def __init__(self) -> None:
        data = tomllib.loads(DATA.read_text())
        self.names = set(data["names"])
        self.functions = {(entry["file"], name): entry["reason"] for entry in data["public"] for name in entry["functions"]}
        self.lines = data["line"]

    def is_public_loop(self, text: str) -> bool:
        """Whether a loop's condition compares public names only."""
        match = FOR.search(text)
        if not match:
            return False
        own = set(NAME.findall(match[1] + " " + match[3]))
        return all(name in own | self.names or name.isupper() for name in NAME.findall(OBJECT.sub("", match[2])))

    def is_in_public_loop(self, path: str, line: int) -> bool:
        """Whether the nearest loop around a line, in the same function, has a public condition."""
        lines = source_lines(path)
        indent = _indent(lines[line - 1])
        for number in range(line, 0, -1):
            text = lines[number - 1]
            if text.strip() and _indent(text) < indent:
                indent = _indent(text)
                if re.search(r"\b(for|while|do)\b", text):
                    return self.is_public_loop(text) or self._is_listed(path, number, "branch")
        return False

    def _is_listed(self, path: str, line: int, kind: str, symbol: str = "") -> bool:
        file, function, text = Path(path).name, function_at(path, line), source_lines(path)[line - 1]
        return any(entry["file"] == file and entry["function"] in (function, "*") and kind in entry["kinds"]
                   and entry["text"] in text and entry.get("within", symbol) == symbol for entry in self.lines)

    def accept(self, finding: Finding) -> bool:
        """Whether there is a reason for this instruction on this line."""
        file, function = Path(finding.path).name, function_at(finding.path, finding.line)
        if (file, "*") in self.functions or (file, function) in self.functions:
            return True
        if finding.kind == "branch" and self.is_public_loop(source_lines(finding.path)[finding.line - 1]):
            return True
        if finding.backward and self.is_in_public_loop(finding.path, finding.line):
            return True
        if _closes_loop(finding.path, finding.line) and self.is_in_public_loop(finding.path, finding.line - 2):
            return True
        return self._is_listed(finding.path, finding.line, finding.kind, finding.symbol)

    def stale(self) -> list[str]:
        """Entries that point at nothing in the sources."""
        paths = {path.name: str(path.relative_to(ROOT)) for path in (ROOT / "device/src").rglob("*.[chS]")}
        complaints = []
        for file, function in self.functions:
            text = "\n".join(source_lines(paths[file])) if file in paths else ""
            if not text or (function != "*" and f"{function}(" not in text and f"{function}:" not in text):
                complaints.append(f"public.toml: {file} has no function {function}")
        for entry in self.lines:
            if not any(self._holds(str(path.relative_to(ROOT)), entry) for path in (ROOT / "device/src").rglob(entry["file"])):
                complaints.append(f"public.toml: {entry['file']} {entry['function']} has no line with {entry['text']!r}")
        return complaints

    @staticmethod
    def _holds(path: str, entry: dict) -> bool:
        return any(entry["text"] in text and entry["function"] in (function_at(path, number), "*")
                   for number, text in enumerate(source_lines(path), 1))


def _kind(target: Target, mnemonic: str) -> str:
    if target.branch.match(mnemonic):
        return "branch"
    if DIVISION.match(mnemonic):
        return "division"
    return "floating point" if FLOATING.match(mnemonic) else ""


def _repository_path(path: str) -> str:
    """A path of the line table, relative to the repository."""
    return str(Path(path).resolve().relative_to(ROOT))


def _is_backward(text: str) -> bool:
    """Whether an instruction jumps to an earlier one: the end of a loop."""
    to = TARGET_ADDRESS.search(text)
    return to is not None and int(to[1], 16) <= int(text.split(":")[0], 16)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _closes_loop(path: str, line: int) -> bool:
    """Whether a line ends a function whose last statement is a loop: a return there is the loop's guard."""
    lines = source_lines(path)
    return lines[line - 1] == "}" and lines[line - 2] == "    }"


def findings(target: Target, listing: str) -> list[Finding]:
    """Every instruction of an object that needs a reason; ValueError where code has no line."""
    found, path, line, symbol = [], "", 0, ""
    for text in listing.splitlines():
        if match := LOCATION.match(text):
            path, line = _repository_path(match[1]), int(match[2])
        elif match := SYMBOL.match(text):
            symbol = match[1]
        elif match := RELOCATION.match(text):
            if HELPER.match(match[1]):
                kind = "division" if "div" in match[1] or "mod" in match[1] else "helper"
                found.append(Finding(path, line, kind, match[1], symbol))
        elif (match := INSTRUCTION.match(text)) and (kind := _kind(target, match[1])):
            instruction = f"{match[1]} {match[2].split(';')[0].strip()}"
            found.append(Finding(path, line, kind, instruction, symbol, _is_backward(text)))
    if any(not finding.path for finding in found):
        raise ValueError("code without a source line; it must be compiled with -g")
    return found


@dataclass(frozen=True)
class Build:
    """One compiler at one level for one target."""

    target: Target
    name: str
    command: tuple[str, ...]
    level: str


def builds(quick: bool) -> list[Build]:
    """What is to be compiled, whether or not the compiler is there."""
    levels = QUICK_LEVELS if quick else LEVELS
    clangs = [] if quick else [name for name in DEBIAN if name.startswith("clang")]
    chosen = []
    for target in TARGETS:
        chosen += [Build(target, "gcc", target.gcc, level) for level in levels]
        chosen += [Build(target, clang, (clang, *target.clang), level) for clang in clangs for level in levels]
    if quick:
        chosen.append(Build(TARGETS[0], "clang-14", ("clang-14", *TARGETS[0].clang), "O2"))
    return chosen


def _object(build: Build, source: str) -> Path:
    out = ROOT / BUILD / "disassembly" / f"{build.target.name}-{build.name}-{build.level}" / f"{Path(source).stem}.o"
    out.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([*build.command, f"-{build.level}", *FLAGS, "-c", source, "-o", str(out)], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{source} does not compile: {done.stderr[-1500:]}")
    return out


def _findings_of(build: Build, source: str) -> list[Finding]:
    listing = subprocess.run([build.target.objdump, "-dlr", "--no-show-raw-insn", str(_object(build, source))], cwd=ROOT,
                             capture_output=True, text=True, check=True).stdout
    return findings(build.target, listing)


def _control(build: Build, reasons: Reasons) -> list[str]:
    """What a check that finds nothing would miss."""
    refused = {finding.kind for finding in _findings_of(build, CONTROL) if not reasons.accept(finding)}
    return [] if {"branch", "division"} <= refused else [f"positive control: only {sorted(refused)} found in {CONTROL}"]


def check(build: Build, reasons: Reasons) -> tuple[int, list[str]]:
    """Instructions with a reason, and complaints about those without."""
    accepted, complaints = 0, _control(build, reasons)
    library = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "device/src").glob("*.c"))
    for source in [*library, *kernels(backend_of(build.target))]:
        for finding in _findings_of(build, source):
            if reasons.accept(finding):
                accepted += 1
            else:
                text = source_lines(finding.path)[finding.line - 1].strip()
                complaints.append(f"{finding.path}:{finding.line}: {finding.kind} {finding.instruction} in {finding.symbol}: "
                                  f"{text}")
    return accepted, complaints


def run(quick: bool) -> list[tuple[Build, int, list[str]]]:
    """Every build: instructions accepted and complaints."""
    reasons = Reasons()

    def judge(build: Build) -> tuple[Build, int, list[str]]:
        try:
            return (build, *check(build, reasons))
        except (RuntimeError, OSError, ValueError) as error:
            return build, 0, [str(error)]

    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(judge, [build for build in builds(quick) if shutil.which(build.command[0])]))
