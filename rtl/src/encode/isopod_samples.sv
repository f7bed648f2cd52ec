// Converts samples in slot order to fixed-point words and finds their places, spec/ckks.md section
// 4. Slot j goes to v_i, i = (3^j folded - 1) / 4: part i mod 2 of point brv(i / 2). Slots from
// `count_i` on are zero. A word beyond 2^30 is an overflow. A complex slot comes as two samples,
// real and imaginary, and goes to point brv(i), conjugated where 3^j was folded.
//
// With `Precise` a slot may be a word of 64 bits, its low half first; one beyond 2^62 is an
// overflow. The halves go to two points: the upper one to that with the top bit.
//
// A transform on its own takes n residues in natural order: index i is part i mod 2 of point i / 2.
// A residue not below q is an overflow. A wide one comes as two samples, the low half first.
module isopod_samples
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12,
  parameter bit Complex = 1'b0,
  parameter bit Precise = 1'b0,
  parameter bit DecodeLong = 1'b0,
  localparam int unsigned PointBits = MaxLogN - 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic start_i,
  input  logic words_i,     // residues; stable while busy
  input  logic step_i,      // the next slot may be taken
  input  residue_t modulus_i,
  input  log_degree_t log_degree_i,
  input  logic [13:0] count_i, // slots
  input  logic complex_i,   // complex slots, without `words_i`; stable while busy
  input  logic long_i,      // words of 64 bits, without `words_i`; stable while busy
  input  logic blank_i,     // at start: all slots are zero, whatever the count
  input  sample_e form_i,
  input  logic signed [5:0] log2_bound_i,
  output logic busy_o,
  output logic overflow_o,  // pulse

  input  logic [31:0] sample_i,
  input  logic sample_valid_i,
  output logic sample_ready_o,

  // no back-pressure: the work banks take a word every cycle
  output logic word_valid_o,
  output logic [RingBits-1:0] word_o, // the negated word; zero if not valid
  output logic part_o,
  output logic [PointBits-1:0] point_o,

  // place of a decoded slot, a cycle after it was taken
  output logic slot_valid_o,
  output logic slot_part_o,
  output logic [PointBits-1:0] slot_point_o
);

  logic active_q, complex_slots, long, halves;
  logic [31:0] sample_1_q; // a cycle after it was taken

  assign complex_slots = Complex && complex_i;
  assign long          = Precise && long_i && !words_i;
  assign halves        = complex_slots || long; // two samples for a slot

  // ---- wide residues: three cycles beside the conversion ----
  logic word_there, wide_beyond;
  ring_t minus_wide;

  if (Wide) begin : gen_wide
    key_word_t pair, pair_1_q;
    ring_t pair_2_q, pair_3_q;
    logic pair_valid, unused_ready;

    isopod_word_pair u_pair (
      .clk_i, .rst_ni, .clear_i(abort_i || !active_q), .word_i(sample_i),
      .valid_i(sample_valid_i && active_q && words_i), .ready_o(unused_ready), .pair_o(pair),
      .valid_o(pair_valid), .ready_i(1'b1));

    always_ff @(posedge clk_i) begin
      pair_1_q <= words_i ? pair : '0;
      pair_2_q <= RingBits'(pair_1_q);
      pair_3_q <= -pair_2_q;
    end

    assign word_there  = words_i ? pair_valid : sample_valid_i;
    assign wide_beyond = pair_1_q >= KeyBits'(modulus_i);
    assign minus_wide  = pair_3_q;
  end else begin : gen_narrow
    assign word_there  = sample_valid_i;
    assign wide_beyond = sample_1_q >= 32'(modulus_i);
    assign minus_wide  = '0;
  end

  // ---- slots; words of residues, and parts of complex slots ----
  logic take, from_stream, given_q;  // given: a sample comes for this slot
  logic [13:0] slot_q, slot_next, last_slot_q, end_of_given;
  logic [MaxLogN:0] power_q, degree_mask; // 3^j mod 2n
  logic [MaxLogN:0] power_next, folded;
  logic last;

  always_comb begin
    for (int unsigned position = 0; position <= MaxLogN; position++) begin
      degree_mask[position] = position <= 32'(log_degree_i);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned position = 0; position < 14; position++) begin
      last_slot_q[position] <= position + 32'(!(words_i || halves)) < 32'(log_degree_i);
    end
  end

  assign from_stream    = words_i || given_q;
  assign sample_ready_o = active_q && from_stream;
  assign take           = active_q && step_i && (!from_stream || word_there);
  assign last           = slot_q == last_slot_q;
  assign slot_next      = slot_q + 14'd1;
  assign end_of_given   = halves ? {count_i[12:0], 1'b0} : count_i;
  assign power_next     = (halves && !slot_q[0]) ? power_q :
      (power_q + (power_q << 1)) & degree_mask;
  assign folded         = power_q[1] ? -power_q : power_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= 1'b0;
    else if (abort_i) active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (take) active_q <= !last;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      {slot_q, given_q, power_q} <= {14'd0, !blank_i && count_i != '0, (MaxLogN + 1)'(1)};
    end else if (take) begin
      {slot_q, given_q, power_q} <= {slot_next, given_q && slot_next != end_of_given, power_next};
    end
  end

  logic [PointBits-1:0] place;      // i / 2
  logic [PointBits-1:0] reversed;
  logic part;

  assign place = PointBits'((folded & degree_mask) >> 3);
  assign part  = folded[2];

  always_comb begin
    reversed = '0;
    for (int unsigned position = 0; position < PointBits; position++) begin
      // log2 M = log2 n - 2 bits
      for (int unsigned log_degree = MinLogDegree; log_degree <= MaxLogN; log_degree++) begin
        if (32'(log_degree_i) == log_degree && position < log_degree - 2) begin
          reversed[position] = place[(log_degree - 3 - position) % PointBits];
        end
        // Complex slots: log2 H bits, the lowest one of i on top
        if (32'(log_degree_i) == log_degree && position == log_degree - 2) begin
          reversed[position] = complex_slots && part;
        end
      end
    end
    if (long) reversed[PointBits-1] = slot_q[0];
  end

  // ---- conversion: sign and magnitude, shift with one more bit, sign and rounding in one sum ----
  // Integers are shifted left by 30 - b, which is a right shift of the reversed word.
  logic valid_1_q, valid_2_q, valid_3_q, part_1_q, part_2_q, part_3_q;
  logic [PointBits-1:0] point_1_q, point_2_q, point_3_q;
  sample_e form;
  logic conjugate_1_q, negative_2_q, negative_3_q, beyond_2_q, beyond_3_q, reverse_q;
  logic [31:0] magnitude_2_q, magnitude, shifted;
  logic [32:0] shifted_3_q; // bit 0 rounds
  logic [4:0] right_2_q, right_d;
  logic signed [9:0] right;
  logic beyond, float;

  assign form  = words_i ? SampleFixed : form_i;
  assign float = form == SampleFloat;

  always_comb begin
    magnitude = sample_1_q[31] ? -sample_1_q : sample_1_q;
    if (float) magnitude = {1'b0, sample_1_q[30:23] != 8'd0, sample_1_q[22:0], 7'd0};
    right  = 10'sd126 - signed'(10'(sample_1_q[30:23])) + 10'(sample_1_q[30:23] != 8'd0) +
        10'(log2_bound_i);
    beyond = float ? right < 10'sd0 : form == SampleInteger && log2_bound_i < 6'sd0;
    if (words_i) beyond = wide_beyond;
    right_d = '0;
    if (float) right_d = right[4:0];
    if (form == SampleInteger) right_d = (log2_bound_i > 6'sd30) ? 5'd0 : 5'd30 - log2_bound_i[4:0];
  end

  function automatic logic [31:0] reversed_word(logic [31:0] value);
    logic [31:0] result;
    for (int unsigned position = 0; position < 32; position++) begin
      result[position] = value[31-position];
    end
    return result;
  endfunction

  // A bit that leaves an integer at the top is an overflow; one that leaves a float at the bottom
  // rounds.
  logic [32:0] moved;
  logic [31:0] word;
  logic lost;

  logic [32:0] fine, middle;

  assign fine    = {magnitude_2_q, 1'b0} >> right_2_q[1:0];
  assign middle  = fine >> {right_2_q[3:2], 2'b0};
  assign moved   = right_2_q[4] ? middle >> 16 : middle;
  assign shifted = reverse_q ? reversed_word(moved[32:1]) : moved[32:1];
  always_comb begin
    lost = right_2_q[4] && middle[16:1] != '0;
    for (int unsigned position = 0; position < 3; position++) begin
      lost |= magnitude_2_q[position] && 32'(right_2_q[1:0]) > position;
    end
    for (int unsigned position = 0; position < 12; position++) begin
      lost |= fine[position+1] && 32'(right_2_q[3:2]) > position / 4;
    end
  end
  assign word    = (negative_3_q ? shifted_3_q[32:1] : ~shifted_3_q[32:1]) +
      32'(shifted_3_q[0] == negative_3_q);

  always_ff @(posedge clk_i) begin
    sample_1_q    <= (from_stream && !(Wide && words_i)) ? sample_i : '0;
    slot_part_o   <= !part;
    slot_point_o  <= place;
    if (DecodeLong && long) slot_point_o[PointBits-1] <= slot_q[0]; // a half
    part_1_q      <= (words_i || complex_slots) ? slot_q[0] : part;
    point_1_q     <= words_i ? slot_q[PointBits:1] : reversed;
    conjugate_1_q <= complex_slots && slot_q[0] && power_q[1];
    reverse_q     <= form == SampleInteger;
    negative_2_q  <= sample_1_q[31] ^ conjugate_1_q;
    beyond_2_q    <= beyond;
    magnitude_2_q <= (form == SampleInteger) ? reversed_word(magnitude) : magnitude;
    if (float && right > 10'sd31) magnitude_2_q <= '0;
    right_2_q     <= right_d;
    part_2_q      <= part_1_q;
    point_2_q     <= point_1_q;
    negative_3_q  <= negative_2_q;
    beyond_3_q    <= beyond_2_q || (reverse_q && lost);
    shifted_3_q   <= {shifted, !reverse_q && moved[0]};
    part_3_q      <= part_2_q;
    point_3_q     <= point_2_q;
    word_o        <= valid_3_q ? RingBits'(word) | minus_wide : '0;
    part_o        <= part_3_q;
    point_o       <= point_3_q;
  end

  // |word| <= 2^30: it is below, or it is equal and no bit is left to round.
  logic too_large, may_be_large, more;
  assign too_large = may_be_large &&
      (shifted_3_q[32] || (shifted_3_q[31] && (shifted_3_q[30:0] != '0 || more)));

  if (Precise) begin : gen_halves
    // An upper half is below, or it is equal and nothing follows, or it is negative.
    logic upper_1_q, upper_2_q, upper_3_q, low_zero_q;

    always_ff @(posedge clk_i) begin
      upper_1_q <= slot_q[0];
      upper_2_q <= upper_1_q;
      upper_3_q <= upper_2_q;
      if (valid_3_q) low_zero_q <= shifted_3_q == '0;
    end

    assign may_be_large = !long || upper_3_q;
    assign more         = long && !negative_3_q && !low_zero_q;
  end else begin : gen_whole
    assign may_be_large = 1'b1;
    assign more         = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {valid_1_q, valid_2_q, valid_3_q, word_valid_o, overflow_o} <= '0;
    else if (abort_i) {valid_1_q, valid_2_q, valid_3_q, word_valid_o, overflow_o} <= '0;
    else begin
      valid_1_q    <= take;
      valid_2_q    <= valid_1_q;
      valid_3_q    <= valid_2_q;
      word_valid_o <= valid_3_q;
      overflow_o   <= valid_3_q && (beyond_3_q || too_large);
    end
  end

  assign slot_valid_o = valid_1_q;
  assign busy_o = active_q || valid_1_q || valid_2_q || valid_3_q || word_valid_o;

endmodule
