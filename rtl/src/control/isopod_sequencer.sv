// Runs one command: checks it, encodes, then runs the transforms of its operation for every prime,
// each with its product. doc/theory_of_operation.md draws its blocks and its states.
//
// A product overlaps the transforms after it. These wait before their last stage while results are
// being read. Every start pulse leaves through a register.
`include "isopod_assert.svh"

module isopod_sequencer
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12,
  parameter int unsigned Tables = 1,
  parameter int unsigned KeyWords = 0,  // 0: the secret key is ternary
  parameter bit Inverse = 1'b1,
  parameter bit Decrypt = 1'b1,
  parameter bit Decode = 1'b0,
  parameter bit Bfv = 1'b0,
  parameter bit Complex = 1'b0,
  parameter bit Draw = 1'b0,            // draws ternary keys
  parameter bit Coefficients = 1'b0,    // frames of coefficients
  parameter bit Frame = 1'b0,           // headers and tags
  parameter bit Precise = 1'b0,         // messages of 64-bit words
  parameter bit DecodeLong = 1'b0,      // decodings in such words
  parameter bit SharedMultiplier = 1'b0, // products and transforms take turns
  parameter bit SharedNoise = 1'b0,      // one small polynomial at a time
  parameter int unsigned Factors = 1,    // factor buffers
  localparam int unsigned TableBits = (Tables == 1) ? 1 : $clog2(Tables)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // system
  input  command_t command_i,
  input  logic command_valid_i,
  output logic command_ready_o,
  input  control_t control_i,
  input  writes_t writes_i,             // also the shape of a head
  input  logic head_valid_i,            // a key may be drawn
  output status_t status_o,

  // everything
  output logic abort_o,             // to every module
  output command_t command_o,       // the command that runs
  output logic zeroising_o,
  output logic key_valid_o,         // the slot holds a key

  // descriptors: data two cycles after the address
  output descriptor_address_t descriptor_address_o,
  input  key_word_t descriptor_i,
  output prime_constants_t prime_o,
  output plain_t plain_o,

  // parts
  input  reports_t reports_i,
  output starts_t starts_o,
  output logic [TableBits-1:0] table_o,
  output transform_order_t transform_o,
  output logic fold_first_o,        // the decoded polynomial is that of the first prime,
  output logic fold_last_o,         // that of the last prime
  output logic product_start_o,
  output product_e product_o,
  output factor_buffer_t product_buffer_o,
  output dropped_t product_dropped_o, // bits that its words lose
  output random_job_t job_o,
  output logic job_valid_o,
  input  logic job_ready_i,
  output logic wipe_o               // the words that were drawn; as an abort of the samplers
);

  typedef enum logic [3:0] {
    StateIdle,      // waits for a command while no error is set
    StateCheck,     // waits three cycles for the command's error
    StateModuli,    // reads every modulus of the chain, four cycles each, before anything runs
    StateEncode,    // waits for the encode of zero slots; zeroise only
    StateDescribe,  // reads q, 1 and scale of the prime
    StateSum,       // waits until the product is free, and begins the sums; decryption, or BFV
                    // encryption, whose message is loaded then
    StateTable,     // builds the prime's twiddle table if it is stale
    StateMask,      // orders the mask of the prime; secret key only, a public key has no mask. Or
                    // the secret key of a draw
    StateReady,     // waits for what the next transform reads: message or words, and noise
    StateTransform, // waits for the transform and for the start of its product
    StateDecode,    // waits for the slots, and begins to send them; but of the last prime for the
                    // differences alone. Decoding only
    StateDrain,     // waits for the last beat of the last polynomial; or for the last pair of a
                    // draw, and until the words that they were made of are wiped
    StateSweep,     // waits until key slot and noise memories are zero; zeroise only
    StateReset      // the same after reset
  } state_e;

  state_e state_q, state_d;
  command_t command_q;
  logic encrypts, secret, decrypts, decodes, bfv, draws, coefficients, zeroise, sweeping, moves;
  logic taken, sums_next, masked_sum;

  assign command_o   = command_q;
  assign bfv         = Bfv && is_bfv(command_q.opcode);
  assign secret      = by_secret_key(command_q.opcode);
  assign encrypts    = secret || by_public_key(command_q.opcode);
  assign decodes     = Decode && command_q.opcode == OpDecode;
  assign decrypts    = (Decrypt && command_q.opcode == OpDecrypt) || decodes;
  assign draws       = Draw && command_q.opcode == OpDraw;
  assign coefficients = Coefficients && is_coefficients(command_q.opcode);
  assign moves       = command_q.opcode inside {OpForward, OpInverse};
  assign zeroise     = command_q.opcode == OpZeroise;
  assign zeroising_o = zeroise && state_q != StateIdle;
  assign sweeping    = zeroising_o || state_q == StateReset;
  assign taken       = state_q == StateIdle && command_valid_i && command_ready_o;

  // ---- checks ----
  logic [2:0] word_q, word_d; // counts within a state; the address of q, 1, scale
  prime_index_t prime_q, prime_d, last_prime;
  logic modulus_legal, plain_legal, bfv_legal, modulus_fits, at_last_q, running_q;
  error_e command_error, check;

  assign last_prime           = prime_index_t'(command_q.primes - 5'd1);
  assign descriptor_address_o = '{prime: prime_q, word: 5'(word_q) + 5'(bfv && word_q >= 3'd2)};
  // A transform on its own may use its last modulus, which may be a plaintext modulus.
  assign modulus_fits = modulus_legal || (plain_legal && moves && at_last_q);

  always_ff @(posedge clk_i) at_last_q <= prime_q == last_prime;

  assign fold_first_o = prime_q == '0;
  assign fold_last_o  = at_last_q;

  key_shape_t key_shape;
  draw_t key_draw;
  logic finished;

  assign key_draw = '{
      begins: starts_o.draw, pair: draws && reports_i.key_pair, ends: draws && finished,
      shape: '{log_degree: command_q.log_degree, primes: command_q.primes}};

  isopod_key_state #(.Ternary(KeyWords == 0)) u_key (
    .clk_i, .rst_ni, .running_i(running_q), .forget_i(zeroising_o), .writes_i,
    .draw_i(key_draw), .valid_o(key_valid_o), .shape_o(key_shape));

  isopod_command_check #(
    .MaxLogN(MaxLogN), .KeyWords(KeyWords), .Inverse(Inverse), .Decrypt(Decrypt), .Decode(Decode),
    .Bfv(Bfv), .Complex(Complex), .Draw(Draw), .Coefficients(Coefficients), .Frame(Frame),
    .Precise(Precise), .DecodeLong(DecodeLong)
  ) u_check (
    .clk_i, .command_i(command_q), .key_valid_i(key_valid_o), .key_shape_i(key_shape),
    .head_valid_i, .head_shape_i(writes_i.key_shape),
    .unsupported_suite_i(reports_i.unsupported_suite),
    .frames_exhausted_i(reports_i.frames_exhausted), .error_o(command_error));

  isopod_descriptor #(.Bfv(Bfv)) u_descriptor (
    .clk_i, .load_i(state_q == StateDescribe), .word_i(word_q), .data_i(descriptor_i), .prime_o,
    .plain_o, .modulus_legal_o(modulus_legal), .plain_legal_o(plain_legal),
    .bfv_legal_o(bfv_legal));

  always_comb begin
    check = ErrorNone;
    if (state_q == StateCheck && word_q == 3'd3) check = command_error;
    if (state_q == StateModuli && word_q == 3'd3 && !modulus_fits) check = ErrorModulus;
    if (bfv && state_q == StateSum && word_q == 3'd1 && !bfv_legal) check = ErrorModulus;
  end

  isopod_errors u_errors (
    .clk_i, .rst_ni, .running_i(running_q), .sweeping_i(sweeping), .control_i, .writes_i,
    .check_i(check), .prime_i(prime_q), .overflow_i(reports_i.encode_overflow),
    .error_o(status_o.error), .abort_o);

  assign status_o.busy   = running_q;
  assign command_ready_o = !running_q && status_o.error.code == ErrorNone;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) status_o.done <= 1'b0;
    else status_o.done <= finished || abort_o;
  end

  // ---- twiddle tables ----
  logic table_fresh, table_done;

  assign table_done = state_q == StateTable &&
      (table_fresh || (!reports_i.generator_busy && word_q == 3'd2));

  isopod_table_cache #(.Tables(Tables)) u_tables (
    .clk_i, .rst_ni, .prime_i(prime_q), .log_degree_i(command_q.log_degree),
    .begin_i(starts_o.generator), .built_i(table_done), .writes_i, .table_o, .fresh_o(table_fresh));

  // Bit j: factor buffer j holds NTT(s) of prime j, for the key that is valid.
  logic [Factors-1:0] resident_q;
  logic resident, secret_done;
  factor_buffer_t secret_buffer;

  always_comb begin
    resident = 1'b0;
    for (int unsigned place = 0; place < Factors; place++) begin
      if (Factors > 1 && prime_q == prime_index_t'(place)) resident = resident_q[place];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) resident_q <= '0;
    else begin
      for (int unsigned place = 0; place < Factors; place++) begin
        if (transform_o.buffer == factor_buffer_t'(place)) begin
          if (starts_o.transform && transform_o.to_factor) resident_q[place] <= 1'b0;
          if (secret_done && prime_q == prime_index_t'(place)) resident_q[place] <= 1'b1;
        end
      end
      if (!key_valid_o) resident_q <= '0;
    end
  end

  // ---- transforms and products ----
  logic [1:0] step_q, step_d;
  logic step_ready, last_step, product_waits, transform_busy_q, step_product_start;
  product_e step_product;
  logic slots_start_q, slots_start;
  transform_order_t step_order;
  starts_t starts;

  isopod_transform_steps #(
    .KeyWords(KeyWords), .SharedMultiplier(SharedMultiplier), .SharedNoise(SharedNoise),
    .Coefficients(Coefficients), .Factors(Factors)
  ) u_steps (
    .clk_i, .rst_ni, .abort_i(abort_o), .opcode_i(command_q.opcode), .step_i(step_q),
    .prime_i(prime_q), .resident_i(KeyWords > 0 || resident), .secret_buffer_o(secret_buffer),
    .start_i(starts_o.transform && !starts_o.reduce), .small_done_i(reports_i.small_done),
    .result_valid_i(reports_i.result_valid), .result_final_i(reports_i.result_final),
    .ready_o(step_ready), .last_o(last_step), .order_o(step_order), .product_o(step_product),
    .product_start_o(step_product_start), .product_waits_o(product_waits));

  // A precise message, |m| <= 2^L + 26 with L = 62 - f, may be beyond 2 q. A pass of the lanes, a
  // stage without others, then reduces its upper words. The lower ones are factors of the first
  // stage, which reduces them.
  logic reduces, reducing_q, reduced_q;

  assign reduces = Precise && command_q.sample == SampleLong && encrypts && !bfv &&
      !coefficients && step_order.source == SourceMessage &&
      6'd62 - 6'(command_q.shift) > 6'(prime_o.bits);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {reducing_q, reduced_q} <= '0;
    else if (abort_o || !reduces) {reducing_q, reduced_q} <= '0;
    else if (starts.transform) {reducing_q, reduced_q} <= {starts.reduce, !starts.reduce};
  end

  always_comb begin
    transform_o         = step_order;
    transform_o.reduce  = reduces && reducing_q;
    transform_o.reduced = reduces && reduced_q;
  end

  // After a transform of s or u come the words that are multiplied with it. If NTT(s) is resident,
  // these words come first.
  assign sums_next  = decrypts || (coefficients && !step_q[0]);
  assign masked_sum = coefficients && (KeyWords > 0 || resident);

  assign product_start_o = step_product_start || (starts_o.sums && !bfv) || slots_start_q;

  assign product_buffer_o = (product_o inside {ProductMask, ProductSumFactor, ProductLanesMask}) ?
      secret_buffer : factor_buffer_t'(Factors - 1);

  always_comb begin
    product_o = step_product;
    if (starts_o.sums) product_o = (KeyWords > 0) ? ProductSumKey : ProductSumFactor;
    if (starts_o.sums && coefficients) begin
      product_o = !secret ? ProductLanesPublic : (KeyWords > 0) ? ProductLanesKey :
          ProductLanesMask;
    end
    if (slots_start_q) product_o = ProductSlots;
  end

  // The last two steps give c1.
  assign product_dropped_o = (product_o != ProductCoefficients) ? '0 :
      step_q[1] ? dropped_t'(command_q.log2_bound) : dropped_t'(command_q.shift);

  always_ff @(posedge clk_i) transform_busy_q <= reports_i.transform_busy || starts_o.transform;

  // ---- randomness ----
  logic draw, mask_taken;

  assign draw = state_q inside {
      StateDescribe, StateTable, StateMask, StateReady, StateTransform} ||
      ((bfv || coefficients) && state_q == StateSum);

  isopod_random_jobs #(
    .SharedNoise(SharedNoise), .Draw(Draw), .Coefficients(Coefficients)
  ) u_jobs (
    .clk_i, .rst_ni, .abort_i(abort_o), .restart_i(taken), .command_i(command_q),
    .index_i(prime_q), .prime_i(prime_o), .draw_i(draw), .mask_i(state_q == StateMask),
    .mask_taken_o(mask_taken), .job_o, .job_valid_o, .job_ready_i);

  assign wipe_o = draws && state_q == StateDrain && reports_i.small_done != '0;

  logic [5:0] polynomials_q, polynomials_due;
  logic all_out_q;

  assign polynomials_due = (moves || decodes) ? 6'd1 :
      6'(command_q.primes) << (encrypts && !secret);

  always_ff @(posedge clk_i) all_out_q <= polynomials_q == polynomials_due;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) polynomials_q <= '0;
    else if (taken) polynomials_q <= '0;
    else if (reports_i.polynomial_out) polynomials_q <= polynomials_q + 6'd1;
  end

  // ---- states ----
  logic encode_busy, encode_busy_q, interrupted;

  // More coefficients may follow the last one that is sent.
  logic encode_starts, product_goes_on;

  assign product_goes_on = coefficients && reports_i.multiplying;

  assign encode_starts = starts_o.encode || starts_o.words || starts_o.sums || starts_o.decode;
  assign encode_busy   = encode_busy_q || encode_starts;
  assign interrupted = control_i.bus_error || control_i.stop || writes_i.prime_valid ||
      writes_i.key_valid;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) encode_busy_q <= 1'b0;
    else encode_busy_q <= reports_i.encode_busy || encode_starts;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {slots_start_q, starts_o} <= '0;
    else if (abort_o) {slots_start_q, starts_o} <= '0;
    else {slots_start_q, starts_o} <= {slots_start, starts};
  end

  always_comb begin
    state_d  = state_q;
    prime_d  = prime_q;
    word_d   = word_q;
    step_d   = step_q;
    starts   = '0;
    slots_start = 1'b0;
    finished = 1'b0;
    secret_done = 1'b0;
    unique case (state_q)
      StateIdle: begin
        prime_d = '0;
        word_d  = '0;
        step_d  = '0;
        if (taken) state_d = StateCheck;
      end
      StateCheck: begin
        word_d = word_q + 3'd1;
        if (moves) prime_d = last_prime;
        if (word_q == 3'd3) begin
          word_d        = '0;
          starts.encode = zeroise;
          starts.draw   = draws && check == ErrorNone;
          state_d       = zeroise ? StateEncode : draws ? StateMask : StateModuli;
        end
      end
      StateModuli: begin
        word_d = word_q + 3'd1;
        if (word_q == 3'd3) begin
          word_d  = '0;
          prime_d = prime_q + prime_index_t'(1);
          if (at_last_q) begin
            prime_d       = moves ? last_prime : '0;
            starts.encode = encrypts && !bfv && !coefficients && modulus_legal;
            state_d       = StateDescribe;
          end
        end
      end
      StateEncode: begin
        if (!encode_busy) begin
          state_d      = StateSweep;
          starts.sweep = 1'b1;
        end
      end
      StateSweep: if (!reports_i.sweep_busy) state_d = StateReady;
      StateReset: begin
        starts.sweep = word_q == '0;
        word_d       = 3'd1;
        if (word_q == 3'd1 && !reports_i.sweep_busy) state_d = StateIdle;
      end
      StateDescribe: begin
        word_d = word_q + 3'd1;
        if (word_q == (bfv ? 3'd5 : 3'd4)) begin
          word_d       = '0;
          state_d      = ((decrypts && (KeyWords > 0 || resident)) || bfv) ? StateSum : StateTable;
          starts.words = moves;
        end
      end
      StateSum: begin
        // With one lane the products and a new table need the same multiplier. The sums of a
        // decoding and the message of a BFV encryption need the multipliers of the lanes.
        if (word_q == '0 && (bfv || !reports_i.multiplying)) begin
          starts.sums = 1'b1;
          word_d      = 3'd1;
        end
        if (word_q == 3'd1 && !((SharedMultiplier || decodes || bfv) && encode_busy)) begin
          word_d  = '0;
          state_d = (step_q == '0 && !coefficients) ? StateTable : StateReady;
        end
      end
      StateTable: begin
        if (table_done) begin
          word_d  = '0;
          state_d = secret ? StateMask : StateReady;
        end else if (!reports_i.generator_busy && word_q == 3'd0) begin
          starts.generator = 1'b1;
          word_d           = 3'd1;
        end else begin
          word_d = 3'd2;
        end
      end
      StateMask: if (mask_taken) state_d = draws ? StateDrain : masked_sum ? StateSum : StateReady;
      StateReady: begin
        word_d = 3'd1; // first what the step is, then whether its polynomial has come
        if (word_q == 3'd1 && step_ready && !encode_busy) begin
          word_d           = '0;
          starts.transform = 1'b1;
          starts.reduce    = reduces && !reducing_q;
          state_d          = StateTransform;
        end
      end
      StateTransform: begin
        if (!transform_busy_q && !product_waits && !starts_o.transform &&
            !(SharedMultiplier && reports_i.multiplying)) begin
          step_d      = step_q + 2'd1;
          secret_done = transform_o.source == SourceSecret;
          if (transform_o.reduce) begin
            step_d  = step_q;
            state_d = StateReady;
          end else if (!last_step) begin
            state_d = sums_next ? StateSum : StateReady;
          end else begin
            step_d  = '0;
            prime_d = prime_q + prime_index_t'(1);
            state_d = (moves || zeroise || at_last_q) ? StateDrain : StateDescribe;
            if (decodes) begin
              prime_d       = prime_q;
              starts.decode = 1'b1;
              state_d       = StateDecode;
            end
          end
        end
      end
      StateDecode: begin
        slots_start = reports_i.slots_ready;
        if (reports_i.slots_ready) begin
          state_d = StateDrain;
        end else if (Decode && !encode_busy) begin
          prime_d = prime_q + prime_index_t'(1);
          state_d = StateDescribe;
        end
      end
      StateDrain: begin
        if (zeroise || ((draws ? reports_i.wiped : all_out_q && !product_goes_on) &&
            !interrupted && !reports_i.frame_busy)) begin
          finished = 1'b1;
          state_d  = StateIdle;
        end
      end
      default: state_d = StateIdle;
    endcase
    if (abort_o) begin
      state_d  = StateIdle;
      word_d   = '0;
      finished = 1'b0;
      secret_done = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StateReset;
      running_q <= 1'b1;
      prime_q   <= '0;
      word_q    <= '0;
      step_q    <= '0;
      command_q <= '0;
      command_q.log_degree <= log_degree_t'(MaxLogN); // degree of the sweep
    end else begin
      state_q   <= state_d;
      running_q <= state_d != StateIdle;
      prime_q   <= prime_d;
      word_q    <= word_d;
      step_q    <= step_d;
      if (taken) begin
        command_q <= command_i;
        // Zero slots and transforms of zero clear everything, at the largest degree.
        if (command_i.opcode == OpZeroise) command_q.log_degree <= log_degree_t'(MaxLogN);
      end
    end
  end

  // The words of a key serve only its own degree and primes.
  `ISOPOD_ASSERT(KeyOfCommand,
      !((secret || decrypts) && state_q inside {StateDescribe, StateTransform}) ||
      (key_valid_o && command_q.log_degree == key_shape.log_degree &&
       command_q.primes <= key_shape.primes))
  `ISOPOD_ASSERT(NoiseStays, !(bfv && state_q == StateTransform) || bfv_legal)
  `ISOPOD_ASSERT_NEXT(SweepGoesOn, sweeping && state_q != StateDrain, sweeping || !running_q)

endmodule
