// Compares the differences that a decoding of several primes folds, spec/decryption.md section 2.
// The differences of the first prime are kept in the message memory. Every other prime must give
// the same integers, since only then they belong to the message (doc/wide.md).
//
// Words come in the order of the fold, four for each pair k = 0 .. M/2, M = n/4. They are n/2 + 4
// words, but half of the memory holds 2^(MaxLogN-1). In pair 0 word 1 is zero and word 3 repeats
// word 2; in pair M/2 words 2 and 3 repeat words 0 and 1. So words 1 and 3 of pair 0 are not
// compared; their places serve pair M/2 where it is beyond the half.
module isopod_differences
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic fold_i,           // a fold runs; its words count from the first one
  input  logic keep_i,           // the fold is that of the first prime of several
  input  logic compare_i,        // the fold is that of another prime
  input  logic valid_i,          // a word comes in the next cycle
  input  difference_t word_i,

  // Half of the message memory: places, with the word one cycle after
  output logic read_o,           // kept_i stands two cycles later
  output logic [MaxLogN-2:0] read_place_o,
  input  difference_t kept_i,
  output logic write_o,
  output logic [MaxLogN-2:0] write_place_o,

  output logic differs_o         // pulse
);

  logic [MaxLogN-1:0] count_q;
  logic [MaxLogN-2:0] place;
  logic beyond, first_pair_q, read_1_q, read_2_q, read_3_q;
  difference_t word_1_q, word_2_q, kept_q;

  assign beyond       = count_q[MaxLogN-1];
  assign place        = {count_q[MaxLogN-2:2],
      beyond ? {count_q[0], 1'b1} : count_q[1:0]};
  assign read_o       = valid_i && compare_i;
  assign read_place_o = place;

  always_ff @(posedge clk_i) begin
    if (!fold_i) {first_pair_q, count_q} <= {1'b1, MaxLogN'(0)};
    else if (valid_i) begin
      count_q <= count_q + MaxLogN'(1);
      if (count_q[1:0] == 2'd3) first_pair_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {write_o, read_1_q, read_2_q, read_3_q, differs_o} <= '0;
    else if (!fold_i) {write_o, read_1_q, read_2_q, read_3_q, differs_o} <= '0;
    else begin
      write_o   <= valid_i && keep_i;
      read_1_q  <= read_o && !(first_pair_q && count_q[0]);
      read_2_q  <= read_1_q;
      read_3_q  <= read_2_q;
      differs_o <= read_3_q && kept_q != word_2_q;
    end
  end

  always_ff @(posedge clk_i) begin
    write_place_o <= place;
    word_1_q      <= word_i;
    word_2_q      <= word_1_q;
    kept_q        <= kept_i;
  end

endmodule
