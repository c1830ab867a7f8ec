# ===- steps.py - Every step of a chain against NumPy ---------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs elementwise programs in core form, each step of the vector engine by
itself and next to others, and compares every result with NumPy's.

Each goes two ways: through sequin-run as it is, and lowered without the
normalisation before, where --verify compares the tcp program with its meaning.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import elements
import simulate
from elements import Array

LOOPS = "ijk"
#: Allowed for elementary functions of f32.
CLOSE = 2e-6


@dataclass
class Operand:
    """A tensor by the loops that index it; `values` are in the carrier type."""

    element: str
    loops: str
    values: Array

    @property
    def type(self) -> str:
        return f"tensor<{''.join(f'{size}x' for size in self.values.shape)}{self.element}>"


@dataclass
class Program:
    """A whole program: steps that follow another operation in its group."""

    name: str
    operands: list[Operand]
    code: str
    reference: Callable[..., Any]
    tolerance: float = 0.0

    def text(self) -> str:
        return self.code

    def expected(self) -> Array:
        return np.asarray(self.reference(*(o.values for o in self.operands)))


@dataclass
class Case:
    """`body` computes %r from %a, %b, ... (one per operand), elements as they
    are; `reference` does the same to arrays that are broadcast to the loops."""

    name: str
    operands: list[Operand]
    result: str
    body: list[str]
    reference: Callable[..., Any]
    tolerance: float = 0.0

    @property
    def sizes(self) -> dict[str, int]:
        return {loop: size for operand in self.operands
                for loop, size in zip(operand.loops, operand.values.shape, strict=True)}

    def text(self) -> str:
        sizes = self.sizes
        loops = [loop for loop in LOOPS if loop in sizes]
        domain = ", ".join(loops)
        maps = [f"affine_map<({domain}) -> ({', '.join(o.loops)})>" for o in self.operands]
        maps.append(f"affine_map<({domain}) -> ({domain})>")
        out = f"tensor<{''.join(f'{sizes[loop]}x' for loop in loops)}{self.result}>"
        names = "abcd"[: len(self.operands)]
        types = [o.type for o in self.operands]
        arguments = ", ".join(f"%in_{n}: {t}" for n, t in zip(names, types, strict=True))
        elements_ = ", ".join(f"%{n}: {o.element}"
                              for n, o in zip(names, self.operands, strict=True))
        lines = "\n".join(f"    {line}" for line in self.body)
        return f"""func.func @main({arguments}) -> {out} {{
  %empty = tensor.empty() : {out}
  %0 = linalg.generic {{
      indexing_maps = [{', '.join(maps)}],
      iterator_types = [{', '.join(['"parallel"'] * len(loops))}]}}
      ins({', '.join('%in_' + n for n in names)} : {', '.join(types)})
      outs(%empty : {out}) {{
  ^bb0({elements_}, %out: {self.result}):
{lines}
    linalg.yield %r : {self.result}
  }} -> {out}
  return %0 : {out}
}}
"""

    def expected(self) -> Array:
        sizes = self.sizes
        loops = [loop for loop in LOOPS if loop in sizes]
        arrays = []
        for operand in self.operands:
            order = sorted(operand.loops, key=loops.index)
            values = np.transpose(operand.values, [operand.loops.index(loop) for loop in order])
            arrays.append(values.reshape([sizes[loop] if loop in order else 1 for loop in loops]))
        with np.errstate(all="ignore"):
            value = np.asarray(self.reference(*arrays))
        return np.broadcast_to(value, [sizes[loop] for loop in loops])


def bits(x: Array) -> Array:
    return np.ascontiguousarray(x, np.float32).view(np.int32)


def number(x: Array) -> Array:
    return np.ascontiguousarray(x, np.int32).view(np.float32)


