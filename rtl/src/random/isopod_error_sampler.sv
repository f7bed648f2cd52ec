// Samples CBD(21) of spec/ckks.md section 3.1: 42 words make a group of 32 coefficients, counted in
// 32 lanes at once. It takes one word per cycle and pauses after every group to restart the
// counters. The pairs of a group leave while the next group is counted.
`include "isopod_assert.svh"

module isopod_error_sampler
  import isopod_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,  // forgets a group that is not complete
  input  word_t       word_i,
  input  logic        word_valid_i,
  output logic        word_ready_o,
  output small_pair_t pair_o,
  output logic        valid_o,
  input  logic        ready_i
);

  localparam int unsigned Lanes = 32;
  localparam logic [5:0] Words = 6'd42;
  localparam logic signed [5:0] Start = -6'sd21;

  typedef logic signed [5:0] count_t;

  count_t count_q[Lanes], count_d[Lanes];
  small_pair_t [Lanes/2-1:0] group, leaving_q;
  logic [5:0] words_q;
  logic [4:0] pairs_q;
  logic take, last_q, shift, restart_q;

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    assign count_d[lane] = count_q[lane] + count_t'({1'b0, word_i[lane]});
  end

  // Coefficient c of a group is lane 8 (c mod 4) + c / 4. The number of pairs left, modulo 16, is
  // the place of a pair.
  for (genvar pair = 0; pair < Lanes / 2; pair++) begin : gen_pair
    localparam int unsigned Even = 16 * (pair % 2) + pair / 2;
    assign group[(Lanes / 2 - pair) % (Lanes / 2)] = '{odd: count_d[Even+8], even: count_d[Even]};
  end

  assign word_ready_o = !restart_q && (!last_q || !valid_o);
  assign take = word_valid_i && word_ready_o;
  assign shift = valid_o && ready_i;
  assign pair_o = leaving_q[pairs_q[3:0]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      words_q <= '0;
      last_q <= 1'b0;
      pairs_q <= '0;
      valid_o <= 1'b0;
    end else if (clear_i) begin
      words_q <= '0;
      last_q <= 1'b0;
      pairs_q <= '0;
      valid_o <= 1'b0;
    end else begin
      if (take) words_q <= last_q ? '0 : words_q + 6'd1;
      if (take) last_q <= words_q == Words - 6'd2;
      if (take && last_q) {pairs_q, valid_o} <= {5'(Lanes / 2), 1'b1};
      else if (shift) {pairs_q, valid_o} <= {pairs_q - 5'd1, pairs_q != 5'd1};
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) for (int unsigned lane = 0; lane < Lanes; lane++) count_q[lane] <= count_d[lane];
    restart_q <= (take && last_q) || clear_i || !rst_ni;
    if (restart_q) for (int unsigned lane = 0; lane < Lanes; lane++) count_q[lane] <= Start;
    if (clear_i) leaving_q <= '0;
    else if (take && last_q) leaving_q <= group;
  end

  `ISOPOD_ASSERT_STREAM(PairStream, valid_o, ready_i, pair_o, clear_i)
  `ISOPOD_ASSERT(EvenBound, !valid_o || (pair_o.even >= -6'sd21 && pair_o.even <= 6'sd21))
  `ISOPOD_ASSERT(OddBound, !valid_o || (pair_o.odd >= -6'sd21 && pair_o.odd <= 6'sd21))

endmodule
