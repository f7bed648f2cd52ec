// Signed 34 x 33 bit product modulo 2^64. Tiled = 0 leaves the split to the mapper (7-series: 4
// DSP48E1, latency 3); Tiled = 1 writes out 18-bit tiles and adders of at most 36 bits (ECP5: 4
// MULT18X18D, latency 6).
module isopod_multiplier_narrow #(
  parameter bit Tiled = 1'b0
) (
  input  logic               clk_i,
  input  logic signed [33:0] a_i,
  input  logic signed [32:0] b_i,
  output logic signed [63:0] product_o
);

  logic signed [33:0] a_q;
  logic signed [32:0] b_q;

  always_ff @(posedge clk_i) begin
    a_q <= a_i;
    b_q <= b_i;
  end

  if (Tiled) begin : gen_tiled
    // a = ah 2^16 + al, b = bh 2^16 + bl with unsigned low halves.
    logic signed [17:0] a_high;
    logic signed [16:0] a_low, b_high, b_low;
    logic        [31:0] high_q, high_2_q, low_q, low_2_q;
    logic signed [34:0] cross_a_q, cross_b_q, cross_a_2_q, cross_b_2_q, middle_q;
    logic        [63:0] outer_q;
    logic        [32:0] lower_q;
    logic        [15:0] upper_q, upper_middle_q, bottom_q;
    logic        [63:0] product_q;

    assign a_high = a_q[33:16];
    assign a_low  = {1'b0, a_q[15:0]};
    assign b_high = b_q[32:16];
    assign b_low  = {1'b0, b_q[15:0]};

    always_ff @(posedge clk_i) begin
      high_q         <= 32'(a_high * b_high);
      cross_a_q      <= 35'(a_high * b_low);
      cross_b_q      <= 35'(a_low * b_high);
      low_q          <= 32'(a_low * b_low);
      high_2_q       <= high_q;
      cross_a_2_q    <= cross_a_q;
      cross_b_2_q    <= cross_b_q;
      low_2_q        <= low_q;
      middle_q       <= cross_a_2_q + cross_b_2_q;
      outer_q        <= {high_2_q, low_2_q};
      bottom_q       <= outer_q[15:0];
      lower_q        <= {1'b0, outer_q[47:16]} + {1'b0, middle_q[31:0]};
      upper_q        <= outer_q[63:48];
      upper_middle_q <= {{13{middle_q[34]}}, middle_q[34:32]};
      product_q      <= {upper_q + upper_middle_q + {15'b0, lower_q[32]}, lower_q[31:0], bottom_q};
    end

    assign product_o  = signed'(product_q);
  end else begin : gen_inferred
    logic signed [63:0] multiplied_q, product_q;

    always_ff @(posedge clk_i) begin
      multiplied_q <= 64'(a_q * b_q);
      product_q    <= multiplied_q;
    end

    assign product_o = product_q;
  end

endmodule
