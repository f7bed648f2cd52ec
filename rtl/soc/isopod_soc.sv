// The system of the simulation: a CV32E40P core, memory, the engine with its transfers, and a host
// device for console, files and exit. Not for synthesis.
//
//   0x0000_0000  memory, 32 MiB
//   0x1000_0000  host: operation, argument (starts it), result; 0x10: cycles since reset, 64 bits
//   0x2000_0000  registers of the engine; its interrupt is fast interrupt 16 of the core
module isopod_soc #(
  parameter int unsigned Lanes = 4,
  parameter int unsigned MaxLogN = 12,
  parameter int unsigned Xof = 0,
  parameter int unsigned XofRounds = 1,
  parameter int unsigned TwiddleTables = 3,
  parameter int unsigned KeyWords = 12288,
  parameter int unsigned ModulusWidth = 32,
  parameter bit Decode = 1'b0, // such an engine decrypts, too
  parameter bit Bfv = 1'b0,
  parameter bit Complex = 1'b0,
  parameter bit Coefficients = 1'b0,
  parameter bit Draw = 1'b0,
  parameter bit Frame = 1'b0,
  parameter bit Tiled = 1'b0,
  parameter int unsigned MaskDepth = 1024,
  parameter int unsigned Factors = 1,
  parameter bit SharedNoise = 1'b0,
  // 0: the core alone, whose accesses to the engine are never served
  parameter bit Engine = 1'b1,
  parameter CosineFile = "cosine_12.hex"
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [7:0] latency_i,
  output logic host_valid_o,        // for one cycle
  output logic [31:0] host_operation_o,
  output logic [31:0] host_argument_o,
  input  logic [31:0] host_result_i
);

  localparam logic [31:0] BootAddress = 32'h0000_0000;

  typedef enum logic [1:0] {TargetMemory, TargetHost, TargetEngine} target_e;

  logic instruction_request, instruction_grant, instruction_valid;
  logic [31:0] instruction_address, instruction;
  logic data_request, data_grant, data_valid, data_write;
  logic [3:0] data_enable;
  logic [31:0] data_address, data_write_data, data_read;
  logic interrupt;
  logic [4:0] unused_id;
  logic unused_ack, unused_reset, unused_running, unused_halted, unused_sleep;
  // The port for a floating-point unit, of which there is none.
  logic unused_apu_busy, unused_apu_request;
  logic [2:0][31:0] unused_apu_operands;
  logic [5:0] unused_apu_operation;
  logic [14:0] unused_apu_flags;

  cv32e40p_core #(.COREV_PULP(0), .FPU(0)) u_core (
    .clk_i, .rst_ni, .pulp_clock_en_i(1'b1), .scan_cg_en_i(1'b0),
    .boot_addr_i(BootAddress), .mtvec_addr_i(BootAddress), .dm_halt_addr_i('0), .hart_id_i('0),
    .dm_exception_addr_i('0), .instr_req_o(instruction_request), .instr_gnt_i(instruction_grant),
    .instr_rvalid_i(instruction_valid), .instr_addr_o(instruction_address),
    .instr_rdata_i(instruction), .data_req_o(data_request), .data_gnt_i(data_grant),
    .data_rvalid_i(data_valid), .data_we_o(data_write), .data_be_o(data_enable),
    .data_addr_o(data_address), .data_wdata_o(data_write_data), .data_rdata_i(data_read),
    .apu_busy_o(unused_apu_busy), .apu_req_o(unused_apu_request), .apu_gnt_i(1'b0),
    .apu_operands_o(unused_apu_operands), .apu_op_o(unused_apu_operation),
    .apu_flags_o(unused_apu_flags), .apu_rvalid_i(1'b0), .apu_result_i('0), .apu_flags_i('0),
    .irq_i({15'd0, interrupt, 16'd0}), .irq_ack_o(unused_ack), .irq_id_o(unused_id),
    .debug_req_i(1'b0), .debug_havereset_o(unused_reset), .debug_running_o(unused_running),
    .debug_halted_o(unused_halted), .fetch_enable_i(1'b1), .core_sleep_o(unused_sleep));

  // ---- data: memory serves by itself, a device one access at a time ----
  target_e target;
  logic memory_grant, memory_valid, memory_open_q, device_q, device_done, access_device;
  logic [31:0] memory_read, device_read;

  always_comb begin
    unique case (data_address[31:28])
      4'h1:    target = TargetHost;
      4'h2:    target = TargetEngine;
      default: target = TargetMemory;
    endcase
  end

  // An access of one kind begins when none of the other is open: responses keep their order.
  assign data_grant    = target == TargetMemory ? memory_grant && !device_q : !device_q &&
      (!memory_open_q || memory_valid);
  assign access_device = data_request && data_grant && target != TargetMemory;
  assign data_valid    = memory_valid || device_done;
  assign data_read     = device_done ? device_read : memory_read;

  target_e device_target_q;
  logic device_write_q;
  logic [3:0] device_enable_q;
  logic [11:0] device_address_q;
  logic [31:0] device_data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      memory_open_q   <= 1'b0;
      device_q        <= 1'b0;
      device_target_q <= TargetMemory;
      device_write_q  <= 1'b0;
      device_enable_q <= '0;
      device_address_q <= '0;
      device_data_q   <= '0;
    end else begin
      memory_open_q <= (data_request && data_grant && target == TargetMemory) ||
          (memory_open_q && !memory_valid);
      device_q      <= access_device || (device_q && !device_done);
      if (access_device) begin
        device_target_q  <= target;
        device_write_q   <= data_write;
        device_enable_q  <= data_enable;
        device_address_q <= data_address[11:0];
        device_data_q    <= data_write_data;
      end
    end
  end

  // ---- host ----
  logic [63:0] cycles_q;
  logic host_done, host_now;
  logic [31:0] host_read, operation_q;

  assign host_now         = device_q && device_target_q == TargetHost;
  assign host_done        = host_now;
  assign host_valid_o     = host_now && device_write_q && device_address_q == 12'h004;
  assign host_operation_o = operation_q;
  assign host_argument_o  = device_data_q;

  always_comb begin
    unique case (device_address_q)
      12'h010: host_read = cycles_q[31:0];
      12'h014: host_read = cycles_q[63:32];
      default: host_read = host_result_i;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycles_q    <= '0;
      operation_q <= '0;
    end else begin
      cycles_q <= cycles_q + 64'd1;
      if (host_now && device_write_q && device_address_q == 12'h000) operation_q <= device_data_q;
    end
  end

  // ---- engine ----
  logic engine_now, sent_q, awready, wready, bvalid, arready, rvalid;
  logic address_sent_q, data_sent_q;
  logic [31:0] engine_read;
  logic [1:0] bresp, rresp;

  assign engine_now  = device_q && device_target_q == TargetEngine;
  assign device_done = host_done || (engine_now && (bvalid || rvalid));
  assign device_read = host_done ? host_read : engine_read;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sent_q         <= 1'b0;
      address_sent_q <= 1'b0;
      data_sent_q    <= 1'b0;
    end else begin
      sent_q         <= engine_now && !device_done && (sent_q || arready);
      address_sent_q <= engine_now && !device_done && (address_sent_q || awready);
      data_sent_q    <= engine_now && !device_done && (data_sent_q || wready);
    end
  end

  logic [31:0] araddr, awaddr;
  logic [7:0] arlen, awlen, wstrb;
  logic arvalid_m, arready_m, rlast_m, rvalid_m, rready_m, awvalid_m, awready_m, wlast_m, wvalid_m;
  logic wready_m, bvalid_m, bready_m;
  logic [63:0] rdata_m, wdata_m;
  logic [1:0] rresp_m, bresp_m;
  logic unused_entropy; // there is no source: what software writes counts alone

  if (Engine) begin : gen_engine
    isopod_system #(
      .ModulusWidth(ModulusWidth), .Lanes(Lanes), .MaxLogN(MaxLogN), .Xof(Xof),
      .XofRounds(XofRounds), .TwiddleTables(TwiddleTables), .KeyWords(KeyWords), .Decrypt(Decode),
      .Decode(Decode), .Bfv(Bfv), .Complex(Complex), .Draw(Draw),
      .Coefficients(Coefficients), .Frame(Frame), .Tiled(Tiled),
      .MaskDepth(MaskDepth), .Factors(Factors), .SharedNoise(SharedNoise), .CosineFile(CosineFile)
    ) u_system (
      .clk_i, .rst_ni, .interrupt_o(interrupt), .entropy_i('0), .entropy_valid_i(1'b1),
      .entropy_ready_o(unused_entropy),
      .s_awaddr_i(device_address_q), .s_awvalid_i(engine_now && device_write_q && !address_sent_q),
      .s_awready_o(awready), .s_wdata_i(device_data_q), .s_wstrb_i(device_enable_q),
      .s_wvalid_i(engine_now && device_write_q && !data_sent_q), .s_wready_o(wready),
      .s_bresp_o(bresp), .s_bvalid_o(bvalid), .s_bready_i(1'b1), .s_araddr_i(device_address_q),
      .s_arvalid_i(engine_now && !device_write_q && !sent_q), .s_arready_o(arready),
      .s_rdata_o(engine_read), .s_rresp_o(rresp), .s_rvalid_o(rvalid), .s_rready_i(1'b1),
      .m_araddr_o(araddr), .m_arlen_o(arlen), .m_arvalid_o(arvalid_m), .m_arready_i(arready_m),
      .m_rdata_i(rdata_m), .m_rresp_i(rresp_m), .m_rlast_i(rlast_m), .m_rvalid_i(rvalid_m),
      .m_rready_o(rready_m), .m_awaddr_o(awaddr), .m_awlen_o(awlen), .m_awvalid_o(awvalid_m),
      .m_awready_i(awready_m), .m_wdata_o(wdata_m), .m_wstrb_o(wstrb), .m_wlast_o(wlast_m),
      .m_wvalid_o(wvalid_m), .m_wready_i(wready_m), .m_bresp_i(bresp_m), .m_bvalid_i(bvalid_m),
      .m_bready_o(bready_m));
  end else begin : gen_core_alone
    assign {interrupt, unused_entropy, awready, wready, bresp, bvalid, arready, engine_read, rresp,
        rvalid, araddr, arlen,
            arvalid_m, rready_m, awaddr, awlen, awvalid_m, wdata_m, wstrb, wlast_m, wvalid_m,
            bready_m} = '0;
  end

  // ---- memory ----
  isopod_soc_memory u_memory (
    .clk_i, .rst_ni, .latency_i,
    .request_i({data_request && target == TargetMemory && !device_q, instruction_request}),
    .grant_o({memory_grant, instruction_grant}), .address_i({data_address, instruction_address}),
    .write_i({data_write, 1'b0}), .enable_i({data_enable, 4'h0}),
    .write_data_i({data_write_data, 32'd0}), .valid_o({memory_valid, instruction_valid}),
    .read_data_o({memory_read, instruction}), .araddr_i(araddr), .arlen_i(arlen),
    .arvalid_i(arvalid_m), .arready_o(arready_m), .rdata_o(rdata_m), .rresp_o(rresp_m),
    .rlast_o(rlast_m), .rvalid_o(rvalid_m), .rready_i(rready_m), .awaddr_i(awaddr), .awlen_i(awlen),
    .awvalid_i(awvalid_m), .awready_o(awready_m), .wdata_i(wdata_m), .wstrb_i(wstrb),
    .wlast_i(wlast_m), .wvalid_i(wvalid_m), .wready_o(wready_m), .bresp_o(bresp_m),
    .bvalid_o(bvalid_m), .bready_i(bready_m));

  logic unused_responses;
  assign unused_responses = ^{bresp, rresp};

endmodule
