# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each program of this folder is given, and what NumPy says it must return.

Data are small whole numbers, so that sums are exact in any order and results are
compared to the bit.
"""

from dataclasses import dataclass, field

import numpy as np

Array = np.ndarray
Arrays = dict[str, Array]


@dataclass
class Case:
    """One run. Names may say which PEs are meant: "A@1,0,4,1"."""
    inputs: Arrays
    launches: list[str]
    expected: Arrays
    # Colors that wavelets must have been seen on.
    colors: list[int] = field(default_factory=list)


def whole(rng: np.random.Generator, *shape: int, low: int = -4, high: int = 5) -> Array:
    return rng.integers(low, high, shape).astype(np.float32)


def blocks(matrix: Array, rows: int, columns: int) -> Array:
    """[H, W, n]: the blocks of a matrix, each column-major."""
    height, width = matrix.shape[0] // rows, matrix.shape[1] // columns
    cut = matrix.reshape(height, rows, width, columns)
    return cut.transpose(0, 2, 3, 1).reshape(height, width, columns * rows)


def gemv_one_pe(rng: np.random.Generator) -> Case:
    A, x, b = whole(rng, 8, 6), whole(rng, 6), whole(rng, 8)
    return Case({"A": A.reshape(1, 1, 8, 6), "x": x.reshape(1, 1, 6), "b": b.reshape(1, 1, 8)},
                ["compute"], {"y": (A @ x + b).reshape(1, 1, 8)})


def gemv_row(rng: np.random.Generator) -> Case:
    A, x, b = whole(rng, 8, 12), whole(rng, 12), whole(rng, 8)
    bias = np.zeros((1, 4, 8), np.float32)
    bias[0, 0] = b
    return Case({"A": blocks(A, 8, 3), "x": x.reshape(1, 4, 3), "b": bias}, ["compute"],
                {"y@3,0,1,1": (A @ x + b).reshape(1, 1, 8)}, [2, 3])


def gemv_grid(rng: np.random.Generator) -> Case:
    A, x = whole(rng, 18, 20), whole(rng, 20)
    return Case({"A": blocks(A, 6, 5), "x@0,0,4,1": x.reshape(1, 4, 5)}, ["compute"],
                {"y@3,0,1,3": (A @ x).reshape(3, 1, 6)}, [2, 4, 5])


def gemm_summa(rng: np.random.Generator) -> Case:
    A, B, C = whole(rng, 56, 56), whole(rng, 56, 56), whole(rng, 56, 56)
    return Case({"A": blocks(A, 14, 14), "B": blocks(B, 14, 14), "C": blocks(C, 14, 14)},
                ["multiply"], {"C": blocks(A @ B + C, 14, 14)}, [2, 3, 4, 5])


def stencil(rng: np.random.Generator) -> Case:
    u = whole(rng, 4, 5, 10)
    steps, center, side = 4, 2, -1
    v = u
    for _ in range(steps):
        p = np.pad(v, 1)
        v = center * v + side * (p[2:, 1:-1, 1:-1] + p[:-2, 1:-1, 1:-1] + p[1:-1, 2:, 1:-1]
                                 + p[1:-1, :-2, 1:-1] + p[1:-1, 1:-1, 2:] + p[1:-1, 1:-1, :-2])
    return Case({"u": u}, [f"run({steps}, {center}, {side})"], {"u": v}, list(range(2, 10)))


def reduce_chain(rng: np.random.Generator) -> Case:
    data = whole(rng, 1, 8, 16)
    return Case({"data": data}, ["reduce"],
                {"data@0,0,1,1": data.sum(axis=1, keepdims=True)}, [4, 5])


def reduce_tree(rng: np.random.Generator) -> Case:
    case = reduce_chain(rng)
    case.colors = [8, 9, 10]
    return case


def fifo_pipeline(rng: np.random.Generator) -> Case:
    signal = whole(rng, 1, 1, 40)
    return Case({"signal@0,0,1,1": signal}, ["run(3)", "run(-2)"],
                {"result@2,0,1,1": -2 * signal}, [4, 5])


def sparse(rng: np.random.Generator) -> Case:
    A, x = whole(rng, 24, 20), whole(rng, 20)
    x[rng.permutation(20)[:12]] = 0
    indices = np.flatnonzero(x)
    count = len(indices)
    padded_indices, values = np.zeros((1, 1, 16), np.int16), np.zeros((1, 1, 16), np.float32)
    padded_indices[0, 0, :count], values[0, 0, :count] = indices, x[indices]
    return Case({"indices@0,0,1,1": padded_indices, "values@0,0,1,1": values,
                 "A@1,0,4,1": blocks(A, 6, 20).reshape(1, 4, 120),
                 "y@1,0,4,1": np.zeros((1, 4, 6), np.float32)},
                ["receive", f"send({count})"], {"y@1,0,4,1": (A @ x).reshape(1, 4, 6)}, [5])


def filters(rng: np.random.Generator) -> Case:
    vector = whole(rng, 1, 1, 24)
    indices, values = rng.integers(0, 24, 32), rng.integers(-9, 10, 32)
    bins = np.zeros(24, np.int16)
    np.add.at(bins, indices, values.astype(np.int16))
    return Case({"vector@0,0,1,1": vector,
                 "indices@0,0,1,1": indices.astype(np.int16).reshape(1, 1, 32),
                 "values@0,0,1,1": values.astype(np.int16).reshape(1, 1, 32),
                 "bins@1,0,4,1": np.zeros((1, 4, 6), np.int16)},
                ["scatter", "scatter", "bin"],
                {"part@1,0,4,1": vector.reshape(1, 4, 6), "bins@1,0,4,1": bins.reshape(1, 4, 6)},
                [5, 6])


def switches(rng: np.random.Generator) -> Case:
    data = whole(rng, 1, 4, 6)
    return Case({"block@1,0,4,1": data}, ["gather", "gather"],
                {"all@0,0,1,1": data.reshape(1, 1, 24)}, [6])


def life(rng: np.random.Generator) -> Case:
    cells = rng.integers(0, 2, (5, 6)).astype(np.int16)
    generations, now = 6, cells
    for _ in range(generations):
        p = np.pad(now, 1)
        others = sum(p[1 + dy:6 + dy, 1 + dx:7 + dx] for dy in (-1, 0, 1) for dx in (-1, 0, 1)
                     if (dy, dx) != (0, 0))
        now = ((others == 3) | ((others == 2) & (now == 1))).astype(np.int16)
    return Case({"cell": cells.reshape(5, 6, 1)}, [f"run({generations})"],
                {"cell": now.reshape(5, 6, 1)}, list(range(2, 10)))


PROGRAMS = {make.__name__: make for make in (
    gemv_one_pe, gemv_row, gemv_grid, gemm_summa, stencil, reduce_chain, reduce_tree,
    fifo_pipeline, sparse, filters, switches, life)}
