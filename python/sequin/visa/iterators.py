# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Iterators and lists of tests.

Where elements are numbers, an iterator holds all of them as arrays, and a closure over them
is evaluated once; else, or where that cannot be, element by element.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import library, operators
from .numbers import Number, wrap
from .tree import Node
from .values import (
    Iter,
    NeedsElements,
    Opt,
    Unsupported,
    Variant,
    Vec,
    is_lanes,
    lanes_of,
    none,
    some,
    take,
    truth,
)

if TYPE_CHECKING:
    from .evaluate import Evaluator

__all__ = ["as_iter", "method", "repeated", "vec_method"]

#: Elements that are kept in arrays at most.
MOST = 1 << 26


def as_iter(value: Any, node: Node) -> Iter:
    """What goes over a value's elements."""
    if isinstance(value, Iter):
        return value
    if isinstance(value, library.Range):
        if value.last is not None:
            first, last = value.bounds()
            if last - first > MOST:
                raise Unsupported(f"a range of {last - first} numbers", node)
            return Iter(None, Number(value.type, np.arange(first, last, dtype=np.int64)),
                        last - first)
    if isinstance(value, Vec):
        if value.list is None:
            return Iter(None, value.lanes, value.count)
        try:
            return Iter(None, value.as_lanes(), len(value)) if value.list else Iter(iter([]))
        except NeedsElements:
            return Iter(iter(list(value.list)))
    return Iter(operators.iterate(value, node))


def repeated(name: str, args: list[Any]) -> Iter:
    if name == "repeat":
        return Iter(itertools.repeat(args[0]))
    return Iter(iter([args[0]] * (args[1].data if name == "repeat_n" else 1)))


def _count(value: Any) -> int:
    if not isinstance(value, Number) or not isinstance(value.data, int):
        raise Unsupported("a count is an integer")
    return value.data


# ===--- Adapters ------------------------------------------------------------=== #


def _mapped(evaluator: Evaluator, it: Iter, function: Any, node: Node) -> Iter:
    if it.source is None and it.count:
        try:
            return Iter(None, evaluator.over_lanes(function, [it.lanes], it.count, node), it.count)
        except NeedsElements:
            pass
    return Iter(evaluator.call(function, [element], node) for element in it)


def _filtered(evaluator: Evaluator, it: Iter, function: Any, node: Node) -> Iter:
    if it.source is None and it.count:
        try:
            kept = evaluator.over_lanes(function, [it.lanes], it.count, node)
            return Iter(None, take(it.lanes, kept), int(kept.sum()))
        except NeedsElements:
            pass
    return Iter(e for e in it if truth(evaluator.call(function, [e], node)))


def _flat_mapped(evaluator: Evaluator, it: Iter, function: Any, node: Node) -> Iter:
    if it.source is None and it.count:
        try:
            made = _interleaved(evaluator, it, function, node)
            if made is not None:
                return made
        except NeedsElements:
            pass
    return Iter(inner for element in it
                for inner in as_iter(evaluator.call(function, [element], node), node))


def _interleaved(evaluator: Evaluator, it: Iter, function: Any, node: Node) -> Iter | None:
    """A closure that gives a list of as many elements for each lane."""
    if evaluator.lane_depth:
        raise NeedsElements
    evaluator.lane_depth += 1
    try:
        made = evaluator.call(function, [it.lanes], node)
    finally:
        evaluator.lane_depth -= 1
    if not isinstance(made, Vec) or made.list is None or not made.list:
        return None
    columns = [lanes_of(value, it.count) for value in made.list]
    joined = columns[0]
    order = np.arange(len(columns) * it.count).reshape(len(columns), -1).T.reshape(-1)
    for column in columns[1:]:
        joined = _behind(joined, column)
    return Iter(None, take(joined, order), len(columns) * it.count)


def _behind(left: Any, right: Any) -> Any:
    """Lanes and then others."""
    if isinstance(left, Number) and isinstance(right, Number):
        name, a, b = operators.unify(left, right)
        return Number(name, np.concatenate([a, b]))
    if isinstance(left, Opt) and isinstance(right, Opt):
        if left.value is None or right.value is None:
            raise NeedsElements
        return Opt(np.concatenate([left.known, right.known]), _behind(left.value, right.value),
                   left.computed or right.computed)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return tuple(map(_behind, left, right))
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return np.concatenate([left, right])
    raise NeedsElements


def _zipped(it: Iter, other: Iter) -> Iter:
    if it.source is None and other.source is None:
        count = min(it.count, other.count)
        part = slice(count)
        return Iter(None, (take(it.lanes, part), take(other.lanes, part)), count)
    return Iter(zip(iter(it), iter(other)))


def _enumerated(it: Iter) -> Iter:
    if it.source is None:
        return Iter(None, (Number("usize", np.arange(it.count)), it.lanes), it.count)
    return Iter((Number("usize", i), e) for i, e in enumerate(it))


