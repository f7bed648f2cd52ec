"""Writes generated files, or finds the ones that are stale."""

from ..base.parameters import SPEC_FOLDER, Refused

ROOT = SPEC_FOLDER.parent


def settle(files, check):
    """Writes {path below the repository root: text}; with `check` compares instead and refuses a stale file."""
    for path, text in files.items():
        target = ROOT / path
        if not check:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="ascii", newline="\n")
        elif not target.is_file() or target.read_text(encoding="utf-8") != text:
            raise Refused(f"{path} is stale or missing; run `make generate`")
