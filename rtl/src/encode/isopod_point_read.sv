// Selects two pairs of words of the work banks for the encode, those of a point and of another one,
// or of the halves of a long point. With one lane both are the only pair.
module isopod_point_read #(
  parameter int unsigned Lanes = 4,
  localparam int unsigned PairBits = (Lanes == 1) ? 1 : $clog2(Lanes)
) (
  input  logic [Lanes-1:0][1:0][31:0] data_i,
  input  logic [PairBits-1:0] first_pair_i,
  input  logic [PairBits-1:0] other_pair_i,
  output logic [1:0][31:0] first_o,
  output logic [1:0][31:0] other_o
);

  if (Lanes == 1) begin : gen_one_pair
    logic unused_pair;
    assign first_o     = data_i;
    assign other_o     = data_i;
    assign unused_pair = ^{first_pair_i, other_pair_i};
  end else begin : gen_pairs
    assign first_o = data_i[first_pair_i];
    assign other_o = data_i[other_pair_i];
  end

endmodule
