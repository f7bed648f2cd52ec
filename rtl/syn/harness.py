"""Registers around a module with more ports than a chip has pins, so that it can be placed and
routed.

One shift register feeds all inputs; all outputs are registered and fold into one pin. No path of
the module begins or ends at a pin, so the frequency is that between registers."""
import json
from pathlib import Path

CLOCK, RESET = "clk_i", "rst_ni"


def ports(netlist: Path, top: str) -> dict[str, tuple[str, int]]:
    """Direction and width by name."""
    found = json.loads(netlist.read_text())["modules"][top]["ports"]
    return {name: (port["direction"], len(port["bits"])) for name, port in found.items()}


def connected(found: dict[str, tuple[str, int]], direction: str, register: str) -> tuple[list[str],
                                                                                         int]:
    """Port connections to slices of a register, and its width."""
    lines, place = [], 0
    for name, (way, width) in found.items():
        if way == direction and name not in (CLOCK, RESET):
            lines.append(f"    .{name}({register}[{place + width - 1}:{place}]),")
            place += width
    return lines, place


def harness(netlist: Path, top: str) -> str:
    """Verilog of module `harness`."""
    found = ports(netlist, top)
    inputs, wide_in = connected(found, "input", "in")
    outputs, wide_out = connected(found, "output", "out")
    reset = [f"    .{RESET}({RESET}),"] if RESET in found else []
    return "\n".join([
        "module harness (input clk_i, input rst_ni, input d_i, output q_o);",
        f"  reg [{wide_in - 1}:0] in;",
        f"  wire [{wide_out - 1}:0] out;",
        f"  reg [{wide_out - 1}:0] kept;",
        f"  reg [{wide_out}:0] folded;",
        f"  {top} u_design (", *inputs, *outputs, *reset, "    .clk_i(clk_i)", "  );",
        "  always @(posedge clk_i) begin",
        "    in <= {in, d_i};",
        "    kept <= out;",
        "    folded <= {folded[0 +: " + str(wide_out) + "] ^ kept, d_i};",
        "  end",
        f"  assign q_o = folded[{wide_out}];",
        "endmodule",
        "",
    ])
