#!/usr/bin/python3
# ===- make_transformer.py - Llama 3 as the TCP manual has it --------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Writes a whole Llama 3 as linalg, in the shapes of the TCP manual.

From token numbers to logits: embedding lookup, layers of grouped query attention
and SwiGLU, final normalisation and language model head (chapter Transformer
Architecture). Weights have the manual's dimensions ([D, h_q, d_k] and so on), rotary
embeddings are a contraction with 2 x 2 matrices gathered by position, the mask
chooses, caches are [B, h_kv, s_max, d_k]. bf16 tensors, f32 sums, softmax and
normalisation in f32.

Prefill takes s_in tokens and writes rows 0 to s_in - 1 of the caches. Decode takes
one, the s-th, and writes row s - 1; there is one program for every s.

Arguments of @main: input [B, s_in] and position [s_in] in i32; attention_mask
[s_in, s_in] in i1 (prefill only); w_emb, w_rope; per layer norm_attn, w_q, w_k, w_v,
w_o, norm_ffn, w_gate, w_up, w_down, cache_k, cache_v; norm_final, w_lm_head.
Results: logits, then cache_k and cache_v of every layer; with --trace every tensor
that the manual names after them.
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
class Model:
    """Sizes by the manual's names; the defaults are Llama-3-70B's."""

    V: int = 128256
    D: int = 8192
    F: int = 28672
    L: int = 80
    h_q: int = 64
    h_kv: int = 8
    d_k: int = 128
    s_max: int = 2048
    B: int = 1

    @property
    def G(self) -> int:
        """Query heads that share a key head."""
        return self.h_q // self.h_kv

    @property
    def d_k_prime(self) -> int:
        """Pairs of a head that turn together."""
        return self.d_k // 2

    def problem(self) -> str | None:
        if min(vars(self).values()) < 1:
            return "every size must be at least 1"
        if self.h_q % self.h_kv:
            return f"{self.h_q} query heads are not a multiple of {self.h_kv} key heads"
        if self.h_q * self.d_k != self.D:
            return f"{self.h_q} heads of {self.d_k} are not {self.D} wide"
        if self.d_k % 2:
            return f"head size {self.d_k} is odd, rotary embeddings turn pairs"
        return None

    def layer_weights(self) -> list[tuple[str, tuple[int, ...]]]:
        return [
            ("norm_attn", (self.D,)),
            ("w_q", (self.D, self.h_q, self.d_k)),
            ("w_k", (self.D, self.h_kv, self.d_k)),
            ("w_v", (self.D, self.h_kv, self.d_k)),
            ("w_o", (self.h_q, self.d_k, self.D)),
            ("norm_ffn", (self.D,)),
            ("w_gate", (self.D, self.F)),
            ("w_up", (self.D, self.F)),
            ("w_down", (self.F, self.D)),
        ]

    def weights(self) -> list[tuple[str, tuple[int, ...]]]:
        """What was trained, in the order of the program's arguments."""
        layers = [(f"{name}_{l}", shape) for l in range(self.L)
                  for name, shape in self.layer_weights()]
        return [("w_emb", (self.V, self.D)), *layers, ("norm_final", (self.D,)),
                ("w_lm_head", (self.D, self.V))]

    def parameters(self) -> int:
        """The output head has weights of its own."""
        return sum(math.prod(shape) for _, shape in self.weights())


#: A head of the real size, everything else small enough to be computed.
REDUCED = Model(V=320, D=512, F=384, L=2, h_q=4, h_kv=2, d_k=128, s_max=16, B=2)


