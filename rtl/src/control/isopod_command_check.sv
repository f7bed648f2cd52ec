// Legality of a command (doc/interfaces.md): the error that refuses it, three cycles after the
// command. Remembers whether the key slot holds a key, and of which degree.
module isopod_command_check
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12,
  parameter int unsigned KeyWords = 0, // 0: the secret key is ternary
  parameter bit Inverse = 1'b1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  command_t command_i,
  input  logic zeroising_i,
  input  writes_t writes_i,
  input  logic unsupported_suite_i,
  output error_e error_o
);

  logic encrypts, secret, known;
  logic key_valid_q, key_fits, words_fit_q, count_fits_q, format_legal;
  log_degree_t key_log_degree_q;
  logic [31:0] secret_words_q, slots_q;
  error_e error_d;

  assign secret   = command_i.opcode == OpEncryptSecret;
  assign encrypts = secret || command_i.opcode == OpEncryptPublic;
  assign known    = encrypts || command_i.opcode inside {OpZeroise, OpForward} ||
      (Inverse && command_i.opcode == OpInverse);
  assign key_fits = key_valid_q && command_i.secret_ntt == (KeyWords > 0) &&
      (KeyWords > 0 || key_log_degree_q == command_i.log_degree);
  assign format_legal = !unsupported_suite_i && command_i.sample != sample_e'(2'd3) &&
      command_i.shift <= 5'd30 && count_fits_q;

  always_ff @(posedge clk_i) begin
    secret_words_q <= 32'(command_i.primes) << command_i.log_degree;
    slots_q        <= 32'd1 << (command_i.log_degree - 4'd1);
    words_fit_q    <= KeyWords == 0 || secret_words_q <= KeyWords;
    count_fits_q   <= 32'(command_i.count) <= slots_q;
    error_o        <= error_d;
  end

  always_comb begin
    error_d = ErrorNone;
    if (!known) begin
      error_d = ErrorOpcode;
    end else if (command_i.opcode != OpZeroise) begin
      if (32'(command_i.log_degree) < MinLogDegree || 32'(command_i.log_degree) > MaxLogN) begin
        error_d = ErrorDegree;
      end else if (command_i.primes == '0 || 32'(command_i.primes) > MaxPrimes) begin
        error_d = ErrorPrimes;
      end else if (secret && !words_fit_q) begin
        error_d = ErrorPrimes;
      end else if (secret && !key_fits) begin
        error_d = ErrorKey;
      end else if (encrypts && !format_legal) begin
        error_d = ErrorFormat;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_valid_q      <= 1'b0;
      key_log_degree_q <= '0;
    end else begin
      if (writes_i.key_valid && !writes_i.key_beyond) begin
        key_valid_q      <= 1'b1;
        key_log_degree_q <= writes_i.key_log_degree;
      end
      if (zeroising_i) key_valid_q <= 1'b0;
    end
  end

endmodule
