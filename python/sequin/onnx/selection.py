# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that choose elements by positions: gathers, scatters, the greatest ones."""

from __future__ import annotations

import math

import numpy as np

from .body import Body, Scalar
from .builder import Tensor, loops
from .node import Node, operator
from .types import INT64

__all__ = ["clamped_from_end"]

#: So many pairs of elements are compared to find the order of all.
MOST_PAIRS = 2**28


def clamped_from_end(b: Body, at: Scalar, size: int, low: int) -> Scalar:
    """A position; negative ones count from the end."""
    if low >= 0:
        return at
    wrapped = b.add(at, b.constant(size, "i32"))
    return b.select(b.compare("lt", at, b.constant(0, "i32")), wrapped, at)


def _indices(node: Node, place: int) -> Tensor:
    indices = node.input(place)
    if not indices.kind.is_integer:
        node.refuse(f"has indices of {indices.kind}, expected integers")
    return indices


def _check_places(node: Node, indices: Tensor, size: int) -> None:
    """Refuses known positions outside."""
    if indices.data is not None and indices.size:
        low, high = indices.bounds
        if low < -size or high >= size:
            node.refuse(f"reads position {low if low < -size else high}, there are {size}")


@operator("Gather")
def gather(node: Node) -> Tensor:
    x, indices = node.input(0), _indices(node, 1)
    axis = node.axis(node.int("axis"), x.rank)
    size = x.shape[axis]
    _check_places(node, indices, size)
    if indices.data is not None and indices.size:
        places = indices.data.reshape(-1).astype(np.int64)
        taken = node.b.take(x, axis, np.where(places < 0, places + size, places))
        return node.b.reshape(taken, [*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]])
    return node.b.gather(x, axis, indices)


@operator("GatherElements")
def gather_elements(node: Node) -> Tensor:
    x, indices = node.input(0), _indices(node, 1)
    axis = node.axis(node.int("axis"), x.rank)
    if indices.rank != x.rank:
        node.refuse(f"has indices of {indices.rank} dimensions, its input has {x.rank}")
    _check_places(node, indices, x.shape[axis])
    size = x.shape[axis]
    source = node.b.use(x)
    low = indices.bounds[0]

    def code(b: Body, at: Scalar) -> Scalar:
        where: list[Scalar] = [
            b.emit(f"linalg.index {i} : index", "index") for i in range(x.rank)
        ]
        where[axis] = clamped_from_end(b, at, size, low)
        return b.extract(source, x.type, x.kind, where)

    result = node.b.generic(indices.shape, [(indices, loops(x.rank))], code, [x.kind])[0]
    result.range = x.range
    return result


@operator("GatherND")
def gather_nd(node: Node) -> Tensor:
    x, indices = node.input(0), _indices(node, 1)
    batch = node.int("batch_dims")
    if indices.rank == 0 or not 0 <= batch < min(x.rank, indices.rank):
        node.refuse(f"has {batch} batch dimensions, its inputs {x.rank} and {indices.rank}")
    depth = indices.shape[-1]
    if batch + depth > x.rank or x.shape[:batch] != indices.shape[:batch]:
        node.refuse(f"has indices of shape {list(indices.shape)} for an input of {list(x.shape)}")
    outer = indices.shape[:-1]
    inner = x.shape[batch + depth :]
    shape = (*outer, *inner)
    sizes = x.shape
    source, low = node.b.use(x), indices.bounds[0]
    operands = [(indices, [*loops(len(outer)), str(i)]) for i in range(depth)]

    def code(b: Body, *at: Scalar) -> Scalar:
        where = [b.emit(f"linalg.index {i} : index", "index") for i in range(batch)]
        where += [clamped_from_end(b, p, sizes[batch + i], low) for i, p in enumerate(at)]
        where += [b.emit(f"linalg.index {len(outer) + i} : index", "index")
                  for i in range(len(inner))]
        return b.extract(source, x.type, x.kind, where)

    if indices.splat is not None:
        known = node.b.broadcast(indices, indices.shape)
        operands = [(known, [*loops(len(outer)), str(i)]) for i in range(depth)]
    result = node.b.generic(shape, operands, code, [x.kind])[0]
    result.range = x.range
    return result


