# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The measured programs: contractions as linalg, and what whole layers must move."""

import dataclasses
from collections.abc import Sequence

from bound import BITS, Product

#: MLIR's names of the element types.
MLIR_TYPES = {"f8e4m3": "f8E4M3FN", "f8e5m2": "f8E5M2"}


def tensor(sizes: Sequence[int], kind: str) -> str:
    return "tensor<" + "".join(f"{size}x" for size in sizes) + MLIR_TYPES.get(kind, kind) + ">"


def affine_map(loops: str, indices: str) -> str:
    return f"affine_map<({', '.join(loops)}) -> ({', '.join(indices)})>"


@dataclasses.dataclass(frozen=True)
class Einsums:
    """Contractions of one function: `specs` like "mk,kn->mn", each with the size of every
    index. The first operand of all is the same argument. Operands are `type`, sums f32, results
    bf16."""

    specs: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    type: str

    def text(self) -> str:
        arguments, results, body = [], [], ["  %zero = arith.constant 0.0 : f32"]
        for number, (spec, sizes) in enumerate(self.specs):
            operands, result = spec.split("->")
            extent = dict(sizes)
            names = []
            for place, indices in enumerate(operands.split(",")):
                name = "%x" if place == 0 else f"%a{number}_{place}"
                kind = tensor([extent[i] for i in indices], self.type)
                if f"{name}: {kind}" not in arguments:
                    arguments.append(f"{name}: {kind}")
                names.append((name, kind, indices))
            results.append(tensor([extent[i] for i in result], "bf16"))
            body += self.contraction(number, names, result, extent)
        values = ", ".join(f"%out{n}" for n in range(len(self.specs)))
        kinds = ", ".join(results)
        return "\n".join([f"func.func @main({', '.join(arguments)}) -> ({kinds}) {{", *body,
                          f"  return {values} : {kinds}", "}", ""])

    def contraction(self, number: int, operands: list[tuple[str, str, str]], result: str,
                    extent: dict[str, int]) -> list[str]:
        loops = result + "".join(sorted({i for _, _, indices in operands for i in indices}
                                        - set(result)))
        iterators = ", ".join('"parallel"' if i in result else '"reduction"' for i in loops)
        maps = ", ".join(affine_map(loops, i) for i in [*(i for _, _, i in operands), result])
        sums = tensor([extent[i] for i in result], "f32")
        out = tensor([extent[i] for i in result], "bf16")
        kind = MLIR_TYPES.get(self.type, self.type)
        same = affine_map(result, result)
        parallel = ", ".join('"parallel"' for _ in result)
        lines = [
            f"%empty{number} = tensor.empty() : {sums}",
            f"%init{number} = linalg.fill ins(%zero : f32) outs(%empty{number} : {sums}) -> {sums}",
            f"%sum{number} = linalg.generic {{indexing_maps = [{maps}], "
            f"iterator_types = [{iterators}]}}",
            f"    ins({', '.join(name for name, _, _ in operands)} : "
            f"{', '.join(type_ for _, type_, _ in operands)}) outs(%init{number} : {sums}) {{",
            f"^bb0(%p: {kind}, %q: {kind}, %s: f32):",
            f"  %u = arith.extf %p : {kind} to f32",
            f"  %v = arith.extf %q : {kind} to f32",
            "  %w = arith.mulf %u, %v : f32",
            "  %r = arith.addf %s, %w : f32",
            "  linalg.yield %r : f32",
            f"}} -> {sums}",
            f"%rounded{number} = tensor.empty() : {out}",
            f"%out{number} = linalg.generic {{indexing_maps = [{same}, {same}], "
            f"iterator_types = [{parallel}]}}",
            f"    ins(%sum{number} : {sums}) outs(%rounded{number} : {out}) {{",
            "^bb0(%p: f32, %q: bf16):",
            "  %r = arith.truncf %p : f32 to bf16",
            "  linalg.yield %r : bf16",
            f"}} -> {out}",
        ]
        return ["  " + line for line in lines]


def products(tokens: int, inner: int, outers: Sequence[int], kind: str) -> Einsums:
    """[tokens, inner] times one matrix [inner, outer] after the other."""
    return Einsums(tuple(("mk,kn->mn", (("m", tokens), ("k", inner), ("n", outer)))
                         for outer in outers), kind)


@dataclasses.dataclass(frozen=True)
class LlamaLayer:
    """One decoder layer of Llama-3-70B, bf16: what its contractions do and its tensors weigh.
    `tokens` new tokens behind `cache` - `tokens` others."""

    tokens: int
    cache: int
    width: int = 8192
    heads: int = 64
    kv_heads: int = 8
    head: int = 128
    hidden: int = 28672

    def products(self) -> list[Product]:
        both = self.heads // self.kv_heads * self.tokens
        kv = self.kv_heads * self.head
        matrices = [(self.width, self.width), (self.width, kv), (self.width, kv),
                    (self.width, self.width), (self.width, self.hidden),
                    (self.width, self.hidden), (self.hidden, self.width)]
        return ([Product(self.tokens, inner, outer, "bf16") for inner, outer in matrices]
                + [Product(both, self.head, self.cache, "bf16")] * self.kv_heads
                + [Product(both, self.cache, self.head, "bf16")] * self.kv_heads)

    def bytes_read(self) -> int:
        """Weights, input, norms, rotary tables, the mask, and the old rows of the caches."""
        element = BITS["bf16"] // 8
        weights = sum(p.inner * p.outer for p in self.products()[:7])
        rows = self.tokens * self.width + 2 * self.width + 2 * self.tokens * self.head
        old = 2 * self.kv_heads * (self.cache - self.tokens) * self.head
        return (weights + rows + old) * element + self.tokens * self.cache * BITS["f32"] // 8

    def bytes_written(self) -> int:
        """The output and both caches."""
        caches = 2 * self.kv_heads * self.cache * self.head
        return (self.tokens * self.width + caches) * BITS["bf16"] // 8
