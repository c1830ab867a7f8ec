#!/usr/bin/python3
# ===- check_moe.py - Runs a mixture of experts against NumPy ---------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs programs of make_moe.py with sequin-run and compares every named tensor.

The reference sorts, counts and walks through the calls one after the other, as the
manual says what a mixture of experts is. Inputs are small integers, so everything
but the softmax of the weights and what they weigh is exact.

Exit status: 0 if every result agrees, 1 if not or if sequin-run fails, 2 for
wrong usage.
"""

import argparse
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from make_moe import PROGRAMS, Moe, Program, add_options, moe_of
from simulator import F32, bf16, contraction_slack, judge, simulate

Array = NDArray[Any]


def integers(random: np.random.Generator, limit: int, *shape: int) -> Array:
    return random.integers(-limit, limit + 1, shape).astype(np.float32)


def scores_for(moe: Moe, counts: list[int]) -> Array:
    """Scores that send counts[e] tokens to expert e: each token to the K experts that
    want most."""
    left, scores = np.array(counts), np.empty((moe.T, moe.E), np.float32)
    for t in range(moe.T):
        wanted = np.argsort(-left, kind="stable")
        scores[t, wanted] = np.where(np.arange(moe.E) < moe.K, 2.0, -2.0) - wanted / 8
        left[wanted[:moe.K]] -= 1
    if np.any(left):
        sys.exit(f"error: no routing of {moe.T} tokens gives the counts {counts}")
    return scores


def make_inputs(program: Program, scores: list[float], counts: list[int], seed: int
                ) -> dict[str, Array]:
    random, m = np.random.default_rng(seed), program.moe
    inputs = {}
    for value in program.arguments():
        name = value.name[1:]
        if name == "scores":
            inputs[name] = bf16(random.standard_normal(value.shape)).astype(np.float32)
            if scores and m.T == 1:
                inputs[name] = np.float32([scores])
            elif scores:
                inputs[name] = random.choice(np.float32(scores), value.shape)
            elif counts:
                inputs[name] = scores_for(m, counts)
        elif name == "x":
            inputs[name] = random.integers(-10**6, 10**6, value.shape).astype(np.int32)
        else:
            inputs[name] = integers(random, 2 if name in ("x_norm", "W_router") else 1,
                                    *value.shape)
    return inputs


class Checker:
    def __init__(self, program: Program, inputs: dict[str, Array], found: dict[str, Array]) -> None:
        self.moe = program.moe
        self.a = {name: value.astype(np.float64) for name, value in inputs.items()}
        if "x_norm" in self.a:
            self.a["x_norm"] = self.a["x_norm"].reshape(self.moe.T, self.moe.D)
        self.found = found
        self.good = True

    def equal(self, name: str, exact: Any, slack: Any = 0.0, rounding: Any = np.float64) -> None:
        self.good &= judge(name, self.found[name], exact, slack, rounding)

    def claim(self, text: str, right: bool) -> None:
        print(text if right else f"wrong: {text}")
        self.good &= right

    def show(self, name: str, form: str = "") -> None:
        """The values of a short list."""
        values = self.found[name].flatten().tolist()
        if len(values) <= 16:
            print(f"{name}: {', '.join(format(v & 0xFFFFFFFF if form else v, form) for v in values)}")

    def basic(self) -> None:
        up = bf16(self.a["x_norm"] @ self.a["W_up"])
        self.equal("up", up)
        self.equal("ffn_out", up @ self.a["W_down"])

    def cumsum(self) -> None:
        self.equal("cumsum", np.cumsum(self.a["x"], 1))

    def routing(self, scores: Array) -> Array:
        """The experts [T, K] of each token, ascending."""
        m = self.moe
        bits = scores.astype(np.float32).view(np.int32) & ~0xFFFF
        packed = bits | np.arange(m.E)
        self.equal("Packed_Value", packed)
        self.equal("Packed_Value_cmp", np.where(packed >= 0, packed, packed ^ 0x7FFF0000))
        rank = np.empty((m.T, m.E), int)
        for t, row in enumerate(scores):
            # -0 is below +0, and of equal scores the expert of larger number is first.
            order = sorted(range(m.E), key=lambda e: (row[e], math.copysign(1, row[e]), e))
            rank[t, order[::-1]] = np.arange(m.E)
        self.equal("Rank", rank)
        self.equal("Mask", rank < m.K)
        chosen = np.array([np.flatnonzero(row < m.K) for row in rank])
        self.equal("Selected_Packed", np.take_along_axis(packed, chosen, 1))
        self.equal("TopK_Indices", chosen)
        self.equal("TopK_Scores", np.take_along_axis(scores, chosen, 1))
        e = np.exp(self.found["TopK_Scores"].astype(np.float64))
        weights = e / e.sum(1, keepdims=True)
        self.equal("routing_weights", weights, 0 if m.K == 1 else F32 * weights, np.float32)
        sums = self.found["routing_weights"].astype(np.float64).sum(1)
        self.claim("routing_weights of each token add up to 1", bool(np.abs(sums - 1).max() <= F32))
        if m.T == 1:
            for name in ("Packed_Value", "Packed_Value_cmp"):
                self.show(name, "08x")
            for name in ("Rank", "TopK_Indices", "TopK_Scores"):
                self.show(name)
        return chosen

    def indices(self, chosen: Array) -> None:
        m = self.moe
        calls = [int(e) for e in chosen.flatten()]
        counts = [calls.count(e) for e in range(m.E)]
        blocks = [math.ceil(count / m.B) for count in counts]
        starts = [sum(blocks[:e]) for e in range(m.E)]
        ranks, seen = [], [0] * m.E
        for e in calls:
            seen[e] += 1
            ranks.append(seen[e])
        places = np.array([starts[e] * m.B + rank - 1 for e, rank in zip(calls, ranks)])
        hot = np.array([[int(e == call) for e in range(m.E)] for call in calls])
        self.equal("Expert_Mask", hot)
        self.equal("Count", counts)
        self.equal("Num_Blocks", blocks)
        self.equal("Global_Offset", starts)
        self.equal("Cumsum_Mask", [hot[:n + 1].sum(0) for n in range(len(calls))])
        self.equal("Token_Rank", ranks)
        self.equal("Local_Offset", np.array(ranks) - 1)
        self.equal("Grid", [[e if g < blocks[e] else -1 for g in range(m.G)] for e in range(m.E)])
        self.equal("Scatter_Idx", places)
        for name in ("Count", "Num_Blocks", "Global_Offset", "Local_Offset", "Scatter_Idx"):
            self.show(name)
        owners = [e for e in range(m.E) for _ in range(blocks[e])]
        found = self.found["Expert_IDs"][:len(owners)].tolist()
        self.claim(f"Expert_IDs {found if len(found) <= 16 else f'[{len(found)}]'} equals NumPy "
                   "exactly", found == owners)
        self.claim(f"{len(owners)} blocks are used, G = {m.G}", len(owners) <= m.G)
        scattered = self.found["Scatter_Idx"]
        self.claim(f"{m.T} x {m.K} calls have places of their own among {m.G} x {m.B}",
                   len(set(scattered.tolist())) == len(calls) and scattered.min() >= 0
                   and scattered.max() < m.G * m.B)

    def experts(self, chosen: Array) -> Array:
        """y [T, K, D] by calling each expert with each of its tokens."""
        m, x = self.moe, self.a["x_norm"]
        y = np.empty((m.T, m.K, m.D))
        for t in range(m.T):
            for k, e in enumerate(chosen[t]):
                y[t, k] = bf16(bf16(x[t] @ self.a["W_up"][e]) @ self.a["W_down"][e])
        return y

    def block(self) -> None:
        m, x, found = self.moe, self.a["x_norm"], self.found
        scores = bf16(x @ self.a["W_router"])
        self.equal("scores", scores)
        chosen = self.routing(scores)
        self.indices(chosen)
        blocked = np.zeros((m.G * m.B, m.D))
        blocked[found["Scatter_Idx"]] = np.repeat(x, m.K, 0)
        blocked = blocked.reshape(m.G, m.B, m.D)
        self.equal("x_blocked", blocked)
        up, down = (self.a[f"W_{name}"][found["Expert_IDs"]] for name in ("up", "down"))
        self.equal("W_gathered_up", up)
        self.equal("W_gathered_down", down)
        up = bf16(blocked @ up)
        self.equal("up", up)
        self.equal("y_blocked", bf16(up @ down))
        y = self.experts(chosen)
        self.equal("y_restored", y)
        self.weighted("moe_out", y)

    def tokens(self) -> None:
        x = self.a["x_norm"]
        scores = bf16(x @ self.a["W_router"])
        self.equal("scores", scores)
        chosen = self.routing(scores)
        up = [[bf16(x[t] @ self.a["W_up"][e]) for e in row] for t, row in enumerate(chosen)]
        self.equal("up", up)
        y = self.experts(chosen)
        self.equal("y_experts", y)
        self.weighted("ffn_out", y)

    def weighted(self, name: str, y: Array) -> None:
        """The softmax of the scores, by which the experts' outputs are summed."""
        weights = self.found["routing_weights"].astype(np.float64)
        slack = 0.0 if self.moe.K == 1 else contraction_slack("tkd,tk->td", y, weights)
        self.equal(name, np.einsum("tkd,tk->td", y, weights), slack, np.float32)

    def check(self, name: str) -> bool:
        if name == "routing":
            self.routing(self.a["scores"])
        elif name == "indices":
            self.indices(self.routing(self.a["scores"]))
        else:
            getattr(self, name)()
        return self.good


