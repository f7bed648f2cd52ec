// Signed product of two wide factors of at most 59 bits modulo 2^ProductBits, in nine tiles of 24 x
// 17 bits for DSP48E1. Latency 8, as isopod_multiplier_wide.
//
// Four rectangles of 34 x 24 bits lie around a square of 10 x 10 in the middle, a pinwheel:
//
//            a  57..34 | 33..24 | 23..0
//   b 57..34   upper   | upper  | left          lower  a 33..0  x b 23..0   at bit 0
//   b 33..24   right   | middle | left          right  a 57..34 x b 33..0   at bit 34
//   b 23..0    right   | lower  | lower         upper  a 57..24 x b 57..34  at bit 58
//                                               left   a 23..0  x b 57..24  at bit 24
// A rectangle is a chain of two tiles: the second adds the bits of the first above 17, within the
// DSP blocks. The middle enters the chain of the left rectangle. Lower and upper stand side by
// side, so the rest of the sum takes two adders.
//
// In builds of precise messages the short sides may take a common operand of 34 bits instead. The
// result is its product with a number of 65 bits, b 23..0, a 9..0, a 57..34 and b 40..34, provided
// that a and b are zero in bits 33..24 (isopod_long_product_54).
module isopod_multiplier_54
  import isopod_pkg::*;
(
  input  logic                          clk_i,
  input  logic signed [FactorABits-1:0] a_i,
  input  logic signed [FactorBBits-1:0] b_i,
  input  short_operand_t                short_i,
  output logic signed [ProductBits-1:0] product_o
);

  localparam int unsigned Long = 24;
  localparam int unsigned Short = 17;
  localparam int unsigned Inner = 2 * Short - Long;      // side of the square
  localparam int unsigned Side = Long + 2 * Short;       // without the sign
  localparam int unsigned ChainBits = Long + 2 * Short + 2;

  typedef logic signed [Long:0] long_t;
  typedef logic signed [Short:0] short_t;
  typedef logic signed [ChainBits-1:0] chain_t;
  typedef logic signed [ProductBits-1:0] product_t;

  logic signed [Side:0] a_1_q, b_1_q, a_2_q, b_2_q;

  always_ff @(posedge clk_i) begin
    a_1_q <= (Side + 1)'(a_i);
    b_1_q <= (Side + 1)'(b_i);
    a_2_q <= a_1_q;
    b_2_q <= b_1_q;
  end

  // ---- short sides, low 17 bits and the others ----
  short_t [3:0] own_low, own_high, low, high; // lower, right, upper, left

  if (BuildPrecise) begin : gen_common
    short_operand_t common_1_q, common_2_q;

    always_ff @(posedge clk_i) begin
      common_1_q <= short_i;
      common_2_q <= common_1_q;
    end

    always_comb begin
      low  = own_low;
      high = own_high;
      if (common_2_q.taken) begin
        low  = {4{short_t'({1'b0, common_2_q.word[Short-1:0]})}};
        high = {4{short_t'(signed'(common_2_q.word[2*Short-1:Short]))}};
      end
    end
  end else begin : gen_own
    assign low  = own_low;
    assign high = own_high;
    logic unused_short;
    assign unused_short = ^short_i;
  end

  assign own_low[0]  = {1'b0, a_2_q[Short-1:0]};
  assign own_high[0] = {1'b0, a_2_q[2*Short-1:Short]};
  assign own_low[1]  = {1'b0, b_2_q[Short-1:0]};
  assign own_high[1] = {1'b0, b_2_q[2*Short-1:Short]};
  assign own_low[2]  = {1'b0, a_2_q[Long+Short-1:Long]};
  assign own_high[2] = a_2_q[Side:Long+Short];
  assign own_low[3]  = {1'b0, b_2_q[Long+Short-1:Long]};
  assign own_high[3] = b_2_q[Side:Long+Short];

  // ---- middle, in the same cycle as the first tile of the left rectangle ----
  logic [2*Inner-1:0] middle_q;

  always_ff @(posedge clk_i) begin
    middle_q <= a_1_q[Short*2-1:Long] * b_1_q[Short*2-1:Long];
  end

  // ---- rectangles: only the top digits are signed ----
  chain_t lower, right, upper, left;

  isopod_multiplier_pair_54 #(.MiddleAt(0)) u_lower (
    .clk_i, .long_i({1'b0, b_2_q[Long-1:0]}), .low_i(low[0]), .high_i(high[0]),
    .middle_i('0), .product_o(lower));
  isopod_multiplier_pair_54 #(.MiddleAt(0)) u_right (
    .clk_i, .long_i(a_2_q[Side:2*Short]), .low_i(low[1]), .high_i(high[1]),
    .middle_i('0), .product_o(right));
  isopod_multiplier_pair_54 #(.MiddleAt(0)) u_upper (
    .clk_i, .long_i(b_2_q[Side:2*Short]), .low_i(low[2]), .high_i(high[2]),
    .middle_i('0), .product_o(upper));
  isopod_multiplier_pair_54 #(.MiddleAt(Long)) u_left (
    .clk_i, .long_i({1'b0, a_2_q[Long-1:0]}), .low_i(low[3]), .high_i(high[3]),
    .middle_i(middle_q), .product_o(left));

  // ---- sums ----
  logic signed [ChainBits+Inner:0] across_q; // left + 2^10 right, at bit 24
  product_t outer_q, product_q;

  always_ff @(posedge clk_i) begin
    across_q  <= {(ChainBits + 1)'(left >>> Inner) + (ChainBits + 1)'(right), left[Inner-1:0]};
    outer_q   <= {(ProductBits - Side)'(upper), lower[Side-1:0]};
    product_q <= {(ProductBits - Long)'(outer_q >>> Long) + (ProductBits - Long)'(across_q),
        outer_q[Long-1:0]};
  end

  assign product_o = product_q;

  logic unused_bits;
  assign unused_bits = ^{lower[ChainBits-1:Side], upper};

  if (FactorABits > Side + 1 || FactorBBits > Side + 1) begin : gen_check
    $fatal(1, "factors of at most 59 bits");
  end

endmodule
