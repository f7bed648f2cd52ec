// How many words of a key have come. They count in ascending order from the first one on; any other
// word forgets them all. A word of an earlier key is thus never used again once another has begun,
// nor what the memory held at reset.
module isopod_key_state
  import isopod_pkg::*;
#(
  parameter bit Ternary = 1'b0     // all words have one degree
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic running_i,          // nothing is written
  input  logic forget_i,
  input  writes_t writes_i,
  output key_index_t words_o,
  output log_degree_t log_degree_o // of a ternary key
);

  logic write, first, next;

  assign write = writes_i.key_valid && !writes_i.key_beyond && !running_i;
  assign first = writes_i.key_index == '0;
  assign next  = writes_i.key_index == words_o &&
      (!Ternary || writes_i.key_log_degree == log_degree_o);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      words_o      <= '0;
      log_degree_o <= '0;
    end else if (forget_i) begin
      words_o <= '0;
    end else if (write) begin
      words_o      <= first ? key_index_t'(1) : next ? words_o + key_index_t'(1) : '0;
      log_degree_o <= writes_i.key_log_degree;
    end
  end

endmodule
