// The encode on the work banks and multipliers of a transform.
module encode_harness
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  parameter bit Tiled = 1'b0,
  parameter bit Complex = 1'b0,
  parameter CosineFile = "cosine_12.hex",
  localparam int unsigned Banks = 2 * Lanes,
  localparam int unsigned AddressBits = MaxLogN - $clog2(2 * Lanes),
  localparam int unsigned Used = (Lanes > 4) ? 4 : Lanes,
  localparam int unsigned LaneBits = (Lanes == 1) ? 1 : $clog2(Lanes)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic start_i,
  input  log_degree_t log_degree_i,
  input  logic [13:0] count_i,
  input  logic complex_i,
  input  sample_e form_i,
  input  logic signed [5:0] log2_bound_i,
  input  logic [4:0] shift_i,
  output logic busy_o,
  output logic overflow_o,
  input  logic [31:0] sample_i,
  input  logic sample_valid_i,
  output logic sample_ready_o,
  output logic [1:0] message_write_o,
  output logic message_odd_o,
  output logic [MaxLogN-2:0] message_low_o,
  output logic [1:0][1:0][31:0] message_o
);

  logic guest_read, external;
  logic [Banks-1:0] guest_write;
  logic [Banks-1:0][AddressBits-1:0] read_address, write_address;
  logic [Banks-1:0][31:0] read_data, write_data;
  logic [31:0] common_data;
  logic [LaneBits-1:0] first_pair, other_pair;
  logic [1:0][31:0] first, other;
  logic [Used-1:0][33:0] operand_a;
  logic [Used-1:0][32:0] operand_b;
  logic [Lanes-1:0][33:0] external_a;
  logic [Lanes-1:0][32:0] external_b;
  logic [Lanes-1:0][63:0] product;

  always_comb begin
    external_a = '0;
    external_b = '0;
    external_a[Used-1:0] = operand_a;
    external_b[Used-1:0] = operand_b;
  end

  isopod_encode #(.Lanes(Lanes), .MaxLogN(MaxLogN), .Tiled(Tiled),
      .Complex(Complex), .CosineFile(CosineFile)) u_encode (
    .clk_i, .rst_ni, .abort_i, .start_i, .long_i(1'b0), .loaded_o(),
    .words_start_i(1'b0), .sums_start_i(1'b0),
    .decode_start_i(1'b0), .fold_only_i(1'b0),
    .fold_o(), .fold_read_o(), .fold_index_o(), .fold_mirrored_o(), .fold_word_i('0),
    .fold_mirrored_word_i('0), .difference_valid_o(), .difference_o(),
    .slots_ready_o(), .slot_request_i(1'b0), .slot_o(),
    .hold_i(1'b0), .multiplies_o(external), .modulus_i('0), .log_degree_i,
    .count_i, .complex_i, .blank_i(1'b0), .form_i, .log2_bound_i, .shift_i, .busy_o, .overflow_o,
    .sample_i,
    .sample_valid_i, .sample_ready_o, .sum_i('0), .sum_valid_i(1'b0), .sum_ready_o(),
    .guest_read_o(guest_read),
    .guest_read_address_o(read_address), .guest_first_pair_o(first_pair),
    .guest_other_pair_o(other_pair), .guest_first_i(first), .guest_other_i(other),
    .guest_write_o(guest_write),
    .guest_write_address_o(write_address), .guest_write_data_o(write_data),
    .guest_common_data_o(common_data), .long_points_o(), .long_points_i('0),
    .long_folded_o(), .long_folded_i('0),
    .group_written_o(), .group_written_i(1'b0),
    .operand_a_o(operand_a), .operand_b_o(operand_b),
    .product_i(product[Used-1:0]), .message_write_o, .message_odd_o, .message_low_o, .message_o);

  isopod_point_read #(.Lanes(Lanes)) u_point_read (
    .data_i(read_data), .first_pair_i(first_pair), .other_pair_i(other_pair), .first_o(first),
    .other_o(other));

  isopod_transform #(.Lanes(Lanes), .MaxLogN(MaxLogN), .Tiled(Tiled)) u_transform (
    .clk_i, .rst_ni, .abort_i, .start_i(1'b0), .inverse_i(1'b0), .source_i(1'b0),
    .hold_last_i(1'b0), .reduce_i(1'b0), .reduced_i(1'b0), .message_i(1'b0),
    .log_degree_i, .modulus_i(30'd67104769),
    .modulus_bits_i(5'd26), .table_i('0), .issuing_o(), .busy_o(), .source_read_o(),
    .source_position_o(), .source_upper_i('0), .source_lower_i('0), .result_last_stage_o(),
    .result_valid_o(), .result_final_o(), .result_row_o(), .result_data_o(), .guest_i(1'b1),
    .guest_read_i(guest_read), .guest_read_address_i(read_address), .guest_read_data_o(read_data),
    .guest_write_i(guest_write), .guest_write_address_i(write_address),
    .guest_write_data_i(write_data), .guest_product_i(1'b0), .guest_common_data_i(common_data),
    .external_i(external), .external_a_i(external_a), .external_b_i(external_b),
    .external_short_i('0),
    .product_o(product), .residue_o(), .constant_i('0),
    .twiddle_guest_i(1'b0), .twiddle_read_i('0), .twiddle_lane_i({Lanes{LaneBits'(0)}}),
    .twiddle_write_i('0), .twiddle_write_address_i('0), .twiddle_write_data_i('0));

endmodule