def run(program: Program, inputs: dict[str, Array], trace: bool, target: str
        ) -> tuple[dict[str, Array], int] | str:
    """Results by name and cycles, or what went wrong."""
    text = program.write(trace)
    outcome = simulate(text, list(inputs.values()), len(program.results), target)
    if isinstance(outcome, str):
        return outcome
    return dict(zip(program.results, outcome[0])), outcome[1]["cycles"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", choices=PROGRAMS)
    add_options(parser)
    parser.add_argument("--scores", default="", metavar="X,X",
                        help="those of one token, or numbers to draw the scores from")
    parser.add_argument("--counts", default="", metavar="N,N",
                        help="scores that give each expert that many tokens")
    parser.add_argument("--target", default="rngd", help="machine (default: rngd)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    moe = moe_of(arguments)
    try:
        counts = [int(n) for n in arguments.counts.split(",") if n]
        scores = [float(x) for x in arguments.scores.split(",") if x]
    except ValueError as error:
        parser.error(f"no list of numbers: {error}")
    if counts and len(counts) != moe.E:
        parser.error(f"{len(counts)} counts for {moe.E} experts")
    if scores and moe.T == 1 and len(scores) != moe.E:
        parser.error(f"{len(scores)} scores of one token for {moe.E} experts")

    traced = Program(moe, arguments.program)
    inputs = make_inputs(traced, scores, counts, arguments.seed)
    outcome = run(traced, inputs, True, arguments.target)
    plain = run(Program(moe, arguments.program), inputs, False, arguments.target)
    for result in (outcome, plain):
        if isinstance(result, str):
            print(f"failed: {result}")
            return 1
    checker = Checker(traced, inputs, outcome[0])
    good = checker.check(arguments.program)
    # Without the tensors between as results more steps go together.
    for name, value in plain[0].items():
        slack = F32 * np.abs(outcome[0][name]) if value.dtype.kind == "f" and moe.K > 1 else 0
        good &= judge(name, value, outcome[0][name], slack, np.float64, "the traced run")
    print(f"{plain[1]:,} cycles")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
