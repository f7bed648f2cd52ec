"""`python3 examples/fleet/demo.py [--meters 2000] [--out chart.svg]`: a day of a fleet of electricity meters.

Half of the meters send over HTTP, half over MQTT, through a network that loses requests and receipts. Some frames never leave
their meter, and the server is killed in the morning. In the evening the owner asks for the sum of every quarter of the day.
The demo compares the sums with the plaintext sums of exactly the acknowledged frames and, if the server has SQL, with one
query for the whole day. The exit status is 1 if a sum differs or a frame was lost."""
import argparse
import base64
import hashlib
import hmac
import http.client
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mqtt  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SET, PRECISION = "ckks-2048x2-air", 0.001
QUARTERS, HOURS = 4, 6
# Places in a receipt, and outcomes.
DEVICE, OUTCOME = slice(22, 30), 42
STORED, KNOWN = 1, 2
# Shares of frames that never leave their meter, and of requests and receipts that the network loses.
NEVER, LOST = 0.01, 0.05
BROKER_LINES = "listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nmax_packet_size 1000000\n"
SENDERS = 8
Name = tuple[int, int]


class Place:
    """The folder of a run, and the processes in it."""

    def __init__(self, program: str, folder: Path):
        self.program, self.folder = Path(program).resolve(), folder
        self.environment = {**os.environ, "ISOPOD_PASSPHRASE": "only for this example"}
        self.http, self.broker = free_port(), free_port()
        self.processes: list[subprocess.Popen] = []

    def isopod(self, *arguments: str) -> dict:
        """The JSON output of the command line."""
        done = subprocess.run([self.program, "--json", *arguments], cwd=self.folder, env=self.environment, check=True,
                              capture_output=True, text=True)
        return json.loads(done.stdout) if done.stdout else {}

    def start(self, *command: str) -> subprocess.Popen:
        """Starts a process that ends with the run."""
        log = (self.folder / "log").open("a")
        process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def start_server(self) -> subprocess.Popen:
        """Starts the server and waits until it takes requests."""
        process = self.start(str(self.program.with_name("isopod-server")), "--data", "data", "--keys", "keys/server", "--listen",
                             f"127.0.0.1:{self.http}", "--mqtt", f"127.0.0.1:{self.broker}")
        for _ in range(500):
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    return process
            except OSError:
                pass
            time.sleep(0.02)
        raise RuntimeError((self.folder / "log").read_text())

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """The status and body of the answer to a request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.http, timeout=30)
        try:
            kind = "application/json" if path in ("/v1/jobs", "/v1/sql") else "application/cbor-seq"
            connection.request(method, path, body, {"Content-Type": kind})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def end(self) -> None:
        """Ends all processes."""
        for process in self.processes:
            process.kill()
            process.wait()


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Meter:
    """A meter with its day: plaintext readings, frames by quarter, and the frames that have a receipt."""

    def __init__(self, place: Place, number: int, chooser: random.Random):
        self.place, self.number = place, number
        self.readings = [[round(chooser.uniform(0.1, 1) + load(HOURS * quarter + hour), 2) for hour in range(HOURS)]
                         for quarter in range(QUARTERS)]
        self.frames = self.encrypt()
        self.sent = [chooser.random() >= NEVER for _ in range(QUARTERS)]
        self.acknowledged = [False] * QUARTERS

    def encrypt(self) -> list[bytes]:
        """Encrypts one frame for every quarter of the day."""
        rows = [",".join(f"h{hour}" for hour in range(HOURS)), *(",".join(map(str, row)) for row in self.readings)]
        values, out = f"values-{self.number}", f"frames-{self.number}"
        (self.place.folder / values).write_text("\n".join(rows) + "\n")
        self.place.isopod("encrypt", "--keys", f"keys/device-{self.number}", "--values", values, "--out", out,
                          "--rows-per-frame", "1", "--precision", str(PRECISION))
        data = (self.place.folder / out).read_bytes()
        # Rounded frames are one item each, and all of one length.
        length = len(data) // QUARTERS
        return [data[length * quarter:length * (quarter + 1)] for quarter in range(QUARTERS)]


    def is_stored(self, receipt: bytes) -> bool:
        """True if a receipt says that a frame is on disk, and carries the tag of this meter's key (spec/wire.md, section 11)."""
        key = (self.place.folder / f"keys/device-{self.number}/frame.key").read_bytes()[-66:-34]
        tag = hashlib.shake_256(b"isopod-v2-receipt" + key + receipt[:OUTCOME + 1]).digest(16)
        return receipt[OUTCOME] in (STORED, KNOWN) and hmac.compare_digest(tag, receipt[-16:])


