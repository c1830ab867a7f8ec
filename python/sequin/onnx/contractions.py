# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products and einsums."""

from __future__ import annotations

import re
import string

from .body import Body, Scalar
from .builder import Builder, Tensor, broadcast_shapes
from .node import Node, operator
from .types import FLOAT32, INT32, ElementType

__all__ = ["matmul", "product_kind", "rounded", "without_units"]


def product_kind(kind: ElementType) -> ElementType:
    """What sums of products of `kind` are added up in."""
    return FLOAT32 if kind.is_float else INT32


def rounded(b: Builder, x: Tensor, kind: ElementType) -> Tensor:
    """A sum in the type that the operator gives."""
    return x if x.kind is kind else b.map([x], lambda c, v: v, kind)


def matmul(node: Node, x: Tensor, y: Tensor, kind: ElementType | None = None) -> Tensor:
    """``x @ y`` by NumPy's rules, summed in f32 or i32 and given in that type unless
    `kind` says otherwise."""
    b = node.b
    if x.rank == 0 or y.rank == 0:
        node.refuse("multiplies matrices, an input is a single number")
    left = b.reshape(x, (1, *x.shape)) if x.rank == 1 else x
    right = b.reshape(y, (*y.shape, 1)) if y.rank == 1 else y
    batch = broadcast_shapes([left.shape[:-2], right.shape[:-2]])
    (rows, inner), (depth, columns) = left.shape[-2:], right.shape[-2:]
    if batch is None or inner != depth:
        node.refuse(
            f"multiplies shapes {list(x.shape)} and {list(y.shape)}, which do not go "
            "together"
        )
    result = _product(b, left, right, batch)
    shape = list(batch)
    shape += [rows] if x.rank > 1 else []
    shape += [columns] if y.rank > 1 else []
    return b.reshape(rounded(b, result, kind or result.kind), shape)


