# ===- reference.py - Llama 3 in NumPy -------------------------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""What the programs of make_transformer.py compute, by the manual's formulas.

check_steps holds every named tensor against NumPy from the tensors it is made of,
so an error is seen where it is made. logits_of computes a whole sequence at once,
without a cache, rounding where the program does.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from make_transformer import Model, Transformer
from simulator import F32, bf16, contraction_slack, judge

Array = NDArray[Any]

#: Llama 3's, of normalisations and of rotary embeddings.
EPSILON = 1e-5
ROPE_BASE = 500000.0


def make_weights(model: Model, seed: int) -> dict[str, Array]:
    """Of size 1/sqrt(inputs), so that activations keep their size; and the rotations.
    Embeddings are small, so that EPSILON counts."""
    random = np.random.default_rng(seed)
    weights = {}
    for name, shape in model.weights():
        values = random.standard_normal(shape)
        if name.startswith("norm"):
            values = 1 + 0.1 * values
        elif name.startswith("w_o"):
            values /= np.sqrt(model.D)
        elif name == "w_emb":
            values /= 64
        else:
            values /= np.sqrt(shape[0])
        weights[name] = bf16(values)
    # Pairs (2d, 2d + 1) turn by p base^(-2d / d_k): matrices [in, out].
    frequency = ROPE_BASE ** (-2 * np.arange(model.d_k_prime) / model.d_k)
    angle = np.outer(np.arange(model.s_max), frequency)
    cos, sin = np.cos(angle), np.sin(angle)
    weights["w_rope"] = bf16(np.stack([cos, sin, -sin, cos], -1).reshape(*angle.shape, 2, 2))
    return weights


def rms_norm(x: Array, gain: Array) -> Array:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * gain


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def silu(x: Array) -> Array:
    return x / (1 + np.exp(-x))


def rotated(x: Array, t_rope: Array, s: int) -> Array:
    """[B, s, h, d_k], pair by pair, to [B, h, s, d_k]."""
    even, odd = x[..., 0::2], x[..., 1::2]
    t = t_rope.reshape(s, 1, -1, 2, 2)
    turned = np.empty_like(x)
    turned[..., 0::2] = even * t[..., 0, 0] + odd * t[..., 1, 0]
    turned[..., 1::2] = even * t[..., 0, 1] + odd * t[..., 1, 1]
    return turned.transpose(0, 2, 1, 3)


