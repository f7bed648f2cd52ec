// One round of a wide Montgomery reduction: out = (t - m q) / 2^D, D = DigitBits, for
// q = 2^k - c 2^13 + 1. Latency 5.
//
// The digit: 1/q = 1 + c 2^13 modulo 2^26, so m = t + (c t mod 2^(D - 13)) 2^13 modulo 2^D; without
// sign, but in the last round. Then c m = c t modulo 2^(D - 13), and what is divided drops out:
//   out = floor(t / 2^D) + carry + floor(c m / 2^(D - 13)) - m 2^(k - D)
// with the carry of the sum that made m, and one more for a digit that is negative.
module isopod_montgomery_round_wide
  import isopod_pkg::*;
#(
  parameter int unsigned DigitBits = 24,  // at most 24: c m is then one DSP block
  parameter bit Last = 1'b0,              // a signed digit, and c m in logic
  parameter bit Plain = 1'b0,             // also for moduli of plaintexts
  parameter int unsigned InBits = 112,
  parameter int unsigned OutBits = 88
) (
  input  logic                      clk_i,
  input  logic signed [InBits-1:0]  t_i,
  input  reduction_t                reduction_i,
  output logic signed [OutBits-1:0] out_o
);

  localparam int unsigned HighDigitBits = DigitBits - MontgomeryWord; // of m, above t's own
  localparam int unsigned DigitTurns = (HighDigitBits + 1) / 2;
  localparam int unsigned Turns = (DigitBits + 1) / 2;
  localparam int unsigned MinBits = Plain ? PlainModulusBits : MinModulusBits;
  localparam int unsigned MinShift = MinBits - DigitBits;
  localparam int unsigned ScaledBits = DigitBits + ExcessBits + 1;
  localparam int unsigned ShiftedBits = DigitBits + 16;
  // of t that come through
  localparam int unsigned KeptBits = (InBits - DigitBits < OutBits) ? InBits - DigitBits : OutBits;

  typedef logic [HighDigitBits-1:0] high_digit_t;
  typedef logic signed [ScaledBits-1:0] scaled_t;
  typedef logic signed [OutBits-1:0] out_t;

  typedef logic [ExcessBits+1:0] multiple_t;

  // c times two bits.
  function automatic multiple_t times(logic [1:0] bits, multiple_t multiple_1,
      multiple_t multiple_3);
    unique case (bits)
      2'd0: return '0;
      2'd1: return multiple_1;
      2'd2: return multiple_1 << 1;
      default: return multiple_3;
    endcase
  endfunction

  multiple_t once, thrice;

  assign once   = multiple_t'(reduction_i.excess);
  assign thrice = reduction_i.excess_3;

  // ---- digit: two cycles ----
  high_digit_t low_part_q, high_part_q;
  logic [DigitBits-1:0] t_low_q;
  logic [DigitBits-1:0] digit_q;
  logic [HighDigitBits-1:0] t_middle_q;
  logic carry_q, carry, negative;
  logic [2*DigitTurns-1:0] t_turns;

  assign t_turns = (2 * DigitTurns)'(t_i[HighDigitBits-1:0]);

  function automatic high_digit_t part(logic [2*DigitTurns-1:0] bits, int unsigned from,
      int unsigned past, multiple_t multiple_1, multiple_t multiple_3);
    high_digit_t sum;
    sum = '0;
    for (int unsigned turn = 0; turn < DigitTurns; turn++) begin
      if (turn >= from && turn < past) begin
        sum = sum + (high_digit_t'(times(bits[2*turn+:2], multiple_1, multiple_3)) << 2 * turn);
      end
    end
    return sum;
  endfunction

  always_ff @(posedge clk_i) begin
    low_part_q  <= part(t_turns, 0, DigitTurns / 2, once, thrice);
    high_part_q <= part(t_turns, DigitTurns / 2, DigitTurns, once, thrice);
    t_low_q     <= t_i[DigitBits-1:0];
    digit_q     <= {t_low_q[DigitBits-1:MontgomeryWord] + low_part_q + high_part_q,
                    t_low_q[MontgomeryWord-1:0]};
    t_middle_q  <= t_low_q[DigitBits-1:MontgomeryWord];
    carry_q     <= digit_q[DigitBits-1:MontgomeryWord] < t_middle_q;
    carry       <= carry_q;
  end

  assign negative = Last && digit_q[DigitBits-1];

  // ---- c m: two cycles ----
  scaled_t scaled;

  if (!Last) begin : gen_mapped
    scaled_t scaled_1_q, scaled_2_q;

    always_ff @(posedge clk_i) begin
      scaled_1_q <= ScaledBits'(signed'({1'b0, digit_q}) * signed'({1'b0, reduction_i.excess}));
      scaled_2_q <= scaled_1_q;
    end

    assign scaled = scaled_2_q;
  end else begin : gen_logic
    scaled_t lower_q, middle_q, upper_q, scaled_q;
    logic [2*Turns-1:0] digit_turns;

    assign digit_turns = (2 * Turns)'(digit_q);

    function automatic scaled_t turns(logic [2*Turns-1:0] bits, int unsigned from,
        int unsigned past, multiple_t multiple_1, multiple_t multiple_3);
      scaled_t sum;
      sum = '0;
      for (int unsigned turn = 0; turn < Turns; turn++) begin
        if (turn >= from && turn < past) begin
          sum = sum + (scaled_t'({1'b0, times(bits[2*turn+:2], multiple_1, multiple_3)}) <<
              2 * turn);
        end
      end
      return sum;
    endfunction

    // The sign bit counts -2^(D - 1): twice its place less than as a digit without sign. Its carry
    // comes in above what is divided.
    always_ff @(posedge clk_i) begin
      lower_q  <= turns(digit_turns, 0, Turns / 3, once, thrice) +
          (scaled_t'({1'b0, negative}) << HighDigitBits);
      middle_q <= turns(digit_turns, Turns / 3, 2 * Turns / 3, once, thrice);
      upper_q  <= turns(digit_turns, 2 * Turns / 3, Turns, once, thrice) -
          (negative ? scaled_t'({1'b0, reduction_i.excess}) << DigitBits : '0);
      scaled_q <= lower_q + middle_q + upper_q;
    end

    assign scaled = scaled_q;
  end

  // ---- m 2^(k - D), and the sums ----
  logic signed [ShiftedBits-1:0] shifted_d, shifted_q;
  logic signed [KeptBits-1:0] t_kept;
  out_t rest_q;
  logic signed [ScaledBits-HighDigitBits-1:0] scaled_high;

  isopod_delay #(.Width(KeptBits), .Cycles(3)) u_high (
    .clk_i, .value_i(t_i[DigitBits+:KeptBits]), .value_o(t_kept));

  logic unused_bits;
  assign unused_bits = ^{reduction_i, scaled, t_i};

  assign scaled_high = scaled[ScaledBits-1:HighDigitBits];

  // The smallest shifts first, and that by 16 in the operand of the subtraction.
  logic [4:0] left;
  logic signed [DigitBits+3:0] turned;

  assign left = 5'(reduction_i.bits - length_t'(MinBits));

  always_comb begin
    unique case (left[1:0])
      2'd0:    turned = (DigitBits + 4)'(signed'({negative, digit_q}));
      2'd1:    turned = (DigitBits + 4)'(signed'({negative, digit_q, 1'd0}));
      2'd2:    turned = (DigitBits + 4)'(signed'({negative, digit_q, 2'd0}));
      default: turned = signed'({negative, digit_q, 3'd0});
    endcase
    unique case (left[3:2])
      2'd0:    shifted_d = ShiftedBits'(turned);
      2'd1:    shifted_d = ShiftedBits'(signed'({turned, 4'd0}));
      2'd2:    shifted_d = ShiftedBits'(signed'({turned, 8'd0}));
      default: shifted_d = signed'({turned, 12'd0});
    endcase
  end

  always_ff @(posedge clk_i) begin
    shifted_q <= shifted_d;
    rest_q    <= out_t'(t_kept) - ((left[4] ? out_t'(signed'({shifted_q, 16'd0}))
                                            : out_t'(shifted_q)) << MinShift);
    out_o     <= rest_q + out_t'(scaled_high) + out_t'({1'b0, carry});
  end

endmodule
