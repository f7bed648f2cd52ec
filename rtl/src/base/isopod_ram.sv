// Simple dual-port memory: one write port and one read port with a latency of one cycle. The output
// keeps its value while read_i is low. A read of the word that is being written may return the old
// or the new value; no user does that. Each part of a word has its own write enable, because one
// memory of two words wastes fewer bits of its blocks than two memories of one word.
module isopod_ram #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 512,
  parameter int unsigned Parts = 1, // parts of equal width
  localparam int unsigned AddressBits = $clog2(Depth)
) (
  input  logic                   clk_i,
  input  logic                   read_i,
  input  logic [AddressBits-1:0] read_address_i,
  output logic [Width-1:0]       read_data_o,
  input  logic [Parts-1:0]       write_i,
  input  logic [AddressBits-1:0] write_address_i,
  input  logic [Width-1:0]       write_data_i
);

  localparam int unsigned PartWidth = Width / Parts;
  logic [Width-1:0] memory[Depth];

  always_ff @(posedge clk_i) begin
    for (int unsigned part = 0; part < Parts; part++) begin
      if (write_i[part]) begin
        memory[write_address_i][part*PartWidth+:PartWidth] <=
            write_data_i[part*PartWidth+:PartWidth];
      end
    end
    if (read_i) read_data_o <= memory[read_address_i];
  end

endmodule
