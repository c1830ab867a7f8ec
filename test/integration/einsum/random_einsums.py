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
every element type, alike or another one for each operand. The data of integer
types may wrap around; those of floats are integers times a power of two, small
enough that every sum is exact in the accumulator's type, in any order. A result
may be asked for in another type. Exit status: 0 if all agree, 1 if not.
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
from elements import CARRIER, Array, round_to  # noqa: E402

PRIMES = [n for n in range(2, 301) if all(n % d for d in range(2, math.isqrt(n) + 1))]
MAX_AXES = 7
#: Iterations of the naive loop nest over all axes.
MAX_ITERATIONS = 30_000_000
MAX_ELEMENTS = 1_000_000
#: Sums of floats stay below it: exact in f32, with a factor of two for operands
#: in digits, whose leading digit may be rounded up.
EXACT = 2**23


@dataclass(frozen=True)
class Element:
    """What the elements of an operand may be: integers up to `largest`, times two to
    the power of `scales`; MLIR's name of the type."""

    largest: int
    scales: range
    mlir: str

    @property
    def is_float(self) -> bool:
        return len(self.scales) > 1


ONE = range(1)
ELEMENTS = {
    "i4": Element(7, ONE, "i4"), "i8": Element(127, ONE, "i8"),
    "i16": Element(2**15 - 1, ONE, "i16"), "i32": Element(2**31 - 1, ONE, "i32"),
    # Values with few enough bits, and no subnormal ones.
    "f8e4m3": Element(16, range(-6, 5), "f8E4M3FN"), "f8e5m2": Element(8, range(-14, 12), "f8E5M2"),
    "bf16": Element(256, range(-20, 21), "bf16"), "f16": Element(2048, range(-14, 5), "f16"),
    "f32": Element(2**20, range(-20, 21), "f32"),
}
INTEGERS = [name for name, element in ELEMENTS.items() if not element.is_float]
FLOATS = [name for name, element in ELEMENTS.items() if element.is_float]
#: Types of results that are asked for, of integers and of floats.
OUTPUTS = {False: ["i8", "i16", "i32"], True: ["bf16", "f32"]}


@dataclass
class Einsum:
    """One einsum: axes of the operands and of the result, sizes, a type for each
    operand, the range of its data, the type of the result if it is asked for."""

    family: str
    operands: list[str]
    result: str
    sizes: dict[str, int]
    dtypes: list[str]
    magnitudes: list[int]
    scales: list[int]
    output: str = ""

    @property
    def equation(self) -> str:
        return ",".join(self.operands) + "->" + self.result

    @property
    def is_float(self) -> bool:
        return ELEMENTS[self.dtypes[0]].is_float

    def options(self) -> list[str]:
        options = ["--einsum", self.equation]
        if self.sizes:
            options += ["--size", ",".join(f"{a}={n}" for a, n in self.sizes.items())]
        alike = len(set(self.dtypes)) == 1
        options += ["--dtype", self.dtypes[0] if alike else ",".join(self.dtypes)]
        return options + (["--output-dtype", self.output] if self.output else [])

    def data(self, random_state: np.random.Generator) -> list[Array]:
        arrays = []
        for operand, dtype, magnitude, scale in zip(self.operands, self.dtypes, self.magnitudes,
                                                    self.scales, strict=True):
            element = ELEMENTS[dtype]
            lowest = -magnitude - (not element.is_float and magnitude == element.largest)
            values = random_state.integers(lowest, magnitude + 1, [self.sizes[a] for a in operand])
            if element.is_float:
                arrays.append(np.ldexp(values.astype(np.float32), scale).astype(np.float32))
            else:
                arrays.append(values.astype(CARRIER[element.mlir]))
        return arrays

    def expected(self, inputs: list[Array]) -> Array:
        """float64 holds every sum of floats exactly, int64 every one of integers modulo
        two to the power of 32."""
        wide = np.float64 if self.is_float else np.int64
        # The integers themselves, so that no product of scales can be lost.
        plain = [np.ldexp(each.astype(wide), -scale) if self.is_float else each.astype(wide)
                 for each, scale in zip(inputs, self.scales, strict=True)]
        values = np.asarray(np.einsum(self.equation, *plain, optimize="greedy"))
        if self.is_float:
            exact = np.ldexp(values, sum(self.scales)).astype(np.float32)
            rounded = round_to(exact, ELEMENTS[self.output].mlir) if self.output else exact
            return rounded.reshape(exact.shape)
        wrapped = values.astype(np.int32)
        if not self.output:
            return wrapped
        most = ELEMENTS[self.output].largest
        return np.clip(wrapped, -most - 1, most).astype(CARRIER[self.output])


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
    kind = draw.choice([INTEGERS, FLOATS])
    dtypes = [draw.choice(kind)] * len(operands)
    if draw.random() < 0.3:
        dtypes = [draw.choice(kind) for _ in operands]
    sizes = dict.fromkeys(axes, 1)

    def fits() -> bool:
        tensors = [*operands, result]
        summed = [sizes[a] for a in axes if a not in result]
        return (math.prod(sizes.values()) <= MAX_ITERATIONS
                and all(math.prod(sizes[a] for a in word) <= MAX_ELEMENTS for word in tensors)
                and math.prod(summed) < EXACT)

    for axis in draw.sample(axes, len(axes)):
        limit = 300
        while True:
            sizes[axis] = draw_size(draw, limit)
            if fits():
                break
            limit = max(1, sizes[axis] // 2)
    most = [ELEMENTS[dtype].largest for dtype in dtypes]
    magnitudes = [draw.choice([each, each, min(each, 4)]) for each in most]
    scales = [draw.choice(ELEMENTS[dtype].scales) for dtype in dtypes]
    if kind is FLOATS:
        # No partial result of any order of contraction exceeds the product of
        # the magnitudes times the number of summands.
        room = (EXACT - 1) // math.prod(sizes[a] for a in axes if a not in result)
        for index in draw.sample(range(len(operands)), len(operands)):
            others = math.prod(magnitudes) // magnitudes[index]
            if math.prod(magnitudes) > room:
                magnitudes[index] = max(1, min(magnitudes[index], room // others))
    output = draw.choice(OUTPUTS[kind is FLOATS]) if draw.random() < 0.2 else ""
    return Einsum(family.__name__, operands, result, sizes, dtypes, magnitudes, scales, output)


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
                    f"{','.join(f'{a}={n}' for a, n in einsum.sizes.items())} "
                    f"{','.join(einsum.dtypes)}{' to ' + einsum.output if einsum.output else ''}")
            if arguments.list:
                print(f"{einsum.family:12} {name} |x|<={einsum.magnitudes}")
                continue
            folder = Path(scratch)
            if arguments.keep:
                folder = arguments.keep / str(number)
                folder.mkdir(parents=True, exist_ok=True)
            inputs = einsum.data(np.random.default_rng([seed, number]))
            outcome = simulate.run(einsum.options(), inputs, 1, folder,
                                   ["--verify"] if arguments.verify else [])
            simulate.judge(outcome, [einsum.expected(inputs)])
            if outcome.status == "pass" and outcome.results[0].dtype != einsum.expected(inputs).dtype:
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
