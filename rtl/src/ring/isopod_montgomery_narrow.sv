// Montgomery reduction: divides a product by 2^32 modulo q, for any odd prime q = 1 mod 2^11 below
// 2^30. Latency 6, or 9 with tiled products.
//
// Each round removes the low w bits d of t, taken as a signed digit: t - d q = 2^w ((t - d) / 2^w -
// d (q >> w)), exact since q = 1 mod 2^w. Rounds of 11, 11 and 10 bits divide by 2^32. The digits
// sum to at most 2^31 (1 + 2^-9) in magnitude, hence |result| <= q/2 + |a b| / 2^32 + 1; with |a|
// <= 2^30 and |b| < q that is below 0.76 q.
module isopod_montgomery_narrow
  import isopod_pkg::*;
#(
  parameter bit Tiled = 1'b0
) (
  input  logic                          clk_i,
  input  logic signed [ProductBits-1:0] product_i,
  input  reduction_t                    reduction_i,
  output ring_t                         result_o
);

  // Widths: 2^63 / 2^11 + 2^30 fits 54 bits; the next / 2^11 leaves 43, / 2^10 then 33. The result
  // is smaller still.
  localparam int unsigned DigitCycles = Tiled ? 2 : 1;
  logic signed [53:0] shifted_1, sum_1_q;
  logic signed [43:0] shifted_2, sum_2_q;
  logic signed [33:0] shifted_3, sum_3_q;
  logic signed [31:0] digit_1, digit_2, digit_3;
  logic carry_1, carry_2, carry_3;

  isopod_montgomery_digit_narrow #(.DigitBits(11), .Tiled(Tiled)) u_digit_1 (
    .clk_i, .digit_i(product_i[10:0]), .minus_high_i(reduction_i.minus_high_11),
    .product_o(digit_1));
  isopod_montgomery_digit_narrow #(.DigitBits(11), .Tiled(Tiled)) u_digit_2 (
    .clk_i, .digit_i(sum_1_q[10:0]), .minus_high_i(reduction_i.minus_high_11),
    .product_o(digit_2));
  isopod_montgomery_digit_narrow #(.DigitBits(10), .Tiled(Tiled)) u_digit_3 (
    .clk_i, .digit_i(sum_2_q[9:0]), .minus_high_i(reduction_i.minus_high_10),
    .product_o(digit_3));

  // (t - d) / 2^w is the floor of t / 2^w plus a carry, which is the sign of the digit.
  isopod_delay #(.Width(55), .Cycles(DigitCycles)) u_rest_1 (
    .clk_i, .value_i({54'(product_i >>> 11), product_i[10]}), .value_o({shifted_1, carry_1}));
  isopod_delay #(.Width(45), .Cycles(DigitCycles)) u_rest_2 (
    .clk_i, .value_i({44'(sum_1_q >>> 11), sum_1_q[10]}), .value_o({shifted_2, carry_2}));
  isopod_delay #(.Width(35), .Cycles(DigitCycles)) u_rest_3 (
    .clk_i, .value_i({34'(sum_2_q >>> 10), sum_2_q[9]}), .value_o({shifted_3, carry_3}));

  always_ff @(posedge clk_i) begin
    sum_1_q <= shifted_1 + 54'(digit_1) + 54'(carry_1);
    sum_2_q <= shifted_2 + 44'(digit_2) + 44'(carry_2);
    sum_3_q <= shifted_3 + 34'(digit_3) + 34'(carry_3);
  end

  logic unused_bits;
  assign unused_bits = ^{sum_3_q[33:32], reduction_i};
  assign result_o    = sum_3_q[31:0];

endmodule