@operator("ScatterND")
def scatter_nd(node: Node) -> Tensor:
    """Every place of the result looks for the update that names it; the last one counts.
    Sums and extrema take all of them."""
    x, indices, updates = node.input(0), _indices(node, 1), node.input(2)
    node.same_kinds([x, updates])
    how = node.text("reduction", "none")
    depth = indices.shape[-1] if indices.rank else 0
    inner = x.shape[depth:]
    if not 0 < depth <= x.rank or updates.shape != (*indices.shape[:-1], *inner):
        node.refuse(
            f"has indices of shape {list(indices.shape)} and updates of {list(updates.shape)} for "
            f"an input of {list(x.shape)}"
        )
    count = math.prod(indices.shape[:-1])
    places = math.prod(x.shape[:depth])
    b = node.b
    table = b.reshape(indices, [count, depth])
    rows = b.reshape(updates, [count, math.prod(inner)])
    base = b.reshape(x, [places, math.prod(inner)])
    flat = _flat_places(node, table, x.shape[:depth])
    return b.reshape(_scatter_rows(node, base, flat, rows, how), x.shape)


def _flat_places(node: Node, table: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """Row-major positions of coordinates: ``[count]``."""
    low = table.bounds[0]
    if math.prod(sizes) >= 2**31:
        node.refuse(f"writes into {math.prod(sizes)} places, whose positions are no i32")
    if table.data is not None:
        at = table.data.astype(np.int64)
        at = np.where(at < 0, at + np.asarray(sizes), at)
        return node.b.constant(at @ np.asarray([math.prod(sizes[i + 1 :])
                                                for i in range(len(sizes))]), INT64)

    def code(b: Body, *at: Scalar) -> Scalar:
        total = clamped_from_end(b, at[0], sizes[0], low)
        for i in range(1, len(sizes)):
            place = clamped_from_end(b, at[i], sizes[i], low)
            total = b.add(b.mul(total, b.constant(sizes[i], "i32")), place)
        return total

    operands = [(table, ["d0", str(i)]) for i in range(len(sizes))]
    result = node.b.generic(table.shape[:1], operands, code, [INT64])[0]
    result.range = (0, math.prod(sizes) - 1)
    return result


def _scatter_rows(node: Node, base: Tensor, flat: Tensor, rows: Tensor, how: str) -> Tensor:
    """`base` with `rows` at the places `flat`: written, added, multiplied, or compared."""
    b = node.b
    (places, width), count = base.shape, rows.shape[0]
    if how == "none" and count == 1:
        return b.insert_row(rows, base, flat)
    if how == "none":
        # The last update of each place, or -1; then that row or what was there.
        init = b.fill([places], INT64, -1)
        (last,) = b.generic(
            [places, count],
            [(flat, ["d1"])],
            lambda c, at, best: c.max(best, c.select(
                c.compare("eq", at, c.index(0)), c.index(1), c.constant(-1, "i32"))),
            [INT64],
            outs=[["d0"]],
            inits=[init],
        )
        source = b.use(rows)

        def pick(c: Body, row: Scalar, old: Scalar) -> Scalar:
            none = c.compare("lt", row, c.constant(0, "i32"))
            column = c.emit("linalg.index 1 : index", "index")
            at = c.max(row, c.constant(0, "i32"))
            new = c.extract(source, rows.type, rows.kind, [at, column])
            return c.select(none, old, new)

        return b.generic([places, width], [(last, ["d0"]), (base, ["d0", "d1"])], pick,
                         [base.kind])[0]
    steps = {"add": (Body.add, 0), "mul": (Body.mul, 1), "max": (Body.max, None),
             "min": (Body.min, None)}
    if how not in steps:
        node.refuse(
            f"has attribute 'reduction' = '{how}', expected 'none', 'add', 'mul', 'max' or "
            "'min'"
        )
    step, neutral = steps[how]
    if neutral is None:
        ends = (-math.inf, math.inf) if base.kind.is_float else base.kind.passed_range
        neutral = ends[0] if how == "max" else ends[1]
    if base.kind.is_integer and base.kind.bits > 32 and how in ("add", "mul"):
        node.refuse(f"adds up {base.kind}, which may not fit in i32, the machine's widest integer")

    def merge(c: Body, at: Scalar, new: Scalar, total: Scalar) -> Scalar:
        here = c.compare("eq", at, c.index(0))
        return step(c, total, c.select(here, new, c.like(new, neutral)))

    (merged,) = b.generic(
        [places, width, count],
        [(flat, ["d2"]), (rows, ["d2", "d1"])],
        merge,
        [base.kind],
        outs=[["d0", "d1"]],
        inits=[b.fill([places, width], base.kind, neutral)],
    )
    return b.map([base, merged], step, base.kind)


@operator("ScatterElements", "Scatter")
def scatter_elements(node: Node) -> Tensor:
    """Along one dimension; every line of it is scattered by itself."""
    x, indices, updates = node.input(0), _indices(node, 1), node.input(2)
    node.same_kinds([x, updates])
    axis = node.axis(node.int("axis"), x.rank)
    how = node.text("reduction", "none")
    if indices.shape != updates.shape or indices.rank != x.rank:
        node.refuse(
            f"has indices of shape {list(indices.shape)} and updates of "
            f"{list(updates.shape)}"
        )
    b, low, size = node.b, indices.bounds[0], x.shape[axis]
    for i, (n, most) in enumerate(zip(indices.shape, x.shape)):
        if i != axis and n > most:
            node.refuse(f"has {n} indices in dimension {i}, its input has {most}")
    inside = [indices.shape[i] if i != axis else x.shape[i] for i in range(x.rank)]
    part = b.slice(x, [0] * x.rank, inside)
    count = indices.shape[axis]
    sizes = [*inside, count]
    at = loops(x.rank)
    at[axis] = f"d{x.rank}"
    if how == "none":
        (last,) = b.generic(
            sizes,
            [(indices, at)],
            lambda c, place, best: c.max(best, c.select(
                c.compare("eq", clamped_from_end(c, place, size, low), c.index(axis)),
                c.index(x.rank), c.constant(-1, "i32"))),
            [INT64],
            outs=[loops(x.rank)],
            inits=[b.fill(inside, INT64, -1)],
        )
        source = b.use(updates)

        def pick(c: Body, row: Scalar, old: Scalar) -> Scalar:
            where: list[Scalar] = [c.emit(f"linalg.index {i} : index", "index")
                                   for i in range(x.rank)]
            where[axis] = c.max(row, c.constant(0, "i32"))
            new = c.extract(source, updates.type, updates.kind, where)
            return c.select(c.compare("lt", row, c.constant(0, "i32")), old, new)

        operands = [(last, loops(x.rank)), (part, loops(x.rank))]
        merged = b.generic(inside, operands, pick, [x.kind])[0]
    else:
        merged = _merge_elements(node, part, indices, updates, axis, how)
    return merged if tuple(inside) == x.shape else b.insert(merged, x, [0] * x.rank)


def _merge_elements(node: Node, part: Tensor, indices: Tensor, updates: Tensor, axis: int,
                    how: str) -> Tensor:
    b, kind, rank = node.b, part.kind, part.rank
    steps = {"add": (Body.add, 0), "mul": (Body.mul, 1), "max": (Body.max, None),
             "min": (Body.min, None)}
    if how not in steps:
        node.refuse(
            f"has attribute 'reduction' = '{how}', expected 'none', 'add', 'mul', 'max' or "
            "'min'"
        )
    if kind.is_integer and kind.bits > 32 and how in ("add", "mul"):
        node.refuse(f"adds up {kind}, which may not fit in i32, the machine's widest integer")
    step, neutral = steps[how]
    if neutral is None:
        ends = (-math.inf, math.inf) if kind.is_float else kind.passed_range
        neutral = ends[0] if how == "max" else ends[1]
    at = loops(rank)
    at[axis] = f"d{rank}"
    low, size = indices.bounds[0], part.shape[axis]

    def merge(c: Body, place: Scalar, new: Scalar, total: Scalar) -> Scalar:
        here = c.compare("eq", clamped_from_end(c, place, size, low), c.index(axis))
        return step(c, total, c.select(here, new, c.like(new, neutral)))

    (merged,) = b.generic(
        [*part.shape, indices.shape[axis]],
        [(indices, at), (updates, at)],
        merge,
        [kind],
        outs=[loops(rank)],
        inits=[b.fill(part.shape, kind, neutral)],
    )
    return b.map([part, merged], step, kind)


# ===--- Order -------------------------------------------------------------=== #


def _last(node: Node, x: Tensor, axis: int) -> tuple[Tensor, list[int]]:
    """`x` with `axis` last, and the order that undoes it."""
    order = [i for i in range(x.rank) if i != axis] + [axis]
    return node.b.transpose(x, order), [order.index(i) for i in range(x.rank)]


@operator("TopK")
def top_k(node: Node) -> list[Tensor | None]:
    """The rank of an element is how many come before it; place p of the result has the
    one of rank p."""
    x = node.input(0)
    axis = node.axis(node.int("axis", -1), x.rank)
    count = node.int("k") if node.opset < 10 else int(node.known(1, "count").reshape(-1)[0])
    largest = node.int("largest", 1)
    size = x.shape[axis]
    if not 0 < count <= size:
        node.refuse(f"takes {count} of {size} elements")
    if x.size * size > MOST_PAIRS:
        node.refuse(
            f"orders {size} elements of shape {list(x.shape)}, {x.size * size} pairs of elements "
            f"are compared, at most {MOST_PAIRS} are",
            "choose outside of the model",
        )
    b = node.b
    turned, back = _last(node, x, axis)
    rows = turned.size // size
    flat = b.reshape(turned, [rows, size])

    def before(c: Body, mine: Scalar, other: Scalar, total: Scalar) -> Scalar:
        first = c.compare("gt" if largest else "lt", other, mine)
        same = c.compare("eq", other, mine)
        earlier = c.compare("lt", c.index(2), c.index(1))
        comes = c.bitor(first, c.bitand(same, earlier))
        return c.add(total, c.to_int(comes))

    operands = [(flat, ["d0", "d1"]), (flat, ["d0", "d2"])]
    (ranks,) = b.generic([rows, size, size], operands, before, [INT64], outs=[["d0", "d1"]],
                         inits=[b.fill([rows, size], INT64, 0)])
    (chosen,) = b.generic(
        [rows, count, size],
        [(ranks, ["d0", "d2"])],
        lambda c, rank, best: c.max(best, c.select(
            c.compare("eq", rank, c.index(1)), c.index(2), c.constant(0, "i32"))),
        [INT64],
        outs=[["d0", "d1"]],
        inits=[b.fill([rows, count], INT64, 0)],
    )
    chosen.range = (0, size - 1)
    source = b.use(flat)

    def pick(c: Body, at: Scalar) -> Scalar:
        row = c.emit("linalg.index 0 : index", "index")
        return c.extract(source, flat.type, flat.kind, [row, at])

    values = b.generic([rows, count], [(chosen, ["d0", "d1"])], pick, [x.kind])[0]
    values.range = x.range
    shape = [*turned.shape[:-1], count]
    results: list[Tensor | None] = []
    for place, tensor in enumerate((values, chosen)):
        wanted = node.wants(place)
        results.append(b.transpose(b.reshape(tensor, shape), back) if wanted else None)
    return results


@operator("OneHot")
def one_hot(node: Node) -> Tensor:
    indices, values = node.input(0), node.input(2)
    depth = int(node.known(1, "depth").reshape(-1)[0])
    axis = node.axis(node.int("axis", -1), indices.rank + 1)
    if depth < 1 or values.shape != (2,):
        node.refuse(f"has depth {depth} and values of shape {list(values.shape)}, expected [2]")
    shape = [*indices.shape[:axis], depth, *indices.shape[axis:]]
    node.check_size(shape)
    places = [f"d{i if i < axis else i + 1}" for i in range(indices.rank)]

    def code(b: Body, at: Scalar, off: Scalar, on: Scalar) -> Scalar:
        if indices.kind.is_float:
            at = b.to_int(b.math("trunc", at))
        at = clamped_from_end(b, at, depth, -1)
        return b.select(b.compare("eq", at, b.index(axis)), on, off)

    operands = [(indices, places), (node.b.slice(values, [0], [1]), ["0"]),
                (node.b.slice(values, [1], [1]), ["0"])]
    result = node.b.generic(shape, operands, code, [values.kind])[0]
    result.range = values.range
    return result
