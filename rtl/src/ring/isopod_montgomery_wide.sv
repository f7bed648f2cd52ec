// Montgomery reduction: divides a product by 2^64 modulo q = 2^k - c 2^13 + 1, in three rounds of
// isopod_montgomery_round_wide. Latency 15.
//
// The digits have 24, 24 and (signed) 16 bits, together a number from -2^63 to 2^63 - 1. Hence
// |result| <= q/2 + |a b| / 2^64 + 1; with |a| <= 2 q, |b| <= 0.76 q and q < 2^61 that is below
// 0.7 q. The product c m takes a DSP block for each long digit, and logic for the short one.
module isopod_montgomery_wide
  import isopod_pkg::*;
#(
  parameter bit Plain = 1'b0              // also for moduli of plaintexts
) (
  input  logic                          clk_i,
  input  logic signed [ProductBits-1:0] product_i,
  input  reduction_t                    reduction_i,
  output ring_t                         result_o
);

  localparam int unsigned LongBits = 24;
  localparam int unsigned ShortBits = 16;
  localparam int unsigned Bits1 = ProductBits - LongBits + 1;
  localparam int unsigned Bits2 = Bits1 - LongBits + 1;

  logic signed [Bits1-1:0] rest_1;
  logic signed [Bits2-1:0] rest_2;

  isopod_montgomery_round_wide #(
    .DigitBits(LongBits), .Plain(Plain), .InBits(ProductBits), .OutBits(Bits1)
  ) u_round_1 (.clk_i, .t_i(product_i), .reduction_i, .out_o(rest_1));

  isopod_montgomery_round_wide #(
    .DigitBits(LongBits), .Plain(Plain), .InBits(Bits1), .OutBits(Bits2)
  ) u_round_2 (.clk_i, .t_i(rest_1), .reduction_i, .out_o(rest_2));

  isopod_montgomery_round_wide #(
    .DigitBits(ShortBits), .Last(1'b1), .Plain(Plain), .InBits(Bits2), .OutBits(RingBits)
  ) u_round_3 (.clk_i, .t_i(rest_2), .reduction_i, .out_o(result_o));

endmodule
