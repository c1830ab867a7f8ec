# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A hunter of silent differences: programs whose data have infinities, NaN, subnormal numbers,
the ends of types and indices out of range, on the simulator and on the reference interpreter.

An input is an MLIR program that says its data in comments, an element per line: all that no
line names are ones.

    // data 0: float32 2x3
    // data 0 at 4: inf
"""

from __future__ import annotations

import io
import math
import re
from random import Random

import numpy as np

from .forked import Programs, Run
from .kinds import Input, Kind, last_line, mlir_programs
from .mutation import lines_of

#: Larger ones round to an infinity in bf16, of which the contraction engine's digits of f32 are.
LARGEST = ["3.4028235e+38", "-3.4028235e+38", "3.4e+38"]
FLOATS = ["inf", "-inf", "nan", "0.0", "-0.0", "1e-45", "-1e-45", "1e-40", "1.1754942e-38",
          "1.1754944e-38", "3.38e+38", "-3.38e+38", "1.7e+38", "65504", "65520", "448",
          "57344", "1e-8", "6e-8", "0.5", "-1", "2", "3", "88.7", "-104", "128", "0.333333343",
          "16777217", "2147483648", "-2147483648", "4294967296", "1e10", "-7.5", "0.1"]
INTEGERS = [0, 1, -1, 2, 3, 5, -7, 127, -128, 255, 32767, -32768, 65535, 65536, 2**24, 2**30,
            2**31 - 1, -2**31]
TAKES = re.compile(r"the program takes (.*), --input is given")
ARGUMENT = re.compile(r"(\w+) \[([\d, ]*)\]")
#: Files that hold elements of a type.
FILES = {"f32": "float32", "bf16": "float32", "f16": "float32", "f8e4m3": "float32",
         "f8e5m2": "float32", "i32": "int32", "i16": "int16", "i8": "int8", "i4": "int8",
         "i1": "int8"}
#: Differences that are meant (docs/Decisions/2026-11-21-nan-in-maximum.md), and what MLIR leaves
#: open.
MEANT = re.compile("return the operand that is not NaN|divides by zero|shifts by")
GATHERS = re.compile(r"tensor\.(extract|gather)|gather")
DATA = re.compile(r"^// data (\d+)(?:: (\w+) ([\dx]*)| at (\d+): (\S+))$", re.MULTILINE)
FOUND = re.compile(r"found (\S+), expected ([^\s;]+)")
OPERATION = re.compile(r"\b(?:arith|math|linalg|tensor|tcp)\.\w+")
#: Operations that compute nothing.
MOVES = {"linalg.yield", "linalg.fill", "tensor.empty", "arith.constant", "linalg.index"}
#: Most elements of an argument, and most that are not one.
MOST = 65536
LINES = 96


def element_wise(random: Random, count: int) -> str:
    """A program of operations on elements, on up to three arguments of one type."""
    kind = random.choice(["f32", "f32", "bf16", "i32", "i8"])
    is_float = kind not in ("i32", "i8")
    shape = random.choice(["16", "4x8", "3x5", "2x3x4", "128"])
    tensor = f"tensor<{shape}x{kind}>"
    binary = ["arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf",
              "arith.minimumf", "arith.maxnumf", "arith.minnumf"] if is_float else [
        "arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi", "arith.andi",
        "arith.ori", "arith.xori", "arith.shli", "arith.shrsi", "arith.divsi", "arith.remsi"]
    unary = ["math.exp", "math.exp2", "math.log", "math.log2", "math.sqrt", "math.rsqrt", "math.tanh",
             "math.absf", "arith.negf", "math.erf", "math.sin", "math.cos", "math.floor",
             "math.ceil", "math.roundeven"] if is_float else ["math.absi"]
    values = [f"%e{i}" for i in range(count)]
    lines = []
    for number in range(random.randint(1, 4)):
        new = f"%v{number}"
        if random.random() < 0.55:
            operation = random.choice(binary)
            a, b = random.choice(values), random.choice(values)
            lines.append(f"{new} = {operation} {a}, {b} : {kind}")
        elif random.random() < 0.2:
            relation = random.choice(["olt", "oge", "une", "ord", "ueq"] if is_float
                                     else ["slt", "sge", "eq", "ult"])
            a, b = random.choice(values), random.choice(values)
            lines.append(f"%c{number} = arith.cmp{'f' if is_float else 'i'} {relation}, {a}, {b} : "
                         f"{kind}")
            lines.append(f"{new} = arith.select %c{number}, {a}, {b} : {kind}")
        else:
            lines.append(f"{new} = {random.choice(unary)} {random.choice(values)} : {kind}")
        values.append(new)
    arguments = ", ".join(f"%a{i}: {tensor}" for i in range(count))
    names = ", ".join(f"%a{i}" for i in range(count))
    types = ", ".join([tensor] * count)
    elements = ", ".join(f"%e{i}: {kind}" for i in range(count))
    body = "\n    ".join(lines)
    return f"""func.func @main({arguments}) -> {tensor} {{
  %empty = tensor.empty() : {tensor}
  %r = linalg.map ins({names} : {types}) outs(%empty : {tensor})
    ({elements}, %old: {kind}) {{
    {body}
    linalg.yield {values[-1]} : {kind}
  }}
  return %r : {tensor}
}}"""


def lookup(random: Random) -> str:
    """A program that takes elements or rows by indices that are data."""
    rows, columns, count = random.choice([1, 2, 7, 16]), random.choice([1, 4, 16]), 8
    kind = random.choice(["f32", "bf16", "i32", "i8"])
    return f"""#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%t: tensor<{rows}x{columns}x{kind}>, %p: tensor<{count}xi32>) -> tensor<{count}x{columns}x{kind}> {{
  %empty = tensor.empty() : tensor<{count}x{columns}x{kind}>
  %r = linalg.generic {{indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}}
    ins(%p : tensor<{count}xi32>) outs(%empty : tensor<{count}x{columns}x{kind}>) {{
  ^bb0(%i: i32, %old: {kind}):
    %at = arith.index_cast %i : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%at, %j] : tensor<{rows}x{columns}x{kind}>
    linalg.yield %v : {kind}
  }} -> tensor<{count}x{columns}x{kind}>
  return %r : tensor<{count}x{columns}x{kind}>
}}"""


def product(random: Random) -> str:
    """A matrix product."""
    kind, total = random.choice([("f32", "f32"), ("bf16", "f32"), ("f16", "f32"), ("i8", "i32"),
                                 ("i32", "i32"), ("bf16", "bf16"), ("f16", "f16")])
    m, k, n = (random.choice([1, 2, 3, 8, 16]) for _ in range(3))
    return f"""func.func @main(%a: tensor<{m}x{k}x{kind}>, %b: tensor<{k}x{n}x{kind}>) -> tensor<{m}x{n}x{total}> {{
  %zero = arith.constant {'0' if total == 'i32' else '0.0'} : {total}
  %empty = tensor.empty() : tensor<{m}x{n}x{total}>
  %init = linalg.fill ins(%zero : {total}) outs(%empty : tensor<{m}x{n}x{total}>) -> tensor<{m}x{n}x{total}>
  %r = linalg.matmul ins(%a, %b : tensor<{m}x{k}x{kind}>, tensor<{k}x{n}x{kind}>) outs(%init : tensor<{m}x{n}x{total}>) -> tensor<{m}x{n}x{total}>
  return %r : tensor<{m}x{n}x{total}>
}}"""


def class_of(number: str) -> str:
    """What a message's number is."""
    word = number.strip("-,")
    return word if word in ("inf", "nan") else "a number"


