// Orders the jobs of the samplers as in spec/ckks.md section 2: the noise of the ciphertext (e0;
// with a public key also u and e1), then the mask of each prime when it is ordered. A draw samples
// the secret key instead of a mask.
//
// With shared noise the engine keeps one polynomial at a time. A public-key encryption therefore
// draws the same three polynomials again for every prime. A BFV encryption does so, too, because
// it keeps no e0. Coefficients keep u alone and draw e0 and e1 for every prime; by secret key e0
// comes after the mask, which is needed first.
//
// One job waits here. So a mask that cannot begin yet does not delay the transforms before its
// product.
module isopod_random_jobs
  import isopod_pkg::*;
#(
  parameter bit SharedNoise = 1'b0,
  parameter bit Draw = 1'b0,
  parameter bit Coefficients = 1'b0    // without shared noise
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic restart_i,              // a new command
  input  command_t command_i,
  input  prime_index_t index_i,
  input  prime_constants_t prime_i,
  input  logic draw_i,                 // noise may be drawn
  input  logic mask_i,                 // the mask of this prime is wanted, until mask_taken_o
  output logic mask_taken_o,
  output random_job_t job_o,
  output logic job_valid_o,
  input  logic job_ready_i
);

  logic [1:0] noise_q; // noise jobs issued, shared: of this round
  logic [4:0] rounds_q;
  logic noise_due, free, fresh, one_each, masked_q, u_first;
  random_job_t job;

  assign one_each = command_i.opcode inside {OpBfvSecret, OpCoefficientsSecret};

  assign u_first = Coefficients && command_i.opcode == OpCoefficientsPublic;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) masked_q <= 1'b0;
    else if (abort_i || restart_i) masked_q <= 1'b0;
    else if (mask_i && mask_taken_o) masked_q <= 1'b1;
    else if (noise_due && free) masked_q <= 1'b0;
  end

  always_comb begin
    unique case (command_i.opcode)
      OpEncryptSecret: noise_due = draw_i && noise_q < 2'd1;
      OpBfvSecret:     noise_due = draw_i && rounds_q <= 5'(index_i);
      OpEncryptPublic, OpBfvPublic: noise_due = draw_i &&
          (SharedNoise ? rounds_q < command_i.primes : noise_q < 2'd3);
      OpCoefficientsSecret: noise_due = Coefficients && draw_i && masked_q;
      OpCoefficientsPublic: noise_due = Coefficients && draw_i && rounds_q < command_i.primes;
      default:         noise_due = 1'b0;
    endcase
  end

  always_comb begin
    job = '{domain: DomainMask, index: index_i, log_degree: command_i.log_degree,
            modulus: prime_i.modulus, modulus_bits: prime_i.bits};
    if (Draw && command_i.opcode == OpDraw) job.domain = DomainSecret;
    if (noise_due) begin
      unique case (noise_q)
        2'd0:    job.domain = u_first ? DomainTernary : DomainError0;
        2'd1:    job.domain = u_first ? DomainError0 : DomainTernary;
        default: job.domain = DomainError1;
      endcase
      job.index = '0;
    end
  end

  assign free         = !job_valid_o || job_ready_i;
  assign fresh        = free && (noise_due || mask_i);
  assign mask_taken_o = free && !noise_due;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) job_valid_o <= 1'b0;
    else if (abort_i) job_valid_o <= 1'b0;
    else job_valid_o <= fresh || (job_valid_o && !job_ready_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {rounds_q, noise_q} <= '0;
    else if (restart_i) {rounds_q, noise_q} <= '0;
    else if (noise_due && free) begin
      noise_q <= ((SharedNoise && noise_q == 2'd2) || one_each) ? '0 :
          (u_first && noise_q == 2'd2) ? 2'd1 : noise_q + 2'd1;
      if (noise_q == 2'd2 || one_each) rounds_q <= rounds_q + 5'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fresh) job_o <= job;
  end

endmodule
