// isopod_one_time_key with the core that makes its blocks, which also works for the samplers.
module one_time_key_harness
  import isopod_pkg::*;
#(
  parameter int unsigned RoundsPerCycle = 1
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  input  logic [255:0] key_i,
  input  logic [95:0]  nonce_i,
  input  logic         frame_i,
  output logic [31:0]  number_o,
  input  logic         part_i,
  output logic [63:0]  beat_o,
  output logic         valid_o,
  input  logic         ready_i,
  input  logic [255:0] mask_seed_i,
  input  random_job_t  job_i,
  input  logic         job_valid_i,
  output logic         job_ready_o,
  output residue_t     mask_o,
  output logic         mask_valid_o,
  input  logic         mask_ready_i
);

  logic request, raw, taken, word_valid, exhausted;
  logic [255:0] subkey;
  logic [127:0] row;
  logic [XofBits-1:0] word;

  isopod_one_time_key u_key (
    .clk_i, .rst_ni, .clear_i, .nonce_i, .frame_i, .number_o, .exhausted_o(exhausted), .part_i,
    .beat_o, .valid_o, .ready_i, .request_o(request), .raw_o(raw), .subkey_o(subkey),
    .input_o(row), .taken_i(taken), .word_i(word), .word_valid_i(word_valid));

  isopod_randomness #(.RoundsPerCycle(RoundsPerCycle)) u_randomness (
    .clk_i, .rst_ni, .abort_i(clear_i), .wipe_i(1'b0), .wiped_o(), .suite_i(SuiteChacha20),
    .mask_seed_i, .noise_key_i('0), .job_i, .job_valid_i, .job_ready_o, .small_o(),
    .small_valid_o(), .small_ready_i(1'b1), .mask_o, .mask_valid_o, .mask_ready_i,
    .tag_key_i(key_i), .tag_subkey_i(subkey), .tag_input_i(row), .tag_i(request), .tag_raw_i(raw),
    .tag_taken_o(taken), .tag_word_o(word), .tag_word_valid_o(word_valid), .idle_o(),
    .unsupported_o());

  logic unused_exhausted;
  assign unused_exhausted = exhausted;

endmodule
