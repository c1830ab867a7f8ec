#!/usr/bin/python3
# ===- generate.py - Text from a reduced Llama 3 -----------------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Prefill, then decode steps until one of the manual's three conditions ends them.

Random weights and prompts. Every program runs on the simulated machine; the host
chooses the next token. --check compares every step's logits with those that NumPy
computes from the whole sequence at once, --steps every tensor that the manual names.

Exit status: 0 if all that is compared agrees, 1 if not or if sequin-run fails, 2
for wrong usage.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import sample
from make_transformer import Model, Transformer, add_options, decode, model_of, prefill
from reference import StepChecker, logits_of, make_weights
from simulator import simulate

Array = NDArray[Any]

#: Of the largest logit: roundings to bf16 that fall the other way, through all layers.
LOGITS = 2.0**-5


class Generator:
    def __init__(self, model: Model, weights: dict[str, Array], target: str, check: bool,
                 steps: bool) -> None:
        self.model = model
        self.target = target
        self.check = check
        self.steps = steps
        self.good = True
        self.cycles = 0
        self.a = dict(weights)
        for l in range(model.L):
            for name in "kv":
                # What was there before shows where a program writes.
                self.a[f"cache_{name}_{l}"] = np.full(
                    (model.B, model.h_kv, model.s_max, model.d_k), 77.0)

    def run(self, program: Transformer, tokens: Array) -> Array | None:
        """Logits after `tokens`, the last ones of which the program takes; none if it fails."""
        model, new = self.model, slice(program.position, program.seen)
        a = self.a
        a["input"] = tokens[:, new].astype(np.int32)
        a["position"] = np.arange(program.position, program.seen, dtype=np.int32)
        a["attention_mask"] = np.tril(np.ones((program.s_in, program.s_in), np.int8))
        text = program.write(self.steps)
        caches = [f"cache_{name}_{l}" for l in range(model.L) for name in "kv"]
        names = ["logits", *caches, *(program.trace if self.steps else [])]
        inputs = [a[value.name[1:]] for value in program.arguments()]
        outcome = simulate(text, [x.astype(np.float32) if x.dtype.kind == "f" else x
                                  for x in inputs], len(names), self.target)
        if isinstance(outcome, str):
            print(f"failed: {outcome}")
            return None
        found = dict(zip(names, outcome[0]))
        self.cycles += outcome[1]["cycles"]
        if self.steps:
            old = {name.replace("cache", "old"): a[name] for name in caches}
            self.good &= StepChecker(program, a | old | found).check()
        if self.check:
            exact = logits_of(model, a, tokens[:, :program.seen])
            error = float(np.abs(found["logits"] - exact).max() / np.abs(exact).max())
            right = error <= LOGITS
            print(f"s = {program.seen}: logits {'equal' if right else 'differ from'} NumPy's of "
                  f"the whole sequence" + ("" if right else f", by {error:.2g} of the largest"))
            self.good &= right
        a.update({name: found[name] for name in caches})
        return found["logits"]


def stopped(generated: Array, s: int, model: Model, end: int | None, stop: list[int]) -> str:
    """Why generation ends, of all sequences at once; "" if it does not."""
    if end is not None and np.all(np.any(generated == end, 1)):
        return f"end token {end}"
    if stop and generated.shape[1] >= len(stop) and np.all(generated[:, -len(stop):] == stop):
        return f"pattern {stop}"
    return f"s_max = {model.s_max}" if s >= model.s_max else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    sample.add_options(parser)
    parser.set_defaults(reduced=True)
    parser.add_argument("--s-in", type=int, default=6, metavar="N", help="tokens of the prompt")
    parser.add_argument("--end", type=int, metavar="TOKEN", help="token that ends the text")
    parser.add_argument("--stop", default="", metavar="T,T", help="tokens in a row that end it")
    parser.add_argument("--check", action="store_true", help="compare logits with NumPy's")
    parser.add_argument("--steps", action="store_true", help="compare every tensor with NumPy's")
    parser.add_argument("--target", default="rngd", help="machine (default: rngd)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    model = model_of(arguments)
    sampling = sample.sampling_of(arguments, parser)
    if not 1 <= arguments.s_in <= model.s_max:
        parser.error(f"{arguments.s_in} tokens, allowed are 1 to s_max = {model.s_max}")
    try:
        stop = [int(token) for token in arguments.stop.split(",") if token]
    except ValueError:
        parser.error(f"'{arguments.stop}' is no list of tokens")

    random = np.random.default_rng(arguments.seed)
    generator = Generator(model, make_weights(model, arguments.seed), arguments.target,
                          arguments.check, arguments.steps)
    tokens = random.integers(0, model.V, (model.B, arguments.s_in))
    logits = generator.run(prefill(model, arguments.s_in), tokens)
    s, why = arguments.s_in, ""
    while logits is not None:
        drawn = [sample.next_token(row, sampling, random) for row in logits]
        tokens = np.concatenate([tokens, np.array(drawn)[:, None]], 1)
        why = stopped(tokens[:, arguments.s_in:], s, model, arguments.end, stop)
        if why:
            break
        s += 1
        logits = generator.run(decode(model, s), tokens)
    if logits is None:
        return 1
    for row in tokens:
        print(f"prompt {row[:arguments.s_in].tolist()}, generated {row[arguments.s_in:].tolist()}")
    print(f"ended by {why} at s = {s}, {generator.cycles:,} cycles")
    return 0 if generator.good else 1


if __name__ == "__main__":
    sys.exit(main())
