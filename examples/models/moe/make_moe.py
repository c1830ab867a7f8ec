#!/usr/bin/python3
# ===- make_moe.py - A mixture of experts as linalg -------------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Writes the mixture of experts of the TCP manual as linalg on tensors.

No step branches on data. Score and expert number share a word of 32 bits, whose order
is that of the scores; the rank of an expert is the number of larger words; those of
rank below K are compacted in the order of their experts (chapter Mixture of Experts,
Branchless TopK). Tokens then go to blocks of B places, each for one expert:
histogram, cumulative sums, scatter, one gather of weights per block, and back
(Blockwise Execution). The number of blocks is that of the worst routing.

Tokens are those of all sequences, S_in each, which is 1 in decode: T of them.

Programs, with their arguments:
  basic    one network for all tokens: x_norm [sequences, S_in, D], W_up [D, F],
           W_down [F, D]
  routing  from scores [T, E]: the K experts of a token and their weights
  indices  routing, then the places of tokens in blocks
  block    all: x_norm [sequences, S_in, D], W_router [D, E], W_up [E, D, F],
           W_down [E, F, D]
  tokens   the same with weights gathered for each token and expert, without blocks
  cumsum   cumulative sums of [T, E] in i32 along the second dimension
Results: the last tensors that the manual names; with --trace all of them.
"""

import argparse
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from linalg_writer import Value, Writer

PROGRAMS = ("basic", "routing", "indices", "block", "tokens", "cumsum")


@dataclass(frozen=True)
class Moe:
    """Sizes by the manual's names; the defaults are small enough to be computed."""

    sequences: int = 2
    S_in: int = 8
    D: int = 64
    F: int = 96
    E: int = 8
    K: int = 2
    B: int = 4

    @property
    def T(self) -> int:
        """Tokens."""
        return self.sequences * self.S_in

    @property
    def G(self) -> int:
        """Blocks of the worst routing: one place used in the last block of each expert."""
        calls = self.T * self.K
        return (calls - self.E) // self.B + self.E if calls >= self.E else calls

    def problem(self) -> str | None:
        if min(vars(self).values()) < 1:
            return "every size must be at least 1"
        if self.K > self.E:
            return f"{self.K} experts per token, there are {self.E}"
        if self.E > 1 << 15:
            return f"{self.E} experts, their numbers have 15 bits"
        if self.B & (self.B - 1):
            return f"blocks of {self.B} places, allowed are powers of two"
        return None


