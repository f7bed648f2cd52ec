// Signed 33 x 32 bit product. Tiled = 0 leaves the split to the mapper (7-series: 4 DSP48E1, latency 3);
// Tiled = 1 writes out 18-bit tiles and adders of at most 36 bits (ECP5: 4 MULT18X18D, latency 5).
module isopod_multiplier #(
  parameter bit Tiled = 1'b0
) (
  input  logic               clk_i,
  input  logic signed [32:0] a_i,
  input  logic signed [31:0] b_i,
  output logic signed [63:0] product_o
);

  logic signed [32:0] a_q;
  logic signed [31:0] b_q;

  always_ff @(posedge clk_i) begin
    a_q <= a_i;
    b_q <= b_i;
  end

  if (Tiled) begin : gen_tiled
    // a = ah 2^16 + al, b = bh 2^16 + bl with unsigned low halves.
    logic signed [16:0] a_high, a_low, b_low;
    logic signed [15:0] b_high;
    logic signed [32:0] high_q, cross_a_q, cross_b_q;
    logic        [31:0] low_q;
    logic signed [33:0] middle_q;
    logic        [63:0] outer_q;
    logic        [32:0] lower_q;
    logic        [15:0] upper_q, upper_middle_q, bottom_q;
    logic        [63:0] product_q;

    assign a_high = a_q[32:16];
    assign a_low  = {1'b0, a_q[15:0]};
    assign b_high = b_q[31:16];
    assign b_low  = {1'b0, b_q[15:0]};

    always_ff @(posedge clk_i) begin
      high_q         <= 33'(a_high * b_high);
      cross_a_q      <= 33'(a_high * b_low);
      cross_b_q      <= 33'(a_low * b_high);
      low_q          <= 32'(a_low * b_low);
      middle_q       <= 34'(cross_a_q) + 34'(cross_b_q);
      outer_q        <= {high_q[31:0], low_q};
      bottom_q       <= outer_q[15:0];
      lower_q        <= {1'b0, outer_q[47:16]} + {1'b0, middle_q[31:0]};
      upper_q        <= outer_q[63:48];
      upper_middle_q <= {{14{middle_q[33]}}, middle_q[33:32]};
      product_q      <= {upper_q + upper_middle_q + {15'b0, lower_q[32]}, lower_q[31:0], bottom_q};
    end

    logic unused_top;
    assign unused_top = high_q[32];
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
