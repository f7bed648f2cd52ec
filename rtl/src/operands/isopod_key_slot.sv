// Keeps the words of -NTT(s) of all primes. Software writes them; only the product reads them, two
// cycles after the address. They lie in memories of 4096 words: a block RAM then holds nine bits of
// each word and wastes none of 54. The register behind a memory is zero unless that memory holds
// the word, so that an or selects it.
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

  localparam int unsigned BankBits = (AddressBits > 12) ? AddressBits - 12 : 0;
  localparam int unsigned BankAddressBits = AddressBits - BankBits;
  localparam int unsigned Banks = (Words + 2**BankAddressBits - 1) >> BankAddressBits;

  logic [Banks-1:0][WordBits-1:0] data, data_q;
  logic [BankBits:0] write_bank, read_bank_q; // with a leading zero

  assign write_bank = (BankBits + 1)'(write_address_i >> BankAddressBits);

  for (genvar bank = 0; bank < Banks; bank++) begin : gen_bank
    isopod_ram #(.Width(WordBits), .Depth(2**BankAddressBits)) u_ram (
      .clk_i, .read_i, .read_address_i(read_address_i[BankAddressBits-1:0]),
      .read_data_o(data[bank]), .write_i(write_i && write_bank == (BankBits + 1)'(bank)),
      .write_address_i(write_address_i[BankAddressBits-1:0]), .write_data_i);

    always_ff @(posedge clk_i) begin
      data_q[bank] <= (read_bank_q == (BankBits + 1)'(bank)) ? data[bank] : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_i) read_bank_q <= (BankBits + 1)'(read_address_i >> BankAddressBits);
  end

  always_comb begin
    read_data_o = '0;
    for (int unsigned bank = 0; bank < Banks; bank++) read_data_o = read_data_o | data_q[bank];
  end

endmodule
