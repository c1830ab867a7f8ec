# ===- scatter.py - tensor.scatter against NumPy ---------------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs scatters along one dimension and several, into tensors that have data, and
compares every result with NumPy's. Prints a line per case; exit status 1 if one differs.
"""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import simulate
from elements import Array


@dataclass
class Case:
    name: str
    dest: tuple[int, ...]
    dims: list[int]
    places: tuple[int, ...]  # shape of the indices without the last dimension
    element: str = "f32"
    index: str = "i32"
    keeps: bool = False  # the source has the scattered dimensions with size 1

    @property
    def source(self) -> tuple[int, ...]:
        rest = [1 if i in self.dims else size for i, size in enumerate(self.dest)
                if self.keeps or i not in self.dims]
        return (*self.places, *rest)


CASES = [
    Case("rows", (12, 8), [0], (5,)),
    Case("all_rows", (8, 16), [0], (8,), element="bf16"),
    Case("columns", (6, 10), [1], (4,)),
    Case("points", (3, 4, 8), [0, 1], (7,), element="i32"),
    Case("table_of_places", (16, 8), [0], (3, 4), element="i8", index="i16"),
    Case("kept_dimensions", (9, 8, 2), [0], (4,), keeps=True),
    Case("middle", (4, 6, 8), [1], (3,), element="i16", index="i8", keeps=True),
    Case("one_place", (5, 8), [0], ()),
    Case("elements", (20,), [0], (6,)),
]


def tensor(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def program(case: Case) -> str:
    source, dest = tensor(case.source, case.element), tensor(case.dest, case.element)
    indices = tensor((*case.places, len(case.dims)), case.index)
    return (f"func.func @main(%x: {source}, %into: {dest}, %places: {indices}) -> {dest} {{\n"
            f"  %0 = tensor.scatter %x into %into[%places] scatter_dims({case.dims}) unique\n"
            f"      : ({source}, {dest}, {indices}) -> {dest}\n"
            f"  return %0 : {dest}\n}}\n")


def check(case: Case, folder: Path) -> simulate.Outcome:
    random = np.random.default_rng(len(case.name))
    carrier = np.float32 if case.element in ("f32", "bf16") else np.dtype(f"int{case.element[1:]}")
    x, into = (random.integers(-99, 100, shape).astype(carrier)
               for shape in (case.source, case.dest))
    sizes = [case.dest[dim] for dim in case.dims]
    count = int(np.prod(case.places, dtype=int))
    chosen = random.permutation(int(np.prod(sizes)))[:count]
    places = np.stack(np.unravel_index(chosen, sizes), -1)
    places = places.reshape(*case.places, len(case.dims)).astype(f"int{case.index[1:]}")

    expected: Array = into.copy()
    for at in np.ndindex(*case.places):
        target: list[slice | int] = [slice(None)] * len(case.dest)
        for dim, place in zip(case.dims, places[at]):
            target[dim] = slice(place, place + 1) if case.keeps else int(place)
        expected[tuple(target)] = x[at]
    path = folder / f"{case.name}.mlir"
    path.write_text(program(case))
    return simulate.judge(simulate.run([str(path)], [x, into, places], 1, folder), [expected])


def main() -> int:
    good = True
    with tempfile.TemporaryDirectory(prefix="sequin-scatter-") as name:
        for case in CASES:
            outcome = check(case, Path(name))
            good &= outcome.status == "pass"
            if outcome.status == "pass":
                print(f"{case.name} {list(case.dest)} equals NumPy")
            else:
                outcome.show(case.name)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
