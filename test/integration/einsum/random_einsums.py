#!/usr/bin/python3
# ===- random_einsums.py - Random einsums against NumPy -------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Compares `sequin-run --einsum` with NumPy on random einsums, exactly.

Two to four operands, one to seven axes, sizes 1 to 300 (many of them primes),
i8 and bf16. The data are integers small enough that every sum is exact in the
accumulator's type, in any order. Exit status: 0 if all agree, 1 if not.
"""

import argparse
import collections
import math
import random
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "linalg"))
import simulate  # noqa: E402
from elements import Array  # noqa: E402

PRIMES = [n for n in range(2, 301) if all(n % d for d in range(2, math.isqrt(n) + 1))]
MAX_AXES = 7
#: Iterations of the naive loop nest over all axes.
MAX_ITERATIONS = 30_000_000
MAX_ELEMENTS = 1_000_000
#: Sums stay below these: representable in i32, exact in f32. The latter leaves a
#: factor of two for operands in digits, whose leading digit may be rounded up.
EXACT = {"bf16": 2**23, "i8": 2**31}
#: Largest magnitude of an element (bf16 holds integers to 256 exactly).
LARGEST = {"bf16": 16, "i8": 127}


@dataclass
class Einsum:
    """One einsum: axes of the operands and of the result, sizes, type, data range."""

    family: str
    operands: list[str]
    result: str
    sizes: dict[str, int]
    dtype: str
    magnitude: int

    @property
    def equation(self) -> str:
        return ",".join(self.operands) + "->" + self.result

    def options(self) -> list[str]:
        options = ["--einsum", self.equation]
        if self.sizes:
            options += ["--size", ",".join(f"{a}={n}" for a, n in self.sizes.items())]
        return [*options, "--dtype", self.dtype]

    def data(self, random_state: np.random.Generator) -> list[Array]:
        kind = np.int8 if self.dtype == "i8" else np.float32
        lowest = -self.magnitude - (self.dtype == "i8" and self.magnitude == 127)
        return [random_state.integers(lowest, self.magnitude + 1,
                                      [self.sizes[a] for a in operand]).astype(kind)
                for operand in self.operands]

    def expected(self, inputs: list[Array]) -> Array:
        """float64 holds every intermediate sum exactly."""
        values = np.einsum(self.equation, *(each.astype(np.float64) for each in inputs),
                           optimize="greedy")
        return np.asarray(values).astype(np.int32 if self.dtype == "i8" else np.float32)


def draw_size(draw: random.Random, limit: int) -> int:
    """Small and large sizes alike, every second one a prime."""
    limit = max(1, min(limit, 300))
    kind = draw.random()
    if kind < 0.06 or limit == 1:
        return 1
    size = min(limit, max(1, round(math.exp(draw.uniform(0, math.log(limit))))))
    if kind < 0.5:
        return max((p for p in PRIMES if p <= size), default=size)
    if kind < 0.7:
        # Multiples of a flit's elements and their neighbours.
        return min(limit, max(1, 32 * draw.randint(1, 9) + draw.choice([-1, 0, 0, 1])))
    return size


def matmul_like(draw: random.Random) -> tuple[list[str], str]:
    return draw.choice([(["mk", "kn"], "mn"), (["km", "kn"], "mn"), (["mk", "nk"], "nm"),
                        (["mk", "k"], "m"), (["k", "kn"], "n"), (["k", "k"], ""),
                        (["mk", "kl", "ln"], "mn"), (["mk", "kl", "l"], "m"),
                        (["ab", "bc", "cd", "de"], "ae")])


def batched(draw: random.Random) -> tuple[list[str], str]:
    return draw.choice([(["bmk", "bkn"], "bmn"), (["bhqd", "bhkd"], "bhqk"),
                        (["bhqk", "bkhd"], "bqhd"), (["mbk", "bkn"], "nbm"),
                        (["bqd", "bkd", "bke"], "bqe"), (["bik", "bjk", "bij"], "b"),
                        (["bt", "btc", "cd"], "bd"), (["abc", "abc"], "ab")])


def outer(draw: random.Random) -> tuple[list[str], str]:
    return draw.choice([(["i", "j"], "ij"), (["i", "j"], "ji"), (["i", "j", "k"], "kij"),
                        (["ij", "kl"], "iklj"), (["i", "j", "k", "l"], "ljik"),
                        (["ij", "k"], "kij"), (["ab", "cb"], "acb"), (["ab", "ab"], "ba")])


def repeated(draw: random.Random) -> tuple[list[str], str]:
    return draw.choice([(["ii", "ij"], "j"), (["ii", "ij"], "ij"), (["ii", "i"], ""),
                        (["iij", "jk"], "ik"), (["iji", "ij"], "j"), (["bii", "bi"], "b"),
                        (["ii", "jj"], "ij"), (["aab", "bcc"], "ac"), (["iii", "ij"], "ji"),
                        (["ii", "ij", "jk"], "k")])


def lone_sum(draw: random.Random) -> tuple[list[str], str]:
    return draw.choice([(["ijs", "jk"], "ik"), (["si", "ij"], "j"), (["ij", "jkt"], "ki"),
                        (["is", "tj"], "ij"), (["sij", "tjk"], ""), (["abs", "bc", "ct"], "ca"),
                        (["ij", "kl"], ""), (["as", "at"], "a"), (["is", "j", "tk"], "kji")])


def arbitrary(draw: random.Random) -> tuple[list[str], str]:
    """Every operand a random word over a random alphabet."""
    axes = "abcdefg"[: draw.randint(1, MAX_AXES)]
    count = draw.choice([2, 2, 2, 3, 3, 4])
    operands = [set(draw.sample(axes, draw.randint(1, min(4, len(axes))))) for _ in range(count)]
    for axis in axes:
        if not any(axis in operand for operand in operands):
            smallest = min(operands, key=len)
            smallest.add(axis)
    words = ["".join(draw.sample(sorted(operand), len(operand))) for operand in operands]
    if draw.random() < 0.15:
        index = draw.randrange(count)
        place = draw.randrange(len(words[index]) + 1)
        words[index] = words[index][:place] + draw.choice(words[index]) + words[index][place:]
    if draw.random() < 0.02:
        # An operand without axes: a factor.
        words[-1] = ""
    left = sorted(set("".join(words)))
    kept = [axis for axis in left if draw.random() < 0.55]
    return words, "".join(draw.sample(kept, len(kept)))


FAMILIES = {matmul_like: 3, batched: 3, outer: 2, repeated: 2, lone_sum: 2, arbitrary: 6}


def draw_einsum(draw: random.Random) -> Einsum:
    family = draw.choices(list(FAMILIES), list(FAMILIES.values()))[0]
    operands, result = family(draw)
    if draw.random() < 0.3 and len(result) > 1:
        result = "".join(draw.sample(result, len(result)))
    axes = sorted(set("".join(operands)))
    dtype = draw.choice(["i8", "bf16"])
    sizes = dict.fromkeys(axes, 1)

    def fits() -> bool:
        tensors = [*operands, result]
        summed = [sizes[a] for a in axes if a not in result]
        return (math.prod(sizes.values()) <= MAX_ITERATIONS
                and all(math.prod(sizes[a] for a in word) <= MAX_ELEMENTS for word in tensors)
                and math.prod(summed) < EXACT[dtype])

    for axis in draw.sample(axes, len(axes)):
        limit = 300
        while True:
            sizes[axis] = draw_size(draw, limit)
            if fits():
                break
            limit = max(1, sizes[axis] // 2)
    # No partial result of any order of contraction exceeds magnitude^operands
    # times the number of summands.
    summands = math.prod(sizes[a] for a in axes if a not in result)
    room = ((EXACT[dtype] - 1) / summands) ** (1 / len(operands))
    # i8 includes -128.
    bound = LARGEST[dtype] if room >= 128 else min(math.floor(room), LARGEST[dtype] - 1)
    magnitude = draw.choice([bound, min(bound, 4)])
    return Einsum(family.__name__, operands, result, sizes, dtype, max(1, magnitude))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=25, help="einsums to run (default: 25)")
    parser.add_argument("--seed", type=int, help="of the draw; printed if not given")
    parser.add_argument("--only", type=int, metavar="N", help="run only number N of the draw")
    parser.add_argument("--list", action="store_true", help="print the einsums, run nothing")
    parser.add_argument("--verify", action="store_true", help="pass --verify to sequin-run")
    parser.add_argument("--keep", type=Path, metavar="FOLDER",
                        help="keep the arrays of failures in FOLDER/N")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.randrange(2**31)
    print(f"seed {seed}, count {arguments.count}", flush=True)

    outcomes, families = [], collections.Counter()
    with tempfile.TemporaryDirectory(prefix="sequin-einsum-") as scratch:
        for number in range(arguments.count):
            # A generator of its own per einsum, so that one can be repeated alone.
            draw = random.Random(f"{seed}/{number}")
            einsum = draw_einsum(draw)
            families[einsum.family] += 1
            if arguments.only not in (None, number):
                continue
            name = (f"{number} {einsum.equation} "
                    f"{','.join(f'{a}={n}' for a, n in einsum.sizes.items())} {einsum.dtype}")
            if arguments.list:
                print(f"{einsum.family:12} {name} |x|<={einsum.magnitude}")
                continue
            folder = Path(scratch)
            if arguments.keep:
                folder = arguments.keep / str(number)
                folder.mkdir(parents=True, exist_ok=True)
            inputs = einsum.data(np.random.default_rng([seed, number]))
            outcome = simulate.run(einsum.options(), inputs, 1, folder,
                                   ["--verify"] if arguments.verify else [])
            simulate.judge(outcome, [einsum.expected(inputs)])
            if outcome.status == "pass" and outcome.results[0].dtype != \
                    (np.int32 if einsum.dtype == "i8" else np.float32):
                outcome.status = "wrong"
                outcome.reason = f"the result's type is {outcome.results[0].dtype}"
            outcomes.append(outcome)
            if outcome.status != "pass":
                outcome.show(name)
                print(f"  repeat: {Path(__file__).name} --seed {seed} "
                      f"--count {number + 1} --only {number} --keep FOLDER")
            outcome.results = []
    print("families: " + ", ".join(f"{count} {name}" for name, count in families.most_common()))
    if not arguments.list:
        print(simulate.summary(outcomes))
    return 0 if all(outcome.status == "pass" for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
