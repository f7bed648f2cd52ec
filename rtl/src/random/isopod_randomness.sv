// Takes jobs and gives sampled values (doc/interfaces.md). It has an XOF core, its words and
// samplers; one sampler works at a time. The last value of a job leaves before the first value of
// the next job, whose blocks are drawn meanwhile.
//
// ChaCha20 gives 64 bytes every 20 cycles at one round per cycle. At two rounds it gives a word per
// cycle, in a wide build, whose beats are two words, 1.6. SHAKE-256 gives 136 bytes every 59
// cycles at one round per cycle, in a wide build every 42.
`include "isopod_assert.svh"

module isopod_randomness
  import isopod_pkg::*;
#(
  parameter int unsigned Xof = 0,            // 0 ChaCha20, 1 Keccak
  parameter int unsigned RoundsPerCycle = 1, // 1 or 2, of Keccak also 3 or 4
  parameter bit Tags = 1'b1,                 // makes keys of tags, with Xof 0
  parameter bit Wipe = 1'b0                  // can wipe the words that it has drawn
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         abort_i,
  input  logic         wipe_i,     // beside abort_i, until wiped_o
  output logic         wiped_o,
  input  suite_e       suite_i,
  input  logic [255:0] mask_seed_i,
  input  logic [255:0] noise_key_i,
  input  random_job_t  job_i,
  input  logic         job_valid_i,
  output logic         job_ready_o,
  output small_pair_t  small_o,
  output logic         small_valid_o,
  input  logic         small_ready_i,
  output residue_t     mask_o,
  output logic         mask_valid_o,
  input  logic         mask_ready_i,
  // Blocks for keys of tags, see isopod_chacha20_core; only with Xof 0
  input  logic [255:0] tag_key_i,
  input  logic [255:0] tag_subkey_i,
  input  logic [127:0] tag_input_i,
  input  logic         tag_i,       // until tag_taken_o
  input  logic         tag_raw_i,
  output logic         tag_taken_o,
  output logic [XofBits-1:0] tag_word_o,
  output logic         tag_word_valid_o,
  output logic         idle_o,
  output logic         unsupported_o
);

  localparam int unsigned BlockBeats = (Xof == 0 ? 512 : 1088) / XofBits;
  localparam int unsigned Room = 128;
  localparam int unsigned RefillRoom = (Xof == 0 ? 512 : 2048) / XofBits;

  assign unsupported_o = suite_i != (Xof == 0 ? SuiteChacha20 : SuiteShake256);

  // Blocks.
  random_job_t next_job;
  xof_block_t block;
  logic next_parity, next_valid, next_ready, sampled, block_valid, block_ready, word_taken;
  logic refill_wanted, refill_came;
  logic requests_ready, requests_idle;

  assign job_ready_o = requests_ready && !unsupported_o;

  isopod_xof_requests #(
    .BlockBeats(BlockBeats),
    .Room(Room)
  ) u_requests (
    .clk_i,
    .rst_ni,
    .abort_i,
    .job_i,
    .job_valid_i(job_valid_i && !unsupported_o),
    .job_ready_o(requests_ready),
    .sample_job_o(next_job),
    .sample_parity_o(next_parity),
    .sample_valid_o(next_valid),
    .sample_ready_i(next_ready),
    .sampled_i(sampled),
    .block_o(block),
    .block_valid_o(block_valid),
    .block_ready_i(block_ready),
    .taken_i(word_taken),
    .refill_wanted_i(refill_wanted),
    .refill_came_i(refill_came),
    .tag_i,
    .tag_raw_i,
    .tag_taken_o,
    .idle_o(requests_idle)
  );

  logic word_valid;
  xof_word_t word;

  if (Xof == 0) begin : gen_chacha20
    isopod_chacha20_core #(
      .RoundsPerCycle(RoundsPerCycle),
      .Tags(Tags)
    ) u_core (
      .clk_i,
      .rst_ni,
      .abort_i,
      .mask_seed_i,
      .noise_key_i,
      .tag_key_i,
      .tag_subkey_i,
      .tag_input_i,
      .block_i(block),
      .block_valid_i(block_valid),
      .block_ready_o(block_ready),
      .word_o(word),
      .word_valid_o(word_valid),
      .tag_word_valid_o
    );
  end else begin : gen_keccak
    isopod_keccak_core #(
      .RoundsPerCycle(RoundsPerCycle)
    ) u_core (
      .clk_i,
      .rst_ni,
      .abort_i,
      .mask_seed_i,
      .noise_key_i,
      .block_i(block),
      .block_valid_i(block_valid),
      .block_ready_o(block_ready),
      .word_o(word),
      .word_valid_o(word_valid)
    );

    assign tag_word_valid_o = 1'b0;
    logic unused_tag;
    assign unused_tag = ^{tag_key_i, tag_subkey_i, tag_input_i};
  end

  assign tag_word_o = word.data;

  // Words of the refill stream stay apart: they must not wait behind fields that wait for them.
  xof_word_t stream_word, refill_word;
  logic stream_valid, stream_ready, refill_valid, refill_word_valid, refill_word_ready;
  logic unused_refill_room;

  assign refill_valid = word_valid && word.refill;

  isopod_word_fifo #(
    .Depth(Room),
    .Wipe(Wipe)
  ) u_stream (
    .clk_i,
    .rst_ni,
    .abort_i,
    .wipe_i,
    .wiped_o,
    .word_i(word),
    .valid_i(word_valid && !word.refill),
    .word_o(stream_word),
    .valid_o(stream_valid),
    .ready_i(stream_ready)
  );

  isopod_queue #(
    .Width($bits(xof_word_t)),
    .Depth(RefillRoom)
  ) u_refill (
    .clk_i,
    .rst_ni,
    .abort_i,
    .data_i(word),
    .valid_i(refill_valid),
    .ready_o(unused_refill_room),
    .data_o(refill_word),
    .valid_o(refill_word_valid),
    .ready_i(refill_word_ready)
  );

  assign word_taken = stream_valid && stream_ready;

  // The job that is sampled. Words of the other parity that come first are left over from an
  // earlier job.
  random_job_t job_q;
  logic busy_q, parity_q, begun_q, is_mask, is_error, is_ternary, count, empty, more;
  logic usable, refill_usable;
  logic [15:0] left_q;  // minus the number of fields to cut, or of pairs to leave

  assign usable = stream_valid && stream_word.parity == parity_q;
  assign refill_usable = refill_word_valid && refill_word.parity == parity_q && is_mask;
  assign next_ready = !busy_q;
  assign sampled = busy_q && !more && empty;
  assign idle_o = requests_idle && !busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {busy_q, is_mask, is_error, is_ternary} <= '0;
    else if (abort_i || sampled) {busy_q, is_mask, is_error, is_ternary} <= '0;
    else if (!busy_q) begin
      busy_q <= next_valid;
      is_mask <= next_valid && next_job.domain == DomainMask;
      is_error <= next_valid && next_job.domain inside {DomainError0, DomainError1};
      is_ternary <= next_valid && next_job.domain inside {DomainTernary, DomainSecret};
    end
  end

  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      job_q <= next_job;
      parity_q <= next_parity;
      left_q <= -(16'd1 << (next_job.log_degree - (next_job.domain == DomainMask ? 4'd0 : 4'd1)));
      begun_q <= 1'b0;
    end else begin
      if (count) left_q <= left_q + 16'd1;
      if (usable) begun_q <= 1'b1;
    end
  end

  small_pair_t error_pair, ternary_pair;
  logic mask_ready, mask_cut, mask_empty, refill_ready, error_ready, error_valid, ternary_ready;
  logic ternary_valid, last_group_q;

  assign more = left_q[15];
  // The last 16 pairs are on their way. All other words of the stream are left over, also those
  // that were taken a cycle before.
  always_ff @(posedge clk_i) last_group_q <= busy_q && (&left_q[15:4] || !more) && error_valid;

  // Masks and refill values come from whole beats. A block is wanted once the one before is taken.
  logic refill_lacking;

  assign refill_came   = refill_usable;
  assign refill_wanted = refill_lacking && !refill_usable;

  // Small polynomials take one word of a beat after the other.
  word_t small_word;
  logic small_ready, beat_ends;

  if (Wide) begin : gen_words
    logic second_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) second_q <= 1'b0;
      else if (abort_i || !busy_q) second_q <= 1'b0;
      else if (usable && small_ready) second_q <= !second_q;
    end
    assign small_word = second_q ? stream_word.data[XofBits-1-:WordBits]
                                 : stream_word.data[WordBits-1:0];
    assign beat_ends  = second_q;
  end else begin : gen_word
    assign small_word = stream_word.data;
    assign beat_ends  = 1'b1;
  end

  isopod_mask_sampler u_mask (
    .clk_i,
    .rst_ni,
    .clear_i(abort_i || !busy_q),
    .enable_i(is_mask),
    .modulus_i(job_q.modulus),
    .bits_i(job_q.modulus_bits),
    .more_i(more),
    .empty_o(mask_empty),
    .cut_o(mask_cut),
    .word_i(stream_word.data),
    .word_valid_i(usable && is_mask),
    .word_ready_o(mask_ready),
    .refill_i(residue_t'(refill_word.data)),
    .refill_valid_i(refill_usable),
    .refill_ready_o(refill_ready),
    .refill_wanted_o(refill_lacking),
    .mask_o,
    .valid_o(mask_valid_o),
    .ready_i(mask_ready_i)
  );

  isopod_error_sampler u_error (
    .clk_i,
    .rst_ni,
    .clear_i(abort_i || !busy_q),
    .word_i(small_word),
    .word_valid_i(usable && is_error && !last_group_q),
    .word_ready_o(error_ready),
    .pair_o(error_pair),
    .valid_o(error_valid),
    .ready_i(small_ready_i)
  );

  isopod_ternary_sampler u_ternary (
    .clk_i,
    .rst_ni,
    .clear_i(abort_i || !busy_q),
    .word_i(small_word),
    .word_valid_i(usable && is_ternary && more),
    .word_ready_o(ternary_ready),
    .pair_o(ternary_pair),
    .valid_o(ternary_valid),
    .ready_i(small_ready_i && more)
  );

  assign small_o       = is_error ? error_pair : ternary_pair;
  assign small_valid_o = is_error ? error_valid : ternary_valid && more;

  always_comb begin
    count = is_mask ? mask_cut : small_valid_o && small_ready_i;
    empty = !is_mask || mask_empty;
    small_ready = (is_error && error_ready && !last_group_q) ||
        (is_ternary && ternary_ready && more);
    stream_ready = (is_mask && mask_ready) || (small_ready && beat_ends);
    if (!usable) stream_ready = busy_q && !begun_q;
    refill_word_ready = refill_usable ? refill_ready : busy_q;
  end

  `ISOPOD_ASSERT_INIT(KnownXof, Xof <= 1)
  `ISOPOD_ASSERT(RefillFits, !refill_valid || unused_refill_room || abort_i)
  `ISOPOD_ASSERT_STREAM(SmallStream, small_valid_o, small_ready_i, small_o, abort_i)
  `ISOPOD_ASSERT(TagByChacha20, !tag_i || (Tags && Xof == 0))
  `ISOPOD_ASSERT(JobDomain, !(job_valid_i && job_ready_o) ||
      job_i.domain inside {DomainMask, [DomainError0 : DomainSecret]})
  `ISOPOD_ASSERT(JobDegree, !(job_valid_i && job_ready_o) ||
      job_i.log_degree inside {[4'd10 : 4'd14]})

endmodule
