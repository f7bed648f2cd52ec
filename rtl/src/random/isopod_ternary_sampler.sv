// Samples ternary coefficients of spec/ckks.md section 3.2. It takes two symbols of two bits per
// cycle and drops 3. A word takes eight cycles and gives six pairs on average.
`include "isopod_assert.svh"

module isopod_ternary_sampler
  import isopod_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,  // forgets the rest of a word and of a pair
  input  word_t       word_i,
  input  logic        word_valid_i,
  output logic        word_ready_o,
  output small_pair_t pair_o,
  output logic        valid_o,
  input  logic        ready_i
);

  typedef logic [1:0] symbol_t;
  localparam symbol_t Dropped = 2'd3;

  function automatic logic signed [5:0] coefficient(symbol_t symbol);
    return 6'(signed'({1'b0, symbol})) - 6'sd1;
  endfunction

  word_t rest_q;
  logic [3:0] steps_q;
  symbol_t kept_q, first, second, even_d, odd_d, even_q, odd_q, left_d;
  logic kept_valid_q, first_good, second_good, step, pair, left;

  assign {second, first} = rest_q[3:0];
  assign first_good = first != Dropped;
  assign second_good = second != Dropped;
  assign step = steps_q != '0 && (!valid_o || ready_i);
  assign word_ready_o = steps_q == '0 || (steps_q == 4'd1 && step);

  // At most three symbols: the one kept from before, then the new ones.
  always_comb begin
    even_d = kept_valid_q ? kept_q : first;
    odd_d = kept_valid_q && first_good ? first : second;
    left_d = second_good ? second : first;
    if (kept_valid_q && !first_good && !second_good) left_d = kept_q;
    pair = (2'(kept_valid_q) + 2'(first_good) + 2'(second_good)) >= 2'd2;
    left = kept_valid_q ^ first_good ^ second_good;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      steps_q <= '0;
      kept_valid_q <= 1'b0;
      valid_o <= 1'b0;
    end else if (clear_i) begin
      steps_q <= '0;
      kept_valid_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (word_valid_i && word_ready_o) steps_q <= 4'd8;
      else if (step) steps_q <= steps_q - 4'd1;
      if (step) kept_valid_q <= left;
      if (!valid_o || ready_i) valid_o <= step && pair;
    end
  end

  always_ff @(posedge clk_i) begin
    if (word_ready_o) rest_q <= word_i; // nothing, unless it is valid
    else if (step) rest_q <= rest_q >> 4;
    if (step) begin
      kept_q <= left_d;
      even_q <= even_d;
      odd_q <= odd_d;
    end
  end

  assign pair_o = '{odd: coefficient(odd_q), even: coefficient(even_q)};

  `ISOPOD_ASSERT_STREAM(PairStream, valid_o, ready_i, pair_o, clear_i)
  `ISOPOD_ASSERT(Ternary, !valid_o || (even_q != Dropped && odd_q != Dropped))

endmodule
