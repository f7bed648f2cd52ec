// Computes z = x T as isopod_encode_complex does, for one lane, from one product a cycle, or with
// `Pairs` from two. The real part comes first and waits for the imaginary one, or the other way
// round: then the parts of z are exchanged. Words have `Word` bits.
module isopod_encode_complex_serial #(
  parameter int unsigned Word = 32,
  parameter bit Pairs = 1'b0
) (
  input  logic clk_i,
  input  logic exact_i,
  input  logic exchanged_i,             // with pairs: the imaginary part comes first
  input  logic last_i,                  // the last of the four products has come
  // Real real, imaginary imaginary, real imaginary, imaginary real
  input  logic [2*Word-1:0] product_i,
  input  logic [2*Word-1:0] first_i,    // with pairs: the first product of two
  output logic [1:0][Word-1:0] z_o,         // two cycles after it
  output logic [1:0][Word-1:0] low_o,
  output logic [1:0] late_o
);

  // One subtraction, like sum_of of isopod_pkg.
  function automatic logic [Word-1:0] word_sum(logic [Word-1:0] computed, logic [Word-1:0] plain,
      logic carry_in);
    return Word'(({plain, 1'b0} - ~{computed, carry_in}) >> 1);
  endfunction

  // The real part is product 0 minus product 1, the imaginary part product 2 plus product 3.
  logic minus, minus_1_q, rounding_1_q, late_1_q, late_q, carry;
  logic [Word-1:0] early_q, early, high_q, high_early_q, low_2_q, z_q;
  logic [Word:0] low_q;

  assign minus = last_i == (Pairs && exchanged_i);
  assign early = Pairs ? first_i[Word-1:0] : early_q;
  assign carry = exact_i ? low_q[Word] : rounding_1_q;

  always_ff @(posedge clk_i) begin
    early_q      <= product_i[Word-1:0];
    low_q        <= {1'b0, product_i[Word-1:0] ^ {Word{minus}}} + {1'b0, early} +
        (Word + 1)'(minus);
    minus_1_q    <= minus;
    rounding_1_q <= minus ? !(product_i[Word-1] && product_i[Word-2:0] != '0) : early[Word-1];
    late_1_q     <= minus ? early[Word-1] : product_i[Word-1];
    high_q       <= product_i[2*Word-1:Word];
    high_early_q <= Pairs ? first_i[2*Word-1:Word] : high_q;
    z_q          <= word_sum(high_q ^ {Word{minus_1_q}}, high_early_q, carry);
    low_2_q      <= low_q[Word-1:0];
    late_q       <= late_1_q;
  end

  assign {late_o[1], low_o[1], z_o[1]} = {late_q, low_2_q, z_q};

  isopod_delay #(.Width(2 * Word + 1), .Cycles(Pairs ? 1 : 2)) u_real (
    .clk_i, .value_i({late_q, low_2_q, z_q}), .value_o({late_o[0], low_o[0], z_o[0]}));

  if (!Pairs) begin : gen_alone
    logic unused_first;
    assign unused_first = ^{first_i, exchanged_i};
  end else begin : gen_two
    logic unused_early;
    assign unused_early = ^early_q;
  end

endmodule
