// Assembles words of keys and descriptors from register writes of 32 bits. A wide word takes two
// writes to the same place, the low half first. A write to another place begins a new word.
module isopod_written_word
  import isopod_pkg::*;
#(
  parameter int unsigned PlaceBits = 9
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i, // the next write is a low half
  input  logic                 valid_i,
  input  logic [PlaceBits-1:0] place_i,
  input  word_t                data_i,
  output logic                 valid_o, // the word is valid, in the cycle of its last write
  output key_word_t            word_o
);

  if (Wide) begin : gen_wide
    logic held_q;
    logic [PlaceBits-1:0] place_q;
    word_t low_q;

    assign valid_o = valid_i && held_q && place_q == place_i;
    assign word_o  = {data_i, low_q};

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) held_q <= 1'b0;
      else if (clear_i) held_q <= 1'b0;
      else if (valid_i) held_q <= !valid_o;
    end

    always_ff @(posedge clk_i) begin
      if (valid_i) {place_q, low_q} <= {place_i, data_i};
    end
  end else begin : gen_narrow
    logic unused_inputs;

    assign valid_o       = valid_i;
    assign word_o        = data_i;
    assign unused_inputs = ^{clk_i, rst_ni, clear_i, place_i};
  end

endmodule
