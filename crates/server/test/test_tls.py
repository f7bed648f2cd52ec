"""Tests certificates and tokens: the server lets the right clients in, and only to their part."""
import json
import shutil
import ssl
import subprocess
import unittest
from pathlib import Path

import harness

DEVICE = "subjectAltName=DNS:device-{device}.isopod\nextendedKeyUsage=clientAuth\n"


def issue(fleet: harness.Fleet, device: int, days: int) -> Path:
    """A device's certificate from the fleet's authority that expires after some days."""
    place = harness.folder()
    (place / "extensions").write_text(DEVICE.format(device=device))
    owner = fleet.keys / "owner/authority.key"
    for command in (
        "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout tls.key -subj /CN=device -out request",
        f"openssl x509 -req -in request -CA {fleet.server}/authority.crt -CAkey {owner} -days {days} -set_serial 7 "
        "-extfile extensions -out tls.crt",
    ):
        subprocess.run(command.split(), cwd=place, check=True, capture_output=True)
    return place


class Certificates(unittest.TestCase):
    """Mutual TLS, with a certificate for each device."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.fleet = harness.Fleet(3, certify=True)
        cls.server = harness.Server(cls.fleet.server, context=harness.trusting(cls.fleet)).start()
        cls.addClassCleanup(cls.server.kill)

    def device(self, number: int) -> ssl.SSLContext:
        """The client for a device."""
        return harness.trusting(self.fleet, self.fleet.keys / f"device-{number}")

    def owner(self, name: str = "token") -> dict:
        """The header of a request that carries a token."""
        return {"Authorization": f"Bearer {self.fleet.token(name)}"}

    def test_a_device_sends_its_own_frames_and_no_others(self) -> None:
        own = self.server.send(*self.fleet.frames(2, device=1).values(), context=self.device(1))
        other = self.server.send(*self.fleet.frames(1, device=2).values(), context=self.device(1))
        self.assertEqual((own.status, other.status, other.json()["field"]), (200, 422, "device"))
        tls12 = self.device(1)
        tls12.maximum_version = ssl.TLSVersion.TLSv1_2
        older = self.server.send(*self.fleet.frames(1, device=1).values(), context=tls12)
        self.assertEqual(older.status, 200)

    def test_a_device_may_do_nothing_else(self) -> None:
        for method, path in (("GET", "/v1/totals"), ("POST", "/v1/jobs"), ("DELETE", "/v1/frames?device=1"), ("GET", "/metrics"),
                             ("GET", "/v1/jobs/1/results"), ("GET", "/v1/quarantine"), ("GET", "/v1/devices")):
            answer = self.server.ask(method, path, context=self.device(1))
            self.assertEqual((answer.status, answer.json()["field"]), (403, "authorization"), path)

    def test_nobody_does_nothing(self) -> None:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": self.fleet.token()}):
            for path in ("/v1/totals", "/v1/jobs", "/v1/devices", "/metrics"):
                answer = self.server.ask("GET", path, headers=headers)
                self.assertEqual((answer.status, answer.headers["www-authenticate"]), (401, "Bearer"), path)
        self.assertEqual(self.server.send(*self.fleet.frames(1).values()).status, 401)
        for path in ("/healthz", "/readyz", "/openapi.json", "/"):
            self.assertEqual(self.server.ask("GET", path).status, 200)

    def test_tokens_have_roles_and_are_stored_as_hashes(self) -> None:
        self.assertEqual(self.server.ask("GET", "/v1/totals", headers=self.owner()).status, 200)
        monitor = self.owner("token-graphs")
        self.assertEqual(self.server.ask("GET", "/metrics", headers=monitor).status, 200)
        self.assertEqual(self.server.ask("DELETE", "/v1/frames?device=9", headers=monitor).status, 403)
        self.assertEqual(self.server.send(b"x", headers=monitor).status, 403)
        self.assertNotIn(self.fleet.token(), (self.fleet.server / "tokens").read_text())

    def test_a_token_that_is_added_or_removed_counts_at_once(self) -> None:
        harness.isopod("device", "certify", "--keys", self.fleet.keys, "--token", "gateway:site-1")
        gateway = self.owner("token-site-1")
        self.assertEqual(self.server.send(*self.fleet.frames(1, device=2).values(), headers=gateway).status, 200)
        tokens = self.fleet.server / "tokens"
        kept = [line for line in tokens.read_text().splitlines() if not line.endswith("site-1")]
        tokens.write_text("\n".join(kept) + "\n")
        self.assertEqual(self.server.send(*self.fleet.frames(1, device=2).values(), headers=gateway).status, 401)

    def test_certificates_of_others_and_expired_ones_are_refused(self) -> None:
        other = harness.Fleet(1, certify=True)
        for place in (other.keys / "device-1", issue(self.fleet, 1, -1)):
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                self.server.ask("GET", "/readyz", context=harness.trusting(self.fleet, place))
        fine = self.server.send(*self.fleet.frames(1).values(), context=harness.trusting(self.fleet, issue(self.fleet, 1, 1)))
        self.assertEqual(fine.status, 200)

    def test_a_revoked_device_is_turned_away_at_once(self) -> None:
        frames = self.fleet.frames(2, device=3)
        sent = list(frames.values())
        self.assertEqual(self.server.send(sent[0], context=self.device(3)).status, 200)
        harness.isopod("device", "revoke", "3", "--keys", self.fleet.server)
        answer = self.server.send(sent[1], context=self.device(3))
        self.assertEqual((answer.status, answer.json()["field"]), (403, "device"))

    def test_a_client_that_trusts_another_authority_does_not_connect(self) -> None:
        with self.assertRaises(ssl.SSLError):
            self.server.ask("GET", "/readyz", context=ssl.create_default_context())

    def test_a_new_device_gets_its_certificate_with_its_folder(self) -> None:
        harness.isopod("device", "add", "44", "--keys", self.fleet.keys)
        answer = self.server.send(*self.fleet.frames(1, device=44).values(), context=self.device(44))
        self.assertEqual(answer.status, 200)

    @unittest.skipUnless(shutil.which("curl"), "curl not found")
    def test_frames_over_http_2(self) -> None:
        place, certificate = harness.folder(), self.fleet.keys / "device-1"
        (place / "frames").write_bytes(b"".join(self.fleet.frames(50).values()))
        command = ["curl", "-sS", "--http2", "--cacert", certificate / "authority.crt", "--cert", certificate / "tls.crt",
                   "--key", certificate / "tls.key", "--data-binary", f"@{place / 'frames'}",
                   "-H", "Content-Type: application/cbor-seq", "-w", "\n%{http_version}", f"https://localhost:{self.server.address[1]}/v1/frames"]
        answer, version = subprocess.run(command, capture_output=True, text=True, check=True).stdout.rsplit("\n", 1)
        self.assertEqual((version, json.loads(answer)["stored"]), ("2", 50))

    def test_a_device_that_sends_too_many_bodies_at_once_is_told_to_wait(self) -> None:
        held = []
        for _ in range(4):
            connection = self.server.connection(self.device(1))
            connection.putrequest("POST", "/v1/frames")
            connection.putheader("Content-Length", "100000")
            connection.endheaders(next(iter(self.fleet.frames(1).values()))[:100])
            held.append(connection)
        statuses = []
        for _ in range(100):
            answer = self.server.send(*self.fleet.frames(1, device=1).values(), context=self.device(1))
            statuses.append(answer.status)
            if answer.status == 429:
                break
        for connection in held:
            connection.close()
        self.assertEqual((answer.status, answer.json()["field"], answer.headers["retry-after"]), (429, "device", "1"), statuses)


class Names(unittest.TestCase):
    """Tests the command that certifies."""

    def test_bad_names_roles_and_a_second_certificate_are_refused(self) -> None:
        fleet = harness.Fleet(1, certify=True)
        for arguments, said in ((["1"], "exists already"), (["--token", "king:a"], "allowed are owner"), (["9"], "9"),
                                (["--token", "monitor:a b"], "allowed are 1 to 64")):
            with self.assertRaisesRegex(RuntimeError, said):
                harness.isopod("device", "certify", *arguments, "--keys", fleet.keys)
        harness.isopod("device", "certify", "1", "--keys", fleet.keys, "--again", "--server-name", "meters.example,10.0.0.1")
        text = subprocess.run(["openssl", "x509", "-in", fleet.server / "tls.crt", "-noout", "-text"], capture_output=True,
                              text=True, check=True).stdout
        self.assertIn("DNS:meters.example, IP Address:10.0.0.1", text)
