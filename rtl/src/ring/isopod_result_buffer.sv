// Holds the words of a finished transform in rows. A row is the output of the last stage in one
// cycle, with one word in every bank, and is written and read as a whole. Its number is the cycle.
module isopod_result_buffer
  import isopod_pkg::*;
#(
  parameter int unsigned Banks = 8,
  parameter int unsigned AddressBits = 9
) (
  input  logic clk_i,
  input  logic write_i,
  input  logic [AddressBits-1:0] write_row_i,
  input  logic [Banks-1:0][RingBits-1:0] write_data_i,
  input  logic read_i,
  input  logic [AddressBits-1:0] read_row_i,
  output logic [Banks-1:0][RingBits-1:0] read_data_o
);

  isopod_ram #(.Width(Banks * RingBits), .Depth(2**AddressBits)) u_ram (
    .clk_i, .read_i, .read_address_i(read_row_i), .read_data_o, .write_i,
    .write_address_i(write_row_i), .write_data_i);

endmodule
