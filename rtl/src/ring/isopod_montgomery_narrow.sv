// Montgomery reduction of a product, divided by 2^32 modulo q, for any odd prime q = 1 mod 2^11
// below 2^30. Latency 6.
//
// Each round removes the low w bits d of t, taken as a signed digit: t - d q = 2^w ((t - d) / 2^w -
// d (q >> w)), exact since q = 1 mod 2^w. Rounds of 11, 11 and 10 bits divide by 2^32. The digits
// sum to at most 2^31 (1 + 2^-9) in magnitude, hence |result| <= q/2 + |a b| / 2^32 + 1; with |a|
// <= 2^30 and |b| < q that is below 0.76 q.
module isopod_montgomery_narrow
  import isopod_pkg::*;
(
  input  logic                          clk_i,
  input  logic signed [ProductBits-1:0] product_i,
  input  reduction_t                    reduction_i,
  output ring_t                         result_o
);

  // Widths: 2^63 / 2^11 + 2^30 fits 54 bits, / 2^11 again 43, / 2^10 again 33; the result is
  // smaller still.
  logic signed [53:0] shifted_1_q, sum_1_q;
  logic signed [43:0] shifted_2_q, sum_2_q;
  logic signed [33:0] shifted_3_q, sum_3_q;
  logic signed [31:0] digit_1_q, digit_2_q, digit_3_q;
  logic carry_1_q, carry_2_q, carry_3_q;

  isopod_montgomery_digit_narrow #(.DigitBits(11)) u_digit_1 (
    .clk_i, .digit_i(product_i[10:0]), .minus_high_i(reduction_i.minus_high_11),
    .product_o(digit_1_q));
  isopod_montgomery_digit_narrow #(.DigitBits(11)) u_digit_2 (
    .clk_i, .digit_i(sum_1_q[10:0]), .minus_high_i(reduction_i.minus_high_11),
    .product_o(digit_2_q));
  isopod_montgomery_digit_narrow #(.DigitBits(10)) u_digit_3 (
    .clk_i, .digit_i(sum_2_q[9:0]), .minus_high_i(reduction_i.minus_high_10),
    .product_o(digit_3_q));

  // (t - d) / 2^w is the floor of t / 2^w and a carry, the sign of the digit.
  always_ff @(posedge clk_i) begin
    shifted_1_q <= 54'(product_i >>> 11);
    carry_1_q   <= product_i[10];
    sum_1_q     <= shifted_1_q + 54'(digit_1_q) + 54'(carry_1_q);
    shifted_2_q <= 44'(sum_1_q >>> 11);
    carry_2_q   <= sum_1_q[10];
    sum_2_q     <= shifted_2_q + 44'(digit_2_q) + 44'(carry_2_q);
    shifted_3_q <= 34'(sum_2_q >>> 10);
    carry_3_q   <= sum_2_q[9];
    sum_3_q     <= shifted_3_q + 34'(digit_3_q) + 34'(carry_3_q);
  end

  logic unused_bits;
  assign unused_bits = ^{sum_3_q[33:32], reduction_i};
  assign result_o    = sum_3_q[31:0];

endmodule
