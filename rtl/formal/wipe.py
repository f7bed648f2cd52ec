"""Wiping of keys: after a cycle with clear_i or in reset every register of a module is zero,
whatever it was before. This holds for any state, so a single step proves it. The number of the
frame stays: only a reset may let it begin anew."""
from dataclasses import dataclass
from pathlib import Path

from rtl.formal.flow import ENDINGS
from rtl.formal.tools import SOURCES, read, smt, yosys

WIPED = ("isopod_poly1305", "isopod_one_time_key")
KEPT = ("number_o",)


@dataclass(frozen=True)
class Remnant:
    """A change of a source that leaves something behind, which the proof must find."""

    top: str
    file: str
    old: str
    new: str


REMNANTS = (
    Remnant("isopod_poly1305", "tag/isopod_poly1305_columns.sv", "      saved_q  <= '0;\n", ""),
    Remnant("isopod_poly1305", "tag/isopod_poly1305.sv", "clear_i || given_q || !rst_ni",
            "clear_i || given_q"),
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


def question(top: str, text: str, in_reset: bool) -> str:
    """Satisfiable if a register can keep something."""
    found = [(name, int(bits)) for kind, name, bits, _ in ENDINGS.findall(text)
             if kind == "register"]
    registers = [(name, bits) for name, bits in found if in_reset or name not in KEPT]
    if len(registers) < 8:
        raise ValueError(f"{top}: only {len(registers)} registers")
    zeros = [f"(= (|{top}_n {name}| b) (_ bv0 {bits}))" if bits > 1
             else f"(not (|{top}_n {name}| b))" for name, bits in registers]
    width = next(line for line in text.splitlines() if f"define-sort |{top}_s|" in line)
    state = width[width.index("(_ BitVec"):-1]
    cause = f"(not (|{top}_n rst_ni| a))" if in_reset else f"(|{top}_n clear_i| a)"
    return "\n".join(["(set-logic QF_BV)", text, f"(declare-fun a () {state})",
                      f"(declare-fun b () {state})", f"(assert (|{top}_t| a b))",
                      f"(assert {cause})", f"(assert (not (and {' '.join(zeros)})))",
                      "(check-sat)", "(exit)", ""])


def holds(folder: Path, top: str) -> bool:
    """True if nothing stays."""
    return not any(smt(folder, question(top, model(folder, top, in_reset), in_reset))
                   for in_reset in (False, True))


def finds(folder: Path, remnant: Remnant) -> bool:
    """True if the proof fails where something does."""
    file = folder / "src" / remnant.file
    source = (SOURCES / remnant.file).read_text()
    if source.count(remnant.old) != 1:
        raise ValueError(f"{remnant.file}: {remnant.old!r} is not there once")
    file.write_text(source.replace(remnant.old, remnant.new))
    return not holds(folder, remnant.top)