def make_cases(state: np.random.Generator) -> list[Case]:
    def floats(shape: tuple[int, ...], loops: str = "", element: str = "f32") -> Operand:
        values = (state.integers(-2**15, 2**15, shape) / 2.0**13).astype(np.float32)
        return Operand(element, loops or LOOPS[: len(shape)], elements.round_to(values, element))

    def ints(shape: tuple[int, ...], loops: str = "", element: str = "i32",
             limit: int = 2**31) -> Operand:
        values = state.integers(-limit, limit, shape)
        return Operand(element, loops or LOOPS[: len(shape)],
                       values.astype(elements.CARRIER[element]))

    special = Operand("f32", "i", np.array(
        [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 3.5, -2.5, 0.5, 1.5], np.float32))
    f, g = floats((200,)), floats((200,))
    m, column, row = floats((5, 37)), floats((5,), "i"), floats((37,), "j")
    n, p = ints((200,)), ints((200,))
    fma64 = (lambda a, b, c: (a.astype(np.float64) * b + c).astype(np.float32))
    mask = 0x7FFFFFFF

    cases = [
        # The value on both sides.
        Case("square", [f], "f32", ["%r = arith.mulf %a, %a : f32"], lambda a: a * a),
        Case("double", [f], "f32", ["%r = arith.addf %a, %a : f32"], lambda a: a + a),
        Case("ratio", [floats((200,))], "f32",
             ["%1 = math.exp %a : f32", "%r = arith.divf %1, %1 : f32"],
             lambda a: np.ones_like(a)),
        Case("difference", [n], "i32", ["%r = arith.subi %a, %a : i32"], lambda a: a - a),
        Case("xor_self", [n], "i32", ["%r = arith.xori %a, %a : i32"], lambda a: a ^ a),
        Case("int_square", [n], "i32",
             ["%c = arith.constant 77 : i32", "%1 = arith.addi %a, %c : i32",
              "%r = arith.muli %1, %1 : i32"], lambda a: (a + np.int32(77)) * (a + np.int32(77))),
        Case("fourth", [f], "f32",
             ["%1 = arith.mulf %a, %a : f32", "%r = arith.mulf %1, %1 : f32"],
             lambda a: (a * a) * (a * a)),
        # Either side.
        Case("minuend", [m, row], "f32", ["%r = arith.subf %b, %a : f32"], lambda a, b: b - a),
        Case("divisor", [m, column], "f32",
             ["%c = arith.constant 9.0 : f32", "%1 = arith.addf %a, %c : f32",
              "%r = arith.divf %b, %1 : f32"],
             lambda a, b: b / (a + np.float32(9)), CLOSE),
        Case("shifted", [ints((200,), limit=31), n], "i32",
             ["%c = arith.constant 31 : i32", "%1 = arith.andi %a, %c : i32",
              "%r = arith.shrui %b, %1 : i32"],
             lambda a, b: (b.view(np.uint32) >> (a & 31).astype(np.uint32)).view(np.int32)),
        # Bits of floats.
        Case("bits", [f], "i32", ["%r = arith.bitcast %a : f32 to i32"], bits),
        Case("number", [n], "f32",
             ["%c = arith.constant 0x3FFFFFFF : i32", "%1 = arith.andi %a, %c : i32",
              "%r = arith.bitcast %1 : i32 to f32"],  # subnormals too: nothing computes
             lambda a: number(a & 0x3FFFFFFF)),
        Case("abs", [special], "f32",
             [f"%c = arith.constant {mask} : i32", "%1 = arith.bitcast %a : f32 to i32",
              "%2 = arith.andi %1, %c : i32", "%r = arith.bitcast %2 : i32 to f32"], np.abs),
        Case("negated", [m, column], "f32",
             ["%c = arith.constant -2147483648 : i32", "%1 = arith.mulf %a, %b : f32",
              "%2 = arith.bitcast %1 : f32 to i32", "%3 = arith.xori %2, %c : i32",
              "%4 = arith.bitcast %3 : i32 to f32", "%r = arith.addf %4, %a : f32"],
             lambda a, b: -(a * b) + a),
        Case("sign_copy", [m, row], "f32",
             ["%c = arith.constant -2147483648 : i32", f"%d = arith.constant {mask} : i32",
              "%1 = arith.bitcast %b : f32 to i32", "%2 = arith.bitcast %a : f32 to i32",
              "%3 = arith.xori %2, %1 : i32", "%4 = arith.andi %3, %d : i32",
              "%5 = arith.xori %4, %1 : i32", "%r = arith.bitcast %5 : i32 to f32"],
             lambda a, b: np.copysign(a, b)),
        Case("wide_bits", [floats((200,), element="bf16")], "i32",
             ["%1 = arith.extf %a : bf16 to f32", "%2 = arith.bitcast %1 : f32 to i32",
              "%c = arith.constant 16 : i32", "%r = arith.shrsi %2, %c : i32"],
             lambda a: bits(a) >> 16),
        Case("wide_operand", [n, floats((200,), element="bf16")], "i32",
             ["%1 = arith.extf %b : bf16 to f32", "%2 = arith.bitcast %1 : f32 to i32",
              "%r = arith.xori %a, %2 : i32"], lambda a, b: a ^ bits(b)),
        Case("number_operand", [f, Operand("i32", "i", bits(g.values))], "f32",
             ["%1 = arith.bitcast %b : i32 to f32", "%r = arith.maxnumf %a, %1 : f32"],
             lambda a, b: np.fmax(a, number(b))),
        Case("there_and_back", [f], "f32",
             ["%1 = arith.bitcast %a : f32 to i32", "%2 = arith.bitcast %1 : i32 to f32",
              "%r = arith.addf %2, %2 : f32"], lambda a: a + a),
        Case("extended_bits", [floats((5, 37), element="bf16")], "i32",
             ["%1 = arith.extf %a : bf16 to f32", "%r = arith.bitcast %1 : f32 to i32"], bits),
        Case("alternating", [f], "f32",
             ["%c = arith.constant 4096 : i32", "%d = arith.constant 1.0 : f32"]
             + [line for i in range(5) for line in (
                 f"%b{i} = arith.bitcast %{'a' if i == 0 else f'f{i - 1}'} : f32 to i32",
                 f"%x{i} = arith.xori %b{i}, %c : i32",
                 f"%n{i} = arith.bitcast %x{i} : i32 to f32",
                 f"%f{i} = arith.{'addf' if i % 2 else 'subf'} %n{i}, %d : f32")]
             + ["%r = arith.mulf %f4, %f4 : f32"], alternate),
        # Fused multiplication and addition.
        Case("fma_factor", [f, g, floats((200,))], "f32",
             ["%r = math.fma %a, %b, %c : f32"], fma64),
        Case("fma_tensors", [floats((5, 37)), row, column], "f32",
             ["%k = arith.constant 0.5 : f32", "%1 = arith.mulf %a, %k : f32",
              "%r = math.fma %b, %1, %c : f32"],
             lambda a, b, c: fma64(b, a * np.float32(0.5), c)),
        Case("fma_summand", [m, row, column], "f32",
             ["%k = arith.constant 0.5 : f32", "%1 = arith.mulf %a, %k : f32",
              "%r = math.fma %b, %c, %1 : f32"],
             lambda a, b, c: fma64(b, c, a * np.float32(0.5))),
        Case("fma_constants", [f], "f32",
             ["%k = arith.constant 1.2001953125 : f32", "%l = arith.constant -0.3 : f32",
              "%r = math.fma %k, %a, %l : f32"],
             lambda a: fma64(a, np.float32(1.2001953125), np.float32(-0.3))),
        Case("fma_constant_factors", [f], "f32",
             ["%k = arith.constant 1.2001953125 : f32", "%l = arith.constant 0.75 : f32",
              "%r = math.fma %k, %l, %a : f32"],
             lambda a: fma64(np.float32(1.2001953125) * np.ones_like(a), np.float32(0.75), a)),
        Case("fma_square", [f, g], "f32", ["%r = math.fma %a, %a, %b : f32"],
             lambda a, b: fma64(a, a, b)),
        Case("fma_both", [f], "f32",
             ["%k = arith.constant 0.3 : f32", "%1 = arith.addf %a, %k : f32",
              "%r = math.fma %k, %1, %1 : f32"],
             lambda a: (lambda x: fma64(x, np.float32(0.3), x))(a + np.float32(0.3))),
        Case("fma_alone", [f], "f32", ["%r = math.fma %a, %a, %a : f32"],
             lambda a: fma64(a, a, a)),
        Case("polynomial", [f], "f32",
             ["%k = arith.constant 0.5 : f32", "%l = arith.constant 1.5 : f32",
              "%1 = math.fma %a, %k, %l : f32", "%2 = math.fma %1, %a, %k : f32",
              "%r = math.fma %2, %a, %l : f32"],
             lambda a: fma64(fma64(fma64(a, np.float32(0.5), np.float32(1.5)), a,
                                   np.float32(0.5)), a, np.float32(1.5))),
        # NaN: the number wins.
        Case("maxnum", [special], "f32",
             ["%k = arith.constant 0.5 : f32", "%r = arith.maxnumf %a, %k : f32"],
             lambda a: np.fmax(a, np.float32(0.5))),
        Case("minnum", [special], "f32",
             ["%k = arith.constant 0.5 : f32", "%r = arith.minnumf %k, %a : f32"],
             lambda a: np.fmin(a, np.float32(0.5))),
        Case("maximum", [m, row], "f32", ["%r = arith.maximumf %a, %b : f32"], np.maximum),
        Case("minimum", [m, row], "f32", ["%r = arith.minimumf %a, %b : f32"], np.minimum),
        # Conversions.
        Case("to_float", [ints((200,))], "f32", ["%r = arith.sitofp %a : i32 to f32"],
             lambda a: a.astype(np.float32)),
        Case("to_int", [special_finite(special)], "i32",
             ["%1 = math.round %a : f32", "%r = arith.fptosi %1 : f32 to i32"],
             lambda a: round_away(a).astype(np.int32)),
        Case("quantised", [floats((5, 37))], "i8",
             ["%k = arith.constant 30.0 : f32", "%1 = arith.mulf %a, %k : f32",
              "%2 = math.round %1 : f32", "%3 = arith.fptosi %2 : f32 to i32",
              "%lo = arith.constant -128 : i32", "%hi = arith.constant 127 : i32",
              "%4 = arith.maxsi %3, %lo : i32", "%5 = arith.minsi %4, %hi : i32",
              "%r = arith.trunci %5 : i32 to i8"],
             lambda a: np.clip(round_away(a * np.float32(30)), -128, 127).astype(np.int8)),
        Case("scaled", [ints((200,), element="i8", limit=128)], "bf16",
             ["%1 = arith.extsi %a : i8 to i32", "%2 = arith.sitofp %1 : i32 to f32",
              "%k = arith.constant 0.1 : f32", "%3 = arith.mulf %2, %k : f32",
              "%r = arith.truncf %3 : f32 to bf16"],
             lambda a: elements.round_bf16(a.astype(np.float32) * np.float32(0.1))),
        Case("widened", [floats((200,), element="f16")], "f32",
             ["%r = arith.extf %a : f16 to f32"], lambda a: a),
    ]
    # Narrow results. i4 has less than a word in eight lanes.
    for shape in ((200,), (3, 64), (16,), (1,), (7, 5)):
        cases.append(Case(f"narrow_i4_{'x'.join(map(str, shape))}", [ints(shape, limit=8)], "i4",
                          ["%k = arith.constant -1 : i32", "%1 = arith.xori %a, %k : i32",
                           "%r = arith.trunci %1 : i32 to i4"], lambda a: ~a.astype(np.int8)))
    for element, limit in (("i8", 128), ("i16", 2**15)):
        cases.append(Case(f"narrow_{element}", [ints((5, 37), limit=limit)], element,
                          [f"%r = arith.trunci %a : i32 to {element}"], lambda a: a))
    for element in ("bf16", "f16", "f8E5M2", "f8E4M3FN"):
        cases.append(Case(f"narrow_{element}", [floats((5, 37))], element,
                          [f"%r = arith.truncf %a : f32 to {element}"],
                          lambda a, element=element: elements.round_to(a, element)))
    for function, reference in (("exp", np.exp), ("sqrt", np.sqrt), ("tanh", np.tanh),
                                ("log", np.log), ("sin", np.sin), ("cos", np.cos)):
        positive = Operand("f32", "ij", np.abs(m.values) + np.float32(0.125))
        cases.append(Case(function, [positive], "f32", [f"%r = math.{function} %a : f32"],
                          lambda a, reference=reference: reference(a.astype(np.float64)), CLOSE))
    integer_ops: list[tuple[str, Callable[..., Any]]] = [
        ("addi", np.add), ("subi", np.subtract), ("muli", np.multiply), ("andi", np.bitwise_and),
        ("ori", np.bitwise_or), ("xori", np.bitwise_xor), ("maxsi", np.maximum),
        ("minsi", np.minimum)]
    for op, result in integer_ops:
        cases.append(Case(op, [n, p], "i32", [f"%r = arith.{op} %a, %b : i32"], result))
    # Operands in other orders, and fewer of them than loops.
    for element, limit in (("i4", 8), ("i8", 128), ("i32", 1000)):
        extend = [] if element == "i32" else [f"%1 = arith.extsi %a : {element} to i32"]
        x = "%1" if extend else "%a"
        for loops, shape in (("ji", (37, 5)), ("j", (37,)), ("i", (5,)), ("", ()),
                             ("kij", (3, 5, 37))):
            # One i4 for all lanes is no whole byte.
            if element == "i4" and loops in ("i", ""):
                continue
            cases.append(Case(
                f"order_{element}_{loops or 'none'}",
                [Operand(element, loops, ints(shape, limit=limit, element=element).values),
                 ints((5, 37), limit=1000)],
                "i32", [*extend, f"%r = arith.subi %b, {x} : i32"], lambda a, b: b - a))
            cases.append(Case(
                f"order_stream_{element}_{loops or 'none'}",
                [Operand(element, loops, ints(shape, limit=limit, element=element).values),
                 ints((5, 37), limit=1)],
                "i32", [*extend, f"%2 = arith.muli {x}, {x} : i32",
                        "%r = arith.addi %2, %b : i32"], lambda a, b: a.astype(np.int32)**2 + b))
    # Several tiles.
    large = floats((700, 600))
    cases.append(Case("large_abs", [large, floats((600,), "j")], "f32",
                      [f"%k = arith.constant {mask} : i32", "%1 = arith.subf %a, %b : f32",
                       "%2 = arith.bitcast %1 : f32 to i32", "%3 = arith.andi %2, %k : i32",
                       "%4 = arith.bitcast %3 : i32 to f32", "%r = arith.subf %4, %b : f32"],
                      lambda a, b: np.abs(a - b) - b))
    cases.append(Case("large_i4", [ints((1000, 1030), limit=8)], "i4",
                      ["%k = arith.constant -1 : i32", "%1 = arith.xori %a, %k : i32",
                       "%r = arith.trunci %1 : i32 to i4"], lambda a: ~a.astype(np.int8)))
    cases.append(Case("large_fma", [large, floats((700,), "i"), floats((600,), "j")], "f32",
                      ["%1 = arith.addf %a, %a : f32", "%r = math.fma %b, %c, %1 : f32"],
                      lambda a, b, c: fma64(b, c, a + a)))
    masks = Operand("i32", "ij", -state.integers(0, 2, (700, 600)).astype(np.int32))
    cases.append(Case("select", [large, floats((700, 600)), masks], "f32",
                      ["%1 = arith.bitcast %a : f32 to i32", "%2 = arith.bitcast %b : f32 to i32",
                       "%3 = arith.xori %1, %2 : i32", "%4 = arith.andi %3, %c : i32",
                       "%5 = arith.xori %4, %2 : i32", "%r = arith.bitcast %5 : i32 to f32"],
                      lambda a, b, c: np.where(c, a, b)))
    return cases


