// Multiplies a signed digit by -(q >> w). Tiled = 0: one DSP block and its register (7-series).
// Tiled = 1: two tiles of 18 bits, whose sum takes one more cycle (ECP5). Latency 1 + Tiled.
module isopod_montgomery_digit_narrow
  import isopod_pkg::*;
#(
  parameter int unsigned DigitBits = 11,
  parameter bit Tiled = 1'b0
) (
  input  logic                        clk_i,
  input  logic signed [DigitBits-1:0] digit_i,
  input  logic signed [HighBits-1:0]  minus_high_i,
  output logic signed [31:0]          product_o
);

  if (Tiled) begin : gen_tiled
    localparam int unsigned LowBits = 17;
    logic signed [LowBits:0] low;
    logic signed [HighBits-LowBits-1:0] high;
    logic signed [31:0] low_q;
    logic signed [31-LowBits:0] high_q;

    assign low  = {1'b0, minus_high_i[LowBits-1:0]};
    assign high = minus_high_i[HighBits-1:LowBits];

    always_ff @(posedge clk_i) begin
      low_q     <= 32'(digit_i * low);
      high_q    <= (32 - LowBits)'(digit_i * high);
      product_o <= low_q + {high_q, LowBits'(0)};
    end
  end else begin : gen_whole
    always_ff @(posedge clk_i) product_o <= 32'(digit_i * minus_high_i);
  end

endmodule
