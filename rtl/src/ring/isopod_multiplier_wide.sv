// Signed product of two wide factors modulo 2^ProductBits, in explicit tiles: TileA x 17 bits, 24 x
// 17 for DSP48E1, 17 x 17 for MULT18X18D. Latency 8.
//
// A row is one digit of a times b. Its tiles form a chain, one column a cycle: each tile adds the
// bits of its predecessor above 17. The DSP blocks of 7-series do this themselves. Only the sums of
// rows take carry chains.
module isopod_multiplier_wide
  import isopod_pkg::*;
#(
  parameter bit Tiled = 1'b0 // ECP5
) (
  input  logic                          clk_i,
  input  logic signed [FactorABits-1:0] a_i,
  input  logic signed [FactorBBits-1:0] b_i,
  output logic signed [ProductBits-1:0] product_o
);

  localparam int unsigned TileA = Tiled ? 17 : 24;
  localparam int unsigned TileB = 17;
  localparam int unsigned Rows = (FactorABits + TileA - 2) / TileA;
  localparam int unsigned Columns = (FactorBBits + TileB - 2) / TileB;
  localparam int unsigned TopBits = TileA + TileB + 4;            // bits of a column
  localparam int unsigned RowBits = (Columns - 1) * TileB + TopBits;

  typedef logic signed [TileA:0] digit_a_t;
  typedef logic signed [TileB:0] digit_b_t;
  typedef logic signed [ProductBits-1:0] product_t;

  // Only the top digit is signed. Column j takes its digits j cycles later.
  digit_a_t a_q[Rows][Columns];
  digit_b_t b_q[Columns];
  logic signed [Rows*TileA:0] a_extended;
  logic signed [Columns*TileB:0] b_extended;

  assign a_extended = (Rows * TileA + 1)'(a_i);
  assign b_extended = (Columns * TileB + 1)'(b_i);

  for (genvar row = 0; row < Rows; row++) begin : gen_digit_a
    always_ff @(posedge clk_i) begin
      a_q[row][0] <= {(row == Rows - 1) && a_extended[Rows*TileA], a_extended[row*TileA+:TileA]};
      for (int unsigned column = 1; column < Columns; column++) begin
        a_q[row][column] <= a_q[row][column-1];
      end
    end
  end

  for (genvar column = 0; column < Columns; column++) begin : gen_digit_b
    isopod_delay #(.Width(TileB + 1), .Cycles(column + 1)) u_digit (
      .clk_i,
      .value_i({(column == Columns - 1) && b_extended[Columns*TileB],
          b_extended[column*TileB+:TileB]}),
      .value_o(b_q[column]));
  end

  // ---- rows ----
  logic signed [RowBits-1:0] row_value[Rows];

  for (genvar row = 0; row < Rows; row++) begin : gen_row
    logic signed [TopBits-1:0] sum_q[Columns];

    for (genvar column = 0; column < Columns; column++) begin : gen_column
      logic signed [TopBits-1:0] tile_q;

      always_ff @(posedge clk_i) tile_q <= TopBits'(a_q[row][column] * b_q[column]);

      if (column == 0) begin : gen_first
        always_ff @(posedge clk_i) sum_q[column] <= tile_q;
      end else begin : gen_next
        always_ff @(posedge clk_i) sum_q[column] <= tile_q + (sum_q[column-1] >>> TileB);
      end

      if (column == Columns - 1) begin : gen_top
        assign row_value[row][RowBits-1:column*TileB] = sum_q[column];
      end else begin : gen_low
        isopod_delay #(.Width(TileB), .Cycles(Columns - 1 - column)) u_low (
          .clk_i, .value_i(sum_q[column][TileB-1:0]),
          .value_o(row_value[row][column*TileB+:TileB]));
      end
    end
  end

  // ---- sums of two rows, then the sum of these sums ----
  product_t lower_q, upper_q, product_q;

  // high << TileA * rows + low; the lowest bits need no adder.
  function automatic product_t joined(product_t low, product_t high, int unsigned rows);
    product_t sum, kept;
    sum  = (low >>> TileA * rows) + high;
    kept = ~(product_t'('1) << TileA * rows);
    return (sum << TileA * rows) | (low & kept);
  endfunction

  always_ff @(posedge clk_i) begin
    lower_q   <= joined(product_t'(row_value[0]), product_t'(row_value[1]), 1);
    upper_q   <= (Rows == 4) ? joined(product_t'(row_value[2]), product_t'(row_value[Rows-1]), 1)
                             : product_t'(row_value[2]);
    product_q <= joined(lower_q, upper_q, 2);
  end

  assign product_o = product_q;

  if (Rows != 3 && Rows != 4 || Columns != 4) begin : gen_check
    $fatal(1, "three or four rows of four columns");
  end

endmodule
