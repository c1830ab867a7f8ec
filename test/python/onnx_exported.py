# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks by the nodes that torch exports, at any size.

Shapes are computed by nodes (Shape, Gather, Unsqueeze, Concat), linear layers of three
dimensions are a MatMul and an Add, normalization is made of ReduceMean, Sub, Pow, Sqrt and
Div at version 13 and an operator at 17, constants are nodes. Weights are random.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from onnx_models import Graph

LEAST = float(np.finfo(np.float32).min)


class Exporter(Graph):
    """A Graph with the pieces that networks are made of."""

    def __init__(self, opset: int) -> None:
        super().__init__(opset)

    def number(self, value: Any, dtype: str = "float32") -> str:
        """A Constant node."""
        from onnx import numpy_helper

        return self.node("Constant", value=numpy_helper.from_array(np.asarray(value, dtype)))

    def ints(self, *values: int) -> str:
        return self.number(list(values), "int64")

    def size(self, x: str, axis: int) -> str:
        """A dimension's size, as shape arithmetic has it: a single number."""
        return self.node("Gather", self.node("Shape", x), self.number(axis, "int64"), axis=0)

    def shape(self, *parts: str | int) -> str:
        """A shape of sizes that are computed and sizes that are known."""
        rows = [self.ints(p) if isinstance(p, int) else self.node("Unsqueeze", p, self.ints(0))
                for p in parts]
        return self.node("Concat", *rows, axis=0)

    def linear(self, x: str, inputs: int, outputs: int, name: str, bias: bool = True) -> str:
        y = self.node("MatMul", x,
                      self.weight(f"{name}.weight", inputs, outputs, scale=inputs**-0.5))
        return self.node("Add", self.weight(f"{name}.bias", outputs, scale=0.1), y) if bias else y

    def layer_norm(self, x: str, width: int, name: str, epsilon: float = 1e-5) -> str:
        scale = self.constant((1 + 0.1 * self.random.standard_normal(width)).astype("f4"),
                              f"{name}.weight")
        bias = self.weight(f"{name}.bias", width, scale=0.1)
        if self.opset >= 17:
            return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon)
        mean = self.node("ReduceMean", x, axes=[-1])
        centred = self.node("Sub", x, mean)
        variance = self.node("ReduceMean", self.node("Pow", centred, self.number(2.0)), axes=[-1])
        deviation = self.node("Sqrt", self.node("Add", variance, self.number(epsilon)))
        y = self.node("Mul", self.node("Div", centred, deviation), scale)
        return self.node("Add", y, bias)

    def rms_norm(self, x: str, width: int, name: str) -> str:
        squares = self.node("ReduceMean", self.node("Pow", x, self.number(2.0)), axes=[-1])
        root = self.node("Sqrt", self.node("Add", squares, self.number(1e-6)))
        y = self.node("Mul", x, self.node("Div", self.number(1.0), root))
        return self.node("Mul", self.weight(f"{name}.weight", width), y)

    def gelu(self, x: str) -> str:
        y = self.node("Erf", self.node("Div", x, self.number(math.sqrt(2))))
        y = self.node("Mul", x, self.node("Add", y, self.number(1.0)))
        return self.node("Mul", y, self.number(0.5))

    def new_gelu(self, x: str) -> str:
        cube = self.node("Mul", self.node("Pow", x, self.number(3.0)), self.number(0.044715))
        inner = self.node("Mul", self.node("Add", x, cube), self.number(math.sqrt(2 / math.pi)))
        curve = self.node("Add", self.node("Tanh", inner), self.number(1.0))
        return self.node("Mul", self.node("Mul", x, self.number(0.5)), curve)

    def silu(self, x: str) -> str:
        return self.node("Mul", x, self.node("Sigmoid", x))

    def heads(self, x: str, count: int, size: int, turned: bool = False) -> str:
        """[batch, seq, count * size] -> [batch, count, seq, size]."""
        shape = self.shape(self.size(x, 0), self.size(x, 1), count, size)
        return self.node("Transpose", self.node("Reshape", x, shape),
                         perm=[0, 2, 3, 1] if turned else [0, 2, 1, 3])

    def joined(self, x: str, width: int) -> str:
        y = self.node("Transpose", x, perm=[0, 2, 1, 3])
        return self.node("Reshape", y, self.shape(self.size(y, 0), self.size(y, 1), width))

    def conv(self, x: str, inputs: int, outputs: int, kernel: int, name: str, stride: int = 1,
             groups: int = 1, bias: bool = True) -> str:
        fan = inputs // groups * kernel * kernel
        w = self.weight(f"{name}.weight", outputs, inputs // groups, kernel, kernel,
                        scale=(2 / fan) ** 0.5)
        more = [self.weight(f"{name}.bias", outputs, scale=0.1)] if bias else []
        return self.node("Conv", x, w, *more, dilations=[1, 1], group=groups,
                         kernel_shape=[kernel] * 2,
                         pads=[kernel // 2] * 4, strides=[stride] * 2)

    def batch_norm(self, x: str, channels: int, name: str) -> str:
        scale = self.constant((1 + 0.1 * self.random.standard_normal(channels)).astype("f4"),
                              f"{name}.weight")
        variance = self.constant((1 + 0.2 * self.random.random(channels)).astype("f4"),
                                 f"{name}.running_var")
        return self.node("BatchNormalization", x, scale,
                         self.weight(f"{name}.bias", channels, scale=0.1),
                         self.weight(f"{name}.running_mean", channels,
                                     scale=0.1), variance, epsilon=1e-5)

    def finish(self, value: str, name: str) -> Graph:
        self.node("Identity", value, outputs=[self.output(name)])
        return self


def attend(g: Exporter, q: str, kt: str, v: str, size: int, mask: str | None) -> str:
    scores = g.node("Div", g.node("MatMul", q, kt), g.number(math.sqrt(size)))
    if mask is not None:
        scores = g.node("Add", scores, mask)
    return g.node("MatMul", g.node("Softmax", scores, axis=-1), v)


def gpt2(g: Exporter, layers=2, width=64, heads=4, vocabulary=96, context=32) -> Graph:
    ids = g.input("input_ids", ["batch", "seq"], "int64")
    size = width // heads
    length = g.size(ids, 1)
    positions = g.node("Range", g.number(0, "int64"), length, g.number(1, "int64"))
    positions = g.node("Unsqueeze", positions, g.ints(0))
    tokens = g.weight("transformer.wte.weight", vocabulary, width)
    h = g.node("Add", g.node("Gather", tokens, ids),
               g.node("Gather", g.weight("transformer.wpe.weight", context, width, scale=0.1),
                      positions))
    for i in range(layers):
        name = f"transformer.h.{i}"
        x = g.layer_norm(h, width, f"{name}.ln_1")
        flat = g.node("Reshape", x, g.shape(-1, g.size(x, 2)))
        qkv = g.node("Gemm", flat,
                     g.weight(f"{name}.attn.c_attn.weight", width, 3 * width, scale=width**-0.5),
                     g.weight(f"{name}.attn.c_attn.bias", 3 * width, scale=0.1))
        qkv = g.node("Reshape", qkv, g.shape(g.size(x, 0), g.size(x, 1), 3 * width))
        q, k, v = g.node("Split", qkv, g.ints(width, width, width), outputs=3, axis=2)
        q, kt, v = g.heads(q, heads, size), g.heads(k, heads, size, turned=True), g.heads(v, heads,
                                                                                          size)
        scores = g.node("Div", g.node("MatMul", q, kt), g.number(math.sqrt(size)))
        rows, columns = g.size(scores, 2), g.size(scores, 3)
        table = g.constant(np.tril(np.ones((1, 1, context, context), bool)), f"{name}.attn.bias")
        first = g.node("Unsqueeze", g.node("Sub", columns, rows), g.ints(0))
        last = g.node("Unsqueeze", columns, g.ints(0))
        part = g.node("Slice", table, first, last, g.ints(2), g.ints(1))
        part = g.node("Slice", part, g.ints(0), last, g.ints(3), g.ints(1))
        scores = g.node("Where", part, scores, g.number(LEAST))
        a = g.joined(g.node("MatMul", g.node("Softmax", scores, axis=-1), v), width)
        h = g.node("Add", g.linear(a, width, width, f"{name}.attn.c_proj"), h)
        x = g.layer_norm(h, width, f"{name}.ln_2")
        x = g.new_gelu(g.linear(x, width, 4 * width, f"{name}.mlp.c_fc"))
        h = g.node("Add", h, g.linear(x, 4 * width, width, f"{name}.mlp.c_proj"))
    h = g.layer_norm(h, width, "transformer.ln_f")
    return g.finish(g.node("MatMul", h, g.node("Transpose", tokens, perm=[1, 0])), "logits")


def bert(g: Exporter, layers=2, width=64, heads=4, vocabulary=96, context=32) -> Graph:
    ids = g.input("input_ids", ["batch", "seq"], "int64")
    mask = g.input("attention_mask", ["batch", "seq"], "int64")
    types = g.input("token_type_ids", ["batch", "seq"], "int64")
    size = width // heads
    m = g.node("Unsqueeze", g.node("Unsqueeze", mask, g.ints(1)), g.ints(2))
    m = g.node("Sub", g.number(1.0), g.node("Cast", m, to=1))
    m = g.node("Mul", m, g.number(-10000.0))
    table = g.constant(np.arange(context, dtype=np.int64)[None], "embeddings.position_ids")
    end = g.node("Unsqueeze", g.size(ids, 1), g.ints(0))
    positions = g.node("Slice", table, g.ints(0), end, g.ints(1), g.ints(1))
    h = g.node("Add", g.node("Gather", g.weight("embeddings.word", vocabulary, width), ids),
               g.node("Gather", g.weight("embeddings.type", 2, width), types))
    h = g.node("Add", h, g.node("Gather", g.weight("embeddings.position", context, width),
                                positions))
    h = g.layer_norm(h, width, "embeddings.LayerNorm", 1e-12)
    for i in range(layers):
        name = f"encoder.layer.{i}"
        q, k, v = (g.linear(h, width, width, f"{name}.attention.{part}")
                   for part in ("query", "key", "value"))
        a = attend(g, g.heads(q, heads, size), g.heads(k, heads, size, turned=True),
                   g.heads(v, heads, size), size, m)
        a = g.linear(g.joined(a, width), width, width, f"{name}.attention.output")
        h = g.layer_norm(g.node("Add", a, h), width, f"{name}.attention.LayerNorm", 1e-12)
        x = g.gelu(g.linear(h, width, 4 * width, f"{name}.intermediate"))
        x = g.linear(x, 4 * width, width, f"{name}.output")
        h = g.layer_norm(g.node("Add", x, h), width, f"{name}.LayerNorm", 1e-12)
    first = g.node("Gather", h, g.number(0, "int64"), axis=1)
    pooled = g.node("Gemm", first, g.weight("pooler.weight", width, width, scale=width**-0.5),
                    g.weight("pooler.bias", width), alpha=1.0, beta=1.0, transB=1)
    return g.finish(g.node("Tanh", pooled), "pooler_output")


def vit(g: Exporter, layers=2, width=48, heads=3, image=32, patch=8, classes=10) -> Graph:
    x = g.input("pixel_values", ["batch", 3, image, image])
    size, count = width // heads, (image // patch) ** 2
    w = g.weight("patch.weight", width, 3, patch, patch, scale=(3 * patch * patch) ** -0.5)
    h = g.node("Conv", x, w, g.weight("patch.bias", width), kernel_shape=[patch] * 2,
               strides=[patch] * 2)
    h = g.node("Reshape", h, g.shape(g.size(h, 0), width, -1))
    h = g.node("Transpose", h, perm=[0, 2, 1])
    token = g.weight("cls_token", 1, 1, width)
    token = g.node("Expand", token, g.shape(g.size(h, 0), 1, width))
    h = g.node("Add", g.node("Concat", token, h, axis=1),
               g.weight("position", 1, count + 1, width, scale=0.1))
    for i in range(layers):
        name = f"layer.{i}"
        y = g.layer_norm(h, width, f"{name}.before", 1e-12)
        q, k, v = (g.linear(y, width, width, f"{name}.{part}")
                   for part in ("query", "key", "value"))
        a = attend(g, g.heads(q, heads, size), g.heads(k, heads, size, turned=True),
                   g.heads(v, heads, size), size, None)
        h = g.node("Add", g.linear(g.joined(a, width), width, width, f"{name}.out"), h)
        y = g.layer_norm(h, width, f"{name}.after", 1e-12)
        y = g.gelu(g.linear(y, width, 4 * width, f"{name}.up"))
        h = g.node("Add", g.linear(y, 4 * width, width, f"{name}.down"), h)
    h = g.layer_norm(h, width, "norm", 1e-12)
    first = g.node("Gather", h, g.number(0, "int64"), axis=1)
    head = g.node("Gemm", first, g.weight("head.weight", classes, width),
                  g.weight("head.bias", classes), transB=1)
    return g.finish(head, "logits")


def resnet(g: Exporter, widths=(8, 16), image=32, classes=10, blocks=(1, 1),
           bottleneck=False) -> Graph:
    """Blocks of two convolutions of 3x3, or of three of 1x1, 3x3 and 1x1."""
    x = g.input("image", ["batch", 3, image, image])
    h = g.node("Relu", g.batch_norm(g.conv(x, 3, widths[0], 7, "conv1", 2, bias=False), widths[0],
                                    "bn1"))
    h = g.node("MaxPool", h, kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2])
    before = widths[0]
    for i, (width, count) in enumerate(zip(widths, blocks)):
        for j in range(count):
            name, stride = f"layer{i + 1}.{j}", 2 if i and not j else 1
            made = 4 * width if bottleneck else width
            if bottleneck:
                y = g.node("Relu", g.conv(h, before, width, 1, f"{name}.conv1"))
                y = g.node("Relu", g.conv(y, width, width, 3, f"{name}.conv2", stride))
                y = g.conv(y, width, made, 1, f"{name}.conv3")
            else:
                y = g.node("Relu", g.conv(h, before, width, 3, f"{name}.conv1", stride))
                y = g.conv(y, width, width, 3, f"{name}.conv2")
            if stride > 1 or before != made:
                h = g.conv(h, before, made, 1, f"{name}.downsample", stride)
            h = g.node("Relu", g.node("Add", y, h))
            before = made
    return classifier(g, h, before, classes)


def classifier(g: Exporter, x: str, channels: int, classes: int) -> Graph:
    x = g.node("Flatten", g.node("GlobalAveragePool", x), axis=1)
    head = g.node("Gemm", x, g.weight("fc.weight", classes, channels, scale=0.3),
                  g.weight("fc.bias", classes), transB=1)
    return g.finish(head, "logits")


def mobilenet(g: Exporter, image=16, classes=10, stem=8, last=32,
              stages=((4, 8, 1, 1), (4, 16, 2, 2))) -> Graph:
    """`stages`: how much wider a block is inside, its channels, how many, the first's stride."""

    def relu6(v: str) -> str:
        return g.node("Clip", v, g.number(0.0), g.number(6.0))

    h = relu6(g.conv(g.input("image", ["batch", 3, image, image]), 3, stem, 3, "features.0", 2))
    before, at = stem, 0
    for factor, width, count, first in stages:
        for j in range(count):
            at, stride, wide, y = at + 1, first if j == 0 else 1, before * factor, h
            if factor > 1:
                y = relu6(g.conv(y, before, wide, 1, f"features.{at}.expand"))
            y = relu6(g.conv(y, wide, wide, 3, f"features.{at}.depthwise", stride, groups=wide))
            y = g.conv(y, wide, width, 1, f"features.{at}.project")
            h = g.node("Add", h, y) if stride == 1 and width == before else y
            before = width
    return classifier(g, relu6(g.conv(h, before, last, 1, f"features.{at + 1}")), last, classes)


def efficientnet(g: Exporter, image=12, channels=8, wide=32, squeezed=4) -> Graph:
    """One block: a depthwise convolution, squeeze and excitation, a residual."""
    x = g.input("image", ["batch", channels, image, image])
    y = g.silu(g.conv(x, channels, wide, 1, "expand"))
    y = g.silu(g.conv(y, wide, wide, 5, "depthwise", groups=wide))
    s = g.silu(g.conv(g.node("GlobalAveragePool", y), wide, squeezed, 1, "reduce"))
    y = g.node("Mul", y, g.node("Sigmoid", g.conv(s, squeezed, wide, 1, "excite")))
    return g.finish(g.node("Add", g.conv(y, wide, channels, 1, "project"), x), "features")


def unet(g: Exporter, image=16, channels=1, widths=(8, 16, 32), convolutions=1) -> Graph:
    """Down by maxima; up by a transposed convolution, the last time by nearest neighbours."""

    def block(v: str, inputs: int, outputs: int, name: str) -> str:
        for i in range(convolutions):
            v = g.node("Relu", g.conv(v, inputs if i == 0 else outputs, outputs, 3,
                                      f"{name}.conv{i + 1}"))
        return v

    h, skipped, before = g.input("image", ["batch", channels, image, image]), [], channels
    for i, width in enumerate(widths):
        if i:
            h = g.node("MaxPool", h, kernel_shape=[2, 2], strides=[2, 2])
        h = block(h, before, width, f"down.{i}")
        skipped.append(h)
        before = width
    for i, width in reversed(list(enumerate(widths[:-1]))):
        if i:
            up, more = g.node("ConvTranspose", h,
                              g.weight(f"up.{i}.weight", before, width, 2, 2, scale=0.2),
                              g.weight(f"up.{i}.bias", width),
                              kernel_shape=[2, 2], strides=[2, 2]), width
        else:
            up, more = g.node("Resize", h, "", g.constant(np.float32([1, 1, 2, 2])),
                              mode="nearest", coordinate_transformation_mode="asymmetric",
                              nearest_mode="floor"), before
        h = block(g.node("Concat", up, skipped[i], axis=1), more + width, width, f"up.{i}")
        before = width
    return g.finish(g.node("Sigmoid", g.conv(h, before, 1, 1, "head")), "mask")


def rotary(g: Exporter, x: str, cos: str, sin: str, size: int) -> str:
    first = g.node("Slice", x, g.ints(0), g.ints(size // 2), g.ints(3), g.ints(1))
    second = g.node("Slice", x, g.ints(size // 2), g.ints(2**63 - 1), g.ints(3), g.ints(1))
    turned = g.node("Concat", g.node("Neg", second), first, axis=-1)
    return g.node("Add", g.node("Mul", x, cos), g.node("Mul", turned, sin))


def repeated(g: Exporter, x: str, shared: int, group: int, size: int) -> str:
    """repeat_kv: [batch, shared, seq, size] -> [batch, shared * group, seq, size]."""
    batch, length = g.size(x, 0), g.size(x, 2)
    y = g.node("Unsqueeze", x, g.ints(2))
    y = g.node("Expand", y, g.shape(batch, shared, group, length, size))
    return g.node("Reshape", y, g.shape(batch, shared * group, length, size))


def llama(g: Exporter, layers=1, width=64, heads=4, shared=2, hidden=128, vocabulary=64,
          experts=0) -> Graph:
    """With `experts`, a Mixtral-style network: every expert computes, what is not chosen
    among the best two has weight 0. Without a vocabulary layers from hidden states to such."""
    size, group = width // heads, heads // shared
    if vocabulary:
        ids = g.input("input_ids", ["batch", "seq"], "int64")
        h = g.node("Gather", g.weight("embed_tokens.weight", vocabulary, width), ids)
    else:
        h = ids = g.input("hidden_states", ["batch", "seq", width])
    length = g.size(ids, 1)
    at = g.node("Range", g.number(0, "int64"), length, g.number(1, "int64"))
    at = g.node("Unsqueeze", at, g.ints(0))
    inverse = (10000.0 ** (-np.arange(0, size, 2) / size)).astype(np.float32)
    angles = g.node("MatMul", g.constant(inverse[None, :, None], "inv_freq"),
                    g.node("Cast", g.node("Unsqueeze", at, g.ints(1)), to=1))
    angles = g.node("Transpose", angles, perm=[0, 2, 1])
    angles = g.node("Concat", angles, angles, axis=-1)
    cos, sin = (g.node("Unsqueeze", g.node(op, angles), g.ints(1)) for op in ("Cos", "Sin"))
    square = g.node("Expand", g.number(LEAST), g.shape(length, length))
    mask = g.node("Trilu", square, g.number(1, "int64"), upper=1)
    mask = g.node("Unsqueeze", mask, g.ints(0, 1))
    for i in range(layers):
        name = f"layers.{i}"
        x = g.rms_norm(h, width, f"{name}.input_layernorm")
        q = g.heads(g.linear(x, width, width, f"{name}.q_proj", bias=False), heads, size)
        k, v = (g.heads(g.linear(x, width, shared * size, f"{name}.{p}_proj", bias=False), shared,
                        size) for p in "kv")
        q, k = rotary(g, q, cos, sin, size), rotary(g, k, cos, sin, size)
        k, v = (repeated(g, part, shared, group, size) for part in (k, v))
        a = attend(g, q, g.node("Transpose", k, perm=[0, 1, 3, 2]), v, size, mask)
        a = g.linear(g.joined(a, width), width, width, f"{name}.o_proj", bias=False)
        h = g.node("Add", h, a)
        x = g.rms_norm(h, width, f"{name}.post_attention_layernorm")
        h = g.node("Add", h, mixture(g, x, width, hidden, experts, name) if experts
                   else gated(g, x, width, hidden, name))
    if not vocabulary:
        return g.finish(h, "hidden_states_out")
    h = g.rms_norm(h, width, "norm")
    return g.finish(g.linear(h, width, vocabulary, "lm_head", bias=False), "logits")


def gated(g: Exporter, x: str, width: int, hidden: int, name: str) -> str:
    gate = g.silu(g.linear(x, width, hidden, f"{name}.gate_proj", bias=False))
    up = g.linear(x, width, hidden, f"{name}.up_proj", bias=False)
    return g.linear(g.node("Mul", gate, up), hidden, width, f"{name}.down_proj", bias=False)


def mixture(g: Exporter, x: str, width: int, hidden: int, experts: int, name: str) -> str:
    shares = g.node("Softmax", g.linear(x, width, experts, f"{name}.router", bias=False), axis=-1)
    best, at = g.node("TopK", shares, g.ints(2), outputs=2, axis=-1)
    best = g.node("Div", best, g.node("ReduceSum", best, g.ints(-1)))
    chosen = g.node("OneHot", at, g.ints(experts), g.number([0.0, 1.0]), axis=-1)
    weights = g.node("ReduceSum", g.node("Mul", chosen, g.node("Unsqueeze", best, g.ints(-1))),
                     g.ints(2), keepdims=0)
    total = ""
    for e in range(experts):
        y = gated(g, x, width, hidden, f"{name}.experts.{e}")
        share = g.node("Slice", weights, g.ints(e), g.ints(e + 1), g.ints(2), g.ints(1))
        y = g.node("Mul", y, share)
        total = g.node("Add", total, y) if total else y
    return total


def mixtral(g: Exporter, **sizes: Any) -> Graph:
    return llama(g, experts=4, **sizes)


def lstm(g: Exporter, width=16, hidden=12, classes=5) -> Graph:
    x = g.input("sequence", ["seq", "batch", width])
    scale = hidden**-0.5
    y, _, _ = g.node("LSTM", x, g.weight("w", 1, 4 * hidden, width, scale=scale),
                     g.weight("r", 1, 4 * hidden, hidden, scale=scale), g.weight("b", 1,
                                                                                 8 * hidden, scale=scale),
                     outputs=3, hidden_size=hidden)
    y = g.node("Squeeze", y, g.ints(1))
    last = g.node("Gather", y, g.number(-1, "int64"), axis=0)
    head = g.node("Gemm", last, g.weight("fc.weight", classes, hidden),
                  g.weight("fc.bias", classes), transB=1)
    return g.finish(head, "logits")


#: Networks and the sizes of their dynamic dimensions.
NETWORKS = {
    "gpt2": (gpt2, {"batch": 2, "seq": 8}),
    "bert": (bert, {"batch": 2, "seq": 8}),
    "vit": (vit, {"batch": 2}),
    "resnet": (resnet, {"batch": 1}),
    "mobilenet": (mobilenet, {"batch": 1}),
    "efficientnet": (efficientnet, {"batch": 1}),
    "unet": (unet, {"batch": 1}),
    "llama": (llama, {"batch": 1, "seq": 6}),
    "mixtral": (mixtral, {"batch": 1, "seq": 5}),
    "lstm": (lstm, {"batch": 2, "seq": 6}),
}
