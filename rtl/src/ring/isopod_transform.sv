// NTT and inverse NTT over the work banks, with Lanes butterflies per cycle. A transform takes
// (n / 2P) log2 n cycles and Latency.
//
// Forward: natural order in, bit-reversed out. The first stage reads the work banks or, with
// source_i, a source that delivers both operands of every lane. Inverse: bit-reversed in, natural
// out, scaled by n. The words of the last stage go to the result port, not to the work banks. Words
// are signed, congruent to the residue, within 2.25 q. While the module is idle, work banks,
// multipliers and twiddle banks belong to the guest ports.
`include "isopod_assert.svh"

module isopod_transform
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  parameter int unsigned Tables = 1,   // twiddle tables
  parameter bit Tiled = 1'b0,
  parameter bit Inverse = 1'b1,
  parameter bit Plain = 1'b0,          // also modulo moduli of plaintexts
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
  // For source words beyond 2 q: only the upper ones, times external_b_i, go to the work banks;
  // then a transform takes them from there, with the lower words on both ports of the source
  input  logic reduce_i,
  input  logic reduced_i,
  // Source words are up to 2^30 + 26, with complex slots all but the first up to 2^30.5 + 26: the
  // first stages reduce by multiples of q
  input  logic message_i,
  input  log_degree_t log_degree_i,
  input  residue_t modulus_i,
  input  length_t modulus_bits_i,
  input  logic [TableBits-1:0] table_i,
  output logic issuing_o,        // reads are being issued
  output logic busy_o,           // issuing, or results are on the way

  // first-stage source: position two cycles ahead of the banks' address, data four cycles after it
  output logic source_read_o,
  output logic [AddressBits-1:0] source_position_o,
  input  logic [Lanes-1:0][SourceBits-1:0] source_upper_i,
  input  logic [Lanes-1:0][SourceBits-1:0] source_lower_i,

  // last stage
  output logic result_last_stage_o, // the last stage has begun to be written
  output logic result_valid_o,
  output logic result_final_o,
  output logic [AddressBits-1:0] result_row_o, // number of the stage's cycle
  output logic [Banks-1:0][RingBits-1:0] result_data_o,

  // guest: work banks; data two cycles after the address, a write takes effect one cycle later.
  // guest_i rises at least MontgomeryLatency + 4 cycles before the first.
  input  logic guest_i,
  input  logic guest_read_i,
  input  logic [Banks-1:0][AddressBits-1:0] guest_read_address_i,
  output logic [Banks-1:0][RingBits-1:0] guest_read_data_o,
  input  logic [Banks-1:0] guest_write_i,
  input  logic [Banks-1:0][AddressBits-1:0] guest_write_address_i,
  input  logic [Banks-1:0][RingBits-1:0] guest_write_data_i, // zero where nothing is written
  // The common word is a factor; minus its product with external_b_i is written
  input  logic guest_product_i,
  // MontgomeryLatency + 2 cycles before a write: of minus this word; otherwise zero
  input  logic [RingBits-1:0] guest_common_data_i,

  // guest: multipliers. Unused factors are zero.
  input  logic external_i,
  input  logic [Lanes-1:0][FactorABits-1:0] external_a_i,
  input  logic [Lanes-1:0][FactorBBits-1:0] external_b_i,
  input  short_operand_t [Lanes-1:0] external_short_i, // of products of 64-bit words
  input  logic [RingBits-1:0] constant_i,  // by twiddles that the guest below reads
  output logic [Lanes-1:0][ProductBits-1:0] product_o,
  output logic [Lanes-1:0][RingBits-1:0] residue_o,

  // guest: twiddle banks; lane l reads bank twiddle_lane_i[l], its word is a factor three cycles
  // after the address. It needs the multipliers, too.
  input  logic twiddle_guest_i,
  input  logic [WordAddressBits-1:0] twiddle_read_i,
  input  logic [Lanes-1:0][LaneBits-1:0] twiddle_lane_i,
  input  logic [Lanes-1:0] twiddle_write_i, // an even lane's with the next one's
  input  logic [WordAddressBits-1:0] twiddle_write_address_i,
  input  logic [Lanes-1:0][RingBits-1:0] twiddle_write_data_i
);

  localparam int unsigned MostShift = Wide ? 0 : 4;
  localparam int unsigned MontgomeryLatency = montgomery_latency(Tiled);
  // read address -> bank data 1, its register 2, lane multiplexer 3, butterfly, bank multiplexer +
  // 1
  localparam int unsigned OperandLatency = 3;
  localparam int unsigned OutputLatency = OperandLatency + MontgomeryLatency + 2;
  localparam int unsigned WriteLatency = OutputLatency + 1;
  localparam int unsigned Pair = (Lanes > 1) ? 2 : 1;

  logic reduce, reduced;

  assign reduce  = BuildPrecise && reduce_i;
  assign reduced = BuildPrecise && reduced_i;

  // ---- schedule ----
  logic valid, first, last, final_cycle, swap;
  log_degree_t stage;
  logic source_first;
  logic [Banks-1:0][AddressBits-1:0] address;
  logic [ClassBits-1:0] lane_class;
  logic [WordAddressBits-1:0] twiddle_address;
  logic [Lanes-1:0][LaneBits-1:0] twiddle_lane;

  isopod_schedule #(.Lanes(Lanes), .MaxLogN(MaxLogN)) u_schedule (
    .clk_i, .rst_ni, .abort_i, .start_i, .inverse_i(Inverse && inverse_i), .hold_last_i,
    .only_first_i(reduce),
    .log_degree_i, .busy_o(issuing_o), .source_first_o(source_first), .source_position_o,
    .valid_o(valid), .first_o(first), .last_o(last), .final_o(final_cycle), .stage_o(stage),
    .address_o(address), .lane_class_o(lane_class), .swap_o(swap),
    .twiddle_o(twiddle_address), .twiddle_lane_o(twiddle_lane));

  assign source_read_o = source_first && source_i;

  // ---- control along the datapath ----
  typedef struct packed {
    logic last;
    logic final_cycle;
    logic [Banks-1:0][AddressBits-1:0] address;
  } write_control_t;

  write_control_t control, write_control;
  logic write_valid, in_flight, lane_swap;

  assign control   = '{last: last, final_cycle: final_cycle, address: address};
  assign lane_swap = reduce || (swap && !(first && source_i && !reduced));

  isopod_valid_delay #(.Cycles(WriteLatency)) u_valid (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(valid), .valid_o(write_valid), .any_o(in_flight));

  assign busy_o = issuing_o || valid || in_flight;

  // ---- work banks ----
  logic [Banks-1:0][RingBits-1:0] bank_data, bank_data_q, bank_result;
  logic stage_write, guest_q;
  logic [Banks-1:0] guest_write_q;
  logic [Banks-1:0][AddressBits-1:0] guest_write_address_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) guest_write_q <= '0;
    else guest_write_q <= guest_i ? guest_write_i : '0;
  end

  always_ff @(posedge clk_i) begin
    guest_q               <= guest_i;
    guest_write_address_q <= guest_write_address_i;
  end

  assign stage_write = write_valid && !write_control.last;

  // The banks of an even and the next odd index have the same addresses, also for guests.
  for (genvar bank = 0; bank < Banks; bank += Pair) begin : gen_bank
    isopod_ram #(.Width(Pair * RingBits), .Depth(2**AddressBits), .Parts(Pair)) u_ram (
      .clk_i,
      .read_i(guest_i ? guest_read_i : valid),
      .read_address_i(guest_i ? guest_read_address_i[bank] : address[bank]),
      .read_data_o(bank_data[bank+:Pair]),
      .write_i(guest_write_q[bank+:Pair] | {Pair{stage_write}}),
      .write_address_i(guest_q ? guest_write_address_q[bank] : write_control.address[bank]),
      .write_data_i(bank_result[bank+:Pair]));

    if (Pair == 2) begin : gen_pair
      `ISOPOD_ASSERT(ReadTogether, !(guest_i && guest_read_i) ||
          guest_read_address_i[bank] == guest_read_address_i[bank+1])
      `ISOPOD_ASSERT(WriteTogether, guest_write_q[bank+:Pair] == '0 ||
          guest_write_address_q[bank] == guest_write_address_q[bank+1])
      `ISOPOD_ASSERT(StageTogether, !valid || address[bank] == address[bank+1])
    end
  end

  logic unused_guest; // what odd banks and lanes share with the even ones
  assign unused_guest = ^{guest_read_address_i, guest_write_address_q, twiddle_write_i};

  // A memory's output takes half a cycle, and the memories lie far apart.
  always_ff @(posedge clk_i) bank_data_q <= bank_data;

  assign guest_read_data_o = bank_data_q;

  // ---- twiddle banks ----
  logic [Lanes-1:0][RingBits-1:0] twiddle_data, twiddle_data_q;
  logic [WordAddressBits-1:0] twiddle_read_address;

  assign twiddle_read_address = twiddle_guest_i ? twiddle_read_i : twiddle_address;

  for (genvar lane = 0; lane < Lanes; lane += Pair) begin : gen_twiddle
    isopod_twiddle_bank #(
      .WordAddressBits(WordAddressBits), .Tables(Tables), .Words(Pair)
    ) u_bank (
      .clk_i, .table_i, .read_address_i(twiddle_read_address),
      .read_data_o(twiddle_data[lane+:Pair]), .write_i(twiddle_write_i[lane]),
      .write_address_i(twiddle_write_address_i),
      .write_data_i(twiddle_write_data_i[lane+:Pair]));

    if (Pair == 2) begin : gen_pair
      `ISOPOD_ASSERT(TwiddlesTogether, twiddle_write_i[lane] == twiddle_write_i[lane+1])
    end
  end

  // ---- banks to lanes ----
  logic inverse, source_late, swap_1_q, swap_2_q, sum_near_q, sum_far_q, guest;
  logic [ClassBits-1:0] class_late;
  logic [Lanes-1:0][LaneBits-1:0] twiddle_lane_late;
  source_t [Lanes-1:0] near, far;
  logic [Lanes-1:0][RingBits-1:0] twiddle_q;
  logic near_late, far_late; // words of the source

  assign inverse = Inverse && inverse_i;
  assign guest   = guest_i || (external_i && !reduce) || twiddle_guest_i;

  isopod_delay #(.Width(ClassBits + 1), .Cycles(2)) u_lanes (
    .clk_i, .value_i({first && source_i, lane_class}), .value_o({source_late, class_late}));
  isopod_delay #(.Width(Lanes * LaneBits), .Cycles(2)) u_twiddle_lanes (
    .clk_i, .value_i(twiddle_guest_i ? twiddle_lane_i : twiddle_lane), .value_o(twiddle_lane_late));

  always_ff @(posedge clk_i) begin
    swap_1_q       <= lane_swap;
    swap_2_q       <= swap_1_q;
    sum_near_q     <= (inverse || !swap_1_q) && !guest;
    sum_far_q      <= (inverse || swap_1_q) && !guest;
    twiddle_data_q <= twiddle_data;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      twiddle_q[lane] <= external_i ? '0 :
          twiddle_data_q[(Lanes == 1) ? '0 : twiddle_lane_late[lane]];
    end
  end

  // The lower word of a reduced message is that of the source.
  assign near_late = source_late && !(reduced && !swap_2_q);
  assign far_late  = source_late && !(reduced && swap_2_q);

  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      near[lane] = near_late ? source_upper_i[lane] :
          SourceBits'(ring_t'(bank_data_q[bank_of(lane, 1'b0, class_late)]));
      far[lane]  = far_late ? source_lower_i[lane] :
          SourceBits'(ring_t'(bank_data_q[bank_of(lane, 1'b1, class_late)]));
    end
  end

  // The bank that lane `lane` reaches with `side` at the class's bit.
  if (!BuildPrecise) begin : gen_whole_words
    logic unused_precise;
    assign unused_precise = ^{reduce_i, reduced_i, swap_2_q};
  end

  function automatic logic [BankBits-1:0] bank_of(int unsigned lane, logic side,
      logic [ClassBits-1:0] kind);
    logic [BankBits-1:0] bank;
    for (int unsigned position = 0; position < BankBits; position++) begin
      if (position < 32'(kind)) bank[position] = lane[position];
      else if (position == 32'(kind)) bank[position] = side;
      else bank[position] = lane[position-1];
    end
    return bank;
  endfunction

  reduction_t reduction_q;
  logic [RingBits-1:0] correction_q, common_q;
  butterfly_leave_t guest_leave;
  logic late_swap, message_q;
  logic [2:0] shift_q, largest_shift_q;
  logic shrink_q;
  logic [ModulusBits+MostShift-1:0] scaled_q;
  butterfly_leave_t near_leave_q, far_leave_q;
  logic [Lanes-1:0][RingBits-1:0] near_result, far_result;

  isopod_delay #(.Width(1), .Cycles(OutputLatency - 3)) u_swap (.clk_i, .value_i(swap),
      .value_o(late_swap));

  assign guest_leave = '{with_x: !guest_product_i, with_product: guest_product_i,
      minus: guest_product_i};

  // For a guest x is zero. Butterflies give zero or, by their correction, minus the common word.
  always_ff @(posedge clk_i) begin
    reduction_q     <= reduction_of(modulus_i, modulus_bits_i);
    near_leave_q    <= guest_i ? guest_leave : leaving(!late_swap);
    far_leave_q     <= guest_i ? guest_leave : leaving(late_swap);
    common_q        <= guest_product_i ? guest_common_data_i : '0;
    message_q          <= message_i;
    correction_q    <= guest_i ? guest_common_data_i : RingBits'(scaled_q);
  end

  // The correction of a transform begins at its largest shift; the first words come seven cycles
  // later. From stage to stage the shift falls by one at most.
  always_ff @(posedge clk_i) begin
    largest_shift_q <= correction_shift(stage, modulus_bits_i, message_q);
    shrink_q        <= !start_i && shift_q - 3'(shrink_q) > largest_shift_q;
    if (start_i) begin
      shift_q  <= 3'(MostShift);
      scaled_q <= (ModulusBits + MostShift)'(modulus_i) << MostShift;
    end else if (shrink_q) begin
      shift_q  <= shift_q - 3'd1;
      scaled_q <= scaled_q >> 1;
    end
  end

  // Forward: the upper word is x + p, the lower one x - p. Inverse: the upper word is x, the lower
  // one minus the product of upper - lower, where y is near - far.
  function automatic butterfly_leave_t leaving(logic upper);
    if (reduce) return '{with_x: 1'b0, with_product: 1'b1, minus: 1'b0};
    if (inverse) return '{with_x: upper, with_product: !upper, minus: !upper && !late_swap};
    return '{with_x: 1'b1, with_product: 1'b1, minus: !upper};
  endfunction

  // Brings |words| <= 2^30 + 26 below 2 q within ten stages for every q >= 2^25; 0 for words within
  // q, which all wide words are. At index 0 words of complex slots are up to 2^30.5 + 26. The last
  // stage then leaves word 0, corrected in every stage, and products of it, each below 0.86 q.
  function automatic logic [2:0] correction_shift(log_degree_t done, length_t bits,
      logic message);
    logic [2:0] largest;
    unique case (done)
      4'd0: largest = 3'd4;
      4'd1: largest = 3'd3;
      4'd2, 4'd3: largest = 3'd2;
      4'd4, 4'd5: largest = 3'd1;
      default: largest = 3'd0;
    endcase
    if (Wide || !message || length_t'(largest) + length_t'(26) <= bits) return 3'd0;
    return 3'(length_t'(largest) + length_t'(26) - bits);
  endfunction

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    isopod_butterfly #(.Tiled(Tiled), .Inverse(Inverse), .Plain(Plain)) u_butterfly (
      .clk_i, .inverse_i, .sum_near_i(sum_near_q), .sum_far_i(sum_far_q),
      .near_i(near[lane]), .far_i(far[lane]), .twiddle_i(twiddle_q[lane]),
      .external_a_i(external_a_i[lane]), .external_b_i(external_b_i[lane]),
      .external_short_i(external_short_i[lane]),
      .constant_i(constant_i | common_q),
      .reduction_i(reduction_q),
      .near_leave_i(near_leave_q), .far_leave_i(far_leave_q),
      .correction_i(correction_q),
      .product_o(product_o[lane]), .residue_o(residue_o[lane]),
      .near_o(near_result[lane]), .far_o(far_result[lane]));
  end

  // ---- lanes to banks ----
  logic [AddressBits-1:0] row_q;
  logic [ClassBits-1:0] write_class;

  isopod_delay #(.Width($bits(write_control_t)), .Cycles(WriteLatency)) u_control (
    .clk_i, .value_i(control), .value_o(write_control));
  isopod_delay #(.Width(ClassBits), .Cycles(OutputLatency)) u_class (
    .clk_i, .value_i(lane_class), .value_o(write_class));

  always_ff @(posedge clk_i) begin
    for (int unsigned bank = 0; bank < Banks; bank++) begin
      bank_result[bank] <= (side_of(bank, write_class) ? far_result[lane_of(bank, write_class)]
                                                       : near_result[lane_of(bank, write_class)])
                           | guest_write_data_i[bank];
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
  assign result_row_o        = row_q;
  assign result_data_o       = bank_result;

  always_ff @(posedge clk_i) begin
    if (start_i) row_q <= '0;
    else if (result_valid_o) row_q <= row_q + 1'b1;
  end

endmodule
