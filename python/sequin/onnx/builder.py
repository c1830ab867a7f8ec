# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module of linalg on tensors as text.

A Tensor is what an ONNX value has become: known numbers, or the result of an operation.
A Builder writes operations, each with the name of the node it is for as its location.
Numbers get into the text only if they are few or all the same; others are arguments.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .body import Body, Scalar, float_text
from .types import BOOL, FLOAT32, INT64, ElementType, Range, narrowed, widened

__all__ = ["Argument", "Builder", "Operand", "Tensor", "broadcast_shapes", "loops"]

Array = NDArray[Any]
Shape = tuple[int, ...]
Code = Callable[..., Any]

#: Known numbers of more elements than these are arguments, unless all are the same.
MOST_IN_TEXT = 16


@dataclass(eq=False)
class Tensor:
    """A value of the model."""

    kind: ElementType
    shape: Shape
    ssa: str = ""
    """Its name in the module; empty while it is known numbers only."""
    data: Array | None = None
    """Its numbers (or their bits) where they are known."""
    range: Range | None = None
    """Of integers: the least and the greatest that there may be."""
    name: str = ""
    """For messages, and for the argument it may become."""
    weight: bool = False
    """An initializer: never text, unless it is a single number."""
    _same: bool | None = None
    """Whether all known numbers are the same, once that was looked at."""

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def type(self) -> str:
        """The type in the module."""
        return tensor_type(self.shape, self.kind)

    @property
    def bounds(self) -> Range:
        """The range of integers and truth values."""
        if self.range is not None:
            return self.range
        if self.data is not None and self.data.size:
            self.range = (int(self.data.min()), int(self.data.max()))
            return self.range
        return self.kind.passed_range

    @property
    def splat(self) -> float | int | None:
        """The one number of all elements, where they are known to be the same."""
        data = self.data
        if data is None or data.size == 0 or (self.weight and data.size > 1):
            return None
        if self._same is None:
            first = data[(0,) * data.ndim]
            last = data[(-1,) * data.ndim]
            self._same = not any(data.strides) or bool(first == last and (data == first).all())
        if not self._same and data.size > 1:
            return None
        number = widened(np.asarray(data[(0,) * data.ndim]).reshape(1), self.kind)[0]
        return float(number) if self.kind.is_float else int(number)


#: An operand of a generic and, for each of its dimensions, an index.
Operand = tuple[Tensor, Sequence[str]]


@dataclass
class Argument:
    """An argument of the function."""

    tensor: Tensor
    ssa: str
    array: Array | None
    """As the machine takes it; None for an input of the model."""


def tensor_type(shape: Sequence[int], kind: ElementType) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{kind.stored}>"


def loops(count: int) -> list[str]:
    """The first `count` loops as indices."""
    return [f"d{i}" for i in range(count)]


