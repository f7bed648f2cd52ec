// A first-in-first-out queue for Depth beats and one more at the output. A beat can leave two
// cycles after it came, then one beat leaves per cycle.
`include "isopod_assert.svh"

module isopod_queue #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 32 // power of two
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             abort_i,
  input  logic [Width-1:0] data_i,
  input  logic             valid_i,
  output logic             ready_o,
  output logic [Width-1:0] data_o,
  output logic             valid_o,
  input  logic             ready_i
);

  localparam int unsigned AddressBits = $clog2(Depth);

  logic [AddressBits-1:0] written_q, read_q;
  logic [AddressBits:0] held_q, held_d; // without the one at the output
  logic fetch, put;

  assign put     = valid_i && ready_o;
  assign fetch   = held_q != '0 && (!valid_o || ready_i);
  assign held_d  = held_q + (AddressBits + 1)'(put) - (AddressBits + 1)'(fetch);

  isopod_ram #(.Width(Width), .Depth(Depth)) u_ram (
    .clk_i, .read_i(fetch), .read_address_i(read_q), .read_data_o(data_o),
    .write_i(put), .write_address_i(written_q), .write_data_i(data_i));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= '0;
      read_q    <= '0;
      held_q    <= '0;
      ready_o   <= 1'b1;
      valid_o   <= 1'b0;
    end else if (abort_i) begin
      written_q <= '0;
      read_q    <= '0;
      held_q    <= '0;
      ready_o   <= 1'b1;
      valid_o   <= 1'b0;
    end else begin
      if (put) written_q <= written_q + 1'b1;
      if (fetch) read_q <= read_q + 1'b1;
      held_q  <= held_d;
      ready_o <= held_d != (AddressBits + 1)'(Depth);
      valid_o <= fetch || (valid_o && !ready_i);
    end
  end

  `ISOPOD_ASSERT_INIT(PowerOfTwo, Depth == 2 ** AddressBits)
  `ISOPOD_ASSERT_STREAM(Stream, valid_o, ready_i, data_o, abort_i)

endmodule
