// Computes the first point of a butterfly group: inserts zeros into the number of the group, at the
// bits that number the points of a group.
module isopod_group_base #(
  parameter int unsigned PointBits = 11
) (
  input  logic [PointBits-1:0] group_i,
  input  logic [3:0] pass_i,   // log2 of the stride
  input  logic radix_2_i,      // two neighbouring points, else four points a stride apart
  output logic [PointBits-1:0] base_o
);

  logic [PointBits-1:0] below;

  always_comb begin
    for (int unsigned position = 0; position < PointBits; position++) begin
      below[position] = position < 32'(pass_i);
    end
  end

  assign base_o = radix_2_i ? group_i << 1 : (group_i & below) | ((group_i & ~below) << 2);

endmodule
