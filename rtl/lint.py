"""`.venv/bin/python -m rtl.lint`: checks every module of rtl/src with Verilator -Wall and slang in
builds of every width, the engine in every configuration, and our rules: order of folders, generated
registers, length of lines.

Only warnings that rtl/lint.vlt waives are allowed."""
import re
import subprocess
import sys
from pathlib import Path

from pyslang.driver import Driver

from rtl import registers
from rtl.sources import (
    ENGINE,
    FOLDERS,
    PACKAGE,
    ROOT,
    SOURCES,
    configurations,
    defines,
    is_precise,
    modules,
    search,
)

SECONDS = 120
COLUMNS = 100
FILES = 25
# lowRISC style requires a default in `unique case`; a cast may change nothing in one of the widths.
SLANG_WARNINGS = "-Wextra -Wno-case-redundant-default -Wno-useless-cast -Werror"
INSTANCE = re.compile(r"^ *(isopod_\w+) +(?:#\(|u_)", re.MULTILINE)
# Modules of one kind of build, or of one width, have its name at their end.
NARROW, WIDTHS = 32, (32, 54, 61)
Build = tuple[int, bool]  # width of the moduli, precise messages
BUILDS: tuple[Build, ...] = (*((width, False) for width in WIDTHS), (54, True))
ONLY_NARROW, ONLY_WIDE, ONLY_54 = "_narrow", "_wide", "_54"
ENDINGS = (".sv", ".svh", ".py", ".c", ".cpp", ".h", ".vlt")


def engines() -> dict[str, dict[str, str]]:
    """The configurations, and one that only benches build: precise messages on eight lanes."""
    known = configurations()
    return known | {"w54p8-precise": known["w54p8"] | {"Precise": "1"}}


def of_width(width: int) -> dict[str, Path]:
    """The modules of a build."""
    others = (ONLY_WIDE if width == NARROW else ONLY_NARROW, *((ONLY_54,) if width != 54 else ()))
    return {name: path for name, path in modules().items() if not name.endswith(others)}


def verilator(top: str, chosen: dict[str, str], build: Build) -> str:
    """Verilator's complaints about a module and all below it."""
    command = [ROOT / "rtl/bin/verilator", "--lint-only", "-Wall", "-DSYNTHESIS", "--top-module",
               top, *defines(*build), *search(),
               *(f"-G{name}={value}" for name, value in chosen.items()), ROOT / "rtl/lint.vlt",
               PACKAGE, modules()[top]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return "" if done.returncode == 0 and not done.stderr else done.stdout + done.stderr


def slang(build: Build) -> str:
    """Complaints of slang about all files of a build at once, assertions included; it prints them
    itself."""
    files = " ".join(str(path) for path in of_width(build[0]).values())
    driver = Driver()
    driver.addStandardArgs()
    line = f"slang {SLANG_WARNINGS} {' '.join([*defines(*build), *search()])} {PACKAGE} {files}"
    good = driver.parseCommandLine(line) and driver.processOptions() and driver.parseAllSources()
    return "" if good and driver.runFullCompilation(True) else "slang: see above"


def stale_registers() -> str:
    """Generated files that differ from rtl/registers.toml."""
    return "".join(f"{name}: stale; run `python3 -m rtl.registers`\n" for name in registers.stale())


def upward_instances() -> str:
    """Modules that instantiate one of a later folder, and folders that FOLDERS does not list."""
    known = modules()
    order = {name: FOLDERS.index(path.parent.name) for name, path in known.items()}
    found = [f"{name}: instantiates {below} from a later folder\n" for name, path in known.items()
             for below in INSTANCE.findall(path.read_text()) if order.get(below, 0) > order[name]]
    found += [f"rtl/src/{path.name}: not in FOLDERS\n"
              for path in SOURCES.iterdir() if path.name not in FOLDERS]
    return "".join(found)


def full_folders() -> str:
    """Folders of rtl/ with more than FILES files."""
    counts: dict[Path, int] = {}
    for path in written():
        counts[path.parent] = counts.get(path.parent, 0) + 1
    return "".join(f"{folder}: {count} files\n"
                   for folder, count in counts.items() if count > FILES)


def long_lines() -> str:
    """Lines of code of more than COLUMNS columns."""
    return "".join(f"{path}:{number}: {len(line)} columns\n"
                   for path in written() if path.suffix in ENDINGS
                   for number, line in enumerate(path.read_text().splitlines(), 1)
                   if len(line) > COLUMNS)


def written() -> list[Path]:
    """Files of rtl/ without caches."""
    return [path for path in (ROOT / "rtl").rglob("*") if path.is_file()
            and "__pycache__" not in path.parts]


def main() -> int:
    """Exit status 1 if there is a complaint."""
    checks = [(f"Verilator, {name}, {width}",
               lambda name=name, width=width: verilator(name, {}, (width, False)))
              for width in WIDTHS for name in of_width(width)]
    checks += [(f"Verilator, {name}", lambda chosen=chosen: verilator(
                   ENGINE, chosen, (int(chosen["ModulusWidth"]), is_precise(chosen))))
               for name, chosen in engines().items()]
    checks += [(f"slang, {width}{', precise' * precise}",
                lambda build=(width, precise): slang(build)) for width, precise in BUILDS]
    checks += [("registers", stale_registers), ("folders", upward_instances),
               ("files per folder", full_folders), ("length of lines", long_lines)]
    failed = 0
    for name, check in checks:
        complaints = check()
        failed += bool(complaints)
        print(f"{name}: {'FAILED' if complaints else 'ok'}\n{complaints}".rstrip(), flush=True)
    print(f"{len(checks) - failed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
