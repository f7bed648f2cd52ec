// One round of Keccak-f[1600], FIPS 202 section 3: lane x, y of the state is word x + 5 y.
// Combinational.
module isopod_keccak_round (
  input  logic [24:0][63:0] state_i,
  input  logic [4:0]        round_i,
  output logic [24:0][63:0] state_o
);

  function automatic logic [63:0] rotated(logic [63:0] lane, int unsigned left);
    return left == 0 ? lane : (lane << left | lane >> (64 - left));
  endfunction

  // The rotations of FIPS 202 table 2 modulo 64, by x + 5 y.
  function automatic int unsigned offset(int unsigned place);
    unique case (place)
      0: return 0;
      1: return 1;
      2: return 62;
      3: return 28;
      4: return 27;
      5: return 36;
      6: return 44;
      7: return 6;
      8: return 55;
      9: return 20;
      10: return 3;
      11: return 10;
      12: return 43;
      13: return 25;
      14: return 39;
      15: return 41;
      16: return 45;
      17: return 15;
      18: return 21;
      19: return 8;
      20: return 18;
      21: return 2;
      22: return 61;
      23: return 56;
      default: return 14;
    endcase
  endfunction

  // Bits 63, 31, 15, 7, 3, 1, 0 of the round constants; all others are zero.
  function automatic logic [6:0] constant_bits(logic [4:0] round);
    unique case (round)
      5'd0: return 7'b0000001;
      5'd1: return 7'b0011010;
      5'd2: return 7'b1011110;
      5'd3: return 7'b1110000;
      5'd4: return 7'b0011111;
      5'd5: return 7'b0100001;
      5'd6: return 7'b1111001;
      5'd7: return 7'b1010101;
      5'd8: return 7'b0001110;
      5'd9: return 7'b0001100;
      5'd10: return 7'b0110101;
      5'd11: return 7'b0100110;
      5'd12: return 7'b0111111;
      5'd13: return 7'b1001111;
      5'd14: return 7'b1011101;
      5'd15: return 7'b1010011;
      5'd16: return 7'b1010010;
      5'd17: return 7'b1001000;
      5'd18: return 7'b0010110;
      5'd19: return 7'b1100110;
      5'd20: return 7'b1111001;
      5'd21: return 7'b1011000;
      5'd22: return 7'b0100001;
      5'd23: return 7'b1110100;
      default: return '0;
    endcase
  endfunction

  logic [4:0][63:0] parity, effect;
  logic [24:0][63:0] moved;
  logic [6:0] bits;

  assign bits = constant_bits(round_i);

  for (genvar x = 0; x < 5; x++) begin : gen_theta
    assign parity[x] = state_i[x] ^ state_i[x+5] ^ state_i[x+10] ^ state_i[x+15] ^ state_i[x+20];
    assign effect[x] = parity[(x+4)%5] ^ rotated(parity[(x+1)%5], 1);
  end

  for (genvar y = 0; y < 5; y++) begin : gen_rho_pi
    for (genvar x = 0; x < 5; x++) begin : gen_lane
      assign moved[y + 5*((2*x+3*y)%5)] = rotated(state_i[x+5*y] ^ effect[x], offset(x + 5*y));
    end
  end

  for (genvar i = 0; i < 25; i++) begin : gen_chi
    localparam int unsigned Row = 5 * (i / 5);
    logic [63:0] lane;
    assign lane = moved[i] ^ (~moved[Row+(i+1)%5] & moved[Row+(i+2)%5]);
    if (i == 0) begin : gen_iota
      assign state_o[0] = lane ^
          {bits[6], 31'd0, bits[5], 15'd0, bits[4], 7'd0, bits[3], 3'd0, bits[2], 1'b0, bits[1:0]};
    end else begin : gen_plain
      assign state_o[i] = lane;
    end
  end

endmodule
