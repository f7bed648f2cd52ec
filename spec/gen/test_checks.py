"""Tests which parameter sets the checks accept, and which they refuse."""

import tempfile
import tomllib
import unittest
from dataclasses import replace
from math import prod
from pathlib import Path

from ..base.arithmetic import bit_reversed_powers, is_prime, minimal_root
from ..base.parameters import PARAMETER_FILE, Refused, read_sets, sets_of
from .checks import SECURITY_TABLE, check_set, check_sets, read_limits

# Degree and prime to root, as SEAL-Embedded 1.1.0 publishes them.
SEAL_EMBEDDED_ROOTS = {
    1024: {134012929: 142143},
    2048: {134012929: 85250, 134176769: 100530},
    4096: {1053818881: 503422, 1054015489: 16768, 1054212097: 7305, 417793: 67,
           134012929: 7470, 134111233: 3856, 134176769: 24149},
    8192: {1053818881: 374229, 1054015489: 123363, 1054212097: 79941, 1055260673: 38869,
           1056178177: 162146, 1056440321: 81884},
    16384: {1053818881: 13040, 1054015489: 507, 1054212097: 1595, 1055260673: 68507, 1056178177: 3073,
            1056440321: 6854, 1058209793: 44467, 1060175873: 16117, 1060700161: 27607, 1060765697: 222391,
            1061093377: 105471, 1062469633: 310222, 1062535169: 2005},
}


class Arithmetic(unittest.TestCase):
    def test_primality_agrees_with_trial_division(self):
        for candidate in range(2000):
            divisible = any(candidate % divisor == 0 for divisor in range(2, candidate))
            self.assertEqual(is_prime(candidate), candidate > 1 and not divisible)

    def test_strong_pseudoprimes_are_composite(self):
        for candidate in (3215031751, 3825123056546413051, 318665857834031151167461):
            self.assertFalse(is_prime(candidate))

    def test_minimal_root_is_primitive_and_smallest(self):
        root = minimal_root(12289, 1024)
        self.assertEqual(pow(root, 1024, 12289), 12288)
        self.assertFalse(any(pow(smaller, 1024, 12289) == 12288 for smaller in range(2, root)))

    def test_a_root_that_does_not_exist_is_refused_at_once(self):
        for modulus, degree in ((68719403009, 8192), (33, 16)):
            with self.assertRaisesRegex(ValueError, f"{modulus} has no primitive root of order {2 * degree}"):
                minimal_root(modulus, degree)

    def test_bit_reversed_powers(self):
        self.assertEqual(bit_reversed_powers(2, 4, 17), [1, 4, 2, 8])


class BuiltInSets(unittest.TestCase):
    def test_all_pass(self):
        check_sets(read_sets())

    def test_roots_of_seal_embedded(self):
        compat = [entry for entry in read_sets() if "-seal-embedded" in entry.name]
        self.assertEqual(len(compat), 6)
        for entry in compat:
            expected = tuple(SEAL_EMBEDDED_ROOTS[entry.ring_degree][prime] for prime in entry.data_primes)
            self.assertEqual(entry.roots, expected, entry.name)
        for degree, roots in SEAL_EMBEDDED_ROOTS.items():
            for prime, root in roots.items():
                self.assertEqual(minimal_root(prime, degree), root)

    def test_published_bits_count_the_special_prime(self):
        entry = next(entry for entry in read_sets() if entry.name == "ckks-4096x3-multiply")
        product = prod(entry.data_primes) * entry.special_prime
        self.assertEqual(entry.published_bits, 106)
        self.assertEqual(product.bit_length(), 106)


