"""Delivers packets as network servers do: ChirpStack, The Things Stack and Sigfox over HTTP, the first two over a real Mosquitto,
too."""
import json
import subprocess
import time
import unittest
from pathlib import Path

import harness
import radio
from broker import BROKER, Broker, wait_connected

EUI, OTHER_EUI, UNKNOWN_EUI = "70b3d57ed0041a2b", "70b3d57ed0041a2c", "70b3d57ed0041a2d"
SIGFOX = "1D3AC5"
TABLE = f"eui,device\n{EUI.upper()},1\n{OTHER_EUI},2\n{SIGFOX},3\n"
CHIRPSTACK, THINGS_STACK = "/v1/uplinks/chirpstack?event=up", "/v1/uplinks/things-stack"
SIGFOX_PATH = "/v1/uplinks/sigfox"


def table(text: str = TABLE) -> Path:
    """A file with the radios of a fleet."""
    path = harness.folder() / "euis.csv"
    path.write_text(text)
    return path


def deliver(server: harness.Server, path: str, body: bytes, **headers: str) -> harness.Answer:
    """Posts a document as a network server does."""
    return server.ask("POST", path, body, {"Content-Type": "application/json", **headers})


def frame_fragments(fleet: harness.Fleet) -> list[bytes]:
    """A frame of device 1 in 32 uplinks: as many as a transfer may have."""
    (frame,) = fleet.frames(1).values()
    return radio.fragments(frame, payload=222)


