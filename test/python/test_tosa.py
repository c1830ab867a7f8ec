# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TOSA programs on the simulated machine, against NumPy and the reference interpreter."""

import numpy as np
import pytest

import sequin

ZERO = '  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>\n'


def shape(name, *sizes):
    rank = len(sizes)
    return (f"  %{name} = tosa.const_shape {{values = dense<{list(sizes)}> : tensor<{rank}xindex>}}"
            f" : () -> !tosa.shape<{rank}>\n")


def run(arguments, result, body, *arrays):
    text = f"func.func @main({arguments}) -> {result} {{\n{body}\n  return %r : {result}\n}}\n"
    return sequin.compile(text, target="rngd", name="tosa").run(*arrays, verify=True).output


F48 = "tensor<4x8xf32>"
random = np.random.default_rng(0)
X, Y = (random.standard_normal((4, 8)).astype(np.float32) for _ in range(2))
IMAGE = random.standard_normal((1, 8, 8, 3)).astype(np.float32)
FILTERS = random.standard_normal((4, 3, 3, 3)).astype(np.float32)
BIAS = random.standard_normal(4).astype(np.float32)


def windows(image, size, stride=1):
    """[height, width, size, size, channels] of an image of [height, width, channels]."""
    all_ = np.lib.stride_tricks.sliding_window_view(image, (size, size), (0, 1))
    return all_[::stride, ::stride].transpose(0, 1, 3, 4, 2)


def test_softmax():
    body = f"""  %m = tosa.reduce_max %x {{axis = 1 : i32}} : ({F48}) -> tensor<4x1xf32>
  %d = tosa.sub %x, %m : ({F48}, tensor<4x1xf32>) -> {F48}
  %e = tosa.exp %d : ({F48}) -> {F48}
  %s = tosa.reduce_sum %e {{axis = 1 : i32}} : ({F48}) -> tensor<4x1xf32>
  %i = tosa.reciprocal %s : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %h = "tosa.const"() <{{values = dense<0> : tensor<1xi8>}}> : () -> tensor<1xi8>
  %r = tosa.mul %e, %i, %h : ({F48}, tensor<4x1xf32>, tensor<1xi8>) -> {F48}"""
    e = np.exp(X - X.max(1, keepdims=True))
    np.testing.assert_allclose(run(f"%x: {F48}", F48, body, X), e / e.sum(1, keepdims=True),
                               rtol=1e-6)


def test_matmul():
    body = ZERO + ("  %r = tosa.matmul %x, %w, %z, %z : (tensor<2x4x8xf32>, tensor<2x8x5xf32>, "
                   "tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x5xf32>")
    x, w = np.stack([X, Y]), random.standard_normal((2, 8, 5)).astype(np.float32)
    found = run("%x: tensor<2x4x8xf32>, %w: tensor<2x8x5xf32>", "tensor<2x4x5xf32>", body, x, w)
    np.testing.assert_allclose(found, x @ w, rtol=1e-5, atol=1e-5)


def test_convolution_and_pool():
    body = ZERO + """  %c = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
  %r = tosa.max_pool2d %c {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>"""
    found = run("%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>",
                "tensor<1x4x4x4xf32>", body, IMAGE, FILTERS, BIAS)
    padded = np.pad(IMAGE[0], ((1, 1), (1, 1), (0, 0)))
    made = np.einsum("hwijc,oijc->hwo", windows(padded, 3), FILTERS) + BIAS
    wanted = windows(made, 2, 2).max((2, 3))
    np.testing.assert_allclose(found[0], wanted, rtol=1e-5, atol=1e-5)


def test_depthwise_convolution():
    body = ZERO + """  %r = tosa.depthwise_conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<3x3x3x1xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x6x3xf32>"""
    w = random.standard_normal((3, 3, 3, 1)).astype(np.float32)
    found = run("%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x1xf32>, %b: tensor<3xf32>",
                "tensor<1x6x6x3xf32>", body, IMAGE, w, BIAS[:3])
    wanted = np.einsum("hwijc,ijc->hwc", windows(IMAGE[0], 3), w[..., 0]) + BIAS[:3]
    np.testing.assert_allclose(found[0], wanted, rtol=1e-5, atol=1e-5)


def test_arg_max():
    body = f"  %r = tosa.argmax %x {{axis = 1 : i32}} : ({F48}) -> tensor<4xi32>"
    twice = np.round(X)  # of several greatest ones the first
    np.testing.assert_array_equal(run(f"%x: {F48}", "tensor<4xi32>", body, twice),
                                  twice.argmax(1))


