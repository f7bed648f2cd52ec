// Constants of the prime at work, from words 0 to 2 of its descriptor (doc/interfaces.md), and
// whether the word being read is a legal modulus: 2^25 <= q < 2^30 and q = 1 mod 2^11.
//
// A word comes two cycles after its address; `word_i` counts the addresses.
module isopod_descriptor
  import isopod_pkg::*;
(
  input  logic clk_i,
  input  logic load_i,                // the constants are being read
  input  logic [2:0] word_i,
  input  logic [31:0] data_i,
  output prime_constants_t prime_o,
  output logic modulus_legal_o        // of the word one cycle ago
);

  logic [4:0] bits;

  always_comb begin
    bits = 5'd26;
    for (int unsigned position = 26; position < ModulusBits; position++) begin
      if (data_i[position]) bits = 5'(position + 1);
    end
  end

  always_ff @(posedge clk_i) begin
    modulus_legal_o <= data_i[31:30] == '0 && data_i[29:25] != '0 && data_i[10:0] == 11'd1;
    if (load_i) begin
      unique case (word_i)
        3'd2: {prime_o.modulus, prime_o.bits} <= {residue_t'(data_i), bits};
        3'd3: prime_o.one <= residue_t'(data_i);
        3'd4: prime_o.scale <= residue_t'(data_i);
        default: ;
      endcase
    end
  end

endmodule
