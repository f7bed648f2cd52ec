// Gives the addresses of one transform in every cycle: the word of each bank, the places of the
// operands of the butterflies, and the twiddles.
//
// In a stage of stride 2^t every cycle visits the 2 P indices that agree outside a window of bits:
// {0, w .. w+b-2} with w = clamp(t, 1, log2 n - b + 1) and 2^b banks (P = 1: {t}). A counter fills
// the other bits in ascending order. At least n / 4P cycles pass before a word is read again. This
// exceeds the latency of the datapath, so stages need no drain between them. There are four
// register stages; outputs belong to the cycle in which the banks are read.
module isopod_schedule
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  localparam int unsigned BankBits = $clog2(2 * Lanes),
  localparam int unsigned Banks = 2 * Lanes,
  localparam int unsigned AddressBits = MaxLogN - BankBits,
  localparam int unsigned LaneBits = (Lanes == 1) ? 1 : $clog2(Lanes),
  localparam int unsigned ClassBits = (BankBits == 1) ? 1 : $clog2(BankBits),
  localparam int unsigned TwiddleBits = MaxLogN - $clog2(Lanes)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic start_i,     // taken when busy_o is low
  input  logic inverse_i,   // with start_i, stable while busy
  input  logic hold_last_i, // the last stage does not begin
  input  logic only_first_i, // the first stage alone
  input  log_degree_t log_degree_i,
  output logic busy_o,      // the counter runs, or its last value is on the way to valid_o

  // Two cycles before the banks are read: position in the first stage, for sources that are not
  // banked by index.
  output logic source_first_o,
  output logic [AddressBits-1:0] source_position_o,

  output logic valid_o,
  output logic first_o,     // first stage
  output logic last_o,      // last stage
  output logic final_o,     // last cycle of the last stage
  output log_degree_t stage_o, // stages done before this one
  output logic [Banks-1:0][AddressBits-1:0] address_o,
  // Lane l works on banks l with a 0 or 1 inserted at this bit
  output logic [ClassBits-1:0] lane_class_o,
  output logic swap_o,                       // the bank with 0 there holds the upper index
  // This and the next one cycle after the address
  output logic [TwiddleBits-1:0] twiddle_o,
  output logic [Lanes-1:0][LaneBits-1:0] twiddle_lane_o
);

  logic active_q, active_d;
  log_degree_t stage_q;
  logic [AddressBits-1:0] count_q, count_last;
  logic stage_end, transform_end, paused, last_stage_q, last_is_next_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned bit_index = 0; bit_index < AddressBits; bit_index++) begin
      count_last[bit_index] <= 32'(log_degree_i) > bit_index + BankBits;
    end
  end

  assign stage_end     = count_q == count_last;
  assign transform_end = stage_end && (last_stage_q || only_first_i);
  assign paused        = hold_last_i && count_q == '0 && last_stage_q;

  always_ff @(posedge clk_i) begin
    last_is_next_q <= stage_q + 4'd2 == log_degree_i;
    if (!active_q) last_stage_q <= 1'b0;
    else if (stage_end && !paused) last_stage_q <= last_is_next_q;
  end

  always_comb begin
    active_d = active_q;
    if (abort_i) active_d = 1'b0;
    else if (!active_q) active_d = start_i;
    else if (!paused && transform_end) active_d = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= 1'b0;
    else active_q <= active_d;
  end

  always_ff @(posedge clk_i) begin
    if (!active_q) stage_q <= '0;
    else if (stage_end && !paused) stage_q <= stage_q + 4'd1;
    if (!active_q) count_q <= '0;
    else if (!paused) count_q <= stage_end ? '0 : count_q + 1'b1;
  end

  // ---- window and base index ----
  log_degree_t top_stride_q, top_window_q; // of the longest stride, and the last window
  log_degree_t stride_d, stride, window_low_d, window_low, stage_0_q;
  logic [AddressBits-1:0] count_0_q;
  logic [MaxLogN-1:0] window_d, window_q, base_d, base_q;
  logic valid_0_q, valid_1_q, first_0_q, last_0_q, final_0_q, inverse_q;

  // Constants of a command.
  always_ff @(posedge clk_i) begin
    inverse_q    <= inverse_i;
    top_stride_q <= log_degree_i - 4'd1;
    top_window_q <= log_degree_i - 4'(BankBits - 1);
  end

  assign stride_d = inverse_q ? stage_q : top_stride_q - stage_q;
  assign busy_o   = active_q || valid_0_q || valid_1_q;

  always_comb begin
    window_low_d = stride_d;
    if (BankBits > 1) begin
      if (stride_d == '0) window_low_d = 4'd1;
      if (stride_d > top_window_q) window_low_d = top_window_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_0_q <= 1'b0;
    else valid_0_q <= active_q && !paused && !abort_i;
  end

  always_ff @(posedge clk_i) begin
    count_0_q  <= count_q;
    stage_0_q  <= stage_q;
    stride     <= stride_d;
    window_low <= window_low_d;
    first_0_q  <= stage_q == '0;
    last_0_q   <= last_stage_q;
    final_0_q  <= transform_end;
  end

  always_comb begin
    window_d = '0;
    base_d   = '0;
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      if (BankBits == 1) begin
        window_d[position] = position == 32'(stride);
        if (position < 32'(stride)) begin
          base_d[position] = count_0_q[position % AddressBits];
        end else if (position > 32'(stride)) begin
          base_d[position] = count_0_q[(position + MaxLogN - 1) % MaxLogN % AddressBits];
        end
      end else begin
        window_d[position] = position == 0 ||
                             (position >= 32'(window_low) &&
                              position < 32'(window_low) + BankBits - 1);
        if (position != 0 && position < 32'(window_low)) begin
          base_d[position] = (position <= AddressBits) &&
              count_0_q[(position + MaxLogN - 1) % MaxLogN % AddressBits];
        end else if (!window_d[position]) begin
          base_d[position] = (position >= BankBits) &&
              count_0_q[(position + MaxLogN - BankBits) % MaxLogN % AddressBits];
        end
      end
    end
  end

  logic first_1_q, last_1_q, final_1_q;
  log_degree_t stride_1_q, stage_1_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_1_q <= 1'b0;
    else valid_1_q <= valid_0_q && !abort_i;
  end

  always_ff @(posedge clk_i) begin
    window_q   <= window_d;
    base_q     <= base_d;
    stride_1_q <= stride;
    stage_1_q  <= stage_0_q;
    first_1_q  <= first_0_q;
    last_1_q   <= last_0_q;
    final_1_q  <= final_0_q;
  end

  // The counter itself is the position in the first forward stage.
  assign source_first_o    = valid_0_q && first_0_q;
  assign source_position_o = count_0_q;

  // ---- bank addresses and twiddles ----
  logic [BankBits-1:0] parity;
  logic [MaxLogN-1:0] index_zero;   // index in bank 0
  logic [Banks-1:0][AddressBits-1:0] address_d;

  always_comb begin
    parity = '0;
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      parity[bit_class(position, BankBits)] ^= base_q[position];
    end
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      index_zero[position] = window_q[position] ? parity[bit_class(position, BankBits)] :
          base_q[position];
    end
    for (int unsigned bank = 0; bank < Banks; bank++) begin
      for (int unsigned position = BankBits; position < MaxLogN; position++) begin
        address_d[bank][position-BankBits] =
            index_zero[position] ^ (window_q[position] && bank[bit_class(position, BankBits)]);
      end
    end
  end

  logic [ClassBits-1:0] lane_class_d;
  always_comb begin
    lane_class_d = '0;
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      if (position == 32'(stride_1_q)) lane_class_d = ClassBits'(bit_class(position, BankBits));
    end
  end

  // Twiddle index m + g of block g, or m + (m-1-g) for the inverse; m = n / 2^(t+1).
  log_degree_t stride_2_q;
  logic [MaxLogN-1:0] index_2_q, window_2_q, block, flip_2_q, leading_2_q, twiddle_index;
  logic [Lanes-1:0][LaneBits-1:0] twiddle_lane_d;

  always_comb begin
    block         = (index_2_q >> stride_2_q) >> 1;
    twiddle_index = (block ^ flip_2_q) | leading_2_q;
  end

  // Lane l differs from lane 0 in the window bits above the stride.
  always_comb begin
    twiddle_lane_d = '0;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      twiddle_lane_d[lane] = twiddle_index[LaneBits-1:0];
      for (int unsigned position = 1; position < MaxLogN; position++) begin
        for (int unsigned offset = 0; offset < LaneBits; offset++) begin
          if (Lanes > 1 && position == 32'(stride_2_q) + 1 + offset && window_2_q[position]) begin
            twiddle_lane_d[lane][offset] = twiddle_index[offset] ^
                lane_bit(lane, bit_class(position, BankBits), 32'(lane_class_o));
          end
        end
      end
      if (Lanes == 1) twiddle_lane_d[lane] = '0;
    end
  end

  // Bit `kind` of the bank that a lane reaches if `removed` is the class of the stride.
  function automatic logic lane_bit(int unsigned lane, int unsigned kind, int unsigned removed);
    return lane[(kind < removed) ? kind : kind - 1];
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= valid_1_q && !abort_i;
  end

  always_ff @(posedge clk_i) begin
    index_2_q      <= index_zero;
    window_2_q     <= window_q;
    stride_2_q     <= stride_1_q;
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      leading_2_q[position] <= position + 32'(stride_1_q) == 32'(top_stride_q);
      flip_2_q[position]    <= inverse_q && position + 32'(stride_1_q) < 32'(top_stride_q);
    end
    address_o      <= address_d;
    lane_class_o   <= lane_class_d;
    swap_o         <= parity[lane_class_d];
    twiddle_o      <= TwiddleBits'(twiddle_index >> $clog2(Lanes));
    twiddle_lane_o <= twiddle_lane_d;
    first_o        <= first_1_q;
    last_o         <= last_1_q;
    final_o        <= final_1_q;
    stage_o        <= stage_1_q;
  end

endmodule
