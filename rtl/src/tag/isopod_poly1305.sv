// Poly1305 [RFC8439] of whole blocks of 16 bytes. r comes first, then the blocks, the last of them
// marked, then s; all in beats of 8 bytes, the low one first. The tag follows. Two cycles after it
// was taken or after clear_i, and in a reset, nothing of the key or the blocks is left.
//
// Numbers have five limbs of 26 bits. A block takes a slot of five cycles, its phases; its product
// takes 20. Therefore blocks go to four sums in turn, each of which is multiplied by r^4. At the
// start r^4 is made; at the end the oldest sum is multiplied by r four times, the newest once. All
// sums are on their way in the pipeline. It stands still while a block is missing.
`include "isopod_assert.svh"

module isopod_poly1305
  import isopod_pkg::*;
#(
  parameter bit Tiled = 1'b0
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          clear_i,      // forgets everything; beats are taken two cycles later
  input  logic [63:0]   beat_i,
  input  logic          last_i,       // second beat of the last block; s follows
  input  logic          valid_i,
  output logic          ready_o,
  output logic [127:0]  tag_o,
  output logic          tag_valid_o,
  input  logic          tag_ready_i
);

  localparam logic [4:0] FirstSquare = 5'd4, LastPower = 5'd15, TagSlot = 5'd21;
  localparam logic [63:0] ClampLow = 64'h0ffffffc0fffffff, ClampHigh = 64'h0ffffffc0ffffffc;

  typedef enum logic [2:0] {
    StateKey,     // r becomes the first sum
    StatePower,   // r^4
    StateBlocks,
    StateFinal,   // products with r, sum, s
    StateTag
  } state_e;

  state_e state_q, state_d;
  logic [4:0] count_q, count_d;    // slots of powers, and of the final
  logic [2:0] phase_q;
  logic advance_q, clear_q, first_q, fresh_q, takes_block, needs_next, slot_ends;

  // All registers are cleared out of this one, since a longer path does not reach so many in time.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clear_q <= 1'b1;
    else clear_q <= clear_i || (tag_valid_o && tag_ready_i);
  end

  // ---- blocks ----
  logic [63:0] low_q, high_q, beat;
  logic low_full_q, high_full_q, last_q, keyed_q, closing_q, closed_q;
  logic take_low, take_high, frees_low, frees_high, full_next;
  logic [25:0] limb_d, limb_q;

  assign takes_block = state_q inside {StateKey, StateBlocks} ||
      (state_q == StateFinal && count_q == TagSlot);
  // The low half is free for the next block when three limbs have left.
  assign frees_low   = takes_block && advance_q && phase_q == 3'd2;
  assign frees_high  = takes_block && advance_q && phase_q == 3'd4;
  assign ready_o     = (!low_full_q || !high_full_q || frees_high) && !closed_q && !clear_q;
  assign take_low    = valid_i && ready_o && !low_full_q;
  assign take_high   = valid_i && ready_o && low_full_q;
  assign full_next   = low_full_q && (take_high || (high_full_q && !frees_high));

  always_comb begin
    beat = beat_i;
    if (!keyed_q) beat = beat_i & (low_full_q ? ClampHigh : ClampLow);
  end

  always_ff @(posedge clk_i) begin
    if (clear_q) begin
      {low_full_q, high_full_q, last_q, keyed_q, closing_q, closed_q} <= '0;
      {low_q, high_q} <= '0;
    end else begin
      if (frees_low) low_full_q <= 1'b0;
      if (frees_high) high_full_q <= 1'b0;
      if (take_low) begin
        low_q      <= beat;
        low_full_q <= 1'b1;
      end
      if (take_high) begin
        high_q      <= beat;
        high_full_q <= 1'b1;
        last_q      <= last_i;
        keyed_q     <= 1'b1;
        closing_q   <= closing_q || last_i;
        closed_q    <= closing_q;
      end
    end
  end

  always_comb begin
    unique case (phase_q)
      3'd0:    limb_d = low_q[25:0];
      3'd1:    limb_d = low_q[51:26];
      3'd2:    limb_d = {high_q[13:0], low_q[63:52]};
      3'd3:    limb_d = high_q[39:14];
      default: limb_d = {1'b0, state_q == StateBlocks, high_q[63:40]};
    endcase
    if (!takes_block) limb_d = '0;
  end

  // ---- slots ----
  assign slot_ends = advance_q && phase_q == 3'd4;

  always_comb begin
    state_d = state_q;
    count_d = count_q + 5'd1;
    unique case (state_q)
      StateKey: begin
        state_d = StatePower;
        count_d = 5'd1;
      end
      StatePower: if (count_q == LastPower) state_d = StateBlocks;
      StateBlocks: begin
        if (last_q) state_d = StateFinal;
        count_d = 5'd1;
      end
      StateFinal: if (count_q == TagSlot) state_d = StateTag;
      default: ;
    endcase
    needs_next = state_d == StateBlocks || (state_d == StateFinal && count_d == TagSlot);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= StateKey;
      count_q     <= '0;
      phase_q     <= '0;
      advance_q   <= 1'b0;
      first_q     <= 1'b0;
      fresh_q     <= 1'b0;
      tag_valid_o <= 1'b0;
    end else if (clear_q) begin
      state_q     <= StateKey;
      count_q     <= '0;
      phase_q     <= '0;
      advance_q   <= 1'b0;
      first_q     <= 1'b0;
      fresh_q     <= 1'b0;
      tag_valid_o <= 1'b0;
    end else begin
      if (!advance_q || (slot_ends && needs_next)) advance_q <= full_next;
      if (advance_q) begin
        phase_q <= slot_ends ? '0 : phase_q + 3'd1;
        first_q <= phase_q == 3'd0;
        if (slot_ends) begin
          state_q <= state_d;
          count_q <= count_d;
          fresh_q <= state_q == StatePower && state_d == StateBlocks;
        end
      end
      if (state_q == StateTag && phase_q == 3'd0) tag_valid_o <= 1'b1;
      if (clear_i || (tag_valid_o && tag_ready_i)) tag_valid_o <= 1'b0;
    end
  end

  // ---- products ----
  logic [26:0] limb_0_q, limb_1_q;  // of this slot's sum
  logic [26:0] ascending, wrapping, limb;
  logic [56:0] column, sum_q;
  logic [56:0] carried;
  logic squares;

  assign squares = state_q == StatePower && count_q == FirstSquare;

  isopod_poly1305_columns #(.Tiled(Tiled)) u_columns (
    .clk_i, .clear_i(clear_q), .advance_i(advance_q), .phase_i(phase_q),
    .limb_i(ascending), .wrapping_i(wrapping), .drop_i(fresh_q), .save_i(squares),
    .load_i(squares || fresh_q),
    .load_saved_i(state_q == StateFinal && count_q == 5'd1), .block_i(limb_q), .limb_o(limb),
    .column_o(column));

  // ---- carries: a column's low bits are a limb, the rest goes into the next column ----
  // What leaves the last column returns five times into the first limb, and a few bits of that into
  // the second, which may thus have 27.
  logic [9:1][25:0] limbs_q;
  logic [30:0] returned_q, first_limb_q;

  assign carried = (phase_q != 3'd0) ? 57'(sum_q[56:26]) : '0;

  always_ff @(posedge clk_i) begin
    if (clear_q) begin
      limb_q       <= '0;
      sum_q        <= '0;
      limbs_q      <= '0;
      returned_q   <= '0;
      first_limb_q <= '0;
      limb_0_q     <= '0;
      limb_1_q     <= '0;
    end else if (advance_q) begin
      limb_q  <= limb_d;
      // One subtraction, as in sum_of of isopod_pkg.
      sum_q   <= 57'(({column, 1'b0} - ~{carried, 1'b0}) >> 1);
      limbs_q <= {limbs_q[8:1], sum_q[25:0]};
      if (phase_q == 3'd0) returned_q <= 31'(sum_q[54:26]) + {sum_q[54:26], 2'd0};
      if (phase_q == 3'd1) first_limb_q <= returned_q + 31'(limbs_q[5]);
      if (slot_ends) begin
        limb_0_q <= 27'(first_limb_q[25:0]);
        limb_1_q <= 27'(limbs_q[7]) + 27'(first_limb_q[30:26]);
      end
    end
  end

  // The other limbs of the sum pass in limbs_q: upwards at place 9, downwards at 5, 7 and 9.
  always_comb begin
    ascending = 27'(limbs_q[9]);
    if (phase_q == 3'd0) ascending = limb_0_q;
    if (phase_q == 3'd1) ascending = limb_1_q;
    unique case (phase_q[1:0])
      2'd0:    wrapping = 27'(limbs_q[5]);
      2'd1:    wrapping = 27'(limbs_q[7]);
      2'd2:    wrapping = 27'(limbs_q[9]);
      default: wrapping = limb_1_q;
    endcase
  end

  // ---- sum ----
  tag_sum_t order_q, order_d;

  always_comb begin
    order_d = '0;
    if (state_q == StateFinal) begin
      order_d.active    = count_q inside {5'd8, 5'd11, 5'd14, [5'd17:TagSlot]};
      order_d.add_limb  = count_q <= 5'd17;
      order_d.carries   = count_q >= 5'd17;
      order_d.compare   = count_q == 5'd20;
      order_d.add_block = count_q == TagSlot;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_q) order_q <= '0;
    else if (advance_q && phase_q == 3'd0) order_q <= order_d;
  end

  isopod_poly1305_sum u_sum (
    .clk_i, .clear_i(clear_q), .advance_i(advance_q), .first_i(first_q), .order_i(order_q),
    .limb_i(limb), .block_i(limb_q), .tag_o);

  `ISOPOD_ASSERT(FullSlot, !(advance_q && phase_q == '0 && takes_block && !clear_q) ||
      (low_full_q && high_full_q))
  `ISOPOD_ASSERT(Column, column < 57'h1c0_0000_0000_0000)
  `ISOPOD_ASSERT_STREAM(Tag, tag_valid_o, tag_ready_i, tag_o, clear_i)

endmodule
