// The words of -NTT(s) of all primes. Software writes them; only the product reads them, two cycles
// after the address. Memories of a power of two each, as many as there are words for: their outputs
// go to registers, and the choice among them to whoever takes the word.
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

  localparam int unsigned BankBits = (Words == 2**AddressBits) ? 0 : 2;
  localparam int unsigned BankAddressBits = AddressBits - BankBits;
  localparam int unsigned Banks = (Words + 2**BankAddressBits - 1) >> BankAddressBits;

  logic [Banks-1:0][WordBits-1:0] data, data_q;
  logic [1:0] write_bank, read_bank_1_q, read_bank_2_q;

  assign write_bank = (BankBits == 0) ? '0 : write_address_i[AddressBits-1-:2];

  for (genvar bank = 0; bank < Banks; bank++) begin : gen_bank
    isopod_ram #(.Width(WordBits), .Depth(2**BankAddressBits)) u_ram (
      .clk_i, .read_i, .read_address_i(read_address_i[BankAddressBits-1:0]),
      .read_data_o(data[bank]), .write_i(write_i && write_bank == 2'(bank)),
      .write_address_i(write_address_i[BankAddressBits-1:0]), .write_data_i);
  end

  always_ff @(posedge clk_i) begin
    data_q        <= data;
    read_bank_1_q <= (BankBits == 0) ? '0 : read_address_i[AddressBits-1-:2];
    read_bank_2_q <= read_bank_1_q;
  end

  always_comb begin
    read_data_o = '0;
    for (int unsigned bank = 0; bank < Banks; bank++) begin
      if (read_bank_2_q == 2'(bank)) read_data_o = data_q[bank];
    end
  end

endmodule
