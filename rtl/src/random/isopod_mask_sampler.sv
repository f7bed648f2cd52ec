// Samples uniform residues of spec/ckks.md section 3.3. It cuts fields of w bits from the mask
// stream. A field that is not below the modulus is replaced, in order, from the refill stream.
//
// One residue leaves per cycle while words come. Phases: cut a field out of two neighbouring words,
// compare, choose. A refused field waits for a refill value and holds everything behind it. Refill
// words are requested when none is left.
`include "isopod_assert.svh"

module isopod_mask_sampler
  import isopod_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,   // before every polynomial
  // Stays high until the last residue has left; modulus and bits are stable
  input  logic       enable_i,
  input  residue_t   modulus_i,
  input  length_t    bits_i,    // of the modulus
  input  logic       more_i,    // fields are still to be cut
  output logic       empty_o,   // no field is under way
  output logic       cut_o,     // a field was cut
  input  key_word_t  word_i,
  input  logic       word_valid_i,
  output logic       word_ready_o,
  input  residue_t   refill_i,   // low bits of a word
  input  logic       refill_valid_i,
  output logic       refill_ready_o,
  output logic       refill_wanted_o,
  output residue_t   mask_o,
  output logic       valid_o,
  input  logic       ready_i
);

  // Bits start..start+w-1 of {word_i, previous_q}, where start is 1..KeyBits. A field that lies in
  // previous_q alone needs no word.
  logic [KeyBits-1:1] previous_q;
  length_t start_q;  // less one
  length_t start_d;
  logic crosses_q, crosses_d, cut, advance;
  residue_t kept_bits, field;

  assign start_d = start_q + bits_i;
  assign crosses_d = 32'(start_d) >= KeyBits - 32'(bits_i);
  assign cut = enable_i && more_i && advance && (word_valid_i || !crosses_q);
  assign cut_o = cut;
  assign word_ready_o = enable_i && more_i && advance && crosses_q;
  assign field = shifted({word_i[ModulusBits-1:0], previous_q}, start_q) & kept_bits;

  always_comb begin
    for (int unsigned position = 0; position < ModulusBits; position++) begin
      kept_bits[position] = Wide ? length_t'(position) < bits_i :
          position < 24 || 3'(position % 8) < bits_i[2:0];
    end
  end

  // Takes the largest shift first. Every step leaves only the bits that the other steps can reach.
  function automatic residue_t shifted(logic [ModulusBits+KeyBits-2:0] bits, length_t right);
    logic [ModulusBits+14:0] coarse;
    logic [ModulusBits+2:0] middle;
    coarse = bits[0+:ModulusBits+15];
    for (int unsigned turn = 1; turn < KeyBits / 16; turn++) begin
      if (32'(right >> 4) == turn) coarse = bits[16*turn+:ModulusBits+15];
    end
    unique case (right[3:2])
      2'd0: middle = coarse[0+:ModulusBits+3];
      2'd1: middle = coarse[4+:ModulusBits+3];
      2'd2: middle = coarse[8+:ModulusBits+3];
      default: middle = coarse[12+:ModulusBits+3];
    endcase
    unique case (right[1:0])
      2'd0: return middle[0+:ModulusBits];
      2'd1: return middle[1+:ModulusBits];
      2'd2: return middle[2+:ModulusBits];
      default: return middle[3+:ModulusBits];
    endcase
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {crosses_q, start_q} <= '1;
    else if (clear_i) {crosses_q, start_q} <= '1;
    else if (cut) {crosses_q, start_q} <= {crosses_d, start_d};
  end

  always_ff @(posedge clk_i) begin
    if (cut && crosses_q) previous_q <= word_i[KeyBits-1:1];
  end

  // Fields, their comparison, and refill values compared ahead of need.
  residue_t field_q, candidate_q, refill_q;
  logic field_valid_q, candidate_valid_q, refused_q, refill_valid_q, refill_good, leaves, replaced;
  logic refill_checked_q, refill_below_q;

  assign refill_good = refill_checked_q && refill_below_q;
  assign replaced = candidate_valid_q && refused_q && refill_good;
  assign leaves = candidate_valid_q && (!refused_q || refill_good) && (!valid_o || ready_i);
  assign advance = !candidate_valid_q || leaves;
  assign refill_ready_o = enable_i &&
      (!refill_valid_q || (refill_checked_q && !refill_below_q) || (replaced && leaves));
  assign refill_wanted_o = candidate_valid_q && refused_q && !refill_valid_q && !refill_valid_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      field_valid_q <= 1'b0;
      candidate_valid_q <= 1'b0;
      refill_valid_q <= 1'b0;
      refill_checked_q <= 1'b0;
      valid_o <= 1'b0;
    end else if (clear_i) begin
      field_valid_q <= 1'b0;
      candidate_valid_q <= 1'b0;
      refill_valid_q <= 1'b0;
      refill_checked_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (advance) begin
        field_valid_q <= cut;
        candidate_valid_q <= field_valid_q;
      end
      if (refill_ready_o) refill_valid_q <= refill_valid_i;
      refill_checked_q <= refill_valid_q && !refill_ready_o;
      if (!valid_o || ready_i) valid_o <= leaves;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) begin
      field_q <= field;
      candidate_q <= field_q;
      refused_q <= field_q >= modulus_i;
    end
    if (refill_ready_o) refill_q <= refill_i & kept_bits;
    refill_below_q <= refill_q < modulus_i;
    if (!valid_o || ready_i) mask_o <= refused_q ? refill_q : candidate_q;
  end

  assign empty_o = !field_valid_q && !candidate_valid_q && !valid_o;

  `ISOPOD_ASSERT_STREAM(MaskStream, valid_o, ready_i, mask_o, clear_i)
  `ISOPOD_ASSERT(Reduced, !valid_o || mask_o < modulus_i)
  `ISOPOD_ASSERT(Bits, !enable_i || (modulus_i >> (bits_i - length_t'(1))) == residue_t'(1))

endmodule
