"""Emits the table of the noise of a holder on a board (owners.md, section 4)."""

from spec.model.owner_device import thresholds

from .emit_c import guarded


def flood_header():
    """device/src/holder/flood_thresholds.h."""
    found = thresholds()
    calls = " \\\n".join(f"    of({value}u)" for value in found)
    return guarded("ISOPOD_FLOOD_THRESHOLDS_H", (
        "/* Thresholds of spec/owners.md, section 4, ascending, below 2^31: `of` each of them. */\n"
        f"#define ISOPOD_FLOOD_THRESHOLDS {len(found)}u\n"
        f"#define ISOPOD_FLOOD_EACH(of) \\\n{calls}\n"))
