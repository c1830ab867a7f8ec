#!/usr/bin/env python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes data/weights.npz: the network learns the project's decisions, docs/Decisions.

    examples/characters/train.py [STEPS]

takes two minutes with NumPy on OpenBLAS, and a quarter of an hour on the BLAS that Debian has
without it. Gradients are written out; --check compares them with differences of the loss.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from network import (
    CHARACTERS,
    CONTEXT,
    DATA,
    EPSILON,
    HEADS,
    LAYERS,
    SIZE,
    WIDTH,
    Weights,
    empty_cache,
    encode,
    shapes,
    step,
)

STEPS, BATCH, RATE, WARM_UP = 2000, 16, 3e-3, 100
DECISIONS = Path(__file__).resolve().parents[2] / "docs" / "Decisions"


def read_text() -> np.ndarray:
    """The tokens of all decisions in the order of their dates."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(DECISIONS.glob("2*.md"))]
    return np.array(encode("\n".join(texts)))


def begin(random: np.random.Generator) -> Weights:
    weights = {}
    for name, shape in shapes().items():
        scale = 0.02 if name in ("tokens", "positions") else shape[0] ** -0.5
        scale *= (2 * LAYERS) ** -0.5 if name.endswith((".out", ".down")) else 1
        normal = random.standard_normal(shape) * scale
        weights[name] = (np.ones(shape) if len(shape) == 1 else normal).astype(np.float32)
    return weights


# ===--- Forwards and backwards --------------------------------------------=== #


def norm(x: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """RMS normalization, and what its gradient needs besides `x`."""
    inverse = 1 / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + EPSILON)
    return x * inverse * scale, inverse


def norm_gradient(dy: np.ndarray, x: np.ndarray, inverse: np.ndarray, scale: np.ndarray,
                  gradients: Weights, name: str) -> np.ndarray:
    gradients[name] = (dy * x * inverse).reshape(-1, x.shape[-1]).sum(0)
    g = dy * scale
    return inverse * (g - x * inverse**2 * np.mean(g * x, axis=-1, keepdims=True))


def loss_and_gradients(w: Weights, tokens: np.ndarray) -> tuple[float, Weights]:
    """The mean cross entropy, in nats, of each next token; `tokens` are [batch, length + 1]."""
    given, wanted = tokens[:, :-1], tokens[:, 1:]
    batch, length = given.shape
    future = np.triu(np.full((length, length), -np.inf, np.float32), 1)
    h = w["tokens"][given] + w["positions"][:length]
    kept = []
    for i in range(LAYERS):
        first = h
        x1, i1 = norm(h, w[f"{i}.norm1"])
        qkv = (x1 @ w[f"{i}.qkv"]).reshape(batch, length, 3, HEADS, SIZE)
        q, k, v = qkv.transpose(2, 0, 3, 1, 4)
        scores = q @ k.swapaxes(-1, -2) * SIZE**-0.5 + future
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        mixed = (shares @ v).swapaxes(1, 2).reshape(batch, length, WIDTH)
        h = second = h + mixed @ w[f"{i}.out"]
        x2, i2 = norm(h, w[f"{i}.norm2"])
        up = np.maximum(x2 @ w[f"{i}.up"], 0)
        h = h + up @ w[f"{i}.down"]
        kept.append((first, x1, i1, q, k, v, shares, mixed, second, x2, i2, up))
    last = h
    x, inverse = norm(h, w["norm"])
    logits = x @ w["head"]
    logits -= logits.max(-1, keepdims=True)
    chances = np.exp(logits)
    chances /= chances.sum(-1, keepdims=True)
    of_wanted = np.take_along_axis(chances, wanted[..., None], -1)
    loss = float(-np.log(of_wanted).mean())

    gradients: Weights = {}
    d = chances
    np.put_along_axis(d, wanted[..., None], of_wanted - 1, -1)
    d = d / wanted.size

    def product(name: str, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        gradients[name] = x.reshape(-1, x.shape[-1]).T @ dy.reshape(-1, dy.shape[-1])
        return dy @ w[name].T

    d = norm_gradient(product("head", x, d), last, inverse, w["norm"], gradients, "norm")
    for i in reversed(range(LAYERS)):
        first, x1, i1, q, k, v, shares, mixed, second, x2, i2, up = kept[i]
        dup = product(f"{i}.down", up, d) * (up > 0)
        d = d + norm_gradient(product(f"{i}.up", x2, dup), second, i2, w[f"{i}.norm2"],
                              gradients, f"{i}.norm2")
        dmixed = product(f"{i}.out", mixed, d).reshape(batch, length, HEADS, SIZE).swapaxes(1, 2)
        dshares = dmixed @ v.swapaxes(-1, -2)
        dscores = shares * (dshares - (dshares * shares).sum(-1, keepdims=True)) * SIZE**-0.5
        dqkv = np.stack([dscores @ k, dscores.swapaxes(-1, -2) @ q,
                         shares.swapaxes(-1, -2) @ dmixed])
        dqkv = dqkv.transpose(1, 3, 0, 2, 4).reshape(batch, length, 3 * WIDTH)
        d = d + norm_gradient(product(f"{i}.qkv", x1, dqkv), first, i1, w[f"{i}.norm1"],
                              gradients, f"{i}.norm1")
    gradients["tokens"] = np.zeros_like(w["tokens"])
    np.add.at(gradients["tokens"], given, d)
    gradients["positions"] = np.zeros_like(w["positions"])
    gradients["positions"][:length] = d.sum(0)
    return loss, gradients


def check(random: np.random.Generator) -> None:
    """Gradients against differences, in float64."""
    w = {name: array.astype(np.float64) for name, array in begin(random).items()}
    tokens = random.integers(0, len(CHARACTERS), (2, 9))
    _, gradients = loss_and_gradients(w, tokens)
    for name, array in w.items():
        where = tuple(random.integers(0, size) for size in array.shape)
        if name == "tokens":
            where = (tokens[0, 0], where[1])
        if name == "positions":
            where = (0, where[1])
        losses = []
        for sign in (1, -1):
            array[where] += sign * 1e-7
            losses.append(loss_and_gradients(w, tokens)[0])
            array[where] -= sign * 1e-7
        difference = (losses[0] - losses[1]) / 2e-7
        error = abs(difference - gradients[name][where])
        assert error <= 1e-6 + 1e-3 * abs(difference), (name, difference, gradients[name][where])


# ===--- Training ----------------------------------------------------------=== #


def train(steps: int, random: np.random.Generator) -> Weights:
    """Adam with a warm-up and a rate that falls to a tenth; gradients are clipped to 1."""
    text = read_text()
    w = begin(random)
    first = {name: np.zeros_like(array) for name, array in w.items()}
    second = {name: np.zeros_like(array) for name, array in w.items()}
    began, mean = time.time(), 0.0
    for t in range(1, steps + 1):
        starts = random.integers(0, len(text) - CONTEXT - 1, BATCH)
        loss, gradients = loss_and_gradients(w, text[starts[:, None] + np.arange(CONTEXT + 1)])
        size = np.sqrt(sum(float((g * g).sum()) for g in gradients.values()))
        rate = RATE * min(t / WARM_UP, 0.55 + 0.45 * np.cos(np.pi * t / steps))
        for name, g in gradients.items():
            g = g * min(1, 1 / size)
            first[name] += 0.1 * (g - first[name])
            second[name] += 0.01 * (g * g - second[name])
            unbiased = first[name] / (1 - 0.9**t)
            w[name] -= (rate * unbiased / (np.sqrt(second[name] / (1 - 0.99**t)) + 1e-8)).astype(
                np.float32)
        mean = loss if t == 1 else 0.98 * mean + 0.02 * loss
        if t % 100 == 0:
            print(f"{t:>6} {mean:.3f} nats {time.time() - began:.0f} s", flush=True)
    return w


def main() -> None:
    random = np.random.default_rng(0)
    if sys.argv[1:] == ["--check"]:
        check(random)
        print("gradients equal differences of the loss")
        return
    weights = train(int(sys.argv[1]) if sys.argv[1:] else STEPS, random)
    # One step after the other gives what whole texts give.
    text = read_text()[:CONTEXT]
    kept = {name: array.astype(np.float16) for name, array in weights.items()}
    wide = {name: array.astype(np.float32) for name, array in kept.items()}
    cache = empty_cache()
    logits = [step(wide, int(token), i, cache) for i, token in enumerate(text)]
    chances = np.array(logits) - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    loss = -np.mean([row[token] for row, token in zip(chances[:-1], text[1:])])
    print(f"step by step, in float16: {loss:.3f} nats")
    np.savez_compressed(DATA / "weights.npz", **kept)


if __name__ == "__main__":
    main()
