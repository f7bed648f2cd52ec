// Packs residues into 64-bit beats: residue i of w bits occupies bits w*i .. w*i+w-1 of the
// polynomial, spec/wire.md.
//
// It takes one residue per cycle. A beat leaves three cycles after the residue that completes it,
// in wide builds two. Phases: rotate the residue to its place in a word of KeyBits, join it with
// the bits there, pair words of 32 bits. Bits that do not fit wrap around by the rotation.
`include "isopod_assert.svh"

module isopod_packer
  import isopod_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         abort_i,
  input  length_t      bits_i,   // bits of the modulus, stable within a polynomial
  input  residue_t     word_i,   // below 2^bits_i
  input  logic         last_i,
  input  logic         valid_i,
  output logic         ready_o,
  output packed_beat_t beat_o,
  output logic         valid_o,
  input  logic         ready_i
);

  logic advance;
  assign advance = !valid_o || ready_i;
  assign ready_o = advance;

  // Rotated residue. `below` has ones under its first bit, where the bits lie that wrapped around.
  key_word_t rotated_q, rotated_d, below_q;
  length_t fill_q, fill_d;
  logic carry, full_q, last_q, rotated_valid_q;

  assign {carry, fill_d} = ($bits(length_t) + 1)'(fill_q) + ($bits(length_t) + 1)'(bits_i);

  function automatic key_word_t turned(key_word_t value, int unsigned left);
    return value << left | value >> (KeyBits - left);
  endfunction

  function automatic key_word_t rotated(key_word_t value, length_t left);
    key_word_t coarse, middle;
    coarse = value;
    for (int unsigned turn = 1; turn < KeyBits / 16; turn++) begin
      if (32'(left >> 4) == turn) coarse = turned(value, 16 * turn);
    end
    unique case (left[3:2])
      2'd0: middle = coarse;
      2'd1: middle = turned(coarse, 4);
      2'd2: middle = turned(coarse, 8);
      default: middle = turned(coarse, 12);
    endcase
    unique case (left[1:0])
      2'd0: return middle;
      2'd1: return turned(middle, 1);
      2'd2: return turned(middle, 2);
      default: return turned(middle, 3);
    endcase
  endfunction

  assign rotated_d = rotated(key_word_t'(word_i), fill_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fill_q <= '0;
      rotated_valid_q <= 1'b0;
    end else if (abort_i) begin
      fill_q <= '0;
      rotated_valid_q <= 1'b0;
    end else if (advance) begin
      rotated_valid_q <= valid_i;
      if (valid_i) fill_q <= last_i ? '0 : fill_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance && valid_i) begin
      rotated_q <= rotated_d;
      below_q <= ~(key_word_t'('1) << fill_q);
      full_q <= carry;
      last_q <= last_i;
    end
  end

  // A full word goes on; the bits that wrapped around begin the next.
  key_word_t started_q, joined;
  logic word_valid;
  assign joined = started_q | (rotated_q & ~below_q);
  assign word_valid = rotated_valid_q && full_q;

  always_ff @(posedge clk_i) begin
    if (abort_i || !rst_ni) started_q <= '0;
    else if (advance && rotated_valid_q) started_q <= full_q ? rotated_q & below_q : joined;
  end

  logic completes; // the word is the last one of a beat
  logic [63:0] beat;

  if (Wide) begin : gen_whole
    assign completes = 1'b1;
    assign beat      = joined;
  end else begin : gen_pair
    word_t low_q;
    logic odd_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) odd_q <= 1'b0;
      else if (abort_i) odd_q <= 1'b0;
      else if (advance && word_valid) odd_q <= !odd_q;
    end

    always_ff @(posedge clk_i) begin
      if (advance && word_valid && !odd_q) low_q <= joined;
    end

    assign completes = odd_q;
    assign beat      = {joined, low_q};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else if (abort_i) valid_o <= 1'b0;
    else if (advance) valid_o <= word_valid && completes;
  end

  always_ff @(posedge clk_i) begin
    if (advance && word_valid && completes) beat_o <= '{data: beat, last: last_q};
  end

  `ISOPOD_ASSERT_STREAM(BeatStream, valid_o, ready_i, beat_o, abort_i)
  `ISOPOD_ASSERT(Length, !valid_i || bits_i != '0)
  `ISOPOD_ASSERT(Residue, !valid_i || word_i >> bits_i == '0)
  `ISOPOD_ASSERT(WholeBeats, !(advance && valid_i && last_i) || abort_i || fill_d == '0)

endmodule
