"""Tests the Python package: every call with real keys, and every refusal."""
import hashlib
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

from support import PASSPHRASE, InFolder

# isort: split
import isopod
import numpy as np
import pandas as pd
import pyarrow as pa


class MaskedWhenAsked:
    """A variable of a file format that gives a masked array."""

    def __array__(self, dtype=None, copy=None):
        return np.ma.array([1.0, 2.0], mask=[False, True])


class RealNumbers(InFolder):
    """Means, sums and scores of CKKS."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.keys = isopod.keygen(cls.folder / "keys", set="ckks-2048x1-air", devices=[1, 2, 3], passphrase=PASSPHRASE)
        cls.owner = isopod.Owner(cls.keys.owner, passphrase=PASSPHRASE)
        cls.server = isopod.Server(cls.keys.server)
        cls.device = isopod.Device(cls.keys.device(1))
        cls.numbers = np.random.default_rng(5)

    def mean(self, *tables, **options):
        frames = [frame for table in tables for frame in self.device.encrypt(table, **options)]
        return self.owner.decrypt(self.server.mean(frames))

    def test_mean_of_devices(self):
        days = [self.numbers.uniform(-8, 8, 50) for _ in range(3)]
        frames = [isopod.Device(self.keys.device(number)).encrypt(day)[0] for number, day in zip((1, 2, 3), days)]
        answer = self.server.mean(frames)
        result = self.owner.decrypt(bytes(answer))
        self.assertEqual((answer.frames, result.job, result.news, result.values.shape), (3, "mean", "new", (1, 50)))
        self.assertLessEqual(np.abs(result.values - np.mean(days, axis=0)).max(), result.error)
        self.assertLess(result.error, 0.2)
        self.assertEqual(self.owner.decrypt(answer).news, "again")

    def test_dtypes_and_shapes_give_the_same_values(self):
        table = self.numbers.integers(-9, 9, (4, 6))
        for form in (table.astype(np.float64), table.astype(np.float32), table.astype(np.int16), table.tolist(),
                     np.asfortranarray(table.astype(np.float64)), pd.DataFrame(table), pa.table(pd.DataFrame(table))):
            with self.subTest(form=type(form)):
                result = self.mean(form)
                self.assertEqual(result.values.shape, (4, 6))
                self.assertLessEqual(np.abs(result.values - table).max(), result.error)

    def test_values_are_the_memory_of_the_decryption(self):
        values = self.mean(np.ones(30)).values
        base = values
        while isinstance(base, np.ndarray):
            base = base.base
        self.assertEqual(type(base).__name__, "PySliceContainer")

    def test_refusals_name_field_and_range(self):
        cases = [
            (np.array([1.0, np.nan]), {}, isopod.InputError, "row 0, column 1, counted from 0: NaN; allowed are numbers"),
            (np.array([[1.0, 2.0], [-np.inf, 0.0]]), {}, isopod.InputError, "row 1, column 0, counted from 0: -inf is out"),
            (np.array([[1.0], [17.0]]), {"columns": ["heat"]}, isopod.InputError, "row 1, column heat, counted from 0: 17 is"),
            ([[1.0, 2.0], [3.0]], {}, isopod.DtypeError, "values: no table; allowed are rows of the same length"),
            (np.array(["x"]), {}, isopod.DtypeError, "dtype str"),
            (np.zeros((2, 2, 2)), {}, isopod.DtypeError, "allowed is (rows, columns)"),
            (np.zeros((0, 2)), {}, isopod.DtypeError, "at least one value"),
            (np.ma.array([1.0, 2.0], mask=[False, True]), {}, isopod.InputError, "values: a masked array; allowed are arrays"),
            (np.ma.array([1, 2]), {}, isopod.InputError, "values: a masked array"),
            ([np.ma.array([1.0, 2.0], mask=[False, True])], {}, isopod.InputError, "values: a masked array"),
            ([1.0, np.ma.masked], {}, isopod.InputError, "values: a masked array"),
            (MaskedWhenAsked(), {}, isopod.InputError, "values: a masked array"),
            (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), {}, isopod.InputError, "NaN; allowed are numbers"),
            (pd.Series([1, None], dtype="Int64"), {}, isopod.InputError, "NaN; allowed are numbers"),
            (pa.table({"a": [1, None]}), {}, isopod.InputError, "row 1, column a, counted from 0: NaN; allowed are numbers"),
            (pa.array([1, None], type=pa.uint8()), {}, isopod.InputError, "NaN; allowed are numbers"),
            (np.array([1j]), {}, isopod.DtypeError, "complex128"),
            (np.zeros(4096), {}, isopod.InputError, "4096 columns; allowed are 1 to 2048"),
            (np.zeros(4), {"columns": ["a"]}, isopod.InputError, "columns: 1 names; allowed are 4"),
            (np.zeros(4), {"layout": "spiral"}, isopod.InputError, "layout: spiral; allowed is one of slots"),
            (np.zeros(4), {"suite": "dice"}, isopod.InputError, "suite: dice; allowed"),
            (np.zeros(4), {"scale_bits": 60}, isopod.InputError, "scale_bits: 60 is out of range; allowed is 10 to 22"),
            (np.zeros(4), {"buckets": [1, 2]}, isopod.InputError, "sets that begin with bfv-"),
            (np.zeros(4), {"fill_rows": True, "layout": "slots"}, isopod.InputError, "fill_rows: rows in slots are a power"),
            (np.zeros((600, 3)), {"fill_rows": True, "rows_per_frame": 600}, isopod.InputError, "allowed is 1 to 512 for 3"),
        ]
        before = self.device.encrypt(np.zeros(4))
        for values, options, error, message in cases:
            with self.subTest(message=message), self.assertRaises(error) as raised:
                self.device.encrypt(values, **options)
            self.assertIn(message, str(raised.exception))
        after = self.device.encrypt(np.zeros(4))
        gap = self.owner.decrypt(self.server.sum([*before, *after]))
        self.assertEqual(gap.missing, (), "a refused call takes no number")

    def test_filled_rows_are_a_power_of_two_apart(self):
        table = self.numbers.uniform(-8, 8, (512, 3))
        result = self.mean(table, fill_rows=True)
        self.assertEqual(result.values.shape, table.shape)
        self.assertLessEqual(np.abs(result.values - table).max(), result.error)
        few = table[:100]
        filled, dense = (self.device.encrypt(few, fill_rows=filled)[0] for filled in (True, False))
        self.assertEqual(len(filled), len(dense), "nothing is sent for the places between")
        with self.assertRaisesRegex(isopod.InputError, "stride"):
            self.server.mean([filled, dense])

    def test_gaps_are_named(self):
        frames = [self.device.encrypt(np.ones(3))[0] for _ in range(4)]
        missing = self.owner.decrypt(self.server.sum([frames[0], frames[3]])).missing
        self.assertEqual([span.last - span.first for span in missing], [1])
        self.assertEqual(missing[0].device, 1)

    def test_keys_of_another_fleet(self):
        other = isopod.keygen(self.folder / "other", set="ckks-2048x1-air", passphrase=None)
        frames = isopod.Device(other.device(1)).encrypt(np.ones(3))
        with self.assertRaisesRegex(isopod.AuthenticationError, "another key pair"):
            self.server.sum(frames)
        answer = isopod.Server(other.server).sum(frames)
        with self.assertRaisesRegex(isopod.AuthenticationError, "another key pair"):
            self.owner.decrypt(answer)
        self.assertEqual(isopod.Owner(other.owner).decrypt(answer).news, "new")
        with self.assertRaisesRegex(isopod.KeysError, "key pair"):
            isopod.Device(self.keys.device(1), public_key=other.folder / "public/public.key")

    def test_damage(self):
        frame = bytearray(self.device.encrypt(np.ones(3))[0])
        frame[-40] ^= 1
        with self.assertRaisesRegex(isopod.AuthenticationError, r"frames\[0\]: part at byte 0: tag"):
            self.server.sum([bytes(frame)])
        good = self.device.encrypt(np.ones(3))
        answer = self.server.sum([bytes(frame), *good], quarantine=True)
        self.assertEqual((answer.frames, len(answer.set_aside), answer.set_aside[0].item), (1, 1, bytes(frame)))
        self.assertIn("tag", answer.set_aside[0].reason)
        damaged = bytearray(bytes(answer))
        damaged[-200] ^= 1
        with self.assertRaisesRegex(isopod.AuthenticationError, "tag"):
            self.owner.decrypt(bytes(damaged))
        for part in (bytes(answer)[:-1], b"", b"a,b\n1,2\n", good[0], "results.bin", 7):
            with self.subTest(part=str(part)[:8]), self.assertRaises(isopod.InputError):
                self.owner.decrypt(part)
        self.assertEqual(self.owner.decrypt(answer).news, "new", "what was refused is not remembered")
        with self.assertRaisesRegex(isopod.InputError, r"frames\[0\]: int; allowed are bytes and paths"):
            self.server.sum([7])
        with self.assertRaisesRegex(isopod.StorageError, "nowhere"):
            self.server.sum(["nowhere.bin"])

    def test_frames_enter_once(self):
        frames = self.device.encrypt(np.ones(3))
        self.server.sum(frames)
        with self.assertRaisesRegex(isopod.InputError, "entered"):
            self.server.sum(frames)
        self.assertEqual(self.server.sum(frames, again=True).frames, 1)

    def test_partial_states(self):
        tables = [np.full(3, float(number)) for number in range(4)]
        frames = [self.device.encrypt(table)[0] for table in tables]
        halves = [self.server.partial("sum", frames[:2]), self.server.partial("sum", frames[2:])]
        result = self.owner.decrypt(self.server.sum(halves))
        self.assertLessEqual(np.abs(result.values - 6.0).max(), result.error)

    def test_thresholds_and_edges_keep_their_fractions(self):
        for number, above in ((75.5, 75.5), (np.float32(75.5), 75.5), (np.int64(75), 75), (75.0, 75)):
            request = json.loads(self.owner.request("count", above=number))
            self.assertEqual(request["above"], above)
        request = json.loads(self.owner.request("histogram", edges=np.array([20, 75.5]), gap=2))
        self.assertEqual((request["edges"], request["gap"]), ([20, 75.5], 2))

    def test_requests_with_challenge(self):
        request = self.owner.request("mean")
        answer = self.server.answer(request, self.device.encrypt(np.ones(3)))
        self.assertEqual(self.owner.decrypt(answer, request=request).job, "mean")
        other = self.owner.request("mean")
        with self.assertRaisesRegex(isopod.InputError, "challenge"):
            self.owner.decrypt(answer, request=other)

    def test_filters(self):
        signal = self.numbers.uniform(-1, 1, 64)
        answer = self.server.evaluate("moving-average", self.device.encrypt(signal), window=4)
        result = self.owner.decrypt(answer)
        wanted = np.convolve(signal, np.full(4, 0.25), mode="valid")
        self.assertEqual(result.values.shape, (1, wanted.size))
        self.assertLessEqual(np.abs(result.values[0] - wanted).max(), result.error)
        with self.assertRaisesRegex(isopod.InputError, "window: missing"):
            self.server.evaluate("moving-average", [])

    def test_tables_out(self):
        result = self.mean(np.arange(6.0).reshape(2, 3))
        frame = result.to_pandas()
        self.assertEqual(list(frame.columns), ["device", "epoch", "sequence", "row", "column", "value", "error"])
        self.assertEqual(frame.row.tolist(), [0, 0, 0, 1, 1, 1])
        self.assertEqual(frame.device.unique().tolist(), [-1])
        self.assertEqual(result.to_arrow().num_rows, 6)

    def test_progress_and_its_exceptions(self):
        seen = []
        self.device.encrypt(np.zeros((3, 4)), rows_per_frame=1, progress=lambda *step: seen.append(step))
        self.assertEqual(seen, [("encrypting", done, 3) for done in range(4)])

        def stop(*_):
            raise KeyboardInterrupt

        frames = self.device.encrypt(np.ones(3))
        with self.assertRaises(KeyboardInterrupt):
            self.device.encrypt(np.zeros(4), progress=stop)
        with self.assertRaises(KeyboardInterrupt):
            isopod.keygen(self.folder / "never", passphrase=None, progress=stop)
        self.assertFalse((self.folder / "never").exists())
        answer = self.server.sum(frames)
        with self.assertRaises(KeyboardInterrupt):
            self.owner.decrypt(answer, progress=stop)
        self.assertEqual(self.owner.decrypt(answer).news, "new", "nothing was remembered")

    def test_the_lock_is_released(self):
        table = np.zeros((400, 2048))
        ticks, done = [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        start = time.monotonic()
        self.device.encrypt(table)
        end = time.monotonic()
        done.set()
        thread.join()
        self.assertGreater(sum(start < at < end for at in ticks), 5)

    def test_keys_and_folders(self):
        with self.assertRaisesRegex(isopod.KeysError, "."):
            isopod.Owner(self.keys.owner, passphrase="wrong")
        with self.assertRaisesRegex(isopod.KeysError, "."):
            isopod.Owner(self.keys.owner)
        with self.assertRaisesRegex(isopod.InputError, "set: nothing is unknown; allowed is one of ckks-"):
            isopod.keygen(self.folder / "x", set="nothing", passphrase=None)
        with self.assertRaisesRegex(isopod.Error, "keys"):
            isopod.keygen(self.keys.folder, passphrase=None)
        with self.assertRaisesRegex(isopod.InputError, "devices: 2 devices; allowed with a secret key is one"):
            isopod.keygen(self.folder / "x", devices=[1, 2], secret_key_on_device=True, passphrase=None)
        with self.assertRaisesRegex(isopod.InputError, "job: dance is unknown"):
            isopod.keygen(self.folder / "x", job="dance", passphrase=None)
        with self.assertRaisesRegex(isopod.InputError, "histogram is not computed .* such as bfv-4096x2-linear"):
            isopod.keygen(self.folder / "x", set="ckks-4096x2-linear", job="histogram", passphrase=None)
        chosen = isopod.keygen(self.folder / "chosen", job="filter", passphrase=None)
        self.assertEqual(isopod.Server(chosen.server).set, "ckks-2048x2-air")
        with self.assertRaises(isopod.Error):
            isopod.Device(self.folder / "nowhere")
        self.assertIn("ckks-2048x1-air", [found.name for found in isopod.sets()])

    def test_a_foreign_public_key_under_the_own_name(self):
        other = isopod.keygen(self.folder / "foreign", set="ckks-2048x1-air", passphrase=None, evaluation_keys=False)
        own, foreign = (keys.folder / "public/public.key" for keys in (self.keys, other))
        spliced = bytearray(foreign.read_bytes())
        spliced[24:40] = own.read_bytes()[24:40]
        spliced[48:80] = hashlib.sha3_256(spliced[:48] + spliced[80:]).digest()
        (self.folder / "spliced.key").write_bytes(spliced)
        for named, message in ((foreign, "another key pair"), (self.folder / "spliced.key", "key_id is not that of the key")):
            with self.assertRaisesRegex(isopod.KeysError, message):
                isopod.Device(self.keys.device(1), public_key=named)
        self.assertEqual(isopod.Device(self.keys.device(1)).key, self.owner.key)
        self.assertNotEqual(isopod.Device(other.device(1)).key, self.owner.key)

    def test_the_command_line(self):
        command = [sys.executable, "-c", "from isopod.command import main; main()"]

        def run(*words):
            environment = {"PYTHONPATH": str(Path(isopod.__file__).parents[1])}
            return subprocess.run([*command, *words], capture_output=True, text=True, env=environment, check=False)

        answer = self.folder / "answer.bin"
        answer.write_bytes(bytes(self.server.sum(self.device.encrypt(np.ones(3)))))
        shown = run("inspect", str(answer))
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("ckks-2048x1-air", shown.stdout)
        self.assertEqual(run("dance").returncode, 2)
        self.assertEqual(run("inspect", "nowhere").returncode, 1)


class WholeNumbers(InFolder):
    """BFV and TFHE: the work of device and owner, and the server's work that needs no tfhe-rs."""

    def test_exact_sums_and_histograms(self):
        keys = isopod.keygen(self.folder / "bfv", set="bfv-4096x3-sum", passphrase=None)
        owner, server, device = isopod.Owner(keys.owner), isopod.Server(keys.server), isopod.Device(keys.device(1))
        tables = [np.arange(6, dtype=np.int32) * number for number in (1, 2, 3)]
        frames = [device.encrypt(table, bound_bits=10)[0] for table in tables]
        result = owner.decrypt(server.sum(frames))
        self.assertEqual((result.values.tolist(), result.error), ([(np.arange(6) * 6).tolist()], 0.0))
        with self.assertRaisesRegex(isopod.DtypeError, "dtype float64"):
            device.encrypt([1.5])
        with self.assertRaisesRegex(isopod.InputError, "32 bits"):
            device.encrypt([2**40])
        self.refuses_missing(device)
        with self.assertRaisesRegex(isopod.InputError, "buckets: a masked array"):
            device.encrypt([1, 2], buckets=np.ma.array([1, 2], mask=[False, True]))
        with self.assertRaisesRegex(isopod.InputError, "weights: a masked array"):
            server.evaluate("dot", [], weights=np.ma.array([1.0, 2.0], mask=[False, True]))

    def refuses_missing(self, device):
        """Whole numbers with missing values are refused."""
        for values in (np.ma.array([1, 2], mask=[False, True]), pa.table({"a": [1, None]}), pa.array([True, None]),
                       pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), pd.array([1, None], dtype="UInt8")):
            with self.subTest(values=type(values)), self.assertRaisesRegex(isopod.InputError, "masked|dtype (float64|object)"):
                device.encrypt(values)

    def test_types_under_tfhe(self):
        keys = isopod.keygen(self.folder / "tfhe", set="tfhe-2048-tfhe-rs", evaluation_keys=False, passphrase=None)
        device = isopod.Device(keys.device(1))
        for kind in (np.bool_, np.uint8, np.int16, np.uint32, np.int64):
            self.assertEqual(len(device.encrypt(np.ones(4, dtype=kind))), 1)
        self.refuses_missing(device)
        with self.assertRaisesRegex(isopod.DtypeError, "dtype float64; allowed under tfhe"):
            device.encrypt(np.ones(3))
        with self.assertRaisesRegex(isopod.InputError, "rows_per_frame"):
            device.encrypt(np.ones((2, 500), dtype=np.uint32), rows_per_frame=2)
