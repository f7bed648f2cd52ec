"""Tests packets of radios, and their contexts, on the running server: over HTTP, over MQTT, through a restart."""
import random
import unittest

import harness
from broker import Broker, Listener

CBOR = {"Content-Type": "application/cbor-seq"}
RECEIPTS = {**CBOR, "Accept": "application/cbor-seq"}
ANNOUNCED, STORED = 4, 1


class Packets(unittest.TestCase):
    """Packets become frames."""

    def setUp(self) -> None:
        self.fleet = harness.Fleet(secret=True)
        self.server = harness.Server(self.fleet.server).start()
        self.addCleanup(self.server.kill)

    def send(self, *elements: bytes, headers: dict | None = None) -> harness.Answer:
        """The answer to a body of these elements."""
        return self.server.send(*elements, headers=headers or CBOR)

    def names(self, answer: harness.Answer) -> list[tuple[int, str]]:
        """Sequence and outcome of each frame of an answer."""
        return [(frame["sequence"], frame["outcome"]) for frame in answer.json()["frames"]]

    def test_packets_in_any_order_are_stored_once_and_add_up(self) -> None:
        context, packets = self.fleet.packets([0.25, 0.5, -0.125, 0.0625] * 24)
        first, rest = packets[0], packets[1:]
        random.Random(1).shuffle(rest)
        answers = [self.send(context), self.send(first, *rest), self.send(*packets)]
        told = [(answer.status, *(answer.json()[name] for name in ("stored", "known", "contexts"))) for answer in answers]
        self.assertEqual(told, [(200, 0, 0, 1), (200, 96, 0, 0), (200, 0, 96, 0)])
        self.assertEqual(len(self.server.stored()), 96)
        _, results = self.server.run_job(job="sum")
        self.assertAlmostEqual(self.fleet.decrypt(results)[0], 16.5, delta=0.05)
        _, results = self.server.run_job(job="column-mean")
        self.assertAlmostEqual(self.fleet.decrypt(results)[0], 0.171875, delta=0.001)

    def test_a_stored_packet_holds_the_packet_as_it_came(self) -> None:
        context, packets = self.fleet.packets([0.5])
        self.assertEqual(self.send(context, *packets).status, 200)
        (_, stored), = self.server.stored()
        self.assertTrue(stored.endswith(packets[0]))
        self.assertLess(len(stored) - len(packets[0]), 48)
        again = self.send(stored)
        self.assertEqual((again.status, again.json()["known"]), (200, 1), "as an item with its name")

    def test_packets_wait_for_their_context_and_survive_a_restart(self) -> None:
        context, packets = self.fleet.packets([0.5] * 80)
        early = self.send(*packets)
        self.assertEqual((early.status, early.json()["field"], early.json()["stored"]), (422, "context", 0))
        registered = self.send(context)
        self.assertEqual((registered.status, registered.json()["stored"]), (200, 64))
        self.assertEqual([name for name, _ in self.names(registered)], list(range(16, 80)), "the last 64 of a device wait")
        self.server.stop()
        self.server.start()
        again = self.send(*packets)
        self.assertEqual((again.status, again.json()["stored"], again.json()["known"]), (200, 16, 64))

    def test_receipts_say_what_is_stored_and_what_is_announced(self) -> None:
        context, packets = self.fleet.packets([0.5, 0.25])
        answer = self.send(context, *packets, headers=RECEIPTS)
        receipts = [self.fleet.receipt(answer.body[at:at + 60]) for at in range(0, len(answer.body), 60)]
        self.assertEqual([(name[0], name[2], outcome) for name, outcome in receipts],
                         [(1, 0, ANNOUNCED), (1, 0, STORED), (1, 1, STORED)])

    def test_every_refusal_names_its_field(self) -> None:
        context, packets = self.fleet.packets([0.5] * 3)
        nameless, unnamed = self.fleet.packets([0.5], "--device-bytes", "0")
        other, _ = harness.Fleet(secret=True).packets([0.5])
        self.assertEqual(self.send(context, packets[0]).status, 200)
        packet = packets[1]
        size = len(packet) - 1
        body = packet[1:]
        changed = bytearray(packet)
        changed[-1] ^= 1
        for element, name in [
            (bytes([0x40 + size - 1]) + body[:-1], "packet"), (bytes([0x40 + size + 1]) + body + b"\0", "packet"),
            (bytes(changed), "tag"), (other, "key"), (b"\x40", "packet"), (context[:-1] + b"\0", "tag"),
            (b"\x82\x02" + packet, "device"), (bytes([0x40 + size]) + bytes([body[0] ^ 1]) + body[1:], "context"),
            (nameless, "number"), (b"\x59\x06\x41" + b"\0" * 1601, "packet"),
        ]:
            with self.subTest(name=name, begin=element[:8]):
                answer = self.send(element)
                self.assertEqual((answer.status, answer.json()["field"]), (422, name), answer.body)
                self.assertTrue(name == "tag" or "allowed" in answer.json()["detail"], answer.body)
        self.assertEqual(unnamed[0][0], 0x82)
        whole = self.send(*packets[1:])
        self.assertEqual((whole.status, whole.json()["stored"]), (200, 2), "whatever was refused before")

    def test_a_counter_that_was_set_back_stores_nothing(self) -> None:
        context, packets = self.fleet.packets([0.5] * 10, "--epoch", "2000000000")
        self.assertEqual(self.send(context, *packets).json()["stored"], 10)
        _, others = self.fleet.packets([0.25], "--epoch", "2000000000")
        self.assertEqual(self.names(self.send(*others)), [(10, "stored")])
        far, jump = self.fleet.packets([0.25], "--epoch", "2000000000", "--sequence", "5000")
        self.assertEqual(self.names(self.send(*jump)), [(5000, "stored")])
        self.assertEqual(self.names(self.send(*packets[:2])), [], "names of which nobody can say whether they came")
        self.assertEqual(self.send(far).json()["contexts"], 1)

    def test_a_new_epoch_is_announced_and_the_one_before_is_stale(self) -> None:
        context, packets = self.fleet.packets([0.5] * 3, "--epoch", "2110000000")
        later, others = self.fleet.packets([0.5] * 3, "--epoch", "2110000001")
        self.assertEqual(self.send(context, packets[0], later).status, 200)
        self.assertEqual(self.names(self.send(packets[1], others[0])), [(1, "stored"), (0, "stored")])
        stale = self.send(packets[2])
        self.assertEqual((stale.status, stale.json()["field"]), (422, "sequence"))

    def test_a_revoked_device_registers_and_sends_nothing(self) -> None:
        context, packets = self.fleet.packets([0.5] * 2, "--epoch", "2120000000")
        self.assertEqual(self.send(context, packets[0]).status, 200)
        harness.isopod("device", "revoke", "1", "--keys", self.server.keys.parent)
        for element in (context, packets[1]):
            answer = self.send(element)
            self.assertEqual((answer.status, answer.json()["field"]), (422, "device"), answer.body)

    def test_a_page_of_small_pieces_is_one_body(self) -> None:
        context, packets = self.fleet.packets([0.5] * 30, "--epoch", "2130000000")
        body = context + b"".join(packets)
        answer = self.server.ask("POST", "/v1/frames", iter([body[at:at + 7] for at in range(0, len(body), 7)]))
        self.assertEqual((answer.status, answer.json()["stored"], answer.json()["contexts"]), (200, 30, 1))
        cut = self.send(body[:-1])
        self.assertEqual((cut.status, cut.json()["known"], cut.json()["field"]), (422, 29, "body"))


