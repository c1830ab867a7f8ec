#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes text on a simulated chip, one character after the other, and beside it in NumPy.

Exit status: 0 if the chip chooses what NumPy chooses and its scores are NumPy's but for
rounding, 1 if not or if Sequin is not built, 2 for wrong usage, 130 for Ctrl-C.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NoReturn

import numpy as np

import network
from network import CHARACTERS, CONTEXT

HERE = Path(__file__).resolve().parent

#: Of the greatest score: products keep f32's 24 bits, sums are f32's in another order.
TOLERANCE = 3e-6
#: What is kept of a text that has filled the cache.
KEPT = CONTEXT // 2
#: Less makes likely characters more likely.
TEMPERATURE = 0.6


def fail(message: str) -> NoReturn:
    sys.stdout.flush()
    print(f"error: {message}", file=sys.stderr)
    sys.exit(1)


try:
    import sequin
except ImportError:
    sys.path.insert(0, str(HERE.parents[1] / "build" / "python"))
    try:
        import sequin
    except ImportError:
        fail("the package sequin is neither installed nor in build/python; build Sequin first")

from model import cache_names, make_step  # noqa: E402  after what says that onnx is missing


class Chip:
    """The step on a simulated chip."""

    def __init__(self, weights: network.Weights, target: str) -> None:
        ranges = {"token": (0, len(CHARACTERS) - 1), "position": (0, CONTEXT - 1)}
        model = sequin.import_onnx(make_step(weights), ranges=ranges)
        self.compiled = model.compile(target)
        self.cycles = 0

    def step(self, token: int, position: int, cache: np.ndarray) -> tuple[int, np.ndarray]:
        """The next token and all scores; writes to `cache` at `position`."""
        rows = cache.reshape(-1, *cache.shape[2:])
        inputs = dict(zip(cache_names(), rows))
        outputs, report = self.compiled.run(
            {"token": np.array([token]), "position": np.array([position]), **inputs})
        self.cycles += report.cycles
        for row, name in zip(rows, cache_names()):
            row[:] = outputs[f"new.{name}"]
        return int(outputs["next"][0]), outputs["logits"][0]


def write(chip: Chip, weights: network.Weights, prompt: str, length: int,
          seed: int | None) -> tuple[str, int]:
    """The text with `length` more characters, and how many steps it took. Each character is
    shown when it is known. With a seed it is drawn by its scores, from the same random numbers
    for the chip's and for NumPy's; without one it is the one that scores most."""
    random = np.random.default_rng(seed)
    text, steps = network.encode(prompt), 0
    print(prompt, end="", flush=True)
    waiting = list(text)
    cache, own = network.empty_cache(), network.empty_cache()
    position, end = 0, len(text) + length
    while len(text) < end:
        if position == CONTEXT:  # begin again with what came last
            cache, own = network.empty_cache(), network.empty_cache()
            waiting, position = text[-KEPT:], 0
        token = waiting.pop(0)
        found, scores = chip.step(token, position, cache)
        wanted = network.step(weights, token, position, own)
        worst = float(np.abs(scores - wanted).max() / np.abs(wanted).max())
        own_choice = int(wanted.argmax())
        if seed is not None and found == own_choice:
            noise = TEMPERATURE * random.gumbel(size=len(CHARACTERS))
            found, own_choice = int((scores + noise).argmax()), int((wanted + noise).argmax())
        if found != own_choice or worst > TOLERANCE:
            fail(f"at position {position} the chip chooses {CHARACTERS[found]!r} and NumPy "
                 f"{CHARACTERS[own_choice]!r}, scores differ by {worst:.1e} of the greatest")
        position, steps = position + 1, steps + 1
        if not waiting:
            waiting = [found]
            text.append(found)
            print(CHARACTERS[found], end="", flush=True)
    print()
    return network.decode(text), steps


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--prompt", default="The ", help="what the text begins with")
    parser.add_argument("--length", type=int, default=60, help="how many characters to add")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    parser.add_argument("--greedy", action="store_true", help="draw nothing, take the best")
    parser.add_argument("--target", default="rngd", help="the machine")
    arguments = parser.parse_args()
    if not 0 < len(arguments.prompt) < CONTEXT or arguments.length < 1:
        parser.error(f"a prompt has 1 to {CONTEXT - 1} characters, a length is at least 1")
    weights = network.load()
    chip = Chip(weights, arguments.target)
    seed = None if arguments.greedy else arguments.seed
    _, steps = write(chip, weights, arguments.prompt, arguments.length, seed)
    clock = sequin.machine(arguments.target)["clock_mhz"]
    each = chip.cycles / steps
    print()
    print(f"machine     {arguments.target}")
    print(f"time        {each:,.0f} cycles a token = {1e6 * clock / each:,.0f} tokens per second")
    print(f"equal       {steps} of {steps} tokens are those that NumPy chooses")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print()
        sys.exit(130)
    except sequin.Error as error:
        fail(str(error).removeprefix("error: "))
