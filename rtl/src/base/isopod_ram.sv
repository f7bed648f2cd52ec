// Simple dual-port memory: one write port, one read port of one cycle; the output holds while
// read_i is low. A read of the word that is being written returns either value: no user does that.
module isopod_ram #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 512,
  localparam int unsigned AddressBits = $clog2(Depth)
) (
  input  logic                   clk_i,
  input  logic                   read_i,
  input  logic [AddressBits-1:0] read_address_i,
  output logic [Width-1:0]       read_data_o,
  input  logic                   write_i,
  input  logic [AddressBits-1:0] write_address_i,
  input  logic [Width-1:0]       write_data_i
);

  logic [Width-1:0] memory[Depth];

  always_ff @(posedge clk_i) begin
    if (write_i) memory[write_address_i] <= write_data_i;
    if (read_i) read_data_o <= memory[read_address_i];
  end

endmodule
