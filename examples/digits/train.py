# ===- train.py - Trains the digit network and writes data/ ----------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Trains a 64-128-64-10 network with ReLU on scikit-learn's handwritten digits.

The result, the test images and their labels go to data/*.npy; the files are
committed, so this runs only to change the network. Split, initial weights and
order of the samples come from fixed seeds; another BLAS may still give weights
that differ in the last places. The test images take no part in training.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import reference

Array = NDArray[np.float64]

SIZES = (64, 128, 64, 10)
TEST_IMAGES = 360
SEED = 0
EPOCHS = 60
BATCH = 32  # images
LEARNING_RATE = 1e-3  # at the start; falls to zero as half a cosine
WEIGHT_DECAY = 1e-2
#: Pixels hold 0 to 16. The network is trained on pixel / 16, and 1 / 16, a power
#: of two, moves into w1 exactly, so that it takes the images as they are.
PIXEL_SCALE = 16.0


def gradients(
    weights: list[Array], biases: list[Array], images: Array, labels: NDArray[np.int64]
) -> list[Array]:
    """Gradients of the mean cross entropy: of all weights, then of all biases."""
    layers = [images]
    for index, (weight, bias) in enumerate(zip(weights, biases)):
        sums = layers[-1] @ weight + bias
        layers.append(sums if index == len(weights) - 1 else np.maximum(sums, 0))
    logits = layers.pop()
    delta = np.exp(logits - logits.max(axis=1, keepdims=True))
    delta /= delta.sum(axis=1, keepdims=True)
    delta[np.arange(len(labels)), labels] -= 1
    delta /= len(labels)
    of_weights: list[Array] = []
    of_biases: list[Array] = []
    for weight, layer in zip(reversed(weights), reversed(layers)):
        of_weights.insert(0, layer.T @ delta)
        of_biases.insert(0, delta.sum(axis=0))
        delta = (delta @ weight.T) * (layer > 0)
    return of_weights + of_biases


def train(images: Array, labels: NDArray[np.int64]) -> tuple[list[Array], list[Array]]:
    """Adam with decoupled weight decay on images [n, 64] in 0 to 1.

    Returns weights [in, out] and biases [out] per layer.
    """
    random = np.random.default_rng(SEED)
    shapes = list(zip(SIZES[:-1], SIZES[1:]))
    weights = [random.normal(0, np.sqrt(2 / s[0]), s) for s in shapes]
    biases = [np.zeros(s[1]) for s in shapes]
    parameters = weights + biases
    means = [np.zeros_like(p) for p in parameters]
    squares = [np.zeros_like(p) for p in parameters]
    steps = EPOCHS * -(-len(images) // BATCH)
    step = 0
    for _ in range(EPOCHS):
        order = random.permutation(len(images))
        for start in range(0, len(images), BATCH):
            chosen = order[start : start + BATCH]
            rate = LEARNING_RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
            step += 1
            for index, gradient in enumerate(
                gradients(weights, biases, images[chosen], labels[chosen])
            ):
                means[index] += 0.1 * (gradient - means[index])
                squares[index] += 0.001 * (gradient**2 - squares[index])
                mean = means[index] / (1 - 0.9**step)
                square = squares[index] / (1 - 0.999**step)
                if index < len(weights):
                    parameters[index] *= 1 - rate * WEIGHT_DECAY
                parameters[index] -= rate * mean / (np.sqrt(square) + 1e-8)
    return weights, biases


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the digit network.")
    parser.add_argument("--output", type=Path, default=reference.DATA)
    folder: Path = parser.parse_args().output

    pixels, digits = load_digits(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(
        pixels, digits, test_size=TEST_IMAGES, stratify=digits, random_state=SEED
    )
    weights, biases = train(train_x / PIXEL_SCALE, train_y)
    weights[0] = weights[0] / PIXEL_SCALE

    arrays = {"x": test_x.astype(np.float32), "y": test_y.astype(np.int32)}
    for index, (weight, bias) in enumerate(zip(weights, biases), start=1):
        arrays[f"w{index}"] = reference.round_to_bf16(weight.astype(np.float32))
        arrays[f"b{index}"] = bias.astype(np.float32)
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)

    network = reference.load_network(folder)
    for name, images, labels in (
        ("training", train_x.astype(np.float32), train_y),
        ("test", arrays["x"], test_y),
    ):
        correct = int(np.sum(reference.predict(reference.run(images, network)) == labels))
        print(f"{name}: {correct}/{len(labels)} = {100 * correct / len(labels):.2f} %")


if __name__ == "__main__":
    main()
