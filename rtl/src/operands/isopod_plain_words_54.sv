// Adds message and first noise of a BFV encryption for the lanes, spec/bfv.md sections 3 and 4. A
// coefficient of the plaintext comes as w = -r p mod t; its word is t (m + e0) with m = v / t,
// where v is w, less t beyond (t + 1) / 2. Minus the word leaves, in the order of the index; the
// lanes divide by t modulo the prime.
//
// e0 comes from the sampler, which draws it again for every prime. By public key the sampler also
// brings u and e1, which go on to the small polynomials.
`include "isopod_assert.svh"

module isopod_plain_words_54
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic start_i,          // the message of a prime
  input  logic active_i,         // a BFV encryption runs
  input  logic public_i,
  input  log_degree_t log_degree_i,
  input  plain_t modulus_i,      // t
  output logic overflow_o,       // pulse: a sample is not below t

  input  logic [31:0] sample_i,
  input  logic sample_valid_i,
  output logic sample_ready_o,

  // from the sampler, and to the small polynomials
  input  small_pair_t pair_i,
  input  logic pair_valid_i,
  output logic pair_ready_o,
  output logic small_valid_o,
  input  logic small_ready_i,

  // no back-pressure
  output ring_t word_o,
  output logic word_valid_o
);

  localparam int unsigned DigitBits = 7;   // bits of e0 - 1
  localparam int unsigned SumBits = PlainBits + DigitBits;

  // ---- polynomial that comes: e0, then by public key u and e1 ----
  typedef enum logic [1:0] {
    TurnError0,
    TurnTernary,
    TurnError1
  } turn_e;

  turn_e turn_q;
  logic load_q, take, odd, last, pair_done, own;
  logic [MaxLogN-1:0] index_q, last_index_q;

  assign own            = active_i && turn_q == TurnError0;
  assign odd            = index_q[0];
  assign last           = index_q == last_index_q;
  assign take           = load_q && own && sample_valid_i && pair_valid_i;
  assign sample_ready_o = load_q && own && pair_valid_i;
  assign pair_ready_o   = own ? take && odd : small_ready_i;
  assign small_valid_o  = pair_valid_i && !own;
  assign pair_done      = pair_valid_i && pair_ready_o;

  always_ff @(posedge clk_i) begin
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      last_index_q[position] <= position < 32'(log_degree_i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {load_q, index_q} <= '0;
    else if (abort_i || !active_i) {load_q, index_q} <= '0;
    else begin
      load_q <= start_i || (load_q && !(take && last));
      if (take) index_q <= last ? '0 : index_q + 1'b1;
      else if (!own && pair_done) index_q <= (index_q | MaxLogN'(1)) == last_index_q ? '0 :
          index_q + MaxLogN'(2);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_q <= TurnError0;
    else if (abort_i || !active_i) turn_q <= TurnError0;
    else if (pair_done && (index_q | MaxLogN'(1)) == last_index_q) begin
      unique case (turn_q)
        TurnError0:  turn_q <= public_i ? TurnTernary : TurnError0;
        TurnTernary: turn_q <= TurnError1;
        default:     turn_q <= TurnError0;
      endcase
    end
  end

  // ---- word: w + t (e0 - 1) beyond half of t, otherwise w + t e0 ----
  logic [3:0] valid_q;
  logic [31:0] sample_1_q;
  logic signed [5:0] error_1_q;
  plain_t sample_2_q, sample_3_q, half_q;
  logic signed [DigitBits-1:0] digit_2_q;
  logic signed [SumBits-1:0] multiple_3_q;
  ring_t word_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {valid_q, overflow_o} <= '0;
    else if (abort_i) {valid_q, overflow_o} <= '0;
    else begin
      valid_q    <= {valid_q[2:0], take};
      overflow_o <= valid_q[0] && sample_1_q >= 32'(modulus_i);
    end
  end

  always_ff @(posedge clk_i) begin
    half_q       <= (modulus_i >> 1) + plain_t'(1);
    sample_1_q   <= sample_i;
    error_1_q    <= odd ? pair_i.odd : pair_i.even;
    sample_2_q   <= plain_t'(sample_1_q);
    digit_2_q    <= DigitBits'(error_1_q) - DigitBits'(sample_1_q > 32'(half_q));
    sample_3_q   <= sample_2_q;
    multiple_3_q <= SumBits'(digit_2_q) * signed'(SumBits'(modulus_i));
    word_q       <= valid_q[2] ? -(RingBits'(multiple_3_q) + RingBits'(sample_3_q)) : '0;
  end

  assign word_o       = word_q;
  assign word_valid_o = valid_q[3];

  `ISOPOD_ASSERT(StartAlone, !(start_i && load_q))

endmodule
