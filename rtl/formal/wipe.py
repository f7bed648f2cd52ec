"""Wiping of keys: two cycles after a cycle with clear_i, or in the second cycle of a reset, every
register of a module is zero, whatever it was before and whatever comes. This holds for any state,
so two steps prove it. Three registers may have another value: the one that clears the others, the
number of the frame, which only a reset lets begin anew, and the state of the keys, since a frame
may begin in the cycle between."""
from dataclasses import dataclass
from pathlib import Path

from rtl.formal.flow import ENDINGS
from rtl.formal.tools import SOURCES, read, smt, yosys

WIPED = ("isopod_poly1305", "isopod_one_time_key")
KEPT = {"isopod_poly1305": ("clear_q",), "isopod_one_time_key": ("wipe_q", "number_o", "state_q")}


@dataclass(frozen=True)
class Remnant:
    """A change of a source that leaves something behind, which the proof must find."""

    top: str
    file: str
    old: str
    new: str


REMNANTS = (
    Remnant("isopod_poly1305", "tag/isopod_poly1305_columns.sv", "      saved_q  <= '0;\n", ""),
    Remnant("isopod_poly1305", "tag/isopod_poly1305.sv", "if (!rst_ni) clear_q <= 1'b1;",
            "if (!rst_ni) clear_q <= 1'b0;"),
    Remnant("isopod_poly1305", "tag/isopod_poly1305.sv", "clear_q <= clear_i || (",
            "clear_q <= ("),
    Remnant("isopod_one_time_key", "tag/isopod_one_time_key.sv", "{subkey_q, key_q, half_q} <= '0",
            "{subkey_q, half_q} <= '0"),
)


def model(folder: Path, top: str, in_reset: bool) -> str:
    """The transition relation of a module, in reset or out of it."""
    tie = "async2sync;" if in_reset else (f"cd {top}; delete -input w:rst_ni;"
                                          " connect -set rst_ni 1'1; cd; opt_clean; opt_dff;")
    yosys(folder, f"{read(top, '-D SYNTHESIS')} hierarchy -check -top {top}; proc;"
                  f" flatten -noscopeinfo; {tie} opt_clean; memory_map; dffunmap; opt_clean;"
                  " write_smt2 -stbv -wires wipe.smt2", "wipe.smt2")
    return (folder / "wipe.smt2").read_text()


def registers_of(text: str) -> list[tuple[str, int]]:
    """Names and bits of the registers of a model out of reset: in reset those with an asynchronous
    one are wires behind registers of other names."""
    return [(name, int(bits)) for kind, name, bits, _ in ENDINGS.findall(text)
            if kind == "register"]


def question(top: str, text: str, registers: list[tuple[str, int]], in_reset: bool) -> str:
    """Satisfiable if a register can keep something."""
    zeros = [f"(= (|{top}_n {name}| c) (_ bv0 {bits}))" if bits > 1
             else f"(not (|{top}_n {name}| c))" for name, bits in registers]
    causes = ([f"(not (|{top}_n rst_ni| {cycle}))" for cycle in ("a", "b")] if in_reset
              else [f"(|{top}_n clear_i| a)"])
    width = next(line for line in text.splitlines() if f"define-sort |{top}_s|" in line)
    state = width[width.index("(_ BitVec"):-1]
    return "\n".join(["(set-logic QF_BV)", text,
                      *(f"(declare-fun {cycle} () {state})" for cycle in ("a", "b", "c")),
                      f"(assert (|{top}_t| a b))", f"(assert (|{top}_t| b c))",
                      *(f"(assert {cause})" for cause in causes),
                      f"(assert (not (and {' '.join(zeros)})))", "(check-sat)", "(exit)", ""])


def holds(folder: Path, top: str) -> bool:
    """True if nothing stays."""
    running, resetting = (model(folder, top, in_reset) for in_reset in (False, True))
    registers = registers_of(running)
    if len(registers) < 8 or not set(KEPT[top]) < {name for name, _ in registers}:
        raise ValueError(f"{top}: only the registers {registers}")
    # A reset leaves only the first of KEPT.
    cases = ((running, KEPT[top], False), (resetting, KEPT[top][:1], True))
    return not any(smt(folder, question(top, text, [register for register in registers
                                                    if register[0] not in kept], in_reset))
                   for text, kept, in_reset in cases)


def finds(folder: Path, remnant: Remnant) -> bool:
    """True if the proof fails where something does."""
    file = folder / "src" / remnant.file
    source = (SOURCES / remnant.file).read_text()
    if source.count(remnant.old) != 1:
        raise ValueError(f"{remnant.file}: {remnant.old!r} is not there once")
    file.write_text(source.replace(remnant.old, remnant.new))
    return not holds(folder, remnant.top)
