// Checks whether a command is legal (doc/interfaces.md). The error that refuses it comes three
// cycles after the command.
module isopod_command_check
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12,
  parameter int unsigned KeyWords = 0, // 0: the secret key is ternary
  parameter bit Inverse = 1'b1,
  parameter bit Decrypt = 1'b1,
  parameter bit Decode = 1'b0,
  parameter bit Bfv = 1'b0,
  parameter bit Complex = 1'b0,
  parameter bit Draw = 1'b0,
  parameter bit Coefficients = 1'b0,
  parameter bit Frame = 1'b0,
  parameter bit Precise = 1'b0,
  parameter bit DecodeLong = 1'b0
) (
  input  logic clk_i,
  input  command_t command_i,
  input  logic key_valid_i,
  input  key_shape_t key_shape_i,
  input  logic head_valid_i,       // a key of this shape may be drawn
  input  key_shape_t head_shape_i,
  input  logic unsupported_suite_i,
  input  logic frames_exhausted_i,
  output error_e error_o
);

  logic encrypts, secret, decrypts, decodes, bfv, draws, coefficients, with_key, known;
  logic decodes_long, decoded_legal;
  logic key_fits_q, head_fits_q, words_fit_q, count_fits_q, format_legal;
  logic all_fit_q, dropped_legal, frame_legal, sample_legal;
  localparam int unsigned MostMessageWords = 1 << 15;
  logic [31:0] secret_words_q, slots_q;
  error_e error_d;

  assign bfv      = Bfv && is_bfv(command_i.opcode);
  assign coefficients = Coefficients && is_coefficients(command_i.opcode);
  assign secret   = by_secret_key(command_i.opcode) && known;
  assign encrypts = command_i.opcode inside {OpEncryptSecret, OpEncryptPublic};
  assign decrypts = Decrypt && command_i.opcode == OpDecrypt;
  assign decodes  = Decode && command_i.opcode == OpDecode;
  assign draws    = Draw && command_i.opcode == OpDraw;
  assign with_key = secret || decrypts || decodes;
  assign known    = encrypts || decrypts || decodes || bfv || draws || coefficients ||
      command_i.opcode inside {OpZeroise, OpForward} ||
      (Inverse && command_i.opcode == OpInverse);
  // With 64-bit words log2_scale + log2_bound is 31 .. 57; with less, a message has 32-bit words.
  assign sample_legal = (Precise && command_i.sample == SampleLong) ?
      command_i.shift >= 5'd5 && !command_i.complex_slots :
      command_i.sample != SampleLong && command_i.shift <= 5'd30;
  assign format_legal = !unsupported_suite_i && sample_legal && count_fits_q &&
      (Complex || !command_i.complex_slots);
  // Differences of words of 64 bits are compared with nothing, so they have one prime.
  assign decodes_long  = DecodeLong && decodes && command_i.sample == SampleLong;
  assign decoded_legal = decodes_long ? command_i.shift >= 5'd6 && command_i.shift <= 5'd29 :
      command_i.shift <= 5'd28;
  // Residues of more than one prime leave unrounded, since only the whole coefficient is rounded.
  assign dropped_legal = 32'(command_i.shift) < 2**DroppedBits &&
      command_i.log2_bound[5:DroppedBits] == '0 && (command_i.primes == 5'd1 ||
      (command_i.shift == '0 && command_i.log2_bound == '0 && command_i.count == '0));

  // A frame of coefficients has one part, of one prime: others leave unrounded.
  assign frame_legal = !command_i.framed || (Frame && !frames_exhausted_i &&
      (encrypts || bfv || (coefficients && command_i.primes == 5'd1)));

  always_ff @(posedge clk_i) begin
    secret_words_q <= 32'(command_i.primes) << command_i.log_degree;
    slots_q        <= 32'd1 << (command_i.log_degree - 4'd1);
    words_fit_q    <= KeyWords == 0 || secret_words_q <= KeyWords;
    // At another degree or with more primes, the words of the key would form a weaker secret.
    key_fits_q     <= key_valid_i && command_i.secret_ntt == (KeyWords > 0) &&
        command_i.log_degree == key_shape_i.log_degree && command_i.primes <= key_shape_i.primes;
    head_fits_q    <= head_valid_i && !command_i.secret_ntt &&
        command_i.log_degree == head_shape_i.log_degree &&
        command_i.primes == head_shape_i.primes;
    count_fits_q   <= 32'(command_i.count) <= slots_q;
    all_fit_q      <= 32'(command_i.count) <= slots_q << 1;
    error_o        <= error_d;
  end

  always_comb begin
    error_d = ErrorNone;
    if (!known) begin
      error_d = ErrorOpcode;
    end else if (command_i.opcode != OpZeroise) begin
      if (32'(command_i.log_degree) < MinLogDegree || 32'(command_i.log_degree) > MaxLogN) begin
        error_d = ErrorDegree;
      end else if (command_i.primes == '0 || 32'(command_i.primes) > MaxPrimes ||
          (decodes && command_i.primes > 5'd3) || (decodes_long && command_i.primes != 5'd1)) begin
        error_d = ErrorPrimes;
      end else if ((with_key && !words_fit_q) || (bfv && secret_words_q > MostMessageWords)) begin
        error_d = ErrorPrimes;
      end else if ((with_key && !key_fits_q) || (draws && !head_fits_q)) begin
        error_d = ErrorKey;
      end else if ((encrypts && !format_legal) || ((bfv || draws) && unsupported_suite_i) ||
          (decodes && !decoded_legal) || (coefficients &&
          (unsupported_suite_i || !all_fit_q || !dropped_legal)) || !frame_legal) begin
        error_d = ErrorFormat;
      end
    end
  end

endmodule
