// Product of a signed and an unsigned word, two cycles after them. Tiled = 0 is a multiplier of
// 7-series with its registers; Tiled = 1 writes out the two tiles that ECP5 has for it.
module isopod_limb_product #(
  parameter int unsigned BBits = 17,
  parameter bit Tiled = 1'b0
) (
  input  logic                      clk_i,
  input  logic                      clear_i,
  input  logic                      advance_i,
  input  logic signed [24:0]        a_i,
  input  logic [BBits-1:0]          b_i,
  output logic signed [BBits+24:0]  product_o
);

  localparam int unsigned Bits = BBits + 25;
  typedef logic signed [Bits-1:0] product_t;

  product_t product_q;

  if (Tiled) begin : gen_tiled
    logic signed [BBits+7:0]  high_q;
    logic        [BBits+16:0] low_q;

    always_ff @(posedge clk_i) begin
      if (clear_i) begin
        high_q    <= '0;
        low_q     <= '0;
        product_q <= '0;
      end else if (advance_i) begin
        high_q    <= (BBits + 8)'(signed'(a_i[24:17]) * signed'({1'b0, b_i}));
        low_q     <= (BBits + 17)'(a_i[16:0]) * (BBits + 17)'(b_i);
        product_q <= {high_q, 17'd0} + product_t'({1'b0, low_q});
      end
    end
  end else begin : gen_inferred
    logic signed [24:0] a_q;
    logic signed [BBits:0] b_q;

    always_ff @(posedge clk_i) begin
      if (clear_i) begin
        a_q       <= '0;
        b_q       <= '0;
        product_q <= '0;
      end else if (advance_i) begin
        a_q       <= a_i;
        b_q       <= {1'b0, b_i};
        product_q <= product_t'(a_q * b_q);
      end
    end
  end

  assign product_o = product_q;

endmodule