def load(hour: int) -> float:
    """The kilowatt hours of a household: more in the morning, most in the evening."""
    return 0.3 + 0.8 * (6 <= hour < 9) + 1.6 * (17 <= hour < 22)


def over_http(place: Place, meters: list[Meter], quarter: int, chooser: random.Random) -> None:
    """Sends until every frame has a receipt, although the network loses some requests and some receipts."""
    def send(meter: Meter) -> None:
        for _ in range(200):
            if chooser.random() < LOST:
                continue
            try:
                status, _ = place.ask("POST", "/v1/frames", meter.frames[quarter])
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
                continue
            if status == 200 and chooser.random() >= LOST:
                meter.acknowledged[quarter] = True
                return
    with ThreadPoolExecutor(SENDERS) as pool:
        list(pool.map(send, meters))


def over_mqtt(place: Place, meters: list[Meter], quarter: int, chooser: random.Random) -> None:
    """Publishes until every frame has a receipt, although the network loses some messages and some receipts."""
    waiting = {meter.number: meter for meter in meters}
    client = mqtt.Client(place.broker, f"site-{quarter}", "isopod/receipts/#")
    for _ in range(200):
        if not waiting:
            return
        some = list(waiting.values())[:200]
        for meter in some:
            if chooser.random() >= LOST:
                client.publish(f"isopod/frames/{meter.number}", meter.frames[quarter])
        for receipt in client.messages(0.5):
            number = int.from_bytes(receipt[DEVICE], "little")
            if number in waiting and waiting[number].is_stored(receipt) and chooser.random() >= LOST:
                waiting.pop(number).acknowledged[quarter] = True
            if all(meter.number not in waiting for meter in some):
                break


def one_quarter(place: Place, meters: list[Meter], quarter: int, chooser: random.Random) -> None:
    """Sends everything from one quarter of the day. In the second quarter the server is killed and starts again."""
    sending = [meter for meter in meters if meter.sent[quarter]]
    threads = [threading.Thread(target=over_http, args=(place, sending[::2], quarter, chooser)),
               threading.Thread(target=over_mqtt, args=(place, sending[1::2], quarter, chooser))]
    for thread in threads:
        thread.start()
    if quarter == 1:
        time.sleep(0.2)
        place.processes[-1].kill()
        place.processes[-1].wait()
        place.start_server()
    for thread in threads:
        thread.join()


def totals(place: Place, since: int, until: int) -> list[float]:
    """The fleet's totals by hour, over the frames that arrived in a span of time. The owner asks, the server computes, the
    owner reads."""
    asked = {"job": "sum", "since": since, "until": until}
    status, body = place.ask("POST", "/v1/jobs", json.dumps(asked).encode())
    if status != 202:
        raise RuntimeError(body)
    number = json.loads(body)["id"]
    place.ask("GET", f"/v1/jobs/{number}/events")
    status, results = place.ask("GET", f"/v1/jobs/{number}/results")
    if status != 200:
        raise RuntimeError(results)
    return read(place, results)


def read(place: Place, results: bytes) -> list[float]:
    """The values of sealed results, which the owner decrypts."""
    (place.folder / "results").write_bytes(results)
    opened = place.isopod("decrypt", "--keys", "keys/owner", "--in", "results")
    return [value["value"] for value in opened["values"]]


def totals_by_sql(place: Place, times: list[int]) -> list[float]:
    """The totals of all quarters by one query; None from a server without SQL."""
    ends = " ".join(f"WHEN time < to_timestamp_millis({until}) THEN {quarter}" for quarter, until in enumerate(times[1:]))
    query = f"SELECT CASE {ends} END AS quarter, he_sum(frame) AS total FROM frames GROUP BY quarter ORDER BY quarter"
    status, body = place.ask("POST", "/v1/sql", json.dumps({"query": query}).encode())
    if status == 404:
        return []
    if status != 200:
        raise RuntimeError(body)
    return [value for _, total in json.loads(body)["rows"] for value in read(place, base64.b64decode(total["sealed"]))]


