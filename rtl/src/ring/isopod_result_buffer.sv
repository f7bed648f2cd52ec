// The words of a finished transform: written 2 P at a time by its last stage, read at one address
// of every bank.
module isopod_result_buffer
  import isopod_pkg::*;
#(
  parameter int unsigned Banks = 8,
  parameter int unsigned AddressBits = 9
) (
  input  logic clk_i,
  input  logic write_i,
  input  logic [Banks-1:0][AddressBits-1:0] write_address_i,
  input  logic [Banks-1:0][RingBits-1:0] write_data_i,
  input  logic read_i,
  input  logic [AddressBits-1:0] read_address_i,
  output logic [Banks-1:0][RingBits-1:0] read_data_o
);

  for (genvar bank = 0; bank < Banks; bank++) begin : gen_bank
    isopod_ram #(.Width(RingBits), .Depth(2**AddressBits)) u_ram (
      .clk_i, .read_i, .read_address_i, .read_data_o(read_data_o[bank]),
      .write_i, .write_address_i(write_address_i[bank]), .write_data_i(write_data_i[bank]));
  end

endmodule