class Transformer:
    """One program: `s_in` tokens after `position` others. Without a mask each of them
    sees all of the cache's rows up to the last one."""

    def __init__(self, model: Model, position: int, s_in: int, masked: bool) -> None:
        self.model = model
        self.position = position
        self.s_in = s_in
        self.masked = masked
        self.w = Writer()
        #: The manual's tensors by name, with the layer where it has several.
        self.trace: dict[str, Value] = {}

    @property
    def seen(self) -> int:
        return self.position + self.s_in

    def arguments(self) -> list[Value]:
        m, s = self.model, self.s_in
        found = [Value("%input", (m.B, s), "i32"), Value("%position", (s,), "i32")]
        if self.masked:
            found.append(Value("%attention_mask", (s, s), "i1"))
        cache = (m.B, m.h_kv, m.s_max, m.d_k)
        for name, shape in m.weights():
            found.append(Value(f"%{name}", shape, "bf16"))
            if name == "w_emb":
                found.append(Value("%w_rope", (m.s_max, m.d_k_prime, 2, 2), "bf16"))
            if name.startswith("w_down_"):
                layer = name.removeprefix("w_down_")
                found += [Value(f"%cache_k_{layer}", cache, "bf16"),
                          Value(f"%cache_v_{layer}", cache, "bf16")]
        return found

    def note(self, name: str, value: Value) -> Value:
        self.trace[name] = value
        return value

    def rms_norm(self, x: Value, gain: Value) -> Value:
        w, rows = self.w, x.shape[:-1]
        loops = "bsd"[-len(x.shape):]
        squares = w.generic(loops, "d", [(x, loops)], w.filled(rows, 0), loops[:-1],
                            ["%x = arith.extf %a : bf16 to f32", "%q = arith.mulf %x, %x : f32",
                             "%r = arith.addf %out, %q : f32", "%r"], "squares")
        reciprocal, epsilon = w.constant(1 / x.shape[-1]), w.constant(EPSILON)
        scale = w.map([(squares, loops[:-1])], loops[:-1], rows, "f32",
                      [f"%m = arith.mulf %a, {reciprocal} : f32",
                       f"%e = arith.addf %m, {epsilon} : f32", "%r = math.rsqrt %e : f32", "%r"],
                      "scale")
        return w.map([(x, loops), (scale, loops[:-1]), (gain, "d")], loops, x.shape, "bf16",
                     ["%x = arith.extf %a : bf16 to f32", "%s = arith.mulf %x, %b : f32",
                      "%g = arith.extf %c : bf16 to f32", "%p = arith.mulf %s, %g : f32",
                      "%r = arith.truncf %p : f32 to bf16", "%r"], "normal")

    def rotate(self, x: Value, t_rope: Value, name: str) -> Value:
        """[B, s, h, d_k] by the matrices [s, d_k', f, 2]: [B, h, s, d_k]."""
        w, m = self.w, self.model
        batch, s, heads, _ = x.shape
        pairs = w.expand(x, "[[0], [1], [2], [3, 4]]", (batch, s, heads, m.d_k_prime, 2))
        turned = w.narrow(w.einsum("bshdf,sdfo->bhsdo", pairs, t_rope, name))
        return w.collapse(turned, "[[0], [1], [2], [3, 4]]", (batch, heads, s, m.d_k))

    def attention(self, x: Value, a: dict[str, Value], layer: int, t_rope: Value
                  ) -> tuple[Value, Value, Value]:
        """The output [B, s, D] before it is rounded, and both caches."""
        w, m, s = self.w, self.model, self.s_in
        note = lambda name, value: self.note(f"{name}_{layer}", value)
        query = note("Q", w.narrow(w.einsum("bsd,dhk->bshk", x, a[f"w_q_{layer}"], "Q")))
        key = note("K", w.narrow(w.einsum("bsd,dhk->bshk", x, a[f"w_k_{layer}"], "K")))
        value = note("V", w.narrow(w.einsum("bsd,dhk->bshk", x, a[f"w_v_{layer}"], "V")))
        query = note("Q_rope", self.rotate(query, t_rope, "Q_rope"))
        key = note("K_rope", self.rotate(key, t_rope, "K_rope"))

        row = [0, 0, self.position, 0]
        cache_k = w.insert(key, a[f"cache_k_{layer}"], row)
        cache_v = w.insert(w.transpose(value, [0, 2, 1, 3]), a[f"cache_v_{layer}"], row)
        past = (m.B, m.h_kv, self.seen, m.d_k)
        keys, values = w.slice(cache_k, [0] * 4, past), w.slice(cache_v, [0] * 4, past)

        # Head h shares the keys of head h div G, as checkpoints have it.
        query = w.expand(query, "[[0], [1, 2], [3], [4]]", (m.B, m.h_kv, m.G, s, m.d_k))
        products = w.einsum("bhgqd,bhkd->bhgqk", query, keys, "products")
        factor = w.constant(1 / math.sqrt(m.d_k))
        scores = note("scores", w.map([(products, "bhgqk")], "bhgqk", products.shape, "f32",
                                      [f"%r = arith.mulf %a, {factor} : f32", "%r"], "scores"))
        if self.masked:
            lowest = w.constant(-math.inf)
            scores = note("scores_masked", w.map(
                [(scores, "bhgqk"), (a["attention_mask"], "qk")], "bhgqk", scores.shape, "f32",
                [f"%r = arith.select %b, %a, {lowest} : f32", "%r"], "masked"))
        weights = note("attn_weights", w.narrow(w.softmax(scores)))
        mixed = w.narrow(w.einsum("bhgqk,bhkd->bhgqd", weights, values, "mixed"))
        mixed = note("attn_output", w.collapse(mixed, "[[0], [1, 2], [3], [4]]",
                                               (m.B, m.h_q, s, m.d_k)))
        return w.einsum("bhsk,hkd->bsd", mixed, a[f"w_o_{layer}"], "attn_out"), cache_k, cache_v

    def feed_forward(self, x: Value, a: dict[str, Value], layer: int) -> Value:
        w = self.w
        note = lambda name, value: self.note(f"{name}_{layer}", value)
        gate = note("gate", w.einsum("bsd,df->bsf", x, a[f"w_gate_{layer}"], "gate"))
        up = note("up", w.einsum("bsd,df->bsf", x, a[f"w_up_{layer}"], "up"))
        one = w.constant(1)
        activated = note("activated", w.map(
            [(gate, "bsf"), (up, "bsf")], "bsf", gate.shape, "bf16",
            ["%n = arith.negf %a : f32", "%e = math.exp %n : f32",
             f"%d = arith.addf %e, {one} : f32", "%g = arith.divf %a, %d : f32",
             "%p = arith.mulf %g, %b : f32", "%r = arith.truncf %p : f32 to bf16", "%r"],
            "activated"))
        return w.einsum("bsf,fd->bsd", activated, a[f"w_down_{layer}"], "down")

    def add(self, update: Value, x: Value) -> Value:
        return self.w.map([(update, "bsd"), (x, "bsd")], "bsd", x.shape, "bf16",
                          ["%x = arith.extf %b : bf16 to f32", "%s = arith.addf %a, %x : f32",
                           "%r = arith.truncf %s : f32 to bf16", "%r"], "x")

    def write(self, trace: bool = False) -> str:
        """The program; with `trace` all of self.trace are results, too."""
        w, m, s = self.w, self.model, self.s_in
        arguments = self.arguments()
        a = {value.name[1:]: value for value in arguments}
        w.remark("Embedding lookup.")
        x = self.note("x_0", w.gather(a["w_emb"], a["input"], "x_0"))
        t_rope = self.note("t_rope", w.gather(a["w_rope"], a["position"], "t_rope"))
        caches: list[Value] = []
        for layer in range(m.L):
            w.remark(f"Layer {layer + 1}: attention.")
            normal = self.note(f"x_norm_{layer}", self.rms_norm(x, a[f"norm_attn_{layer}"]))
            update, *written = self.attention(normal, a, layer, t_rope)
            caches += written
            x = self.note(f"x_attn_{layer}", self.add(update, x))
            w.remark(f"Layer {layer + 1}: feed-forward network.")
            normal = self.note(f"x_ffn_norm_{layer}", self.rms_norm(x, a[f"norm_ffn_{layer}"]))
            x = self.note(f"x_{layer + 1}", self.add(self.feed_forward(normal, a, layer), x))
        w.remark("Final normalisation and language model head, of the last token.")
        x = self.note("x_final", self.rms_norm(x, a["norm_final"]))
        x = w.slice(x, [0, s - 1, 0], (m.B, 1, m.D))
        x = w.collapse(x, "[[0, 1], [2]]", (m.B, m.D))
        logits = w.einsum("bd,dv->bv", x, a["w_lm_head"], "logits")
        return w.function(arguments, [logits, *caches, *(self.trace.values() if trace else [])])


