// Delays a control bit by some cycles. Reset and clear_i clear the bits on the way.
module isopod_valid_delay #(
  parameter int unsigned Cycles = 1 // at least 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic valid_i,
  output logic valid_o,
  output logic any_o // one is on the way or has arrived
);

  logic [Cycles-1:0] line_d, line_q;

  if (Cycles == 1) begin : gen_one
    assign line_d = valid_i;
  end else begin : gen_more
    assign line_d = {line_q[Cycles-2:0], valid_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) line_q <= '0;
    else if (clear_i) line_q <= '0;
    else line_q <= line_d;
  end

  assign valid_o = line_q[Cycles-1];
  assign any_o   = |line_q;

endmodule