@dataclass
class Program:
    moe: Moe
    name: str
    w: Writer = field(default_factory=Writer)
    #: The manual's tensors by name.
    trace: dict[str, Value] = field(default_factory=dict)
    #: Of the results that come without --trace.
    results: list[str] = field(default_factory=list)

    def arguments(self) -> list[Value]:
        m = self.moe
        x = Value("%x_norm", (m.sequences, m.S_in, m.D), "bf16")
        if self.name == "basic":
            return [x, Value("%W_up", (m.D, m.F), "bf16"), Value("%W_down", (m.F, m.D), "bf16")]
        if self.name == "cumsum":
            return [Value("%x", (m.T, m.E), "i32")]
        if self.name in ("routing", "indices"):
            return [Value("%scores", (m.T, m.E), "bf16")]
        return [x, Value("%W_router", (m.D, m.E), "bf16"), Value("%W_up", (m.E, m.D, m.F), "bf16"),
                Value("%W_down", (m.E, m.F, m.D), "bf16")]

    def note(self, name: str, value: Value) -> Value:
        self.trace[name] = value
        return value

    # What the manual does with branches on the vector engine.

    def triangle(self, n: int) -> Value:
        """[j, i]: 1 where j <= i."""
        return self.w.map([], "ji", (n, n), "i8",
                          ["%j = linalg.index 0 : index", "%i = linalg.index 1 : index",
                           "%c = arith.cmpi ule, %j, %i : index", "%r = arith.extui %c : i1 to i8",
                           "%r"], "triangle")

    def cumsum(self, x: Value, name: str) -> Value:
        """Inclusive sums along the last of one or two dimensions, in i32."""
        rows = "r" * (len(x.shape) - 1)
        return self.w.einsum(f"{rows}j,ji->{rows}i", x, self.triangle(x.shape[-1]), name)

    def filter_compaction(self, values: Value, mask: Value, count: int, joined: bool, name: str
                          ) -> Value:
        """The elements [m, n] of `values` where `mask` is 1, in order: the first `count` of
        every row, or of the rows behind each other if they are `joined`. Zeros follow."""
        w = self.w
        m, n = mask.shape
        place = self.cumsum(mask, "place")
        if joined:
            totals = w.generic("mn", "n", [(mask, "mn")], w.filled((m,), 0, "i32"), "m",
                               ["%x = arith.extsi %a : i8 to i32", "%r = arith.addi %out, %x : i32",
                                "%r"], "totals")
            before = w.map([(self.cumsum(totals, "through"), "m"), (totals, "m")], "m", (m,), "i32",
                           ["%r = arith.subi %a, %b : i32", "%r"], "before")
            place = w.map([(place, "mn"), (before, "m")], "mn", (m, n), "i32",
                          ["%r = arith.addi %a, %b : i32", "%r"], "place")
        one, zero = w.constant(1, "i32"), w.constant(0, "i32")
        result = "k" if joined else "mk"
        shape = (count,) if joined else (m, count)
        # Places count from 1; at 0 nothing is kept.
        kept = w.map([(place, "mn"), (mask, "mn")], "mn", (m, n), "i32",
                     ["%x = arith.extsi %b : i8 to i32", "%r = arith.muli %a, %x : i32", "%r"],
                     "kept")
        # A loop of its own counts the result's elements.
        counter = w.map([], "k", (count,), "i32",
                        ["%i = linalg.index 0 : index", "%x = arith.index_cast %i : index to i32",
                         f"%r = arith.addi %x, {one} : i32", "%r"], "counter")
        return w.generic("mnk" if joined else "mkn", "mn" if joined else "n",
                         [(values, "mn"), (kept, "mn"), (counter, "k")],
                         w.filled(shape, 0, "i32"), result,
                         ["%e = arith.cmpi eq, %b, %c : i32",
                          f"%s = arith.select %e, %a, {zero} : i32",
                          "%r = arith.addi %out, %s : i32", "%r"], name)

    # Branchless TopK.

    def routing(self, scores: Value) -> tuple[Value, Value]:
        """Indices [T, K] in i32 and weights [T, K] in f32 from scores [T, E] in bf16."""
        w, m = self.w, self.moe
        c16, zero, flip = (w.constant(c, "i32") for c in (16, 0, 0x7FFF0000))
        packed = self.note("Packed_Value", w.map(
            [(scores, "te")], "te", scores.shape, "i32",
            ["%s = arith.bitcast %a : bf16 to i16", "%u = arith.extui %s : i16 to i32",
             f"%h = arith.shli %u, {c16} : i32", "%n = linalg.index 1 : index",
             "%e = arith.index_cast %n : index to i32", "%r = arith.ori %h, %e : i32", "%r"],
            "packed"))
        compared = self.note("Packed_Value_cmp", w.map(
            [(packed, "te")], "te", packed.shape, "i32",
            [f"%f = arith.xori %a, {flip} : i32", f"%p = arith.cmpi sge, %a, {zero} : i32",
             "%r = arith.select %p, %a, %f : i32", "%r"], "compared"))
        rank = self.note("Rank", w.generic(
            "tij", "j", [(compared, "ti"), (compared, "tj")], w.filled(packed.shape, 0, "i32"), "ti",
            ["%g = arith.cmpi sgt, %b, %a : i32", "%x = arith.extui %g : i1 to i32",
             "%r = arith.addi %out, %x : i32", "%r"], "rank"))
        k = w.constant(m.K, "i32")
        mask = self.note("Mask", w.map([(rank, "te")], "te", rank.shape, "i8",
                                       [f"%c = arith.cmpi slt, %a, {k} : i32",
                                        "%r = arith.extui %c : i1 to i8", "%r"], "mask"))
        selected = self.note("Selected_Packed",
                             self.filter_compaction(packed, mask, m.K, False, "selected"))
        low = w.constant(0xFFFF, "i32")
        indices = self.note("TopK_Indices", w.map(
            [(selected, "tk")], "tk", selected.shape, "i32",
            [f"%r = arith.andi %a, {low} : i32", "%r"], "indices"))
        chosen = self.note("TopK_Scores", w.map(
            [(selected, "tk")], "tk", selected.shape, "bf16",
            [f"%h = arith.shrui %a, {c16} : i32", "%s = arith.trunci %h : i32 to i16",
             "%r = arith.bitcast %s : i16 to bf16", "%r"], "chosen"))
        wide = w.map([(chosen, "tk")], "tk", chosen.shape, "f32",
                     ["%r = arith.extf %a : bf16 to f32", "%r"], "wide")
        return indices, self.note("routing_weights", w.softmax(wide))

    # Blockwise execution.

    def element_gather(self, table: Value, indices: Value, name: str) -> Value:
        """table [n, e], indices [n]: element indices[i] of each row i."""
        w = self.w
        n, e = table.shape
        flat = w.collapse(table, "[[0, 1]]", (n * e,))
        size = w.constant(e, "i32")
        place = w.map([(indices, "n")], "n", (n,), "i32",
                      ["%i = linalg.index 0 : index", "%x = arith.index_cast %i : index to i32",
                       f"%y = arith.muli %x, {size} : i32", "%r = arith.addi %y, %a : i32", "%r"],
                      "position")
        return w.gather(flat, place, name)

    def indices(self, chosen: Value) -> tuple[Value, Value]:
        """Scatter_Idx [T * K] and Expert_IDs [G] from TopK_Indices [T, K]."""
        w, m = self.w, self.moe
        calls = w.collapse(chosen, "[[0, 1]]", (m.T * m.K,))
        numbers = w.map([], "e", (m.E,), "i32",
                        ["%i = linalg.index 0 : index", "%r = arith.index_cast %i : index to i32",
                         "%r"], "experts")
        hot = self.note("Expert_Mask", w.map(
            [(calls, "n"), (numbers, "e")], "ne", (m.T * m.K, m.E), "i8",
            ["%c = arith.cmpi eq, %a, %b : i32", "%r = arith.extui %c : i1 to i8", "%r"], "hot"))
        count = self.note("Count", w.generic(
            "en", "n", [(hot, "ne")], w.filled((m.E,), 0, "i32"), "e",
            ["%x = arith.extsi %a : i8 to i32", "%r = arith.addi %out, %x : i32", "%r"], "count"))
        block, last, one, minus = (w.constant(c, "i32") for c in (m.B, m.B - 1, 1, -1))
        blocks = self.note("Num_Blocks", w.map(
            [(count, "e")], "e", count.shape, "i32",
            [f"%s = arith.addi %a, {last} : i32", f"%r = arith.divui %s, {block} : i32", "%r"],
            "blocks"))
        start = self.note("Global_Offset", w.map(
            [(self.cumsum(blocks, "through"), "e"), (blocks, "e")], "e", blocks.shape, "i32",
            ["%r = arith.subi %a, %b : i32", "%r"], "start"))
        # Along the calls, for every expert.
        through = self.note("Cumsum_Mask", w.einsum("je,ji->ie", hot, self.triangle(m.T * m.K),
                                                    "through"))
        rank = self.note("Token_Rank", self.element_gather(through, calls, "rank"))
        local = self.note("Local_Offset", w.map([(rank, "n")], "n", rank.shape, "i32",
                                                [f"%r = arith.subi %a, {one} : i32", "%r"], "local"))
        ids = w.map([(blocks, "e"), (numbers, "e")], "eg", (m.E, m.G), "i32",
                    ["%i = linalg.index 1 : index", "%g = arith.index_cast %i : index to i32",
                     "%d = arith.subi %a, %g : i32", f"%c = arith.cmpi sge, %d, {one} : i32",
                     f"%r = arith.select %c, %b, {minus} : i32", "%r"], "grid")
        self.note("Grid", ids)
        zero = w.constant(0, "i32")
        valid = w.map([(ids, "eg")], "eg", ids.shape, "i8",
                      [f"%c = arith.cmpi sge, %a, {zero} : i32", "%r = arith.extui %c : i1 to i8",
                       "%r"], "valid")
        experts = self.note("Expert_IDs", self.filter_compaction(ids, valid, m.G, True, "expert_ids"))
        first = w.gather(start, calls, "first")
        places = self.note("Scatter_Idx", w.map(
            [(first, "n"), (local, "n")], "n", local.shape, "i32",
            [f"%p = arith.muli %a, {block} : i32", "%r = arith.addi %p, %b : i32", "%r"], "places"))
        return places, experts

    def blockwise(self, x: Value, a: dict[str, Value], chosen: Value) -> Value:
        """y_restored [T, K, D]."""
        w, m = self.w, self.moe
        places, experts = self.indices(chosen)
        rows = w.map([(x, "td")], "tkd", (m.T, m.K, m.D), "bf16", ["%a"], "copies")
        rows = w.collapse(rows, "[[0, 1], [2]]", (m.T * m.K, m.D))
        blocked = w.scatter(rows, w.filled((m.G * m.B, m.D), 0, "bf16"), places, "blocked")
        blocked = self.note("x_blocked", w.expand(blocked, "[[0, 1], [2]]", (m.G, m.B, m.D)))
        w_up = self.note("W_gathered_up", w.gather(a["W_up"], experts, "W_up"))
        w_down = self.note("W_gathered_down", w.gather(a["W_down"], experts, "W_down"))
        up = self.note("up", w.narrow(w.einsum("gbd,gdf->gbf", blocked, w_up, "up")))
        y = self.note("y_blocked", w.narrow(w.einsum("gbf,gfd->gbd", up, w_down, "y_blocked")))
        y = w.collapse(y, "[[0, 1], [2]]", (m.G * m.B, m.D))
        y = w.gather(y, places, "y_restored")
        return self.note("y_restored", w.expand(y, "[[0, 1], [2]]", (m.T, m.K, m.D)))

    def by_token(self, x: Value, a: dict[str, Value], chosen: Value) -> Value:
        """y_experts [T, K, D]."""
        w = self.w
        up = w.einsum("td,tkdf->tkf", x, w.gather(a["W_up"], chosen, "W_up"), "up")
        up = self.note("up", w.narrow(up))
        y = w.einsum("tkf,tkfd->tkd", up, w.gather(a["W_down"], chosen, "W_down"), "y")
        return self.note("y_experts", w.narrow(y))

    def write(self, trace: bool = False) -> str:
        """The program; with `trace` all of self.trace are results."""
        w = self.w
        arguments = self.arguments()
        a = {value.name[1:]: value for value in arguments}
        if "x_norm" in a:
            x = w.collapse(a["x_norm"], "[[0, 1], [2]]", (self.moe.T, self.moe.D))
        if self.name == "basic":
            up = self.note("up", w.narrow(w.einsum("td,df->tf", x, a["W_up"], "up")))
            self.note("ffn_out", w.einsum("tf,fd->td", up, a["W_down"], "ffn_out"))
            self.results = ["ffn_out"]
        elif self.name == "cumsum":
            self.note("cumsum", self.cumsum(a["x"], "cumsum"))
            self.results = ["cumsum"]
        elif self.name in ("routing", "indices"):
            chosen, _ = self.routing(a["scores"])
            self.results = ["TopK_Indices", "routing_weights"]
            if self.name == "indices":
                self.indices(chosen)
                self.results += ["Scatter_Idx", "Expert_IDs"]
        else:
            scores = w.narrow(w.einsum("td,de->te", x, a["W_router"], "scores"))
            chosen, weights = self.routing(self.note("scores", scores))
            experts = self.blockwise if self.name == "block" else self.by_token
            y = experts(x, a, chosen)
            name = "moe_out" if self.name == "block" else "ffn_out"
            self.note(name, w.einsum("tkd,tk->td", y, weights, name))
            self.results = [name]
        if trace:
            self.results = list(self.trace)
        return w.function(arguments, [self.trace[name] for name in self.results])


def add_options(parser: argparse.ArgumentParser) -> None:
    for name in vars(Moe()):
        parser.add_argument(f"--{name}", type=int, metavar="N")


def moe_of(arguments: argparse.Namespace) -> Moe:
    """Exits with status 2 if the sizes do not go together."""
    moe = replace(Moe(), **{name: value for name, value in vars(arguments).items()
                            if name in Moe.__dataclass_fields__ and value is not None})
    if problem := moe.problem():
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
    return moe


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", choices=PROGRAMS)
    add_options(parser)
    parser.add_argument("--trace", action="store_true", help="make every named tensor a result")
    parser.add_argument("-o", metavar="FILE", dest="output", default="-",
                        help="where to write (default: standard output)")
    arguments = parser.parse_args()
    text = Program(moe_of(arguments), arguments.program).write(arguments.trace)
    if arguments.output == "-":
        sys.stdout.write(text)
    else:
        Path(arguments.output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