def _sliced(it: Iter, part: slice) -> Iter:
    if it.source is None:
        count = len(range(*part.indices(it.count)))
        return Iter(None, take(it.lanes, part), count)
    if part.step is not None and part.step < 0:
        return Iter(reversed(list(it)))
    return Iter(itertools.islice(it, part.start, part.stop, part.step))


def _while(evaluator: Evaluator, it: Iter, function: Any, node: Node, taking: bool) -> Iter:
    def test(element: Any) -> bool:
        return truth(evaluator.call(function, [element], node))

    return Iter((itertools.takewhile if taking else itertools.dropwhile)(test, iter(it)))


def _filter_mapped(evaluator: Evaluator, it: Iter, function: Any, node: Node) -> Iterator[Any]:
    for element in it:
        made = evaluator.call(function, [element], node)
        if made.name == "Some":
            yield made.fields[0]


# ===--- What ends an iterator -------------------------------------------------=== #


def _sum(it: Iter, op: str) -> Number:
    if it.source is None and it.count and isinstance(it.lanes, Number):
        data = it.lanes.data
        if it.lanes.is_float:
            function = np.add if op == "+" else np.multiply
            if it.lanes.type in ("f32", "f64"):
                with np.errstate(all="ignore"):
                    return Number(it.lanes.type, function.accumulate(data)[-1])
        elif op == "+":
            return Number(it.lanes.type, wrap(it.lanes.type, int(data.sum(dtype=np.int64))))
    total: Number | None = None
    for element in it:
        total = element if total is None else operators.calculate(op, total, element)
    return Number(None, 0 if op == "+" else 1) if total is None else total


def _extreme(evaluator: Evaluator, it: Iter, name: str, args: list[Any], node: Node) -> Any:
    elements = list(it)
    if not elements:
        return none()
    if name.endswith("_by"):
        signs = {"Less": -1, "Equal": 0, "Greater": 1}

        def compare(a: Any, b: Any) -> int:
            return signs[evaluator.call(args[0], [a, b], node).name]

        key: Any = functools.cmp_to_key(compare)
    elif name.endswith("_by_key"):
        def key(e: Any) -> Any:
            return library.sort_key(evaluator.call(args[0], [e], node))
    else:
        key = library.sort_key
    # Of equal ones Rust's max gives the last.
    if name.startswith("max"):
        return some(max(reversed(elements), key=key))
    return some(min(elements, key=key))


def _all(evaluator: Evaluator, it: Iter, function: Any, node: Node, wanted: bool) -> bool:
    if it.source is None and it.count:
        try:
            found = evaluator.over_lanes(function, [it.lanes], it.count, node)
            return bool(found.all() if wanted else found.any())
        except NeedsElements:
            pass
    answers = (truth(evaluator.call(function, [e], node)) for e in it)
    return all(answers) if wanted else any(answers)


def _fold(evaluator: Evaluator, it: Iter, start: Any, function: Any, node: Node) -> Any:
    for element in it:
        start = evaluator.call(function, [start, element], node)
    return start


def _position(evaluator: Evaluator, it: Iter, function: Any, node: Node) -> Variant:
    for i, element in enumerate(it):
        if truth(evaluator.call(function, [element], node)):
            return some(Number("usize", i))
    return none()


def _collected(it: Iter, want: Any) -> Any:
    kind = getattr(want, "name", "Vec")
    if kind == "String":
        return "".join(map(str, it))
    if kind in ("Result", "Option"):
        made = []
        for element in it:
            if element.name in ("Err", "None"):
                return element
            made.append(element.fields[0])
        return Variant(kind, "Ok" if kind == "Result" else "Some", (Vec.of(made),))
    return it.vec()


def method(evaluator: Evaluator, it: Iter, name: str, args: list[Any], node: Node,
           want: Any) -> Any:
    """A method of an iterator."""
    if name in ("iter", "into_iter", "by_ref", "copied", "cloned", "iter_mut", "clone", "peekable",
                "fuse"):
        return it
    if name == "map":
        return _mapped(evaluator, it, args[0], node)
    if name == "filter":
        return _filtered(evaluator, it, args[0], node)
    if name == "flat_map":
        return _flat_mapped(evaluator, it, args[0], node)
    if name == "flatten":
        return Iter(inner for element in it for inner in as_iter(element, node))
    if name == "filter_map":
        return Iter(_filter_mapped(evaluator, it, args[0], node))
    if name == "zip":
        return _zipped(it, as_iter(args[0], node))
    if name == "chain":
        return Iter(itertools.chain(iter(it), iter(as_iter(args[0], node))))
    if name == "enumerate":
        return _enumerated(it)
    if name in ("take", "skip", "step_by"):
        n = _count(args[0])
        return _sliced(it, {"take": slice(n), "skip": slice(n, None),
                            "step_by": slice(None, None, n)}[name])
    if name == "rev":
        return _sliced(it, slice(None, None, -1))
    if name in ("take_while", "skip_while"):
        return _while(evaluator, it, args[0], node, name == "take_while")
    if name == "cycle":
        return Iter(itertools.cycle(list(it)))
    return _end(evaluator, it, name, args, node, want)


