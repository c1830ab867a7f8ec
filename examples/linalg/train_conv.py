# ===- train_conv.py - Makes the weights of conv_digits.mlir --------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Writes data/*.npy: fixed random filters of -1, 0 and 1, and a linear layer.

The linear layer is fitted by ridge regression to the features of scikit-learn's
digits, without the 360 test images (the split of examples/digits/train.py). The
files are committed, so this runs only to change the network.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from models import DIGITS, HERE, bf16, conv_features

SEED = 0
TEST_IMAGES = 360
#: In units of the features' mean square.
RIDGE = 3e-3


def main() -> None:
    pixels, digits = load_digits(return_X_y=True)
    images, test_x, labels, test_y = train_test_split(
        pixels, digits, test_size=TEST_IMAGES, stratify=digits, random_state=SEED)
    assert np.array_equal(test_x, np.load(DIGITS / "x.npy"))
    random = np.random.default_rng(SEED)
    filters1 = random.integers(-1, 2, (8, 1, 3, 3)).astype(np.float32)
    filters2 = random.integers(-1, 2, (16, 8, 3, 3)).astype(np.float32)
    features = conv_features(images, filters1, filters2).astype(np.float64)
    mean = features.mean(0)
    centred = features - mean
    targets = np.eye(10)[labels] - 0.1
    gram = centred.T @ centred
    ridge = RIDGE * np.trace(gram) / len(gram) * np.eye(len(gram))
    weights = bf16(np.linalg.solve(gram + ridge, centred.T @ targets))
    bias = (0.1 - mean @ weights).astype(np.float32)
    folder = HERE / "data"
    folder.mkdir(exist_ok=True)
    for name, array in dict(filters1=filters1, filters2=filters2, weights=weights,
                            bias=bias).items():
        np.save(folder / f"{name}.npy", array)
    for name, x, y in (("training", images, labels), ("test", test_x, test_y)):
        logits = conv_features(x, filters1, filters2) @ weights + bias
        print(f"{name}: {np.sum(logits.argmax(1) == y)}/{len(y)}")


if __name__ == "__main__":
    main()
