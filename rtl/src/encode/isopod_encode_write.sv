// Writes into the work banks for the encode: the four points of a group (two for radix 2), one word
// of a sample, or the points of a group of 64-bit words, one a turn.
module isopod_encode_write
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  parameter bit Precise = 1'b0,              // points of 64 bits, too; four lanes or more
  parameter int unsigned CommonLatency = 12, // from common_data_o to write_o
  localparam int unsigned BankBits = $clog2(2 * Lanes),
  localparam int unsigned Banks = 2 * Lanes,
  localparam int unsigned AddressBits = MaxLogN - BankBits,
  localparam int unsigned PointBits = MaxLogN - 1,
  localparam int unsigned PairBits = (BankBits == 1) ? 1 : BankBits - 1,
  localparam bit Serial = Lanes == 1,
  localparam int unsigned Points = Serial ? 1 : 4
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic [3:0] pass_i,
  input  logic radix_2_i,
  input  logic pre_i,                       // pre-twist: points brv(k), then brv(M - k) of pair k
  input  log_degree_t log_degree_i,
  input  logic [PointBits-1:0] points_i,    // M
  input  logic restart_i,                   // between passes: group 0 is next
  // The FFT's outputs stand in the third and fourth cycle after this
  input  logic fft_soon_i,
  input  logic [Points-1:0][1:0][31:0] fft_i, // one point: that of turn t in the cycle 3 + t
  input  logic long_i,                      // one point of 64 bits (isopod_encode_points), also so
  // Words belong to a transform, otherwise to points; with one lane their places differ
  input  logic words_i,
  input  logic word_valid_i,
  input  logic [RingBits-1:0] word_i,       // zero without valid
  input  logic part_i,
  input  logic [PointBits-1:0] point_i,
  output logic group_written_o,
  output logic busy_o,                      // a write is on the way
  output logic [Banks-1:0] write_o,
  output logic [Banks-1:0][AddressBits-1:0] write_address_o,
  output logic [Banks-1:0][31:0] write_data_o, // zero if not of a group
  // CommonLatency cycles before the write of a word, otherwise zero
  output logic [RingBits-1:0] common_data_o
);

  // Write cycles of a radix-4 group.
  localparam int unsigned Turns = (Serial || Precise) ? 4 : (Lanes >= 4) ? 1 : 4 / Lanes;
  localparam int unsigned TurnBits = (Turns == 1) ? 1 : $clog2(Turns);

  logic [TurnBits-1:0] turn_q, turn, last_turn;
  logic writing, group_write, long, serial;

  assign long        = Precise && long_i;
  assign serial      = Serial || long;
  assign last_turn   = pre_i ? TurnBits'(1) : (!serial && (radix_2_i || Lanes >= 4)) ? '0 :
      radix_2_i ? TurnBits'(Turns / 2 - 1) :
      TurnBits'(Turns - 1);
  assign turn        = fft_soon_i ? '0 : turn_q;
  assign group_write = fft_soon_i || writing;

  logic [PointBits-1:0] group_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writing <= 1'b0;
    end else if (abort_i || restart_i) begin
      writing <= 1'b0;
    end else if (group_write) begin
      writing <= turn != last_turn;
    end
  end

  always_ff @(posedge clk_i) begin
    if (group_write) turn_q <= turn + 1'b1;
    if (restart_i) group_q <= '0;
    else if (group_write && turn == last_turn) group_q <= group_q + PointBits'(1);
  end

  // The address waits while its word goes through the butterflies; the write is four cycles away.
  logic word_late, word_waits, part_late;
  logic [PointBits-1:0] point_late;

  assign common_data_o = word_i;

  isopod_valid_delay #(.Cycles(CommonLatency - 4)) u_word (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(word_valid_i), .valid_o(word_late),
    .any_o(word_waits));
  isopod_delay #(.Width(PointBits + 1), .Cycles(CommonLatency - 4)) u_point (
    .clk_i, .value_i({part_i, point_i}), .value_o({part_late, point_late}));

  // ---- address: two cycles ----
  logic [PointBits-1:0] base, point, free;

  isopod_group_base #(.PointBits(PointBits)) u_base (
    .group_i(group_q), .pass_i, .radix_2_i, .base_o(base));

  always_comb begin
    point = base;
    free  = '0;
    if (!serial) free = free | (PointBits'(1) << pass_i);
    if (!serial && Lanes >= 4 && !radix_2_i) free = free | (PointBits'(2) << pass_i);
    if (Lanes == 2 && !radix_2_i) point = base | (PointBits'(turn) << (pass_i + 4'd1));
    if (serial) point = base | (PointBits'(turn) << pass_i);
    if (long) free[PointBits-1] = 1'b1;
    if (pre_i) begin
      point = reversed(turn[0] ? points_i - group_q : group_q, log_degree_i);
      if (!long) free = '0;
    end
    if (word_late) begin
      point = point_late;
      free  = '0;
    end
  end

  // Reverses the order of the lowest log2 M = log2 n - 2 bits.
  function automatic logic [PointBits-1:0] reversed(logic [PointBits-1:0] value,
      log_degree_t log_degree);
    logic [PointBits-1:0] result;
    result = '0;
    for (int unsigned position = 0; position < PointBits; position++) begin
      for (int unsigned degree = MinLogDegree; degree <= MaxLogN; degree++) begin
        if (32'(log_degree) == degree && position < degree - 2) begin
          result[position] = value[(degree - 3 - position) % PointBits];
        end
      end
    end
    return result;
  endfunction

  logic [PairBits-1:0] pair;
  logic [Lanes-1:0][AddressBits-1:0] pair_address;
  logic group_1_q, group_2_q, last_1_q, last_2_q, word_1_q, word_2_q, part_1_q, part_2_q;
  logic [TurnBits-1:0] turn_1_q, turn_2_q;
  logic skipped_1_q, skipped_2_q; // M - 0 is no point
  logic [PointBits-1:0] free_1_q, free_2_q;

  isopod_point_map #(.Lanes(Lanes), .MaxLogN(MaxLogN)) u_map (
    .clk_i, .point_i(point), .free_i(free), .pair_o(pair), .address_o(pair_address));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {group_1_q, group_2_q, word_1_q, word_2_q} <= '0;
    else if (abort_i) {group_1_q, group_2_q, word_1_q, word_2_q} <= '0;
    else begin
      group_1_q <= group_write;
      group_2_q <= group_1_q;
      word_1_q  <= word_late;
      word_2_q  <= word_1_q;
    end
  end

  always_ff @(posedge clk_i) begin
    last_1_q      <= turn == last_turn;
    last_2_q      <= last_1_q;
    turn_1_q      <= turn;
    turn_2_q      <= turn_1_q;
    skipped_1_q   <= pre_i && turn[0] && group_q == '0;
    skipped_2_q   <= skipped_1_q;
    free_1_q      <= free;
    free_2_q      <= free_1_q;
    part_1_q      <= part_late;
    part_2_q      <= part_1_q;
  end

  // Pair bit in which the two halves of a long point differ.
  localparam int unsigned HalfBit = (BankBits == 1) ? 0 : bit_class(PointBits, BankBits) - 1;

  // ---- the point of the group that a pair bank takes; of a long point, the upper half or not ----
  logic [Lanes-1:0][1:0] number;  // point within the group
  logic [Lanes-1:0] chosen;       // the pair bank takes part
  logic [Lanes-1:0] upper;

  always_comb begin
    logic [PairBits-1:0] difference;
    number = '0;
    chosen = '0;
    upper  = '0;
    for (int unsigned bank = 0; bank < Lanes; bank++) begin
      difference = pair ^ PairBits'(bank);
      if (Lanes == 1) begin
        difference = '0;
        number[bank] = 2'(turn_2_q);
      end
      if (Lanes == 2) number[bank][1] = turn_2_q[0];
      for (int unsigned position = 0; position < PointBits; position++) begin
        if (BankBits > 1 && free_2_q[position]) begin
          if (position == 32'(pass_i)) begin
            number[bank][0] = difference[bit_class(position + 1, BankBits) - 1];
          end else begin
            number[bank][1] = difference[bit_class(position + 1, BankBits) - 1];
          end
        end
      end
      upper[bank] = difference[HalfBit];
      for (int unsigned position = 0; position < PointBits; position++) begin
        if (BankBits > 1 && free_2_q[position]) begin
          difference[bit_class(position + 1, BankBits) - 1] = 1'b0;
        end
      end
      chosen[bank] = difference == '0 && !(group_2_q && skipped_2_q);
    end
  end

  // Selects are registers, so that multiplexers stay small.
  logic [Lanes-1:0][1:0][1:0] number_q; // number of the point whose part it takes
  logic [Lanes-1:0] chosen_q;
  logic [Lanes-1:0][AddressBits-1:0] pair_address_q;
  logic group_3_q, last_3_q, word_3_q, word_4_q, part_3_q, flip_q;

  // With one lane the first bank holds the real words and the second bank the imaginary ones; a
  // transform places words by parity.
  always_ff @(posedge clk_i) begin
    for (int unsigned bank = 0; bank < Lanes; bank++) begin
      number_q[bank] <= long ? {upper[bank], upper[bank], 1'b0, upper[bank]} :
          pre_i ? {1'b0, !turn_2_q[0], 1'b0, turn_2_q[0]} : {2{number[bank]}};
    end
    chosen_q       <= chosen;
    pair_address_q <= pair_address;
    last_3_q       <= last_2_q;
    part_3_q       <= part_2_q;
    flip_q         <= Lanes == 1 && words_i && pair[0];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {group_3_q, word_3_q, word_4_q} <= '0;
    else if (abort_i) {group_3_q, word_3_q, word_4_q} <= '0;
    else {group_3_q, word_3_q, word_4_q} <= {group_2_q, word_2_q, word_3_q};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) write_o <= '0;
    else if (abort_i) write_o <= '0;
    else begin
      for (int unsigned bank = 0; bank < Banks; bank++) begin
        write_o[bank] <= chosen_q[bank/2] &&
            (group_3_q || (word_3_q && part_3_q == (bank[0] ^ flip_q)));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned bank = 0; bank < Banks; bank++) begin
      write_address_o[bank] <= pair_address_q[bank/2];
      write_data_o[bank]    <=
          group_3_q ? fft_i[Serial ? '0 : number_q[bank/2][bank%2]][bank%2] : '0;
    end
    group_written_o <= group_3_q && last_3_q && !abort_i;
  end

  assign busy_o = word_valid_i || word_waits || word_1_q || word_2_q || word_3_q || word_4_q;

endmodule
