# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host's side of the manual's crate in tests: contexts, tensors, launches, random
numbers, archives of arrays."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CompileError, SimulationTrap, UsageError
from . import iterators, operators
from .layout import Cells, Mapping, lay_out, m
from .numbers import FLOATS, Number, STORAGE, draw, round_to, wrap
from .tensors import HbmTensor, HbmView, HostTensor
from .tree import Node
from .values import (
    Builtin,
    Frame,
    FunctionRef,
    Named,
    NeedsElements,
    Opt,
    Panic,
    Struct,
    Unsupported,
    Variant,
    Vec,
    join,
    lanes_of,
    pick,
)

if TYPE_CHECKING:
    from .evaluate import Evaluator

__all__ = ["Archive", "HostContext", "Refused", "Rng", "call", "method", "text_of"]

Array = NDArray[Any]


class Refused(Panic):
    """A kernel that is not compiled, or that the simulator stops."""

    def __init__(self, error: CompileError | SimulationTrap, node: Node) -> None:
        super().__init__(str(error), node)
        self.error = error


class HostContext:
    """`Context`, its parts, and a runtime: what a test passes on."""


@dataclass
class Rng:
    generator: np.random.Generator

    def range(self, within: Any, want: Any) -> Number:
        """A number of a range."""
        first, last = within.first, within.last
        kind = within.type or (want.name if isinstance(want, Named) else None)
        if first.is_float or last.is_float:
            made = self.generator.uniform(first.data, last.data)
            return Number(kind, round_to(kind, made))
        low, high = within.bounds()
        return Number(kind, int(self.generator.integers(low, high)))


@dataclass
class Archive:
    """A safetensors file, or one of its tensors."""

    header: dict[str, Any]
    data: bytes

    @staticmethod
    def read(octets: bytes) -> Archive | None:
        if len(octets) < 8:
            return None
        length = int.from_bytes(octets[:8], "little")
        try:
            header = json.loads(octets[8:8 + length])
        except ValueError:
            return None
        return Archive(header, octets[8 + length:]) if isinstance(header, dict) else None

    def tensor(self, name: str) -> Variant:
        entry = self.header.get(name)
        if not isinstance(entry, dict):
            return Variant("Result", "Err", (f"no tensor '{name}'",))
        first, last = entry["data_offsets"]
        return Variant("Result", "Ok", (Archive(entry, self.data[first:last]),))


def text_of(value: Any) -> str:
    from .macros import display

    return display(value)


# ===--- Numbers of tensors ---------------------------------------------------=== #


def _lanes(evaluator: Evaluator, tensor: HostTensor, values: Array, known: Array | None) -> Any:
    """The elements of a tensor as lanes: of Opt, in release 0.6 plain numbers."""
    if tensor.dtype not in FLOATS and values.dtype != np.bool_:
        values = values.astype(np.int64)
    if evaluator.source.release != "0.1":
        return Number(tensor.dtype, values)
    known = np.ones(values.shape, bool) if known is None else known
    return Opt(known, Number(tensor.dtype, values), tensor.computed)


def _arrays(lanes: Any, dtype: str | None, node: Node) -> tuple[str, Array, Array | None]:
    """Elements as a tensor keeps them."""
    if isinstance(lanes, Number):
        lanes = Opt(np.True_, lanes)
    if not isinstance(lanes, Opt):
        raise Unsupported("the elements of a tensor are numbers, or of Opt", node)
    if lanes.value is None:
        raise Unsupported("a tensor of no values is HostTensor::uninit", node)
    number = lanes.value
    if not isinstance(number, Number):
        raise Unsupported("the elements of a tensor are numbers", node)
    name = number.type or dtype or ("f32" if number.is_float else "i32")
    if dtype is not None and number.type is not None and number.type != dtype:
        raise Unsupported(f"elements of {number.type} in a tensor of {dtype}", node)
    data = round_to(name, number.data) if name in FLOATS else wrap(name, number.data)
    known = np.asarray(lanes.known)
    return (name, np.asarray(data).astype(STORAGE[name]), None if known.all() else known)


def _each(evaluator: Evaluator, function: Any, args: list[Any], count: int, node: Node) -> Any:
    """Calls a closure for all elements, at once if that can be."""
    try:
        return evaluator.over_lanes(function, args, count, node)
    except NeedsElements:
        return join([evaluator.call(function, [pick(a, i) for a in args], node)
                     for i in range(count)])


