"""The functions that Eva proves free of undefined behaviour, by file: free.toml, which a run compares with what it finds."""
import tomllib
from pathlib import Path

TABLE = Path(__file__).with_name("free.toml")
HEAD = """# Functions that Eva reaches from a harness (harnesses/) with no alarm in any: python3 -m proofs.values.run --accept

[free]
"""


def listed() -> dict[str, list[str]]:
    """Names by file."""
    return tomllib.loads(TABLE.read_text())["free"] if TABLE.exists() else {}


def write(found: dict[str, list[str]]) -> None:
    """Writes the table."""
    lines = []
    for file, names in sorted(found.items()):
        lines.append(f'"{file}" = [')
        line = "   "
        for name in sorted(names):
            if len(line) + len(name) > 120:
                lines.append(line)
                line = "   "
            line += f' "{name}",'
        lines += [line, "]"]
    TABLE.write_text(HEAD + "\n".join(lines) + "\n")
