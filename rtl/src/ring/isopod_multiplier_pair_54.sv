// Two chained tiles of a DSP block each, for isopod_multiplier_54: long (low + 2^17 high) +
// 2^MiddleAt middle, signed digits of 25 and 18 bits. Latency 4; the middle comes with the first
// cycle.
module isopod_multiplier_pair_54 #(
  parameter int unsigned MiddleAt = 0,  // 0: there is none
  localparam int unsigned Long = 24,
  localparam int unsigned Short = 17,
  localparam int unsigned TileBits = Long + Short + 2,
  localparam int unsigned SumBits = (MiddleAt == 0) ? TileBits : MiddleAt + 22,
  localparam int unsigned ProductBits = Long + 2 * Short + 2
) (
  input  logic                          clk_i,
  input  logic signed [Long:0]          long_i,
  input  logic signed [Short:0]         low_i,
  input  logic signed [Short:0]         high_i,
  input  logic [19:0]                   middle_i,
  output logic signed [ProductBits-1:0] product_o
);

  logic signed [Long:0] long_1_q, long_2_q;
  logic signed [Short:0] low_1_q, high_1_q, high_2_q;
  logic signed [TileBits-1:0] low_tile_q, high_tile_q, high_sum_q;
  logic signed [SumBits-1:0] low_sum_q;
  logic [19:0] middle_1_q, middle_2_q;
  logic [Short-1:0] kept_q;

  // The digits of the second tile come a cycle later.
  always_ff @(posedge clk_i) begin
    long_1_q    <= long_i;
    long_2_q    <= long_1_q;
    low_1_q     <= low_i;
    high_1_q    <= high_i;
    high_2_q    <= high_1_q;
    middle_1_q  <= middle_i;
    middle_2_q  <= middle_1_q;
    low_tile_q  <= TileBits'(long_1_q * low_1_q);
    high_tile_q <= TileBits'(long_2_q * high_2_q);
    high_sum_q  <= high_tile_q + TileBits'(low_sum_q >>> Short);
    kept_q      <= low_sum_q[Short-1:0];
  end

  if (MiddleAt == 0) begin : gen_alone
    logic unused_middle;
    always_ff @(posedge clk_i) low_sum_q <= SumBits'(low_tile_q);
    assign unused_middle = ^middle_2_q;
  end else begin : gen_middle
    always_ff @(posedge clk_i) begin
      low_sum_q <= SumBits'(low_tile_q) + (SumBits'({1'b0, middle_2_q}) << MiddleAt);
    end
  end

  assign product_o = {high_sum_q, kept_q};

endmodule
