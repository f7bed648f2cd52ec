// Computes z = x T as isopod_encode_complex does, for one lane, from one product a cycle. The real
// part comes first and waits for the imaginary one.
module isopod_encode_complex_serial
  import isopod_pkg::*;
(
  input  logic clk_i,
  input  logic exact_i,
  input  logic last_i,                  // the last of the four products has come
  // Real real, imaginary imaginary, real imaginary, imaginary real
  input  logic [63:0] product_i,
  output logic [1:0][31:0] z_o,         // two cycles after it
  output logic [1:0][31:0] low_o,
  output logic [1:0] late_o
);

  // The real part is product 0 minus product 1, the imaginary part product 2 plus product 3.
  logic minus, minus_1_q, rounding_1_q, late_1_q, late_q, carry;
  logic [31:0] early_q, high_q, high_early_q, low_2_q, z_q;
  logic [32:0] low_q;

  assign minus = !last_i;
  assign carry = exact_i ? low_q[32] : rounding_1_q;

  always_ff @(posedge clk_i) begin
    early_q      <= product_i[31:0];
    low_q        <= {1'b0, product_i[31:0] ^ {32{minus}}} + {1'b0, early_q} + 33'(minus);
    minus_1_q    <= minus;
    rounding_1_q <= minus ? !(product_i[31] && product_i[30:0] != '0) : early_q[31];
    late_1_q     <= minus ? early_q[31] : product_i[31];
    high_q       <= product_i[63:32];
    high_early_q <= high_q;
    z_q          <= sum_of(high_q ^ {32{minus_1_q}}, high_early_q, carry);
    low_2_q      <= low_q[31:0];
    late_q       <= late_1_q;
  end

  assign {late_o[1], low_o[1], z_o[1]} = {late_q, low_2_q, z_q};

  isopod_delay #(.Width(65), .Cycles(2)) u_real (
    .clk_i, .value_i({late_q, low_2_q, z_q}), .value_o({late_o[0], low_o[0], z_o[0]}));

endmodule
