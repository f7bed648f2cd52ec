// Makes SHAKE-256 blocks of spec/ckks.md section 2, one at a time: key, domain, index and counter
// in, 136 bytes out. A block takes 1 + 24 / RoundsPerCycle cycles; then its 34 words leave one per
// cycle, and nothing holds them back. The state is zero when the last word has left. The core is
// not a general SHAKE: it absorbs one block of 44 bytes only.
`include "isopod_assert.svh"

module isopod_keccak_core
  import isopod_pkg::*;
#(
  parameter int unsigned RoundsPerCycle = 1  // 1, 2, 3 or 4
) (
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

  localparam logic [4:0] LastRounds = 5'(24 - RoundsPerCycle);
  localparam logic [5:0] LastWord = 6'(17 * 64 / XofBits - 1);
  localparam int unsigned CapacityBits = 512;

  typedef logic [24:0][63:0] state_t;
  typedef enum logic [1:0] {Empty, Permuting, Leaving} phase_e;

  state_t state_q, absorbed;
  phase_e phase_q, phase_d;
  logic [4:0] round_q;
  logic [5:0] place_q;
  logic refill_q, parity_q;
  logic start;

  for (genvar i = 0; i < RoundsPerCycle; i++) begin : gen_round
    state_t taken, given;
    if (i == 0) begin : gen_first
      assign taken = state_q;
    end else begin : gen_next
      assign taken = gen_round[i-1].given;
    end
    isopod_keccak_round u_round (.state_i(taken), .round_i(round_q + 5'(i)), .state_o(given));
  end

  assign block_ready_o = phase_q == Empty;
  assign start = block_valid_i && block_ready_o;

  // 44 bytes, the suffix 1111 of SHAKE and the padding 10*1.
  always_comb begin
    absorbed = '0;
    absorbed[3:0] = is_public(block_i.domain) ? mask_seed_i : noise_key_i;
    absorbed[4] = {32'(block_i.index), 32'(block_i.domain)};
    absorbed[5] = {32'h1f, 32'(block_i.counter)};
    absorbed[16][63] = 1'b1;
  end

  always_comb begin
    phase_d = phase_q;
    unique case (phase_q)
      Empty: if (start) phase_d = Permuting;
      Permuting: if (round_q == LastRounds) phase_d = Leaving;
      default: if (place_q == LastWord) phase_d = Empty;
    endcase
    if (abort_i) phase_d = Empty;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= Empty;
      round_q <= '0;
      place_q <= '0;
    end else begin
      phase_q <= phase_d;
      round_q <= phase_q == Permuting ? round_q + 5'(RoundsPerCycle) : '0;
      place_q <= phase_q == Leaving ? place_q + 6'd1 : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) {refill_q, parity_q} <= {block_i.domain == DomainRefill, block_i.parity};
    unique case (phase_q)
      Empty: state_q <= start ? absorbed : '0;
      Permuting: state_q <= gen_round[RoundsPerCycle-1].given;
      default: state_q <= {{CapacityBits{1'b0}}, state_q[16:0] >> XofBits};
    endcase
  end

  assign word_o = '{data: state_q[0][XofBits-1:0], refill: refill_q, parity: parity_q};
  assign word_valid_o = phase_q == Leaving;

  `ISOPOD_ASSERT_INIT(Divides, RoundsPerCycle >= 1 && RoundsPerCycle <= 4)

endmodule
