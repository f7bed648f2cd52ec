// Keeps the twiddles of the indices k with k mod P = lane, for an even lane and the next one and
// for every resident prime. The depth of the memory is a power of two, so that block RAM with few
// bits per word needs no multiplexer behind it.
module isopod_twiddle_bank
  import isopod_pkg::*;
#(
  parameter int unsigned WordAddressBits = 10,
  parameter int unsigned Tables = 1,
  parameter int unsigned Words = 1,   // lanes
  localparam int unsigned TableBits = (Tables == 1) ? 1 : $clog2(Tables)
) (
  input  logic                       clk_i,
  input  logic [TableBits-1:0]       table_i,
  input  logic [WordAddressBits-1:0] read_address_i,
  output logic [Words-1:0][RingBits-1:0] read_data_o,
  input  logic                       write_i,
  input  logic [WordAddressBits-1:0] write_address_i,
  input  logic [Words-1:0][RingBits-1:0] write_data_i
);

  localparam int unsigned AddressBits = $clog2(Tables) + WordAddressBits;
  logic [TableBits+WordAddressBits-1:0] read_address, write_address;

  assign read_address  = {table_i, read_address_i};
  assign write_address = {table_i, write_address_i};

  isopod_ram #(.Width(Words * RingBits), .Depth(2**AddressBits)) u_ram (
    .clk_i, .read_i(1'b1),
    .read_address_i(read_address[AddressBits-1:0]), .read_data_o,
    .write_i, .write_address_i(write_address[AddressBits-1:0]), .write_data_i);

  if (Tables == 1) begin : gen_one
    logic unused_table;
    assign unused_table = ^{read_address[WordAddressBits], write_address[WordAddressBits]};
  end

endmodule
