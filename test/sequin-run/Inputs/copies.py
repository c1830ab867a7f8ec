# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes programs and arrays for types.test, and checks what came back.

copies.py make DIR | check DIR DTYPE ARRAY | check-int ... | check-raw ...
"""

import sys
from fractions import Fraction

import numpy as np

COPY = """
#axes = #stream.axes<A = 32>
module attributes {{tcp.target = #tcp.target<"rngd", chips = 1>}} {{
  func.func @main(%a: !tcp.host<{0}, #axes, "A">) -> !tcp.host<{0}, #axes, "A"> {{
    %h = tcp.to_hbm %a at 0 : !tcp.host<{0}, #axes, "A"> -> !tcp.hbm<{0}, #axes, "1", "A">
    %o = tcp.to_host %h : !tcp.hbm<{0}, #axes, "1", "A"> -> !tcp.host<{0}, #axes, "A">
    return %o : !tcp.host<{0}, #axes, "A">
  }}
}}
"""

def to_bf16(values):
    """Nearest bf16 of exact Python numbers, ties to even, as float."""
    results = []
    for value in values:
        if value == 0 or value != value or value in (np.inf, -np.inf):
            results.append(float(value))
            continue
        # Scale by powers of two, exactly, to 128 <= mantissa < 256.
        mantissa, exponent = Fraction(abs(value)), 0
        while mantissa >= 256:
            mantissa /= 2
            exponent += 1
        while mantissa < 128:
            mantissa *= 2
            exponent -= 1
        rounded = round(mantissa)
        results.append(float(rounded * Fraction(2) ** exponent) * (1 if value > 0 else -1))
    return np.array(results)

def make(folder):
    for dtype in ("bf16", "i8", "f8E4M3FN"):
        with open(f"{folder}/{dtype}.mlir", "w", encoding="utf-8") as file:
            file.write(COPY.format(dtype))
    rng = np.random.default_rng(3)

    def save(name, array):
        np.save(f"{folder}/{name}.npy", array)

    doubles = rng.standard_normal(32) * 10.0 ** rng.integers(-20, 20, 32)
    # Just off the middle between two bf16 values: rounding twice goes wrong.
    doubles[:4] = [1 + 2**-8 + 2**-40, 1 + 2**-8 - 2**-40, 1 + 2**-8, 1 + 3 * 2**-8]
    save("f8", doubles)
    save("f4", doubles.astype("f4"))
    save("f2", rng.standard_normal(32).astype("f2"))
    integers = rng.integers(-(2**62), 2**62, 32)
    integers[:2] = [2**60 + 2**52 + 1, 2**60 + 2**52]
    save("i8", integers)
    save("u1", rng.integers(0, 126, 32).astype("u1"))
    save("b1", rng.integers(0, 2, 32).astype("?"))
    save("u2", rng.integers(0x0080, 0x7F00, 32).astype("u2"))
    save("small", rng.integers(-128, 128, 32))
    save("half", np.arange(32) - 15.5)
    wide = np.arange(32)
    wide[5] = 128
    save("wide", wide)
    save("huge", np.full(32, 1e38))

def check(mode, folder, dtype, name):
    given = np.load(f"{folder}/{name}.npy")
    found = np.load(f"{folder}/{dtype}.out.npy")
    if mode == "check":
        assert found.dtype == np.float32, found.dtype
        expected = to_bf16([value.item() for value in given])
    elif mode == "check-int":
        assert found.dtype == np.int8, found.dtype
        expected = np.rint(given)
    else:
        assert found.dtype == given.dtype, found.dtype
        expected = given
    assert found.shape == given.shape
    assert (found == expected).all(), (given, found, expected)

if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    check(*sys.argv[1:])
