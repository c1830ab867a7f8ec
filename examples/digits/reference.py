# ===- reference.py - The digit network in NumPy ---------------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""The network of mlp.mlir in the machine's arithmetic, as plain NumPy.

A product of two bf16 values is exact in f32; an f32 sum is not associative, so
the order of the additions is part of the result. The order here is the one of
the contraction engine: the inner dimension is consumed in packets of 32, each
packet is added by a tree over adjacent pairs, and the packets are accumulated
one after the other, the first one stored.

Run as a program, it prints the accuracy of the committed weights on the
committed test images.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float32]
Int = NDArray[np.int32]

DATA = Path(__file__).resolve().parent / "data"

#: bf16 elements that the contraction engine reduces in one tree.
PACKET = 32


class Network(NamedTuple):
    """Operands of @main after the images, in the function's order.

    Weights hold bf16 values in float32 arrays: w1 [64, 128], w2 [128, 64],
    w3 [64, 10]. Biases are true float32: b1 [128], b2 [64], b3 [10].
    """

    w1: Float
    b1: Float
    w2: Float
    b2: Float
    w3: Float
    b3: Float


def load_network(folder: Path = DATA) -> Network:
    """Reads w1.npy, b1.npy, ... from `folder`."""
    return Network(*(np.load(folder / f"{name}.npy") for name in Network._fields))


def load_test_set(folder: Path = DATA) -> tuple[Float, Int]:
    """Returns images [360, 64], grey levels 0 to 16, and labels [360], 0 to 9."""
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def round_to_bf16(values: Float) -> Float:
    """Rounds finite float32 values to bf16, to nearest, ties to even.

    The shape stays; the result is float32 with the low 16 bits clear.
    """
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    # Half a unit of the last kept place, less one where that place is even.
    half = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return ((bits + half) & np.uint32(0xFFFF0000)).view(np.float32)


def matmul(lhs: Float, rhs: Float) -> Float:
    """[M, K] x [K, N] -> [M, N], bf16 values in, float32 out.

    K is padded with zeros to whole packets.
    """
    rows, inner = lhs.shape
    columns = rhs.shape[1]
    padding = -inner % PACKET
    left = np.pad(lhs, ((0, 0), (0, padding)))
    right = np.pad(rhs, ((0, padding), (0, 0))).T
    total = np.zeros((rows, columns), np.float32)
    for start in range(0, inner + padding, PACKET):
        # [M, N, PACKET], then half as many in the last dimension per level.
        packet = slice(start, start + PACKET)
        level = left[:, None, packet] * right[None, :, packet]
        while level.shape[2] > 1:
            level = level[:, :, 0::2] + level[:, :, 1::2]
        total = level[:, :, 0] if start == 0 else total + level[:, :, 0]
    return total


def relu(values: Float) -> Float:
    """max(x, 0); both zeros give +0."""
    return np.where(values > 0, values, np.float32(0))


def run(images: Float, network: Network) -> Float:
    """Images [n, 64] -> logits [n, 10], float32.

    A value that leaves the normal range raises FloatingPointError: there the
    machine (subnormals flushed, one NaN) and NumPy would differ.
    """
    with np.errstate(over="raise", under="raise", invalid="raise"):
        hidden = round_to_bf16(images)
        hidden = round_to_bf16(relu(matmul(hidden, network.w1) + network.b1))
        hidden = round_to_bf16(relu(matmul(hidden, network.w2) + network.b2))
        return matmul(hidden, network.w3) + network.b3


def predict(logits: Float) -> Int:
    """Logits [n, 10] -> the digit with the largest logit, the lowest on a tie."""
    return np.argmax(logits, axis=1).astype(np.int32)


def main() -> None:
    images, labels = load_test_set()
    correct = int(np.sum(predict(run(images, load_network())) == labels))
    print(f"accuracy {correct}/{len(labels)} = {100 * correct / len(labels):.2f} %")


if __name__ == "__main__":
    main()
