"""The system simulation: its own tests are programs that run on its processor, rtl/soc/test.py."""
from rtl.dv.bench import Bench

BENCHES = [
    Bench("soc", "isopod_soc", __name__, program="rtl.soc.test"),
    Bench("soc-whole", "isopod_soc", __name__, quick=False, large=True,
          program="rtl.soc.test_whole"),
]
