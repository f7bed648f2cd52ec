// Frames the residues of an encryption (spec/wire.md, sections 1 and 2): of every part the header
// that software gives, the packed residues and the tag of both. Without a frame, beats pass as they
// are.
//
// Everything is a piece of 1 to 8 bytes: a word of the header, a beat of residues, the tag. A piece
// is turned to its place behind the bytes that wait, and joined with them; a beat leaves when it is
// full, to the output and into the tag. Padding, lengths and one-time key are pieces, too, that
// only the tag sees. A part ends with zeros up to a whole beat.
`include "isopod_assert.svh"

module isopod_framer
  import isopod_pkg::*;
#(
  parameter bit Cut = 1'b0,        // ends c0 within a beat
  parameter bit Tiled = 1'b0
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           abort_i,
  input  logic           active_i,      // headers are taken, and forgotten afterwards
  input  logic           start_i,       // a frame begins; its shape is stable to the end
  input  frame_shape_t   shape_i,
  input  logic           bare_i,        // gives up a frame of which nothing has left
  output logic           busy_o,
  output logic           ended_o,       // pulse: no further key is wanted

  input  header_piece_t  header_i,
  input  logic           header_valid_i,
  output logic           header_ready_o,
  output logic           header_room_o, // for a header of any length
  output logic           part_o,        // the key of a part is wanted, then four beats of it
  input  logic [63:0]    key_i,
  input  logic           key_valid_i,
  output logic           key_ready_o,
  input  packed_beat_t   residues_i,
  input  logic           residues_valid_i,
  output logic           residues_ready_o,

  output packed_beat_t   beat_o,        // the last one of a part, or of a polynomial, is marked
  output logic           beat_valid_o,
  input  logic           beat_ready_i
);

  localparam int unsigned HeaderWords = 256, HeaderRoom = 64, WaitingBeats = 4;
  localparam logic [63:0] TagHead = 64'h50; // CBOR: bytes, 16 of them

  typedef enum logic [3:0] {
    StateIdle,      // no frame
    StateMultiplier, // r of the part
    StateHeader,
    StateResidues,
    StatePartial,   // what waits, for the tag alone
    StateEven,      // to a whole block
    StateLength,
    StateLengthEnd,
    StateAddend,    // s of the part
    StateTagHead,
    StateTag,
    StateEnd        // to a whole beat
  } state_e;

  typedef struct packed {
    logic [63:0] data;      // zero behind its bytes
    logic [3:0]  bytes;
    logic        alone;     // not joined with the bytes that wait
    logic        keeps;     // these stay
    logic        to_tag;
    logic        to_output;
    logic        last;      // of what the tag covers, of a part or of a polynomial
  } piece_t;

  state_e state_q, state_d;
  logic second_q, second_d;      // of two pieces
  logic [4:0] parts_q;
  logic untouched_q;             // nothing of the frame has left
  logic [19:0] bytes_q;          // that the tag covers
  piece_t piece;
  logic stop;
  logic piece_valid, piece_ready, moves, advance;
  logic [2:0] fill_q;
  logic [3:0] fill_d;

  assign stop = abort_i || (bare_i && untouched_q);

  // ---- header ----
  header_piece_t stored, header_q;
  logic stored_valid, stored_ready, header_valid_q, header_ready;
  logic [8:0] held_q;

  logic header_free;

  assign header_ready_o = header_free && active_i;

  isopod_queue #(.Width($bits(header_piece_t)), .Depth(HeaderWords)) u_header (
    .clk_i, .rst_ni, .abort_i(abort_i || !active_i), .data_i(header_i),
    .valid_i(header_valid_i && active_i), .ready_o(header_free), .data_o(stored),
    .valid_o(stored_valid), .ready_i(stored_ready));

  // A word leaves the memory too late to be turned in the same cycle.
  assign stored_ready = !header_valid_q || header_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) header_valid_q <= 1'b0;
    else if (abort_i || !active_i) header_valid_q <= 1'b0;
    else if (stored_ready) header_valid_q <= stored_valid;
  end

  always_ff @(posedge clk_i) if (stored_ready) header_q <= stored;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= '0;
    else if (abort_i || !active_i) held_q <= '0;
    else held_q <= held_q + 9'(header_valid_i && header_ready_o) -
        9'(header_valid_q && header_ready);
  end

  assign header_room_o = held_q <= 9'(HeaderWords - HeaderRoom);

  // ---- residues, of which some wait here while the tag takes two beats of five cycles ----
  packed_beat_t residues;
  logic residues_valid, residues_ready;
  logic [2:0] held_beats_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_beats_q <= '0;
    else if (abort_i) held_beats_q <= '0;
    else held_beats_q <= held_beats_q + 3'(residues_valid_i && residues_ready_o) -
        3'(residues_valid && residues_ready);
  end

  isopod_queue #(.Width($bits(packed_beat_t)), .Depth(WaitingBeats)) u_residues (
    .clk_i, .rst_ni, .abort_i, .data_i(residues_i), .valid_i(residues_valid_i),
    .ready_o(residues_ready_o), .data_o(residues), .valid_o(residues_valid),
    .ready_i(residues_ready));

  // c0 may end within a beat, and the rest of it is dropped.
  logic [17:0] left_q;
  logic cuts, dropped, ends_residues;
  logic [3:0] residue_bytes;
  logic [63:0] residue_data;

  if (Cut) begin : gen_cut
    assign cuts          = state_q == StateResidues && shape_i.cut != '0 && !second_q;
    assign residue_bytes = (!cuts || left_q[17:3] != '0) ? 4'd8 : {1'b0, left_q[2:0]};

    always_comb begin
      residue_data = residues.data;
      for (int unsigned place = 0; place < 8; place++) begin
        if (place >= 32'(residue_bytes)) residue_data[8*place+:8] = '0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (state_q != StateResidues) left_q <= shape_i.cut;
      else if (cuts && residues_valid && residues_ready) left_q <= left_q - 18'(residue_bytes);
    end
  end else begin : gen_whole
    assign {cuts, left_q} = '0;
    assign residue_bytes  = 4'd8;
    assign residue_data   = residues.data;
    logic unused_cut;
    assign unused_cut = ^{left_q, shape_i.cut};
  end

  assign dropped       = cuts && residue_bytes == '0;
  assign ends_residues = residues.last && (second_q || !shape_i.pairs);

  // ---- pieces ----
  logic [127:0] tag;
  logic tag_valid, tag_ready, odd;

  assign odd = bytes_q[3] ^ (fill_q != '0);

  always_comb begin
    piece       = '{bytes: 4'd8, to_tag: 1'b1, default: '0};
    piece_valid = 1'b1;
    unique case (state_q)
      StateIdle: begin
        piece       = '{data: residues.data, bytes: 4'd8, to_output: 1'b1, last: residues.last,
                        default: '0};
        piece_valid = residues_valid;
      end
      StateMultiplier, StateAddend: begin
        piece.data  = key_i;
        piece.alone = 1'b1;
        piece_valid = key_valid_i;
      end
      StateHeader: begin
        piece.data      = 64'(header_q.data);
        piece.bytes     = 4'(header_q.bytes);
        piece.to_output = 1'b1;
        piece_valid     = header_valid_q;
      end
      StateResidues: begin
        piece.data      = residue_data;
        piece.bytes     = residue_bytes;
        piece.to_output = 1'b1;
        piece_valid     = residues_valid && !dropped;
      end
      StatePartial: begin
        piece.keeps = 1'b1;
        piece_valid = fill_q != '0;
      end
      StateEven: begin
        piece.alone = 1'b1;
        piece_valid = odd;
      end
      StateLength: begin
        piece.data  = 64'(bytes_q);
        piece.alone = 1'b1;
      end
      StateLengthEnd: {piece.alone, piece.last} = '1;
      StateTagHead: begin
        piece       = '{data: TagHead, bytes: 4'd1, to_output: 1'b1, default: '0};
        piece_valid = tag_valid;
      end
      StateTag: begin
        piece = '{data: second_q ? tag[127:64] : tag[63:0], bytes: 4'd8, to_output: 1'b1,
                  last: second_q && fill_q == '0, default: '0};
      end
      default: begin
        piece       = '{bytes: 4'd8 - 4'(fill_q), to_output: 1'b1, last: 1'b1, default: '0};
        piece_valid = fill_q != '0;
      end
    endcase
  end

  assign moves            = piece_valid && piece_ready;
  assign residues_ready = (state_q inside {StateIdle, StateResidues} && piece_ready) || dropped;
  assign header_ready     = state_q == StateHeader && piece_ready;
  assign key_ready_o      = state_q inside {StateMultiplier, StateAddend} && piece_ready;
  assign part_o           = state_q == StateMultiplier && !second_q;
  assign tag_ready        = state_q == StateTag && second_q && piece_ready;

  // ---- states ----
  always_comb begin
    state_d  = state_q;
    second_d = second_q;
    ended_o  = 1'b0;
    unique case (state_q)
      StateIdle: if (start_i) state_d = StateMultiplier;
      StateMultiplier, StateAddend, StateTag: begin
        if (moves) second_d = !second_q;
        if (moves && second_q) begin
          state_d = (state_q == StateMultiplier) ? StateHeader :
              (state_q == StateAddend) ? StateTagHead : StateEnd;
        end
      end
      StateHeader: if (moves && header_q.last) state_d = StateResidues;
      StateResidues: begin
        if (residues_valid && residues_ready && residues.last) begin
          second_d = !ends_residues;
          if (ends_residues) state_d = StatePartial;
        end
      end
      StatePartial:   if (piece_ready || !piece_valid) state_d = StateEven;
      StateEven:      if (piece_ready || !piece_valid) state_d = StateLength;
      StateLength:    if (piece_ready) state_d = StateLengthEnd;
      StateLengthEnd: if (piece_ready) state_d = StateAddend;
      StateTagHead:   if (moves) state_d = StateTag;
      StateEnd: begin
        if (piece_ready || !piece_valid) begin
          state_d = (parts_q == 5'd1) ? StateIdle : StateMultiplier;
          ended_o = parts_q == 5'd1;
        end
      end
      default: state_d = StateIdle;
    endcase
    if (stop) ended_o = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= StateIdle;
      second_q    <= 1'b0;
      parts_q     <= '0;
      untouched_q <= 1'b0;
    end else if (stop) begin
      state_q     <= StateIdle;
      second_q    <= 1'b0;
      parts_q     <= '0;
      untouched_q <= 1'b0;
    end else begin
      state_q     <= state_d;
      second_q    <= second_d;
      untouched_q <= start_i || (untouched_q && !(moves && state_q == StateHeader));
      if (start_i) parts_q <= shape_i.parts;
      else if (state_q == StateEnd && state_d != StateEnd) parts_q <= parts_q - 5'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StateMultiplier) bytes_q <= '0;
    else if (moves && state_q inside {StateHeader, StateResidues}) begin
      bytes_q <= bytes_q + 20'(piece.bytes);
    end
  end

  // ---- a piece turned to its place ----
  function automatic logic [63:0] turned(logic [63:0] value, logic [2:0] left);
    logic [63:0] coarse;
    unique case (left[2:1])
      2'd0: coarse = value;
      2'd1: coarse = {value[47:0], value[63:48]};
      2'd2: coarse = {value[31:0], value[63:32]};
      default: coarse = {value[15:0], value[63:16]};
    endcase
    return left[0] ? {coarse[55:0], coarse[63:56]} : coarse;
  endfunction

  logic [63:0] turned_q;
  logic [7:0] before_q;            // bytes of a beat that were there already
  piece_t turned_piece_q;
  logic turned_valid_q, full_q;

  assign piece_ready = advance;
  assign fill_d      = 4'(fill_q) + piece.bytes;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fill_q         <= '0;
      turned_valid_q <= 1'b0;
    end else if (stop) begin
      fill_q         <= '0;
      turned_valid_q <= 1'b0;
    end else if (advance) begin
      turned_valid_q <= piece_valid;
      if (piece_valid && !piece.alone && !piece.keeps) fill_q <= fill_d[2:0];
    end
  end

  // One-time keys pass here, too.
  always_ff @(posedge clk_i) begin
    if (stop || !rst_ni) turned_q <= '0;
    else if (advance && piece_valid) turned_q <= turned(piece.data, piece.alone ? '0 : fill_q);
    if (advance && piece_valid) begin
      before_q       <= piece.alone ? '0 : ~(8'hff << fill_q);
      full_q         <= fill_d[3] || piece.alone || piece.keeps;
      turned_piece_q <= piece;
    end
  end

  // ---- joined with the bytes that wait ----
  logic [63:0] waiting_q, joined, earlier;
  packed_beat_t beat_q;
  logic beat_full_q, for_tag_q, for_output_q, tag_takes, emits;

  always_comb begin
    for (int unsigned place = 0; place < 8; place++) earlier[8*place+:8] = {8{before_q[place]}};
  end

  assign joined  = (turned_piece_q.alone ? '0 : waiting_q) | (turned_q & ~earlier);
  assign emits   = turned_valid_q && full_q;
  assign advance = !beat_full_q || ((!for_tag_q || tag_takes) && (!for_output_q || beat_ready_i));

  always_ff @(posedge clk_i) begin
    if (stop || !rst_ni) waiting_q <= '0;
    else if (advance && turned_valid_q && !turned_piece_q.alone && !turned_piece_q.keeps) begin
      waiting_q <= full_q ? turned_q & earlier : waiting_q | turned_q;
    end
  end

  // A beat that one side has taken waits for the other.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {beat_full_q, for_tag_q, for_output_q} <= '0;
    else if (stop) {beat_full_q, for_tag_q, for_output_q} <= '0;
    else if (advance) begin
      beat_full_q  <= emits;
      for_tag_q    <= emits && turned_piece_q.to_tag;
      for_output_q <= emits && turned_piece_q.to_output;
    end else begin
      if (tag_takes) for_tag_q <= 1'b0;
      if (beat_ready_i) for_output_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (stop || !rst_ni) beat_q <= '0;
    else if (advance && emits) beat_q <= '{data: joined, last: turned_piece_q.last};
  end

  isopod_poly1305 #(.Tiled(Tiled)) u_tag (
    .clk_i, .rst_ni, .clear_i(stop), .beat_i(beat_q.data), .last_i(beat_q.last),
    .valid_i(for_tag_q), .ready_o(tag_takes), .tag_o(tag), .tag_valid_o(tag_valid),
    .tag_ready_i(tag_ready));

  assign beat_o       = beat_q;
  assign beat_valid_o = for_output_q;
  assign busy_o       = state_q != StateIdle || held_beats_q != '0 || turned_valid_q || beat_full_q;

  logic unused_piece;
  assign unused_piece = ^{turned_piece_q.data, turned_piece_q.bytes};

  `ISOPOD_ASSERT(HeaderBytes, !header_valid_i || header_i.bytes inside {[3'd1:3'd4]})
  `ISOPOD_ASSERT(StartsIdle, !(start_i && busy_o))
  `ISOPOD_ASSERT(PassesWhole, state_q != StateIdle || fill_q == '0)
  `ISOPOD_ASSERT_STREAM(Beats, beat_valid_o, beat_ready_i, beat_o, abort_i)

endmodule
