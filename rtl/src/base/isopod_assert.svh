// Assertions that every module of the engine makes; nothing of them is left in synthesis.
`ifndef ISOPOD_ASSERT_SVH
`define ISOPOD_ASSERT_SVH

`ifdef ISOPOD_FORMAL

// For the formal tools of rtl/formal, whose reader takes immediate assertions alone and defines
// SYNTHESIS: the same rules with $past, out of reset for two edges. Nothing is unknown there.
`define ISOPOD_ASSERT(name, condition) \
  always_ff @(posedge clk_i) if (rst_ni) name : assert (condition);

`define ISOPOD_ASSERT_NEXT(name, before, after) \
  always_ff @(posedge clk_i) if (rst_ni && $past(rst_ni)) name : assert (!$past(before) || (after));

`define ISOPOD_ASSERT_STREAM(name, valid, ready, data, abort) \
  `ISOPOD_ASSERT_NEXT(name``Stays, (valid) && !(ready) && !(abort), (abort) || (valid)) \
  always_ff @(posedge clk_i) if (rst_ni && $past(rst_ni)) begin \
    name``Holds : assert (!$past((valid) && !(ready) && !(abort)) || (abort) || \
        (data) == $past(data)); \
  end \
  `ISOPOD_ASSERT_NEXT(name``Aborts, abort, !(valid))

`define ISOPOD_ASSERT_BUS(name, valid, ready, data) \
  `ISOPOD_ASSERT_NEXT(name``Stays, (valid) && !(ready), valid) \
  always_ff @(posedge clk_i) if (rst_ni && $past(rst_ni)) begin \
    name``Holds : assert (!$past((valid) && !(ready)) || (data) == $past(data)); \
  end

`define ISOPOD_ASSERT_INIT(name, condition)

`elsif SYNTHESIS
`define ISOPOD_ASSERT(name, condition)
`define ISOPOD_ASSERT_NEXT(name, before, after)
`define ISOPOD_ASSERT_STREAM(name, valid, ready, data, abort)
`define ISOPOD_ASSERT_BUS(name, valid, ready, data)
`define ISOPOD_ASSERT_INIT(name, condition)
`else

// In reset, and at time 0, where simulators give signals any value and make edges of that.
`define ISOPOD_UNDEFINED !rst_ni || $time == 0

// At every edge of clk_i out of reset.
`define ISOPOD_ASSERT(name, condition) \
  name : assert property (@(posedge clk_i) disable iff (`ISOPOD_UNDEFINED) condition);

// One cycle later.
`define ISOPOD_ASSERT_NEXT(name, before, after) \
  `ISOPOD_ASSERT(name, (before) |=> (after))

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
