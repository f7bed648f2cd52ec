// Holds words of an XOF until a sampler takes them. A word can leave three cycles after it came,
// then one word leaves per cycle.
//
// There is no ready signal: the unit that asks for blocks counts the free places and asks only for
// what fits. Two registers stand behind the memory, because its output alone takes half a cycle.
// The memory is read while it and the registers together hold at most two words.
//
// A wipe writes zeros into memory and registers. It lasts Depth cycles, while abort_i is high.
`include "isopod_assert.svh"

module isopod_word_fifo
  import isopod_pkg::*;
#(
  parameter int unsigned Depth = 128, // power of two
  parameter bit Wipe = 1'b0
) (
  input  logic      clk_i,
  input  logic      rst_ni,
  input  logic      abort_i,
  input  logic      wipe_i,           // until wiped_o; only with Wipe
  output logic      wiped_o,
  input  xof_word_t word_i,
  input  logic      valid_i,
  output xof_word_t word_o,
  output logic      valid_o,
  input  logic      ready_i
);

  localparam int unsigned AddressBits = $clog2(Depth);

  logic [AddressBits:0] written_q, read_q;  // modulo 2 Depth
  logic [AddressBits:0] wipe_q;
  logic [AddressBits-1:0] place;
  logic fetch, fetched_q, pass, next_valid_q, wipes;
  xof_word_t fetched, next_q;

  assign wipes = Wipe && wipe_i;
  assign pass = !valid_o || ready_i;
  assign fetch = (written_q != read_q && !(fetched_q && next_valid_q)) || wipes;

  assign wiped_o = wipe_q[AddressBits];
  assign place   = wipes ? wipe_q[AddressBits-1:0] : written_q[AddressBits-1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wipe_q <= '0;
    else if (!wipes) wipe_q <= '0;
    else if (!wiped_o) wipe_q <= wipe_q + 1'b1;
  end

  // Wide words go by turns into two memories, which are small enough for LUT.
  localparam int unsigned Turns = Wide ? 2 : 1;
  localparam int unsigned Skipped = $clog2(Turns);
  xof_word_t [Turns-1:0] turns;
  logic turn_q;

  for (genvar turn = 0; turn < Turns; turn++) begin : gen_turn
    isopod_ram #(
      .Width($bits(xof_word_t)),
      .Depth(Depth / Turns)
    ) u_words (
      .clk_i,
      .read_i(fetch),
      .read_address_i(read_q[AddressBits-1:Skipped]),
      .read_data_o(turns[turn]),
      .write_i((valid_i || wipes) && (Turns == 1 || place[0] == 1'(turn))),
      .write_address_i(place[AddressBits-1:Skipped]),
      .write_data_i(wipes ? '0 : word_i)
    );
  end

  always_ff @(posedge clk_i) if (fetch) turn_q <= Turns == 2 && read_q[0];

  assign fetched = (Turns == 2 && turn_q) ? turns[Turns-1] : turns[0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= '0;
      read_q <= '0;
      fetched_q <= 1'b0;
      next_valid_q <= 1'b0;
      valid_o <= 1'b0;
    end else if (abort_i) begin
      written_q <= '0;
      read_q <= '0;
      fetched_q <= 1'b0;
      next_valid_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (valid_i) written_q <= written_q + 1'b1;
      if (fetch) read_q <= read_q + 1'b1;
      fetched_q <= fetch || (fetched_q && next_valid_q && !pass);
      next_valid_q <= pass ? next_valid_q && fetched_q : next_valid_q || fetched_q;
      if (pass) valid_o <= next_valid_q || fetched_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (pass) word_o <= next_valid_q ? next_q : fetched;
    if (!next_valid_q || pass) next_q <= fetched;
  end

  `ISOPOD_ASSERT_INIT(PowerOfTwo, Depth == 2 ** AddressBits)
  `ISOPOD_ASSERT(WipesAlone, !wipe_i || abort_i)
  `ISOPOD_ASSERT(Fits, !valid_i || abort_i || written_q - read_q != (AddressBits + 1)'(Depth))
  `ISOPOD_ASSERT_STREAM(WordStream, valid_o, ready_i, word_o, abort_i)

endmodule
