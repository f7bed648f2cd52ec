// Transforms of an operation, one per step of a prime, and the product that leaves with each:
//
//                         transform             product
//   secret key, NTT(s)    0: m + e0             c0 = m + e0 - a s, s from the key slot
//   secret key, ternary   0: m + e0
//                         1: s, as factor       c0 = m + e0 - a s
//   public key            0: m + e0
//                         1: u, as factor       c0 = m + e0 + pk0 u
//                         2: e1                 c1 = e1 + pk1 u
//   forward               0: loaded words       as they are
//   inverse               0: loaded words, as factor   times 1/n
//   decrypt, NTT(s)       0: inverse of the loaded sums c0 + c1 s, as factor   times 1/n
//   decrypt, ternary      0: s, as factor, before the sums are loaded
//                         1: inverse of the sums, as factor   times 1/n
//   decode                as decrypt, without a product; the slots leave by their own
//   BFV                   as the encryptions, with m + e0 from loaded words
//   coefficients, secret  as decrypt, of the loaded products a s; behind 1/n joins m + e0
//   coefficients, public  0: u, as factor, before the products pk0 u are loaded
//                         1: inverse of these, as factor   times 1/n, c0 with m + e0
//                         2, 3: the same for pk1 u         c1 with e1
//   zeroise               0, 1 ..: zeros into the result and the factor buffers
//
// With several factor buffers NTT(s) of a prime stays in its own buffer (resident_i), and its step
// is left out. The last buffer also serves u, inverses and all further primes.
module isopod_transform_steps
  import isopod_pkg::*;
#(
  parameter int unsigned KeyWords = 0,   // 0: the secret key is ternary
  parameter bit SharedMultiplier = 1'b0, // products and transforms take turns
  parameter bit SharedNoise = 1'b0,      // one small polynomial at a time
  parameter bit Coefficients = 1'b0,     // frames of coefficients
  parameter int unsigned Factors = 1     // factor buffers
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  opcode_e opcode_i,
  input  logic [1:0] step_i,
  input  prime_index_t prime_i,
  input  logic resident_i,           // NTT(s) of the prime is in its buffer
  input  logic start_i,              // the transform of this step begins
  input  logic [1:0] small_done_i,   // small polynomials that have come in
  input  logic result_valid_i,
  input  logic result_final_i,
  output logic ready_o,              // its inputs are there; one cycle after step_i
  output logic last_o,               // step of the prime
  output transform_order_t order_o,
  output product_e product_o,
  output factor_buffer_t secret_buffer_o, // buffer of NTT(s)
  output logic product_start_o,
  output logic product_waits_o       // the product of this step has not begun
);

  source_e source;
  logic has_product, small_there, armed_q, bfv, coefficients;

  assign bfv          = is_bfv(opcode_i);
  assign coefficients = Coefficients && is_coefficients(opcode_i);

  always_comb begin
    source            = SourceWork;
    order_o.reduce    = 1'b0; // the sequencer knows
    order_o.reduced   = 1'b0;
    order_o.inverse   = 1'b0;
    order_o.to_factor = 1'b0;
    has_product       = 1'b1;
    last_o            = 1'b1;
    product_o         = ProductCopy;
    small_there       = 1'b1;
    unique case (opcode_i)
      OpEncryptSecret, OpBfvSecret: begin
        source      = bfv ? SourceWork : SourceMessage;
        small_there = bfv || small_done_i >= 2'd1;
        product_o   = (KeyWords > 0) ? ProductKey : ProductMask;
        if (!resident_i) begin
          has_product       = step_i == 2'd1;
          last_o            = step_i == 2'd1;
          order_o.to_factor = step_i == 2'd1;
          if (step_i == 2'd1) source = SourceSecret;
        end
      end
      OpEncryptPublic, OpBfvPublic: begin
        product_o         = ProductPublic;
        has_product       = step_i != 2'd0;
        last_o            = step_i == 2'd2;
        order_o.to_factor = step_i == 2'd1;
        small_there       = SharedNoise ? small_done_i != '0 : small_done_i > step_i;
        if (bfv && step_i == 2'd0) small_there = 1'b1;
        unique case (step_i)
          2'd0:    source = bfv ? SourceWork : SourceMessage;
          2'd1:    source = SourceTernary;
          default: source = SourceError1;
        endcase
      end
      OpInverse: begin
        product_o         = ProductScale;
        order_o.inverse   = 1'b1;
        order_o.to_factor = 1'b1;
      end
      OpDecrypt, OpDecode, OpCoefficientsSecret: begin
        product_o         = coefficients ? ProductCoefficients : ProductScale;
        last_o            = resident_i || step_i == 2'd1;
        has_product       = last_o && opcode_i != OpDecode;
        order_o.inverse   = last_o;
        order_o.to_factor = 1'b1;
        if (!last_o) source = SourceSecret;
      end
      OpCoefficientsPublic: if (Coefficients) begin
        product_o         = ProductCoefficients;
        last_o            = step_i == 2'd3;
        has_product       = step_i[0];
        order_o.inverse   = step_i[0];
        order_o.to_factor = 1'b1;
        if (!step_i[0]) source = SourceTernary;
        small_there       = step_i[0] || small_done_i != '0;
      end
      OpZeroise: begin
        has_product       = 1'b0;
        last_o            = step_i == 2'(Factors);
        order_o.to_factor = step_i != 2'd0;
      end
      default: ;
    endcase
  end

  localparam factor_buffer_t LastBuffer = factor_buffer_t'(Factors - 1);

  assign secret_buffer_o = (32'(prime_i) < Factors) ? factor_buffer_t'(prime_i) : LastBuffer;

  always_comb begin
    order_o.buffer = (source == SourceSecret) ? secret_buffer_o : LastBuffer;
    if (opcode_i == OpZeroise) order_o.buffer = factor_buffer_t'(step_i - 2'd1);
  end

  always_ff @(posedge clk_i) begin
    order_o.source <= source;
    ready_o        <= small_there;
  end

  // A product begins with the last stage, and reads in its order. It begins at the end instead if
  // the transform is an inverse, whose order differs, or if the stage needs its multiplier.
  assign product_waits_o = armed_q;
  assign product_start_o = armed_q &&
      ((order_o.inverse || SharedMultiplier) ? result_final_i : result_valid_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) armed_q <= 1'b0;
    else if (abort_i) armed_q <= 1'b0;
    else if (start_i) armed_q <= has_product;
    else if (product_start_o) armed_q <= 1'b0;
  end

endmodule