# ===--- Functions by their path ----------------------------------------------=== #

TENSORS = ("HostTensor", "Tensor", "HbmTensor")


def call(evaluator: Evaluator, callee: Builtin, args: list[Any], node: Node, want: Any) -> Any:
    of, name = callee.type, callee.name
    if name == "launch":
        return _launch(evaluator, args, node)
    if name == "catch_unwind":
        return _caught(evaluator, args[0], node)
    if name == "AssertUnwindSafe":
        return args[0]
    if of is None:
        return NotImplemented
    if of.name in TENSORS:
        return _tensor_function(evaluator, of, callee, args, node, want)
    if of.name.endswith("Rng") and name in ("seed_from_u64", "from_seed"):
        return Rng(np.random.default_rng(args[0].data))
    if of.name == "Context" and name == "acquire":
        return HostContext()
    if of.name == "Runtime" and name == "new":
        return Variant("Result", "Ok", (HostContext(),))
    if of.name == "env_logger" or name in ("try_init", "init"):
        return Variant("Result", "Ok", ((),))
    if of.name == "SafeTensors" and name == "deserialize":
        made = Archive.read(_octets(args[0]))
        if made is None:
            return Variant("Result", "Err", ("no safetensors file",))
        return Variant("Result", "Ok", (made,))
    return NotImplemented


def _octets(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, Vec):
        return bytes(n.data & 255 for n in value.elements())
    raise Unsupported("bytes are expected")


def _launch(evaluator: Evaluator, args: list[Any], node: Node) -> Any:
    if len(args) != 2 or not isinstance(args[0], FunctionRef) or not isinstance(args[1], tuple):
        raise Unsupported("launch takes a kernel and a tuple of its arguments", node)
    kernel = evaluator.kernel(args[0].node)
    tensors, numbers = _tensors_of(args[1]), _numbers_of(args[1])
    try:
        return evaluator.context.launch(kernel, tensors,  # type: ignore[attr-defined]
                                        numbers)
    except (CompileError, SimulationTrap) as error:
        raise Refused(error, node) from error


def _tensors_of(value: Any) -> list[HbmTensor]:
    """The tensors in tuples and structs, in order."""
    if isinstance(value, HbmTensor):
        return [value]
    if isinstance(value, tuple):
        return [tensor for part in value for tensor in _tensors_of(part)]
    if isinstance(value, Struct):
        return [tensor for member in value.node.members or ()
                for tensor in _tensors_of(value.fields.get(member.name))]
    return []


def _numbers_of(value: Any) -> list[Any]:
    """The numbers among the arguments of a launch, in order."""
    if isinstance(value, Number):
        return [value.data]
    if isinstance(value, (bool, np.bool_)):
        return [bool(value)]
    if isinstance(value, tuple):
        return [number for part in value for number in _numbers_of(part)]
    if isinstance(value, Struct):
        return [number for member in value.node.members or ()
                for number in _numbers_of(value.fields.get(member.name))]
    return []


def _caught(evaluator: Evaluator, function: Any, node: Node) -> Variant:
    try:
        return Variant("Result", "Ok", (evaluator.call(function, [], node),))
    except Panic as panic:
        return Variant("Result", "Err", (panic.message,))


def _tensor_function(evaluator: Evaluator, of: Named, callee: Builtin, args: list[Any], node: Node,
                     want: Any) -> Any:
    name = callee.name
    hint = want if isinstance(want, Named) and want.name in TENSORS else Named(of.name)
    dtype = (of.arg(0) or hint.arg(0))
    kind = dtype.name if isinstance(dtype, Named) else None
    if of.name == "HbmTensor":
        if name not in ("from_addr", "new"):
            return NotImplemented
        chip, element = of.arg(1) or hint.arg(1), of.arg(2) or hint.arg(2)
        if kind is None or not isinstance(chip, Mapping) or not isinstance(element, Mapping):
            raise Unsupported("the type of the tensor is not known; write it in '::<..>'", node)
        return HbmTensor(kind, chip, element, None, args[0].data if args else 0)
    mapping = of.arg(1) if isinstance(of.arg(1), Mapping) else hint.arg(1)
    if name in ("contraction", "contraction_prewidened"):
        return _contraction(evaluator, callee.types, kind, mapping, args, node)
    if not isinstance(mapping, Mapping):
        raise Unsupported("the mapping of the tensor is not known; write it in '::<..>'", node)
    if name == "from_buf":
        if not isinstance(args[0], Vec):
            raise Unsupported("from_buf takes a Vec", node)
        kind, values, known = _arrays(args[0].as_lanes(), kind, node)
        return HostTensor(kind, mapping, Cells.of(mapping, values, known))
    if name == "from_vec":
        return _from_elements(kind, mapping, args[0], node)
    if name == "splat":
        kind, values, _ = _arrays(lanes_of(args[0], lay_out(mapping).count), kind, node)
        return HostTensor(kind, mapping, Cells.of(mapping, values))
    if name == "from_safetensors":
        return _from_archive(kind, mapping, args[0], node)
    if kind is None:
        raise Unsupported("the element type is not known; write it in '::<..>'", node)
    if name == "rand":
        return HostTensor.rand(kind, mapping, args[0].generator)
    if name == "zero":
        return HostTensor.zero(kind, mapping)
    if name == "uninit":
        return HostTensor.uninit(kind, mapping)
    return NotImplemented


