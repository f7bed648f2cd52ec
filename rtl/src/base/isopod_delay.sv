// Delays a value by some cycles. It has no reset, so that it maps to shift-register cells.
module isopod_delay #(
  parameter int unsigned Width = 1,
  parameter int unsigned Cycles = 1 // at least 1
) (
  input  logic             clk_i,
  input  logic [Width-1:0] value_i,
  output logic [Width-1:0] value_o
);

  logic [Cycles-1:0][Width-1:0] line_q;

  if (Cycles == 1) begin : gen_one
    always_ff @(posedge clk_i) line_q <= value_i;
  end else begin : gen_more
    always_ff @(posedge clk_i) line_q <= {line_q[Cycles-2:0], value_i};
  end

  assign value_o = line_q[Cycles-1];

endmodule
