// Keeps message and small polynomials (e0, e1, ternary u or s), arranged for the first stage of a
// forward transform. Every lane and half (top index bit) has a bank. An index lies in the lane of
// the butterfly that works on it in that stage: its work bank without the bit of the top index
// bit's class. Its address is the counter of that stage.
//
// While differences are decoded, half 0 of the message memory keeps them, 2^(MaxLogN-1) words, with
// the lane on top of the address.
`include "isopod_assert.svh"

module isopod_source
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  parameter bit TernarySecret = 1'b0, // keeps s, for transforms of s in Montgomery form
  // One field serves e0, e1 and u, with s beside it in the same words; never written while read
  parameter bit SharedNoise = 1'b0,
  localparam int unsigned BankBits = $clog2(2 * Lanes),
  localparam int unsigned AddressBits = MaxLogN - BankBits,
  localparam int unsigned LaneBits = (Lanes == 1) ? 1 : $clog2(Lanes),
  localparam int unsigned PointBits = MaxLogN - 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  log_degree_t log_degree_i,  // of messages and small polynomials

  // word [h][s] belongs to index j n/4 + low with j = 2 h + (s ^ odd); with fewer than four lanes
  // only s = 0; otherwise odd is that bit of the lane of `low` which the second index bit from the
  // top enters. Zero without a write
  input  logic [1:0] message_write_i, // by h
  input  logic message_odd_i,
  input  logic [PointBits-1:0] message_low_i,
  input  logic [1:0][1:0][MessageBits-1:0] message_i,
  // of precise messages: one word as with fewer than four lanes, on both sides
  input  logic message_single_i,

  // differences: no message comes then, and no transform reads
  input  logic difference_write_i,
  input  logic [MaxLogN-2:0] difference_write_place_i,
  input  difference_t difference_i,
  input  logic difference_read_i,
  input  logic [MaxLogN-2:0] difference_read_place_i,
  output difference_t difference_o,  // two cycles later

  // small coefficients 2i and 2i+1 into a field; two cycles each with one lane
  input  source_e small_field_i,
  input  logic [PointBits-1:0] small_index_i,
  input  small_pair_t small_i,
  input  logic small_write_i,
  output logic small_ready_o,

  // what the transform reads: data four cycles after the position
  input  source_e source_i,
  input  residue_t one_i,     // Montgomery form of 1
  input  logic read_i,
  input  logic [AddressBits-1:0] position_i,
  input  logic twice_i,       // the lower words leave on both ports
  output logic [Lanes-1:0][SourceBits-1:0] upper_o,
  output logic [Lanes-1:0][SourceBits-1:0] lower_o
);

  localparam int unsigned Pair = (Lanes > 1) ? 2 : 1;
  localparam bit Beside = SharedNoise && TernarySecret;
  localparam int unsigned SmallBits = Beside ? 8 : 6;
  localparam int unsigned SecretBit = Beside ? 6 : 0; // s is not zero; its sign is the top bit
  localparam int unsigned SmallAddressBits = AddressBits + (SharedNoise ? 0 : 2);

  // ---- lane and address of an index ----
  function automatic logic [LaneBits-1:0] lane_of(logic [MaxLogN-1:0] index,
      log_degree_t log_degree);
    logic [BankBits-1:0] bank;
    logic [LaneBits-1:0] lane;
    int unsigned top;
    bank = '0;
    top  = 0;
    lane = '0;
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      bank[bit_class(position, BankBits)] ^= index[position];
      if (position + 1 == 32'(log_degree)) top = bit_class(position, BankBits);
    end
    for (int unsigned position = 0; position + 1 < BankBits; position++) begin
      lane[position] = (position < top) ? bank[position] : bank[position+1];
    end
    return lane;
  endfunction

  // The bit of the lane that the second index bit from the top enters, as a mask.
  function automatic logic [LaneBits-1:0] second_bit(log_degree_t log_degree);
    logic [LaneBits-1:0] mask;
    int unsigned top, second;
    mask   = '0;
    top    = 0;
    second = 0;
    if (Lanes == 4) return LaneBits'(2);
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      if (position + 1 == 32'(log_degree)) top = bit_class(position, BankBits);
      if (position + 2 == 32'(log_degree)) second = bit_class(position, BankBits);
    end
    for (int unsigned position = 0; position < LaneBits; position++) begin
      mask[position] = position == ((second < top) ? second : second - 1);
    end
    return mask;
  endfunction

  function automatic logic [AddressBits-1:0] address_of(logic [MaxLogN-1:0] index,
      log_degree_t log_degree);
    logic [AddressBits-1:0] address;
    for (int unsigned position = 0; position < AddressBits; position++) begin
      address[position] = (position + BankBits < 32'(log_degree))
          ? index[(Lanes == 1) ? position : position + 1] : 1'b0;
    end
    return address;
  endfunction

  // ---- message ----
  logic [MaxLogN-1:0] message_index_d;
  logic [AddressBits-1:0] message_address_q;
  logic [1:0][1:0][MessageBits-1:0] message_q;
  logic single;

  assign single = Lanes < 4 || (BuildPrecise && message_single_i);

  assign message_index_d = MaxLogN'(message_low_i) |
      ((single && message_odd_i) ? MaxLogN'(1) << (log_degree_i - 4'd2) : '0);

  always_ff @(posedge clk_i) begin
    message_address_q <= difference_write_i ? AddressBits'(difference_write_place_i) :
        address_of(message_index_d, log_degree_i);
    message_q[1]      <= message_i[1];
    message_q[0]      <= message_i[0] |
        {2{MessageBits'(difference_write_i ? difference_i : '0)}};
  end

  // Selects are registers, so that multiplexers stay small.
  logic [1:0][Lanes-1:0] message_lane_write_q;
  logic [Lanes-1:0] message_second_q;
  logic [Lanes-1:0] message_lane_d, message_second_d; // which side of message_q
  logic [Lanes-1:0] difference_lane_d;
  logic [LaneBits-1:0] first_lane, second_lane_bit;

  assign first_lane = lane_of(message_index_d, log_degree_i);
  assign second_lane_bit = second_bit(log_degree_i);

  always_comb begin
    logic [LaneBits-1:0] difference;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      difference = (Lanes == 1) ? '0 : LaneBits'(lane) ^ first_lane;
      message_second_d[lane] = 1'b0;
      if (Lanes >= 4) begin
        message_second_d[lane] = |(LaneBits'(lane) & second_lane_bit);
        if (!single) difference = difference & ~second_lane_bit;
      end
      message_lane_d[lane] = difference == '0;
      difference_lane_d[lane] =
          LaneBits'(difference_write_place_i >> AddressBits) == LaneBits'(lane);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) message_lane_write_q <= '0;
    else begin
      for (int unsigned half = 0; half < 2; half++) begin
        message_lane_write_q[half] <= (message_write_i[half] && !abort_i) ? message_lane_d : '0;
      end
      if (difference_write_i && !abort_i) message_lane_write_q[0] <= difference_lane_d;
    end
  end

  always_ff @(posedge clk_i) message_second_q <= message_second_d;

  // ---- small ----
  logic odd_turn_q, small_take;
  logic [Lanes/Pair-1:0] small_write;
  logic [AddressBits-1:0] small_address;
  logic [Lanes-1:0][5:0] small_data;
  logic small_half;
  logic [MaxLogN-1:0] small_even_index;
  logic [LaneBits-1:0] small_lane;

  assign small_ready_o    = Lanes > 1 || odd_turn_q;
  assign small_take       = small_write_i;
  assign small_even_index = {small_index_i, Lanes == 1 && odd_turn_q};
  assign small_lane       = lane_of(small_even_index, log_degree_i);
  assign small_address    = address_of(small_even_index, log_degree_i);

  always_comb begin
    small_half = 1'b0;
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      if (position + 1 == 32'(log_degree_i)) small_half = small_even_index[position];
    end
    // Bit 0 of the index is bit 0 of the lane.
    for (int unsigned pair = 0; pair < Lanes / Pair; pair++) begin
      small_write[pair] = small_take && (Lanes == 1 || LaneBits'(pair) == small_lane >> 1);
    end
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      small_data[lane]  = ((Lanes == 1) ? odd_turn_q : lane[0]) ? small_i.odd : small_i.even;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) odd_turn_q <= 1'b0;
    else if (abort_i) odd_turn_q <= 1'b0;
    else if (small_write_i && Lanes == 1) odd_turn_q <= !odd_turn_q;
  end

  logic [Lanes/Pair-1:0] small_write_q;
  logic [AddressBits-1:0] small_address_q;
  logic [Lanes-1:0][5:0] small_data_q;
  logic small_half_q;
  source_e small_field_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) small_write_q <= '0;
    else small_write_q <= small_write;
  end

  always_ff @(posedge clk_i) begin
    small_address_q <= small_address;
    small_data_q    <= small_data;
    small_half_q    <= small_half;
    small_field_q   <= small_field_i;
  end

  logic [1:0][Lanes-1:0][MessageBits-1:0] message_data, message_data_q;
  logic [1:0][Lanes-1:0][SourceBits-1:0] total_q;
  // A memory has several fields; a transform reads one of them.
  logic [1:0][Lanes-1:0][SmallBits-1:0] field, field_q;
  ring_t one_q, minus_one_q;
  logic secret_q, other_chosen_q, small_chosen_q, twice_q;
  logic [1:0] message_chosen_q;

  // 0 to 3 for e0, e1, u, s
  function automatic logic [1:0] field_of(source_e source);
    unique case (source)
      SourceError1:  return 2'd1;
      SourceTernary: return 2'd2;
      SourceSecret:  return 2'd3;
      default:       return 2'd0;
    endcase
  endfunction

  logic [SmallAddressBits-1:0] small_read_address, small_write_address;
  logic small_read;

  if (SharedNoise) begin : gen_shared
    // A write of noise keeps s of the same word, which is read a cycle before.
    assign small_read          = read_i || |small_write;
    assign small_read_address  = read_i ? position_i : small_address;
    assign small_write_address = small_address_q;
    `ISOPOD_ASSERT(ReadAlone, !(read_i && |small_write))
  end else begin : gen_apart
    assign small_read          = read_i;
    assign small_read_address  = {field_of(source_i), position_i};
    assign small_write_address = {field_of(small_field_q), small_address_q};
  end

  // Coefficients of an even and the next odd index come together.
  for (genvar half = 0; half < 2; half++) begin : gen_small_half
    for (genvar lane = 0; lane < Lanes; lane += Pair) begin : gen_pair
      logic [Pair-1:0][SmallBits-1:0] word;

      for (genvar side = 0; side < Pair; side++) begin : gen_side
        if (!Beside) begin : gen_alone
          assign word[side] = small_data_q[lane+side];
        end else begin : gen_beside
          assign word[side] = (small_field_q == SourceSecret) ?
              {small_data_q[lane+side][1:0], 6'd0} :
              {field[half][lane+side][SmallBits-1:6], small_data_q[lane+side]};
        end
      end

      isopod_ram #(.Width(Pair * SmallBits), .Depth(2**SmallAddressBits)) u_small (
        .clk_i, .read_i(small_read), .read_address_i(small_read_address),
        .read_data_o(field[half][lane+:Pair]),
        .write_i(small_write_q[lane/Pair] && small_half_q == half[0]),
        .write_address_i(small_write_address), .write_data_i(word));
    end
  end

  logic [1:0][AddressBits-1:0] message_position;
  logic [1:0] message_read;
  logic [LaneBits-1:0] difference_lane_1_q, difference_lane_2_q;

  assign message_read     = {read_i, read_i || difference_read_i};
  assign message_position = {position_i, difference_read_i ?
      AddressBits'(difference_read_place_i) : position_i};
  assign difference_o     = $bits(difference_t)'(message_data_q[0][difference_lane_2_q]);

  always_ff @(posedge clk_i) begin
    difference_lane_1_q <= LaneBits'(difference_read_place_i >> AddressBits);
    difference_lane_2_q <= difference_lane_1_q;
  end

  for (genvar half = 0; half < 2; half++) begin : gen_half
    for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
      isopod_ram #(.Width(MessageBits), .Depth(2**AddressBits)) u_message (
        .clk_i, .read_i(message_read[half]), .read_address_i(message_position[half]),
        .read_data_o(message_data[half][lane]),
        .write_i(message_lane_write_q[half][lane]), .write_address_i(message_address_q),
        .write_data_i(message_q[half][message_second_q[lane]]));
      ring_t symbol, symbol_q;
      logic from;
      logic signed [MessageBits-1:0] chosen_q, other_q;
      logic signed [5:0] addend_q;

      // -s in Montgomery form: both keys enter as a multiply-add.
      always_comb begin
        symbol = '0;
        if (TernarySecret && field_q[half][lane][SecretBit]) begin
          symbol = field_q[half][lane][SmallBits-1] ? one_q : minus_one_q;
        end
      end

      assign from = half == 1 || (BuildPrecise && twice_q);

      // The lower message where it leaves on both ports.
      if (BuildPrecise && half == 0) begin : gen_other
        always_ff @(posedge clk_i) other_q <= other_chosen_q ? message_data_q[1][lane] : '0;
      end else begin : gen_no_other
        assign other_q = '0;
      end

      // All but the chosen sources are zero.
      always_ff @(posedge clk_i) begin
        symbol_q            <= secret_q ? symbol : '0;
        chosen_q            <= message_chosen_q[half] ? message_data_q[half][lane] : '0;
        addend_q            <= small_chosen_q ? field_q[from][lane][5:0] : '0;
        total_q[half][lane] <= source_sum(SourceBits'(symbol_q) | SourceBits'(chosen_q) |
            SourceBits'(other_q), SourceBits'(addend_q));
      end
    end
  end

  // One subtraction, like ring_sum of isopod_pkg.
  function automatic logic [SourceBits-1:0] source_sum(logic [SourceBits-1:0] computed,
      logic [SourceBits-1:0] plain);
    return SourceBits'(({plain, 1'b0} - ~{computed, 1'b0}) >> 1);
  endfunction

  // The memories' outputs take half a cycle.
  always_ff @(posedge clk_i) begin
    {message_data_q, field_q} <= {message_data, field};
  end

  always_ff @(posedge clk_i) begin
    one_q            <= RingBits'(one_i);
    minus_one_q      <= -RingBits'(one_i);
    secret_q         <= source_i == SourceSecret;
    twice_q          <= twice_i;
    message_chosen_q <= {source_i == SourceMessage,
        source_i == SourceMessage && !(BuildPrecise && twice_i)};
    other_chosen_q   <= source_i == SourceMessage && twice_i;
    small_chosen_q   <= source_i inside {SourceMessage, SourceError1, SourceTernary};
  end

  if (!TernarySecret) begin : gen_unused
    logic unused_secret;
    assign unused_secret = ^{one_q, minus_one_q, secret_q, small_field_q};
  end

  if (!BuildPrecise) begin : gen_unused_long
    logic unused_long;
    assign unused_long = ^{message_single_i, twice_q, other_chosen_q};
  end

  `ISOPOD_ASSERT(DifferencesAlone, !(difference_write_i || difference_read_i) ||
      !(read_i || message_write_i != '0))

  assign upper_o = total_q[0];
  assign lower_o = total_q[1];

endmodule