def chart(values: list[float], path: Path) -> None:
    """The totals by hour as a picture."""
    most = max(values)
    bars = "".join(f'<rect x="{40 + 24 * hour}" y="{240 - 200 * value / most:.1f}" width="20" height="{200 * value / most:.1f}" '
                   f'fill="#2a78c8"/><text x="{50 + 24 * hour}" y="256" text-anchor="middle">{hour}</text>'
                   for hour, value in enumerate(values))
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 270" font-family="sans-serif" font-size="11">'
                    f'<text x="40" y="20">kWh of the fleet by hour; most: {most:.0f}</text>{bars}</svg>\n')


def make_fleet(place: Place, count: int, chooser: random.Random) -> list[Meter]:
    """Makes keys and meters, and encrypts their day."""
    place.isopod("keygen", "--set", SET, "--no-evaluation-keys", "--out", "keys")
    if count > 1:
        place.isopod("device", "add", f"2-{count}", "--keys", "keys")
    seeds = [random.Random(chooser.random()) for _ in range(count)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda number: Meter(place, number + 1, seeds[number]), range(count)))


def check(place: Place, meters: list[Meter], times: list[int]) -> list[float]:
    """Compares the owner's totals with the plaintext ones over all acknowledged frames."""
    day = []
    for quarter in range(QUARTERS):
        found = totals(place, times[quarter], times[quarter + 1])
        entered = [meter.readings[quarter] for meter in meters if meter.acknowledged[quarter]]
        clear = [sum(column) for column in zip(*entered)]
        worst = max(abs(one - two) for one, two in zip(found, clear))
        print(f"{HOURS * quarter:>2} to {HOURS * quarter + HOURS:>2} h: {len(entered)} frames, {sum(found):9.2f} kWh, "
              f"at most {worst:.4f} from the clear")
        if worst > len(entered) * PRECISION:
            sys.exit("the totals differ")
        day += found
    check_sql(totals_by_sql(place, times), day)
    stored = json.loads(place.ask("GET", "/v1/totals")[1])
    sent = sum(map(sum, (meter.sent for meter in meters)))
    acknowledged = sum(map(sum, (meter.acknowledged for meter in meters)))
    print(f"{stored['frames']} frames stored, {acknowledged} acknowledged, {len(meters) * QUARTERS - sent} never sent, "
          f"{stored['missing']} gaps seen")
    if not stored["frames"] == acknowledged == sent:
        sys.exit("a frame was lost, or is there without a receipt")
    return day


def check_sql(found: list[float], day: list[float]) -> None:
    """Compares the totals of a query with those of jobs."""
    if not found:
        print("no SQL in this server: build it with --features sql")
        return
    worst = max(abs(one - two) for one, two in zip(found, day, strict=True))
    print(f"SQL: {len(found)} hours by one query, at most {worst:.1e} from those of the jobs")
    if worst > PRECISION:
        sys.exit("the answers of SQL differ")


def main() -> None:
    """Runs the day."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=os.environ.get("ISOPOD", ROOT / "target/release/isopod"))
    parser.add_argument("--meters", type=int, default=2000)
    parser.add_argument("--out", type=Path, help="picture of the day's totals to write")
    options = parser.parse_args()
    broker = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin") or sys.exit("mosquitto: not found")
    chooser = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(options.program, Path(folder))
        meters = make_fleet(place, options.meters, chooser)
        (place.folder / "broker.conf").write_text(BROKER_LINES.format(port=place.broker))
        try:
            place.start(broker, "-c", "broker.conf")
            place.start_server()
            times = [0]
            for quarter in range(QUARTERS):
                one_quarter(place, meters, quarter, chooser)
                time.sleep(0.01)
                times.append(int(1000 * time.time()))
            day = check(place, meters, times)
        finally:
            place.end()
    if options.out:
        chart(day, options.out)


if __name__ == "__main__":
    main()
