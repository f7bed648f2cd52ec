// isopod_queue under any producer that keeps its beats: the rules of streams, order and number.
module stream_queue (
  input logic clk_i,
  input logic abort_i,
  input logic [3:0] data_i,
  input logic valid_i,
  input logic ready_i
);

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic ready, valid;
  logic [3:0] data;

  isopod_queue #(.Width(4), .Depth(4)) u_queue (
    .clk_i, .rst_ni, .abort_i, .data_i, .valid_i, .ready_o(ready), .data_o(data), .valid_o(valid),
    .ready_i);

  // Beats in and not out.
  logic [2:0] inside_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || abort_i) inside_q <= '0;
    else inside_q <= inside_q + 3'(valid_i && ready) - 3'(valid && ready_i);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      no_beat_of_nothing : assert (!valid || inside_q != '0);
      never_too_many     : assert (inside_q <= 3'd5);
      counts             : assert (inside_q == u_queue.held_q + 3'(valid));
      takes_if_room      : assert (ready == (u_queue.held_q != 3'd4));
      reached            : cover (inside_q == 3'd4);
    end
  end

endmodule
