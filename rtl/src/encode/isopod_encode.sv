// Encodes real slots in fixed point, spec/ckks.md section 4: loads samples, runs an FFT of M = n/4
// points in the work banks, and writes the post twist into the message memory. Cycles, with B = 4 /
// Lanes or 1: n/2 to load; 3 B for each of M/4 log4 M radix-4 butterflies; if log2 M is odd, B (one
// lane: 3 B) for each of M/2 radix-2 butterflies; 3 B for each of M/2 + 1 pairs of the twist; about
// 20 to drain after every pass.
//
// With `Complex` it also encodes complex slots: n cycles to load, the same passes over H = n/2
// points, and a twist point by point, 2 cycles for each of M pairs (k, k + M).
//
// With `Long` it computes in words of 64 bits, two real products a cycle of isopod_long_product_54,
// and the rest as with one lane. Both halves of a point are one access. Another encode with
// `Precise` has loaded the words, tells so, and writes the points of its passes.
//
// A wide build with four lanes or more also decodes, section 2 of spec/decryption.md. A pre-twist
// writes folded coefficients into the work banks, four cycles for each of M/2 + 1 pairs. The same
// FFT follows, without a division. Then n/2 words leave in the order of the slots. With `Long` a
// pair takes seven cycles, and the encode with `DecodeLong` folds and sends the words.
module isopod_encode
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  parameter bit Tiled = 1'b0, // tiled as the transform's multipliers
  parameter bit Decode = 1'b0,
  parameter bit Complex = 1'b0, // four lanes or more
  parameter bit Precise = 1'b0, // loads samples of 64 bits, too, without encoding these
  parameter bit DecodeLong = 1'b0, // with `Precise` and `Decode`: folds and sends words of 64 bits
  parameter bit Long = 1'b0,    // four lanes or more, neither of the two before
  parameter CosineFile = "cosine_12.hex",
  localparam int unsigned BankBits = $clog2(2 * Lanes),
  localparam int unsigned Banks = 2 * Lanes,
  localparam int unsigned AddressBits = MaxLogN - BankBits,
  localparam int unsigned PointBits = MaxLogN - 1,
  localparam int unsigned PairBits = (BankBits == 1) ? 1 : BankBits - 1,
  localparam bit Serial = Lanes == 1 || Long, // one point a cycle
  localparam int unsigned Word = Long ? 64 : 32,
  localparam int unsigned Message = Long ? MessageBits : 32,
  localparam int unsigned Used = Long ? 2 : (Lanes > 4) ? 4 : Lanes,
  localparam int unsigned Points = Serial ? 1 : 4,
  localparam int unsigned ProductLatency = product_latency(Tiled) + (Long ? LongProductCycles : 0)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic start_i,
  input  logic long_i,                 // samples or decoded words of 64 bits
  output logic loaded_o,               // pulse: these are loaded
  input  logic words_start_i,          // only loads n residues in natural order
  input  logic sums_start_i,           // these from the product instead of the samples
  input  logic decode_start_i,
  input  logic fold_only_i,            // the decoding ends with its pre-twist
  input  logic hold_i,                 // the multipliers are not free yet
  input  residue_t modulus_i,          // of the residues
  input  log_degree_t log_degree_i,
  input  logic [13:0] count_i,
  input  logic complex_i,              // complex slots; only while an encode runs
  input  logic blank_i,                // no samples
  input  sample_e form_i,
  input  logic signed [5:0] log2_bound_i,
  input  logic [4:0] shift_i,
  output logic busy_o,
  output logic multiplies_o,           // it has the multipliers
  output logic overflow_o,

  // folded polynomial, by isopod_fold
  output logic fold_o,                 // reads may come
  output logic fold_read_o,
  output logic [MaxLogN-1:0] fold_index_o,
  output logic [MaxLogN-1:0] fold_mirrored_o,
  input  ring_t fold_word_i,
  input  ring_t fold_mirrored_word_i,
  output logic difference_valid_o,
  output difference_t difference_o,
  // decoded words: seven cycles after the request
  output logic slots_ready_o,
  input  logic slot_request_i,
  output logic [RingBits-1:0] slot_o,

  input  logic [31:0] sample_i,
  input  logic sample_valid_i,
  output logic sample_ready_o,
  input  ring_t sum_i,
  input  logic sum_valid_i,
  output logic sum_ready_o,

  // guest of the transform
  output logic guest_read_o,
  output logic [Banks-1:0][AddressBits-1:0] guest_read_address_o,
  // pairs of banks that isopod_point_read selects, and their words: of a point and of another one,
  // with `Long` the lower and the upper half of a point
  output logic [PairBits-1:0] guest_first_pair_o,
  output logic [PairBits-1:0] guest_other_pair_o,
  input  logic [1:0][31:0] guest_first_i,
  input  logic [1:0][31:0] guest_other_i,
  output logic [Banks-1:0] guest_write_o,
  output logic [Banks-1:0][AddressBits-1:0] guest_write_address_o,
  output logic [Banks-1:0][31:0] guest_write_data_o,
  output logic [RingBits-1:0] guest_common_data_o,
  // `Long` asks, `Precise` writes and folds
  output long_points_t long_points_o,
  input  long_points_t long_points_i,
  output long_folded_t long_folded_o,  // as isopod_fold
  input  long_folded_t long_folded_i,
  output logic group_written_o,
  input  logic group_written_i,
  output logic [Used-1:0][Word+1:0] operand_a_o,
  output logic [Used-1:0][Word:0] operand_b_o,
  input  logic [Used-1:0][2*Word-1:0] product_i,

  // message: word [h][s] belongs to index j M + low with j = 2 h + (s ^ odd); with fewer than four
  // lanes, and with `Long`, only s = 0; with one product a cycle one h at a time
  output logic [1:0] message_write_o, // by h
  output logic message_odd_o,
  output logic [PointBits-1:0] message_low_o,
  output logic [1:0][1:0][Message-1:0] message_o
);

  localparam int unsigned BeatCycles = 4 / Used;
  localparam int unsigned Period = 3 * BeatCycles;
  localparam int unsigned PeriodRadix2 = (Lanes == 1) ? Period : Long ? 4 : BeatCycles; // B only
  localparam int unsigned PhaseBits = $clog2(Period);
  // Phase of the first beat of an FFT group. Q of the twist comes at phase 2.
  localparam int unsigned FirstBeat = (Used >= 4) ? 0 : 1;
  // Groups between the reads of a pair and its beats V and W. The sums of a pair are ready
  // ProductDelay + 3 cycles after its Q, with one point a cycle ProductDelay + 4, long ones + 5.
  localparam int unsigned SumsReady = ProductLatency + BeatCycles - 1 +
      (Long ? 5 : Serial ? 4 : 3);
  localparam int unsigned TurnsV = (SumsReady + 1 - BeatCycles + Period - 1) / Period;
  localparam int unsigned TurnsW = (SumsReady + 1 - 2 * BeatCycles + Period - 1) / Period;
  localparam int unsigned PhaseV = (2 + BeatCycles) % Period;
  localparam int unsigned PhaseW = (2 + 2 * BeatCycles) % Period;
  localparam int unsigned LateV = TurnsV + (2 + BeatCycles) / Period;
  localparam int unsigned LateW = TurnsW + (2 + 2 * BeatCycles) / Period;

  // Pre-twist: phases and delays of its beats. The words of a pair meet V eleven cycles after the
  // request of slot 1; those of slot 3 meet W; the sums of both meet Q, 15 cycles after V. With
  // `Long` slots come in phases 1, 2, 5 and 6, and Q 19 cycles after W.
  localparam int unsigned PrePhaseV = Long ? 0 : 2, PreLateV = 1;
  localparam int unsigned PrePhaseW = Long ? 4 : 0, PreLateW = Long ? 1 : 2;
  localparam int unsigned PrePhaseQ = Long ? 2 : 1, PreLateQ = Long ? 4 : 5;

  if (Decode && (!Wide || Lanes < 4)) begin : gen_check_decode
    $fatal(1, "decoding needs a wide build and four lanes");
  end

  if (Complex && Lanes < 4) begin : gen_check_complex
    $fatal(1, "complex slots need four lanes");
  end

  if (Long && (Lanes < 4 || Complex || Precise)) begin : gen_check_long
    $fatal(1, "words of 64 bits need four lanes, and an encode of their own");
  end

  if (Long && ProductLatency != 12) begin : gen_check_sums
    $fatal(1, "the sums of a pre-twist do not meet Q");
  end

  if (TurnsV != TurnsW) begin : gen_check
    $fatal(1, "the beats V and W of a pair must follow each other");
  end

  typedef enum logic [2:0] {
    StateIdle,
    StateLoad,
    StateRadix2,
    StateRadix4,
    StateTwist,
    StatePre,    // pre-twist of a decoding
    StateSlots,  // its words are read
    StateLong    // the encode with `Long` decodes
  } state_e;

  state_e state_q, state_d;
  logic [3:0] pass_q, pass_d;             // log2 of the stride between points
  logic [PointBits-1:0] group_q, group_d; // group or pair being issued
  logic [PhaseBits-1:0] phase_q, phase_d;
  logic issuing_q, issuing_d, words_q, active_q;
  logic [PointBits-1:0] written_q, written_d; // groups or pairs written
  logic [3:0] log_points;
  logic [PointBits-1:0] points, groups;   // M; groups of this pass, one cycle late
  logic [PointBits-1:0] last_issue_q;
  logic samples_busy, samples_start, sums_busy;
  logic group_written, fft_written, restart, pair_written, pass_done, load_busy;
  logic complex_slots, twist, pairs, pointwise, radix_2, pre, slots, decode_q, decoded;

  logic long; // the words of samples or slots have 64 bits

  assign long          = Precise && long_i;
  assign complex_slots = Complex && complex_i;
  assign log_points    = log_degree_i - (complex_slots ? 4'd1 : 4'd2);
  assign twist         = state_q == StateTwist;
  assign pairs         = twist && !complex_slots;
  assign pointwise     = twist && complex_slots;
  assign radix_2       = state_q == StateRadix2;
  assign pre           = Decode && state_q == StatePre;
  assign slots         = Decode && state_q == StateSlots;
  assign fold_o        = pre || (DecodeLong && long_points_i.pre);

  // The twist issues until W of the last pair.
  always_ff @(posedge clk_i) begin
    points <= PointBits'(1) << (log_degree_i - 4'd2);
    unique case (state_q)
      StateRadix2: groups <= complex_slots ? points : points >> 1;
      StateTwist, StatePre: groups <= complex_slots ? points : (points >> 1) + PointBits'(1);
      default:     groups <= complex_slots ? points >> 1 : points >> 2;
    endcase
    last_issue_q <= groups + (pairs ? PointBits'(LateW - 1) : pre ? PointBits'(PreLateQ - 1) :
        -PointBits'(1));
  end

  logic load_done;

  assign load_done = state_q == StateLoad && !samples_busy && !sums_busy && !load_busy &&
      (words_q || !hold_i);
  // Not assigned in the process below: that also reads the end of the long encode, which loaded_o
  // starts, and Verilator would take both for a combinational loop.
  assign loaded_o  = load_done && Precise && long && !words_q && !abort_i;

  logic last_phase, in_pass;

  assign in_pass    = state_q inside {StateRadix2, StateRadix4, StateTwist} || pre;
  assign last_phase = phase_q == PhaseBits'(pointwise ? 1 :
      (radix_2 ? PeriodRadix2 : Period) - 32'(!pre));

  always_comb begin
    state_d       = state_q;
    pass_d        = pass_q;
    group_d       = group_q;
    phase_d       = phase_q;
    issuing_d     = issuing_q;
    written_d     = written_q + PointBits'(group_written);
    samples_start = 1'b0;
    decoded       = 1'b0;
    if (issuing_q) begin
      phase_d = last_phase ? '0 : phase_q + 1'b1;
      if (last_phase) begin
        group_d = group_q + PointBits'(1);
        if (group_q == last_issue_q) issuing_d = 1'b0;
      end
    end
    unique case (state_q)
      StateIdle: begin
        samples_start = !Long && (start_i || words_start_i);
        if (Long && start_i) begin
          state_d   = log_points[0] ? StateRadix2 : StateRadix4;
          pass_d    = '0;
          issuing_d = 1'b1;
        end else if (samples_start || sums_start_i) begin
          state_d = StateLoad;
        end
        if (Decode && decode_start_i) begin
          state_d   = (DecodeLong && long) ? StateLong : StatePre;
          issuing_d = !(DecodeLong && long);
        end
      end
      StatePre: begin
        if (Decode && pass_done && fold_only_i) begin
          state_d = StateIdle;
        end else if (pass_done) begin
          state_d   = log_points[0] ? StateRadix2 : StateRadix4;
          pass_d    = '0;
          issuing_d = 1'b1;
        end
      end
      StateSlots: if (!samples_busy) state_d = StateIdle;
      StateLong: begin
        if (DecodeLong && long_points_i.decoded) begin
          state_d       = StateSlots;
          samples_start = 1'b1;
        end
      end
      StateLoad: begin
        if (load_done) begin
          state_d   = (words_q || long) ? StateIdle : log_points[0] ? StateRadix2 : StateRadix4;
          pass_d    = '0;
          issuing_d = !words_q && !long;
        end
      end
      StateTwist: if (pass_done) state_d = StateIdle;
      default: begin
        if (pass_done) begin
          pass_d    = pass_q + ((state_q == StateRadix2) ? 4'd1 : 4'd2);
          state_d   = StateRadix4;
          issuing_d = 1'b1;
          if (pass_d == log_points) begin
            state_d       = !decode_q ? StateTwist : Long ? StateIdle : StateSlots;
            issuing_d     = !decode_q;
            samples_start = decode_q;
            decoded       = decode_q;
          end
        end
      end
    endcase
    if (pass_done || state_q inside {StateIdle, StateLoad, StateLong}) begin
      group_d   = '0;
      phase_d   = '0;
      written_d = '0;
    end
    if (abort_i) begin
      state_d   = StateIdle;
      issuing_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StateIdle;
      issuing_q <= 1'b0;
      words_q   <= 1'b0;
      decode_q  <= 1'b0;
      pass_done <= 1'b0;
      active_q  <= 1'b0;
    end else begin
      pass_done <= in_pass && written_q == groups && !pass_done;
      active_q  <= in_pass;
      if (state_q == StateIdle) words_q <= words_start_i || sums_start_i;
      if (state_q == StateIdle) decode_q <= Decode && decode_start_i;
      state_q   <= state_d;
      issuing_q <= issuing_d;
    end
  end

  // Cleared while idle, and before every pass.
  always_ff @(posedge clk_i) begin
    pass_q    <= pass_d;
    group_q   <= group_d;
    phase_q   <= phase_d;
    written_q <= written_d;
  end

  assign busy_o       = state_q != StateIdle;
  assign multiplies_o = in_pass;

  // ---- load: samples, or sums ----
  logic sample_word_valid, sample_part, sum_word_valid, sum_part, word_valid, word_part;
  logic samples_overflow, fold_beyond, fft_beyond, slot_valid, slot_part;
  logic [PointBits-1:0] slot_point;
  logic [RingBits-1:0] sample_word, sum_word, word;
  logic [PointBits-1:0] sample_point, sum_point, word_point;

  if (Long) begin : gen_loaded
    assign {sample_ready_o, sum_ready_o, samples_busy, samples_overflow, sums_busy} = '0;
    assign {sample_word_valid, sample_word, sample_part, sample_point} = '0;
    assign {sum_word_valid, sum_word, sum_part, sum_point} = '0;
    assign {slot_valid, slot_part, slot_point} = '0;
    logic unused_load;
    assign unused_load = ^{samples_start, words_start_i, sums_start_i, modulus_i, count_i, blank_i,
        form_i, log2_bound_i, sample_i, sample_valid_i, sum_i, sum_valid_i, slot_request_i};
  end else begin : gen_load
    isopod_samples #(.MaxLogN(MaxLogN), .Complex(Complex), .Precise(Precise),
        .DecodeLong(DecodeLong)) u_samples (
      .clk_i, .rst_ni, .abort_i, .start_i(samples_start), .words_i(words_q),
      .step_i(!decode_q || slot_request_i), .modulus_i, .log_degree_i, .count_i,
      .complex_i(complex_slots), .long_i(long), .blank_i(blank_i || decode_q), .form_i,
      .log2_bound_i,
      .busy_o(samples_busy),
      .overflow_o(samples_overflow),
      .sample_i, .sample_valid_i, .sample_ready_o, .word_valid_o(sample_word_valid),
      .word_o(sample_word), .part_o(sample_part), .point_o(sample_point),
      .slot_valid_o(slot_valid), .slot_part_o(slot_part), .slot_point_o(slot_point));

    isopod_sum_words #(.MaxLogN(MaxLogN)) u_sums (
      .clk_i, .rst_ni, .abort_i, .start_i(sums_start_i && state_q == StateIdle), .log_degree_i,
      .busy_o(sums_busy), .sum_i, .sum_valid_i, .sum_ready_o, .word_valid_o(sum_word_valid),
      .word_o(sum_word), .part_o(sum_part), .point_o(sum_point));
  end

  assign word_valid    = (sample_word_valid && !decode_q) || sum_word_valid;
  assign slots_ready_o = slots;
  assign overflow_o    = samples_overflow || fold_beyond || fft_beyond;
  assign word       = sample_word | sum_word;
  assign word_part  = sum_word_valid ? sum_part : sample_part;
  assign word_point = sum_word_valid ? sum_point : sample_point;

  // ---- reads, captures and products of a phase ----
  // First cycle: everything that depends only on the number of the group.
  logic issuing_1_q, pairs_left_q, pair_v_q, pair_w_q;
  logic [PhaseBits-1:0] phase_1_q;
  logic [PointBits-1:0] base, base_q, group_1_q, partner_q;
  logic [MaxLogN:0] group, offset, angle_from, angle_by, angle_from_q, angle_by_q, angle_v_q;
  logic [MaxLogN:0] angle_w_q, angle_pre_q;
  logic pre_v_q, pre_w_q, pre_q_q;
  logic [3:0] angle_shift_q;

  isopod_group_base #(.PointBits(PointBits)) u_read_base (
    .group_i(group_q), .pass_i(pass_q), .radix_2_i(radix_2), .base_o(base));

  // The root is e^(-i pi J / n). In a pass J = n t / 2 len, with t the offset within len = 2^pass:
  // 2 t for B, t for C, 3 t for D. In the twist J is 4 k, 2 M - k and k - M for Q, V and W; with
  // complex slots k and k + M for V and W. The angle, a sum of two, is J before the shift to the
  // scale of the largest degree.
  always_comb begin
    offset = '0;
    for (int unsigned position = 0; position < PointBits; position++) begin
      offset[position] = group_q[position] && position < 32'(pass_q);
    end
    group      = (MaxLogN + 1)'(group_q);
    angle_from = offset;
    angle_by   = offset << 1;
    if (phase_q == PhaseBits'(FirstBeat)) angle_by = offset;
    if (phase_q == PhaseBits'(FirstBeat + BeatCycles)) angle_by = '0;
    if (twist) begin
      angle_from = group << 2;
      angle_by   = '0;
      if (phase_q == PhaseBits'(PhaseV)) begin
        {angle_from, angle_by} = {angle_v_q, group ^ {(MaxLogN + 1){!complex_slots}}};
      end
      if (phase_q == PhaseBits'(PhaseW)) {angle_from, angle_by} = {group, angle_w_q};
    end
    // Conjugates: -k for V, k - M for W, -4 k for Q, with k of PreLateV, PreLateW, PreLateQ ago.
    if (pre) begin
      {angle_from, angle_by} = {~(group << 2), (MaxLogN + 1)'(4 * PreLateQ + 1)};
      if (phase_q == PhaseBits'(PrePhaseV)) begin
        {angle_from, angle_by} = {~group, (MaxLogN + 1)'(PreLateV + 1)};
      end
      if (phase_q == PhaseBits'(PrePhaseW)) {angle_from, angle_by} = {group, angle_pre_q};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) issuing_1_q <= 1'b0;
    else issuing_1_q <= issuing_q && !abort_i;
  end

  always_ff @(posedge clk_i) begin
    phase_1_q     <= phase_q;
    group_1_q     <= group_q;
    base_q        <= base;
    partner_q     <= complex_slots ? points | group_q :
        (points - group_q) & (points - PointBits'(1));
    pairs_left_q  <= group_q < groups;
    pair_v_q      <= group_q >= PointBits'(LateV) && group_q < groups + PointBits'(LateV);
    pair_w_q      <= group_q >= PointBits'(LateW);
    angle_v_q     <= complex_slots ? '0 :
        ((MaxLogN + 1)'(points) << 1) + (MaxLogN + 1)'(LateV + 1);
    angle_w_q     <= complex_slots ? (MaxLogN + 1)'(points) :
        -((MaxLogN + 1)'(points) + (MaxLogN + 1)'(LateW));
    angle_pre_q   <= -((MaxLogN + 1)'(points) + (MaxLogN + 1)'(PreLateW));
    pre_v_q       <= group_q >= PointBits'(PreLateV) && group_q < groups + PointBits'(PreLateV);
    pre_w_q       <= group_q >= PointBits'(PreLateW) && group_q < groups + PointBits'(PreLateW);
    pre_q_q       <= group_q >= PointBits'(PreLateQ);
    angle_shift_q <= (twist || pre) ? 4'(MaxLogN) - log_degree_i : 4'(MaxLogN - 1) - pass_q;
    angle_from_q  <= angle_from;
    angle_by_q    <= angle_by;
  end

  // Second cycle: the point and the beat, by the phase.
  logic at_b, at_c, at_d;
  logic read, load_first, load_other;
  logic [1:0] other_point;   // number within the group
  logic [PointBits-1:0] read_point, free;
  beat_e beat;

  assign at_b = issuing_1_q && phase_1_q == PhaseBits'(FirstBeat);
  assign at_c = issuing_1_q && phase_1_q == PhaseBits'(FirstBeat + BeatCycles);
  assign at_d = issuing_1_q && phase_1_q == PhaseBits'(FirstBeat + 2 * BeatCycles);

  always_comb begin
    read        = 1'b0;
    load_first  = 1'b0;
    load_other  = 1'b0;
    other_point = 2'd1;
    read_point  = base_q;
    beat        = BeatNone;
    if (pointwise) begin
      read_point = (phase_1_q == '0) ? group_1_q : partner_q;
      load_other = issuing_1_q;
      read       = issuing_1_q;
      if (issuing_1_q) beat = (phase_1_q == PhaseBits'(PhaseV)) ? BeatV : BeatW;
    end else if (twist) begin
      read_point = (phase_1_q == '0) ? group_1_q : partner_q;
      load_first = issuing_1_q && pairs_left_q && phase_1_q == '0;
      load_other = issuing_1_q && pairs_left_q && phase_1_q == PhaseBits'(1);
      read       = load_first || load_other;
      if (issuing_1_q && phase_1_q == PhaseBits'(2) && pairs_left_q) beat = BeatQ;
      if (issuing_1_q && phase_1_q == PhaseBits'(PhaseV) && pair_v_q) beat = BeatV;
      if (issuing_1_q && phase_1_q == PhaseBits'(PhaseW) && pair_w_q) beat = BeatW;
    end else if (pre) begin
      if (issuing_1_q && phase_1_q == PhaseBits'(PrePhaseV) && pre_v_q) beat = BeatV;
      if (issuing_1_q && phase_1_q == PhaseBits'(PrePhaseW) && pre_w_q) beat = BeatW;
      if (issuing_1_q && phase_1_q == PhaseBits'(PrePhaseQ) && pre_q_q) beat = BeatQ;
    end else if (slots) begin
      read_point = slot_point;
      load_first = slot_valid;
      read       = slot_valid;
    end else begin
      load_first = issuing_1_q && phase_1_q == '0;
      load_other = at_b || at_c || at_d;
      if (at_b) begin
        beat = BeatB;
      end else if (at_c) begin
        beat        = BeatC;
        other_point = 2'd2;
      end else if (at_d) begin
        beat        = BeatD;
        other_point = 2'd3;
      end
      read = load_first || (Lanes < 4 && at_c) || (Serial && load_other);
      if (Lanes == 2 && !radix_2) read_point = base_q | (PointBits'(at_c) << (pass_q + 4'd1));
      if (Serial) begin
        read_point = base_q | (PointBits'(load_other ? other_point : 2'd0) << pass_q);
        if (radix_2 && (at_c || at_d)) read_point = base_q;
      end
    end
  end

  // Bits in which the points of one access differ. The top bit tells the upper half of a long point
  // from the lower one.
  always_comb begin
    free = '0;
    if (!twist && !slots && !Serial) free = free | (PointBits'(1) << pass_q);
    if (!twist && !slots && !Serial && Lanes >= 4 && !radix_2) begin
      free = free | (PointBits'(2) << pass_q);
    end
    if (Long) free[PointBits-1] = 1'b1;
  end

  logic [PointBits-1:0] read_point_q, free_issue_q;
  logic [MaxLogN:0] angle_q;
  logic [1:0] other_point_q;

  always_ff @(posedge clk_i) begin
    read_point_q  <= read_point;
    free_issue_q  <= free;
    angle_q       <= angle_from_q + angle_by_q;
    other_point_q <= other_point;
  end

  // ---- read: address after 2 more cycles, data after 4 ----
  logic [PairBits-1:0] read_pair, held_pair_q, held_pair_2_q, other_difference_q;
  logic [Lanes-1:0][AddressBits-1:0] pair_read_address;
  logic load_first_late, load_other_late;
  logic [1:0] other_point_late;
  logic [2:0] unused_any;
  logic [1:0][Word-1:0] first_data, other_data;
  logic [PointBits-1:0] free_q;

  isopod_point_map #(.Lanes(Lanes), .MaxLogN(MaxLogN)) u_read_map (
    .clk_i, .point_i(read_point_q), .free_i(free_issue_q), .pair_o(read_pair),
    .address_o(pair_read_address));

  isopod_valid_delay #(.Cycles(3)) u_read (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(read), .valid_o(guest_read_o),
    .any_o(unused_any[0]));
  isopod_valid_delay #(.Cycles(5)) u_load_first (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(load_first), .valid_o(load_first_late),
    .any_o(unused_any[1]));
  isopod_valid_delay #(.Cycles(5)) u_load_other (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(load_other), .valid_o(load_other_late),
    .any_o(unused_any[2]));
  isopod_delay #(.Width(2), .Cycles(3)) u_other_point (
    .clk_i, .value_i(other_point_q), .value_o(other_point_late));

  always_ff @(posedge clk_i) begin
    if (guest_read_o) held_pair_q <= read_pair;
    held_pair_2_q      <= held_pair_q;
    free_q             <= free_issue_q;
    other_difference_q <= pair_difference(other_point_late, free_q, pass_q);
  end

  for (genvar bank = 0; bank < Banks; bank++) begin : gen_read_address
    assign guest_read_address_o[bank] = pair_read_address[bank / 2];
  end

  // Difference between the pair banks of a point and of the first point of its group.
  function automatic logic [PairBits-1:0] pair_difference(logic [1:0] number,
      logic [PointBits-1:0] free_bits, logic [3:0] pass);
    logic [PairBits-1:0] pair;
    pair = '0;
    for (int unsigned position = 0; position < PointBits; position++) begin
      if (BankBits > 1 && free_bits[position]) begin
        pair[bit_class(position + 1, BankBits) - 1] ^= (position == 32'(pass)) ? number[0] :
            number[1];
      end
    end
    return pair;
  endfunction

  // Pair bit in which the two halves of a long point differ.
  function automatic int unsigned pair_class_of_top();
    return (BankBits == 1) ? 0 : bit_class(PointBits, BankBits) - 1;
  endfunction

  assign guest_first_pair_o = held_pair_2_q;

  if (Long) begin : gen_halves
    logic unused_difference;
    assign guest_other_pair_o = held_pair_2_q ^ PairBits'(1 << pair_class_of_top());
    assign first_data = {guest_other_i[1], guest_first_i[1], guest_other_i[0], guest_first_i[0]};
    assign other_data = first_data;
    assign unused_difference = ^other_difference_q;
  end else begin : gen_points
    assign guest_other_pair_o = held_pair_2_q ^ other_difference_q;
    assign first_data         = guest_first_i;
    assign other_data         = guest_other_i;
  end

  // ---- decoding: fold, and words on their way out ----
  logic [1:0][Word-1:0] folded;

  if (Decode && !Long) begin : gen_decode
    localparam int unsigned FoldBits = DecodeLong ? LongFoldBits : 32;
    logic [1:0][FoldBits-1:0] fold_words;
    logic fold_request, slot_part_late;
    logic [PointBits-1:0] fold_pair;
    logic [1:0] fold_slot;

    isopod_fold #(.MaxLogN(MaxLogN), .Long(DecodeLong)) u_fold (
      .clk_i, .rst_ni, .abort_i, .modulus_i, .long_i(long), .shift_i, .points_i(points),
      .request_i(fold_request), .pair_i(fold_pair), .slot_i(fold_slot),
      .read_o(fold_read_o), .index_o(fold_index_o), .mirrored_o(fold_mirrored_o),
      .word_i(fold_word_i), .mirrored_word_i(fold_mirrored_word_i), .difference_valid_o,
      .difference_o, .folded_o(fold_words), .beyond_o(fold_beyond));

    always_comb begin
      for (int unsigned part = 0; part < 2; part++) begin
        folded[part] = DecodeLong ? Word'(signed'(fold_words[part][31:2])) :
            Word'(fold_words[part]);
      end
    end

    isopod_delay #(.Width(1), .Cycles(5)) u_slot_part (
      .clk_i, .value_i(slot_part), .value_o(slot_part_late));

    if (DecodeLong) begin : gen_long_fold
      assign fold_request  = long ? long_points_i.fold : pre && issuing_1_q && pairs_left_q;
      assign fold_pair     = long ? PointBits'(long_points_i.fold_pair) : group_1_q;
      assign fold_slot     = long ? long_points_i.fold_slot : phase_1_q;
      assign long_folded_o = fold_words;
    end else begin : gen_short_fold
      assign fold_request  = pre && issuing_1_q && pairs_left_q;
      assign fold_pair     = group_1_q;
      assign fold_slot     = phase_1_q;
      assign long_folded_o = '0;
    end

    // Halves of a word of 64 bits are residues below every modulus.
    always_ff @(posedge clk_i) begin
      slot_o <= RingBits'(signed'(slot_part_late ? first_data[1] : first_data[0]));
      if (DecodeLong && long) slot_o[RingBits-1:32] <= '0;
    end
  end else begin : gen_no_decode
    logic unused_decode;
    assign {fold_read_o, fold_index_o, fold_mirrored_o, fold_beyond, slot_o} = '0;
    assign {difference_valid_o, difference_o, long_folded_o} = '0;
    assign unused_decode = ^{fold_word_i, fold_mirrored_word_i, fold_only_i, slot_part, pre_v_q,
        pre_w_q, pre_q_q, angle_pre_q};

    always_comb begin
      for (int unsigned part = 0; part < 2; part++) begin
        folded[part] = Long ? Word'(signed'(long_folded_i[part])) : '0;
      end
    end
  end

  if (!Long) begin : gen_unused_folded
    logic unused_folded;
    assign unused_folded = ^{long_folded_i, decoded};
  end

  logic signed [Word-1:0] root_real, root_imaginary;
  logic [$bits(beat_e)-1:0] beat_bits;
  beat_e beat_late;
  logic [5:0][$bits(beat_e)-1:0] beat_line_q;

  isopod_roots #(.MaxLogN(MaxLogN), .Word(Word), .CosineFile(CosineFile)) u_roots (
    .clk_i, .angle_i(angle_q), .shift_i(angle_shift_q), .real_o(root_real),
    .imaginary_o(root_imaginary));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_line_q <= '0;
    else if (abort_i) beat_line_q <= '0;
    else beat_line_q <= {beat_line_q[4:0], beat_bits};
  end

  assign beat_bits = beat;
  assign beat_late = beat_e'(beat_line_q[5]);

  logic fft_soon, complement;
  logic [Points-1:0][1:0][Word-1:0] fft;
  beat_e twist_kind;
  logic [1:0][2*Word-1:0] twist_value;

  isopod_encode_datapath #(
    .Lanes(Serial ? 1 : Lanes), .Word(Word), .ProductLatency(ProductLatency), .Decode(Decode),
    .Complex(Complex)
  ) u_datapath (
    .clk_i, .rst_ni, .clear_i(abort_i), .active_i(active_q),
    .first_load_i(load_first_late), .first_i(first_data), .other_load_i(load_other_late),
    .other_i(other_data), .beat_i(beat_late), .next_beat_i(beat_e'(beat_line_q[4])),
    .half_i(radix_2), .pair_i(twist), .complex_i(complex_slots), .decode_i(decode_q), .pre_i(pre),
    .complements_i(Long && decode_q && pass_q == '0), .folded_i(folded),
    .beyond_o(fft_beyond), .root_real_i(root_real), .root_imaginary_i(root_imaginary),
    .operand_a_o, .operand_b_o, .product_i, .long_i(Precise && long_points_i.busy),
    .long_point_i(long_points_i.point),
    .long_four_i(DecodeLong && long_points_i.four),
    .long_complement_i(DecodeLong && long_points_i.complement),
    .fft_soon_o(fft_soon), .fft_o(fft), .complement_o(complement),
    .twist_o(twist_kind), .twist_value_o(twist_value));

  // ---- writes to the work banks: groups of the FFT, or samples ----
  assign restart = pass_done || !in_pass;

  if (Long) begin : gen_asked
    logic soon_q; // the writing encode takes a point a cycle later
    logic last_pass;

    assign last_pass = state_q == StateRadix4 && pass_q + 4'd2 == log_points;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) soon_q <= 1'b0;
      else soon_q <= fft_soon && !abort_i;
    end

    assign long_points_o = '{busy: busy_o, pass: pass_q, radix_2: radix_2, restart: restart,
        soon: soon_q, point: fft, four: decode_q && !last_pass, pre: pre, complement: complement,
        decoded: decoded,
        fold: pre && issuing_1_q && pairs_left_q && (phase_1_q[1] ^ phase_1_q[0]),
        fold_slot: {phase_1_q[PhaseBits-1], !phase_1_q[0]},
        fold_pair: (MaxLogDegree - 1)'(group_1_q)};
    assign fft_written   = group_written_i;
    assign load_busy     = 1'b0;
    assign {guest_write_o, guest_write_address_o, guest_write_data_o, guest_common_data_o} = '0;
    logic unused_written;
    assign unused_written = ^{long_points_i, word_valid, word, word_part, word_point};
  end else begin : gen_write
    logic long_points;

    assign long_points = Precise && long_points_i.busy;

    isopod_encode_write #(.Lanes(Lanes), .MaxLogN(MaxLogN), .Precise(Precise),
        .CommonLatency(montgomery_latency(Tiled) + 2)) u_write (
      .clk_i, .rst_ni, .abort_i, .pass_i(long_points ? long_points_i.pass : pass_q),
      .radix_2_i(long_points ? long_points_i.radix_2 : radix_2), .pre_i(fold_o), .log_degree_i,
      .points_i(points), .restart_i(long_points ? long_points_i.restart : restart),
      .fft_soon_i(long_points ? long_points_i.soon : fft_soon), .fft_i(fft),
      .long_i(long_points), .words_i(words_q),
      .word_valid_i(word_valid), .word_i(word), .part_i(word_part), .point_i(word_point),
      .group_written_o(fft_written), .busy_o(load_busy), .write_o(guest_write_o),
      .write_address_o(guest_write_address_o), .write_data_o(guest_write_data_o),
      .common_data_o(guest_common_data_o));

    assign long_points_o = '0;
    logic unused_asked;
    assign unused_asked = ^{long_points_i, group_written_i, complement};
  end

  assign group_written_o = fft_written;

  // ---- post twist: scale, round, write ----
  assign group_written = fft_written || pair_written;

  if (Serial) begin : gen_serial_output
    logic [1:0][Message-1:0] message;

    isopod_twist_output_serial #(
      .MaxLogN(MaxLogN), .Word(Word), .Message(Message), .Pairs(Long)
    ) u_output (
      .clk_i, .rst_ni, .abort_i, .shift_i, .points_i(points), .pair_i(written_q),
      .kind_i(twist_kind), .value_i(twist_value), .pair_written_o(pair_written), .message_write_o,
      .message_odd_o, .message_low_o, .message_o(message));
    assign message_o = {message[1], message[1], message[0], message[0]};
  end else begin : gen_output
    logic message_write;

    isopod_twist_output #(.Lanes(Lanes), .MaxLogN(MaxLogN), .Complex(Complex)) u_output (
      .clk_i, .rst_ni, .abort_i, .complex_i(complex_slots), .shift_i, .points_i(points),
      .pair_i(written_q),
      .kind_i(twist_kind), .value_i(twist_value), .pair_written_o(pair_written),
      .message_write_o(message_write), .message_odd_o, .message_low_o, .message_o);
    assign message_write_o = {2{message_write}};
  end

endmodule
