#!/usr/bin/python3
# ===- make_layer.py - A Llama-3 layer as linalg --------------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Writes one decoder layer of Llama 3 as linalg on tensors.

bf16 activations and weights, f32 sums and normalisations, as a front end hands
it over: linear layers are matrix products with the weights [out, in] as
checkpoints store them, rotary embeddings rotate the two halves of a head, new
keys and values go into the cache by tensor.insert_slice at a fixed position.

Arguments of @main, in order:
  input [tokens, width], norm_attention [width], w_q, w_k, w_v, w_o,
  norm_ffn [width], w_gate, w_up, w_down, cos, sin [tokens, head],
  mask [tokens, keys] in f32 (added to the scores),
  key_cache, value_cache [kv heads, cache, head]
Results: the layer's output and both caches.
"""

import argparse
import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from linalg_writer import Value, Writer

EPSILON = 1e-5


@dataclass(frozen=True)
class Layer:
    """Sizes of a layer. `position` is that of the first new token in the cache;
    attention sees the cache up to the last new token."""

    width: int = 8192
    heads: int = 64
    kv_heads: int = 8
    head: int = 128
    hidden: int = 28672
    cache: int = 2048
    tokens: int = 1
    position: int = 2047
    softmax: str = "named"

    @property
    def group(self) -> int:
        """Query heads that share a key head."""
        return self.heads // self.kv_heads

    @property
    def keys(self) -> int:
        return self.position + self.tokens

    def problem(self) -> str | None:
        if min(self.width, self.heads, self.kv_heads, self.head, self.hidden, self.tokens) < 1:
            return "every size must be at least 1"
        if self.heads % self.kv_heads:
            return f"{self.heads} heads are not a multiple of {self.kv_heads} key heads"
        if self.head % 2:
            return f"head size {self.head} is odd, rotary embeddings have two halves"
        if self.position < 0 or self.keys > self.cache:
            return (f"tokens {self.position} to {self.keys - 1} do not fit into a cache of "
                    f"{self.cache}")
        return None

    def arguments(self) -> list[tuple[str, tuple[int, ...], str]]:
        """Name, shape and element type."""
        queries, narrow = self.heads * self.head, self.kv_heads * self.head
        cache = (self.kv_heads, self.cache, self.head)
        return [
            ("input", (self.tokens, self.width), "bf16"),
            ("norm_attention", (self.width,), "bf16"),
            ("w_q", (queries, self.width), "bf16"),
            ("w_k", (narrow, self.width), "bf16"),
            ("w_v", (narrow, self.width), "bf16"),
            ("w_o", (self.width, queries), "bf16"),
            ("norm_ffn", (self.width,), "bf16"),
            ("w_gate", (self.hidden, self.width), "bf16"),
            ("w_up", (self.hidden, self.width), "bf16"),
            ("w_down", (self.width, self.hidden), "bf16"),
            ("cos", (self.tokens, self.head), "bf16"),
            ("sin", (self.tokens, self.head), "bf16"),
            ("mask", (self.tokens, self.keys), "f32"),
            ("key_cache", cache, "bf16"),
            ("value_cache", cache, "bf16"),
        ]


#: Llama-3-70B, one token with a full cache of 2048.
LLAMA_3_70B = Layer()
#: Small enough to be computed, not only counted.
REDUCED = Layer(width=256, heads=4, kv_heads=2, head=64, hidden=896, cache=64, position=63)


def rms_norm(w: Writer, x: Value, gamma: Value) -> Value:
    tokens, width = x.shape
    squares = w.generic("tf", "f", [(x, "tf")], w.filled((tokens,), 0), "t",
                        ["%x = arith.extf %a : bf16 to f32", "%s = arith.mulf %x, %x : f32",
                         "%r = arith.addf %out, %s : f32", "%r"], "squares")
    reciprocal, epsilon = w.constant(1 / width), w.constant(EPSILON)
    scale = w.generic("t", "", [(squares, "t")], w.empty((tokens,), "f32"), "t",
                      [f"%m = arith.mulf %a, {reciprocal} : f32",
                       f"%e = arith.addf %m, {epsilon} : f32", "%r = math.rsqrt %e : f32", "%r"],
                      "scale")
    return w.generic("tf", "", [(x, "tf"), (scale, "t"), (gamma, "f")], w.empty(x.shape, "bf16"),
                     "tf", ["%x = arith.extf %a : bf16 to f32", "%s = arith.mulf %x, %b : f32",
                            "%g = arith.extf %c : bf16 to f32", "%p = arith.mulf %s, %g : f32",
                            "%r = arith.truncf %p : f32 to bf16", "%r"], "normal")


def rotate(w: Writer, x: Value, cos: Value, sin: Value) -> Value:
    """x cos + (-right half, left half) sin for x [heads, t, d] in f32, in bf16."""
    heads, tokens, head = x.shape
    half = (heads, tokens, head // 2)
    left, right = w.slice(x, [0, 0, 0], half), w.slice(x, [0, 0, head // 2], half)
    negated = w.generic("htd", "", [(right, "htd")], w.empty(half, "f32"), "htd",
                        ["%r = arith.negf %a : f32", "%r"], "negated")
    turned = w.insert(negated, w.empty(x.shape, "f32"), [0, 0, 0])
    turned = w.insert(left, turned, [0, 0, head // 2])
    return w.generic("htd", "", [(x, "htd"), (cos, "td"), (turned, "htd"), (sin, "td")],
                     w.empty(x.shape, "bf16"), "htd",
                     ["%p = arith.extf %b : bf16 to f32", "%q = arith.mulf %a, %p : f32",
                      "%s = arith.extf %d : bf16 to f32", "%u = arith.mulf %c, %s : f32",
                      "%v = arith.addf %q, %u : f32", "%r = arith.truncf %v : f32 to bf16", "%r"],
                     "rotated")


def softmax(w: Writer, x: Value, named: bool) -> Value:
    """Over the last of four dimensions."""
    rows = x.shape[:3]
    if named:
        out = w.empty(x.shape, "f32")
        value = w.fresh(x.shape, "f32", "softmax")
        w.line(f"{value.name} = linalg.softmax dimension(3) ins({x.name} : {x.type}) "
               f"outs({out.name} : {out.type}) -> {value.type}")
        return value
    largest = w.generic("hgtk", "k", [(x, "hgtk")], w.filled(rows, -math.inf), "hgt",
                        ["%r = arith.maximumf %a, %out : f32", "%r"], "largest")
    powers = w.generic("hgtk", "", [(x, "hgtk"), (largest, "hgt")], w.empty(x.shape, "f32"),
                       "hgtk", ["%s = arith.subf %a, %b : f32", "%r = math.exp %s : f32", "%r"],
                       "powers")
    total = w.generic("hgtk", "k", [(powers, "hgtk")], w.filled(rows, 0), "hgt",
                      ["%r = arith.addf %a, %out : f32", "%r"], "total")
    return w.generic("hgtk", "", [(powers, "hgtk"), (total, "hgt")], w.empty(x.shape, "f32"),
                     "hgtk", ["%r = arith.divf %a, %b : f32", "%r"], "weights")


def add(w: Writer, sum_: Value, residual: Value) -> Value:
    return w.generic("tf", "", [(sum_, "tf"), (residual, "tf")], w.empty(residual.shape, "bf16"),
                     "tf", ["%x = arith.extf %b : bf16 to f32", "%s = arith.addf %a, %x : f32",
                            "%r = arith.truncf %s : f32 to bf16", "%r"], "sum")


def attention(w: Writer, layer: Layer, query: Value, keys: Value, values: Value, mask: Value
              ) -> Value:
    """[heads, t, d] by the cache's [kv heads, keys, d]: [t, heads * d]."""
    tokens, head, group = layer.tokens, layer.head, layer.group
    query = w.expand(query, "[[0, 1], [2], [3]]", (layer.kv_heads, group, tokens, head))
    scores = w.generic(
        "hgtkd", "d", [(query, "hgtd"), (keys, "hkd")],
        w.filled((layer.kv_heads, group, tokens, layer.keys), 0), "hgtk",
        ["%x = arith.extf %a : bf16 to f32", "%y = arith.extf %b : bf16 to f32",
         "%p = arith.mulf %x, %y : f32", "%r = arith.addf %out, %p : f32", "%r"], "scores")
    factor = w.constant(1 / math.sqrt(head))
    masked = w.generic("hgtk", "", [(scores, "hgtk"), (mask, "tk")], w.empty(scores.shape, "f32"),
                       "hgtk", [f"%s = arith.mulf %a, {factor} : f32",
                                "%r = arith.addf %s, %b : f32", "%r"], "masked")
    weights = w.narrow(softmax(w, masked, layer.softmax == "named"))
    rows = (layer.kv_heads, group * tokens, layer.keys)
    weights = w.collapse(weights, "[[0], [1, 2], [3]]", rows)
    out = w.filled((layer.kv_heads, group * tokens, head), 0)
    mixed = w.fresh(out.shape, "f32", "mixed")
    w.line(f"{mixed.name} = linalg.batch_matmul ins({weights.name}, {values.name} : "
           f"{weights.type}, {values.type}) outs({out.name} : {out.type}) -> {mixed.type}")
    mixed = w.expand(w.narrow(mixed), "[[0], [1, 2], [3]]", (layer.kv_heads, group, tokens, head))
    mixed = w.transpose(mixed, [2, 0, 1, 3])
    return w.collapse(mixed, "[[0], [1, 2, 3]]", (tokens, layer.heads * head))


