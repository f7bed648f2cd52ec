// Reads words of 32 bits, or whole beats, from memory over 64-bit AXI4. Bursts end at multiples of
// 128 bytes, and as many are in flight as the queue can take. After an abort no burst begins; data
// that is still in flight is received and dropped, and busy_o stays high until then.
`include "isopod_assert.svh"

module isopod_dma_read #(
  parameter int unsigned Depth = 64 // beats, a power of two, at least 16
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic start_i,          // only while not busy
  input  logic [31:0] address_i, // a multiple of 4; of 8 for whole beats
  input  logic [19:0] words_i,   // number of words or, with whole_i, beats; not 0
  input  logic whole_i,          // whole beats, with start_i
  output logic busy_o,
  output logic bus_error_o,      // pulse

  output logic [31:0] word_o,
  output logic [63:0] beat_o,    // with whole_i, in place of the word
  output logic valid_o,
  input  logic ready_i,

  output logic [31:0] araddr_o,
  output logic [7:0] arlen_o,
  output logic arvalid_o,
  input  logic arready_i,
  input  logic [63:0] rdata_i,
  input  logic [1:0] rresp_i,
  input  logic rlast_i,
  input  logic rvalid_i,
  output logic rready_o
);

  localparam int unsigned CountBits = $clog2(Depth) + 2;

  logic [28:0] beat_address_q;        // in units of 8 bytes
  logic [19:0] beats_q;               // beats still to be requested
  logic [CountBits-1:0] claimed_q;    // beats requested and not yet out of the queue
  logic [CountBits-1:0] flying_q;     // beats requested and not yet received
  logic [4:0] burst;
  logic room, order, arrive, leave, dropping_q, queue_ready;
  logic [19:0] words_q;               // words still to leave

  always_comb begin
    burst = 5'd16 - 5'(beat_address_q[3:0]);
    if (beats_q < 20'(burst)) burst = 5'(beats_q);
  end

  assign room      = claimed_q + CountBits'(burst) <= CountBits'(Depth);
  assign order     = beats_q != '0 && (!arvalid_o || arready_i) && room && !abort_i && !dropping_q;
  assign rready_o  = 1'b1;
  assign arrive    = rvalid_i;
  assign busy_o    = beats_q != '0 || arvalid_o || flying_q != '0 || words_q != '0 || dropping_q;
  assign bus_error_o = rvalid_i && rresp_i[1] && !dropping_q;

  logic half_q, whole_q, beat_valid, beat_ready;
  logic [63:0] beat;

  isopod_queue #(.Width(64), .Depth(Depth)) u_queue (
    .clk_i, .rst_ni, .abort_i(abort_i || dropping_q), .data_i(rdata_i),
    .valid_i(arrive && !dropping_q && !abort_i), .ready_o(queue_ready), .data_o(beat),
    .valid_o(beat_valid), .ready_i(beat_ready));

  assign beat_o     = beat;
  assign word_o     = half_q ? beat[63:32] : beat[31:0];
  assign valid_o    = beat_valid && words_q != '0;
  assign leave      = valid_o && ready_i;
  assign beat_ready = leave && (half_q || whole_q || words_q == 20'd1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_address_q <= '0;
      beats_q        <= '0;
      claimed_q      <= '0;
      flying_q       <= '0;
      words_q        <= '0;
      half_q         <= 1'b0;
      whole_q        <= 1'b0;
      dropping_q     <= 1'b0;
      arvalid_o      <= 1'b0;
      araddr_o       <= '0;
      arlen_o        <= '0;
    end else begin
      if (arready_i) arvalid_o <= 1'b0;
      if (order) begin
        arvalid_o      <= 1'b1;
        araddr_o       <= {beat_address_q, 3'b0};
        arlen_o        <= 8'(burst) - 8'd1;
        beat_address_q <= beat_address_q + 29'(burst);
        beats_q        <= beats_q - 20'(burst);
      end
      claimed_q <= claimed_q + (order ? CountBits'(burst) : '0) - CountBits'(beat_ready);
      flying_q  <= flying_q + (order ? CountBits'(burst) : '0) - CountBits'(arrive);
      if (leave) begin
        half_q  <= !half_q && !whole_q;
        words_q <= words_q - 20'd1;
      end
      if (start_i) begin
        beat_address_q <= address_i[31:3];
        beats_q        <= whole_i ? words_i :
            20'((21'(words_i) + 21'(address_i[2]) + 21'd1) >> 1);
        words_q        <= words_i;
        half_q         <= address_i[2] && !whole_i;
        whole_q        <= whole_i;
      end
      if (abort_i) begin
        beats_q    <= '0;
        words_q    <= '0;
        dropping_q <= 1'b1;
      end else if (dropping_q && flying_q == '0 && !arvalid_o) begin
        dropping_q <= 1'b0;
        claimed_q  <= '0;
      end
    end
  end

  logic unused_input;
  assign unused_input = ^{queue_ready, rlast_i, rresp_i[0], address_i[1:0]};

  `ISOPOD_ASSERT(QueueTakes, !(arrive && !dropping_q && !abort_i) || queue_ready)
  `ISOPOD_ASSERT(StartsIdle, !(start_i && busy_o))
  `ISOPOD_ASSERT(Ordered, !arrive || flying_q != '0)
  `ISOPOD_ASSERT_BUS(Addresses, arvalid_o, arready_i, {araddr_o, arlen_o})
  `ISOPOD_ASSERT_STREAM(Words, valid_o, ready_i, word_o, abort_i)

endmodule
