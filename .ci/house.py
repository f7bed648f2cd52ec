"""`make bench-house`: lines of each language, and what the module graphs of the crates show, in bench/out/house.json.

Lines are those of all files that are in the repository, generated ones and tests included."""
import subprocess
import sys
from pathlib import Path

import module_graph

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from bench import record  # noqa: E402

LANGUAGES = {"rust": ("rs",), "c": ("c", "h", "S"), "python": ("py",), "sv": ("sv", "svh")}
METHOD = "lines of tracked files by ending; uses between files of crates/*/src by .ci/module_graph.py"


def lines(endings: tuple[str, ...]) -> int:
    """Lines of all tracked files with one of these endings."""
    patterns = [f"*.{ending}" for ending in endings]
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sum((ROOT / name).read_bytes().count(b"\n") for name in listed.splitlines())


def main() -> int:
    """Writes and prints the records."""
    found = [module_graph.findings(source) for source in module_graph.sources(ROOT)]
    values = {f"lines-{language}": lines(endings) for language, endings in LANGUAGES.items()} | {
        "circles": sum(len(each.cycles) for each in found),
        "upward": sum(len(each.upward) for each in found),
        "files-in-a-folder": max(each.largest for each in found),
    }
    same = {"method": METHOD, "tools": {"python": sys.version.split()[0]}, "commit": record.commit()}
    record.write(record.OUT / "house.json", [{"case": case, "value": value} | same for case, value in values.items()])
    for case, value in values.items():
        print(f"{case:<18} {value:>7}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
