// A control bit some cycles later, cleared by reset and by clear_i.
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

  logic [Cycles:0] line;
  logic [Cycles-1:0] line_q;

  assign line = {line_q, valid_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) line_q <= '0;
    else if (clear_i) line_q <= '0;
    else line_q <= line[Cycles-1:0];
  end

  assign valid_o = line_q[Cycles-1];
  assign any_o   = |line_q;

endmodule
