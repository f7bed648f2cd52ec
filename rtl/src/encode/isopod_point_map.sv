// Places of the points of the encode FFT in the work banks. Complex point t is the word pair 2t,
// 2t+1 at address t / P. Each bit of its pair bank is the exclusive or of the bits of t of one
// class. Points that differ from `point_i` in the bits of `free_i` lie in different pair banks, and
// each pair bank gets the address of its own point. Two register stages.
module isopod_point_map
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  localparam int unsigned BankBits = $clog2(2 * Lanes),
  localparam int unsigned AddressBits = MaxLogN - BankBits,
  localparam int unsigned PointBits = MaxLogN - 1,
  localparam int unsigned PairBits = (BankBits == 1) ? 1 : BankBits - 1
) (
  input  logic clk_i,
  input  logic [PointBits-1:0] point_i, // zero in the free bits
  input  logic [PointBits-1:0] free_i,
  // pair bank of point_i; for one lane: the bank of the first word for a transform
  output logic [PairBits-1:0] pair_o,
  output logic [Lanes-1:0][AddressBits-1:0] address_o
);

  logic [PointBits-1:0] point_q, free_q;
  logic [PairBits-1:0] pair_d;
  logic [Lanes-1:0][AddressBits-1:0] address_d;

  // Pair bit of a bit of the point's number.
  function automatic int unsigned pair_class(int unsigned position);
    return (BankBits == 1) ? 0 : bit_class(position + 1, BankBits) - 1;
  endfunction

  always_comb begin
    pair_d = '0;
    for (int unsigned position = 0; position < PointBits; position++) begin
      pair_d[pair_class(position)] ^= point_q[position];
    end
    for (int unsigned pair = 0; pair < Lanes; pair++) begin
      for (int unsigned bit_index = 0; bit_index < AddressBits; bit_index++) begin
        address_d[pair][bit_index] = free_q[bit_index+BankBits-1]
            ? pair_d[pair_class(bit_index + BankBits - 1)] ^
                pair[pair_class(bit_index + BankBits - 1)]
            : point_q[bit_index+BankBits-1];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    point_q   <= point_i;
    free_q    <= free_i;
    pair_o    <= pair_d;
    address_o <= address_d;
  end

endmodule