def _from_elements(kind: str | None, mapping: Mapping, data: Any, node: Node) -> HostTensor:
    """From a number for each position, padding included."""
    vec = iterators.as_iter(data, node).vec()
    if len(vec) != mapping.size:
        raise Panic("from_vec: buffer length does not match mapping size "
                    f"({len(vec)} and {mapping.size})", node)
    kind, values, _ = _arrays(vec.as_lanes(), kind, node)
    valid = lay_out(mapping).valid
    return HostTensor(kind, mapping, Cells.of(mapping, values if valid is None else values[valid]))


def _elements(evaluator: Evaluator, tensor: HostTensor) -> Vec:
    """A number for each position; 0 where it is padding."""
    values, known = tensor.listed()
    valid = lay_out(tensor.order).valid
    if valid is not None:
        spread = np.zeros(tensor.order.size, values.dtype)
        spread[valid] = values
        values, known = spread, None
    return Vec.from_lanes(_lanes(evaluator, tensor, values, known), values.size)


ARCHIVED = {"BF16": "bf16", "F32": "f32", "I32": "i32", "I16": "i16", "I8": "i8", "U8": "u8"}


def _from_archive(kind: str | None, mapping: Mapping, view: Archive, node: Node) -> Variant:
    parts = mapping.parts if mapping.op == "pair" else (mapping,)
    found = ARCHIVED.get(view.header["dtype"])
    if [part.size for part in parts] != view.header["shape"] or kind not in (None, found):
        return Variant("Result", "Err", ("TensorInvalidInfo",))
    if found is None:
        raise Unsupported(f"arrays of {view.header['dtype']}", node)
    if found == "bf16":
        raw = np.frombuffer(view.data, "<u2").astype(np.uint32) << 16
        values: Array = raw.view(np.float32)
    else:
        values = np.frombuffer(view.data, np.dtype(STORAGE[found]).newbyteorder("<"))
    return Variant("Result", "Ok", (HostTensor.of(found, mapping, values),))


def _contraction(evaluator: Evaluator, types: tuple[Any, ...], kind: str | None, mapping: Any,
                 args: list[Any], node: Node) -> HostTensor:
    """Products over the axes of a mapping, added up over those that the result has not."""
    union = types[0] if types else None
    if not isinstance(union, Mapping) or not isinstance(mapping, Mapping):
        raise Unsupported("the mappings of a contraction are not known", node)
    dtype = args[0].dtype
    digits = lay_out(union).digits()
    kept = lay_out(mapping).digits()
    summed = tuple(d for d in digits if d not in kept)
    order = (*kept, *summed)
    sides = [tensor.cells.fitted(tuple(d for d in order if d in tensor.cells.digits))
             for tensor in args]
    # Release 0.6 adds up as the contraction engine does, and rounds once.
    width = dtype if evaluator.source.release == "0.1" else "f32"
    if dtype not in FLOATS:
        letters = {digit: index for index, digit in enumerate(order)}
        operands: list[Any] = []
        for side in sides:
            operands += [side.values.astype(np.int64), [letters[d] for d in side.digits]]
        made = wrap(dtype, np.einsum(*operands, [letters[d] for d in kept], optimize=False))
    else:
        made = _rounded_sum(width, kept, summed, sides)
        made = round_to(dtype, made) if width != dtype else made
    return HostTensor(dtype, mapping, Cells(kept, np.asarray(made).astype(STORAGE[dtype])))


