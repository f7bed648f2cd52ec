"""`python3 examples/lorawan/demo.py [--meters 500] [--days 30] [--out chart.svg]`: a month of electricity meters on LoRaWAN.

Each meter has a key pair of its own. It sends its context in fragments, four times, and then a packet of 43 bytes a day: twelve
encrypted readings. One meter is an emulated Cortex-M4. The network loses uplinks, hears others by several gateways, and delivers
each time, some of them a day late. At the end of the month the server adds up the packets of each meter, and the owner reads 500
sums. The demo compares them with the plaintext sums of exactly the stored packets. The exit status is 1 if a sum differs, or a
packet is missing or counted twice."""
import argparse
import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]
import meters as fleet  # noqa: E402
from network import FRAGMENT_PORT, PACKET_PORT, Delivery, Network, Uplink  # noqa: E402

from ports import emulate  # noqa: E402

FOLDER = emulate.ROOT / emulate.BUILD / "lorawan"
SENDERS = 8
ANNOUNCEMENTS = 4  # of a context, as nobody answers
LAST_BITS = 4  # of a reading, by which a sum of up to 96 packets may be off


class Place:
    """The folder of a run, and the server in it."""

    def __init__(self, program: str, folder: Path):
        self.program, self.folder = Path(program).resolve(), folder
        self.port = 0

    def isopod(self, *arguments: str) -> dict:
        """The JSON output of the command line."""
        done = subprocess.run([self.program, "--json", *arguments], cwd=self.folder, check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def keygen(self, number: int) -> str:
        """Makes the key pair of a meter, whose device holds the secret key; the pair's name."""
        made = self.isopod("keygen", "--set", fleet.SET, "--no-evaluation-keys", "--device", str(number),
                           "--allow-device-secret-key", "--insecure-plaintext-key", "--out", f"keys/{number}")
        return made["key"]

    def start_server(self, numbers: Iterable[int]) -> None:
        """Starts the server with all key pairs and the table of radios, and waits until it takes requests."""
        keys = [word for number in numbers for word in ("--keys", f"keys/{number}/server")]
        log = self.folder / "log"
        command = [self.program.with_name("isopod-server"), "--data", "data", "--no-tables", "--listen", "127.0.0.1:0", "--euis",
                   "euis.csv", "--uplink-port", str(PACKET_PORT), "--fragment-port", str(FRAGMENT_PORT), *keys]
        with log.open("w") as file:
            self.server = subprocess.Popen(command, cwd=self.folder, stdout=file, stderr=file)
        for _ in range(500):
            listening = [json.loads(line) for line in log.read_text().splitlines() if '"listening"' in line]
            if listening:
                self.port = int(listening[0]["address"].rsplit(":", 1)[1])
                if self.ask("GET", "/readyz")[0] == 200:
                    return
            time.sleep(0.02)
        raise RuntimeError(log.read_text())

    def ask(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> tuple[int, bytes]:
        """The status and body of the answer to a request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, {"Content-Type": kind})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def wanted(self, status: int, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> bytes:
        """The body of an answer that must have this status."""
        found, answer = self.ask(method, path, body, kind)
        if found != status:
            raise RuntimeError(f"{method} {path}: {found} {answer[:500]}")
        return answer


def make_keys(place: Place, count: int) -> dict[int, str]:
    """A key pair for each meter, by its number."""
    (place.folder / "keys").mkdir(parents=True)
    with ThreadPoolExecutor(SENDERS) as pool:
        return dict(enumerate(pool.map(place.keygen, range(1, count + 1)), 1))


def deliver(place: Place, deliveries: list[Delivery]) -> Counter:
    """Posts documents as network servers do, and counts the outcomes of packets."""
    def post(delivery: Delivery) -> str:
        outcome = json.loads(place.wanted(200, "POST", delivery.path, delivery.body))["outcome"]
        return outcome if delivery.has_packet else "of a fragment"
    with ThreadPoolExecutor(SENDERS) as pool:
        return Counter(pool.map(post, deliveries))


def announce(place: Place, meters: list[fleet.Meter], network: Network) -> None:
    """Sends the contexts."""
    fragments = [Uplink(at, one.eui, FRAGMENT_PORT, part) for at, one in enumerate(meters) for part in one.fragments]
    for number in range(ANNOUNCEMENTS):
        deliver(place, network.day(fragments, number))


def send_month(place: Place, meters: list[fleet.Meter], days: int, network: Network) -> Counter:
    """Sends a month of packets, day by day."""
    outcomes: Counter = Counter()
    for day in range(days):
        packets = [Uplink(at, one.eui, PACKET_PORT, one.packets[day]) for at, one in enumerate(meters)]
        outcomes += deliver(place, network.day(packets, day))
    return outcomes + deliver(place, network.rest())


def monthly_sum(place: Place, number: int, key: str) -> list[float]:
    """Watt-hours of a meter by slot of the day, less the middle of each reading: the server adds up, the owner reads."""
    job = json.loads(place.wanted(202, "POST", "/v1/jobs", json.dumps({"job": "sum", "key": key}).encode()))["id"]
    place.wanted(200, "GET", f"/v1/jobs/{job}/events")
    (place.folder / f"result-{number}").write_bytes(place.wanted(200, "GET", f"/v1/jobs/{job}/results"))
    opened = place.isopod("decrypt", "--keys", f"keys/{number}/owner", "--in", f"result-{number}")
    return [fleet.MIDDLE * value["value"] for value in opened["values"]][:fleet.SLOTS]


def check(place: Place, meter: fleet.Meter, key: str, lost: set[int]) -> list[float]:
    """Compares a meter's sums with the plaintext ones of the days that came; watt-hours by slot."""
    came = [day for number, day in enumerate(meter.readings) if number not in lost]
    if not came:
        return [0.0] * fleet.SLOTS
    found = [value + fleet.MIDDLE * len(came) for value in monthly_sum(place, meter.number, key)]
    clear = [sum(column) for column in zip(*came)]
    worst = max(abs(one - two) for one, two in zip(found, clear, strict=True))
    if worst > LAST_BITS:
        sys.exit(f"meter {meter.number}: a sum is {worst:.1f} watt-hours from the clear")
    return found


def check_counts(place: Place, outcomes: Counter, network: Network) -> None:
    """Every packet that a gateway heard is stored, and once, however often it was delivered."""
    stored = json.loads(place.wanted(200, "GET", "/v1/totals"))["frames"]
    heard = network.sent - len(network.lost)
    print(f"{network.sent} packets sent, {len(network.lost)} lost on the air, {stored} stored; {network.delivered} deliveries, "
          f"{outcomes['known']} of them known")
    if not stored == outcomes["stored"] == heard or outcomes["known"] != network.delivered - heard:
        sys.exit(f"a packet is missing, or counted twice: {dict(outcomes)}")


def chart(day: list[float], path: Path) -> None:
    """The fleet's usual day as a picture: kilowatt-hours by slot."""
    most, hours = max(day), fleet.HOURS
    bars = "".join(f'<rect x="{40 + 48 * slot}" y="{240 - 200 * value / most:.1f}" width="42" height="{200 * value / most:.1f}" '
                   f'fill="#2a78c8"/><text x="{61 + 48 * slot}" y="256" text-anchor="middle">{hours * slot}</text>'
                   for slot, value in enumerate(day))
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 270" font-family="sans-serif" font-size="11">'
                    f'<text x="40" y="20">kWh of the fleet in two hours of a usual day; most: {most:.0f}</text>{bars}</svg>\n')


def run(place: Place, options: argparse.Namespace) -> list[float]:
    """The month; the fleet's usual day in kilowatt-hours by slot."""
    chooser = random.Random(1)
    keys = make_keys(place, options.meters)
    meters = fleet.make(options.meters, options.days, place.folder / "keys", chooser)
    (place.folder / "euis.csv").write_text("\n".join(["eui,device", *(f"{one.eui},{one.number}" for one in meters), ""]))
    place.start_server(keys)
    try:
        network = Network(options.meters, chooser)
        announce(place, meters, network)
        check_counts(place, send_month(place, meters, options.days, network), network)
        sums = [check(place, one, keys[one.number], network.lost_days(at)) for at, one in enumerate(meters)]
    finally:
        place.server.kill()
        place.server.wait()
    return [sum(column) / options.days / 1000 for column in zip(*sums)]


def main() -> None:
    """Runs the month."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("ISOPOD", ROOT / "target/release/isopod"))
    parser.add_argument("--meters", type=int, default=500)
    parser.add_argument("--days", type=int, default=30, choices=range(1, 97), metavar="1..96")
    parser.add_argument("--out", type=Path, help="picture of the fleet's usual day to write")
    options = parser.parse_args()
    shutil.rmtree(FOLDER, ignore_errors=True)
    day = run(Place(options.program, FOLDER), options)
    print(f"{options.meters} sums of the owner agree with the clear; a usual day: {sum(day):.1f} kWh")
    if options.out:
        chart(day, options.out)


if __name__ == "__main__":
    main()
