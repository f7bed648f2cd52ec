// Computes z = x T from its four products at once, for isopod_encode_datapath: low words first,
// then high words; two cycles.
// Rounding (mulr) takes p >> 32 plus bit 31; of a negated product, minus (bit 31 and any lower
// bit). A sum has two carries; the second one, the late carry, enters the next adder.
module isopod_encode_complex (
  input  logic clk_i,
  // Sums are exact, of 64 bits; otherwise every product is rounded on its own
  input  logic exact_i,
  // Imaginary real, real imaginary, imaginary imaginary, real real
  input  logic [3:0][63:0] products_i,
  output logic [1:0][31:0] z_o,         // (imaginary, real)
  output logic [1:0][31:0] low_o,       // the bits below it, of exact sums
  output logic [1:0] late_o             // late carries, else
);

  logic [32:0] low_real_q, low_imaginary_q;
  logic [3:0][31:0] high_q;
  logic late_real_1_q, late_imaginary_1_q, negated_1_q, bit_1_q;
  logic carry_real, carry_imaginary;

  assign carry_real      = exact_i ? low_real_q[32] : !negated_1_q;
  assign carry_imaginary = exact_i ? low_imaginary_q[32] : bit_1_q;

  always_ff @(posedge clk_i) begin
    low_real_q         <= {1'b0, ~products_i[1][31:0]} + {1'b0, products_i[0][31:0]} + 33'd1;
    low_imaginary_q    <= {1'b0, products_i[2][31:0]} + {1'b0, products_i[3][31:0]};
    late_real_1_q      <= products_i[0][31];
    negated_1_q        <= products_i[1][31] && (products_i[1][30:0] != '0);
    bit_1_q            <= products_i[2][31];
    late_imaginary_1_q <= products_i[3][31];
    for (int unsigned index = 0; index < 4; index++) high_q[index] <= products_i[index][63:32];
    z_o[0]             <= ~high_q[1] + high_q[0] + 32'(carry_real);
    z_o[1]             <= high_q[2] + high_q[3] + 32'(carry_imaginary);
    low_o              <= {low_imaginary_q[31:0], low_real_q[31:0]};
    late_o             <= {late_imaginary_1_q, late_real_1_q};
  end

endmodule