class StepChecker:
    """`t` holds arguments, traced tensors and results of one run by name."""

    def __init__(self, program: Transformer, t: dict[str, Array]) -> None:
        self.program = program
        self.t = {name: value.astype(np.float64) for name, value in t.items()}
        self.good = True

    def equal(self, name: str, exact: Array, slack: Any = 0.0, rounding: Any = bf16) -> None:
        self.good &= judge(name, self.t[name], exact, slack, rounding)

    def einsum(self, name: str, spec: str, *operands: Array, add: Any = 0.0,
               rounding: Any = bf16, factor: float = 1.0) -> None:
        exact = np.einsum(spec, *operands, optimize=True) * factor + add
        slack = contraction_slack(spec, *operands) * factor + 2.0**-23 * np.abs(exact)
        self.equal(name, exact, slack, rounding)

    def normal(self, name: str, x: str, gain: str) -> None:
        exact = rms_norm(self.t[x], self.t[gain])
        self.equal(name, exact, F32 * np.abs(exact))

    def check_layer(self, l: int, x: str) -> None:
        t, m, s = self.t, self.program.model, self.program.s_in
        self.normal(f"x_norm_{l}", x, f"norm_attn_{l}")
        for name in ("Q", "K", "V"):
            self.einsum(f"{name}_{l}", "bsd,dhk->bshk", t[f"x_norm_{l}"], t[f"w_{name.lower()}_{l}"])
        for name in ("Q", "K"):
            exact = rotated(t[f"{name}_{l}"], t["t_rope"], s)
            slack = rotated(np.abs(t[f"{name}_{l}"]), np.abs(t["t_rope"]), s)
            self.equal(f"{name}_rope_{l}", exact, 2.0**-23 * slack)

        for name, rows in (("k", t[f"K_rope_{l}"]), ("v", t[f"V_{l}"].transpose(0, 2, 1, 3))):
            expected = t[f"old_{name}_{l}"].copy()
            expected[:, :, self.program.position:self.program.seen] = rows
            self.equal(f"cache_{name}_{l}", expected)

        # Head h with the keys and values of head h div G.
        past = np.s_[:, :, :self.program.seen]
        keys = np.repeat(t[f"cache_k_{l}"][past], m.G, 1)
        values = np.repeat(t[f"cache_v_{l}"][past], m.G, 1)
        grouped = (m.B, m.h_kv, m.G, s, self.program.seen)
        ungrouped = (m.B, m.h_q, s, self.program.seen)
        t[f"scores_{l}"] = t[f"scores_{l}"].reshape(ungrouped)
        self.einsum(f"scores_{l}", "bhqd,bhkd->bhqk", t[f"Q_rope_{l}"], keys,
                    rounding=np.float32, factor=1 / np.sqrt(m.d_k))
        scores = t[f"scores_{l}"]
        if self.program.masked:
            i, j = np.indices(scores.shape[2:])
            masked = t[f"scores_masked_{l}"] = t[f"scores_masked_{l}"].reshape(ungrouped)
            self.equal(f"scores_masked_{l}", np.where(j <= i, scores, -np.inf),
                       rounding=np.float32)
            scores = masked
        exact = softmax(scores).reshape(grouped)
        self.equal(f"attn_weights_{l}", exact, F32 * exact)
        weights = t[f"attn_weights_{l}"].reshape(ungrouped)
        self.einsum(f"attn_output_{l}", "bhqk,bhkd->bhqd", weights, values)
        self.einsum(f"x_attn_{l}", "bhsk,hkd->bsd", t[f"attn_output_{l}"], t[f"w_o_{l}"], add=t[x])

        self.normal(f"x_ffn_norm_{l}", f"x_attn_{l}", f"norm_ffn_{l}")
        for name in ("gate", "up"):
            self.einsum(f"{name}_{l}", "bsd,df->bsf", t[f"x_ffn_norm_{l}"], t[f"w_{name}_{l}"],
                        rounding=np.float32)
        exact = silu(t[f"gate_{l}"]) * t[f"up_{l}"]
        self.equal(f"activated_{l}", exact, F32 * np.abs(exact))
        self.einsum(f"x_{l + 1}", "bsf,fd->bsd", t[f"activated_{l}"], t[f"w_down_{l}"],
                    add=t[f"x_attn_{l}"])

    def check(self) -> bool:
        t, m = self.t, self.program.model
        self.equal("x_0", t["w_emb"][t["input"].astype(int)])
        self.equal("t_rope", t["w_rope"][t["position"].astype(int)])
        for l in range(m.L):
            self.check_layer(l, f"x_{l}")
        self.normal("x_final", f"x_{m.L}", "norm_final")
        self.einsum("logits", "bd,dv->bv", t["x_final"][:, -1], t["w_lm_head"],
                    rounding=np.float32)
        return self.good


def logits_of(model: Model, a: dict[str, Array], tokens: Array) -> Array:
    """Of the token after `tokens` [B, s], from all of them at once."""
    s = tokens.shape[1]
    visible = np.tril(np.ones((s, s), bool))
    x = a["w_emb"][tokens]
    for l in range(model.L):
        normal = bf16(rms_norm(x, a[f"norm_attn_{l}"]))
        q, k, v = (bf16(np.einsum("bsd,dhk->bshk", normal, a[f"w_{name}_{l}"], optimize=True))
                   for name in "qkv")
        q, k = (bf16(rotated(y, a["w_rope"][:s], s)) for y in (q, k))
        k, v = np.repeat(k, model.G, 1), np.repeat(v.transpose(0, 2, 1, 3), model.G, 1)
        scores = np.einsum("bhqd,bhkd->bhqk", q, k, optimize=True) / np.sqrt(model.d_k)
        weights = bf16(softmax(np.where(visible, scores, -np.inf)))
        mixed = bf16(np.einsum("bhqk,bhkd->bhqd", weights, v, optimize=True))
        x = bf16(np.einsum("bhsk,hkd->bsd", mixed, a[f"w_o_{l}"], optimize=True) + x)
        normal = bf16(rms_norm(x, a[f"norm_ffn_{l}"]))
        hidden = bf16(silu(normal @ a[f"w_gate_{l}"]) * (normal @ a[f"w_up_{l}"]))
        x = bf16(hidden @ a[f"w_down_{l}"] + x)
    return bf16(rms_norm(x, a["norm_final"]))[:, -1] @ a["w_lm_head"]
