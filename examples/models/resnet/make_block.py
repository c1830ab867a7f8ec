#!/usr/bin/python3
# ===- make_block.py - A residual block as linalg ---------------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Writes the basic block of a residual network as linalg on tensors.

Two convolutions of 3 x 3 with the batch normalisations folded into weights and bias,
a shortcut, and ReLU after the first one and after the sum. Where the block changes
the size of the image or the number of channels the shortcut is a convolution of
1 x 1. bf16 images (N, H, W, C) and weights, f32 sums and biases.

Arguments of @main: x [N, H, W, C_in], w1 [3, 3, C_in, C_out], b1 [C_out],
w2 [3, 3, C_out, C_out], b2 [C_out], and with a projection w3 [1, 1, C_in, C_out],
b3 [C_out]. Result: y [N, H / stride, W / stride, C_out].
"""

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from linalg_writer import Value, Writer


@dataclass(frozen=True)
class Block:
    """The defaults are small enough to be computed."""

    N: int = 2
    H: int = 8
    W: int = 8
    C_in: int = 16
    C_out: int = 16
    stride: int = 1

    @property
    def projects(self) -> bool:
        return self.stride != 1 or self.C_in != self.C_out

    def problem(self) -> str | None:
        if min(vars(self).values()) < 1:
            return "every size must be at least 1"
        if self.H % self.stride or self.W % self.stride:
            return f"an image of {self.H} x {self.W} is no multiple of the stride {self.stride}"
        return None

    def arguments(self) -> list[Value]:
        found = [Value("%x", (self.N, self.H, self.W, self.C_in), "bf16")]
        shapes = [(3, 3, self.C_in), (3, 3, self.C_out)] + [(1, 1, self.C_in)] * self.projects
        for i, shape in enumerate(shapes, 1):
            found += [Value(f"%w{i}", (*shape, self.C_out), "bf16"),
                      Value(f"%b{i}", (self.C_out,), "f32")]
        return found


def convolution(w: Writer, x: Value, weights: Value, stride: int, name: str) -> Value:
    """In f32, with a border of zeros that keeps the size."""
    border = weights.shape[0] // 2
    n, height, width, channels = x.shape
    if border:
        padded = w.fresh((n, height + 2 * border, width + 2 * border, channels), x.element, "padded")
        zero = w.constant(0, x.element)
        edge = [0, border, border, 0]
        w.line(f"{padded.name} = tensor.pad {x.name} low{edge} high{edge} {{")
        w.line("^bb0(%i: index, %j: index, %k: index, %l: index):")
        w.line(f"  tensor.yield {zero} : {x.element}")
        w.line(f"}} : {x.type} to {padded.type}")
        x = padded
    out = w.filled((n, height // stride, width // stride, weights.shape[-1]), 0)
    value = w.fresh(out.shape, "f32", name)
    w.line(f"{value.name} = linalg.conv_2d_nhwc_hwcf {{strides = dense<{stride}> : tensor<2xi64>, "
           f"dilations = dense<1> : tensor<2xi64>}}")
    w.line(f"    ins({x.name}, {weights.name} : {x.type}, {weights.type}) "
           f"outs({out.name} : {out.type}) -> {value.type}")
    return value


def write_block(block: Block) -> str:
    w = Writer()
    arguments = block.arguments()
    a = {value.name[1:]: value for value in arguments}
    zero = w.constant(0)
    first = convolution(w, a["x"], a["w1"], block.stride, "first")
    hidden = w.map([(first, "nhwc"), (a["b1"], "c")], "nhwc", first.shape, "bf16",
                   ["%s = arith.addf %a, %b : f32", f"%m = arith.maximumf %s, {zero} : f32",
                    "%r = arith.truncf %m : f32 to bf16", "%r"], "hidden")
    second = convolution(w, hidden, a["w2"], 1, "second")
    step = ["%s = arith.addf %a, %b : f32"]
    if block.projects:
        third = convolution(w, a["x"], a["w3"], block.stride, "third")
        shortcut = w.map([(third, "nhwc"), (a["b3"], "c")], "nhwc", third.shape, "f32",
                         ["%r = arith.addf %a, %b : f32", "%r"], "shortcut")
        step += ["%t = arith.addf %s, %c : f32"]
    else:
        shortcut = a["x"]
        step += ["%w = arith.extf %c : bf16 to f32", "%t = arith.addf %s, %w : f32"]
    y = w.map([(second, "nhwc"), (a["b2"], "c"), (shortcut, "nhwc")], "nhwc", second.shape, "bf16",
              [*step, f"%m = arith.maximumf %t, {zero} : f32",
               "%r = arith.truncf %m : f32 to bf16", "%r"], "y")
    return w.function(arguments, [y])


def add_options(parser: argparse.ArgumentParser) -> None:
    for name, size in vars(Block()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N",
                            help=f"(default: {size})")


def block_of(arguments: argparse.Namespace) -> Block:
    """Exits with status 2 if the sizes are not those of a block."""
    given = {name: value for name, value in vars(arguments).items()
             if name in Block.__dataclass_fields__ and value is not None}
    if "C_in" in given and "C_out" not in given:
        given["C_out"] = given["C_in"]
    block = replace(Block(), **given)
    if problem := block.problem():
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
    return block


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("-o", metavar="FILE", dest="output", default="-",
                        help="where to write (default: standard output)")
    arguments = parser.parse_args()
    text = write_block(block_of(arguments))
    if arguments.output == "-":
        sys.stdout.write(text)
    else:
        Path(arguments.output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
