"""A network with one hidden layer that reads handwritten digits, and its training in float32 by squared error, one image at a
time. The firmware trains the same network in the same order."""
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

INPUTS, HIDDEN, CLASSES = 64, 27, 10
COUNT = HIDDEN * (INPUTS + 1) + CLASSES * (HIDDEN + 1)
RATE = np.float32(0.03)
BRIGHTEST = 16

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Digits:
    """Images of 64 pixels, 0 to 16, and their labels."""

    pixels: Bytes
    labels: Bytes


def digits(clients: int) -> tuple[list[Digits], Digits]:
    """The data of each client, and the test data: every fifth image."""
    data = load_digits()
    pixels, labels = data.data.astype(np.uint8), data.target.astype(np.uint8)
    order = np.random.default_rng(8).permutation(len(labels))
    test, train = order[::5], np.delete(order, np.s_[::5])
    shares = [train[number::clients][: len(train) // clients] for number in range(clients)]
    return [Digits(pixels[share], labels[share]) for share in shares], Digits(pixels[test], labels[test])


def start() -> Floats:
    """The weights before the first round."""
    draw = np.random.default_rng(9)
    hidden = draw.normal(0, np.sqrt(2 / INPUTS), (HIDDEN, INPUTS + 1))
    output = draw.normal(0, np.sqrt(1 / HIDDEN), (CLASSES, HIDDEN + 1))
    hidden[:, -1], output[:, -1] = 0, 0
    return np.concatenate([hidden.ravel(), output.ravel()]).astype(np.float32)


def layers(weights: Floats) -> tuple[Floats, Floats]:
    """Both layers as views; the constant of each neuron is in the last column."""
    split = HIDDEN * (INPUTS + 1)
    return weights[:split].reshape(HIDDEN, INPUTS + 1), weights[split:].reshape(CLASSES, HIDDEN + 1)


def trained(weights: Floats, data: Digits) -> Floats:
    """The weights after one pass over the images."""
    weights = weights.copy()
    hidden, output = layers(weights)
    for pixels, label in zip(data.pixels, data.labels):
        inputs = np.append(pixels.astype(np.float32) / BRIGHTEST, np.float32(1))
        active = np.append(np.maximum(hidden @ inputs, 0), np.float32(1))
        wrong = output @ active
        wrong[label] -= 1
        back = (wrong @ output)[:-1] * (active[:-1] > 0)
        output -= RATE * np.outer(wrong, active)
        hidden -= RATE * np.outer(back, inputs)
    return weights


def accuracy(weights: Floats, data: Digits) -> float:
    """The share of images whose label the network finds."""
    hidden, output = layers(weights)
    inputs = np.column_stack([data.pixels.astype(np.float32) / BRIGHTEST, np.ones(len(data.labels), np.float32)])
    active = np.column_stack([np.maximum(inputs @ hidden.T, 0), np.ones(len(data.labels), np.float32)])
    return float(((active @ output.T).argmax(axis=1) == data.labels).mean())
