// The multiply-accumulate on the way out, one residue per cycle: y = x + a b 2^-32 mod q in [0, q),
// position ascending.
//
//   ProductKey      x from the result, a from the mask stream, b from the key memory
//   ProductMask     x from the result, a from the mask stream, b from the factor: -s
//   ProductPublic   x from the result, a from the public key stream, b from the factor: u
//   ProductCopy     x from the result
//   ProductScale    a = the scale constant, b from the factor
//   ProductSumKey, ProductSumFactor   x = -c0, a = c1 from the public stream, by turns, b from the
//                   key memory or the factor: -s; y = -(c0 + c1 s), for the lanes
//   ProductLanesKey, ProductLanesMask, ProductLanesPublic   a b of ProductKey, ProductMask and
//                   ProductPublic, for the lanes
//   ProductCoefficients   x = m + e from elsewhere, a = minus the scale constant, b from the
//                   factor; rounded, and only what is to be sent
//   ProductSlots    x from elsewhere: n/2 decoded words, in the order of the slots
// While a polynomial is folded, the module reads one word of the result and one of the factor, at
// other places. Result, factor and m + e are words within 2 q. So |a b 2^-32| < q, and |y| < 3 q
// before it is made canonical.
// With one lane, the multiplier of the lane serves; otherwise the module has its own. A residue is
// issued only if the output queue has room for it, so the pipeline never stops.
module isopod_product
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  parameter bit Tiled = 1'b0,
  parameter bit Sums = 1'b1, // with ProductSumKey and ProductSumFactor
  parameter bit Decode = 1'b0, // with ProductSlots, and reads of the fold
  parameter int unsigned Factors = 1, // buffers of factors
  parameter bit Plain = 1'b0,         // also modulo moduli of plaintexts
  parameter bit Coefficients = 1'b0,  // with ProductCoefficients, and products for the lanes
  localparam int unsigned BankBits = $clog2(2 * Lanes),
  localparam int unsigned Banks = 2 * Lanes,
  localparam int unsigned AddressBits = MaxLogN - BankBits
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic start_i,           // taken when busy_o is low
  input  product_e kind_i,        // these are sampled at start
  input  log_degree_t log_degree_i,
  input  residue_t modulus_i,
  input  length_t modulus_bits_i,
  input  residue_t scale_i,
  input  dropped_t dropped_i,     // bits that the words lose
  output logic busy_o,            // results, factors and key words are still being read
  output logic multiplying_o,     // busy, or products are on the way

  output logic read_o,
  output logic [AddressBits-1:0] row_o,
  output logic [AddressBits-1:0] factor_row_o,
  input  logic [Banks-1:0][RingBits-1:0] result_i,     // one cycle after the row
  input  logic [Factors-1:0][Banks-1:0][RingBits-1:0] factor_i,
  input  factor_buffer_t buffer_i,     // the one that is read, sampled at start
  // Two cycles after key_read_o, which asks for the next word
  output logic key_read_o,
  input  logic [RingBits-1:0] key_i,

  // Reads of the fold: words come three cycles later; places are zero without a fold
  input  logic fold_i,            // they may come; no product runs
  input  logic fold_read_i,
  input  logic [MaxLogN-1:0] fold_index_i,
  input  logic [MaxLogN-1:0] fold_mirrored_i,
  output ring_t fold_word_o,
  output ring_t fold_mirrored_word_o,
  // Decoded words seven cycles after the request
  output logic slot_request_o,
  input  logic slot_halves_i,     // they come as two halves of 32 bits each, the low one first
  input  logic [RingBits-1:0] slot_i,

  input  addend_t addend_i,
  input  logic addend_valid_i,
  output logic addend_request_o,
  output residue_t addend_modulus_o,
  input  residue_t mask_i,
  input  logic mask_valid_i,
  output logic mask_ready_o,
  input  key_word_t public_i,
  input  logic public_valid_i,
  output logic public_ready_o,
  output logic beyond_o,          // pulse: a word of a sum is not below the modulus

  // the lane's multiplier; zero while there is nothing to multiply
  output logic [FactorABits-1:0] operand_a_o,
  output logic [FactorBBits-1:0] operand_b_o,
  input  logic [RingBits-1:0] lane_residue_i,

  output residue_t word_o,
  output length_t bits_o,
  output logic last_o,
  output logic sum_o,             // the word is for the lanes, not to be packed
  output logic skipped_o,         // it is not sent
  output logic valid_o,
  input  logic ready_i
);

  localparam int unsigned MontgomeryLatency = montgomery_latency(Tiled);
  // From issue to the output queue
  localparam int unsigned Latency = 3 + MontgomeryLatency + 4 + (Coefficients ? 3 : 0);
  localparam int unsigned Room = Wide ? 64 : 32;
  localparam int unsigned Skipped = (BankBits > 1) ? 1 : 0; // bits of an index below its row

  // ---- the product that runs ----
  logic active_q, issue, supply, room, sum, with_key, slots, fold, lanes, coefficients;
  logic slot_halves;
  logic second_q, taken_valid_q;   // the next word of a sum is c1; a word of a sum was taken
  key_word_t taken_q;
  product_e kind_q;
  factor_buffer_t buffer_q;
  residue_t modulus_q, scale_q;
  length_t bits_q;
  logic [MaxLogN-1:0] index_q, last_index_q, read_index, factor_index;
  logic last, with_mask, with_public;
  dropped_t dropped_q;

  always_comb begin
    unique case (kind_q)
      ProductKey, ProductMask, ProductLanesKey, ProductLanesMask: supply = mask_valid_i;
      ProductPublic, ProductLanesPublic: supply = public_valid_i;
      ProductCoefficients:     supply = addend_valid_i;
      ProductSumKey, ProductSumFactor: supply = public_valid_i && second_q;
      default:                 supply = 1'b1;
    endcase
  end

  assign last           = index_q == last_index_q;
  assign issue          = active_q && room && supply;
  assign with_mask      = kind_q inside {
      ProductKey, ProductMask, ProductLanesKey, ProductLanesMask};
  assign with_public    = kind_q inside {ProductPublic, ProductLanesPublic} || sum;
  assign mask_ready_o   = active_q && room && with_mask;
  assign public_ready_o = active_q && room && with_public;
  assign addend_request_o = active_q && room && coefficients;
  assign addend_modulus_o = modulus_q;
  assign busy_o         = active_q;
  assign slots          = Decode && kind_q == ProductSlots;
  assign slot_halves    = Decode && BuildPrecise && slot_halves_i;
  assign fold           = Decode && fold_i;
  assign slot_request_o = issue && slots;
  assign read_o         = issue || (Decode && fold_read_i);
  assign key_read_o     = issue && with_key;
  assign read_index     = Decode ? index_q | fold_index_i : index_q;
  assign factor_index   = Decode ? index_q | fold_mirrored_i : index_q;
  assign row_o          = row_of(read_index[MaxLogN-1:Skipped]);
  assign factor_row_o   = row_of(factor_index[MaxLogN-1:Skipped]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      kind_q   <= ProductCopy;
    end else if (abort_i) begin
      active_q <= 1'b0;
    end else if (!active_q) begin
      active_q <= start_i;
      if (start_i) kind_q <= kind_i;
    end else if (issue) begin
      active_q <= !last;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!active_q) index_q <= '0;
    else if (issue) index_q <= index_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      last_index_q[position] <= position + 32'(slots && !slot_halves) < 32'(log_degree_i);
    end
    if (start_i && !active_q) begin
      modulus_q <= modulus_i;
      scale_q   <= scale_i;
      buffer_q  <= buffer_i;
      bits_q    <= (slot_halves && kind_i == ProductSlots) ? length_t'(WordBits) : modulus_bits_i;
      dropped_q <= dropped_i;
    end
  end

  // The row of an index is its upper bits. After an inverse, whose last stage has the largest
  // stride, it is all bits but the top ones and bit 0.
  logic inverted;
  logic [AddressBits-1:0] row_bits_q;

  assign inverted = kind_q == ProductScale || coefficients || fold;

  always_ff @(posedge clk_i) begin
    for (int unsigned position = 0; position < AddressBits; position++) begin
      row_bits_q[position] <= position + BankBits < 32'(log_degree_i);
    end
  end

  function automatic logic [AddressBits-1:0] row_of(logic [MaxLogN-1:Skipped] index);
    if (inverted) return index[Skipped+:AddressBits] & row_bits_q;
    return index[MaxLogN-1:BankBits];
  endfunction

  // ---- words of a sum: c0, then c1 ----
  assign sum      = Sums && kind_q inside {ProductSumKey, ProductSumFactor};
  assign lanes    = Coefficients &&
      kind_q inside {ProductLanesKey, ProductLanesMask, ProductLanesPublic};
  assign coefficients = Coefficients && kind_q == ProductCoefficients;
  assign with_key = kind_q inside {ProductKey, ProductLanesKey} ||
      (Sums && kind_q == ProductSumKey);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {second_q, taken_valid_q, beyond_o} <= '0;
    else if (abort_i || !sum) {second_q, taken_valid_q, beyond_o} <= '0;
    else begin
      taken_valid_q <= public_valid_i && public_ready_o;
      beyond_o      <= taken_valid_q && taken_q >= KeyBits'(modulus_q);
      if (public_valid_i && public_ready_o) second_q <= !second_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (sum && public_valid_i && public_ready_o) taken_q <= public_i;
  end

  // All but the chosen sources are zero. The outputs of the memories take half a cycle. Choices are
  // registers, because some mappers turn a computed reset into one LUT for every bit.
  logic [Banks-1:0] result_chosen_1_q;
  logic [Factors-1:0][Banks-1:0] factor_chosen_1_q;
  logic [Banks-1:0][RingBits-1:0] result_2_q;
  logic [Factors-1:0][Banks-1:0][RingBits-1:0] factor_2_q;
  factor_buffer_t buffer;
  logic with_factor;
  logic [RingBits-1:0] public_1_q, mask_1_q, scale_1_q, stream_2_q, minus_1_q, minus_2_q;
  ring_t x_3_q, a_3_q, key_3_q, factor_3_q, factor_word;
  logic multiplying_q, with_result;

  always_ff @(posedge clk_i) begin
    multiplying_q <= multiplying_o;
    public_1_q    <= with_public ? RingBits'(public_i) : '0;
    minus_1_q     <= (sum && !fold) ? -RingBits'(taken_q) : coefficients ? addend_i.word : '0;
    minus_2_q     <= minus_1_q;
    mask_1_q      <= with_mask ? RingBits'(mask_i) : '0;
    scale_1_q     <= (kind_q == ProductScale) ? RingBits'(scale_q) :
        coefficients ? -RingBits'(scale_q) : '0;
    stream_2_q    <= public_1_q | mask_1_q | scale_1_q;
    for (int unsigned bank = 0; bank < Banks; bank++) begin
      result_chosen_1_q[bank] <= with_result && bank_of(read_index) == BankBits'(bank);
      result_2_q[bank]        <= result_chosen_1_q[bank] ? result_i[bank] : '0;
      for (int unsigned place = 0; place < Factors; place++) begin
        factor_chosen_1_q[place][bank] <= with_factor && buffer == factor_buffer_t'(place) &&
            bank_of(factor_index) == BankBits'(bank);
        factor_2_q[place][bank] <= factor_chosen_1_q[place][bank] ? factor_i[place][bank] : '0;
      end
    end
    x_3_q         <= any_of(result_2_q) | minus_2_q | (slots ? slot_i : '0);
    a_3_q         <= multiplying_q ? signed'(stream_2_q) : '0;
    key_3_q       <= (multiplying_q && with_key) ? signed'(key_i) : '0;
    factor_3_q    <= factor_word;
  end

  // All but the chosen words are zero.
  function automatic ring_t any_of(logic [Banks-1:0][RingBits-1:0] words);
    any_of = '0;
    for (int unsigned bank = 0; bank < Banks; bank++) any_of = any_of | words[bank];
  endfunction

  always_comb begin
    factor_word = '0;
    for (int unsigned place = 0; place < Factors; place++) begin
      factor_word = factor_word | any_of(factor_2_q[place]);
    end
  end

  assign buffer      = fold ? factor_buffer_t'(Factors - 1) : buffer_q;
  assign with_factor = (multiplying_o && !with_key) || fold;
  assign with_result = fold || !(inverted || sum || lanes || slots);
  assign fold_word_o = x_3_q;
  assign fold_mirrored_word_o = factor_3_q;

  function automatic logic [BankBits-1:0] bank_of(logic [MaxLogN-1:0] index);
    logic [BankBits-1:0] bank;
    bank = '0;
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      bank[bit_class(position, BankBits)] ^= index[position];
    end
    return bank;
  endfunction

  // ---- multiply, add, make canonical ----
  ring_t x_late, product, twice_q, once_q, canonical_q, modulus;
  logic signed [RingBits:0] total_q;

  assign modulus     = signed'(RingBits'(modulus_q));
  assign operand_a_o = FactorABits'(a_3_q);
  assign operand_b_o = FactorBBits'(key_3_q | factor_3_q);

  if (Lanes == 1) begin : gen_lane_multiplier
    assign product = signed'(lane_residue_i);
  end else begin : gen_multiplier
    reduction_t reduction_q;
    logic signed [ProductBits-1:0] unused_product;
    logic unused_lane;

    always_ff @(posedge clk_i) reduction_q <= reduction_of(modulus_q, bits_q);

    isopod_montgomery #(.Tiled(Tiled), .Plain(Plain)) u_montgomery (
      .clk_i, .a_i(operand_a_o), .b_i(operand_b_o), .short_i('0),
      .reduction_i(reduction_q),
      .product_o(unused_product), .result_o(product));
    assign unused_lane = ^{unused_product, lane_residue_i};
  end

  isopod_delay #(.Width(RingBits), .Cycles(MontgomeryLatency)) u_x (
    .clk_i, .value_i(x_3_q), .value_o(x_late));

  always_ff @(posedge clk_i) begin
    total_q     <= (RingBits + 1)'(x_late) + (RingBits + 1)'(product);
    twice_q     <= towards_zero(signed'(total_q[RingBits-1:0]), total_q[RingBits]); // within 2 q
    once_q      <= towards_zero(twice_q, twice_q[RingBits-1]);                      // within q
    canonical_q <= (modulus & {RingBits{once_q[RingBits-1]}}) + once_q;
  end

  function automatic ring_t towards_zero(ring_t value, logic negative);
    return ring_sum(modulus ^ {RingBits{!negative}}, value, !negative);
  endfunction

  // ---- output queue ----
  localparam int unsigned SlotLatency = 5;   // later than a word of the result
  logic done_valid, done_last, in_flight, unused_ready, last_late, waits;
  logic issue_slot;
  logic [$clog2(Room):0] held_q; // issued and not yet taken
  logic for_lanes, skipped;
  residue_t word;
  length_t bits;

  isopod_valid_delay #(.Cycles(Latency)) u_valid (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(issue_slot), .valid_o(done_valid),
    .any_o(in_flight));

  if (Coefficients) begin : gen_coefficients
    logic blank;

    isopod_delay #(.Width(2), .Cycles(Latency)) u_last (
      .clk_i, .value_i({coefficients ? addend_i.last : last_late, coefficients && !addend_i.sent}),
      .value_o({done_last, skipped}));
    isopod_delay #(.Width(1), .Cycles(Latency - 3)) u_blank (
      .clk_i, .value_i(coefficients && addend_i.blank), .value_o(blank));
    isopod_rounding_narrow u_rounding (
      .clk_i, .dropped_i(dropped_q), .modulus_i(modulus_q), .value_i(canonical_q[ModulusBits-1:0]),
      .blank_i(blank), .result_o(word));
    assign bits      = bits_q - length_t'(dropped_q);
    assign for_lanes = sum || lanes;
  end else begin : gen_no_coefficients
    isopod_delay #(.Width(1), .Cycles(Latency)) u_last (
      .clk_i, .value_i(last_late), .value_o(done_last));
    assign word      = canonical_q[ModulusBits-1:0];
    assign bits      = bits_q;
    assign for_lanes = sum;
    assign skipped   = 1'b0;
    logic unused_addend;
    assign unused_addend = ^{addend_i, dropped_q};
  end

  if (Decode) begin : gen_slots
    logic last_slot, issue_late;

    isopod_valid_delay #(.Cycles(SlotLatency)) u_request (
      .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(slot_request_o), .valid_o(issue_late),
      .any_o(waits));
    isopod_delay #(.Width(1), .Cycles(SlotLatency)) u_last_slot (
      .clk_i, .value_i(last), .value_o(last_slot));
    assign issue_slot = slots ? issue_late : issue;
    assign last_late  = slots ? last_slot : last;
  end else begin : gen_no_slots
    assign issue_slot = issue;
    assign last_late  = last;
    assign waits      = 1'b0;
  end

  assign multiplying_o = active_q || in_flight || waits;

  assign room = held_q < ($clog2(Room) + 1)'(Room);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= '0;
    else if (abort_i) held_q <= '0;
    else held_q <= held_q + ($clog2(Room) + 1)'(issue) - ($clog2(Room) + 1)'(valid_o && ready_i);
  end

  isopod_queue #(.Width(ModulusBits + $bits(length_t) + 3), .Depth(Room)) u_queue (
    .clk_i, .rst_ni, .abort_i,
    .data_i({word, bits, done_last, for_lanes, skipped}), .valid_i(done_valid),
    .ready_o(unused_ready), .data_o({word_o, bits_o, last_o, sum_o, skipped_o}), .valid_o,
    .ready_i);

  if (KeyBits > RingBits) begin : gen_unused
    logic unused_public;
    assign unused_public = ^public_i[KeyBits-1:RingBits];
  end

  logic unused_bits;
  assign unused_bits = ^canonical_q[RingBits-1:ModulusBits];

endmodule