def _product(b: Builder, x: Tensor, y: Tensor, batch: tuple[int, ...]) -> Tensor:
    """Of matrices in batches that are broadcast; loops of size 1 are none."""
    rows, inner, columns = x.shape[-2], x.shape[-1], y.shape[-1]
    count = len(batch)
    if count and y.rank == 2 and x.shape[:-2] == batch:
        # One matrix for the whole batch: a batch is rows.
        flat = b.reshape(x, [x.size // inner, inner])
        return b.reshape(_product(b, flat, y, ()), [*batch, rows, columns])
    sizes = [*batch, rows, columns, inner]
    m, n, k = (f"d{count + i}" for i in range(3))

    def operand(tensor: Tensor, row: str, column: str) -> tuple[Tensor, list[str]]:
        first = count - (tensor.rank - 2)
        indices = [
            "0" if size == 1 and batch[first + i] != 1 else f"d{first + i}"
            for i, size in enumerate(tensor.shape[:-2])
        ]
        return tensor, [*indices, row, column]

    # A broadcast dimension of a factor goes: an index that is constant is no contraction.
    left, right = (without_units(b, *o) for o in (operand(x, m, k), operand(y, k, n)))
    out = [*(f"d{i}" for i in range(count)), m, n]
    return b.contract(left, right, sizes, out, product_kind(x.kind))


def without_units(b: Builder, x: Tensor, indices: list[str]) -> tuple[Tensor, list[str]]:
    shape = [size for size, e in zip(x.shape, indices) if e != "0"]
    return b.reshape(x, shape), [e for e in indices if e != "0"]


@operator("MatMul")
def matmul_node(node: Node) -> Tensor:
    x, y = node.input(0), node.input(1)
    kind = node.same_kinds([x, y])
    if kind.is_bool or (kind.is_integer and kind.name != "int32"):
        node.refuse(f"multiplies floats or int32, its inputs are of {kind}")
    return matmul(node, x, y, kind)


@operator("Gemm")
def gemm(node: Node) -> Tensor:
    """alpha * A B + beta * C, each of A and B turned if asked for."""
    x, y, c = node.input(0), node.input(1), node.optional(2)
    kind = node.same_kinds([x, y])
    alpha, beta = node.float("alpha", 1.0), node.float("beta", 1.0)
    if x.rank != 2 or y.rank != 2:
        node.refuse(f"multiplies matrices, its inputs have {x.rank} and {y.rank} dimensions")
    if not kind.is_float and (kind.name != "int32" or alpha != 1 or beta != 1):
        node.refuse(f"works on floats, its inputs are of {kind}")
    left = ["d2", "d0"] if node.int("transA") else ["d0", "d2"]
    right = ["d1", "d2"] if node.int("transB") else ["d2", "d1"]
    rows, inner = x.shape[left.index("d0")], x.shape[left.index("d2")]
    columns, depth = y.shape[right.index("d1")], y.shape[right.index("d2")]
    if inner != depth:
        node.refuse(
            f"multiplies shapes {list(x.shape)} and {list(y.shape)}, which do not go "
            "together"
        )
    b = node.b
    total = b.contract((x, left), (y, right), [rows, columns, inner], ["d0", "d1"],
                       product_kind(kind))
    parts = [total]
    if c is not None and beta != 0:
        if broadcast_shapes([c.shape, (rows, columns)]) != (rows, columns):
            node.refuse(f"adds shape {list(c.shape)} to a product of {rows} by {columns}")
        parts.append(c)

    def finish(code: Body, v: Scalar, *rest: Scalar) -> Scalar:
        if alpha != 1:
            v = code.mul(v, code.constant(alpha, "f32"))
        for w in rest:
            v = code.add(v, code.mul(w, code.constant(beta, "f32")) if beta != 1 else w)
        return v

    if len(parts) == 1 and alpha == 1:
        return rounded(b, total, kind)
    return b.map(parts, finish, kind, (rows, columns))


# ===--- Einsum ------------------------------------------------------------=== #


def _terms(node: Node, equation: str, tensors: list[Tensor]) -> tuple[list[str], str]:
    """Letters for every dimension of every operand and of the result; the dimensions of
    an ellipsis get letters that the equation has not."""
    text = equation.replace(" ", "")
    if not re.fullmatch(r"[A-Za-z.,]*(->[A-Za-z.]*)?", text) or not text:
        node.refuse(f"has equation '{equation}', which is none")
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(tensors):
        node.refuse(f"has equation '{equation}' for {len(tensors)} inputs")
    free = [c for c in string.ascii_letters if c not in text]
    ranks = [t.rank - len(term.replace("...", "")) for t, term in zip(tensors, terms)]
    more = max((r for r, term in zip(ranks, terms) if "..." in term), default=0)
    if more > len(free) or more < 0:
        node.refuse(f"has equation '{equation}' for inputs of other ranks")
    ellipsis = "".join(free[:more])
    full = []
    for term, rank, tensor in zip(terms, ranks, tensors):
        if term.count("...") > 1 or (rank != 0 and "..." not in term) or rank < 0:
            node.refuse(
                f"has equation '{equation}', its term '{term}' is for another rank than "
                f"{tensor.rank}"
            )
        full.append(term.replace("...", ellipsis[more - rank :] if rank else ""))
    if any("." in term for term in full):
        node.refuse(f"has equation '{equation}', which is none")
    if arrow:
        result = output.replace("...", ellipsis)
    else:
        once = sorted(c for c in set("".join(terms)) - {"."} if inputs.count(c) == 1)
        result = ellipsis + "".join(once)
    if len(set(result)) != len(result) or not set(result) <= set("".join(full)):
        node.refuse(f"has equation '{equation}', whose result has an index twice or of no input")
    return full, result


@operator("Einsum")
def einsum(node: Node) -> Tensor:
    tensors = node.required()
    kind = node.same_kinds(tensors)
    if kind.is_bool or (kind.is_integer and kind.bits > 32):
        node.refuse(f"multiplies floats or integers of up to 32 bits, its inputs are of {kind}")
    terms, result = _terms(node, node.text("equation"), tensors)
    sizes: dict[str, int] = {}
    for term, tensor in zip(terms, tensors):
        for letter, size in zip(term, tensor.shape):
            if sizes.get(letter, 1) == 1:
                sizes[letter] = size
            elif size not in (1, sizes[letter]):
                node.refuse(f"has sizes {sizes[letter]} and {size} for index '{letter}'")
    b = node.b
    operands = [_einsum_operand(b, t, term, sizes) for t, term in zip(tensors, terms)]
    order = [*result, *sorted(set(sizes) - set(result))]
    place = {letter: f"d{i}" for i, letter in enumerate(order)}
    extents = [sizes[letter] for letter in order]
    out = [place[letter] for letter in result]
    wide = product_kind(kind)
    ins = [(tensor, [place[letter] for letter in term]) for tensor, term in operands]
    used = {letter for _, term in operands for letter in term}
    if set(result) - used:
        node.refuse("makes a dimension that no input has")

    def code(c: Body, *words: Scalar) -> Scalar:
        *factors, total = words
        product = factors[0]
        for factor in factors[1:]:
            product = c.mul(product, factor)
        return c.add(total, product)

    shape = [sizes[letter] for letter in result]
    if len(operands) > 1:
        b.count_macs(extents)
    if len(out) == len(order):
        # Nothing is summed: the same without a running total.
        (summed,) = b.generic(extents, ins, lambda c,
                              *w: code(c, *w, c.like(w[0], 0)) if len(w) > 1 else w[0],
                              [wide], outs=[out])
    else:
        (summed,) = b.generic(extents, ins, code, [wide], outs=[out],
                              inits=[b.fill(shape, wide, 0)])
    return rounded(b, summed, kind)


def _einsum_operand(b: Builder, x: Tensor, term: str, sizes: dict[str, int]) -> tuple[Tensor, str]:
    """Without dimensions of size 1 that stand for others, and with its diagonal in place
    of an index that it has twice."""
    keep = [i for i, letter in enumerate(term) if x.shape[i] == sizes[letter]]
    x = b.reshape(x, [x.shape[i] for i in keep])
    term = "".join(term[i] for i in keep)
    letters = list(dict.fromkeys(term))
    if len(letters) == len(term):
        return x, term
    indices = [f"d{letters.index(letter)}" for letter in term]
    return b.copy(x, [sizes[letter] for letter in letters], indices), "".join(letters)
