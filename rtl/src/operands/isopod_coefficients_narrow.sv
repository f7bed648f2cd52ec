// Gives the words that are added to the coefficients of a ciphertext, spec/coefficients.md section
// 2, in the order of the index: m_i + e0_i for c0, e1_i for c1. Of c0 only the first `count`
// coefficients are sent, followed by zeros up to a multiple of 64, so that they end a beat.
//
// Errors come from the sampler, which draws them again for every prime. By public key u comes
// first; it goes on to the small polynomials.
module isopod_coefficients_narrow
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic active_i,         // an encryption into coefficients runs
  input  logic public_i,
  input  log_degree_t log_degree_i,
  input  logic [13:0] count_i,   // 0: all
  input  residue_t modulus_i,    // modulus of the product that asks
  output logic overflow_o,       // pulse: a sample is not within -q <= m < q

  input  word_t sample_i,
  input  logic sample_valid_i,
  output logic sample_ready_o,

  // from the sampler, and to the small polynomials
  input  small_pair_t pair_i,
  input  logic pair_valid_i,
  output logic pair_ready_o,
  output logic small_valid_o,
  input  logic small_ready_i,

  input  logic request_i,        // a product of coefficients wants the next word
  output addend_t addend_o,
  output logic valid_o
);

  localparam int unsigned BlockBits = 6;  // log2 of the coefficients that end with a whole beat

  logic ternary_done_q, second_q, own, last, given, take, pair_done, odd, taken_q;
  logic [MaxLogN-1:0] index_q, last_index_q, last_given_q, last_sent;
  logic signed [5:0] error;
  word_t sample, magnitude_q;

  assign own            = active_i && (ternary_done_q || !public_i);
  assign odd            = index_q[0];
  assign last           = index_q == last_index_q;
  assign given          = !second_q && index_q <= last_given_q;
  assign last_sent      = second_q ? last_index_q :
      last_given_q | MaxLogN'((1 << BlockBits) - 1);
  assign take           = own && request_i && pair_valid_i && (sample_valid_i || !given);
  assign sample_ready_o = own && request_i && pair_valid_i && given;
  assign pair_ready_o   = own ? take && odd : small_ready_i;
  assign small_valid_o  = pair_valid_i && !own;
  assign pair_done      = pair_valid_i && pair_ready_o;

  always_ff @(posedge clk_i) begin
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      last_index_q[position] <= position < 32'(log_degree_i);
    end
    last_given_q <= (count_i == '0) ? last_index_q : MaxLogN'(count_i - 14'd1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {ternary_done_q, second_q, index_q} <= '0;
    else if (abort_i || !active_i) {ternary_done_q, second_q, index_q} <= '0;
    else if (take) begin
      index_q <= last ? '0 : index_q + 1'b1;
      if (last) second_q <= public_i && !second_q;
    end else if (!own && pair_done) begin
      index_q <= ((index_q | MaxLogN'(1)) == last_index_q) ? '0 : index_q + MaxLogN'(2);
      if ((index_q | MaxLogN'(1)) == last_index_q) ternary_done_q <= 1'b1;
    end
  end

  assign error    = odd ? pair_i.odd : pair_i.even;
  assign sample   = given ? sample_i : '0;
  assign valid_o  = take;
  assign addend_o = '{
      word: RingBits'(signed'(sample)) + RingBits'(error), sent: index_q <= last_sent,
      blank: !second_q && !given, last: index_q == last_sent};

  // Check: m is below q, or -m - 1 is, if m is negative.
  always_ff @(posedge clk_i) magnitude_q <= sample_i ^ {WordBits{sample_i[WordBits-1]}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {taken_q, overflow_o} <= '0;
    else if (abort_i) {taken_q, overflow_o} <= '0;
    else begin
      taken_q    <= take && given;
      overflow_o <= taken_q && magnitude_q >= WordBits'(modulus_i);
    end
  end

endmodule
