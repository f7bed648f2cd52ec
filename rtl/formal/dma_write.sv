// isopod_dma_write against any memory that answers each burst once: rules of AXI4, bursts within
// 128 bytes whose last beat is marked, no data without an address, and quiet when it says so.
module dma_write (
  input logic clk_i,
  input logic abort_i,
  input logic start_i,
  input logic [31:0] address_i,
  input logic [18:0] beats_i,
  input logic [63:0] beat_i,
  input logic valid_i,
  input logic awready_i,
  input logic wready_i,
  input logic [1:0] bresp_i,
  input logic bvalid_i
);

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic busy, done, bus_error, ready, awvalid, wlast, wvalid, bready;
  logic [18:0] left;
  logic [31:0] awaddr;
  logic [7:0] awlen, wstrb;
  logic [63:0] wdata;

  isopod_dma_write #(.Depth(32)) u_write (
    .clk_i, .rst_ni, .abort_i, .start_i, .address_i, .beats_i, .busy_o(busy), .done_o(done),
    .left_o(left), .bus_error_o(bus_error), .beat_i, .valid_i, .ready_o(ready),
    .awaddr_o(awaddr), .awlen_o(awlen), .awvalid_o(awvalid), .awready_i, .wdata_o(wdata),
    .wstrb_o(wstrb), .wlast_o(wlast), .wvalid_o(wvalid), .wready_i, .bresp_i, .bvalid_i,
    .bready_o(bready));

  // Beats of the burst whose address went out, and bursts without a response.
  logic [4:0] due_q;
  logic [3:0] owed_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      due_q  <= '0;
      owed_q <= '0;
    end else begin
      if (awvalid && awready_i) due_q <= 5'(awlen) + 5'd1;
      else if (wvalid && wready_i) due_q <= due_q - 5'd1;
      owed_q <= owed_q + 4'(wvalid && wready_i && wlast) - 4'(bvalid_i && bready);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!bvalid_i || owed_q != '0);
      assume (!start_i || (!busy && !abort_i && beats_i != '0 && address_i[2:0] == '0));
      within_128_bytes : assert (!awvalid || 5'(awaddr[6:3]) + 5'(awlen[3:0]) <= 5'd15);
      sixteen_beats    : assert (!awvalid || (awlen <= 8'd15 && awaddr[2:0] == '0));
      address_first    : assert (!wvalid || due_q != '0);
      one_burst        : assert (!awvalid || due_q == '0);
      last_is_last     : assert (!wvalid || wlast == (due_q == 5'd1));
      all_or_nothing   : assert (!wvalid || wstrb == '0 || wstrb == '1);
      always_takes     : assert (bready);
      quiet            : assert (busy || (!awvalid && !wvalid && owed_q == '0));
      all_written      : cover (done);
    end
  end

endmodule
