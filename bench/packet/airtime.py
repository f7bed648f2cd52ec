"""Time on the air and charge of a LoRaWAN device that takes a reading every 15 minutes, for a month: packets (spec/packet.md)
beside readings without homomorphic encryption and beside frames.

`python3 -m bench.packet.airtime` writes bench/out/airtime.json and the tables of docs/measurements/tables/radio.md from it.
Nothing is measured: all figures follow from formulas and tables of [AN120013], [SX1276], [LORAWAN20] and [RP002]."""
import re
import sys
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from bench.device.cases import PACKET_DROPPED, parameter_sets
from bench.document import ABSENT, command, markdown, with_table
from bench.record import OUT, ROOT, write

PAGE = ROOT / "docs/measurements/tables/radio.md"
BYTES = ROOT / "docs/measurements/tables/bytes.md"
SET = "ckks-1024x1-sum"

# LoRaWAN's own bytes around a payload: MHDR 1, FHDR 7, FPort 1, MIC 4 [LORAWAN20].
LORAWAN_BYTES = 13
PREAMBLE_SYMBOLS = 8  # [RP002]; coding rate 4/5, an explicit header and a CRC in all uplinks
LOW_RATE_SECONDS = 0.016  # symbols that are longer need the optimization for low data rates [SX1276]
LINK_BYTES = 5  # spec/link.md, section 5
TRANSMIT_MILLIAMPERES = 29  # [SX1276], table 6: +13 dBm at the pin RFO
READINGS_A_MONTH = 30 * 24 * 4


@dataclass(frozen=True)
class DataRate:
    """A data rate of a region: how symbols are sent, and the largest payload, where a repeater may stand between [RP002]."""

    region: str
    name: str
    spreading_factor: int
    kilohertz: int
    payload: int


DATA_RATES = (
    DataRate("EU868", "DR0", 12, 125, 51), DataRate("EU868", "DR1", 11, 125, 51), DataRate("EU868", "DR2", 10, 125, 51),
    DataRate("EU868", "DR3", 9, 125, 115), DataRate("EU868", "DR4", 8, 125, 222), DataRate("EU868", "DR5", 7, 125, 222),
    DataRate("US915", "DR0", 10, 125, 11), DataRate("US915", "DR1", 9, 125, 53), DataRate("US915", "DR2", 8, 125, 125),
    DataRate("US915", "DR3", 7, 125, 222), DataRate("US915", "DR4", 8, 500, 222),
)


@dataclass(frozen=True)
class Sending:
    """A way to send readings. Only frames may be split, by the link."""

    case: str
    title: str
    readings: int
    bytes: int
    is_split: bool = False


def packet_bytes(readings: int, device: int, tag: int) -> int:
    """Bytes of a packet: context, device, counter, coefficients, tag."""
    width = parameter_sets()[SET].primes[0].bit_length() - PACKET_DROPPED
    return 1 + device + 2 + ceil(readings * width / 8) + tag


def frame_bytes() -> int:
    """Bytes of a frame of ten readings, from the page that measures them."""
    return int(re.search(r"^- A frame of ten readings by secret key: (\d+) bytes", BYTES.read_text(), re.MULTILINE)[1])


def sendings() -> list[Sending]:
    """The rows of the tables."""
    return [
        Sending("plain-one", "plain, 1 reading", 1, 2),
        Sending("plain-ten", "plain, 10 readings", 10, 15),
        Sending("packet-least", "packet, 1 reading; the network names the device, tag of 4", 1, packet_bytes(1, 0, 4)),
        Sending("packet-one", "packet, 1 reading", 1, packet_bytes(1, 4, 8)),
        Sending("packet-ten", "packet, 10 readings", 10, packet_bytes(10, 4, 8)),
        Sending("frame-ten", "frame, 10 readings, split where it does not fit", 10, frame_bytes(), is_split=True),
    ]


def airtime(physical_bytes: int, spreading_factor: int, kilohertz: int, coding_rate: int = 1) -> float:
    """Seconds that a LoRa packet of this length takes ([AN120013]; [SX1276], section 4.1.1.7). Coding rate n is 4/(4 + n)."""
    symbol = 2 ** spreading_factor / (kilohertz * 1000)
    low = symbol > LOW_RATE_SECONDS
    # 28 and 16 bits of explicit header and CRC.
    bits = 8 * physical_bytes - 4 * spreading_factor + 28 + 16
    payload = 8 + max(ceil(bits / (4 * (spreading_factor - 2 * low))) * (coding_rate + 4), 0)
    return (PREAMBLE_SYMBOLS + 4.25 + payload) * symbol


def uplinks(sending: Sending, rate: DataRate) -> list[int]:
    """The payloads by which it goes over this data rate; none if it does not fit."""
    if sending.bytes <= rate.payload:
        return [sending.bytes]
    if not sending.is_split:
        return []
    room = rate.payload - LINK_BYTES
    whole, rest = divmod(sending.bytes, room)
    return [rate.payload] * whole + ([rest + LINK_BYTES] if rest else [])


def record(sending: Sending, rate: DataRate) -> dict:
    """The month of a way to send over a data rate."""
    payloads = uplinks(sending, rate)
    once = sum(airtime(LORAWAN_BYTES + payload, rate.spreading_factor, rate.kilohertz) for payload in payloads)
    seconds = once * READINGS_A_MONTH / sending.readings
    return {
        "case": f"{sending.case}-{rate.region.lower()}-{rate.name.lower()}", "sending": sending.case, "region": rate.region,
        "data_rate": rate.name, "bytes": sending.bytes, "readings": sending.readings, "uplinks": len(payloads),
        "seconds_a_month": round(seconds, 3), "milliampere_hours_a_month": round(seconds * TRANSMIT_MILLIAMPERES / 3600, 4),
        "method": "computed",
    }


def records() -> list[dict]:
    """All months."""
    return [record(sending, rate) for sending in sendings() for rate in DATA_RATES]


def month(records: list[dict], figure: str, digits: int) -> str:
    """A table of one figure: ways to send in rows, data rates in columns."""
    columns = ("sent", "bytes", *(f"{rate.region} {rate.name}" for rate in DATA_RATES))
    rows = []
    for sending in sendings():
        cells = [cell(record, figure, digits) for record in records if record["sending"] == sending.case]
        rows.append((sending.title, sending.bytes, *cells))
    return markdown(columns, rows)


def cell(record: dict, figure: str, digits: int) -> str:
    """A figure; a dash where the payload does not fit."""
    return f"{record[figure]:,.{digits}f}" if record["uplinks"] else ABSENT


def document(committed: str, records: list[dict]) -> str:
    """The page with fresh tables."""
    return with_table(committed, "\n\n".join([
        "Seconds on the air in a month:", month(records, "seconds_a_month", 0),
        "Charge of the transmitter in a month, mAh:", month(records, "milliampere_hours_a_month", 2)]))


def pages() -> dict[Path, str]:
    """The page, from a fresh record."""
    fresh = records()
    write(OUT / "airtime.json", fresh)
    return {PAGE: document(PAGE.read_text(), fresh)}


if __name__ == "__main__":
    sys.exit(command(__doc__, ("python3 -m bench.packet.airtime",) * 2, pages))
