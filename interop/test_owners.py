"""Checks that Lattigo's thresholdizer and partial decryption and the model of several owners (spec/model/owners.py, whose known
answers the crate isopod-owners has too) read each other's shares: additive shares are equal, and either opens with the other."""
import json
import random
import subprocess
import tempfile
import unittest
from math import prod
from pathlib import Path

from interop.test_interop import HERE, go_is_recent, run
from spec.gen.checks import PARAMETER_FILE, check_file
from spec.gen.vectors.owners import ciphertext
from spec.model.ntt import inverse_ntt, ntt
from spec.model.owners import HolderPart, contribution, factor, fractions, integers, joined

SET, HOLDERS, ACTIVE, BITS = "bfv-4096x3-owners", 3, (1, 3), 64
FLOOD = 2.0 ** 24


class Owners:
    """A key of two of three, and a message under it."""

    def __init__(self) -> None:
        self.entry = next(entry for entry in check_file(PARAMETER_FILE) if entry.name == SET)
        self.primes = self.entry.data_primes
        parts = [HolderPart(self.entry, bytes(32), number, bytes([number] * 32)) for number in range(1, HOLDERS + 1)]
        self.shares = {number: joined(self.entry, [part.share(len(ACTIVE), number) for part in parts])
                       for number in range(1, HOLDERS + 1)}
        draw = random.Random(1)
        self.message = [draw.randrange(self.entry.plain_modulus) for _ in range(self.entry.ring_degree)]
        self.secret = [sum(values) for values in zip(*(part.secret for part in parts))]
        self.c0, self.c1 = ciphertext(self.entry, self.message, self.secret)

    def coefficients(self, polynomial: list) -> list:
        """Residues of the coefficients of a polynomial in NTT order."""
        return [inverse_ntt(row, prime) for row, prime in zip(polynomial, self.primes)]

    def transformed(self, polynomial: list) -> list:
        """The polynomial in NTT order."""
        return [ntt(row, prime) for row, prime in zip(polynomial, self.primes)]

    def question(self) -> dict:
        """The question to Lattigo."""
        return {"ring_degree": self.entry.ring_degree, "primes": list(self.primes), "plain_modulus": self.entry.plain_modulus,
                "holders": HOLDERS, "active": list(ACTIVE), "flood": FLOOD,
                "shares": {number: self.coefficients(self.shares[number]) for number in ACTIVE},
                "ciphertext": [self.coefficients(self.c0), self.coefficients(self.c1)]}

    def additive(self, number: int) -> list:
        """The share of a holder, weighed for those who answer."""
        weighed = ([value * factor(ACTIVE, number, prime) % prime for value in row]
                   for row, prime in zip(self.shares[number], self.primes))
        return self.coefficients(list(weighed))

    def given(self, number: int) -> list:
        """The contribution of a holder, without noise."""
        return self.contributed(self.shares[number], self.c1, ACTIVE, number)

    def contributed(self, share: list, c1: list, answering: tuple, number: int) -> list:
        """The contribution of a holder with this share, without noise."""
        return fractions(self.primes, contribution(self.entry, share, c1, answering, number, ()), BITS)

    def opened(self, parts: list, c0: list) -> list | None:
        """The message of parts, in numbers of BITS bits."""
        return integers(self.primes, c0, parts, BITS, self.entry.plain_modulus)


@unittest.skipUnless(go_is_recent(), "no Go of version 1.22 or newer")
class OtherLibrary(unittest.TestCase):
    """Lattigo's answer, asked once."""

    @classmethod
    def setUpClass(cls) -> None:
        """Builds the program from the module's lock file, and asks it."""
        cls.owners = Owners()
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "lattigo"
            run("go", "build", "-o", program, ".", cwd=HERE / "lattigo")
            done = subprocess.run([program, "owners"], input=json.dumps(cls.owners.question()), capture_output=True, text=True,
                                  timeout=300, check=True)
        cls.answer = json.loads(done.stdout)

    def test_additive_shares_are_equal(self) -> None:
        """Lattigo's combiner weighs Shamir shares of the model as the model does."""
        for number in ACTIVE:
            self.assertEqual(self.answer["additive"][str(number)], self.owners.additive(number))

    def test_the_combined_key_decrypts_what_contributions_open(self) -> None:
        """The sum of additive shares is the key, and the model's contributions give the same message."""
        self.assertEqual(self.answer["message"], self.owners.message)
        given = [self.owners.given(number) for number in ACTIVE]
        self.assertEqual(self.owners.opened(given, self.owners.c0), self.owners.message)

    def test_a_partial_decryption_of_lattigo_opens_with_one_of_the_model(self) -> None:
        """Lattigo's share of a key switch to zero differs by its noise, and opens beside the model's."""
        first, second = ACTIVE
        partial = self.owners.transformed(self.answer["partial"][str(first)])
        theirs = fractions(self.primes(), partial, BITS)
        ours = self.owners.given(first)
        off = [(a - b + (1 << BITS - 1)) % (1 << BITS) - (1 << BITS - 1) for a, b in zip(theirs, ours)]
        unit = prod(self.primes()) / 2 ** BITS
        self.assertLessEqual(max(map(abs, off)), 6.1 * FLOOD / unit + 1)
        self.assertEqual(self.owners.opened([theirs, self.owners.given(second)], self.owners.c0), self.owners.message)

    def test_shares_that_lattigo_dealt_open(self) -> None:
        """A key of Lattigo, shared by its thresholdizer among three, opens for every two."""
        owners = self.owners
        c0, c1 = ciphertext(owners.entry, owners.message, self.answer["secret"])
        dealt = {int(number): owners.transformed(share) for number, share in self.answer["dealt"].items()}
        for pair in ((1, 2), (1, 3), (2, 3)):
            given = [owners.contributed(dealt[number], c1, pair, number) for number in pair]
            self.assertEqual(owners.opened(given, c0), owners.message)
            self.assertIsNone(owners.opened(given[1:], c0))

    def primes(self) -> list:
        """The primes of the set."""
        return self.owners.primes


if __name__ == "__main__":
    unittest.main()
