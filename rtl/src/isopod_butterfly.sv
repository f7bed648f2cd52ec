// One lane: Cooley-Tukey (forward) or Gentleman-Sande (inverse) butterfly around the Montgomery multiplier, which other
// units borrow through the external operands.
//
// Words are signed and lazy: with |upper|, |lower| <= X q the forward outputs are within max(c, X q + 0.76 q - c) for the
// correction c = 2^k q; c = q keeps X <= 1. The inverse leaves |sum| <= q and |product| <= q.
// Latency from operands to upper_o, lower_o: MontgomeryLatency + 2, correction_i is sampled one cycle before the outputs.
module isopod_butterfly
  import isopod_pkg::*;
#(
  parameter bit Tiled = 1'b0,
  parameter bit Inverse = 1'b1, // with the inverse butterfly
  parameter int unsigned MontgomeryLatency = 9,
  localparam int unsigned HighBits = ModulusBits - MontgomeryWord + 2
) (
  input  logic               clk_i,
  input  logic               inverse_i,
  input  logic signed [31:0] upper_i,
  input  logic signed [31:0] lower_i,
  input  logic signed [31:0] twiddle_i,
  input  logic               external_i,
  input  logic signed [33:0] external_a_i,
  input  logic signed [32:0] external_b_i,
  input  logic signed [HighBits-1:0] minus_high_11_i,
  input  logic signed [HighBits-1:0] minus_high_10_i,
  input  logic        [31:0] correction_i,
  output logic signed [63:0] product_o,
  output logic signed [31:0] residue_o,
  output logic signed [31:0] upper_o,
  output logic signed [31:0] lower_o
);

  logic inverse;
  assign inverse = Inverse && inverse_i;

  logic signed [33:0] operand, factor_a;
  logic signed [32:0] factor_b;

  assign operand  = inverse ? 34'(upper_i) - 34'(lower_i) : 34'(lower_i);
  assign factor_a = external_i ? external_a_i : operand;
  assign factor_b = external_i ? external_b_i : 33'(twiddle_i);

  isopod_montgomery #(.Tiled(Tiled)) u_montgomery (
    .clk_i, .a_i(factor_a), .b_i(factor_b), .minus_high_11_i, .minus_high_10_i,
    .product_o, .result_o(residue_o));

  logic signed [31:0] upper_late, lower_late;

  isopod_delay #(.Width(32), .Cycles(MontgomeryLatency)) u_upper (
    .clk_i, .value_i(upper_i), .value_o(upper_late));

  if (Inverse) begin : gen_lower
    isopod_delay #(.Width(32), .Cycles(MontgomeryLatency)) u_lower (
      .clk_i, .value_i(lower_i), .value_o(lower_late));
  end else begin : gen_no_lower
    assign lower_late = '0;
  end

  logic signed [31:0] sum_q, difference_q;

  always_ff @(posedge clk_i) begin
    sum_q        <= upper_late + (inverse ? lower_late : residue_o);
    difference_q <= (inverse ? 32'sd0 : upper_late) - residue_o;
    upper_o      <= corrected(sum_q, correction_i);
    lower_o      <= corrected(difference_q, inverse ? 32'd0 : correction_i);
  end

  function automatic logic signed [31:0] corrected(logic signed [31:0] value, logic [31:0] step);
    return value[31] ? value + signed'(step) : value - signed'(step);
  endfunction

endmodule
