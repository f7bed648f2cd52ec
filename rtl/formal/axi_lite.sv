// isopod_axi_lite between any master that keeps to AXI4-Lite and any registers: its responses stay
// until taken, there is one for every access and none without, and an access that waits does not
// change.
module axi_lite (
  input logic clk_i,
  input logic [11:0] awaddr_i,
  input logic awvalid_i,
  input logic [31:0] wdata_i,
  input logic [3:0] wstrb_i,
  input logic wvalid_i,
  input logic bready_i,
  input logic [11:0] araddr_i,
  input logic arvalid_i,
  input logic rready_i,
  input logic [31:0] read_data_i,
  input logic ready_i,
  input logic error_i
);

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic awready, wready, bvalid, arready, rvalid, read, write, partial;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata, write_data;
  logic [9:0] word_index;

  isopod_axi_lite u_lite (
    .clk_i, .rst_ni, .awaddr_i, .awvalid_i, .awready_o(awready), .wdata_i, .wstrb_i, .wvalid_i,
    .wready_o(wready), .bresp_o(bresp), .bvalid_o(bvalid), .bready_i, .araddr_i, .arvalid_i,
    .arready_o(arready), .rdata_o(rdata), .rresp_o(rresp), .rvalid_o(rvalid), .rready_i,
    .word_index_o(word_index), .read_o(read), .write_o(write), .partial_o(partial),
    .write_data_o(write_data), .read_data_i, .ready_i, .error_i);

  // The master keeps what it offers.
  always_ff @(posedge clk_i) begin
    if (rst_ni && $past(rst_ni)) begin
      assume (!$past(awvalid_i && !awready) || (awvalid_i && awaddr_i == $past(awaddr_i)));
      assume (!$past(wvalid_i && !wready) ||
          (wvalid_i && {wdata_i, wstrb_i} == $past({wdata_i, wstrb_i})));
      assume (!$past(arvalid_i && !arready) || (arvalid_i && araddr_i == $past(araddr_i)));
    end
  end

  // Accesses without a response.
  logic write_owed_q, read_owed_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {write_owed_q, read_owed_q} <= '0;
    else begin
      write_owed_q <= (awvalid_i && awready) || (write_owed_q && !(bvalid && bready_i));
      read_owed_q  <= (arvalid_i && arready) || (read_owed_q && !(rvalid && rready_i));
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      address_with_data : assert (!(awvalid_i && awready) || (wvalid_i && wready));
      data_with_address : assert (!(wvalid_i && wready) || (awvalid_i && awready));
      write_answered    : assert (bvalid == write_owed_q);
      read_answered     : assert (rvalid == read_owed_q);
      one_at_a_time     : assert (!(read && write));
      only_two_answers  : assert (bresp inside {2'b00, 2'b10} && rresp inside {2'b00, 2'b10});
      nothing_refused   : assert (!(rvalid && rresp[1]) || rdata == '0);
      both_answered     : cover (bvalid && rvalid);
    end
    if (rst_ni && $past(rst_ni)) begin
      stays  : assert (!$past(write && !ready_i) || (write && word_index == $past(word_index) &&
          write_data == $past(write_data) && partial == $past(partial)));
    end
  end

endmodule
