// NTT and inverse NTT over the work banks, Lanes butterflies per cycle: (n / 2P) log2 n cycles and Latency.
//
// Forward: natural order in, bit-reversed out; the first stage reads the work banks or, with source_i, a source that
// delivers both operands of every lane. Inverse: bit-reversed in, natural out, scaled by n. Both leave the last stage's
// words on the result port instead of the work banks. Words are signed, congruent to the residue, within 2.25 q.
// While idle the work banks, the multipliers and the twiddle banks belong to the guest ports.
module isopod_transform
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  parameter int unsigned Tables = 1,   // twiddle tables
  parameter bit Tiled = 1'b0,
  parameter bit Inverse = 1'b1,
  localparam int unsigned BankBits = $clog2(2 * Lanes),
  localparam int unsigned Banks = 2 * Lanes,
  localparam int unsigned AddressBits = MaxLogN - BankBits,
  localparam int unsigned LaneBits = (Lanes == 1) ? 1 : $clog2(Lanes),
  localparam int unsigned ClassBits = (BankBits == 1) ? 1 : $clog2(BankBits),
  localparam int unsigned WordAddressBits = MaxLogN - $clog2(Lanes),
  localparam int unsigned TableBits = (Tables == 1) ? 1 : $clog2(Tables)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,

  input  logic start_i,
  input  logic inverse_i,
  input  logic source_i,
  input  logic hold_last_i,      // the last stage does not begin
  input  logic wide_i,           // source words up to 2^30 + 21: the first stages reduce by multiples of q
  input  log_degree_t log_degree_i,
  input  residue_t modulus_i,
  input  logic [4:0] modulus_bits_i,
  input  logic [TableBits-1:0] table_i,
  output logic issuing_o,        // reads are being issued
  output logic busy_o,           // issuing, or results are on the way

  // first-stage source: position one cycle ahead of the banks' address, data with the banks' data
  output logic source_read_o,
  output logic [AddressBits-1:0] source_position_o,
  input  logic [Lanes-1:0][31:0] source_upper_i,
  input  logic [Lanes-1:0][31:0] source_lower_i,

  // last stage
  output logic result_last_stage_o, // the last stage has begun to be written
  output logic result_valid_o,
  output logic result_final_o,
  output logic [Banks-1:0][AddressBits-1:0] result_address_o,
  output logic [Banks-1:0][31:0] result_data_o,

  // guest: work banks
  input  logic guest_i,
  input  logic guest_read_i,
  input  logic [Banks-1:0][AddressBits-1:0] guest_read_address_i,
  output logic [Banks-1:0][31:0] guest_read_data_o,
  input  logic [Banks-1:0] guest_write_i,
  input  logic [Banks-1:0][AddressBits-1:0] guest_write_address_i,
  input  logic [Banks-1:0][31:0] guest_write_data_i,
  input  logic guest_common_i,             // one cycle before a write: of the common word instead
  input  logic [31:0] guest_common_data_i,

  // guest: multipliers
  input  logic external_i,
  input  logic [Lanes-1:0][33:0] external_a_i,
  input  logic [Lanes-1:0][32:0] external_b_i,
  output logic [Lanes-1:0][63:0] product_o,
  output logic [Lanes-1:0][31:0] residue_o,

  // guest: twiddle banks; lane l reads bank twiddle_lane_i[l], one cycle after the banks into twiddle_word_o
  input  logic twiddle_guest_i,
  input  logic [WordAddressBits-1:0] twiddle_read_i,
  input  logic [Lanes-1:0][LaneBits-1:0] twiddle_lane_i,
  output logic [Lanes-1:0][31:0] twiddle_word_o,
  input  logic [Lanes-1:0] twiddle_write_i,
  input  logic [WordAddressBits-1:0] twiddle_write_address_i,
  input  logic [Lanes-1:0][31:0] twiddle_write_data_i
);

  localparam int unsigned HighBits = ModulusBits - MontgomeryWord + 2;
  localparam int unsigned MontgomeryLatency = Tiled ? 12 : 9;
  // read address -> bank data 1, lane multiplexer 2, swap 3, multiplier, butterfly + 2, swap + 1, bank multiplexer + 1
  localparam int unsigned OperandLatency = 3;
  localparam int unsigned OutputLatency = OperandLatency + MontgomeryLatency + 2;
  localparam int unsigned WriteLatency = OutputLatency + 2;

  // ---- schedule ----
  logic valid, first, last, final_cycle, swap;
  log_degree_t stage;
  logic early_valid, early_first;
  logic [Banks-1:0][AddressBits-1:0] address;
  logic [ClassBits-1:0] lane_class;
  logic [WordAddressBits-1:0] twiddle_address;
  logic [Lanes-1:0][LaneBits-1:0] twiddle_lane;

  isopod_schedule #(.Lanes(Lanes), .MaxLogN(MaxLogN)) u_schedule (
    .clk_i, .rst_ni, .abort_i, .start_i, .inverse_i(Inverse && inverse_i), .hold_last_i, .log_degree_i, .busy_o(issuing_o),
    .early_valid_o(early_valid), .early_first_o(early_first), .early_position_o(source_position_o),
    .valid_o(valid), .first_o(first), .last_o(last), .final_o(final_cycle), .stage_o(stage),
    .address_o(address), .lane_class_o(lane_class), .swap_o(swap),
    .twiddle_o(twiddle_address), .twiddle_lane_o(twiddle_lane));

  assign source_read_o = early_valid && early_first && source_i;

  // ---- control along the datapath ----
  typedef struct packed {
    logic last;
    logic final_cycle;
    logic [Banks-1:0][AddressBits-1:0] address;
  } write_control_t;

  write_control_t control, write_control;
  logic write_valid, in_flight, lane_swap;

  assign control   = '{last: last, final_cycle: final_cycle, address: address};
  assign lane_swap = swap && !(first && source_i);

  isopod_valid_delay #(.Cycles(WriteLatency)) u_valid (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(valid), .valid_o(write_valid), .any_o(in_flight));

  assign busy_o = issuing_o || early_valid || valid || in_flight;

  // ---- work banks ----
  logic [Banks-1:0][31:0] bank_data, bank_result;
  logic stage_write, common_q;

  always_ff @(posedge clk_i) common_q <= guest_common_i;

  assign stage_write = write_valid && !write_control.last;

  for (genvar bank = 0; bank < Banks; bank++) begin : gen_bank
    isopod_ram #(.Width(32), .Depth(2**AddressBits)) u_ram (
      .clk_i,
      .read_i(guest_i ? guest_read_i : valid),
      .read_address_i(guest_i ? guest_read_address_i[bank] : address[bank]),
      .read_data_o(bank_data[bank]),
      .write_i(guest_i ? guest_write_i[bank] : stage_write),
      .write_address_i(guest_i ? guest_write_address_i[bank] : write_control.address[bank]),
      .write_data_i((guest_i && !common_q) ? guest_write_data_i[bank] : bank_result[bank]));
  end

  assign guest_read_data_o = bank_data;

  // ---- twiddle banks ----
  logic [Lanes-1:0][31:0] twiddle_data;
  logic [WordAddressBits-1:0] twiddle_read_address;

  assign twiddle_read_address = twiddle_guest_i ? twiddle_read_i : twiddle_address;

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_twiddle
    isopod_twiddle_bank #(.WordAddressBits(WordAddressBits), .Tables(Tables)) u_bank (
      .clk_i, .table_i, .read_address_i(twiddle_read_address), .read_data_o(twiddle_data[lane]),
      .write_i(twiddle_write_i[lane]), .write_address_i(twiddle_write_address_i),
      .write_data_i(twiddle_write_data_i[lane]));
  end

  // ---- banks to lanes ----
  logic source_1_q, swap_1_q, swap_2_q;
  logic [ClassBits-1:0] class_1_q;
  logic [Lanes-1:0][LaneBits-1:0] twiddle_lane_q;
  logic [Lanes-1:0][31:0] near_q, far_q, upper_q, lower_q, twiddle_1_q, twiddle_2_q;

  always_ff @(posedge clk_i) begin
    source_1_q     <= first && source_i;
    swap_1_q       <= lane_swap;
    swap_2_q       <= swap_1_q;
    class_1_q      <= lane_class;
    twiddle_lane_q <= twiddle_guest_i ? twiddle_lane_i : twiddle_lane;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      near_q[lane]      <= source_1_q ? source_upper_i[lane] : bank_data[bank_of(lane, 1'b0, class_1_q)];
      far_q[lane]       <= source_1_q ? source_lower_i[lane] : bank_data[bank_of(lane, 1'b1, class_1_q)];
      upper_q[lane]     <= swap_2_q ? far_q[lane] : near_q[lane];
      lower_q[lane]     <= swap_2_q ? near_q[lane] : far_q[lane];
      twiddle_1_q[lane] <= twiddle_data[(Lanes == 1) ? '0 : twiddle_lane_q[lane]];
      twiddle_2_q[lane] <= twiddle_1_q[lane];
    end
  end

  assign twiddle_word_o = twiddle_1_q;

  // The bank that lane `lane` reaches with `side` at the class's bit.
  function automatic logic [BankBits-1:0] bank_of(int unsigned lane, logic side, logic [ClassBits-1:0] kind);
    logic [BankBits-1:0] bank;
    for (int unsigned position = 0; position < BankBits; position++) begin
      if (position < 32'(kind)) bank[position] = lane[position];
      else if (position == 32'(kind)) bank[position] = side;
      else bank[position] = lane[position-1];
    end
    return bank;
  endfunction

  // ---- butterflies ----
  logic signed [HighBits-1:0] minus_high_11_q, minus_high_10_q;
  logic [31:0] correction_q;
  log_degree_t correction_stage;
  logic [Lanes-1:0][31:0] upper_result, lower_result;

  isopod_delay #(.Width(4), .Cycles(OutputLatency - 2)) u_stage (
    .clk_i, .value_i(stage), .value_o(correction_stage));

  always_ff @(posedge clk_i) begin
    minus_high_11_q <= -HighBits'(modulus_i >> 11);
    minus_high_10_q <= -HighBits'(modulus_i >> 10);
    correction_q    <= 32'(modulus_i) << correction_shift(correction_stage, modulus_bits_i, wide_i);
  end

  // Brings |words| <= 2^30 + 21 below 2 q within ten stages for every q >= 2^25; 0 for words within q.
  function automatic logic [2:0] correction_shift(log_degree_t done, logic [4:0] bits, logic wide);
    logic [2:0] largest;
    unique case (done)
      4'd0: largest = 3'd4;
      4'd1: largest = 3'd3;
      4'd2, 4'd3: largest = 3'd2;
      4'd4, 4'd5: largest = 3'd1;
      default: largest = 3'd0;
    endcase
    if (!wide || 5'(largest) + 5'd26 <= bits) return 3'd0;
    return 3'(5'(largest) + 5'd26 - bits);
  endfunction

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    isopod_butterfly #(.Tiled(Tiled), .Inverse(Inverse), .MontgomeryLatency(MontgomeryLatency)) u_butterfly (
      .clk_i, .inverse_i, .upper_i(upper_q[lane]), .lower_i(lower_q[lane]), .twiddle_i(twiddle_2_q[lane]),
      .external_i, .external_a_i(external_a_i[lane]), .external_b_i(external_b_i[lane]),
      .minus_high_11_i(minus_high_11_q), .minus_high_10_i(minus_high_10_q), .correction_i(correction_q),
      .product_o(product_o[lane]), .residue_o(residue_o[lane]),
      .upper_o(upper_result[lane]), .lower_o(lower_result[lane]));
  end

  // ---- lanes to banks ----
  logic write_swap;
  logic [ClassBits-1:0] write_class;
  logic [Lanes-1:0][31:0] near_result_q, far_result_q;

  isopod_delay #(.Width($bits(write_control_t)), .Cycles(WriteLatency)) u_control (
    .clk_i, .value_i(control), .value_o(write_control));
  isopod_delay #(.Width(1), .Cycles(OutputLatency)) u_swap (.clk_i, .value_i(swap), .value_o(write_swap));
  isopod_delay #(.Width(ClassBits), .Cycles(OutputLatency + 1)) u_class (
    .clk_i, .value_i(lane_class), .value_o(write_class));

  always_ff @(posedge clk_i) begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      near_result_q[lane] <= write_swap ? lower_result[lane] : upper_result[lane];
      far_result_q[lane]  <= write_swap ? upper_result[lane] : lower_result[lane];
    end
    for (int unsigned bank = 0; bank < Banks; bank++) begin
      bank_result[bank] <= guest_common_i ? guest_common_data_i : side_of(bank, write_class) ? far_result_q[lane_of(bank, write_class)]
                                                      : near_result_q[lane_of(bank, write_class)];
    end
  end

  function automatic logic side_of(int unsigned bank, logic [ClassBits-1:0] kind);
    logic side;
    side = 1'b0;
    for (int unsigned position = 0; position < BankBits; position++) begin
      if (position == 32'(kind)) side = bank[position];
    end
    return side;
  endfunction

  function automatic logic [LaneBits-1:0] lane_of(int unsigned bank, logic [ClassBits-1:0] kind);
    logic [LaneBits-1:0] lane;
    lane = '0;
    for (int unsigned position = 0; position + 1 < BankBits; position++) begin
      lane[position] = (position < 32'(kind)) ? bank[position] : bank[position+1];
    end
    return lane;
  endfunction

  assign result_valid_o      = write_valid && write_control.last;
  assign result_last_stage_o = result_valid_o;
  assign result_final_o      = result_valid_o && write_control.final_cycle;
  assign result_address_o    = write_control.address;
  assign result_data_o       = bank_result;

endmodule
