// Keeps the constants of the current prime: words 0 to 2 of its descriptor (doc/interfaces.md), in
// a BFV encryption words 0, 1, 3 and 4. Also tells whether the word being read is a legal modulus.
// Narrow: 2^25 <= q < 2^30 and q = 1 mod 2^11. Wide: q = 2^k - c 2^13 + 1 with 0 < c < 2^12 and k
// from 36 to ModulusBits. A plaintext modulus is 1 mod 2^13 and has up to 26 bits.
//
// A BFV encryption by secret key hides s with any t and 1/t that are not zero modulo q. A zero
// would show a s.
// A word comes two cycles after its address; `word_i` counts the addresses.
module isopod_descriptor
  import isopod_pkg::*;
#(
  parameter bit Bfv = 1'b0
) (
  input  logic clk_i,
  input  logic load_i,                // the constants are being read
  input  logic [2:0] word_i,
  input  key_word_t data_i,
  output prime_constants_t prime_o,
  output plain_t plain_o,             // t
  output logic modulus_legal_o,       // the word one cycle ago is a legal modulus
  output logic plain_legal_o,         // it is a legal plaintext modulus
  output logic bfv_legal_o            // t and 1/t, two cycles after the last of them came
);

  localparam int unsigned ExcessTop = MontgomeryWord + ExcessBits;
  length_t bits;
  logic legal, plain_legal;

  always_comb begin
    bits = length_t'(MinModulusBits);
    for (int unsigned position = MinModulusBits; position < ModulusBits; position++) begin
      if (data_i[position]) bits = length_t'(position + 1);
    end
    if (Bfv && data_i[KeyBits-1:PlainModulusBits+1] == '0) begin
      bits = length_t'(PlainModulusBits) + length_t'(data_i[PlainModulusBits]);
    end
  end

  assign plain_legal = Bfv && data_i[KeyBits-1:PlainModulusBits+1] == '0 &&
      data_i[PlainModulusBits:MontgomeryWord] != '0 && data_i[MontgomeryWord-1:0] == 1;

  // A wide modulus has ones from bit 25 on, then zeros.
  always_comb begin
    legal = data_i[KeyBits-1:ModulusBits] == '0 && data_i[MontgomeryWord-1:0] == 1;
    if (Wide) begin
      legal = legal && data_i[ExcessTop-1:MontgomeryWord] != '0 &&
          (&data_i[MinModulusBits-1:ExcessTop]);
      for (int unsigned position = MinModulusBits; position < ModulusBits; position++) begin
        legal = legal && (data_i[position-1] || !data_i[position]);
      end
    end else begin
      legal = legal && data_i[ModulusBits-1:MinModulusBits-1] != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    modulus_legal_o <= legal;
    plain_legal_o   <= plain_legal;
    bfv_legal_o     <= Bfv && plain_o != '0 && prime_o.scale != '0 &&
        prime_o.scale < prime_o.modulus;
    if (load_i) begin
      unique case (word_i)
        3'd2: {prime_o.modulus, prime_o.bits} <= {residue_t'(data_i), bits};
        3'd3: prime_o.one <= residue_t'(data_i);
        3'd4: prime_o.scale <= residue_t'(data_i);
        3'd5: plain_o <= Bfv ? plain_t'(data_i) : '0;
        default: ;
      endcase
    end
  end

endmodule