class Refusals(unittest.TestCase):
    def setUp(self):
        self.sets = {entry.name: entry for entry in read_sets()}
        self.base = self.sets["ckks-4096x2-linear"]

    def refused(self, field, fragment, **changes):
        with self.assertRaises(Refused) as caught:
            check_set(replace(self.base, **changes), read_limits())
        text = str(caught.exception)
        self.assertIn(changes.get("name", self.base.name), text)
        self.assertIn(f"field '{field}'", text)
        self.assertIn(fragment, text)

    def test_primes(self):
        composite = 32749 * 8192 + 1
        self.assertFalse(is_prime(composite))
        for fragment, changes in (
            ("not a prime", {"data_primes": (composite, 1073651713)}),
            ("modulo 2n = 8192", {"data_primes": (1073741789, 1073651713)}),
            ("2^20 .. 2^60 - 1", {"data_primes": (40961, 1073651713)}),
            ("2^20 .. 2^60 - 1", {"name": "ckks-4096x2w-linear", "data_primes": (1 << 60, 1073651713)}),
            ("distinct", {"data_primes": (1073651713, 1073651713)}),
            ("distinct", {"special_prime": 1073668097}),
            ("at least one", {"name": "ckks-4096x0-linear", "data_primes": ()}),
        ):
            self.refused("data_primes", fragment, **changes)

    def test_ring_degree(self):
        for degree in (512, 3000, 65536):
            self.refused("ring_degree", "1024 to 32768", ring_degree=degree)

    def test_special_prime(self):
        for fragment, prime in (("at least as many bits as the largest data prime, 30", 417793), ("too small", 0),
                                ("not a prime", (1 << 40) + 1), ("0 means none", 1 << 61)):
            self.refused("special_prime", fragment, special_prime=prime)

    def test_label(self):
        large = (536690689, 536641537, 536608769, 536543233, 536494081)
        self.refused("label", '"128" up to 106', name="ckks-4096x5-linear", data_primes=large)
        self.refused("label", 'this set is "128"', label="compat-2018")
        self.refused("label", 'allowed: "128", "compat-2018"', label="192")
        self.base = self.sets["ckks-4096x3-seal-embedded-27"]
        self.refused("label", 'this set is "compat-2018"', label="128")

    def test_scale(self):
        for scale in ((9, 20, 30), (20, 19, 30), (10, 31, 30), (10, 20, 58), (10, 20)):
            self.refused("log2_scale", "within 10 .. 57", log2_scale=scale)
        self.base = self.sets["ckks-1024x1-sum"]
        self.refused("log2_scale", "at most 2^24", log2_scale=(10, 18, 25))

    def test_name(self):
        self.refused("name", "must begin with ckks-4096x2w-", data_primes=(1073872897, 1073651713))
        self.refused("name", "must begin with ckks-4096x2-", name="ckks-4096x2w-linear")
        self.refused("name", "ckks-4096x2-", name="ckks-4096x3-linear")
        self.refused("name", "must be", name="ckks-4096x2-Linear;")
        self.refused("purpose", "printable", purpose='a "quote"')
        self.refused("purpose", "printable", purpose="end */ of comment")

    def test_duplicates(self):
        with self.assertRaisesRegex(Refused, "names must be unique"):
            check_sets([self.base, self.base])
        with self.assertRaisesRegex(Refused, "use that set"):
            check_sets([replace(self.base, name="ckks-4096x2-again")], [self.base])


class PlainModulus(unittest.TestCase):
    def setUp(self):
        self.base = {entry.name: entry for entry in read_sets()}["bfv-4096x3-sum"]

    def refused(self, fragment, plain, **changes):
        with self.assertRaises(Refused) as caught:
            check_set(replace(self.base, plain_modulus=plain, **changes), read_limits())
        self.assertIn("bfv-4096x3-sum: field 'plain_modulus'", str(caught.exception))
        self.assertIn(fragment, str(caught.exception))

    def test_values(self):
        for fragment, values in (
            ("not a prime", (32769 * 8192 + 1,)),
            ("not 1 modulo 2n = 8192", (65539, 12289)),
            ("outside 2n + 1 .. 2^30 - 1", (0, 8191, 8192, 1 << 30, 1073872897)),
            ("must differ from all of them", (1073668097, 40961)),
        ):
            for plain in values:
                self.refused(fragment, plain)

    def test_no_room_for_noise(self):
        self.base = replace(self.base, name="bfv-4096x1-sum", data_primes=(1073692673,), special_prime=0, label="128")
        with self.assertRaisesRegex(Refused, "bfv-4096x1-sum: field 'plain_modulus': 1032193 leaves no room.*at most 164474"):
            check_set(self.base, read_limits())
        check_set(replace(self.base, plain_modulus=65537), read_limits())

    def test_the_identity_depends_on_it(self):
        other = replace(self.base, plain_modulus=65537)
        self.assertNotEqual(self.base.set_id, other.set_id)
        self.assertIn(" bfv n=4096 ", self.base.identity_text)
        self.assertIn(" t=1032193 error=cbd21", self.base.identity_text)

    def test_the_name_says_the_scheme(self):
        with self.assertRaisesRegex(Refused, "must begin with bfv-4096x3-"):
            check_set(replace(self.base, name="ckks-4096x3-sum"), read_limits())


class SecurityTable(unittest.TestCase):
    def test_a_limit_without_a_strong_enough_estimate_is_refused(self):
        text = SECURITY_TABLE.read_text(encoding="utf-8")
        for limit in ("1024 = 27, 2048 = 53", "1024 = 24, 2048 = 53"):
            with tempfile.TemporaryDirectory() as folder:
                table = Path(folder) / "table.toml"
                table.write_text(text.replace("1024 = 26, 2048 = 53", limit))
                with self.assertRaisesRegex(Refused, "label 128: the limit 2[74] at n = 1024"):
                    read_limits(table)


class Grammar(unittest.TestCase):
    def refused(self, pattern, document):
        with self.assertRaisesRegex(Refused, pattern):
            sets_of(document, "own.toml")

    def test_fields(self):
        for pattern, changes in (
            ("ckks-4096x2-linear.*unknown field 'noise'; allowed: name, ring_degree", {"noise": 3}),
            ("'ring_degree' must be of type int", {"ring_degree": 4096.0}),
            ("'data_primes' must hold integers only", {"data_primes": [True]}),
            ("unknown field 'plain_modulus'", {"plain_modulus": 65537}),
        ):
            document = tomllib.loads(PARAMETER_FILE.read_text(encoding="utf-8"))
            document["ckks"][2].update(changes)
            self.refused(pattern, document)
        del document["ckks"][2]["label"], document["ckks"][2]["plain_modulus"]
        self.refused("field 'label' is missing", document)

    def test_tables(self):
        self.refused("unknown table 'paillier'", {"paillier": []})
        self.refused("no \\[\\[ckks\\]\\] or \\[\\[bfv\\]\\] table", {})
