// isopod_dma_read against any memory that answers what was ordered: rules of AXI4, bursts within
// 128 bytes, no more beats ordered than there is room for, and quiet when it says so.
module dma_read (
  input logic clk_i,
  input logic abort_i,
  input logic start_i,
  input logic [31:0] address_i,
  input logic [19:0] words_i,
  input logic whole_i,
  input logic ready_i,
  input logic arready_i,
  input logic [63:0] rdata_i,
  input logic [1:0] rresp_i,
  input logic rvalid_i
);

  localparam int unsigned Depth = 16;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic busy, bus_error, valid, arvalid, rready;
  logic [31:0] word, araddr;
  logic [63:0] beat;
  logic [7:0] arlen;

  isopod_dma_read #(.Depth(Depth)) u_read (
    .clk_i, .rst_ni, .abort_i, .start_i, .address_i, .words_i, .whole_i, .busy_o(busy),
    .bus_error_o(bus_error), .word_o(word), .beat_o(beat), .valid_o(valid), .ready_i,
    .araddr_o(araddr), .arlen_o(arlen), .arvalid_o(arvalid), .arready_i, .rdata_i, .rresp_i,
    .rlast_i(1'b0), .rvalid_i, .rready_o(rready));

  // Beats that memory owes: of bursts that it took.
  logic [9:0] owed_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) owed_q <= '0;
    else owed_q <= owed_q + ((arvalid && arready_i) ? 10'(arlen) + 10'd1 : '0) -
        10'(rvalid_i && rready);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!rvalid_i || owed_q != '0);
      assume (!start_i || (!busy && !abort_i && words_i != '0 && address_i[1:0] == '0 &&
          (!whole_i || !address_i[2])));
      within_128_bytes : assert (!arvalid || 5'(araddr[6:3]) + 5'(arlen[3:0]) <= 5'd15);
      sixteen_beats    : assert (!arvalid || (arlen <= 8'd15 && araddr[2:0] == '0));
      room             : assert (owed_q <= 10'(Depth));
      always_takes     : assert (rready);
      quiet            : assert (busy || (!arvalid && !valid && owed_q == '0));
      all_came         : cover (!busy && $past(busy) && !$past(abort_i, 4));
    end
  end

endmodule
