// Sums of the encode after its products, for all points of a group at once: A + z and A - z, then
// the four outputs of a radix-4 butterfly, or the two of B of a radix-2 one. For Q the parts of z
// are exchanged and scaled from 2^62 to 2^32.
//
// The pre-twist of a decoding keeps V for V + V' and V - V'. Its Q takes S with exchanged parts as
// A. So both points X and X' come exchanged: (y0 real, y1 imaginary), (y1 real, y0 imaginary).
//
// A point of 64-bit words takes the place of outputs, a cycle later: its lower half that of y0, its
// upper half those of y1 real and y3 imaginary, in which it enters the sums as the first word does.
// Of a decoding it is four times the point.
module isopod_encode_points
  import isopod_pkg::*;
(
  input  logic clk_i,
  input  logic half_i,                      // radix 2, or pre-twist: two outputs
  input  logic pre_i,                       // pre-twist
  input  logic decode_i,                    // outputs have a range
  input  beat_e beat_i,                     // the beat whose product is z
  input  beat_e next_beat_i,                // the beat of the next cycle
  input  logic signed [1:0][32:0] line_i,   // A, (imaginary, real)
  input  logic [1:0][31:0] z_i,
  input  logic [1:0][2:0] low_i,            // the bits below it; of Q only
  input  logic [1:0] late_i,                // its late carries
  input  logic long_i,                      // no beats come
  input  logic [1:0][63:0] long_point_i,    // (imaginary, real); zero without `long_i`
  input  logic long_four_i,                 // it is taken times four
  input  logic long_complement_i,           // and ones come in below its real part
  output logic [1:0][33:0] plus_o,          // of B or Q
  output logic [1:0][33:0] minus_o,
  output logic fft_soon_o,
  // There in the third cycle after fft_soon_o
  output logic [3:0][1:0][31:0] fft_o,
  output logic beyond_o                     // an output is out of range
);

  logic is_q, scaled;
  beat_e beat_out;                          // the beat that opens the outputs
  logic signed [33:0] to_real, to_imaginary;
  logic carry_to_real, carry_to_imaginary;
  logic signed [33:0] plus_real_q, plus_imaginary_q, minus_real_q, minus_imaginary_q;
  logic signed [33:0] line_real, line_imaginary;

  assign is_q     = beat_i == BeatQ && !pre_i;
  assign scaled   = beat_i == BeatQ || pre_i;
  assign beat_out = pre_i ? BeatQ : half_i ? BeatB : BeatD;

  always_comb begin
    line_real      = 34'(signed'(line_i[0]));
    line_imaginary = 34'(signed'(line_i[1]));
    if (pre_i && beat_i == BeatW) begin
      line_real      = line_real | plus_real_q;
      line_imaginary = line_imaginary | plus_imaginary_q;
    end
  end

  assign to_real            = scaled ? scaled_part(is_q) : 34'(signed'(z_i[0]));
  assign to_imaginary       = scaled ? scaled_part(!is_q) : 34'(signed'(z_i[1]));
  assign carry_to_real      = scaled ? low_i[is_q][0] : late_i[0];
  assign carry_to_imaginary = scaled ? low_i[!is_q][0] : late_i[1];

  function automatic logic signed [33:0] scaled_part(logic part);
    return signed'({z_i[part], low_i[part][2:1]});
  endfunction

  always_ff @(posedge clk_i) begin
    if (beat_i inside {BeatB, BeatQ} || (pre_i && beat_i inside {BeatV, BeatW})) begin
      plus_real_q       <= signed'(sum34_of(to_real, line_real, carry_to_real));
      minus_real_q      <= signed'(sum34_of(~to_real, line_real, !carry_to_real));
      plus_imaginary_q  <= signed'(sum34_of(to_imaginary, line_imaginary, carry_to_imaginary));
      minus_imaginary_q <= signed'(sum34_of(~to_imaginary, line_imaginary, !carry_to_imaginary));
    end
    if (long_i) begin
      {plus_real_q, minus_real_q, plus_imaginary_q, minus_imaginary_q} <= '0;
    end
  end

  assign plus_o  = {plus_imaginary_q, plus_real_q};
  assign minus_o = {minus_imaginary_q, minus_real_q};

  logic [1:0][63:0] long_point;

  assign long_point[0] = long_four_i ? {long_point_i[0][61:0], {2{long_complement_i}}} :
      long_point_i[0];
  assign long_point[1] = long_four_i ? long_point_i[1] << 2 : long_point_i[1];

  // ---- second level ----
  // y0 = s + (c + d), y1 = u - i (c - d), y2 = s - (c + d), y3 = u + i (c - d)
  // One late carry of c and d enters the sum or difference, the other one the next adder.
  logic [31:0] c_real_q, c_imaginary_q, sum_cd_real_q, sum_cd_imaginary_q, difference_cd_real_q;
  logic [31:0] difference_cd_imaginary_q;
  logic late_c_real_q, late_c_imaginary_q, late_d_real_q, late_d_imaginary_q, outputs_q, written_q;

  always_ff @(posedge clk_i) begin
    if (half_i || long_i) begin
      {c_imaginary_q, c_real_q, late_c_imaginary_q, late_c_real_q} <= '0;
    end else if (beat_i == BeatC) begin
      {c_imaginary_q, c_real_q}           <= z_i;
      {late_c_imaginary_q, late_c_real_q} <= late_i;
    end
    sum_cd_real_q             <= c_real_q + z_i[0] + 32'(late_c_real_q);
    sum_cd_imaginary_q        <= c_imaginary_q + z_i[1] + 32'(late_c_imaginary_q);
    difference_cd_real_q      <= ~z_i[0] + c_real_q + 32'(!late_i[0]);
    difference_cd_imaginary_q <= ~z_i[1] + c_imaginary_q + 32'(!late_i[1]);
    {late_d_imaginary_q, late_d_real_q} <= late_i;
    outputs_q                 <= beat_i == beat_out;
    written_q                 <= outputs_q;
    if (half_i || long_i) begin
      {sum_cd_imaginary_q, sum_cd_real_q, late_d_imaginary_q, late_d_real_q} <= '0;
      {difference_cd_imaginary_q, difference_cd_real_q} <= '0;
    end
    if (outputs_q || long_i) begin
      fft_o[0][0] <= sum_of(sum_cd_real_q | long_point[0][31:0], plus_real_q[31:0],
          late_d_real_q);
      fft_o[0][1] <= sum_of(sum_cd_imaginary_q | long_point[1][31:0], plus_imaginary_q[31:0],
          late_d_imaginary_q);
      fft_o[1][0] <= sum_of(difference_cd_imaginary_q | long_point[0][63:32],
          minus_real_q[31:0] ^ {32{pre_i}}, late_c_imaginary_q || pre_i);
      fft_o[1][1] <= sum_of(~difference_cd_real_q, minus_imaginary_q[31:0], !late_c_real_q);
      fft_o[2][0] <= sum_of(~sum_cd_real_q, plus_real_q[31:0], !late_d_real_q);
      fft_o[2][1] <= sum_of(~sum_cd_imaginary_q, plus_imaginary_q[31:0], !late_d_imaginary_q);
      fft_o[3][0] <= sum_of(~difference_cd_imaginary_q, minus_real_q[31:0], !late_c_imaginary_q);
      fft_o[3][1] <= sum_of(difference_cd_real_q | long_point[1][63:32],
          minus_imaginary_q[31:0], late_c_real_q);
    end
  end

  assign fft_soon_o = half_i ? next_beat_i == beat_out : beat_i == beat_out;

  // In range: the upper four bits agree.
  logic [3:0] beyond;

  always_comb begin
    for (int unsigned point = 0; point < 4; point++) begin
      beyond[point] = !(fft_o[point][0][31:28] inside {'0, '1}) ||
          !(fft_o[point][1][31:28] inside {'0, '1});
    end
  end

  always_ff @(posedge clk_i) begin
    beyond_o <= decode_i && written_q && (beyond[1:0] != '0 || (!half_i && beyond[3:2] != '0));
  end

endmodule
