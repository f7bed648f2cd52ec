// ChaCha20 blocks of spec/ckks.md section 2, four in flight. A round is a pipeline of four steps,
// one addition each, so every cycle finishes one round of one block: 20 cycles per block.
//
// A block is accepted when its place in the pipeline is free; its 16 words leave one per cycle, of
// wide builds two, the first 84 cycles later. Nothing holds the words back, therefore blocks must
// be offered at least 16 or 8 cycles apart. Without a block the registers clear themselves. Not for
// messages: there is no nonce but domain and index.
`include "isopod_assert.svh"

module isopod_chacha20_core
  import isopod_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         abort_i,
  input  logic [255:0] mask_seed_i,  // key of domains 1 and 2
  input  logic [255:0] noise_key_i,  // key of the others
  input  xof_block_t   block_i,
  input  logic         block_valid_i,
  output logic         block_ready_o,
  output xof_word_t    word_o,
  output logic         word_valid_o
);

  localparam int unsigned Steps = 4;
  localparam logic [4:0] LastRound = 5'd19;
  localparam int unsigned Words = XofBits / WordBits; // that leave in a cycle
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
    logic [4:0] round;
    xof_block_t block;
  } slot_t;

  function automatic row_t constants();
    return {32'h6b206574, 32'h79622d32, 32'h3320646e, 32'h61707865};
  endfunction

  // Between rounds lane l of row r takes lane r-l. That makes diagonals of columns and, being its
  // own inverse, columns of diagonals: no choice by the number of the round.
  function automatic row_t turned(row_t row, int unsigned number);
    for (int unsigned lane = 0; lane < 4; lane++) turned[lane] = row[2'(4 + number - lane)];
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

  state_t step_q[Steps], entering;
  slot_t slot_q[Steps], slot_d;
  logic [Steps-1:0] valid_q;
  logic start_d, start_q, finish_q, keep;
  xof_block_t entering_block_q;
  logic entering_public_q;
  logic [255:0] entering_key;
  row_t first_sums, second_sums, third_sums, fourth_sums;

  // Whether the place at the beginning will be free is known one cycle before, when its block is at
  // the last step.
  assign block_ready_o = !valid_q[2] || slot_q[2].round == LastRound;
  assign start_d = block_valid_i && block_ready_o;
  assign keep = valid_q[3] && !finish_q;
  assign entering_key = entering_public_q ? mask_seed_i : noise_key_i;

  always_comb begin
    slot_d = '{round: '0, block: entering_block_q};
    if (!start_q) slot_d = '{round: slot_q[3].round + 5'd1, block: slot_q[3].block};
    entering.a = start_q ? constants() : turned(step_q[3].a, 0);
    entering.b = start_q ? entering_key[127:0] : turned(step_q[3].b, 1);
    entering.c = start_q ? entering_key[255:128] : turned(step_q[3].c, 2);
    entering.d = turned(step_q[3].d, 3);
    if (start_q) begin
      entering.d =
          {32'd0, 32'(entering_block_q.index), 32'(entering_block_q.domain),
          32'(entering_block_q.counter)};
    end
  end

  assign first_sums = sums(entering.a, entering.b);
  assign second_sums = sums(step_q[0].c, step_q[0].d);
  assign third_sums = sums(step_q[1].a, step_q[1].b);
  assign fourth_sums = sums(step_q[2].c, step_q[2].d);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {valid_q, start_q, finish_q} <= '0;
    else if (abort_i) {valid_q, start_q, finish_q} <= '0;
    else begin
      valid_q <= {valid_q[Steps-2:0], start_q || keep};
      start_q <= start_d;
      finish_q <= valid_q[2] && slot_q[2].round == LastRound;
    end
  end

  always_ff @(posedge clk_i) begin
    entering_block_q <= block_i;
    entering_public_q <= is_public(block_i.domain);
    slot_q[0] <= slot_d;
    for (int unsigned i = 1; i < Steps; i++) slot_q[i] <= slot_q[i-1];
    step_q[0] <=
        '{a: first_sums, b: entering.b, c: entering.c, d: mixed(entering.d, first_sums, 16)};
    step_q[1] <=
        '{a: step_q[0].a, b: mixed(step_q[0].b, second_sums, 12), c: second_sums, d: step_q[0].d};
    step_q[2] <=
        '{a: third_sums, b: step_q[1].b, c: step_q[1].c, d: mixed(step_q[1].d, third_sums, 8)};
    step_q[3] <=
        '{a: step_q[2].a, b: mixed(step_q[2].b, fourth_sums, 7), c: fourth_sums, d: step_q[2].d};
    if (!valid_q[2]) step_q[3] <= '0;
  end

  // Words leave one by one, the first state added on the way.
  state_t leaving_q, finished;
  xof_block_t leaving_block_q;
  logic [PlaceBits-1:0] place_q;
  logic leaving_valid_q, leaving_public_q, word_valid_q, refill_q, parity_q;
  word_t [Words-1:0] first_words, first_words_q, mixed_words_q, words;
  logic added_valid_q;
  logic [255:0] leaving_key;
  xof_word_t word_q;

  assign finished =
      '{a: turned(step_q[3].a, 0), b: turned(step_q[3].b, 1), c: turned(step_q[3].c, 2),
      d: turned(step_q[3].d, 3)};
  assign leaving_key = leaving_public_q ? mask_seed_i : noise_key_i;

  // Word `place` of the first state.
  function automatic word_t first_word(logic [3:0] place);
    unique case (place[3:2])
      2'd0: return constants()[place[1:0]];
      2'd1, 2'd2: return leaving_key[{~place[2], place[1:0], 5'd0}+:32];
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
    else if (finish_q) leaving_q <= finished;
    if (finish_q) begin
      {leaving_block_q, leaving_public_q} <= {slot_q[3].block, is_public(slot_q[3].block.domain)};
    end
    mixed_words_q <= XofBits'(leaving_q >> (32'(place_q) * XofBits));
    first_words_q <= leaving_valid_q ? first_words : '0;
    refill_q <= leaving_block_q.domain == DomainRefill;
    parity_q <= leaving_block_q.parity;
    word_q <= '{data: words, refill: refill_q, parity: parity_q};
  end

  assign word_o = word_q;
  assign word_valid_o = word_valid_q;

  `ISOPOD_ASSERT(Apart, !finish_q || !leaving_valid_q || &place_q)

endmodule