def broadcast_shapes(shapes: Sequence[Shape]) -> Shape | None:
    """The shape of all together by ONNX's rules, which are NumPy's; None if none."""
    rank = max(map(len, shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, rank - len(shape)):
            if result[axis] == 1:
                result[axis] = size
            elif size not in (1, result[axis]):
                return None
    return tuple(result)


@dataclass
class Builder:
    """Writes the body of the function `main`."""

    lines: list[str] = field(default_factory=list)
    arguments: list[Argument] = field(default_factory=list)
    location: str = ""
    """The name of the node that operations are for."""
    operators: dict[str, str] = field(default_factory=dict)
    """The operators of nodes by their names."""
    names: set[str] = field(default_factory=set)
    macs: dict[str, int] = field(default_factory=dict)
    """Multiply-accumulates of each location."""
    _count: int = 0
    _maps: dict[str, str] = field(default_factory=dict)

    # ===--- Names and text ------------------------------------------------=== #

    def _name(self, wanted: str) -> str:
        """A name for an argument that nothing else has."""
        base = re.sub(r"[^A-Za-z0-9_$.]+", "_", wanted) or "arg"
        if not re.match(r"[A-Za-z_$.]", base):
            base = f"_{base}"
        if re.fullmatch(r"(in|s)\d+|out\d*", base):  # names in bodies
            base += "_"
        name, count = base, 1
        while name in self.names:
            count += 1
            name = f"{base}_{count}"
        self.names.add(name)
        return f"%{name}"

    def _fresh(self) -> str:
        name = f"%{self._count}"
        self._count += 1
        return name

    def _map(self, text: str) -> str:
        """The name of an affine map; all are written before the module."""
        return self._maps.setdefault(text, f"#map{len(self._maps)}")

    @property
    def _loc(self) -> str:
        return f" loc({location_text(self.location)})" if self.location else ""

    def emit(self, code: str, type: str = "") -> str:
        """One operation on a line; gives the name of its result."""
        name = self._fresh()
        self.lines.append(f"{name} = {code}{f' : {type}' if type else ''}{self._loc}")
        return name

    def result(self, code: str, kind: ElementType, shape: Sequence[int], **more: Any) -> Tensor:
        """One operation whose result is a tensor; `code` has its type."""
        return Tensor(kind, tuple(shape), self.emit(code), **more)

    # ===--- Known numbers -------------------------------------------------=== #

    def input(self, name: str, kind: ElementType, shape: Shape) -> Tensor:
        """An input of the model."""
        tensor = Tensor(kind, shape, self._name(name), name=name)
        self.arguments.append(Argument(tensor, tensor.ssa, None))
        return tensor

    def use(self, tensor: Tensor) -> str:
        """The name of a tensor in the module; known numbers get there now."""
        if tensor.ssa:
            return tensor.ssa
        data = tensor.data
        assert data is not None
        splat = tensor.splat
        if splat is not None:
            tensor.ssa = self.emit(f"arith.constant dense<{_number(splat, tensor.kind)}>",
                                   tensor.type)
        elif data.size <= MOST_IN_TEXT and not tensor.weight:
            numbers = widened(data, tensor.kind)
            tensor.ssa = self.emit(f"arith.constant dense<{_nested(numbers, tensor.kind)}>",
                                   tensor.type)
        else:
            tensor.ssa = self._name(tensor.name or f"{self.location}_constant")
            name = tensor.ssa[1:]
            self.arguments.append(Argument(tensor, tensor.ssa, narrowed(data, tensor.kind, name)))
        return tensor.ssa

    def constant(self, array: Array, kind: ElementType, name: str = "") -> Tensor:
        """Known numbers, or their bits."""
        array = np.asarray(array, kind.dtype)
        return Tensor(kind, array.shape, data=array, name=name)

    def fill(self, shape: Sequence[int], kind: ElementType, value: float | int) -> Tensor:
        """A tensor of one number."""
        shape = tuple(shape)
        word = _number(value, kind)
        code = f"arith.constant {word}" + ("" if kind.is_bool else f" : {kind.stored}")
        number = self.emit(code)
        empty = self.empty(shape, kind)
        of = tensor_type(shape, kind)
        return self.result(
            f"linalg.fill ins({number} : {kind.stored}) outs({empty} : {of}) -> {of}", kind, shape
        )

    def empty(self, shape: Sequence[int], kind: ElementType) -> str:
        return self.emit("tensor.empty()", tensor_type(shape, kind))

    # ===--- Generic -------------------------------------------------------=== #

    def generic(
        self,
        sizes: Sequence[int],
        ins: Sequence[Operand],
        code: Code,
        kinds: Sequence[ElementType],
        *,
        outs: Sequence[Sequence[str]] | None = None,
        inits: Sequence[Tensor | None] | None = None,
        shapes: Sequence[Shape] | None = None,
    ) -> list[Tensor]:
        """A linalg.generic over loops of `sizes`.

        `code(body, *words)` makes the scalars of the results from those of the operands,
        and from the running results where `inits` has something. `outs` indexes the
        results; loops that index none are reductions. One number is no operand.
        """
        maps_out = outs or [loops(len(sizes))] * len(kinds)
        shapes = shapes or [tuple(_size_of(e, sizes) for e in out) for out in maps_out]
        inits = inits or [None] * len(kinds)
        body, words, operands, types, maps, block = Body(), [], [], [], [], []
        # Of one number no operand is made, unless it alone says how often a loop runs.
        plain = {e for out in maps_out for e in out}
        plain |= {e for tensor, indices in ins if tensor.splat is None for e in indices}
        for tensor, indices in ins:
            splat = tensor.splat
            if splat is not None and plain.issuperset(e for e in indices if e.startswith("d")):
                word = body.constant(splat, tensor.kind.word)
                words.append(Scalar(word.text, word.type, tensor.kind.name == "uint32", splat))
                continue
            plain.update(indices)
            name = f"%in{len(operands)}"
            operands.append(self.use(tensor))
            types.append(tensor.type)
            maps.append(indices)
            block.append(f"{name}: {tensor.kind.stored}")
            words.append(body.load(name, tensor.kind))
        out_names, out_types = [], []
        for i, (kind, shape, init) in enumerate(zip(kinds, shapes, inits)):
            out_names.append(self.use(init) if init else self.empty(shape, kind))
            out_types.append(tensor_type(shape, kind))
            block.append(f"%out{i}: {kind.stored}")
            if init:
                words.append(body.load(f"%out{i}", kind))
        made = code(body, *words)
        made = made if isinstance(made, (list, tuple)) else [made]
        yields = [body.store(x, kind) for x, kind in zip(made, kinds)]
        used = {name for out in maps_out for e in out for name in re.findall(r"d\d+", e)}
        iterators = ["parallel" if f"d{i}" in used else "reduction" for i in range(len(sizes))]
        dims = f"({', '.join(loops(len(sizes)))})"
        all_maps = ", ".join(
            self._map(f"affine_map<{dims} -> ({', '.join(indices)})>") for indices in [*maps,
                                                                                       *maps_out]
        )
        kinds_text = ", ".join(f'"{it}"' for it in iterators)
        head = f"linalg.generic {{indexing_maps = [{all_maps}], iterator_types = [{kinds_text}]}}"
        if operands:
            head += f" ins({', '.join(operands)} : {', '.join(types)})"
        head += f" outs({', '.join(out_names)} : {', '.join(out_types)}) {{"
        results = out_types[0] if len(out_types) == 1 else f"({', '.join(out_types)})"
        name = self._fresh()
        count = f":{len(kinds)}" if len(kinds) > 1 else ""
        self.lines.append(f"{name}{count} = {head}")
        self.lines.append(f"^bb0({', '.join(block)}):")
        self.lines += [f"  {line}" for line in body.lines]
        self.lines.append(
            f"  linalg.yield {', '.join(yields)} : "
            f"{', '.join(k.stored for k in kinds)}"
        )
        self.lines.append(f"}} -> {results}{self._loc}")
        names = [name] if len(kinds) == 1 else [f"{name}#{i}" for i in range(len(kinds))]
        return [Tensor(k, tuple(s), n) for k, s, n in zip(kinds, shapes, names)]

    def map(self, ins: Sequence[Tensor], code: Code, kind: ElementType,
            shape: Shape | None = None) -> Tensor:
        """Element by element; the operands are broadcast."""
        if shape is None:
            shape = broadcast_shapes([tensor.shape for tensor in ins])
        assert shape is not None
        operands = [(tensor, _aligned(tensor.shape, shape)) for tensor in ins]
        return self.generic(shape, operands, code, [kind])[0]

    def reduce(self, x: Tensor, axes: Sequence[int], start: float | int, code: Code,
               kind: ElementType | None = None) -> Tensor:
        """`code(body, element, running)` over `axes`, which are left out of the result."""
        kind = kind or x.kind
        kept = [i for i in range(x.rank) if i not in axes]
        init = self.fill([x.shape[i] for i in kept], kind, start)
        (result,) = self.generic(
            x.shape, [(x, loops(x.rank))], code, [kind], outs=[[f"d{i}"
                                                                for i in kept]], inits=[init]
        )
        return result

    def contract(self, x: Operand, y: Operand, sizes: Sequence[int], out: Sequence[str],
                 kind: ElementType = FLOAT32) -> Tensor:
        """The sum of products over all loops that `out` has not, in f32 or i32."""
        shape = [_size_of(e, sizes) for e in out]
        self.count_macs(sizes)
        (result,) = self.generic(
            sizes,
            [x, y],
            lambda b, p, q, total: b.add(total, b.mul(p, q)),
            [kind],
            outs=[out],
            inits=[self.fill(shape, kind, 0)],
        )
        return result

    def count_macs(self, sizes: Sequence[int]) -> None:
        """Counts the products of one contraction over loops of `sizes` for the present node."""
        self.macs[self.location] = self.macs.get(self.location, 0) + math.prod(sizes)

    # ===--- Moving elements -----------------------------------------------=== #

    def copy(self, x: Tensor, shape: Sequence[int], indices: Sequence[str]) -> Tensor:
        """Elements at affine indices."""
        (result,) = self.generic(shape, [(x, indices)], lambda b, word: word, [x.kind])
        result.range = x.range
        return result

    def broadcast(self, x: Tensor, shape: Shape) -> Tensor:
        return x if x.shape == shape else self.copy(x, shape, _aligned(x.shape, shape))

    def transpose(self, x: Tensor, order: Sequence[int]) -> Tensor:
        """Dimension i of the result is dimension ``order[i]`` of `x`."""
        if list(order) == list(range(x.rank)):
            return x
        shape = [x.shape[i] for i in order]
        if x.data is not None:
            return self._same(x, np.transpose(x.data, order))
        of = tensor_type(shape, x.kind)
        source = self.use(x)
        empty = self.empty(shape, x.kind)
        name = self.emit(
            f"linalg.transpose ins({source} : {x.type}) outs({empty} : {of}) "
            f"permutation = [{', '.join(map(str, order))}]"
        )
        return Tensor(x.kind, tuple(shape), name, range=x.range)

    def _same(self, x: Tensor, data: Array) -> Tensor:
        return Tensor(x.kind, data.shape, data=data, range=x.range, name=x.name, weight=x.weight)

    def reshape(self, x: Tensor, shape: Sequence[int]) -> Tensor:
        """The same elements in order."""
        shape = tuple(shape)
        if shape == x.shape:
            return x
        if x.data is not None:
            return self._same(x, x.data.reshape(shape))
        groups = _reassociation(x.shape, shape)
        middle = tuple(math.prod(x.shape[i] for i in a) for a, _ in groups)
        collapsed = self._collapse(x, middle, [a for a, _ in groups])
        return self._expand(collapsed, shape, [b for _, b in groups])

    def _collapse(self, x: Tensor, shape: Shape, groups: list[list[int]]) -> Tensor:
        if x.shape == shape:
            return x
        of = tensor_type(shape, x.kind)
        text = json.dumps(groups)
        code = f"tensor.collapse_shape {self.use(x)} {text} : {x.type} into {of}"
        return self.result(code, x.kind, shape, range=x.range)

    def _expand(self, x: Tensor, shape: Shape, groups: list[list[int]]) -> Tensor:
        if x.shape == shape:
            return x
        of = tensor_type(shape, x.kind)
        code = (
            f"tensor.expand_shape {self.use(x)} {json.dumps(groups)} "
            f"output_shape {json.dumps(list(shape))} : {x.type} into {of}"
        )
        return self.result(code, x.kind, shape, range=x.range)

    def slice(self, x: Tensor, offsets: Sequence[int], sizes: Sequence[int],
              strides: Sequence[int] | None = None) -> Tensor:
        """Every `strides`-th element from `offsets` on."""
        strides = strides or [1] * x.rank
        if tuple(sizes) == x.shape:
            return x
        if 0 in sizes:
            return self.constant(np.empty(sizes, x.kind.dtype), x.kind)
        if x.data is not None:
            cut = tuple(slice(o, o + (n - 1) * s + 1, s) for o, n,
                        s in zip(offsets, sizes, strides))
            return self._same(x, x.data[cut])
        of = tensor_type(sizes, x.kind)
        code = (
            f"tensor.extract_slice {self.use(x)}{json.dumps(list(offsets))} "
            f"{json.dumps(list(sizes))} {json.dumps(list(strides))} : {x.type} to {of}"
        )
        return self.result(code, x.kind, sizes, range=x.range)

    def insert(self, x: Tensor, into: Tensor, offsets: Sequence[int],
               strides: Sequence[int] | None = None) -> Tensor:
        strides = strides or [1] * x.rank
        source, target = self.use(x), self.use(into)
        code = (
            f"tensor.insert_slice {source} into {target}{json.dumps(list(offsets))} "
            f"{json.dumps(list(x.shape))} {json.dumps(list(strides))} : {x.type} into {into.type}"
        )
        return self.result(code, x.kind, into.shape)

    def insert_row(self, row: Tensor, into: Tensor, at: Tensor) -> Tensor:
        """A row, [1, ...], at the position along the first dimension that `at`, [1], holds."""
        source, target, place = self.use(row), self.use(into), self.use(at)
        first = self.emit("arith.constant 0 : index")
        number = self.emit(f"tensor.extract {place}[{first}] : {at.type}")
        index = self.emit(f"arith.index_cast {number} : {at.kind.stored} to index")
        offsets = ", ".join([index, *["0"] * (into.rank - 1)])
        code = (
            f"tensor.insert_slice {source} into {target}[{offsets}] {json.dumps(list(row.shape))} "
            f"{json.dumps([1] * into.rank)} : {row.type} into {into.type}"
        )
        return self.result(code, into.kind, into.shape)

    def pad(self, x: Tensor, low: Sequence[int], high: Sequence[int], value: float | int) -> Tensor:
        """More elements around; negative amounts cut."""
        if any(n < 0 for n in [*low, *high]):
            offsets = [max(-n, 0) for n in low]
            sizes = [s - o - max(-h, 0) for s, o, h in zip(x.shape, offsets, high)]
            x = self.slice(x, offsets, sizes)
            low, high = [max(n, 0) for n in low], [max(n, 0) for n in high]
        if not any([*low, *high]):
            return x
        if 0 in x.shape:
            return self.fill([a + n + b for a, n, b in zip(low, x.shape, high)], x.kind, value)
        shape = [a + n + b for a, n, b in zip(low, x.shape, high)]
        source = self.use(x)
        word = _number(value, x.kind)
        number = self.emit(f"arith.constant {word}" + ("" if x.kind.is_bool
                                                       else f" : {x.kind.stored}"))
        name = self._fresh()
        places = ", ".join(f"%in{i}: index" for i in range(x.rank))
        self.lines.append(
            f"{name} = tensor.pad {source} low{json.dumps(list(low))} "
            f"high{json.dumps(list(high))} {{"
        )
        self.lines.append(f"^bb0({places}):")
        self.lines.append(f"  tensor.yield {number} : {x.kind.stored}")
        self.lines.append(f"}} : {x.type} to {tensor_type(shape, x.kind)}{self._loc}")
        return Tensor(x.kind, tuple(shape), name)

    def concat(self, parts: Sequence[Tensor], axis: int) -> Tensor:
        parts = [part for part in parts if part.shape[axis] != 0] or parts[:1]
        if len(parts) == 1:
            return parts[0]
        shape = list(parts[0].shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        names = ", ".join([self.use(part) for part in parts])
        types = ", ".join(part.type for part in parts)
        of = tensor_type(shape, parts[0].kind)
        code = f"tensor.concat dim({axis}) {names} : ({types}) -> {of}"
        result = self.result(code, parts[0].kind, shape)
        if parts[0].kind.is_integer:
            bounds = [part.bounds for part in parts]
            result.range = (min(low for low, _ in bounds), max(high for _, high in bounds))
        return result

    def take(self, x: Tensor, axis: int, indices: Sequence[int]) -> Tensor:
        """Known positions of one dimension: as slices, copies of one element, reversed
        slices, whatever runs the positions are made of; many runs are gathered."""
        if len(indices) == 0:
            shape = [0 if i == axis else n for i, n in enumerate(x.shape)]
            return self.constant(np.empty(shape, x.kind.dtype), x.kind)
        if isinstance(indices, range):
            runs = [(indices.start, len(indices), indices.step)]
        else:
            runs = _runs([int(i) for i in indices])
        if runs == [(0, x.shape[axis], 1)]:
            return x
        if x.data is not None:
            return self._same(x, np.take(x.data, np.asarray(indices, np.int64), axis))
        times, rest = divmod(len(indices), x.shape[axis])
        if times > 1 and not rest and np.array_equal(indices, np.arange(len(indices)) // times):
            return self._repeat(x, axis, times)
        if len(runs) > 8 and len(runs) * 2 > len(indices):
            table = self.constant(np.asarray(indices, np.int64), INT64)
            return self.gather(x, axis, table)
        parts = []
        for start, count, step in runs:
            shape = [count if i == axis else n for i, n in enumerate(x.shape)]
            if step > 0 or count == 1:
                offsets = [start if i == axis else 0 for i in range(x.rank)]
                strides = [max(step, 1) if i == axis else 1 for i in range(x.rank)]
                parts.append(self.slice(x, offsets, shape, strides))
                continue
            indices_of = loops(x.rank)
            last = start + (count - 1) * step
            indices_of[axis] = "0" if step == 0 else f"-d{axis} + {count - 1}"
            cut = [last if i == axis else 0 for i in range(x.rank)]
            sizes = [n if i != axis else (1 if step == 0 else count) for i, n in enumerate(x.shape)]
            strides = [max(-step, 1) if i == axis else 1 for i in range(x.rank)]
            parts.append(self.copy(self.slice(x, cut, sizes, strides), shape, indices_of))
        result = self.concat(parts, axis)
        result.range = x.range
        return result

    def _repeat(self, x: Tensor, axis: int, times: int) -> Tensor:
        """Each position of a dimension several times, one after the other."""
        shape = [*x.shape[:axis + 1], times, *x.shape[axis + 1:]]
        indices = [f"d{i + (i > axis)}" for i in range(x.rank)]
        made = self.copy(x, shape, indices)
        return self.reshape(made, [n * times if i == axis else n for i, n in enumerate(x.shape)])

    def gather(self, x: Tensor, axis: int, indices: Tensor) -> Tensor:
        """``x[..., indices, ...]``; negative positions count from the end."""
        before, after = x.shape[:axis], x.shape[axis + 1 :]
        shape = (*before, *indices.shape, *after)
        places = [f"d{axis + i}" for i in range(indices.rank)]
        size = x.shape[axis]
        source = self.use(x)
        low = indices.bounds[0]

        def code(b: Body, at: Scalar) -> Scalar:
            if low < 0:
                zero = b.constant(0, "i32")
                at = b.select(b.compare("lt", at, zero), b.add(at, b.constant(size, "i32")), at)
            where = [_loop(b, i) for i in range(axis)]
            where.append(at)
            where += [_loop(b, axis + indices.rank + i) for i in range(len(after))]
            return b.extract(source, x.type, x.kind, where)

        (result,) = self.generic(shape, [(indices, places)], code, [x.kind])
        result.range = x.range
        return result

    def text(self, results: Sequence[Tensor]) -> str:
        """The module."""
        names = [self.use(result) for result in results]
        types = ", ".join(result.type for result in results)
        arguments = ", ".join(
            f"{a.ssa}: {a.tensor.type} loc({location_text(a.tensor.name or a.ssa[1:])})"
            for a in self.arguments
        )
        lines = [f"func.func @main({arguments}) -> ({types}) {{"]
        lines += [f"  {line}" for line in self.lines]
        lines.append(f"  return {', '.join(names)}{' : ' if names else ''}{types}")
        lines.append("}")
        maps = [f"{name} = {text}" for text, name in self._maps.items()]
        return "\n".join([*maps, "module {", *(f"  {line}" for line in lines), "}", ""])


# ===--- Pieces ------------------------------------------------------------=== #


def location_text(name: str) -> str:
    """A name in quotes as MLIR reads it."""
    out = []
    for byte in name.encode("utf-8", "replace"):
        plain = 32 <= byte < 127 and byte not in (0x22, 0x5C)
        out.append(chr(byte) if plain else f"\\{byte:02X}")
    return '"' + "".join(out) + '"'


def _loop(body: Body, loop: int) -> Scalar:
    return body.emit(f"linalg.index {loop} : index", "index")


def _number(value: float | int, kind: ElementType) -> str:
    """A literal of the type the module stores."""
    if kind is BOOL or kind.is_bool:
        return "true" if value else "false"
    if kind.is_float:
        text = float_text(float(value))
        if text.startswith("0x") and kind.stored != "f32":
            width = kind.bits // 4
            number = float(np.float32(value))
            infinity = {"f16": 0x7C00, "bf16": 0x7F80, "f8E5M2": 0x7C}.get(kind.stored, 0x7F)
            quiet = {"f16": 0x7E00, "bf16": 0x7FC0}.get(kind.stored, 0x7F)
            bits = quiet if math.isnan(number) else infinity
            sign = 1 << (kind.bits - 1) if number < 0 else 0
            return f"0x{bits | sign:0{width}X}"
        return text
    bits = min(kind.bits, 32)
    return str((int(value) + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1))


def _nested(numbers: Array, kind: ElementType) -> str:
    if numbers.ndim == 0:
        number = numbers[()]
        return _number(float(number) if kind.is_float else int(number), kind)
    return "[" + ", ".join(_nested(part, kind) for part in numbers) + "]"


def _aligned(shape: Shape, result: Shape) -> list[str]:
    """Indices of an operand of a broadcast over loops of `result`."""
    first = len(result) - len(shape)
    return [
        "0" if size == 1 and result[first + i] != 1 else f"d{first + i}"
        for i, size in enumerate(shape)
    ]


def _size_of(index: str, sizes: Sequence[int]) -> int:
    """The size of a dimension of a result by its index, a loop or 0."""
    return 1 if index == "0" else int(sizes[int(index[1:])])


def _reassociation(old: Shape, new: Shape) -> list[tuple[list[int], list[int]]]:
    """Groups of dimensions with as many elements on both sides, as small as can be."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        a, b = [], []
        left = right = 1
        if i < len(old):
            a.append(i)
            left *= old[i]
            i += 1
        if j < len(new):
            b.append(j)
            right *= new[j]
            j += 1
        while left != right:
            if (left < right and i < len(old)) or j == len(new):
                a.append(i)
                left *= old[i]
                i += 1
            else:
                b.append(j)
                right *= new[j]
                j += 1
        groups.append((a, b))
    # Ones at the end have no partner: they belong to the group before.
    merged: list[tuple[list[int], list[int]]] = []
    for a, b in groups:
        if merged and (not a or not b):
            merged[-1][0].extend(a)
            merged[-1][1].extend(b)
        else:
            merged.append((a, b))
    if len(merged) == 1 and (not merged[0][0] or not merged[0][1]):
        return []
    return merged


def _runs(indices: Sequence[int]) -> list[tuple[int, int, int]]:
    """The positions as (start, count, step), few of them."""
    runs: list[tuple[int, int, int]] = []
    at = 0
    while at < len(indices):
        end = at + 1
        step = indices[end] - indices[at] if end < len(indices) else 1
        while end < len(indices) and indices[end] - indices[end - 1] == step:
            end += 1
        if end - at == 2 and abs(step) > 1 and end < len(indices):
            end, step = at + 1, 1
        runs.append((indices[at], end - at, step))
        at = end
    return runs
