"""Times on the air beside published ones, payloads that fit or are split, and the page of a month."""
import unittest

from bench.packet import airtime
from bench.packet.airtime import DATA_RATES, DataRate, Sending

# Microseconds of ten bytes at 125 kHz by spreading factor, and of other lengths, bandwidths and coding rates at factor 7 [TOA18].
BY_FACTOR = {7: 41_216, 8: 72_192, 9: 144_384, 10: 288_768, 11: 577_536, 12: 991_232}
BY_KILOHERTZ = {125: 41_216, 250: 20_608, 500: 10_304}
BY_CODING_RATE = {1: 41_216, 2: 45_312, 3: 49_408, 4: 53_504}
BY_BYTES = {13: 46_336, 15: 46_336, 16: 51_456, 19: 51_456}


def microseconds(*arguments: int) -> int:
    """The time on the air."""
    return round(1e6 * airtime.airtime(*arguments))


def rate(region: str, name: str) -> DataRate:
    """A data rate by its name."""
    return next(one for one in DATA_RATES if (one.region, one.name) == (region, name))


class Airtime(unittest.TestCase):
    """The formula."""

    def test_published_times(self):
        """The Things Stack tests its own formula by them."""
        self.assertEqual({factor: microseconds(10, factor, 125) for factor in BY_FACTOR}, BY_FACTOR)
        self.assertEqual({wide: microseconds(10, 7, wide) for wide in BY_KILOHERTZ}, BY_KILOHERTZ)
        self.assertEqual({coding: microseconds(10, 7, 125, coding) for coding in BY_CODING_RATE}, BY_CODING_RATE)
        self.assertEqual({length: microseconds(length, 7, 125) for length in BY_BYTES}, BY_BYTES)

    def test_a_packet_of_one_reading_by_hand(self):
        """31 bytes at factor 9: 8 + ceil(256 / 36) * 5 = 48 symbols behind 12.25, of 4.096 ms each."""
        self.assertEqual(microseconds(13 + 18, 9, 125), round(60.25 * 4096))

    def test_a_longer_payload_never_takes_less(self):
        """At every data rate."""
        for one in DATA_RATES:
            times = [microseconds(length, one.spreading_factor, one.kilohertz) for length in range(256)]
            self.assertEqual(times, sorted(times))


class Payloads(unittest.TestCase):
    """Bytes that are sent."""

    def test_packets_have_the_lengths_of_the_specification(self):
        """The table of spec/packet.md, section 7."""
        table = (airtime.ROOT / "spec/packet.md").read_text()
        for readings, device, tag in ((1, 4, 8), (10, 4, 8), (13, 4, 8), (1, 2, 4), (5, 0, 8)):
            self.assertIn(f"| {readings} | {device} | {tag} | {airtime.packet_bytes(readings, device, tag)} |", table)

    def test_a_packet_that_does_not_fit_is_not_sent(self):
        """Eleven bytes at DR0 of US915."""
        self.assertEqual(airtime.uplinks(Sending("", "", 1, 11), rate("US915", "DR0")), [11])
        self.assertEqual(airtime.uplinks(Sending("", "", 1, 12), rate("US915", "DR0")), [])

    def test_a_frame_is_split_by_the_link(self):
        """Each part has five bytes of the link; the last one is as short as it may be."""
        for length, parts in ((51, [51]), (52, [51, 11]), (92, [51, 51]), (93, [51, 51, 6])):
            self.assertEqual(airtime.uplinks(Sending("", "", 1, length, is_split=True), rate("EU868", "DR0")), parts)


class Page(unittest.TestCase):
    """The tables."""

    def test_the_page_has_the_figures_of_the_formulas(self):
        """`python3 -m bench.packet.airtime` writes it again."""
        text = airtime.PAGE.read_text()
        self.assertEqual(airtime.document(text, airtime.records()), text)

    def test_a_month(self):
        """2,880 packets of one reading at DR3."""
        (sending,) = (one for one in airtime.sendings() if one.case == "packet-one")
        record = airtime.record(sending, rate("EU868", "DR3"))
        self.assertAlmostEqual(record["seconds_a_month"], 2880 * 60.25 * 0.004096, 2)
        self.assertAlmostEqual(record["milliampere_hours_a_month"], 2880 * 60.25 * 0.004096 * 29 / 3600, 3)

    def test_a_payload_that_does_not_fit_has_a_dash(self):
        """Instead of a month of nothing."""
        self.assertEqual(airtime.cell({"uplinks": 1, "seconds_a_month": 25_921.4}, "seconds_a_month", 0), "25,921")
        self.assertEqual(airtime.cell({"uplinks": 0, "seconds_a_month": 0.0}, "seconds_a_month", 0), "-")


if __name__ == "__main__":
    unittest.main()