def arrays_of(text: str) -> dict[int, np.ndarray]:
    """The data that a program's comments say."""
    found: dict[int, np.ndarray] = {}
    for argument, dtype, shape, at, value in DATA.findall(text):
        if dtype:
            sizes = [int(size) for size in shape.split("x") if size]
            found[int(argument)] = np.ones(sizes, dtype)
        elif int(argument) in found:
            array = found[int(argument)].reshape(-1)
            if int(at) < array.size:
                array[int(at)] = np.float32(value) if array.dtype.kind == "f" else int(value)
    return found


def files(text: str) -> dict[str, bytes]:
    """The program and its data."""
    written = {"program.mlir": text.encode("utf-8", "replace")}
    for number, array in arrays_of(text).items():
        stream = io.BytesIO()
        np.save(stream, array)
        written[f"{number}.npy"] = stream.getvalue()
    return written


class ValuesKind(Kind):
    """Programs of the tests and random ones with data that are hard, with --verify."""

    name = "values"

    def __init__(self, programs: Programs):
        super().__init__(programs)
        corpus = mlir_programs()
        self.corpus = {"linalg": corpus["linalg"], "tcp": corpus["tcp"]}
        self.known: dict[str, list[tuple[str, list[int]]] | None] = {}

    def arguments_of(self, text: str, flags: tuple[str, ...]) -> list[tuple[str, list[int]]] | None:
        """Element types and shapes of a program's arguments; None if it does not compile, or
        has none."""
        if text not in self.known:
            path = self.directory / "asked.mlir"
            path.write_text(text)
            run = self.programs.get("sequin-run").run(
                ["asked.mlir", *flags, "--max-steps", "1000000"], b"", self.directory)
            found = TAKES.search(run.errors)
            self.known[text] = found and [
                (kind, [int(size) for size in shape.split(",") if size.strip()])
                for kind, shape in ARGUMENT.findall(found[1])] or None
        return self.known[text]

    def make(self, random: Random) -> Input:
        for _ in range(20):
            way = random.randrange(10)
            flags: tuple[str, ...] = ("--target", "rngd")
            if way < 3:
                text = random.choice(self.corpus["linalg"])
            elif way < 5:
                text, flags = random.choice(self.corpus["tcp"]), ()
            elif way < 8:
                text = element_wise(random, random.randint(1, 3))
            elif way < 9:
                text = lookup(random)
            else:
                text = product(random)
            arguments = self.arguments_of(text, flags)
            if arguments and all(kind in FILES and math.prod(shape) <= MOST
                                 for kind, shape in arguments):
                break
        else:
            text, arguments = lookup(random), []
        lines = [text]
        hard, is_simple = random.random(), "linalg.map ins(%a0" in text
        for number, (kind, shape) in enumerate(arguments or []):
            size = math.prod(shape)
            lines.append(f"// data {number}: {FILES[kind]} {'x'.join(map(str, shape))}")
            lines += [f"// data {number} at {i}: {self.value(random, kind, hard, is_simple)}"
                      for i in random.sample(range(size), min(size, LINES))]
        named = [word for number in range(len(arguments or []))
                 for word in ("--input", f"{number}.npy")]
        return Input("sequin-run", ("program.mlir", *flags, *named, "--verify", "--max-steps",
                                    "5000000"),
                     "\n".join(lines) + "\n", files=files, check=self.compare, cuts=(lines_of,))

    @staticmethod
    def value(random: Random, kind: str, hard: float, is_element_wise: bool) -> str:
        """An element, of the type's hard ones more or less often."""
        rare = random.random() < hard * 0.5
        if kind == "i1":
            return str(random.randrange(2))
        if kind.startswith("i"):
            bits = int(kind[1:])
            value = random.choice(INTEGERS) if rare else random.randint(-4, 8)
            return str(max(-2**(bits - 1), min(2**(bits - 1) - 1, value)))
        if rare and is_element_wise and random.random() < 0.1:
            return random.choice(LARGEST)
        return random.choice(FLOATS) if rare else str(random.randint(-8, 8))

    def compare(self, subject: Input, run: Run) -> str:
        """Whether the program gives something else than it means, and would not have said so."""
        if run.code == 3 and not GATHERS.search(subject.text) and "tcp." not in subject.text:
            return f"trap: {last_line(run.errors)}"
        if run.code == 0:
            return self.outside(subject)
        if run.code != 1 or MEANT.search(run.errors):
            return ""
        # Without the comparison it is either refused too or has said nothing.
        arguments = tuple(a for a in subject.arguments if a != "--verify")
        again = self.run(Input(subject.tool, arguments, subject.text, files=files))
        if again.code != 0:
            return ""
        error = next((line for line in run.errors.splitlines() if "error:" in line), "")
        kinds = FOUND.search(error)
        what = error.split("error:")[-1].strip()[:60] if kinds is None else (
            f"found {class_of(kinds[1])}, expected {class_of(kinds[2])}")
        operations = sorted(set(OPERATION.findall(subject.text)) - MOVES)
        return f"silent difference: {what} in {' '.join(operations)}"

    @staticmethod
    def outside(subject: Input) -> str:
        """Of lookups: an index that is not in the table must not pass."""
        if "%t[%at, %j]" not in subject.text:
            return ""
        arrays = arrays_of(subject.text)
        if 0 in arrays and 1 in arrays and arrays[0].ndim == 2 and (
                (arrays[1] < 0) | (arrays[1] >= arrays[0].shape[0])).any():
            return "silent difference: an index out of range is taken"
        return ""
