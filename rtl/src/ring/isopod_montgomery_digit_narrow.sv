// Signed digit times -(q >> w): one DSP tile and its register.
module isopod_montgomery_digit_narrow
  import isopod_pkg::*;
#(
  parameter int unsigned DigitBits = 11
) (
  input  logic                        clk_i,
  input  logic signed [DigitBits-1:0] digit_i,
  input  logic signed [HighBits-1:0]  minus_high_i,
  output logic signed [31:0]          product_o
);

  always_ff @(posedge clk_i) product_o <= 32'(digit_i * minus_high_i);

endmodule
