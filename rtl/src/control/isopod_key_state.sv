// Tells whether the slot holds a key. It does once all words were written in ascending order from
// the first one on, and the unit that checks their digest has set the seal; for a key that is
// drawn, once all pairs are there. Any other word, a forget, and a write of a descriptor leave the
// slot without a key, because a descriptor would change what the key is multiplied with. So neither
// a word of an earlier key nor what the memory held at reset is ever used.
`include "isopod_assert.svh"

module isopod_key_state
  import isopod_pkg::*;
#(
  parameter bit Ternary = 1'b0     // the words are pairs of coefficients
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic running_i,          // nothing is written
  input  logic forget_i,
  input  writes_t writes_i,
  input  draw_t draw_i,            // while it runs
  output logic valid_o,
  output key_shape_t shape_o       // shape of a valid key
);

  key_index_t words_q;
  logic write, first, next, changed, whole;
  key_shape_t shape;

  assign write   = writes_i.key_valid && !writes_i.key_beyond && !running_i;
  assign first   = writes_i.key_index == '0;
  assign next    = writes_i.key_index == words_q &&
      (!Ternary || writes_i.key_log_degree == shape_o.log_degree);
  assign changed = writes_i.prime_valid && !running_i;
  assign shape   = draw_i.ends ? draw_i.shape : writes_i.key_shape;
  assign whole   = 32'(words_q) == (Ternary ? 32'd1 << (shape.log_degree - 4'd1) :
      32'(shape.primes) << shape.log_degree);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      words_q <= '0;
      valid_o <= 1'b0;
      shape_o <= '0;
    end else if (forget_i || writes_i.key_forget || changed || draw_i.begins) begin
      words_q <= '0;
      valid_o <= 1'b0;
    end else if (write) begin
      words_q <= first ? key_index_t'(1) : next ? words_q + key_index_t'(1) : '0;
      valid_o <= 1'b0;
      shape_o.log_degree <= writes_i.key_log_degree;
    end else if (draw_i.pair) begin
      words_q <= words_q + key_index_t'(1);
    end else if ((writes_i.key_seal && !running_i) || draw_i.ends) begin
      valid_o <= whole && shape.primes != '0 &&
          (!Ternary || draw_i.ends || shape.log_degree == shape_o.log_degree);
      shape_o <= shape;
    end
  end

  logic unused_prime;
  assign unused_prime = ^writes_i.prime;

  `ISOPOD_ASSERT(ValidIsWhole, !valid_o || words_q != '0)
  `ISOPOD_ASSERT(DrawnIsWhole, !draw_i.ends || whole)
  `ISOPOD_ASSERT(DrawnIsHidden, !draw_i.pair || !valid_o)
  `ISOPOD_ASSERT_NEXT(ForgottenAtOnce, forget_i || writes_i.key_forget, !valid_o)

endmodule
