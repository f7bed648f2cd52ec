// The products of isopod_poly1305: h r modulo 2^130 - 5, one column of limbs in each cycle, plus a
// limb of a block. The limbs of h come twice, each time one in each cycle.
//
// Column c is the sum of h_(c-j) r_j over j, five times as much where c < j. Multiplier j holds
// r_j. The limbs of h pass it one after the other, j cycles later than multiplier 0, so that the
// sums form a chain. In the first cycle of a column 0, multiplier j takes 5 h_(5-j) instead; what
// passes on from there is right for all later columns.
//
// r_j = d 2^25 + a signed word of 25 bits, with d = 0, 1 or 2. The signed word takes two
// multipliers of 7-series, for 17 and 12 bits of the other factor; d needs none.
module isopod_poly1305_columns
  import isopod_pkg::*;
#(
  parameter bit Tiled = 1'b0
) (
  input  logic              clk_i,
  input  logic              clear_i,
  input  logic              advance_i,
  input  logic [2:0]        phase_i,        // 0 .. 4 within a slot
  input  logic [26:0]       limb_i,         // of h, number phase_i
  input  logic [26:0]       wrapping_i,     // of h, number 4 - phase_i; phases 0 .. 3
  input  logic              drop_i,         // zero instead of h in this slot
  input  logic              save_i,         // keeps h, whole slots
  input  logic              load_i,         // multiplies by h from this slot on
  input  logic              load_saved_i,   // and this by what is kept
  input  logic [25:0]       block_i,        // the block's limb of this phase, a cycle later
  output logic [26:0]       limb_o,         // limb of h of this phase, a cycle later
  output logic [56:0]       column_o        // 10 cycles later
);

  localparam int unsigned LimbBits = 17, RestBits = 12;

  // ---- multiplier ----
  logic [4:0][26:0] saved_q;        // limbs turn in a ring
  logic [4:0][24:0] signed_q;
  logic [4:0][1:0]  digit_q;
  logic [26:0]      factor;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      saved_q  <= '0;
      signed_q <= '0;
      digit_q  <= '0;
    end else if (advance_i) begin
      if (save_i || load_saved_i) saved_q <= {limb_i, saved_q[4:1]};
      for (int unsigned j = 0; j < 5; j++) begin
        if ((load_i || load_saved_i) && 32'(phase_i) == j) begin
          {digit_q[j], signed_q[j]} <= digits(factor);
        end
      end
    end
  end

  assign factor = load_saved_i ? saved_q[0] : limb_i;

  function automatic logic [26:0] digits(logic [26:0] limb);
    return {limb[26:25] + 2'(limb[24]), limb[24:0]};
  endfunction

  // ---- limbs ----
  logic [28:0] wrapping_q;          // five times a limb
  logic [4:0][28:0] limb_q;         // at the multipliers
  logic [4:1][28:0] passing_q;

  always_ff @(posedge clk_i) begin
    if (clear_i || (drop_i && advance_i)) begin
      wrapping_q <= '0;
      limb_q[0]  <= '0;
    end else if (advance_i) begin
      wrapping_q <= 29'(wrapping_i) + {wrapping_i, 2'd0};
      limb_q[0]  <= 29'(limb_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      limb_q[4:1] <= '0;
      passing_q   <= '0;
    end else if (advance_i) begin
      for (int unsigned j = 1; j < 5; j++) begin
        passing_q[j] <= limb_q[j-1];
        limb_q[j]    <= (32'(phase_i) == j) ? wrapping_q : passing_q[j];
      end
    end
  end

  assign limb_o = limb_q[0][26:0];

  // ---- sums of a column ----
  logic signed [4:0][LimbBits+24:0]  low;
  logic signed [4:0][RestBits+24:0] high;
  logic signed [44:0] low_sum_q[5];
  logic signed [39:0] high_sum_q[5];
  logic [31:0] digit_sum_q[5];
  logic [2:0][31:0] digit_sums_q;
  logic [1:0][25:0] block_q;

  for (genvar j = 0; j < 5; j++) begin : gen_product
    isopod_limb_product #(.BBits(LimbBits), .Tiled(Tiled)) u_low (
      .clk_i, .clear_i, .advance_i, .a_i(signed_q[j]), .b_i(limb_q[j][LimbBits-1:0]),
      .product_o(low[j]));
    isopod_limb_product #(.BBits(RestBits), .Tiled(Tiled)) u_high (
      .clk_i, .clear_i, .advance_i, .a_i(signed_q[j]), .b_i(limb_q[j][28:LimbBits]),
      .product_o(high[j]));
  end

  function automatic word_t chosen(logic [1:0] digit, logic [28:0] limb);
    return digit[1] ? {2'd0, limb, 1'b0} : digit[0] ? {3'd0, limb} : '0;
  endfunction

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      low_sum_q    <= '{default: '0};
      high_sum_q   <= '{default: '0};
      digit_sum_q  <= '{default: '0};
      digit_sums_q <= '0;
      block_q      <= '0;
    end else if (advance_i) begin
      block_q        <= {block_q[0], block_i};
      low_sum_q[0]   <= 45'(signed'(low[0])) + 45'(signed'({1'b0, block_q[1]}));
      high_sum_q[0]  <= 40'(signed'(high[0]));
      digit_sum_q[0] <= chosen(digit_q[0], limb_q[0]);
      for (int unsigned j = 1; j < 5; j++) begin
        low_sum_q[j]   <= low_sum_q[j-1] + 45'(signed'(low[j]));
        high_sum_q[j]  <= high_sum_q[j-1] + 40'(signed'(high[j]));
        digit_sum_q[j] <= sum_of(chosen(digit_q[j], limb_q[j]), digit_sum_q[j-1], 1'b0);
      end
      digit_sums_q <= {digit_sums_q[1:0], digit_sum_q[4]};
    end
  end

  // ---- column ----
  logic [39:0] upper_q;         // modulo 2^40, as their sum needs no more
  logic [LimbBits-1:0] lower_q;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      upper_q  <= '0;
      lower_q  <= '0;
      column_o <= '0;
    end else if (advance_i) begin
      upper_q  <= high_sum_q[4] + 40'(low_sum_q[4] >>> LimbBits);
      lower_q  <= low_sum_q[4][LimbBits-1:0];
      column_o <= {upper_q + {digit_sums_q[2], 8'd0}, lower_q};
    end
  end

endmodule
