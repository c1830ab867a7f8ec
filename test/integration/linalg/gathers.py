# ===- gathers.py - tensor.gather of tables with padding ------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Gathers from tables whose rows do not lie one right behind the other: elements of a
flattened tensor, rows of one that another operation reads further than it goes, and columns.
Prints a line per case; exit status 1 if a result is not NumPy's.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import simulate
from elements import Array

RANDOM = np.random.default_rng(11)


def draw(*shape: int) -> Array:
    return RANDOM.integers(-4, 5, shape)


def flattened(rows: int, columns: int, element: str) -> tuple[str, list[Array], list[Array]]:
    count, size = 7, rows * columns
    table = f"tensor<{rows}x{columns}x{element}>"
    carrier = np.float32 if element[0] in "bf" else np.dtype(f"int{element[1:]}")
    x, at = draw(rows, columns).astype(carrier), RANDOM.integers(0, size, count, dtype=np.int32)
    at[0], at[1] = size - 1, columns
    return f"""func.func @main(%x: {table}, %i: tensor<{count}xi32>) -> tensor<{count}x{element}> {{
  %flat = tensor.collapse_shape %x [[0, 1]] : {table} into tensor<{size}x{element}>
  %j = tensor.expand_shape %i [[0, 1]] output_shape [{count}, 1]
      : tensor<{count}xi32> into tensor<{count}x1xi32>
  %r = tensor.gather %flat[%j] gather_dims([0])
      : (tensor<{size}x{element}>, tensor<{count}x1xi32>) -> tensor<{count}x{element}>
  return %r : tensor<{count}x{element}>
}}
""", [x, at], [x.reshape(-1)[at]]


def read_twice(rows: int, columns: int) -> tuple[str, list[Array], list[Array]]:
    table = f"tensor<{rows}x{columns}xbf16>"
    x, w = draw(rows, columns).astype(np.float32), draw(columns, 2).astype(np.float32)
    at = RANDOM.integers(0, rows, (4, 1), dtype=np.int32)
    return f"""func.func @main(%x: {table}, %w: tensor<{columns}x2xbf16>, %i: tensor<4x1xi32>)
    -> (tensor<{rows}x2xf32>, tensor<4x{columns}xbf16>) {{
  %z = arith.constant dense<0.0> : tensor<{rows}x2xf32>
  %m = linalg.matmul ins(%x, %w : {table}, tensor<{columns}x2xbf16>)
      outs(%z : tensor<{rows}x2xf32>) -> tensor<{rows}x2xf32>
  %r = tensor.gather %x[%i] gather_dims([0])
      : ({table}, tensor<4x1xi32>) -> tensor<4x{columns}xbf16>
  return %m, %r : tensor<{rows}x2xf32>, tensor<4x{columns}xbf16>
}}
""", [x, w, at], [x @ w, x[at[:, 0]]]


def columns(rows: int, columns: int) -> tuple[str, list[Array], list[Array]]:
    table = f"tensor<{rows}x{columns}xf32>"
    x = draw(rows, columns).astype(np.float32)
    at = RANDOM.integers(0, columns, 5, dtype=np.int32)
    return f"""func.func @main(%x: {table}, %i: tensor<5xi32>) -> tensor<{rows}x5xf32> {{
  %e = tensor.empty() : tensor<{rows}x5xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(r, c) -> (c)>, affine_map<(r, c) -> (r, c)>],
                       iterator_types = ["parallel", "parallel"]}}
      ins(%i : tensor<5xi32>) outs(%e : tensor<{rows}x5xf32>) {{
  ^bb0(%at: i32, %o: f32):
    %row = linalg.index 0 : index
    %column = arith.index_cast %at : i32 to index
    %v = tensor.extract %x[%row, %column] : {table}
    linalg.yield %v : f32
  }} -> tensor<{rows}x5xf32>
  return %r : tensor<{rows}x5xf32>
}}
""", [x, at], [x[:, at]]


CASES = [
    *((f"columns of {rows}x{size}", columns(rows, size))
      for rows, size in ((3, 3), (16, 16), (3, 8))),
    *((f"flattened {rows}x{columns} {element}", flattened(rows, columns, element))
      for rows, columns, element in
      ((3, 5, "i32"), (3, 16, "f32"), (4, 7, "f32"), (5, 9, "bf16"), (6, 37, "i8"),
       (2, 33, "i16"))),
    *((f"read twice {rows}x{columns}", read_twice(rows, columns))
      for rows, columns in ((3, 100), (5, 64), (3, 31))),
]


def main() -> int:
    good = True
    with tempfile.TemporaryDirectory(prefix="sequin-gather-") as folder:
        for name, (program, inputs, expected) in CASES:
            path = Path(folder) / "program.mlir"
            path.write_text(program)
            outcome = simulate.run([str(path)], inputs, len(expected), Path(folder), ["--verify"])
            outcome = simulate.judge(outcome, expected)
            good &= outcome.status == "pass"
            if outcome.status == "pass":
                print(f"{name} equals NumPy")
            else:
                outcome.show(name)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
