# ===- programs.py - Random linalg programs -------------------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Draws programs of linalg and tensor operations whose results are exact.

All data are integers. Every value carries a bound of its magnitude, and an
operation is drawn only if no sum, in any order, leaves the integers that its
type holds exactly. So two right compilers agree on every bit, whatever order
they add in. Rounding happens in one place alone, f32 to bf16, and is fully
defined there.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from bodies import FLOATS, LIMIT, Body, Scalar, Unsuitable, number
from elements import Array, TensorType

SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 23, 31, 32, 33, 40, 48, 61, 64]
MAX_ELEMENTS = 20_000
#: Iterations of one contraction's loop nest.
MAX_ITERATIONS = 400_000
#: Type of sums of products.
ACCUMULATOR = {"f32": "f32", "bf16": "f32", "i8": "i32"}


@dataclass
class Value:
    name: str
    type: TensorType
    bound: int
    uses: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.shape

    @property
    def element(self) -> str:
        return self.type.element


def vector(values: tuple[int, ...] | list[int]) -> str:
    return f"dense<[{', '.join(map(str, values))}]> : vector<{len(values)}xi64>"


@dataclass
class Program:
    """A program under construction; `draw` decides everything."""

    draw: random.Random
    arguments: list[Value] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    operations: list[str] = field(default_factory=list)
    counter: int = 0

    # Values.

    def fresh(self) -> str:
        self.counter += 1
        return f"%{self.counter}"

    def argument(self, shape: tuple[int, ...], element: str, bound: int) -> Value:
        value = Value(f"%arg{len(self.arguments)}", TensorType(shape, element), bound)
        self.arguments.append(value)
        return value

    def emit(self, text: str, shape: tuple[int, ...], element: str, bound: int) -> Value:
        """One operation with one result; `text` is what follows the equals sign."""
        if math.prod(shape) > MAX_ELEMENTS or bound > LIMIT[element]:
            raise Unsuitable
        value = Value(self.fresh(), TensorType(shape, element), bound)
        self.lines.append(f"{value.name} = {text}")
        return value

    def constant(self, value: int, element: str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = arith.constant {number(value, element)} : {element}")
        return name

    def empty(self, shape: tuple[int, ...], element: str) -> Value:
        return self.emit(f"tensor.empty() : {TensorType(shape, element)}", shape, element, 0)

    def filled(self, shape: tuple[int, ...], element: str, value: int | str) -> Value:
        """`value` may be the text of a float constant, such as -inf's bits."""
        out = self.empty(shape, element)
        if isinstance(value, str):
            name = self.fresh()
            self.lines.append(f"{name} = arith.constant {value} : {element}")
            bound = 0
        else:
            name, bound = self.constant(value, element), abs(value)
        return self.emit(f"linalg.fill ins({name} : {element}) outs({out.name} : {out.type}) "
                         f"-> {out.type}", shape, element, bound)

    def pick(self, wanted: Callable[[Value], bool] = lambda value: True) -> Value:
        """A value there is, late ones and unused ones more often."""
        found = [value for value in self.values if wanted(value)]
        if not found:
            raise Unsuitable
        weights = [(2 + index) * (4 if value.uses == 0 else 1)
                   for index, value in enumerate(found)]
        return self.draw.choices(found, weights)[0]

    def size(self, limit: int = 64) -> int:
        return self.draw.choice([n for n in SIZES if n <= max(limit, 1)])

    def operand(self, shape: tuple[int, ...], element: str, bound: int) -> Value:
        """A value of this type, existing or a new argument."""
        found = [v for v in self.values if v.type == TensorType(shape, element)
                 and v.bound <= bound]
        if found and self.draw.random() < 0.6:
            return self.draw.choice(found)
        return self.argument(shape, element, min(bound, self.draw.choice([1, 2, 4, 8])))

    def initial(self, shape: tuple[int, ...], element: str) -> Value:
        """What a sum starts from: zero, another constant or a tensor."""
        kind = self.draw.random()
        if kind < 0.6:
            return self.filled(shape, element, 0)
        if kind < 0.7:
            return self.filled(shape, element, self.draw.randint(-5, 5))
        return self.operand(shape, element, 1000)

    # The text of the whole program.

    def text(self) -> str:
        """All values that nothing uses are results, the last four at most."""
        self.arguments = [v for v in self.arguments if v.uses > 0]
        leaves = [v for v in self.values if v.uses == 0 and not v.name.startswith("%arg")][-4:]
        arguments = ", ".join(f"{v.name}: {v.type}" for v in self.arguments)
        types = ", ".join(str(v.type) for v in leaves)
        body = "\n".join(f"  {line}" for line in self.lines)
        names = ", ".join(v.name for v in leaves)
        return (f"// {len(self.operations)} operations: {', '.join(self.operations)}\n"
                f"func.func @main({arguments}) -> ({types}) {{\n{body}\n"
                f"  return {names} : {types}\n}}\n")

    def inputs(self, seed: list[int]) -> list[Array]:
        state = np.random.default_rng(seed)
        kinds = {"i8": np.int8, "i32": np.int32}
        return [state.integers(-v.bound, v.bound + 1, v.shape)
                .astype(kinds.get(v.element, np.float32)) for v in self.arguments]


# Contractions.


def product_bound(left: Value, right: Value, summands: int, start: Value, element: str) -> int:
    bound = left.bound * right.bound * summands + start.bound
    if bound > LIMIT[element]:
        raise Unsuitable
    return bound


def factor_bound(left: Value, summands: int, element: str) -> int:
    """How large the other factor may be."""
    room = (LIMIT[element] - 1000) // max(1, left.bound * summands)
    if room < 1:
        raise Unsuitable
    return min(room, 16)


def contraction(p: Program) -> Value:
    """matmul, batch_matmul, matvec or vecmat."""
    left = p.pick(lambda v: v.element in ACCUMULATOR and 1 <= len(v.shape) <= 3)
    total, element, shape = ACCUMULATOR[left.element], left.element, left.shape
    if len(shape) == 1:
        name, right_shape, result = "vecmat", (shape[0], p.size()), None
        result = (right_shape[1],)
    elif len(shape) == 2 and p.draw.random() < 0.3:
        name, right_shape, result = "matvec", (shape[1],), (shape[0],)
    elif len(shape) == 2:
        right_shape = (shape[1], p.size())
        name, result = "matmul", (shape[0], right_shape[1])
    else:
        right_shape = (shape[0], shape[2], p.size(33))
        name, result = "batch_matmul", (shape[0], shape[1], right_shape[2])
    if math.prod(result) * shape[-1] > MAX_ITERATIONS or math.prod(result) > MAX_ELEMENTS:
        raise Unsuitable
    right = p.operand(right_shape, element, factor_bound(left, shape[-1], total))
    start = p.initial(result, total)
    bound = product_bound(left, right, shape[-1], start, total)
    for value in (left, right, start):
        value.uses += 1
    p.operations.append(name)
    return p.emit(f"linalg.{name} ins({left.name}, {right.name} : {left.type}, {right.type}) "
                  f"outs({start.name} : {start.type}) -> {start.type}", result, total, bound)


def einsum(p: Program) -> Value:
    """A contraction as linalg.generic, with operands in any order of dimensions."""
    left = p.pick(lambda v: v.element in ACCUMULATOR and 2 <= len(v.shape) <= 3)
    total, element = ACCUMULATOR[left.element], left.element
    axes = [f"d{i}" for i in range(len(left.shape))]
    sizes = dict(zip(axes, left.shape))
    shared = p.draw.sample(axes, p.draw.randint(1, len(axes)))
    summed = shared[: p.draw.randint(1, len(shared))]
    right_axes = [*shared]
    if p.draw.random() < 0.7:
        extra = f"d{len(axes)}"
        sizes[extra] = p.size(24)
        right_axes.append(extra)
    p.draw.shuffle(right_axes)
    result_axes = [a for a in sizes if a not in summed]
    p.draw.shuffle(result_axes)
    result = tuple(sizes[a] for a in result_axes)
    if math.prod(sizes.values()) > MAX_ITERATIONS or math.prod(result) > MAX_ELEMENTS:
        raise Unsuitable
    summands = math.prod(sizes[a] for a in summed)
    right = p.operand(tuple(sizes[a] for a in right_axes), element,
                      factor_bound(left, summands, total))
    start = p.initial(result, total)
    bound = product_bound(left, right, summands, start, total)
    loops = ", ".join(sizes)
    maps = ", ".join(f"affine_map<({loops}) -> ({', '.join(word)})>"
                     for word in (axes, right_axes, result_axes))
    kinds = ", ".join('"reduction"' if a in summed else '"parallel"' for a in sizes)
    widen = {"bf16": "arith.extf", "i8": "arith.extsi"}.get(element)
    body, names = [], ["%a", "%b"]
    if widen:
        body = [f"    %{n}w = {widen} %{n} : {element} to {total}" for n in "ab"]
        names = ["%aw", "%bw"]
    letter = "f" if total in FLOATS else "i"
    body += [f"    %m = arith.mul{letter} {', '.join(names)} : {total}",
             f"    %s = arith.add{letter} {p.draw.choice(['%o, %m', '%m, %o'])} : {total}",
             f"    linalg.yield %s : {total}"]
    for value in (left, right, start):
        value.uses += 1
    p.operations.append("generic contraction")
    return p.emit("\n".join([
        f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
        f"ins({left.name}, {right.name} : {left.type}, {right.type}) "
        f"outs({start.name} : {start.type}) {{",
        f"  ^bb0(%a: {element}, %b: {element}, %o: {total}):", *body,
        f"  }} -> {start.type}"]), result, total, bound)


def window_attributes(p: Program, height: int, width: int, limit: int
                      ) -> tuple[tuple[int, int], str, tuple[int, int]]:
    """Window, attributes and output size of a convolution or pooling."""
    window = (p.draw.randint(1, min(limit, height)), p.draw.randint(1, min(limit, width)))
    strides = (p.draw.randint(1, 3), p.draw.randint(1, 3))
    dilations = tuple(p.draw.randint(1, 2) if 2 * (w - 1) + 1 <= n else 1
                      for w, n in zip(window, (height, width)))
    out = tuple((n - (w - 1) * d - 1) // s + 1
                for n, w, d, s in zip((height, width), window, dilations, strides))
    text = f"{{dilations = {vector(dilations)}, strides = {vector(strides)}}}"
    return window, text, (out[0], out[1])


def convolution(p: Program) -> Value:
    image = p.pick(lambda v: v.element in ACCUMULATOR and len(v.shape) == 4)
    total, channels_last = ACCUMULATOR[image.element], p.draw.random() < 0.5
    n, a, b, c = image.shape
    (channels, height, width) = (c, a, b) if channels_last else (a, b, c)
    window, attributes, (oh, ow) = window_attributes(p, height, width, 3)
    filters = p.size(9)
    summands = channels * window[0] * window[1]
    if n * oh * ow * filters * summands > MAX_ITERATIONS:
        raise Unsuitable
    if channels_last:
        name, shape, result = "conv_2d_nhwc_hwcf", (*window, channels, filters), (n, oh, ow, filters)
    else:
        name, shape, result = "conv_2d_nchw_fchw", (filters, channels, *window), (n, filters, oh, ow)
    weights = p.operand(shape, image.element, factor_bound(image, summands, total))
    start = p.initial(result, total)
    bound = product_bound(image, weights, summands, start, total)
    for value in (image, weights, start):
        value.uses += 1
    p.operations.append(name)
    return p.emit(f"linalg.{name} {attributes} ins({image.name}, {weights.name} : {image.type}, "
                  f"{weights.type}) outs({start.name} : {start.type}) -> {start.type}",
                  result, total, bound)


# Reductions.


def pooling(p: Program) -> Value:
    image = p.pick(lambda v: len(v.shape) == 4 and v.element in ("f32", "i32"))
    n, a, b, c = image.shape
    kind = p.draw.choice(["nchw_max", "nchw_sum", "nhwc_max", "nhwc_sum", "nhwc_min"])
    height, width = (a, b) if "nhwc" in kind else (b, c)
    window, attributes, (oh, ow) = window_attributes(p, height, width, 3)
    result = (n, oh, ow, c) if "nhwc" in kind else (n, a, oh, ow)
    bound = image.bound
    if "sum" in kind:
        start = p.initial(result, image.element)
        bound = image.bound * window[0] * window[1] + start.bound
    else:
        low = "max" in kind
        start = p.filled(result, image.element, neutral(image.element, low))
    if bound > LIMIT[image.element]:
        raise Unsuitable
    mask = p.empty(window, image.element)
    for value in (image, start):
        value.uses += 1
    p.operations.append(f"pooling_{kind}")
    return p.emit(f"linalg.pooling_{kind} {attributes} ins({image.name}, {mask.name} : "
                  f"{image.type}, {mask.type}) outs({start.name} : {start.type}) -> {start.type}",
                  result, image.element, bound)


def neutral(element: str, of_maximum: bool) -> str:
    if element in FLOATS:
        return "0xFF800000" if of_maximum else "0x7F800000"
    return str(-2**31 if of_maximum else 2**31 - 1)


def reduction(p: Program) -> Value:
    source = p.pick(lambda v: v.element in ("f32", "i32") and len(v.shape) >= 1)
    rank, element = len(source.shape), source.element
    dimensions = sorted(p.draw.sample(range(rank), p.draw.randint(1, rank)))
    result = tuple(n for i, n in enumerate(source.shape) if i not in dimensions)
    kind = p.draw.choice(["add", "max", "min"])
    bound = source.bound
    if kind == "add":
        start = p.initial(result, element)
        bound = bound * math.prod(source.shape[i] for i in dimensions) + start.bound
        operation = "arith.addf" if element in FLOATS else "arith.addi"
    else:
        start = p.filled(result, element, neutral(element, kind == "max"))
        operation = f"arith.{kind}{'imumf' if element in FLOATS else 'si'}"
    if bound > LIMIT[element]:
        raise Unsuitable
    for value in (source, start):
        value.uses += 1
    p.operations.append(f"reduce {kind}")
    return p.emit(f"linalg.reduce {{ {operation} }} ins({source.name} : {source.type}) "
                  f"outs({start.name} : {start.type}) dimensions = {dimensions}",
                  result, element, bound)


# Moving elements.


def transpose(p: Program) -> Value:
    source = p.pick(lambda v: len(v.shape) >= 2)
    order = p.draw.sample(range(len(source.shape)), len(source.shape))
    shape = tuple(source.shape[i] for i in order)
    out = p.empty(shape, source.element)
    source.uses += 1
    p.operations.append("transpose")
    return p.emit(f"linalg.transpose ins({source.name} : {source.type}) outs({out.name} : "
                  f"{out.type}) permutation = {order}", shape, source.element, source.bound)


def broadcast(p: Program) -> Value:
    source = p.pick(lambda v: len(v.shape) <= 3)
    rank = len(source.shape) + p.draw.randint(1, 4 - len(source.shape))
    dimensions = sorted(p.draw.sample(range(rank), rank - len(source.shape)))
    sizes = iter(source.shape)
    shape = tuple(p.size(12) if i in dimensions else next(sizes) for i in range(rank))
    out = p.empty(shape, source.element)
    source.uses += 1
    p.operations.append("broadcast")
    return p.emit(f"linalg.broadcast ins({source.name} : {source.type}) outs({out.name} : "
                  f"{out.type}) dimensions = {dimensions}", shape, source.element, source.bound)


def pad(p: Program) -> Value:
    source = p.pick(lambda v: len(v.shape) >= 1)
    rank, fill = len(source.shape), p.draw.choice([0, 0, -3, 7])
    low = [p.draw.choice([0, 0, 1, 2]) for _ in range(rank)]
    high = [p.draw.choice([0, 1, 1, 3]) for _ in range(rank)]
    shape = tuple(a + n + b for a, n, b in zip(low, source.shape, high))
    value = p.constant(fill, source.element)
    blocks = ", ".join(f"%i{i}: index" for i in range(rank))
    source.uses += 1
    p.operations.append("pad")
    result = TensorType(shape, source.element)
    return p.emit(f"tensor.pad {source.name} low{low} high{high} {{\n  ^bb0({blocks}):\n"
                  f"    tensor.yield {value} : {source.element}\n  }} : {source.type} to {result}",
                  shape, source.element, max(source.bound, abs(fill)))


def draw_slice(p: Program, shape: tuple[int, ...]) -> tuple[list[int], list[int], list[int]]:
    """Offsets, sizes and strides within a shape."""
    offsets, sizes, strides = [], [], []
    for n in shape:
        stride = p.draw.choice([1, 1, 1, 2, 3])
        offset = p.draw.choice([0, p.draw.randrange(n)])
        most = (n - offset - 1) // stride + 1
        offsets.append(offset)
        sizes.append(p.draw.choice([most, p.draw.randint(1, most)]))
        strides.append(stride)
    return offsets, sizes, strides


def extract_slice(p: Program) -> Value:
    source = p.pick(lambda v: len(v.shape) >= 1 and math.prod(v.shape) > 1)
    offsets, sizes, strides = draw_slice(p, source.shape)
    result = TensorType(tuple(sizes), source.element)
    source.uses += 1
    p.operations.append("extract_slice")
    return p.emit(f"tensor.extract_slice {source.name}{offsets} {sizes} {strides} : "
                  f"{source.type} to {result}", tuple(sizes), source.element, source.bound)


def insert_slice(p: Program) -> Value:
    target = p.pick(lambda v: len(v.shape) >= 1)
    offsets, sizes, strides = draw_slice(p, target.shape)
    source = p.operand(tuple(sizes), target.element, LIMIT[target.element])
    for value in (source, target):
        value.uses += 1
    p.operations.append("insert_slice")
    return p.emit(f"tensor.insert_slice {source.name} into {target.name}{offsets} {sizes} "
                  f"{strides} : {source.type} into {target.type}", target.shape, target.element,
                  max(source.bound, target.bound))


def concat(p: Program) -> Value:
    first = p.pick(lambda v: len(v.shape) >= 1)
    dimension = p.draw.randrange(len(first.shape))
    parts = [first]
    for _ in range(p.draw.randint(1, 2)):
        shape = list(first.shape)
        shape[dimension] = p.size(17)
        parts.append(p.operand(tuple(shape), first.element, LIMIT[first.element]))
    shape = list(first.shape)
    shape[dimension] = sum(v.shape[dimension] for v in parts)
    result = TensorType(tuple(shape), first.element)
    for value in parts:
        value.uses += 1
    p.operations.append("concat")
    return p.emit(f"tensor.concat dim({dimension}) {', '.join(v.name for v in parts)} : "
                  f"({', '.join(str(v.type) for v in parts)}) -> {result}",
                  tuple(shape), first.element, max(v.bound for v in parts))


def collapse(p: Program) -> Value:
    source = p.pick(lambda v: len(v.shape) >= 2)
    rank = len(source.shape)
    cuts = sorted(p.draw.sample(range(1, rank), p.draw.randint(0, rank - 2)))
    groups = [list(range(a, b)) for a, b in zip([0, *cuts], [*cuts, rank])]
    shape = tuple(math.prod(source.shape[i] for i in group) for group in groups)
    source.uses += 1
    p.operations.append("collapse_shape")
    return p.emit(f"tensor.collapse_shape {source.name} {groups} : {source.type} into "
                  f"{TensorType(shape, source.element)}", shape, source.element, source.bound)


def expand(p: Program) -> Value:
    source = p.pick(lambda v: 1 <= len(v.shape) <= 3)
    groups, shape = [], []
    for size in source.shape:
        parts = [size]
        if p.draw.random() < 0.7 and len(shape) < 4:
            divisor = p.draw.choice([d for d in range(1, size + 1) if size % d == 0])
            parts = [divisor, size // divisor]
        groups.append(list(range(len(shape), len(shape) + len(parts))))
        shape += parts
    if len(shape) > 5:
        raise Unsuitable
    source.uses += 1
    p.operations.append("expand_shape")
    return p.emit(f"tensor.expand_shape {source.name} {groups} output_shape {shape} : "
                  f"{source.type} into {TensorType(tuple(shape), source.element)}",
                  tuple(shape), source.element, source.bound)


# Elementwise.


def named(p: Program) -> Value:
    """A named operation of two tensors of one type."""
    left = p.pick(lambda v: v.element in ("f32", "i32"))
    right = p.operand(left.shape, left.element, 1000)
    name = p.draw.choice(["add", "sub", "mul", "max", "min"])
    bound = {"add": left.bound + right.bound, "sub": left.bound + right.bound,
             "mul": left.bound * right.bound}.get(name, max(left.bound, right.bound))
    if bound > LIMIT[left.element] // 4:
        raise Unsuitable
    out = p.empty(left.shape, left.element)
    for value in (left, right):
        value.uses += 1
    p.operations.append(name)
    return p.emit(f"linalg.{name} ins({left.name}, {right.name} : {left.type}, {right.type}) "
                  f"outs({out.name} : {out.type}) -> {out.type}",
                  left.shape, left.element, bound)


def elementwise(p: Program) -> Value:
    """A generic with up to three inputs, each a permuted part of the loops."""
    first = p.pick()
    rank = len(first.shape)
    loops = [f"d{i}" for i in range(rank)]
    sizes = dict(zip(loops, first.shape))
    wide = "f32" if first.element in FLOATS else "i32"
    inputs, maps = [first], [[*loops]]
    for _ in range(p.draw.choice([0, 0, 1, 1, 2])):
        axes = p.draw.choice([[*loops], p.draw.sample(loops, p.draw.randint(0, rank))])
        if axes and p.draw.random() < 0.15:
            # A dimension of size 1, kept by an earlier reduction, say.
            axes[p.draw.randrange(len(axes))] = "0"
        element = p.draw.choice(["f32", "f32", "bf16"] if wide == "f32" else ["i32", "i32", "i8"])
        inputs.append(p.operand(tuple(sizes.get(a, 1) for a in axes), element, 1000))
        maps.append(axes)
    out_axes = [*loops] if p.draw.random() < 0.75 else p.draw.sample(loops, rank)
    shape = tuple(sizes[a] for a in out_axes)
    element = p.draw.choice(["f32", "f32", "bf16", "bf16", "i32"] if wide == "f32" else
                            ["i32", "i32", "i8", "i8", "f32"])
    body = Body(p.draw)
    for index, value in enumerate(inputs):
        body.values.append(body.widened(Scalar(f"%a{index}", value.element, value.bound)))
    if element == wide and p.draw.random() < 0.2:
        # The old value of the result takes part.
        out = p.operand(shape, element, 1000)
        body.values.append(Scalar("%o", element, out.bound))
    else:
        out = p.empty(shape, element)
    for _ in range(p.draw.randint(1, 6)):
        body.values.append(body.step(wide))
    last = body.cast(body.joined(wide), element)
    if last.bound > LIMIT[element]:
        raise Unsuitable
    texts = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(axes)})>"
                      for axes in [*maps, out_axes])
    kinds = ", ".join(['"parallel"'] * rank)
    for value in [*inputs, out]:
        value.uses += 1
    p.operations.append(f"generic of {len(body.lines)}")
    block = ", ".join([f"%a{i}: {v.element}" for i, v in enumerate(inputs)] + [f"%o: {element}"])
    return p.emit("\n".join([
        f"linalg.generic {{indexing_maps = [{texts}], iterator_types = [{kinds}]}} "
        f"ins({', '.join(v.name for v in inputs)} : {', '.join(str(v.type) for v in inputs)}) "
        f"outs({out.name} : {out.type}) {{",
        f"  ^bb0({block}):", *body.lines,
        f"    linalg.yield {last.name} : {element}", f"  }} -> {out.type}"]),
        shape, element, last.bound)


