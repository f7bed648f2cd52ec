// Write port of the small polynomials. Three writers share it. The samplers write e0, u, e1 (public
// key), e0 alone, or the secret key of a draw. Software writes the ternary secret key while the
// engine is idle. The sweep of the zeroise command clears the polynomials and the key slot.
module isopod_small_writer
  import isopod_pkg::*;
#(
  parameter int unsigned MaxLogN = 12,
  parameter int unsigned KeyWords = 0,
  parameter bit SharedNoise = 1'b0, // a polynomial waits until the one before it was taken
  localparam int unsigned PointBits = MaxLogN - 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic restart_i,
  input  logic sweep_start_i,
  output logic sweep_busy_o,
  input  log_degree_t log_degree_i,
  input  logic public_i,
  input  logic draw_i,             // a secret key
  input  logic ternary_i,          // u alone
  input  logic taken_i,            // shared: the polynomial is not needed any more
  output logic [1:0] done_o,       // polynomials of the samplers that are complete, shared: there
  output logic drawn_o,            // a pair of a secret key is written

  input  small_pair_t pair_i,
  input  logic pair_valid_i,
  output logic pair_ready_o,
  input  logic secret_write_i,
  input  log_degree_t secret_log_degree_i,
  input  logic [PointBits-1:0] secret_index_i,
  input  logic [3:0] secret_i,

  output source_e field_o,
  output logic [PointBits-1:0] index_o,
  output small_pair_t pair_o,
  output log_degree_t log_degree_o,  // degree of the polynomial written
  output logic write_o,
  input  logic ready_i,
  output logic key_write_o,
  output logic [31:0] key_address_o
);

  // ---- sweep ----
  localparam int unsigned SlotAddressBits = (KeyWords > 1) ? $clog2(KeyWords) : 1;
  logic sweep_q, small_swept_q, key_swept_q;
  source_e sweep_field_q;
  logic [PointBits-1:0] sweep_index_q;
  logic [SlotAddressBits-1:0] key_index_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sweep_q       <= 1'b0;
      small_swept_q <= 1'b0;
      key_swept_q   <= 1'b0;
      sweep_field_q <= SourceMessage;
    end else if (abort_i) begin
      sweep_q <= 1'b0;
    end else if (!sweep_q) begin
      sweep_q       <= sweep_start_i;
      small_swept_q <= 1'b0;
      key_swept_q   <= KeyWords == 0;
      sweep_field_q <= SourceMessage;
    end else begin
      if (!small_swept_q && ready_i) begin
        if (&sweep_index_q) begin
          small_swept_q <= sweep_field_q == SourceSecret;
          unique case (sweep_field_q)
            SourceMessage: sweep_field_q <= SourceError1;
            SourceError1:  sweep_field_q <= SourceTernary;
            default:       sweep_field_q <= SourceSecret;
          endcase
        end
      end
      if (!key_swept_q) key_swept_q <= 32'(key_index_q) + 1 >= KeyWords;
      if (small_swept_q && key_swept_q) sweep_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!sweep_q) sweep_index_q <= '0;
    else if (ready_i) sweep_index_q <= sweep_index_q + 1'b1;
    if (!sweep_q) key_index_q <= '0;
    else key_index_q <= key_index_q + 1'b1;
  end

  assign sweep_busy_o  = sweep_q || sweep_start_i;
  assign key_write_o   = sweep_q && !key_swept_q;
  assign key_address_o = 32'(key_index_q);

  // ---- a pair of the secret key, kept until it is written ----
  logic secret_q;
  logic [PointBits-1:0] secret_index_q;
  log_degree_t secret_log_degree_q;
  logic [3:0] secret_pair_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      secret_q       <= 1'b0;
      secret_index_q <= '0;
      secret_pair_q  <= '0;
      secret_log_degree_q <= '0;
    end else if (secret_write_i) begin
      secret_q       <= 1'b1;
      secret_index_q <= secret_index_i;
      secret_pair_q  <= secret_i;
      secret_log_degree_q <= secret_log_degree_i;
    end else if (ready_i) begin
      secret_q <= 1'b0;
    end
  end

  logic [1:0] done_q;
  logic [PointBits-1:0] index_q;
  logic [PointBits-1:0] last_index_q;
  logic last, full_q;

  assign last = index_q == last_index_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned position = 0; position < PointBits; position++) begin
      last_index_q[position] <= position + 1 < 32'(log_degree_i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_q <= '0;
    else if (abort_i || restart_i) done_q <= '0;
    else if (pair_valid_i && pair_ready_o && last) done_q <= done_q + 2'd1;
  end

  always_ff @(posedge clk_i) begin
    if (restart_i || (pair_valid_i && pair_ready_o && last)) index_q <= '0;
    else if (pair_valid_i && pair_ready_o) index_q <= index_q + 1'b1;
  end

  if (SharedNoise) begin : gen_shared
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) full_q <= 1'b0;
      else if (abort_i || restart_i || taken_i) full_q <= 1'b0;
      else if (pair_valid_i && pair_ready_o && last) full_q <= 1'b1;
    end
    assign done_o = {1'b0, full_q};
  end else begin : gen_apart
    logic unused_taken;
    assign unused_taken = taken_i;
    assign full_q = 1'b0;
    assign done_o = done_q;
  end

  assign pair_ready_o = ready_i && !sweep_q && !secret_q && !full_q;
  assign drawn_o      = draw_i && pair_valid_i && pair_ready_o;

  always_comb begin
    field_o = (done_q == 2'd0) ? SourceMessage : (public_i && done_q == 2'd1) ? SourceTernary :
        SourceError1;
    if (ternary_i) field_o = SourceTernary;
    if (draw_i) field_o = SourceSecret;
    index_o = index_q;
    pair_o  = pair_i;
    write_o = pair_valid_i && !full_q;
    log_degree_o = log_degree_i;
    if (sweep_q) begin
      field_o = sweep_field_q;
      index_o = sweep_index_q;
      pair_o  = '0;
      write_o = !small_swept_q;
    end else if (secret_q) begin
      field_o = SourceSecret;
      index_o = secret_index_q;
      pair_o  =
          '{odd: {{4{secret_pair_q[3]}}, secret_pair_q[3:2]},
          even: {{4{secret_pair_q[1]}}, secret_pair_q[1:0]}};
      write_o = 1'b1;
      log_degree_o = secret_log_degree_q;
    end
  end

endmodule
