// Builds a twiddle table on the borrowed lanes: r_0 = 1, then r_{m+g} = r_g psi^(n / 2m) for m = 1,
// 2, 4 .. n/2, P words a cycle. It takes about n / P + 18 log2 n cycles.
module isopod_twiddle_generator
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  parameter int unsigned MontgomeryLatency = 9,
  localparam int unsigned LaneBits = (Lanes == 1) ? 1 : $clog2(Lanes),
  localparam int unsigned LogLanes = $clog2(Lanes),
  localparam int unsigned WordAddressBits = MaxLogN - LogLanes
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic start_i,
  input  log_degree_t log_degree_i,
  output logic busy_o,

  // constants of the descriptor, up to three cycles after the address: word 16 + i
  output logic [4:0] constant_address_o,

  // the words of this address go to the lanes' multipliers, their products with the constant are to
  // be written
  output logic [WordAddressBits-1:0] read_o,
  output logic [Lanes-1:0][LaneBits-1:0] read_lane_o,
  output logic first_o,                          // lane 0 is to write a one
  output logic [Lanes-1:0] write_o,
  output logic [WordAddressBits-1:0] write_address_o
);

  localparam int unsigned WriteLatency = 3 + MontgomeryLatency;

  // Step 0 writes r_0; step 1 + i doubles the table from m = 2^i. Lanes 0 and 1 are written
  // together: step 0 leaves any word in lane 1; step 1, which makes that word, writes r_0 again.
  logic active_q, issuing_q, wait_q;
  log_degree_t step_q, doubling;
  logic [WordAddressBits-1:0] count_q, last_count;
  logic in_flight, issue, step_end;
  logic [Lanes-1:0] mask;
  logic [WordAddressBits-1:0] target;

  assign doubling           = step_q - 4'd1;
  assign constant_address_o = 5'd16 + 5'(doubling);
  assign issue              = issuing_q && !wait_q;
  assign busy_o             = active_q;

  always_comb begin
    for (int unsigned position = 0; position < WordAddressBits; position++) begin
      last_count[position] = step_q != '0 && position + LogLanes < 32'(doubling);
      target[position]     = count_q[position] ||
          (step_q != '0 && position + LogLanes == 32'(doubling));
    end
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      read_lane_o[lane] = LaneBits'(lane);
      mask[lane]        = 1'b1;
      if (step_q == '0) begin
        mask[lane] = lane < 2;
      end else if (32'(doubling) < LogLanes) begin
        // within the first word: lanes m .. 2m - 1 take r_{lane - m}
        mask[lane]        = (lane >> doubling) == 1 || (doubling == '0 && lane == 0);
        read_lane_o[lane] = LaneBits'(lane) ^ (LaneBits'(1) << doubling);
      end
    end
  end

  assign read_o   = count_q;
  assign first_o  = step_q == '0 || (Lanes > 1 && step_q == 4'd1);
  assign step_end = count_q == last_count;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q  <= 1'b0;
      issuing_q <= 1'b0;
      wait_q    <= 1'b0;
    end else if (abort_i) begin
      active_q  <= 1'b0;
      issuing_q <= 1'b0;
    end else if (!active_q) begin
      active_q  <= start_i;
      issuing_q <= start_i;
      wait_q    <= start_i; // the constant is being read
    end else if (issuing_q) begin
      wait_q <= 1'b0;
      if (issue) issuing_q <= !step_end;
    end else if (!in_flight) begin
      if (step_q == log_degree_i) active_q <= 1'b0;
      else begin
        issuing_q <= 1'b1;
        wait_q    <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!issuing_q) count_q <= '0;
    else if (issue) count_q <= count_q + 1'b1;
    if (!active_q) step_q <= '0;
    else if (!issuing_q && !in_flight) step_q <= step_q + 4'd1;
  end

  logic write_valid;
  logic [Lanes-1:0] write_mask;

  isopod_valid_delay #(.Cycles(WriteLatency)) u_valid (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(issue), .valid_o(write_valid), .any_o(in_flight));
  isopod_delay #(.Width(Lanes + WordAddressBits), .Cycles(WriteLatency)) u_target (
    .clk_i, .value_i({mask, target}), .value_o({write_mask, write_address_o}));

  assign write_o = write_valid ? write_mask : '0;

endmodule
