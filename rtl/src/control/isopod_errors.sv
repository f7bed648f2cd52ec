// Keeps the first error until the clear pulse, and sends the abort that stops every module one
// cycle after its cause. The abort never stops a sweep of memories. If several causes come in the
// same cycle, the last one in the list below counts.
module isopod_errors
  import isopod_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  input  logic running_i,
  input  logic sweeping_i,         // memories are being cleared, which nothing stops
  input  control_t control_i,
  input  writes_t writes_i,
  input  error_e check_i,          // error of the command or of the modulus of prime_i
  input  prime_index_t prime_i,
  input  logic overflow_i,
  output error_t error_o,
  output logic abort_o
);

  error_e cause;

  always_comb begin
    cause = check_i;
    if (overflow_i) cause = ErrorOverflow;
    if (writes_i.key_beyond) cause = ErrorKey;
    if (running_i && (writes_i.prime_valid || writes_i.key_valid)) cause = ErrorOrder;
    if (running_i && control_i.bus_error) cause = ErrorBus;
    if (running_i && control_i.stop) cause = ErrorAbort;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_o <= '{code: ErrorNone, prime: '0};
      abort_o <= 1'b0;
    end else begin
      if (control_i.clear && !running_i) error_o <= '{code: ErrorNone, prime: '0};
      if (cause != ErrorNone && error_o.code == ErrorNone) begin
        error_o.code  <= cause;
        error_o.prime <= (check_i == ErrorModulus) ? prime_i : '0;
      end
      abort_o <= cause != ErrorNone && running_i && !sweeping_i && !abort_o;
    end
  end

endmodule
