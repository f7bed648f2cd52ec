// Joins two words of a stream into one of 64 bits, the first word low. The second word passes
// through without a register.
module isopod_word_pair
  import isopod_pkg::*;
(
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,  // the next word is a first one
  input  word_t                 word_i,
  input  logic                  valid_i,
  output logic                  ready_o,
  output logic [2*WordBits-1:0] pair_o,
  output logic                  valid_o,
  input  logic                  ready_i
);

  word_t low_q;
  logic held_q;

  assign pair_o  = {word_i, low_q};
  assign valid_o = held_q && valid_i;
  assign ready_o = !held_q || ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= 1'b0;
    else if (clear_i) held_q <= 1'b0;
    else if (valid_i && ready_o) held_q <= !held_q;
  end

  always_ff @(posedge clk_i) begin
    if (!held_q) low_q <= word_i;
  end

endmodule
