// Encodes real slots in words of 64 bits, spec/ckks.md section 4, from the words that isopod_encode
// has loaded into the work banks: its passes and the twist, two real products a cycle on four
// lanes. With `Decode` also the pre-twist and the passes of a decoding, from the words that
// isopod_encode folds; it sends the slots.
module isopod_encode_long_54
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  parameter bit Tiled = 1'b0,
  parameter bit Decode = 1'b0,
  parameter CosineFile = "cosine_12_long.hex",
  localparam int unsigned Banks = 2 * Lanes,
  localparam int unsigned AddressBits = MaxLogN - $clog2(Banks),
  localparam int unsigned PointBits = MaxLogN - 1,
  localparam int unsigned PairBits = $clog2(Lanes)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic start_i,                // the words are loaded
  input  logic decode_start_i,
  input  log_degree_t log_degree_i,
  input  logic [4:0] shift_i,
  output logic busy_o,
  output logic multiplies_o,
  output logic beyond_o,               // a decoded word is out of range

  // guest of the transform, as isopod_encode
  output logic guest_read_o,
  output logic [Banks-1:0][AddressBits-1:0] guest_read_address_o,
  output logic [PairBits-1:0] guest_first_pair_o,
  output logic [PairBits-1:0] guest_other_pair_o,
  input  logic [1:0][31:0] guest_first_i,
  input  logic [1:0][31:0] guest_other_i,
  // what isopod_encode writes
  output long_points_t points_o,
  input  long_folded_t folded_i,       // as isopod_fold
  input  logic group_written_i,
  output logic [3:0][FactorABits-1:0] factor_a_o,
  output logic [3:0][FactorBBits-1:0] factor_b_o,
  output short_operand_t [3:0] short_o,
  input  logic [3:0][ProductBits-1:0] product_i,

  // message: word h belongs to index j M + low with j = 2 h + odd
  output logic [1:0] message_write_o,  // by h
  output logic message_odd_o,
  output logic [PointBits-1:0] message_low_o,
  output logic [1:0][MessageBits-1:0] message_o
);

  logic [1:0][65:0] operand_a;
  logic [1:0][64:0] operand_b;
  logic [1:0][127:0] product;
  logic [1:0][1:0][MessageBits-1:0] message; // the same on both sides

  isopod_encode #(
    .Lanes(Lanes), .MaxLogN(MaxLogN), .Tiled(Tiled), .Decode(Decode), .Long(1'b1),
    .CosineFile(CosineFile)
  ) u_encode (
    .clk_i, .rst_ni, .abort_i, .start_i, .long_i(1'b0), .loaded_o(), .words_start_i(1'b0),
    .sums_start_i(1'b0), .decode_start_i, .fold_only_i(1'b0), .hold_i(1'b0),
    .modulus_i('0), .log_degree_i, .count_i('0), .complex_i(1'b0), .blank_i(1'b0),
    .form_i(SampleFixed), .log2_bound_i('0), .shift_i, .busy_o, .multiplies_o,
    .overflow_o(beyond_o),
    .fold_o(), .fold_read_o(), .fold_index_o(), .fold_mirrored_o(), .fold_word_i('0),
    .fold_mirrored_word_i('0), .difference_valid_o(), .difference_o(), .slots_ready_o(),
    .slot_request_i(1'b0), .slot_o(), .sample_i('0), .sample_valid_i(1'b0), .sample_ready_o(),
    .sum_i('0), .sum_valid_i(1'b0), .sum_ready_o(), .guest_read_o, .guest_read_address_o,
    .guest_first_pair_o, .guest_other_pair_o, .guest_first_i, .guest_other_i, .guest_write_o(),
    .guest_write_address_o(), .guest_write_data_o(), .guest_common_data_o(),
    .long_points_o(points_o), .long_points_i('0), .long_folded_o(), .long_folded_i(folded_i),
    .group_written_o(), .group_written_i,
    .operand_a_o(operand_a), .operand_b_o(operand_b),
    .product_i(product), .message_write_o, .message_odd_o, .message_low_o, .message_o(message));

  isopod_long_product_54 u_product (
    .clk_i, .active_i(multiplies_o), .a_i(operand_a), .b_i(operand_b), .product_o(product),
    .factor_a_o, .factor_b_o, .short_o, .product_i);

  assign message_o = {message[1][0], message[0][0]};

  logic unused_message;
  assign unused_message = ^message;

endmodule