SIGN_OF_PRODUCT = """
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @main(%a: tensor<MxKxbf16>, %b: tensor<KxNxbf16>, %c: tensor<Nxf32>)
    -> tensor<MxNxf32> {
  %mask = arith.constant -2147483648 : i32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<MxNxf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<MxNxf32>) -> tensor<MxNxf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<MxKxbf16>, tensor<KxNxbf16>) outs(%init : tensor<MxNxf32>) {
  ^bb0(%x: bf16, %y: bf16, %out: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<MxNxf32>
  %5 = linalg.generic {indexing_maps = [#id, #row, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<MxNxf32>, tensor<Nxf32>) outs(%empty : tensor<MxNxf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %6 = arith.bitcast %x : f32 to i32
    %7 = arith.andi %6, %mask : i32
    %8 = arith.bitcast %y : f32 to i32
    %9 = arith.xori %7, %8 : i32
    %10 = arith.bitcast %9 : i32 to f32
    linalg.yield %10 : f32
  } -> tensor<MxNxf32>
  return %5 : tensor<MxNxf32>
}
"""

NIBBLES = """
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<MxKxi4>, %b: tensor<NxKxi4>) -> tensor<MxNxi4> {
  %low = arith.constant -8 : i32
  %high = arith.constant 7 : i32
  %four = arith.constant 4 : i32
  %zero = arith.constant 0 : i32
  %sums = tensor.empty() : tensor<MxNxi32>
  %empty = tensor.empty() : tensor<MxNxi4>
  %init = linalg.fill ins(%zero : i32) outs(%sums : tensor<MxNxi32>) -> tensor<MxNxi32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<MxKxi4>, tensor<NxKxi4>) outs(%init : tensor<MxNxi32>) {
  ^bb0(%x: i4, %y: i4, %out: i32):
    %1 = arith.extsi %x : i4 to i32
    %2 = arith.extsi %y : i4 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %out, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<MxNxi32>
  %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<MxNxi32>) outs(%empty : tensor<MxNxi4>) {
  ^bb0(%x: i32, %out: i4):
    %6 = arith.shrsi %x, %four : i32
    %7 = arith.maxsi %6, %low : i32
    %8 = arith.minsi %7, %high : i32
    %9 = arith.trunci %8 : i32 to i4
    linalg.yield %9 : i4
  } -> tensor<MxNxi4>
  return %5 : tensor<MxNxi4>
}
"""

