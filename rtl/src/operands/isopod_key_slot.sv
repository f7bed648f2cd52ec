// The words of -NTT(s) of all primes. Software writes them; only the product reads them. The memory
// is a power of two deep: block RAM then needs no multiplexer behind it.
module isopod_key_slot #(
  parameter int unsigned Words = 12288,
  parameter int unsigned WordBits = 32,
  localparam int unsigned AddressBits = $clog2(Words)
) (
  input  logic clk_i,
  input  logic write_i,
  input  logic [AddressBits-1:0] write_address_i,
  input  logic [WordBits-1:0] write_data_i,
  input  logic read_i,
  input  logic [AddressBits-1:0] read_address_i,
  output logic [WordBits-1:0] read_data_o
);

  isopod_ram #(.Width(WordBits), .Depth(2**AddressBits)) u_ram (
    .clk_i, .read_i, .read_address_i, .read_data_o, .write_i, .write_address_i, .write_data_i);

endmodule
