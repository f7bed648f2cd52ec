// Runs one command: checks it, encodes, then for every prime the transforms of its operation, each with the product that leaves
// with it. A product overlaps the transforms after it, which wait before their last stage while results are being read.
module isopod_sequencer
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12,
  parameter int unsigned Tables = 1,
  parameter int unsigned KeyWords = 0,  // 0: the secret key is ternary
  parameter bit Inverse = 1'b1,
  parameter bit SharedMultiplier = 1'b0, // products and transforms take turns
  localparam int unsigned TableBits = (Tables == 1) ? 1 : $clog2(Tables)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // system
  input  command_t command_i,
  input  logic command_valid_i,
  output logic command_ready_o,
  input  logic clear_i,
  input  logic abort_i,
  input  logic bus_error_i,
  input  logic prime_write_i,
  input  prime_index_t prime_written_i, // whose descriptor is being written
  input  logic key_write_i,
  input  log_degree_t key_log_degree_i, // of a ternary key
  input  logic key_beyond_i,        // the key word has no place
  output logic busy_o,
  output logic done_o,
  output error_e error_o,
  output prime_index_t error_prime_o,

  // everything
  output logic abort_o,             // to every module
  output command_t command_o,       // what runs
  output logic zeroising_o,

  // descriptors: data two cycles after the address
  output prime_index_t prime_o,
  output logic [4:0] descriptor_word_o,
  input  logic [31:0] descriptor_i,
  output residue_t modulus_o,
  output logic [4:0] modulus_bits_o,
  output residue_t one_o,
  output residue_t scale_o,

  // parts
  output logic encode_start_o,
  input  logic encode_busy_i,
  input  logic encode_overflow_i,
  output logic words_start_o,
  output logic sweep_start_o,
  input  logic sweep_busy_i,
  output logic generator_start_o,
  input  logic generator_busy_i,
  output logic [TableBits-1:0] table_o,
  output logic transform_start_o,
  input  logic transform_busy_i,
  output source_e source_o,
  output logic inverse_o,
  output logic to_factor_o,         // the result goes to the factor, not to the result buffer
  input  logic result_valid_i,
  input  logic result_final_i,
  output logic product_start_o,
  output product_e product_kind_o,
  input  logic multiplying_i,       // a product is at the multiplier
  input  logic unsupported_suite_i,
  output random_job_t job_o,
  output logic job_valid_o,
  input  logic job_ready_i,
  input  logic [1:0] small_done_i,  // small polynomials that have come in
  input  logic polynomial_out_i     // the last beat of one was taken
);

  typedef enum logic [3:0] {
    StateIdle,
    StateCheck,
    StateModuli,     // every modulus before anything runs
    StateEncode,
    StateWords,
    StateDescribe,   // q, 1, scale of the prime
    StateMask,       // its mask is ordered
    StateTable,
    StateReady,      // wait for what the transform reads
    StateTransform,
    StateDrain,
    StateSweep
  } state_e;

  state_e state_q, state_d;
  command_t command_q;
  logic encrypts, secret, publics, zeroise, moves;

  assign command_o   = command_q;
  assign secret      = command_q.opcode == OpEncryptSecret;
  assign publics     = command_q.opcode == OpEncryptPublic;
  assign encrypts    = secret || publics;
  assign moves       = command_q.opcode inside {OpForward, OpInverse};
  assign zeroise     = command_q.opcode == OpZeroise;
  assign zeroising_o = zeroise && state_q != StateIdle;
  assign inverse_o   = command_q.opcode == OpInverse;

  // ---- is the command legal? ----
  error_e command_error, command_error_q;
  logic key_valid_q, key_fits;
  log_degree_t key_log_degree_q;
  logic [31:0] secret_words_q, slots_q;
  logic words_fit_q, count_fits_q;

  assign key_fits     = KeyWords > 0 || key_log_degree_q == command_q.log_degree;

  always_ff @(posedge clk_i) begin
    secret_words_q <= 32'(command_q.primes) << command_q.log_degree;
    slots_q        <= 32'd1 << (command_q.log_degree - 4'd1);
    words_fit_q    <= KeyWords == 0 || secret_words_q <= KeyWords;
    count_fits_q   <= 32'(command_q.count) <= slots_q;
  end

  always_comb begin
    command_error = ErrorNone;
    if (!(encrypts || zeroise || command_q.opcode == OpForward || (Inverse && inverse_o))) begin
      command_error = ErrorOpcode;
    end else if (!zeroise) begin
      if (32'(command_q.log_degree) < MinLogDegree || 32'(command_q.log_degree) > MaxLogN) command_error = ErrorDegree;
      else if (command_q.primes == '0 || 32'(command_q.primes) > MaxPrimes) command_error = ErrorPrimes;
      else if (secret && !words_fit_q) command_error = ErrorPrimes;
      else if (secret && (!key_valid_q || command_q.secret_ntt != (KeyWords > 0) || !key_fits)) command_error = ErrorKey;
      else if (encrypts && (unsupported_suite_i || command_q.sample == 2'd3 || command_q.shift > 5'd30 || !count_fits_q)) begin
        command_error = ErrorFormat;
      end
    end
  end

  // ---- descriptors ----
  logic [2:0] word_q, word_d; // counts within a state; the address of q, 1, scale
  prime_index_t prime_q, prime_d, last_prime;
  residue_t modulus_q, one_q, scale_q;
  logic [4:0] bits_q, bits_d;
  logic modulus_good, modulus_good_q, at_last_q;

  assign last_prime        = prime_index_t'(command_q.primes - 5'd1);
  assign prime_o           = prime_q;
  assign descriptor_word_o = 5'(word_q);
  assign modulus_o         = modulus_q;
  assign modulus_bits_o    = bits_q;
  assign one_o             = one_q;
  assign scale_o           = scale_q;
  assign modulus_good      = descriptor_i[31:30] == '0 && descriptor_i[29:25] != '0 && descriptor_i[10:0] == 11'd1;

  always_comb begin
    bits_d = 5'd26;
    for (int unsigned position = 26; position < ModulusBits; position++) begin
      if (descriptor_i[position]) bits_d = 5'(position + 1);
    end
  end

  always_ff @(posedge clk_i) begin
    modulus_good_q  <= modulus_good;
    at_last_q       <= prime_q == last_prime;
    command_error_q <= command_error;
    if (state_q == StateDescribe) begin
      unique case (word_q)
        3'd2: {modulus_q, bits_q} <= {residue_t'(descriptor_i), bits_d};
        3'd3: one_q <= residue_t'(descriptor_i);
        3'd4: scale_q <= residue_t'(descriptor_i);
        default: ;
      endcase
    end
  end

  // ---- twiddle tables: the first Tables - 1 primes own one each, all others share the last ----
  typedef struct packed {
    logic valid;
    prime_index_t prime;
    log_degree_t log_degree;
  } table_t;

  table_t [Tables-1:0] tables_q;
  table_t table_built;
  logic [TableBits-1:0] table_index;
  logic table_fresh_q, table_done;

  assign table_index = (32'(prime_q) >= Tables) ? TableBits'(Tables - 1) : TableBits'(prime_q);
  assign table_o     = table_index;
  assign table_done  = state_q == StateTable && (table_fresh_q || (!generator_busy_i && word_q == 3'd2));
  assign table_built = '{valid: 1'b1, prime: prime_q, log_degree: command_q.log_degree};

  always_ff @(posedge clk_i) table_fresh_q <= tables_q[table_index] == table_built;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tables_q <= '0;
    end else begin
      for (int unsigned index = 0; index < Tables; index++) begin
        if (table_index == TableBits'(index) && generator_start_o) tables_q[index].valid <= 1'b0;
        if (table_index == TableBits'(index) && table_done) tables_q[index] <= table_built;
        if (prime_write_i && prime_written_i == tables_q[index].prime) tables_q[index].valid <= 1'b0;
      end
    end
  end

  // ---- transforms of the operation ----
  logic [1:0] step_q, step_d;
  logic last_step, has_product, small_there, small_there_q, transform_busy_q, armed_q;
  source_e source;

  always_comb begin
    source         = SourceWork;
    to_factor_o    = 1'b0;
    has_product    = 1'b1;
    last_step      = 1'b1;
    product_kind_o = ProductCopy;
    small_there    = 1'b1;
    unique case (command_q.opcode)
      OpEncryptSecret: begin
        source      = SourceMessage;
        small_there = small_done_i >= 2'd1;
        if (KeyWords > 0) begin
          product_kind_o = ProductKey;
        end else begin
          product_kind_o = ProductMask;
          has_product    = step_q == 2'd1;
          last_step      = step_q == 2'd1;
          to_factor_o    = step_q == 2'd1;
          if (step_q == 2'd1) source = SourceSecret;
        end
      end
      OpEncryptPublic: begin
        product_kind_o = ProductPublic;
        has_product    = step_q != 2'd0;
        last_step      = step_q == 2'd2;
        to_factor_o    = step_q == 2'd1;
        small_there    = small_done_i > step_q;
        unique case (step_q)
          2'd0:    source = SourceMessage;
          2'd1:    source = SourceTernary;
          default: source = SourceError1;
        endcase
      end
      OpInverse: begin
        product_kind_o = ProductScale;
        to_factor_o    = 1'b1;
      end
      OpZeroise: begin
        has_product = 1'b0;
        last_step   = step_q == 2'd1;
        to_factor_o = step_q == 2'd1;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    source_o         <= source;
    small_there_q    <= small_there;
    transform_busy_q <= transform_busy_i || transform_start_o;
  end

  // A product begins with the last stage, in whose order it reads; after an inverse, whose order is another, at the end, as
  // it does if the stage needs its multiplier.
  assign product_start_o = armed_q && ((inverse_o || SharedMultiplier) ? result_final_i : result_valid_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) armed_q <= 1'b0;
    else if (abort_o) armed_q <= 1'b0;
    else if (transform_start_o) armed_q <= has_product;
    else if (product_start_o) armed_q <= 1'b0;
  end

  // ---- random jobs: noise first, masks prime by prime ----
  logic [1:0] noise_q; // noise jobs issued
  logic noise_due;

  assign noise_due = encrypts && state_q inside {StateEncode, StateDescribe, StateMask, StateTable, StateReady, StateTransform} &&
                     noise_q < (publics ? 2'd3 : 2'd1);

  // One job waits here, so that a mask that cannot be begun yet does not hold up the transforms before its product.
  random_job_t job_d, job_q;
  logic waiting_q, job_free, job_new;

  always_comb begin
    job_d = '{domain: DomainMask, index: prime_q, log_degree: command_q.log_degree, modulus: modulus_q,
              modulus_bits: bits_q};
    if (noise_due) begin
      unique case (noise_q)
        2'd0:    job_d.domain = DomainError0;
        2'd1:    job_d.domain = DomainTernary;
        default: job_d.domain = DomainError1;
      endcase
      job_d.index = '0;
    end
  end

  assign job_free    = !waiting_q || job_ready_i;
  assign job_new     = job_free && (noise_due || state_q == StateMask);
  assign job_o       = job_q;
  assign job_valid_o = waiting_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waiting_q <= 1'b0;
    else if (abort_o) waiting_q <= 1'b0;
    else waiting_q <= job_new || (waiting_q && !job_ready_i);
  end

  always_ff @(posedge clk_i) begin
    if (job_new) job_q <= job_d;
  end

  // ---- outputs counted ----
  logic [5:0] polynomials_q, polynomials_due;
  logic all_out_q;

  assign polynomials_due = moves ? 6'd1 : publics ? 6'(command_q.primes) << 1 : 6'(command_q.primes);

  always_ff @(posedge clk_i) all_out_q <= polynomials_q == polynomials_due;

  // ---- errors ----
  error_e error_q, error_d;
  prime_index_t error_prime_q, error_prime_d;
  logic running, running_q, finished, interrupted, abort_q;

  assign running     = running_q;
  assign interrupted = bus_error_i || abort_i || prime_write_i || key_write_i;

  always_comb begin
    error_d       = ErrorNone;
    error_prime_d = '0;
    if (state_q == StateCheck && word_q == 3'd3) error_d = command_error_q;
    if (state_q == StateModuli && word_q == 3'd3 && !modulus_good_q) begin
      error_d       = ErrorModulus;
      error_prime_d = prime_q;
    end
    if (encode_overflow_i) error_d = ErrorOverflow;
    if (key_beyond_i) error_d = ErrorKey;
    if (running && (prime_write_i || key_write_i)) error_d = ErrorOrder;
    if (running && bus_error_i) error_d = ErrorBus;
    if (running && abort_i) error_d = ErrorAbort;
  end

  // One cycle after its cause: it reaches everything.
  assign abort_o         = abort_q;
  assign error_o         = error_q;
  assign error_prime_o   = error_prime_q;
  assign busy_o          = running;
  assign command_ready_o = !running && error_q == ErrorNone;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_q       <= ErrorNone;
      error_prime_q <= '0;
      abort_q       <= 1'b0;
      done_o        <= 1'b0;
    end else begin
      if (clear_i && !running) {error_q, error_prime_q} <= {ErrorNone, prime_index_t'(0)};
      if (error_d != ErrorNone && error_q == ErrorNone) {error_q, error_prime_q} <= {error_d, error_prime_d};
      abort_q <= error_d != ErrorNone && running && !abort_q;
      done_o  <= finished || abort_o;
    end
  end

  // ---- states ----
  logic encode_start, words_start, sweep_start, generator_start, transform_start;
  logic encode_busy, encode_busy_q;

  assign encode_busy = encode_busy_q || encode_start_o || words_start_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) encode_busy_q <= 1'b0;
    else encode_busy_q <= encode_busy_i || encode_start_o || words_start_o;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {encode_start_o, words_start_o, sweep_start_o, generator_start_o, transform_start_o} <= '0;
    else if (abort_o) {encode_start_o, words_start_o, sweep_start_o, generator_start_o, transform_start_o} <= '0;
    else begin
      {encode_start_o, words_start_o, sweep_start_o} <= {encode_start, words_start, sweep_start};
      {generator_start_o, transform_start_o}         <= {generator_start, transform_start};
    end
  end

  always_comb begin
    state_d           = state_q;
    prime_d           = prime_q;
    word_d            = word_q;
    step_d            = step_q;
    encode_start    = 1'b0;
    words_start     = 1'b0;
    sweep_start     = 1'b0;
    generator_start = 1'b0;
    transform_start = 1'b0;
    finished          = 1'b0;
    unique case (state_q)
      StateIdle: begin
        prime_d = '0;
        word_d  = '0;
        step_d  = '0;
        if (command_valid_i && command_ready_o) state_d = StateCheck;
      end
      StateCheck: begin
        word_d = word_q + 3'd1;
        if (moves) prime_d = last_prime;
        if (word_q == 3'd3) begin
          word_d         = '0;
          encode_start = zeroise;
          state_d        = zeroise ? StateEncode : StateModuli;
        end
      end
      StateModuli: begin
        word_d = word_q + 3'd1;
        if (word_q == 3'd3) begin
          word_d  = '0;
          prime_d = prime_q + prime_index_t'(1);
          if (at_last_q) begin
            prime_d        = moves ? last_prime : '0;
            encode_start = encrypts && modulus_good_q;
            state_d        = encrypts ? StateEncode : StateDescribe;
          end
        end
      end
      StateEncode: begin
        if (!encode_busy) begin
          state_d       = zeroise ? StateSweep : StateDescribe;
          sweep_start = zeroise;
        end
      end
      StateSweep: if (!sweep_busy_i) state_d = StateReady;
      StateDescribe: begin
        word_d = word_q + 3'd1;
        if (word_q == 3'd4) begin
          word_d      = '0;
          state_d     = secret ? StateMask : moves ? StateWords : StateTable;
          words_start = moves;
        end
      end
      StateWords: if (!encode_busy) state_d = StateTable;
      StateMask:  if (job_free && !noise_due) state_d = StateTable;
      StateTable: begin
        if (table_done) begin
          word_d  = '0;
          state_d = StateReady;
        end else if (!generator_busy_i && word_q == 3'd0) begin
          generator_start = 1'b1;
          word_d          = 3'd1;
        end else begin
          word_d = 3'd2;
        end
      end
      StateReady: begin
        word_d = 3'd1; // first what the step is, then whether its polynomial has come
        if (word_q == 3'd1 && small_there_q) begin
          word_d          = '0;
          transform_start = 1'b1;
          state_d         = StateTransform;
        end
      end
      StateTransform: begin
        if (!transform_busy_q && !armed_q && !transform_start_o && !(SharedMultiplier && multiplying_i)) begin
          step_d = step_q + 2'd1;
          if (!last_step) state_d = StateReady;
          else begin
            step_d  = '0;
            prime_d = prime_q + prime_index_t'(1);
            state_d = StateDescribe;
            if (moves || zeroise || at_last_q) state_d = StateDrain;
          end
        end
      end
      StateDrain: begin
        if ((zeroise || all_out_q) && !interrupted) begin
          finished = 1'b1;
          state_d  = StateIdle;
        end
      end
      default: state_d = StateIdle;
    endcase
    if (abort_o) begin
      state_d  = StateIdle;
      finished = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= StateIdle;
      running_q     <= 1'b0;
      prime_q       <= '0;
      word_q        <= '0;
      step_q        <= '0;
      command_q     <= '0;
      noise_q       <= '0;
      polynomials_q <= '0;
      key_valid_q   <= 1'b0;
      key_log_degree_q <= '0;
    end else begin
      state_q <= state_d;
      running_q <= state_d != StateIdle;
      prime_q <= prime_d;
      word_q  <= word_d;
      step_q  <= step_d;
      if (state_q == StateIdle && command_valid_i && command_ready_o) begin
        command_q     <= command_i;
        noise_q       <= '0;
        polynomials_q <= '0;
        // Everything is cleared at the largest degree, by zero slots and transforms of zero.
        if (command_i.opcode == OpZeroise) command_q.log_degree <= log_degree_t'(MaxLogN);
      end
      if (noise_due && job_free) noise_q <= noise_q + 2'd1;
      if (polynomial_out_i) polynomials_q <= polynomials_q + 6'd1;
      if (key_write_i && !key_beyond_i) {key_valid_q, key_log_degree_q} <= {1'b1, key_log_degree_i};
      if (zeroising_o) key_valid_q <= 1'b0;
    end
  end

endmodule