def prefill(model: Model, s_in: int) -> Transformer:
    return Transformer(model, 0, s_in, masked=True)


def decode(model: Model, s: int) -> Transformer:
    """The step that makes the sequence `s` tokens long."""
    return Transformer(model, s - 1, 1, masked=False)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reduced", action="store_true",
                        help=f"{REDUCED.D} wide, {REDUCED.h_q} heads, {REDUCED.L} layers, s_max "
                             f"{REDUCED.s_max} (default: Llama-3-70B)")
    for name in vars(REDUCED):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N")


def model_of(arguments: argparse.Namespace) -> Model:
    """Exits with status 2 if the sizes are not those of a model."""
    given = {name: value for name, value in vars(arguments).items()
             if name in Model.__dataclass_fields__ and value is not None}
    model = replace(REDUCED if arguments.reduced else Model(), **given)
    if problem := model.problem():
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
    return model


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--prefill", type=int, metavar="S_IN", help="tokens of the prompt")
    parser.add_argument("--decode", type=int, metavar="S", help="length with the new token")
    parser.add_argument("--trace", action="store_true", help="make every named tensor a result")
    parser.add_argument("--parameters", action="store_true", help="print sizes, write no program")
    parser.add_argument("-o", metavar="FILE", dest="output", default="-",
                        help="where to write (default: standard output)")
    arguments = parser.parse_args()
    model = model_of(arguments)
    if arguments.parameters:
        print(", ".join(f"{name} = {size}" for name, size in vars(model).items()))
        print(f"G = {model.G}, d_k_prime = {model.d_k_prime}, f = {model.d_k // model.d_k_prime}")
        print(f"{model.parameters():,} parameters")
        return 0
    if (arguments.prefill is None) == (arguments.decode is None):
        parser.error("say one of --prefill and --decode")
    length = arguments.prefill if arguments.decode is None else arguments.decode
    if not 1 <= length <= model.s_max:
        print(f"error: {length} tokens, allowed are 1 to s_max = {model.s_max}", file=sys.stderr)
        return 2
    program = prefill(model, length) if arguments.decode is None else decode(model, length)
    text = program.write(arguments.trace)
    if arguments.output == "-":
        sys.stdout.write(text)
    else:
        Path(arguments.output).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
