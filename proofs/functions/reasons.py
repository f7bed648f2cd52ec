"""The functions without a contract, by file: unproved.toml says how many a file has, and why."""
import tomllib
from pathlib import Path

from proofs.functions.contracts import SOURCES, bare

TABLE = Path(__file__).with_name("unproved.toml")


def listed() -> dict[str, tuple[int, str]]:
    """The number of functions and the key of the reason, by file."""
    return {file: (count, reason) for reason, files in tomllib.loads(TABLE.read_text())["files"].items()
            for file, count in files.items()}


def reasons() -> dict[str, str]:
    """The reasons by key."""
    return tomllib.loads(TABLE.read_text())["reasons"]


def unlisted() -> list[str]:
    """A line for each file of which the table does not name as many functions as have no contract."""
    table = listed()
    found = {str(path.relative_to(SOURCES)): names for path, names in bare().items()}
    known = {file: table[file][0] if file in table else 0 for file in found}
    wrong = [f"{file}: {len(names)} functions without a contract, {known[file]} in {TABLE.name}: {', '.join(names)}"
             for file, names in found.items() if known[file] != len(names)]
    return wrong + [f"{file}: in {TABLE.name}, but every function has a contract" for file in table if file not in found]