LARGEST = """
#all = affine_map<(i, j) -> (i, j)>
#kept = affine_map<(i, j) -> (i)>
#id = affine_map<(i) -> (i)>
func.func @main(%a: tensor<MxKxf32>) -> tensor<Mxi32> {
  %low = arith.constant 0xFF800000 : f32
  %one = arith.constant 1 : i32
  %largest = tensor.empty() : tensor<Mxf32>
  %empty = tensor.empty() : tensor<Mxi32>
  %init = linalg.fill ins(%low : f32) outs(%largest : tensor<Mxf32>) -> tensor<Mxf32>
  %0 = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<MxKxf32>) outs(%init : tensor<Mxf32>) {
  ^bb0(%x: f32, %out: f32):
    %1 = arith.maxnumf %out, %x : f32
    linalg.yield %1 : f32
  } -> tensor<Mxf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<Mxf32>) outs(%empty : tensor<Mxi32>) {
  ^bb0(%x: f32, %out: i32):
    %3 = arith.bitcast %x : f32 to i32
    %4 = arith.addi %3, %one : i32
    linalg.yield %4 : i32
  } -> tensor<Mxi32>
  return %2 : tensor<Mxi32>
}
"""


def make_programs(state: np.random.Generator) -> list[Program]:
    def with_sizes(code: str, **sizes: int) -> str:
        return re.sub(r"(?<=[<x])[MNK](?=x)", lambda letter: str(sizes[letter[0]]), code)

    def small(shape: tuple[int, ...], element: str, limit: int = 8) -> Operand:
        values = state.integers(-limit, limit, shape).astype(elements.CARRIER[element])
        return Operand(element, "", values)

    programs = []
    for m, n, k in ((16, 24, 32), (5, 7, 9), (130, 200, 70)):
        programs.append(Program(
            f"sign_of_product_{m}x{n}x{k}",
            [small((m, k), "bf16"), small((k, n), "bf16"), small((n,), "f32")],
            with_sizes(SIGN_OF_PRODUCT, M=m, N=n, K=k),
            lambda a, b, c: number(bits(a @ b) & -2**31 ^ bits(c))))
        programs.append(Program(
            f"nibbles_{m}x{n}x{k}", [small((m, k), "i4"), small((n, k), "i4")],
            with_sizes(NIBBLES, M=m, N=n, K=k),
            lambda a, b: np.clip(a.astype(np.int32) @ b.T.astype(np.int32) >> 4, -8, 7)))
    for m, k in ((40, 33), (3, 5), (1, 100)):
        programs.append(Program(
            f"largest_{m}x{k}", [small((m, k), "f32", 1000)],
            with_sizes(LARGEST, M=m, K=k), lambda a: bits(a.max(axis=1)) + 1))
    return programs


