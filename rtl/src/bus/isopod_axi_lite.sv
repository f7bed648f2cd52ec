// Turns AXI4-Lite into one access at a time: read_o or write_o stays high, with the address, until
// ready_i. Writes go before reads. A write of less than a word is marked as partial. Protection
// bits are ignored.
`include "isopod_assert.svh"

module isopod_axi_lite #(
  parameter int unsigned AddressBits = 12
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [AddressBits-1:0] awaddr_i,
  input  logic awvalid_i,
  output logic awready_o,
  input  logic [31:0] wdata_i,
  input  logic [3:0] wstrb_i,
  input  logic wvalid_i,
  output logic wready_o,
  output logic [1:0] bresp_o,
  output logic bvalid_o,
  input  logic bready_i,
  input  logic [AddressBits-1:0] araddr_i,
  input  logic arvalid_i,
  output logic arready_o,
  output logic [31:0] rdata_o,
  output logic [1:0] rresp_o,
  output logic rvalid_o,
  input  logic rready_i,

  output logic [AddressBits-3:0] word_index_o,
  output logic read_o,
  output logic write_o,
  output logic partial_o,
  output logic [31:0] write_data_o,
  input  logic [31:0] read_data_i,
  input  logic ready_i,
  input  logic error_i
);

  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlaveError = 2'b10;

  logic can_write, can_read;

  // An access begins only when there is room for its response.
  assign can_write = awvalid_i && wvalid_i && (!bvalid_o || bready_i);
  assign can_read  = arvalid_i && (!rvalid_o || rready_i);

  assign write_o      = can_write;
  assign read_o       = can_read && !can_write;
  assign word_index_o = can_write ? awaddr_i[AddressBits-1:2] : araddr_i[AddressBits-1:2];
  assign partial_o     = can_write && wstrb_i != 4'hf;
  assign write_data_o = wdata_i;
  assign awready_o    = can_write && ready_i;
  assign wready_o     = can_write && ready_i;
  assign arready_o    = read_o && ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bvalid_o <= 1'b0;
      bresp_o  <= Okay;
      rvalid_o <= 1'b0;
      rresp_o  <= Okay;
      rdata_o  <= '0;
    end else begin
      if (write_o && ready_i) bresp_o <= error_i ? SlaveError : Okay;
      if (read_o && ready_i) begin
        rresp_o <= error_i ? SlaveError : Okay;
        rdata_o <= error_i ? '0 : read_data_i;
      end
      bvalid_o <= (write_o && ready_i) || (bvalid_o && !bready_i);
      rvalid_o <= (read_o && ready_i) || (rvalid_o && !rready_i);
    end
  end

  logic unused_address;
  assign unused_address = ^{awaddr_i[1:0], araddr_i[1:0]};

  `ISOPOD_ASSERT_BUS(Write, bvalid_o, bready_i, bresp_o)
  `ISOPOD_ASSERT_BUS(Read, rvalid_o, rready_i, {rdata_o, rresp_o})

endmodule
