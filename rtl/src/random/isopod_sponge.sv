// Computes Keccak-f[1600] (FIPS 202 section 3), lane 0 first, low word first, for two users.
//
// Software writes 50 words of a state, waits 24 cycles and reads 50 words. A word that was read is
// gone, so that nothing stays behind. The key slot, while hash_i, adds each written word to the
// state. After word 34 of a block the state turns once round and is permuted, in 40 cycles; then
// the next block or the first words of the outcome follow. write_i and read_i act when ready.
`include "isopod_assert.svh"

module isopod_sponge (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic hash_i,
  input  logic clear_i,        // shifts a zero in; 50 of them leave nothing of the state
  input  logic write_i,
  input  logic [31:0] data_i,
  output logic write_ready_o,
  input  logic read_i,
  output logic [31:0] data_o,
  output logic read_ready_o,
  output logic last_o,         // the next word is the last one of a block
  output logic empty_o         // nothing of software is inside
);

  localparam logic [5:0] Words = 6'd50;
  localparam logic [5:0] Rate = 6'd34;
  localparam logic [4:0] Rounds = 5'd24;

  typedef logic [24:0][63:0] state_t;

  state_t state_q, permuted;
  logic [49:0][31:0] word_view, pushed;
  logic [31:0] entering;
  logic [5:0] words_q; // in the state: written so far, or left to be read
  logic [4:0] round_q;
  logic full_q, write, read, turn;

  isopod_keccak_round u_round (.state_i(state_q), .round_i(round_q), .state_o(permuted));

  assign word_view = state_q;
  assign turn      = hash_i && !full_q && words_q >= Rate;
  assign entering  = (write ? data_i : 32'd0) ^
      ((hash_i && (write || turn)) ? word_view[0] : 32'd0);
  assign pushed    = {clear_i ? 32'd0 : entering, word_view[49:1]};

  assign write_ready_o = !full_q && !turn;
  assign read_ready_o  = hash_i ? !full_q && words_q == '0 : full_q && round_q == Rounds;
  assign data_o        = word_view[0];
  assign last_o        = words_q == Rate - 6'd1;
  assign empty_o       = !full_q && words_q == '0;
  assign write         = write_i && write_ready_o;
  assign read          = read_i && read_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      words_q <= '0;
      round_q <= '0;
      full_q  <= 1'b0;
      state_q <= '0;
    end else if (clear_i) begin
      words_q <= '0;
      full_q  <= 1'b0;
      state_q <= pushed;
    end else if (write || turn) begin
      words_q <= words_q + 6'd1;
      round_q <= '0;
      full_q  <= words_q + 6'd1 == Words;
      state_q <= pushed;
    end else if (read) begin
      if (!hash_i) begin
        words_q <= words_q - 6'd1;
        full_q  <= words_q != 6'd1;
      end
      state_q <= pushed;
    end else if (full_q && round_q != Rounds) begin
      round_q <= round_q + 5'd1;
      state_q <= permuted;
    end else if (full_q && hash_i) begin
      words_q <= '0;
      full_q  <= 1'b0;
    end
  end

  `ISOPOD_ASSERT(WordsBounded, words_q <= Words)

endmodule
