# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random linalg programs, lowered to the wafer, against NumPy.

    random_linalg.py --opt sequin-opt --run sequin-run --count 20 [--seed 1]

Shapes and grids are random, so blocks leave remainders. Data are small integers: sums
are exact in any order.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


def tensor(shape, dtype="f32"):
    return "tensor<" + "".join(f"{n}x" for n in shape) + dtype + ">"


def matmul(draw):
    m, n, k = (draw(2, 14) for _ in range(3))
    a, b, c = tensor((m, k)), tensor((k, n)), tensor((m, n))
    text = f"""func.func @main(%A: {a}, %B: {b}, %C: {c}) -> {c} {{
  %r = linalg.matmul ins(%A, %B : {a}, {b}) outs(%C : {c}) -> {c}
  return %r : {c}
}}
"""
    return text, [(m, k), (k, n), (m, n)], lambda A, B, C: A @ B + C


def vecmat(draw):
    k, n = draw(2, 20), draw(2, 20)
    a, x, y = tensor((k, n)), tensor((k,)), tensor((n,))
    text = f"""func.func @main(%x: {x}, %A: {a}, %y: {y}) -> {y} {{
  %r = linalg.vecmat ins(%x, %A : {x}, {a}) outs(%y : {y}) -> {y}
  return %r : {y}
}}
"""
    return text, [(k,), (k, n), (n,)], lambda x, A, y: x @ A + y


def softplus_like(draw):
    """A row sum of squares, subtracted from the rows: two passes over one array."""
    m, n = draw(2, 12), draw(2, 12)
    a, s = tensor((m, n)), tensor((m,))
    text = f"""#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%a: {a}) -> {a} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {s}
  %f = linalg.fill ins(%z : f32) outs(%e : {s}) -> {s}
  %s = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}}
    ins(%a : {a}) outs(%f : {s}) {{
  ^bb0(%x: f32, %o: f32):
    %q = arith.mulf %x, %x : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  }} -> {s}
  %o = tensor.empty() : {a}
  %r = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}}
    ins(%a, %s : {a}, {s}) outs(%o : {a}) {{
  ^bb0(%x: f32, %y: f32, %p: f32):
    %t = arith.subf %x, %y : f32
    linalg.yield %t : f32
  }} -> {a}
  return %r : {a}
}}
"""
    return text, [(m, n)], lambda a: a - (a * a).sum(axis=1, keepdims=True)


def stencil(draw):
    """Random offsets in a padded field of two or three dimensions."""
    rank = draw(2, 3)
    shape = tuple(draw(4, 13) for _ in range(rank))
    reach = draw(1, 3)
    pad = draw(0, 2)
    padded = tuple(n + 2 * reach for n in shape)
    reads = [tuple(draw(0, 2 * reach) for _ in range(rank)) for _ in range(draw(2, 6))]
    factors = [draw(-2, 2) for _ in reads]
    text = f"func.func @main(%a: {tensor(shape)}) -> {tensor(shape)} {{\n"
    text += f"  %z = arith.constant {pad}.0 : f32\n  %e = tensor.empty() : {tensor(shape)}\n"
    reaches = ", ".join([str(reach)] * rank)
    arguments = ", ".join(f"%i{d}: index" for d in range(rank))
    text += f"""  %p = tensor.pad %a low[{reaches}] high[{reaches}] {{
  ^bb0({arguments}):
    tensor.yield %z : f32
  }} : {tensor(shape)} to {tensor(padded)}
"""
    ones = ", ".join(["1"] * rank)
    sizes = ", ".join(map(str, shape))
    for n, read in enumerate(reads):
        offsets = ", ".join(map(str, read))
        text += (f"  %s{n} = tensor.extract_slice %p[{offsets}] [{sizes}] [{ones}] : "
                 f"{tensor(padded)} to {tensor(shape)}\n")
    identity = "affine_map<(i, j, k) -> (i, j, k)>" if rank == 3 else "affine_map<(i, j) -> (i, j)>"
    maps = ", ".join([identity] * (len(reads) + 1))
    kinds = ", ".join(['"parallel"'] * rank)
    ins = ", ".join(f"%s{n}" for n in range(len(reads)))
    types = ", ".join([tensor(shape)] * len(reads))
    body = ", ".join(f"%x{n}: f32" for n in range(len(reads)))
    text += f"""  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
    ins({ins} : {types}) outs(%e : {tensor(shape)}) {{
  ^bb0({body}, %o: f32):
    %t0 = arith.addf %x0, %x1 : f32
"""
    for n, factor in enumerate(factors):
        text += f"""    %c{n} = arith.constant {factor}.0 : f32
    %m{n} = arith.mulf %x{n}, %c{n} : f32
    %t{n + 1} = arith.addf %t{n}, %m{n} : f32
"""
    text += f"""    linalg.yield %t{len(factors)} : f32
  }} -> {tensor(shape)}
  return %r : {tensor(shape)}
}}
"""

    def expected(a):
        whole = np.pad(a, reach, constant_values=pad)
        parts = [whole[tuple(slice(o, o + n) for o, n in zip(read, shape))] for read in reads]
        return parts[0] + parts[1] + sum(f * p for f, p in zip(factors, parts))

    return text, [shape], expected


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", default="sequin-opt")
    parser.add_argument("--run", default="sequin-run")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    bad = 0
    for number in range(options.count):
        seed = options.seed * 1000 + number
        source = random.Random(seed)
        numbers = np.random.default_rng(seed)
        kind = [matmul, vecmat, softplus_like, stencil][number % 4]
        text, shapes, expected = kind(source.randint)
        target = source.choice(["wse2", "wse3"])
        width, height = source.randint(1, 5), source.randint(1, 5)
        where = f"seed {seed}: {kind.__name__} on {width} x {height} of {target}"
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "in.mlir").write_text(text)
            lowered = subprocess.run(
                [*options.opt.split(), folder / "in.mlir", "-o", folder / "csl.mlir",
                 f"--linalg-to-csl=grid={width},{height} target={target}"],
                capture_output=True, text=True)
            if lowered.returncode or lowered.stderr:
                print(where, lowered.stderr, text, sep="\n")
                bad += 1
                continue
            arrays = [numbers.integers(-2, 3, shape).astype(np.float32) for shape in shapes]
            command = [*options.run.split(), folder / "csl.mlir", "--output", folder / "r.npy"]
            for n, array in enumerate(arrays):
                np.save(folder / f"a{n}.npy", array)
                command += ["--input", folder / f"a{n}.npy"]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode:
                print(where, run.stderr, text, sep="\n")
                bad += 1
                continue
            result = np.load(folder / "r.npy")
            if not np.array_equal(result, expected(*arrays)):
                print(where, "differs from NumPy", text, result, expected(*arrays), sep="\n")
                bad += 1
    if bad:
        sys.exit(f"{bad} of {options.count} programs failed")
    print(f"{options.count} programs agree with NumPy")


main()
