# ===- linalg_writer.py - Programs as linalg text --------------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Operations of linalg on tensors as text, appended one at a time.

Loops have one letter each: 'tf', 't' is affine_map<(t, f) -> (t)>.
"""

import math
from dataclasses import dataclass

FLOATS = ("f32", "f16", "bf16", "f8E4M3FN", "f8E5M2")


def tensor(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{'x'.join(map(str, (*shape, element)))}>"


@dataclass(frozen=True)
class Value:
    name: str
    shape: tuple[int, ...]
    element: str

    @property
    def type(self) -> str:
        return tensor(self.shape, self.element)


def map_of(loops: str, *results: str) -> str:
    """'tf', 't' -> affine_map<(t, f) -> (t)>"""
    return f"affine_map<({', '.join(loops)}) -> ({', '.join(results)})>"


class Writer:
    """Appends operations; every method returns the value it made."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def remark(self, text: str) -> None:
        self.lines += ["", f"  // {text}"]

    def fresh(self, shape: tuple[int, ...], element: str, name: str = "") -> Value:
        self.count += 1
        return Value(f"%{name or 't'}_{self.count}", shape, element)

    def constant(self, number: float, element: str = "f32") -> str:
        name = f"%c_{self.count}"
        self.count += 1
        text = f"{number:.9e}" if element in FLOATS else str(int(number))
        if number == -math.inf:
            text = "0xFF800000"
        self.line(f"{name} = arith.constant {text} : {element}")
        return name

    def empty(self, shape: tuple[int, ...], element: str) -> Value:
        value = self.fresh(shape, element, "empty")
        self.line(f"{value.name} = tensor.empty() : {value.type}")
        return value

    def filled(self, shape: tuple[int, ...], number: float, element: str = "f32") -> Value:
        scalar, out = self.constant(number, element), self.empty(shape, element)
        value = self.fresh(shape, element, "init")
        self.line(f"{value.name} = linalg.fill ins({scalar} : {element}) "
                  f"outs({out.name} : {out.type}) -> {value.type}")
        return value

    def generic(self, loops: str, reduced: str, inputs: list[tuple[Value, str]], out: Value,
                out_map: str, body: list[str], name: str) -> Value:
        """`body` computes from %a, %b, ... and %out and ends in the yielded name."""
        value = self.fresh(out.shape, out.element, name)
        maps = ", ".join(map_of(loops, *m) for m in [m for _, m in inputs] + [out_map])
        kinds = ", ".join('"reduction"' if i in reduced else '"parallel"' for i in loops)
        names = "abcdefgh"[:len(inputs)]
        arguments = [f"%{n}: {v.element}" for n, (v, _) in zip(names, inputs)]
        arguments.append(f"%out: {out.element}")
        self.line(f"{value.name} = linalg.generic {{")
        self.line(f"    indexing_maps = [{maps}],")
        self.line(f"    iterator_types = [{kinds}]}}")
        if inputs:
            self.line(f"    ins({', '.join(v.name for v, _ in inputs)} : "
                      f"{', '.join(v.type for v, _ in inputs)}) outs({out.name} : {out.type}) {{")
        else:
            self.line(f"    outs({out.name} : {out.type}) {{")
        self.line(f"^bb0({', '.join(arguments)}):")
        for step in body[:-1]:
            self.line("  " + step)
        self.line(f"  linalg.yield {body[-1]} : {out.element}")
        self.line(f"}} -> {value.type}")
        return value

    def map(self, inputs: list[tuple[Value, str]], loops: str, shape: tuple[int, ...],
            element: str, body: list[str], name: str) -> Value:
        """Element by element over `loops`, one for each dimension of the result."""
        return self.generic(loops, "", inputs, self.empty(shape, element), loops, body, name)

    def narrow(self, value: Value) -> Value:
        """f32 to bf16."""
        loops = "ijklmn"[:len(value.shape)]
        return self.generic(loops, "", [(value, loops)], self.empty(value.shape, "bf16"), loops,
                            ["%r = arith.truncf %a : f32 to bf16", "%r"], "bf")

    def einsum(self, spec: str, a: Value, b: Value, name: str) -> Value:
        """'mk,kn->mn' of bf16 or f32 operands, in f32; of i8 or i32 ones, in i32."""
        operands, result = spec.split("->")
        left, right = operands.split(",")
        sizes = dict(zip(left + right, a.shape + b.shape))
        summed = "".join(dict.fromkeys(i for i in left + right if i not in result))
        element = "f32" if a.element in FLOATS else "i32"
        extend, multiply, add = (("extf", "mulf", "addf") if a.element in FLOATS
                                 else ("extsi", "muli", "addi"))
        body, factors = [], []
        for letter, factor in (("a", a), ("b", b)):
            factors.append(f"%{letter}")
            if factor.element != element:
                body.append(f"%w{letter} = arith.{extend} %{letter} : {factor.element} to "
                            f"{element}")
                factors[-1] = f"%w{letter}"
        body += [f"%p = arith.{multiply} {factors[0]}, {factors[1]} : {element}",
                 f"%r = arith.{add} %out, %p : {element}", "%r"]
        shape = tuple(sizes[i] for i in result)
        return self.generic(result + summed, summed, [(a, left), (b, right)],
                            self.filled(shape, 0, element), result, body, name)

    def linear(self, x: Value, weights: Value, name: str) -> Value:
        """x [t, in] by weights [out, in], in f32."""
        out = self.filled((x.shape[0], weights.shape[0]), 0)
        value = self.fresh(out.shape, "f32", name)
        maps = ", ".join(map_of("mnk", *m) for m in ("mk", "nk", "mn"))
        self.line(f"{value.name} = linalg.matmul indexing_maps = [{maps}]")
        self.line(f"    ins({x.name}, {weights.name} : {x.type}, {weights.type}) "
                  f"outs({out.name} : {out.type}) -> {value.type}")
        return value

    def softmax(self, x: Value) -> Value:
        """Over the last dimension."""
        out = self.empty(x.shape, "f32")
        value = self.fresh(x.shape, "f32", "softmax")
        self.line(f"{value.name} = linalg.softmax dimension({len(x.shape) - 1}) "
                  f"ins({x.name} : {x.type}) outs({out.name} : {out.type}) -> {value.type}")
        return value

    def gather(self, table: Value, indices: Value, name: str) -> Value:
        """Rows of `table`: indices [i, j] of a table [v, d] give [i, j, d]."""
        rank = len(indices.shape)
        groups = [[i] for i in range(rank - 1)] + [[rank - 1, rank]]
        expanded = self.expand(indices, str(groups), (*indices.shape, 1))
        value = self.fresh(indices.shape + table.shape[1:], table.element, name)
        self.line(f"{value.name} = tensor.gather {table.name}[{expanded.name}] gather_dims([0]) "
                  f": ({table.type}, {expanded.type}) -> {value.type}")
        return value

    def scatter(self, rows: Value, into: Value, places: Value, name: str) -> Value:
        """rows [n, d] to the rows `places` [n] of `into` [m, d], each place at most once."""
        expanded = self.expand(places, "[[0, 1]]", (*places.shape, 1))
        value = self.fresh(into.shape, into.element, name)
        self.line(f"{value.name} = tensor.scatter {rows.name} into {into.name}[{expanded.name}] "
                  f"scatter_dims([0]) unique : ({rows.type}, {into.type}, {expanded.type}) -> "
                  f"{value.type}")
        return value

    def expand(self, value: Value, groups: str, shape: tuple[int, ...]) -> Value:
        result = self.fresh(shape, value.element, "expand")
        self.line(f"{result.name} = tensor.expand_shape {value.name} {groups} "
                  f"output_shape {list(shape)} : {value.type} into {result.type}")
        return result

    def collapse(self, value: Value, groups: str, shape: tuple[int, ...]) -> Value:
        result = self.fresh(shape, value.element, "collapse")
        self.line(f"{result.name} = tensor.collapse_shape {value.name} {groups} : {value.type} "
                  f"into {result.type}")
        return result

    def transpose(self, value: Value, order: list[int]) -> Value:
        shape = tuple(value.shape[i] for i in order)
        out = self.empty(shape, value.element)
        result = self.fresh(shape, value.element, "transpose")
        self.line(f"{result.name} = linalg.transpose ins({value.name} : {value.type}) "
                  f"outs({out.name} : {out.type}) permutation = {order}")
        return result

    def slice(self, value: Value, offsets: list[int], shape: tuple[int, ...]) -> Value:
        if shape == value.shape:
            return value
        result = self.fresh(shape, value.element, "slice")
        self.line(f"{result.name} = tensor.extract_slice {value.name}{offsets} {list(shape)} "
                  f"{[1] * len(shape)} : {value.type} to {result.type}")
        return result

    def insert(self, part: Value, into: Value, offsets: list[int]) -> Value:
        result = self.fresh(into.shape, into.element, "insert")
        self.line(f"{result.name} = tensor.insert_slice {part.name} into {into.name}{offsets} "
                  f"{list(part.shape)} {[1] * len(part.shape)} : {part.type} into {result.type}")
        return result

    def function(self, arguments: list[Value], results: list[Value]) -> str:
        """What was appended as @main."""
        types = ", ".join(r.type for r in results)
        last = f"  return {', '.join(r.name for r in results)} : {types}"
        heads = ",\n    ".join(f"{v.name}: {v.type}" for v in arguments)
        return "\n".join([f"func.func @main(\n    {heads})\n    -> ({types}) {{",
                          *self.lines, last, "}", ""])
