// The keys of a frame's tags [XCHACHA03]: HChaCha20 of the device key once for each frame, then a
// block for each part, both by the core of isopod_randomness. The nonce is 12 bytes of software's,
// then the number of the frame, which begins at 1 after reset and never returns. A part adds its
// own number. So no key is made twice, whatever software does.
//
// The key of a part leaves in four beats, r and s. Every word of it is gone when it has left, the
// subkey when a frame begins; both two cycles after clear_i.
`include "isopod_assert.svh"

module isopod_one_time_key
  import isopod_pkg::*;
(
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          clear_i,
  input  logic [95:0]   nonce_i,      // stable from frame_i to the end
  input  logic          frame_i,      // pulse: a frame begins; not while exhausted_o
  output logic [31:0]   number_o,     // of that frame
  output logic          exhausted_o,  // no further frame before a reset
  input  logic          part_i,       // the next part's key, until its first beat
  output logic [63:0]   beat_o,
  output logic          valid_o,
  input  logic          ready_i,

  // isopod_randomness
  output logic          request_o,
  output logic          raw_o,
  output logic [255:0]  subkey_o,
  output logic [127:0]  input_o,
  input  logic          taken_i,
  input  logic [XofBits-1:0] word_i,
  input  logic          word_valid_i
);

  localparam int unsigned Words = XofBits / WordBits;
  localparam logic [3:0] Last = 4'(16 - Words);

  typedef enum logic [2:0] {
    StateIdle,
    StateSubkey,  // its block is requested, then comes
    StateWait,    // for a part
    StateKey,
    StateGive
  } state_e;

  state_e state_q;
  logic asked_q, turns_q, half_q, wipe_q;
  logic [3:0] place_q;       // of the next word
  logic [4:0] part_q;        // at most 16, then there is no further one
  logic [1:0] given_q;       // beats
  logic [7:0][31:0] subkey_q, key_q;
  logic comes, ends, takes_subkey, takes_key;

  assign request_o   = state_q inside {StateSubkey, StateKey} && !asked_q;
  assign raw_o       = state_q == StateSubkey;
  assign subkey_o    = subkey_q;
  assign input_o     = raw_o ? {number_o, nonce_i} : {59'd0, part_q, 64'd0};
  assign exhausted_o = &number_o;

  assign comes        = word_valid_i && asked_q;
  assign ends         = comes && place_q == Last;
  assign takes_subkey = comes && state_q == StateSubkey && (place_q[3:2] inside {2'd0, 2'd3});
  assign takes_key    = comes && state_q == StateKey && !place_q[3];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) number_o <= '0;
    else if (frame_i && !exhausted_o) number_o <= number_o + 32'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      {asked_q, place_q, part_q, given_q, turns_q} <= '0;
    end else if (clear_i || frame_i) begin
      state_q <= (frame_i && !clear_i && !exhausted_o) ? StateSubkey : StateIdle;
      {asked_q, place_q, part_q, given_q, turns_q} <= '0;
    end else begin
      if (request_o && taken_i) asked_q <= 1'b1;
      if (comes) place_q <= place_q + 4'(Words);
      turns_q <= valid_o && ready_i;
      unique case (state_q)
        StateSubkey: if (ends) {state_q, asked_q} <= {StateWait, 1'b0};
        StateWait:   if (part_i && !part_q[4]) state_q <= StateKey;
        StateKey:    if (ends) {state_q, asked_q} <= {StateGive, 1'b0};
        StateGive: begin
          if (valid_o && ready_i) given_q <= given_q + 2'd1;
          if (turns_q && given_q == 2'd0) begin
            state_q <= StateWait;
            part_q  <= part_q + 5'd1;
          end
        end
        default: ;
      endcase
    end
  end

  // The words of a beat leave one after the other, so that the register shifts by one word alone.
  assign beat_o  = key_q[1:0];
  assign valid_o = state_q == StateGive && !turns_q && !half_q;

  // Words are wiped out of a register, as in isopod_poly1305.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wipe_q <= 1'b1;
    else wipe_q <= clear_i || frame_i;
  end

  always_ff @(posedge clk_i) begin
    if (wipe_q) begin
      {subkey_q, key_q, half_q} <= '0;
    end else begin
      half_q <= turns_q;
      if (takes_subkey) subkey_q <= {word_i, subkey_q[7:Words]};
      if (takes_key) key_q <= {word_i, key_q[7:Words]};
      else if (turns_q || half_q) key_q <= {32'd0, key_q[7:1]};
    end
  end

  `ISOPOD_ASSERT(OneFrame, !(frame_i && exhausted_o))
  `ISOPOD_ASSERT_STREAM(Beats, valid_o, ready_i, beat_o, clear_i || frame_i)

endmodule
