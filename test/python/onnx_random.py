# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs of ONNX operators against NumPy, small sizes and equal ones on purpose.

    PYTHONPATH=build/python /usr/bin/python3 test/python/onnx_random.py [--count N] [--seed S] [--only N]
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from typing import Any

import numpy as np

import onnx_numpy
import sequin
from onnx_models import Graph

Value = tuple[str, np.ndarray]

#: Values are whole and stay so, so that results must be equal: no operator rounds.
LARGEST = 2.0**20


class Writer:
    """Makes a graph an operator at a time and evaluates it on the way."""

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(seed)
        self.numbers = np.random.default_rng(self.chance.randrange(2**32))
        self.g = Graph(17)
        self.values: list[Value] = []
        self.inputs: dict[str, np.ndarray] = {}

    def shape(self) -> list[int]:
        sizes = self.chance.choice(((1, 2, 3), (4,), (2, 4), (3, 5, 8), (1, 7, 16)))
        return [self.chance.choice(sizes) for _ in range(self.chance.randint(1, 4))]

    def leaf(self, shape: list[int] | None = None) -> Value:
        shape = self.shape() if shape is None else shape
        array = self.numbers.integers(-4, 5, shape).astype(np.float32)
        name = f"in{len(self.inputs)}"
        if self.chance.random() < 0.7:
            self.inputs[name] = array
            return self.g.input(name, shape), array
        return self.g.constant(array), array

    def any(self) -> Value:
        fresh = not self.values or self.chance.random() < 0.25
        return self.leaf() if fresh else self.chance.choice(self.values)

    def ints(self, *numbers: int) -> str:
        return self.g.constant(np.asarray(numbers, np.int64))

    def add(self, op: str, names: list[str], array: np.ndarray, **attributes: Any) -> None:
        name = self.g.node(op, *names, **attributes)
        if array.ndim and 0 < array.size <= 4096 and np.abs(array).max(initial=0) <= LARGEST:
            self.values.append((name, np.asarray(array, np.float32)))

    def step(self) -> None:
        kind = self.chance.choice(STEPS)
        getattr(self, kind)()

    # ===--- Operators -----------------------------------------------------=== #

    def elementwise(self) -> None:
        name, x = self.any()
        shape = [n if self.chance.random() < 0.7 else 1 for n in x.shape]
        other, y = self.leaf(shape[self.chance.randint(0, len(shape)) :])
        op = self.chance.choice(("Add", "Sub", "Mul"))
        self.add(op, [name, other], onnx_numpy.FUNCTIONS[op](x, y))

    def unary(self) -> None:
        name, x = self.any()
        op, made = self.chance.choice((("Relu", np.maximum(x, 0)), ("Neg", -x)))
        self.add(op, [name], made)

    def transpose(self) -> None:
        name, x = self.any()
        order = list(range(x.ndim))
        self.chance.shuffle(order)
        self.add("Transpose", [name], np.transpose(x, order), perm=order)

    def reshape(self) -> None:
        name, x = self.any()
        rest, shape = x.size, []
        while rest > 1 and len(shape) < 4:
            factor = self.chance.choice([d for d in range(1, rest + 1) if rest % d == 0])
            shape.append(factor)
            rest //= factor
        shape.append(rest)
        self.add("Reshape", [name, self.ints(*shape)], x.reshape(shape))

    def slice(self) -> None:
        name, x = self.any()
        axis = self.chance.randrange(x.ndim)
        size, step = x.shape[axis], self.chance.choice((1, 1, 2, -1, -2))
        a, b = sorted(self.chance.randint(0, size) for _ in (0, 1))
        start, stop = (a, b) if step > 0 else (b, a - size - 1)
        made = onnx_numpy.slice_(x, [start], [stop], [axis], [step])
        if made.size:
            self.add("Slice", [name, *map(self.ints, (start, stop, axis, step))], made)

    def concat(self) -> None:
        name, x = self.any()
        axis = self.chance.randrange(x.ndim)
        other, y = self.leaf([self.chance.randint(1, 4) if i == axis else n for i,
                              n in enumerate(x.shape)])
        parts = [(name, x), (other, y), (name, x)][: self.chance.randint(2, 3)]
        self.add("Concat", [n for n, _ in parts], np.concatenate([v for _, v in parts], axis),
                 axis=axis)

    def gather(self) -> None:
        name, x = self.any()
        axis = self.chance.randrange(x.ndim)
        at = self.numbers.integers(-x.shape[axis], x.shape[axis], self.shape()[:2]).astype(np.int64)
        if self.chance.random() < 0.5:
            place = f"in{len(self.inputs)}"
            self.inputs[place] = at
            self.g.input(place, list(at.shape), "int64")
        else:
            place = self.g.constant(at)
        self.add("Gather", [name, place], np.take(x, at, axis), axis=axis)

    def reduce(self) -> None:
        name, x = self.any()
        axes = sorted(self.chance.sample(range(x.ndim), self.chance.randint(1, x.ndim)))
        keep = self.chance.randint(0, 1)
        self.add("ReduceSum", [name, self.ints(*axes)], x.sum(tuple(axes), keepdims=bool(keep)),
                 keepdims=keep)

    def maximum(self) -> None:
        name, x = self.any()
        axis, keep = self.chance.randrange(x.ndim), self.chance.randint(0, 1)
        self.add("ReduceMax", [name], x.max(axis, keepdims=bool(keep)), axes=[axis], keepdims=keep)

    def matmul(self) -> None:
        name, x = self.any()
        inner, outer = x.shape[-1], self.chance.choice((1, 2, 4, 8, x.shape[-1]))
        batch = [n if self.chance.random() < 0.7 else 1
                 for n in x.shape[:-2]] if self.chance.random() < 0.5 else []
        other, y = self.leaf([*batch, inner, outer] if x.ndim > 1 else [inner, outer])
        self.add("MatMul", [name, other], x @ y)

    def pad(self) -> None:
        name, x = self.any()
        amounts = [self.chance.randint(0, 2) for _ in range(2 * x.ndim)]
        made = np.pad(x, list(zip(amounts[: x.ndim], amounts[x.ndim :])))
        self.add("Pad", [name, self.ints(*amounts)], made)

    def choose(self) -> None:
        name, x = self.any()
        other, y = self.leaf(list(x.shape))
        mask = self.numbers.integers(0, 2, x.shape[self.chance.randrange(x.ndim) :]).astype(bool)
        self.add("Where", [self.g.constant(mask), name, other], np.where(mask, x, y))

    def running_sum(self) -> None:
        name, x = self.any()
        axis = self.chance.randrange(x.ndim)
        self.add("CumSum", [name, self.g.constant(np.int64(axis))], np.cumsum(x, axis))

    def elements(self) -> None:
        name, x = self.any()
        axis = self.chance.randrange(x.ndim)
        shape = [self.chance.randint(1, n) if i != axis else self.chance.randint(1, 4)
                 for i, n in enumerate(x.shape)]
        at = self.numbers.integers(0, x.shape[axis], shape).astype(np.int64)
        inside = x[tuple(slice(None) if i == axis else slice(0, n) for i, n in enumerate(shape))]
        place = f"in{len(self.inputs)}"
        self.inputs[place] = at
        self.g.input(place, shape, "int64")
        self.add("GatherElements", [name, place], np.take_along_axis(inside, at, axis), axis=axis)

    def scatter(self) -> None:
        name, x = self.any()
        count = self.chance.randint(1, x.shape[0])
        at = self.numbers.permutation(x.shape[0])[:count, None].astype(np.int64)
        other, y = self.leaf([count, *x.shape[1:]])
        made = x.copy()
        made[at[:, 0]] = y
        place = f"in{len(self.inputs)}"
        self.inputs[place] = at
        self.g.input(place, [count, 1], "int64")
        self.add("ScatterND", [name, place, other], made)

    def convolution(self) -> None:
        name, x = self.any()
        if x.ndim != 4:
            return
        groups = self.chance.choice([g for g in (1, 2, x.shape[1]) if x.shape[1] % g == 0])
        kernel = [self.chance.randint(1, min(3, n)) for n in x.shape[2:]]
        w, weights = self.leaf([groups * self.chance.randint(1, 3), x.shape[1] // groups, *kernel])
        pads = [self.chance.randint(0, 1) for _ in range(4)]
        strides = [self.chance.randint(1, 2) for _ in range(2)]
        made = onnx_numpy.conv(x, weights, group=groups, pads=pads, strides=strides)
        self.add("Conv", [name, w], made, group=groups, pads=pads, strides=strides)

    def pool(self) -> None:
        name, x = self.any()
        if x.ndim != 4:
            return
        kernel = [self.chance.randint(1, min(3, n)) for n in x.shape[2:]]
        strides = [self.chance.randint(1, 2) for _ in range(2)]
        made = onnx_numpy.max_pool(x, kernel_shape=kernel, strides=strides)
        self.add("MaxPool", [name], made, kernel_shape=kernel, strides=strides)

    def top(self) -> None:
        name, x = self.any()
        axis = self.chance.randrange(x.ndim)
        count = self.chance.randint(1, x.shape[axis])
        made = self.g.node("TopK", name, self.ints(count), outputs=2, axis=axis)
        self.values.append((made[0], onnx_numpy.top_k(x, [count], axis=axis)[0]))


STEPS = [
    name for name, member in vars(Writer).items()
    if callable(member) and not name.startswith("_") and name not in ("shape", "leaf", "any",
                                                                      "ints", "add", "step")
]


def outcome(seed: str) -> str:
    """What becomes of a graph: a word; AssertionError if a result is wrong."""
    writer = Writer(seed)
    for _ in range(writer.chance.randint(2, 9)):
        writer.step()
    if not writer.values:
        return "empty"
    wanted = {}
    for i, (name, array) in enumerate(writer.values[-3:]):
        writer.g.node("Identity", name, outputs=[writer.g.output(f"y{i}")])
        wanted[f"y{i}"] = array
    model = sequin.import_onnx(writer.g.bytes())
    try:
        compiled = model.compile("rngd")
    except sequin.ModelError as error:
        return f"refused: {error.text[:90]}"
    found = compiled.run({v.name: writer.inputs[v.name] for v in model.inputs}).outputs
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)
    return "equal"


def run(count: int, seed: int, only: int | None = None) -> tuple[Counter[str], list[str]]:
    """Outcomes of so many graphs, and what is wrong with which."""
    counts: Counter[str] = Counter()
    failures = []
    for i in range(count) if only is None else [only]:
        try:
            counts[outcome(f"{seed}.{i}")] += 1
        except Exception as error:  # noqa: BLE001  whatever it is, it is to be looked at
            text = " ".join(str(error).split())[:160]
            failures.append(f"--seed {seed} --only {i}: {type(error).__name__}: {text}")
    return counts, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    arguments = parser.parse_args()
    counts, failures = run(arguments.count, arguments.seed, arguments.only)
    print("\n".join(failures))
    for name, n in counts.most_common():
        print(f"{n:6} {name}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
