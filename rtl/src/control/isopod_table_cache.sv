// Keeps the owners of the resident twiddle tables. Each of the first Tables - 1 primes has a table
// of its own; all others share the last one. A table is stale once its prime's modulus or the
// degree changes.
module isopod_table_cache
  import isopod_pkg::*;
#(
  parameter int unsigned Tables = 1,
  localparam int unsigned TableBits = (Tables == 1) ? 1 : $clog2(Tables)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  prime_index_t prime_i,
  input  log_degree_t log_degree_i,
  input  logic begin_i,                // the table is being built
  input  logic built_i,
  input  writes_t writes_i,
  output logic [TableBits-1:0] table_o,
  output logic fresh_o                 // one cycle after prime and degree
);

  typedef struct packed {
    logic valid;
    prime_index_t prime;
    log_degree_t log_degree;
  } table_t;

  table_t [Tables-1:0] tables_q;
  table_t wanted;

  assign table_o = (32'(prime_i) >= Tables) ? TableBits'(Tables - 1) : TableBits'(prime_i);
  assign wanted  = '{valid: 1'b1, prime: prime_i, log_degree: log_degree_i};

  always_ff @(posedge clk_i) fresh_o <= tables_q[table_o] == wanted;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tables_q <= '0;
    end else begin
      for (int unsigned index = 0; index < Tables; index++) begin
        if (table_o == TableBits'(index) && begin_i) tables_q[index].valid <= 1'b0;
        if (table_o == TableBits'(index) && built_i) tables_q[index] <= wanted;
        if (writes_i.prime_valid && writes_i.prime == tables_q[index].prime) begin
          tables_q[index].valid <= 1'b0;
        end
      end
    end
  end

endmodule
