// Computes the Montgomery product a * b * 2^-KeyBits mod q, and the plain product before it. The
// latency of product_o is product_latency, that of result_o montgomery_latency (isopod_pkg). There
// is no control inside: callers delay their own valid.
//
// Modules named _narrow, _wide and _54 serve builds of that width only.
module isopod_montgomery
  import isopod_pkg::*;
#(
  parameter bit Tiled = 1'b0,
  parameter bit Plain = 1'b0              // 54 bits: also for moduli of plaintexts
) (
  input  logic                          clk_i,
  input  logic signed [FactorABits-1:0] a_i,
  input  logic signed [FactorBBits-1:0] b_i,
  input  short_operand_t                short_i, // zero but for products of 64-bit words
  input  reduction_t                    reduction_i,
  output logic signed [ProductBits-1:0] product_o,
  output ring_t                         result_o
);

  if (Wide) begin : gen_wide
    if (!Tiled && FactorABits <= 59) begin : gen_54
      isopod_multiplier_54 u_multiplier (.clk_i, .a_i, .b_i, .short_i, .product_o);
    end else begin : gen_rows
      isopod_multiplier_wide #(.Tiled(Tiled)) u_multiplier (.clk_i, .a_i, .b_i, .product_o);
      logic unused_short;
      assign unused_short = ^short_i;
    end
    isopod_montgomery_wide #(.Plain(Plain)) u_rounds (
      .clk_i, .product_i(product_o), .reduction_i, .result_o);
  end else begin : gen_narrow
    isopod_multiplier_narrow #(.Tiled(Tiled)) u_multiplier (.clk_i, .a_i, .b_i, .product_o);
    logic unused_short;
    assign unused_short = ^short_i;
    isopod_montgomery_narrow #(.Tiled(Tiled)) u_rounds (
      .clk_i, .product_i(product_o), .reduction_i, .result_o);
  end

endmodule
