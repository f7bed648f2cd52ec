// The encryption engine: samples in, packed residues of a CKKS ciphertext out, bit for bit those of
// spec/ckks.md. doc/interfaces.md describes the ports, doc/theory_of_operation.md the flow.
`include "isopod_assert.svh"

module isopod_engine
  import isopod_pkg::*;
#(
  parameter int unsigned ModulusWidth = BuildWidth, // 32, 54, 61
  parameter int unsigned Lanes = 4,         // 1, 2, 4, 8
  parameter int unsigned MaxLogN = 12,      // 10..14
  parameter int unsigned Xof = 0,           // 0 ChaCha20, 1 Keccak
  parameter int unsigned XofRounds = 1,      // rounds in a cycle: 1, 2
  // Resident twiddle tables; 1: built anew whenever the prime changes
  parameter int unsigned TwiddleTables = 3,
  // Words of -NTT(s); 0: the secret key is kept as ternary s
  parameter int unsigned KeyWords = 12288,
  parameter bit Inverse = 1'b1,             // with OpInverse and, if Decrypt, OpDecrypt
  // Whoever writes commands may decrypt, and thus learn the key
  parameter bit Decrypt = 1'b1,
  // With OpDecode: wide builds of four or eight lanes that decrypt
  parameter bit Decode = 1'b0,
  // With OpBfvSecret and OpBfvPublic, and transforms modulo a plaintext modulus; only in builds of
  // 54 bits with four or eight lanes and shared noise
  parameter bit Bfv = 1'b0,
  // Encrypts complex slots, too: builds of four or eight lanes
  parameter bit Complex = 1'b0,
  // With OpDraw: a ternary key is drawn from noise_key_i; KeyWords must be 0
  parameter bit Draw = 1'b0,
  // With OpCoefficientsSecret and OpCoefficientsPublic: narrow builds without shared noise
  parameter bit Coefficients = 1'b0,
  // Messages of 64-bit words, too: builds of 54 bits with four or eight lanes, whose macro
  // ISOPOD_PRECISE is 1
  parameter bit Precise = BuildPrecise,
  // Decodes in such words, too: builds with Decode and Precise
  parameter bit DecodeLong = 1'b0,
  // With frames: headers of software, one-time keys, tags; builds with ChaCha20
  parameter bit Frame = 1'b0,
  parameter bit Tiled = 1'b0,               // multipliers as 18-bit tiles
  parameter int unsigned MaskDepth = 1024,  // mask words drawn ahead
  // Factor buffers, 1 to 3. With a ternary key and more than one, each keeps NTT(s) of a prime; the
  // last one only until another factor needs it
  parameter int unsigned Factors = 1,
  // Memory for one polynomial of noise: a public-key encryption draws it anew for every prime
  parameter bit SharedNoise = 1'b0,
  parameter CosineFile = (MaxLogN == 10) ? "cosine_10.hex" : (MaxLogN == 11) ? "cosine_11.hex" :
                         (MaxLogN == 12) ? "cosine_12.hex" : (MaxLogN == 13) ? "cosine_13.hex" :
                         "cosine_14.hex",
  parameter LongCosineFile = (MaxLogN == 10) ? "cosine_10_long.hex" :
                             (MaxLogN == 11) ? "cosine_11_long.hex" :
                             (MaxLogN == 12) ? "cosine_12_long.hex" :
                             (MaxLogN == 13) ? "cosine_13_long.hex" : "cosine_14_long.hex"
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  command_t command_i,
  input  logic command_valid_i,
  output logic command_ready_o,
  input  logic [255:0] mask_seed_i,
  input  logic [255:0] noise_key_i,
  input  logic seeds_valid_i, // until then nothing is drawn from them
  // Frames: device key, first bytes of the nonce, bytes of c0 that are sent (0: all) and headers
  input  logic [255:0] tag_key_i,
  input  logic [95:0] frame_nonce_i,
  input  logic [17:0] frame_cut_i,
  input  logic frame_bare_i,  // pulse: bare residues instead of a frame that has no header yet
  output logic [31:0] frame_number_o,
  input  header_piece_t header_i,
  input  logic header_valid_i,
  output logic header_ready_o,
  output logic header_room_o,
  input  logic prime_write_i,
  input  logic [8:0] prime_address_i,
  input  key_word_t prime_data_i,
  input  logic key_forget_i,
  input  logic key_write_i,
  input  logic [31:0] key_address_i,
  input  key_word_t key_data_i,
  input  logic key_seal_i,    // the digest of the words is right
  input  key_shape_t key_shape_i,
  input  logic key_head_i,    // a key of this degree and number of primes may be drawn
  output logic key_valid_o,

  input  logic [31:0] sample_i,
  input  logic sample_valid_i,
  output logic sample_ready_o,
  input  key_word_t public_i,
  input  logic public_valid_i,
  output logic public_ready_o,
  output packed_beat_t beat_o,
  output logic beat_valid_o,
  input  logic beat_ready_i,

  output logic busy_o,
  output logic done_o,
  output error_e error_o,
  output prime_index_t error_prime_o,
  input  logic clear_i,
  input  logic abort_i,
  input  logic bus_error_i
);

  localparam int unsigned BankBits = $clog2(2 * Lanes);
  localparam int unsigned Banks = 2 * Lanes;
  localparam int unsigned AddressBits = MaxLogN - BankBits;
  localparam int unsigned PointBits = MaxLogN - 1;
  localparam int unsigned LaneBits = (Lanes == 1) ? 1 : $clog2(Lanes);
  localparam int unsigned PairBits = LaneBits; // of pairs of banks
  localparam int unsigned WordAddressBits = MaxLogN - $clog2(Lanes);
  localparam int unsigned TableBits = (TwiddleTables == 1) ? 1 : $clog2(TwiddleTables);
  localparam int unsigned Used = (Lanes > 4) ? 4 : Lanes;
  localparam bit TernarySecret = KeyWords == 0;
  localparam bit Sums = Inverse && Decrypt;
  localparam bit OwnNoise = Bfv || Coefficients; // noise that is no small polynomial

  if (ModulusWidth != BuildWidth) begin : gen_width
    $fatal(1, "ModulusWidth must be ISOPOD_MODULUS_WIDTH");
  end
  if (Precise != BuildPrecise) begin : gen_precise
    $fatal(1, "Precise must be ISOPOD_PRECISE");
  end
  if (Precise && (ModulusWidth != 54 || Lanes < 4)) begin : gen_precise_form
    $fatal(1, "precise messages need moduli of 54 bits and four lanes");
  end
  if (Draw && KeyWords != 0) begin : gen_draw
    $fatal(1, "Draw makes ternary keys: KeyWords must be 0");
  end

  logic abort, zeroising, key_beyond, wipe;
  command_t command;
  descriptor_address_t descriptor_address;
  logic [4:0] generator_word;
  key_word_t descriptor_word, descriptor;
  logic [RingBits-1:0] constant;
  prime_constants_t prime;
  plain_t plain_modulus;
  logic [TableBits-1:0] twiddle_table;
  writes_t writes;
  status_t status;
  reports_t reports;
  starts_t starts;
  transform_order_t order;
  logic fold_first, fold_last;
  logic product_start, product_busy;
  product_e product_kind;
  factor_buffer_t product_buffer;
  dropped_t product_dropped;
  random_job_t job;
  logic job_valid, job_ready;

  assign writes = '{
      prime_valid: prime_write_i, prime: prime_address_i[8:5],
      key_valid: key_write_i,
      key_index: TernarySecret ? 20'(key_address_i[15:0]) : key_address_i[19:0],
      key_log_degree: key_address_i[19:16], key_beyond: key_beyond,
      key_forget: key_forget_i, key_seal: key_seal_i, key_shape: key_shape_i};
  assign {busy_o, done_o, error_o, error_prime_o} = status;

  isopod_sequencer #(
    .MaxLogN(MaxLogN), .Tables(TwiddleTables), .KeyWords(KeyWords), .Inverse(Inverse),
    .Decrypt(Sums), .Decode(Decode), .Bfv(Bfv), .Complex(Complex), .Draw(Draw),
    .Coefficients(Coefficients), .Frame(Frame), .Precise(Precise), .DecodeLong(DecodeLong),
    .SharedMultiplier(Lanes == 1),
    .SharedNoise(SharedNoise),
    .Factors(Factors)
  ) u_sequencer (
    .clk_i, .rst_ni, .command_i, .command_valid_i, .command_ready_o,
    .control_i({clear_i, abort_i, bus_error_i}), .writes_i(writes), .head_valid_i(key_head_i),
    .status_o(status),
    .abort_o(abort), .command_o(command), .zeroising_o(zeroising), .key_valid_o,
    .descriptor_address_o(descriptor_address), .descriptor_i(descriptor), .prime_o(prime),
    .plain_o(plain_modulus),
    .reports_i(reports), .starts_o(starts), .table_o(twiddle_table), .transform_o(order),
    .fold_first_o(fold_first), .fold_last_o(fold_last),
    .product_start_o(product_start), .product_o(product_kind), .product_buffer_o(product_buffer),
    .product_dropped_o(product_dropped),
    .job_o(job), .job_valid_o(job_valid), .job_ready_i(job_ready),
    .wipe_o(wipe));

  logic [4:0] read_word;
  assign read_word = reports.generator_busy ? generator_word : descriptor_address.word;

  isopod_ram #(.Width(KeyBits), .Depth(MaxPrimes * PrimeWords)) u_descriptors (
    .clk_i, .read_i(1'b1), .read_address_i({descriptor_address.prime, read_word}),
    .read_data_o(descriptor_word),
    .write_i(prime_write_i && !busy_o), .write_address_i(prime_address_i),
    .write_data_i(prime_data_i));

  // The constant is a factor, zero while unused.
  always_ff @(posedge clk_i) begin
    descriptor <= descriptor_word;
    constant   <= reports.generator_busy ? RingBits'(descriptor) : '0;
  end

  logic encode_read;
  logic [Banks-1:0] encode_write;
  logic [Banks-1:0][AddressBits-1:0] encode_read_address, encode_write_address;
  logic [Banks-1:0][31:0] encode_write_data, encode_read_data;
  logic [Banks-1:0][RingBits-1:0] guest_write_data, work_data;
  logic [RingBits-1:0] encode_common_data;
  logic [Used-1:0][33:0] encode_a;
  logic [Used-1:0][32:0] encode_b;
  logic [Lanes-1:0][ProductBits-1:0] products;
  logic [Used-1:0][63:0] encode_products;
  logic [Lanes-1:0][RingBits-1:0] residues;
  logic [1:0] message_write;
  logic encode_multiplies, encode_overflow, sum_beyond, sum_valid, sum_ready;
  logic bfv, plain_valid, plain_beyond, plain_ready, encode_ready;
  ring_t sum_word, plain_word;
  residue_t residue;
  logic fold, fold_read, slot_request, decodes, scales, complex_slots;
  logic [MaxLogN-1:0] fold_index, fold_mirrored;
  ring_t fold_word, fold_mirrored_word;
  logic difference_valid, difference_write, difference_read, differs;
  difference_t difference, kept_difference;
  logic [MaxLogN-2:0] difference_write_place, difference_read_place;
  logic [RingBits-1:0] decoded_word;
  logic message_odd;
  logic [PointBits-1:0] message_low;
  logic [1:0][1:0][31:0] message;
  logic [1:0][1:0][MessageBits-1:0] source_message;
  logic [1:0] source_message_write;
  logic source_message_odd;
  logic [PointBits-1:0] source_message_low;
  logic [Banks-1:0][AddressBits-1:0] words_read_address;
  logic words_read, words_busy, words_multiplies;
  logic [PairBits-1:0] words_first_pair, words_other_pair, long_first_pair, long_other_pair;
  logic [1:0][31:0] first_point, other_point;

  // Messages of 64-bit words.
  logic long, long_decode, long_loaded, long_busy, long_multiplies, long_beyond, long_read;
  logic [Banks-1:0][AddressBits-1:0] long_read_address;
  long_points_t long_points, unused_points;
  long_folded_t long_folded;
  logic group_written;
  logic [3:0][FactorABits-1:0] long_a;
  logic [3:0][FactorBBits-1:0] long_b;
  short_operand_t [3:0] long_short;
  short_operand_t [Lanes-1:0] external_short;

  assign long = Precise && command.sample == SampleLong &&
      command.opcode inside {OpEncryptSecret, OpEncryptPublic};
  assign long_decode = DecodeLong && command.sample == SampleLong && decodes;

  // On their way into the work banks, sums of a decoding are multiplied by 1/n, the message of a
  // BFV encryption by 1/t.
  assign decodes = Decode && command.opcode == OpDecode;
  assign bfv     = Bfv && is_bfv(command.opcode);
  assign scales  = (decodes || bfv) && reports.encode_busy && !encode_multiplies;
  // A command that encodes no samples of its own may carry the flag.
  assign complex_slots = command.complex_slots &&
      command.opcode inside {OpEncryptSecret, OpEncryptPublic};

  // A table may be built while samples come in.
  logic generator_held_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) generator_held_q <= 1'b0;
    else generator_held_q <= reports.generator_busy || starts.generator;
  end

  // The encode uses the low words of the banks and of the multipliers.
  always_comb begin
    for (int unsigned bank = 0; bank < Banks; bank++) begin
      encode_read_data[bank] = work_data[bank][31:0];
      guest_write_data[bank] = RingBits'(encode_write_data[bank]);
    end
    for (int unsigned lane = 0; lane < Used; lane++) begin
      encode_products[lane] = products[lane][63:0];
    end
  end

  isopod_encode #(
    .Lanes(Lanes), .MaxLogN(MaxLogN), .Tiled(Tiled), .Decode(Decode), .Complex(Complex),
    .Precise(Precise), .DecodeLong(DecodeLong), .CosineFile(CosineFile)
  ) u_encode (
    .clk_i, .rst_ni, .abort_i(abort), .start_i(starts.encode), .long_i(long || long_decode),
    .loaded_o(long_loaded), .words_start_i(starts.words),
    .sums_start_i(starts.sums), .decode_start_i(starts.decode), .fold_only_i(!fold_last),
    .hold_i(generator_held_q), .modulus_i(prime.modulus),
    .log_degree_i(command.log_degree), .count_i(command.count), .complex_i(complex_slots),
    .blank_i(zeroising), .form_i(command.sample), .log2_bound_i(command.log2_bound),
    .shift_i(command.shift), .busy_o(words_busy), .multiplies_o(words_multiplies),
    .overflow_o(encode_overflow), .fold_o(fold), .fold_read_o(fold_read),
    .fold_index_o(fold_index), .fold_mirrored_o(fold_mirrored), .fold_word_i(fold_word),
    .fold_mirrored_word_i(fold_mirrored_word), .difference_valid_o(difference_valid),
    .difference_o(difference), .slots_ready_o(reports.slots_ready),
    .slot_request_i(slot_request), .slot_o(decoded_word), .sample_i, .sample_valid_i,
    .sample_ready_o(encode_ready),
    .sum_i(sum_word), .sum_valid_i(sum_valid), .sum_ready_o(sum_ready),
    .guest_read_o(words_read), .guest_read_address_o(words_read_address),
    .guest_first_pair_o(words_first_pair), .guest_other_pair_o(words_other_pair),
    .guest_first_i(first_point), .guest_other_i(other_point), .guest_write_o(encode_write),
    .guest_write_address_o(encode_write_address), .guest_write_data_o(encode_write_data),
    .guest_common_data_o(encode_common_data), .long_points_o(unused_points),
    .long_points_i(long_points), .long_folded_o(long_folded), .long_folded_i('0),
    .group_written_o(group_written), .group_written_i(1'b0),
    .operand_a_o(encode_a), .operand_b_o(encode_b),
    .product_i(encode_products), .message_write_o(message_write), .message_odd_o(message_odd),
    .message_low_o(message_low), .message_o(message));

  // ---- messages of 64-bit words, from those that the encode has loaded, and decoded ones ----
  if (Precise) begin : gen_long
    logic [1:0] message_write_long;
    logic [1:0][MessageBits-1:0] message_long;
    logic message_odd_long;
    logic [PointBits-1:0] message_low_long;
    logic [3:0][ProductBits-1:0] lane_products;

    assign lane_products = products[3:0];

    isopod_encode_long_54 #(
      .Lanes(Lanes), .MaxLogN(MaxLogN), .Tiled(Tiled), .Decode(DecodeLong),
      .CosineFile(LongCosineFile)
    ) u_encode_long (
      .clk_i, .rst_ni, .abort_i(abort), .start_i(long_loaded),
      .decode_start_i(starts.decode && long_decode), .log_degree_i(command.log_degree),
      .shift_i(command.shift), .busy_o(long_busy), .multiplies_o(long_multiplies),
      .beyond_o(long_beyond),
      .guest_read_o(long_read), .guest_read_address_o(long_read_address),
      .guest_first_pair_o(long_first_pair), .guest_other_pair_o(long_other_pair),
      .guest_first_i(first_point), .guest_other_i(other_point), .points_o(long_points),
      .folded_i(long_folded), .group_written_i(group_written),
      .factor_a_o(long_a), .factor_b_o(long_b), .short_o(long_short),
      .product_i(lane_products),
      .message_write_o(message_write_long), .message_odd_o(message_odd_long),
      .message_low_o(message_low_long), .message_o(message_long));

    always_comb begin
      source_message_write = message_write | message_write_long;
      source_message_odd   = long ? message_odd_long : message_odd;
      source_message_low   = long ? message_low_long : message_low;
      for (int unsigned half = 0; half < 2; half++) begin
        for (int unsigned side = 0; side < 2; side++) begin
          source_message[half][side] = message_long[half] |
              MessageBits'(signed'(message[half][side]));
        end
      end
    end
  end else begin : gen_no_long
    assign {long_busy, long_multiplies, long_beyond, long_read, long_read_address} = '0;
    assign long_points = '0;
    assign {long_a, long_b, long_short} = '0;
    assign {long_first_pair, long_other_pair} = '0;
    assign source_message       = message;
    assign source_message_write = message_write;
    assign source_message_odd   = message_odd;
    assign source_message_low   = message_low;
    logic unused_long;
    assign unused_long = ^{group_written, long_loaded, long_folded, long_a, long_b, long_short};
  end

  // Either of them runs. Addresses of the other one may be anything.
  assign reports.encode_busy  = words_busy || long_busy;
  assign encode_multiplies    = words_multiplies || long_multiplies;
  assign encode_read          = words_read || long_read;
  assign encode_read_address  = long_busy ? long_read_address : words_read_address;

  isopod_point_read #(.Lanes(Lanes)) u_point_read (
    .data_i(encode_read_data), .first_pair_i(long_busy ? long_first_pair : words_first_pair),
    .other_pair_i(long_busy ? long_other_pair : words_other_pair), .first_o(first_point),
    .other_o(other_point));

  // ---- small polynomials and message ----
  small_pair_t random_pair, pair;
  logic random_valid, random_ready, small_write, small_ready;
  source_e small_field;
  log_degree_t small_log_degree;
  logic [PointBits-1:0] small_index;
  logic source_read;
  logic [AddressBits-1:0] source_position;
  logic [Lanes-1:0][SourceBits-1:0] source_upper, source_lower;
  logic sweep_key_write;
  logic [31:0] sweep_key_address;

  // The first stage has read its small polynomial.
  logic source_read_q, noise_taken;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) source_read_q <= 1'b0;
    else source_read_q <= source_read;
  end
  assign noise_taken = source_read_q && !source_read && by_public_key(command.opcode) &&
      !order.reduce;

  // e0 of a BFV encryption goes into the work banks with the message.
  logic small_valid, small_taken;

  if (Bfv) begin : gen_bfv
    isopod_plain_words_54 #(.MaxLogN(MaxLogN)) u_plain (
      .clk_i, .rst_ni, .abort_i(abort), .start_i(starts.sums && bfv), .active_i(bfv && busy_o),
      .public_i(by_public_key(command.opcode)), .log_degree_i(command.log_degree),
      .modulus_i(plain_modulus), .overflow_o(plain_beyond), .sample_i, .sample_valid_i,
      .sample_ready_o(plain_ready), .pair_i(random_pair), .pair_valid_i(random_valid),
      .pair_ready_o(random_ready), .small_valid_o(small_valid), .small_ready_i(small_taken),
      .word_o(plain_word), .word_valid_o(plain_valid));
  end else begin : gen_no_bfv
    assign {plain_beyond, plain_ready, plain_valid, plain_word} = '0;
    logic unused_plain;
    assign unused_plain = ^plain_modulus;
  end

  // Errors are added to coefficients after the inverse.
  logic coefficients, addend_beyond, addend_request, addend_valid, addend_ready;
  addend_t addend;
  residue_t addend_modulus;

  assign coefficients = Coefficients && is_coefficients(command.opcode);

  if (Coefficients) begin : gen_coefficients
    isopod_coefficients_narrow #(.MaxLogN(MaxLogN)) u_coefficients (
      .clk_i, .rst_ni, .abort_i(abort), .active_i(coefficients && busy_o),
      .public_i(by_public_key(command.opcode)), .log_degree_i(command.log_degree),
      .count_i(command.count), .modulus_i(addend_modulus), .overflow_o(addend_beyond), .sample_i,
      .sample_valid_i, .sample_ready_o(addend_ready), .pair_i(random_pair),
      .pair_valid_i(random_valid), .pair_ready_o(random_ready), .small_valid_o(small_valid),
      .small_ready_i(small_taken), .request_i(addend_request), .addend_o(addend),
      .valid_o(addend_valid));
  end else begin : gen_no_coefficients
    assign {addend_beyond, addend_ready, addend_valid, addend} = '0;
    logic unused_request;
    assign unused_request = ^{addend_request, addend_modulus};
  end

  if (!OwnNoise) begin : gen_noise
    assign small_valid  = random_valid;
    assign random_ready = small_taken;
  end

  assign reports.encode_overflow = encode_overflow || long_beyond || sum_beyond || plain_beyond ||
      addend_beyond || differs;

  assign sample_ready_o = encode_ready || plain_ready || addend_ready;
  assign sum_word       = bfv ? plain_word : RingBits'(residue);

  isopod_small_writer #(
    .MaxLogN(MaxLogN), .KeyWords(KeyWords), .SharedNoise(SharedNoise)
  ) u_small (
    .clk_i, .rst_ni, .abort_i(abort),
    .restart_i(starts.encode || (bfv && starts.sums) || starts.draw || (Coefficients && !busy_o)),
    .sweep_start_i(starts.sweep),
    .sweep_busy_o(reports.sweep_busy), .log_degree_i(command.log_degree),
    .public_i(by_public_key(command.opcode)), .draw_i(Draw && command.opcode == OpDraw),
    .ternary_i(coefficients),
    .taken_i(noise_taken), .done_o(reports.small_done), .drawn_o(reports.key_pair),
    .pair_i(random_pair),
    .pair_valid_i(small_valid), .pair_ready_o(small_taken),
    .secret_write_i(TernarySecret && key_write_i && !busy_o && !key_beyond),
    .secret_index_i(key_address_i[PointBits-1:0]), .secret_log_degree_i(key_address_i[19:16]),
    .secret_i(key_data_i[3:0]), .field_o(small_field), .index_o(small_index), .pair_o(pair),
    .log_degree_o(small_log_degree), .write_o(small_write), .ready_i(small_ready),
    .key_write_o(sweep_key_write), .key_address_o(sweep_key_address));

  if (Decode) begin : gen_differences
    isopod_differences #(.MaxLogN(MaxLogN)) u_differences (
      .clk_i, .rst_ni, .fold_i(fold), .keep_i(fold_first && !fold_last), .compare_i(!fold_first),
      .valid_i(difference_valid), .word_i(difference), .read_o(difference_read),
      .read_place_o(difference_read_place), .kept_i(kept_difference), .write_o(difference_write),
      .write_place_o(difference_write_place), .differs_o(differs));
  end else begin : gen_no_differences
    assign {difference_read, difference_read_place, difference_write, difference_write_place,
        differs} = '0;
    logic unused_differences;
    assign unused_differences = ^{fold_first, difference_valid, kept_difference};
  end

  isopod_source #(
    .Lanes(Lanes), .MaxLogN(MaxLogN), .TernarySecret(TernarySecret), .SharedNoise(SharedNoise)
  ) u_source (
    .clk_i, .rst_ni, .abort_i(abort), .log_degree_i(small_log_degree),
    .message_write_i(source_message_write), .message_odd_i(source_message_odd),
    .message_low_i(source_message_low), .message_i(source_message), .message_single_i(long),
    .difference_write_i(difference_write),
    .difference_write_place_i(difference_write_place), .difference_i(difference),
    .difference_read_i(difference_read), .difference_read_place_i(difference_read_place),
    .difference_o(kept_difference), .small_field_i(small_field), .small_index_i(small_index),
    .small_i(pair), .small_write_i(small_write), .small_ready_o(small_ready),
    .source_i(order.source), .one_i(prime.one), .read_i(source_read), .position_i(source_position),
    .twice_i(order.reduced), .upper_o(source_upper), .lower_o(source_lower));

  // ---- transform, its guests and its results ----
  logic [Lanes-1:0][FactorABits-1:0] external_a;
  logic [Lanes-1:0][FactorBBits-1:0] external_b;
  logic [FactorABits-1:0] product_a;
  logic [FactorBBits-1:0] product_b;
  logic [WordAddressBits-1:0] generator_read, generator_write_address;
  logic [Lanes-1:0][LaneBits-1:0] generator_lane;
  logic [Lanes-1:0][RingBits-1:0] twiddle_write_data;
  logic generator_first;
  logic [Lanes-1:0] generator_write;
  logic [AddressBits-1:0] result_row;
  logic [Banks-1:0][RingBits-1:0] result_data;
  logic unused_issuing, unused_last_stage;

  residue_t lane_scale;
  assign lane_scale = order.reduce ? prime.one : prime.scale;

  always_comb begin
    external_a     = '0;
    external_b     = '0;
    external_short = '0;
    for (int unsigned lane = 0; lane < Used; lane++) begin
      external_a[lane] = FactorABits'(signed'(encode_a[lane]));
      external_b[lane] = FactorBBits'(signed'(encode_b[lane]));
    end
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      if (scales || order.reduce) external_b[lane] = external_b[lane] | FactorBBits'(lane_scale);
    end
    if (Precise) begin
      for (int unsigned lane = 0; lane < 4; lane++) begin
        external_a[lane % Lanes] = external_a[lane % Lanes] | long_a[lane];
        external_b[lane % Lanes] = external_b[lane % Lanes] | long_b[lane];
        external_short[lane % Lanes] = long_short[lane];
      end
    end
    if (Lanes == 1) begin
      external_a[0] = external_a[0] | product_a;
      external_b[0] = external_b[0] | product_b;
    end
    twiddle_write_data = residues;
    if (generator_first) twiddle_write_data[0] = RingBits'(prime.one);
  end

  isopod_twiddle_generator #(
    .Lanes(Lanes), .MaxLogN(MaxLogN), .MontgomeryLatency(montgomery_latency(Tiled))
  ) u_generator (
    .clk_i, .rst_ni, .abort_i(abort), .start_i(starts.generator), .log_degree_i(command.log_degree),
    .busy_o(reports.generator_busy), .constant_address_o(generator_word),
    .read_o(generator_read), .read_lane_o(generator_lane), .first_o(generator_first),
    .write_o(generator_write), .write_address_o(generator_write_address));

  isopod_transform #(
    .Lanes(Lanes), .MaxLogN(MaxLogN), .Tables(TwiddleTables), .Tiled(Tiled), .Inverse(Inverse),
    .Plain(Bfv)
  ) u_transform (
    .clk_i, .rst_ni, .abort_i(abort), .start_i(starts.transform), .inverse_i(order.inverse),
    .source_i(order.source != SourceWork), .hold_last_i(product_busy), .reduce_i(order.reduce),
    .reduced_i(order.reduced),
    .message_i(order.source == SourceMessage), .log_degree_i(command.log_degree),
    .modulus_i(prime.modulus), .modulus_bits_i(prime.bits), .table_i(twiddle_table),
    .issuing_o(unused_issuing), .busy_o(reports.transform_busy), .source_read_o(source_read),
    .source_position_o(source_position), .source_upper_i(source_upper),
    .source_lower_i(source_lower), .result_last_stage_o(unused_last_stage),
    .result_valid_o(reports.result_valid), .result_final_o(reports.result_final),
    .result_row_o(result_row), .result_data_o(result_data), .guest_i(reports.encode_busy),
    .guest_read_i(encode_read), .guest_read_address_i(encode_read_address),
    .guest_read_data_o(work_data), .guest_write_i(encode_write),
    .guest_write_address_i(encode_write_address), .guest_write_data_i(guest_write_data),
    .guest_product_i(scales), .guest_common_data_i(encode_common_data),
    .external_i(encode_multiplies || scales || order.reduce || (Lanes == 1 && reports.multiplying)),
    .external_a_i(external_a), .external_b_i(external_b), .external_short_i(external_short),
    .constant_i(constant),
    .product_o(products), .residue_o(residues),
    .twiddle_guest_i(reports.generator_busy), .twiddle_read_i(generator_read),
    .twiddle_lane_i(generator_lane), .twiddle_write_i(generator_write),
    .twiddle_write_address_i(generator_write_address), .twiddle_write_data_i(twiddle_write_data));

  logic product_read, key_read;
  logic [AddressBits-1:0] product_row, factor_row;
  logic [Banks-1:0][RingBits-1:0] result_words;
  logic [Factors-1:0][Banks-1:0][RingBits-1:0] factor_words;

  // A polynomial to be decoded goes to both buffers, since a fold reads two words at once.
  isopod_result_buffer #(.Banks(Banks), .AddressBits(AddressBits)) u_result (
    .clk_i, .write_i(reports.result_valid && (!order.to_factor || (decodes && order.inverse))),
    .write_row_i(result_row), .write_data_i(result_data), .read_i(product_read),
    .read_row_i(product_row), .read_data_o(result_words));

  for (genvar place = 0; place < Factors; place++) begin : gen_factor
    isopod_result_buffer #(.Banks(Banks), .AddressBits(AddressBits)) u_factor (
      .clk_i, .write_i(reports.result_valid && order.to_factor &&
          order.buffer == factor_buffer_t'(place)),
      .write_row_i(result_row), .write_data_i(result_data), .read_i(product_read),
      .read_row_i(factor_row), .read_data_o(factor_words[place]));
  end

  // ---- key slot ----
  logic [RingBits-1:0] key_word;

  if (KeyWords > 0) begin : gen_key
    localparam int unsigned SlotAddressBits = $clog2(KeyWords);
    logic [SlotAddressBits-1:0] key_read_address_q, key_write_address_q;
    localparam int unsigned SlotBits = Wide ? ModulusBits : KeyBits;
    logic [SlotBits-1:0] key_write_data_q, slot_word;
    logic key_write_q;

    // Products come in the order of the primes, and of their words.
    always_ff @(posedge clk_i) begin
      if (!busy_o) key_read_address_q <= '0;
      else if (key_read) key_read_address_q <= key_read_address_q + 1'b1;
    end

    assign key_beyond = key_write_i && key_address_i >= KeyWords;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) key_write_q <= 1'b0;
      else key_write_q <= sweep_key_write || (key_write_i && !busy_o && !key_beyond);
    end

    always_ff @(posedge clk_i) begin
      key_write_address_q <= sweep_key_write ? SlotAddressBits'(sweep_key_address) :
          SlotAddressBits'(key_address_i);
      key_write_data_q    <= sweep_key_write ? '0 : SlotBits'(key_data_i);
    end

    isopod_key_slot #(.Words(KeyWords), .WordBits(SlotBits)) u_key (
      .clk_i, .write_i(key_write_q), .write_address_i(key_write_address_q),
      .write_data_i(key_write_data_q), .read_i(key_read), .read_address_i(key_read_address_q),
      .read_data_o(slot_word));

    assign key_word = RingBits'(slot_word);
    logic unused_key;
    assign unused_key = ^key_data_i;
  end else begin : gen_no_key
    assign key_word   = '0;
    assign key_beyond = key_write_i && (!key_address_i[31] || key_address_i[30:20] != '0 ||
        32'(key_address_i[19:16]) < MinLogDegree || 32'(key_address_i[19:16]) > MaxLogN ||
        key_address_i[15:0] >= 16'(1) << (key_address_i[19:16] - 4'd1));
    logic unused_key;
    assign unused_key = ^{
        key_read, sweep_key_write, sweep_key_address, key_data_i[KeyBits-1:4]};
  end

  residue_t drawn_mask, mask;
  logic drawn_valid, drawn_ready, mask_valid, mask_ready, job_taken, unused_idle;

  assign job_ready = job_taken && seeds_valid_i;

  logic tag_request, tag_raw, tag_taken, tag_word_valid;
  logic [255:0] tag_subkey;
  logic [127:0] tag_input;
  logic [XofBits-1:0] tag_word;

  isopod_randomness #(
    .Xof(Xof), .RoundsPerCycle(XofRounds), .Tags(Frame), .Wipe(Draw)
  ) u_randomness (
    .clk_i, .rst_ni, .abort_i(abort || wipe), .wipe_i(wipe), .wiped_o(reports.wiped),
    .suite_i(command.suite), .mask_seed_i, .noise_key_i,
    .job_i(job), .job_valid_i(job_valid && seeds_valid_i), .job_ready_o(job_taken),
    .small_o(random_pair), .small_valid_o(random_valid), .small_ready_i(random_ready),
    .mask_o(drawn_mask), .mask_valid_o(drawn_valid), .mask_ready_i(drawn_ready),
    .tag_key_i(Frame ? tag_key_i : '0), .tag_subkey_i(tag_subkey), .tag_input_i(tag_input),
    .tag_i(tag_request), .tag_raw_i(tag_raw),
    .tag_taken_o(tag_taken), .tag_word_o(tag_word), .tag_word_valid_o(tag_word_valid),
    .idle_o(unused_idle), .unsupported_o(reports.unsupported_suite));

  isopod_queue #(.Width(ModulusBits), .Depth(MaskDepth)) u_mask (
    .clk_i, .rst_ni, .abort_i(abort), .data_i(drawn_mask), .valid_i(drawn_valid),
    .ready_o(drawn_ready), .data_o(mask), .valid_o(mask_valid), .ready_i(mask_ready));

  // ---- product and packer ----
  length_t residue_bits;
  logic residue_last, residue_sum, residue_skipped, residue_valid;
  logic packer_ready, packed_valid, packed_ready;
  packed_beat_t packed_beat;

  isopod_product #(
    .Lanes(Lanes), .MaxLogN(MaxLogN), .Tiled(Tiled), .Sums(Sums), .Decode(Decode),
    .Factors(Factors), .Plain(Bfv), .Coefficients(Coefficients)
  ) u_product (
    .clk_i, .rst_ni, .abort_i(abort), .start_i(product_start), .kind_i(product_kind),
    .log_degree_i(command.log_degree), .modulus_i(prime.modulus), .modulus_bits_i(prime.bits),
    .scale_i(prime.scale), .dropped_i(product_dropped), .busy_o(product_busy),
    .multiplying_o(reports.multiplying),
    .operand_a_o(product_a), .operand_b_o(product_b), .lane_residue_i(residues[0]),
    .read_o(product_read), .row_o(product_row), .factor_row_o(factor_row),
    .fold_i(fold), .fold_read_i(fold_read), .fold_index_i(fold_index),
    .fold_mirrored_i(fold_mirrored), .fold_word_o(fold_word),
    .fold_mirrored_word_o(fold_mirrored_word), .slot_request_o(slot_request),
    .slot_halves_i(long_decode), .slot_i(decoded_word), .result_i(result_words),
    .factor_i(factor_words), .buffer_i(product_buffer), .key_read_o(key_read), .key_i(key_word),
    .addend_i(addend), .addend_valid_i(addend_valid), .addend_request_o(addend_request),
    .addend_modulus_o(addend_modulus), .mask_i(mask), .mask_valid_i(mask_valid),
    .mask_ready_o(mask_ready), .public_i, .public_valid_i, .public_ready_o,
    .beyond_o(sum_beyond), .word_o(residue), .bits_o(residue_bits),
    .last_o(residue_last), .sum_o(residue_sum), .skipped_o(residue_skipped),
    .valid_o(residue_valid),
    .ready_i(residue_sum ? sum_ready : packer_ready || residue_skipped));

  assign sum_valid = bfv ? plain_valid : residue_valid && residue_sum;

  isopod_packer u_packer (
    .clk_i, .rst_ni, .abort_i(abort), .bits_i(residue_bits), .word_i(residue),
    .last_i(residue_last), .valid_i(residue_valid && !residue_sum && !residue_skipped),
    .ready_o(packer_ready), .beat_o(packed_beat), .valid_o(packed_valid),
    .ready_i(packed_ready));

  assign reports.polynomial_out = packed_valid && packed_ready && packed_beat.last;

  // ---- frames ----
  if (Frame) begin : gen_frame
    logic begins, begun_q, ended, part, key_valid, key_ready;
    logic [63:0] key_beat;
    frame_shape_t shape;

    assign begins = command.framed && seeds_valid_i && status.busy && !begun_q && !abort;
    assign shape  = '{
        parts: command.primes, pairs: by_public_key(command.opcode), cut: frame_cut_i};

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begun_q <= 1'b0;
      else begun_q <= status.busy && (begins || begun_q || frame_bare_i);
    end

    isopod_one_time_key u_one_time_key (
      .clk_i, .rst_ni, .clear_i(abort || ended), .nonce_i(frame_nonce_i), .frame_i(begins),
      .number_o(frame_number_o), .exhausted_o(reports.frames_exhausted), .part_i(part),
      .beat_o(key_beat), .valid_o(key_valid), .ready_i(key_ready), .request_o(tag_request),
      .raw_o(tag_raw), .subkey_o(tag_subkey), .input_o(tag_input), .taken_i(tag_taken),
      .word_i(tag_word), .word_valid_i(tag_word_valid));

    isopod_framer #(.Cut(Coefficients), .Tiled(Tiled)) u_framer (
      .clk_i, .rst_ni, .abort_i(abort), .active_i(command.framed && status.busy),
      .start_i(begins), .shape_i(shape), .bare_i(frame_bare_i),
      .busy_o(reports.frame_busy), .ended_o(ended), .header_i, .header_valid_i, .header_ready_o,
      .header_room_o, .part_o(part), .key_i(key_beat), .key_valid_i(key_valid),
      .key_ready_o(key_ready), .residues_i(packed_beat), .residues_valid_i(packed_valid),
      .residues_ready_o(packed_ready), .beat_o, .beat_valid_o, .beat_ready_i);
  end else begin : gen_no_frame
    assign {tag_request, tag_raw, tag_subkey, tag_input} = '0;
    assign {reports.frame_busy, reports.frames_exhausted} = '0;
    assign {frame_number_o, header_ready_o, header_room_o} = '0;
    assign beat_o       = packed_beat;
    assign beat_valid_o = packed_valid;
    assign packed_ready = beat_ready_i;
    logic unused_frame;
    assign unused_frame = ^{tag_taken, tag_word, tag_word_valid, tag_key_i, frame_nonce_i,
                            frame_cut_i, frame_bare_i, header_i, header_valid_i};
  end

  `ISOPOD_ASSERT_INIT(LanesLegal, Lanes inside {1, 2, 4, 8})
  `ISOPOD_ASSERT_INIT(DecodeLegal, !Decode || (Wide && Lanes >= 4 && Sums))
  `ISOPOD_ASSERT_INIT(ComplexLegal, !Complex || Lanes >= 4)
  `ISOPOD_ASSERT_INIT(BfvLegal, !Bfv || (ModulusWidth == 54 && Lanes >= 4 && SharedNoise))
  `ISOPOD_ASSERT_INIT(CoefficientsLegal, !Coefficients || (!Wide && Inverse && !SharedNoise))
  `ISOPOD_ASSERT_INIT(DecodeLongLegal, !DecodeLong || (Decode && Precise))
  `ISOPOD_ASSERT_INIT(PreciseLegal, !Precise || (ModulusWidth == 54 && Lanes >= 4))
  `ISOPOD_ASSERT_INIT(FrameLegal, !Frame || Xof == 0)
  `ISOPOD_ASSERT_INIT(FactorsLegal, Factors == 1 || (Factors <= 3 && TernarySecret))
  `ISOPOD_ASSERT_INIT(DegreeLegal, MaxLogN >= MinLogDegree && MaxLogN <= MaxLogDegree)
  `ISOPOD_ASSERT_STREAM(Beats, beat_valid_o, beat_ready_i, beat_o, abort)
  `ISOPOD_ASSERT(ErrorKnown, !$isunknown(error_o))
  `ISOPOD_ASSERT(QuietAfterError, error_o == ErrorNone || busy_o || !beat_valid_o)

endmodule