def test_pad():
    body = shape("s", 1, 0, 1, 1) + f"""  %v = "tosa.const"() <{{values = dense<2.0> : tensor<1xf32>}}> : () -> tensor<1xf32>
  %r = tosa.pad %x, %s, %v : ({F48}, !tosa.shape<4>, tensor<1xf32>) -> tensor<5x10xf32>"""
    np.testing.assert_array_equal(
        run(f"%x: {F48}", "tensor<5x10xf32>", body, X),
        np.pad(X, ((1, 0), (1, 1)), constant_values=2))


MOVES = {
    "transpose": ("tensor<8x4xf32>", f"  %r = tosa.transpose %x {{perms = array<i32: 1, 0>}} : "
                  f"({F48}) -> tensor<8x4xf32>", X.T),
    "concat": ("tensor<8x8xf32>", f"  %r = tosa.concat %x, %y {{axis = 0 : i32}} : ({F48}, {F48}) "
               "-> tensor<8x8xf32>", np.concatenate([X, Y])),
    "reverse": (F48, f"  %r = tosa.reverse %x {{axis = 1 : i32}} : ({F48}) -> {F48}", X[:, ::-1]),
    "slice": ("tensor<2x3xf32>", shape("a", 1, 2) + shape("b", 2, 3) + f"  %r = tosa.slice %x, %a,"
              f" %b : ({F48}, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x3xf32>", X[1:3, 2:5]),
    "tile": ("tensor<8x8xf32>", shape("a", 2, 1) + f"  %r = tosa.tile %x, %a : ({F48}, "
             "!tosa.shape<2>) -> tensor<8x8xf32>", np.tile(X, (2, 1))),
    "select": (F48, f"  %c = tosa.greater %x, %y : ({F48}, {F48}) -> tensor<4x8xi1>\n"
               f"  %r = tosa.select %c, %x, %y : (tensor<4x8xi1>, {F48}, {F48}) -> {F48}",
               np.maximum(X, Y)),
    "clamp": (F48, "  %r = tosa.clamp %x {min_val = -0.5 : f32, max_val = 0.25 : f32} : "
              f"({F48}) -> {F48}", X.clip(-0.5, 0.25)),
}


@pytest.mark.parametrize("name", MOVES)
def test_moves(name):
    result, body, wanted = MOVES[name]
    np.testing.assert_array_equal(run(f"%x: {F48}, %y: {F48}", result, body, X, Y), wanted)


def rescaled(x, multiplier, shift):
    """With the one rounding that is asked for."""
    wide = x.astype(np.int64) * multiplier + (1 << (shift - 1))
    return (wide >> shift).clip(-128, 127)


@pytest.mark.parametrize("multiplier, shift", [(1073741824, 38), (1518500250, 33), (7, 2)])
def test_quantized_product(multiplier, shift):
    body = f"""  %z = "tosa.const"() <{{values = dense<0> : tensor<1xi8>}}> : () -> tensor<1xi8>
  %w0 = "tosa.const"() <{{values = dense<0> : tensor<1xi32>}}> : () -> tensor<1xi32>
  %p = tosa.matmul %x, %w, %z, %z : (tensor<1x4x8xi8>, tensor<1x8x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x5xi32>
  %m = "tosa.const"() <{{values = dense<{multiplier}> : tensor<1xi32>}}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{{values = dense<{shift}> : tensor<1xi8>}}> : () -> tensor<1xi8>
  %r = tosa.rescale %p, %m, %s, %w0, %z {{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true}} : (tensor<1x4x5xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x5xi8>"""
    x, w = random.integers(-128, 128, (1, 4, 8)), random.integers(-128, 128, (1, 8, 5))
    found = run("%x: tensor<1x4x8xi8>, %w: tensor<1x8x5xi8>", "tensor<1x4x5xi8>", body,
                x.astype(np.int8), w.astype(np.int8))
    np.testing.assert_array_equal(found, rescaled(x @ w, multiplier, shift))


def test_refusal_has_a_place():
    body = """  %r = tosa.scatter %x, %i, %u : (tensor<1x9x8xf32>, tensor<1x4xi32>, tensor<1x4x8xf32>) -> tensor<1x9x8xf32>"""
    with pytest.raises(sequin.CompileError, match="tosa.scatter") as caught:
        run("%x: tensor<1x9x8xf32>, %i: tensor<1x4xi32>, %u: tensor<1x4x8xf32>",
            "tensor<1x9x8xf32>", body)
    assert (caught.value.line, caught.value.column) == (2, 8)
