"""Sources of the library and of its tests, as the runners build them, and where the results go."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEVICE = Path("device")  # all paths are relative to ROOT, where every command runs
BUILD = Path(os.environ.get("BUILD", ROOT / "build")).resolve()
FOLDER = BUILD / "device-test"
KINDS_OF_GROUPS = {"host": ("GROUP", "STACK_GROUP", "HOST_GROUP"), "board": ("GROUP", "STACK_GROUP", "BOARD_GROUP"),
                   "wasm": ("GROUP",)}  # of groups.def


def relative(pattern: str) -> list[Path]:
    """Files of device/ in order."""
    return [path.relative_to(ROOT) for path in sorted((ROOT / DEVICE).glob(pattern))]


def library() -> list[Path]:
    """Every source of the library: each guards itself by the machine it is compiled for."""
    return relative("src/**/*.[cS]")


def amalgamation() -> list[Path]:
    """The library as device/amalgamate.py writes it, in place of its sources."""
    out = FOLDER / "amalgamation"
    build([sys.executable, DEVICE / "amalgamate.py", "--out", out])
    return sorted(out.glob("*.[cS]"))


def backend_flag(backend: str) -> list[str]:
    """Chooses the machine whose kernels are compiled (device/src/backend/backend.h); empty: the compiler's own."""
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


def build(command: list) -> None:
    """Runs a compiler; RuntimeError with its output if it fails or warns."""
    done = call(command)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(str(word) for word in command)}\n{done.stdout}{done.stderr}")
