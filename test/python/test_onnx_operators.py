# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators against NumPy: those of versions that the installed onnx has no tests of (18 to
23), and forms of others that its tests have not."""

import math

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs python3-onnx")

from onnx import TensorProto  # noqa: E402

import onnx_random  # noqa: E402
import sequin  # noqa: E402
from onnx_models import Graph  # noqa: E402

RTOL, ATOL = 1e-5, 2e-6


def run_node(op, arrays, opset, outputs=1, constants=(), dtypes=None, **attributes):
    """One node; inputs at places in `constants` are initializers, None ones are left out."""
    g = Graph(opset)
    names, given = [], {}
    for i, array in enumerate(arrays):
        if array is None:
            names.append("")
        elif i in constants:
            names.append(g.constant(np.asarray(array), f"c{i}"))
        else:
            array = np.asarray(array)
            names.append(g.input(f"x{i}", list(array.shape), array.dtype.name))
            given[f"x{i}"] = array
    made = [f"y{i}" for i in range(outputs)]
    g.node(op, *names, outputs=made, name=f"/{op}", **attributes)
    for name, dtype in zip(made, dtypes or ["float32"] * outputs):
        g.output(name, dtype)
    outputs_by_name, _ = sequin.import_onnx(g.bytes()).compile("rngd").run(given)
    results = [outputs_by_name[name] for name in made]
    return results[0] if len(results) == 1 else results


def floats(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def close(found, wanted, rtol=RTOL, atol=ATOL):
    assert found.shape == np.shape(wanted)
    np.testing.assert_allclose(found, wanted, rtol, atol)


erf = np.vectorize(math.erf)


# ===--- Functions ---------------------------------------------------------=== #


@pytest.mark.parametrize("op, opset, function", [
    ("Mish", 18, lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    ("Gelu", 20, lambda x: 0.5 * x * (1 + erf(x / np.sqrt(2)))),
    ("HardSwish", 14, lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
    ("Softplus", 17, lambda x: np.logaddexp(0, x)),
    ("Asin", 17, np.arcsin),
    ("Acos", 17, np.arccos),
    ("Atan", 17, np.arctan),
    ("Round", 17, np.rint),
])
def test_function(op, opset, function):
    x = floats(7, 33)
    x = np.clip(x, -1, 1) if op in ("Asin", "Acos") else x * 4
    close(run_node(op, [x], opset), function(x.astype(np.float64)))


def test_gelu_by_tanh():
    x = floats(4, 9) * 3
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    close(run_node("Gelu", [x], 20, approximate="tanh"), 0.5 * x * (1 + np.tanh(inner)))


def test_large_arguments_do_not_overflow():
    x = np.float32([-1e4, -100, -1, 0, 1, 100, 1e4])
    np.testing.assert_array_equal(run_node("Softplus", [x], 17)[[0, 6]], [0, 1e4])
    np.testing.assert_array_equal(run_node("Sigmoid", [x], 17)[[0, 6]], [0, 1])
    found = run_node("Softmax", [np.stack([x, x * 3])], 17)
    np.testing.assert_array_equal(found[:, -1], [1, 1])


# ===--- Integers ----------------------------------------------------------=== #

EDGES = {
    "int32": [-(2**31), -(2**31) + 1, -77777, -3, -1, 0, 1, 2, 3, 12345, 2**24 + 1, 2**31 - 1],
    "uint32": [0, 1, 2, 3, 1000, 2**24 + 1, 2**31 - 1, 2**31, 2**31 + 5, 2**32 - 2, 2**32 - 1],
    "int8": [-128, -127, -3, -1, 0, 1, 2, 3, 100, 127],
    "uint8": [0, 1, 2, 3, 127, 128, 200, 255],
    "int16": [-(2**15), -300, -1, 0, 1, 2, 77, 2**15 - 1],
    "uint16": [0, 1, 2, 77, 2**15, 2**16 - 1],
}


@pytest.mark.parametrize("dtype", EDGES)
@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "Less", "Greater"])
def test_integers_exactly(op, dtype):
    edges = np.asarray(EDGES[dtype], dtype)
    x, y = (a.reshape(-1) for a in np.meshgrid(edges, edges))
    if op in ("Div", "Mod"):
        keep = y != 0
        keep &= ~((y.astype(np.int64) == -1) & (x == np.iinfo(dtype).min))
        x, y = x[keep], y[keep]
    wide_x, wide_y = x.astype(np.int64), y.astype(np.int64)
    functions = {
        "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Mod": np.mod, "Max": np.maximum,
        "Min": np.minimum, "Less": np.less, "Greater": np.greater,
        "Div": lambda p, q: np.trunc(p.astype(np.longdouble) / q).astype(np.int64),
    }
    wanted = functions[op](wide_x, wide_y)
    result = "bool" if op in ("Less", "Greater") else dtype
    found = run_node(op, [x, y], 17, dtypes=[result])
    np.testing.assert_array_equal(found, wanted.astype(result))


@pytest.mark.parametrize("op, function",
                         [("BitwiseAnd", np.bitwise_and), ("BitwiseOr", np.bitwise_or),
                                          ("BitwiseXor", np.bitwise_xor)])
@pytest.mark.parametrize("dtype", ["int32", "uint8", "uint32", "int16"])
def test_bitwise(op, function, dtype):
    x, y = (np.asarray(EDGES[dtype], dtype), np.asarray(EDGES[dtype][::-1], dtype))
    np.testing.assert_array_equal(run_node(op, [x, y], 18, dtypes=[dtype]), function(x, y))
    np.testing.assert_array_equal(run_node("BitwiseNot", [x], 18, dtypes=[dtype]),
                                  np.bitwise_not(x))


@pytest.mark.parametrize("source", ["int32", "uint8", "int8", "float32", "bool", "float16"])
@pytest.mark.parametrize("target",
                         ["int32", "uint8", "int8", "float32", "bool", "float16", "uint16"])
def test_casts(source, target):
    x = np.asarray([0, 1, 2, 3, 100, 1, 0, 7]).astype(source)
    code = {"int32": 6, "uint8": 2, "int8": 3, "float32": 1, "bool": 9, "float16": 10,
            "uint16": 4}[target]
    found = run_node("Cast", [x], 17, dtypes=[target], to=code)
    assert found.dtype == target
    np.testing.assert_array_equal(found, x.astype(target))


def test_cast_to_8_bit_floats_saturates():
    x = np.float32([0, 1, -3.3, 449, 1e6, -1e6, 0.0625])
    g = Graph(19)
    g.node("Cast", g.input("x", [7]), outputs=["h"], to=17)
    g.node("Cast", "h", outputs=[g.output("y")], to=1)
    outputs, _ = sequin.import_onnx(g.bytes()).compile("rngd").run(x=x)
    np.testing.assert_array_equal(outputs["y"], [0, 1, -3.25, 448, 448, -448, 0.0625])


# ===--- Reductions --------------------------------------------------------=== #


@pytest.mark.parametrize("op, function", [
    ("ReduceMean", np.mean), ("ReduceMax", np.max), ("ReduceMin", np.min), ("ReduceProd", np.prod),
    ("ReduceL2", lambda x, **k: np.sqrt((x * x).sum(**k))),
    ("ReduceLogSumExp", lambda x, **k: np.log(np.exp(x).sum(**k))),
])
@pytest.mark.parametrize("keep", [0, 1])
def test_axes_are_an_input(op, function, keep):
    x = floats(3, 5, 4)
    found = run_node(op, [x, np.int64([0, -1])], 18, constants=(1,), keepdims=keep)
    close(found, function(x, axis=(0, 2), keepdims=bool(keep)))


def test_no_axes_and_none_wanted():
    x = floats(3, 5)
    found = run_node("ReduceSumSquare", [x, np.int64([])], 18, constants=(1,),
                     noop_with_empty_axes=1)
    close(found, x * x)


def test_extrema_of_bool():
    x = np.random.default_rng(1).integers(0, 2, (4, 6)).astype(bool)
    for op, function in (("ReduceMax", np.any), ("ReduceMin", np.all)):
        found = run_node(op, [x, np.int64([1])], 20, constants=(1,), keepdims=0, dtypes=["bool"])
        np.testing.assert_array_equal(found, function(x, axis=1))


def test_log_sum_exp_of_infinities():
    x = np.float32([[-np.inf, -np.inf], [1000, 999]])
    found = run_node("ReduceLogSumExp", [x, np.int64([1])], 18, constants=(1,), keepdims=0)
    close(found, [-np.inf, 1000 + np.log1p(np.exp(-1))])


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_cumulative_sum(exclusive, reverse):
    x = floats(3, 6)
    work = x[:, ::-1] if reverse else x
    wanted = np.cumsum(work, 1) - (work if exclusive else 0)
    found = run_node("CumSum", [x, np.int64(1)], 14, constants=(1,), exclusive=exclusive,
                     reverse=reverse)
    close(found, wanted[:, ::-1] if reverse else wanted, atol=1e-5)


# ===--- Normalization -----------------------------------------------------=== #


@pytest.mark.parametrize("opset", [18, 21])
def test_group_normalization(opset):
    x = floats(2, 6, 5, 3)
    size = 2 if opset == 18 else 6
    scale, bias = floats(size, seed=1), floats(size, seed=2)
    y = x.reshape(2, 2, -1)
    y = ((y - y.mean(2, keepdims=True)) / np.sqrt(y.var(2, keepdims=True) + 1e-5)).reshape(x.shape)
    s, t = (np.repeat(v, 6 // size).reshape(6, 1, 1) for v in (scale, bias))
    close(run_node("GroupNormalization", [x, scale, bias], opset, num_groups=2), y * s + t,
          atol=1e-5)


def test_rms_normalization():
    x, scale = floats(3, 4, 16), floats(16, seed=1)
    wanted = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * scale
    close(run_node("RMSNormalization", [x, scale], 23), wanted, atol=1e-5)


# ===--- Attention ---------------------------------------------------------=== #


def reference_attention(q, k, v, mask=None, causal=False, scale=None, cap=0.0, past=0):
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    scores = q @ k.transpose(0, 1, 3, 2) * (scale or 1 / np.sqrt(q.shape[-1]))
    if cap:
        scores = np.tanh(scores / cap) * cap
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    if causal:
        seen = np.tril(np.ones(scores.shape[-2:], bool), past)
        scores = np.where(seen, scores, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True) @ v


@pytest.mark.parametrize("heads, shared", [(4, 4), (4, 2), (4, 1)])
@pytest.mark.parametrize("causal", [0, 1])
def test_attention(heads, shared, causal):
    q, k, v = floats(2, heads, 5, 8), floats(2, shared, 7, 8, seed=1), floats(2, shared, 7, 6,
                                                                              seed=2)
    close(run_node("Attention", [q, k, v], 23, is_causal=causal),
          reference_attention(q, k, v, causal=bool(causal)), atol=1e-5)


def test_attention_of_heads_side_by_side():
    q, k, v = floats(2, 5, 32), floats(2, 7, 16, seed=1), floats(2, 7, 16, seed=2)
    split = [a.reshape(2, a.shape[1], n, 8).transpose(0, 2, 1, 3) for a,
             n in ((q, 4), (k, 2), (v, 2))]
    wanted = reference_attention(*split).transpose(0, 2, 1, 3).reshape(2, 5, 32)
    close(run_node("Attention", [q, k, v], 23, q_num_heads=4, kv_num_heads=2), wanted, atol=1e-5)


@pytest.mark.parametrize("kind", ["bool", "float32"])
def test_attention_with_a_mask(kind):
    q, k, v = floats(1, 2, 4, 8), floats(1, 2, 6, 8, seed=1), floats(1, 2, 6, 8, seed=2)
    mask = floats(4, 6, seed=3)
    mask = mask > -1 if kind == "bool" else mask
    close(run_node("Attention", [q, k, v, mask], 23, scale=0.5,
                   softcap=2.0 if kind == "bool" else 0.0),
          reference_attention(q, k, v, mask, scale=0.5,
                              cap=2.0 if kind == "bool" else 0.0), atol=1e-5)


def test_attention_with_a_cache():
    q, k, v = floats(1, 2, 2, 8), floats(1, 2, 2, 8, seed=1), floats(1, 2, 2, 8, seed=2)
    old_k, old_v = floats(1, 2, 3, 8, seed=3), floats(1, 2, 3, 8, seed=4)
    y, new_k, new_v = run_node("Attention", [q, k, v, None, old_k, old_v], 23, outputs=3,
                               is_causal=1)
    all_k, all_v = np.concatenate([old_k, k], 2), np.concatenate([old_v, v], 2)
    np.testing.assert_array_equal(new_k, all_k)
    np.testing.assert_array_equal(new_v, all_v)
    close(y, reference_attention(q, all_k, all_v, causal=True, past=3), atol=1e-5)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("width", [0, 4])
def test_rotary_embedding(interleaved, width):
    x, half = floats(2, 3, 5, 8), (width or 8) // 2
    angles = np.outer(np.arange(9), 10.0 ** -np.arange(half)).astype(np.float32)
    cos, sin = np.cos(angles), np.sin(angles)
    at = np.int64([[0, 1, 2, 3, 4], [4, 5, 6, 7, 8]])
    c, s = cos[at][:, None], sin[at][:, None]
    turned, rest = x[..., : 2 * half], x[..., 2 * half :]
    p, q = (turned[..., 0::2], turned[..., 1::2]) if interleaved else np.split(turned, 2, -1)
    real, imaginary = c * p - s * q, s * p + c * q
    both = (np.stack([real, imaginary], -1).reshape(turned.shape) if interleaved
            else np.concatenate([real, imaginary], -1))
    close(run_node("RotaryEmbedding", [x, cos, sin, at], 23, interleaved=interleaved,
                   rotary_embedding_dim=width), np.concatenate([both, rest], -1))


# ===--- Moving elements ---------------------------------------------------=== #


def test_split_by_number():
    x = floats(7, 4)
    parts = run_node("Split", [x], 18, outputs=3, num_outputs=3, axis=0)
    for found, wanted in zip(parts, (x[:3], x[3:6], x[6:])):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("mode", ["reflect", "edge", "wrap", "constant"])
def test_pad_some_axes(mode):
    x = floats(3, 4, 5)
    found = run_node("Pad", [x, np.int64([2, 1, 2, 3]), None, np.int64([0, -1])], 19,
                     constants=(1, 3), mode=mode)
    np.testing.assert_array_equal(found, np.pad(x, ((2, 2), (0, 0), (1, 3)), mode))


def test_pad_by_less_than_nothing():
    x = floats(5, 6)
    found = run_node("Pad", [x, np.int64([-1, 2, 0, -3])], 18, constants=(1,))
    np.testing.assert_array_equal(found, np.pad(x[1:, :3], ((0, 0), (2, 0))))


@pytest.mark.parametrize("cut",
                         [(slice(None, None, -1), slice(1, None, 3)),
                          (slice(4, 0, -2), slice(-3, None)),
                                 (slice(1, 2), slice(None, None, -4))])
def test_slice(cut):
    x = floats(6, 11)
    bounds = [(s.start if s.start is not None else (0 if (s.step or 1) > 0 else 2**31 - 1),
               s.stop if s.stop is not None else (2**31 - 1 if (s.step or 1) > 0 else -(2**31)),
               s.step or 1) for s in cut]
    starts, ends, steps = (np.int64(v) for v in zip(*bounds))
    found = run_node("Slice", [x, starts, ends, np.int64([0, 1]), steps], 17,
                     constants=(1, 2, 3, 4))
    np.testing.assert_array_equal(found, x[cut])


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("shape", [(4, 4, 4), (3, 5, 2)])
def test_gather_at_run_time(axis, shape):
    """Also of tensors whose dimensions have one size, and from the end."""
    x = floats(*shape)
    at = np.int64([[1, -1], [0, 1]])
    np.testing.assert_array_equal(run_node("Gather", [x, at], 17, axis=axis), np.take(x, at, axis))
    along = np.random.default_rng(3).integers(0, shape[axis], shape)
    np.testing.assert_array_equal(run_node("GatherElements", [x, along], 17, axis=axis),
                                  np.take_along_axis(x, along, axis))


@pytest.mark.parametrize("at", [0, 3, -1, -5])
def test_scatter_of_one_row(at):
    """As into the cache of a decoder."""
    random = np.random.default_rng(2)
    x, row = (random.standard_normal(shape).astype(np.float32) for shape in ((5, 6), (1, 6)))
    wanted = x.copy()
    wanted[at] = row
    close(run_node("ScatterND", [x, np.int64([[at]]), row], 17), wanted)


@pytest.mark.parametrize("reduction, function", [("add", np.add), ("mul", np.multiply),
                                                 ("max", np.maximum), ("min", np.minimum)])
def test_scatter_with_a_reduction(reduction, function):
    x, updates = floats(5, 3), floats(4, 3, seed=1)
    at = np.int64([[1], [3], [1], [0]])
    wanted = x.copy()
    function.at(wanted, at[:, 0], updates)
    close(run_node("ScatterND", [x, at, updates], 18, reduction=reduction), wanted)
    along = np.int64([[0, 1, 1], [4, 1, 0]])
    wanted = x.copy()
    function.at(wanted, (along, np.broadcast_to(np.arange(3), along.shape)), updates[:2])
    close(run_node("ScatterElements", [x, along, updates[:2]], 18, reduction=reduction, axis=0),
          wanted)


@pytest.mark.parametrize("shape, axis, largest",
                         [((6, 6), 1, 1), ((5, 9), 0, 0), ((2, 3, 8), -1, 1)])
def test_top_k(shape, axis, largest):
    x = np.random.default_rng(2).integers(0, 5, shape).astype(np.float32)  # with equal ones
    values, at = run_node("TopK", [x, np.int64([3])], 17, outputs=2, constants=(1,), axis=axis,
                          largest=largest, dtypes=["float32", "int64"])
    order = np.argsort(-x if largest else x, axis, kind="stable").take([0, 1, 2], axis)
    np.testing.assert_array_equal(at, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, axis))


# ===--- Products ----------------------------------------------------------=== #


@pytest.mark.parametrize("equation, shapes", [
    ("ij,jk->ik", [(3, 4), (4, 5)]),
    ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
    ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 6)]),
    ("ii->i", [(4, 4)]),
    ("ii", [(4, 4)]),
    ("ij->ji", [(3, 5)]),
    ("i,j->ij", [(3,), (4,)]),
    ("bhqd,bhkd->bhqk", [(2, 2, 3, 4), (2, 2, 5, 4)]),
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]),
    ("ij->", [(3, 4)]),
    ("bij,ij->b", [(2, 3, 4), (3, 4)]),
])
def test_einsum(equation, shapes):
    arrays = [floats(*shape, seed=i) for i, shape in enumerate(shapes)]
    close(run_node("Einsum", arrays, 17, equation=equation), np.einsum(equation, *arrays),
          atol=1e-5)


@pytest.mark.parametrize("shapes",
                         [((4,), (4,)), ((3, 4), (4,)), ((4,), (2, 4, 3)),
                          ((2, 1, 3, 4), (5, 4, 2)),
                                    ((7, 3, 4), (4, 2)), ((1, 4), (6, 4, 4))])
def test_matmul(shapes):
    x, y = floats(*shapes[0]), floats(*shapes[1], seed=1)
    close(run_node("MatMul", [x, y], 17), x @ y, atol=1e-5)


@pytest.mark.parametrize("groups, inner, outer", [(1, 4, 6), (2, 4, 6), (4, 4, 4), (4, 4, 8)])
@pytest.mark.parametrize("dimensions", [1, 2])
def test_convolution(groups, inner, outer, dimensions):
    image = (9, 8)[:dimensions]
    x, w = floats(2, inner, *image), floats(outer, inner // groups, *[3] * dimensions, seed=1)
    pads, strides, dilations = [1] * 2 * dimensions, [2] * dimensions, [2, 1][:dimensions]
    found = run_node("Conv", [x, w, floats(outer, seed=2)], 17, group=groups, pads=pads,
                     strides=strides,
                     dilations=dilations)
    padded = np.pad(x, [(0, 0), (0, 0), *[(1, 1)] * dimensions])
    wanted = np.zeros(found.shape, np.float64) + floats(outer, seed=2).reshape(1, -1,
                                                                               *[1] * dimensions)
    for place in np.ndindex(*found.shape[2:]):
        cut = [slice(p * s, p * s + 2 * d + 1, d) for p, s, d in zip(place, strides, dilations)]
        window = padded[(slice(None), slice(None), *cut)]
        for m in range(outer):
            g = m // (outer // groups)
            part = window[:, g * inner // groups : (g + 1) * inner // groups]
            wanted[(slice(None), m, *place)] += (part * w[m]).sum(tuple(range(1, dimensions + 2)))
    close(found, wanted, atol=2e-5)


def test_average_pool_with_dilation():
    x = floats(1, 2, 7, 7)
    found = run_node("AveragePool", [x], 19, kernel_shape=[2, 2], dilations=[2, 2], strides=[1, 1])
    close(found, (x[:, :, :-2, :-2] + x[:, :, :-2, 2:] + x[:, :, 2:, :-2] + x[:, :, 2:, 2:]) / 4)


# ===--- Quantized ---------------------------------------------------------=== #


def test_blocks_have_scales_of_their_own():
    x = np.random.default_rng(0).integers(-128, 128, (6, 4)).astype(np.int8)
    scale, zero = np.abs(floats(2, 4)) + 0.1, np.random.default_rng(1).integers(-9, 9,
                                                                                (2, 4)).astype(np.int8)
    s, z = np.repeat(scale, 3, 0), np.repeat(zero, 3, 0)
    found = run_node("DequantizeLinear", [x, scale, zero], 21, axis=0, block_size=3)
    close(found, (x.astype(np.float32) - z) * s)
    y = floats(6, 4, seed=4) * 40
    found = run_node("QuantizeLinear", [y, scale, zero], 21, axis=0, block_size=3, dtypes=["int8"])
    np.testing.assert_array_equal(found, np.clip(np.rint(y / s) + z, -128, 127))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
def test_quantized_to(dtype):
    y, info = floats(5, 7) * 1e4, np.iinfo(dtype)
    zero = np.asarray(3, dtype)
    found = run_node("QuantizeLinear", [y, np.float32(0.25), zero], 21, dtypes=[dtype])
    np.testing.assert_array_equal(found,
                                  np.clip(np.rint(y / np.float32(0.25)) + 3, info.min, info.max))


def test_integer_products_exactly():
    random = np.random.default_rng(0)
    x, y = random.integers(0, 256, (5, 40)).astype(np.uint8), random.integers(-128, 128,
                                                                              (40, 6)).astype(np.int8)
    zx, zy = np.uint8(131), random.integers(-5, 5, 6).astype(np.int8)
    found = run_node("MatMulInteger", [x, y, zx, zy], 17, dtypes=["int32"])
    np.testing.assert_array_equal(found, (x.astype(np.int32) - 131) @ (y.astype(np.int32) - zy))


@pytest.mark.parametrize("code, low, high", [(22, -8, 8), (21, 0, 16)])
def test_four_bit_weights(code, low, high):
    g = Graph(21)
    x = g.input("x", [3, 8])
    codes = np.random.default_rng(0).integers(low, high, (8, 4))
    g.node("DequantizeLinear", "w", g.constant(np.float32(0.5)), outputs=["wide"])
    g.node("MatMul", x, "wide", outputs=[g.output("y")])
    model = g.proto()
    flat = codes.reshape(-1) & 15
    data = (flat[::2] | flat[1::2] << 4).astype(np.uint8).tobytes()
    model.graph.initializer.add(name="w", raw_data=data, data_type=code, dims=[8, 4])
    values = floats(3, 8)
    outputs, _ = sequin.import_onnx(model.SerializeToString()).compile("rngd").run(x=values)
    close(outputs["y"], values @ (codes * np.float32(0.5)), atol=1e-5)


@pytest.mark.parametrize("code, low, high", [(22, -8, 7), (21, 0, 15)])
def test_quantized_to_four_bits(code, low, high):
    x = floats(4, 6) * 12
    g = Graph(21)
    g.node("QuantizeLinear", g.input("x", [4, 6]), g.constant(np.float32(1)), outputs=["q"],
           output_dtype=code)
    g.node("DequantizeLinear", "q", g.constant(np.float32(1)), outputs=[g.output("y")])
    outputs, _ = sequin.import_onnx(g.bytes()).compile("rngd").run(x=x)
    np.testing.assert_array_equal(outputs["y"], np.clip(np.rint(x), low, high))


# ===--- Resize ------------------------------------------------------------=== #


@pytest.mark.parametrize("factor", [2, 3])
def test_antialias_is_a_mean_of_weights(factor):
    x = floats(1, 1, 6, 6)
    found = run_node("Resize", [x, None, np.float32([1, 1, 1 / factor, 1 / factor])], 18,
                     constants=(2,),
                     mode="linear", antialias=1, exclude_outside=1)
    n = 6 // factor
    centres = (np.arange(n) + 0.5) * factor - 0.5
    weights = np.clip(1 - np.abs(centres[:, None] - np.arange(6)) / factor, 0, None)
    weights /= weights.sum(1, keepdims=True)
    close(found, weights @ x @ weights.T, atol=1e-5)


def test_resize_that_keeps_its_shape():
    x = floats(1, 1, 4, 8)
    found = run_node("Resize", [x, None, None, np.int64([6, 6])], 18, constants=(3,), axes=[2, 3],
                     keep_aspect_ratio_policy="not_larger", mode="nearest")
    assert found.shape == (1, 1, 3, 6)


# ===--- Recurrent ---------------------------------------------------------=== #


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def reference_lstm(x, w, r, b, lengths, reverse):
    steps, batch, _ = x.shape
    size = r.shape[1]
    h = c = np.zeros((batch, size))
    out = np.zeros((steps, batch, size))
    for t in reversed(range(steps)) if reverse else range(steps):
        gates = x[t] @ w.T + h @ r.T + b[: 4 * size] + b[4 * size :]
        i, o, f, g = np.split(gates, 4, 1)
        new_c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        new_h = sigmoid(o) * np.tanh(new_c)
        alive = (t < lengths)[:, None]
        out[t] = np.where(alive, new_h, 0)
        h, c = np.where(alive, new_h, h), np.where(alive, new_c, c)
    return out, h, c


def test_bidirectional_lstm_of_sequences_of_other_lengths():
    x, size = floats(5, 3, 4), 6
    w, r, b = floats(2, 24, 4, seed=1), floats(2, 24, 6, seed=2), floats(2, 48, seed=3)
    lengths = np.int32([5, 2, 3])
    y, h, c = run_node("LSTM", [x, w, r, b, lengths], 14, outputs=3, hidden_size=size,
                       direction="bidirectional")
    for d in (0, 1):
        out, last_h, last_c = reference_lstm(x, w[d], r[d], b[d], lengths, d == 1)
        close(y[:, d], out, atol=1e-5)
        close(h[d], last_h, atol=1e-5)
        close(c[d], last_c, atol=1e-5)


# ===--- Graphs of several -------------------------------------------------=== #


def test_random_graphs():
    counts, failures = onnx_random.run(80, seed=7)
    assert failures == []
    assert counts["equal"] >= 76


# ===--- Values that are known ---------------------------------------------=== #


def test_outputs_that_are_known_need_no_machine():
    g = Graph()
    g.input("x", ["n", 4])
    g.node("Shape", "x", outputs=[g.output("y", "int64")])
    outputs, report = sequin.import_onnx(g.bytes(), "n=3").compile("rngd").run(x=np.zeros((3, 4)))
    assert report is None and outputs["y"].tolist() == [3, 4]


@pytest.mark.parametrize("condition", [True, False])
def test_branch_of_a_known_condition(condition):
    from onnx import helper

    def branch(op):
        out = helper.make_tensor_value_info("z", TensorProto.FLOAT, [4])
        return helper.make_graph([helper.make_node(op, ["x"], ["z"], name=f"/{op}")], op, [], [out])

    g = Graph()
    g.input("x", [4])
    g.node("If", g.constant(np.asarray(condition)), outputs=[g.output("y")],
           then_branch=branch("Neg"),
           else_branch=branch("Relu"))
    x = np.float32([-1, 2, -3, 4])
    outputs, _ = sequin.import_onnx(g.bytes()).compile("rngd").run(x=x)
    np.testing.assert_array_equal(outputs["y"], -x if condition else np.maximum(x, 0))


def branch(op, shape):
    from onnx import helper

    out = helper.make_tensor_value_info("z", TensorProto.FLOAT, shape)
    return helper.make_graph([helper.make_node(op, ["x"], ["z"], name=f"/{op}",
                                               **({"axes": [0]} if op == "ReduceMax" else {}))],
                             op, [], [out])


def test_branch_that_the_data_chooses():
    g = Graph()
    g.input("x", [4])
    g.input("flag", [], "bool")
    g.node("If", "flag", outputs=[g.output("y")], name="/if", then_branch=branch("Neg", [4]),
           else_branch=branch("Relu", [4]))
    compiled = sequin.import_onnx(g.bytes()).compile("rngd")
    x = np.float32([-1, 2, -3, 4])
    for flag, wanted in ((True, -x), (False, np.maximum(x, 0))):
        outputs, _ = compiled.run(x=x, flag=np.asarray(flag), verify=True)
        np.testing.assert_array_equal(outputs["y"], wanted)


def test_branches_of_two_shapes():
    g = Graph()
    g.input("x", [4])
    g.node("If", g.input("flag", [], "bool"), outputs=[g.output("y")], name="/if",
           then_branch=branch("ReduceMax", [1]), else_branch=branch("Relu", [4]))
    with pytest.raises(sequin.ModelError, match=r"'/if' \(If\) makes float32 \[1\] in one branch"):
        sequin.import_onnx(g.bytes())


def test_functions_of_the_model():
    from onnx import helper

    scaled = helper.make_node("LeakyRelu", ["a"], ["b"])
    reference = scaled.attribute.add(name="alpha", ref_attr_name="slope")
    reference.type = 1
    function = helper.make_function("own", "Leak", ["a"], ["c"],
                                    [scaled, helper.make_node("Neg", ["b"], ["c"])],
                                    [helper.make_opsetid("", 17)], ["slope"])
    g = Graph()
    g.node("Leak", g.input("x", [4]), outputs=[g.output("y")], name="/leak", domain="own",
           slope=0.25)
    model = g.proto()
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("own", 1))
    imported = sequin.import_onnx(model.SerializeToString())
    assert '"/leak/LeakyRelu_0"' in imported.mlir
    outputs, _ = imported.compile("rngd").run(x=np.float32([-4, 4, -8, 0]))
    np.testing.assert_array_equal(outputs["y"], [1, -4, 2, 0])