OPERATIONS: dict[Callable[[Program], Value], float] = {
    contraction: 4, einsum: 2, convolution: 4, pooling: 2, reduction: 2, transpose: 1.5,
    broadcast: 1, pad: 1, extract_slice: 1, insert_slice: 1, concat: 1, collapse: 1, expand: 1,
    elementwise: 6, named: 1,
}


def draw_program(draw: random.Random) -> Program:
    """Two to twenty operations."""
    program = Program(draw)
    for _ in range(draw.randint(1, 3)):
        rank = draw.choice([1, 2, 2, 3, 4, 4])
        limit = {1: 64, 2: 64, 3: 24, 4: 13}[rank]
        shape = tuple(program.size(limit) for _ in range(rank))
        if math.prod(shape) <= MAX_ELEMENTS:
            element = draw.choice(["f32", "bf16", "bf16", "i8", "i8", "i32"])
            program.values.append(program.argument(shape, element, draw.choice([2, 4, 8])))
    if not program.values:
        program.values.append(program.argument((16, 32), "bf16", 4))
    wanted = draw.randint(2, 20)
    while len(program.operations) < wanted:
        # What a refused drawing has added is taken back.
        state = (len(program.lines), len(program.arguments), program.counter,
                 len(program.operations), [v.uses for v in program.values])
        operation = draw.choices(list(OPERATIONS), list(OPERATIONS.values()))[0]
        try:
            program.values.append(operation(program))
        except Unsuitable:
            del program.lines[state[0]:], program.arguments[state[1]:]
            program.counter = state[2]
            del program.operations[state[3]:]
            for value, uses in zip(program.values, state[4]):
                value.uses = uses
    return program
