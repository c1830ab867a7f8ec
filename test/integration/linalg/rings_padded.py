#!/usr/bin/python3
# ===- rings_padded.py - Rings of sizes that divide by nothing ------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Compares products of odd sizes with NumPy, exactly, and with the reference interpreter
(--verify), whose loops rings pad: rows, streams, sums, batches; with parts of the sum in
slices; with operands of the vector engine; row-major, so that rows are turned; in chains, whose second sum runs over what the
first product has left, not-a-number behind its end; on several chips; and products of a few
rows, past which padded weights stream. Not-a-number in the data stays where it belongs.

Every mapping must say that it is so. Exit status: 0 if all agree, 1 if not.
"""

import re
import sys
import tempfile
from pathlib import Path

import numpy as np
import simulate
from ring_chunks import Product, check

FREE = (0, 0, 0)
RINGS, STREAMS, SUMS = "rings", "weight streams", "of the sum x"
#: (einsum, sizes, element type, kinds of the mappings, further flags).
EINSUMS = [
    ("mk,kn->mn", "m=97,k=1009,n=1013", "bf16", [RINGS], []),
    ("mk,kn->mn", "m=101,k=1009,n=1013", "i8", [RINGS], []),
    ("mk,kn->mn", "m=61,k=700,n=1500", "f8e4m3", [RINGS], []),
    ("mk,nk->mn", "m=197,k=768,n=768", "bf16", [RINGS], []),
    ("bmk,bkn->bmn", "b=3,m=45,k=500,n=1000", "bf16", [RINGS], []),
    ("bhmk,bhnk->bhmn", "b=3,h=5,m=45,k=300,n=500", "i8", [RINGS], []),
    ("bmk,kn->bmn", "b=5,m=33,k=750,n=1010", "f8e4m3", [RINGS], []),
    ("mhk,hkn->mn", "m=57,h=5,k=250,n=1030", "bf16", [RINGS], []),
    ("mk,kn->mn", "m=77,k=1000,n=1504", "bf16", [RINGS], ["--argument-layout=row-major"]),
    ("mk,kn->mn", "m=202,k=1000,n=1000", "bf16", [RINGS], ["--chips", "2"]),
    ("mk,kn->mn", "m=31,k=4100,n=70", "bf16", [RINGS, SUMS], []),
    ("mk,kn->mn", "m=33,k=6000,n=200", "i8", [RINGS, SUMS], []),
    ("mk,kn->mn", "m=70,k=5001,n=45", "f8e4m3", [RINGS, SUMS], []),
    ("bmk,bkn->bmn", "b=3,m=20,k=3000,n=50", "bf16", [RINGS, SUMS], []),
    ("mhk,hkn->mn", "m=57,h=3,k=1250,n=100", "bf16", [RINGS, SUMS], []),
    ("mk,kn->mn", "m=50,k=4000,n=100", "bf16", [RINGS, SUMS], ["--chips", "2"]),
    ("mk,kn->mn", "m=41,k=4403,n=95", "bf16", [RINGS, "160 of the sum", "96 idle"], []),
    ("mk,kn->mn", "m=31,k=12500,n=64", "i8", [RINGS, "of the sum", "idle"], []),
    ("mk,kn->mn", "m=128,k=333,n=2601", "bf16", [RINGS, "of the rows, 64 idle"], []),
    ("mk,kn->mn", "m=118,k=691,n=2600", "f8e4m3", [RINGS, "of the rows, 64 idle"], []),
    ("k,kn->n", "k=1000,n=1500", "bf16", [STREAMS], []),
    ("mk,nk->mn", "m=2,k=1111,n=3003", "f8e4m3", [STREAMS], []),
    ("mk,nk->mn", "m=4,k=999,n=2000", "i8", [STREAMS], []),
]
#: Rows, sums and columns of two products.
CHAINS = [(200, 300, 500, 700), (129, 511, 1001, 601)]
#: With steps behind the sums: operands along the rows, along the stream, and of all elements.
PRODUCTS = [
    Product(101, 1000, 1500, "bf16", FREE, (RINGS,), bias=True),
    Product(75, 700, 1100, "bf16", FREE, (RINGS,), bias=True, residual=True),
    Product(75, 1111, 1100, "i8", FREE, (RINGS,), residual=True),
    Product(45, 5001, 130, "bf16", FREE, (RINGS, SUMS), bias=True, residual=True),
    Product(384, 768, 760, "bf16", FREE, (RINGS,), offset=True),
    Product(40, 4399, 96, "bf16", FREE, (RINGS, "of the sum", "idle"), bias=True, residual=True),
    Product(218, 300, 2400, "bf16", FREE, (RINGS, "of the rows", "idle"), bias=True, residual=True),
    Product(101, 1000, 1500, "i8", FREE, (RINGS,), bias=True, offset=True),
]


def run(spec: str, size_text: str, element: str, kinds: list[str], flags: list[str], folder: Path,
        poison: bool = False) -> bool:
    """Whether the einsum is right, and mapped as it should be."""
    sizes = {axis: int(size) for axis, size in (p.split("=") for p in size_text.split(","))}
    operands, _ = spec.split("->")
    state = np.random.default_rng(sum(sizes.values()))
    carrier = np.int8 if element == "i8" else np.float32
    wide = operands.count(",") == 1
    arrays = [state.integers(*((-3, 4) if wide else (-1, 2)), [sizes[a] for a in axes])
              .astype(carrier) for axes in operands.split(",")]
    if poison:
        # One row of the first operand, at the end of the sum.
        arrays[0][1, -1] = np.nan
        arrays[0][2, -1] = np.inf
    with np.errstate(invalid="ignore"):
        expected = np.einsum(spec, *(a.astype(np.float64) for a in arrays), optimize=True)
    report = folder / "mapping.txt"
    verify = [] if poison else ["--verify"]
    outcome = simulate.run(["--einsum", spec, "--size", size_text, "--dtype", element], arrays, 1,
                           folder, ["--report-mapping", str(report), *verify, *flags])
    name = f"{spec} {size_text} {element} {' '.join(flags)}"
    if poison and outcome.status == "pass":
        found = outcome.results[0].astype(np.float64)
        if not np.array_equal(found, expected, equal_nan=True):
            outcome.status, outcome.reason = "wrong", "not-a-number is somewhere else"
    elif not poison:
        outcome = simulate.judge(outcome, [expected])
    if outcome.status != "pass":
        outcome.show(name)
        return False
    mapping = report.read_text()
    for kind in set(kinds):
        if len(re.findall(rf"\b{kind}\b", mapping)) < kinds.count(kind):
            print(f"{name} is not mapped as it should be:\n{mapping}")
            return False
    return True


def run_chain(sizes: tuple[int, int, int, int], folder: Path, poison: bool) -> bool:
    """[m, k] times [k, n], plus one, as bf16, times [n, j]: behind the end of the second sum are
    ones and what memory had, and no zeros."""
    m, k, n, j = sizes
    between, result = f"tensor<{m}x{n}x", f"tensor<{m}x{j}xf32>"
    text = f"""#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<{m}x{k}xbf16>, %b: tensor<{k}x{n}xbf16>, %c: tensor<{n}x{j}xbf16>)
    -> {result} {{
  %z = arith.constant dense<0.0> : {between}f32>
  %0 = linalg.matmul ins(%a, %b : tensor<{m}x{k}xbf16>, tensor<{k}x{n}xbf16>)
      outs(%z : {between}f32>) -> {between}f32>
  %e = tensor.empty() : {between}bf16>
  %1 = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%0 : {between}f32>) outs(%e : {between}bf16>) {{
  ^bb0(%x: f32, %o: bf16):
    %one = arith.constant 1.0 : f32
    %more = arith.addf %x, %one : f32
    %y = arith.truncf %more : f32 to bf16
    linalg.yield %y : bf16
  }} -> {between}bf16>
  %w = arith.constant dense<0.0> : {result}
  %2 = linalg.matmul ins(%1, %c : {between}bf16>, tensor<{n}x{j}xbf16>)
      outs(%w : {result}) -> {result}
  return %2 : {result}
}}
"""
    state = np.random.default_rng(sum(sizes))
    a, b, c = (np.zeros(shape, np.float32) for shape in ((m, k), (k, n), (n, j)))
    # Sums of a few ones, which bf16 has exactly.
    for array, share in ((a, 0.05), (b, 0.05), (c, 0.5)):
        array[state.random(array.shape) < share] = 1
    if poison:
        a[1, -1], a[2, -1] = np.nan, np.inf
        b[-1] = 1
    program, report = folder / "chain.mlir", folder / "mapping.txt"
    program.write_text(text)
    with np.errstate(invalid="ignore"):
        expected = (a.astype(np.float64) @ b + 1) @ c.astype(np.float64)
    outcome = simulate.run([str(program)], [a, b, c], 1, folder, ["--report-mapping", str(report)])
    found = outcome.results[0].astype(np.float64) if outcome.status == "pass" else None
    if found is not None and not np.array_equal(found, expected, equal_nan=True):
        outcome.status, outcome.reason = "wrong", "other values than NumPy"
    if outcome.status != "pass":
        outcome.show(f"chain {sizes}{', poisoned' if poison else ''}")
        return False
    if report.read_text().count("rings: ") != 2:
        print(f"chain {sizes} is not mapped as it should be:\n{report.read_text()}")
        return False
    return True


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="sequin-padded-") as name:
        folder = Path(name)
        good = [run(*case, folder) for case in EINSUMS]
        good.append(run("mk,kn->mn", "m=97,k=1009,n=1013", "bf16", [RINGS], [], folder,
                        poison=True))
        chained = [run_chain(sizes, folder, poison) for sizes in CHAINS
                   for poison in (False, True)]
        print(f"{len(chained)} chains" + (" equal NumPy" if all(chained) else ""))
        good += chained
    print(f"{len(good)} einsums" + (" equal NumPy" if all(good) else ""))
    return 0 if check(PRODUCTS, ["--verify"]) == 0 and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