def heads_first(w: Writer, x: Value, heads: int, head: int) -> Value:
    """[t, heads * d] to [heads, t, d]."""
    x = w.expand(x, "[[0], [1, 2]]", (x.shape[0], heads, head))
    return w.transpose(x, [1, 0, 2])


def write_layer(layer: Layer) -> str:
    w = Writer()
    a = {name: Value(f"%{name}", shape, element) for name, shape, element in layer.arguments()}
    x = a["input"]

    w.remark("Attention.")
    normal = rms_norm(w, x, a["norm_attention"])
    query = heads_first(w, w.linear(normal, a["w_q"], "query"), layer.heads, layer.head)
    key = heads_first(w, w.linear(normal, a["w_k"], "key"), layer.kv_heads, layer.head)
    value = w.narrow(w.linear(normal, a["w_v"], "value"))
    value = heads_first(w, value, layer.kv_heads, layer.head)
    query = rotate(w, query, a["cos"], a["sin"])
    key = rotate(w, key, a["cos"], a["sin"])
    key_cache = w.insert(key, a["key_cache"], [0, layer.position, 0])
    value_cache = w.insert(value, a["value_cache"], [0, layer.position, 0])
    seen = (layer.kv_heads, layer.keys, layer.head)
    mixed = attention(w, layer, query, w.slice(key_cache, [0, 0, 0], seen),
                      w.slice(value_cache, [0, 0, 0], seen), a["mask"])
    x = add(w, w.linear(mixed, a["w_o"], "projected"), x)

    w.remark("Feed-forward network.")
    normal = rms_norm(w, x, a["norm_ffn"])
    gate = w.linear(normal, a["w_gate"], "gate")
    up = w.linear(normal, a["w_up"], "up")
    one = w.constant(1)
    hidden = w.generic(
        "tf", "", [(gate, "tf"), (up, "tf")], w.empty(gate.shape, "bf16"), "tf",
        ["%n = arith.negf %a : f32", "%e = math.exp %n : f32", f"%d = arith.addf %e, {one} : f32",
         "%s = arith.divf %a, %d : f32", "%p = arith.mulf %s, %b : f32",
         "%r = arith.truncf %p : f32 to bf16", "%r"], "hidden")
    x = add(w, w.linear(hidden, a["w_down"], "down"), x)

    results = [x, key_cache, value_cache]
    return w.function(list(a.values()), results)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reduced", action="store_true",
                        help=f"{REDUCED.width} wide, {REDUCED.heads} heads, a cache of "
                             f"{REDUCED.cache} (default: Llama-3-70B)")
    for name in ("width", "heads", "kv_heads", "head", "hidden", "cache", "tokens"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N")
    parser.add_argument("--position", type=int, metavar="N",
                        help="of the first new token in the cache (default: the last ones)")
    parser.add_argument("--softmax", choices=["named", "decomposed"],
                        help="linalg.softmax, or its parts (default: named)")


def layer_of(arguments: argparse.Namespace) -> Layer:
    """Exits with status 2 if the sizes are not those of a layer."""
    layer = REDUCED if arguments.reduced else LLAMA_3_70B
    given = {name: value for name, value in vars(arguments).items()
             if name in layer.__dataclass_fields__ and value is not None}
    layer = replace(layer, **given)
    if "position" not in given:
        layer = replace(layer, position=layer.cache - layer.tokens)
    if problem := layer.problem():
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
    return layer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("-o", metavar="FILE", dest="output", default="-",
                        help="where to write (default: standard output)")
    arguments = parser.parse_args()
    text = write_layer(layer_of(arguments))
    if arguments.output == "-":
        sys.stdout.write(text)
    else:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
