// Requests the blocks of the streams that jobs need, as many as fit into the FIFO of words, and
// refill blocks in between. While the samplers still work on one job, it requests the blocks of the
// next. The length of a ternary job is not known: its blocks are requested until the sampler has
// enough. Their parity tells surplus words. Blocks for keys of tags go before all others.
`include "isopod_assert.svh"

module isopod_xof_requests
  import isopod_pkg::*;
#(
  // Beats of a block: XofBits each, 64 or 136 bytes in all
  parameter int unsigned BlockBeats = 16,
  parameter int unsigned Room = 128        // beats that the FIFO holds, at least 2 BlockBeats
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        abort_i,
  // Jobs, which also go on to the samplers.
  input  random_job_t job_i,
  input  logic        job_valid_i,
  output logic        job_ready_o,
  output random_job_t sample_job_o,
  output logic        sample_parity_o,
  output logic        sample_valid_o,
  input  logic        sample_ready_i,
  input  logic        sampled_i,       // pulse: the samplers have finished their job
  // Blocks out.
  output xof_block_t  block_o,
  output logic        block_valid_o,
  input  logic        block_ready_i,
  // Progress of the words.
  input  logic        taken_i,         // a beat has left the FIFO
  input  logic        refill_wanted_i,
  input  logic        refill_came_i,   // the words of a refill block have begun to come
  input  logic        tag_i,           // a block for the key of a tag, until it is taken
  input  logic        tag_raw_i,
  output logic        tag_taken_o,
  output logic        idle_o
);

  typedef logic signed [15:0] count_t;
  localparam int unsigned SpacingBits = $clog2(BlockBeats);

  random_job_t job_q;
  logic busy_q, handed_q, parity_q, endless, refill_pending_q, refill, main, block_taken;
  count_t left_q, beats;
  logic more, refill_wanted_q, taken_q, offer_q, offer_refill_q, offer_tag_q, main_taken;
  logic [15:0] counter_q, refill_counter_q;
  logic [7:0] room_q;
  logic [SpacingBits-1:0] spacing_q;
  prime_index_t sampled_index_q;
  logic sampled_parity_q;

  assign endless = job_q.domain inside {DomainTernary, DomainSecret};
  assign job_ready_o = !busy_q;
  assign sample_job_o = job_q;
  assign sample_parity_o = parity_q;
  assign sample_valid_o = busy_q && !handed_q;
  assign idle_o = !busy_q;

  // Beats of a job: a mask needs n w bits, an error 42 n. Their number is counted up to zero.
  assign beats =
      (job_i.domain == DomainMask ? count_t'(job_i.modulus_bits) :
      count_t'(42)) << (job_i.log_degree - 4'($clog2(XofBits)));

  assign more = left_q[15];
  assign refill = refill_wanted_q && !refill_pending_q;
  assign main = busy_q && (endless || more) && room_q >= 8'(BlockBeats);
  // A job of unknown length may have ended since this offer.
  assign block_valid_o = offer_q && (offer_refill_q || offer_tag_q || busy_q);
  assign block_taken = block_valid_o && block_ready_i;
  assign main_taken  = block_taken && !offer_refill_q && !offer_tag_q;
  assign tag_taken_o = block_taken && offer_tag_q;

  always_comb begin
    block_o = '{domain: job_q.domain, index: job_q.index, counter: counter_q, parity: parity_q};
    if (offer_refill_q) begin
      block_o =
          '{domain: DomainRefill, index: sampled_index_q, counter: refill_counter_q,
          parity: sampled_parity_q};
    end
    if (offer_tag_q) begin
      block_o = '{domain: DomainTag, index: '0, counter: 16'(tag_raw_i), parity: 1'b0};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      handed_q <= 1'b0;
      parity_q <= 1'b0;
    end else if (abort_i) begin
      busy_q <= 1'b0;
      handed_q <= 1'b0;
    end else if (!busy_q) begin
      busy_q <= job_valid_i;
      handed_q <= 1'b0;
      if (job_valid_i) parity_q <= !parity_q;
    end else begin
      if (sample_valid_o && sample_ready_i) handed_q <= 1'b1;
      if (handed_q && (endless ? sampled_i : !more)) busy_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      job_q <= job_i;
      left_q <= -beats;
      counter_q <= '0;
    end else if (main_taken) begin
      left_q <= left_q + count_t'(BlockBeats);
      counter_q <= counter_q + 16'd1;
    end
    if (sample_valid_o && sample_ready_i) begin
      sampled_index_q <= job_q.index;
      sampled_parity_q <= parity_q;
      refill_counter_q <= '0;
    end else if (block_taken && offer_refill_q) begin
      refill_counter_q <= refill_counter_q + 16'd1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      room_q <= 8'(Room);
      spacing_q <= '0;
      refill_pending_q <= 1'b0;
      refill_wanted_q <= 1'b0;
      taken_q <= 1'b0;
      offer_q <= 1'b0;
      offer_refill_q <= 1'b0;
      offer_tag_q <= 1'b0;
    end else if (abort_i) begin
      room_q <= 8'(Room);
      spacing_q <= '0;
      refill_pending_q <= 1'b0;
      refill_wanted_q <= 1'b0;
      taken_q <= 1'b0;
      offer_q <= 1'b0;
      offer_refill_q <= 1'b0;
      offer_tag_q <= 1'b0;
    end else begin
      refill_wanted_q <= refill_wanted_i;
      taken_q <= taken_i;
      room_q <= room_q + 8'(taken_q) - (main_taken ? 8'(BlockBeats) : 8'd0);
      if (!block_valid_o) begin
        offer_q <= (tag_i || refill || main) && spacing_q == '0;
        offer_tag_q <= tag_i;
        offer_refill_q <= refill && !tag_i;
      end else begin
        offer_q <= !block_ready_i;
      end
      if (block_taken) spacing_q <= SpacingBits'(BlockBeats - 1);
      else if (spacing_q != '0) spacing_q <= spacing_q - 1'b1;
      if (block_taken && offer_refill_q) refill_pending_q <= 1'b1;
      else if (refill_came_i) refill_pending_q <= 1'b0;
    end
  end

  `ISOPOD_ASSERT_INIT(RoomForTwo, Room >= 2 * BlockBeats && Room < 256)
  `ISOPOD_ASSERT(RoomKnown, room_q <= 8'(Room))

endmodule
