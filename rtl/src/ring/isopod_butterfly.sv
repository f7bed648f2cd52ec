// One lane: a Cooley-Tukey (forward) or Gentleman-Sande (inverse) butterfly around the Montgomery
// multiplier. Other units borrow the multiplier through the external operands.
//
// Words come and leave by bank, near and far. The controls tell which one is the upper word. They
// turn choices into additions with masked operands; where possible, resets of registers mask them:
//   x = near & sum_near + far & sum_far       forward the upper word, inverse the sum
//   y = near & sum_far +- far & sum_near      forward the lower word, inverse near - far
//   p = y * twiddle
//   both outputs = corrected x & with_x +- p & with_product
// Words are signed and lazy: x is corrected by c = 2^k q towards zero. With |upper|, |lower| <= X
// q, |p| <= q/2 + X q^2 / 2^KeyBits and the forward outputs are within max(c, X q - c) + |p|; c = q
// keeps X <= 2. The inverse leaves |sum|, |p| <= q. Latency from words to outputs:
// MontgomeryLatency + 3; leave_i is sampled two cycles before them.
module isopod_butterfly
  import isopod_pkg::*;
#(
  parameter bit Tiled = 1'b0,
  parameter bit Inverse = 1'b1, // with the inverse butterfly
  parameter bit Plain = 1'b0,   // also for moduli of plaintexts
  localparam int unsigned MontgomeryLatency = montgomery_latency(Tiled)
) (
  input  logic               clk_i,
  input  logic               inverse_i,
  input  logic               sum_near_i,       // with the words; without both x and y are zero
  input  logic               sum_far_i,
  input  source_t            near_i,           // x takes the low RingBits
  input  source_t            far_i,
  // The factors are these or those of the words; the unused ones are zero.
  input  ring_t              twiddle_i,        // two cycles after the words
  input  logic [FactorABits-1:0] external_a_i,
  input  logic [FactorBBits-1:0] external_b_i,
  input  short_operand_t     external_short_i,
  input  logic [RingBits-1:0] constant_i,
  input  reduction_t         reduction_i,
  input  butterfly_leave_t   near_leave_i,
  input  butterfly_leave_t   far_leave_i,
  input  logic [RingBits-1:0] correction_i,    // two cycles after the words
  output logic signed [ProductBits-1:0] product_o,
  output ring_t              residue_o,
  output ring_t              near_o,
  output ring_t              far_o
);

  logic inverse;
  assign inverse = Inverse && inverse_i;

  ring_t near_x_q, far_x_q;
  source_t near_y_q, far_y_q;
  ring_t x_q, corrected_q, x_late, x_near_q, x_far_q;
  logic signed [FactorABits-1:0] y_q, factor_a;
  logic signed [FactorBBits-1:0] factor_b;

  always_ff @(posedge clk_i) begin
    near_x_q    <= sum_near_i ? ring_t'(near_i) : '0;
    far_x_q     <= sum_far_i ? ring_t'(far_i) : '0;
    near_y_q    <= sum_far_i ? near_i : '0;
    far_y_q     <= sum_near_i ? far_i : '0;
    x_q         <= near_x_q + far_x_q;
    corrected_q <= ring_sum(correction_i ^ {RingBits{!x_q[RingBits-1]}}, x_q, !x_q[RingBits-1]);
    y_q         <= signed'(factor_sum(FactorABits'(far_y_q) ^ {FactorABits{inverse}},
        FactorABits'(near_y_q), inverse));
  end

  assign factor_a = y_q | external_a_i | FactorABits'(signed'(constant_i));
  assign factor_b = FactorBBits'(twiddle_i) | external_b_i;

  isopod_montgomery #(.Tiled(Tiled), .Plain(Plain)) u_montgomery (
    .clk_i, .a_i(factor_a), .b_i(factor_b), .short_i(external_short_i), .reduction_i,
    .product_o, .result_o(residue_o));

  isopod_delay #(.Width(RingBits), .Cycles(MontgomeryLatency - 2)) u_x (
    .clk_i, .value_i(corrected_q), .value_o(x_late));

  butterfly_leave_t near_leave_q, far_leave_q;

  always_ff @(posedge clk_i) begin
    x_near_q     <= near_leave_i.with_x ? x_late : '0;
    x_far_q      <= far_leave_i.with_x ? x_late : '0;
    near_leave_q <= near_leave_i;
    far_leave_q  <= far_leave_i;
    near_o       <=
        combined(x_near_q, residue_o & {RingBits{near_leave_q.with_product}}, near_leave_q.minus);
    far_o        <=
        combined(x_far_q, residue_o & {RingBits{far_leave_q.with_product}}, far_leave_q.minus);
  end

  function automatic ring_t combined(ring_t x, ring_t product, logic minus);
    return ring_sum(product ^ {RingBits{minus}}, x, minus);
  endfunction

  logic unused_leave;
  assign unused_leave = ^{near_leave_q.with_x, far_leave_q.with_x};

endmodule
