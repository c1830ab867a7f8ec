# ===- cache_rows.py - Rows written at run-time positions against NumPy ----=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Inserts rows into tensors at positions that are arguments, and reads what comes of it.
Every result is compared with NumPy's and with the reference interpreter's. Prints for each
case where its rows go, as --report-mapping says; exit status 1 if one differs. With names
as arguments only these cases run.
"""

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import simulate
from elements import CARRIER, Array, round_bf16

Shape = tuple[int, ...]


def tensor(shape: Shape, element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


@dataclass
class Case:
    name: str
    arguments: list[tuple[str, str]]  # type and what it holds: "data" or a position
    body: str  # with %0, %1 the arguments
    results: list[str]  # types
    expected: Callable[..., list[Array]]
    tolerance: float = 0.0
    status: str = "pass"
    words: str = ""  # of the error
    extra: list[str] = field(default_factory=list)


POSITION = """
  %n{i} = tensor.extract %{i}[] : tensor<i32>
  %p{i} = arith.index_cast %n{i} : i32 to index"""


def insert(dest: str, row: str, shape: Shape, count: int, dim: int, element: str, at: str,
           drops: bool = False) -> str:
    """The value of an insertion of `count` rows along `dim`."""
    sizes = [count if i == dim else size for i, size in enumerate(shape)]
    source = tuple(size for i, size in enumerate(sizes) if not (drops and i == dim))
    offsets = ", ".join(at if i == dim else "0" for i in range(len(shape)))
    ones = ", ".join("1" for _ in shape)
    return (f"tensor.insert_slice {row} into {dest}[{offsets}] {sizes} [{ones}] : "
            f"{tensor(source, element)} into {tensor(shape, element)}")


def written(cache: Array, row: Array, at: int, dim: int = 0) -> Array:
    result = cache.copy()
    count = 1 if row.ndim < cache.ndim else row.shape[dim]
    rows = np.expand_dims(row, dim) if row.ndim < cache.ndim else row
    index: list[slice] = [slice(None)] * cache.ndim
    index[dim] = slice(at, at + count)
    result[tuple(index)] = rows
    return result


def row_case(name: str, shape: Shape, at: int, element: str, count: int = 1, dim: int = 0,
             drops: bool = False, **more: object) -> Case:
    """A cache in which `count` rows are written, and nothing else."""
    whole = tensor(shape, element)
    rows = tuple(count if i == dim else size for i, size in enumerate(shape)
                 if not (drops and i == dim))
    body = POSITION.format(i=2) + f"""
  %r = {insert('%0', '%1', shape, count, dim, element, '%p2', drops)}
  return %r : {whole}"""
    return Case(name, [(whole, "data"), (tensor(rows, element), "data"), ("tensor<i32>", str(at))],
                body, [whole], lambda cache, row, at: [written(cache, row, int(at), dim)],
                **more)  # type: ignore[arg-type]


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


CONTRACTION = """
  %{out} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
      ins({ins}) outs({outs}) {{
  ^bb0(%x: bf16, %w: bf16, %s: f32):
    %e = arith.extf %x : bf16 to f32
    %f = arith.extf %w : bf16 to f32
    %m = arith.mulf %e, %f : f32
    %a = arith.addf %s, %m : f32
    linalg.yield %a : f32
  }} -> {type}"""


def attention(name: str, positions: int, size: int, queries: int, at: int,
              reads_old: bool = False) -> Case:
    """A step: both caches get a row, then queries look at all keys, or at the old ones."""
    cache, row = tensor((positions, size), "bf16"), tensor((1, size), "bf16")
    q, scores, out = (tensor((queries, size), "bf16"), tensor((queries, positions), "f32"),
                      tensor((queries, size), "f32"))
    narrow = tensor((queries, positions), "bf16")
    pair = 'affine_map<(q, p, d) -> ({})>'
    first = CONTRACTION.format(
        out="qk", maps=", ".join(pair.format(m) for m in ("q, d", "p, d", "q, p")),
        kinds='"parallel", "parallel", "reduction"',
        ins=f"%2, {'%0' if reads_old else '%keys'} : {q}, {cache}", outs=f"%z : {scores}",
        type=scores)
    second = CONTRACTION.format(
        out="out", maps=", ".join(pair.format(m) for m in ("q, p", "p, d", "q, d")),
        kinds='"parallel", "reduction", "parallel"',
        ins=f"%weights, %values : {narrow}, {cache}", outs=f"%zo : {out}", type=out)
    body = POSITION.format(i=5) + f"""
  %zero = arith.constant 0.0 : f32
  %keys = {insert('%0', '%3', (positions, size), 1, 0, 'bf16', '%p5')}
  %values = {insert('%1', '%4', (positions, size), 1, 0, 'bf16', '%p5')}
  %ze = tensor.empty() : {scores}
  %z = linalg.fill ins(%zero : f32) outs(%ze : {scores}) -> {scores}
{first}
  %soft = linalg.softmax dimension(1) ins(%qk : {scores}) outs(%ze : {scores}) -> {scores}
  %we = tensor.empty() : {narrow}
  %weights = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
      ins(%soft : {scores}) outs(%we : {narrow}) {{
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  }} -> {narrow}
  %oe = tensor.empty() : {out}
  %zo = linalg.fill ins(%zero : f32) outs(%oe : {out}) -> {out}
{second}
  return %out, %keys, %values : {out}, {cache}, {cache}"""

    def expected(keys: Array, values: Array, query: Array, key: Array, value: Array,
                 at: Array) -> list[Array]:
        new_keys, new_values = written(keys, key, int(at)), written(values, value, int(at))
        weights = round_bf16(softmax(query @ (keys if reads_old else new_keys).T))
        return [weights @ new_values, new_keys, new_values]

    types = [cache, cache, q, row, row]
    return Case(name, [(t, "data") for t in types] + [("tensor<i32>", str(at))], body,
                [out, cache, cache], expected, tolerance=0.02)


def old_value(name: str, shape: Shape, at: int, before: bool) -> Case:
    """Twice the old cache beside the new one, computed before or after the write."""
    whole, row = tensor(shape, "f32"), tensor((1, *shape[1:]), "f32")
    write = f"\n  %r = {insert('%0', '%1', shape, 1, 0, 'f32', '%p2')}"
    double = f"""
  %e = tensor.empty() : {whole}
  %d = linalg.add ins(%0, %0 : {whole}, {whole}) outs(%e : {whole}) -> {whole}"""
    body = POSITION.format(i=2) + (double + write if before else write + double) + f"""
  return %r, %d : {whole}, {whole}"""
    return Case(name, [(whole, "data"), (row, "data"), ("tensor<i32>", str(at))], body,
                [whole, whole], lambda c, r, at: [written(c, r, int(at)), c + c])


def old_in_later(name: str, soft: bool) -> Case:
    """What is computed of the old cache is used with the new one: it must not move there."""
    shape = (32, 32)
    whole, row, sums = tensor(shape, "f32"), tensor((1, 32), "f32"), tensor((32,), "f32")
    write = insert("%0", "%1", shape, 1, 0, "f32", "%p2")
    if soft:
        same, first = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (i)>"
        loops = '"parallel", "parallel"'
        later = f"""
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : {sums}
  %sz = linalg.fill ins(%zero : f32) outs(%se : {sums}) -> {sums}
  %s = linalg.reduce {{ arith.addf }} ins(%d : {whole}) outs(%sz : {sums}) dimensions = [1]
  %q = linalg.generic {{indexing_maps = [{same}, {first}, {same}], iterator_types = [{loops}]}}
      ins(%d, %s : {whole}, {sums}) outs(%e : {whole}) {{
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t = arith.divf %x, %y : f32
    linalg.yield %t : f32
  }} -> {whole}"""
    else:
        later = f"""
  %q = linalg.mul ins(%d, %r : {whole}, {whole}) outs(%e : {whole}) -> {whole}"""
    body = POSITION.format(i=2) + f"""
  %e = tensor.empty() : {whole}
  %d = linalg.exp ins(%0 : {whole}) outs(%e : {whole}) -> {whole}
  %r = {write}{later}
  return %r, %q : {whole}, {whole}"""

    def expected(cache: Array, row: Array, at: Array) -> list[Array]:
        new, d = written(cache, row, int(at)), np.exp(cache)
        return [new, d / d.sum(1, keepdims=True) if soft else d * new]

    return Case(name, [(whole, "data"), (row, "data"), ("tensor<i32>", "9")], body,
                [whole, whole], expected, tolerance=1e-5)


def blocks_of_rows() -> Case:
    """Chips have blocks of rows of the old cache and of the new one, which no chip can write
    at a position of its own: the new blocks come from where the row was written."""
    shape = (64, 32)
    whole, row = tensor(shape, "f32"), tensor((1, 32), "f32")
    pin = "{sequin.pin = {chips = array<i64: 4, 0>}}"
    body = POSITION.format(i=2) + f"""
  %e = tensor.empty() : {whole}
  %d = linalg.exp {pin} ins(%0 : {whole}) outs(%e : {whole}) -> {whole}
  %r = {insert('%0', '%1', shape, 1, 0, 'f32', '%p2')}
  %n = linalg.tanh {pin} ins(%r : {whole}) outs(%e : {whole}) -> {whole}
  return %d, %n, %r : {whole}, {whole}, {whole}"""

    def expected(cache: Array, row: Array, at: Array) -> list[Array]:
        new = written(cache, row, int(at))
        return [np.exp(cache), np.tanh(new), new]

    return Case("blocks_of_rows", [(whole, "data"), (row, "data"), ("tensor<i32>", "33")], body,
                [whole] * 3, expected, tolerance=1e-5, extra=["--chips", "4"])


def odd_reader() -> Case:
    """A later group reads columns from an odd place on."""
    shape = (24, 20)
    whole, row, part = tensor(shape, "bf16"), tensor((1, 20), "bf16"), tensor((24, 7), "bf16")
    body = POSITION.format(i=2) + f"""
  %r = {insert('%0', '%1', shape, 1, 0, 'bf16', '%p2')}
  %s = tensor.extract_slice %r[0, 3] [24, 7] [1, 1] : {whole} to {part}
  %e = tensor.empty() : {part}
  %d = linalg.add ins(%s, %s : {part}, {part}) outs(%e : {part}) -> {part}
  return %r, %d : {whole}, {part}"""

    def expected(cache: Array, row: Array, at: Array) -> list[Array]:
        new = written(cache, row, int(at))
        return [new, 2 * new[:, 3:10]]

    return Case("odd_reader", [(whole, "data"), (row, "data"), ("tensor<i32>", "9")], body,
                [whole, part], expected)


def with_flags(case: Case, name: str, *flags: str) -> Case:
    return replace(case, name=name, extra=list(flags))


def clamped() -> Case:
    """Several rows of a cache of heads, at a position that is clamped."""
    shape, count = (4, 32, 16), 3
    whole, rows = tensor(shape, "f32"), tensor((4, count, 16), "f32")
    body = POSITION.format(i=2) + f"""
  %c0 = arith.constant 0 : index
  %last = arith.constant {shape[1] - count} : index
  %low = arith.maxsi %p2, %c0 : index
  %at = arith.minsi %low, %last : index
  %r = {insert('%0', '%1', shape, count, 1, 'f32', '%at')}
  return %r : {whole}"""
    return Case("clamped_rows", [(whole, "data"), (rows, "data"), ("tensor<i32>", "40")], body,
                [whole], lambda c, r, at: [written(c, r, shape[1] - count, 1)])


def two_rows() -> Case:
    """The second row goes into what the first has written; it comes from the cache."""
    shape = (24, 40)
    whole, row = tensor(shape, "f32"), tensor((1, 40), "f32")
    body = POSITION.format(i=2) + POSITION.format(i=3) + f"""
  %a = {insert('%0', '%1', shape, 1, 0, 'f32', '%p2')}
  %of = tensor.extract_slice %a[3, 0] [1, 40] [1, 1] : {whole} to {row}
  %b = {insert('%a', '%of', shape, 1, 0, 'f32', '%p3')}
  return %b : {whole}"""

    def expected(cache: Array, new: Array, first: Array, second: Array) -> list[Array]:
        result = written(cache, new, int(first))
        return [written(result, result[3:4], int(second))]

    return Case("two_rows", [(whole, "data"), (row, "data"), ("tensor<i32>", "3"),
                             ("tensor<i32>", "20")], body, [whole], expected)


def both_results() -> Case:
    """One row in a cache, and another row in what was there before: one is a copy."""
    shape = (24, 40)
    whole, row = tensor(shape, "f32"), tensor((1, 40), "f32")
    body = POSITION.format(i=3) + f"""
  %a = {insert('%0', '%1', shape, 1, 0, 'f32', '%p3')}
  %b = {insert('%0', '%2', shape, 1, 0, 'f32', '%p3')}
  return %a, %b : {whole}, {whole}"""
    return Case("both_results", [(whole, "data"), (row, "data"), (row, "data"),
                                 ("tensor<i32>", "7")], body, [whole, whole],
                lambda c, x, y, at: [written(c, x, int(at)), written(c, y, int(at))])


def computed_row() -> Case:
    """A row that is computed, into a cache that a sum over positions reads next."""
    shape = (50, 24)
    whole, row, total = tensor(shape, "f32"), tensor((1, 24), "f32"), tensor((24,), "f32")
    body = POSITION.format(i=2) + f"""
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {row}
  %x = linalg.mul ins(%1, %1 : {row}, {row}) outs(%e : {row}) -> {row}
  %r = {insert('%0', '%x', shape, 1, 0, 'f32', '%p2')}
  %te = tensor.empty() : {total}
  %tz = linalg.fill ins(%zero : f32) outs(%te : {total}) -> {total}
  %t = linalg.reduce {{ arith.addf }} ins(%r : {whole}) outs(%tz : {total}) dimensions = [0]
  return %t, %r : {total}, {whole}"""

    def expected(cache: Array, row: Array, at: Array) -> list[Array]:
        result = written(cache, row * row, int(at))
        return [result.sum(0), result]

    return Case("computed_row", [(whole, "data"), (row, "data"), ("tensor<i32>", "49")], body,
                [total, whole], expected, tolerance=1e-5)


def part_of_row() -> Case:
    """A part of a row stays a choice for every element."""
    shape = (16, 24)
    whole, part = tensor(shape, "f32"), tensor((1, 8), "f32")
    body = POSITION.format(i=2) + f"""
  %r = tensor.insert_slice %1 into %0[%p2, 8] [1, 8] [1, 1] : {part} into {whole}
  return %r : {whole}"""

    def expected(cache: Array, row: Array, at: Array) -> list[Array]:
        result = cache.copy()
        result[int(at), 8:16] = row[0]
        return [result]

    return Case("part_of_row", [(whole, "data"), (part, "data"), ("tensor<i32>", "5")], body,
                [whole], expected)


OUTSIDE = {"status": "trap", "words": "index"}
CASES = [
    row_case("row_bf16", (2048, 1024), 1027, "bf16"),
    row_case("first", (2048, 1024), 0, "bf16"),
    row_case("last", (2048, 1024), 2047, "bf16", drops=True),
    row_case("odd_sizes", (77, 48), 76, "f32"),
    row_case("short_rows", (77, 5), 40, "f32"),
    row_case("bytes", (77, 48), 13, "i8"),
    row_case("odd_bytes", (33, 13), 32, "i8"),
    row_case("heads", (8, 512, 128), 300, "bf16", dim=1),
    row_case("heads_drop", (3, 50, 20), 49, "f32", dim=1, drops=True),
    row_case("several_rows", (128, 64), 100, "f32", count=5),
    row_case("rows_of_heads", (4, 64, 32), 60, "bf16", count=4, dim=1),
    row_case("batch", (2, 3, 20, 16), 7, "f16", dim=2),
    row_case("columns", (12, 40), 39, "f32", dim=1),
    row_case("elements", (40,), 11, "f32"),
    row_case("truth", (40, 16), 11, "i1"),
    row_case("wide", (40, 16), 11, "i64"),
    clamped(), two_rows(), both_results(), computed_row(), part_of_row(),
    attention("attention", 64, 32, 4, 63),
    attention("attention_odd", 77, 48, 3, 70),
    attention("attention_long", 512, 128, 8, 511),
    attention("attention_old", 64, 32, 4, 5, reads_old=True),
    old_in_later("old_in_product", soft=False), old_in_later("old_in_softmax", soft=True),
    odd_reader(),
    *(with_flags(case, f"{case.name}_row_major", "--argument-layout", "row-major") for case in (
        attention("attention", 64, 32, 4, 63), odd_reader(),
        row_case("heads", (8, 512, 128), 300, "bf16", dim=1),
        row_case("columns", (12, 40), 39, "bf16", dim=1),
        row_case("columns_wide", (300, 40), 0, "i8", dim=1, count=3),
        old_value("old", (40, 24), 3, before=True))),
    row_case("many_elements", (400,), 31, "f32", count=300),
    old_value("old_before", (40, 24), 39, before=True),
    old_value("old_after", (40, 24), 39, before=False),
    row_case("beyond", (40, 16), 40, "f32", **OUTSIDE),
    row_case("negative", (40, 16), -1, "f32", **OUTSIDE),
    row_case("rows_beyond", (40, 16), 37, "f32", count=4, **OUTSIDE),
    row_case("far", (40, 16), 2**31 - 1, "f32", count=4, **OUTSIDE),
    *(with_flags(case, f"{case.name}_chips", "--chips", "4") for case in (
        row_case("row", (64, 32), 63, "f32"), row_case("heads", (8, 512, 128), 1, "bf16", dim=1),
        row_case("rows_of_heads", (4, 64, 32), 60, "bf16", count=4, dim=1),
        attention("attention", 64, 32, 4, 63), attention("attention_long", 512, 128, 8, 511),
        attention("attention_old", 64, 32, 4, 5, reads_old=True), two_rows(), both_results(),
        old_in_later("old_in_product", soft=False), old_in_later("old_in_softmax", soft=True),
        old_value("old_before", (64, 32), 3, before=True), computed_row())),
    blocks_of_rows(),
]


def make(text: str, what: str, random: np.random.Generator) -> Array:
    *shape, element = text.removeprefix("tensor<").removesuffix(">").split("x")
    if what != "data":
        return np.array(int(what), CARRIER[element])
    sizes = [int(size) for size in shape]
    if element == "i1":
        return random.integers(0, 2, sizes).astype(np.bool_)
    values = random.integers(-8, 9, sizes)
    return (values / 8 if element.startswith(("f", "b")) else values).astype(CARRIER[element])


def places(report: Path) -> list[str]:
    """Where rows go: what the groups say that scatter them or choose."""
    groups = json.loads(report.read_text())
    groups = groups if isinstance(groups, list) else groups["mappings"]
    parts = [part for group in groups for part in group["mapping"].split("; ")]
    return [part for part in parts if part.startswith(("in ", "into ", "a choice"))]


def check(case: Case, folder: Path) -> tuple[simulate.Outcome, str]:
    types = ", ".join(f"%{i}: {text}" for i, (text, _) in enumerate(case.arguments))
    results = ", ".join(case.results)
    program = folder / f"{case.name}.mlir"
    program.write_text(f"func.func @main({types}) -> ({results}) {{{case.body}\n}}\n")
    random = np.random.default_rng(len(case.name))
    inputs = [make(text, what, random) for text, what in case.arguments]
    mapping, report = folder / f"{case.name}.map.json", folder / f"{case.name}.json"
    flags = ["--verify", "--report-mapping", str(mapping), "--report", str(report), *case.extra]
    outcome = simulate.run([str(program)], inputs, len(case.results), folder, flags)
    if case.status == "pass":
        outcome = simulate.judge(outcome, case.expected(*inputs), case.tolerance)
    elif outcome.status == case.status and case.words in outcome.reason:
        return simulate.Outcome("pass", outcome.reason), "ends the run"
    elif outcome.status == "pass":
        outcome.status, outcome.reason = "wrong", f"ends well, expected is a {case.status}"
    if outcome.status != "pass":
        return outcome, ""
    where = "; ".join(places(mapping))
    cycles = json.loads(report.read_text())["cycles"]
    return outcome, f"{where}, {cycles} cycles"


def main() -> int:
    good = True
    chosen = [case for case in CASES if not sys.argv[1:] or case.name in sys.argv[1:]]
    with tempfile.TemporaryDirectory(prefix="sequin-cache-rows-") as name:
        for case in chosen:
            outcome, where = check(case, Path(name))
            good &= outcome.status == "pass"
            if outcome.status == "pass":
                print(f"{case.name}: {where}")
            else:
                outcome.show(case.name)
    return 0 if good and chosen else 1


if __name__ == "__main__":
    sys.exit(main())
