#!/usr/bin/python3
# ===- make_kernel.py - Decode kernels of a model of 12B parameters ---------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Prints a kernel of one decode step as linalg: a product of one token's
activations with weights that are read once.

  qkv     three projections of one input; weights and activations f8E4M3FN, sums
          in f32, results bf16
  output  the projection behind attention, in the same types
  ffn     gate and up, SiLU(gate) * up, down; weights f4E2M1FN with an f8E4M3FN
          scale for 16 of them along the sum, activations bf16 or f8E4M3FN, sums
          in f32, result bf16. The program scales the weights and multiplies, as a
          front end says it.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from linalg_writer import Value, Writer

#: Weights that share a scale.
GROUP = 16


@dataclass(frozen=True)
class Kernel:
    name: str
    hidden: int = 3840
    queries: int = 4096
    keys: int = 2048
    intermediate: int = 15360
    activations: str = "bf16"
    steps: bool = False

    def arguments(self) -> list[Value]:
        if self.name == "ffn":
            values = [Value("%x", (1, self.hidden), self.activations)]
            for part, rows, sums in (("gate", self.intermediate, self.hidden),
                                     ("up", self.intermediate, self.hidden),
                                     ("down", self.hidden, self.intermediate)):
                values += [Value(f"%{part}", (rows, sums // GROUP, GROUP), "f4E2M1FN"),
                           Value(f"%{part}_scale", (rows, sums // GROUP), "f8E4M3FN")]
            return values
        sums = self.hidden if self.name == "qkv" else self.queries
        return [Value("%x", (1, sums), "f8E4M3FN"),
                *(Value(f"%{part}", (rows, sums), "f8E4M3FN") for part, rows in self.parts())]

    def parts(self) -> list[tuple[str, int]]:
        """Weights in f8E4M3FN and their rows."""
        if self.name == "output":
            return [("output", self.hidden)]
        return [("query", self.queries), ("key", self.keys), ("value", self.keys)]


def scaled(w: Writer, weights: Value, scales: Value) -> Value:
    """Weights times scales in bf16, which has all products, as a matrix."""
    rows, groups, size = weights.shape
    product = w.map([(weights, "ngk"), (scales, "ng")], "ngk", weights.shape, "bf16",
                    ["%wa = arith.extf %a : f4E2M1FN to bf16",
                     "%wb = arith.extf %b : f8E4M3FN to bf16",
                     "%r = arith.mulf %wa, %wb : bf16", "%r"], "scaled")
    return w.collapse(product, "[[0], [1, 2]]", (rows, groups * size))


def narrow(w: Writer, value: Value, element: str, name: str) -> Value:
    return w.map([(value, "mn")], "mn", value.shape, element,
                 [f"%r = arith.truncf %a : f32 to {element}", "%r"], name)


def make_ffn(kernel: Kernel) -> str:
    w = Writer()
    arguments = kernel.arguments()
    x, gate, gate_scale, up, up_scale, down, down_scale = arguments
    product = {}
    for name, weights, scales in (("gate", gate, gate_scale), ("up", up, up_scale)):
        w.remark(name)
        product[name] = w.einsum("mk,nk->mn", x, scaled(w, weights, scales), f"{name}_sum")
    w.remark("SiLU(gate) * up")
    one = w.constant(1.0)
    element = kernel.activations
    hidden = w.map([(product["gate"], "mn"), (product["up"], "mn")], "mn",
                   product["up"].shape, element,
                   ["%n = arith.negf %a : f32", "%e = math.exp %n : f32",
                    f"%d = arith.addf %e, {one} : f32", "%s = arith.divf %a, %d : f32",
                    "%p = arith.mulf %s, %b : f32", f"%r = arith.truncf %p : f32 to {element}",
                    "%r"], "hidden")
    w.remark("down")
    result = w.einsum("mk,nk->mn", hidden, scaled(w, down, down_scale), "down_sum")
    results = [narrow(w, result, "bf16", "result")]
    return w.function(arguments, [hidden, *results] if kernel.steps else results)


def make_projections(kernel: Kernel) -> str:
    w = Writer()
    arguments = kernel.arguments()
    results = [narrow(w, w.einsum("mk,nk->mn", arguments[0], weights, f"{weights.name[1:]}_sum"),
                      "bf16", f"{weights.name[1:]}_out") for weights in arguments[1:]]
    return w.function(arguments, results)


def make(kernel: Kernel) -> str:
    return make_ffn(kernel) if kernel.name == "ffn" else make_projections(kernel)


def add_options(parser: argparse.ArgumentParser) -> None:
    full = Kernel("")
    parser.add_argument("kernel", choices=("qkv", "output", "ffn"))
    for name in ("hidden", "queries", "keys", "intermediate"):
        parser.add_argument(f"--{name}", type=int, default=getattr(full, name), metavar="N")
    parser.add_argument("--activations", choices=("bf16", "f8E4M3FN"), default=full.activations,
                        help="of ffn")


def kernel_of(options: argparse.Namespace) -> Kernel:
    kernel = Kernel(options.kernel, options.hidden, options.queries, options.keys,
                    options.intermediate, options.activations)
    sums = (kernel.hidden, kernel.intermediate) if kernel.name == "ffn" else ()
    for size in sums:
        if size % GROUP != 0:
            sys.exit(f"error: a sum has {size} elements, {GROUP} share a scale")
    return kernel


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("-o", "--output", type=argparse.FileType("w", encoding="utf-8"),
                        default=sys.stdout, metavar="FILE")
    options = parser.parse_args()
    options.output.write(make(kernel_of(options)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