def _rounded_sum(dtype: str, kept: tuple[Any, ...], summed: tuple[Any, ...],
                 sides: list[Cells]) -> Array:
    """Every product and every sum rounded to the type, in the order of the indices."""
    total: Any = round_to(dtype, np.zeros([d.extent for d in kept]))
    with np.errstate(all="ignore"):
        for index in np.ndindex(*[d.extent for d in summed]):
            product: Any = None
            for side in sides:
                at = tuple(index[summed.index(d)] if d in summed else slice(None)
                           for d in side.digits)
                shape = [d.extent if d in side.digits else 1 for d in kept]
                part = side.values[at].reshape(shape)
                product = part if product is None else round_to(dtype, product * part)
            total = round_to(dtype, total + product)
    return np.asarray(total)


# ===--- Methods --------------------------------------------------------------=== #


def method(evaluator: Evaluator, receiver: Any, node: Node, types: tuple[Any, ...], frame: Frame,
           want: Any) -> Any:
    name = node.name
    if isinstance(receiver, HostContext):
        # What a context is bound to is the one machine there is.
        return receiver if name == "bind" else \
            evaluator.evaluate((node.args or [])[0], frame, want) if name == "block_on" \
            else NotImplemented
    if isinstance(receiver, Rng):
        # Lanes are drawn one after the other.
        if evaluator.lane_depth:
            raise NeedsElements
        if name in ("random_range", "gen_range"):
            return receiver.range(evaluator.evaluate((node.args or [])[0], frame), want)
        if name in ("random", "gen"):
            kind = types[0] if types else want
            if isinstance(kind, Named) and kind.name in STORAGE:
                made = draw(kind.name, receiver.generator, 1)[0]
                return bool(made) if kind.name == "bool" else Number(
                    kind.name, made if kind.name in FLOATS else int(made))
        return NotImplemented
    if isinstance(receiver, Archive):
        return _archive_method(evaluator, receiver, node, frame)
    if name in ("into_inner", "view", "view_mut", "clone"):
        return receiver
    try:
        if isinstance(receiver, HbmTensor):
            if name == "tile":
                return _tiled(evaluator, receiver, node, types, frame)
            return _hbm_method(evaluator, receiver, name, types, want)
        return _host_method(evaluator, receiver, node, types, frame, want)
    except UsageError as error:
        raise Panic(str(error).removeprefix("error: "), node) from error


def _archive_method(evaluator: Evaluator, receiver: Archive, node: Node, frame: Frame) -> Any:
    if node.name == "tensor":
        return receiver.tensor(evaluator.evaluate((node.args or [])[0], frame))
    if node.name == "data":
        octets = np.frombuffer(receiver.data, np.uint8).astype(np.int64)
        return Vec.from_lanes(Number("u8", octets), len(octets))
    return NotImplemented


def _mapping_of(types: tuple[Any, ...], index: int, want: Any, place: int) -> Mapping | None:
    """A mapping among generic arguments, or in the type that is expected."""
    found = types[index] if index < len(types) else None
    if not isinstance(found, Mapping) and isinstance(want, Named):
        found = want.arg(place)
    return found if isinstance(found, Mapping) else None


def _tiled(evaluator: Evaluator, receiver: HbmTensor, node: Node, types: tuple[Any, ...],
           frame: Frame) -> HbmView:
    start = evaluator.evaluate((node.args or [])[0], frame)
    index, length, element = (*types, None, None, None)[:3]
    if not isinstance(index, Mapping) or not isinstance(length, Number) \
            or not isinstance(element, Mapping) or not isinstance(start.data, int):
        raise Unsupported("a tile is written tile::<Index, LENGTH, Element>(start)", node)
    return receiver.tile(index, length.data, start.data, element)


def _hbm_method(evaluator: Evaluator, receiver: HbmTensor, name: str, types: tuple[Any, ...], want: Any) -> Any:
    if name == "to_host":
        mapping = _mapping_of(types, 0, want, 1)
        made = HostTensor(receiver.dtype, mapping, receiver.cells, computed=receiver.computed)
        if mapping is not None:
            made.cells = receiver.cells.fitted(lay_out(mapping).digits())
        return made
    if name == "to_hbm":
        element = _mapping_of(types, 1, want, 2)
        cells = receiver.cells
        if element is not None:
            whole = m(receiver.chip or Mapping("1"), element)
            cells = cells.fitted(lay_out(whole).digits())
        return HbmTensor(receiver.dtype, receiver.chip, element, cells,
                         computed=receiver.computed)
    if name in ("to_vec", "into_vec"):
        return _elements(evaluator, receiver.to_host())
    if name == "address":
        return Number("u64", receiver.address)
    return NotImplemented