def _end(evaluator: Evaluator, it: Iter, name: str, args: list[Any], node: Node, want: Any) -> Any:
    if name == "collect":
        return _collected(it, want)
    if name in ("sum", "product"):
        return evaluator.coerce(_sum(it, "+" if name == "sum" else "*"), want)
    if name in ("all", "any"):
        return _all(evaluator, it, args[0], node, name == "all")
    if name == "fold":
        return _fold(evaluator, it, args[0], args[1], node)
    if name == "for_each":
        for element in it:
            evaluator.call(args[0], [element], node)
        return ()
    if name in ("count", "len"):
        return Number("usize", it.count if it.source is None else sum(1 for _ in it))
    if name in ("max", "min", "max_by", "min_by", "max_by_key", "min_by_key"):
        return _extreme(evaluator, it, name, args, node)
    if name in ("next", "last", "nth"):
        elements = list(it) if name == "last" else None
        if elements is not None:
            return some(elements[-1]) if elements else none()
        source = iter(it)
        if it.source is None:
            it.source, it.lanes = source, None
        found = next(itertools.islice(source, _count(args[0]) if args else 0, None), None)
        return none() if found is None else some(found)
    if name == "position":
        return _position(evaluator, it, args[0], node)
    if name == "find":
        for element in it:
            if truth(evaluator.call(args[0], [element], node)):
                return some(element)
        return none()
    if name == "unzip":
        pairs = list(it)
        return tuple(Vec.of([pair[side] for pair in pairs]) for side in range(2))
    return NotImplemented


# ===--- Lists ---------------------------------------------------------------=== #


def vec_method(evaluator: Evaluator, vec: Vec, name: str, args: list[Any], node: Node,
               want: Any) -> Any:
    if name == "len":
        return Number("usize", len(vec))
    if name == "is_empty":
        return not len(vec)
    if name in ("iter", "into_iter", "iter_mut"):
        return as_iter(vec, node)
    if name in ("clone", "to_vec", "to_owned", "into_boxed_slice"):
        return vec.copy()
    if name in ("as_slice", "as_ref", "into", "as_mut_slice"):
        return vec
    if name == "try_into":
        return Variant("Result", "Ok", (vec,))
    if name in ("first", "last"):
        return some(vec.at(0 if name == "first" else len(vec) - 1)) if len(vec) else none()
    if name == "get":
        at = _count(args[0])
        return some(vec.at(at)) if 0 <= at < len(vec) else none()
    if name == "contains":
        return any(truth(operators.equal(evaluator, e, args[0])) for e in vec.elements())
    if name in ("chunks", "chunks_exact", "windows"):
        size = _count(args[0])
        step = 1 if name == "windows" else size
        stop = len(vec) if name == "chunks" else len(vec) - size + 1
        return Iter(vec.part(i, min(i + size, len(vec))) for i in range(0, max(stop, 0), step))
    if name == "map":
        return _mapped(evaluator, as_iter(vec, node), args[0], node).vec()
    return _vec_changed(evaluator, vec, name, args, node, want)


def _vec_changed(evaluator: Evaluator, vec: Vec, name: str, args: list[Any], node: Node,
                 want: Any) -> Any:
    changes = ("push", "pop", "extend", "extend_from_slice", "reverse", "sort", "swap", "clear",
               "truncate", "sort_by", "fill")
    if name not in changes:
        if name == "concat":
            return Vec.of([e for inner in vec.elements() for e in inner.elements()])
        return method(evaluator, as_iter(vec, node), name, args, node, want)
    if evaluator.lane_depth or any(is_lanes(a) for a in args):
        raise NeedsElements
    elements = vec.elements()
    if name == "push":
        elements.append(args[0])
    elif name == "pop":
        return some(elements.pop()) if elements else none()
    elif name.startswith("extend"):
        elements.extend(as_iter(args[0], node))
    elif name == "reverse":
        elements.reverse()
    elif name == "sort":
        elements.sort(key=library.sort_key)
    elif name == "sort_by":
        signs = {"Less": -1, "Equal": 0, "Greater": 1}
        elements.sort(key=functools.cmp_to_key(
            lambda a, b: signs[evaluator.call(args[0], [a, b], node).name]))
    elif name == "swap":
        a, b = _count(args[0]), _count(args[1])
        elements[a], elements[b] = elements[b], elements[a]
    elif name == "fill":
        elements[:] = [args[0]] * len(elements)
    else:
        del elements[0 if name == "clear" else _count(args[0]):]
    return ()
