# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalar code: the body of a linalg.generic, in words of 32 bits.

Floats are computed in f32, integers in i32, truth values in i1; elements of other types
are widened when they are read and rounded when they are written, as the vector engine
does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .types import ElementType

__all__ = ["Body", "Scalar", "float_text"]

#: From here on a float has no fraction.
WHOLE = 2.0**23


def float_text(value: float) -> str:
    """A literal of MLIR for a number of f32."""
    number = np.float32(value)
    if not np.isfinite(number):
        return f"0x{int(number.view(np.uint32)):08X}"
    return str(np.format_float_scientific(number, unique=True, trim="0"))


@dataclass(frozen=True)
class Scalar:
    """A value of a body."""

    text: str
    type: str
    """``"f32"``, ``"i32"``, ``"i1"`` or ``"index"``."""
    unsigned: bool = False
    """An i32 that stands for 0 to 2^32 - 1."""
    value: float | int | None = None
    """Of a constant."""


def unsigned(x: Scalar) -> Scalar:
    """The same word as a number from 0 on."""
    return Scalar(x.text, x.type, True, x.value)


class Body:
    """Writes scalar code, an operation a line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0
        self._constants: dict[tuple[str, str], Scalar] = {}

    def emit(self, code: str, type: str, unsigned: bool = False) -> Scalar:
        """``%sN = code``; gives the value."""
        name = f"%s{self._count}"
        self._count += 1
        self.lines.append(f"{name} = {code}")
        return Scalar(name, type, unsigned)

    def _op(self, name: str, *operands: Scalar) -> Scalar:
        of = operands[0].type
        texts = ", ".join(operand.text for operand in operands)
        return self.emit(f"{name} {texts} : {of}", of, any(x.unsigned for x in operands))

    # ===--- Elements, constants, indices ---------------------------------=== #

    def load(self, name: str, kind: ElementType) -> Scalar:
        """An element of a tensor as a word."""
        word = kind.word
        unsigned = kind.name == "uint32"
        if kind.stored == word:
            return Scalar(name, word, unsigned)
        if kind.is_float:
            return self.emit(f"arith.extf {name} : {kind.stored} to f32", word)
        widen = "arith.extui" if kind.is_unsigned else "arith.extsi"
        return self.emit(f"{widen} {name} : {kind.stored} to i32", word)

    def store(self, x: Scalar, kind: ElementType) -> str:
        """The name of a word as an element of a tensor."""
        if x.type == kind.stored:
            return x.text
        narrow = "arith.truncf" if kind.is_float else "arith.trunci"
        return self.emit(f"{narrow} {x.text} : {x.type} to {kind.stored}", kind.stored).text

    def constant(self, value: float | int | bool, type: str) -> Scalar:
        """A number of f32 or i32, or a truth value."""
        if type == "f32":
            text = float_text(float(value))
        elif type == "i1":
            text = "true" if value else "false"
        else:
            text = str((int(value) + 2**31) % 2**32 - 2**31)
        known = self._constants.get((text, type))
        if known is None:
            code = f"arith.constant {text}" + ("" if type == "i1" else f" : {type}")
            made = self.emit(code, type)
            known = Scalar(made.text, type, value=value)
            self._constants[text, type] = known
        return known

    def like(self, x: Scalar, value: float | int) -> Scalar:
        """A constant of the type of `x`."""
        made = self.constant(value, x.type)
        return Scalar(made.text, made.type, x.unsigned, value)

    def index(self, loop: int) -> Scalar:
        """The iteration of a loop, as i32."""
        of = self.emit(f"linalg.index {loop} : index", "index")
        return self.emit(f"arith.index_cast {of.text} : index to i32", "i32")

    def extract(self, tensor: str, type: str, kind: ElementType, at: list[Scalar]) -> Scalar:
        """The element of a whole tensor at computed positions."""
        indices = []
        for x in at:
            if x.type != "index":
                x = self.emit(f"arith.index_cast {x.text} : i32 to index", "index")
            indices.append(x.text)
        got = self.emit(f"tensor.extract {tensor}[{', '.join(indices)}] : {type}", kind.stored)
        return self.load(got.text, kind)

    # ===--- Arithmetic ---------------------------------------------------=== #

    def add(self, x: Scalar, y: Scalar) -> Scalar:
        return self._op("arith.addf" if x.type == "f32" else "arith.addi", x, y)

    def sub(self, x: Scalar, y: Scalar) -> Scalar:
        return self._op("arith.subf" if x.type == "f32" else "arith.subi", x, y)

    def mul(self, x: Scalar, y: Scalar) -> Scalar:
        return self._op("arith.mulf" if x.type == "f32" else "arith.muli", x, y)

    def fma(self, x: Scalar, y: Scalar, z: Scalar) -> Scalar:
        return self._op("math.fma", x, y, z)

    def div(self, x: Scalar, y: Scalar) -> Scalar:
        """Floats; integers towards zero, exactly."""
        return self._op("arith.divf", x, y) if x.type == "f32" else self._whole_div(x, y)[0]

    def divmod(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Integers: the quotient towards zero, and the rest."""
        return self._whole_div(x, y)

    def _whole_div(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """The engine divides floats only: quotients of f32 are refined by what they leave."""
        if x.unsigned:
            return self._unsigned_div(x, y)
        power = y.value is not None and y.value > 0 and int(y.value) & (int(y.value) - 1) == 0
        if power:
            quotient = self._op("arith.divsi", x, y)
            return quotient, self.sub(x, self.mul(quotient, y))
        divisor = self.to_float(y)
        quotient, rest = self.constant(0, "i32"), x
        for _ in range(2):  # 24 bits of the quotient each
            part = self.to_int(self._op("arith.divf", self.to_float(rest), divisor))
            quotient = self.add(quotient, part)
            rest = self.sub(x, self.mul(quotient, y))
        # One off at most: a rest must be smaller than the divisor and have x's sign.
        zero, one = self.constant(0, "i32"), self.constant(1, "i32")
        towards = self.select(
            self.compare("lt", self.bitxor(x, y), zero), self.constant(-1, "i32"), one
        )
        wrong_sign = self.bitand(
            self.compare("ne", rest, zero), self.compare("lt", self.bitxor(rest, x), zero)
        )
        # As unsigned words, so that the least i32 has a magnitude too.
        too_large = self.compare("ge", unsigned(self.abs(rest)), unsigned(self.abs(y)))
        less = self.sub(quotient, towards)
        more = self.add(quotient, towards)
        quotient = self.select(wrong_sign, less, self.select(too_large, more, quotient))
        return quotient, self.sub(x, self.mul(quotient, y))

    def _unsigned_div(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """By way of half of x, which is a signed word; what is left decides on one more."""
        half = self.shift(x, self.constant(1, "i32"), left=False)
        signed_y = Scalar(y.text, "i32")
        below = self._whole_div(Scalar(half.text, "i32"), signed_y)[0]
        quotient = unsigned(self.shift(below, self.constant(1, "i32"), left=True))
        rest = self.sub(x, self.mul(quotient, y))
        more = self.to_int(self.compare("ge", rest, y), unsigned=True)
        quotient = self.add(quotient, more)
        large = self.compare("lt", signed_y, self.constant(0, "i32"))
        whole = self.to_int(self.compare("ge", x, y), unsigned=True)
        quotient = self.select(large, whole, quotient)
        return quotient, self.sub(x, self.mul(quotient, y))

    def neg(self, x: Scalar) -> Scalar:
        if x.type == "f32":
            return self._op("arith.negf", x)
        return self.sub(self.like(x, 0), x)

    def abs(self, x: Scalar) -> Scalar:
        if x.unsigned:
            return x
        return self._op("math.absf" if x.type == "f32" else "math.absi", x)

    def _suffix(self, x: Scalar) -> str:
        return "ui" if x.unsigned else "si"

    def max(self, x: Scalar, y: Scalar) -> Scalar:
        """Of floats: no number if either is none."""
        name = "arith.maximumf" if x.type == "f32" else f"arith.max{self._suffix(x)}"
        return self._op(name, x, y)

    def min(self, x: Scalar, y: Scalar) -> Scalar:
        name = "arith.minimumf" if x.type == "f32" else f"arith.min{self._suffix(x)}"
        return self._op(name, x, y)

    def math(self, name: str, *operands: Scalar) -> Scalar:
        """An operation of the dialect math, e.g. ``"exp"``."""
        return self._op(f"math.{name}", *operands)

    def bitand(self, x: Scalar, y: Scalar) -> Scalar:
        return self._op("arith.andi", x, y)

    def bitor(self, x: Scalar, y: Scalar) -> Scalar:
        return self._op("arith.ori", x, y)

    def bitxor(self, x: Scalar, y: Scalar) -> Scalar:
        return self._op("arith.xori", x, y)

    def invert(self, x: Scalar) -> Scalar:
        """Not, of truth values and of all bits."""
        return self.bitxor(x, self.constant(1 if x.type == "i1" else -1, x.type))

    def shift(self, x: Scalar, y: Scalar, left: bool) -> Scalar:
        """By less than 32; zeros come in."""
        return self._op("arith.shli" if left else "arith.shrui", x, y)

    def compare(self, how: str, x: Scalar, y: Scalar) -> Scalar:
        """``"lt le gt ge eq ne"``; of floats false where one is no number, but for ne."""
        if x.type == "f32":
            code = f"arith.cmpf {'une' if how == 'ne' else 'o' + how}"
        elif how in ("eq", "ne"):
            code = f"arith.cmpi {how}"
        else:
            code = f"arith.cmpi {'u' if x.unsigned else 's'}{how}"
        return self.emit(f"{code}, {x.text}, {y.text} : {x.type}", "i1")

    def select(self, mask: Scalar, x: Scalar, y: Scalar) -> Scalar:
        if x.type == "i1":
            # (mask and x) or (not mask and y)
            return self.bitor(self.bitand(mask, x), self.bitand(self.invert(mask), y))
        code = f"arith.select {mask.text}, {x.text}, {y.text} : {x.type}"
        return self.emit(code, x.type, x.unsigned)

    # ===--- Conversions --------------------------------------------------=== #

    def to_float(self, x: Scalar) -> Scalar:
        """The number as f32."""
        if x.type == "f32":
            return x
        if x.type == "i1":
            return self.select(x, self.constant(1.0, "f32"), self.constant(0.0, "f32"))
        if x.value is not None:
            return self.constant(float(x.value), "f32")
        name = "arith.uitofp" if x.unsigned else "arith.sitofp"
        return self.emit(f"{name} {x.text} : i32 to f32", "f32")

    def to_int(self, x: Scalar, unsigned: bool = False) -> Scalar:
        """The number as i32, towards zero."""
        if x.type == "i32":
            return Scalar(x.text, "i32", unsigned, x.value)
        if x.type == "i1":
            return self.emit(f"arith.extui {x.text} : i1 to i32", "i32", unsigned)
        name = "arith.fptoui" if unsigned else "arith.fptosi"
        return self.emit(f"{name} {x.text} : f32 to i32", "i32", unsigned)

    def to_bool(self, x: Scalar) -> Scalar:
        """Whether it is not zero."""
        return x if x.type == "i1" else self.compare("ne", x, self.like(x, 0))

    def convert(self, x: Scalar, kind: ElementType) -> Scalar:
        """The number as a word of `kind`, as a cast does it."""
        if kind.is_bool:
            return self.to_bool(x)
        if kind.is_float:
            return self.to_float(x)
        return self.to_int(x, kind.name == "uint32")

    def sum(self, terms: list[Scalar]) -> Scalar:
        """Of one or more."""
        total = terms[0]
        for term in terms[1:]:
            total = self.add(total, term)
        return total
