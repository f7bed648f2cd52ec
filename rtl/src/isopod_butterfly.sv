// One lane: Cooley-Tukey (forward) or Gentleman-Sande (inverse) butterfly around the Montgomery multiplier, which other
// units borrow through the external operands.
//
// Words come and leave by bank, near and far; which of them is the upper one is a matter of the controls, which turn
// choices into additions with masked operands:
//   x = near & sum_near + far & sum_far       forward the upper word, inverse the sum
//   y = near & sum_far +- far & sum_near      forward the lower word, inverse near - far
//   p = y * twiddle                           both outputs: corrected x & with_x +- p & with_product
// Words are signed and lazy: x is corrected by c = 2^k q towards zero. With |upper|, |lower| <= X q, |p| <= q/2 + X q^2 / 2^32
// and the forward outputs are within max(c, X q - c) + |p|; c = q keeps X <= 2. The inverse leaves |sum|, |p| <= q.
// Latency from words to outputs: MontgomeryLatency + 2; leave_i is sampled one cycle before them.
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
  input  logic               sum_near_i,
  input  logic               sum_far_i,
  input  logic signed [31:0] near_i,
  input  logic signed [31:0] far_i,
  input  logic signed [31:0] twiddle_i,     // one cycle after the words
  input  logic               external_i,    // both factors are the external ones
  input  logic signed [33:0] external_a_i,
  input  logic signed [32:0] external_b_i,
  input  logic               constant_valid_i, // the first factor is the constant
  input  logic        [31:0] constant_i,
  input  logic signed [HighBits-1:0] minus_high_11_i,
  input  logic signed [HighBits-1:0] minus_high_10_i,
  input  butterfly_leave_t   near_leave_i,
  input  butterfly_leave_t   far_leave_i,
  input  logic        [31:0] correction_i,     // one cycle after the words
  output logic signed [63:0] product_o,
  output logic signed [31:0] residue_o,
  output logic signed [31:0] near_o,
  output logic signed [31:0] far_o
);

  logic inverse;
  assign inverse = Inverse && inverse_i;

  logic signed [31:0] x_q, corrected_q, x_late;
  logic signed [33:0] y_q, factor_a;
  logic signed [32:0] factor_b;

  always_ff @(posedge clk_i) begin
    x_q         <= (near_i & {32{sum_near_i}}) + (far_i & {32{sum_far_i}});
    corrected_q <= x_q + (correction_i ^ {32{!x_q[31]}}) + 32'(!x_q[31]);
    y_q         <= 34'(signed'(near_i & {32{sum_far_i}})) + (34'(signed'(far_i & {32{sum_near_i}})) ^ {34{inverse}}) + 34'(inverse);
  end

  always_comb begin
    factor_a = y_q;
    if (external_i) factor_a = external_a_i;
    if (constant_valid_i) factor_a = 34'(constant_i);
  end

  assign factor_b = external_i ? external_b_i : 33'(twiddle_i);

  isopod_montgomery #(.Tiled(Tiled)) u_montgomery (
    .clk_i, .a_i(factor_a), .b_i(factor_b), .minus_high_11_i, .minus_high_10_i,
    .product_o, .result_o(residue_o));

  isopod_delay #(.Width(32), .Cycles(MontgomeryLatency - 1)) u_x (.clk_i, .value_i(corrected_q), .value_o(x_late));

  always_ff @(posedge clk_i) begin
    near_o <= combined(x_late, residue_o, near_leave_i);
    far_o  <= combined(x_late, residue_o, far_leave_i);
  end

  function automatic logic signed [31:0] combined(logic signed [31:0] x, logic signed [31:0] product, butterfly_leave_t leave);
    return (x & {32{leave.with_x}}) + ((product & {32{leave.with_product}}) ^ {32{leave.minus}}) + 32'(leave.minus);
  endfunction

endmodule
