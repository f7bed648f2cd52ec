// Guards the key in the key slot and the randomness that is used with it (doc/key_slot.md). A key
// comes as 8 words of a secret, the 12 words of a blob's head, its payload and its digest. The
// slot is sealed only if SHA3-256 of head and payload equals the digest. For a key that the engine
// draws, only secret and head come. Encryptions and draws take their root from
//     SHAKE256("isopod-slot-v1" || 0 || 0 || secret[32] || LE64(counter) || seed[32])
//         = mask_seed[32] || noise_key[32]
// The caller gives the seed; the counter counts the roots since the key came. Both hashes borrow
// the sponge, and leave it empty.
`include "isopod_assert.svh"

module isopod_key_guard
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12,
  parameter int unsigned KeyWords = 0    // 0: the secret key is ternary
) (
  input  logic clk_i,
  input  logic rst_ni,

  // a key
  input  logic begin_i,                  // forgets the key, then waits for the first word
  input  logic stop_i,                   // ends a key that is not whole
  input  logic word_valid_i,             // offered, whether it is refused or not
  input  word_t word_i,
  output logic word_ready_o,
  output logic word_refuse_o,            // nothing was begun, or this word ends it
  input  word_t entropy_i,               // joins a word of the secret, which is refused without it
  input  logic entropy_valid_i,
  output logic entropy_ready_o,
  output logic loading_o,
  output logic forget_o,                 // towards the engine
  output logic key_write_o,
  output logic [31:0] key_address_o,
  output key_word_t key_data_o,
  output logic seal_o,
  output key_shape_t shape_o,
  output logic head_o,                   // a key of this shape may be drawn: no payload has come
  input  logic draw_i,                   // until the end of a draw, which ends the load
  input  logic key_valid_i,

  // a root
  input  logic root_start_i,             // until root_done_o, or the root ends; the seed is stable
  input  logic [7:0][31:0] seed_i,
  output logic root_busy_o,
  output logic root_valid_o,
  output logic [3:0] root_index_o,       // 0 .. 7 mask_seed, 8 .. 15 noise_key
  output logic root_done_o,

  // the sponge while sponge_own_o
  output logic sponge_own_o,
  output logic sponge_clear_o,
  output logic sponge_write_o,
  output word_t sponge_data_o,
  output logic sponge_read_o,
  input  word_t sponge_data_i,
  input  logic sponge_write_ready_i,
  input  logic sponge_read_ready_i,
  input  logic sponge_last_i,
  input  logic sponge_empty_i
);

  localparam bit Ternary = KeyWords == 0;
  localparam word_t Kind = Ternary ? 32'd3 : 32'd4;
  localparam int unsigned CounterBits = 48;
  localparam logic [3:0][31:0] Label = {32'h0000_3176, 32'h2d74_6f6c, 32'h732d_646f, 32'h706f_7369};
  localparam logic [5:0] LabelEnd = 6'd3, SecretEnd = 6'd11, CounterEnd = 6'd13, SeedEnd = 6'd21;

  typedef enum logic [3:0] {
    StageIdle,
    StageEmpty,    // makes the sponge empty before a hash
    StageSecret,   // 8 words
    StageHead,     // 12 words of the blob
    StagePayload,
    StageInput,    // 22 words of a root
    StagePad,      // to the end of the block
    StageDigest,   // compares 8 words
    StageRoot,     // gives 16 words
    StageWipe      // leaves nothing of a hash
  } stage_e;

  stage_e stage_q, stage_d;
  logic root_q;                // what runs is a root
  logic padded_q;
  logic [5:0] index_q;         // words within the stage
  logic loads;                 // also while the hash of a key is wiped
  logic counts, taken, hashing, fails, key_unpacks, payload_ends;
  word_t data;

  assign root_busy_o = stage_q != StageIdle && root_q;
  assign loads       = stage_q != StageIdle && !root_q;
  assign loading_o   = loads && stage_q != StageWipe;

  // ---- words of a key ----
  logic ready;

  always_comb begin
    unique case (stage_q)
      StageSecret:             ready = entropy_valid_i;
      StageHead, StagePayload: ready = sponge_write_ready_i && !key_unpacks;
      StageDigest:             ready = sponge_read_ready_i;
      default:                 ready = 1'b0;
    endcase
    if (draw_i) ready = 1'b0;
  end

  // The word waits while work is left to do. Afterwards it belongs to no key.
  assign word_ready_o    = ready;
  assign word_refuse_o   = stage_q == StageIdle || stage_q == StageWipe || root_q || draw_i ||
      (stage_q == StageSecret && !entropy_valid_i) || (ready && fails);
  assign taken           = ready && word_valid_i;
  assign entropy_ready_o = stage_q == StageSecret && taken;

  // ---- checks of a key ----
  logic differs_q, degree_legal, primes_legal;
  log_degree_t log_degree;
  logic [31:0] words;

  always_comb begin
    log_degree   = '0;
    degree_legal = 1'b0;
    for (int unsigned bit_of = MinLogDegree; bit_of <= MaxLogN; bit_of++) begin
      if (word_i == 32'd1 << bit_of) begin
        log_degree   = log_degree_t'(bit_of);
        degree_legal = 1'b1;
      end
    end
  end

  assign primes_legal = word_i != '0 && word_i <= MaxPrimes &&
      (Ternary || (32'(word_i[4:0]) << shape_o.log_degree) <= KeyWords);

  logic symbol_fails;

  always_comb begin
    symbol_fails = 1'b0;
    for (int unsigned symbol = 0; symbol < 16; symbol++) begin
      if (Ternary && word_i[2*symbol+:2] == 2'd3) symbol_fails = 1'b1;
    end
  end

  always_comb begin
    fails = 1'b0;
    unique case (stage_q)
      StageHead: begin
        unique case (index_q)
          6'd2:    fails = word_i != Kind;
          6'd3:    fails = !degree_legal;
          6'd10:   fails = !primes_legal;
          default: ;
        endcase
      end
      StagePayload: fails = symbol_fails;
      StageDigest:  fails = index_q == 6'd7 && (differs_q || word_i != sponge_data_i);
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (stage_q != StageDigest) differs_q <= 1'b0;
    else if (taken && word_i != sponge_data_i) differs_q <= 1'b1;
    if (stage_q == StageHead && taken && index_q == 6'd3) shape_o.log_degree <= log_degree;
    if (stage_q == StageHead && taken && index_q == 6'd10) shape_o.primes <= word_i[4:0];
  end

  // ---- words for the slot ----
  key_index_t key_index_q;

  assign words = Ternary ? 32'd1 << (shape_o.log_degree - 4'd1) :
      32'(shape_o.primes) << shape_o.log_degree;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) key_index_q <= '0;
    else if (stage_q == StageHead) key_index_q <= '0;
    else if (key_write_o) key_index_q <= key_index_q + key_index_t'(1);
  end

  if (Ternary) begin : gen_pairs
    // A word holds eight pairs, which leave one every other cycle: 0, 1, 2 become -1, 0, 1.
    logic [31:0] left_q;
    logic [3:0] pairs_q;
    logic rest_q, symbols;

    assign symbols       = stage_q == StagePayload && taken && !fails;

    assign key_unpacks   = pairs_q != '0;
    assign key_write_o   = key_unpacks && !rest_q && !draw_i;
    assign key_address_o = {1'b1, 11'd0, shape_o.log_degree, key_index_q[15:0]};
    assign key_data_o    = KeyBits'({left_q[3:2] - 2'd1, left_q[1:0] - 2'd1});
    assign payload_ends  = 32'(key_index_q) + 32'd8 == words;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) pairs_q <= '0;
      else if (!(stage_q inside {StagePayload, StagePad, StageDigest})) pairs_q <= '0;
      else if (symbols) pairs_q <= 4'd8;
      else if (key_write_o) pairs_q <= pairs_q - 4'd1;
    end

    always_ff @(posedge clk_i) begin
      if (symbols) left_q <= word_i;
      else if (key_write_o) left_q <= left_q >> 4;
      else if (!key_unpacks) left_q <= '0;
      rest_q <= key_write_o;
    end
  end else begin : gen_words
    logic word_valid;

    isopod_written_word #(.PlaceBits(1)) u_word (
      .clk_i, .rst_ni, .clear_i(stage_q != StagePayload),
      .valid_i(stage_q == StagePayload && taken), .place_i('0), .data_i(word_i),
      .valid_o(word_valid), .word_o(key_data_o));

    assign key_unpacks   = 1'b0;
    assign key_write_o   = word_valid;
    assign key_address_o = 32'(key_index_q);
    assign payload_ends  = word_valid && 32'(key_index_q) + 32'd1 == words;
  end

  // ---- a key to be drawn ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) head_o <= 1'b0;
    else if (begin_i) head_o <= 1'b0;
    else if (!draw_i) begin
      head_o <= stage_d == StagePayload && (stage_q == StageHead || (head_o && !taken));
    end
  end

  assign forget_o = begin_i;
  assign seal_o   = stage_q == StageDigest && taken && index_q == 6'd7 && !fails;

  // ---- secret and counter of a key that is valid, or still being loaded ----
  logic [7:0][31:0] secret_q;
  logic [CounterBits-1:0] counter_q;
  logic forgets_q, turns;

  assign turns = stage_q == StageInput && sponge_write_ready_i &&
      index_q > LabelEnd && index_q <= SecretEnd;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) forgets_q <= 1'b1;
    else forgets_q <= begin_i || (!key_valid_i && !loads && !draw_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      secret_q  <= '0;
      counter_q <= '0;
    end else if (forgets_q) begin
      secret_q  <= '0;
      counter_q <= '0;
    end else begin
      if (stage_q == StageSecret && taken) secret_q <= {word_i ^ entropy_i, secret_q[7:1]};
      else if (turns) secret_q <= {secret_q[0], secret_q[7:1]};
      if (stage_q == StageInput && stage_d == StagePad) counter_q <= counter_q + CounterBits'(1);
    end
  end

  // ---- words into the sponge ----
  word_t input_word;

  always_comb begin
    if (index_q <= LabelEnd) input_word = Label[index_q[1:0]];
    else if (index_q <= SecretEnd) input_word = secret_q[0];
    else if (index_q <= CounterEnd) begin
      input_word = index_q[0] ? 32'(counter_q[CounterBits-1:32]) : counter_q[31:0];
    end else input_word = seed_i[3'(index_q - CounterEnd - 6'd1)];
  end

  always_comb begin
    data = word_i;
    if (stage_q == StageInput) data = input_word;
    if (stage_q == StagePad) begin
      data = padded_q ? '0 : root_q ? 32'h1f : 32'h06;
      if (sponge_last_i) data[31] = 1'b1;
    end
  end

  assign hashing        = stage_q == StageInput || stage_q == StagePad ||
      (taken && !fails && (stage_q == StageHead || stage_q == StagePayload));
  assign sponge_own_o   = stage_q != StageIdle;
  assign sponge_clear_o = stage_q == StageEmpty || stage_q == StageWipe;
  assign sponge_write_o = hashing;
  assign sponge_data_o  = data;
  assign sponge_read_o  = (stage_q == StageDigest && taken) || stage_q == StageRoot;
  assign root_valid_o   = stage_q == StageRoot && sponge_read_ready_i && root_start_i;
  assign root_index_o   = index_q[3:0];
  assign root_done_o    = root_valid_o && index_q == 6'd15;

  // ---- stages ----
  always_comb begin
    stage_d = stage_q;
    counts  = taken || sponge_clear_o || root_valid_o;
    unique case (stage_q)
      StageIdle: begin
        if (root_start_i) stage_d = sponge_empty_i ? StageInput : StageEmpty;
      end
      StageEmpty: begin
        if (index_q == 6'd49) stage_d = root_q ? StageInput : StageSecret;
      end
      StageSecret: if (taken && index_q == 6'd7) stage_d = StageHead;
      StageHead:   if (taken && index_q == 6'd11) stage_d = StagePayload;
      StagePayload: begin
        // The pairs in the last word of a ternary key are still to be written.
        if (taken && payload_ends) stage_d = StagePad;
      end
      StageInput: begin
        counts = sponge_write_ready_i;
        if (counts && index_q == SeedEnd) stage_d = StagePad;
      end
      StagePad: begin
        if (sponge_write_ready_i && sponge_last_i) stage_d = root_q ? StageRoot : StageDigest;
      end
      StageDigest: if (taken && index_q == 6'd7) stage_d = StageWipe;
      StageRoot:   if (root_done_o) stage_d = StageWipe;
      StageWipe:   if (index_q == 6'd49) stage_d = StageIdle;
      default:     stage_d = StageIdle;
    endcase
    if ((taken && fails) || ((stop_i || draw_i) && loading_o)) stage_d = StageWipe;
    if (root_q && !root_start_i && stage_q != StageIdle && stage_q != StageWipe) begin
      stage_d = StageWipe;
    end
    if (begin_i) stage_d = StageEmpty;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stage_q  <= StageIdle;
      root_q   <= 1'b0;
      padded_q <= 1'b0;
      index_q  <= '0;
    end else begin
      stage_q  <= stage_d;
      padded_q <= stage_q == StagePad && (padded_q || sponge_write_ready_i);
      if (begin_i) root_q <= 1'b0;
      else if (stage_q == StageIdle) root_q <= root_start_i;
      if (stage_d != stage_q || begin_i) index_q <= '0;
      else if (counts) index_q <= index_q + 6'd1;
    end
  end

  `ISOPOD_ASSERT(SealIsWhole, !seal_o || (32'(shape_o.primes) != '0 && !root_q))
  `ISOPOD_ASSERT(NoSecretWithoutKey,
      key_valid_i || loads || draw_i || forgets_q || secret_q == '0 ||
      $past(key_valid_i || loads || draw_i))
  `ISOPOD_ASSERT(WipedSponge, stage_q != StageIdle || !root_q || sponge_data_i == '0 ||
      !$past(stage_q == StageWipe))

endmodule
