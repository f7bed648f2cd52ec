// Folds a polynomial modulo one prime to decode it, spec/decryption.md section 2. For pair k of the
// pre-twist it gives (D_k, -D_{H-k}) and (D_{M-k}, -D_{M+k}), with H = n/2, M = n/4.
//
// A pair has four slots, each a read of two words, m_i and m_{n-i}: i is k, H - k, M - k and M + k
// in the slots 0 to 3; d_0 is twice m_0. Words come lazy, within q. Each is centred by itself,
// since their difference may be beyond q/2. With s = 28 - L the word d 2^s / 4, ties to even, is D
// for every L: it is exact up to L = 26, and in range if d 2^s is below 2^30. Words of 64 bits have
// s = 58 - L and D = d 2^s, in range below 2^60.
module isopod_fold
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12,
  parameter bit Long = 1'b0,              // also words of 64 bits, for L from 29 on
  localparam int unsigned PointBits = MaxLogN - 1,
  localparam int unsigned FoldBits = Long ? LongFoldBits : 32
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  residue_t modulus_i,
  input  logic long_i,                    // words of 64 bits; stable for a decoding
  input  logic [4:0] shift_i,             // 28 - L, or 58 - L
  input  logic [PointBits-1:0] points_i,  // M

  input  logic request_i,
  input  logic [PointBits-1:0] pair_i,    // k
  input  logic [1:0] slot_i,
  output logic read_o,                    // one cycle after the request
  output logic [MaxLogN-1:0] index_o,
  output logic [MaxLogN-1:0] mirrored_o,
  // Three cycles after the read
  input  ring_t word_i,
  input  ring_t mirrored_word_i,

  // d 2^s, nine cycles after the request; in odd slots its complement, -d 2^s - 1
  output logic difference_valid_o,        // a cycle before
  output difference_t difference_o,
  // Ten cycles after the request of the second slot of two: D; with `Long`, a word of 32 bits
  // stands above two bits that rounding leaves
  output logic [1:0][FoldBits-1:0] folded_o,
  output logic beyond_o                   // pulse: a difference is out of range
);

  localparam int unsigned DifferenceBits = ModulusBits + 1;
  localparam int unsigned RangeBits = $bits(difference_t); // of d 2^s
  localparam int unsigned LongRangeBits = LongFoldBits - 1;
  localparam int unsigned ShiftBits = Long ? LongRangeBits : RangeBits;
  localparam int unsigned MostShift = 31;

  logic [MaxLogN-1:0] degree_mask, index_from, mirrored_from, pair, offset, opposite;
  logic from_below, double;

  assign degree_mask = (MaxLogN'(points_i) << 2) - MaxLogN'(1);
  assign pair        = MaxLogN'(pair_i);
  assign from_below  = slot_i inside {2'd1, 2'd2};
  assign offset      = from_below ? -pair : pair;
  assign opposite    = from_below ? pair : -pair;
  assign double      = pair_i == '0 && slot_i == 2'd0;

  always_comb begin
    unique case (slot_i)
      2'd0:    {index_from, mirrored_from} = '0;
      2'd1:    {index_from, mirrored_from} = {2{MaxLogN'(points_i) << 1}};
      default: {index_from, mirrored_from} =
          {MaxLogN'(points_i), MaxLogN'(points_i) + (MaxLogN'(points_i) << 1)};
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_o <= 1'b0;
    else read_o <= request_i && !abort_i;
  end

  // Zero without a read.
  always_ff @(posedge clk_i) begin
    index_o    <= request_i ? (index_from + offset) & degree_mask : '0;
    mirrored_o <= request_i ? (mirrored_from + opposite) & degree_mask : '0;
  end

  // ---- centred words: three cycles ----
  ring_t [1:0] word, word_1_q, other_1_q, word_2_q, other_2_q, centred_3_q;
  logic [1:0] negative_2_q;
  logic signed [1:0][RingBits:0] sum;
  ring_t modulus;

  assign modulus = ring_t'(RingBits'(modulus_i));
  assign word    = {mirrored_word_i, word_i};

  always_comb begin
    for (int unsigned side = 0; side < 2; side++) begin
      sum[side] = (RingBits + 1)'(signed'(word_1_q[side])) +
          (RingBits + 1)'(signed'(other_1_q[side]));
    end
  end

  // Takes w, or w - q or w + q if that is smaller. The sum of both has the sign of the larger one.
  always_ff @(posedge clk_i) begin
    for (int unsigned side = 0; side < 2; side++) begin
      word_1_q[side]     <= word[side];
      other_1_q[side]    <= ring_sum(modulus ^ {RingBits{!word[side][RingBits-1]}}, word[side],
          !word[side][RingBits-1]);
      word_2_q[side]     <= word_1_q[side];
      other_2_q[side]    <= other_1_q[side];
      negative_2_q[side] <= sum[side][RingBits];
      centred_3_q[side]  <= (negative_2_q[side] == word_2_q[side][RingBits-1]) ? other_2_q[side]
                                                                              : word_2_q[side];
    end
  end

  logic double_late, odd_late, valid_late, unused_any;
  logic [DifferenceBits-1:0] difference_q, turned;
  logic [ShiftBits-1:0] within_q;           // places that may differ from the sign
  logic long;

  assign long = Long && long_i;

  isopod_delay #(.Width(1), .Cycles(7)) u_double (
    .clk_i, .value_i(double), .value_o(double_late));
  isopod_delay #(.Width(1), .Cycles(8)) u_odd (
    .clk_i, .value_i(slot_i[0]), .value_o(odd_late));
  isopod_valid_delay #(.Cycles(8)) u_valid (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(request_i), .valid_o(valid_late),
    .any_o(unused_any));

  always_ff @(posedge clk_i) begin
    difference_q <= DifferenceBits'(signed'(centred_3_q[0])) +
        (DifferenceBits'(signed'(centred_3_q[1])) ^ {DifferenceBits{!double_late}}) +
        DifferenceBits'(!double_late);
    for (int unsigned position = 0; position < RangeBits; position++) begin
      within_q[position] <= position + 32'(shift_i) + 1 < RangeBits;
    end
    if (Long) within_q <= places_within(shift_i, long ? LongRangeBits : RangeBits);
  end

  // Position p may differ if p + s + 1 is less than the number of bits. Every bit is a function of
  // the shift alone, without carries.
  function automatic logic [ShiftBits-1:0] places_within(logic [4:0] shift, int unsigned bits);
    places_within = '0;
    for (int unsigned number = 0; number < 32; number++) begin
      for (int unsigned position = 0; position < ShiftBits; position++) begin
        if (shift == 5'(number) && position + number + 1 < bits) places_within[position] = 1'b1;
      end
    end
  endfunction

  // The second word of a pair goes on as its complement, -d - 1 with ones below. This is one less
  // than -d 2^s. Rounding ties to even is symmetric.
  logic odd_9_q, out_of_range;
  logic signed [ShiftBits-1:0] shifted_q;
  logic [FoldBits-1:0] folded_q, held_q;

  assign turned = difference_q ^ {DifferenceBits{odd_late}};

  always_comb begin
    out_of_range = 1'b0;
    for (int unsigned position = 0; position < DifferenceBits; position++) begin
      if (position >= ShiftBits || !within_q[position % ShiftBits]) begin
        out_of_range |= turned[position] != turned[DifferenceBits-1];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    shifted_q <= ShiftBits'({ShiftBits'(signed'(turned)), {MostShift{odd_late}}} >>
        (6'(MostShift) - 6'(shift_i)));
    odd_9_q   <= odd_late;
    held_q    <= folded_q;
  end

  if (Long) begin : gen_long
    logic [1:0] rest; // makes the complement whole, and rounds a word of 32 bits

    assign rest = long ? {1'b0, odd_9_q} : {odd_9_q || shifted_q[2], odd_9_q == shifted_q[2]};

    always_ff @(posedge clk_i) folded_q <= FoldBits'(shifted_q) + FoldBits'(rest);
  end else begin : gen_short
    logic signed [FoldBits-1:0] rounded;

    assign rounded = FoldBits'(shifted_q) + FoldBits'({1'b0, odd_9_q, !odd_9_q}) +
        FoldBits'(shifted_q[2]);
    always_ff @(posedge clk_i) folded_q <= rounded >>> 2;
  end

  assign difference_valid_o = valid_late;
  assign difference_o       = shifted_q[RangeBits-1:0];
  assign folded_o           = {folded_q, held_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beyond_o <= 1'b0;
    else beyond_o <= valid_late && out_of_range && !abort_i;
  end

  logic unused_bits;
  assign unused_bits = ^sum;

endmodule
