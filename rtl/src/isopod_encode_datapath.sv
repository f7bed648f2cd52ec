// Arithmetic of the encode on borrowed multipliers: one complex product per beat, exactly as spec/ckks.md section 4.
//
// Every beat multiplies one complex point by a root; what happens before and after depends on its kind:
//   B, C, D  the three products of a radix-4 butterfly (or B of a radix-2 one, C and D being zero): B opens with the
//            rounded first point, C and D accumulate the four outputs
//   Q        D T(4k) of the post twist; then S - iQ and S + iQ
//   V, W     the last products of the post twist, for k and for k' = M - k
// Lanes < 4 take BeatCycles = 4 / Lanes cycles over the four real products.
// Roundings: mulr needs p >> 32 plus bit 31, and for a negated product minus (bit 31 and any lower bit); the second of the two
// carries of a sum rides along as a late carry into the next adder.
module isopod_encode_datapath
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned ProductLatency = 3,
  localparam int unsigned Used = (Lanes > 4) ? 4 : Lanes,
  localparam int unsigned BeatCycles = 4 / Used,
  localparam int unsigned SubBits = (BeatCycles == 1) ? 1 : $clog2(BeatCycles),
  localparam int unsigned Points = (Lanes == 1) ? 1 : 4
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic active_i,                  // operands are zero without

  // cycle 0: a point is captured
  input  logic first_load_i,              // into the first point
  input  logic [1:0][31:0] first_i,       // imaginary, real
  input  logic other_load_i,              // into the other point
  input  logic [1:0][31:0] other_i,
  // cycle 1: a beat's operand is taken, from the other point, the difference or the sums; its root is there
  input  beat_e beat_i,
  input  beat_e next_beat_i,              // that of the next cycle
  input  logic half_i,                    // radix 2: the first point is halved, not quartered
  input  logic pair_i,                    // post twist: the first point is taken whole
  input  logic signed [31:0] root_real_i,
  input  logic signed [31:0] root_imaginary_i,
  // cycle 2: the multipliers' operands
  output logic [Used-1:0][33:0] operand_a_o,
  output logic [Used-1:0][32:0] operand_b_o,
  input  logic [Used-1:0][63:0] product_i,

  // FFT outputs y0..y3, (imaginary, real); stable for 3 BeatCycles from the second cycle after fft_soon_o. With one lane
  // yt alone in the cycle 3 + t after fft_soon_o.
  output logic fft_soon_o,
  output logic [Points-1:0][1:0][31:0] fft_o,
  // post twist: y of kind V or W, (imaginary, real), value times 2^64
  output beat_e twist_o,
  output logic [1:0][63:0] twist_value_o
);

  // ---- points, sums and differences ----
  logic signed [1:0][31:0] first_q, other_q;
  logic signed [1:0][31:0] scaled_q; // the first point, for a butterfly its half or quarter
  logic [1:0] round_q;
  logic signed [32:0] sum_real_q, sum_imaginary_q, difference_real_q, difference_imaginary_q;

  // Both points stay for two cycles or more, so that the scaled one may come a cycle later than the other.
  always_ff @(posedge clk_i) begin
    for (int unsigned part = 0; part < 2; part++) begin
      scaled_q[part] <= pair_i ? signed'(first_q[part]) : half_i ? signed'(first_q[part]) >>> 1 : signed'(first_q[part]) >>> 2;
      round_q[part]  <= !pair_i && (half_i ? first_q[part][0] : first_q[part][1]);
    end
  end

  // Post twist: S and D of a point and its mirror image. Otherwise S is the rounded first point.
  logic signed [31:0] mirror_real, mirror_imaginary;
  assign mirror_real      = pair_i ? signed'(other_q[0]) : 32'sd0;
  assign mirror_imaginary = pair_i ? ~signed'(other_q[1]) : 32'sd0; // and a carry

  always_ff @(posedge clk_i) begin
    if (first_load_i) first_q <= first_i;
    if (other_load_i) other_q <= other_i;
    sum_real_q             <= 33'(mirror_real) + 33'(signed'(scaled_q[0])) + 33'(signed'({1'b0, round_q[0]}));
    sum_imaginary_q        <= 33'(mirror_imaginary) + 33'(signed'(scaled_q[1])) + 33'(signed'({1'b0, round_q[1] || pair_i}));
    difference_real_q      <= 33'(signed'(first_q[0])) - 33'(signed'(other_q[0]));
    difference_imaginary_q <= 33'(signed'(first_q[1])) + 33'(signed'(other_q[1]));
  end

  // ---- operand of the beat ----
  logic [1:0][33:0] plus, minus; // (imaginary, real)
  logic [1:0][33:0] operand, point_operand, sum_operand; // (real, imaginary)
  logic [1:0] choice_q;
  logic beat_valid_q;
  logic signed [33:0] x_real_q, x_imaginary_q;
  logic signed [32:0] t_real_q, t_imaginary_q;
  beat_e beat_q;
  logic [SubBits-1:0] sub_q;

  always_ff @(posedge clk_i) begin
    // Radix 2: the second point is halved, which is a product with 2^31; C and D add nothing.
    if (!active_i || half_i) {t_real_q, t_imaginary_q} <= '0;
    else if (beat_valid_q) {t_real_q, t_imaginary_q} <= {33'(root_real_i), 33'(root_imaginary_i)};
    if (active_i && half_i) t_real_q[31] <= (beat_i == BeatB) || (beat_i == BeatNone && t_real_q[31]);
    if (!active_i) {x_real_q, x_imaginary_q} <= '0;
    else if (beat_valid_q) {x_real_q, x_imaginary_q} <= operand;
  end

  // Selects and enables are registers, so that a bit of an operand is one LUT.
  always_ff @(posedge clk_i) choice_q <= {next_beat_i inside {BeatV, BeatW}, next_beat_i inside {BeatQ, BeatW}};

  assign point_operand = choice_q[0] ? {34'(difference_real_q), 34'(difference_imaginary_q)}
                                     : {34'(signed'(other_q[0])), 34'(signed'(other_q[1]))};
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
  logic [3:0][63:0] products;

  if (BeatCycles == 1) begin : gen_four
    assign operand_a_o = {x_imaginary_q, x_real_q, x_imaginary_q, x_real_q};
    assign operand_b_o = {t_real_q, t_imaginary_q, t_imaginary_q, t_real_q};
    assign products    = product_i;
    logic unused_sub;
    assign unused_sub = ^sub_q;
  end else if (BeatCycles == 2) begin : gen_two
    logic [1:0][63:0] early_q;
    assign operand_a_o = {x_imaginary_q, x_real_q};
    assign operand_b_o = sub_q[0] ? {t_real_q, t_imaginary_q} : {t_imaginary_q, t_real_q};
    always_ff @(posedge clk_i) early_q <= product_i;
    assign products = {product_i, early_q};
  end else begin : gen_one
    logic [2:0][63:0] early_q;
    assign operand_a_o[0] = sub_q[0] ? x_imaginary_q : x_real_q;
    assign operand_b_o[0] = (sub_q[0] ^ sub_q[1]) ? t_imaginary_q : t_real_q;
    always_ff @(posedge clk_i) early_q <= {product_i[0], early_q[2:1]};
    assign products = {product_i[0], early_q};
  end

  // ---- kinds along the way ----
  beat_e beat_product, beat_low_q, beat_z_q;
  logic [ProductDelay-1:0][$bits(beat_e)-1:0] beat_line_q;

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
      for (int unsigned cycle = 1; cycle < ProductDelay; cycle++) beat_line_q[cycle] <= beat_line_q[cycle-1];
      beat_low_q <= beat_product;
      beat_z_q   <= beat_low_q;
    end
  end

  assign beat_product = beat_e'(beat_line_q[ProductDelay-1]);

  // ---- z = x T: low words first, then high words ----
  logic [32:0] low_real_q, low_imaginary_q;
  logic [3:0][31:0] high_q;
  logic late_real_1_q, late_imaginary_1_q, negated_1_q, bit_1_q;
  logic [31:0] low_real_2_q, low_imaginary_2_q;
  logic [31:0] z_real_q, z_imaginary_q;
  logic late_real_q, late_imaginary_q;
  logic exact_low; // Q, V, W: exact differences; B, C, D: every product rounded on its own
  logic carry_real, carry_imaginary;

  assign exact_low       = beat_low_q inside {BeatQ, BeatV, BeatW};
  assign carry_real      = exact_low ? low_real_q[32] : !negated_1_q;
  assign carry_imaginary = exact_low ? low_imaginary_q[32] : bit_1_q;

  always_ff @(posedge clk_i) begin
    low_real_q         <= {1'b0, ~products[1][31:0]} + {1'b0, products[0][31:0]} + 33'd1;
    low_imaginary_q    <= {1'b0, products[2][31:0]} + {1'b0, products[3][31:0]};
    late_real_1_q      <= products[0][31];
    negated_1_q        <= products[1][31] && (products[1][30:0] != '0);
    bit_1_q            <= products[2][31];
    late_imaginary_1_q <= products[3][31];
    for (int unsigned index = 0; index < 4; index++) high_q[index] <= products[index][63:32];
    z_real_q           <= ~high_q[1] + high_q[0] + 32'(carry_real);
    z_imaginary_q      <= high_q[2] + high_q[3] + 32'(carry_imaginary);
    low_real_2_q       <= low_real_q[31:0];
    low_imaginary_2_q  <= low_imaginary_q[31:0];
    late_real_q        <= late_real_1_q;
    late_imaginary_q   <= late_imaginary_1_q;
  end

  // ---- sums behind the products ----
  logic [65:0] line_value;

  isopod_delay #(.Width(66), .Cycles(ProductDelay + 1)) u_line (
    .clk_i, .value_i({sum_imaginary_q, sum_real_q}), .value_o(line_value));

  if (Lanes == 1) begin : gen_serial
    isopod_encode_points_serial u_points (
      .clk_i, .rst_ni, .clear_i, .pair_i, .next_i(beat_i), .beat_i(beat_z_q), .line_i(line_value), .z_i({z_imaginary_q, z_real_q}),
      .low_i({low_imaginary_2_q[31:29], low_real_2_q[31:29]}), .late_i({late_imaginary_q, late_real_q}),
      .sum_o(plus), .fft_soon_o, .fft_o(fft_o[0]));
    assign minus = plus;
  end else begin : gen_parallel
    isopod_encode_points u_points (
      .clk_i, .beat_i(beat_z_q), .line_i(line_value), .z_i({z_imaginary_q, z_real_q}),
      .low_i({low_imaginary_2_q[31:29], low_real_2_q[31:29]}), .late_i({late_imaginary_q, late_real_q}),
      .plus_o(plus), .minus_o(minus), .fft_soon_o, .fft_o);
  end

  assign twist_o       = (beat_z_q inside {BeatV, BeatW}) ? beat_z_q : BeatNone;
  assign twist_value_o = {z_imaginary_q, low_imaginary_2_q, z_real_q, low_real_2_q};

endmodule
