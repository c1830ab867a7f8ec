#!/usr/bin/python3
# ===- wrapping_sums.py - Sums of i32 that leave i32 -----------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Compares linalg sums of integers from the whole range of i32 with NumPy's, which wrap around
as arith.addi does. Exit status: 0 if all agree, 1 if not.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import simulate

#: Shape, summed dimensions, what the sum starts from ("argument": a tensor), whether each
#: element is a product of two.
CASES: list[tuple[tuple[int, ...], tuple[int, ...], int | str, bool]] = [
    ((33,), (0,), 0, False),
    ((1, 65), (1,), 2**31 - 1, False),
    ((7, 3, 13), (0, 2), "argument", False),
    ((5, 16), (0,), -7, True),
    ((40000,), (0,), 0, False),  # three digits
]


def type_of(shape: tuple[int, ...]) -> str:
    return "tensor<" + "".join(f"{n}x" for n in shape) + "i32>"


def program(shape: tuple[int, ...], summed: tuple[int, ...], start: int | str,
            multiplies: bool) -> str:
    kept = tuple(n for i, n in enumerate(shape) if i not in summed)
    loops = [f"d{i}" for i in range(len(shape))]
    whole = f"affine_map<({', '.join(loops)}) -> ({', '.join(loops)})>"
    rest = (f"affine_map<({', '.join(loops)}) -> "
            f"({', '.join(d for i, d in enumerate(loops) if i not in summed)})>")
    kinds = ", ".join('"reduction"' if i in summed else '"parallel"' for i in range(len(shape)))
    given = start == "argument"
    begin = ("%s" if given else "%start")
    return f"""func.func @main(%x: {type_of(shape)}, %y: {type_of(shape)}, %s: {type_of(kept)})
    -> {type_of(kept)} {{
  %start = arith.constant dense<{0 if given else start}> : {type_of(kept)}
  %r = linalg.generic {{indexing_maps = [{whole}, {whole}, {rest}], iterator_types = [{kinds}]}}
      ins(%x, %y : {type_of(shape)}, {type_of(shape)}) outs({begin} : {type_of(kept)}) {{
  ^bb0(%a: i32, %b: i32, %o: i32):
    %p = arith.{"muli" if multiplies else "xori"} %a, %b : i32
    %t = arith.addi %o, %p : i32
    linalg.yield %t : i32
  }} -> {type_of(kept)}
  return %r : {type_of(kept)}
}}
"""


def main() -> int:
    good = True
    with tempfile.TemporaryDirectory(prefix="sequin-sums-") as name:
        folder = Path(name)
        path = folder / "program.mlir"
        for number, (shape, summed, start, multiplies) in enumerate(CASES):
            path.write_text(program(shape, summed, start, multiplies))
            state = np.random.default_rng(number)
            kept = [n for i, n in enumerate(shape) if i not in summed]
            x, y, s = (state.integers(-2**31, 2**31, size).astype(np.int32)
                       for size in (shape, shape, kept))
            # Large terms of one sign: a saturating sum is off by far.
            x.flat[:9], y.flat[:9] = 2**31 - 1, 1
            element = x * y if multiplies else x ^ y
            first = s if start == "argument" else np.int64(start)
            exact = element.sum(axis=summed, dtype=np.int64) + first
            if not np.any((exact < -2**31) | (exact >= 2**31)):
                print(f"{shape}: no sum leaves i32, the case shows nothing")
                good = False
            expected = exact.astype(np.uint64).astype(np.uint32).astype(np.int32)
            outcome = simulate.run([str(path)], [x, y, s], 1, folder, ["--verify"])
            outcome = simulate.judge(outcome, [np.asarray(expected)])
            if outcome.status != "pass":
                outcome.show(f"{shape} summed over {summed} from {start}")
                good = False
    if good:
        print(f"{len(CASES)} sums equal NumPy's")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
