#!/usr/bin/python3
# ===- gates.py - x / (1 + exp(-x)) * y of two products -------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Compares the gate of a network with NumPy: products of many sums, which take its steps in
turn, on rings and in tiles, and of few, which leave them to a group of their own.

Exit status: 0 if all agree within what bf16 rounds and groups are as many as they should be,
1 if not.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import simulate

#: Parts of the rows and columns that no ring has.
TILES = "{sequin.pin = {parts = array<i64: 8, 34, 0>}} "
#: (rows, sum, columns, pin, groups, words of a mapping).
CASES = [(1024, 1024, 1024, "", 2, "rings"), (512, 1024, 2048, "", 2, "rings"),
         (64, 128, 64, "", 3, "tiles"), (1024, 1088, 1088, TILES, 2, "tiles"),
         (2048, 512, 512, "", 3, "rings")]


def program(m: int, k: int, n: int, pin: str) -> str:
    x, w = f"tensor<{m}x{k}xbf16>", f"tensor<{k}x{n}xbf16>"
    sums, out = f"tensor<{m}x{n}xf32>", f"tensor<{m}x{n}xbf16>"
    same = "affine_map<(t, f) -> (t, f)>"
    return f"""func.func @main(%x: {x}, %w1: {w}, %w2: {w}) -> {out} {{
  %z = arith.constant dense<0.0> : {sums}
  %one = arith.constant 1.0 : f32
  %g = linalg.matmul {pin}ins(%x, %w1 : {x}, {w}) outs(%z : {sums}) -> {sums}
  %u = linalg.matmul {pin}ins(%x, %w2 : {x}, {w}) outs(%z : {sums}) -> {sums}
  %e = tensor.empty() : {out}
  %h = linalg.generic {{indexing_maps = [{same}, {same}, {same}],
                       iterator_types = ["parallel", "parallel"]}}
      ins(%g, %u : {sums}, {sums}) outs(%e : {out}) {{
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %d = arith.addf %p, %one : f32
    %q = arith.divf %a, %d : f32
    %r = arith.mulf %q, %b : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  }} -> {out}
  return %h : {out}
}}
"""


def main() -> int:
    good = True
    with tempfile.TemporaryDirectory(prefix="sequin-gates-") as name:
        folder = Path(name)
        path, report = folder / "program.mlir", folder / "mapping.txt"
        for m, k, n, pin, groups, words in CASES:
            path.write_text(program(m, k, n, pin))
            state = np.random.default_rng(m)
            arrays = [(state.integers(-8, 9, shape) / 64).astype(np.float32)
                      for shape in ((m, k), (k, n), (k, n))]
            x, w1, w2 = (array.astype(np.float64) for array in arrays)
            gate = x @ w1
            expected = (gate / (1 + np.exp(-gate)) * (x @ w2)).astype(np.float32)
            outcome = simulate.run([str(path)], arrays, 1, folder,
                                   ["--report-mapping", str(report)])
            outcome = simulate.judge(outcome, [expected], 2.0**-7)
            if outcome.status != "pass":
                outcome.show(f"{m}x{k}x{n}")
                good = False
                continue
            mapping = report.read_text()
            found = sum(line[0].isdigit() for line in mapping.splitlines() if line)
            if found != groups or words not in mapping:
                print(f"{m}x{k}x{n} is not mapped as it should be:\n{mapping}")
                good = False
    print(f"{len(CASES)} gates" + (" equal NumPy" if good else ""))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
