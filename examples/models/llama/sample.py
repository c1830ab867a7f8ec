#!/usr/bin/python3
# ===- sample.py - The next token from logits -------------------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Temperature, softmax and a choice, on the host, where the TCP manual has them.

Greedy takes the most probable token. Top-k draws from the k most probable ones,
top-p from the smallest set whose probability exceeds p. As a program it prints
what a token would be drawn from.
"""

import argparse
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Sampling:
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    @property
    def greedy(self) -> bool:
        return self.top_k is None and self.top_p is None


def softmax(logits: Array) -> Array:
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def candidates(logits: Array, sampling: Sampling) -> tuple[Array, Array]:
    """Tokens and their probabilities, most probable first."""
    probs = softmax(np.asarray(logits, np.float64) / sampling.temperature)
    order = np.argsort(-probs, kind="stable")
    if sampling.greedy:
        order = order[:1]
    if sampling.top_k is not None:
        order = order[:sampling.top_k]
    if sampling.top_p is not None:
        # One more than those that together do not exceed p.
        order = order[:int(np.sum(np.cumsum(probs[order]) <= sampling.top_p)) + 1]
    return order, probs[order] / probs[order].sum()


def next_token(logits: Array, sampling: Sampling, random: np.random.Generator) -> int:
    tokens, probs = candidates(logits, sampling)
    return int(tokens[0] if sampling.greedy else random.choice(tokens, p=probs))


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--temperature", type=float, default=1.0, metavar="T")
    parser.add_argument("--top-k", type=int, metavar="K")
    parser.add_argument("--top-p", type=float, metavar="P")


def sampling_of(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> Sampling:
    if not arguments.temperature > 0:
        parser.error(f"temperature {arguments.temperature:g}, allowed are numbers above 0")
    if arguments.top_k is not None and arguments.top_k < 1:
        parser.error(f"top-k {arguments.top_k}, allowed are numbers from 1")
    if arguments.top_p is not None and not 0 <= arguments.top_p <= 1:
        parser.error(f"top-p {arguments.top_p:g}, allowed are 0 to 1")
    return Sampling(arguments.temperature, arguments.top_k, arguments.top_p)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("logits", nargs="+", type=float, help="of tokens 0, 1, ...")
    add_options(parser)
    arguments = parser.parse_args()
    sampling = sampling_of(arguments, parser)
    for token, probability in zip(*candidates(np.array(arguments.logits), sampling)):
        print(f"token {token} with probability {probability:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
