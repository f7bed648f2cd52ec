// Two signed products of 66 by 65 bits modulo 2^128, for encodes in words of 64 bits, on the
// multipliers of four lanes. Latency: that of the multipliers and LongProductCycles.
//
// A product takes two lanes, one for each half of 33 bits of its first factor. The half enters as
// the common operand of the multiplier's short sides. The digits of the other factor are its long
// sides (isopod_multiplier_54): bits 23..0 in b, 33..24 and 57..34 in a, and 64..58 in b. The
// multiplier takes its lower rectangle as positive. If the half is negative and the digit in that
// rectangle is not zero, its product is 2^58 too large.
module isopod_long_product_54
  import isopod_pkg::*;
(
  input  logic                                clk_i,
  input  logic                                active_i,
  input  logic [1:0][65:0]                    a_i,
  input  logic [1:0][64:0]                    b_i,
  output logic [1:0][127:0]                   product_o,

  // Multipliers
  output logic [3:0][FactorABits-1:0]         factor_a_o,
  output logic [3:0][FactorBBits-1:0]         factor_b_o,
  output short_operand_t [3:0]                short_o,
  input  logic [3:0][ProductBits-1:0]         product_i
);

  localparam int unsigned Half = 33;
  localparam int unsigned UpperBits = 128 - Half;   // what both lanes reach
  localparam int unsigned Split = 48;               // bits of the first adder
  localparam int unsigned Side = 58;                // of a multiplier
  localparam int unsigned LowEnd = 65;              // bits of the lower product from Half on
  localparam int unsigned LowBits = LowEnd - Split + 1; // the others are its sign

  logic active_q;
  logic [1:0][65:0] a_q;
  logic [1:0][64:0] b_q;

  // Factors are zero while the encode does not multiply.
  always_ff @(posedge clk_i) {active_q, a_q, b_q} <= {active_i, a_i, b_i};

  for (genvar number = 0; number < 2; number++) begin : gen_product
    logic [LowEnd-1:0] low_upper;
    logic [UpperBits-1:0] high;
    logic [Half-1:0] lowest_1_q, lowest_2_q;
    logic too_large;
    logic [Split:0] sum_1_q;
    logic [Split-1:0] sum_2_q;
    logic signed [LowBits-1:0] low_1_q;
    logic [UpperBits-1:Split] high_1_q, sum_high_2_q;

    for (genvar side = 0; side < 2; side++) begin : gen_lane
      assign factor_a_o[2*number+side] =
          FactorABits'({b_q[number][57:34], 24'd0, b_q[number][33:24]});
      assign factor_b_o[2*number+side] =
          FactorBBits'(signed'({b_q[number][64:58], 10'd0, b_q[number][23:0]}));
    end

    assign short_o[2*number]   = '{taken: active_q, word: {1'b0, a_q[number][Half-1:0]}};
    assign short_o[2*number+1] = '{taken: active_q,
        word: {a_q[number][65], a_q[number][65:Half]}};

    isopod_delay #(.Width(1), .Cycles(product_latency(1'b0))) u_too_large (
      .clk_i, .value_i(a_q[number][65] && b_q[number][23:0] != '0), .value_o(too_large));

    // ---- sum: the bits from Half on in two parts ----
    assign low_upper = product_i[2*number][Half+:LowEnd];
    assign high      = product_i[2*number+1][UpperBits-1:0];

    always_ff @(posedge clk_i) begin
      sum_1_q           <= {1'b0, low_upper[Split-1:0]} + {1'b0, high[Split-1:0]};
      low_1_q           <= LowBits'(signed'(low_upper[LowEnd-1:Split])) -
          LowBits'({1'b0, too_large, (Side - Split)'(0)});
      high_1_q          <= high[UpperBits-1:Split];
      lowest_1_q        <= product_i[2*number][Half-1:0];
      sum_high_2_q      <= (UpperBits - Split)'(low_1_q) + high_1_q +
          (UpperBits - Split)'(sum_1_q[Split]);
      sum_2_q           <= sum_1_q[Split-1:0];
      lowest_2_q        <= lowest_1_q;
      product_o[number] <= {sum_high_2_q, sum_2_q, lowest_2_q};
    end
  end

  logic unused_bits;
  assign unused_bits = ^product_i;

endmodule
