// Assertions that every module of the engine makes; nothing of them is left in synthesis.
`ifndef ISOPOD_ASSERT_SVH
`define ISOPOD_ASSERT_SVH

`ifdef SYNTHESIS
`define ISOPOD_ASSERT(name, condition)
`define ISOPOD_ASSERT_STREAM(name, valid, ready, data, abort)
`define ISOPOD_ASSERT_BUS(name, valid, ready, data)
`define ISOPOD_ASSERT_INIT(name, condition)
`else

// In reset, and at time 0, where simulators give signals any value and make edges of that.
`define ISOPOD_UNDEFINED !rst_ni || $time == 0

// At every edge of clk_i out of reset.
`define ISOPOD_ASSERT(name, condition) \
  name : assert property (@(posedge clk_i) disable iff (`ISOPOD_UNDEFINED) condition);

// doc/interfaces.md, Streams: a beat that is not taken stays as it is, but for an abort.
`define ISOPOD_ASSERT_STREAM(name, valid, ready, data, abort) \
  name``Stays : assert property (@(posedge clk_i) disable iff (`ISOPOD_UNDEFINED || (abort)) \
      (valid) && !(ready) |=> (valid)); \
  name``Holds : assert property (@(posedge clk_i) disable iff (`ISOPOD_UNDEFINED || (abort)) \
      (valid) && !(ready) |=> $stable(data)); \
  `ISOPOD_ASSERT(name``Known, !$isunknown(valid)) \
  `ISOPOD_ASSERT(name``Aborts, (abort) |=> !(valid))

// A stream that no abort may withdraw.
`define ISOPOD_ASSERT_BUS(name, valid, ready, data) \
  `ISOPOD_ASSERT(name``Stays, (valid) && !(ready) |=> (valid)) \
  `ISOPOD_ASSERT(name``Holds, (valid) && !(ready) |=> $stable(data)) \
  `ISOPOD_ASSERT(name``Known, !$isunknown(valid))

// Checked once, for parameters.
`define ISOPOD_ASSERT_INIT(name, condition) \
  initial begin : name \
    assert (condition) else $fatal(1, `"name: condition`"); \
  end
`endif

`endif
