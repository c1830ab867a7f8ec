# ===- bodies.py - Random scalar code for elementwise operations ----------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Draws the bodies of elementwise operations: straight-line code on f32 or i32
whose values are used any number of times, with casts at both ends."""

import random
from dataclasses import dataclass

#: Largest magnitude of a value of each type. f32 leaves a factor of two for
#: operands in digits, whose leading digit may be rounded up.
LIMIT = {"f32": 2**23, "i32": 2**30, "bf16": 2**16, "i8": 127}
FLOATS = ("f32", "bf16")

@dataclass
class Scalar:
    name: str
    element: str
    bound: int


class Unsuitable(Exception):
    """The operation drawn does not fit the values there are; draw another."""


def number(value: int, element: str) -> str:
    return f"{value}.0" if element in FLOATS else str(value)


class Body:
    """Straight-line scalar code whose values are used any number of times."""

    def __init__(self, draw: random.Random) -> None:
        self.draw, self.lines, self.counter = draw, [], 0
        self.values: list[Scalar] = []

    def emit(self, text: str, element: str, bound: int) -> Scalar:
        scalar = Scalar(f"%s{self.counter}", element, bound)
        self.counter += 1
        self.lines.append(f"    {scalar.name} = {text}")
        return scalar

    def constant(self, element: str) -> Scalar:
        value = self.draw.choice([-2, -1, 0, 1, 2, 3, 6, 100])
        return self.emit(f"arith.constant {number(value, element)} : {element}", element,
                         abs(value))

    def pick(self, element: str) -> Scalar:
        found = [value for value in self.values if value.element == element]
        # The youngest more often, so that the code is no set of short chains.
        return self.draw.choice(found[-2:] if self.draw.random() < 0.6 else found)

    def widened(self, value: Scalar) -> Scalar:
        """bf16 to f32, i8 to i32: bodies compute in the wide types."""
        if value.element == "bf16":
            return self.emit(f"arith.extf {value.name} : bf16 to f32", "f32", value.bound)
        if value.element == "i8":
            return self.emit(f"arith.extsi {value.name} : i8 to i32", "i32", value.bound)
        return value

    def clamped(self, value: Scalar, bound: int) -> Scalar:
        if value.bound <= bound:
            return value
        suffix = "imumf" if value.element in FLOATS else "si"
        for kind, limit in (("max", -bound), ("min", bound)):
            other = self.emit(f"arith.constant {number(limit, value.element)} : {value.element}",
                              value.element, bound)
            value = self.emit(f"arith.{kind}{suffix} {value.name}, {other.name} : "
                              f"{value.element}", value.element, bound)
        return value

    def step(self, element: str) -> Scalar:
        """One operation on values of one wide type."""
        a = self.pick(element)
        b = self.pick(element) if self.draw.random() < 0.6 else self.constant(element)
        letter = "f" if element in FLOATS else "i"
        kind = self.draw.choice(["add", "add", "sub", "mul", "max", "min", "select", "own"])
        limit = LIMIT[element] // 4
        if kind == "mul" and a.bound * b.bound > limit or kind in ("add", "sub") and \
                a.bound + b.bound > limit:
            kind = "min"
        if kind in ("add", "sub", "mul"):
            bound = a.bound * b.bound if kind == "mul" else a.bound + b.bound
            operation = f"arith.{kind}{letter}"
        elif kind in ("max", "min"):
            bound = max(a.bound, b.bound)
            operation = f"arith.{kind}{'imumf' if letter == 'f' else 'si'}"
        elif kind == "select":
            predicate = self.draw.choice(
                ["ogt", "olt", "oge", "oeq", "une", "ugt"] if letter == "f" else
                ["sgt", "slt", "sle", "eq", "ne"])
            flag = self.emit(f"arith.cmp{letter} {predicate}, {a.name}, {b.name} : {element}",
                             "i1", 1)
            c = self.pick(element)
            x, y = self.draw.sample([b, c], 2)
            return self.emit(f"arith.select {flag.name}, {x.name}, {y.name} : {element}",
                             element, max(x.bound, y.bound))
        elif letter == "f":
            return self.emit(f"{self.draw.choice(['arith.negf', 'math.absf'])} {a.name} : "
                             f"{element}", element, a.bound)
        else:
            amount = self.draw.randint(1, 4)
            shift = self.emit(f"arith.constant {amount} : {element}", element, amount)
            return self.emit(f"arith.shrsi {a.name}, {shift.name} : {element}", element,
                             a.bound)
        return self.emit(f"{operation} {a.name}, {b.name} : {element}", element, bound)

    def cast(self, value: Scalar, element: str) -> Scalar:
        """From a wide type to the type of the result."""
        if value.element == element:
            return value
        if (value.element, element) == ("f32", "bf16"):
            # Above 256 the nearest bf16 is another integer, by at most one part in 256.
            value = self.clamped(value, self.draw.choice([256, 2**15]))
            bound = value.bound + value.bound // 256
            return self.emit(f"arith.truncf {value.name} : f32 to bf16", "bf16", bound)
        if (value.element, element) == ("i32", "f32"):
            value = self.clamped(value, LIMIT["f32"] // 2)
            return self.emit(f"arith.sitofp {value.name} : i32 to f32", "f32", value.bound)
        if (value.element, element) == ("f32", "i32"):
            return self.emit(f"arith.fptosi {value.name} : f32 to i32", "i32", value.bound)
        if (value.element, element) == ("i32", "i8"):
            value = self.clamped(value, 127)
            return self.emit(f"arith.trunci {value.name} : i32 to i8", "i8", 127)
        if (value.element, element) == ("i32", "bf16"):
            return self.cast(self.cast(value, "f32"), element)
        return self.cast(self.cast(value, "i32"), element)

    def joined(self, element: str) -> Scalar:
        """One value that depends on all that nothing has used so far."""
        text = "\n".join(line.split(" = ", 1)[1] + " " for line in self.lines)
        loose = [v for v in self.values if f"{v.name} " not in text and f"{v.name}," not in text]
        result = loose[-1]
        suffix = "imumf" if element in FLOATS else "si"
        for other in reversed(loose[:-1]):
            bound, kind = result.bound + other.bound, self.draw.choice(["add", "max", "min"])
            if kind == "add" and bound <= LIMIT[element] // 4:
                operation = f"arith.add{'f' if element in FLOATS else 'i'}"
            else:
                kind = "max" if kind == "add" else kind
                operation, bound = f"arith.{kind}{suffix}", max(result.bound, other.bound)
            result = self.emit(f"{operation} {result.name}, {other.name} : {element}", element,
                               bound)
        return result
