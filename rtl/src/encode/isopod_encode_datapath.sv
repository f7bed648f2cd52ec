// Arithmetic of the encode on borrowed multipliers: one complex product per beat, exactly as in
// spec/ckks.md section 4.
//
// Every beat multiplies one complex point by a root. Its kind decides the operand and the sums:
//   B, C, D  the three products of a radix-4 butterfly; a radix-2 butterfly has B alone (with one
//            lane C and D are zero). B opens with the rounded first point, C and D accumulate the
//            four outputs
//   Q        D T(4k) of the post twist; then S - iQ and S + iQ
//   V, W     the last products of the post twist, for k and for k' = M - k; with complex slots,
//            for the points k and k + M themselves
// A decoding takes points whole and multiplies by four before the products. Its pre-twist has V and
// W of folded coefficients, then Q of their sums (isopod_encode_points). In words of 64 bits all
// points come times four already, so that the first one is divided as by an encode.
// Fewer than four lanes take BeatCycles = 4 / Lanes cycles for the four real products.
module isopod_encode_datapath
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  // 64: two products a cycle, the sums as with one lane, and its parameter is 1
  parameter int unsigned Word = 32,
  parameter int unsigned ProductLatency = 3,
  parameter bit Decode = 1'b0,
  parameter bit Complex = 1'b0,
  localparam bit Pairs = Word > 32,
  localparam int unsigned Used = Pairs ? 2 : (Lanes > 4) ? 4 : Lanes,
  localparam int unsigned BeatCycles = 4 / Used,
  localparam int unsigned SumBits = Word + 1,   // of a sum of two words, and of a root
  localparam int unsigned LineBits = Word + 2,  // of two sums
  localparam int unsigned SubBits = (BeatCycles == 1) ? 1 : $clog2(BeatCycles),
  localparam int unsigned Points = (Lanes == 1) ? 1 : 4
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic active_i,                  // operands are zero without

  // cycle 0: a point is captured
  input  logic first_load_i,              // into the first point
  input  logic [1:0][Word-1:0] first_i,   // imaginary, real
  input  logic other_load_i,              // into the other point
  input  logic [1:0][Word-1:0] other_i,
  // cycle 1: a beat's operand is taken, from the other point, the difference or the sums; its root
  // is there
  input  beat_e beat_i,
  input  beat_e next_beat_i,              // the beat of the next cycle
  input  logic half_i,                    // radix 2: the first point is halved, not quartered
  input  logic pair_i,                    // post twist: the first point is taken whole
  input  logic complex_i,                 // complex slots: V and W take the other point
  input  logic decode_i,                  // decoding: the first point whole, the others times four
  input  logic pre_i,                     // its pre-twist
  // 64 bits, its first pass: the real parts of B and D come as complements, and roots are 1
  input  logic complements_i,
  input  logic [1:0][Word-1:0] folded_i,  // a cycle before its beat V or W: imaginary, real
  output logic beyond_o,                  // a decoded word is out of range
  input  logic signed [Word-1:0] root_real_i,
  input  logic signed [Word-1:0] root_imaginary_i,
  // cycle 2: the multipliers' operands
  output logic [Used-1:0][LineBits-1:0] operand_a_o,
  output logic [Used-1:0][SumBits-1:0] operand_b_o,
  input  logic [Used-1:0][2*Word-1:0] product_i,

  // FFT outputs y0..y3, (imaginary, real); stable from the third cycle after fft_soon_o to the
  // fourth, those of radix 2 for BeatCycles. With one lane yt alone in the cycle 3 + t after
  // fft_soon_o.
  input  logic long_i,                    // four lanes: points of 64 bits take their place
  input  logic [1:0][63:0] long_point_i,
  input  logic long_four_i,               // of a decoding
  input  logic long_complement_i,
  output logic fft_soon_o,
  output logic [Points-1:0][1:0][Word-1:0] fft_o,
  output logic complement_o,              // 64 bits: the real part stands as its complement
  // post twist: y of kind V or W, (imaginary, real), value times 2^(2 Word)
  output beat_e twist_o,
  output logic [1:0][2*Word-1:0] twist_value_o
);

  // ---- points, sums and differences ----
  logic signed [1:0][Word-1:0] first_q, other_q;
  logic signed [1:0][Word-1:0] scaled; // the first point, for a butterfly its half or quarter
  logic [1:0] round;
  logic [1:0][LineBits-1:0] plus, minus; // (imaginary, real)
  beat_e beat_q;
  logic decode, pre;

  assign decode = Decode && decode_i;
  assign pre    = Decode && pre_i;

  logic signed [SumBits-1:0] sum_real_q, sum_imaginary_q, difference_real, difference_imaginary;

  // Both points stay for two cycles or more, with one lane for ten. So the scaled point may come
  // later.
  localparam int unsigned ScaleCycles = (Lanes == 1) ? 2 : 1;

  if (Lanes == 1) begin : gen_shift
    logic [1:0] since_q, out_q; // cycles since the load; what left last
    logic shift;

    assign shift = !pair_i && (since_q[0] || (since_q[1] && (!half_i || decode)));

    always_ff @(posedge clk_i) begin
      since_q <= {since_q[0], first_load_i};
      for (int unsigned part = 0; part < 2; part++) begin
        if (first_load_i) first_q[part] <= first_i[part];
        else if (shift) first_q[part] <= signed'(first_q[part]) >>> 1;
        if (first_load_i || shift) out_q[part] <= !pair_i && first_q[part][0];
        if (pre) {first_q[part], out_q[part]} <= '0;
      end
    end

    assign scaled = first_q;
    assign round  = out_q;
  end else begin : gen_scale
    logic signed [1:0][Word-1:0] scaled_q;
    logic [1:0] round_q;

    always_ff @(posedge clk_i) begin
      if (pre) begin
        if (next_beat_i == BeatQ) first_q <= {plus[0][Word-1:0], minus[1][Word-1:0]};
      end else if (first_load_i) begin
        first_q <= first_i;
      end
      for (int unsigned part = 0; part < 2; part++) begin
        scaled_q[part] <= (pair_i || decode) ? signed'(first_q[part]) :
            half_i ? signed'(first_q[part]) >>> 1 : signed'(first_q[part]) >>> 2;
        round_q[part]  <= !pair_i && !decode && (half_i ? first_q[part][0] : first_q[part][1]);
      end
    end

    assign scaled = scaled_q;
    assign round  = round_q;
  end

  logic [1:0][Word-1:0] folded_q; // pairs: folded words of V and W

  // Post twist: S and D of a point and its mirror image. Otherwise S is the rounded first point.
  logic signed [Word-1:0] mirror_real, mirror_imaginary;

  if (Pairs) begin : gen_pair_points
    // In a pre-twist points are zero. The exchanged parts of V + conj V', which stand two cycles
    // after the beat Q, and folded words join what takes points otherwise.
    logic joins_q;
    logic [1:0][Word-1:0] joined;

    assign joined           = joins_q ? {plus[0][Word-1:0], plus[1][Word-1:0]} : '0;
    assign mirror_real      = (pair_i ? signed'(other_q[0]) : '0) | signed'(joined[0]);
    assign mirror_imaginary = (pair_i ? signed'(other_q[1]) : '0) | signed'(joined[1]);

    always_ff @(posedge clk_i) begin
      joins_q  <= pre && beat_q == BeatQ;
      folded_q <= folded_i;
      if (!(pre && next_beat_i inside {BeatV, BeatW})) folded_q <= '0;
      if (other_load_i) other_q <= other_i;
      if (pre) other_q <= '0;
    end
  end else begin : gen_other_point
    assign folded_q         = '0;
    assign mirror_real      = pair_i ? signed'(other_q[0]) : '0;
    assign mirror_imaginary = pair_i ? signed'(other_q[1]) : '0;

    always_ff @(posedge clk_i) begin
      if (pre) begin
        if (next_beat_i == BeatQ) other_q <= {plus[1][Word-1:0], minus[0][Word-1:0]};
        else if (next_beat_i != BeatNone) other_q <= folded_i;
      end else if (other_load_i) begin
        for (int unsigned part = 0; part < 2; part++) begin
          other_q[part] <= decode ? other_i[part] << 2 : other_i[part];
        end
      end
    end
  end

  if (Lanes == 1) begin : gen_one_sum
    // D stands here first, then S once Q has taken D.
    // Additions by one subtraction, as in sum_of of isopod_pkg.
    function automatic logic [LineBits-1:0] line_sum(logic [LineBits-1:0] computed,
        logic [LineBits-1:0] plain, logic carry);
      return LineBits'(({plain, 1'b0} - ~{computed, carry}) >> 1);
    endfunction

    logic difference_q;
    logic [LineBits-1:0] sum_real, sum_imaginary;

    assign sum_real =
        line_sum(LineBits'(mirror_real) ^ {LineBits{difference_q}},
        LineBits'(signed'(scaled[0])), round[0] || difference_q);
    assign sum_imaginary =
        line_sum(LineBits'(mirror_imaginary) ^ {LineBits{pair_i && !difference_q}},
        LineBits'(signed'(scaled[1])), round[1] || (pair_i && !difference_q));

    always_ff @(posedge clk_i) begin
      if (first_load_i) difference_q <= pair_i;
      else if (beat_i == BeatQ) difference_q <= 1'b0;
      sum_real_q      <= signed'(sum_real[SumBits-1:0]);
      sum_imaginary_q <= signed'(sum_imaginary[SumBits-1:0]);
    end

    assign difference_real      = sum_real_q;
    assign difference_imaginary = sum_imaginary_q;
    logic unused_sum;
    assign unused_sum = ^{sum_real[LineBits-1], sum_imaginary[LineBits-1]};
  end else begin : gen_sums
    logic signed [SumBits-1:0] difference_real_q, difference_imaginary_q;

    always_ff @(posedge clk_i) begin
      sum_real_q             <= SumBits'(mirror_real) + SumBits'(signed'(scaled[0])) +
          SumBits'(signed'({1'b0, round[0]}));
      sum_imaginary_q        <= SumBits'(signed'(mirror_imaginary ^ {Word{pair_i}})) +
          SumBits'(signed'(scaled[1])) +
                                SumBits'(signed'({1'b0, round[1] || pair_i}));
      difference_real_q      <= SumBits'(signed'(first_q[0])) - SumBits'(signed'(other_q[0]));
      difference_imaginary_q <= SumBits'(signed'(first_q[1])) + SumBits'(signed'(other_q[1]));
      if (pre && beat_q != BeatQ) {sum_real_q, sum_imaginary_q} <= '0;
    end

    assign difference_real      = difference_real_q;
    assign difference_imaginary = difference_imaginary_q;
  end

  // ---- operand of the beat ----
  logic [1:0][LineBits-1:0] operand, point_operand, sum_operand; // (real, imaginary)
  logic [1:0] choice_q;
  logic beat_valid_q;
  logic signed [LineBits-1:0] x_real_q, x_imaginary_q;
  logic signed [SumBits-1:0] t_real_q, t_imaginary_q;
  logic [SubBits-1:0] sub_q;

  always_ff @(posedge clk_i) begin
    // Radix 2 halves the second point by a product with 2^(Word-1). A decoding keeps it: the point
    // times four is multiplied by 2^(Word-2). C and D add nothing.
    if (!active_i || half_i) {t_real_q, t_imaginary_q} <= '0;
    else if (beat_valid_q) begin
      {t_real_q, t_imaginary_q} <= {SumBits'(root_real_i), SumBits'(root_imaginary_i)};
    end
    if (active_i && half_i) begin
      t_real_q[Word-1] <= !decode &&
          ((beat_i == BeatB) || (beat_i == BeatNone && t_real_q[Word-1]));
      t_real_q[Word-2] <= decode &&
          ((beat_i == BeatB) || (beat_i == BeatNone && t_real_q[Word-2]));
    end
    // Minus the complement and a rest, which rounding drops: only the real product is negated.
    if (Pairs && Decode && complements_i) begin
      t_real_q[Word:Word-1] <= {2{beat_i inside {BeatB, BeatD}}};
    end
    if (!active_i) {x_real_q, x_imaginary_q} <= '0;
    else if (beat_valid_q) begin
      {x_real_q, x_imaginary_q} <= operand |
          {LineBits'(signed'(folded_q[0])), LineBits'(signed'(folded_q[1]))};
    end
  end

  // Selects and enables are registers, so that a bit of an operand is one LUT.
  always_ff @(posedge clk_i) choice_q <=
      (pre || (Complex && complex_i)) ? {2{Pairs && next_beat_i == BeatQ}} :
      {next_beat_i inside {BeatV, BeatW}, next_beat_i inside {BeatQ, BeatW}};

  assign point_operand = choice_q[0] ?
      {LineBits'(difference_real), LineBits'(difference_imaginary)} :
      {LineBits'(signed'(other_q[0])), LineBits'(signed'(other_q[1]))};
  assign sum_operand   = choice_q[0] ? {minus[0], plus[1]} : {minus[1], plus[0]};
  assign operand       = choice_q[1] ? sum_operand : point_operand;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q <= BeatNone;
      sub_q  <= '0;
      beat_valid_q <= 1'b0;
    end else if (clear_i) begin
      beat_q <= BeatNone;
      sub_q  <= '0;
      beat_valid_q <= 1'b0;
    end else begin
      beat_valid_q <= next_beat_i != BeatNone;
      beat_q <= beat_i;
      sub_q  <= (beat_i != BeatNone) ? '0 : sub_q + 1'b1;
    end
  end

  // ---- products: real*real, imaginary*imaginary, real*imaginary, imaginary*real ----
  localparam int unsigned ProductDelay = ProductLatency + BeatCycles - 1;
  beat_e beat_product, beat_low_q, beat_z_q;
  logic [ProductDelay-1:0][$bits(beat_e)-1:0] beat_line_q;
  logic [1:0][Word-1:0] z, low; // (imaginary, real)
  logic [1:0] late;

  if (BeatCycles == 1) begin : gen_four
    assign operand_a_o = {x_imaginary_q, x_real_q, x_imaginary_q, x_real_q};
    assign operand_b_o = {t_real_q, t_imaginary_q, t_imaginary_q, t_real_q};
    isopod_encode_complex u_complex (
      .clk_i, .exact_i(pair_i || pre), .products_i(product_i), .z_o(z), .low_o(low),
      .late_o(late));
    logic unused_sub;
    assign unused_sub = ^sub_q;
  end else if (BeatCycles == 2 && !Pairs) begin : gen_two
    logic [1:0][2*Word-1:0] early_q;
    assign operand_a_o = {x_imaginary_q, x_real_q};
    assign operand_b_o = sub_q[0] ? {t_real_q, t_imaginary_q} : {t_imaginary_q, t_real_q};
    always_ff @(posedge clk_i) early_q <= product_i;
    isopod_encode_complex u_complex (
      .clk_i, .exact_i(pair_i), .products_i({product_i, early_q}), .z_o(z), .low_o(low),
      .late_o(late));
  end else if (Pairs) begin : gen_pairs
    logic last_product_q; // goes with beat_product
    always_ff @(posedge clk_i) last_product_q <= beat_line_q[ProductDelay-2] != BeatNone;
    assign operand_a_o = {x_imaginary_q, x_real_q};
    assign operand_b_o = (sub_q[0] ^ pre) ? {t_real_q, t_imaginary_q} : {t_imaginary_q, t_real_q};
    isopod_encode_complex_serial #(.Word(Word), .Pairs(1'b1)) u_complex (
      .clk_i, .exact_i(pair_i || pre), .exchanged_i(pre), .last_i(last_product_q),
      .product_i(product_i[Used-1]), .first_i(product_i[0]), .z_o(z), .low_o(low), .late_o(late));
  end else begin : gen_one
    logic last_product_q; // goes with beat_product
    always_ff @(posedge clk_i) last_product_q <= beat_line_q[ProductDelay-2] != BeatNone;
    assign operand_a_o[0] = sub_q[0] ? x_imaginary_q : x_real_q;
    assign operand_b_o[0] = (sub_q[0] ^ sub_q[1]) ? t_imaginary_q : t_real_q;
    isopod_encode_complex_serial #(.Word(Word)) u_complex (
      .clk_i, .exact_i(pair_i), .exchanged_i(1'b0), .last_i(last_product_q),
      .product_i(product_i[0]), .first_i('0), .z_o(z),
      .low_o(low), .late_o(late));
  end


  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_line_q <= '0;
      beat_low_q  <= BeatNone;
      beat_z_q    <= BeatNone;
    end else if (clear_i) begin
      beat_line_q <= '0;
      beat_low_q  <= BeatNone;
      beat_z_q    <= BeatNone;
    end else begin
      beat_line_q[0] <= beat_q;
      for (int unsigned cycle = 1; cycle < ProductDelay; cycle++) begin
        beat_line_q[cycle] <= beat_line_q[cycle-1];
      end
      beat_low_q <= beat_product;
      beat_z_q   <= beat_low_q;
    end
  end

  assign beat_product = beat_e'(beat_line_q[ProductDelay-1]);

  // ---- sums behind the products ----
  logic [2*Word+1:0] line_value;

  isopod_delay #(.Width(2 * Word + 2), .Cycles(ProductDelay + 2 - ScaleCycles)) u_line (
    .clk_i, .value_i({sum_imaginary_q, sum_real_q}), .value_o(line_value));

  if (Lanes == 1) begin : gen_serial
    logic unused_long;
    assign unused_long = ^{long_i, long_point_i, long_four_i, long_complement_i};

    isopod_encode_points_serial #(.Word(Word), .Pairs(Pairs)) u_points (
      .clk_i, .rst_ni, .clear_i, .active_i, .pair_i, .half_i, .pre_i(pre), .decode_i(decode),
      .next_i(beat_i), .beat_i(beat_z_q),
      .next_beat_i(beat_low_q), .line_i(line_value),
      .z_i(z), .low_i({low[1][Word-1:Word-3], low[0][Word-1:Word-3]}), .late_i(late),
      .sum_o(plus), .fft_soon_o, .fft_o(fft_o[0]), .complement_o, .beyond_o);
    assign minus = plus;
  end else begin : gen_parallel
    assign complement_o = 1'b0;
    isopod_encode_points u_points (
      .clk_i, .half_i(half_i || pre), .pre_i(pre), .decode_i(decode), .beat_i(beat_z_q),
      .next_beat_i(beat_low_q), .line_i(line_value), .z_i(z),
      .low_i({low[1][Word-1:Word-3], low[0][Word-1:Word-3]}), .late_i(late), .long_i,
      .long_point_i, .long_four_i, .long_complement_i, .plus_o(plus),
      .minus_o(minus), .fft_soon_o, .fft_o, .beyond_o);
  end

  assign twist_o       = (!pre && beat_z_q inside {BeatV, BeatW}) ? beat_z_q : BeatNone;
  assign twist_value_o = {z[1], low[1], z[0], low[0]};

endmodule
