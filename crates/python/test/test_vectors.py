"""The package encrypts the known answers of spec/vectors bit by bit, and reads files of earlier versions.

These tests need a feature by which the caller gives the entropy. Wheels are built without it."""
import hashlib
import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT

sys.path.append(str(ROOT))

# isort: split
import isopod
import numpy as np

from spec.base.parameters import read_sets
from spec.gen.vectors.ciphertexts import SENDER, pair_of
from spec.gen.vectors.inputs import counting_bytes, integers_of, numbers_of
from spec.model.keys import PUBLIC, SECRET_TERNARY, blob
from spec.model.packing import unpack

SUITES = {1: "chacha20", 2: "shake256", 3: "seal-shake256"}
LAYOUTS = {1: "repeated", 4: "coefficients"}
PUBLIC_KINDS = (1, 3)
TAG_BYTES = 17
KEPT = ROOT / "spec/compatibility"


def vectors(name):
    """The records of one document of known answers."""
    return json.loads((ROOT / f"spec/vectors/{name}.json").read_text())


def sha3(data):
    return hashlib.sha3_256(data).hexdigest()


def item(data):
    """The CBOR encoding of a byte string."""
    return bytes([0x58, len(data)] if len(data) > 23 else [0x40 + len(data)]) + data


def polynomials(record):
    """The number of polynomials in a frame. Under a secret key it has c0, and a seed in place of c1."""
    return 2 if record["kind"] in PUBLIC_KINDS else 1


class KnownAnswers(unittest.TestCase):
    """spec/model makes the keys of the known answers, and the package encrypts."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="isopod-vectors-")))
        cls.sets = {entry.name: entry for entry in read_sets()}

    def device(self, name, by_secret_key):
        """The device of the known answers under a set, before its first frame."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        files = self.files(name)
        for file, content in files.items():
            (folder / file).write_bytes(content)
            (folder / file).chmod(0o600)
        return isopod.Device(folder, by_secret_key=by_secret_key)

    def files(self, name):
        """The device's folder."""
        pair = pair_of(self.sets[name])
        device = b"\x19" + SENDER.device.to_bytes(2, "big")
        fields = b"\x86\x02\x18\x32" + item(pair.key_id) + device + item(SENDER.device_key)
        return {"frame.key": fields + item(hashlib.sha3_256(fields).digest()), "public.key": blob(pair, PUBLIC),
                "secret.key": blob(pair, SECRET_TERNARY)}

    def frame(self, record, values, **options):
        """The single frame of these values, under the entropy of the known answers."""
        device = self.device(record["set"], record["kind"] not in PUBLIC_KINDS)
        if not hasattr(device._device, "_fix_entropy"):
            self.skipTest("a wheel takes no entropy from its caller")
        device._device._fix_entropy(counting_bytes(0, 64))
        frame, = device.encrypt(values, suite=SUITES[record["suite"]], epoch=SENDER.epoch, sequence=SENDER.sequence, **options)
        return frame

    def test_ciphertexts_of_ckks(self):
        names, compared = {"ckks-1024x1-sum", "ckks-2048x1-air"}, 0
        for record in vectors("encryption")["encryption"]:
            if record["set"] not in names or record["pattern"] != "random":
                continue
            entry = self.sets[record["set"]]
            values = np.array(numbers_of(entry.ring_degree // 2, "f32", record["log2_bound"]), dtype=np.float32)
            frame = self.frame(record, values, scale_bits=record["log2_scale"], bound_bits=record["log2_bound"], layout="slots")
            wanted = (record["c0_sha3"], record["c1_sha3"])[:polynomials(record)]
            with self.subTest(**{name: record[name] for name in ("set", "kind", "suite")}):
                self.assertEqual(self.residues(entry, record, frame), wanted)
                compared += 1
        self.assertEqual(compared, 12)

    def residues(self, entry, record, frame):
        """Digests of the residues of a frame with one prime; they lie before the tag."""
        bits = entry.data_primes[0].bit_length()
        size = entry.ring_degree * bits // 8
        packed = frame[-TAG_BYTES - polynomials(record) * size:-TAG_BYTES]
        rows = (unpack(packed[start:start + size], bits) for start in range(0, len(packed), size))
        return tuple(sha3(np.array(row, dtype="<u4").tobytes()) for row in rows)

    def test_frames_of_bfv(self):
        """Compares signed numbers only. A frame depends on the type of its values, and Python encrypts int32."""
        compared = 0
        for record in vectors("bfv")["bfv_frames"]:
            entry = self.sets[record["set"]]
            is_pythons = (record["numbers"], record["interleave"]) == ("s32", 1) and record["layout"] in LAYOUTS
            if entry.ring_degree > 2048 or not is_pythons:
                continue
            values = np.array(integers_of(record["count"], record["numbers"], entry.plain_modulus), dtype=np.int32)
            frame = self.frame(record, values, bound_bits=31, layout=LAYOUTS[record["layout"]], level=record["level"])
            with self.subTest(**{name: record[name] for name in ("set", "kind", "layout", "count")}):
                self.assertEqual((len(frame), sha3(frame)), (record["bytes"], record["sha3"]))
                compared += 1
        self.assertGreaterEqual(compared, 8)


class EarlierVersions(unittest.TestCase):
    """Reads the folders of spec/compatibility."""

    def test_results_and_frames_are_read(self):
        kept = sorted(path.parent for path in KEPT.glob("*/*/values.json"))
        self.assertGreaterEqual(len(kept), 3)
        for folder in kept:
            with self.subTest(version=folder.parent.name, set=folder.name), tempfile.TemporaryDirectory() as place:
                self.read(folder, Path(place) / "kept")

    def read(self, folder, work):
        shutil.copytree(folder, work)
        for path in work.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
        wanted = np.array(json.loads((work / "values.json").read_text()))
        owner, server = isopod.Owner(work / "owner"), isopod.Server(work / "server")
        found = owner.decrypt((work / "results.bin").read_bytes()).values.ravel()
        self.assertEqual(found.tolist(), wanted.tolist())
        again = owner.decrypt(server.sum(work / "frames.bin"))
        self.assertLessEqual(np.abs(again.values.ravel() - wanted).max(), 2 * again.error)
