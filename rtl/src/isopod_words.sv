// Loads n residues in index order into the work banks, for transforms on their own. One that is not below q is an overflow.
module isopod_words
  import isopod_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  localparam int unsigned BankBits = $clog2(2 * Lanes),
  localparam int unsigned Banks = 2 * Lanes,
  localparam int unsigned AddressBits = MaxLogN - BankBits
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic start_i,
  input  log_degree_t log_degree_i,
  input  residue_t modulus_i,
  output logic busy_o,
  output logic overflow_o,
  input  logic [31:0] word_i,
  input  logic word_valid_i,
  output logic word_ready_o,
  output logic word_taken_o,             // the word is in word_i, the write follows one cycle later
  output logic [Banks-1:0] write_o,
  output logic [AddressBits-1:0] address_o
);

  logic active_q;
  logic [MaxLogN-1:0] index_q, last_index;
  logic [BankBits-1:0] bank;

  always_comb begin
    bank = '0;
    for (int unsigned position = 0; position < MaxLogN; position++) begin
      last_index[position] = position < 32'(log_degree_i);
      bank[bit_class(position, BankBits)] ^= index_q[position];
    end
  end

  assign busy_o       = active_q || write_o != '0;
  assign word_taken_o = active_q && word_valid_i;
  assign word_ready_o = active_q;
  assign overflow_o   = active_q && word_valid_i && word_i >= 32'(modulus_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      index_q  <= '0;
    end else if (abort_i) begin
      active_q <= 1'b0;
    end else if (!active_q) begin
      active_q <= start_i;
      index_q  <= '0;
    end else if (word_valid_i) begin
      active_q <= index_q != last_index;
      index_q  <= index_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) write_o <= '0;
    else write_o <= (word_taken_o && !abort_i) ? Banks'(1) << bank : '0;
  end

  always_ff @(posedge clk_i) address_o <= index_q[MaxLogN-1:BankBits];

endmodule
