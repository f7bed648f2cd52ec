// Moves sums c0 + c1 s from the product to the work banks, or words of a BFV message, in the order
// of their index: index i is part i mod 2 of point i / 2. There is no back-pressure.
module isopod_sum_words
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12,
  localparam int unsigned PointBits = MaxLogN - 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic start_i,
  input  log_degree_t log_degree_i,
  output logic busy_o,

  input  ring_t sum_i,
  input  logic sum_valid_i,
  output logic sum_ready_o,

  output logic word_valid_o,
  output logic [RingBits-1:0] word_o, // zero without valid
  output logic part_o,
  output logic [PointBits-1:0] point_o
);

  logic active_q, take;
  logic [MaxLogN-1:0] index_q, last_index_q;

  assign sum_ready_o = active_q;
  assign take        = active_q && sum_valid_i;
  assign busy_o      = active_q || word_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {active_q, word_valid_o} <= '0;
    else if (abort_i) {active_q, word_valid_o} <= '0;
    else begin
      word_valid_o <= take;
      active_q     <= start_i || (active_q && !(take && index_q == last_index_q));
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      last_index_q[position] <= position < 32'(log_degree_i);
    end
    if (!active_q) index_q <= '0;
    else if (take) index_q <= index_q + 1'b1;
    word_o            <= take ? sum_i : '0;
    {point_o, part_o} <= index_q;
  end

endmodule