def _host_method(evaluator: Evaluator, receiver: HostTensor, node: Node, types: tuple[Any, ...],
                 frame: Frame, want: Any) -> Any:
    name = node.name
    if name == "to_hbm":
        chip, element = _mapping_of(types, 0, want, 1), _mapping_of(types, 1, want, 2)
        return HbmTensor(receiver.dtype, chip, element, receiver.cells)
    if name == "into_vec":
        return _elements(evaluator, receiver)
    if name == "to_buf":
        values, known = receiver.listed()
        return Vec.from_lanes(_lanes(evaluator, receiver, values, known), values.size)
    if name == "map":
        args = [evaluator.evaluate(a, frame) for a in node.args or ()]
        return _mapped(evaluator, args[0], [receiver], receiver.order, receiver.spread, node)
    if name == "zip_with":
        wanted = Named("Tensor", (None, receiver.order))
        other = evaluator.evaluate(node.args[0], frame, wanted)
        function = evaluator.evaluate(node.args[1], frame)
        return _mapped(evaluator, function, [receiver, other], receiver.order, False, node)
    if name in ("transpose", "transmute"):
        mapping = _mapping_of(types, 0, want, 1)
        spread = name == "transpose" and bool(evaluator.evaluate(node.args[0], frame))
        made = HostTensor(receiver.dtype, mapping, receiver.cells, spread, receiver.computed)
        if mapping is not None:
            values, known = made.cells.listed(mapping, spread)
            made.cells, made.spread = Cells.of(mapping, values, known), False
        return made
    if name in ("reduce", "reduce_add"):
        mapping = _mapping_of(types, 0, want, 1)
        if mapping is None:
            raise Unsupported(f"the mapping of '{name}' is not known; give the result a type",
                              node)
        args = [evaluator.evaluate(a, frame) for a in node.args or ()]
        return _reduced(evaluator, receiver, mapping, args, node)
    return NotImplemented


def _mapped(evaluator: Evaluator, function: Any, tensors: list[HostTensor], order: Mapping,
            spread: bool, node: Node) -> HostTensor:
    digits = lay_out(order).digits()
    lanes, count = [], 1
    for tensor in tensors:
        if not (tensor.spread or spread) and set(tensor.cells.digits) != set(digits):
            raise Panic("tensors must have the same axes for element-wise operations", node)
        cells = tensor.cells.fitted(digits)
        known = None if cells.known is None else cells.known.reshape(-1)
        lanes.append(_lanes(evaluator, tensor, cells.values.reshape(-1), known))
        count = cells.values.size
    made = _each(evaluator, function, lanes, count, node)
    kind, values, known = _arrays(made, None, node)
    shape = [digit.extent for digit in digits]
    return HostTensor(kind, order, Cells(digits, values.reshape(shape),
                                         None if known is None else known.reshape(shape)))


def _reduced(evaluator: Evaluator, receiver: HostTensor, mapping: Mapping, args: list[Any],
             node: Node) -> HostTensor:
    """Folds the axes that a mapping has not, one index after the other."""
    kept = lay_out(mapping).digits()
    digits = receiver.cells.digits
    if not set(kept) <= set(digits):
        raise Panic(f"the tensor has not the axes of '{mapping}'", node)
    summed = tuple(d for d in digits if d not in kept)
    cells = receiver.cells.fitted((*summed, *kept))
    count = int(np.prod([d.extent for d in kept], dtype=np.int64))
    values = cells.values.reshape(-1, count)
    known = None if cells.known is None else cells.known.reshape(-1, count)
    zero: Any = evaluator.coerce(Number(None, 0), Named(receiver.dtype))
    if evaluator.source.release == "0.1":
        zero = Opt(True, zero)
    total: Any = lanes_of(args[1] if args else zero, count)
    for row in range(values.shape[0]):
        element = _lanes(evaluator, receiver, values[row], None if known is None else known[row])
        if args:
            total = _each(evaluator, args[0], [total, element], count, node)
        else:
            total = operators.binary(evaluator, "+", total, element, node)
    kind, made, is_known = _arrays(total, receiver.dtype, node)
    shape = [d.extent for d in kept]
    return HostTensor(kind, mapping, Cells(kept, made.reshape(shape),
                                           None if is_known is None else is_known.reshape(shape)))
