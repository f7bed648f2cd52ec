"""Sources of the library and of its tests for the runners, and the folder of their outputs."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Lock

ROOT = Path(__file__).resolve().parents[2]
DEVICE = Path("device")  # all paths are relative to ROOT, where every command runs
INCLUDE = ("-I", str(DEVICE / "include"))
WARNINGS = ("-Wall", "-Wextra", "-Werror")
SANITISED = ("-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g1")
BUILD = Path(os.environ.get("BUILD", ROOT / "build")).resolve()
FOLDER = BUILD / "device-test"
WRITING, WRITTEN = Lock(), []  # the amalgamation
KINDS_OF_GROUPS = {"host": ("GROUP", "STACK_GROUP", "HOST_GROUP"), "board": ("GROUP", "STACK_GROUP", "BOARD_GROUP"),
                   "wasm": ("GROUP",)}  # of groups.def


def relative(pattern: str) -> list[Path]:
    """The sorted files of device/ that match a pattern."""
    return [path.relative_to(ROOT) for path in sorted((ROOT / DEVICE).glob(pattern))]


def library() -> list[Path]:
    """Every source of the library: each guards itself by the machine it is compiled for."""
    return relative("src/**/*.[cS]")


def amalgamation() -> list[Path]:
    """The amalgamation that device/amalgamate.py writes, once per process, in place of the library's sources."""
    out = FOLDER / "amalgamation"
    with WRITING:
        if not WRITTEN:
            build([sys.executable, DEVICE / "amalgamate.py", "--out", out])
            WRITTEN.extend(sorted(out.glob("*.[cS]")))
    return WRITTEN


def backend_flag(backend: str) -> list[str]:
    """The flag that chooses the backend (device/src/backend/backend.h); empty: that of the compiler's machine."""
    return [f"-DISOPOD_BACKEND={backend}"] if backend else []


def groups_of(*kinds: str) -> tuple[str, ...]:
    """The groups of tests of these kinds, in the order of their runs."""
    lines = re.findall(r"^([A-Z_]+)\((\w+)\)$", (ROOT / DEVICE / "test/groups.def").read_text(), re.MULTILINE)
    return tuple(name for kind, name in lines if not kinds or kind in kinds)


def platform_groups(platform: str) -> tuple[str, ...]:
    """The groups that run on a platform: host, board or wasm."""
    return groups_of(*KINDS_OF_GROUPS[platform])


def tests(platform: str) -> list[Path]:
    """The sources of the tests that run on a platform."""
    elsewhere = {f"test_{group}.c" for group in set(groups_of()) - set(platform_groups(platform))}
    return [path for path in relative("test/*/*.c") if path.parent.name != "constant_time" and path.name not in elsewhere
            and not path.name.startswith("platform_" if platform != "wasm" else ("platform_", "trace_"))
            ] + [DEVICE / f"test/harness/platform_{platform}.c"]


def tool(*names: str) -> str | None:
    """The first of these programs that is installed."""
    return next((name for name in names if shutil.which(name)), None)


def call(command: list, text: str = "", seconds: int = 600) -> subprocess.CompletedProcess:
    """Runs a command in the root of the repository with text as its input; the caller judges the exit status."""
    return subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True, errors="replace",
                          timeout=seconds, check=False, input=text)


def write_known_answers() -> None:
    """Writes vectors_generated.h, the known answers of spec/vectors as arrays in C."""
    build([sys.executable, "-m", "spec.gen.vectors.emit_header"])


def build(command: list) -> None:
    """Runs a compiler; RuntimeError with its output if it fails or warns."""
    done = call(command)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(str(word) for word in command)}\n{done.stdout}{done.stderr}")