def round_away(a: Array) -> Array:
    """Rounds to whole numbers, halves away from zero, as the engine does."""
    return np.copysign(np.floor(np.abs(a.astype(np.float64)) + 0.5), a)


def special_finite(operand: Operand) -> Operand:
    return Operand(operand.element, operand.loops, operand.values[np.isfinite(operand.values)])


def alternate(a: Array) -> Array:
    for i in range(5):
        a = number(bits(a) ^ 4096)
        a = a + np.float32(1) if i % 2 else a - np.float32(1)
    return a * a


def different_zeros(found: Array, expected: Array) -> bool:
    zero = expected == 0
    return bool(np.any(np.signbit(found[zero].astype(np.float32))
                       != np.signbit(expected[zero].astype(np.float32))))


def lower(program: Path, folder: Path) -> tuple[Path | None, str]:
    """The program in tcp, without the normalisation."""
    sequin_opt = Path(simulate.find_sequin_run()).with_name("sequin-opt")
    lowered = folder / "lowered.mlir"
    done = subprocess.run([str(sequin_opt), str(program), "--convert-linalg-to-tcp=target=rngd",
                           "-o", str(lowered)], capture_output=True, text=True)
    return (None, done.stderr) if done.returncode else (lowered, "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="the name of one case")
    parser.add_argument("--keep", type=Path, help="a folder for the files")
    options = parser.parse_args()
    state = np.random.default_rng(options.seed)
    cases: list[Case | Program] = [*make_cases(state), *make_programs(state)]
    failures = runs = 0
    with tempfile.TemporaryDirectory() as temporary:
        for case in cases:
            if options.only and case.name != options.only:
                continue
            folder = (options.keep or Path(temporary)) / case.name
            folder.mkdir(parents=True, exist_ok=True)
            program = folder / "program.mlir"
            program.write_text(case.text())
            lowered, error = lower(program, folder)
            if not lowered:
                failures += 1
                print(f"{case.name} is not lowered: {simulate.first_error(error) or error}")
            for path in filter(None, (program, lowered)):
                verify = ["--verify"] if path == lowered else []
                inputs = [o.values for o in case.operands]
                if path == lowered:  # where every array has a dimension
                    inputs = [np.atleast_1d(array) for array in inputs]
                outcome = simulate.run([str(path)], inputs, 1, folder, verify)
                expected = case.expected()
                simulate.judge(outcome, [expected], case.tolerance)
                if outcome.status == "pass" and different_zeros(outcome.results[0], expected):
                    outcome.status, outcome.reason = "wrong", "zeros have other signs"
                runs += 1
                if outcome.status != "pass":
                    failures += 1
                    outcome.show(f"{case.name} ({path.stem})")
    print(f"{runs} runs, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
