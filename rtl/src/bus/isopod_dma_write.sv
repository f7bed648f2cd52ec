// Writes beats of 64 bits to memory over AXI4. Bursts end at multiples of 128 bytes, and a burst
// begins only when all its beats are present. After an abort no burst begins; a burst that has
// begun ends with beats that write nothing, and busy_o stays high until then.
`include "isopod_assert.svh"

module isopod_dma_write #(
  parameter int unsigned Depth = 32 // beats, a power of two, at least 32
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic start_i,          // only while not busy
  input  logic [31:0] address_i, // a multiple of 8
  input  logic [18:0] beats_i,   // not 0
  output logic busy_o,
  output logic done_o,           // pulse
  // Number of beats still to be written; at least 1 until every write has its response
  output logic [18:0] left_o,
  output logic bus_error_o,      // pulse

  input  logic [63:0] beat_i,
  input  logic valid_i,
  output logic ready_o,

  output logic [31:0] awaddr_o,
  output logic [7:0] awlen_o,
  output logic awvalid_o,
  input  logic awready_i,
  output logic [63:0] wdata_o,
  output logic [7:0] wstrb_o,
  output logic wlast_o,
  output logic wvalid_o,
  input  logic wready_i,
  input  logic [1:0] bresp_i,
  input  logic bvalid_i,
  output logic bready_o
);

  localparam int unsigned CountBits = $clog2(Depth) + 2;

  typedef enum logic [1:0] {StateIdle, StateAddress, StateData} state_e;

  state_e state_q;
  logic [28:0] beat_address_q;
  logic [18:0] take_q, left_q;      // beats to be taken in; to be sent
  logic [3:0] unfinished_q;         // bursts
  logic [CountBits-1:0] held_q;     // beats in the queue
  logic [4:0] burst, burst_q, sent_q;
  logic dropping_q, queue_valid, queue_ready, put, sent;
  logic [63:0] queue_beat;

  // Offered data stay unchanged when an abort comes.
  logic [63:0] offered_q;
  logic [7:0] strobe_q;
  logic offered_valid_q, offered_last_q, fetch, burst_sent;

  always_comb begin
    burst = 5'd16 - 5'(beat_address_q[3:0]);
    if (left_q < 19'(burst)) burst = 5'(left_q);
  end

  assign ready_o = take_q != '0 && queue_ready && !abort_i && !dropping_q;
  assign put     = valid_i && ready_o;

  isopod_queue #(.Width(64), .Depth(Depth)) u_queue (
    .clk_i, .rst_ni, .abort_i(abort_i || dropping_q), .data_i(beat_i), .valid_i(put),
    .ready_o(queue_ready), .data_o(queue_beat), .valid_o(queue_valid),
    .ready_i(sent && !dropping_q));

  assign awvalid_o = state_q == StateAddress;
  assign awaddr_o  = {beat_address_q, 3'b0};
  assign awlen_o   = 8'(burst_q) - 8'd1;
  assign fetch    = state_q == StateData && sent_q != burst_q && (!offered_valid_q || wready_i) &&
      (queue_valid || dropping_q);
  assign sent     = fetch;
  assign wvalid_o = offered_valid_q;
  assign wdata_o  = offered_q;
  assign wstrb_o  = strobe_q;
  assign wlast_o  = offered_last_q;
  assign bready_o = 1'b1;

  assign burst_sent  = wvalid_o && wready_i && wlast_o;
  assign busy_o      = left_q != '0 || unfinished_q != '0 || state_q != StateIdle || dropping_q;
  assign left_o      = (left_q == '0 && busy_o) ? 19'd1 : left_q;
  assign bus_error_o = bvalid_i && bresp_i[1] && !dropping_q;
  assign done_o      = bvalid_i && unfinished_q == 4'd1 && left_q == '0 && !dropping_q &&
      !abort_i && !bresp_i[1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q         <= StateIdle;
      beat_address_q  <= '0;
      take_q          <= '0;
      left_q          <= '0;
      unfinished_q    <= '0;
      held_q          <= '0;
      burst_q         <= '0;
      sent_q          <= '0;
      dropping_q      <= 1'b0;
      offered_valid_q <= 1'b0;
      offered_last_q  <= 1'b0;
      offered_q       <= '0;
      strobe_q        <= '0;
    end else begin
      if (put) take_q <= take_q - 19'd1;
      held_q <= held_q + CountBits'(put) - CountBits'(sent && !dropping_q);
      unique case (state_q)
        StateIdle: begin
          burst_q <= burst;
          sent_q  <= '0;
          if (left_q != '0 && held_q >= CountBits'(burst) && unfinished_q < 4'd14 && !abort_i &&
              !dropping_q) begin
            state_q <= StateAddress;
          end
        end
        StateAddress: if (awready_i) state_q <= StateData;
        default: begin
          if (burst_sent) begin
            state_q        <= StateIdle;
            beat_address_q <= beat_address_q + 29'(burst_q);
            if (!dropping_q) left_q <= left_q - 19'(burst_q);
          end
        end
      endcase
      unfinished_q <= unfinished_q + 4'(burst_sent) - 4'(bvalid_i);
      if (wready_i) offered_valid_q <= 1'b0;
      if (fetch) begin
        offered_valid_q <= 1'b1;
        offered_q       <= dropping_q ? '0 : queue_beat;
        strobe_q        <= {8{!dropping_q}};
        offered_last_q  <= sent_q + 5'd1 == burst_q;
        sent_q          <= sent_q + 5'd1;
      end
      if (start_i) begin
        beat_address_q <= address_i[31:3];
        take_q         <= beats_i;
        left_q         <= beats_i;
      end
      if (abort_i) begin
        take_q     <= '0;
        left_q     <= '0;
        held_q     <= '0;
        dropping_q <= 1'b1;
      end else if (dropping_q) begin
        held_q <= '0;
        if (state_q == StateIdle && unfinished_q == '0) dropping_q <= 1'b0;
      end
    end
  end

  logic unused_input;
  assign unused_input = ^{address_i[2:0], bresp_i[0]};

  `ISOPOD_ASSERT(StartsIdle, !(start_i && busy_o))
  `ISOPOD_ASSERT_BUS(Addresses, awvalid_o, awready_i, {awaddr_o, awlen_o})
  `ISOPOD_ASSERT_BUS(Data, wvalid_o, wready_i, {wdata_o, wstrb_o, wlast_o})

endmodule
