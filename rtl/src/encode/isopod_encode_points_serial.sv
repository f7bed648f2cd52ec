// Sums of the encode after its products as in isopod_encode_points, for one lane, whose beats come
// four cycles apart. Each level has one pair of adders. The points of a group leave one a cycle.
// Of A + z and A - z, the one for the next beat is always there.
module isopod_encode_points_serial
  import isopod_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic pair_i,                      // post twist
  input  beat_e next_i,                     // the beat whose operand is taken now
  input  beat_e beat_i,                     // the beat whose product is z
  input  logic signed [1:0][32:0] line_i,   // A, (imaginary, real)
  input  logic [1:0][31:0] z_i,
  input  logic [1:0][2:0] low_i,            // the bits below it; of Q only
  input  logic [1:0] late_i,                // its late carries
  output logic [1:0][33:0] sum_o,           // of Q: (minus, plus) for V, (plus, minus) for W
  output logic fft_soon_o,
  output logic [1:0][31:0] fft_o            // point t in the cycle 3 + t after fft_soon_o
);

  // ---- first level: kept for the four turns of a group, or for V and W ----
  logic [1:0][32:0] line_q;
  logic [1:0][33:0] to_q;
  logic [1:0] carry_q, minus_q, minus_d;
  logic [1:0][33:0] sum_q;
  logic is_q, for_w_d, for_w_q;

  assign is_q = beat_i == BeatQ;

  always_ff @(posedge clk_i) begin
    if (beat_i inside {BeatB, BeatQ}) begin
      line_q  <= line_i;
      to_q[0] <= is_q ? {z_i[1], low_i[1][2:1]} : 34'(signed'(z_i[0]));
      to_q[1] <= is_q ? {z_i[0], low_i[0][2:1]} : 34'(signed'(z_i[1]));
      carry_q <= is_q ? {low_i[0][0], low_i[1][0]} : late_i;
    end
    for (int unsigned part = 0; part < 2; part++) begin
      sum_q[part] <=
          sum34_of(to_q[part] ^ {34{minus_q[part]}}, 34'(signed'(line_q[part])), carry_q[part] ^
          minus_q[part]);
    end
  end

  assign sum_o = sum_q;

  logic [1:0] turn_q, turn_d, turn_2_q;

  assign turn_d  = (beat_i == BeatD) ? 2'd0 : turn_q + 2'd1;
  assign for_w_d = (next_i == BeatV) || (for_w_q && next_i != BeatW);
  assign minus_d = pair_i ? {!for_w_d, for_w_d} : {2{turn_d[0]}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) for_w_q <= 1'b0;
    else for_w_q <= for_w_d && !clear_i;
  end

  always_ff @(posedge clk_i) begin
    turn_q   <= turn_d;
    turn_2_q <= turn_q;
    minus_q  <= minus_d;
  end

  // ---- second level ----
  // y0 = s + (c + d), y1 = u - i (c - d), y2 = s - (c + d), y3 = u + i (c - d)
  // One late carry of c and d enters the sum or difference, the other one the next adder.
  logic [1:0][31:0] c_q, d_q, both_q;
  logic [1:0] late_c_q, late_d_q, late_q, negative;
  logic odd;

  assign odd      = turn_q[0];
  assign negative = {turn_2_q[0] ^ turn_2_q[1], turn_2_q[1]};

  always_ff @(posedge clk_i) begin
    if (beat_i == BeatC) {c_q, late_c_q} <= {z_i, late_i};
    if (beat_i == BeatD) {d_q, late_d_q} <= {z_i, late_i};
    for (int unsigned part = 0; part < 2; part++) begin
      both_q[part] <= (odd ? c_q[1-part] : c_q[part]) + (odd ? ~d_q[1-part] : d_q[part]) +
          32'(odd ? !late_d_q[1-part] : late_c_q[part]);
      late_q[part] <= odd ? late_c_q[1-part] : late_d_q[part];
      fft_o[part]  <=
          sum_of(both_q[part] ^ {32{negative[part]}}, sum_q[part][31:0], late_q[part] ^
          negative[part]);
    end
  end

  assign fft_soon_o = beat_i == BeatD;

endmodule
