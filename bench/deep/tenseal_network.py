"""A network of one hidden layer on encrypted rows, by TenSEAL.

A row is a ciphertext by public key, as for a device that sends each row when it has it. Weights are in the clear, and tanh is a
polynomial of degree 3."""
import time
from dataclasses import dataclass

import numpy as np
import tenseal as ts

# Weights, polynomial (two levels), weights: four primes of 40 bits between the first and the last, in all 280 bits. At 128 bits
# that takes degree 16384 (218 bits is the most at 8192).
DEGREE, PRIMES, LOG2_SCALE = 16384, [60, 40, 40, 40, 40, 60], 40
POLYNOMIAL_DEGREE = 3


@dataclass
class Answer:
    """Scores of each row; bytes of all ciphertexts that were sent, and of the server's keys; processor seconds of all threads."""

    scores: np.ndarray
    sent: int = 0
    keys: int = 0
    seconds: float = 0.0


def contexts() -> tuple[ts.Context, ts.Context]:
    """The owner's context with the secret key, and the one of device and server without it."""
    owner = ts.context(ts.SCHEME_TYPE.CKKS, DEGREE, coeff_mod_bit_sizes=PRIMES)
    owner.global_scale = 2 ** LOG2_SCALE
    owner.generate_galois_keys()
    public = owner.copy()
    public.make_context_public()
    return owner, public


def polynomial(sums: np.ndarray) -> list[float]:
    """The coefficients of least squares for tanh on these sums, from the constant on."""
    return np.polynomial.Polynomial.fit(sums, np.tanh(sums), POLYNOMIAL_DEGREE).convert().coef.tolist()


def answered(weights: list[np.ndarray], bias: list[np.ndarray], activation: list[float], rows: np.ndarray) -> Answer:
    """Encrypts, computes and decrypts each row; shapes are those of scikit-learn's coefs_ and intercepts_."""
    owner, public = contexts()
    scores = np.empty((len(rows), len(bias[1])))
    told = Answer(scores, keys=len(public.serialize(save_secret_key=False)))
    for number, row in enumerate(rows):
        frame = ts.ckks_vector(public, row.tolist()).serialize()
        told.sent += len(frame)
        begun = time.process_time()
        hidden = (ts.ckks_vector_from(public, frame).mm(weights[0].tolist()) + bias[0].tolist()).polyval(activation)
        answer = (hidden.mm(weights[1].tolist()) + bias[1].tolist()).serialize()
        told.seconds += time.process_time() - begun
        scores[number] = ts.ckks_vector_from(owner, answer).decrypt()
    return told
