"""Times OpenFHE's functional bootstrapping, for docs/choose/bootstrapping.md: tables of coefficients, without security.

    python3.10 -m venv build/openfhe-venv && build/openfhe-venv/bin/pip install openfhe==1.6.1.0.22.4
    OMP_NUM_THREADS=1 build/openfhe-venv/bin/python bench/deep/functional_bootstrapping.py
"""
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import openfhe as fhe

DEGREE = SLOTS = 8192
FRESH = 1 << 60
BUDGET, DIMENSIONS = [3, 3], [0, 0]


@dataclass(frozen=True)
class Table:
    """A table of integers modulo `inputs`, with values modulo `outputs`, and the modulus of the ciphertexts that it reads."""

    inputs: int
    outputs: int
    modulus: int
    scale: int
    value: Callable[[int], int]

    @property
    def coefficients(self) -> list:
        """Coefficients of the interpolation."""
        if self.inputs == 2:
            return [self.value(1), self.value(0) - self.value(1)]
        return fhe.GetHermiteTrigCoefficients(self.value, self.inputs, 1, self.scale)


def context(table: Table) -> tuple:
    """The context of a table and its depth."""
    bits, coefficients = table.modulus.bit_length() - 1, table.coefficients
    parameters = fhe.CCParamsCKKSRNS()
    parameters.SetSecretKeyDist(fhe.SecretKeyDist.SPARSE_ENCAPSULATED)
    parameters.SetSecurityLevel(fhe.SecurityLevel.HEStd_NotSet)
    parameters.SetScalingModSize(bits)
    parameters.SetScalingTechnique(fhe.ScalingTechnique.FLEXIBLEAUTO)
    parameters.SetFirstModSize(bits)
    parameters.SetNumLargeDigits(3)
    parameters.SetBatchSize(DEGREE // 2)
    parameters.SetRingDim(DEGREE)
    depth = fhe.CryptoContext.GetFBTDepth(BUDGET, coefficients, table.inputs, 1, fhe.SecretKeyDist.SPARSE_ENCAPSULATED)
    parameters.SetMultiplicativeDepth(depth)
    made = fhe.GenCryptoContext(parameters)
    for feature in ("PKE", "KEYSWITCH", "LEVELEDSHE", "ADVANCEDSHE", "FHE"):
        made.Enable(getattr(fhe.PKESchemeFeature, feature))
    return made, depth


def measure(table: Table) -> None:
    """Prints processor time of a value, and how many of all values are wrong."""
    crypto, depth = context(table)
    coefficients, keys = table.coefficients, crypto.KeyGen()
    crypto.EvalFBTSetup(coefficients, DEGREE // 2, table.inputs, table.outputs, table.modulus, keys.publicKey, DIMENSIONS, BUDGET,
                        0, 0, 1)
    crypto.EvalBootstrapKeyGen(keys.secretKey, DEGREE // 2)
    crypto.EvalMultKeyGen(keys.secretKey)
    rlwe = fhe.SchemeletRLWEMP
    ring = rlwe.GetElementParams(keys.secretKey, depth)
    values = [random.randrange(table.inputs) for _ in range(SLOTS)]
    ciphertext = rlwe.EncryptCoeff(values, FRESH, table.inputs, keys.secretKey, ring)
    rlwe.ModSwitch(ciphertext, table.modulus, FRESH)
    start = time.process_time()
    raised = rlwe.ConvertRLWEToCKKS(crypto, ciphertext, keys.publicKey, table.modulus, DEGREE // 2, depth)
    result = crypto.EvalFBT(raised, coefficients, table.inputs.bit_length() - 1, ring.GetModulus(), table.scale, 0, 1)
    seconds = time.process_time() - start
    found = rlwe.DecryptCoeff(rlwe.ConvertCKKSToRLWE(result, table.modulus), table.modulus, table.outputs, keys.secretKey, ring,
                              DEGREE // 2, SLOTS)
    wrong = sum((table.value(value) - read) % table.outputs != 0 for value, read in zip(values, found))
    print(f"{table.inputs} to {table.outputs}: depth {depth}, {seconds / SLOTS * 1e6:.0f} us a value, {wrong} of {SLOTS} wrong")


if __name__ == "__main__":
    measure(Table(2, 2, 1 << 33, 1, lambda x: x % 2))
    measure(Table(256, 2, 1 << 47, 32, lambda x: int(x % 256 > 200)))
    measure(Table(256, 16, 1 << 47, 32, lambda x: x % 256 // 16))
