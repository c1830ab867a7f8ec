#!/usr/bin/python3
# ===- joined_results.py - Results written where dimensions are joined ----=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Compares programs whose result is a collapse_shape with NumPy: the writer of the source
writes the joined dimensions itself where its loops divide. Sums of a product of small
integers and elementwise results are exact; a softmax is near.

Exit status: 0 if all agree, 1 if not.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import simulate


def tensor(shape: tuple[int, ...], element: str = "f32") -> str:
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def joined(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The first two dimensions as one."""
    return (shape[0] * shape[1], *shape[2:])


def collapse(value: str, shape: tuple[int, ...]) -> list[str]:
    groups = ", ".join(["[0, 1]", *(f"[{i}]" for i in range(2, len(shape)))])
    return [f"%out = tensor.collapse_shape {value} [{groups}] : {tensor(shape)} into "
            f"{tensor(joined(shape))}", f"return %out : {tensor(joined(shape))}", "}"]


def scaled(shape: tuple[int, ...]) -> str:
    loops = ", ".join(f"d{i}" for i in range(len(shape)))
    same = f"affine_map<({loops}) -> ({loops})>"
    kinds = ", ".join(['"parallel"'] * len(shape))
    return "\n".join([
        f"func.func @main(%x: {tensor(shape)}) -> {tensor(joined(shape))} {{",
        "%c = arith.constant 3.0 : f32", f"%e = tensor.empty() : {tensor(shape)}",
        f"%y = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = [{kinds}]}} "
        f"ins(%x : {tensor(shape)}) outs(%e : {tensor(shape)}) {{", "^bb0(%a: f32, %o: f32):",
        "%m = arith.mulf %a, %c : f32", "linalg.yield %m : f32", f"}} -> {tensor(shape)}",
        *collapse("%y", shape), ""])


def softmax(shape: tuple[int, ...]) -> str:
    return "\n".join([
        f"func.func @main(%x: {tensor(shape)}) -> {tensor(joined(shape))} {{",
        f"%e = tensor.empty() : {tensor(shape)}",
        f"%y = linalg.softmax dimension({len(shape) - 1}) ins(%x : {tensor(shape)}) "
        f"outs(%e : {tensor(shape)}) -> {tensor(shape)}", *collapse("%y", shape), ""])


def product(shape: tuple[int, ...], inner: int) -> str:
    batch, rows, columns = shape
    a, b = tensor((batch, rows, inner), "bf16"), tensor((batch, inner, columns), "bf16")
    return "\n".join([
        f"func.func @main(%a: {a}, %b: {b}) -> {tensor(joined(shape))} {{",
        f"%z = arith.constant dense<0.0> : {tensor(shape)}",
        f"%y = linalg.batch_matmul ins(%a, %b : {a}, {b}) outs(%z : {tensor(shape)}) -> "
        f"{tensor(shape)}", *collapse("%y", shape), ""])


def exact_softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def cases() -> list[tuple[str, str, list[np.ndarray], np.ndarray, float]]:
    state = np.random.default_rng(7)
    found = []
    for shape in ((8, 64, 96), (4, 2048, 16), (5, 12, 40), (2, 16, 4, 32)):
        x = state.integers(-9, 10, shape).astype(np.float32)
        found.append((f"scaled {shape}", scaled(shape), [x], 3.0 * x, 0.0))
    for shape in ((8, 128, 64), (4, 4, 96), (3, 7, 64), (16, 512, 128)):
        x = state.normal(size=shape).astype(np.float32)
        found.append((f"softmax {shape}", softmax(shape), [x], exact_softmax(x), 1e-5))
    for shape, inner in (((4, 64, 256), 256), ((8, 128, 128), 512), ((3, 24, 64), 96)):
        a = state.integers(-3, 4, (*shape[:2], inner)).astype(np.float32)
        b = state.integers(-3, 4, (shape[0], inner, shape[2])).astype(np.float32)
        found.append((f"product {shape}", product(shape, inner), [a, b], a @ b, 0.0))
    return [(name, text, arrays, expected.reshape(joined(expected.shape)), tolerance)
            for name, text, arrays, expected, tolerance in found]


def main() -> int:
    good = True
    with tempfile.TemporaryDirectory(prefix="sequin-joined-") as name:
        folder = Path(name)
        all_cases = cases()
        for title, text, arrays, expected, tolerance in all_cases:
            program = folder / "program.mlir"
            program.write_text(text)
            outcome = simulate.run([str(program)], arrays, 1, folder)
            outcome = simulate.judge(outcome, [expected], tolerance)
            if outcome.status != "pass":
                outcome.show(title)
                good = False
    print(f"{len(all_cases)} joined results" + (" equal NumPy" if good else ""))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
