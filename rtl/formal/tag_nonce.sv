// isopod_one_time_key under any software, core and abort: the number of a frame and that of a part
// rise from request to request, so that no two blocks for keys of tags have the same input.
module tag_nonce (
  input logic clk_i,
  input logic clear_i,
  input logic [95:0] nonce_i,
  input logic frame_i,
  input logic part_i,
  input logic ready_i,
  input logic taken_i,
  input logic [31:0] word_i,
  input logic word_valid_i
);

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [31:0] number;
  logic exhausted, valid, request, raw;
  logic [63:0] beat;
  logic [255:0] subkey;
  logic [127:0] row;

  isopod_one_time_key u_key (
    .clk_i, .rst_ni, .clear_i, .nonce_i, .frame_i(frame_i && !exhausted), .number_o(number),
    .exhausted_o(exhausted), .part_i, .beat_o(beat), .valid_o(valid), .ready_i,
    .request_o(request), .raw_o(raw), .subkey_o(subkey), .input_o(row), .taken_i, .word_i,
    .word_valid_i);

  // The last frame whose subkey was requested, and the parts that were since.
  logic [31:0] frame_q;
  logic [5:0] parts_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) {frame_q, parts_q} <= '0;
    else if (request && taken_i && raw) {frame_q, parts_q} <= {row[127:96], 6'd0};
    else if (request && taken_i) parts_q <= row[69:64] + 6'd1;
  end

  logic [2:0] state;
  assign state = u_key.state_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      frames_differ  : assert (!(request && raw) || row[127:96] > frame_q);
      parts_differ   : assert (!(request && !raw) || (row[69:64] >= parts_q && frame_q == number));
      nothing_else   : assert (!(request && !raw) || (row[127:70] == '0 && row[63:0] == '0));
      // Invariants for the induction.
      known_state    : assert (state <= 3'd4);
      asked_in_time  : assert (!u_key.asked_q || state == 3'd1 || state == 3'd3);
      none_yet       : assert (state > 3'd1 || u_key.part_q == '0);
      none_of_this   : assert (!(state == 3'd1 && u_key.asked_q) || parts_q == '0);
      numbers_rise   : assert (frame_q <= number);
      not_yet        : assert (!(state == 3'd1 && !u_key.asked_q) || frame_q < number);
      of_this_frame  : assert (!(state > 3'd1 || u_key.asked_q) || frame_q == number);
      parts_counted  : assert (state <= 3'd1 || parts_q <= 6'(u_key.part_q) + 6'd1);
      none_ahead     : assert (!(state == 3'd2 || (state == 3'd3 && !u_key.asked_q)) ||
                               parts_q <= 6'(u_key.part_q));
      sixteen        : assert (u_key.part_q <= 5'd16);
      fewer_asked    : assert (state <= 3'd2 || u_key.part_q <= 5'd15);
      two_frames     : cover (frame_q == 32'd2);
      a_part         : cover (request && !raw);
    end
  end

endmodule
