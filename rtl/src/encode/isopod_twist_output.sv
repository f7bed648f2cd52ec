// Last step of the post twist: rounds y / 2^(32+f) and writes the four coefficients of each index
// class with their signs. With complex slots it rounds y / 2^(30+f) and writes the coefficients of
// k and k + M unchanged.
module isopod_twist_output
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  parameter bit Complex = 1'b0, // four lanes or more
  localparam int unsigned BankBits = $clog2(2 * Lanes),
  localparam int unsigned PointBits = MaxLogN - 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic complex_i,                  // stable while pairs come
  input  logic [4:0] shift_i,              // f
  input  logic [PointBits-1:0] points_i,   // M
  input  logic [PointBits-1:0] pair_i,     // k of the pair to be written next
  input  beat_e kind_i,                    // V: y of k; then W: y of M - k, complex: of k + M
  input  logic [1:0][63:0] value_i,        // (index H - k, index k), complex: (k + H, k)
  output logic pair_written_o,
  output logic message_write_o,
  output logic message_odd_o,
  output logic [PointBits-1:0] message_low_o,
  output logic [1:0][1:0][31:0] message_o  // see isopod_encode; zero without a write
);

  // floor(y / 2^(31+f)): the result and, in bit 0, its rounding. Complex slots, whose y is below
  // 2^61, take floor(y / 2^(29+f)): real slots lose two bits more in the last step.
  localparam int unsigned Fine = Complex ? 2 : 0;
  logic signed [1:0][32+Fine:0] coarse_q, middle_q;
  logic signed [1:0][32:0] near_q, far_q;
  logic complex_slots;
  logic [1:0] last_shift;
  beat_e kind_1_q, kind_2_q, kind_3_q;

  assign complex_slots = Complex && complex_i;
  assign last_shift    = {Complex && !complex_i, shift_i[0]};

  always_ff @(posedge clk_i) begin
    for (int unsigned part = 0; part < 2; part++) begin
      coarse_q[part] <= signed'(value_i[part][63:31-Fine]) >>> {shift_i[4:3], 3'b0};
      middle_q[part] <= signed'(coarse_q[part]) >>> {shift_i[2:1], 1'b0};
      if (kind_2_q == BeatV) near_q[part] <= 33'(signed'(middle_q[part]) >>> last_shift);
      if (kind_2_q == BeatW) far_q[part] <= 33'(signed'(middle_q[part]) >>> last_shift);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {kind_1_q, kind_2_q, kind_3_q} <= {BeatNone, BeatNone, BeatNone};
    else if (abort_i) {kind_1_q, kind_2_q, kind_3_q} <= {BeatNone, BeatNone, BeatNone};
    else {kind_1_q, kind_2_q, kind_3_q} <= {kind_i, kind_1_q, kind_2_q};
  end

  // Turns: indices j M + k, then j M + (M - k); with fewer than four lanes each in two halves.
  // Complex slots need the first turn only.
  localparam int unsigned Turns = (Lanes >= 4) ? 2 : 4;
  logic [1:0] turn_q, turn, last_turn;
  logic writing_q, write, mirrored;

  assign turn      = (kind_3_q == BeatW) ? '0 : turn_q;
  assign last_turn = complex_slots ? '0 : 2'(Turns - 1);
  assign write     = kind_3_q == BeatW || writing_q;
  assign mirrored  = (Lanes >= 4) ? turn[0] : turn[1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writing_q <= 1'b0;
      turn_q    <= '0;
    end else if (abort_i) begin
      writing_q <= 1'b0;
    end else if (write) begin
      writing_q <= turn != last_turn;
      turn_q    <= turn + 2'd1;
    end
  end

  function automatic logic [31:0] rounded(logic [32:0] value, logic negative);
    return (negative ? ~value[32:1] : value[32:1]) + 32'(value[0] ^ negative);
  endfunction

  // Index n - 0 does not exist. The mirrored turn of k = 0 would repeat the first and is left out.
  logic write_1_q, write_2_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {write_1_q, write_2_q, message_write_o, pair_written_o} <= '0;
    else begin
      write_1_q       <= write && !abort_i && !(mirrored && pair_i == '0);
      write_2_q       <= write_1_q && !abort_i;
      message_write_o <= write_2_q && !abort_i;
      pair_written_o  <= write && !abort_i && turn == last_turn;
    end
  end

  // With four lanes or more, j and j + 1 are ordered as the lanes in which the source keeps them.
  logic [PointBits-1:0] low_mirrored_q, low;
  logic odd;

  assign low = mirrored ? low_mirrored_q : pair_i;

  always_comb begin
    odd = 1'b0;
    for (int unsigned position = 0; position < PointBits; position++) begin
      for (int unsigned second = 0; second < PointBits; second++) begin
        if (bit_class(position, BankBits) == bit_class(second, BankBits)) begin
          odd ^= low[position] && points_i[second];
        end
      end
    end
    if (Lanes < 4) odd = turn[0];
  end

  // Value of each j = 0 .. 3: V or W, and its part.
  logic [3:0][1:0] source;

  assign source[0] = {mirrored, 1'b0};
  assign source[1] = {!mirrored, mirrored || !complex_slots};
  assign source[2] = {mirrored, 1'b1};
  assign source[3] = {!mirrored, !mirrored && complex_slots};

  // Ordered, then rounded.
  logic [3:0][32:0] values_q, ordered_q;
  logic [3:0][1:0] source_q;
  logic odd_1_q, odd_2_q;
  logic [PointBits-1:0] low_1_q, low_2_q;

  always_ff @(posedge clk_i) begin
    low_mirrored_q  <= points_i - pair_i;
    values_q        <= {far_q, near_q};
    for (int unsigned number = 0; number < 4; number++) begin
      source_q[number]  <= source[odd ? number ^ 1 : number];
      ordered_q[number] <= values_q[source_q[number]];
    end
    odd_1_q         <= odd;
    odd_2_q         <= odd_1_q;
    low_1_q         <= low;
    low_2_q         <= low_1_q;
    message_odd_o   <= odd_2_q;
    message_low_o   <= low_2_q;
    message_o[0][0] <= rounded(ordered_q[0], 1'b0);
    message_o[1][0] <= rounded(ordered_q[2], !complex_slots);
    message_o[0][1] <= (Lanes < 4) ? '0 : rounded(ordered_q[1], 1'b0);
    message_o[1][1] <= (Lanes < 4) ? '0 : rounded(ordered_q[3], !complex_slots);
    if (!write_2_q) message_o <= '0;
  end

endmodule
