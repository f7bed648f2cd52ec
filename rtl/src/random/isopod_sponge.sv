// Keccak-f[1600] (FIPS 202 section 3) for software: 50 words in, 24 cycles, 50 words out, lane 0
// first, low word first. A word that was read is gone, so that nothing stays behind. write_i and
// read_i act when ready.
`include "isopod_assert.svh"

module isopod_sponge (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic write_i,
  input  logic [31:0] data_i,
  output logic write_ready_o,
  input  logic read_i,
  output logic [31:0] data_o,
  output logic read_ready_o
);

  localparam logic [5:0] Words = 6'd50;
  localparam logic [4:0] Rounds = 5'd24;

  typedef logic [24:0][63:0] state_t;

  state_t state_q, permuted;
  logic [49:0][31:0] word_view, pushed;
  logic [5:0] words_q; // in the state: written so far, or left to be read
  logic [4:0] round_q;
  logic full_q, write, read;

  isopod_keccak_round u_round (.state_i(state_q), .round_i(round_q), .state_o(permuted));

  assign word_view = state_q;
  assign pushed    = {write ? data_i : 32'd0, word_view[49:1]};

  assign write_ready_o = !full_q;
  assign read_ready_o  = full_q && round_q == Rounds;
  assign data_o        = word_view[0];
  assign write         = write_i && write_ready_o;
  assign read          = read_i && read_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      words_q <= '0;
      round_q <= '0;
      full_q  <= 1'b0;
      state_q <= '0;
    end else if (write) begin
      words_q <= words_q + 6'd1;
      round_q <= '0;
      full_q  <= words_q + 6'd1 == Words;
      state_q <= pushed;
    end else if (read) begin
      words_q <= words_q - 6'd1;
      full_q  <= words_q != 6'd1;
      state_q <= pushed;
    end else if (full_q && round_q != Rounds) begin
      round_q <= round_q + 5'd1;
      state_q <= permuted;
    end
  end

  `ISOPOD_ASSERT(WordsBounded, words_q <= Words)

endmodule