class Pads(unittest.TestCase):
    """Packets of pads: the server adds what it cannot read."""

    def setUp(self) -> None:
        self.fleet = harness.Fleet(devices=3, parameters="pads")
        self.server = harness.Server(self.fleet.server).start()
        self.addCleanup(self.server.kill)

    def packets(self, device: int, rows: list[str], *options: str) -> tuple[bytes, list[bytes]]:
        """A context, and a packet of each row."""
        place = harness.folder()
        (place / "values.csv").write_text("a,b\n" + "".join(f"{row}\n" for row in rows))
        harness.isopod("encrypt", "--keys", self.fleet.keys / f"device-{device}", "--values", place / "values.csv", "--out",
                       place / "packets", "--bound-bits", "7", *options)
        return harness.elements((place / "packets").read_bytes())

    def test_sums_over_devices_are_exact_and_survive_a_restart(self) -> None:
        for device in (1, 2, 3):
            context, packets = self.packets(device, [f"{100 - at},{-device}" for at in range(20)])
            random.Random(device).shuffle(packets)
            answer = self.server.send(*packets[:5], context, *packets[5:], *packets[:3], headers=CBOR)
            told = answer.json()
            self.assertEqual((answer.status, told["stored"], told["known"], told["contexts"]), (422, 20, 3, 1), told)
        self.server.stop()
        self.server.start()
        _, results = self.server.run_job(job="sum")
        self.assertEqual(self.fleet.decrypt(results), [3 * sum(range(81, 101)), -20 * 6])
        _, results = self.server.run_job(job="column-mean")
        self.assertEqual(self.fleet.decrypt(results), [90.5, -2])

    def test_what_no_sum_of_pads_is_is_refused_before_it_is_answered(self) -> None:
        context, packets = self.packets(1, ["127,127"] * 300)
        self.assertEqual(self.server.send(context, *packets, headers=CBOR).json()["stored"], 300)
        problem, _ = self.server.run_job(job="total")
        self.assertIn("allowed under pads are", problem["detail"])
        state, results = self.server.run_job(job="sum")
        self.assertEqual(results, b"")
        self.assertIn("may be as large as 38400; allowed is less than 32768", str(state))
        broken = bytearray(packets[0])
        broken[-1] ^= 1
        self.assertEqual(self.server.send(bytes(broken), headers=CBOR).json()["field"], "tag")
        _, longer = self.packets(2, ["1,2"], "--tag-bytes", "16")
        self.assertEqual(self.server.send(*longer, headers=CBOR).json()["field"], "context")


class Messages(unittest.TestCase):
    """Packets over a broker."""

    def test_contexts_and_packets_come_by_messages(self) -> None:
        fleet = harness.Fleet(secret=True)
        broker = Broker()
        self.addCleanup(broker.kill)
        server = harness.Server(fleet.server, options=broker.options()).start()
        self.addCleanup(server.kill)
        listener = Listener(broker.login, fleet)
        self.addCleanup(listener.close)
        context, packets = fleet.packets([0.5] * 3)
        broker.publish("isopod/frames/device-1", packets[0])
        broker.publish("isopod/frames/device-1", context + packets[1])
        broker.publish("isopod/frames/device-1", packets[2])
        listener.wait(4)
        self.assertEqual(sorted(name[2] for name, _ in server.stored()), [0, 1, 2])


if __name__ == "__main__":
    unittest.main()
