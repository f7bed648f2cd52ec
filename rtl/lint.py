"""`.venv/bin/python -m rtl.lint`: every module of rtl/src under Verilator -Wall and slang, and the engine in every configuration.

No warning is allowed but those that rtl/lint.vlt waives."""
import subprocess
import sys
from pathlib import Path

import yaml
from pyslang.driver import Driver

from rtl import registers

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "rtl/src"
PACKAGE = SOURCES / "isopod_pkg.sv"
ENGINE = "isopod_engine"
SECONDS = 120
# lowRISC style wants `unique case` to have a default.
SLANG_WARNINGS = "-Wextra -Wno-case-redundant-default -Werror"


def modules() -> list[str]:
    """One per file."""
    return sorted(path.stem for path in SOURCES.glob("*.sv") if path != PACKAGE)


def parameters(configuration: dict) -> dict[str, str]:
    """Names of YAML as parameters of the engine; texts become strings."""
    return {name.title().replace("_", ""): f'"{value}"' if isinstance(value, str) else str(int(value))
            for name, value in configuration.items()}


def configurations() -> dict[str, dict[str, str]]:
    """Parameters of the engine by name of the configuration."""
    document = yaml.safe_load((ROOT / "rtl/configs.yaml").read_text())
    return {name: parameters(document["defaults"] | changes) for name, changes in document["configurations"].items()}


def verilator(top: str, chosen: dict[str, str]) -> str:
    """What Verilator complains about."""
    command = [ROOT / "rtl/bin/verilator", "--lint-only", "-Wall", "-DSYNTHESIS", "--top-module", top, "-y", SOURCES,
               f"-I{SOURCES}", *(f"-G{name}={value}" for name, value in chosen.items()), ROOT / "rtl/lint.vlt", PACKAGE,
               SOURCES / f"{top}.sv"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return "" if done.returncode == 0 and not done.stderr else done.stdout + done.stderr


def slang() -> str:
    """What slang complains about, over all files at once, assertions included."""
    files = " ".join(str(SOURCES / f"{name}.sv") for name in modules())
    driver = Driver()
    driver.addStandardArgs()
    line = f"slang {SLANG_WARNINGS} -I {SOURCES} {PACKAGE} {files}"
    good = driver.parseCommandLine(line) and driver.processOptions() and driver.parseAllSources()
    return "" if good and driver.runFullCompilation(True) else "slang: see above"


def main() -> int:
    """Exit status 1 if there is a complaint."""
    checks = [(f"Verilator, {name}", lambda name=name: verilator(name, {})) for name in modules()]
    if ENGINE in modules():
        checks += [(f"Verilator, {name}", lambda chosen=chosen: verilator(ENGINE, chosen))
                   for name, chosen in configurations().items()]
    checks.append(("registers", lambda: "".join(f"{name}: stale; run `python3 -m rtl.registers`" for name in registers.stale())))
    failed = 0
    for name, check in [*checks, ("slang", slang)]:
        complaints = check()
        failed += bool(complaints)
        print(f"{name}: {'FAILED' if complaints else 'ok'}\n{complaints}".rstrip(), flush=True)
    print(f"{len(checks) + 1 - failed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
