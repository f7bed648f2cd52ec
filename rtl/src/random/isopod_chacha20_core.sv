// Makes ChaCha20 blocks of spec/ckks.md section 2, with four in flight for each round that a cycle
// finishes. A round is a pipeline of four steps, one addition each: 20 cycles per block, or 10.
//
// A block is accepted when its place in the pipeline is free. Its 16 words leave one per cycle, in
// wide builds two; the first leaves 83 cycles later. Nothing holds the words back, so blocks must
// be at least 16 or 8 cycles apart. Without a block the registers clear themselves. The core must
// not encrypt messages, since its only nonce is domain and index.
//
// Blocks of DomainTag make the keys of tags [XCHACHA03]. Their last four words are tag_input_i. If
// bit 0 of the counter is set they have tag_key_i, and the mixed state leaves (HChaCha20).
// Otherwise they have tag_subkey_i, and the first eight words are those of ChaCha20. Key and input
// are stable until the last word.
`include "isopod_assert.svh"

module isopod_chacha20_core
  import isopod_pkg::*;
#(
  parameter int unsigned RoundsPerCycle = 1, // 1 or 2
  parameter bit Tags = 1'b1                  // makes keys of tags; otherwise no DomainTag comes
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         abort_i,
  input  logic [255:0] mask_seed_i,  // key of domains 1 and 2
  input  logic [255:0] noise_key_i,  // key of the others
  input  logic [255:0] tag_key_i,
  input  logic [255:0] tag_subkey_i,
  input  logic [127:0] tag_input_i,
  input  xof_block_t   block_i,
  input  logic         block_valid_i,
  output logic         block_ready_o,
  output xof_word_t    word_o,
  output logic         word_valid_o,
  output logic         tag_word_valid_o // instead, for DomainTag
);

  localparam int unsigned Steps = 4 * RoundsPerCycle;
  localparam logic [4:0] LastPass = 5'(20 / RoundsPerCycle - 1);
  localparam int unsigned Words = XofBits / WordBits; // words that leave in a cycle
  localparam int unsigned PlaceBits = 4 - $clog2(Words);

  typedef word_t [3:0] row_t;

  // Rows of the state; lane l of all rows is one quarter round.
  typedef struct packed {
    row_t d;
    row_t c;
    row_t b;
    row_t a;
  } state_t;

  typedef struct packed {
    logic [4:0] pass;
    xof_block_t block;
  } slot_t;

  function automatic row_t constants();
    return {32'h6b206574, 32'h79622d32, 32'h3320646e, 32'h61707865};
  endfunction

  // Between rounds lane l of row r takes lane r-l. This turns columns into diagonals. It is its own
  // inverse and turns diagonals into columns, so it does not depend on the number of the round.
  function automatic state_t turned(state_t x);
    for (int unsigned lane = 0; lane < 4; lane++) begin
      turned.a[lane] = x.a[2'(4 - lane)];
      turned.b[lane] = x.b[2'(5 - lane)];
      turned.c[lane] = x.c[2'(6 - lane)];
      turned.d[lane] = x.d[2'(7 - lane)];
    end
  endfunction

  function automatic row_t sums(row_t x, row_t y);
    for (int unsigned lane = 0; lane < 4; lane++) sums[lane] = x[lane] + y[lane];
  endfunction

  function automatic row_t mixed(row_t x, row_t y, int unsigned left);
    for (int unsigned lane = 0; lane < 4; lane++) begin
      word_t both;
      both = x[lane] ^ y[lane];
      mixed[lane] = both << left | both >> (WordBits - left);
    end
  endfunction

  function automatic state_t stepped(state_t x, int unsigned number);
    stepped = x;
    if (number % 2 == 0) begin
      stepped.a = sums(x.a, x.b);
      stepped.d = mixed(x.d, stepped.a, number % 4 == 0 ? 16 : 8);
    end else begin
      stepped.c = sums(x.d, x.c);
      stepped.b = mixed(x.b, stepped.c, number % 4 == 1 ? 12 : 7);
    end
  endfunction

  state_t step_q[Steps], step_d[Steps], entering;
  slot_t slot_q[Steps], slot_d;
  logic [Steps-1:0] valid_q;
  logic start_d, start_q, last, finish_q;
  xof_block_t entering_block_q;
  // Rows b and c of a block that enters, otherwise zero, and a cycle later
  logic [255:0] entering_key_q, entered_key_q;
  row_t entering_row_q, entering_tag_q;

  // A block that ends becomes invalid one step before the last. A new block takes that place a
  // cycle later.
  assign last = slot_q[Steps-3].pass == LastPass;
  assign block_ready_o = !valid_q[Steps-2];
  assign start_d = block_valid_i && block_ready_o;

  // A free place is zero, so that an or puts a first state there. Rows b and c enter with the
  // additions and mixtures that first read them.
  always_comb begin
    slot_d = '{pass: '0, block: entering_block_q};
    if (!start_q) slot_d = '{pass: slot_q[Steps-1].pass + 5'd1, block: slot_q[Steps-1].block};
    entering = turned(step_q[Steps-1]);
    if (start_q) begin
      entering.a |= constants();
    end
    entering.d |= entering_row_q | entering_tag_q;
  end

  function automatic logic is_of_tag(xof_block_t block);
    return Tags && block.domain == DomainTag;
  endfunction

  function automatic logic is_raw(xof_block_t block);
    return is_of_tag(block) && block.counter[0];
  endfunction

  function automatic logic [255:0] key_of(xof_block_t block);
    if (is_raw(block)) return tag_key_i;
    if (is_of_tag(block)) return tag_subkey_i;
    return is_public(block.domain) ? mask_seed_i : noise_key_i;
  endfunction

  for (genvar i = 0; i < Steps; i++) begin : gen_step
    state_t taken;
    always_comb begin
      taken = entering;
      if (i % 4 != 0) taken = step_q[(i + Steps - 1) % Steps];
      else if (i != 0) taken = turned(step_q[(i + Steps - 1) % Steps]);
      if (i == 0) taken.b |= entering_key_q[127:0];
      if (i == 1) {taken.c, taken.b} = {taken.c, taken.b} | entered_key_q;
      step_d[i] = stepped(taken, i);
      if (i == 0) step_d[i].b = entering.b;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {valid_q, start_q, finish_q} <= '0;
    else if (abort_i) {valid_q, start_q, finish_q} <= '0;
    else begin
      valid_q <= {valid_q[Steps-2:0], start_q || valid_q[Steps-1]};
      valid_q[Steps-2] <= valid_q[Steps-3] && !last;
      start_q <= start_d;
      finish_q <= valid_q[Steps-3] && last;
    end
  end

  always_ff @(posedge clk_i) begin
    entering_block_q <= block_i;
    entering_key_q <= key_of(block_i);
    entering_row_q <=
        {32'd0, 32'(block_i.index), 32'(block_i.domain), 32'(block_i.counter)};
    entering_tag_q <= tag_input_i;
    if (!start_d) entering_key_q <= '0;
    if (!start_d || is_of_tag(block_i)) entering_row_q <= '0;
    if (!start_d || !is_of_tag(block_i)) entering_tag_q <= '0;
    entered_key_q <= entering_key_q;
    slot_q[0] <= slot_d;
    for (int unsigned i = 1; i < Steps; i++) slot_q[i] <= slot_q[i-1];
    step_q <= step_d;
    if (!valid_q[Steps-2]) step_q[Steps-1] <= '0;
  end

  // Words leave one by one; the first state is added on the way.
  state_t leaving_q;
  xof_block_t leaving_block_q;
  logic [PlaceBits-1:0] place_q;
  logic leaving_valid_q, leaving_public_q, leaving_raw_q, leaving_tag_q, word_valid_q, refill_q;
  logic parity_q, tag_q, tag_word_q;
  word_t [Words-1:0] first_words, first_words_q, mixed_words_q, words;
  logic added_valid_q;
  logic [255:0] leaving_key;
  xof_word_t word_q;

  assign leaving_key = leaving_public_q ? mask_seed_i : noise_key_i;

  // Word `place` of the first state.
  function automatic word_t first_word(logic [3:0] place);
    unique case (place[3:2])
      2'd0: return constants()[place[1:0]];
      2'd1, 2'd2: begin
        if (leaving_tag_q) return tag_subkey_i[{1'b0, place[1:0], 5'd0}+:32];
        return leaving_key[{~place[2], place[1:0], 5'd0}+:32];
      end
      default: begin
        unique case (place[1:0])
          2'd0: return 32'(leaving_block_q.counter);
          2'd1: return 32'(leaving_block_q.domain);
          2'd2: return 32'(leaving_block_q.index);
          default: return '0;
        endcase
      end
    endcase
  endfunction

  always_comb begin
    for (int unsigned word = 0; word < Words; word++) begin
      first_words[word] = first_word(4'(32'(place_q) * Words + word));
      words[word] = mixed_words_q[word] + first_words_q[word];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      leaving_valid_q <= 1'b0;
      added_valid_q <= 1'b0;
      word_valid_q <= 1'b0;
      place_q <= '0;
    end else begin
      added_valid_q <= leaving_valid_q && !abort_i;
      word_valid_q <= added_valid_q && !abort_i;
      place_q <= leaving_valid_q ? place_q + 1'b1 : '0;
      if (abort_i) leaving_valid_q <= 1'b0;
      else if (finish_q) leaving_valid_q <= 1'b1;
      else if (&place_q) leaving_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (abort_i || (&place_q && !finish_q)) leaving_q <= '0;
    else if (finish_q) leaving_q <= turned(step_d[Steps-1]);
    if (finish_q) begin
      {leaving_block_q, leaving_public_q} <=
          {slot_q[Steps-2].block, is_public(slot_q[Steps-2].block.domain)};
      leaving_tag_q <= is_of_tag(slot_q[Steps-2].block);
      leaving_raw_q <= is_raw(slot_q[Steps-2].block);
    end
    mixed_words_q <= XofBits'(leaving_q >> (32'(place_q) * XofBits));
    first_words_q <= (leaving_valid_q && !leaving_raw_q) ? first_words : '0;
    refill_q <= leaving_block_q.domain == DomainRefill;
    parity_q <= leaving_block_q.parity;
    tag_q <= leaving_tag_q;
    tag_word_q <= tag_q;
    word_q <= '{data: words, refill: refill_q, parity: parity_q};
  end

  assign word_o = word_q;
  assign word_valid_o = word_valid_q && !tag_word_q;
  assign tag_word_valid_o = word_valid_q && tag_word_q;

  `ISOPOD_ASSERT_INIT(KnownRounds, RoundsPerCycle inside {1, 2})
  `ISOPOD_ASSERT(Apart, !finish_q || !leaving_valid_q || &place_q)

endmodule
