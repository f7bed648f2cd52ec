// The end of isopod_poly1305: adds up four values in limbs, reduces their sum modulo 2^130 - 5 and
// adds s. The limbs turn in a ring, one in each cycle.
module isopod_poly1305_sum
  import isopod_pkg::*;
(
  input  logic          clk_i,
  input  logic          clear_i,
  input  logic          advance_i,
  input  logic          first_i,   // the first limb of five
  input  tag_sum_t      order_i,
  input  logic [26:0]   limb_i,
  input  logic [25:0]   block_i,
  output logic [127:0]  tag_o
);

  logic [4:0][28:0] sum_q;
  logic [2:0] carry_q;
  logic [5:0] carry;
  logic [28:0] addend, sum;

  // Carries above 2^130 return five times. That of h + 5 tells if h >= 2^130 - 5.
  always_comb begin
    carry = 6'(carry_q);
    if (first_i) carry = order_i.compare ? 6'd5 : 6'(carry_q) + 6'({carry_q, 2'd0});
    if (!order_i.carries || (first_i && order_i.add_limb)) carry = '0;
    addend = '0;
    if (order_i.add_limb) addend = 29'(limb_i);
    if (order_i.add_block) addend = 29'(block_i);
    sum = 29'(sum_of(32'(addend), 32'(sum_q[0]), 1'b0)) + 29'(carry);
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      sum_q   <= '0;
      carry_q <= '0;
    end else if (advance_i && order_i.active) begin
      carry_q    <= sum[28:26];
      sum_q[3:0] <= sum_q[4:1];
      sum_q[4]   <= order_i.compare ? sum_q[0] : {order_i.carries ? 3'd0 : sum[28:26], sum[25:0]};
    end
  end

  assign tag_o = {sum_q[4][23:0], sum_q[3][25:0], sum_q[2][25:0], sum_q[1][25:0], sum_q[0][25:0]};

endmodule
