// Computes e^(-i pi J / n) in the fixed format of Word - 2 fraction bits from a quarter wave of
// cosines, in five cycles. CosineFile holds the table of spec/ckks.md: cos(pi j / 2^MaxLogN) for
// j < 2^(MaxLogN-1), Word / 4 hexadecimal digits a line.
module isopod_roots
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12,
  parameter int unsigned Word = 32,
  parameter CosineFile = "cosine_12.hex"
) (
  input  logic clk_i,
  input  logic [MaxLogN:0] angle_i, // J 2^shift modulo 2^(MaxLogN + 1), with n = 2^MaxLogN
  input  logic [3:0] shift_i,
  output logic signed [Word-1:0] real_o,
  output logic signed [Word-1:0] imaginary_o
);

  localparam int unsigned Quarter = 2**(MaxLogN-1);

  // The angle on the scale of the largest degree: two bits of quadrant, the rest within it.
  logic [MaxLogN:0] angle_q;
  logic [1:0] quadrant;
  logic [MaxLogN-2:0] offset, complement;

  assign {quadrant, offset} = angle_q;
  assign complement         = -offset;

  logic [Word-1:0] cosine_memory[Quarter];
  initial $readmemh(CosineFile, cosine_memory);

  // Cosine of the angle within the quadrant, and its sine as the cosine of the complement. The
  // table leaves out the complement of 0, a right angle.
  logic [Word-1:0] near_word_q, far_word_q, near_1_q, far_1_q, near_2_q, far_2_q;
  logic [1:0] quadrant_1_q, quadrant_2_q, quadrant_3_q;
  logic right_1_q;

  always_ff @(posedge clk_i) begin
    angle_q      <= angle_i << shift_i;
    near_word_q  <= cosine_memory[offset];
    far_word_q   <= cosine_memory[complement];
    quadrant_1_q <= quadrant;
    right_1_q    <= offset == '0;
    near_1_q     <= near_word_q;
    far_1_q      <= right_1_q ? '0 : far_word_q;
    quadrant_2_q <= quadrant_1_q;
    near_2_q     <= near_1_q;
    far_2_q      <= far_1_q;
    quadrant_3_q <= quadrant_2_q;
    real_o       <=
        signed_word(quadrant_3_q[0] ? far_2_q : near_2_q, quadrant_3_q[1] ^ quadrant_3_q[0]);
    imaginary_o  <= signed_word(quadrant_3_q[0] ? near_2_q : far_2_q, !quadrant_3_q[1]);
  end

  function automatic logic signed [Word-1:0] signed_word(logic [Word-1:0] value, logic negative);
    return signed'((value ^ {Word{negative}}) + Word'(negative));
  endfunction

endmodule
