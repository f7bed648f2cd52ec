// Rounds a coefficient to drop its d lowest bits, spec/coefficients.md section 2: r = (c + 2^d / 2)
// >> d, and 0 where r 2^d is not below q. It takes three cycles; d and q are stable for longer.
module isopod_rounding_narrow
  import isopod_pkg::*;
(
  input  logic clk_i,
  input  dropped_t dropped_i,  // d
  input  residue_t modulus_i,  // q
  input  residue_t value_i,    // c < q
  input  logic blank_i,        // 0 in its place
  output residue_t result_o
);

  localparam int unsigned SumBits = ModulusBits + 1;
  logic [SumBits-1:0] half_q, kept_q, sum_1_q;
  residue_t shifted_2_q;
  logic zero_2_q, blank_1_q;

  always_ff @(posedge clk_i) begin
    half_q      <= (SumBits'(1) << dropped_i) >> 1;
    kept_q      <= {SumBits{1'b1}} << dropped_i;
    sum_1_q     <= SumBits'(value_i) + half_q;
    blank_1_q   <= blank_i;
    shifted_2_q <= ModulusBits'(sum_1_q >> dropped_i);
    zero_2_q    <= blank_1_q || (sum_1_q & kept_q) >= SumBits'(modulus_i);
    result_o    <= zero_2_q ? '0 : shifted_2_q;
  end

endmodule
