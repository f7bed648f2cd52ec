// Sums of the encode after its products as in isopod_encode_points, for one lane, whose beats come
// four cycles apart, or with `Pairs` two. Each level has one pair of adders. The points of a group
// leave one a cycle.
// Of A + z and A - z, the one for the next beat is always there. Words have `Word` bits.
//
// The pre-twist of a decoding keeps V as A for W. The sums are then V - conj V' for the operand of
// Q, one cycle long, and V + conj V', whose exchanged parts are A for Q. Its two points are
// (A + z real, A - z imaginary) and (A - z - 1 real, A + z imaginary): the real part of the second
// one is a complement.
module isopod_encode_points_serial
  import isopod_pkg::*;
#(
  parameter int unsigned Word = 32,
  // Beats every two cycles; radix-2 butterflies every four, of B alone
  parameter bit Pairs = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic active_i,
  input  logic pair_i,                      // post twist
  input  logic half_i,                      // radix 2
  input  logic pre_i,                       // pre-twist of a decoding; pairs
  input  logic decode_i,                    // outputs have a range; pairs
  input  beat_e next_i,                     // the beat whose operand is taken now
  input  beat_e beat_i,                     // the beat whose product is z
  input  beat_e next_beat_i,                // that of the next cycle
  input  logic signed [1:0][Word:0] line_i,   // A, (imaginary, real)
  input  logic [1:0][Word-1:0] z_i,
  input  logic [1:0][2:0] low_i,            // the bits below it; of Q only
  input  logic [1:0] late_i,                // its late carries
  // (minus, plus) of Q for V, (plus, minus) for W; those of W of a pre-twist in reverse order
  output logic [1:0][Word+1:0] sum_o,
  output logic fft_soon_o,
  // point t in the cycle 3 + t after fft_soon_o; with pairs zero unless active
  output logic [1:0][Word-1:0] fft_o,
  output logic complement_o,                // its real part is a complement
  output logic beyond_o                     // it is out of range; a cycle later
);

  // One subtraction, like sum_of of isopod_pkg.
  function automatic logic [Word-1:0] word_sum(logic [Word-1:0] computed, logic [Word-1:0] plain,
      logic carry_in);
    return Word'(({plain, 1'b0} - ~{computed, carry_in}) >> 1);
  endfunction

  function automatic logic [Word+1:0] line_sum(logic [Word+1:0] computed, logic [Word+1:0] plain,
      logic carry_in);
    return (Word + 2)'(({plain, 1'b0} - ~{computed, carry_in}) >> 1);
  endfunction

  // ---- first level: kept for the four turns of a group, or for V and W ----
  logic [1:0][Word:0] line_q;
  logic [1:0][Word+1:0] plain_q, scaled_q; // one of them is zero
  logic [1:0] carry_q, minus_q, minus_d;
  logic [1:0][Word+1:0] sum_q;
  logic is_q, for_w_d, for_w_q;
  // Selections that reset registers are registers themselves. Pairs have Q alone.
  logic pair_q, single_q;

  logic opens, begins, half, pre, b_late_q, q_late_q;
  logic for_v_q, for_q_q; // pre-twist: the sums are those of V, of Q
  logic [1:0][Word:0] kept_q; // V as A for W
  logic [1:0][Word:0] line;
  logic [1:0][Word+1:0] to;
  logic [1:0] carry;

  assign pre = Pairs && pre_i;

  always_ff @(posedge clk_i) begin
    is_q     <= next_beat_i == BeatQ || (pre && next_beat_i inside {BeatV, BeatW});
    pair_q   <= pair_i || pre;
    single_q <= !pair_i && !pre;
    b_late_q <= beat_i == (pre ? BeatQ : BeatB);
    q_late_q <= is_q;
  end

  always_ff @(posedge clk_i) begin
    if (beat_i inside {BeatB, BeatQ} || (pre && beat_i inside {BeatV, BeatW})) begin
      line_q  <= line_i | kept_q;
      for_v_q <= beat_i == BeatV;
      for_q_q <= beat_i == BeatQ;
      for (int unsigned part = 0; part < 2; part++) begin
        plain_q[part]  <= (Word + 2)'(signed'(z_i[part]));
        scaled_q[part] <= {z_i[1-part], low_i[1-part][2:1]};
      end
      carry_q <= is_q ? {low_i[0][0], low_i[1][0]} : late_i;
    end
    if (pair_q) plain_q <= '0;
    if (single_q) scaled_q <= '0;
    for (int unsigned part = 0; part < 2; part++) begin
      sum_q[part] <=
          line_sum(to[part] ^ {(Word + 2){minus_q[part]}}, (Word + 2)'(signed'(line[part])),
          carry[part] ^ minus_q[part]);
    end
  end

  assign sum_o = sum_q;

  // The next group's B would come too early for the last turns.
  if (Pairs) begin : gen_kept
    always_ff @(posedge clk_i) begin
      kept_q <= {sum_q[1][Word:0], sum_q[0][Word:0]};
      if (!(pre && next_beat_i == BeatW)) kept_q <= '0;
    end

    logic [1:0][Word:0] line_2_q;
    logic [1:0][Word+1:0] plain_2_q, scaled_2_q;
    logic [1:0] carry_2_q;

    always_ff @(posedge clk_i) begin
      if (opens || q_late_q) begin
        {line_2_q, plain_2_q, scaled_2_q, carry_2_q} <= {line_q, plain_q, scaled_q, carry_q};
      end
    end

    assign {line, to, carry} = {line_2_q, plain_2_q | scaled_2_q, carry_2_q};
  end else begin : gen_alone
    assign kept_q = '0;
    assign {line, to, carry} = {line_q, plain_q | scaled_q, carry_q};
    logic unused_late;
    assign unused_late = ^{half_i, active_i, b_late_q, q_late_q, pre_i, decode_i, for_v_q, for_q_q};
  end

  logic [1:0] turn_q, turn_d, turn_2_q;

  assign half   = Pairs && (half_i || pre_i);
  assign opens  = half ? b_late_q : beat_i == BeatD;
  assign begins = opens || (pre && q_late_q);

  assign turn_d  = begins ? 2'd0 : turn_q + 2'd1;
  assign for_w_d = pre ? (for_q_q ? turn_d[0] : turn_d == '0) :
      (next_i == BeatV) || (for_w_q && next_i != BeatW);
  assign minus_d = (pair_i || pre) ? {!for_w_d, for_w_d} & {2{!(pre && for_v_q)}} :
      {2{turn_d[0]}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) for_w_q <= 1'b0;
    else for_w_q <= for_w_d && !clear_i && !pre;
  end

  always_ff @(posedge clk_i) begin
    turn_q   <= turn_d;
    turn_2_q <= turn_q;
    minus_q  <= minus_d;
  end

  // ---- second level ----
  // y0 = s + (c + d), y1 = u - i (c - d), y2 = s - (c + d), y3 = u + i (c - d)
  // One late carry of c and d enters the sum or difference, the other one the next adder. i
  // exchanges the parts in front of that one. Sums are zero in odd turns, differences in even ones.
  logic [1:0][Word-1:0] c_q, d_q, both_q, apart_q;
  logic [1:0] late_c_q, late_d_q, late_q, negative;
  logic odd, odd_2, no_sum_q, no_difference_q;

  assign odd      = turn_q[0];
  assign odd_2    = turn_2_q[0];
  assign negative = pre ? {1'b0, turn_2_q[0]} : {turn_2_q[0] ^ turn_2_q[1], turn_2_q[1]};

  always_ff @(posedge clk_i) begin
    if (beat_i == BeatC) {c_q, late_c_q} <= {z_i, late_i};
    if (beat_i == BeatD) {d_q, late_d_q} <= {z_i, late_i};
    for (int unsigned part = 0; part < 2; part++) begin
      both_q[part]  <= word_sum(d_q[part], c_q[part], late_c_q[part]);
      apart_q[part] <= word_sum(~d_q[part], c_q[part], !late_d_q[part]);
      late_q[part]  <= odd ? late_c_q[part] : late_d_q[part];
      if (no_sum_q) both_q[part] <= '0;
      if (no_difference_q) apart_q[part] <= '0;
      if (half) late_q[part] <= 1'b0;
      fft_o[part]  <=
          word_sum((both_q[part] | apart_q[1-part]) ^ {Word{negative[part]}},
          sum_q[part][Word-1:0], (late_q[part ^ 32'(odd_2)] ^ negative[part]) && !pre);
    end
    no_sum_q        <= turn_d[0] || half;
    no_difference_q <= !turn_d[0] || half;
    if (Pairs && !active_i) fft_o <= '0;
  end

  assign fft_soon_o = opens;

  // ---- decoding: in range, if the upper four bits agree ----
  if (Pairs) begin : gen_range
    logic [5:0] opened_q; // point t stands with bit 2 + t
    logic written, complement_q;

    assign written = opened_q[3:2] != '0 || (!half && opened_q[5:4] != '0);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) {opened_q, beyond_o} <= '0;
      else if (clear_i) {opened_q, beyond_o} <= '0;
      else begin
        opened_q <= {opened_q[4:0], opens};
        beyond_o <= decode_i && written && !(fft_o[0][Word-1:Word-4] inside {'0, '1} &&
            fft_o[1][Word-1:Word-4] inside {'0, '1});
      end
    end

    always_ff @(posedge clk_i) complement_q <= pre && turn_2_q[0];
    assign complement_o = complement_q;
  end else begin : gen_no_range
    assign {complement_o, beyond_o} = '0;
  end

endmodule
