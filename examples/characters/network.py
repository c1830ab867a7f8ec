# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A transformer over characters in NumPy: its sizes, its weights, one step of it.

A step takes one token and its position, and the keys and values of the positions before
it, the cache, to which it adds a row of its own. What follows from a text is found by taking
step after step.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parent / "data"

LAYERS, WIDTH, HEADS, HIDDEN, CONTEXT = 3, 64, 4, 256, 64
SIZE = WIDTH // HEADS
EPSILON = 1e-5
#: What a token stands for; of a text, what is not among these is a space.
CHARACTERS = "\n !\"#%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]_`abcdefghijklmnopqrstuvwxyz{|}~"
#: Added to the scores of positions that are not there yet.
FAR = np.float32(-1e9)

Weights = dict[str, np.ndarray]


def shapes() -> dict[str, tuple[int, ...]]:
    """The weights by name; matrices map rows, ``x @ w``."""
    result: dict[str, tuple[int, ...]] = {
        "tokens": (len(CHARACTERS), WIDTH), "positions": (CONTEXT, WIDTH)}
    for i in range(LAYERS):
        result |= {f"{i}.norm1": (WIDTH,), f"{i}.qkv": (WIDTH, 3 * WIDTH),
                   f"{i}.out": (WIDTH, WIDTH), f"{i}.norm2": (WIDTH,),
                   f"{i}.up": (WIDTH, HIDDEN), f"{i}.down": (HIDDEN, WIDTH)}
    return {**result, "norm": (WIDTH,), "head": (WIDTH, len(CHARACTERS))}


def load() -> Weights:
    """The trained weights in float32, each of which a float16 holds."""
    with np.load(DATA / "weights.npz") as file:
        return {name: file[name].astype(np.float32) for name in shapes()}


def encode(text: str) -> list[int]:
    return [max(CHARACTERS.find(c), CHARACTERS.find(" ") if c not in CHARACTERS else 0)
            for c in text]


def decode(tokens: list[int]) -> str:
    return "".join(CHARACTERS[t] for t in tokens)


def empty_cache() -> np.ndarray:
    """Keys and values, a row for each position: [layer, 2, position, WIDTH]."""
    return np.zeros((LAYERS, 2, CONTEXT, WIDTH), np.float32)


def normalized(x: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + np.float32(EPSILON)) * scale


def step(w: Weights, token: int, position: int, cache: np.ndarray) -> np.ndarray:
    """Scores of the next token, [len(CHARACTERS)]; writes to `cache` at `position`."""
    h = w["tokens"][token] + w["positions"][position]
    away = np.where(np.arange(CONTEXT) <= position, np.float32(0), FAR)
    for i in range(LAYERS):
        qkv = normalized(h, w[f"{i}.norm1"]) @ w[f"{i}.qkv"]
        q, cache[i, 0, position], cache[i, 1, position] = qkv.reshape(3, WIDTH)
        keys, values = cache[i].reshape(2, CONTEXT, HEADS, SIZE)
        scores = np.einsum("hd,phd->hp", q.reshape(HEADS, SIZE), keys)
        scores = scores / np.float32(np.sqrt(SIZE)) + away
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        h = h + np.einsum("hp,phd->hd", shares, values).reshape(WIDTH) @ w[f"{i}.out"]
        x = np.maximum(normalized(h, w[f"{i}.norm2"]) @ w[f"{i}.up"], 0)
        h = h + x @ w[f"{i}.down"]
    return normalized(h, w["norm"]) @ w["head"]
