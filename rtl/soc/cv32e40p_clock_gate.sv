// The clock gate that the core asks its integrator for: this system never stops the clock.
module cv32e40p_clock_gate (
  input  logic clk_i,
  input  logic en_i,
  input  logic scan_cg_en_i,
  output logic clk_o
);

  logic unused_enables;
  assign unused_enables = en_i ^ scan_cg_en_i;
  assign clk_o = clk_i;

endmodule
