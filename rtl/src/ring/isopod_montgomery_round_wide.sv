// One round of a wide Montgomery reduction: out = (t - m q) / 2^D, D = DigitBits, for
// q = 2^k - c 2^13 + 1. Latency 5.
//
// The digit is m = t + (c t mod 2^(D - 13)) 2^13 modulo 2^D, since 1/q = 1 + c 2^13 modulo 2^26. It
// is signed in the last round only. Then c m = c t modulo 2^(D - 13), and the low bits cancel:
//   out = floor(t / 2^D) + carry + floor(c m / 2^(D - 13)) - m 2^(k - D)
// The carry is that of the sum that made m, and one more for a negative digit.
module isopod_montgomery_round_wide
  import isopod_pkg::*;
#(
  parameter int unsigned DigitBits = 24,  // at most 24: c m is then one DSP block
  // A signed digit; c m in logic, or in builds of precise messages in another DSP block
  parameter bit Last = 1'b0,
  parameter bit Plain = 1'b0,             // also for moduli of plaintexts
  parameter int unsigned InBits = 112,
  parameter int unsigned OutBits = 88
) (
  input  logic                      clk_i,
  input  logic signed [InBits-1:0]  t_i,
  input  reduction_t                reduction_i,
  output logic signed [OutBits-1:0] out_o
);

  localparam int unsigned HighDigitBits = DigitBits - MontgomeryWord; // bits of m above those of t
  localparam int unsigned MinBits = Plain ? PlainModulusBits : MinModulusBits;
  localparam int unsigned MinShift = MinBits - DigitBits;
  localparam int unsigned Strides = (ModulusBits - MinBits) / 4 + 1; // shifts by multiples of four
  localparam int unsigned ScaledBits = DigitBits + ExcessBits + 1;
  // bits of t that reach the output
  localparam int unsigned KeptBits = (InBits - DigitBits < OutBits) ? InBits - DigitBits : OutBits;

  typedef logic signed [ScaledBits-1:0] scaled_t;
  typedef logic signed [OutBits-1:0] out_t;

  // x + 2^at (y + carry_in), by one subtraction (ring_sum) of the bits from `at` on
  function automatic scaled_t joined(scaled_t x, scaled_t y, int unsigned at,
      logic carry_in);
    scaled_t upper;
    upper = scaled_t'(({x >>> at, 1'b0} - ~{y, carry_in}) >> 1);
    return upper << at | (x & ~(scaled_t'('1) << at));
  endfunction

  // c, or zero without the bit
  function automatic scaled_t masked(logic [ExcessBits-1:0] excess, logic digit);
    return scaled_t'({1'b0, excess & {ExcessBits{digit}}});
  endfunction

  // c times the bits from `from` to `past` - 1 of an unsigned digit: one masked operand for each
  // bit. The carry enters above the first bit.
  function automatic scaled_t times(logic [DigitBits-1:0] digit, int unsigned from,
      int unsigned past, logic [ExcessBits-1:0] excess, logic carry_in);
    scaled_t total;
    total = masked(excess, digit[from]) << from;
    for (int unsigned turn = from + 1; turn < past; turn++) begin
      total = joined(total, masked(excess, digit[turn]), turn, carry_in && turn == HighDigitBits);
    end
    return total;
  endfunction

  // ---- digit: two cycles ----
  // c t modulo 2^(D - 13) in three sums
  localparam int unsigned First = HighDigitBits / 4 + 1;
  localparam int unsigned Second = 2 * HighDigitBits / 3;

  scaled_t low_q, middle_q, high_q, sum;
  logic [DigitBits-1:0] t_low_q;
  logic [DigitBits-1:0] digit_d, digit_q;
  logic [HighDigitBits-1:0] t_middle_q;
  logic carry_q, carry;

  assign sum = joined(joined(
      joined(scaled_t'({1'b0, t_low_q[DigitBits-1:MontgomeryWord]}), low_q, 0, 1'b0),
      middle_q >>> First, First, 1'b0), high_q >>> Second, Second, 1'b0);
  assign digit_d = {sum[HighDigitBits-1:0], t_low_q[MontgomeryWord-1:0]};

  always_ff @(posedge clk_i) begin
    low_q      <= times(t_i[DigitBits-1:0], 0, First, reduction_i.excess, 1'b0);
    middle_q   <= times(t_i[DigitBits-1:0], First, Second, reduction_i.excess, 1'b0);
    high_q     <= times(t_i[DigitBits-1:0], Second, HighDigitBits, reduction_i.excess,
          1'b0);
    t_low_q    <= t_i[DigitBits-1:0];
    digit_q    <= digit_d;
    t_middle_q <= t_low_q[DigitBits-1:MontgomeryWord];
    carry_q    <= digit_q[DigitBits-1:MontgomeryWord] < t_middle_q;
    carry      <= carry_q;
  end

  // ---- c m: two cycles ----
  scaled_t scaled;

  if (!Last || BuildPrecise) begin : gen_mapped
    scaled_t scaled_1_q, scaled_2_q;
    logic negative, negative_1_q;

    // A negative digit adds one above the bits that the division drops.
    assign negative = Last && digit_q[DigitBits-1];

    always_ff @(posedge clk_i) begin
      negative_1_q <= negative;
      scaled_1_q   <=
          ScaledBits'(signed'({negative, digit_q}) * signed'({1'b0, reduction_i.excess}));
      scaled_2_q   <= scaled_1_q + (ScaledBits'({1'b0, negative_1_q}) << HighDigitBits);
    end

    assign scaled = scaled_2_q;
  end else begin : gen_logic
    localparam int unsigned Quarter = DigitBits / 4;

    scaled_t quarter_q[4], scaled_q;
    logic negative;

    // The top bit counts -2^(D - 1): c is subtracted there. Such a digit adds one above the bits
    // that the division drops.
    assign negative = digit_q[DigitBits-1];

    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < 3; i++) begin
        quarter_q[i] <= times(digit_q, i * Quarter, (i + 1) * Quarter, reduction_i.excess,
            negative);
      end
      quarter_q[3] <= joined(
          times(digit_q, 3 * Quarter, DigitBits - 1, reduction_i.excess, 1'b0),
          ~masked(reduction_i.excess, negative), DigitBits - 1, 1'b1);
      scaled_q     <= joined(joined(quarter_q[0], quarter_q[1] >>> Quarter, Quarter, 1'b0),
          joined(quarter_q[2], quarter_q[3] >>> 3 * Quarter, 3 * Quarter, 1'b0) >>> 2 * Quarter,
          2 * Quarter, 1'b0);
    end

    assign scaled = scaled_q;
  end

  // ---- m 2^(k - D), and the sums ----
  // A shift is an or of registers; all but one are reset. Copies of the digit are shifted by up to
  // three places, the operand of the subtraction by multiples of four.
  typedef logic signed [DigitBits+3:0] turned_t;

  logic [4:0] left;
  logic [3:0][DigitBits-1:0] copy_q;
  turned_t turned, stride_q[Strides];
  out_t shifted, rest_q;
  logic signed [KeptBits-1:0] t_kept;
  logic signed [ScaledBits-HighDigitBits-1:0] scaled_high;

  assign left = 5'(reduction_i.bits - length_t'(MinBits));

  always_comb begin
    turned  = '0;
    shifted = '0;
    for (int unsigned turn = 0; turn < 4; turn++) begin
      turned |= turned_t'(signed'({Last && copy_q[turn][DigitBits-1], copy_q[turn]})) << turn;
    end
    for (int unsigned stride = 0; stride < Strides; stride++) begin
      shifted |= out_t'(stride_q[stride]) << (4 * stride + MinShift);
    end
  end

  isopod_delay #(.Width(KeptBits), .Cycles(3)) u_high (
    .clk_i, .value_i(t_i[DigitBits+:KeptBits]), .value_o(t_kept));

  assign scaled_high = scaled[ScaledBits-1:HighDigitBits];

  always_ff @(posedge clk_i) begin
    for (int unsigned turn = 0; turn < 4; turn++) begin
      copy_q[turn] <= (left[1:0] == 2'(turn)) ? digit_d : '0;
    end
    for (int unsigned stride = 0; stride < Strides; stride++) begin
      stride_q[stride] <= (left[4:2] == 3'(stride)) ? turned : '0;
    end
    rest_q <= out_t'(t_kept) - shifted;
    out_o  <= rest_q + out_t'(scaled_high) + out_t'({1'b0, carry});
  end

  logic unused_bits;
  assign unused_bits = ^{reduction_i, scaled, sum, t_i};

  // The carry of a negative digit needs a bit of c m that is not the first of its quarter.
  if (Last && (DigitBits % 4 != 0 || HighDigitBits % (DigitBits / 4) == 0)) begin : gen_check
    $fatal(1, "a last digit of four quarters, what is divided not at the beginning of one");
  end

endmodule
