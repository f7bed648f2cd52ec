// Last step of the post twist as in isopod_twist_output, for one lane, one word a cycle. It rounds
// y / 2^(Word+f) and writes it as its own coefficient and, negated, as that of the mirrored index.
// V and W come four cycles apart or more, with `Pairs` two: then both words leave at once.
module isopod_twist_output_serial
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12,
  parameter int unsigned Word = 32,
  parameter int unsigned Message = Word,   // bits of a coefficient
  parameter bit Pairs = 1'b0,
  localparam int unsigned PointBits = MaxLogN - 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic [4:0] shift_i,              // f
  input  logic [PointBits-1:0] points_i,   // M
  input  logic [PointBits-1:0] pair_i,     // k of the pair to be written next
  input  beat_e kind_i,                    // V: y of k; then W: y of M - k
  input  logic [1:0][2*Word-1:0] value_i,        // (index H - k, index k)
  output logic pair_written_o,
  output logic [1:0] message_write_o,      // by half
  output logic message_odd_o,
  output logic [PointBits-1:0] message_low_o,
  output logic [1:0][Message-1:0] message_o    // see isopod_encode; pairs: zero without a write
);

  // Four steps: the first value, the other negated, the other, the first negated.
  typedef struct packed {
    logic of_w;
    logic [1:0] step;
  } step_t;

  localparam int unsigned Late = 3; // from a step to its rounded word
  // With pairs two steps: the first value and the other negated, then the other way round.
  localparam logic [1:0] LastStep = Pairs ? 2'd1 : 2'd3;

  step_t step_q, late;
  logic active_q, late_valid, comes, unused_any;

  assign comes = kind_i inside {BeatV, BeatW};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= 1'b0;
    else active_q <= !abort_i && (comes || (active_q && step_q.step != LastStep));
  end

  always_ff @(posedge clk_i) begin
    step_q.step <= comes ? 2'd0 : step_q.step + 2'd1;
    if (comes) begin
      step_q.of_w <= kind_i == BeatW;
    end
  end

  isopod_valid_delay #(.Cycles(Late)) u_valid (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(active_q), .valid_o(late_valid),
    .any_o(unused_any));
  isopod_delay #(.Width($bits(step_t)), .Cycles(Late)) u_step (.clk_i, .value_i(step_q),
      .value_o(late));

  // floor(y / 2^(Word-1+f)): the result and, in bit 0, its rounding.
  localparam int unsigned Units = Pairs ? 2 : 1;
  logic [Units-1:0][Message-1:0] word_q;

  if (Pairs) begin : gen_pairs
    // Both values go through the same shifts, one after the other. The shift is 5 or more.
    localparam int unsigned Least = 5;
    typedef logic signed [Word-Least:0] fine_t;

    logic [4:0] shift_q;
    fine_t second_q, fine_q, coarse_q, middle_q, middle_1_q, middle_2_q;

    always_ff @(posedge clk_i) begin
      shift_q    <= shift_i - 5'(Least);
      second_q   <= signed'(value_i[1][2*Word-1:Word-1+Least]);
      fine_q     <= (comes ? signed'(value_i[0][2*Word-1:Word-1+Least]) : second_q) >>>
          shift_q[0];
      coarse_q   <= fine_q >>> {shift_q[4:3], 3'b0};
      middle_q   <= coarse_q >>> {shift_q[2:1], 1'b0};
      middle_1_q <= middle_q;
      middle_2_q <= middle_1_q;
      // The first value and the other negated, then the other way round.
      word_q[0]  <= rounded((Message + 1)'(middle_1_q));
      word_q[1]  <= rounded((Message + 1)'(late.step[0] ? ~middle_2_q : ~middle_q));
      if (!late_valid) word_q <= '0;
    end
  end else begin : gen_alone
    logic [1:0][Word:0] value_q;
    logic signed [Word:0] chosen_q, coarse_q, middle_q;

    always_ff @(posedge clk_i) begin
      for (int unsigned part = 0; part < 2; part++) begin
        if (comes) value_q[part] <= value_i[part][2*Word-1:Word-1];
      end
      chosen_q  <= signed'((step_q.step[1] ^ step_q.step[0]) ? value_q[1] : value_q[0]);
      coarse_q  <= chosen_q >>> {shift_i[4:3], 3'b0};
      middle_q  <= coarse_q >>> {shift_i[2:1], 1'b0};
      word_q[0] <= rounded((Message + 1)'(middle_q >>> shift_i[0]) ^
          {(Message + 1){late.step[0]}});
    end
  end

  // One subtraction, like sum_of of isopod_pkg. Of the complement: minus the value.
  function automatic logic [Message-1:0] rounded(logic [Message:0] fine);
    return Message'(({Message'(0), 1'b0} - ~fine) >> 1);
  endfunction

  assign message_o = {word_q[Units-1], word_q[0]};

  // Index n - 0 does not exist. The mirrored turn of k = 0 would repeat the first and is left out.
  logic mirrored;
  logic [PointBits-1:0] low_mirrored_q;

  logic later; // the second index of two

  assign later    = Pairs ? late.step[0] : late.step[1];
  assign mirrored = late.of_w ^ later;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {message_write_o, pair_written_o} <= '0;
    else begin
      message_write_o <= (late_valid && !abort_i && !(mirrored && pair_i == '0)) ?
          (Pairs ? 2'b11 : {late.step[0], !late.step[0]}) : 2'b00;
      pair_written_o  <= late_valid && !abort_i && late.of_w && late.step == LastStep;
    end
  end

  always_ff @(posedge clk_i) begin
    low_mirrored_q <= points_i - pair_i;
    message_odd_o  <= later;
    message_low_o  <= mirrored ? low_mirrored_q : pair_i;
  end

endmodule