class Uplinks(unittest.TestCase):
    """All tests share one server."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.fleet = harness.Fleet(3, radio.SET)
        cls.table = table()
        cls.server = harness.Server(cls.fleet.server, options=("--euis", str(cls.table), "--uplink-port", "10"))
        cls.server.start()
        cls.addClassCleanup(cls.server.kill)
        cls.meters = [radio.Meter(cls.fleet, number, device_bytes) for number, device_bytes in ((1, 4), (2, 0), (3, 0))]
        radio.register(cls.server, *cls.meters)

    def outcome(self, path: str, body: bytes) -> str:
        """The outcome of a document that is taken."""
        answer = deliver(self.server, path, body)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["outcome"]

    def refusal(self, path: str, body: bytes, status: int = 422, **headers: str) -> str:
        """The refusal of a document, which begins with its field."""
        answer = deliver(self.server, path, body, **headers)
        self.assertEqual(answer.status, status, answer.body)
        problem = answer.json()
        self.assertTrue(problem["detail"].startswith(problem["field"]), problem)
        return problem["detail"]

    def test_each_network_delivers_and_delivers_again(self) -> None:
        first, second, third = self.meters
        before = len(self.server.stored())
        for path, body in ((CHIRPSTACK, radio.chirpstack(EUI, first.packet())),
                           (THINGS_STACK, radio.things_stack(OTHER_EUI, second.packet())),
                           (SIGFOX_PATH, radio.sigfox(SIGFOX, third.packet()))):
            with self.subTest(path=path):
                self.assertEqual([self.outcome(path, body) for _ in range(3)], ["stored", "known", "known"])
        self.assertEqual(len(self.server.stored()), before + 3)

    def test_a_packet_of_two_networks_is_stored_once(self) -> None:
        packet = self.meters[0].packet()
        self.assertEqual(self.outcome(CHIRPSTACK, radio.chirpstack(EUI, packet)), "stored")
        self.assertEqual(self.outcome(THINGS_STACK, radio.things_stack(EUI, packet)), "known")

    def test_events_and_uplinks_without_a_packet_are_ignored(self) -> None:
        packet = self.meters[0].packet()
        joined = json.dumps({"end_device_ids": {"dev_eui": EUI}, "join_accept": {"session_key_id": "AY2b3w=="}}).encode()
        for path, body in (("/v1/uplinks/chirpstack?event=join", radio.chirpstack(UNKNOWN_EUI, packet)),
                           ("/v1/uplinks/chirpstack?event=txack", b"{}"),
                           (CHIRPSTACK, radio.chirpstack(EUI, b"")),
                           (CHIRPSTACK, radio.chirpstack(EUI, packet, port=11)),
                           (CHIRPSTACK, radio.chirpstack(EUI, packet, port=0)),
                           (THINGS_STACK, joined),
                           (SIGFOX_PATH, radio.sigfox(SIGFOX, b""))):
            with self.subTest(path=path, body=body):
                self.assertEqual(self.outcome(path, body), "ignored")
        self.assertEqual(self.outcome(CHIRPSTACK, radio.chirpstack(EUI, packet)), "stored")

    def test_a_wrong_document_is_refused_by_its_field_and_kept(self) -> None:
        packet = self.meters[0].packet()
        event = radio.chirpstack(EUI, packet)
        for path, body, wanted in (
                (CHIRPSTACK, radio.chirpstack(UNKNOWN_EUI, packet), f"deviceInfo.devEui: {UNKNOWN_EUI}; allowed are the radios"),
                (CHIRPSTACK, radio.chirpstack("70-b3", packet), "deviceInfo.devEui: 70-b3; allowed are 16"),
                (CHIRPSTACK, event.replace(b'"data": "', b'"data": "%'), "data: "),
                (CHIRPSTACK, event.replace(b'"fPort": 10', b'"fPort": 256'), "fPort: 256"),
                (CHIRPSTACK, event.replace(b"{", b"[", 1), "body: "),
                ("/v1/uplinks/chirpstack", event, "event: missing"),
                (THINGS_STACK, event, "end_device_ids.dev_eui: missing"),
                (THINGS_STACK, b"[" * 60_000, "body: "),
                (SIGFOX_PATH, radio.sigfox(SIGFOX, bytes(1601)), "data: 1601 bytes"),
                (SIGFOX_PATH, radio.sigfox("1D3AC6", packet), "device: 1D3AC6; allowed are the radios")):
            with self.subTest(path=path, body=body[:200]):
                found = self.refusal(path, body)
                self.assertTrue(found.startswith(wanted), found)
                kept = [item["reason"] for item in self.server.ask("GET", "/v1/quarantine").json()]
                self.assertIn(found, kept)
        self.assertEqual(self.outcome(CHIRPSTACK, event), "stored")

    def test_a_wrong_packet_is_refused_by_its_field(self) -> None:
        first, second, _ = self.meters
        packet = first.packet()
        for payload, eui, field in ((packet[:-1] + bytes([packet[-1] ^ 1]), EUI, "tag"),
                                    (packet[:-1], EUI, "packet"), (packet + b"\x00", EUI, "packet"),
                                    (packet, OTHER_EUI, "device"), (second.packet(), EUI, "packet")):
            with self.subTest(field=field, eui=eui):
                found = self.refusal(CHIRPSTACK, radio.chirpstack(eui, payload))
                self.assertTrue(found.startswith(field), found)
        self.assertEqual(self.outcome(CHIRPSTACK, radio.chirpstack(EUI, packet)), "stored")

    def test_another_path_type_or_length(self) -> None:
        event = radio.chirpstack(EUI, self.meters[0].packet())
        self.assertIn("chirpstack, things-stack and sigfox", self.refusal("/v1/uplinks/helium", event, 404))
        headers = {"Content-Type": "application/x-protobuf"}
        self.assertEqual(deliver(self.server, CHIRPSTACK, event, **headers).status, 415)
        self.refusal(CHIRPSTACK, event + b" " * 65_536, 413)
        headers = {"Content-Type": "Application/JSON; charset=utf-8"}
        self.assertEqual(deliver(self.server, CHIRPSTACK, event, **headers).status, 200)

    def test_a_radio_that_is_added_counts_at_once_and_a_wrong_table_changes_nothing(self) -> None:
        event = radio.chirpstack(UNKNOWN_EUI, self.meters[0].packet())
        self.refusal(CHIRPSTACK, event)
        replaced = harness.folder() / "euis.csv"
        for more in (f"{UNKNOWN_EUI},1\n", f"{UNKNOWN_EUI},2\n{EUI},1\n"):
            replaced.write_text(TABLE + more)
            replaced.replace(self.table)
            self.assertIn(self.outcome(CHIRPSTACK, event), ("stored", "known"))
        self.assertIn("stands on line 2, too", self.server.log.read_text())
        self.table.write_text(TABLE)
        self.refusal(CHIRPSTACK, event)


class Starts(unittest.TestCase):
    """Options, tokens, and packets whose contexts come later."""

    def test_a_wrong_table_ends_the_start_with_its_line(self) -> None:
        fleet = harness.Fleet(1, radio.SET)
        for text, wanted in (("eui,device\n70-B3-D5-7E-D0-04-1A-2B,1\n", "line 2: eui: 70-B3"), ("eui;device\n", "line 1: "),
                             (f"eui,device\n{EUI},1\n{EUI},2\n", "line 3: eui: ")):
            command = [harness.SERVER, "--data", harness.folder(), "--keys", fleet.server, "--listen", "127.0.0.1:0", "--euis",
                       table(text)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(wanted, done.stderr)

    def test_a_gateway_delivers_and_a_monitor_does_not(self) -> None:
        fleet = harness.Fleet(1, radio.SET, certify=True)
        harness.isopod("device", "certify", "--keys", fleet.keys, "--token", "gateway:network")
        meter = radio.Meter(fleet)
        options = ("--euis", str(table()))
        with harness.Server(fleet.server, options=options, context=harness.trusting(fleet)) as server:
            owner = {"Authorization": f"Bearer {fleet.token()}"}
            server.ask("POST", "/v1/frames", meter.item, owner)
            event = radio.chirpstack(EUI, meter.packet())
            for token, status in (("", 401), ("wrong", 401), (fleet.token("token-graphs"), 403),
                                  (fleet.token("token-network"), 200), (fleet.token(), 200)):
                answer = deliver(server, CHIRPSTACK, event, Authorization=f"Bearer {token}")
                self.assertEqual(answer.status, status, answer.body)

    def test_without_a_table_packets_name_their_devices(self) -> None:
        fleet = harness.Fleet(2, radio.SET)
        meter, nameless = radio.Meter(fleet, 1, 4), radio.Meter(fleet, 2, 0)
        with harness.Server(fleet.server) as server:
            radio.register(server, meter, nameless)
            answer = deliver(server, CHIRPSTACK, radio.chirpstack(UNKNOWN_EUI, meter.packet()))
            self.assertEqual(answer.json(), {"outcome": "stored"})
            answer = deliver(server, CHIRPSTACK, radio.chirpstack(EUI, nameless.packet()))
            self.assertEqual((answer.status, answer.json()["field"]), (422, "device"))

    def test_packets_wait_for_their_context(self) -> None:
        fleet = harness.Fleet(1, radio.SET)
        meter = radio.Meter(fleet)
        with harness.Server(fleet.server, options=("--euis", str(table()))) as server:
            event = radio.chirpstack(EUI, meter.packet())
            early = deliver(server, CHIRPSTACK, event)
            self.assertEqual((early.status, early.json()["field"], len(server.stored())), (422, "context", 0))
            radio.register(server, meter)
            harness.wait_for(lambda: len(server.stored()) == 1, server.log.read_text)
            self.assertEqual(deliver(server, CHIRPSTACK, event).json(), {"outcome": "known"})


class Fragments(unittest.TestCase):
    """Contexts and frames that are longer than an uplink come in fragments on a port of their own."""

    def setUp(self) -> None:
        self.fleet = harness.Fleet(2, radio.SET)
        self.meter = radio.Meter(self.fleet, 1, 0)
        self.server = harness.Server(self.fleet.server, options=("--euis", str(table()), "--fragment-port", "20")).start()
        self.addCleanup(self.server.kill)

    def outcomes(self, fragments: list[bytes], eui: str = EUI) -> list[str]:
        """The outcomes of fragments that are taken; of others the field."""
        answers = [deliver(self.server, CHIRPSTACK, radio.chirpstack(eui, one, port=20)).json() for one in fragments]
        return [answer.get("outcome") or answer["field"] for answer in answers]

    def test_a_context_comes_by_radio_in_any_order_and_its_packets_count(self) -> None:
        packet = radio.chirpstack(EUI, self.meter.packet())
        self.assertEqual(deliver(self.server, CHIRPSTACK, packet).json()["field"], "context")
        first, *others = radio.fragments(self.meter.item, payload=20)
        self.assertGreater(len(others), 2)
        self.assertEqual(self.outcomes([*others, *others, first]), ["waits"] * (2 * len(others)) + ["stored"])
        self.assertEqual(deliver(self.server, CHIRPSTACK, packet).json(), {"outcome": "known"})
        self.assertEqual(self.outcomes([first, *others])[-1], "registered")

    def test_sums_of_pads_whose_contexts_and_packets_come_by_radio(self) -> None:
        fleet, wanted = harness.Fleet(2, "pads"), [0, 0]
        with harness.Server(fleet.server, options=("--euis", str(table()), "--fragment-port", "20")) as self.server:
            for device, eui in ((1, EUI), (2, OTHER_EUI)):
                readings = [(7 * device + at, -at) for at in range(6)]
                context, packets = harness.elements(fleet.pads(device, readings))
                self.assertEqual(self.outcomes(radio.fragments(context), eui)[-1], "registered")
                for at in (5, 0, 1, 4):
                    packet = packets[at][2 if packets[at][0] == 0x58 else 1:]
                    answer = deliver(self.server, CHIRPSTACK, radio.chirpstack(eui, packet))
                    self.assertEqual(answer.json(), {"outcome": "stored"})
                    wanted = [total + reading for total, reading in zip(wanted, readings[at])]
            self.assertEqual(fleet.decrypt(self.server.run_job(job="sum")[1]), wanted)

    def test_a_frame_is_stored_once_however_often_it_comes(self) -> None:
        fragments = frame_fragments(self.fleet)
        for outcome in ("stored", "known"):
            self.assertEqual(self.outcomes(fragments), ["waits"] * (len(fragments) - 1) + [outcome])
        self.assertEqual(len(self.server.stored()), 1)

    def test_a_radio_brings_frames_of_its_own_device_alone(self) -> None:
        fragments = frame_fragments(self.fleet)
        self.assertEqual(self.outcomes(fragments, OTHER_EUI)[-1], "device")
        self.assertEqual(self.outcomes(radio.fragments(self.meter.item), OTHER_EUI)[-1], "device")
        reasons = [item["reason"] for item in self.server.ask("GET", "/v1/quarantine").json()]
        self.assertIn("device: 1 by the radio of device 2; allowed are its own frames", reasons)
        self.assertEqual((self.outcomes(fragments)[-1], len(self.server.stored())), ("stored", 1))

    def test_what_is_no_fragment_and_a_transfer_that_is_nothing(self) -> None:
        fragments = radio.fragments(self.meter.item)
        beyond = fragments[0][:3] + bytes([32, 0]) + fragments[0][5:]
        wrong = fragments[:-1] + [fragments[-1][:-1] + bytes([fragments[-1][-1] ^ 1])]
        self.assertEqual(self.outcomes([b"", fragments[0][:4], self.meter.packet(), beyond]),
                         ["ignored", "fragment", "fragment", "fragment"])
        self.assertEqual(self.outcomes(wrong)[-1], "tag")
        self.assertEqual(self.outcomes(radio.fragments(b"nonsense"))[-1], "item")
        self.assertEqual(self.outcomes(fragments)[-1], "registered")

    def test_a_restart_forgets_fragments_and_a_repetition_brings_all(self) -> None:
        fragments = radio.fragments(self.meter.item)
        self.outcomes(fragments[:-1])
        self.server.kill()
        self.server.start()
        self.assertEqual(self.outcomes(fragments[-1:]), ["waits"])
        self.assertEqual(self.outcomes(fragments)[-2:], ["registered", "waits"])

    def test_a_port_is_for_packets_or_for_fragments(self) -> None:
        command = [harness.SERVER, "--data", harness.folder(), "--keys", self.fleet.server, "--listen", "127.0.0.1:0",
                   "--uplink-port", "20", "--fragment-port", "20"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--fragment-port: 20, which --uplink-port has, too; allowed is another port", done.stderr)


@unittest.skipUnless(BROKER, "mosquitto not found; ./bootstrap.sh installs it")
class Messages(unittest.TestCase):
    """Uplinks over a broker."""

    def start(self, *options: str) -> tuple[Broker, radio.Meter, harness.Server]:
        """A broker, a meter, and a server that has its context."""
        broker = Broker()
        self.addCleanup(broker.kill)
        meter = radio.Meter(harness.Fleet(1, radio.SET))
        server = harness.Server(meter.fleet.server, options=(*broker.options(), "--euis", str(table()), *options)).start()
        self.addCleanup(server.kill)
        wait_connected(server)
        radio.register(server, meter)
        return broker, meter, server

    def wait_stored(self, server: harness.Server, count: int) -> None:
        """Waits for a number of packets, and that no more come."""
        harness.wait_for(lambda: len(server.stored()) >= count, server.log.read_text)
        self.assertEqual(len(server.stored()), count)

    def test_events_of_chirpstack(self) -> None:
        broker, meter, server = self.start("--uplinks", "chirpstack")
        topic = f"application/9e1a3c55/device/{EUI}/event"
        events = [radio.chirpstack(EUI, meter.packet()) for _ in range(3)]
        broker.publish(f"{topic}/join", events[2])
        for body in (b"nonsense", radio.chirpstack(UNKNOWN_EUI, meter.packet()), events[0], events[0], events[1]):
            broker.publish(f"{topic}/up", body)
        self.wait_stored(server, 2)
        kept = [item["reason"] for item in server.ask("GET", "/v1/quarantine").json()]
        self.assertEqual(sorted(reason.split(":")[0] for reason in kept), ["body", "deviceInfo.devEui"])

    def test_messages_of_the_things_stack(self) -> None:
        broker, meter, server = self.start("--uplinks", "things-stack")
        broker.publish("v3/meters@ttn/devices/a-meter/up", radio.things_stack(EUI, meter.packet()))
        self.wait_stored(server, 1)

    def test_a_server_that_crashes_gets_again_what_it_has_not_acknowledged(self) -> None:
        broker, meter, server = self.start("--uplinks", "chirpstack")
        topic = f"application/9e1a3c55/device/{EUI}/event/up"
        broker.publish(topic, radio.chirpstack(EUI, meter.packet()))
        self.wait_stored(server, 1)
        server.kill()
        for _ in range(3):
            broker.publish(topic, radio.chirpstack(EUI, meter.packet()))
        server.start()
        self.wait_stored(server, 4)

    def test_fragments_over_a_broker(self) -> None:
        broker, meter, server = self.start("--uplinks", "chirpstack", "--fragment-port", "20")
        topic = f"application/9e1a3c55/device/{EUI}/event/up"
        for fragment in frame_fragments(meter.fleet):
            broker.publish(topic, radio.chirpstack(EUI, fragment, port=20))
        self.wait_stored(server, 1)

    def test_without_the_option_no_uplinks_come(self) -> None:
        broker, meter, server = self.start()
        broker.publish(f"application/9e1a3c55/device/{EUI}/event/up", radio.chirpstack(EUI, meter.packet()))
        time.sleep(0.5)
        self.assertEqual(len(server.stored()), 0)
