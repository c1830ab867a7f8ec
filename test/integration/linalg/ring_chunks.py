#!/usr/bin/python3
# ===- ring_chunks.py - Rings that overlap loads with products ------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Compares products of matrices with NumPy, exactly, whose mappings are pinned so that sums
come in chunks and register files are filled beside products: bf16, f8 and i8; with operands
of the vector engine behind the sums; one tile of rows and several.

Every mapping must say that it is so. Exit status: 0 if all agree, 1 if not.
"""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import simulate


@dataclass(frozen=True)
class Product:
    """[m, k] times [k, n]; `tiles` in that order of loops m, n, k, 0 where free."""

    m: int
    k: int
    n: int
    element: str
    tiles: tuple[int, int, int]
    words: tuple[str, ...]  # of the mapping
    bias: bool = False
    residual: bool = False
    offset: bool = False  # one number for each row of the result

    def text(self) -> str:
        wide = "i32" if self.element == "i8" else "f32"
        a = f"tensor<{self.m}x{self.k}x{self.element}>"
        b = f"tensor<{self.k}x{self.n}x{self.element}>"
        sums = f"tensor<{self.m}x{self.n}x{wide}>"
        pin = ", ".join(map(str, self.tiles))
        arguments = [f"%a: {a}", f"%b: {b}"]
        body = [f"%z = arith.constant dense<{'0' if wide == 'i32' else '0.0'}> : {sums}",
                f"%0 = linalg.matmul {{sequin.pin = {{tiles = array<i64: {pin}>}}}} "
                f"ins(%a, %b : {a}, {b}) outs(%z : {sums}) -> {sums}"]
        value = "%0"
        for name, used, type_, index in (("%bias", self.bias, f"tensor<{self.n}x{wide}>", "(n)"),
                                         ("%rest", self.residual, sums, "(m, n)"),
                                         ("%off", self.offset, f"tensor<{self.m}x{wide}>", "(m)")):
            if not used:
                continue
            arguments.append(f"{name}: {type_}")
            add = "arith.addi" if wide == "i32" else "arith.addf"
            body += [f"{value}e = tensor.empty() : {sums}",
                     f"{value}s = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, "
                     f"affine_map<(m, n) -> {index}>, affine_map<(m, n) -> (m, n)>], "
                     'iterator_types = ["parallel", "parallel"]} '
                     f"ins({value}, {name} : {sums}, {type_}) outs({value}e : {sums}) {{",
                     f"^bb0(%x: {wide}, %y: {wide}, %o: {wide}):",
                     f"  %w = {add} %x, %y : {wide}",
                     f"  linalg.yield %w : {wide}",
                     f"}} -> {sums}"]
            value += "s"
        body = [line.replace("%0", "%v0") for line in body]
        lines = [f"func.func @main({', '.join(arguments)}) -> {sums} {{", *body,
                 f"return {value.replace('%0', '%v0')} : {sums}", "}", ""]
        return "\n".join(lines)

    def arrays(self, state: np.random.Generator) -> list[np.ndarray]:
        carrier = np.int8 if self.element == "i8" else np.float32
        wide = np.int32 if self.element == "i8" else np.float32
        shapes = [((self.m, self.k), carrier), ((self.k, self.n), carrier)]
        shapes += [((self.n,), wide)] * self.bias + [((self.m, self.n), wide)] * self.residual
        shapes += [((self.m,), wide)] * self.offset
        return [state.integers(-3, 4, shape).astype(kind) for shape, kind in shapes]

    def expected(self, arrays: list[np.ndarray]) -> np.ndarray:
        a, b, *more = (array.astype(np.float64) for array in arrays)
        if self.offset:
            more[-1] = more[-1][:, None]
        return a @ b + sum(more)


CHUNKS, HALVES = "the sum in {} chunks", "register files in halves by turns"
PRODUCTS = [
    Product(256, 1024, 512, "bf16", (128, 512, 256), (CHUNKS.format(4),)),
    Product(256, 1024, 512, "bf16", (128, 512, 512), (CHUNKS.format(2),), bias=True),
    Product(128, 1024, 512, "bf16", (64, 256, 512), (CHUNKS.format(2),), bias=True, residual=True),
    Product(256, 2048, 512, "i8", (256, 256, 512), (CHUNKS.format(4),)),
    Product(128, 2048, 512, "i8", (32, 512, 1024), (CHUNKS.format(2),), residual=True),
    Product(128, 2048, 512, "f8E4M3FN", (128, 512, 1024), (CHUNKS.format(2),)),
    Product(1024, 2048, 512, "bf16", (1024, 512, 512), (CHUNKS.format(4), HALVES)),
    Product(1024, 4096, 512, "bf16", (0, 0, 256), (CHUNKS.format(16), "of up to")),
    Product(512, 1024, 4096, "bf16", (0, 0, 512), (CHUNKS.format(2), HALVES, "in a pass")),
    Product(256, 128, 16384, "bf16", (0, 0, 0), ("16 at once", "side by side")),
]


def check(products: list[Product], flags: list[str]) -> int:
    """Runs them all, and says whether they agree and are mapped as they should be."""
    good = True
    with tempfile.TemporaryDirectory(prefix="sequin-products-") as name:
        folder = Path(name)
        for index, product in enumerate(products):
            arrays = product.arrays(np.random.default_rng(index))
            program, report = folder / "program.mlir", folder / "mapping.txt"
            program.write_text(product.text())
            outcome = simulate.run([str(program)], arrays, 1, folder,
                                   ["--report-mapping", str(report), *flags])
            outcome = simulate.judge(outcome, [product.expected(arrays)])
            if outcome.status != "pass":
                outcome.show(str(product))
                good = False
                continue
            mapping = report.read_text()
            if not all(word in mapping for word in product.words):
                print(f"{product} is not mapped as it should be:\n{mapping}")
                good = False
    print(f"{len(products)} products" + (" equal NumPy" if good else ""))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(check(PRODUCTS, []))
