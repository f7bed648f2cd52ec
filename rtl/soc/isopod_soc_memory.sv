// Memory of the system simulation, with a port of its own for instructions, data and transfers:
// they never wait for one another. latency_i = 0: an access is served in the next cycle.
// Otherwise, like DRAM behind a bus without caches, each access of the core, and each burst of
// transfers up to its first beat, takes so many cycles more and the next one starts after it.
// Bursts beyond the end of the memory end in an error.
module isopod_soc_memory #(
  parameter int unsigned Bytes = 32'h0200_0000 // a power of two
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [7:0] latency_i,

  // instructions and data of the core
  input  logic [1:0] request_i,
  output logic [1:0] grant_o,
  input  logic [1:0][31:0] address_i,
  input  logic [1:0] write_i,
  input  logic [1:0][3:0] enable_i,
  input  logic [1:0][31:0] write_data_i,
  output logic [1:0] valid_o,
  output logic [1:0][31:0] read_data_o,

  // transfers
  input  logic [31:0] araddr_i,
  input  logic [7:0] arlen_i,
  input  logic arvalid_i,
  output logic arready_o,
  output logic [63:0] rdata_o,
  output logic [1:0] rresp_o,
  output logic rlast_o,
  output logic rvalid_o,
  input  logic rready_i,
  input  logic [31:0] awaddr_i,
  input  logic [7:0] awlen_i,
  input  logic awvalid_i,
  output logic awready_o,
  input  logic [63:0] wdata_i,
  input  logic [7:0] wstrb_i,
  input  logic wlast_i,
  input  logic wvalid_i,
  output logic wready_o,
  output logic [1:0] bresp_o,
  output logic bvalid_o,
  input  logic bready_i
);

  localparam int unsigned WordBits = $clog2(Bytes) - 3;

  logic [63:0] memory[Bytes / 8] /* verilator public_flat_rw */;

  // ---- core ----
  for (genvar port = 0; port < 2; port++) begin : gen_port
    logic [7:0] left_q;
    logic waiting_q, high_q;
    logic [63:0] word_q;
    logic [WordBits-1:0] word;

    assign word              = address_i[port][WordBits+2:3];
    assign grant_o[port]     = !waiting_q || (left_q == '0);
    assign valid_o[port]     = waiting_q && left_q == '0;
    assign read_data_o[port] = high_q ? word_q[63:32] : word_q[31:0];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        waiting_q <= 1'b0;
        left_q    <= '0;
      end else if (request_i[port] && grant_o[port]) begin
        waiting_q <= 1'b1;
        left_q    <= latency_i;
      end else if (left_q != '0) begin
        left_q <= left_q - 8'd1;
      end else begin
        waiting_q <= 1'b0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (request_i[port] && grant_o[port]) begin
        word_q <= memory[word];
        high_q <= address_i[port][2];
        for (int unsigned lane = 0; lane < 4; lane++) begin
          if (write_i[port] && enable_i[port][lane]) begin
            if (address_i[port][2]) begin
              memory[word][32 + 8 * lane +: 8] <= write_data_i[port][8 * lane +: 8];
            end else begin
              memory[word][8 * lane +: 8] <= write_data_i[port][8 * lane +: 8];
            end
          end
        end
      end
    end
  end

  // ---- transfers: reads ----
  logic [28:0] read_q;
  logic [8:0] read_left_q;
  logic [7:0] read_wait_q;

  assign arready_o = read_left_q == '0 || (read_left_q == 9'd1 && rvalid_o && rready_i);
  assign rvalid_o  = read_left_q != '0 && read_wait_q == '0;
  assign rdata_o   = memory[read_q[WordBits-1:0]];
  assign rresp_o   = {|read_q[28:WordBits], 1'b0};
  assign rlast_o   = read_left_q == 9'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_left_q <= '0;
      read_wait_q <= '0;
      read_q      <= '0;
    end else begin
      if (read_wait_q != '0) read_wait_q <= read_wait_q - 8'd1;
      if (rvalid_o && rready_i) begin
        read_left_q <= read_left_q - 9'd1;
        read_q      <= read_q + 29'd1;
      end
      if (arvalid_i && arready_o) begin
        read_left_q <= 9'(arlen_i) + 9'd1;
        read_wait_q <= latency_i;
        read_q      <= araddr_i[31:3];
      end
    end
  end

  // ---- transfers: writes ----
  logic [28:0] write_q;
  logic write_open_q;
  logic [7:0] write_wait_q;

  assign awready_o = !write_open_q && !bvalid_o;
  assign wready_o  = write_open_q && write_wait_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_open_q <= 1'b0;
      write_wait_q <= '0;
      write_q      <= '0;
      bvalid_o     <= 1'b0;
      bresp_o      <= '0;
    end else begin
      if (bready_i) bvalid_o <= 1'b0;
      if (write_wait_q != '0) write_wait_q <= write_wait_q - 8'd1;
      if (awvalid_i && awready_o) begin
        write_open_q <= 1'b1;
        write_wait_q <= latency_i;
        write_q      <= awaddr_i[31:3];
      end
      if (wvalid_i && wready_o) begin
        write_q <= write_q + 29'd1;
        if (wlast_i) begin
          write_open_q <= 1'b0;
          bvalid_o     <= 1'b1;
          bresp_o      <= {|write_q[28:WordBits], 1'b0};
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned lane = 0; lane < 8; lane++) begin
      if (wvalid_i && wready_o && wstrb_i[lane] && write_q[28:WordBits] == '0) begin
        memory[write_q[WordBits-1:0]][8 * lane +: 8] <= wdata_i[8 * lane +: 8];
      end
    end
  end

  logic unused_lengths;
  assign unused_lengths = ^awlen_i;

endmodule
