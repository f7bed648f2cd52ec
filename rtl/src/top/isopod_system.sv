// The engine as a peripheral: AXI4-Lite registers (doc/registers.md), AXI4 transfers of samples,
// public key and packed residues that run beside the computation, and an interrupt.
`include "isopod_assert.svh"

module isopod_system
  import isopod_pkg::*;
#(
  // Parameters of isopod_engine.
  parameter int unsigned ModulusWidth = BuildWidth,
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  parameter int unsigned Xof = 0,
  parameter int unsigned XofRounds = 1,
  parameter int unsigned TwiddleTables = 3,
  parameter int unsigned KeyWords = 12288,
  parameter bit Inverse = 1'b1,
  parameter bit Decrypt = 1'b0,
  parameter bit Decode = 1'b0,
  parameter bit Bfv = 1'b0,
  parameter bit Complex = 1'b0,
  parameter bit Precise = BuildPrecise,
  parameter bit DecodeLong = 1'b0,
  parameter bit Draw = 1'b0,
  parameter bit Coefficients = 1'b0,
  parameter bit Frame = 1'b0,
  parameter bit Tiled = 1'b0,
  parameter int unsigned MaskDepth = 1024,
  parameter int unsigned Factors = 1,
  parameter bit SharedNoise = 1'b0,
  parameter CosineFile = "cosine_12.hex",
  parameter LongCosineFile = "cosine_12_long.hex",
  localparam int unsigned RegisterBits = 12
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic interrupt_o,

  // words of an entropy source, unknown to software; only with Draw
  input  logic [31:0] entropy_i,
  input  logic entropy_valid_i,
  output logic entropy_ready_o,

  // AXI4-Lite, registers
  input  logic [RegisterBits-1:0] s_awaddr_i,
  input  logic s_awvalid_i,
  output logic s_awready_o,
  input  logic [31:0] s_wdata_i,
  input  logic [3:0] s_wstrb_i,
  input  logic s_wvalid_i,
  output logic s_wready_o,
  output logic [1:0] s_bresp_o,
  output logic s_bvalid_o,
  input  logic s_bready_i,
  input  logic [RegisterBits-1:0] s_araddr_i,
  input  logic s_arvalid_i,
  output logic s_arready_o,
  output logic [31:0] s_rdata_o,
  output logic [1:0] s_rresp_o,
  output logic s_rvalid_o,
  input  logic s_rready_i,

  // AXI4, 64 bits, incrementing bursts of up to 16 beats of 8 bytes that stay within 128 bytes, one
  // identifier
  output logic [31:0] m_araddr_o,
  output logic [7:0] m_arlen_o,
  output logic m_arvalid_o,
  input  logic m_arready_i,
  input  logic [63:0] m_rdata_i,
  input  logic [1:0] m_rresp_i,
  input  logic m_rlast_i,
  input  logic m_rvalid_i,
  output logic m_rready_o,
  output logic [31:0] m_awaddr_o,
  output logic [7:0] m_awlen_o,
  output logic m_awvalid_o,
  input  logic m_awready_i,
  output logic [63:0] m_wdata_o,
  output logic [7:0] m_wstrb_o,
  output logic m_wlast_o,
  output logic m_wvalid_o,
  input  logic m_wready_i,
  input  logic [1:0] m_bresp_i,
  input  logic m_bvalid_i,
  output logic m_bready_o
);

  // ---- registers ----
  logic [RegisterBits-3:0] word_index;
  logic access_read, access_write, access_partial, access_ready, access_error;
  logic [31:0] access_write_data, access_read_data;
  logic [31:0] control, status, interrupt_state, interrupt_set, interrupt_enable, register_command;
  logic [31:0] register_encoding;
  logic [31:0] sample_address, sample_words, public_address, public_words, out_address, owner;
  logic [3:0][31:0] key_id;
  logic [31:0] key_lock;
  logic [7:0][31:0] mask_seed, noise_key;
  logic out_beats_valid, sample_data_valid, public_data_valid, out_low_valid, out_high_valid;
  logic key_begin, key_begin_refuse, key_data_valid, key_data_ready, key_data_refuse, prime_valid;
  logic sponge_write, sponge_read, sponge_takes, sponge_gives;
  logic sponge_owned, sponge_clear, guard_write, guard_read, sponge_last, sponge_empty;
  logic [31:0] sponge_word, software_word, guard_word;
  logic seeds_held, root_valid, key_loading, root_busy;
  logic header_begin, header_begin_refuse, header_offered, header_refuse, header_ready, header_room;
  logic tag_key_clear, tag_key_held;
  logic [31:0] frame_cut, frame_number;
  logic [3:0][31:0] frame_nonce;
  logic [7:0][31:0] tag_key;
  logic [3:0] root_index;
  logic sample_data_ready, sample_refuse, public_refuse, out_refuse;
  logic start, seeds, abort, clear, bare, operation_end, key_changes;
  logic engine_busy, engine_done, engine_error_now, busy;
  logic write_busy, read_busy;
  logic [18:0] out_left;
  logic [31:0] cycles_q;
  packed_beat_t beat;
  logic beat_valid, beat_ready;

  isopod_axi_lite #(.AddressBits(RegisterBits)) u_axi_lite (
    .clk_i, .rst_ni,
    .awaddr_i(s_awaddr_i), .awvalid_i(s_awvalid_i), .awready_o(s_awready_o),
    .wdata_i(s_wdata_i), .wstrb_i(s_wstrb_i), .wvalid_i(s_wvalid_i), .wready_o(s_wready_o),
    .bresp_o(s_bresp_o), .bvalid_o(s_bvalid_o), .bready_i(s_bready_i),
    .araddr_i(s_araddr_i), .arvalid_i(s_arvalid_i), .arready_o(s_arready_o),
    .rdata_o(s_rdata_o), .rresp_o(s_rresp_o), .rvalid_o(s_rvalid_o), .rready_i(s_rready_i),
    .word_index_o(word_index), .read_o(access_read), .write_o(access_write),
    .partial_o(access_partial), .write_data_o(access_write_data), .read_data_i(access_read_data),
    .ready_i(access_ready), .error_i(access_error));

  isopod_registers u_registers (
    .clk_i, .rst_ni,
    .word_index_i(word_index), .read_i(access_read), .write_i(access_write),
    .partial_i(access_partial), .write_data_i(access_write_data), .read_data_o(access_read_data),
    .ready_o(access_ready), .error_o(access_error),
    .capability_i(32'({DecodeLong, Precise, Frame, Coefficients, Complex, Draw, 6'(ModulusBits),
                       Bfv, Decode, Wide, Inverse && Decrypt, Inverse, KeyWords > 0, Xof == 1,
                       Xof == 0, 4'(MaxLogN), 4'(Lanes)})),
    .key_words_i(KeyWords), .control_o(control), .status_i(status),
    .interrupt_state_o(interrupt_state), .interrupt_state_set_i(interrupt_set),
    .interrupt_enable_o(interrupt_enable), .interrupt_enable_clear_i(1'b0),
    .command_o(register_command), .command_clear_i(1'b0), .encoding_o(register_encoding),
    .encoding_clear_i(1'b0), .sample_address_o(sample_address), .sample_address_clear_i(1'b0),
    .sample_words_o(sample_words), .sample_words_clear_i(1'b0),
    .public_address_o(public_address), .public_address_clear_i(1'b0),
    .public_words_o(public_words), .public_words_clear_i(1'b0),
    .out_address_o(out_address), .out_address_clear_i(1'b0),
    .out_beats_valid_o(out_beats_valid), .out_beats_ready_i(1'b1),
    .out_beats_refuse_i(write_busy || access_write_data[18:0] == '0),
    .out_left_i(32'(out_left)),
    .sample_data_valid_o(sample_data_valid), .sample_data_ready_i(sample_data_ready),
    .sample_data_refuse_i(sample_refuse), .public_data_valid_o(public_data_valid),
    .public_data_ready_i(1'b1), .public_data_refuse_i(public_refuse),
    .out_low_valid_o(out_low_valid), .out_low_ready_i(beat_valid), .out_low_refuse_i(out_refuse),
    .out_low_data_i(beat.data[31:0]), .out_high_valid_o(out_high_valid),
    .out_high_ready_i(beat_valid), .out_high_refuse_i(out_refuse),
    .out_high_data_i(beat.data[63:32]), .cycles_i(cycles_q),
    .key_begin_valid_o(key_begin), .key_begin_ready_i(1'b1),
    .key_begin_refuse_i(key_begin_refuse), .key_data_valid_o(key_data_valid),
    .key_data_ready_i(key_data_ready), .key_data_refuse_i(key_data_refuse || key_lock[0]),
    .owner_o(owner), .owner_clear_i(operation_end),
    .key_id_o(key_id), .key_id_clear_i(key_changes), .key_id_held_i(key_lock[0]),
    .key_lock_o(key_lock),
    .mask_seed_o(mask_seed), .mask_seed_clear_i(1'b0), .mask_seed_held_i(seeds_held),
    .mask_seed_update_i(root_valid && !root_index[3]), .mask_seed_update_index_i(root_index[2:0]),
    .mask_seed_update_data_i(sponge_word),
    .noise_key_o(noise_key), .noise_key_clear_i(operation_end), .noise_key_held_i(seeds_held),
    .noise_key_update_i(root_valid && root_index[3]), .noise_key_update_index_i(root_index[2:0]),
    .noise_key_update_data_i(sponge_word),
    .sponge_in_valid_o(sponge_write), .sponge_in_ready_i(!sponge_owned),
    .sponge_in_refuse_i(key_loading || (!sponge_owned && !sponge_takes)),
    .sponge_out_valid_o(sponge_read), .sponge_out_ready_i(sponge_gives),
    .sponge_out_refuse_i(sponge_owned || sponge_takes), .sponge_out_data_i(software_word),
    .header_bytes_valid_o(header_begin), .header_bytes_ready_i(1'b1),
    .header_bytes_refuse_i(header_begin_refuse), .header_data_valid_o(header_offered),
    .header_data_ready_i(1'b1), .header_data_refuse_i(header_refuse),
    .frame_cut_o(frame_cut), .frame_cut_clear_i(1'b0), .frame_number_i(frame_number),
    .frame_nonce_o(frame_nonce), .frame_nonce_clear_i(1'b0), .frame_nonce_held_i(seeds_held),
    .tag_key_o(tag_key), .tag_key_clear_i(tag_key_clear), .tag_key_held_i(tag_key_held),
    .prime_valid_o(prime_valid), .prime_ready_i(1'b1), .prime_refuse_i(key_lock[0]));

  // Hashes for software: roots of ciphertexts, digests of keys, others. The key guard borrows it.
  assign software_word = sponge_owned ? '0 : sponge_word;

  isopod_sponge u_sponge (
    .clk_i, .rst_ni, .hash_i(sponge_owned), .clear_i(sponge_clear),
    .write_i(sponge_owned ? guard_write : sponge_write),
    .data_i(sponge_owned ? guard_word : access_write_data), .write_ready_o(sponge_takes),
    .read_i(sponge_owned ? guard_read : sponge_read), .data_o(sponge_word),
    .read_ready_o(sponge_gives), .last_o(sponge_last), .empty_o(sponge_empty));

  // ---- commands ----
  localparam int unsigned WrittenWords = 16;

  command_t command;
  logic [15:0] samples_left_q;
  logic samples_taken_q, samples_seen_q;
  logic command_ready, seeds_q, seeds_valid, seeds_due, refused_q, bus_error_q, bus_error;

  assign {bare, clear, abort, seeds, start} = control[4:0];
  assign command = '{
    opcode: opcode_e'(register_command[3:0]), log_degree: register_command[7:4],
    primes: register_command[12:8],
    suite: suite_e'(register_command[14:13]), sample: sample_e'(register_command[16:15]),
    log2_bound: register_encoding[29:24], shift: register_encoding[20:16],
    count: register_encoding[13:0], complex_slots: register_command[31],
    secret_ntt: register_command[17], framed: register_command[18]};

  // The engine may be done while its last beats are still on their way to memory. The operation
  // that runs is the one in COMMAND at its start.
  logic running_q, operating, accepted, accepted_q, encrypts, seeded_q, by_secret_q, streams_q;
  logic draws, draws_q, framed_q;
  logic prime_word_valid, rooted_q, root_done, locked_out;
  key_word_t prime_word;
  assign tag_key_clear = accepted && command.opcode == OpZeroise;
  assign tag_key_held  = key_lock[2] || running_q;
  assign draws         = Draw && command.opcode == OpDraw;
  assign locked_out    = (key_lock[1] && command.opcode inside {OpDecrypt, OpDecode}) ||
      (key_lock[0] && draws);
  assign accepted      = start && command_ready && !running_q && !read_busy && !locked_out;
  assign busy          = engine_busy || running_q || read_busy || write_busy;
  assign operation_end = running_q && !engine_busy && !accepted_q && !read_busy && !write_busy;
  assign operating     = running_q && engine_busy; // not while memories are swept after reset
  assign encrypts      = by_secret_key(command.opcode) || by_public_key(command.opcode);
  assign key_changes   = key_begin || prime_valid || (accepted && command.opcode == OpZeroise);
  assign seeds_due     = running_q && seeded_q && !seeds_valid;
  assign seeds_held    = running_q && seeds_q;
  assign seeds_valid   = by_secret_q ? rooted_q : seeds_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q     <= 1'b0;
      accepted_q    <= 1'b0;
      seeds_q       <= 1'b0;
      refused_q     <= 1'b0;
      bus_error_q   <= 1'b0;
      cycles_q      <= '0;
      rooted_q      <= 1'b0;
      {seeded_q, by_secret_q, streams_q, draws_q, framed_q} <= '0;
    end else begin
      accepted_q <= accepted;
      running_q  <= accepted || (running_q && !operation_end);
      seeds_q    <= ((seeds && running_q) || seeds_q) && !operation_end;
      rooted_q   <= (root_done || rooted_q) && running_q && !operation_end;
      if (accepted) begin
        seeded_q    <= encrypts || draws;
        by_secret_q <= by_secret_key(command.opcode) || draws;
        draws_q     <= draws;
        framed_q    <= Frame && command.framed;
        streams_q   <= by_public_key(command.opcode) || command.opcode inside {OpDecrypt, OpDecode};
      end
      if (bare) framed_q <= 1'b0;
      if (accepted) cycles_q <= '0;
      else if (running_q && !operation_end) cycles_q <= cycles_q + 32'd1;
      if (clear && !busy) {refused_q, bus_error_q} <= '0;
      if (((access_read || access_write) && access_error) || (start && !accepted)) begin
        refused_q <= 1'b1;
      end
      if (bus_error) bus_error_q <= 1'b1;
    end
  end

  // ---- key ----
  logic key_forget, key_write, key_seal, key_head, key_valid;
  logic [31:0] key_address;
  key_word_t key_word;
  key_shape_t key_shape;

  // A refused word ends the key, too.
  localparam logic [RegisterBits-3:0] KeyData = (RegisterBits-2)'(32'h058 >> 2);
  logic key_offered;

  assign key_offered      = access_write && !access_partial && word_index == KeyData &&
      !key_lock[0];
  assign key_begin_refuse = key_lock[0] || busy;

  isopod_key_guard #(.MaxLogN(MaxLogN), .KeyWords(KeyWords)) u_guard (
    .clk_i, .rst_ni, .begin_i(key_begin),
    .stop_i(abort || (accepted && command.opcode == OpZeroise)), .word_valid_i(key_offered),
    .word_i(access_write_data), .word_ready_o(key_data_ready), .word_refuse_o(key_data_refuse),
    .loading_o(key_loading), .forget_o(key_forget), .key_write_o(key_write),
    .key_address_o(key_address), .key_data_o(key_word), .seal_o(key_seal), .shape_o(key_shape),
    .head_o(key_head), .draw_i(running_q && draws_q), .key_valid_i(key_valid),
    .entropy_i(Draw ? entropy_i : '0), .entropy_valid_i(entropy_valid_i || !Draw),
    .entropy_ready_o,
    .root_start_i(running_q && by_secret_q && seeds_q && !rooted_q && !operation_end),
    .seed_i(mask_seed), .root_busy_o(root_busy), .root_valid_o(root_valid),
    .root_index_o(root_index), .root_done_o(root_done), .sponge_own_o(sponge_owned),
    .sponge_clear_o(sponge_clear), .sponge_write_o(guard_write), .sponge_data_o(guard_word),
    .sponge_read_o(guard_read), .sponge_data_i(sponge_word), .sponge_write_ready_i(sponge_takes),
    .sponge_read_ready_i(sponge_gives), .sponge_last_i(sponge_last),
    .sponge_empty_i(sponge_empty));

  isopod_written_word #(.PlaceBits(9)) u_prime_word (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(prime_valid), .place_i(word_index[8:0]),
    .data_i(access_write_data), .valid_o(prime_word_valid), .word_o(prime_word));

  // ---- samples and public key: one reader serves the samples, then the public key ----
  // The reader alternates where message and key are needed by turns. A BFV encryption takes the
  // message of a prime, then the key's words of this prime, and so on. Coefficients take pk0, then
  // for every prime the message and 2 n words of the key, for the last prime only the rest of pk1.
  logic [31:0] read_word, sample;
  logic [63:0] read_beat;
  key_word_t public_word, written_word, queued_word;
  logic read_valid, read_ready, read_start, read_public_q, read_due_q, read_bus_error;
  logic write_bus_error, write_done;
  logic sample_valid, sample_ready, public_valid, public_ready, sample_from_read, public_from_read;
  logic stop, stop_q, written_ready, written_valid, queued_valid, public_room;
  logic [4:0] written_q;
  error_e engine_error;
  prime_index_t engine_error_prime;

  assign bus_error        = read_bus_error || write_bus_error;
  assign engine_error_now = engine_error != ErrorNone;
  // Transfers of an operation that ended in an error stop with it.
  assign stop             = (engine_error_now && !stop_q) || abort;
  assign sample_from_read = sample_words != '0;
  assign public_from_read = public_words != '0;
  assign read_start       = (accepted && (sample_from_read || public_from_read)) ||
      (read_due_q && !read_busy && !stop_q && !stop);

  logic by_turns, by_turns_q, reads_public, public_first, public_first_q;
  logic [14:0] turn_samples_q;
  logic [4:0] turns_left_q;
  log_degree_t turn_degree_q;
  logic [31:0] sample_offset_q, public_offset_q, turn_words;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_public_q <= 1'b0;
      read_due_q    <= 1'b0;
      stop_q        <= 1'b0;
    end else begin
      stop_q <= engine_error_now;
      if (accepted) begin
        read_public_q <= reads_public;
        read_due_q    <= sample_from_read && public_from_read;
      end else if (stop) begin
        read_due_q <= 1'b0;
      end else if (read_start) begin
        read_public_q <= reads_public;
        read_due_q    <= by_turns_q && !(reads_public && turns_left_q == 5'd1);
      end
    end
  end

  assign public_first = Coefficients && command.opcode == OpCoefficientsPublic &&
      public_from_read;
  assign reads_public = accepted ? !sample_from_read || public_first :
      !(by_turns_q && read_public_q);
  assign by_turns     = ((Bfv && command.opcode == OpBfvPublic) || public_first) &&
      sample_from_read && public_from_read;
  assign turn_words   = 32'd1 << (accepted ? command.log_degree : turn_degree_q);

  if (Bfv || Coefficients) begin : gen_turns
    localparam int unsigned PublicShift = $clog2(KeyBits / 4); // bytes of two words

    always_ff @(posedge clk_i) begin
      if (accepted) begin
        by_turns_q     <= by_turns;
        public_first_q <= public_first;
        turns_left_q   <= command.primes;
        turn_degree_q  <= command.log_degree;
        turn_samples_q <= (public_first && command.count != '0) ? 15'(command.count) :
            15'(turn_words);
        // pk1 follows pk0, which is read at once.
        sample_offset_q <= '0;
        public_offset_q <= public_first ? -(turn_words << (PublicShift - 1)) : '0;
      end else if (read_start && by_turns_q) begin
        if (reads_public) begin
          turns_left_q    <= turns_left_q - 5'd1;
          sample_offset_q <= sample_offset_q + (32'(turn_samples_q) << 2);
        end else begin
          public_offset_q <= public_offset_q + (turn_words << PublicShift);
        end
      end
    end
  end else begin : gen_no_turns
    assign {by_turns_q, turns_left_q, turn_degree_q, sample_offset_q, public_offset_q} = '0;
    assign {public_first_q, turn_samples_q} = '0;
    logic unused_turns;
    assign unused_turns = by_turns;
  end

  logic [31:0] read_address;
  logic [19:0] read_words;
  logic half_turn; // n words of the key

  assign half_turn = accepted ? public_first : public_first_q && turns_left_q == 5'd1;

  always_comb begin
    read_address = sample_address + sample_offset_q;
    read_words   = 20'(sample_words[15:0]);
    if (reads_public) begin
      read_address = public_address + public_offset_q;
      read_words   = public_words[19:0];
    end
    if (accepted) read_address = reads_public ? public_address : sample_address;
    if (accepted ? by_turns : by_turns_q) begin
      read_words = reads_public ? 20'(turn_words << !half_turn) :
          accepted ? 20'(turn_words) : 20'(turn_samples_q);
    end
  end

  isopod_dma_read u_read (
    .clk_i, .rst_ni, .abort_i(stop), .start_i(read_start),
    .address_i(read_address), .words_i(read_words),
    .whole_i(Wide && reads_public), .busy_o(read_busy), .bus_error_o(read_bus_error),
    .word_o(read_word), .beat_o(read_beat), .valid_o(read_valid), .ready_i(read_ready),
    .araddr_o(m_araddr_o), .arlen_o(m_arlen_o), .arvalid_o(m_arvalid_o), .arready_i(m_arready_i),
    .rdata_i(m_rdata_i), .rresp_i(m_rresp_i), .rlast_i(m_rlast_i), .rvalid_i(m_rvalid_i),
    .rready_o(m_rready_o));

  assign sample       = sample_from_read ? read_word : access_write_data;
  assign sample_valid = sample_from_read ? read_valid && !read_public_q : sample_data_valid;
  assign public_word  = !public_from_read ? queued_word : Wide ? KeyBits'(read_beat) :
      KeyBits'(read_word);
  assign public_valid = public_from_read ? read_valid && read_public_q : queued_valid;
  assign read_ready   = read_public_q ? public_ready : sample_ready;

  // Words of the public key that software writes wait in a queue, because unread output beats may
  // stop the engine.
  isopod_written_word #(.PlaceBits(1)) u_public_word (
    .clk_i, .rst_ni, .clear_i(stop || accepted), .valid_i(public_data_valid), .place_i('0),
    .data_i(access_write_data), .valid_o(written_valid), .word_o(written_word));

  isopod_queue #(.Width(KeyBits), .Depth(WrittenWords)) u_written (
    .clk_i, .rst_ni, .abort_i(stop || accepted), .data_i(written_word),
    .valid_i(written_valid), .ready_o(written_ready), .data_o(queued_word),
    .valid_o(queued_valid), .ready_i(public_ready && !public_from_read));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) written_q <= '0;
    else if (stop || accepted) written_q <= '0;
    else written_q <= written_q +
        5'(written_valid) - 5'(queued_valid && public_ready && !public_from_read);
  end

  assign sample_data_ready = sample_ready;
  assign sample_refuse     = sample_from_read || !operating || engine_error_now ||
      samples_left_q == '0;
  assign public_refuse     = public_from_read || !operating || engine_error_now ||
      written_q == 5'(WrittenWords);
  assign public_room       = operating && !public_from_read && written_q == '0;

  // ---- headers of frames: words of 4 bytes, the last one of 1 to 4 ----
  logic [7:0] header_left_q;
  header_piece_t header;
  logic framing;

  assign framing             = operating && framed_q && !engine_error_now;
  assign header_begin_refuse = !framing || header_left_q != '0 || access_write_data[7:0] == '0 ||
      access_write_data[31:8] != '0;
  assign header_refuse       = !framing || header_left_q == '0 || !header_ready;

  always_comb begin
    header = '{data: access_write_data, bytes: 3'd4, last: header_left_q <= 8'd4};
    if (header_left_q < 8'd4) header.bytes = header_left_q[2:0];
    for (int unsigned place = 0; place < 4; place++) begin
      if (place >= 32'(header.bytes)) header.data[8*place+:8] = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) header_left_q <= '0;
    else if (!framing) header_left_q <= '0;
    else if (header_begin) header_left_q <= access_write_data[7:0];
    else if (header_offered) header_left_q <= header_left_q - 8'(header.bytes);
  end

  // ---- samples taken: the last one has passed its check ----
  localparam int unsigned CheckCycles = 7;
  logic [2:0] settled_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      samples_left_q  <= '0;
      settled_q       <= '0;
      samples_taken_q <= 1'b0;
    end else if (accepted) begin
      samples_left_q  <= (is_bfv(command.opcode) ||
          (is_coefficients(command.opcode) && command.count == '0)) ?
          16'(command.primes) << command.log_degree :
          encrypts ? 16'(command.count) << ((Complex && command.complex_slots) ||
          (Precise && command.sample == SampleLong)) :
          (draws || command.opcode inside {OpDecrypt, OpDecode}) ? '0 :
          16'(Wide ? 2 : 1) << command.log_degree;
      settled_q       <= '0;
      samples_taken_q <= 1'b0;
    end else if (sample_valid && sample_ready) begin
      samples_left_q <= samples_left_q - 16'd1;
    end else if (samples_left_q == '0 && !engine_error_now && running_q) begin
      settled_q       <= settled_q + 3'(settled_q != 3'(CheckCycles));
      samples_taken_q <= settled_q == 3'(CheckCycles);
    end
  end

  // ---- packed residues ----
  // A transfer that software starts after an error would never end.
  logic writer_ready;

  isopod_dma_write u_write (
    .clk_i, .rst_ni, .abort_i(stop), .start_i(out_beats_valid && !engine_error_now),
    .address_i(out_address), .beats_i(access_write_data[18:0]), .busy_o(write_busy),
    .done_o(write_done), .left_o(out_left), .bus_error_o(write_bus_error), .beat_i(beat.data),
    .valid_i(beat_valid), .ready_o(writer_ready), .awaddr_o(m_awaddr_o), .awlen_o(m_awlen_o),
    .awvalid_o(m_awvalid_o), .awready_i(m_awready_i), .wdata_o(m_wdata_o), .wstrb_o(m_wstrb_o),
    .wlast_o(m_wlast_o), .wvalid_o(m_wvalid_o), .wready_i(m_wready_i), .bresp_i(m_bresp_i),
    .bvalid_i(m_bvalid_i), .bready_o(m_bready_o));

  assign beat_ready = writer_ready || out_high_valid;
  // A read must not wait for work that software itself still has to do.
  assign out_refuse = write_busy || !operating || engine_error_now ||
                      (!beat_valid &&
                      ((seeds_due && !seeds_q) || (streams_q && !public_from_read) ||
                      framed_q));

  isopod_engine #(
    .ModulusWidth(ModulusWidth), .Lanes(Lanes), .MaxLogN(MaxLogN), .Xof(Xof), .XofRounds(XofRounds),
    .TwiddleTables(TwiddleTables), .KeyWords(KeyWords), .Inverse(Inverse), .Tiled(Tiled),
    .Decrypt(Decrypt), .Decode(Decode), .Bfv(Bfv), .Complex(Complex), .Draw(Draw),
    .Coefficients(Coefficients), .Frame(Frame), .Precise(Precise),
    .DecodeLong(DecodeLong), .LongCosineFile(LongCosineFile),
    .MaskDepth(MaskDepth), .Factors(Factors), .SharedNoise(SharedNoise), .CosineFile(CosineFile)
  ) u_engine (
    .clk_i, .rst_ni, .command_i(command), .command_valid_i(accepted),
    .command_ready_o(command_ready), .mask_seed_i(mask_seed), .noise_key_i(noise_key),
    .seeds_valid_i(seeds_valid), .tag_key_i(tag_key), .frame_nonce_i(frame_nonce[2:0]),
    .frame_cut_i(frame_cut[17:0]), .frame_bare_i(bare), .frame_number_o(frame_number),
    .header_i(header),
    .header_valid_i(header_offered), .header_ready_o(header_ready), .header_room_o(header_room),
    .prime_write_i(prime_word_valid),
    .prime_address_i(word_index[8:0]), .prime_data_i(prime_word), .key_forget_i(key_forget),
    .key_write_i(key_write), .key_address_i(key_address), .key_data_i(key_word),
    .key_seal_i(key_seal), .key_shape_i(key_shape), .key_head_i(key_head),
    .key_valid_o(key_valid), .sample_i(sample), .sample_valid_i(sample_valid),
    .sample_ready_o(sample_ready), .public_i(public_word), .public_valid_i(public_valid),
    .public_ready_o(public_ready), .beat_o(beat), .beat_valid_o(beat_valid),
    .beat_ready_i(beat_ready), .busy_o(engine_busy), .done_o(engine_done), .error_o(engine_error),
    .error_prime_o(engine_error_prime), .clear_i(clear && !busy), .abort_i(abort),
    .bus_error_i(bus_error));

  assign status =
      32'({header_room && framing, key_valid, public_room, seeds_due, bus_error_q,
      engine_error_prime, engine_error,
      refused_q, beat_valid, samples_taken_q, busy});
  assign interrupt_set = 32'({write_done, samples_taken_q && !samples_seen_q, operation_end});
  assign interrupt_o   = (interrupt_state & interrupt_enable) != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) samples_seen_q <= 1'b0;
    else samples_seen_q <= samples_taken_q;
  end

  logic unused_signals;
  assign unused_signals =
      ^{control[31:5], register_command[30:19], register_encoding[31:30], register_encoding[23:21],
                            register_encoding[15:14], owner, key_id, out_low_valid, engine_done,
                            beat.last, written_ready, root_busy, key_lock[31:3], frame_cut[31:18],
                            frame_nonce[3], key_data_valid,
                            read_beat[63:KeyBits-1]};

  // doc/key_slot.md: roots stay until the end, and locks until reset.
  `ISOPOD_ASSERT(RootBeforeNoise, !(running_q && by_secret_q && seeds_valid) || rooted_q)
  `ISOPOD_ASSERT_NEXT(RootStays, rooted_q && running_q && !operation_end,
      $stable({mask_seed, noise_key}))
  `ISOPOD_ASSERT(DrawnFromRoot, !($rose(key_valid) && running_q && draws_q) || rooted_q)
  `ISOPOD_ASSERT(LockedKey, !(key_lock[0] && (key_begin || key_data_valid || prime_valid ||
      (accepted && draws))))
  `ISOPOD_ASSERT(LockedDecryption, !(accepted && locked_out))
  `ISOPOD_ASSERT_NEXT(LockedTagKey, key_lock[2] && !tag_key_clear, $stable(tag_key))
  `ISOPOD_ASSERT_NEXT(ForgottenTagKey, tag_key_clear, tag_key == '0)
  `ISOPOD_ASSERT_NEXT(LocksStay, key_lock != '0, (key_lock & $past(key_lock)) == $past(key_lock))
  `ISOPOD_ASSERT(TakenIsInRange, !(samples_taken_q && engine_error == ErrorOverflow))
  `ISOPOD_ASSERT(InterruptKnown, !$isunknown(interrupt_o))
  `ISOPOD_ASSERT(QuietTransfers, busy || !(m_arvalid_o || m_awvalid_o || m_wvalid_o))

endmodule
