// Residues to 64-bit beats: residue i of w bits occupies bits w*i .. w*i+w-1 of the polynomial,
// spec/wire.md.
//
// One residue per cycle; a beat leaves three cycles after the residue that completes it. Phases:
// rotate the residue to its place in a 32-bit word, join it with what is there, pair the words.
// Bits that do not fit wrap around by the rotation.
`include "isopod_assert.svh"

module isopod_packer
  import isopod_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         abort_i,
  input  logic [4:0]   bits_i,   // 24..30, stable within a polynomial
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

  // Rotated residue; `below` has ones at the places under its first bit, where bits that wrapped
  // around are.
  word_t rotated_q, rotated_d, below_q;
  logic [4:0] fill_q, fill_d;
  logic carry, full_q, last_q, rotated_valid_q;

  assign {carry, fill_d} = 6'(fill_q) + 6'(bits_i);

  function automatic word_t rotated(word_t value, logic [4:0] left);
    word_t half, middle;
    half = left[4] ? {value[15:0], value[31:16]} : value;
    unique case (left[3:2])
      2'd0: middle = half;
      2'd1: middle = {half[27:0], half[31:28]};
      2'd2: middle = {half[23:0], half[31:24]};
      default: middle = {half[19:0], half[31:20]};
    endcase
    unique case (left[1:0])
      2'd0: return middle;
      2'd1: return {middle[30:0], middle[31]};
      2'd2: return {middle[29:0], middle[31:30]};
      default: return {middle[28:0], middle[31:29]};
    endcase
  endfunction

  assign rotated_d = rotated(word_t'(word_i), fill_q);

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
      below_q <= ~(word_t'('1) << fill_q);
      full_q <= carry;
      last_q <= last_i;
    end
  end

  // A full word goes on; the bits that wrapped around begin the next.
  word_t started_q, joined;
  logic word_valid;
  assign joined = started_q | (rotated_q & ~below_q);
  assign word_valid = rotated_valid_q && full_q;

  always_ff @(posedge clk_i) begin
    if (abort_i || !rst_ni) started_q <= '0;
    else if (advance && rotated_valid_q) started_q <= full_q ? rotated_q & below_q : joined;
  end

  word_t low_q;
  logic odd_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      odd_q <= 1'b0;
      valid_o <= 1'b0;
    end else if (abort_i) begin
      odd_q <= 1'b0;
      valid_o <= 1'b0;
    end else if (advance) begin
      valid_o <= word_valid && odd_q;
      if (word_valid) odd_q <= !odd_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance && word_valid && !odd_q) low_q <= joined;
    if (advance && word_valid && odd_q) beat_o <= '{data: {joined, low_q}, last: last_q};
  end

  `ISOPOD_ASSERT_STREAM(BeatStream, valid_o, ready_i, beat_o, abort_i)
  `ISOPOD_ASSERT(Residue, !valid_i || (bits_i >= 5'd24 && word_i >> bits_i == '0))
  `ISOPOD_ASSERT(WholeBeats, !(advance && valid_i && last_i) || abort_i || fill_d == '0)

endmodule
